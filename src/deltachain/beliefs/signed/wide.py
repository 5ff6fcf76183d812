"""Beliefs in integers of any length: the loops of `beliefs.signed.levels` where 64 bits are too coarse.

The same steps as the kernels `levels` and `step` take in machine integers, on Python's own, in the interpreter:
nearly all of their time goes into long multiplications.
"""

from typing import NamedTuple

DIRECTION, PRECISION = 12, 40
"""Bits of a direction, and of the numbers it is computed from."""

WideBelief = dict[int, int]
"""State → integer, by state, zeros left out."""


class WideRow(NamedTuple):
    """A row over one denominator: (label, target, low, high), and the most that goes to no target."""

    denominator: int
    arcs: list[tuple[int, int, int, int]]
    rest: int


class WideRows(NamedTuple):
    """The row of each state, and whether some row is a box."""

    row: list[WideRow]
    boxed: bool


def expand_wide(rows: WideRows, level: list[WideBelief], dust: int) -> tuple[list[list[WideBelief]], int, int]:
    """The children of all beliefs of a level in groups of one direction; what is settled below and above.

    Settled is what a step may lose, and what beliefs are worth whose smaller side is at most ``dust``.
    """
    groups: dict[tuple[tuple[int, bool, int, int], ...], list[WideBelief]] = {}
    below = above = 0
    for m in level:
        split, lost = step_wide(rows, m)
        below -= lost
        above += lost
        for part in split.values():
            pos = sum(value for value in part.values() if value > 0)
            neg = -sum(value for value in part.values() if value < 0)
            if min(pos, neg) <= dust:
                below += max(pos - neg, 0)
                above += neg
            else:
                child = {state: value for state, value in sorted(part.items()) if value}
                groups.setdefault(_direction(child, pos + neg), []).append(child)
    return list(groups.values()), below, above


def step_wide(rows: WideRows, m: WideBelief) -> tuple[dict[int, WideBelief], int]:
    """One step by label, each share rounded down; and what may be lost, rounded up."""
    split: dict[int, WideBelief] = {}
    lost = 0
    for state, value in m.items():
        bottom, arcs, rest = rows.row[state]
        for label, target, low, high in arcs:
            part = split.get(label)
            if part is None:
                part = split[label] = {}
            # // rounds toward −∞ whatever the sign, so shares stay below the truth.
            share = value * (low if value > 0 else high) // bottom
            part[target] = part[target] + share if target in part else share
        if value < 0 and rest:
            # Minus a number rounded down: the loss is rounded up.
            lost -= value * rest // bottom
    return split, lost


def join_wide(groups: list[list[WideBelief]]) -> tuple[list[WideBelief], int]:
    """The sum of each group, and Σ_k |(μ_k·c − m_k)^+| over all, for μ_k = |m_k| / Σ|m| and the sum c, rounded up."""
    joined, cost = [], 0
    for members in groups:
        # A direction names its states, so all members have those of the first.
        total = {state: sum(m[state] for m in members) for state in members[0]}
        if len(members) > 1:
            sizes = [sum(map(abs, m.values())) for m in members]
            whole = sum(sizes)
            for m, size in zip(members, sizes, strict=True):
                cost += sum(max(-(-c * size // whole) - m[state], 0) for state, c in total.items())
        joined.append({state: value for state, value in total.items() if value})
    return joined, cost


def _direction(m: WideBelief, total: int) -> tuple[tuple[int, bool, int, int], ...]:
    """For each state the sign, and the ratio to the whole: `levels.direction_hash` before it is hashed."""
    whole, length = _take_leading(total)
    found = []
    for state, value in m.items():
        part, short = _take_leading(abs(value))
        found.append((state, value < 0, length - short, (part << DIRECTION) // whole))
    return tuple(found)


def _take_leading(value: int) -> tuple[int, int]:
    """The first PRECISION bits of a number, zeros appended to a shorter one, and its length."""
    length = value.bit_length()
    shift = length - PRECISION
    return (value >> shift if shift >= 0 else value << -shift), length
