"""The ratio matrix: an e^ε from which on δ = 0 (docs/theory/divergences.md, "The ratio matrix").

Let f_w(i) be the probability that state i shows the word w next. A matrix R ≥ 1 over pairs of states of one label, ∞
allowed, is a *cone* of vectors f ≥ 0 with f_i ≤ R_ij f_j. If every f_w is in it, no likelihood ratio of i to j is above
R_ij, and δ(s, t) = 0 at e^ε = max(R_st, R_ts). It is enough that each (i, j) has a tree of words, of one letter at
least, such that, with x_v and y_v for what i and j lead to with the word v,

- |x_v| ≤ R_ij |y_v| at each v inside the tree;
- at each leaf v there are ω_kl ≥ 0 with x_v(k) − R_ij y_v(k) ≤ Σ_l ω_kl − Σ_l R_lk ω_lk for every state k.

Then x_v·f ≤ R_ij y_v·f for each f in the cone, and f_w is in it by induction on the letters of w.

`cone` finds R in floats. The largest ratio over a cone after a word is a linear program, which is solved exactly here:
for R as floats have it, until R and the ratios agree; then for fractions that are read from it. Ratios that depend on
each other in no circle are computed from those that they depend on; in circles they are the shortest fractions near
the floats, if these are it, and a little larger otherwise. What is not proved in fractions is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log
from typing import Any

import numpy as np
from flint import fmpq

from ...cancel import Cancel
from ...distances.scalars import RATIONALS, nearest_float
from ...distances.step_exact import diagonal_basis, minimise
from ...model import Chain
from ...model.chain import Pair
from ...model.components import components
from ...model.words import Word
from ...numbers.flint import to_flint, to_fraction
from ...numbers.fraction import simplest_between
from .cone import INFINITE, LARGEST, MOST_PRODUCTS, NEUTRAL, Cone, Words, newton_step, products, radius

ROUNDS = 12
"""Times that ratios are taken over the cone that they make, until they agree."""
AGREE = 1e-10
ROOM = 2.0**-30
"""What cannot be read exactly is by so much, relatively, larger than its own ratio over the cone."""
NEAR, SHORT = Fraction(1, 10**11), 10**4
"""How near to its float a fraction is that may be it, and its numerator and denominator at most."""
MOST_ROOM = 1e6
"""So many times that, at most: otherwise ratios grow in a circle."""
RETRIES = 6
MOST_VARIABLES = 400
"""Of one linear program: larger ones are not tried."""
MOST_ENTRIES = 250
"""Pairs that rest on each other: more take too long to prove."""
HOPELESS = 3
"""Where trees of so many letters have no finite bound, deeper ones are not tried."""
EXPANSIONS, FEW_EXPANSIONS = 40, 10
"""Words by which the tree of a pair that is asked for is made larger, once there is a matrix; and where its bound is
near enough."""
MOST_BITS = 128
"""A ratio of more bits is that of a long word, and not the largest."""

RatioVector = dict[int, fmpq]
Ratios = Mapping[Pair, fmpq]
Leaf = tuple[tuple[int, int, Fraction], ...]
SpanningTree = Mapping[str, Any]
"""By letter: a leaf, which is the arcs (k, l, ω_kl), or a tree."""
ZERO, ONE, SLIGHTLY, TIE = fmpq(0), fmpq(1), 1 + fmpq(1, 10**11), fmpq(4, 10**10)


@dataclass(frozen=True, slots=True)
class RatioEntry:
    """No ratio of ``pair`` is above ``bound``, by a tree whose leaves cite other entries."""

    pair: Pair
    bound: Fraction
    tree: SpanningTree


@dataclass(frozen=True, slots=True)
class RatioMatrix:
    """Entries that prove each other, by states of the chain."""

    entries: tuple[RatioEntry, ...]
    starts: tuple[Pair, ...]
    """The pairs that it was asked for."""

    @property
    def largest(self) -> Fraction:
        """δ = 0 from this e^ε on, for all of them."""
        return self.bound(self.starts)

    def bound(self, pairs: Sequence[Pair]) -> Fraction:
        """The largest of some entries; 1 for two states that are merged."""
        return max([entry.bound for entry in self.entries if entry.pair in pairs], default=Fraction(1))


def ratio_matrix(
    chain: Chain, starts: Sequence[Pair], reached: Fraction, width: Fraction, cancel: Cancel
) -> RatioMatrix | None:
    """Bounds on the ratios of pairs of states, each in the direction given; None if none is proved.

    Trees become deeper until the largest of the bounds is within a part of ``width`` of ``reached``, relatively, which
    the ratio of some word is.
    """
    if not starts:  # all pairs are of merged states
        return RatioMatrix((), ())
    if reached > LARGEST:
        return None
    best: RatioMatrix | None = None
    goal = reached * (1 + width / 2)
    with np.errstate(all="ignore"):
        for words in Words.longer_and_longer(chain):
            cone = words.fixed_point(starts)
            if cancel.is_stopped() or (cone is None and best is None and len(words.levels) >= HOPELESS):
                break
            worst = INFINITE if cone is None else max(float(cone.ratios[start]) for start in starts)
            # A cone that is not smaller than what is proved is not worth a proof.
            if cone is None or (best is not None and worst >= best.largest):
                continue
            prover = _Prover(chain, starts, cone, reached, width)
            found = prover.prove(cancel)
            if prover.too_large:
                break
            if found is not None and (best is None or found.largest < best.largest):
                best = found
                if found.largest <= goal:
                    break
    return best


def is_affordable(chain: Chain) -> bool:
    """Whether a matrix is looked for, and never given up for its size."""
    pairs = sum(len(states) * (len(states) - 1) for states in chain.by_label.values())
    return products(chain) <= MOST_PRODUCTS and pairs <= MOST_ENTRIES


# The largest ratio over a cone.


@dataclass(frozen=True, slots=True)
class _OverCone:
    """The least ρ with x·f ≤ ρ y·f on the cone: its flow, and the f for which it is so."""

    ratio: fmpq
    arcs: tuple[tuple[int, int, fmpq], ...]
    vector: RatioVector


def _largest_over(x: RatioVector, y: RatioVector, ratios: Ratios) -> _OverCone | None:
    """Minimise ρ subject to x_k ≤ ρ y_k + Σ_l ω_kl − Σ_l R_lk ω_lk, ω ≥ 0; None if no ρ will do.

    Arcs lead from states of x to states of y: R_ij ≤ R_ik R_kj for the cones that are of interest, so stepping stones
    bring nothing.
    """
    arcs = [(k, m, ratios[k, m]) for k in x for m in y if (k, m) in ratios]
    if len(arcs) > MOST_VARIABLES:
        return None
    # Rows of states that x has are as above, with what is lacking in the basis; the others are negated, with a slack.
    row = {k: n for n, k in enumerate([*x, *(m for m in y if m not in x)])}
    sign = [ONE if k in x else -ONE for k in row]
    # What is lacking costs more than f_k can be, where y·f = 1: so it will be 0, if it can.
    price: list[fmpq | None] = [1 / y[k] if k in y else None for k in x]
    for k, m, ratio in arcs:
        most, known = ratio / y[m], price[row[k]]
        price[row[k]] = most if known is None or most < known else known
    columns = [[(row[m], sign[row[m]] * mass) for m, mass in y.items()]]
    columns += [[(row[k], ONE), (row[m], -sign[row[m]] * ratio)] for k, m, ratio in arcs]
    columns += [[(n, -ONE)] for n in range(len(x))]
    columns += [[(n, ONE)] for n in range(len(row))]
    costs = [ONE] + [ZERO] * (len(arcs) + len(x))
    for each in price:
        if each is None:
            return None
        costs.append(each + 1)
    costs += [ZERO] * (len(row) - len(x))
    first = len(columns) - len(row)
    basis = diagonal_basis(RATIONALS, range(first, len(columns)), [*x.values()] + [ZERO] * (len(row) - len(x)))
    prices = minimise(costs, columns, basis, steepest=5 * len(row) + 1)
    amounts = dict(zip(basis.variables, basis.amounts, strict=True))
    used = tuple((k, m, amounts[n]) for n, (k, m, _) in enumerate(arcs, 1) if amounts.get(n, ZERO) > ZERO)
    return _OverCone(amounts.get(0, ZERO), used, {k: sign[n] * prices[n] for k, n in row.items()})


@dataclass(frozen=True, slots=True)
class _Behind:
    """A ratio, and what it depends on.

    Attributes:
        ratio: the largest of a tree's.
        word: after which it is so; None if it is 1.
        over: whether it is over the cone, after the word, and not that of the word itself.
        slopes: how its logarithm depends on those of others.
        cited: all that its tree's flows use.
        held: the largest ratio of the tree that is not just handed on from others.
    """

    ratio: fmpq
    word: Word | None = None
    over: bool = False
    slopes: tuple[tuple[Pair, float], ...] = ()
    cited: frozenset[Pair] = frozenset()
    held: fmpq = ONE

    @property
    def dependence(self) -> float:
        """How much of a change of all others reaches it."""
        return sum(slope for _, slope in self.slopes)

    @property
    def multiple(self) -> bool:
        """Whether it is a multiple of one other."""
        return len(self.slopes) == 1 and abs(self.slopes[0][1] - 1) < AGREE


class _Prover:
    """From floats to a matrix that is proved."""

    def __init__(self, chain: Chain, starts: Sequence[Pair], cone: Cone, reached: Fraction, width: Fraction) -> None:
        self._chain, self._starts, self._depth = chain, list(starts), cone.depth
        self._reached, self._width = reached, width
        self.too_large = False
        """Whether more pairs rest on each other than can be proved."""
        self._floats = {pair: float(cone.ratios[pair]) for pair in cone.finite}
        self._inside: set[tuple[Pair, Word]] = set()
        """Words of the trees that are not leaves: what was expanded stays so, or ratios would go back and forth."""
        self._known: dict[tuple[int, Word], dict[str, RatioVector]] = {}

    def prove(self, cancel: Cancel) -> RatioMatrix | None:
        """The matrix, if it can be proved."""
        behind = self._agree(cancel)
        if behind is None:
            return None
        exact = self._read(behind)
        multiples = {pair for pair in behind if behind[pair].multiple}
        for _ in range(RETRIES):
            room = self._with_room(behind, multiples)
            if room is None or cancel.is_stopped():
                return None
            ratios = room | exact
            entries, failed = self._trees(self._starts, ratios)
            if not failed:
                for start in self._starts:
                    entries |= self._refine(entries, start, ratios, exact, cancel)
                return RatioMatrix(tuple(entries.values()), tuple(self._starts))
            # What is neither exact nor a multiple of another has room. If that fails as well, nothing helps.
            if not failed & (exact.keys() | multiples):
                return None
            # Nor is what depends on them known.
            lost = failed & exact.keys()
            multiples -= failed
            while more := {pair for pair in exact.keys() - lost if behind[pair].cited & lost}:
                lost |= more
            exact = {pair: ratio for pair, ratio in exact.items() if pair not in lost}
        return None

    # Ratios that agree with the cone they make.

    def _agree(self, cancel: Cancel) -> dict[Pair, _Behind] | None:
        """What is behind each ratio that is needed, once they agree with what they depend on; None if they do not."""
        for _ in range(ROUNDS):
            cone = {pair: fmpq(*ratio.as_integer_ratio()) for pair, ratio in self._floats.items()}
            behind: dict[Pair, _Behind] = {}
            waiting = list(self._starts)
            for pair in waiting:
                if pair not in behind:
                    self.too_large = len(behind) >= MOST_ENTRIES
                    if cancel.is_stopped() or pair not in cone or self.too_large:
                        return None
                    found = self._behind(pair, cone)
                    if found is None:
                        return None
                    behind[pair] = found
                    waiting += found.cited - behind.keys()
            moved = {pair: nearest_float(found.ratio) for pair, found in behind.items()}
            if all(abs(ratio - self._floats[pair]) <= AGREE * ratio for pair, ratio in moved.items()):
                lower = self._let_down(behind)
                if not lower:
                    return behind
                self._floats |= lower
                continue
            step = self._newton(behind, moved)
            if step is None:
                return None
            self._floats |= step
        return None

    def _let_down(self, behind: Mapping[Pair, _Behind]) -> dict[Pair, float]:
        """Smaller ratios for circles in which each hands on what it has, and nothing else holds any of them up."""
        pairs, slopes = _slopes(behind)
        found: dict[Pair, float] = {}
        for group in components([np.flatnonzero(row).tolist() for row in slopes]):
            circle = [pairs[k] for k in group]
            if radius(slopes, group) > NEUTRAL:
                held = max(nearest_float(behind[pair].held) / self._floats[pair] for pair in circle)
                if held < 1 - AGREE:
                    found |= {pair: max(self._floats[pair] * held, 1.0) for pair in circle}
        return found

    def _newton(self, behind: Mapping[Pair, _Behind], moved: Mapping[Pair, float]) -> dict[Pair, float] | None:
        pairs, slopes = _slopes(behind)
        change = np.array([log(moved[pair] / self._floats[pair]) for pair in pairs])
        step = newton_step(slopes, change)
        if step is None:
            return None
        return {pair: max(self._floats[pair] * exp(by), 1.0) for pair, by in zip(pairs, step.tolist(), strict=True)}

    def _behind(self, pair: Pair, cone: Ratios) -> _Behind | None:
        """The largest ratio of the pair's tree, which is as deep as brings its leaves to what the cone says."""
        found, cited = [_Behind(ONE)], set[Pair]()
        waiting: list[Word] = [()]
        for word in waiting:
            for letter, x, y in self._after(pair, word):
                here, mass = (*word, letter), sum(y.values(), ZERO)
                if not mass:
                    return None
                found.append(_Behind(sum(x.values(), ZERO) / mass, here))
                over = None if (pair, here) in self._inside else _largest_over(x, y, cone)
                if len(here) < self._depth and (over is None or over.ratio > cone[pair] * SLIGHTLY):
                    self._inside.add((pair, here))
                    waiting.append(here)
                    continue
                if over is None:
                    return None
                cited.update((k, m) for k, m, _ in over.arcs)
                slopes = ((k, m, amount * cone[k, m] * over.vector[m] / over.ratio) for k, m, amount in over.arcs)
                signed = tuple(((k, m), nearest_float(slope)) for k, m, slope in slopes if slope > 0)
                found.append(_Behind(over.ratio, here, over=True, slopes=signed))
        # Of equal ratios that which depends least on others: it is what holds them up.
        largest = max(each.ratio for each in found) * (1 - TIE)
        equal = [each for each in found if each.ratio >= largest]
        best = min(equal, key=lambda each: each.dependence)
        held = max(each.ratio for each in found if each.dependence < NEUTRAL)
        return replace(best, cited=frozenset(cited), held=held)

    def _after(self, pair: Pair, word: Word) -> Iterator[tuple[str, RatioVector, RatioVector]]:
        """What the two states lead to with one more letter, as far as the first does."""
        first, second = (self._vectors(state, word) for state in pair)
        for letter, x in first.items():
            yield letter, x, second.get(letter, {})

    def _vectors(self, state: int, word: Word) -> dict[str, RatioVector]:
        """By letter, where a state leads with the word and that letter."""
        if (state, word) not in self._known:
            before: RatioVector = self._vectors(state, word[:-1]).get(word[-1], {}) if word else {state: ONE}
            found: dict[str, RatioVector] = {}
            for i, mass in before.items():
                for j, p in self._chain.rows[i]:
                    part = found.setdefault(self._chain.labels[j], {})
                    part[j] = part.get(j, ZERO) + mass * to_flint(p)
            self._known[state, word] = found
        return self._known[state, word]

    # Fractions.

    def _with_room(self, behind: Mapping[Pair, _Behind], multiples: set[Pair]) -> dict[Pair, fmpq] | None:
        """Ratios that are larger, each by some room more than what it depends on makes it; None if there are none.

        Of the ``multiples`` of another ratio each is kept that multiple: ratios may hand each other on in a circle, in
        which there is no room.
        """
        pairs, slopes = _slopes(behind)
        right = np.array([0.0 if pair in multiples else 1.0 for pair in pairs])
        try:
            room = np.linalg.solve(np.eye(len(pairs)) - slopes, right)
        except np.linalg.LinAlgError:
            return None
        if not ((room > 0) & (room < MOST_ROOM)).all():
            return None
        # Rounding one ratio up moves the others by no more than half of their room.
        most = Fraction(ROOM / (2 + 2 * float(abs(slopes).sum(axis=1).max(initial=0))))
        found: dict[Pair, fmpq] = {}
        for pair, each in zip(pairs, room.tolist(), strict=True):
            if pair not in multiples:
                ratio = Fraction(nearest_float(behind[pair].ratio) * exp(ROOM * each))
                found[pair] = to_flint(simplest_between(ratio, ratio * (1 + most)))
        while waiting := [pair for pair in multiples - found.keys() if behind[pair].slopes[0][0] in found]:
            found |= {pair: self._exactly(pair, behind[pair], found) for pair in waiting}
        return found if len(found) == len(pairs) else None

    def _read(self, behind: Mapping[Pair, _Behind]) -> dict[Pair, fmpq]:
        """The ratios that may be known exactly."""
        pairs = list(behind)
        number = {pair: k for k, pair in enumerate(pairs)}
        needs = [[number[other] for other, _ in behind[pair].slopes] for pair in pairs]
        exact: dict[Pair, fmpq] = {}
        for group in components(needs):
            circle = len(group) > 1 or group[0] in needs[group[0]]
            if not all(pairs[k] in exact for each in group for k in needs[each] if k not in group):
                continue
            if not circle:
                pair = pairs[group[0]]
                exact[pair] = self._exactly(pair, behind[pair], exact)
                continue
            read = {pairs[k]: Fraction(nearest_float(behind[pairs[k]].ratio)) for k in group}
            near = {pair: simplest_between(ratio * (1 - NEAR), ratio * (1 + NEAR)) for pair, ratio in read.items()}
            if all(max(ratio.as_integer_ratio()) <= SHORT for ratio in near.values()):
                exact |= {pair: to_flint(ratio) for pair, ratio in near.items()}
        return exact

    def _exactly(self, pair: Pair, found: _Behind, exact: Ratios) -> fmpq:
        """A ratio from those that it depends on."""
        if found.word is None:
            return ONE
        x, y = (self._vectors(state, found.word[:-1])[found.word[-1]] for state in pair)
        if not found.over:
            return max(sum(x.values(), ZERO) / sum(y.values(), ZERO), ONE)
        over = _largest_over(x, y, {other: exact[other] for other, _ in found.slopes})
        return found.ratio if over is None else max(over.ratio, ONE)

    # Proofs.

    def _trees(self, pairs: Iterable[Pair], ratios: Ratios) -> tuple[dict[Pair, RatioEntry], set[Pair]]:
        """Entries for the pairs and all that are cited from there; those that cannot be proved."""
        entries: dict[Pair, RatioEntry] = {}
        failed: set[Pair] = set()
        waiting = list(pairs)
        for pair in waiting:
            if pair in entries or pair in failed:
                continue
            tree = self._tree(pair, (), ratios) if pair in ratios else None
            if tree is None:
                failed.add(pair)
                continue
            entries[pair] = RatioEntry(pair, to_fraction(ratios[pair]), tree)
            waiting += _cite(tree)
        return entries, failed

    def _tree(self, pair: Pair, word: Word, ratios: Ratios) -> SpanningTree | None:
        """A tree whose leaves are proved; None if there is none of the depth allowed."""
        bound = ratios[pair]
        tree: dict[str, Any] = {}
        for letter, x, y in self._after(pair, word):
            leaf = self._leaf(x, y, bound, ratios)
            if leaf is not None:
                if leaf:
                    tree[letter] = leaf
                continue
            if len(word) + 1 >= self._depth or sum(x.values(), ZERO) > bound * sum(y.values(), ZERO):
                return None
            inner = self._tree(pair, (*word, letter), ratios)
            if inner is None:
                return None
            tree[letter] = inner
        return tree

    @staticmethod
    def _leaf(x: RatioVector, y: RatioVector, bound: fmpq, ratios: Ratios) -> Leaf | None:
        if all(k in y and mass <= bound * y[k] for k, mass in x.items()):
            return ()
        found = _largest_over(x, y, ratios)
        if found is None or found.ratio > bound:
            return None
        return tuple((k, m, to_fraction(amount)) for k, m, amount in found.arcs)

    # The pairs that are asked for.

    def _refine(
        self, entries: Mapping[Pair, RatioEntry], start: Pair, ratios: Ratios, exact: Ratios, cancel: Cancel
    ) -> dict[Pair, RatioEntry]:
        """A smaller bound for a pair at the start, by a larger tree, with what that cites: it may have any tree.

        A bound that is not exact, and that no other rests on, may also be a little larger, and so shorter.
        """
        entry, goal = entries[start], self._reached * (1 + self._width / 2)
        if start in exact and entry.bound <= goal:
            return {}
        short = max(self._reached.as_integer_ratio()).bit_length() <= MOST_BITS
        more: dict[Pair, RatioEntry] = {}
        if entry.bound > goal or (entry.bound > self._reached and short):
            # Near enough, it may be what a word reaches.
            found = self._expand(entry, ratios, EXPANSIONS if entry.bound > goal else FEW_EXPANSIONS, cancel)
            more, failed = self._trees(set(_cite(found.tree)) - entries.keys() - {start}, ratios)
            if not failed and (entry.bound > goal or found.bound <= self._reached):
                entry = found
            else:
                more = {}
        if entry.bound > self._reached:
            # Others rest on what the bound was at most.
            most = entry.bound * (1 + self._width / 8)
            cited = any(start in set(_cite(other.tree)) for other in [*entries.values(), *more.values()])
            most = min(most, to_fraction(ratios[start])) if cited else most
            entry = RatioEntry(start, simplest_between(entry.bound, most), entry.tree)
        return {pair: other for pair, other in more.items() if pair not in entries} | {start: entry}

    def _expand(self, entry: RatioEntry, ratios: Ratios, most: int, cancel: Cancel) -> RatioEntry:
        """The same pair, with a smaller bound if there is one: of all leaves that of the largest ratio is expanded.

        It ends where that ratio is no larger than what a word reaches, or after so many expansions.
        """
        leaves = dict(self._leaves(entry.pair, (), ratios))
        inside, enough = ONE, to_flint(self._reached)
        for _ in range(most):
            word, top = max(leaves.items(), key=lambda leaf: _size(leaf[1]))
            if cancel.is_stopped() or (top is not None and top.ratio <= max(inside, enough)):
                break
            x, y = (sum(self._vectors(state, word[:-1]).get(word[-1], {}).values(), ZERO) for state in entry.pair)
            if not y:
                return entry
            inside = max(inside, x / y)
            del leaves[word]
            leaves |= self._leaves(entry.pair, word, ratios)
        bound, tree = inside, dict[str, Any]()
        for word, leaf in leaves.items():
            if leaf is None:
                return entry
            bound = max(bound, leaf.ratio)
            node = tree
            for letter in word[:-1]:
                node = node.setdefault(letter, {})
            if leaf.arcs:
                node[word[-1]] = tuple((k, m, to_fraction(amount)) for k, m, amount in leaf.arcs)
        return RatioEntry(entry.pair, to_fraction(bound), tree) if bound < to_flint(entry.bound) else entry

    def _leaves(self, pair: Pair, word: Word, ratios: Ratios) -> Iterator[tuple[Word, _OverCone | None]]:
        """The words of one more letter, with the largest ratio after each."""
        for letter, x, y in self._after(pair, word):
            yield (*word, letter), _largest_over(x, y, ratios)


def _size(leaf: _OverCone | None) -> float:
    return INFINITE if leaf is None else nearest_float(leaf.ratio)


def _slopes(behind: Mapping[Pair, _Behind]) -> tuple[list[Pair], Any]:
    """The pairs, and how the logarithm of each depends on those of the others."""
    pairs = list(behind)
    number = {pair: k for k, pair in enumerate(pairs)}
    found = np.zeros((len(pairs), len(pairs)))
    for k, pair in enumerate(pairs):
        for other, slope in behind[pair].slopes:
            found[k, number[other]] += slope
    return pairs, found


def _cite(tree: SpanningTree) -> Iterator[Pair]:
    for node in tree.values():
        if isinstance(node, tuple):
            yield from ((k, m) for k, m, _ in node)
        else:
            yield from _cite(node)
