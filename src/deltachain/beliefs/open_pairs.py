"""Pairs whose belief graphs do not end (soon): signed beliefs in machine integers, until the intervals are narrow.

Trees grow by half from round to round; before them `levels` and grids are tried, which end some chains at once. Event
vectors raise the lower bounds when that may end the search, or when the budget is spent. What is reached depends on the
number of expansions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..rational import ExpEpsilon
from .answers import Interval, PairAnswer, Search, StopReason
from .forest import Forest, default_budget

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance
    from .intervals import Prepared

DEFAULT_GAP = Fraction(1, 10**6)
LEVELS_IF_CYCLIC, LEVELS_IF_ACYCLIC = 50_000, 5_000_000
"""Expansions by `levels`: a trial where beliefs may go on for ever, all that it takes where they end."""
GRIDS, GRID_LEVELS = (256, 1024, 4096, 8192), 50
"""Sizes of grids, and about how many expansions each of their directions costs."""
FIRST_GROWTH = 250
"""Expansions of each tree before its interval is looked at; then half as many again, and so on."""
FIRST_RAISE, RAISED = 6_000, Fraction(1, 15)
"""Expansions before event vectors are looked for, which takes a while, and what they may take off a width."""


class OpenPairs:
    """The search for pairs whose belief graphs do not end (soon), until the intervals are narrow enough."""

    def __init__(
        self,
        ready: Prepared,
        pairs: Sequence[tuple[int, int]],
        exp_epsilon: ExpEpsilon,
        search: Search,
    ) -> None:
        self.ready, self.search = ready, search
        self.merged = {pair: ready.merged(pair) for pair in pairs}
        self.known: list[Interval] = []
        self.gap = search.gap if search.gap is not None else DEFAULT_GAP
        directions = [way for s, t in self.merged.values() for way in ((s, t), (t, s))]
        self.forest = Forest(ready.quotient.chain, directions, exp_epsilon, None, ready.tables)
        self.budget = search.max_nodes or int(search.share * default_budget(ready.quotient.chain))

    def sprint(self, known: Sequence[PairAnswer], expansions: int) -> None:
        """Grow trees about so far, without vectors; ``known`` are the answers of pairs that are settled."""
        self._turn_to(list(self.merged), known)
        if self.forest.usable and self.unfinished():
            self._walk()
        while self.forest.usable and self.unfinished() and not self.search.cancel.stopped():
            if self._spent() >= expansions or self._round() <= 0:
                return

    def run(
        self, pairs: Sequence[tuple[int, int]], known: Sequence[PairAnswer], distance: Distance | None
    ) -> dict[tuple[int, int], PairAnswer]:
        """Grow on, for these of the pairs, until it is over; their answers. ``distance`` bounds them from above."""
        self.forest.distance = distance
        self._turn_to(pairs, known)
        stopped = self._grow() if self.forest.usable else "nodes"
        return {pair: self._answer(pair, stopped) for pair in self.merged}

    def _turn_to(self, pairs: Sequence[tuple[int, int]], known: Sequence[PairAnswer]) -> None:
        self.merged = {pair: self.merged[pair] for pair in pairs}
        self.known = [answer.interval for answer in known if answer.pair not in self.merged]
        ways = {way for s, t in self.merged.values() for way in ((s, t), (t, s))}
        self.forest.known = {way: direction for way, direction in self.forest.known.items() if way in ways}

    def unfinished(self) -> bool:
        """Whether more growth is asked for, and would help."""
        return bool(self._worth_growing()) and not self._enough()

    def _spent(self) -> int:
        return sum(known.expansions for known in self.forest.known.values())

    def _round(self) -> int:
        """Let the trees grow by half; the share of each."""
        wanted, spent = self._worth_growing(), self._spent()
        if self.ready.chain.interactive and self.search.max_nodes is None:
            # What is set aside beforehand is for dense beliefs under all inputs; most are not.
            self.budget = max(self.budget, int(self.search.share * self.forest.fitting()))
        share = min(FIRST_GROWTH + spent // (2 * len(wanted)), (self.budget - spent) // len(wanted))
        self.forest.grow(dict.fromkeys(wanted, max(share, 0)), self.search.cancel)
        self._report(spent)
        return share

    def _grow(self) -> StopReason:
        cancel = self.search.cancel
        if self.unfinished() and not self._spent():
            self._walk()
        while self.unfinished():
            share = self._round()
            nearly = share <= 0 or (self._spent() >= FIRST_RAISE and self._nearly_there())
            if nearly and not cancel.stopped():
                self.forest.raise_lower(self._worth_growing(), cancel)
            if cancel.stopped():
                return cancel.reason or "interrupted"
            if share <= 0:
                return "nodes" if self.unfinished() else "gap"
        return "gap"

    def _nearly_there(self) -> bool:
        """Whether event vectors, which raise lower bounds by a few per cent of the width, may end the search."""
        nearly = [Interval(i.lower + (i.upper - i.lower) * RAISED, i.upper, i.direction) for i in self._intervals()]
        if self.search.enough is not None and self.search.enough(nearly):
            return True
        return all(i.upper - i.lower <= self.gap for i in nearly)

    def _report(self, spent: int) -> None:
        lower, upper = (max(getattr(i, side) for i in self._intervals()) for side in ("lower", "upper"))
        told = f"{spent} beliefs expanded, about {float(lower):.6g} ≤ δ ≤ {float(upper):.6g}"
        self.search.cancel.report(told)

    def _walk(self) -> None:
        """Try `levels`, then ever finer grids, as far as that is needed and the budget goes."""
        if self.ready.chain.interactive:
            return
        acyclic, limit = self.ready.acyclic, self.search.max_nodes
        budget = LEVELS_IF_ACYCLIC if acyclic else LEVELS_IF_CYCLIC
        budget = budget if limit is None else min(budget, limit)
        self.forest.walk(self._worth_growing(), budget, acyclic, self.search.cancel)
        for size in () if acyclic else GRIDS:
            wanted = self._worth_growing()
            too_dear = limit is not None and GRID_LEVELS * size > limit
            if not wanted or too_dear or self._enough() or self.search.cancel.stopped():
                return
            self.forest.lay_grid(wanted, size, self.search.cancel)

    def _intervals(self) -> list[Interval]:
        return [*self.known, *map(self._interval, self.merged)]

    def _enough(self) -> bool:
        return self.search.enough is not None and self.search.enough(self._intervals())

    def _interval(self, pair: tuple[int, int]) -> Interval:
        s, t = self.merged[pair]
        (lower0, upper0), (lower1, upper1) = self.forest.bounds((s, t)), self.forest.bounds((t, s))
        return Interval(max(lower0, lower1), max(upper0, upper1), 0 if lower0 >= lower1 else 1)

    def _worth_growing(self) -> list[tuple[int, int]]:
        """The directions whose tree can still narrow the interval of a pair that is wider than asked for."""
        wanted = []
        for pair, (s, t) in self.merged.items():
            interval = self._interval(pair)
            if interval.upper - interval.lower > self.gap:
                for way in ((s, t), (t, s)):
                    _, upper = self.forest.bounds(way)
                    if upper > interval.lower and not self.forest.known[way].finished:
                        wanted.append(way)
        return list(dict.fromkeys(wanted))

    def _answer(self, pair: tuple[int, int], stopped: StopReason) -> PairAnswer:
        s, t = self.merged[pair]
        interval = self._interval(pair)
        if interval.lower == interval.upper:
            stopped = "exact"
        elif interval.upper - interval.lower <= self.gap:
            stopped = "gap"
        nodes = sum(self.forest.known[way].nodes for way in ((s, t), (t, s)))
        reason = None if self.ready.chain.interactive else self.ready.splitter.reason
        method = f"signed beliefs (not split: {reason})" if reason else "signed beliefs"
        return PairAnswer(pair, interval, method, stopped, self.forest, (s, t), nodes)
