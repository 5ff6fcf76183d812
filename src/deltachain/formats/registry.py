"""The formats by file suffix, and the two verbs that use them: `load` and `save`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..chain import Chain
from ..errors import Defect, InputError
from ..files import write_atomically
from . import dot, drn, native, tra
from .notes import Loaded
from .reading import check_readable, read_lines, read_text
from .settings import Settings, refuse_settings

__all__ = ["FORMATS", "Format", "load", "load_with_notes", "save"]


@dataclass(frozen=True)
class Format:
    """One format: its name, which is also the suffix, what it is, and how its files are read and written."""

    name: str
    title: str
    read: Callable[[Path, Settings], Loaded] | None
    """None for a format that is only written."""
    write: Callable[[Chain, Path], None] | None
    """None for a format that is only read."""
    other_suffixes: tuple[str, ...] = ()
    understands: tuple[str, ...] = ("normalise",)
    """The settings that mean something for the format, beside ``keep_labels``, which all accept."""


def _read_native(path: Path, settings: Settings) -> Loaded:
    return native.loaded_from_json(read_text(path), str(path), normalise=settings.normalise)


def _read_drn(path: Path, settings: Settings) -> Loaded:
    lines = read_lines(path)
    return drn.loaded_from_drn(lines, str(path), normalise=settings.normalise, keep_labels=settings.keep_labels)


def _read_tra(path: Path, settings: Settings) -> Loaded:
    return tra.load_explicit(path, normalise=settings.normalise, keep_labels=settings.keep_labels)


def _read_prism(path: Path, settings: Settings) -> Loaded:
    from .prism import load_symbolic

    return load_symbolic(path, settings, jani=False)


def _read_jani(path: Path, settings: Settings) -> Loaded:
    from .prism import load_symbolic

    return load_symbolic(path, settings, jani=True)


def _read_umb(path: Path, settings: Settings) -> Loaded:
    from .umb import load_umb

    return load_umb(path, settings)


def _write_umb(chain: Chain, path: Path) -> None:
    from .umb import save_umb

    save_umb(chain, path)


def _write_text(pieces: Callable[[Chain], Iterator[str]]) -> Callable[[Chain, Path], None]:
    return lambda chain, path: write_atomically(path, pieces(chain))


SYMBOLIC = ("constants", "observe", "observe_labels")

FORMATS = (
    Format("json", "native", _read_native, _write_text(native.chain_to_json)),
    Format("drn", "Storm's DRN", _read_drn, _write_text(drn.chain_to_drn)),
    Format("tra", "PRISM's and Storm's .tra with .lab (and .sta)", _read_tra, tra.save_explicit),
    Format("umb", "unified Markov binary", _read_umb, _write_umb, (), ("normalise", "observe", "observe_labels")),
    Format("prism", "PRISM's language, also .pm, .nm, .sm; read only", _read_prism, None, ("pm", "nm", "sm"), SYMBOLIC),
    Format("jani", "JANI, read only", _read_jani, None, (), SYMBOLIC),
    Format("dot", "Graphviz DOT, written only", None, _write_text(dot.chain_to_dot)),
)
"""Every format; the suffix of a file decides, unless the caller names one."""


def load(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: bool = False,
    keep_labels: bool = False,
    constants: Mapping[str, object] | None = None,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
) -> Chain:
    """The chain of a model file, exact from the file's own digits; see `load_with_notes`."""
    return load_with_notes(
        path,
        format=format,
        normalise=normalise,
        keep_labels=keep_labels,
        constants=constants,
        observe=observe,
        observe_labels=observe_labels,
    ).chain


def load_with_notes(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: bool = False,
    keep_labels: bool = False,
    constants: Mapping[str, object] | None = None,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
) -> Loaded:
    """The chain of a model file, with what was done to its content.

    ``normalise`` divides rows that do not sum to one by their sum. ``keep_labels`` keeps the label names
    ``init`` and ``deadlock`` of other tools, which are dropped otherwise. ``format`` is a suffix, for files whose
    own says something else. For PRISM, JANI and UMB, ``observe`` names the variables, or ``observe_labels`` the
    labels, that a watcher sees; ``constants`` gives values to the constants of a PRISM or JANI model. A setting
    that means nothing for the format is refused. Raises InputError: FormatError for text that does not parse,
    ModelError for what is not a chain.
    """
    place = Path(path)
    if format is None and not place.suffix:
        check_readable(place)  # a missing file or a directory is called that, not a file without a suffix
    chosen = _chosen(place, format)
    if chosen.read is None:
        readable = ", ".join(f".{other.name}" for other in FORMATS if other.read is not None)
        raise InputError(Defect(str(path), f".{chosen.name} files are written, not read", f"read are {readable}"))
    defects = [
        Defect(name, f"{text!r} is one text", f"give a list of names: [{text!r}]")
        for name, text in (("observe", observe), ("observe_labels", observe_labels))
        if isinstance(text, str)
    ]
    if defects:
        raise InputError(defects)
    settings = Settings(normalise, keep_labels, dict(constants or {}), tuple(observe), tuple(observe_labels))
    refuse_settings(settings, chosen.understands, f".{chosen.name} files", "leave it out")
    return chosen.read(place, settings)


def save(chain: Chain, path: str | Path, *, format: str | None = None) -> None:  # noqa: A002 - the word users look for
    """Write a chain to a file, all or nothing, so that loading it gives the chain back.

    What a format cannot hold is said in its module; what it cannot express is refused with InputError, by
    state.
    """
    place = Path(path)
    chosen = _chosen(place, format)
    if chosen.write is None:
        written = ", ".join(f".{other.name}" for other in FORMATS if other.write is not None)
        raise InputError(Defect(str(path), f".{chosen.name} files are read, not written", f"written are {written}"))
    chosen.write(chain, place)


def _chosen(path: Path, name: str | None) -> Format:
    wanted = (path.suffix if name is None else name).removeprefix(".").lower()
    for candidate in FORMATS:
        if wanted == candidate.name or wanted in candidate.other_suffixes:
            return candidate
    if name is None and wanted in ("lab", "sta"):
        raise InputError(
            Defect(str(path), f"a .{wanted} file is not a model alone", f"give {path.with_suffix('.tra')}")
        )
    known = ", ".join(f".{candidate.name} ({candidate.title})" for candidate in FORMATS)
    what = (
        f"unknown format {name!r}" if name is not None else f"unknown suffix {path.suffix!r}" if wanted else "no suffix"
    )
    raise InputError(Defect(str(path), what, f"formats are {known}"))
