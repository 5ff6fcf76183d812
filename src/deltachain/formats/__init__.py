"""Model files in and out, exact from their own digits: native JSON, Storm's DRN, PRISM's ``.tra``, DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .native import chain_from_json, chain_to_json
    from .notes import Loaded
    from .reading import read_text
    from .registry import FORMATS, Format, holds_relation, load, load_with_notes, save
    from .stormpy_models import from_stormpy, to_stormpy

# Names are imported when first used: a built-in example needs no format.
_NAMES = {
    "native": ["chain_from_json", "chain_to_json"],
    "notes": ["Loaded"],
    "reading": ["read_text"],
    "registry": ["FORMATS", "Format", "holds_relation", "load", "load_with_notes", "save"],
    "stormpy_models": ["from_stormpy", "to_stormpy"],
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)

__all__ = [
    "FORMATS",
    "Format",
    "Loaded",
    "chain_from_json",
    "chain_to_json",
    "from_stormpy",
    "holds_relation",
    "load",
    "load_with_notes",
    "read_text",
    "save",
    "to_stormpy",
]
