"""What every ε and every verb can share about a chain and its pairs: reachable part, quotient, graphs, tables.

Everything is made when it is first needed, and kept. Nothing here depends on ε.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Chain, Quotient, quotient, restrict
from ..model.bisimulation import quotient_in_time
from ..model.chain import Pair
from .graph.belief_graph import AnyGraph, RationalGraph, graph_of, traced_graph
from .question import Question

if TYPE_CHECKING:
    from ..kernels.records import Tables
    from .graph.split import Splitter
    from .limits.corners import CornerGrid

Found = TypeVar("Found")


class Workspace:
    """A chain and pairs of its states, ready to be asked at any ε.

    Args:
        chain: the chain as given.
        pairs: the pairs, by number, each once.
    """

    def __init__(self, chain: Chain, pairs: Sequence[Pair]) -> None:
        self.chain, self.pairs = chain, tuple(dict.fromkeys(pairs))
        self.alike = tuple((s, t) for s, t in self.pairs if chain.labels[s] == chain.labels[t])
        """The pairs of equal labels: the others are told apart at once."""
        if chain.step_by_step:
            _refuse_later_states(chain, self.alike)
        self.corner_grids: dict[Pair, CornerGrid | None] = {}
        """Of directions of the quotient, where rows are boxes."""
        self._whole: Quotient | None = None
        self._merged: dict[Pair, Pair] = {}
        self._ended: dict[tuple[object, Pair], object] = {}
        self._endless: dict[tuple[object, Pair], int] = {}

    @classmethod
    def of(cls, question: Question) -> Workspace:
        """The workspace of a question."""
        return cls(question.chain, question.pairs)

    @cached_property
    def part(self) -> Chain:
        """What can be reached from the pairs of equal labels."""
        return restrict(self.chain, {state for pair in self.alike for state in pair})

    @cached_property
    def quotient(self) -> Quotient:
        """The part with bisimilar states merged."""
        return quotient(self.part)

    def whole(self, cancel: Cancel) -> Quotient:
        """All of the chain with bisimilar states merged: distances may use states that no pair reaches."""
        if self.alike and self.part is self.chain:
            return self.quotient
        if self._whole is None:
            self._whole = quotient(self.chain, cancel=cancel)
        return self._whole

    def prepare(self, cancel: Cancel) -> None:
        """Merge bisimilar states, as far as there is time: where it is cancelled, every state stays as it is."""
        # A cached property keeps its value in __dict__; it takes no ``cancel``, so the value is put there beforehand.
        if self.alike and "quotient" not in self.__dict__:
            self.quotient = quotient_in_time(self.part, cancel)

    @cached_property
    def acyclic(self) -> bool:
        """Whether the belief graphs are known to be finite."""
        return is_acyclic(self.quotient.chain)

    @cached_property
    def state_pairs(self) -> int:
        """How many ordered pairs of equal labels the quotient has: what a distance is computed for."""
        return sum(len(states) ** 2 for states in self.quotient.chain.by_label.values())

    @cached_property
    def tables(self) -> tuple[Tables, list[int]]:
        """The quotient in machine integers, and its states in their order."""
        from .signed.tables import tables_of

        return tables_of(self.quotient.chain)

    @cached_property
    def graph(self) -> AnyGraph:
        """Beliefs of the quotient up to scale."""
        return graph_of(self.quotient.chain)

    @cached_property
    def traced(self) -> RationalGraph | None:
        """Beliefs up to scale and trace equivalence, where that merges more and is affordable."""
        return traced_graph(self.quotient.chain)

    @cached_property
    def splitter(self) -> Splitter:
        """The quotient, split by where it ends."""
        from .graph.split import Splitter

        return Splitter(self.quotient.chain)

    def merge(self, pair: Pair) -> Pair:
        """The pair of equal labels as states of the quotient."""
        known = self._merged.get(pair)
        if known is None:
            known = self._merged[pair] = self.block(pair[0]), self.block(pair[1])
        return known

    def block(self, state: int) -> int:
        """A state that pairs of equal labels reach, as one of the quotient."""
        return self.quotient.block[self.part.number(self.chain.states[state])]

    def next_states(self, pair: Pair) -> frozenset[int]:
        """The states of the quotient that one of the pair's two can be in after a letter."""
        given = self.quotient.chain.given
        return frozenset(entry[0] for state in self.merge(pair) for row in given[state] for entry in row)

    def leaders(self, pairs: Sequence[Pair]) -> dict[Pair, tuple[Pair, bool]]:
        """Of each pair the first whose states are merged with its own, and whether in the other order.

        Two states that are merged with each other lead themselves: there is nothing to search.
        """
        first: dict[Pair, Pair] = {}
        found: dict[Pair, tuple[Pair, bool]] = {}
        for pair in pairs:
            leader, reverse = pair, False
            if self.chain.labels[pair[0]] == self.chain.labels[pair[1]]:
                s, t = self.merge(pair)
                if s != t:
                    leader = first.setdefault((min(s, t), max(s, t)), pair)
                    reverse = self.merge(leader) != (s, t)
            found[pair] = leader, reverse
        return found

    def find_ended(
        self, method: object, pair: Pair, limit: int, find: Callable[[], Found | None], cancel: Cancel
    ) -> Found | None:
        """What ``find`` finds for a pair, once; None if its beliefs did not end within ``limit``.

        A pair that did not end is tried again with a larger limit only, or after it was cancelled.
        """
        key = (method, pair)
        if key not in self._ended and self._endless.get(key, -1) < limit:
            found = find()
            if found is not None:
                self._ended[key] = found
            elif not cancel.is_stopped():
                self._endless[key] = limit
        known: Found | None = self._ended.get(key)  # type: ignore[assignment]  # one method finds one kind of thing
        return known


def is_acyclic(chain: Chain) -> bool:
    """Whether the only cycles are absorbing states: then there are finitely many belief nodes.

    With inputs, a row may also leave its state where it is: every other step moves some mass forwards for good.
    """
    waiting = [0] * len(chain)
    for s, rows in enumerate(chain.given):
        for row in rows:
            for t, *_ in row:
                if t != s:
                    waiting[t] += 1
                # What stays and what leaves mix in ever new proportions: there may be no end of beliefs.
                elif len(row) > 1:
                    return False
    # In topological order: what lies on a cycle, or after one, is never ready.
    ready = [s for s, count in enumerate(waiting) if count == 0]
    done = 0
    while ready:
        s = ready.pop()
        done += 1
        for row in chain.given[s]:
            for t, *_ in row:
                if t != s:
                    waiting[t] -= 1
                    if waiting[t] == 0:
                        ready.append(t)
    return done == len(chain)


def _refuse_later_states(chain: Chain, pairs: Sequence[Pair]) -> None:
    """InputError for states that runs come to, where labels mean one thing only after equally many letters."""
    met = {entry[0] for rows in chain.given for row in rows for entry in row}
    later = sorted({state for pair in pairs for state in pair if state in met and pair[0] != pair[1]})
    if later:
        what = "labels stand for tails of noise of several ratios, told apart by the number of letters since the start"
        raise InputError(Defect(f"state {chain.states[s]!r}", what, "compare start states") for s in later)
