"""The formats by file suffix, and the two verbs that use them: `load` and `save`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..chain import Chain
from ..errors import Defect, InputError
from . import dot, drn, native, tra
from .atomic import write_atomically
from .notes import Loaded
from .reading import read_lines, read_text

__all__ = ["FORMATS", "Format", "load", "load_with_notes", "save"]


@dataclass(frozen=True)
class Format:
    """One format: its name, which is also the suffix, what it is, and how its files are read and written."""

    name: str
    title: str
    read: Callable[[Path, bool, bool], Loaded] | None
    """(path, normalise, keep_labels) → the chain; None for a format that is only written."""
    write: Callable[[Chain, Path], None]


def _read_native(path: Path, normalise: bool, _keep_labels: bool) -> Loaded:
    return native.loaded_from_json(read_text(path), str(path), normalise=normalise)


def _read_drn(path: Path, normalise: bool, keep_labels: bool) -> Loaded:
    return drn.loaded_from_drn(read_lines(path), str(path), normalise=normalise, keep_labels=keep_labels)


def _read_tra(path: Path, normalise: bool, keep_labels: bool) -> Loaded:
    return tra.load_explicit(path, normalise=normalise, keep_labels=keep_labels)


FORMATS = (
    Format(
        "json",
        "native",
        _read_native,
        lambda chain, path: write_atomically(path, native.chain_to_json(chain)),
    ),
    Format(
        "drn", "Storm's DRN", _read_drn, lambda chain, path: write_atomically(path, drn.chain_to_drn(chain))
    ),
    Format("tra", "PRISM's and Storm's .tra with .lab (and .sta)", _read_tra, tra.save_explicit),
    Format(
        "dot",
        "Graphviz DOT, written only",
        None,
        lambda chain, path: write_atomically(path, dot.chain_to_dot(chain)),
    ),
)
"""Every format; the suffix of a file decides, unless the caller names one."""


def load(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: bool = False,
    keep_labels: bool = False,
) -> Chain:
    """The chain of a model file, exact from the file's own digits; see `load_with_notes`."""
    return load_with_notes(path, format=format, normalise=normalise, keep_labels=keep_labels).chain


def load_with_notes(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: bool = False,
    keep_labels: bool = False,
) -> Loaded:
    """The chain of a model file, with what was done to its content.

    ``normalise`` divides rows that do not sum to one by their sum. ``keep_labels`` keeps the label names
    ``init`` and ``deadlock`` of DRN and ``.lab`` files, which are dropped otherwise. ``format`` is a
    suffix, for files whose own says something else. Raises InputError: FormatError for text that does not
    parse, ModelError for what is not a chain.
    """
    place = Path(path)
    chosen = _chosen(place, format)
    if chosen.read is None:
        readable = ", ".join(f".{other.name}" for other in FORMATS if other.read is not None)
        raise InputError(
            Defect(str(path), f".{chosen.name} files are written, not read", f"read are {readable}")
        )
    return chosen.read(place, normalise, keep_labels)


def save(chain: Chain, path: str | Path, *, format: str | None = None) -> None:  # noqa: A002 - the word users look for
    """Write a chain to a file, all or nothing, so that loading it gives the chain back.

    What a format cannot hold is said in its module; what it cannot express is refused with InputError, by
    state.
    """
    place = Path(path)
    _chosen(place, format).write(chain, place)


def _chosen(path: Path, name: str | None) -> Format:
    wanted = (path.suffix if name is None else name).removeprefix(".").lower()
    for candidate in FORMATS:
        if candidate.name == wanted:
            return candidate
    if name is None and wanted in ("lab", "sta"):
        raise InputError(
            Defect(str(path), f"a .{wanted} file is not a model alone", f"give {path.with_suffix('.tra')}")
        )
    known = ", ".join(f".{candidate.name} ({candidate.title})" for candidate in FORMATS)
    what = (
        f"unknown format {name!r}"
        if name is not None
        else f"unknown suffix {path.suffix!r}"
        if wanted
        else "no suffix"
    )
    raise InputError(Defect(str(path), what, f"formats are {known}"))
