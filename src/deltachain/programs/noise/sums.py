"""Sums of independent noise: one law in place of a walk over pairs of outcomes.

Let a run draw z₁ from all integers, and then z₂, …, before anything is seen. What follows is first run with all of them
unknown. Where every value that is still read depends on them through u = z₁ ± z₂ ± … alone, a run with u in place of z₁
and 0 in place of the others does the same, and the law of u is the convolution of their laws, each cut off at its reach
(noise is symmetric: signs do not matter). Otherwise, outcomes of each are told apart.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpz_poly

from ...numbers.precision import WEIGHT_BITS
from ..language.graph import Apply, Constant, Decide, Expression, Kind, Variable, bake
from ..language.numbers import ENCLOSED, MAX_OUTCOMES, RATIONAL, Law, Weight, WeightInterval, law_of
from ..language.source import Problem
from ..language.unbounded import Span, Unbounded
from ..language.values import BINARY, UNARY
from .spread import beyond

if TYPE_CHECKING:
    from ..run.explore import Explorer
    from ..run.outcomes import Outcomes, Prepared

MOST_SUMMED = 64
"""How many draws are added up at once."""
LARGEST = 1 << 64
"""Numbers in linear forms are smaller: no value of one can be beyond the limits of values."""


class Linear(NamedTuple):
    """Whole multiples of the outcomes, one for each draw, plus something known."""

    factors: tuple[int, ...]


@dataclass(frozen=True)
class OfSum:
    """A value that depends on the outcomes through z₁ ± z₂ ± … alone; the signs, that of z₁ first."""

    signs: tuple[int, ...]


SumForm = Linear | OfSum | None
"""What is known of an expression: None is nothing."""


class Sum(NamedTuple):
    """Draws whose outcomes only matter added up: their laws, and what a run does after the last of them."""

    noises: list[Unbounded]
    root: Prepared


def sum_draws(explorer: Explorer, outcomes: Outcomes, first: Unbounded, variable: str, root: Prepared) -> Sum | None:
    """The longest sum that begins with this draw; None if no second draw is only added to it.

    ``root`` is what a run does up to where it stops, with the outcome of the draw unknown.
    """
    noises, best = [first], None
    names: dict[str, SumForm] = {variable: Linear((1,))}
    # All outcomes unknown, to see what depends on them; and beside it what is run, where the later outcomes are 0.
    seen = run = root
    read = 0
    while seen.test is None and not seen.left_to_runs:
        for name, expression in seen.expressions[read:]:
            names[name] = form_of(expression, names, len(noises))
            if names[name] is None:
                return best  # it may have no value for some outcomes
        read = len(seen.expressions)
        if len(noises) > 1 and _only_sums(explorer, seen, names, len(noises)):
            best = Sum(noises.copy(), run)
        i = explorer.graph.instructions[seen.point]
        if i.kind is not Kind.DRAW or not seen.holes or len(noises) == MOST_SUMMED:
            return best
        following = explorer.noise_at(i, seen.environment, seen.unknown)
        if following is None:
            return best
        noises.append(following)
        # A draw that is added later enters the forms of all before it with the factor 0.
        names = {name: _longer(form) for name, form in names.items()}
        names[i.writes[0]] = Linear((*(0,) * (len(noises) - 1), 1))
        seen, run = outcomes.beyond(seen, i), outcomes.beyond(run, i, 0)
    return best


def _longer(form: SumForm) -> SumForm:
    """The form beside one more draw, which it does not depend on."""
    if isinstance(form, OfSum):
        # A function of a sum is none of a longer sum.
        return None if any(form.signs) else OfSum((*form.signs, 0))
    return None if form is None else Linear((*form.factors, 0))


def _only_sums(explorer: Explorer, part: Prepared, names: Mapping[str, SumForm], draws: int) -> bool:
    """Whether all that matters where the part stops depends on the sum alone, and some of it does."""
    i, after, forms = explorer.graph.instructions[part.point], part.point, list[SumForm]()
    if i.kind is Kind.ANNOUNCE:
        shown = bake(i.reads[0], part.environment, part.unknown, explorer.slots)
        after, forms = i.next, [form_of(shown, names, draws)]
    forms += [names.get(name) for name in explorer.live[after] if explorer.slots[name] in part.unknown]
    signs = {_signs(form) for form in forms} - {(0,) * draws}
    return None not in signs and len(signs) == 1


def _signs(form: SumForm) -> tuple[int, ...] | None:
    """The signs of the sum that the form depends on: zeros if it is constant, None if it is not a function of one."""
    if isinstance(form, OfSum):
        return form.signs
    if form is None or len({abs(factor) for factor in form.factors}) > 1:
        return None
    first = form.factors[0]
    return tuple(0 if not first else 1 if factor == first else -1 for factor in form.factors)


_PLUS, _MINUS, _TIMES, _NEGATED = BINARY["Add"], BINARY["Sub"], BINARY["Mult"], UNARY["USub"]


def form_of(expression: Expression, names: Mapping[str, SumForm], draws: int) -> SumForm:
    """How the expression depends on the outcomes; every value of a linear form is whole."""
    none = (0,) * draws
    if isinstance(expression, Constant):
        whole = type(expression.value) is int and abs(expression.value) < LARGEST
        return Linear(none) if whole else OfSum(none)
    if isinstance(expression, Variable):
        return names.get(expression.name)
    forms = [form_of(part, names, draws) for part in expression.parts]
    linear = _combine(expression, forms) if isinstance(expression, Apply) else None
    if linear is not None and max(map(abs, linear.factors)) < LARGEST:
        return linear
    # Any function of such values is one of the sum, if it is the same sum.
    signs = {_signs(form) for form in forms} - {none}
    if None in signs or len(signs) > 1 or not isinstance(expression, Apply | Decide):
        return None
    return OfSum(next((found for found in signs if found is not None), none))


def _combine(expression: Apply, forms: Sequence[SumForm]) -> Linear | None:
    lines = [form.factors for form in forms if isinstance(form, Linear)]
    if len(lines) != len(forms):
        return None
    if expression.function is _NEGATED:
        return Linear(tuple(-a for a in lines[0]))
    if expression.function in (_PLUS, _MINUS):
        sign = 1 if expression.function is _PLUS else -1
        return Linear(tuple(a + sign * b for a, b in zip(*lines, strict=True)))
    if expression.function is _TIMES:
        for line, factor in ((lines[0], expression.parts[1]), (lines[1], expression.parts[0])):
            if isinstance(factor, Constant) and type(factor.value) is int:
                return Linear(tuple(a * factor.value for a in line))
    return None


def law_of_sum(noises: Sequence[Unbounded]) -> Law | None:
    """The law of the sum of independent noises, lost mass last, with the value None; None if it has too many values."""
    try:
        reaches = [noise.reach for noise in noises]
    except Problem:
        return None  # further than can be told apart: it may not have to be, where it is not added up
    if 2 * sum(reaches) + 1 > MAX_OUTCOMES:
        return None
    parts = [_cut(noise, reach) for noise, reach in zip(noises, reaches, strict=True)]
    values = [*range(-sum(reaches), sum(reaches) + 1), None]
    size = len(values) - 1
    if all(part.base == RATIONAL for part in parts):
        inside = _convolve([part.weights[:-1] for part in parts], size)
        total = math.prod(part.total for part in parts)
        return law_of(values, [*inside, total - sum(inside)], total)
    intervals = [_intervals(part) for part in parts]
    shift = WEIGHT_BITS * (len(parts) - 1)
    # Weights are not negative, so products of lower ends stay below, and of upper ends above; shifts round outward.
    lows = _convolve([[w.low for w in weights[:-1]] for weights in intervals], size)
    highs = _convolve([[w.high for w in weights[:-1]] for weights in intervals], size)
    both = [WeightInterval(low >> shift, -(-high >> shift)) for low, high in zip(lows, highs, strict=True)]
    lost = [weights[-1] for weights in intervals]
    # What one of them loses is lost, and no more than what all of them lose.
    outside = WeightInterval(max(one.low for one in lost), sum(one.high for one in lost))
    why = "; ".join(dict.fromkeys(noise.why for noise in noises if noise.why))
    return Law(tuple(values), (*both, outside), 1, ENCLOSED, why)


def _cut(noise: Unbounded, reach: int) -> Law:
    lost = beyond(None, None, reach)
    spans = [*(Span(z, z) for z in range(-reach, reach + 1)), *lost]
    weights, total, base = noise.weigh(spans, cut=True)
    whole = [*weights[: -len(lost)], sum(weights[-len(lost) + 1 :], weights[-len(lost)])]
    return Law((), tuple(whole), total, base)


def _intervals(law: Law) -> list[WeightInterval]:
    if law.base == ENCLOSED:
        return list(law.weights)
    return [WeightInterval((w << WEIGHT_BITS) // law.total, -((-w << WEIGHT_BITS) // law.total)) for w in law.weights]


def _convolve(factors: Sequence[Sequence[Weight]], size: int) -> list[int]:
    """The convolution: the coefficients of the product of polynomials with these."""
    product = reduce(operator.mul, (fmpz_poly(list(weights)) for weights in factors))
    found = [int(coefficient) for coefficient in product.coeffs()]
    return found + [0] * (size - len(found))
