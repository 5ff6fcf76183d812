"""Chains from ordinary Python: the code that runs is the code that is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .execute import executed as executed
    from .execute import importing as importing
    from .generators import Random as Random
    from .generators import numpy_generator as numpy_generator
    from .itemwise import each as each
    from .replay import from_code as from_code
    from .watching import CodeRefused as CodeRefused

_HOMES = {
    "execute": "executed importing",
    "generators": "Random numpy_generator",
    "itemwise": "each",
    "replay": "from_code",
    "watching": "CodeRefused",
}
__getattr__, __all__ = lazily(__name__, _HOMES)
