"""Silent steps removed, exactly: the chain that an observer sees who cannot count steps that show nothing.

Some states are *silent*: a run passes through them unseen. In the chain without them, a state goes to the next state
that is not silent with the probability that the run gets there,

    Q(s, t) = μ_s(t) + Σ_{u silent} μ_s(u) Q(u, t),

the least solution, and stays silent for ever with what is left of 1. A silent state that leads to no visible one
is silent for ever; from every other one the run leaves the silent states it may leave, so that once the former are
taken out the system has one solution (`elimination`). Silence for ever is a visible end: a state `SILENT` that
loops. Trace measures of the result are those of the words of visible labels, exactly.

Start states of pairs stay. One that is silent shows `START` instead of its label, once, at the start: runs that come
back to it pass through it unseen. When any start state is silent, all of them show `START` first, since a run that
begins in a visible state must not be told apart by showing its label a step earlier; a visible one then goes to itself
as it was.

Where the observer chooses inputs, the same holds for each input of a visible state: Q_a(s, t) = μ_{s,a}(t) + Σ_{u
silent} μ_{s,a}(u) Q(u, t), as long as no silent state waits for an input. All that is chosen is then chosen at visible
states, after the same visible histories before and after, so every strategy has the same words with the same
probabilities. A silent state that waits would show, by waiting, that it is there: its label cannot be hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..cancel import Cancel
from ..errors import Defect, InputError, InteractiveChain
from ..numbers.field import Functions, Rationals
from .chain import Chain, Valuation
from .elimination import solve
from .outputs import LEFT_OUT
from .rows import AnyRow, PointRow, points

if TYPE_CHECKING:
    from ..numbers.field import Exact

SILENT, START = "(silent)", "(start)"
MAX_WORK = 30_000_000
"""The most row entries that may be touched to remove the silent states."""

_END = -1
"""In place of a state: silence for ever."""

SilentLaw = dict[int, "Exact"]
"""Where a run is seen next: a visible state or `_END` → its probability."""


@dataclass(frozen=True, slots=True)
class Silenced:
    """A chain without its silent states, and what was done."""

    chain: Chain
    notes: tuple[str, ...]


def without_silent(
    chain: Chain,
    labels: Iterable[str] = (),
    *,
    unlabelled: bool = False,
    starts: Iterable[str | int] = (),
    cancel: Cancel | None = None,
) -> Silenced:
    """The chain without the states of these labels, and, with ``unlabelled``, without those whose label is empty.

    The states of the relation and ``starts`` stay as start states, whatever their labels. Raises InputError for labels
    that no state has, when nothing would be left to see, for labels at which the observer chooses inputs
    (InteractiveChain), or when the silent states are too entangled to be summed; Stopped when it is cancelled.

    >>> walk = Chain.from_dicts({"s": {"s": "1/2", "a": "1/4", "b": "1/4"}, "a": {"a": 1}, "b": {"s": 1}},
    ...                         {"s": "", "a": "A", "b": "B"})
    >>> without_silent(walk, unlabelled=True).chain.probability("b", "a")
    Fraction(1, 2)
    """
    hidden = _hidden_labels(chain, labels, unlabelled)
    silent = [label in hidden for label in chain.labels]
    first = sorted({state for pair in chain.relation for state in pair} | {chain.number(s) for s in starts})
    if not any(silent):
        return Silenced(chain, (_report(chain, silent, []),))
    if chain.step_by_step:
        what = "labels stand for tails of noise of several ratios, which only the number of letters seen tells apart"
        raise InputError(Defect("hidden labels", what, "leave the letter out of the program, or clamp the noise"))
    if LEFT_OUT in chain.by_label:
        what = "parts that all inputs have in common are left out of the chain, which needs all other letters"
        raise InputError(Defect("hidden labels", what, "leave the letters out of what the code shows"))
    _refuse_waiting(chain, hidden)
    chain.need("exact", "hidden labels", "hidden steps are summed exactly", "leave these letters out of the model")
    layout = _Layout(chain, silent, first)
    if not layout.visible:
        raise InputError(Defect("hidden labels", "every state is silent: nothing is left to see", "hide fewer labels"))
    laws = _laws(chain, silent, layout, cancel)
    ends = any(_END in law for of_state in laws.values() for law in of_state)
    if ends and SILENT in chain.alphabet:
        what = f"the label {SILENT!r}, which says that a run stays silent for ever, is in use already"
        raise InputError(Defect("hidden labels", what, "rename it"))
    if layout.starts and START in chain.inputs:
        what = f"the label {START!r}, which start states show, is in use already, and the observer chooses inputs there"
        raise InputError(Defect("hidden labels", what, "rename it"))
    return Silenced(layout.build(laws, ends), (_report(chain, silent, layout.silent_starts), *_list_ending(ends)))


def _hidden_labels(chain: Chain, labels: Iterable[str], unlabelled: bool) -> frozenset[str]:
    wanted = tuple(labels)
    defects = []
    for label in wanted:
        if label not in chain.by_label:
            near = get_close_matches(label, chain.alphabet, n=1)
            listed = f"did you mean {near[0]!r}?" if near else f"labels are {', '.join(map(repr, chain.alphabet[:20]))}"
            defects.append(Defect("hidden labels", f"no state has the label {label!r}", listed))
    if defects:
        raise InputError(defects)
    return frozenset((*wanted, "") if unlabelled else wanted)


def _refuse_waiting(chain: Chain, hidden: frozenset[str]) -> None:
    """Raise InteractiveChain naming every hidden label at which the observer chooses inputs."""
    why = "steps that nobody sees cannot be summed while someone may choose in between"
    defects = [
        Defect(
            "hidden labels",
            f"the observer chooses inputs at label {label!r}, and {why}",
            f"keep it visible, or settle its inputs first, chain.choosing({{{label!r}: input}})",
        )
        for label in chain.inputs
        if label in hidden
    ]
    if defects:
        raise InteractiveChain(defects)


class _Layout:
    """Which states there are afterwards: the visible ones, in order, and the start states in their places."""

    def __init__(self, chain: Chain, silent: list[bool], first: list[int]) -> None:
        self.chain = chain
        self.silent_starts = [state for state in first if silent[state]]
        self.starts = first if self.silent_starts else []
        is_start = set(self.starts)
        self.visible = [state for state in range(len(chain)) if not silent[state]]
        # (state, whether as a start), in the order of the chain; a visible start comes twice.
        self.kept: list[tuple[int, bool]] = []
        for state in range(len(chain)):
            if state in is_start:
                self.kept.append((state, True))
            if not silent[state]:
                self.kept.append((state, False))

    def build(self, laws: dict[int, list[SilentLaw]], ends: bool) -> Chain:
        """The chain, from the laws of the states that are left."""
        chain = self.chain
        place = {key: number for number, key in enumerate(self.kept)}
        end = len(self.kept)
        taken = set(chain.states)
        names, labels = [], []
        given: list[tuple[AnyRow, ...]] = []
        valuations: list[Valuation] = []

        def renumber(law: SilentLaw) -> AnyRow:
            return points({end if t == _END else place[t, False]: p for t, p in law.items()})

        for state, start in self.kept:
            twice = not start and (state, True) in place
            names.append(_choose_unused(f"{chain.states[state]} (seen)", taken) if twice else chain.states[state])
            labels.append(START if start else chain.labels[state])
            # A start that is visible, too, shows `START` and then goes to itself as it was.
            seen = place.get((state, False)) if start else None
            given.append(tuple(map(renumber, laws[state])) if seen is None else (PointRow(((seen, Fraction(1)),)),))
            valuations.append({} if chain.valuations is None else chain.valuations[state])
        if ends:
            names.append(_choose_unused(SILENT, taken))
            labels.append(SILENT)
            given.append((PointRow(((end, Fraction(1)),)),))
            valuations.append({})
        numbers = {s: place.get((s, True), place.get((s, False), -1)) for pair in chain.relation for s in pair}
        relation = tuple((numbers[s], numbers[t]) for s, t in chain.relation)
        kept_values = None if chain.valuations is None else tuple(valuations)
        return replace(
            chain,
            states=tuple(names),
            labels=tuple(labels),
            given=tuple(given),
            relation=relation,
            valuations=kept_values,
        )


def _choose_unused(name: str, taken: set[str]) -> str:
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} #{number}"
    taken.add(unique)
    return unique


def _laws(chain: Chain, silent: list[bool], layout: _Layout, cancel: Cancel | None) -> dict[int, list[SilentLaw]]:
    """Where each visible state, for each of its inputs, and each silent start state goes next."""
    moves, (_, exactly) = chain.points, _numbers_of(chain)
    laws: dict[int, list[SilentLaw]] = {}
    sources: list[tuple[int, int]] = []
    for state in (*layout.visible, *layout.silent_starts):
        laws[state] = [dict(row) for row in moves[state]]
        sources += ((state, asked) for asked, law in enumerate(laws[state]) if any(silent[target] for target in law))
    # A row of a state as a source has a number of its own, apart from the silent state that runs pass through.
    numbers = range(len(chain), len(chain) + len(sources))
    inner, outer = _equations(
        chain, silent, {n: laws[state][a] for n, (state, a) in zip(numbers, sources, strict=True)}
    )
    solved = solve(inner, outer, numbers, most_work=MAX_WORK, cancel=cancel)
    if solved is None:
        what = f"{len(inner) - len(sources)} silent states are too entangled to be summed exactly"
        raise InputError(Defect("hidden labels", what, "hide fewer labels"))
    for number, (state, asked) in zip(numbers, sources, strict=True):
        laws[state][asked] = {target: exactly(p) for target, p in solved[number].items()}
    return laws


def _numbers_of(chain: Chain) -> tuple[Callable[[Exact], Any], Callable[[Any], Exact]]:
    """A number of the chain's field as it is computed with, and back."""
    field = Rationals() if chain.base is None else Functions(chain.base)
    return field.value, field.exactly


def _equations(
    chain: Chain, silent: list[bool], sources: dict[int, SilentLaw]
) -> tuple[dict[int, dict[int, Any]], dict[int, dict[int, Any]]]:
    """The system of the sources and of all silent states that they can meet, those silent for ever left out."""
    for_ever, moves, (value, _) = _silent_for_ever(chain, silent), chain.points, _numbers_of(chain)
    known: dict[Exact, Any] = {}
    inner: dict[int, dict[int, Any]] = {}
    outer: dict[int, dict[int, Any]] = {}
    pending = list(sources)
    while pending:
        node = pending.pop()
        if node in inner:
            continue
        into, out = inner[node], outer[node] = {}, {}
        for target, p in sources[node].items() if node in sources else moves[node][0]:
            # Rows repeat few numbers, each of which is converted once; none is 0.
            number = known.get(p) or known.setdefault(p, value(p))
            if not silent[target]:
                out[target] = number
            elif for_ever[target]:
                out[_END] = out.get(_END, 0) + number
            else:
                into[target] = number
                pending.append(target)
    return inner, outer


def _silent_for_ever(chain: Chain, silent: list[bool]) -> list[bool]:
    """The silent states that lead to no visible one: those not met going backwards from the visible ones."""
    into: list[list[int]] = [[] for _ in silent]
    for state, rows in enumerate(chain.given):
        if silent[state]:
            # Only steps out of silent states count: once a visible one is met, the silence is over. They wait for no
            # input (`_refuse_waiting`), so that they have one row.
            for target, *_ in rows[0]:
                into[target].append(state)
    found = list(silent)
    stack = [state for state, hidden in enumerate(silent) if not hidden]
    while stack:
        for earlier in into[stack.pop()]:
            if found[earlier]:
                found[earlier] = False
                stack.append(earlier)
    return found


def _report(chain: Chain, silent: list[bool], starts: list[int]) -> str:
    """What was hidden, in words."""
    counts: dict[str, int] = {}
    for label, hidden in zip(chain.labels, silent, strict=True):
        if hidden:
            counts[label] = counts.get(label, 0) + 1
    if not counts:
        return "hid nothing: no state is silent"
    listed = ", ".join(
        f"{n} {'labelled ' + repr(label) if label else 'without a label'}" for label, n in counts.items()
    )
    stayed = f"; {len(starts)} stay as start states, labelled {START}" if starts else ""
    return f"hid {sum(counts.values())} of {len(chain)} states: {listed}{stayed}"


def _list_ending(ends: bool) -> tuple[str, ...]:
    return (f"a run can stay silent for ever: it then ends in a state labelled {SILENT}",) if ends else ()
