"""The public verbs: thin functions from a chain and a privacy parameter to an answer with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from .chain import Chain
from .errors import InputError
from .rational import Number, alpha_above, alpha_below, as_alpha

if TYPE_CHECKING:
    from .distance.fixed_point import Distance
    from .distance.space import Kind

__all__ = ["distance", "exp_epsilon_bounds"]

State = str | int


def exp_epsilon_bounds(epsilon: Number | None, exp_epsilon: Number | None) -> tuple[Fraction, Fraction]:
    """(α_below, α_above) with α_below ≤ e^ε ≤ α_above; equal when e^ε itself is given."""
    if (epsilon is None) == (exp_epsilon is None):
        raise InputError("give epsilon or exp_epsilon (that is, e^epsilon), one of the two")
    if exp_epsilon is not None:
        alpha = as_alpha(exp_epsilon)
        return alpha, alpha
    assert_number: Number = epsilon if epsilon is not None else 0
    return alpha_below(assert_number), alpha_above(assert_number)


def distance(
    chain: Chain,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    kind: Kind = "bd",
    pairs: Iterable[tuple[State, State]] | None = None,
    exact: bool | None = None,
    report: Callable[[str], None] | None = None,
) -> Distance:
    """bd or ld of the chain as given; ``pairs`` defaults to every same-label pair.

    For ``epsilon`` the distance is computed at a rational α_below ≤ e^ε (relative error 2^-60), which makes it an
    upper bound of the distance at e^ε; at ``exp_epsilon`` it is what `Distance.side` says.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> d = distance(chain, exp_epsilon="1.0002")
    >>> d["s0", "s1"], d.side
    (Fraction(1, 2500), 'exact')
    """
    from .distance.fixed_point import solve

    if kind not in ("bd", "ld"):
        raise InputError(f"kind: {kind!r} is neither 'bd' nor 'ld'")
    below, _ = exp_epsilon_bounds(epsilon, exp_epsilon)
    numbered = None if pairs is None else [(chain.number(s), chain.number(t)) for s, t in pairs]
    if numbered is not None and not numbered:
        raise InputError("pairs: none given; name at least one pair, or leave it out for all")
    return solve(chain, below, kind=kind, pairs=numbered, exact=exact, report=report)
