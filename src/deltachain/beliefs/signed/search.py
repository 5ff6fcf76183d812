"""Pairs whose belief graphs do not end (soon): signed beliefs in machine integers, until the intervals are narrow.

Trees grow by half from round to round; before them `levels` and grids are tried, which end some chains at once. Event
vectors raise the lower bounds when that may end the search, or when the budget is spent. What is reached depends on the
number of expansions alone. Levels, grids, trees and vectors are recipes of one proof: a direction may take its lower
bound from one and its upper bound from another (docs/theory/signed-beliefs.md).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from ...cancel import Cancel
from ...certificate.distances import DistanceClaims
from ...certificate.record import Writer
from ...model import Chain
from ...model.chain import Pair
from ...model.words import Belief, Word, word_bounds, word_probability
from ...numbers.field import Exact
from ...numbers.fraction import ExpEpsilon, round_down, round_up
from .. import reach
from ..graph.strategy import listed_strategy
from ..limits.corners import Corners
from ..limits.first_order import FirstOrder
from ..proof import OpenWay, Proof
from ..question import Interval, Question, StopReason
from ..witness import Event, WitnessWord
from ..workspace import Workspace
from .forest import Direction, Forest, default_budget
from .grid import Gridded
from .levels import Walked
from .tables import ROW_BITS, lost_beside
from .vectors import EventVectors

if TYPE_CHECKING:
    from ...distances.fixed_point import FixedPoint

DEFAULT_GAP, ONE = Fraction(1, 10**6), Fraction(1)
LEVELS_IF_CYCLIC, LEVELS_IF_ACYCLIC = 50_000, 5_000_000
"""Expansions by `levels`: a trial where beliefs may go on for ever, all that it takes where they end."""
GRIDS, GRID_LEVELS = (256, 1024, 4096, 8192), 50
"""Sizes of grids, and about how many expansions each of their directions costs."""
FIRST_GROWTH = 250
"""Expansions of each tree before its interval is computed; then half as many again, and so on."""
FIRST_RAISE, RAISED = 6_000, Fraction(1, 15)
"""Expansions before event vectors are looked for, which takes a while, and what they may take off a width."""
STALLED = Fraction(98, 100)
"""A round that leaves more than this of the width has gained nothing."""
LISTED_FROM = 2_000
"""Expansions of the tree that the words of a witness are read from, at least."""


class SignedSearch:
    """The search for some pairs of a question at one ε, one step after the other: begin, grow, finish.

    Args:
        question: what is asked.
        work: where it is found.
        pairs: those that are searched.
        known: the intervals of other pairs of the question: a verdict is about all of them.
        cancel: a deadline, and where progress goes.
        share: of what the question may spend.
        more: whether other pairs are still to be searched, about which nothing is known.
    """

    def __init__(
        self,
        question: Question,
        work: Workspace,
        pairs: Sequence[Pair],
        known: Iterable[Interval],
        cancel: Cancel,
        *,
        share: Fraction = ONE,
        more: bool = False,
    ) -> None:
        self.question, self.work, self.cancel = question, work, cancel
        self.merged = {pair: work.merge(pair) for pair in pairs}
        self.settled, self.share, self.more = Interval.largest(known), share, more
        self.gap = question.gap if question.gap is not None else DEFAULT_GAP
        chain = work.quotient.chain
        beside = cache(lambda: lost_beside(work.chain, work.part, chain))
        self.forest = Forest(chain, self._ways(), question.at, None, work.tables, beside)
        self._found: dict[Pair, Interval] = {}
        """What the forest has proved of each pair, until it is worked on again: see `_work`."""
        self.budget = int(share * (question.budget.max_nodes or question.budget.share * default_budget(chain)))

    def _ways(self) -> list[Pair]:
        """Both directions of each pair."""
        return [way for s, t in self.merged.values() for way in ((s, t), (t, s))]

    def grow_first(self, expansions: int) -> None:
        """Grow trees about so far, without vectors: where that may be enough, and a distance would take as long."""
        if self.forest.usable and self.is_unfinished():
            self._try_levels_and_grids()
        while self.forest.usable and self.is_unfinished() and not self.cancel.is_stopped():
            if self._spend() >= expansions or self._round() <= 0:
                return

    def settle(self, proofs: Mapping[Pair, Proof]) -> None:
        """Leave pairs out that were proved elsewhere."""
        self.settled = Interval.largest([*self.settled, *(proof.interval for proof in proofs.values())])
        self.merged = {pair: merged for pair, merged in self.merged.items() if pair not in proofs}
        ways = set(self._ways())
        self.forest.known = {way: direction for way, direction in self.forest.known.items() if way in ways}
        self._found.clear()

    def finish(self, distance: FixedPoint | None) -> dict[Pair, Proof]:
        """Grow until narrow, decided, spent or cancelled; a proof for every pair. ``distance`` bounds from above."""
        self.forest.distance = distance
        self._found.clear()
        stopped = self._grow() if self.forest.usable else "nodes"
        if self.forest.usable and reach.takes("forms", self.work.chain):
            self._add_forms()
        if stopped == "gap" and not self._is_decided():
            stopped = "finished"  # the trees have ended: what is left is in the rows, or rounding
        return {pair: self._proof(pair, stopped) for pair in self.merged}

    def is_unfinished(self) -> bool:
        """Whether more growth is asked for, and would help."""
        return bool(self._worth_growing()) and not self._is_decided()

    def _is_decided(self) -> bool:
        """Whether the verdict on all pairs that are known is."""
        return self.question.is_decided([*self.settled, *self._intervals()])

    def _spend(self) -> int:
        return sum(known.expansions for known in self.forest.known.values())

    def _count_left(self) -> int | None:
        """What is left of the number of beliefs that was given, if one was."""
        if self.question.budget.max_nodes is None:
            return None
        nodes = sum(known.nodes for known in self.forest.known.values())
        return int(self.share * self.question.budget.max_nodes) - nodes

    def _round(self) -> int:
        """Let the trees grow by half; the share of each."""
        ways, spent = self._worth_growing(), self._spend()
        if self.work.chain.interactive and self.question.budget.max_nodes is None:
            # What is set aside beforehand is for dense beliefs under all inputs; most are not.
            fitting = self.share * self.question.budget.share * self.forest.fit()
            self.budget = max(self.budget, int(fitting))
        left = self._count_left()
        left = self.budget - spent if left is None else left
        share = min(FIRST_GROWTH + spent // (2 * len(ways)), left // len(ways))
        self.forest.grow(dict.fromkeys(ways, max(share, 0)), self.cancel)
        self._work()
        return share

    def _grow(self) -> StopReason:
        if self.is_unfinished() and not self._spend():
            self._try_levels_and_grids()
        stalled = 0
        while self.is_unfinished():
            before = self._open_width()
            share = self._round()
            if self.work.chain.kind == "limits":
                # What is left may be the uncertainty of the rows, which no tree resolves.
                stalled = stalled + 1 if self._open_width() > before * STALLED else 0
                if share <= 0 or stalled >= 2:
                    return "nodes"
                if not self.cancel.is_stopped():
                    continue
            nearly = share <= 0 or (self._spend() >= FIRST_RAISE and self._nearly_there())
            if nearly and not self.cancel.is_stopped():
                self.forest.raise_lower(self._worth_growing(), self.cancel)
                self._work()
            if self.cancel.is_stopped():
                return self.cancel.reason or "interrupted"
            if share <= 0:
                return "nodes" if self.is_unfinished() else "gap"
        return "gap"

    def _open_width(self) -> Fraction:
        """How wide the intervals are, added up."""
        return sum((i.upper - i.lower for i in self._intervals()), Fraction(0))

    def _add_forms(self) -> None:
        """Bounds that know that the entries of a row move together, for what no tree has settled."""
        if not self._is_decided():
            self.forest.add_forms(self._open_ways(), self.work.corner_grids, self.cancel)
            self._found.clear()

    def _nearly_there(self) -> bool:
        """Whether event vectors, which raise lower bounds by a few per cent of the width, may end the search."""
        nearly = [Interval(i.lower + (i.upper - i.lower) * RAISED, i.upper, i.direction) for i in self._intervals()]
        return self.question.is_decided([*self.settled, *nearly]) or all(i.upper - i.lower <= self.gap for i in nearly)

    def _work(self) -> None:
        """The forest proves more than before: report bounds of δ at this ε, which need not be the one asked for."""
        self._found.clear()
        (largest,) = Interval.largest([*self.settled, *self._intervals()])
        lower, upper = largest.lower, ONE if self.more else largest.upper
        expanded = f"{self._spend():,} beliefs expanded" if self._spend() else "first bounds"
        if self.cancel.bounds is not None:
            self.cancel.bounds(lower, upper)
            self.cancel.report(expanded)
            return
        bounds = f"{float(round_down(lower, 6)):.6f} ≤ δ ≤ {float(round_up(upper, 6)):.6f}"
        self.cancel.report(f"{expanded}, {bounds} at {self.question.at.short}")

    def _try_levels_and_grids(self) -> None:
        """`levels`, then ever finer grids, as far as that is needed and the budget goes."""
        if self.work.chain.interactive:
            return
        acyclic, ways = self.work.acyclic, self._worth_growing()
        budget = LEVELS_IF_ACYCLIC if acyclic else LEVELS_IF_CYCLIC
        if (left := self._count_left()) is not None:  # half of it: trees bound from both sides where levels do not end
            budget = min(budget, left // (2 * sum(len(self.forest.known[way].roots) for way in ways)))
        self.forest.add_levels(ways, budget, acyclic, self.cancel)
        self._work()
        for size in () if acyclic else GRIDS:
            ways, left = self._worth_growing(), self._count_left()
            too_large = left is not None and GRID_LEVELS * size * len(ways) > left
            if not ways or too_large or self._is_decided() or self.cancel.is_stopped():
                return
            self.forest.add_grid(ways, size, self.cancel)
            self._work()

    def _intervals(self) -> list[Interval]:
        return [*map(self._interval, self.merged)]

    def _interval(self, pair: Pair) -> Interval:
        known = self._found.get(pair)
        if known is None:
            s, t = self.merged[pair]
            known = Interval.of_directions(self.forest.bounds((s, t)), self.forest.bounds((t, s)))
            self._found[pair] = known
        return known

    def _worth_growing(self) -> list[Pair]:
        """The directions whose tree can still narrow the interval of a pair that is wider than asked for."""
        return [way for way in self._open_ways() if not self.forest.known[way].finished]

    def _open_ways(self) -> list[Pair]:
        """The directions that make the interval of a pair wider than asked for."""
        found = []
        for pair, (s, t) in self.merged.items():
            interval = self._interval(pair)
            if interval.upper - interval.lower > self.gap:
                # A direction that is proved to lie below what the other attains cannot be the larger one.
                ways = zip(((s, t), (t, s)), interval.ways, strict=True)
                found += [way for way, (_, upper) in ways if upper > interval.lower]
        return list(dict.fromkeys(found))

    def _proof(self, pair: Pair, stopped: StopReason) -> Proof:
        s, t = self.merged[pair]
        interval = self._interval(pair)
        if interval.lower == interval.upper:
            stopped = "finished"
        elif interval.upper - interval.lower <= self.gap:
            stopped = "gap"
        reason = self.work.splitter.reason if reach.takes("split", self.work.chain) else ""
        return SignedProof(
            question=self.question,
            pair=pair,
            interval=interval,
            method="signed beliefs",
            stopped=stopped,
            nodes=sum(self.forest.known[way].nodes for way in ((s, t), (t, s))),
            note=f"not split: {reason}" if reason else "",
            forest=self.forest,
            start=(s, t),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class SignedProof(Proof):
    """The bounds that recipes, and a distance, prove for both directions. Nobody grows the forest any more."""

    forest: Forest
    start: Pair
    """The pair as states of the quotient."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the recipes of both directions, and covers by the distance where that bounds one of them best."""
        ways = self.start, self.start[::-1]
        listed = writer.once(self.forest, lambda: _write_recipes(writer, self.forest))
        places = [place for way in dict.fromkeys(ways) for place in listed.get(way, ())]
        found: dict[str, object] = {"recipes": places} if places else {}
        if places:
            writer.use("recipes")
        covers = [_cover_by_distance(writer, self.forest, way) for way in ways]
        return found | ({"covers": covers} if any(covers) else {})

    def event(self, limit: int) -> Event:
        """Leaves that gain most at once, as words; or the strategy that tree and vectors make."""
        direction = self.start if self.interval.direction == 0 else self.start[::-1]
        chain, alpha = self.forest.chain, self.question.at.above
        if chain.interactive and not reach.takes("words", chain):
            return Event()  # the probabilities along a strategy are known within limits only
        if chain.interactive:
            guide = ForestGuide(self.forest, direction)
            return Event(strategy=listed_strategy(chain, direction, alpha, guide, 0))
        if (
            self.forest.known[direction].expansions < LISTED_FROM
        ):  # read from a tree of its own: the proof stays as it is
            return Event(words_from(chain, direction, self.question.at, limit))
        return Event(_words_of_tree(self.forest, direction, limit))

    def open_ways(self) -> Sequence[OpenWay]:
        """The directions whose upper bound is above what is proved from below."""
        if self.interval.lower == self.interval.upper or not reach.takes("drawn words", self.forest.chain):
            return ()
        ways = (OpenWay(self.forest, way) for way in (self.start, self.start[::-1]))
        return tuple(way for way in ways if way.upper > self.interval.lower)


# The certificate


@dataclass(frozen=True)
class _Recipe:
    """One way to bound a direction: what it proves, and what the certificate says of it."""

    lower: Fraction
    upper: Fraction
    sign: str
    """``-`` for the second root."""
    root: Direction
    source: Walked | Gridded | FirstOrder | Corners | None
    """None for the tree."""


def _best_recipes(forest: Forest, direction: Direction) -> list[_Recipe]:
    """The recipe with the best lower bound and the one with the best upper bound, trees last; each once."""
    unit, at = 1 << forest.bits, forest.exp_epsilon
    found = []
    for sign, root in zip(("", "-"), direction.roots, strict=False):
        tree = (int(root.tree.below[0]), int(root.tree.above[0]), None)
        for below, above, source in (tree, *((other.below, other.above, other) for other in root.others)):
            lower, upper = Fraction(below, unit), Fraction(above, unit)
            # V(w) = w·1 + V(−w) turns what is known of V(−m), or of V(u), by
            # w·1 = 1 − α; each end of e^ε keeps its side.
            shifts = (1 - at.above, 0) if sign else (0, 1 - at.below)
            found.append(_Recipe(lower + shifts[0], upper + shifts[1], sign, root, source))
    found += [_Recipe(form.lower, form.upper, "", direction, form) for form in direction.forms]
    best = max(found, key=lambda one: one.lower), min(found, key=lambda one: one.upper)
    chosen = best[:1] if best[0] is best[1] else best
    return sorted(chosen, key=lambda one: one.source is None)


def _write_recipes(writer: Writer, forest: Forest) -> dict[Pair, list[int]]:
    """Write the parts ``units``, ``vectors`` and ``recipes``; by direction the places of its recipes."""
    # At an e^ε that leaves no unit to count in, trees prove nothing; a distance still may.
    if not forest.usable:
        return {}
    writer.put_units(forest.bits, ROW_BITS)
    names = forest.chain.states
    return {
        (s, t): [writer.add("recipes", [[names[s], names[t], *kind]]) for kind in kinds]
        for (s, t), kinds in _kinds(writer, forest).items()
    }


def _kinds(writer: Writer, forest: Forest) -> dict[Pair, list[list[object]]]:
    """What recipes say of each direction, once the vectors that they use are written."""
    best = {pair: _best_recipes(forest, known) for pair, known in forest.known.items()}
    trees = [recipe.root for recipes in best.values() for recipe in recipes if recipe.source is None]
    used = _used(forest.vectors, (k for root in trees for k in root.chosen.tolist()))
    # Numbers go on where another forest ended; 0 and 1 are nobody's own.
    number = {0: 0, 1: 1} | {k: i for i, k in enumerate(used, writer.next("vectors") + 2)}
    labels = forest.chain.alphabet
    for k in used:
        label = labels[forest.vectors.label[k]]
        entry: list[object] = [label, {labels[b]: number[j] for b, j in forest.vectors.after[k].items()}]
        if label in forest.chain.inputs:
            entry.append(forest.chain.inputs[label][forest.vectors.choice[k]])
        writer.add("vectors", [entry])

    def say(recipe: _Recipe) -> list[object]:
        text = ["tree", _tree_text(recipe.root, number)] if recipe.source is None else recipe.source.recipe()
        return [f"{recipe.sign}{text[0]}", *text[1:]]

    return {pair: [*map(say, recipes)] for pair, recipes in best.items()}


def _cover_by_distance(writer: Writer, forest: Forest, way: Pair) -> list[list[object]]:
    """That V is at most the distance, where nothing bounds the direction better; else nothing."""
    distance = forest.distance
    if distance is None or not forest.ceiling(way) == forest.bounds(way)[1] < 1:
        return []
    listed = writer.once(distance, lambda: DistanceClaims(writer, distance))
    if (number := distance.proof.space.pair_of_states(*way)) is None:
        return []
    listed.write([number])
    return listed.cover([(number, ONE)])


def _used(vectors: EventVectors, chosen: Iterable[int]) -> Sequence[int]:
    """The vectors that are chosen, and all that they are made of, in order."""
    found: set[int] = set()
    stack = [k for k in set(chosen) if k > 1]
    while stack:
        k = stack.pop()
        if k not in found:
            found.add(k)
            stack += [j for j in vectors.after[k].values() if j > 1]
    return sorted(found)


def _tree_text(known: Direction, number: Mapping[int, int]) -> str:
    """The nodes in depth-first order: ``x`` expanded, ``.`` a leaf, ``N,`` one with a vector."""
    begin, count = known.tree.begin.tolist(), known.tree.children.tolist()
    chosen, label = known.chosen.tolist(), known.tree.label.tolist()
    pieces, stack = [], [0]
    while stack:
        node = stack.pop()
        # 0 at leaves: node 0 is the root, and nobody's child.
        if begin[node]:
            pieces.append("x")
            children = range(begin[node] + count[node] - 1, begin[node] - 1, -1)
            stack.extend(child for child in children if label[child] >= 0)  # the others are losses
        else:
            vector = chosen[node] if node < len(chosen) else 0
            pieces.append(f"{number[vector]}," if vector else ".")
    return "".join(pieces)


# Words and strategies


def words_from(chain: Chain, pair: Pair, at: ExpEpsilon, limit: int) -> list[WitnessWord]:
    """Words of a small tree grown for the purpose."""
    forest = Forest(chain, [pair], at)
    forest.grow({pair: LISTED_FROM}, Cancel())
    return _words_of_tree(forest, pair, limit)


def _words_of_tree(forest: Forest, pair: Pair, limit: int) -> list[WitnessWord]:
    """The leaves of the tree that gain most at once, as words with exact probabilities."""
    tree, labels = forest.known[pair].tree, forest.chain.alphabet
    used = int(tree.used[0])
    gains = [
        (int(gain), -node) for node, gain in enumerate(tree.below[:used].tolist()) if gain > 0 and not tree.begin[node]
    ]
    words: list[WitnessWord] = []
    # More than asked for: some gain only by what a vector promises later, and are no word of the event themselves.
    for _, negated in heapq.nlargest(4 * limit, gains):
        node, letters = -negated, []
        while node > 0:
            letters.append(labels[int(tree.label[node])])
            node = int(tree.parent[node])
        word = (forest.chain.labels[pair[0]], *reversed(letters))
        s, t = likely_and_unlikely(forest.chain, pair, word)
        if s > forest.exp_epsilon.above * t:
            words.append(WitnessWord(word, s, t))
        if len(words) >= limit:
            break
    return words


def likely_and_unlikely(chain: Chain, pair: Pair, word: Word) -> tuple[Exact, Exact]:
    """ν_s(w) and ν_t(w); with boxes the least of the one and the most of the other, over all chains inside."""
    if not reach.takes("words", chain):
        return word_bounds(chain, pair[0], word)[0], word_bounds(chain, pair[1], word)[1]
    return word_probability(chain, pair[0], word), word_probability(chain, pair[1], word)


class ForestGuide:
    """A strategy read from a forest: positions are nodes of its tree (≥ 0), or event vectors (−1 − number)."""

    def __init__(self, forest: Forest, pair: Pair) -> None:
        self.forest, self.known = forest, forest.known[pair]
        self.labels = forest.chain.alphabet
        self.number = {label: b for b, label in enumerate(self.labels)}

    def _inputs(self, label: int) -> tuple[str | None, ...]:
        return self.forest.chain.inputs.get(self.labels[label], (None,))

    def _vector(self, position: int) -> int:
        """The vector to follow from here; 0 (never) or 1 (at once) to stop."""
        if position < 0:
            return -1 - position
        return int(self.known.chosen[position]) if position < len(self.known.chosen) else 0

    def _best_choice(self, node: int) -> int:
        tree = self.known.tree
        sums: dict[int, int] = {}
        for child in range(int(tree.begin[node]), int(tree.begin[node] + tree.children[node])):
            choice = int(tree.choice[child])
            sums[choice] = sums.get(choice, 0) + int(tree.below[child])
        return max(sums, key=sums.__getitem__)

    def _is_expanded(self, position: int) -> bool:
        tree = self.known.tree
        return position >= 0 and bool(tree.begin[position]) and bool(tree.children[position])

    def advice(self, position: int) -> str | bool | None:
        """The input to ask, or False to stop."""
        if self._is_expanded(position):
            return self._inputs(int(self.known.tree.label[position]))[self._best_choice(position)]
        vector, vectors = self._vector(position), self.forest.vectors
        return False if vector <= 1 else self._inputs(vectors.label[vector])[vectors.choice[vector]]

    def follow(self, position: int, label: str) -> int | None:
        """Where the label leads."""
        b = self.number[label]
        if self._is_expanded(position):
            tree, choice = self.known.tree, self._best_choice(position)
            begin = int(tree.begin[position])
            children = range(begin, begin + int(tree.children[position]))
            return next((c for c in children if tree.choice[c] == choice and tree.label[c] == b), None)
        return -1 - self.forest.vectors.after[self._vector(position)].get(b, 0)

    def promise(self, position: int, x: Belief, y: Belief) -> float:
        """About how much can be gained from here on."""
        alpha = float(self.forest.exp_epsilon.above)
        if position >= 0:
            return int(self.known.tree.below[position]) / (1 << self.forest.bits)
        vector = self._vector(position)
        if vector == 0:
            return 0.0
        place, total = self.forest.place, 0.0
        values = self.forest.vectors.floats[vector] if vector > 1 else None
        first = int(self.forest.tables.first[self.number[self.forest.chain.labels[next(iter({**x, **y}))]]])
        for sign, belief in ((1.0, x), (-alpha, y)):
            for state, mass in belief.items():
                total += sign * float(mass) * (1.0 if values is None else float(values[place[state] - first]))
        return total
