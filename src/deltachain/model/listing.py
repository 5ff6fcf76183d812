"""The rows of a chain as text: one list for a terminal, a notebook, a graph and a report.

A probability is written as what it is: a fraction, a formula of e, or the two ends that it lies between. What is long
is a decimal: ends are rounded outward, and an exact number is marked by ≈.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..numbers.field import Exact, ends
from ..numbers.fraction import format_fraction

if TYPE_CHECKING:
    from .chain import Chain

SHORT_END = 16
"""Characters of an end of a box that is written whole."""
SHORT_FORMULA = 60
"""Characters of a formula of e that is written whole."""
SHOWN_TARGETS = 6
"""Targets of a row that a line lists."""


class ListedRow(NamedTuple):
    """What a state does under one input."""

    asked: str | None
    targets: tuple[tuple[int, str], ...]
    """The first targets, each with its probability."""
    size: int
    """How many targets there are."""
    elsewhere: str
    """The most that may go elsewhere; empty where nothing does."""

    @property
    def more(self) -> str:
        """What follows the targets that are listed."""
        left_out = f", … ({self.size} in all)" if self.size > len(self.targets) else ""
        return left_out + (f", elsewhere: up to {self.elsewhere}" if self.elsewhere else "")


def listed_rows(
    chain: Chain, state: int, most: int | None = SHOWN_TARGETS, entry: Callable[[Exact, Exact], str] | None = None
) -> Iterator[ListedRow]:
    """The rows of a state, by input; ``entry`` writes a probability from its two ends."""
    write = shown_entry if entry is None else entry
    for asked, row in zip(chain.offered(state), chain.given[state], strict=True):
        targets = tuple((target, write(lo, hi)) for target, lo, hi in islice(row.list_entries(), most))
        yield ListedRow(asked, targets, len(row), brief(row.missing) if row.missing else "")


def state_lines(chain: Chain, state: int, shown: Callable[[str], str] = str) -> Iterator[str]:
    """A state with its label and its rows, a line for each input; ``shown`` makes names fit to be shown."""
    for row in listed_rows(chain, state):
        targets = ", ".join(f"{shown(chain.states[target])}: {text}" for target, text in row.targets)
        asked = "" if row.asked is None else f" {shown(row.asked)}"
        yield f"  {shown(chain.states[state])} [{shown(chain.labels[state])}]{asked} → {targets}{row.more}"


def shown_entry(lo: Exact, hi: Exact) -> str:
    """A probability, or the two ends of a box, for people."""
    if lo != hi:
        return f"[{brief(lo, down=True)}, {brief(hi)}]"
    return format_fraction(lo) if isinstance(lo, Fraction) else _formula(lo)


def _formula(number: Exact) -> str:
    text = str(number)
    return text if len(text) <= SHORT_FORMULA else f"≈ {_decimal(number, ROUND_HALF_EVEN)}"


def brief(value: Exact, down: bool = False) -> str:
    """The number, if it is short, else a decimal of six digits: at most it if ``down``, else at least it."""
    text = format_fraction(value) if isinstance(value, Fraction) else str(value)
    return text if len(text) <= SHORT_END else _decimal(value, ROUND_FLOOR if down else ROUND_CEILING)


def _decimal(value: Exact, rounding: str) -> str:
    """Six digits; an irrational number is rounded from the end that lies on the side asked for."""
    if not isinstance(value, Fraction):
        low, high = ends(value)
        value = high if rounding == ROUND_CEILING else low
    with localcontext(prec=6, rounding=rounding):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"
