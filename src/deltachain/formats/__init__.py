"""Model files in and out, exact from their own digits: native JSON, Storm's DRN, PRISM's ``.tra``, DOT."""

from .native import chain_from_json, chain_to_json
from .notes import Loaded
from .reading import read_text
from .registry import FORMATS, Format, holds_relation, load, load_with_notes, save
from .stormpy_models import from_stormpy, to_stormpy

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
