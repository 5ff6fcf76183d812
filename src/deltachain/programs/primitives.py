"""The probabilistic primitives: their names, and the distribution that each draws from.

``flip(p)`` is True with probability p. ``uniform(low, high)`` is an integer, both ends included. ``choose({value:
probability})`` is one of the values; with ``weights``, each value has a probability in proportion to its weight, as in
the exponential mechanism (McSherry, Talwar 2007). ``randomised_response(value, options, epsilon)`` is the value with
probability e^ε/(e^ε + k − 1), and each of the k − 1 other options with the same (Warner 1965; Kairouz, Oh, Viswanath
2016).

``geometric(ratio)`` is two-sided geometric noise Z, P(Z = z) = (1 − r)/(1 + r)·r^|z| on all integers; with ``low`` and
``high``, everything below ``low`` is moved to ``low`` and everything above ``high`` to ``high``: so ``x + geometric(r,
-x, m - x)`` is the truncated geometric mechanism on 0 … m (Ghosh, Roughgarden, Sundararajan 2009).
``discrete_laplace(scale)`` is the same with the ratio e^(−1/scale), ``discrete_gaussian(sigma)`` is P(Z = z) ∝
e^(−z²/2σ²) (Canonne, Kamath, Steinke 2020). Where outcomes without end must be told apart one by one, those that have
no more than the probability ``tail`` together are cut off.

``announce(value)`` makes one visible letter. ``ask(option, …)`` shows which options there are, waits for the observer,
and is the option that they name. ``exp``, ``log`` and ``sqrt`` are numbers for probabilities, weights and parameters.

The functions of this module are only names for the reader and the type checker: a program is compiled from its syntax,
and calling one outside a program is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from ..errors import InputError
from ..numbers.ball import Irrational
from ..numbers.fraction import Number, as_probability, format_fraction, parse_fraction
from ..numbers.precision import WEIGHT_BITS
from .numbers import ENCLOSED, MAX_OUTCOMES, RATIONAL, Interval, Law, law_of
from .source import Problem, ProgramError
from .values import MAX_BITS, Table, Value, kind, show

if TYPE_CHECKING:
    from .noise import Unbounded

T = TypeVar("T")

Distribution = Callable[..., "Law | Unbounded"]
"""What a draw's arguments make of it."""

TAIL = "1e-30"
"""How much is cut off at most, unless a draw says otherwise."""


def flip(p: Number) -> bool:  # noqa: ARG001
    """True with probability ``p``, False otherwise."""
    _outside("flip")


def uniform(low: int, high: int) -> int:  # noqa: ARG001
    """An integer from ``low`` to ``high``, both included, each with the same probability."""
    _outside("uniform")


def choose(
    distribution: Mapping[T, Number] | Sequence[T] = (),  # noqa: ARG001
    weights: Mapping[T, Number] | Sequence[Number] = (),  # noqa: ARG001
) -> T:
    """One of the keys, with the probability that is its entry; or one of the values, in proportion to its weight."""
    _outside("choose")


def randomised_response(value: T, options: Sequence[T], epsilon: Number) -> T:  # noqa: ARG001
    """The value with probability e^ε/(e^ε + k − 1), any other of the k options with the same."""
    _outside("randomised_response")


def geometric(ratio: Number, low: int = 0, high: int = 0, tail: Number = TAIL) -> int:  # noqa: ARG001
    """Two-sided geometric noise on all integers, or its tails collected at ``low`` and ``high``."""
    _outside("geometric")


def discrete_laplace(scale: Number, tail: Number = TAIL) -> int:  # noqa: ARG001
    """Noise on all integers, P(Z = z) ∝ e^(−|z|/scale)."""
    _outside("discrete_laplace")


def discrete_gaussian(sigma: Number, tail: Number = TAIL) -> int:  # noqa: ARG001
    """Noise on all integers, P(Z = z) ∝ e^(−z²/2σ²)."""
    _outside("discrete_gaussian")


def exp(value: Number) -> Fraction:  # noqa: ARG001
    """E to the power of the value, as a probability, a weight or a parameter."""
    _outside("exp")


def log(value: Number) -> Fraction:  # noqa: ARG001
    """The natural logarithm, as a probability, a weight or a parameter."""
    _outside("log")


def sqrt(value: Number) -> Fraction:  # noqa: ARG001
    """The square root, as a probability, a weight or a parameter."""
    _outside("sqrt")


def announce(value: object) -> None:  # noqa: ARG001
    """Show one letter, the text of ``value``, to whoever watches."""
    _outside("announce")


def ask(*options: T) -> T:  # noqa: ARG001
    """The option that the observer chooses, by its text, among those that are shown."""
    _outside("ask")


def _outside(name: str) -> NoReturn:
    raise ProgramError(f"{name}() has a meaning only inside a function that is decorated with @program")


def _number(value: Value, what: str, fix: str) -> Fraction | Irrational:
    """A number that is given as one, or as text."""
    if isinstance(value, Irrational):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Fraction | str):
        raise Problem(f"{what}: {show(value)} is {kind(value)}, not a number", fix)
    try:
        return parse_fraction(value) if isinstance(value, str) else Fraction(value)
    except ValueError as reason:
        raise Problem(f"{what}: {show(value)} is not a number: {reason}", fix) from None


def _above_zero(value: Value, what: str) -> Fraction | Irrational:
    fix = "give a number above 0"
    number = _number(value, what, fix)
    if _sign(number, what) <= 0:
        raise Problem(f"{what}: {show(value)} is not above 0", fix)
    return number


def _sign(number: Fraction | Irrational, what: str) -> int:
    """−1, 0 or 1; Problem if an enclosed number cannot be told from 0."""
    if isinstance(number, Fraction):
        return (number > 0) - (number < 0)
    from ..numbers.real import ball_of, exact_of

    exact = exact_of(number)
    if exact is not None:
        return exact.sign
    ball = ball_of(number)
    if not (ball > 0 or ball < 0):
        raise Problem(f"{what}: {show(number)} cannot be told from 0 in the digits that are computed", "simplify it")
    return 1 if ball > 0 else -1


def _probability(value: Value, what: str) -> Fraction | Irrational:
    if isinstance(value, Irrational):
        from ..numbers.real import combined

        rest = combined("-", 1, value)
        if _sign(value, what) < 0 or _sign(Fraction(rest) if isinstance(rest, int) else rest, what) < 0:
            raise Problem(f"{what}: {show(value)} is not between 0 and 1", "a probability lies in [0, 1]")
        return value
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


def _weighted(values: Iterable[Value], weights: Sequence[Fraction | Irrational]) -> Law:
    """Each value with a probability in proportion to its weight; those without weight are left out."""
    if not any(isinstance(weight, Irrational) for weight in weights):
        total = math.lcm(*(weight.denominator for weight in weights))  # type: ignore[union-attr]
        numbers: list[Any] = [weight.numerator * (total // weight.denominator) for weight in weights]  # type: ignore[union-attr]
        return _with_weight(values, numbers, sum(numbers), RATIONAL)
    from ..numbers import real as reals
    from ..numbers.exponential import over_one_denominator

    exact = [reals.exact_of(weight) for weight in weights]
    if all(number is not None for number in exact):
        try:
            base, tops, _ = over_one_denominator([number for number in exact if number is not None])
            return _with_weight(values, tops, sum(tops[1:], tops[0]), base)
        except InputError:
            pass  # exponents whose common denominator is too long: enclosed
    numbers = [Interval(*ends) for ends in reals.shares([reals.ball_of(weight) for weight in weights], WEIGHT_BITS)]
    only = next((weight for weight, number in zip(weights, exact, strict=True) if number is None), None)
    why = "exponents are too long" if only is None else f"{show(only)[:60]} has no exact form"
    return Law(tuple(values), tuple(numbers), 1, ENCLOSED, why)


def _with_weight(values: Iterable[Value], weights: Sequence[Any], total: Any, base: int) -> Law:
    kept = [(v, w) for v, w in zip(values, weights, strict=True) if w != 0]
    return law_of([value for value, _ in kept], [weight for _, weight in kept], total, base)


def _draw_flip(p: Value) -> Law:
    heads = _probability(p, "flip")
    if isinstance(heads, Fraction):
        return _weighted((True, False), (heads, 1 - heads))
    from ..numbers.real import combined

    tails = combined("-", 1, heads)
    return _weighted((True, False), (heads, Fraction(tails) if isinstance(tails, int) else tails))


def _span(name: str, low: Value, high: Value) -> range:
    bottom, top = _whole_number(low, f"{name}'s low end"), _whole_number(high, f"{name}'s high end")
    if bottom > top:
        raise Problem(f"{name}: the low end {bottom} is above the high end {top}", "both ends are included")
    if top - bottom >= MAX_OUTCOMES:
        raise Problem(f"{name}: {top - bottom + 1} outcomes", f"the limit is {MAX_OUTCOMES}")
    return range(bottom, top + 1)


def _draw_uniform(low: Value, high: Value) -> Law:
    span = _span("uniform", low, high)
    return Law(span, (1,) * len(span), len(span))


def _draw_choose(distribution: Value, weights: Value) -> Law:
    if weights != ():
        return _draw_weighted(distribution, weights)
    if not isinstance(distribution, Table):
        raise Problem(f"choose: {show(distribution)} is {kind(distribution)}", "give a dict {value: probability}")
    masses = [_probability(mass, f"choose, {show(value)}") for value, mass in distribution.items()]
    total = _sum(masses)
    if isinstance(total, Irrational) and _only_enclosed(total):
        what = "choose: probabilities that are only enclosed cannot be seen to sum to 1"
        raise Problem(what, "give them as weights: choose(weights={value: weight})")
    if total != 1:
        shown = format_fraction(total) if isinstance(total, Fraction) else show(total)
        raise Problem(f"choose: the probabilities sum to {shown}", "they must sum to exactly 1")
    return _weighted(distribution, masses)


def _sum(numbers: Sequence[Fraction | Irrational]) -> Fraction | Irrational:
    total: Any = Fraction(0)
    for number in numbers:
        if isinstance(total, Fraction) and isinstance(number, Fraction):
            total += number
        else:
            from ..numbers.real import combined

            total = combined("+", total, number)
    return Fraction(total) if isinstance(total, int) else total


def _only_enclosed(number: Irrational) -> bool:
    from ..numbers.real import exact_of

    return exact_of(number) is None


def _draw_weighted(values: Value, weights: Value) -> Law:
    """Values in proportion to weights: a dict of weights, with the values or without, or as many weights as values."""
    fix = "give choose(weights={value: weight}), or choose(values, weights=(…)) with a weight for each value"
    if isinstance(weights, Table):
        listed = tuple(weights) if values == () else values
        if not isinstance(listed, tuple | range):
            raise Problem(f"choose: {show(values)} is {kind(values)}", fix)
        missing = [value for value in listed if value not in weights]
        if missing:
            raise Problem(f"choose: {show(missing[0])} has no weight", fix)
        given: Sequence[Value] = [weights[value] for value in listed]
    elif isinstance(weights, tuple) and isinstance(values, tuple | range) and len(weights) == len(values):
        listed, given = values, weights
    else:
        raise Problem(f"choose: {show(weights)} are no weights of {show(values)}", fix)
    if len(set(map(show, listed))) != len(listed):
        raise Problem("choose: a value is listed twice", "give each value once")
    numbers = [_number(weight, f"choose, {show(value)}", fix) for value, weight in zip(listed, given, strict=True)]
    signs = [_sign(number, f"choose, {show(value)}") for value, number in zip(listed, numbers, strict=True)]
    if min(signs, default=0) < 0:
        raise Problem(f"choose: the weight of {show(listed[signs.index(-1)])} is negative", "weights are at least 0")
    if not any(signs):
        raise Problem("choose: all weights are 0", "give one that is above 0")
    kept = [(value, number) for value, number, sign in zip(listed, numbers, signs, strict=True) if sign]
    return _weighted([value for value, _ in kept], [number for _, number in kept])


def _draw_response(value: Value, options: Value, epsilon: Value) -> Law:
    if not isinstance(options, tuple | range):
        raise Problem(f"randomised_response: the options {show(options)} are {kind(options)}", "give a tuple or range")
    listed = tuple(options)
    if len(set(map(show, listed))) != len(listed):
        raise Problem("randomised_response: an option is listed twice", "give each option once")
    if show(value) not in map(show, listed):
        raise Problem(f"randomised_response: {show(value)} is not one of the options {show(options)}", "add it to them")
    number = _number(epsilon, "randomised_response's epsilon", "give a number, at least 0")
    if _sign(number, "randomised_response's epsilon") < 0:
        raise Problem(f"randomised_response: epsilon {show(epsilon)} is negative", "give a number, at least 0")
    from ..numbers.real import exp as exp_of

    favoured = exp_of(number)
    weight: Any = Fraction(favoured) if isinstance(favoured, int) else favoured
    return _weighted(listed, [weight if show(option) == show(value) else Fraction(1) for option in listed])


def _ratio(value: Value) -> Fraction | Irrational:
    ratio = _probability(value, "geometric's ratio")
    if ratio == 1:
        raise Problem("geometric: ratio 1 has no distribution", "the ratio is below 1")
    return ratio


def _limit(name: str, tail: Value) -> Fraction:
    fix = "give a number between 0 and 1, such as '1e-30'"
    number = _number(tail, f"{name}'s tail", fix)
    if isinstance(number, Irrational) or not 0 < number < 1:
        raise Problem(f"{name}: the tail {show(tail)} is not a fraction between 0 and 1", fix)
    return number


def _draw_geometric(ratio: Value, low: Value, high: Value, tail: Value) -> Law | Unbounded:
    r = _ratio(ratio)
    limit = _limit("geometric", tail)
    if (low == ()) != (high == ()):
        raise Problem("geometric: one end is missing", "give both ends, or none for noise on all integers")
    from .noise import Span, TwoSided

    if low == ():
        return TwoSided(r, limit, "geometric") if r != 0 else Law((0,), (1,), 1)
    span = _span("geometric", low, high)
    if r == 0:
        return Law((min(max(0, span[0]), span[-1]),), (1,), 1)
    furthest = max(abs(span[0]), abs(span[-1]))
    if isinstance(r, Fraction) and furthest * r.denominator.bit_length() > 16 * MAX_BITS:
        raise Problem(
            f"geometric: {show(ratio)} to the power {furthest} is too long a number", "bring the ends closer to 0"
        )
    if len(span) == 1:
        return Law((span[0],), (1,), 1)
    # What is below the low end is moved to it, and what is above the high end.
    spans = [Span(None, span[0]), *(Span(z, z) for z in span[1:-1]), Span(span[-1], None)]
    noise = TwoSided(r, limit, "geometric")
    weights, total, base = noise.weighed(spans, cut=False)
    return law_of(list(span), weights, total, base, noise.why)


def _draw_laplace(scale: Value, tail: Value) -> Unbounded:
    number, limit = _above_zero(scale, "discrete_laplace's scale"), _limit("discrete_laplace", tail)
    from ..numbers.real import combined
    from ..numbers.real import exp as exp_of
    from .noise import TwoSided

    return TwoSided(exp_of(combined("/", -1, number)), limit, "discrete_laplace")


def _draw_gaussian(sigma: Value, tail: Value) -> Unbounded:
    number, limit = _above_zero(sigma, "discrete_gaussian's sigma"), _limit("discrete_gaussian", tail)
    from .noise import Normal

    return Normal(number, limit, "discrete_gaussian")


class Draw(NamedTuple):
    """A draw's law, its parameters, and the values of those that may be left out."""

    distribution: Distribution
    parameters: tuple[str, ...]
    defaults: Mapping[str, Value] = {}


DRAWS: dict[str, Draw] = {
    "flip": Draw(_draw_flip, ("p",)),
    "uniform": Draw(_draw_uniform, ("low", "high")),
    "choose": Draw(_draw_choose, ("distribution", "weights"), {"distribution": (), "weights": ()}),
    "randomised_response": Draw(_draw_response, ("value", "options", "epsilon")),
    "geometric": Draw(_draw_geometric, ("ratio", "low", "high", "tail"), {"low": (), "high": (), "tail": TAIL}),
    "discrete_laplace": Draw(_draw_laplace, ("scale", "tail"), {"tail": TAIL}),
    "discrete_gaussian": Draw(_draw_gaussian, ("sigma", "tail"), {"tail": TAIL}),
}
"""Name of a draw → its distribution, and its parameters."""

NUMERIC = frozenset(DRAWS[name].distribution for name in DRAWS if name not in ("choose", "randomised_response"))
"""The draws whose outcomes are numbers or truth values."""

PRIMITIVES: dict[str, Callable[..., object]] = {
    "flip": flip,
    "uniform": uniform,
    "choose": choose,
    "randomised_response": randomised_response,
    "geometric": geometric,
    "discrete_laplace": discrete_laplace,
    "discrete_gaussian": discrete_gaussian,
    "announce": announce,
    "ask": ask,
    "exp": exp,
    "log": log,
    "sqrt": sqrt,
}
"""Name → the function that stands for it in Python."""
