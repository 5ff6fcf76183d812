"""A chain as loaded, and what a reader did to the file's content that its author should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..model import Chain
from .label_sets import DROPPED
from .numbers import shown


@dataclass(frozen=True, slots=True)
class Loaded:
    """A chain, where it came from, and one line for each way in which it is not that content word for word."""

    chain: Chain
    source: str
    notes: tuple[str, ...] = ()


def normalised_notes(states: Sequence[str], rows: Sequence[tuple[int, Fraction]]) -> tuple[str, ...]:
    """What to say of the rows (state, sum) that were divided by their sum.

    >>> normalised_notes(["a", "b"], [(1, Fraction(999, 1000))])
    ("normalised 1 row whose sum was not 1 (state 'b', sum 0.999)",)
    """
    if not rows:
        return ()
    state, total = rows[0]
    many = len(rows) > 1
    count = f"{len(rows)} rows whose sums were" if many else "1 row whose sum was"
    return (f"normalised {count} not 1 ({'first: ' if many else ''}state {states[state]!r}, sum {shown(total)})",)


def dropped_notes(names: Iterable[Iterable[str]], *, keep: bool) -> tuple[str, ...]:
    """What to say of the label names that were dropped, given those of each state."""
    if keep:
        return ()
    counts = Counter(name for state in names for name in set(state) & DROPPED)
    if not counts:
        return ()
    listed = ", ".join(
        f"{name!r} of {n} state{'' if n == 1 else 's'}" for name, n in sorted(counts.items(), reverse=True)
    )
    return (f"dropped the labels {listed}",)
