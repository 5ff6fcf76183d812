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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from fractions import Fraction
from typing import Any

from .boxes import Corners, FirstOrder
from .meter import spend
from .read import Box, Model, Row, irrational, lists, need, number

Integers = dict[str, int]
"""A signed belief over states of one label; zeros left out."""
Bounds = tuple[int, int]

IntegerRow = tuple[int, list[tuple[str, str, int, int]], int]
"""The denominator; label, target, low and high of each arc; and what may go elsewhere."""

LARGEST_DENOMINATOR = 2**31 - 1
VECTOR_BITS = 30
DIRECTION, PRECISION = 12, 40
MOST_BITS, MOST_STEPS, MOST_OPEN = 4096, 10**7, 10**6
"""A recipe of a few bytes may ask for any amount of work: so many steps of beliefs are done for one, no more. And so
many sums of a tree are kept at once."""


class Recipes:
    """The recipes of a certificate about one chain; ``alpha`` has the smaller e^ε as "upper", the larger as "lower"."""

    def __init__(self, model: Model, data: Any, alpha: Mapping[str, Fraction]) -> None:
        self.model, self.data, self.alpha = model, data, alpha
        self.bits = int(number(data["bits"]))
        need(0 <= self.bits <= MOST_BITS, "recipes", f"bits from 0 to {MOST_BITS}", self.bits)
        row_bits = int(number(data.get("row_bits", "30")))
        need(0 <= row_bits <= MOST_BITS, "recipes", f"row_bits from 0 to {MOST_BITS}", row_bits)
        self.row = {
            state: {asked: _integer_row(model, row, row_bits) for asked, row in rows.items()}
            for state, rows in model.given.items()
        }
        self.vectors = [*self._event_vectors(lists(data.get("vectors", []), 2, more=True))]

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
            order = FirstOrder(self.model, *more)
            return order.lower(s, t, larger, self.bits), order.upper(s, t, smaller, self.bits)
        if kind == "corners":
            return Fraction(0), Corners(self.model, *more).upper(s, t, smaller)
        rules: dict[str, Callable[..., Bounds]] = {"tree": self.tree, "levels": self.levels, "grid": self.grid}
        rules |= {"-tree": self.tree, "-levels": self.levels}
        need(kind in rules, "recipe", "tree, levels, grid, -tree, -levels, first or corners", kind)
        if kind.startswith("-"):  # m ≤ −w, and V(w) = w·1 + V(−w)
            below, above = rules[kind]({s: -unit, t: math.floor(smaller * unit)}, *more)
            return 1 - larger + Fraction(below, unit), Fraction(above, unit)
        below, above = rules[kind]({s: unit, t: math.floor(-larger * unit)}, *more)
        return Fraction(below, unit), 1 - smaller + Fraction(above, unit)

    def step(self, m: Integers, asked: str | None = None) -> tuple[dict[str, Integers], int]:
        """One step under an input by label, each share ⌊m_i·p_ij⌋ for the p_ij that makes it least, and what is lost.

        V(m) ≥ Σ V(step) − lost for every input, V(−m) ≤ Σ V(−step) + lost for the best one (R3, L2).
        """
        split: dict[str, Integers] = {}
        lost = 0
        for state, value in m.items():
            bottom, arcs, rest = self.row[state][asked]
            spend(3 * len(arcs))
            for label, target, low, high in arcs:
                part = split.get(label)
                if part is None:
                    part = split[label] = {}
                part[target] = part.get(target, 0) + value * (low if value > 0 else high) // bottom
            if rest and value < 0:
                lost -= value * rest // bottom
        return split, lost

    def _meets_box(self, m: Integers) -> bool:
        """Whether a row that is a box can be reached from the belief."""
        reached: set[str] = set()
        waiting = [*m] if self.model.boxed else []
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                waiting += (target for _, arcs, _ in self.row[state].values() for _, target, _, _ in arcs)
        return not reached.isdisjoint(self.model.boxed)

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
                    pos, neg = _sides(m.values())
                    gain, cost = max(gain, pos - neg, 0), min(cost, neg)
                below[into] += gain
                above[into] += cost
                continue
            kind = next(walk, "")
            if kind == "x":
                inputs = self._inputs(m)
                sums = range(into, into + 1)
                if len(inputs) > 1 or self.model.boxed:
                    sums = range(len(below), len(below) + len(inputs))
                    below += [0] * len(inputs)
                    above += [0] * len(inputs)
                    stack.append((m, into, sums))
                    need(len(below) <= MOST_OPEN, "tree", f"at most {MOST_OPEN} sums that are not complete")
                for asked, its_sum in zip(reversed(inputs), reversed(sums), strict=True):
                    after, lost = self.step(m, asked)
                    below[its_sum] -= lost
                    above[its_sum] += lost
                    for label in sorted(after, reverse=True):
                        part = {state: value for state, value in after[label].items() if value}
                        if part:
                            stack.append((part, its_sum, None))
                continue
            pos, neg = _sides(m.values())
            gain = max(pos - neg, 0)
            if kind != ".":
                need(kind.isdigit() and len(kind) < 9, "tree", "x, . or the number of a vector", kind[:9])
                gain = max(gain, self._against_vector(m, int(kind)))
            below[into] += gain
            above[into] += neg
        need(next(walk, None) is None, "tree", "no more nodes than the tree has")
        return below[0], above[0]

    def _inputs(self, m: Integers) -> list[str | None]:
        """The inputs of the belief's label, sorted, without those that do nothing; one of these if all are such.

        Where every state of the belief stays as it is, V is the largest over the other inputs, or the gap, and no bound
        from above that a step gives is less than that.
        """
        inputs: list[str | None] = sorted(self.row[next(iter(m))], key=str)
        if len(inputs) > 1:
            moving = [a for a in inputs if not all(self._stays(i, a) for i in m)]
            inputs = moving or inputs[:1]
        return inputs

    def _stays(self, state: str, asked: str | None) -> bool:
        """Whether the state surely stays where it is; a box holds other rows, too."""
        row = self.model.given[state][asked]
        return not isinstance(row, Box) and row.keys() == {state}

    def _event_vectors(self, entries: list[list[Any]]) -> Iterator[tuple[str | None, dict[str, int], int]]:
        """(label, f, height): f_i ≤ ν_i(E)·2^30 ≤ f_i + height for an event E and all states i of the label."""
        known: list[tuple[str | None, dict[str, int], int]] = [
            (None, dict.fromkeys(self.model.label, constant << VECTOR_BITS), 0) for constant in (0, 1)
        ]
        yield from known
        for label, after, *more in entries:
            need(label in self.model.by_label and isinstance(after, dict), "vector", "a label and an object", label)
            inputs, asked = self.row[self.model.by_label[label][0]], more[0] if len(more) == 1 else None
            fits = (asked is None or isinstance(asked, str)) and asked in inputs and len(more) == (None not in inputs)
            need(fits, "vector", "one input of the label, if it has any", more)
            whole, height = {}, 0
            for b, which in after.items():
                k = int(number(which))
                need(0 <= k < len(known), "vector", "only vectors before it", k)
                need(known[k][0] in (None, b), "vector", "a vector of that label", k, b)
                whole.update({state: known[k][1][state] for state in self.model.by_label.get(b, [])})
                height = max(height, known[k][2])
            values = {}
            for state in self.model.by_label[label]:
                bottom, arcs, _ = self.row[state][asked]
                values[state] = sum(low * whole.get(target, 0) for _, target, low, _ in arcs) // bottom
            height += 1 + self._uncertainty(label, asked)
            known.append((label, values, min(height, 1 << VECTOR_BITS)))
            yield known[-1]

    def _uncertainty(self, label: str, asked: str | None) -> int:
        """How much more a step may lose where rows are not exact: Σ_j (high − low) + rest, times 1, the largest."""
        rows = [self.row[i][asked] for i in self.model.by_label[label]]
        lost = [(sum(high - low for _, _, low, high in arcs) + rest) << VECTOR_BITS for _, arcs, rest in rows]
        return max(-(-loss // bottom) for loss, (bottom, _, _) in zip(lost, rows, strict=True))

    def _against_vector(self, m: Integers, k: int) -> int:
        """At most m·f for the event's own vector f: V(m) ≥ m·f."""
        need(k < len(self.vectors), "tree", "a vector that is there", k)
        _, f, height = self.vectors[k]
        need(m.keys() <= f.keys(), "tree", "a vector of the belief's label", k)
        neg = _sides(m.values())[1]
        total = sum(value * f[state] >> VECTOR_BITS for state, value in m.items())
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
            work = _counted(work, level)
            groups: dict[Any, list[Integers]] = {}
            for m in level:
                after, lost = self.step(m)
                below -= lost
                above += lost
                for part in after.values():
                    pos, neg = _sides(part.values())
                    if min(pos, neg) <= least:
                        below += max(pos - neg, 0)
                        above += neg
                    else:
                        child = {state: value for state, value in sorted(part.items()) if value}
                        groups.setdefault(_direction(child, pos + neg), []).append(child)
            level = []
            for members in groups.values():
                total = {state: sum(m[state] for m in members) for state in members[0]}
                cost = _remainders(total, members) if len(members) > 1 else 0
                above += cost
                below -= cost if natures else 0
                level.append(total)
        for m in level:
            pos, neg = _sides(m.values())
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

    def _grid_above(self, root: Integers, g: int, steps: int) -> int:
        """V(u) ≤ Λ·V(g_k) + Λ'·V(g_{k+1}) + what they leave of u, for u = −m with one state of each sign (R6)."""
        total = work = 0

        def split(u: Integers, into: dict[tuple[str, str, int], int]) -> int:
            signs = _mixed(u)
            if signs is None:
                return max(sum(u.values()), 0)
            plus, minus = signs
            pos, neg = u[plus], -u[minus]
            k = _position(pos, neg, g)
            whole, rest = divmod(pos + neg, g)
            upper = min(max(pos - k * whole - -(-k * rest // g), 0), whole)
            lower = whole - upper
            for at, weight in ((k, lower), (k + 1, upper)):
                if 0 < at < g and weight:
                    into[plus, minus, at] = into.get((plus, minus, at), 0) + weight
            uncovered = max(pos - lower * k - upper * (k + 1), 0) + max(lower * (g - k) + upper * (g - k - 1) - neg, 0)
            return uncovered + (upper * g if k + 1 == g else 0)

        weights: dict[tuple[str, str, int], int] = {}
        total += split({state: -value for state, value in root.items()}, weights)
        for _ in range(steps):
            work = _counted(work, weights)
            fresh: dict[tuple[str, str, int], int] = {}
            for (plus, minus, k), weight in weights.items():
                for part in self.step({plus: -weight * k, minus: weight * (g - k)})[0].values():
                    total += split({state: -value for state, value in part.items()}, fresh)
            weights = fresh
        return total + sum(weight * k for (_, _, k), weight in weights.items())

    def _grid_below(self, root: Integers, g: int, steps: int) -> int:
        """V(m) + V(m') ≥ V(m + m') (L4)."""
        total = work = 0

        def add(m: Integers, into: dict[tuple[str, str, int], Integers]) -> int:
            signs = _mixed(m)
            if signs is None:
                return max(sum(m.values()), 0)
            plus, minus = signs
            cell = into.setdefault((plus, minus, _position(m[plus], -m[minus], g)), {plus: 0, minus: 0})
            cell[plus] += m[plus]
            cell[minus] += m[minus]
            return 0

        cells: dict[tuple[str, str, int], Integers] = {}
        total += add(root, cells)
        for _ in range(steps):
            work = _counted(work, cells)
            fresh: dict[tuple[str, str, int], Integers] = {}
            for m in cells.values():
                for part in self.step(m)[0].values():
                    total += add(part, fresh)
            cells = fresh
        return total + sum(max(sum(m.values()), 0) for m in cells.values())


def _integer_row(model: Model, row: Row, row_bits: int) -> IntegerRow:
    """The row over one denominator: exactly if it is short, else lower ends rounded down, others up."""
    ends, rest = (row.ends, row.rest) if isinstance(row, Box) else ({j: (p, p) for j, p in row.items()}, Fraction(0))
    common = 1 << row_bits
    if isinstance(row, Box) or not irrational(row):
        shared = math.lcm(rest.denominator, *(end.denominator for pair in ends.values() for end in pair))
        common = shared if shared <= LARGEST_DENOMINATOR else common
    arcs = [(model.label[j], j, math.floor(lo * common), math.ceil(hi * common)) for j, (lo, hi) in ends.items()]
    return common, arcs, math.ceil(rest * common)


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


def _counted(work: int, beliefs: Sized) -> int:
    """The steps so far with those of another level; refused beyond the limit."""
    need(work + len(beliefs) <= MOST_STEPS, "recipe", f"at most {MOST_STEPS} steps of beliefs", work + len(beliefs))
    return work + len(beliefs) + 1


def _sides(values: Iterable[int]) -> Bounds:
    """|m^+| and |m^-|."""
    pos = neg = 0
    for value in values:
        if value > 0:
            pos += value
        else:
            neg -= value
    return pos, neg


def _mixed(u: Integers) -> tuple[str, str] | None:
    """The positive and the negative state of a belief with both signs, None if it has one; refused if more."""
    plus = [state for state, value in u.items() if value > 0]
    minus = [state for state, value in u.items() if value < 0]
    if not (plus and minus):
        return None
    need(len(plus) == len(minus) == 1, "grid", "beliefs over two states", len(u))
    return plus[0], minus[0]


def _position(pos: int, neg: int, g: int) -> int:
    """About g·pos/(pos + neg); any place is sound."""
    shift = max((pos + neg).bit_length() - PRECISION, 0)
    return min(g - 1, (pos >> shift) * g // max((pos + neg) >> shift, 1))


def _leading(value: int) -> tuple[int, int]:
    """The first PRECISION bits of a number, and its length."""
    shift = value.bit_length() - PRECISION
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
