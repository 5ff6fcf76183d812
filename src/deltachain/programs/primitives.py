"""The probabilistic primitives: their names, and the exact distribution that each draws from.

``flip(p)`` is True with probability p. ``uniform(low, high)`` is an integer, both ends included.
``choose({value: probability})`` is one of the values. ``geometric(ratio, low, high)`` is two-sided geometric
noise Z, P(Z = z) = (1 − r)/(1 + r)·r^|z|, with everything below ``low`` moved to ``low`` and everything above
``high`` moved to ``high``: so ``x + geometric(r, -x, m - x)`` is the truncated geometric mechanism on 0 … m
(Ghosh, Roughgarden, Sundararajan 2009). ``announce(value)`` makes one visible letter. ``ask(option, …)`` shows which
options there are, waits for the observer, and is the option that they name.

The functions of this module are only names for the reader and the type checker: a program is compiled from
its syntax, and calling one outside a program is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import NoReturn, TypeVar

from ..errors import InputError
from ..rational import Number, as_probability, format_fraction
from .source import Problem, ProgramError
from .values import MAX_BITS, Table, Value, kind, show

T = TypeVar("T")

Distribution = list[tuple[Value, Fraction]]
"""Outcomes with their positive probabilities, which sum to one."""

MAX_OUTCOMES = 10_000
"""The most outcomes of one draw."""


def flip(p: Number) -> bool:  # noqa: ARG001
    """True with probability ``p``, False otherwise."""
    _outside("flip")


def uniform(low: int, high: int) -> int:  # noqa: ARG001
    """An integer from ``low`` to ``high``, both included, each with the same probability."""
    _outside("uniform")


def choose(distribution: Mapping[T, Number]) -> T:  # noqa: ARG001
    """One of the keys, with the probability that is its entry; entries sum to exactly one."""
    _outside("choose")


def geometric(ratio: Number, low: int, high: int) -> int:  # noqa: ARG001
    """Two-sided geometric noise, its tails collected at ``low`` and ``high``."""
    _outside("geometric")


def announce(value: object) -> None:  # noqa: ARG001
    """Show one letter, the text of ``value``, to whoever watches."""
    _outside("announce")


def ask(*options: T) -> T:  # noqa: ARG001
    """The option that the observer chooses, by its text, among those that are shown."""
    _outside("ask")


def _outside(name: str) -> NoReturn:
    raise ProgramError(f"{name}() has a meaning only inside a function that is decorated with @program")


def _probability(value: Value, what: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | str):
        raise Problem(f"{what}: {show(value)} is {kind(value)}, not a probability", "write 1/2, 0.5 or '49/100'")
    try:
        return as_probability(value, what)
    except InputError as error:
        raise Problem(error.defects[0].what, "a probability lies in [0, 1]") from None


def _whole_number(value: Value, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Problem(f"{what}: {show(value)} is {kind(value)}", "give an int")
    return value


def _draw_flip(p: Value) -> Distribution:
    heads = _probability(p, "flip")
    return [(value, mass) for value, mass in ((True, heads), (False, 1 - heads)) if mass]


def _span(name: str, low: Value, high: Value) -> range:
    bottom, top = _whole_number(low, f"{name}'s low end"), _whole_number(high, f"{name}'s high end")
    if bottom > top:
        raise Problem(f"{name}: the low end {bottom} is above the high end {top}", "both ends are included")
    if top - bottom >= MAX_OUTCOMES:
        raise Problem(f"{name}: {top - bottom + 1} outcomes", f"the limit is {MAX_OUTCOMES}")
    return range(bottom, top + 1)


def _draw_uniform(low: Value, high: Value) -> Distribution:
    span = _span("uniform", low, high)
    return [(value, Fraction(1, len(span))) for value in span]


def _draw_choose(distribution: Value) -> Distribution:
    if not isinstance(distribution, Table):
        raise Problem(f"choose: {show(distribution)} is {kind(distribution)}", "give a dict {value: probability}")
    outcomes = [(value, _probability(mass, f"choose, {show(value)}")) for value, mass in distribution.items()]
    total = sum((mass for _, mass in outcomes), Fraction(0))
    if total != 1:
        raise Problem(f"choose: the probabilities sum to {format_fraction(total)}", "they must sum to exactly 1")
    return [(value, mass) for value, mass in outcomes if mass]


def _draw_geometric(ratio: Value, low: Value, high: Value) -> Distribution:
    r = _probability(ratio, "geometric's ratio")
    if r == 1:
        raise Problem("geometric: ratio 1 has no distribution", "the ratio is below 1")
    span = _span("geometric", low, high)
    furthest = max(abs(span[0]), abs(span[-1]))
    if furthest * r.denominator.bit_length() > 16 * MAX_BITS:
        raise Problem(
            f"geometric: {show(ratio)} to the power {furthest} is too long a number", "bring the ends closer to 0"
        )

    def at_most(k: int) -> Fraction:
        # P(Z ≤ k): for k ≤ 0 the tail (1−r)/(1+r)·Σ_{j ≥ −k} r^j; for k > 0 what the opposite tail leaves.
        return r**-k / (1 + r) if k < 0 else 1 - r ** (k + 1) / (1 + r)

    steps = [at_most(k) for k in span[:-1]] + [Fraction(1)]
    masses = [steps[0], *(b - a for a, b in pairwise(steps))]
    return [(k, mass) for k, mass in zip(span, masses, strict=True) if mass]


DRAWS: dict[str, tuple[Callable[..., Distribution], tuple[str, ...]]] = {
    "flip": (_draw_flip, ("p",)),
    "uniform": (_draw_uniform, ("low", "high")),
    "choose": (_draw_choose, ("distribution",)),
    "geometric": (_draw_geometric, ("ratio", "low", "high")),
}
"""Name of a draw → its distribution, and its parameters."""

PRIMITIVES: dict[str, Callable[..., object]] = {
    "flip": flip,
    "uniform": uniform,
    "choose": choose,
    "geometric": geometric,
    "announce": announce,
    "ask": ask,
}
"""Name → the function that stands for it in Python."""
