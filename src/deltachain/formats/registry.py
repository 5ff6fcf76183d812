"""The formats by file suffix, and the two verbs that use them: `load` and `save`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..files import STANDARD, read_standard_input, write_atomically, write_standard_output
from ..model import Chain, Normalise
from .notes import Loaded
from .reading import check_readable, decoded, read_lines, read_text
from .settings import Settings, refuse_settings

STANDARD_INPUT = "standard input"


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
    pieces: Callable[[Chain], Iterator[str]] | None = None
    """The whole content as text, where it is one text: that can go to standard output."""
    holds_relation: Callable[[Chain], bool] = lambda _: False
    """Whether a file says which pairs of the chain's states must look alike."""


# A format's module is imported when a file of its kind is there.


def _read_native(path: Path, settings: Settings) -> Loaded:
    from .native import loaded_from_json

    return loaded_from_json(read_text(path), str(path), settings)


def _native_text(chain: Chain) -> Iterator[str]:
    from .native import chain_to_json

    return chain_to_json(chain)


def _read_drn(path: Path, settings: Settings) -> Loaded:
    from .drn import loaded_from_drn

    return loaded_from_drn(read_lines(path, settings.cancel), str(path), settings)


def _drn_text(chain: Chain) -> Iterator[str]:
    from .drn import chain_to_drn

    return chain_to_drn(chain)


def _read_explicit(path: Path, settings: Settings) -> Loaded:
    from .tra import load_explicit

    return load_explicit(path, settings)


def _write_explicit(chain: Chain, path: Path) -> None:
    from .tra import save_explicit

    save_explicit(chain, path)


def _dot_text(chain: Chain) -> Iterator[str]:
    from .dot import chain_to_dot

    return chain_to_dot(chain)


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
    from .umb_writing import save_umb

    save_umb(chain, path)


def _umb_holds_relation(chain: Chain) -> bool:
    from .umb_writing import holds_relation

    return holds_relation(chain)


def _text(
    name: str,
    title: str,
    read: Callable[[Path, Settings], Loaded] | None,
    pieces: Callable[[Chain], Iterator[str]],
    holds_relation: bool,
) -> Format:
    """A format whose files are one text."""

    def write(chain: Chain, path: Path) -> None:
        write_atomically(path, pieces(chain))

    return Format(name, title, read, write, pieces=pieces, holds_relation=lambda _: holds_relation)


SYMBOLIC = ("constants", "observe", "observe_labels", "max_states")
PRISM_TITLE = "PRISM's language, also .pm, .nm, .sm; read only"
UMB_UNDERSTANDS = ("normalise", "observe", "observe_labels")

FORMATS = (
    _text("json", "native", _read_native, _native_text, holds_relation=True),
    _text("drn", "Storm's DRN", _read_drn, _drn_text, holds_relation=False),
    Format("tra", "PRISM's and Storm's .tra with .lab (and .sta)", _read_explicit, _write_explicit),
    Format(
        "umb",
        "unified Markov binary",
        _read_umb,
        _write_umb,
        understands=UMB_UNDERSTANDS,
        holds_relation=_umb_holds_relation,
    ),
    Format("prism", PRISM_TITLE, _read_prism, None, ("pm", "nm", "sm"), SYMBOLIC),
    Format("jani", "JANI, read only", _read_jani, None, (), SYMBOLIC),
    _text("dot", "Graphviz DOT, written only", None, _dot_text, holds_relation=True),
)
"""Every format; the suffix of a file decides, unless the caller names one."""


def load(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: Normalise = False,
    keep_labels: bool = False,
    constants: Mapping[str, object] | None = None,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    max_states: int | None = None,
    cancel: Cancel | None = None,
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
        max_states=max_states,
        cancel=cancel,
    ).chain


def load_with_notes(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: Normalise = False,
    keep_labels: bool = False,
    constants: Mapping[str, object] | None = None,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    max_states: int | None = None,
    cancel: Cancel | None = None,
) -> Loaded:
    """The chain of a model file, with what was done to its content; ``"-"`` is native JSON on standard input.

    ``normalise`` divides rows that do not sum to one by their sum. ``keep_labels`` keeps the label names
    ``init`` and ``deadlock`` of other tools, which are dropped otherwise. ``format`` is a suffix, for files whose
    own says something else. For PRISM, JANI and UMB, ``observe`` names the variables, or ``observe_labels`` the
    labels, that a watcher sees; ``constants`` gives values to the constants of a PRISM or JANI model, and
    ``max_states`` bounds what is explored of it. A setting that means nothing for the format is refused. Raises
    InputError: FormatError for text that does not parse, ModelError for what is not a chain; and Stopped when
    ``cancel`` says so.
    """
    standard = str(path) == STANDARD
    place = Path(path)
    if format is None and not place.suffix and not standard:
        check_readable(place)  # a missing file or a directory is called that, not a file without a suffix
    chosen = _chosen(place, "json" if standard and format is None else format)
    if chosen.read is None:
        readable = ", ".join(f".{other.name}" for other in FORMATS if other.read is not None)
        raise InputError(Defect(str(path), f".{chosen.name} files are written, not read", f"read are {readable}"))
    defects = [
        Defect(name, f"{text!r} is one text", f"give a list of names: [{text!r}]")
        for name, text in (("observe", observe), ("observe_labels", observe_labels))
        if isinstance(text, str)
    ]
    if max_states is not None and (isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 1):
        defects.append(Defect("max_states", f"{max_states!r} is not a number of states", "give a positive int"))
    if defects:
        raise InputError(defects)
    names = (tuple(observe), tuple(observe_labels))
    settings = Settings(normalise, keep_labels, dict(constants or {}), *names, max_states, cancel)
    refuse_settings(settings, chosen.understands, f".{chosen.name} files", "leave it out")
    return _from_standard_input(chosen, settings) if standard else chosen.read(place, settings)


def _from_standard_input(chosen: Format, settings: Settings) -> Loaded:
    if chosen.name != "json":
        what = f"a model in .{chosen.name} is not read from standard input"
        raise InputError(Defect(STANDARD, what, "give native JSON there, or save it to a file"))
    from .native import loaded_from_json

    return loaded_from_json(decoded(read_standard_input(), STANDARD_INPUT), STANDARD_INPUT, settings)


def save(chain: Chain, path: str | Path, *, format: str | None = None) -> None:  # noqa: A002 - the word users look for
    """Write a chain to a file, all or nothing, so that loading it gives the chain back; ``"-"``: standard output.

    What a format cannot hold is said in its module; what it cannot express is refused with InputError, by
    state. On standard output goes native JSON, or another format that is one text.
    """
    standard = str(path) == STANDARD
    place = Path(path)
    chosen = _chosen(place, "json" if standard and format is None else format)
    if chosen.write is None:
        written = ", ".join(f".{other.name}" for other in FORMATS if other.write is not None)
        raise InputError(Defect(str(path), f".{chosen.name} files are read, not written", f"written are {written}"))
    if not standard:
        chosen.write(chain, place)
    elif chosen.pieces is None:
        what = f"a model in .{chosen.name} is not one text and cannot go to standard output"
        raise InputError(Defect(STANDARD, what, "give a file"))
    else:
        write_standard_output(chosen.pieces(chain))


def holds_relation(chain: Chain, path: str | Path, format: str | None = None) -> bool:  # noqa: A002
    """Whether what `save` writes there says which pairs of states must look alike."""
    standard = str(path) == STANDARD
    return _chosen(Path(path), "json" if standard and format is None else format).holds_relation(chain)


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
