"""Which format a file has, by its suffix; `load_with_notes` and `save` read and write it.

A format is a module that defines a `Format` named for its suffix, and that `registry` lists; it is imported when a file
of its kind is there.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from .. import registry
from ..errors import Defect, InputError
from ..files import STANDARD, STANDARD_INPUT, read_standard_input, write_standard_output
from ..memory import collector_paused
from ..model import Chain, Loaded
from ..settings import Settings
from .format import Format, check_readable, decode_text
from .native import loaded_from_json

FORMATS = registry.formats()
"""Format, which is also the suffix → its module; the suffix of a file decides, unless the caller names a format."""

OTHER_SUFFIXES = registry.suffixes()


def load_with_notes(path: str | Path, settings: Settings = Settings()) -> Loaded:  # noqa: B008 - frozen
    """The chain of a model file, with what was done to its content; ``"-"`` is native JSON on standard input.

    Raises:
        FormatError: The text does not parse.
        ModelError: It is not a chain.
        InputError: Anything else is wrong, such as a setting that is not used with the format.
        Stopped: The settings' token says so.
    """
    standard = str(path) == STANDARD
    place = Path(path)
    if settings.format is None and not place.suffix and not standard:
        check_readable(place)  # a missing file or a directory is called that, not a file without a suffix
    name = _choose(place, settings.format)
    chosen = format_of(name)
    if chosen.read is None:
        readable = ", ".join(f".{other}" for other in FORMATS if format_of(other).read is not None)
        raise InputError(Defect(str(path), f".{name} files are written, not read", f"read are {readable}"))
    chosen.check(settings, name)
    with collector_paused():
        return _from_standard_input(name, settings) if standard else chosen.read(place, settings)


def _from_standard_input(name: str, settings: Settings) -> Loaded:
    if name != "json":
        what = f"a model in .{name} is not read from standard input"
        raise InputError(Defect(STANDARD, what, "give native JSON there, or save it to a file"))
    return loaded_from_json(decode_text(read_standard_input(), STANDARD_INPUT), STANDARD_INPUT, settings)


def save(chain: Chain, path: str | Path, *, format: str | None = None) -> None:  # noqa: A002 - the word users look for
    """Write a chain to a file, all or nothing, so that loading it gives the chain back; ``"-"``: standard output.

    What a format cannot hold is said in its module; what it cannot express is refused with InputError, by
    state. On standard output goes native JSON, or another format that is one text.
    """
    place = Path(path)
    name = _choose(place, format)
    chosen = format_of(name)
    if not chosen.written:
        written = ", ".join(f".{other}" for other in FORMATS if format_of(other).written)
        raise InputError(Defect(str(path), f".{name} files are read, not written", f"written are {written}"))
    chosen.refuse_numbers(chain, name)
    if str(path) != STANDARD:
        chosen.save(chain, place)
    elif chosen.pieces is None:
        what = f"a model in .{name} is not one text and cannot go to standard output"
        raise InputError(Defect(STANDARD, what, "give a file"))
    else:
        write_standard_output(chosen.pieces(chain))


def holds_relation(chain: Chain, path: str | Path, format: str | None = None) -> bool:  # noqa: A002
    """Whether what `save` writes there says which pairs of states must look alike."""
    return format_of(_choose(Path(path), format)).holds_relation(chain)


def holds_assumptions(path: str | Path, format: str | None = None) -> bool:  # noqa: A002
    """Whether what `save` writes there says what answers about the chain assume."""
    return format_of(_choose(Path(path), format)).holds_assumptions


def rows_enclosed(chain: Chain, path: str | Path, format: str | None = None) -> int:  # noqa: A002
    """How many rows of exact or enclosed numbers are intervals in what `save` writes there, read back as limits."""
    return format_of(_choose(Path(path), format)).encloses(chain)


def format_of(name: str) -> Format:
    """The format of this name, a key of `FORMATS`."""
    found: Format = getattr(importlib.import_module(FORMATS[name]), name.upper())
    return found


def _choose(path: Path, name: str | None) -> str:
    """The name of the format that a path or, before it, a name asks for; standard input and output are native."""
    if name is None and str(path) == STANDARD:
        return "json"
    wanted = (path.suffix if name is None else name).removeprefix(".").lower()
    if wanted in FORMATS or wanted in OTHER_SUFFIXES:
        return OTHER_SUFFIXES.get(wanted, wanted)
    if name is None and wanted in ("lab", "sta"):
        fix = f"give {path.with_suffix('.tra')}"
        raise InputError(Defect(str(path), f"a .{wanted} file is not a model alone", fix))
    known = ", ".join(f".{candidate} ({format_of(candidate).title})" for candidate in FORMATS)
    what = f"unknown format {name!r}" if name is not None else "no suffix"
    if name is None and wanted:
        what = f"unknown suffix {path.suffix!r}"
    raise InputError(Defect(str(path), what, f"formats are {known}"))
