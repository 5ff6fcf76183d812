# cython: language_level=3, overflowcheck=True, annotation_typing=False
"""The inner loops of recipes, in integers: steps of signed beliefs, and their places on a grid.

States are numbers here, and so are labels. Integers are of any length, as Python has them. The same file may also be
compiled, as the module `_sums`, with the types of a file beside it: integers then have 64 bits, every conversion, sum,
difference and product is checked, and OverflowError says that one does not fit; `recipes` goes on with this file then.
So ⌊value·share/bottom⌋ is computed as whole·share + ⌊part·share/bottom⌋, with value = whole·bottom + part, and no
integer is negated, which would go unchecked. Part of the trusted base.
"""

from __future__ import annotations

from typing import Any

from .errors import need

PRECISION = 40


def step(rows: Any, label: Any, m: Any, sums: Any) -> tuple[dict[int, dict[int, int]], int, int]:
    """By label, Σ_i ⌊m_i·p_ij⌋ for each target j, without zeros; what is lost to states outside; and how many arcs.

    A row has a denominator, its arcs (target, share) for positive and for other masses, and what may go elsewhere.
    ``sums`` is a zero for each state, before and after.
    """
    reached = []
    lost = count = 0
    for state, value in m.items():
        bottom, low, high, rest = rows[state]
        arcs = low if value > 0 else high
        count = count + len(arcs)
        # Python's division: towards −∞ for negative masses, too, so that each share is at most the truth.
        whole, part = value // bottom, value % bottom
        for target, share in arcs:
            before = sums[target]
            if not before:
                reached.append(target)
            sums[target] = before + (whole * share + part * share // bottom)
        if rest and value < 0:
            lost = lost - (whole * rest + part * rest // bottom)
    split: dict[int, dict[int, int]] = {}
    for target in reached:
        value = sums[target]
        if value:  # a sum that came back to zero on its way is met twice here, and taken once
            sums[target] = 0
            into = split.get(label[target])
            if into is None:
                into = split[label[target]] = {}
            into[target] = value
    return split, lost, count


def sides(m: Any) -> tuple[int, int]:
    """|m^+| and |m^-|."""
    pos = neg = 0
    for value in m.values():
        if value > 0:
            pos = pos + value
        else:
            neg = neg - value
    return pos, neg


def product_below(m: Any, f: Any) -> int:
    """Σ ⌊m_i·f_i/2^30⌋."""
    total = 0
    for state, value in m.items():
        weight = f[state]
        total = total + ((value >> 30) * weight + ((value & 1073741823) * weight >> 30))
    return total


def position(pos: int, neg: int, g: int) -> int:
    """About g·pos/(pos + neg), from 0 to g − 1; any place is sound."""
    total = pos + neg
    shift = max(total.bit_length() - PRECISION, 0)
    return min(g - 1, (pos >> shift) * g // max(total >> shift, 1))


def two_signs(targets: Any, x: int, bottom: int, y: int, below: int) -> tuple[int, int, int, int]:
    """What x > 0 of one state and y < 0 of another send to the targets (j, share of x, share of y) of one label.

    The states of positive and of negative sums, −1 if there is none, and |m^+| and |m^-|. If there are both, one each.
    """
    whole_x, part_x, whole_y, part_y = x // bottom, x % bottom, y // below, y % below
    plus = minus = -1
    pos = neg = many = 0
    for target, mine, other in targets:
        value = (whole_x * mine + part_x * mine // bottom) + (whole_y * other + part_y * other // below)
        if value > 0:
            # A second state of this sign: allowed only if the other sign is missing, where V is known.
            many = many + (pos > 0)
            plus, pos = target, pos + value
        elif value < 0:
            many = many + (neg > 0)
            minus, neg = target, neg - value
    need(not (pos and neg and many), "grid", "beliefs over two states", len(targets))
    return plus, minus, pos, neg


def level_below(rows: Any, cells: Any, g: int) -> tuple[dict[Any, list[int]], int, int]:
    """One step of all cells (i, j, k) with m_i > 0, m_j < 0: sums in new cells, V of the rest, and how many arcs."""
    fresh: dict[Any, list[int]] = {}
    total = count = 0
    for (i, j, _), (x, y) in cells.items():
        bottom, below, labels = rows(i, j)
        for targets in labels:
            count = count + len(targets)
            plus, minus, pos, neg = two_signs(targets, x, bottom, y, below)
            if pos and neg:
                where = plus, minus, position(pos, neg, g)
                cell = fresh.get(where)
                if cell is None:
                    cell = fresh[where] = [0, 0]
                # Beliefs of one cell are added up: V(m) + V(m') ≥ V(m + m') (L4).
                pos = pos + cell[0]
                neg = cell[1] - neg
                cell[0], cell[1] = pos, neg
            else:
                total = total + pos
    return fresh, total, count


def level_above(rows: Any, weights: Any, g: int) -> tuple[dict[Any, int], int, int]:
    """One step of all u = weight·(k·e_i − (g−k)·e_j) by (i, j, k): the new weights, what they leave, and how many arcs.

    Shares of −u are rounded down, so those of u are rounded up.
    """
    fresh: dict[Any, int] = {}
    total = count = 0
    for (i, j, k), weight in weights.items():
        bottom, below, labels = rows(j, i)
        for targets in labels:
            count = count + len(targets)
            # −u, whose positive state is j; what comes out is turned back by the names it is given.
            minus, plus, neg, pos = two_signs(targets, weight * (g - k), bottom, 0 - weight * k, below)
            total = total + (spread(fresh, plus, minus, pos, neg, g) if pos and neg else pos)
    return fresh, total, count


def spread(into: Any, plus: Any, minus: Any, pos: int, neg: int, g: int) -> int:
    """Adds weights of the two directions next to u = pos·e_plus − neg·e_minus; what they leave of V(u), at least."""
    k = position(pos, neg, g)
    whole, rest = (pos + neg) // g, (pos + neg) % g
    upper = min(max(pos - k * whole - (k * rest + (g - 1)) // g, 0), whole)
    lower = whole - upper
    # g_0 has no positive part and is worth 0; g_g has no negative one and is worth g at once.
    if k > 0 and lower:
        into[plus, minus, k] = into.get((plus, minus, k), 0) + lower
    if k + 1 < g and upper:
        into[plus, minus, k + 1] = into.get((plus, minus, k + 1), 0) + upper
    left = max(pos - lower * k - upper * (k + 1), 0) + max(lower * (g - k) + upper * (g - k - 1) - neg, 0)
    return left + (upper * g if k + 1 == g else 0)
