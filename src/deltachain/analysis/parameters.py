"""What the verbs are given: a privacy parameter, pairs of states, the limits of a search. Read exactly, and checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..chain import Chain
from ..errors import InputError
from ..rational import Number, alpha_above, alpha_below, as_alpha, as_fraction

if TYPE_CHECKING:
    from ..beliefs.intervals import Prepared, Search
    from ..beliefs.unroll import Interval

__all__ = ["Report", "State", "exp_epsilon_bounds", "pair_numbers", "prepared", "search_for"]

State = str | int
Report = Callable[[str], None]


def exp_epsilon_bounds(epsilon: Number | None, exp_epsilon: Number | None) -> tuple[Fraction, Fraction]:
    """(α_below, α_above) with α_below ≤ e^ε ≤ α_above; equal when e^ε itself is given."""
    if epsilon is not None and exp_epsilon is None:
        return alpha_below(epsilon), alpha_above(epsilon)
    if exp_epsilon is not None and epsilon is None:
        alpha = as_alpha(exp_epsilon)
        return alpha, alpha
    raise InputError("give epsilon or exp_epsilon (that is, e^epsilon), one of the two")


def pair_numbers(chain: Chain, pairs: Iterable[tuple[State, State]] | None) -> list[tuple[int, int]]:
    """The pairs by number; those of the chain's relation by default. InputError if there are none."""
    numbered = list(chain.relation) if pairs is None else [(chain.number(s), chain.number(t)) for s, t in pairs]
    if not numbered:
        names = ", ".join(chain.states[:8]) + (", …" if len(chain) > 8 else "")
        raise InputError(f"no pairs to compare: the chain carries no relation; name two of its states ({names})")
    return list(dict.fromkeys(numbered))


def search_for(
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    enough: Callable[[Sequence[Interval]], bool] | None = None,
) -> Search:
    """The limits of a search, checked."""
    from ..beliefs.intervals import Search

    width = None if gap is None else as_fraction(gap, "gap")
    if width is not None and width <= 0:
        raise InputError("gap: it must be above 0 (leave it out for the best that can be had)")
    if max_nodes is not None and max_nodes < 1:
        raise InputError(f"max_nodes: {max_nodes} is below 1")
    if timeout is not None and not timeout > 0:
        raise InputError(f"timeout: {timeout} seconds; it must be above 0")
    end = None if timeout is None else time.monotonic() + timeout
    return Search(
        gap=width,
        max_nodes=max_nodes,
        stop=lambda: end is not None and time.monotonic() >= end,
        enough=enough,
        report=report or (lambda _: None),
    )


def prepared(chain: Chain, s: State | None, t: State | None, pairs: Iterable[tuple[State, State]] | None) -> Prepared:
    """The pairs asked for: two states, or pairs, or the chain's relation; ready to be asked at any α."""
    from ..beliefs.intervals import Prepared

    if (s is None) != (t is None) or (s is not None and pairs is not None):
        raise InputError("name two states, or give pairs, or neither for the chain's relation")
    if s is not None and t is not None:
        pairs = [(s, t)]
    return Prepared(chain, pair_numbers(chain, pairs))
