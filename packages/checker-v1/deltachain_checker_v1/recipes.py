"""Recipes: how to compute bounds on V in integers, so that a certificate need not list a single belief.

w = e_s − α·e_t is a signed belief, V(w) the most that an event gains on it. V is monotone and sublinear, and
V(w) = w·1 + V(−w) (docs/theory/signed-beliefs.md has the proofs). A recipe starts from integers m ≤ w·2^bits and takes
steps that round down: what is proved of V(m) from below holds for V(w), and what is proved of V(−m) from above for
V(−w). Or it starts from integers m ≤ −w·2^bits, and the two sides change places. Each function returns (below, above)
with V(m) ≥ below and V(−m) ≤ above. Rows may be boxes (docs/theory/boxes.md): m then stays below the truth whatever
rows nature picks, and what leaves the model is paid for at once. Part of the trusted base.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import Any

from . import sums
from .boxes import CornerBounds, FirstOrderTree
from .meter import spend
from .read import LimitedRow, Model, Row, irrational, lists, need, number

Integers = dict[int, int]
"""A signed belief over states of one label, by their numbers; zeros left out."""
Bounds = tuple[int, int]

IntegerRow = tuple[int, list[tuple[int, int]], list[tuple[int, int]], int]
"""The denominator; target and share of each arc, rounded down, and rounded up; and what may go elsewhere."""
TwoRows = tuple[int, int, list[list[tuple[int, int, int]]]]
"""Two denominators; for each label the targets with the share of the one state, rounded down, and the other's, up."""

LARGEST_DENOMINATOR = 2**31 - 1
VECTOR_BITS = 30
DIRECTION = 12
BELIEF, MEMBER, ARC, CELL = 40, 20, 1, 4
"""Steps of the meter: for a belief that takes a step, for each of its states where beliefs are compared, for an arc,
and for an arc on a grid."""
MOST_BITS, MOST_STEPS, MOST_OPEN = 4096, 10**7, 10**6
"""A recipe of a few bytes may ask for any amount of work: so many steps of beliefs are done for one, no more. And so
many sums of a tree are kept at once."""


class Recipes:
    """The recipes of a certificate about one chain; ``alpha`` has the smaller e^ε as "upper", the larger as "lower"."""

    def __init__(self, model: Model, data: Any, alpha: Mapping[str, Fraction], loops: ModuleType = sums) -> None:
        self.model, self.data, self.alpha = model, data, alpha
        self._use(loops)
        self.bits = int(number(data["bits"]))
        need(0 <= self.bits <= MOST_BITS, "recipes", f"bits from 0 to {MOST_BITS}", self.bits)
        row_bits = int(number(data.get("row_bits", "30")))
        need(0 <= row_bits <= MOST_BITS, "recipes", f"row_bits from 0 to {MOST_BITS}", row_bits)
        # Numbers of states and of labels are in the order of labels, then of names.
        self.names = sorted(model.label, key=lambda state: (model.label[state], state))
        self.state = {state: i for i, state in enumerate(self.names)}
        order = {label: a for a, label in enumerate(sorted(model.by_label))}
        self.label = [order[model.label[state]] for state in self.names]
        self.row = [
            {asked: self._integer_row(row, row_bits) for asked, row in model.given[state].items()}
            for state in self.names
        ]
        self.rows = {asked: [rows.get(asked) for rows in self.row] for asked in {a for rows in self.row for a in rows}}
        self.vectors = [*self._event_vectors(lists(data.get("vectors", []), 2, more=True))]

    def _integer_row(self, row: Row, row_bits: int) -> IntegerRow:
        """The row over one denominator: exactly if it is short, else lower ends rounded down, others up."""
        boxed = isinstance(row, LimitedRow)
        ends, rest = (
            (row.ends, row.rest) if isinstance(row, LimitedRow) else ({j: (p, p) for j, p in row.items()}, Fraction(0))
        )
        common = 1 << row_bits
        if boxed or not irrational(row):  # type: ignore[arg-type]  # then it is not a box
            shared = math.lcm(rest.denominator, *(end.denominator for pair in ends.values() for end in pair))
            common = shared if shared <= LARGEST_DENOMINATOR else common
        low = [(self.state[j], math.floor(lo * common)) for j, (lo, _) in ends.items()]
        high = [(self.state[j], math.ceil(hi * common)) for j, (_, hi) in ends.items()]
        return common, low, high, math.ceil(rest * common)

    def _use(self, loops: ModuleType) -> None:
        """Take these inner loops: `sums`, or its compiled twin; and zeros for them to add up in."""
        states = len(self.model.label)
        self.loops, self.zeros = loops, [0] * states if loops is sums else array("q", bytes(8 * states))

    def _run(self, loop: Callable[[ModuleType], Any]) -> Any:
        """What an inner loop returns; of the plain ones from here on, if a number does not fit the compiled ones."""
        try:
            return loop(self.loops)
        except OverflowError:
            # A loop that broke off has left its sums half done: `_use` brings new zeros.
            self._use(sums)
            return loop(sums)

    def proved(self) -> dict[tuple[str, str], tuple[Fraction, Fraction]]:
        """For each direction (s, t) that has recipes, the best bounds on V(e_s − αe_t), below and above."""
        found: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}
        for s, t, kind, *more in lists(self.data["recipes"], 4, more=True):
            need({s, t} <= self.model.label.keys(), "recipe", "known states", (s, t))
            need(s != t and self.model.label[s] == self.model.label[t], "recipe", "two states of one label", (s, t))
            trees = kind in ("tree", "-tree")
            need(trees or not self.model.interactive, "recipe", "a tree, where there are inputs", kind)
            known = found.get((s, t), (Fraction(0), Fraction(1)))
            lower, upper = self._bounds(s, t, kind, more)
            found[s, t] = max(lower, known[0]), max(min(upper, known[1]), Fraction(0))
        return found

    def _bounds(self, s: str, t: str, kind: str, more: list[Any]) -> tuple[Fraction, Fraction]:
        """The bounds on V(e_s − αe_t) that one recipe gives."""
        smaller, larger, unit = self.alpha["upper"], self.alpha["lower"], 1 << self.bits
        if kind == "first":
            order = FirstOrderTree(self.model, *more)
            return order.lower(s, t, larger, self.bits), order.upper(s, t, smaller, self.bits)
        if kind == "corners":
            return Fraction(0), CornerBounds(self.model, *more).upper(s, t, smaller)
        rules: dict[str, Callable[..., Bounds]] = {"tree": self.tree, "levels": self.levels, "grid": self.grid}
        rules |= {"-tree": self.tree, "-levels": self.levels}
        need(kind in rules, "recipe", "tree, levels, grid, -tree, -levels, first or corners", kind)
        if kind.startswith("-"):  # m ≤ −w, and V(w) = w·1 + V(−w)
            below, above = rules[kind]({self.state[s]: -unit, self.state[t]: math.floor(smaller * unit)}, *more)
            return 1 - larger + Fraction(below, unit), Fraction(above, unit)
        # m ≤ w for every e^ε between the two. So V(w) ≥ below, and V(w) = w·1 + V(−w) ≤ 1 − smaller + above.
        below, above = rules[kind]({self.state[s]: unit, self.state[t]: math.floor(-larger * unit)}, *more)
        return Fraction(below, unit), 1 - smaller + Fraction(above, unit)

    def step(self, m: Integers, asked: str | None = None) -> tuple[dict[int, Integers], int]:
        """One step under an input by label, each share ⌊m_i·p_ij⌋ for the p_ij that makes it least, and what is lost.

        V(m) ≥ Σ V(step) − lost for every input, V(−m) ≤ Σ V(−step) + lost for the best one (R3, L2).
        """
        split, lost, arcs = self._run(lambda loops: loops.step(self.rows[asked], self.label, m, self.zeros))
        spend(BELIEF + ARC * arcs)
        return split, lost

    def _meets_box(self, m: Integers) -> bool:
        """Whether a row that is a box can be reached from the belief."""
        boxed = {self.state[state] for state in self.model.boxed}
        reached: set[int] = set()
        waiting = [*m] if boxed else []
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                waiting += (target for _, arcs, _, _ in self.row[state].values() for target, _ in arcs)
        return not reached.isdisjoint(boxed)

    # Trees: the nodes in the order of a walk that goes down first, inputs, then labels, sorted.

    def tree(self, root: Integers, nodes: Any) -> Bounds:
        """``x`` expands the belief at hand, ``.`` bounds it by its mass, ``N,`` by event vector N below.

        What leaves add up to goes into a sum, of which there is one for each input of an expanded belief; the largest
        of them goes into the sum that the belief itself belongs to. Where there is one input, the two are the same.
        With boxes a step can lose more than it gains: then the better of it and of the belief's own masses counts.
        """
        need(isinstance(nodes, str), "tree", "text")
        walk = tokens(nodes)
        below, above = [0], [0]
        stack: list[tuple[Integers, int, range | None]] = [(root, 0, None)]
        while stack:
            m, into, sums = stack.pop()
            if sums is not None:  # all that comes after this belief is in these sums
                gain, cost = max(below[k] for k in sums), max(above[k] for k in sums)
                del below[sums.start :], above[sums.start :]
                if self.model.boxed:
                    pos, neg = self._sides(m)
                    gain, cost = max(gain, pos - neg, 0), min(cost, neg)
                below[into] += gain
                above[into] += cost
                continue
            # Text that ends too early gives "", which is refused below.
            kind = next(walk, "")
            if kind == "x":
                inputs = self._inputs(m)
                sums = range(into, into + 1)
                # Sums of its own, which are looked at when all that is pushed after this entry is done.
                if len(inputs) > 1 or self.model.boxed:
                    sums = range(len(below), len(below) + len(inputs))
                    below += [0] * len(inputs)
                    above += [0] * len(inputs)
                    stack.append((m, into, sums))
                    need(len(below) <= MOST_OPEN, "tree", f"at most {MOST_OPEN} sums that are not complete")
                # Backwards, so that the first input and label come off the stack first, as the text has them.
                for asked, its_sum in zip(reversed(inputs), reversed(sums), strict=True):
                    after, lost = self.step(m, asked)
                    below[its_sum] -= lost
                    above[its_sum] += lost
                    stack += ((after[label], its_sum, None) for label in sorted(after, reverse=True))
                continue
            pos, neg = self._sides(m)
            gain = max(pos - neg, 0)
            if kind != ".":
                need(kind.isdigit() and len(kind) < 9, "tree", "x, . or the number of a vector", kind[:9])
                gain = max(gain, self._against_vector(m, int(kind), neg))
            below[into] += gain
            above[into] += neg
        need(next(walk, None) is None, "tree", "no more nodes than the tree has")
        return below[0], above[0]

    def _sides(self, m: Integers) -> Bounds:
        """|m^+| and |m^-|."""
        spend(BELIEF // 2)
        found: Bounds = self._run(lambda loops: loops.sides(m))
        return found

    def _inputs(self, m: Integers) -> list[str | None]:
        """The inputs of the belief's label, sorted, without those that do nothing; one of these if all are such.

        Where every state of the belief stays as it is, V is the largest over the other inputs, or the gap, and no bound
        from above that a step gives is less than that.
        """
        inputs: list[str | None] = [*self.row[next(iter(m))]]
        if len(inputs) > 1:
            inputs.sort(key=str)
            moving = [a for a in inputs if not all(self._stays(i, a) for i in m)]
            inputs = moving or inputs[:1]
        return inputs

    def _stays(self, state: int, asked: str | None) -> bool:
        """Whether the state surely stays where it is; a box holds other rows, too."""
        name = self.names[state]
        row = self.model.given[name][asked]
        return not isinstance(row, LimitedRow) and row.keys() == {name}

    def _event_vectors(self, entries: list[list[Any]]) -> Iterator[tuple[str | None, dict[int, int], int]]:
        """(label, f, height): f_i ≤ ν_i(E)·2^30 ≤ f_i + height for an event E and all states i of the label."""
        known: list[tuple[str | None, dict[int, int], int]] = [
            (None, dict.fromkeys(self.state.values(), constant << VECTOR_BITS), 0) for constant in (0, 1)
        ]
        yield from known
        for label, after, *more in entries:
            need(label in self.model.by_label and isinstance(after, dict), "vector", "a label and an object", label)
            states = [self.state[name] for name in self.model.by_label[label]]
            inputs, asked = self.row[states[0]], more[0] if len(more) == 1 else None
            fits = (asked is None or isinstance(asked, str)) and asked in inputs and len(more) == (None not in inputs)
            need(fits, "vector", "one input of the label, if it has any", more)
            whole, height = {}, 0
            for b, which in after.items():
                k = int(number(which))
                need(0 <= k < len(known), "vector", "only vectors before it", k)
                need(known[k][0] in (None, b), "vector", "a vector of that label", k, b)
                # After a label that is not named the event never happens: 0 there, exactly.
                whole.update({i: known[k][1][i] for i in map(self.state.__getitem__, self.model.by_label.get(b, []))})
                height = max(height, known[k][2])
            values = {}
            for state in states:
                bottom, low, _, _ = self.row[state][asked]
                spend(BELIEF + 2 * len(low))
                values[state] = sum(share * whole.get(target, 0) for target, share in low) // bottom
            # One unit for the division, rounded down. f is at most 1, so that no height above that says anything.
            height += 1 + max(self._uncertainty(self.row[state][asked]) for state in states)
            known.append((label, values, min(height, 1 << VECTOR_BITS)))
            yield known[-1]

    def _uncertainty(self, row: IntegerRow) -> int:
        """How much more a step may lose where the row is not exact: Σ_j (high − low) + rest, times 1, the largest."""
        bottom, low, high, rest = row
        loss = sum(share for _, share in high) - sum(share for _, share in low) + rest
        return -(-(loss << VECTOR_BITS) // bottom)

    def _against_vector(self, m: Integers, k: int, neg: int) -> int:
        """At most m·f for the event's own vector f: V(m) ≥ m·f."""
        need(k < len(self.vectors), "tree", "a vector that is there", k)
        _, f, height = self.vectors[k]
        need(m.keys() <= f.keys(), "tree", "a vector of the belief's label", k)
        spend(BELIEF + ARC * len(m))
        total: int = self._run(lambda loops: loops.product_below(m, f))
        # m·ν(E) ≥ m·f − height·|m^-|: where m is negative, f is too small. The loss is rounded up.
        return total - ((neg >> VECTOR_BITS) + 1) * height

    # Levels: all beliefs of one depth at once, those of one direction added up.

    def levels(self, root: Integers, depth: Any, dust: Any) -> Bounds:
        """``depth`` steps; beliefs whose smaller side is at most ``dust`` are bounded by their mass and left."""
        steps, least = int(number(depth)), int(number(dust))
        need(0 <= steps <= MOST_STEPS and least >= 0, "levels", "a depth and a dust", steps, least)
        below = above = work = 0
        natures = self._meets_box(root)  # then V may be another function for each member of a group
        level = [root]
        for _ in range(steps):
            work = _counted(work, len(level))
            groups: dict[Any, list[Integers]] = {}
            for m in level:
                after, lost = self.step(m)
                below -= lost
                above += lost
                for part in after.values():
                    pos, neg = self._sides(part)
                    spend(MEMBER * len(part))
                    if min(pos, neg) <= least:
                        below += max(pos - neg, 0)
                        above += neg
                    else:
                        # In the order of states, so that equal directions are equal tuples. States are part of it:
                        # members share them.
                        child = dict(sorted(part.items()))
                        groups.setdefault(_direction(child, pos + neg), []).append(child)
            level = []
            for members in groups.values():
                total = {state: sum(m[state] for m in members) for state in members[0]}
                cost = _remainders(total, members) if len(members) > 1 else 0
                above += cost
                below -= cost if natures else 0
                level.append(total)
        for m in level:
            pos, neg = self._sides(m)
            below += max(pos - neg, 0)
            above += neg
        return below, above

    # Grids: beliefs over two states, rounded to a grid of directions.

    def grid(self, root: Integers, size: Any, depth: Any) -> Bounds:
        """``depth`` steps on the directions (k, −(size−k)): weights of neighbours above, sums between them below."""
        g, steps = int(number(size)), int(number(depth))
        need(2 <= g <= MOST_STEPS and 0 <= steps <= MOST_STEPS, "grid", "a size and a depth", g, steps)
        need(not self._meets_box(root), "grid", "exact rows: only other recipes are for boxes")
        return self._grid_below(root, g, steps), self._grid_above(root, g, steps)

    def _two_rows(self, i: int, j: int) -> TwoRows:
        """The rows of a state of positive and one of negative mass, by label."""
        (bottom, low, _, _), (below, _, high, _) = self.row[i][None], self.row[j][None]
        shares = {target: (share, 0) for target, share in low}
        shares |= {target: (shares.get(target, (0, 0))[0], share) for target, share in high}
        labels: dict[int, list[tuple[int, int, int]]] = {}
        for target, both in sorted(shares.items()):
            labels.setdefault(self.label[target], []).append((target, *both))
        return bottom, below, [*labels.values()]

    def _grid_level(self, loop: str, rows: Callable[[int, int], TwoRows], cells: Any, g: int) -> tuple[Any, int]:
        """The cells after one step, and what is not in them."""
        fresh, rest, arcs = self._run(lambda loops: getattr(loops, loop)(rows, cells, g))
        spend(BELIEF + CELL * arcs)
        return fresh, rest

    def _grid_above(self, root: Integers, g: int, steps: int) -> int:
        """V(u) ≤ Λ·V(g_k) + Λ'·V(g_{k+1}) + what they leave of u, for u = −m with one state of each sign (R6)."""
        work, rows = 0, cache(self._two_rows)
        (minus, neg), (plus, pos) = root.items()
        weights: dict[tuple[int, int, int], int] = {}
        # u = −m turns the signs: s, where m is positive, is the negative state of u.
        total = sums.spread(weights, plus, minus, -pos, neg, g)
        for _ in range(steps):
            work = _counted(work, len(weights))
            weights, rest = self._grid_level("level_above", rows, weights, g)
            total += rest
        # V(g_k) ≤ |g_k^+| = k for what is left at the end.
        return total + sum(weight * k for (_, _, k), weight in weights.items())

    def _grid_below(self, root: Integers, g: int, steps: int) -> int:
        """V(m) + V(m') ≥ V(m + m') (L4)."""
        work, rows, total = 0, cache(self._two_rows), 0
        (plus, pos), (minus, neg) = root.items()
        cells = {(plus, minus, sums.position(pos, -neg, g)): [pos, neg]}
        for _ in range(steps):
            work = _counted(work, len(cells))
            cells, rest = self._grid_level("level_below", rows, cells, g)
            total += rest
        return total + sum(max(pos + neg, 0) for pos, neg in cells.values())


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


def _counted(work: int, beliefs: int) -> int:
    """The steps so far with those of another level; refused beyond the limit."""
    need(work + beliefs <= MOST_STEPS, "recipe", f"at most {MOST_STEPS} steps of beliefs", work + beliefs)
    # One more, so that levels without beliefs are not free.
    return work + beliefs + 1


def _leading(value: int) -> tuple[int, int]:
    """The first bits of a number, and its length."""
    shift = value.bit_length() - sums.PRECISION
    return (value >> shift if shift >= 0 else value << -shift), value.bit_length()


def _direction(m: Integers, total: int) -> Any:
    """What beliefs must share to be added up; any choice is sound."""
    whole, length = _leading(total)
    found = []
    for state, value in m.items():
        part, short = _leading(abs(value))
        found.append((state, value < 0, length - short, (part << DIRECTION) // whole))
    return tuple(found)


def _remainders(total: Integers, members: list[Integers]) -> int:
    """Σ_k |(μ_k·c − m_k)^+| rounded up, μ_k = |m_k|/Σ|m|: V(−m_1) + … ≤ V(−c) + this, for c = m_1 + … .

    And V_1(m_1) + … ≥ (the least of all V_k)(c) − this, where each member has a V_k of its own.
    """
    sizes = [sum(map(abs, m.values())) for m in members]
    whole = sum(sizes)
    return sum(
        max(-(-c * size // whole) - m[state], 0)
        for m, size in zip(members, sizes, strict=True)
        for state, c in total.items()
    )
