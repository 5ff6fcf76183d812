"""Chains from the shapes people have: matrices, dicts, NetworkX digraphs, and chains that label transitions.

Zeros may be written and are dropped. Every defect of the input is reported at once, by state name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ..cancel import Cancel
from ..errors import Defect, InputError, ModelError
from ..numbers.exponential import Exponential, as_exponential, read_exponential
from ..numbers.fraction import FORMULA, Number, as_fraction, format_fraction
from .chain import Chain, Valuation
from .rows import ZERO, AnyRow, BallRow, EntryEnds, LimitRow, PointRow, points
from .validate import find_defects

if TYPE_CHECKING:
    import networkx

Normalise = bool | Literal["any"]
"""Whether rows are divided by their sums: those that are off by rounding alone, or any."""

ROUNDING = Fraction(1, 1000)
"""A row that sums to 1 within this may have been rounded; one that is further off is a mistake."""

MAX_ROW_BITS = 340_000
"""The most bits, about 100,000 digits, in the common denominator of a row: sums of longer ones would take minutes."""

GLANCE_BITS = 256
"""How closely a sum of functions of e^(1/k) is enclosed, to see at once that it is not 1."""
ROWS_BETWEEN_CHECKS = 4096

RawRow = Iterable[tuple[str | int, Number]]
"""A row as it was read: targets by name or number, numbers in any exact form."""

RawEntry = Number | tuple[Number, Number]
"""A probability, or the two ends of what it may be."""


@dataclass(frozen=True, slots=True)
class RawBox:
    """A box as it was read: for each target a number or two ends, and what may go elsewhere."""

    entries: Iterable[tuple[str | int, RawEntry]]
    rest: Number = 0
    origin: Origin = "limits"

    def row(self, entries: EntryEnds, rest: Fraction) -> BallRow | LimitRow:
        """The row of these ends."""
        if self.origin == "enclosure":
            return BallRow(entries, rest)
        return LimitRow(entries, rest, counted=self.origin == "counts")


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A row as a tool of another kind wrote it: targets by number, increasing, and the texts of their numbers."""

    targets: Sequence[int]
    numbers: tuple[str, ...]

    def __iter__(self) -> Iterator[tuple[str | int, Number]]:
        return iter(zip(self.targets, self.numbers, strict=True))


Origin = Literal["enclosure", "limits", "counts"]
"""Where a box comes from: around a known number, limits that were given, or counts at a confidence."""

AnyRawRow = RawRow | RawBox


def assemble(
    states: Sequence[str],
    labels: Sequence[str],
    rows: Iterable[AnyRawRow | Mapping[str, AnyRawRow]],
    *,
    relation: Iterable[tuple[str, str]] = (),
    valuations: Sequence[Valuation] | None = None,
    normalise: Normalise = False,
    place: Callable[[int], str] | None = None,
    pair_place: Callable[[int], str] | None = None,
    defects: Iterable[Defect] = (),
    on_normalised: Callable[[int, Fraction], None] | None = None,
    confidence: Fraction | None = None,
    cancel: Cancel | None = None,
) -> Chain:
    """A chain from rows of (target, number), targets by name or number: the one way that every reader ends.

    A state that waits for an input has a mapping from inputs to rows in place of its row. A row may be a `RawBox`.
    ``place`` says where a state was read, ``pair_place`` where a pair was. ``defects`` are those that the caller
    found already: they are raised together with the ones found here. ``normalise`` divides each row whose sum is
    within `ROUNDING` of 1 (``"any"``: every row) by its sum, exactly, and calls ``on_normalised`` with the state and
    the sum of each row that it changes.
    """
    where = place or (lambda state: f"state {states[state]!r}")
    found = list(defects)
    index = {name: i for i, name in enumerate(states)}
    read: dict[str, Fraction] = {}  # big models repeat few probabilities; each text is read once
    moves: list[tuple[AnyRow, ...]] = []
    offers: list[tuple[str, ...] | None] = []

    def make_box(state: int, row: RawBox, asked: str) -> BallRow | LimitRow:
        box, problems = _exact_box(row, index, read)
        found.extend(Defect(f"{where(state)}{asked}", problem.what, problem.fix) for problem in problems)
        return box

    # Of a large model few rows have other numbers than one before: these are judged once.
    plain: dict[tuple[str, ...], tuple[Fraction, ...]] = {}

    def exactly(state: int, row: AnyRawRow, asked: str) -> AnyRow:
        if type(row) is PlainRow:
            known = plain.get(row.numbers)
            if known is not None and _increases(row.targets, len(states)):
                return PointRow(tuple(zip(row.targets, known, strict=True)))
        if isinstance(row, RawBox):
            return make_box(state, row, asked)
        given_row, row = row, list(row)
        if any(_is_formula(number) for _, number in row):
            functions, problems = _function_row(row, index, cancel)
            found.extend(Defect(f"{where(state)}{asked}", problem.what, problem.fix) for problem in problems)
            return PointRow(((state, Fraction(1)),)) if problems else functions
        exact, problems = _exact_row(row, index, read)
        if not problems and _is_long(exact):
            what = "the common denominator of its probabilities has more than 100,000 digits"
            problems = [Defect("", what, "round them on purpose, to a row that sums to 1")]
        if problems:
            found.extend(Defect(f"{where(state)}{asked}", problem.what, problem.fix) for problem in problems)
            exact = {state: Fraction(1)}  # a stand-in, so that the row's sum is not reported as well
        elif normalise and (normalise == "any" or abs(sum(exact.values(), Fraction(-1))) <= ROUNDING):
            exact = _normalise(state, exact, on_normalised)
        found_row = PointRow(tuple(sorted(exact.items())))
        if type(given_row) is PlainRow and not normalise and len(exact) == len(given_row.numbers) and not problems:
            plain[given_row.numbers] = tuple(exact.values())
        return found_row

    for state, given in enumerate(rows):
        if cancel is not None and state % ROWS_BETWEEN_CHECKS == 0:
            cancel.check()
        if isinstance(given, Mapping):
            offers.append(tuple(sorted(given)))
            moves.append(tuple(exactly(state, given[name], f", input {name!r}") for name in sorted(given)))
        else:
            offers.append(None)
            moves.append((exactly(state, given, ""),))
    inputs = _inputs_by_label(labels, offers, states, where, found)
    for state, (label, rows_of) in enumerate(zip(labels, moves, strict=False)):
        if len(rows_of) != len(inputs.get(label, (None,))):  # reported already: a stand-in with as many rows as due
            moves[state] = (PointRow(((state, Fraction(1)),)),) * len(inputs.get(label, (None,)))
    numbered = _numbered_pairs(relation, index, pair_place or (lambda _: "relation"), found)
    try:
        chain = Chain(
            tuple(states),
            tuple(labels),
            tuple(moves),
            tuple(numbered),
            None if valuations is None else tuple(valuations),
            inputs,
            confidence,
        )
    except ModelError:
        # The same defects again, this time with their places.
        found.extend(find_defects(states, labels, moves, numbered, valuations, inputs, place))
        raise ModelError(found) from None
    if found:
        raise ModelError(found)
    return chain


def _inputs_by_label(
    labels: Sequence[str],
    offers: Sequence[tuple[str, ...] | None],
    states: Sequence[str],
    where: Callable[[int], str],
    found: list[Defect],
) -> dict[str, tuple[str, ...]]:
    """The inputs of each label, those of its first state; a defect for every state that offers others."""
    first: dict[str, int] = {}
    for state, (label, offer) in enumerate(zip(labels, offers, strict=False)):
        like = first.setdefault(label, state)
        if offer == ():
            found.append(Defect(where(state), "it waits for an input and offers none", "give at least one input"))
        elif offer != offers[like]:
            what = f"it offers {_list(offer)}, but {states[like]!r}, of the same label, offers {_list(offers[like])}"
            found.append(Defect(where(state), what, "what can be asked must follow from the label"))
    return {label: offer for label, state in first.items() if (offer := offers[state])}


def _list(offer: tuple[str, ...] | None) -> str:
    return "no input" if not offer else ", ".join(map(repr, offer[:8])) + (", …" if len(offer) > 8 else "")


def _numbered_pairs(
    relation: Iterable[tuple[str, str]], index: Mapping[str, int], place: Callable[[int], str], found: list[Defect]
) -> list[tuple[int, int]]:
    """The pairs by number; a defect for every name that no state has."""
    numbered = []
    for number, (s, t) in enumerate(relation):
        unknown = [name for name in dict.fromkeys((s, t)) if name not in index]
        where = place(number) if unknown else ""
        found.extend(Defect(where, f"unknown state {name!r}", "name two states of the chain") for name in unknown)
        if not unknown:
            numbered.append((index[s], index[t]))
    return numbered


def _exact_row(
    row: Iterable[tuple[str | int, Number]], index: Mapping[str, int], read: dict[str, Fraction]
) -> tuple[dict[int, Fraction], list[Defect]]:
    """The row by target number without its zeros, and what is wrong with it."""
    exact: dict[int, Fraction] = {}
    problems: list[Defect] = []
    for target, number in row:
        goal = index.get(target) if isinstance(target, str) else target
        value = read.get(number) if isinstance(number, str) else None
        if value is None or goal is None or goal in exact:
            value, problem = _entry(target, number, index, read)
            if problem is None and goal in exact:
                problem = Defect("", f"target {target!r} is given twice", "add the two probabilities")
            if problem is not None:
                problems.append(problem)
                continue
        if value and goal is not None:
            exact[goal] = value
    return exact, problems


def _increases(targets: Sequence[int], size: int) -> bool:
    """Whether the targets are states, each once, in order."""
    previous = -1
    for target in targets:
        if target <= previous:
            return False
        previous = target
    return previous < size


def _is_formula(number: object) -> bool:
    """Whether it is a function of e: one that was computed, or its text."""
    return isinstance(number, Exponential) or (isinstance(number, str) and FORMULA.search(number) is not None)


def _function(number: Number | Exponential) -> Exponential:
    if isinstance(number, Exponential):
        return number
    if _is_formula(number):
        return read_exponential(str(number))
    return as_exponential(as_fraction(number, "probability"))


def _function_row(
    row: Sequence[tuple[str | int, Number]], index: Mapping[str, int], cancel: Cancel | None
) -> tuple[AnyRow, list[Defect]]:
    """The row of formulas, exactly, and what is wrong with it; zeros are left out."""
    entries: dict[int, Exponential] = {}
    problems: list[Defect] = []
    for target, number in row:
        if cancel is not None:  # a formula may be long
            cancel.check()
        _, problem = _entry(target, "0", index, {})
        try:
            value = _function(number)
        except InputError as error:
            what = f"{error.defects[0].what}, to {target!r}"
            problem = Defect("", what, "write numbers, + - * / ^, parentheses, and exp of a rational")
        goal = index[target] if problem is None and isinstance(target, str) else target
        if problem is None and goal in entries:
            problem = Defect("", f"target {target!r} is given twice", "add the two probabilities")
        if problem is None and value.sign < 0:
            problem = Defect("", f"negative probability {number} to {target!r}", "probabilities are at least 0")
        if problem is not None:
            problems.append(problem)
        elif value and isinstance(goal, int):
            entries[goal] = value
    if not problems:
        problems += _sum_defects(entries.values())
    return (PointRow(()), problems) if problems else (points(entries), [])


def _sum_defects(values: Iterable[Exponential]) -> Iterator[Defect]:
    """What a glance tells of a sum that is not 1: whether it is exactly 1 may take polynomials of a high degree."""
    ends = [value.enclose(GLANCE_BITS) for value in values]
    low, high = sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0))
    if not low <= 1 <= high:
        about = f"{float(low):.9g}" if low < 2**60 else "a huge number"
        yield Defect("", f"the row does not sum to 1: it sums to about {about}", "the row must sum to 1 by identity")


def _exact_box(
    row: RawBox, index: Mapping[str, int], read: dict[str, Fraction]
) -> tuple[BallRow | LimitRow, list[Defect]]:
    """The box by target number, and what is wrong with its numbers and targets; a box of everything in that case."""
    sides: tuple[list[tuple[str | int, Number]], ...] = ([], [])
    for target, number in row.entries:
        ends = number if isinstance(number, tuple) else (number, number)
        for side, end in zip(sides, ends, strict=True):
            side.append((target, end))
    (low, problems), (high, more) = (_exact_row(side, index, read) for side in sides)
    problems += [problem for problem in more if problem not in problems]
    rest, problem = _entry("rest", row.rest, {"rest": 0}, read)
    problems += [] if problem is None else [problem]
    if problems:
        return row.row((), Fraction(1)), problems
    targets = sorted({*low, *high})
    box = tuple((target, low.get(target, Fraction(0)), high.get(target, Fraction(0))) for target in targets)
    return row.row(box, rest), []


def _is_long(row: Mapping[int, Fraction]) -> bool:
    """Whether the row's common denominator is above the limit; found out without adding anything."""
    if sum(p.denominator.bit_length() for p in row.values()) <= MAX_ROW_BITS:
        return False
    common = 1
    for denominator in {p.denominator for p in row.values()}:
        common = math.lcm(common, denominator)
        if common.bit_length() > MAX_ROW_BITS:
            return True
    return False


def _entry(
    target: str | int, number: Number, index: Mapping[str, int], read: dict[str, Fraction]
) -> tuple[Fraction, Defect | None]:
    """The exact value of one row entry, or what is wrong with it."""
    if isinstance(target, str) and target not in index:
        return ZERO, Defect("", f"unknown target {target!r}", "add the state, or correct the name")
    if isinstance(target, int) and not 0 <= target < len(index):
        return ZERO, Defect("", f"unknown target number {target}", f"targets are 0 to {len(index) - 1}")
    if isinstance(number, str) and number in read:
        return read[number], None
    try:
        value = as_fraction(number, "probability")
    except InputError as error:
        return ZERO, Defect(
            "", f"{error.defects[0].what}, to {target!r}", "write an integer, a fraction '1/3' or a decimal"
        )
    if value.numerator < 0:
        return ZERO, Defect(
            "", f"negative probability {format_fraction(value)} to {target!r}", "probabilities are at least 0"
        )
    if isinstance(number, str):
        read[number] = value
    return value, None


def _normalise(
    state: int, row: dict[int, Fraction], tell: Callable[[int, Fraction], None] | None
) -> dict[int, Fraction]:
    divided = normalise_row(row)
    if tell is not None and divided != row:
        tell(state, sum(row.values(), Fraction(0)))
    return divided


def normalise_row(row: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """The row divided by its sum, exactly; an empty row stays empty (and is then refused)."""
    total = sum(row.values(), Fraction(0))
    return dict(row) if total in (0, 1) else {target: p / total for target, p in row.items()}


def from_rows(
    rows: Sequence[Sequence[Number] | Mapping[int, Number]],
    labels: Sequence[str],
    *,
    states: Sequence[str] | None = None,
    relation: Iterable[tuple[str, str]] = (),
    normalise: Normalise = False,
) -> Chain:
    """A chain from a matrix or sparse rows ``{target number: probability}``; the default names are 0, 1, …

    ``normalise`` divides rows that do not sum to 1 by their sums, as for files: those that are off by rounding, or
    ``"any"``. For systems that wait for inputs, see `from_dicts`.

    >>> from_rows([["1/2", "1/2"], [0, 1]], labels=["a", "b"]).rows[0]
    ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    """
    if isinstance(rows, Mapping):
        raise InputError(Defect("rows", "they are a mapping by state, not a sequence", "use Chain.from_dicts"))
    names = [str(i) for i in range(len(rows))] if states is None else list(states)
    entries: list[list[tuple[str | int, Number]]] = [
        list(row.items()) if isinstance(row, Mapping) else list(enumerate(row)) for row in rows
    ]
    return assemble(names, labels, entries, relation=relation, normalise=normalise)


def from_dicts(
    rows: Mapping[str, Mapping[str, RawEntry] | Mapping[str, Mapping[str, RawEntry]]],
    labels: Mapping[str, str],
    *,
    relation: Iterable[tuple[str, str]] = (),
    valuations: Mapping[str, Valuation] | None = None,
    normalise: Normalise = False,
    rest: Mapping[str, Number] = MappingProxyType({}),
) -> Chain:
    """A chain from ``{state: {target: probability}}`` and ``{state: label}``.

    A state that waits for an input has ``{input: {target: probability}}`` in place of its row. ``normalise`` divides
    rows that do not sum to 1 by their sums, as for files: those that are off by rounding, or ``"any"``.

    A probability that is known within limits only is a tuple of two ends; ``rest`` says how much mass of a state may
    go elsewhere, to states that the chain does not have.

    >>> from_dicts({"s": {"s": 1 / 3, "t": 2 / 3}, "t": {"t": 1}}, {"s": "a", "t": "b"}, normalise=True).rows[0]
    ((0, Fraction(1, 3)), (1, Fraction(2, 3)))
    >>> coin = from_dicts({"s": {"look": {"h": "1/2", "t": "1/2"}, "leave": {"s": 1}}, "h": {"h": 1}, "t": {"t": 1}},
    ...                   labels={"s": "closed", "h": "heads", "t": "tails"})
    >>> coin.inputs
    {'closed': ('leave', 'look')}
    """
    states = list(rows)
    defects = [Defect(f"state {s!r}", "it has no label", "add it to labels") for s in states if s not in labels]
    defects += [
        Defect(f"label of {s!r}", "there is no such state", "add its row, or drop it") for s in labels if s not in rows
    ]
    odd = [state for state, row in rows.items() if not isinstance(row, Mapping)]
    if odd:
        fix = "give {target: probability}; rows come first, labels second"
        raise ModelError([*(Defect(f"state {s!r}", f"its row is {rows[s]!r}", fix) for s in odd), *defects])
    return assemble(
        states,
        [labels.get(s, "") for s in states],
        [raw_rows(row, rest.get(state, 0)) for state, row in rows.items()],
        relation=relation,
        valuations=None if valuations is None else [valuations.get(s, {}) for s in states],
        normalise=normalise,
        defects=defects,
    )


def raw_rows(
    row: Mapping[str, RawEntry] | Mapping[str, Mapping[str, RawEntry]], rest: Number
) -> AnyRawRow | Mapping[str, AnyRawRow]:
    """The row as `assemble` takes it; rows by input where the values are rows."""
    if row and all(isinstance(value, Mapping) for value in row.values()):
        return {name: _raw_row(value, rest) for name, value in row.items() if isinstance(value, Mapping)}
    return _raw_row(row, rest)  # type: ignore[arg-type]  # what is not a number is found with the other defects


def _raw_row(row: Mapping[str, RawEntry], rest: Number) -> AnyRawRow:
    if rest or any(isinstance(number, tuple) for number in row.values()):
        return RawBox(row.items(), rest)
    return row.items()  # type: ignore[return-value]  # no entry has two ends


def from_distributions(
    p: Sequence[Number] | Mapping[str, Number],
    q: Sequence[Number] | Mapping[str, Number],
    *,
    normalise: Normalise = False,
) -> Chain:
    """The chain of one draw from ``p`` or from ``q``: start states p and q, and a state for each outcome, for ever.

    Two sequences give the probabilities of outcomes 0, 1, …; two mappings, those of outcomes by name, where an outcome
    that one of them leaves out has probability 0. ``normalise`` divides a distribution that does not sum to 1 by its
    sum, as for files: one that is off by rounding, or ``"any"``. ModelError with every defect otherwise.

    >>> chain = from_distributions(["2/5", "3/5"], ["3/5", "2/5"])
    >>> chain.states, chain.labels, chain.pairs
    (('p', 'q', '0', '1'), ('start', 'start', '0', '1'), (('p', 'q'),))
    """
    if isinstance(p, Mapping) and isinstance(q, Mapping):
        outcomes = list(dict.fromkeys([*p, *q]))
        columns = [p.get(name, 0) for name in outcomes], [q.get(name, 0) for name in outcomes]
    elif isinstance(p, Mapping) or isinstance(q, Mapping):
        raise ModelError(Defect("distributions", "one is a mapping, the other is not", "give two of a kind"))
    else:
        columns = list(p), list(q)
        if len(columns[0]) != len(columns[1]):
            what = f"{len(columns[0])} probabilities in one, {len(columns[1])} in the other"
            raise ModelError(Defect("distributions", what, "give both for the same outcomes, zeros included"))
        outcomes = list(map(str, range(len(columns[0]))))
    if not outcomes:
        raise ModelError(Defect("distributions", "there are no outcomes", "give at least one"))
    return distributions_chain(outcomes, columns, normalise=normalise)


def distributions_chain(
    outcomes: Sequence[str],
    columns: tuple[Sequence[Number], Sequence[Number]],
    starts: tuple[str, str] = ("p", "q"),
    *,
    normalise: Normalise = False,
    place: Callable[[int], str] | None = None,
    on_normalised: Callable[[int, Fraction], None] | None = None,
    cancel: Cancel | None = None,
) -> Chain:
    """The chain of two columns of probabilities over the same outcomes; see `from_distributions` and `assemble`."""
    states = [*starts, *(f"outcome {name}" if name in starts else name for name in outcomes)]
    numbers = range(2, len(states))
    drawn: list[RawRow] = [list(zip(numbers, column, strict=True)) for column in columns]
    return assemble(
        states,
        ["start", "start", *outcomes],
        [*drawn, *([(number, 1)] for number in numbers)],
        relation=[starts],
        normalise=normalise,
        place=place,
        on_normalised=on_normalised,
        cancel=cancel,
    )


def from_networkx(
    graph: networkx.DiGraph,
    *,
    label: str = "label",
    probability: str = "probability",
    relation: Iterable[tuple[str, str]] = (),
    normalise: Normalise = False,
) -> Chain:
    """A chain from a digraph with a ``label`` on each node and a ``probability`` on each edge."""
    nodes = list(graph.nodes(data=True))
    defects = [
        Defect(f"node {n}", f"it has no attribute {label!r}", "set it to the state's label")
        for n, data in nodes
        if label not in data
    ]
    rows: list[list[tuple[str | int, Number]]] = []
    for node, _ in nodes:
        row: list[tuple[str | int, Number]] = []
        for _, target, data in graph.out_edges(node, data=True):
            if probability in data:
                row.append((str(target), data[probability]))
            else:
                defects.append(Defect(f"edge {node} → {target}", f"it has no attribute {probability!r}", "set it"))
        rows.append(row)
    labels = [str(data.get(label, "")) for _, data in nodes]
    names = [str(n) for n, _ in nodes]
    return assemble(names, labels, rows, relation=relation, normalise=normalise, defects=defects)


def from_transition_labels(
    transitions: Iterable[tuple[Hashable, str, Number, Hashable]],
    *,
    start: str = "start",
    relation: Iterable[tuple[str, str]] = (),
) -> Chain:
    """A chain from one that writes its letters on transitions: (source, letter, probability, target).

    Each state s of the source keeps its name and gets the label ``start``; each (letter a, target t) that
    occurs becomes a state ``"t|a"`` with label a and the row of t. A run of s in the source that writes
    a₁a₂… is a run of s here that shows ``start`` a₁a₂…: trace measures are kept, after one common first
    letter.

    >>> chain = from_transition_labels([("s", "a", "1/3", "s"), ("s", "b", "2/3", "s")])
    >>> chain.states, chain.labels
    (('s', 's|a', 's|b'), ('start', 'a', 'b'))
    """
    rows: dict[str, dict[str, Fraction]] = {}
    letters: dict[str, tuple[str, str]] = {}
    defects: list[Defect] = []
    for source, letter, number, target in transitions:
        rows.setdefault(str(source), {})
        rows.setdefault(str(target), {})
        try:
            value = as_fraction(number, "probability")
        except InputError as error:
            defects.append(Defect(f"{source} -{letter}→ {target}", error.defects[0].what, "write it exactly"))
            continue
        name = f"{target}|{letter}"
        if letters.setdefault(name, (str(target), letter)) != (str(target), letter):
            defects.append(Defect(f"state {name!r}", "two transitions give this name", "rename a state or a letter"))
        row = rows[str(source)]
        row[name] = row.get(name, Fraction(0)) + value
    clash = rows.keys() & letters.keys()
    defects += [
        Defect(f"state {name!r}", "the name is also that of a (target, letter)", "rename it") for name in sorted(clash)
    ]
    if defects:
        raise ModelError(defects)
    labels = dict.fromkeys(rows, start) | {name: letter for name, (_, letter) in letters.items()}
    all_rows = dict(rows) | {name: rows[target] for name, (target, _) in letters.items()}
    return from_dicts(all_rows, labels, relation=relation)
