"""Model files in and out, exact from their own digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .format import Format as Format
    from .suffixes import FORMATS as FORMATS
    from .suffixes import format_of as format_of
    from .suffixes import holds_assumptions as holds_assumptions
    from .suffixes import holds_relation as holds_relation
    from .suffixes import load_with_notes as load_with_notes
    from .suffixes import rows_enclosed as rows_enclosed
    from .suffixes import save as save

# An example or a program is asked about without any file of a model.
_HOMES = {
    "format": "Format",
    "suffixes": "FORMATS format_of holds_assumptions holds_relation load_with_notes rows_enclosed save",
}
__getattr__, __all__ = lazily(__name__, _HOMES)
