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

A program is compiled from its syntax: there the functions of this module are names, whose laws are explored. In plain
code they are functions: a draw asks the source that is in force (`draws`) for an outcome of the same law, exactly, with
no tail cut off; `announce` tells that source, and ``ask`` is an error, as nobody is there who could answer. A float is
read as the decimal that was typed, and refused where arithmetic has rounded it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...draws.laws import DrawnLaw, GaussianNoise, TwoSidedNoise, Uniform, Weighted
from ...draws.source import in_force
from ...errors import Defect, InputError
from ...numbers import real as reals
from ...numbers.ball import Irrational
from ...numbers.exponential import over_one_denominator
from ...numbers.fraction import Number as PlainNumber
from ...numbers.fraction import as_typed, format_fraction, in_brief, parse_fraction
from ...numbers.precision import WEIGHT_BITS
from ...numbers.real import ball_of, combine, exact_of, note_sign
from ...numbers.real import exp as exp_of
from .numbers import ENCLOSED, MAX_OUTCOMES, RATIONAL, Law, WeightInterval, law_of
from .source import Problem, ProgramError
from .unbounded import Normal, Span, TwoSided
from .values import BUILTINS, KINDS, MAX_BITS, Value, check_size, kind, show

if TYPE_CHECKING:
    from .unbounded import Unbounded

T = TypeVar("T")

LawNumber = PlainNumber | Decimal | Irrational
"""What may be given where a draw needs a number: exact ones, their text, decimals, and what exp, log and sqrt make."""

Distribution = Callable[..., DrawnLaw]
"""What a draw's arguments make of it."""

TAIL = "1e-30"
"""How much is cut off at most, unless a draw says otherwise."""


KEPT_LAWS = 512
"""How many laws are kept, with their tables, for arguments that come again."""


def flip(p: LawNumber) -> bool:
    """True with probability ``p``, False otherwise."""
    return bool(in_force().draw(_law(_flip, p)))


def uniform(low: int, high: int) -> int:
    """An integer from ``low`` to ``high``, both included, each with the same probability."""
    return in_force().draw(_law(_uniform, low, high))  # type: ignore[no-any-return]


def choose(
    distribution: Mapping[T, LawNumber] | Sequence[T] = (),
    weights: Mapping[T, LawNumber] | Sequence[LawNumber] = (),
) -> T:
    """One of the keys, with the probability that is its entry; or one of the values, in proportion to its weight."""
    return in_force().draw(_make(_choose, distribution, weights))  # type: ignore[no-any-return]


def randomised_response(value: T, options: Sequence[T], epsilon: LawNumber) -> T:
    """The value with probability e^ε/(e^ε + k − 1), any other of the k options with the same."""
    return in_force().draw(_make(_response, value, options, epsilon))  # type: ignore[no-any-return]


def geometric(ratio: LawNumber, low: int | None = None, high: int | None = None, tail: LawNumber = TAIL) -> int:
    """Two-sided geometric noise on all integers, or its tails collected at ``low`` and ``high``."""
    return in_force().draw(_law(_geometric, ratio, low, high, tail))  # type: ignore[no-any-return]


def discrete_laplace(scale: LawNumber, tail: LawNumber = TAIL) -> int:
    """Noise on all integers, P(Z = z) ∝ e^(−|z|/scale)."""
    return in_force().draw(_law(_laplace, scale, tail))  # type: ignore[no-any-return]


def discrete_gaussian(sigma: LawNumber, tail: LawNumber = TAIL) -> int:
    """Noise on all integers, P(Z = z) ∝ e^(−z²/2σ²)."""
    return in_force().draw(_law(_gaussian, sigma, tail))  # type: ignore[no-any-return]


def exp(value: LawNumber) -> Any:
    """The exponential of the value, as a probability, a weight or a parameter."""
    return _function_of("exp", value)


def log(value: LawNumber) -> Any:
    """The natural logarithm, as a probability, a weight or a parameter."""
    return _function_of("log", value)


def sqrt(value: LawNumber) -> Any:
    """The square root, as a probability, a weight or a parameter."""
    return _function_of("sqrt", value)


def announce(value: object) -> None:
    """Show ``value``, as text, to the observer: one output."""
    in_force().announce(value)


def ask(*options: T) -> T:  # noqa: ARG001
    """The option that the observer chooses, by its text, among those that are shown."""
    what = "ask() has a meaning only inside a function that is decorated with @program"
    raise ProgramError(Defect("", what, "in plain code nobody can answer: pass the choice as an argument"))


# Plain code: arguments to laws.


_KEYS = frozenset((int, bool, float, str, Fraction, Decimal, type(None)))
"""What is compared with what is kept. Anything else may answer in its own way, and is read anew: noise that a recorder
hands out, for one, tells its value apart when it is compared."""


def _are_keys(numbers: Iterable[Any]) -> bool:
    return all(type(number) in _KEYS or isinstance(number, Irrational) for number in numbers)


def _law(make: Callable[..., DrawnLaw], *numbers: Any) -> DrawnLaw:
    """The law that numbers make, kept with its tables for the next time."""
    if not (_KEYS.issuperset(map(type, numbers)) or _are_keys(numbers)):
        return _make(make, *numbers)
    try:
        return _keep(make, *numbers)
    except (Problem, ValueError) as error:
        raise _refusal(error) from None


def _make(make: Callable[..., DrawnLaw], *arguments: Any) -> DrawnLaw:
    """The law that arguments make, read anew: equal values, such as True and 1, are not always the same outcome."""
    try:
        return make(*arguments)
    except (Problem, ValueError) as error:
        raise _refusal(error) from None


def _refusal(error: Problem | ValueError) -> InputError:
    """What plain code is told; a bare ValueError is about a number that cannot be enclosed."""
    if isinstance(error, InputError):
        return error
    return InputError(
        error.defect() if isinstance(error, Problem) else Defect("", str(error), "give a number nearer to 1")
    )


@lru_cache(maxsize=KEPT_LAWS, typed=True)
def _keep(make: Callable[..., DrawnLaw], *arguments: Any) -> DrawnLaw:
    return make(*arguments)


def _function_of(name: str, value: Any) -> Any:
    """The function of a number, kept for the next time."""
    try:
        return (_kept_number if _are_keys((value,)) else _compute)(name, value)
    except Problem as problem:
        raise _refusal(problem) from None


def _compute(name: str, value: Any) -> Any:
    return BUILTINS[name].function(_number(value, name, "give a number"))


_kept_number = lru_cache(maxsize=KEPT_LAWS, typed=True)(_compute)


def _kind(value: Any) -> str:
    return kind(value) if type(value) in KINDS or isinstance(value, Irrational) else type(value).__name__


def _number(value: Any, what: str, fix: str, wanted: str = "a number") -> Fraction | Irrational:
    """A number that is given as one, or as text."""
    if isinstance(value, Irrational):
        return value
    if isinstance(value, bool):
        raise Problem(f"{what}: {value} is a bool, not {wanted}", fix)
    try:
        return _exactly(value)
    except (ValueError, OverflowError) as reason:
        how = "give a Fraction or text, such as '1/3'" if isinstance(value, float) else fix
        raise Problem(f"{what}: {show(value)} is not {wanted}: {reason}", how) from None
    except TypeError:
        raise Problem(f"{what}: {show(value)} is {_kind(value)}, not {wanted}", fix) from None


def _exactly(value: Any) -> Fraction:
    """A number, its text, or the decimal that a float was typed as; ValueError or TypeError for anything else."""
    if type(value) is Fraction:
        return value
    if isinstance(value, str):
        return parse_fraction(value)
    if isinstance(value, float):
        return as_typed(value)
    if isinstance(value, int | Fraction | Decimal):
        return Fraction(value)
    return Fraction(operator.index(value))  # NumPy's integers


def _above_zero(value: Value, what: str) -> Fraction | Irrational:
    fix = "give a number above 0"
    number = _short(_number(value, what, fix), what)
    if _sign(number, what) <= 0:
        raise Problem(f"{what}: {show(value)} is not above 0", fix)
    return number


def _short(number: Fraction | Irrational, what: str) -> Fraction | Irrational:
    """The number, if it is not longer than those that programs compute with."""
    try:
        check_size(number)
    except Problem as problem:
        raise Problem(f"{what}: {problem.what}", problem.fix) from None
    return number


def _sign(number: Fraction | Irrational, what: str) -> int:
    """−1, 0 or 1; Problem if an enclosed number cannot be told from 0."""
    if isinstance(number, Fraction):
        return (number > 0) - (number < 0)
    exact = exact_of(number)
    note_sign(exact)
    if exact is not None:
        return exact.sign
    ball = ball_of(number)
    if not (ball > 0 or ball < 0):
        raise Problem(f"{what}: {show(number)} cannot be told from 0 in the digits that are computed", "simplify it")
    return 1 if ball > 0 else -1


def probability(value: Any, what: str) -> Fraction | Irrational:
    """The number in [0, 1] that is given as one, or as text; Problem, with the name of the draw, for anything else."""
    if isinstance(value, Irrational):
        if _sign(value, what) < 0 or _sign(_complement(value), what) < 0:
            raise Problem(f"{what}: {show(value)} is not between 0 and 1", "a probability lies in [0, 1]")
        return value
    number = _number(value, what, "write 1/2, 0.5 or '49/100'", "a probability")
    if isinstance(number, Fraction) and not 0 <= number <= 1:
        raise Problem(f"{what}: {in_brief(number)} is outside [0, 1]", "a probability lies in [0, 1]")
    return number


def _complement(number: Fraction | Irrational) -> Fraction | Irrational:
    """1 − number."""
    if isinstance(number, Fraction):
        return 1 - number
    rest = combine("-", 1, number)
    return Fraction(rest) if isinstance(rest, int) else rest


def _whole_number(value: Any, what: str) -> int:
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise Problem(f"{what}: {show(value)} is {_kind(value)}", "give an int")


# The laws of the draws.


def _flip(p: Any) -> Weighted:
    heads = probability(p, "flip")
    return _parts("flip", (True, False), (heads, _complement(heads)), f"flip({_briefly(heads)})")


def _parts(name: str, values: Iterable[Any], weights: Iterable[Fraction | Irrational], text: str = "") -> Weighted:
    """Values in proportion to weights; those without weight are left out."""
    kept = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight != 0]
    return Weighted(name, tuple(value for value, _ in kept), tuple(weight for _, weight in kept), text)


def _briefly(number: Fraction | Irrational) -> str:
    return in_brief(number) if isinstance(number, Fraction) else show(number)[:40]


def _ends(name: str, low: Any, high: Any) -> tuple[int, int]:
    bottom, top = _whole_number(low, f"{name}'s low end"), _whole_number(high, f"{name}'s high end")
    if bottom > top:
        raise Problem(f"{name}: the low end {bottom} is above the high end {top}", "both ends are included")
    return bottom, top


def _uniform(low: Any, high: Any) -> Uniform:
    return Uniform(*_ends("uniform", low, high))


def _left_out(argument: Any) -> bool:
    """Whether an argument is not given: programs say so by (), plain code by () or None."""
    return argument is None or (isinstance(argument, tuple) and not argument)


def _choose(distribution: Any, weights: Any) -> Weighted:
    if not _left_out(weights):
        return _choose_weighted(distribution, weights)
    if not isinstance(distribution, Mapping):
        raise Problem(f"choose: {show(distribution)} is {_kind(distribution)}", "give a dict {value: probability}")
    masses = _each(probability, distribution, distribution.values())
    total = _sum(masses)
    if isinstance(total, Irrational) and _only_enclosed(total):
        what = "choose: probabilities that are only enclosed cannot be seen to sum to 1"
        raise Problem(what, "give them as weights: choose(weights={value: weight})")
    if total != 1:
        shown = format_fraction(total) if isinstance(total, Fraction) else show(total)
        raise Problem(f"choose: the probabilities sum to {shown}", "they must sum to exactly 1")
    return _parts("choose", distribution, masses)


def _each(read: Callable[[Any, str], T], values: Iterable[Any], numbers: Iterable[Any]) -> list[T]:
    """What is read from each number; Problem with the value that it belongs to, which is shown only then."""
    try:
        return [read(number, "choose") for number in numbers]
    except Problem:
        return [read(number, f"choose, {show(value)}") for value, number in zip(values, numbers, strict=True)]


def _sum(numbers: Sequence[Fraction | Irrational]) -> Fraction | Irrational:
    total: Any = Fraction(0)
    for number in numbers:
        if isinstance(total, Fraction) and isinstance(number, Fraction):
            total += number
        else:
            total = combine("+", total, number)
    return Fraction(total) if isinstance(total, int) else total


def _only_enclosed(number: Irrational) -> bool:
    return exact_of(number) is None


def _choose_weighted(values: Any, weights: Any) -> Weighted:
    """Values in proportion to weights: a dict of weights, with the values or without, or as many weights as values."""
    fix = "give choose(weights={value: weight}), or choose(values, weights=(…)) with a weight for each value"
    if isinstance(weights, Mapping):
        listed = tuple(weights) if _left_out(values) else values
        if not isinstance(listed, tuple | range | list):
            raise Problem(f"choose: {show(values)} is {_kind(values)}", fix)
        missing = [value for value in listed if value not in weights]
        if missing:
            raise Problem(f"choose: {show(missing[0])} has no weight", fix)
        given: Sequence[Any] = [weights[value] for value in listed]
    elif isinstance(weights, tuple | list) and isinstance(values, tuple | range | list) and len(weights) == len(values):
        listed, given = values, weights
    else:
        raise Problem(f"choose: {show(weights)} are not weights of {show(values)}", fix)
    if len(set(map(_apart, listed))) != len(listed):
        raise Problem("choose: a value is listed twice", "give each value once")
    numbers = _each(lambda weight, what: _number(weight, what, fix), listed, given)
    signs = _each(_sign, listed, numbers)
    if min(signs, default=0) < 0:
        raise Problem(f"choose: the weight of {show(listed[signs.index(-1)])} is negative", "weights are at least 0")
    if not any(signs):
        raise Problem("choose: all weights are 0", "give one that is above 0")
    return _parts("choose", listed, numbers)


def _apart(value: Any) -> Hashable:
    """A key that only the same value has: its text, as programs show it; an object of plain code, by its equality."""
    if type(value) in KINDS or isinstance(value, Irrational):
        return show(value)
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))
    return (type(value), value)


def _response(value: Any, options: Any, epsilon: Any) -> Weighted:
    name = "randomised_response"
    if not isinstance(options, tuple | range | list):
        raise Problem(f"{name}: the options {show(options)} are {_kind(options)}", "give a tuple or range")
    listed = tuple(options)
    keys = list(map(_apart, listed))
    if len(set(keys)) != len(keys):
        raise Problem(f"{name}: an option is listed twice", "give each option once")
    if _apart(value) not in keys:
        raise Problem(f"{name}: {show(value)} is not one of the options {show(options)}", "add it to them")  # type: ignore[arg-type]
    number = _short(_number(epsilon, f"{name}'s epsilon", "give a number, at least 0"), f"{name}'s epsilon")
    if _sign(number, f"{name}'s epsilon") < 0:
        raise Problem(f"{name}: epsilon {show(epsilon)} is negative", "give a number, at least 0")
    favored = exp_of(number)
    weight: Any = Fraction(favored) if isinstance(favored, int) else favored
    return _parts(name, listed, [weight if key == _apart(value) else Fraction(1) for key in keys])


def _ratio(value: Any) -> Fraction | Irrational:
    ratio = probability(value, "geometric's ratio")
    if ratio == 1:
        raise Problem("geometric: ratio 1 has no distribution", "the ratio is below 1")
    return ratio


def _limit(name: str, tail: Any) -> Fraction:
    fix = "give a number between 0 and 1, such as '1e-30'"
    number = _number(tail, f"{name}'s tail", fix)
    if isinstance(number, Irrational) or not 0 < number < 1:
        raise Problem(f"{name}: the tail {show(tail)} is not a fraction between 0 and 1", fix)
    return number


def _geometric(ratio: Any, low: Any, high: Any, tail: Any) -> TwoSidedNoise:
    r = _ratio(ratio)
    limit = _limit("geometric", tail)
    if _left_out(low) != _left_out(high):
        raise Problem("geometric: one end is missing", "give both ends, or none for noise on all integers")
    if _left_out(low):
        return TwoSidedNoise("geometric", r, limit, text=f"geometric({_briefly(r)})")
    bottom, top = _ends("geometric", low, high)
    return TwoSidedNoise("geometric", r, limit, bottom, top, f"geometric({_briefly(r)}, {bottom}, {top})")


def _laplace(scale: Any, tail: Any) -> TwoSidedNoise:
    number, limit = _above_zero(scale, "discrete_laplace's scale"), _limit("discrete_laplace", tail)
    ratio: Any = exp_of(combine("/", -1, number))
    return TwoSidedNoise("discrete_laplace", ratio, limit, text=f"discrete_laplace({_briefly(number)})")


def _gaussian(sigma: Any, tail: Any) -> GaussianNoise:
    return GaussianNoise(_above_zero(sigma, "discrete_gaussian's sigma"), _limit("discrete_gaussian", tail))


# Programs: laws as what is explored.


def law_to_explore(law: DrawnLaw) -> Law | Unbounded:
    """The law as programs explore it: finite, with weights over one total, or noise on all integers."""
    if isinstance(law, Weighted):
        return _weigh_values(law.values, law.weights)
    if isinstance(law, Uniform):
        span = _count("uniform", law.low, law.high)
        return Law(span, (1,) * len(span), len(span))
    if isinstance(law, TwoSidedNoise):
        return _two_sided(law)
    return Normal(law.sigma, law.tail, law.name)


def _count(name: str, low: int, high: int) -> range:
    if high - low >= MAX_OUTCOMES:
        raise Problem(f"{name}: {high - low + 1} outcomes", f"the limit is {MAX_OUTCOMES}")
    return range(low, high + 1)


def _two_sided(law: TwoSidedNoise) -> Law | Unbounded:
    r = law.ratio
    if law.low is None or law.high is None:
        return TwoSided(r, law.tail, law.name) if r != 0 else Law((0,), (1,), 1)
    span = _count(law.name, law.low, law.high)
    if r == 0:
        return Law((min(max(0, span[0]), span[-1]),), (1,), 1)
    furthest = max(abs(span[0]), abs(span[-1]))
    if isinstance(r, Fraction) and furthest * r.denominator.bit_length() > 16 * MAX_BITS:
        what = f"{law.name}: {format_fraction(r)} to the power {furthest} is too long a number"
        raise Problem(what, "bring the ends closer to 0")
    if len(span) == 1:
        return Law((span[0],), (1,), 1)
    # What is below the low end is moved to it, and what is above the high end.
    spans = [Span(None, span[0]), *(Span(z, z) for z in span[1:-1]), Span(span[-1], None)]
    noise = TwoSided(r, law.tail, law.name)
    weights, total, base = noise.weigh(spans, cut=False)
    return law_of(list(span), weights, total, base, noise.why)


def _weigh_values(values: Iterable[Value], weights: Sequence[Fraction | Irrational]) -> Law:
    """Each value with a probability in proportion to its weight; those without weight are left out."""
    if not any(isinstance(weight, Irrational) for weight in weights):
        total = math.lcm(*(weight.denominator for weight in weights))  # type: ignore[union-attr]
        numbers: list[Any] = [weight.numerator * (total // weight.denominator) for weight in weights]  # type: ignore[union-attr]
        return _with_weight(values, numbers, sum(numbers), RATIONAL)
    exact = [reals.exact_of(weight) for weight in weights]
    if all(number is not None for number in exact):
        try:
            base, tops, _ = over_one_denominator([number for number in exact if number is not None])
            return _with_weight(values, tops, sum(tops[1:], tops[0]), base)
        except InputError:
            pass  # exponents whose common denominator is too long: enclosed
    numbers = [
        WeightInterval(*ends) for ends in reals.shares([reals.ball_of(weight) for weight in weights], WEIGHT_BITS)
    ]
    only = next((weight for weight, number in zip(weights, exact, strict=True) if number is None), None)
    why = "exponents are too long" if only is None else f"{show(only)[:60]} has no exact form"
    return Law(tuple(values), tuple(numbers), 1, ENCLOSED, why)


def _with_weight(values: Iterable[Value], weights: Sequence[Any], total: Any, base: int) -> Law:
    kept = [(v, w) for v, w in zip(values, weights, strict=True) if w != 0]
    return law_of([value for value, _ in kept], [weight for _, weight in kept], total, base)


class Draw(NamedTuple):
    """A draw's law, its parameters, and the values of those that may be left out."""

    distribution: Distribution
    parameters: tuple[str, ...]
    defaults: Mapping[str, Value] = {}


DRAWS: dict[str, Draw] = {
    "flip": Draw(_flip, ("p",)),
    "uniform": Draw(_uniform, ("low", "high")),
    "choose": Draw(_choose, ("distribution", "weights"), {"distribution": (), "weights": ()}),
    "randomised_response": Draw(_response, ("value", "options", "epsilon")),
    "geometric": Draw(_geometric, ("ratio", "low", "high", "tail"), {"low": (), "high": (), "tail": TAIL}),
    "discrete_laplace": Draw(_laplace, ("scale", "tail"), {"tail": TAIL}),
    "discrete_gaussian": Draw(_gaussian, ("sigma", "tail"), {"tail": TAIL}),
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
