"""A model from whatever names it: a chain, a program with its secrets, an example, a program in a file, a model file.

One function serves `deltachain.load`, every verb, the command line and the explorer, so that all of them take the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import code, examples, formats, programs
from .cancel import Cancel
from .errors import Defect, InputError, MissingFile
from .model import Chain, Loaded, Normalise
from .numbers.fraction import format_fraction
from .parameters import Neighbours, Secrets, accept_spellings, list_secrets
from .settings import FOR_BOTH, FOR_CODE, FOR_FILES, FOR_PROGRAMS, Settings

if TYPE_CHECKING:
    from typing import TypeAlias

    from .programs import Program

    AnyModel: TypeAlias = Chain | Program | Callable[..., object] | str | Path
    """What names a model; a plain function is run, with its secrets."""
EXAMPLE = "example:"
PROGRAM = ".py"


@accept_spellings
def load(
    source: AnyModel,
    *,
    secrets: Secrets | None = None,
    constants: Mapping[str, object] | None = None,
    format: str | None = None,  # noqa: A002 - the word users look for
    normalise: Normalise = False,
    keep_labels: bool = False,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    uniform_choice: bool = False,
    max_states: int | None = None,
    neighbours: Neighbours | None = None,
    cancel: Cancel | None = None,
) -> Chain:
    """The chain that ``source`` names, exact from its own digits.

    Args:
        source: a model file (its suffix names the format; ``"-"`` is native JSON on standard input),
            ``"example:NAME,key=value"``, ``"protocol.py:NAME,key=value"``, a `Program`, a plain function, which is run
            (`from_code`), or a chain, which is returned as it is.
        secrets: the inputs of a program, such as ``[{"truth": 0}, {"truth": 1}]``, or a whole domain,
            ``domain(q=…)``; every two of them are compared. Parameters annotated ``bool`` or ``Literal[…]`` need none.
        constants: values of the constants of a program, or of a PRISM or JANI model.
        format: the file's format, where its suffix does not tell.
        normalise: divide rows that sum to 1 within 1e-3 by their sum, exactly; ``"any"``: every row.
        keep_labels: keep the labels ``init`` and ``deadlock`` of PRISM and Storm files.
        observe: the variables of a PRISM, JANI or UMB model that are visible.
        observe_labels: the labels of such a model that are visible.
        uniform_choice: where several commands of a PRISM or JANI dtmc are enabled, take each equally likely, as PRISM
            does; without it, such a model is refused.
        max_states: how many states, or configurations of a program, are explored.
        neighbours: which start states are compared: a rule about two of them in the language of programs, such as
            ``"abs(a.count - b.count) == 1"``, or ``"one-entry"``, ``"add-remove"`` (ordered), ``"linf 1"``, ``"l1 1"``
            or ``"all"``; or a function of two secrets, ``lambda a, b: abs(a["count"] - b["count"]) == 1``.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: all defects of the model, or a setting that is not used with this kind of model.

    >>> load("example:coin").states
    ('s0', 's1', 'heads', 'tails')
    """
    settings = Settings(
        secrets=secrets,
        constants=constants or {},
        format=format,
        normalise=normalise,
        keep_labels=keep_labels,
        observe=observe,
        observe_labels=observe_labels,
        uniform_choice=uniform_choice,
        max_states=max_states,
        neighbours=neighbours,
        every_pair=True,
        cancel=cancel,
    )
    return load_with_notes(source, settings).chain


def load_with_notes(
    source: AnyModel,
    settings: Settings = Settings(),  # noqa: B008 - frozen
) -> Loaded:
    """As `load`, with what was done to the model's content."""
    loaded = _load(source, settings)
    by_itself = is_program(source) or (is_code(source) and not isinstance(settings.neighbours, str))
    if settings.neighbours is None or by_itself:
        return loaded
    what, cancel = settings.place("neighbours"), settings.cancel
    return replace(loaded, chain=programs.with_neighbours(loaded.chain, settings.neighbours, what=what, cancel=cancel))


def is_program(source: AnyModel) -> bool:
    """Whether its secrets are known before there is a chain."""
    if isinstance(source, Chain):
        return False
    if isinstance(source, str | Path):
        return bool(split_program(str(source))[1])
    return isinstance(source, programs.Program)


def is_code(source: AnyModel) -> bool:
    """Whether it is a plain function, whose secrets are values of Python."""
    return callable(source) and not isinstance(source, programs.Program)


def _load(source: AnyModel, settings: Settings) -> Loaded:
    if isinstance(source, Chain):
        settings.refuse((*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH, *FOR_CODE), "a chain")
        return Loaded(source, "a chain", source.notes)
    if not isinstance(source, str | Path):
        return _of_program(source, settings)
    text = str(source)
    if text.startswith(EXAMPLE):
        settings.refuse((*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH, *FOR_CODE), text)
        return Loaded(examples.build(text.removeprefix(EXAMPLE)), text)
    if split_program(text)[1]:
        program, constants = program_of(text, settings.constants, settings.place)
        return replace(_of_program(program, replace(settings, constants=constants)), source=text)
    if text.endswith(PROGRAM) and settings.format is None:
        raise InputError(_unnamed_program(text))
    settings.refuse((*FOR_PROGRAMS, *FOR_CODE), text)
    loaded = _of_file(text, settings)
    if (confidence := loaded.chain.confidence) is None:
        return loaded
    trust = f"rows come from counts: what is said holds with confidence {format_fraction(confidence)}"
    return replace(loaded, notes=(*loaded.notes, f"{trust}, for every chain within their limits"))


def program_of(
    source: Program | Callable[..., object] | Chain | str | Path, constants: Mapping[str, Any], place: Any = str
) -> tuple[Program, dict[str, Any]]:
    """The program that ``source`` names, and its constants; InputError where it is none."""
    if isinstance(source, programs.Program):
        return source, dict(constants)
    file, colon, name = split_program(str(source)) if isinstance(source, str | Path) else ("", "", "")
    if not colon:
        fix = "give protocol.py:NAME, or a program"
        raise InputError(Defect(place("accuracy"), "only runs of a program have an output", fix))
    name, _, written = name.partition(",")
    return programs.load_program(file, name), _constants(written, str(source), constants, place)


def split_program(source: str) -> tuple[str, str, str]:
    """The file of ``protocol.py:NAME,key=value,…``, the colon, and what follows; nothing follows another source.

    >>> split_program("a/protocol.py:survey,p=1/3"), split_program("model.json")
    (('a/protocol.py', ':', 'survey,p=1/3'), ('model.json', '', ''))
    """
    file, found, rest = source.partition(f"{PROGRAM}:")
    return (f"{file}{PROGRAM}", ":", rest) if found else (source, "", "")


def _constants(written: str, source: str, given: Mapping[str, Any], place: Any) -> dict[str, Any]:
    """The constants that follow the name of a program, and those that are given beside."""
    known = programs.parse_assignments(written, source)
    defects = [
        Defect(place("constants"), f"{name!r} is also given in {source}", "give it once")
        for name in known
        if name in given
    ]
    if defects:
        raise InputError(defects)
    return {**known, **given}


def _of_program(program: Any, settings: Settings) -> Loaded:
    if is_code(program):
        return _of_code(program, settings)
    if not isinstance(program, programs.Program):
        what = f"{type(program).__name__} is not a model"
        raise InputError(Defect("", what, "give a chain, a program with its secrets, a path, or 'example:NAME'"))
    settings.refuse((*FOR_FILES, *FOR_CODE), program.name)
    place, cancel, rule = settings.place, settings.cancel, settings.neighbours
    secrets = program.secrets(settings.secrets, settings.constants)
    if not secrets:
        names = [parameter.name for parameter in program.parameters] or ["…"]
        fix = f"give two or more of {', '.join(names)}"
        raise InputError(Defect(place("secrets"), f"{program.name} has no secrets to start from", fix))
    options = {name: getattr(settings, name) for name in FOR_BOTH if settings.gives(name)}
    known = len(secrets)
    sampled: tuple[str, ...] = ()
    if settings.sample is not None:
        if not isinstance(secrets, programs.Domain):
            fix = "give the secrets as one: --secrets, or domain(q=…)"
            raise InputError(Defect(place("sample"), "pairs are drawn from a domain", fix))
        # The domain is not compiled: only the secrets that were drawn are.
        count, seed = settings.sample
        places = place("sample"), place("neighbours")
        drawn = programs.drawn_pairs(secrets, "all" if rule is None else rule, count, seed, places, cancel)
        secrets = drawn.secrets
        options["relate"] = lambda _values, _names: drawn.pairs
        if drawn.every:
            what = f"all {len(drawn.pairs):,} neighbouring pairs of the domain were drawn"
            sampled = (f"{what}: without {place('sample')} the verdict is about the whole domain",)
    elif rule is not None:
        # The secrets may be many: the pairs are chosen before there is a chain.
        options["relate"] = partial(programs.neighbouring, rule=rule, what=place("neighbours"), cancel=cancel)
    copies = 0
    if "relate" in options and not settings.every_pair:
        secrets, options["relate"], copies = program.without_translates(secrets, **options)
    options["cancel"] = settings.during("compiling the program")
    if settings.sandwiched:
        chain, notes = _between(program, secrets, options)
    else:
        chain, notes = program.chain_with_notes(secrets, **options)
    notes += sampled
    if copies:
        notes += (f"{copies:,} pairs are translates of others, of which the same holds: they are left out",)
    notes += () if _announces(chain) else (f"no run of {program.name} announces anything",)
    own = settings.secrets is None and settings.sample is None
    return Loaded(chain, program.name, notes, known, own, copies)


def _between(program: Program, secrets: Any, options: Mapping[str, Any]) -> tuple[Chain, tuple[str, ...]]:
    """The chain of a program, with ever narrower sandwiches where its labels tell more than the program does."""
    first = program.sandwich(secrets, cut_off=True, **options)
    if first.exact:
        return first.fine, first.notes
    return replace(first.fine, sandwiches=partial(program.sandwiches, secrets, first, **options)), first.notes


def _of_code(function: Callable[..., object], settings: Settings) -> Loaded:
    """A plain function, which is run."""
    name = getattr(function, "__name__", type(function).__name__)
    settings.refuse((*FOR_FILES, "sample"), name)
    secrets = list_secrets(settings.secrets or ())
    if not secrets:
        raise InputError(Defect(settings.place("secrets"), f"{name} has no secrets to start from", "give two or more"))
    options = {name: getattr(settings, name) for name in FOR_BOTH if settings.gives(name)}
    if not isinstance(settings.neighbours, str):  # a function looks at the secrets as they were given
        options["neighbours"] = settings.neighbours
    chain = code.from_code(function, secrets, cancel=settings.cancel, **options, **settings.running)
    return Loaded(chain, name, chain.notes)


def _announces(chain: Chain) -> bool:
    """Whether a letter is ever seen beside those that every program has."""
    return any(label not in ("start", "end", "diverges") for label in chain.labels)


def _of_file(source: str, settings: Settings) -> Loaded:
    if _names_an_example(source) and not Path(source).exists():
        raise MissingFile(source, f"for the example of this name give {EXAMPLE}{source}")
    reading = replace(settings, cancel=settings.during("reading the model"))
    return replace(formats.load_with_notes(source, reading), source=source)


def _names_an_example(source: str) -> bool:
    name = source.partition(",")[0]
    if "." in name or "/" in name:  # a file, without loading the zoo to say so
        return False
    return name in examples.names()


def _unnamed_program(source: str) -> Defect:
    names = programs.program_names(source)
    fix = f"give {source}:{names[0]}" if names else "decorate a function with @program"
    shown = ", ".join(names[:8]) + (f", … ({len(names)} in all)" if len(names) > 8 else "")
    found = f"it defines {shown}" if names else "it defines none"
    return Defect(str(Path(source)), f"a Python file needs the name of a program; {found}", fix)
