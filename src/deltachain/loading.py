"""A model from whatever names it: a chain, a program with its secrets, an example, a program in a file, a model file.

One function serves `deltachain.load`, every verb, the command line and the explorer, so that all of them take the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cancel import Cancel
from .errors import Defect, InputError, MissingFile
from .model import Chain, Loaded
from .numbers.fraction import format_fraction

if TYPE_CHECKING:
    from .programs import Program

EXAMPLE = "example:"
PROGRAM = ".py"

FOR_FILES = ("format", "normalise", "keep_labels", "observe", "observe_labels")
FOR_PROGRAMS = ("secrets", "sample")
FOR_BOTH = ("constants", "max_states")


def load(
    source: Chain | Program | Callable[..., object] | str | Path,
    *,
    secrets: Iterable[Mapping[str, object]] | None = None,
    constants: Mapping[str, object] | None = None,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: bool | str = False,
    keep_labels: bool = False,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    max_states: int | None = None,
    neighbours: str | None = None,
    cancel: Cancel | None = None,
) -> Chain:
    """The chain that ``source`` names, exact from its own digits.

    Args:
        source: a model file (its suffix names the format; ``"-"`` is native JSON on standard input),
            ``"example:NAME,key=value"``, ``"protocol.py:NAME,key=value"``, a `Program`, a plain function, which is run
            (`from_code`), or a chain, which is returned as it is.
        secrets: what a program starts from, such as ``[{"truth": 0}, {"truth": 1}]``, or a whole domain,
            ``domain(q=…)``; every two of them are compared. Parameters annotated ``bool`` or ``Literal[…]`` need none.
        constants: values of the constants of a program, or of a PRISM or JANI model.
        format: the file's format, where its suffix does not tell.
        normalise: divide rows that sum to 1 within 1e-3 by their sum, exactly; ``"any"``: every row.
        keep_labels: keep the labels ``init`` and ``deadlock`` of PRISM and Storm files.
        observe: the variables of a PRISM, JANI or UMB model that are visible.
        observe_labels: the labels of such a model that are visible.
        max_states: how many states, or configurations of a program, are explored.
        neighbours: which start states are compared: a rule about two of them in the language of programs, such as
            ``"abs(a.count - b.count) == 1"``, or ``"one-entry"``, ``"add-remove"`` (ordered), ``"linf 1"``, ``"l1 1"``
            or ``"all"``.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: all defects of the model, or a setting that is not used with this kind of model.

    >>> load("example:coin").states
    ('s0', 's1', 'heads', 'tails')
    """
    settings: dict[str, Any] = {
        "secrets": secrets,
        "constants": constants,
        "format": format,
        "normalise": normalise,
        "keep_labels": keep_labels,
        "observe": observe,
        "observe_labels": observe_labels,
        "max_states": max_states,
    }
    return load_with_notes(source, cancel=cancel, neighbours=neighbours, **settings).chain


def load_with_notes(
    source: Chain | Program | Callable[..., object] | str | Path,
    *,
    cancel: Cancel | None = None,
    place: Any = str,
    neighbours: str | None = None,
    **settings: Any,
) -> Loaded:
    """As `load`, with what was done to the model's content.

    Args:
        source: as of `load`.
        cancel: a deadline, and where progress goes.
        place: what a user calls a setting: ``place("max_states")`` is ``"--max-states"`` on the command line.
        neighbours: as of `load`.
        settings: the others of `load`; and ``sample``, how many pairs to draw from the secrets of a program, with a
            seed.
    """
    if _is_program(source):
        return _loaded(source, cancel, place, {**settings, "neighbours": neighbours})
    loaded = _loaded(source, cancel, place, settings)
    if neighbours is None:
        return loaded
    from .relation import with_neighbours

    return replace(loaded, chain=with_neighbours(loaded.chain, neighbours, what=place("neighbours"), cancel=cancel))


def _is_program(source: Chain | Program | Callable[..., object] | str | Path) -> bool:
    """Whether its secrets are known before there is a chain."""
    if isinstance(source, Chain):
        return False
    if isinstance(source, str | Path):
        return bool(split_program(str(source))[1])
    from .programs import Program

    return isinstance(source, Program)


def _loaded(
    source: Chain | Program | Callable[..., object] | str | Path,
    cancel: Cancel | None,
    place: Any,
    settings: Mapping[str, Any],
) -> Loaded:
    # By identity, since a limit of 0 equals False, and is given.
    given = {name: v for name, v in settings.items() if v is not None and v is not False and v not in ((), [])}
    if isinstance(source, Chain):
        _refuse(given, (*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH), "a chain", place)
        return Loaded(source, "a chain", source.notes)
    if not isinstance(source, str | Path):
        return _of_program(source, given, cancel, place)
    text = str(source)
    if text.startswith(EXAMPLE):
        _refuse(given, (*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH), text, place)
        from . import examples

        return Loaded(examples.build(text.removeprefix(EXAMPLE)), text)
    file, colon, name = split_program(text)
    if colon:
        name, _, written = name.partition(",")
        given["constants"] = _constants(written, text, given.get("constants") or {}, place)
        from .programs import load_program

        return replace(_of_program(load_program(file, name), given, cancel, place), source=text)
    if text.endswith(PROGRAM) and "format" not in given:
        raise InputError(_unnamed_program(text))
    _refuse(given, FOR_PROGRAMS, text, place)
    loaded = _of_file(text, given, cancel)
    if (confidence := loaded.chain.confidence) is None:
        return loaded
    trust = f"rows come from counts: what is said holds with confidence {format_fraction(confidence)}"
    return replace(loaded, notes=(*loaded.notes, f"{trust}, for every chain within their limits"))


def split_program(source: str) -> tuple[str, str, str]:
    """The file of ``protocol.py:NAME,key=value,…``, the colon, and what follows; nothing follows another source.

    >>> split_program("a/protocol.py:survey,p=1/3"), split_program("model.json")
    (('a/protocol.py', ':', 'survey,p=1/3'), ('model.json', '', ''))
    """
    file, found, rest = source.partition(f"{PROGRAM}:")
    return (f"{file}{PROGRAM}", ":", rest) if found else (source, "", "")


def _constants(written: str, source: str, given: Mapping[str, Any], place: Any) -> dict[str, Any]:
    """The constants that follow the name of a program, and those that are given beside."""
    from .programs import parse_assignments

    known = parse_assignments(written, source)
    defects = [
        Defect(place("constants"), f"{name!r} is also given in {source}", "give it once")
        for name in known
        if name in given
    ]
    if defects:
        raise InputError(defects)
    return {**known, **given}


def _refuse(given: Mapping[str, Any], names: Sequence[str], source: str, place: Any) -> None:
    defects = [
        Defect(place(name), "not used with this kind of model", f"drop it for {source}")
        for name in names
        if name in given
    ]
    if defects:
        raise InputError(defects)


def _of_program(program: Any, given: Mapping[str, Any], cancel: Cancel | None, place: Any) -> Loaded:
    from .programs import Program

    if callable(program) and not isinstance(program, Program):
        return _of_code(program, given, cancel, place)
    if not isinstance(program, Program):
        what = f"{type(program).__name__} is not a model"
        raise InputError(Defect("", what, "give a chain, a program with its secrets, a path, or 'example:NAME'"))
    _refuse(given, FOR_FILES, program.name, place)
    secrets = program.secrets(given.get("secrets"), given.get("constants") or {})
    if not secrets:
        names = [parameter.name for parameter in program.parameters] or ["…"]
        fix = f"give two or more of {', '.join(names)}"
        raise InputError(Defect(place("secrets"), f"{program.name} has no secrets to start from", fix))
    options = {name: given[name] for name in FOR_BOTH if name in given}
    known, sample, rule = len(secrets), given.get("sample"), given.get("neighbours")
    if sample is not None:
        from .programs import Domain
        from .relation import drawn_pairs

        if not isinstance(secrets, Domain):
            fix = "give the secrets as one: --secrets, or domain(q=…)"
            raise InputError(Defect(place("sample"), "pairs are drawn from a domain", fix))
        # The domain is not compiled: only the secrets that were drawn are.
        count, seed = sample
        places = place("sample"), place("neighbours")
        secrets, pairs = drawn_pairs(secrets, "all" if rule is None else rule, count, seed, places, cancel)
        options["relate"] = lambda _values, _names: pairs
    elif rule is not None:
        from .relation import neighbouring

        # The secrets may be many: the pairs are chosen before there is a chain.
        options["relate"] = partial(neighbouring, rule=rule, what=place("neighbours"), cancel=cancel)
    cancel = None if cancel is None else cancel.during("compiling the program")
    chain, notes = program.chain_with_notes(secrets, cancel=cancel, **options)
    notes += () if _announces(chain) else (f"no run of {program.name} announces anything",)
    return Loaded(chain, program.name, notes, known)


def _of_code(function: Callable[..., object], given: Mapping[str, Any], cancel: Cancel | None, place: Any) -> Loaded:
    """A plain function, which is run."""
    from .code import from_code

    name = getattr(function, "__name__", type(function).__name__)
    _refuse(given, (*FOR_FILES, "sample"), name, place)
    if not given.get("secrets"):
        raise InputError(Defect(place("secrets"), f"{name} has no secrets to start from", "give two or more"))
    given = {**given, "secrets": list(given["secrets"])}
    chain = from_code(function, cancel=cancel, **given)
    return Loaded(chain, name, chain.notes)


def _announces(chain: Chain) -> bool:
    """Whether a letter is ever seen beside those that every program has."""
    return any(label not in ("start", "end", "diverges") for label in chain.labels)


def _of_file(source: str, given: Mapping[str, Any], cancel: Cancel | None) -> Loaded:
    from . import formats

    if _names_an_example(source) and not Path(source).exists():
        raise MissingFile(source, f"for the example of this name give {EXAMPLE}{source}")
    cancel = None if cancel is None else cancel.during("reading the model")
    return replace(formats.load_with_notes(source, cancel=cancel, **given), source=source)


def _names_an_example(source: str) -> bool:
    name = source.partition(",")[0]
    if "." in name or "/" in name:  # a file, without loading the zoo to say so
        return False
    from . import examples

    return name in examples.names()


def _unnamed_program(source: str) -> Defect:
    from .programs import program_names

    names = program_names(source)
    fix = f"give {source}:{names[0]}" if names else "decorate a function with @program"
    shown = ", ".join(names[:8]) + (f", … ({len(names)} in all)" if len(names) > 8 else "")
    found = f"it defines {shown}" if names else "it defines none"
    return Defect(str(Path(source)), f"a Python file needs the name of a program; {found}", fix)
