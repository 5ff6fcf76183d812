"""MODEL and what belongs to it: how it is read, which of its states are hidden, which pairs are compared.

``example:NAME,key=value,…``, ``protocol.py:NAME,key=value,…`` with ``--secret`` and ``--constants``, ``-`` for native
JSON on standard input, or a file whose suffix names its format. An option that is not used with the kind of MODEL is
refused, not ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..cancel import Cancel
from ..errors import Defect, InputError, ModelError
from ..loading import load_with_notes
from ..model import Chain, Loaded
from ..model.validate import NORMALISE as NORMALISE_FIX
from ..parameters import as_whole
from ..results.text import listed
from .options import Asked, positional, repeated, switch, text, value
from .session import Session, option_name

READING = "reading the model"
MAX_PAIRS = 100_000
"""How many pairs two predicates may choose."""
MOST_STATES = 10**11


def _names(given: str, place: str) -> list[str]:
    names = [piece.strip() for piece in given.split(",")]
    if not all(names):
        raise InputError(Defect(place, f"{given!r} is not a list of names", "write x,y"))
    return names


MODEL = positional("MODEL", "a model file, -, protocol.py:NAME,key=value,… or example:NAME,key=value,…")
FORMAT = text("--format", "NAME", "the file's format, where its suffix does not tell", group=READING)
NORMALISE = switch("--normalise", help="divide rows that sum to 1 within 1e-3 by their sum, exactly", group=READING)
NORMALISE_ANY = switch("--normalise-any", help="divide every row by its sum, whatever it is", group=READING)
KEEP_LABELS = switch("--keep-labels", help="keep the labels init and deadlock of PRISM and Storm files", group=READING)
CONSTANTS = text(
    "--constants", "N=3,p=49/100", "values of the constants of a PRISM or JANI model or a program", group=READING
)
SECRET = repeated("--secret", "X=0", "values that a program starts from; repeatable", group=READING)
MAX_STATES = value(
    "--max-states",
    "N",
    lambda given, place: as_whole(given, place, 1, MOST_STATES),
    "how many states of a PRISM or JANI model, or configurations of a program, are explored",
    group=READING,
)
OBSERVE = value("--observe", "X,Y", _names, "the variables that are visible (PRISM, JANI, UMB)", group=READING)
OBSERVE_LABELS = value(
    "--observe-labels", "A,B", _names, "the labels that are visible (PRISM, JANI, UMB)", group=READING
)
HIDE = repeated(
    "--hide",
    "A,B",
    "remove the states with these labels, exactly: a run passes through them unseen; repeatable",
    group=READING,
)
HIDE_UNLABELLED = switch("--hide-unlabelled", help="likewise the states whose label is empty", group=READING)

READ = (
    FORMAT,
    NORMALISE,
    NORMALISE_ANY,
    KEEP_LABELS,
    OBSERVE,
    OBSERVE_LABELS,
    CONSTANTS,
    MAX_STATES,
    SECRET,
    HIDE,
    HIDE_UNLABELLED,
)
"""How MODEL is read: what a command that reads it again must repeat."""
MODEL_OPTIONS = (MODEL, *READ)

PAIR = repeated(
    "--pair", ("S", "T"), "a pair of states to compare; repeatable (default: the relation that the model carries)"
)
FROM = text("--from", "P", "compare the start states where P holds, such as 'payer=0' …")
TO = text("--to", "Q", "… with those where Q holds, such as 'payer=1'")
PAIR_OPTIONS = (PAIR, FROM, TO)


def load_model(asked: Asked, session: Session, cancel: Cancel, starts: Iterable[str] = ()) -> Loaded:
    """The chain that MODEL names, without its silent states; what there is to say goes to standard error.

    ``starts`` are start states beside those of the relation and of ``--pair``; they stay when they are silent.
    """
    loaded = read_model(asked, cancel, starts)
    for note in loaded.notes:
        session.note(note)
    return loaded


def read_model(asked: Asked, cancel: Cancel, starts: Iterable[str] = ()) -> Loaded:
    """As `load_model`, with the notes in the result."""
    source: str = asked[MODEL]
    cancel.report(f"reading {source}")
    settings: dict[str, Any] = {
        "format": asked[FORMAT],
        "normalise": "any" if asked[NORMALISE_ANY] else asked[NORMALISE],
        "keep_labels": asked[KEEP_LABELS],
        "observe": asked[OBSERVE] or (),
        "observe_labels": asked[OBSERVE_LABELS] or (),
        "max_states": asked[MAX_STATES],
        "constants": _read_constants(source, asked[CONSTANTS]),
        "secrets": _read_secrets(asked[SECRET]),
    }
    try:
        loaded = load_with_notes(source, cancel=cancel, place=option_name, **settings)
    except ModelError as error:
        raise ModelError([_with_option(defect) for defect in error.defects]) from None
    chain = _related(asked, loaded.chain)
    paired = states_named(chain, (name for pair in asked.get(PAIR) or () for name in pair), "--pair")
    first = {*paired, *(chain.number(name) for name in starts if name in chain.index)}
    first.update(state for pair in loaded.chain.relation for state in pair)
    return _hidden(asked, replace(loaded, chain=chain), first)


def _read_constants(source: str, given: str | None) -> dict[str, Any] | None:
    if given is None:
        return None
    if ".py:" in source:
        from ..programs import parse_assignments

        return dict(parse_assignments(given, "--constants"))
    from ..formats.prism import parse_constants

    return dict(parse_constants(given))


def _read_secrets(given: list[str]) -> list[Any]:
    if not given:
        return []
    from ..programs import parse_assignments

    return [parse_assignments(each, "--secret") for each in given]


def _with_option(defect: Defect) -> Defect:
    """The defect of a row's sum, with the option that divides rows by it."""
    options = "--normalise, or --normalise-any if it is off by more than 1e-3"
    return Defect(defect.where, defect.what, defect.fix.replace(NORMALISE_FIX, options))


def _hidden(asked: Asked, model: Loaded, starts: Iterable[int]) -> Loaded:
    """The model without the states that are to be hidden; its notes say what was."""
    if not asked[HIDE] and not asked[HIDE_UNLABELLED]:
        return model
    from ..model.silent import without_silent

    # A text that is a label as it stands is that one; else it is a list of labels.
    known = model.chain.by_label
    labels = [
        label for given in asked[HIDE] for label in ([given] if given in known else map(str.strip, given.split(",")))
    ]
    try:
        silenced = without_silent(model.chain, labels, unlabelled=asked[HIDE_UNLABELLED], starts=starts)
    except InputError as error:
        option = "--hide" if asked[HIDE] else "--hide-unlabelled"
        raise InputError(Defect(option, defect.what, defect.fix) for defect in error.defects) from None
    return replace(model, chain=silenced.chain, notes=(*model.notes, *silenced.notes))


def states_named(chain: Chain, names: Iterable[str], option: str) -> list[int]:
    """The numbers of the states, each once, in the order given; InputError with every unknown name."""
    numbers: dict[int, None] = {}
    defects: list[Defect] = []
    for name in names:
        try:
            numbers[_number(chain, name)] = None
        except InputError as error:
            defects += [Defect(option, str(defect)) for defect in error.defects]
    if defects:
        raise InputError(list(dict.fromkeys(defects)))
    return list(numbers)


def _number(chain: Chain, name: str) -> int:
    """The state of this name; where there is none, the one whose name differs in blanks alone."""
    if name not in chain.index:
        bare = "".join(name.split())
        alike = [number for number, state in enumerate(chain.states) if "".join(state.split()) == bare]
        if len(alike) == 1:
            return alike[0]
    return chain.number(name)


def pairs_of(asked: Asked, chain: Chain) -> list[tuple[int, int]]:
    """The pairs to compare, each once: those of ``--pair``, else the relation that the model carries."""
    given = asked[PAIR]
    if given:
        states_named(chain, (name for pair in given for name in pair), "--pair")
        return list(dict.fromkeys((_number(chain, s), _number(chain, t)) for s, t in given))
    if chain.relation:
        return list(chain.relation)
    if len(asked[SECRET]) == 1:
        what = "one secret alone has nothing to be compared with"
        raise InputError(Defect("--secret", what, "give a second one, or two states with --pair"))
    what = "no pairs to compare: the model carries no relation"
    raise InputError(Defect("", what, f"name two of its states with --pair S T: {listed(chain.states, 20)}"))


def check_pairs(asked: Asked) -> Iterator[Defect]:
    """What is wrong with ``--pair``, ``--from`` and ``--to`` together."""
    first, second = asked[FROM], asked[TO]
    if (first is None) != (second is None):
        option, other = ("--to", "--from") if first is None else ("--from", "--to")
        yield Defect(option, f"it needs {other} as well", f"give {other} P")
    elif first is not None and asked[PAIR]:
        yield Defect("--pair", "pairs are also given by --from and --to", "give them in one way")


def _related(asked: Asked, chain: Chain) -> Chain:
    """The chain with the pairs of ``--from`` and ``--to`` for its relation, where they are given.

    They choose among the states that the model's own relation names (several initial states, secrets), and
    among all states where it has none.
    """
    first, second = asked.get(FROM), asked.get(TO)
    if first is None or second is None:
        return chain
    from .predicates import states_where

    starts = sorted({state for pair in chain.relation for state in pair}) or range(len(chain))
    chosen = [
        (option, given, states_where(chain, given, within=starts, what=option))
        for option, given in (("--from", first), ("--to", second))
    ]
    where = f"its start states are {listed([chain.states[s] for s in starts], 8)}" if chain.relation else "correct it"
    defects = [
        Defect(f"{option} {given!r}", "no state satisfies it", where) for option, given, states in chosen if not states
    ]
    if defects:
        raise InputError(defects)
    pairs = [(s, t) for s in chosen[0][2] for t in chosen[1][2] if s != t]
    if not pairs:
        raise InputError(Defect("--from", "it chooses one state, the same as --to", "choose two different states"))
    if len(pairs) > MAX_PAIRS:
        what = f"{len(chosen[0][2])} times {len(chosen[1][2])} pairs are too many"
        raise InputError(Defect("--from", what, f"choose at most {MAX_PAIRS} pairs"))
    return chain.with_relation(pairs)
