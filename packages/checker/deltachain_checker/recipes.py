"""Extension "recipes": covers and values that a certificate does not list, for the checker computes them in integers.

w = e_s − α·e_t is a signed belief, and V(w) the most that an event gains on it (`covers`). A recipe starts from
integers m ≤ 2^K·w and takes steps, each share of a row rounded down. What it comes to is thus at most the truth, and V
is monotone: V(m) ≥ below bounds V(w) from below, and V(−m) ≤ above from above, for V(w) = w·1 + V(−w), the complement.

    expand  −m is a claim whose cover is what it leads to, −m' for each letter: rounding has made these larger. From
            below V(m) ≥ Σ V(m'). Where the observer asks, the input counts that gives most, on both sides.
    leaf    V(−m) ≤ |m^-|, a cover by η alone. From below max(m·1, 0), or m·f for an event vector f.
    join    beliefs m_k of one depth are added up to c: −m_k ≤ μ_k·(−c) + η, for any μ ≥ 0 with Σ μ_k = 1, is a cover
            by the sum. From below V(m_1) + V(m_2) ≥ V(m_1 + m_2).
    grid    beliefs over two states are covered by the two next directions of a grid, k·e_i − (G−k)·e_j. From below
            those between two neighbours are added up.

Rows may be known within limits alone (extension "limits"): m then stays below the truth whatever rows nature picks,
and what may leave the model is paid for at once. Two rules for these, first and corners, are in `limits`.

Nothing is cited in circles. What has to be believed beside covers is what is said "from below", which is monotony and
sublinearity once more, and that a vector is what it is said to be: f_i ≤ ν_i(E)·2^30 ≤ f_i + height for one event E and
all states of a label (docs/theory/proof-system.md).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from types import ModuleType
from typing import Any, NamedTuple

from . import sums
from .document import lists
from .errors import need
from .limits import CornerBounds, FirstOrderTree, Limits
from .meter import spend
from .model import Model
from .numbers import ONE, ZERO, OnInterval, Quotient, rounded_down

Integers = dict[int, int]
"""A signed belief over states of one label, by their numbers; zeros left out."""
Bounds = tuple[int, int]
"""Below and above."""
IntegerRow = tuple[int, list[tuple[int, int]], list[tuple[int, int]], int]
"""The denominator; target and share of each arc, rounded down, and rounded up; and what may leave the model."""
TwoRows = tuple[int, int, list[list[tuple[int, int, int]]]]
"""Two denominators; for each label the targets with the share of the one state, rounded down, and the other's, up."""

LARGEST_DENOMINATOR = 2**31 - 1
VECTOR_BITS, DIRECTION = 30, 12
BELIEF, MEMBER, ARC, CELL = 40, 20, 1, 4
"""Steps of the meter: for a belief that takes a step, for each of its states where beliefs are compared, for an arc,
and for an arc on a grid."""
LIMITED = ("first", "corners")
"""Recipes where rows are known within limits alone."""
MOST_BITS, MOST_STEPS, MOST_OPEN, LARGEST_DUST = 4096, 10**7, 10**6, 1 << 62
"""A recipe of a few bytes may ask for any amount of work: so many steps of beliefs are done for one, no more. And so
many sums of a tree are kept at once."""


class EventVector(NamedTuple):
    """f by state, of one label (None: of all), and its height."""

    label: str | None
    f: Mapping[int, int]
    height: int


class Recipes:
    """``[s, t, kind, …]``: bounds on V(e_s − αe_t), by a tree, levels or a grid, or by these from −w (``-tree``).

    ``units`` are K and the bits of rows that are rounded; ``vectors`` entries [label, {letter: vector}, input].
    """

    def __init__(
        self,
        model: Model,
        parts: Callable[[str], Sequence[Any]],
        alpha: tuple[Any, Any],
        loops: ModuleType | None = None,
    ) -> None:
        need(not isinstance(model.field, OnInterval), "recipes", "numbers, not functions of a parameter")
        self.model, self.alpha, self.data = model, alpha, lists(parts("recipes"), 4, more=2)
        units = parts("units")
        fit = len(units) == 2 and all(type(bits) is int and 0 <= bits <= MOST_BITS for bits in units)
        need(fit, "units", f"two numbers of bits from 0 to {MOST_BITS}", units)
        self.bits, self.row_bits = units
        # Numbers of states and of labels are in the order of labels, then of names.
        self.names = sorted(model.label, key=lambda state: (model.label[state], state))
        self.state = {state: i for i, state in enumerate(self.names)}
        order = {label: a for a, label in enumerate(sorted({*model.label.values()}))}
        self.label = [order[model.label[state]] for state in self.names]
        self.members: dict[str, list[int]] = {label: [] for label in order}
        for i, name in enumerate(self.names):
            self.members[model.label[name]].append(i)
        self.row = [{a: self.integer_row(row) for a, row in model.rows[state].items()} for state in self.names]
        self.rounded = any(low is not high for rows in self.row for _, low, high, _ in rows.values())
        self.rows = {asked: [rows.get(asked) for rows in self.row] for asked in {a for rows in self.row for a in rows}}
        self.use(loops or sums)
        self.vectors = [*self.event_vectors(lists(parts("vectors"), 2, more=1))]

    def integer_row(self, row: Any) -> IntegerRow:
        """The row over one denominator: exactly if that is short, else rounded down, and up."""
        exact = not isinstance(row, Limits)
        ends, rest = ({j: (p, p) for j, p in row.items()}, ZERO) if exact else (row.ends, row.rest)
        spend(10 * len(ends))
        numbers = [rest, *(end for both in ends.values() for end in both)]
        functions = any(isinstance(p, Quotient) for p in numbers)
        common = 0 if functions else math.lcm(*(p.denominator for p in numbers))
        if 0 < common <= LARGEST_DENOMINATOR:
            low, high = ([(self.state[j], int(both[k] * common)) for j, both in ends.items()] for k in (0, 1))
            return common, low, low if exact else high, int(rest * common)
        low = [(self.state[j], rounded_down(lo, self.row_bits)) for j, (lo, _) in ends.items()]
        high = [(self.state[j], -rounded_down(-hi, self.row_bits)) for j, (_, hi) in ends.items()]
        return 1 << self.row_bits, low, high, -rounded_down(-rest, self.row_bits)

    def use(self, loops: ModuleType) -> None:
        """Take these inner loops: `sums`, or its compiled twin; and zeros for them to add up in."""
        states = len(self.names)
        self.loops, self.zeros = loops, [0] * states if loops is sums else array("q", bytes(8 * states))

    def run(self, loop: Callable[[ModuleType], Any]) -> Any:
        """What an inner loop returns; of the plain ones from here on, if a number does not fit the compiled ones."""
        try:
            return loop(self.loops)
        except OverflowError:
            self.use(sums)  # with new zeros: a loop that broke off has left its sums half done
            return loop(sums)

    @cached_property
    def known(self) -> dict[int, tuple[Any, Any]]:
        """By place, what recipes that were replayed have proved."""
        return {}

    def bounds(self, name: str, s: str, t: str, cited: Any) -> tuple[Any, Any]:
        """Bounds on V(e_s − αe_t), below and above, by those of the cited recipes that are about it."""
        places = isinstance(cited, list) and all(type(k) is int and 0 <= k < len(self.data) for k in cited)
        need(places, name, "known recipes", cited)
        low, high, field = ZERO, ONE, self.model.field
        for k in cited:
            first, second, kind, *more = self.data[k]
            need((first, second) in ((s, t), (t, s)), name, "recipes of its two states", [first, second])
            if first != s:
                continue
            if k not in self.known:
                self.known[k] = self.replayed(s, t, kind, more)
            below, above = self.known[k]
            low = below if field.positive(below - low) else low
            high = above if field.positive(high - above) else high
        return low, high

    def replayed(self, s: str, t: str, kind: Any, more: Sequence[Any]) -> tuple[Any, Any]:
        """The bounds that one recipe proves."""
        rules: dict[Any, Callable[..., Bounds]] = {"tree": self.tree, "levels": self.levels, "grid": self.grid}
        rules |= {"-tree": self.tree, "-levels": self.levels}
        known = [*rules, *(LIMITED if self.model.limited else ())]
        need(isinstance(kind, str) and kind in known, "recipe", f"one of {', '.join(known)}", kind)
        trees = kind in ("tree", "-tree")
        need(trees or not self.model.interactive, "recipe", "a tree, where there are inputs", kind)
        text = trees or kind == "first"
        need(len(more) == (1 if text else 2), "recipe", "nodes of a tree, or two numbers", len(more))
        (smaller, larger), unit = self.alpha, 1 << self.bits
        if kind == "first":
            return FirstOrderTree(self.model, *more).bounds(s, t, self.alpha, self.bits)
        if kind == "corners":
            return ZERO, CornerBounds(self.model, *more).upper(s, t, smaller)
        rule = rules[kind]
        if kind.startswith("-"):  # m ≤ −w, and V(w) = w·1 + V(−w)
            m = {self.state[s]: -unit, self.state[t]: rounded_down(smaller, self.bits)}
            below, above = rule(m, *more)
            return 1 - larger + Fraction(below, unit), Fraction(above, unit)
        # m ≤ w for every e^ε between the two. So V(w) ≥ below, and V(w) = w·1 + V(−w) ≤ 1 − smaller + above.
        m = {self.state[s]: unit, self.state[t]: rounded_down(-larger, self.bits)}
        below, above = rule(m, *more)
        return Fraction(below, unit), 1 - smaller + Fraction(above, unit)

    def step(self, m: Integers, asked: str | None = None) -> tuple[dict[int, Integers], int]:
        """One step under an input, by label: each share ⌊m_i·p_ij⌋, or less; and what m^- may send outside."""
        split, lost, arcs = self.run(lambda loops: loops.step(self.rows[asked], self.label, m, self.zeros))
        spend(BELIEF + ARC * arcs)
        return split, lost

    def sides(self, m: Integers) -> Bounds:
        """|m^+| and |m^-|."""
        spend(BELIEF // 2)
        return self.run(lambda loops: loops.sides(m))  # type: ignore[no-any-return]

    # Trees: the nodes in the order of a walk that goes down first, inputs, then labels, sorted.

    def tree(self, root: Integers, nodes: Any) -> Bounds:
        """``x`` expands the belief at hand, ``.`` bounds it by its mass, ``N,`` by event vector N below.

        What leaves add up to goes into a sum, of which there is one for each input of an expanded belief; the largest
        of them goes into the sum that the belief itself belongs to. Where there is one input, the two are the same; but
        where rows are rounded, a step may lose more than it gains, and the better of it and of the masses counts.
        """
        need(isinstance(nodes, str), "tree", "text")
        walk = tokens(nodes)
        below, above = [0], [0]
        stack: list[tuple[Integers, int, range | None]] = [(root, 0, None)]
        while stack:
            m, into, own = stack.pop()
            if own is not None:  # all that comes after this belief is in these sums
                gain, cost = max(below[k] for k in own), max(above[k] for k in own)
                del below[own.start :], above[own.start :]
                if self.rounded:
                    pos, neg = self.sides(m)
                    gain, cost = max(gain, pos - neg, 0), min(cost, neg)
                below[into] += gain
                above[into] += cost
                continue
            # Text that ends too early gives "", which is refused below.
            kind = next(walk, "")
            if kind == "x":
                inputs = self.inputs(m)
                own = range(into, into + 1)
                # Sums of its own, which are looked at when all that is pushed after this entry is done.
                if len(inputs) > 1 or self.rounded:
                    own = range(len(below), len(below) + len(inputs))
                    below += [0] * len(inputs)
                    above += [0] * len(inputs)
                    stack.append((m, into, own))
                    need(len(below) <= MOST_OPEN, "tree", f"at most {MOST_OPEN} sums that are not complete")
                # Backwards, so that the first input and label come off the stack first, as the text has them.
                for asked, its_sum in zip(reversed(inputs), reversed(own), strict=True):
                    after, lost = self.step(m, asked)
                    below[its_sum] -= lost
                    above[its_sum] += lost
                    stack += ((after[label], its_sum, None) for label in sorted(after, reverse=True))
                continue
            pos, neg = self.sides(m)
            gain = max(pos - neg, 0)
            if kind != ".":
                need(kind.isdigit() and len(kind) < 9, "tree", "x, . or the number of a vector", kind[:9])
                gain = max(gain, self.against_vector(m, int(kind), neg))
            below[into] += gain
            above[into] += neg
        need(next(walk, None) is None, "tree", "no more nodes than the tree has")
        return below[0], above[0]

    def inputs(self, m: Integers) -> list[str | None]:
        """The inputs of the belief's label, sorted, without those that do nothing; one of these if all are such.

        Where every state of the belief stays as it is, V is the largest over the other inputs, or the gap, and no bound
        from above that a step gives is less than that.
        """
        inputs: list[str | None] = [*self.row[next(iter(m))]]
        if len(inputs) > 1:
            inputs.sort(key=str)
            rows = [self.model.rows[self.names[i]] for i in m]
            stays = {a: all(row[a] == {self.names[i]: 1} for i, row in zip(m, rows, strict=True)) for a in inputs}
            moving = [a for a in inputs if not stays[a]]
            inputs = moving or inputs[:1]
        return inputs

    def event_vectors(self, entries: Sequence[Any]) -> Iterator[EventVector]:
        """0 (never) and 1 (at once), and for each entry what a step makes of vectors before it."""
        known = [EventVector(None, dict.fromkeys(range(len(self.names)), k << VECTOR_BITS), 0) for k in (0, 1)]
        yield from known
        for label, after, *more in entries:
            need(label in self.members and isinstance(after, dict), "vector", "a label and an object", label)
            states = self.members[label]
            inputs, asked = self.row[states[0]], [*more, None][0]
            fits = (asked is None or isinstance(asked, str)) and asked in inputs and len(more) == (None not in inputs)
            need(fits, "vector", "one input of the label, if it has any", more)
            whole, height = {}, 0
            for letter, k in after.items():
                need(type(k) is int and 0 <= k < len(known), "vector", "only vectors before it", k)
                need(known[k].label in (None, letter), "vector", "a vector of that label", k, letter)
                # After a letter that is not named the event never happens: 0 there, exactly.
                whole.update({i: known[k].f[i] for i in self.members.get(letter, ())})
                height = max(height, known[k].height)
            f = {}
            for i in states:
                bottom, low, _, _ = self.row[i][asked]
                spend(BELIEF + 2 * len(low))
                f[i] = sum(share * whole.get(target, 0) for target, share in low) // bottom
            # One unit for the division, rounded down, and what rounded rows leave out, times 1, the most it is worth.
            height += 1 + max(left_out(self.row[i][asked]) for i in states)
            known.append(EventVector(label, f, min(height, 1 << VECTOR_BITS)))
            yield known[-1]

    def against_vector(self, m: Integers, k: int, neg: int) -> int:
        """At most m·f for the event's own vector f: V(m) ≥ m·f."""
        need(k < len(self.vectors), "tree", "a vector that is there", k)
        _, f, height = self.vectors[k]
        need(m.keys() <= f.keys(), "tree", "a vector of the belief's label", k)
        spend(BELIEF + ARC * len(m))
        total: int = self.run(lambda loops: loops.product_below(m, f))
        # m·ν(E) ≥ m·f − height·|m^-|: where m is negative, f is too small. The loss is rounded up.
        return total - ((neg >> VECTOR_BITS) + 1) * height

    # Levels: all beliefs of one depth at once, those of one direction added up.

    def levels(self, root: Integers, depth: Any, dust: Any) -> Bounds:
        """``depth`` steps; beliefs whose smaller side is at most ``dust`` are bounded by their mass and left."""
        steps, least = whole_number("levels", depth), whole_number("levels", dust, LARGEST_DUST)
        below = above = work = 0
        natures = self.meets_limits(root)  # then V may be another function for each member of a group
        level = [root]
        for _ in range(steps):
            work = counted(work, len(level))
            groups: dict[Any, list[Integers]] = {}
            for m in level:
                after, lost = self.step(m)
                below -= lost
                above += lost
                for part in after.values():
                    pos, neg = self.sides(part)
                    spend(MEMBER * len(part))
                    if min(pos, neg) <= least:
                        below += max(pos - neg, 0)
                        above += neg
                    else:
                        # In the order of states, so that equal directions are equal tuples. States are part of it:
                        # members share them.
                        child = dict(sorted(part.items()))
                        groups.setdefault(direction_of(child, pos + neg), []).append(child)
            if not groups:  # nothing is left that could take a step
                return below, above
            level = []
            for members in groups.values():
                total = {state: sum(m[state] for m in members) for state in members[0]}
                cost = remainders(total, members) if len(members) > 1 else 0
                above += cost
                below -= cost if natures else 0
                level.append(total)
        for m in level:
            pos, neg = self.sides(m)
            below += max(pos - neg, 0)
            above += neg
        return below, above

    def meets_limits(self, m: Integers) -> bool:
        """Whether a row that is known within limits alone can be reached from the belief."""
        limited = {i for i, name in enumerate(self.names) if self.model.is_limited(name)}
        reached: set[int] = set()
        waiting = [*m] if limited else []
        while waiting:
            i = waiting.pop()
            if i not in reached:
                reached.add(i)
                waiting += [target for _, arcs, _, _ in self.row[i].values() for target, _ in arcs]
        return not reached.isdisjoint(limited)

    # Grids: beliefs over two states, rounded to a grid of directions.

    def grid(self, root: Integers, size: Any, depth: Any) -> Bounds:
        """``depth`` steps on the directions (k, −(size−k)): weights of neighbours above, sums between them below."""
        g, steps = whole_number("grid", size), whole_number("grid", depth)
        need(g >= 2, "grid", "two directions at least", g)
        need(not self.meets_limits(root), "grid", "exact rows: those within limits have other recipes")
        (plus, pos), (minus, neg) = root.items()
        rows = cache(self.two_rows)
        cells = {(plus, minus, sums.position(pos, -neg, g)): [pos, neg]}
        # u = −m turns the signs: s, where m is positive, is the negative state of u.
        weights: dict[tuple[int, int, int], int] = {}
        above = sums.spread(weights, minus, plus, -neg, pos, g)
        below = work = other = 0
        for _ in range(steps):
            work, other = counted(work, len(weights)), counted(other, len(cells))
            weights, rest = self.grid_level("level_above", rows, weights, g)
            above += rest
            cells, rest = self.grid_level("level_below", rows, cells, g)
            below += rest
        # V(g_k) ≤ |g_k^+| = k for what is left at the end.
        above += sum(weight * k for (_, _, k), weight in weights.items())
        return below + sum(max(pos + neg, 0) for pos, neg in cells.values()), above

    def two_rows(self, i: int, j: int) -> TwoRows:
        """The rows of a state of positive and one of negative mass, by label."""
        (bottom, low, _, _), (below, _, high, _) = self.row[i][None], self.row[j][None]
        shares = {target: (share, 0) for target, share in low}
        shares |= {target: (shares.get(target, (0, 0))[0], share) for target, share in high}
        labels: dict[int, list[tuple[int, int, int]]] = {}
        for target, both in sorted(shares.items()):
            labels.setdefault(self.label[target], []).append((target, *both))
        return bottom, below, [*labels.values()]

    def grid_level(self, loop: str, rows: Callable[[int, int], TwoRows], cells: Any, g: int) -> tuple[Any, int]:
        """The cells after one step, and what is not in them."""
        fresh, rest, arcs = self.run(lambda loops: getattr(loops, loop)(rows, cells, g))
        spend(BELIEF + CELL * arcs)
        return fresh, rest


def left_out(row: IntegerRow) -> int:
    """What the lower ends of a row leave out, in units of vectors, rounded up."""
    bottom, low, high, rest = row
    loss = sum(share for _, share in high) - sum(share for _, share in low) + rest
    return -(-(loss << VECTOR_BITS) // bottom)


def tokens(nodes: str) -> Iterator[str]:
    """The nodes of a tree: ``x``, ``.`` or the number of a vector."""
    at = 0
    while at < len(nodes):
        if nodes[at] in "x.":
            yield nodes[at]
            at += 1
        else:
            end = nodes.find(",", at)
            need(end > at, "tree", "x, . or a number and a comma", nodes[at : at + 9])
            yield nodes[at:end]
            at = end + 1


def whole_number(name: str, value: Any, most: int = MOST_STEPS) -> int:
    """An integer from 0 to the most."""
    need(type(value) is int and 0 <= value <= most, name, f"a whole number from 0 to {most}", value)
    return int(value)


def counted(work: int, beliefs: int) -> int:
    """The steps so far with those of another level; refused beyond the limit."""
    need(work + beliefs <= MOST_STEPS, "recipe", f"at most {MOST_STEPS} steps of beliefs", work + beliefs)
    # One more, so that levels without beliefs are not free.
    return work + beliefs + 1


def leading(value: int) -> tuple[int, int]:
    """The first bits of a number, and its length."""
    shift = value.bit_length() - sums.PRECISION
    return (value >> shift if shift >= 0 else value << -shift), value.bit_length()


def direction_of(m: Integers, total: int) -> Any:
    """What beliefs must share to be added up; any choice is sound."""
    whole, length = leading(total)
    found = []
    for state, value in m.items():
        part, short = leading(abs(value))
        found.append((state, value < 0, length - short, (part << DIRECTION) // whole))
    return tuple(found)


def remainders(total: Integers, members: Sequence[Integers]) -> int:
    """Σ_k |(μ_k·c − m_k)^+| rounded up, μ_k = |m_k|/Σ|m|: V(−m_1) + … ≤ V(−c) + this, for c = m_1 + … ."""
    sizes = [sum(map(abs, m.values())) for m in members]
    whole = sum(sizes)
    return sum(
        max(-(-c * size // whole) - m[state], 0)
        for m, size in zip(members, sizes, strict=True)
        for state, c in total.items()
    )
