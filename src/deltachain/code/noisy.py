"""Noise on all integers in ordinary code: a whole number that knows its law, and is split where code looks at it.

While code is recorded, `discrete_laplace` and its like do not return an int. They return a `NoisyNumber`: the value
⌊slope·Z + shift⌋ of an outcome Z that is not known yet. Sums with ints, negation, ``//`` and products with ints are
such values again. A comparison is one threshold on Z: what is known of Z is split in two there, with exact
probabilities however long the tails, and the run goes on with one part, other runs with the other. ``%`` splits by
remainders. Where code needs the digits (``int()``, an index, a hash, a format, a float), outcomes are told apart one
by one up to the reach of the noise, and what is beyond is cut off. What is known of Z is kept by the run, so that
every value made from Z sees it.

Where two noises meet, the older one is told apart and the newer one is split: the older is what the code keeps and
compares again and again, such as the threshold of the sparse vector technique.

*Not a subclass of int*: C code reads the digits of an int without asking, and would silently see 0. A `NoisyNumber`
says that its class is int, so that ``isinstance``, ``match`` and dispatch work; code in C calls ``__index__``, or
raises TypeError. Whatever else tells it from an int (``type(x) is int``, that TypeError) is found when the run is
confirmed with real ints.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from ..programs.language.unbounded import Span, first_from
from ..programs.noise.pieces import Line, Periodic, Same, compare, remainders
from ..programs.noise.spread import told_apart

if TYPE_CHECKING:
    from ..draws.laws import DrawnLaw
    from ..programs.language.unbounded import Unbounded

Spans = tuple[Span, ...]
"""Outcomes that are left, each in one span."""

EVERYTHING: Spans = (Span(None, None),)

MOST_RESIDUES = 20_000
"""Beyond so many remainders, outcomes are told apart."""


class Latent:
    """Noise that a run has drawn: its law, and what is known of its outcome so far."""

    __slots__ = ("key", "law", "noise", "number", "shown", "spans")

    def __init__(self, number: int, key: Hashable, noise: Unbounded, law: DrawnLaw) -> None:
        self.number, self.key, self.noise, self.law = number, key, noise, law
        self.spans = EVERYTHING
        self.shown: tuple[int, int] | None = None
        """Where it was announced as a range, if it was: after which choice, and as which letter of the run."""

    @property
    def outcome(self) -> int | None:
        """The outcome, if only one is left."""
        if len(self.spans) == 1:
            low, high, *_ = self.spans[0]
            return low if low is not None and low == high else None
        return None


class Splits(Protocol):
    """What a noisy value asks of the run that it belongs to."""

    def latent(self, value: NoisyNumber) -> Latent:
        """The noise that the value is made from; refuses a value of another run."""

    def split(self, latent: Latent, parts: Sequence[Spans], lost: Spans = ()) -> int:
        """Which of the parts the run goes on with; what is known of the outcome becomes that part."""


def within(spans: Spans, low: int | None, high: int | None) -> Spans:
    """The outcomes between low and high, both included; None is no limit."""
    found = []
    for span in spans:
        bottom = low if span.low is None else span.low if low is None else max(span.low, low)
        top = high if span.high is None else span.high if high is None else min(span.high, high)
        part = tighten_span(Span(bottom, top, span.step, span.residue))
        if part is not None:
            found.append(part)
    return tuple(found)


def tighten_span(span: Span) -> Span | None:
    """The same outcomes in one form: ends that are outcomes, a single one without a step; None if there are none."""
    low, high, step, residue = span
    if low is not None:
        low = first_from(low, step, residue)
    if high is not None:
        high -= (high - residue) % step
    if low is not None and high is not None:
        if low > high:
            return None
        if low == high:
            return Span(low, high)
    return Span(low, high, step, residue % step)


def _number(other: object) -> Fraction | float | None:
    """A number that noise can be compared with, exactly; infinities and NaN as they are; None if it is not a number."""
    if isinstance(other, Rational):
        return Fraction(int(other)) if isinstance(other, Integral) else Fraction(other)
    if isinstance(other, Decimal | Real):
        value = float(other)
        if math.isinf(value) or math.isnan(value):
            return value
        return Fraction(other if isinstance(other, Decimal) else value)
    return None


class NoisyNumber:
    """⌊slope·Z + shift⌋ for the outcome Z of a run's noise."""

    __slots__ = ("_latent", "_line", "_run")
    # What `isinstance` and structural matching ask; `type` still tells.
    __class__ = property(lambda _: int)

    def __init__(self, run: Splits, latent: Latent, line: Line) -> None:
        self._run, self._latent, self._line = run, latent, line

    # What a run asks.

    @property
    def latent(self) -> Latent:
        """The noise that it is made from, as its run knows it; whoever made it."""
        return self._latent

    @property
    def line(self) -> Line:
        """Slope and shift."""
        return self._line

    @property
    def known(self) -> int | None:
        """Its value if that is known without asking for more."""
        outcome = self._run.latent(self).outcome
        return None if outcome is None else self.at(outcome)

    def at(self, outcome: int) -> int:
        """The value for an outcome."""
        return math.floor(self._line.slope * outcome + self._line.shift)

    # Digits.

    def __index__(self) -> int:
        return self.at(self._outcome())

    def _outcome(self) -> int:
        """The outcome: where it is not known yet, outcomes are told apart."""
        latent = self._run.latent(self)
        if latent.outcome is not None:
            return latent.outcome
        outcomes: list[int] = []
        lost: list[Span] = []
        for span in latent.spans:
            each, beyond = told_apart(latent.noise, span)
            outcomes += each
            lost += (part for found in beyond if (part := tighten_span(found)) is not None)
        return outcomes[self._run.split(latent, [(Span(z, z),) for z in outcomes], tuple(lost))]

    def __int__(self) -> int:
        return self.__index__()

    __trunc__ = __int__

    def __float__(self) -> float:
        return float(self.__index__())

    def __complex__(self) -> complex:
        return complex(self.__index__())

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __repr__(self) -> str:
        return repr(self.__index__())

    def __str__(self) -> str:
        return str(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)

    def __getattr__(self, name: str) -> Any:
        # NumPy asks for array interfaces, which ints do not have either.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__index__(), name)

    def __copy__(self) -> NoisyNumber:
        return self

    def __deepcopy__(self, _: object) -> NoisyNumber:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("noise that is not a number yet cannot be pickled")

    def __round__(self, digits: int | None = None) -> Any:
        return self if digits is None or digits >= 0 else round(self.__index__(), digits)

    def __floor__(self) -> NoisyNumber:
        return self

    __ceil__ = __pos__ = __floor__

    # Arithmetic.

    def _of(self, slope: int | Fraction, shift: int | Fraction) -> NoisyNumber:
        return NoisyNumber(self._run, self._latent, Line(slope, shift))

    def _with(self, other: NoisyNumber, function: Callable[[Any, Any], Any]) -> Any:
        """A function of two noises: the older one is told apart."""
        if self._run.latent(self).number < other._run.latent(other).number:
            return function(self.__index__(), other)
        return function(self, other.__index__())

    def __add__(self, other: Any) -> Any:
        if type(other) is NoisyNumber:
            if other._latent is self._latent and self._line.integral and other._line.integral:
                slope, shift = self._line.slope + other._line.slope, self._line.shift + other._line.shift
                return self._of(slope, shift) if slope else int(shift)
            return self._with(other, operator.add)
        if isinstance(other, Integral):
            return self._of(self._line.slope, self._line.shift + int(other))
        return self._on_digits(operator.add, other)

    __radd__ = __add__

    def __neg__(self) -> NoisyNumber:
        # −⌊y⌋ = ⌈−y⌉ = ⌊−y + (n − 1)/n⌋ for y with the denominator n.
        n = math.lcm(self._line.slope.denominator, self._line.shift.denominator)
        return self._of(-self._line.slope, -self._line.shift + Fraction(n - 1, n))

    def __sub__(self, other: Any) -> Any:
        if type(other) is NoisyNumber or isinstance(other, Integral):
            return self + -(other if type(other) is NoisyNumber else int(other))
        return self._on_digits(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, Integral) else self._on_digits_of(operator.sub, other)

    def __mul__(self, other: Any) -> Any:
        if type(other) is not NoisyNumber and isinstance(other, Integral):
            factor = int(other)
            if factor == 0:
                return 0
            if factor == 1:
                return self
            # ⌊y⌋·n is ⌊n·y⌋ only for whole y.
            if self._line.integral:
                return self._of(self._line.slope * factor, self._line.shift * factor)
        return self._on_digits(operator.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return self * other if isinstance(other, Integral) else self._on_digits_of(operator.mul, other)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is not NoisyNumber and isinstance(other, Integral) and other != 0:
            if other < 0:
                return -self // -int(other)
            # ⌊⌊y⌋/m⌋ = ⌊y/m⌋.
            return self._of(Fraction(self._line.slope) / int(other), Fraction(self._line.shift) / int(other))
        return self._on_digits(operator.floordiv, other)

    def __mod__(self, other: Any) -> Any:
        if type(other) is not NoisyNumber and isinstance(other, Integral) and other != 0 and self._line.integral:
            form = remainders(self._line.slope, self._line.shift, int(other))
            if isinstance(form, Same):
                return form.value
            if isinstance(form, Periodic):
                return self._remainder(form.values)
        return self._on_digits(operator.mod, other)

    def _remainder(self, values: Sequence[Any]) -> int:
        """Split by the remainder of the outcome, where remainders have these values."""
        latent = self._run.latent(self)
        # With a common step each class of remainders lies wholly inside a span's own class, or outside of it.
        step = math.lcm(len(values), *(span.step for span in latent.spans))
        if step > MOST_RESIDUES:
            return values[self._outcome() % len(values)]  # type: ignore[no-any-return]
        parts: dict[int, list[Span]] = {}
        for residue in range(step):
            for span in latent.spans:
                part = tighten_span(Span(span.low, span.high, step, residue))
                if part is not None and (residue - span.residue) % span.step == 0:
                    parts.setdefault(values[residue % len(values)], []).append(part)
        found = list(parts)
        return found[self._run.split(latent, [tuple(spans) for spans in parts.values()])]

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __invert__(self) -> Any:
        return -self - 1

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << other)

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << other)

    def _on_digits(self, function: Callable[[Any, Any], Any], other: Any) -> Any:
        return function(self.__index__(), other.__index__() if type(other) is NoisyNumber else other)

    def _on_digits_of(self, function: Callable[[Any, Any], Any], other: Any) -> Any:
        return function(other, self.__index__())

    # Comparisons: each is one threshold.

    def _from(self, threshold: int) -> bool:
        """Whether the value is at least that."""
        latent = self._run.latent(self)
        yes, no = list[Span](), list[Span]()
        line = Line(self._line.slope, self._line.shift - threshold)
        for low, high, form in compare(operator.ge, line, (None, None)):
            (yes if isinstance(form, Same) and form.value else no).extend(within(latent.spans, low, high))
        return self._is_decided(latent, tuple(yes), tuple(no))

    def _is_decided(self, latent: Latent, yes: Spans, no: Spans) -> bool:
        if not yes or not no:
            return bool(yes)
        return self._run.split(latent, [yes, no]) == 0

    def _compare(self, other: Any, function: Callable[[Any, Any], Any], when: Callable[[Fraction], bool]) -> Any:
        if type(other) is NoisyNumber:
            if other._latent is self._latent:
                return function(self - other, 0)
            return self._with(other, function)
        number = _number(other)
        if number is None:
            return NotImplemented
        if isinstance(number, float):  # infinite, or not a number
            return function(0, number)
        return when(number)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge, lambda number: self._from(math.ceil(number)))

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt, lambda number: self._from(math.floor(number) + 1))

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le, lambda number: not self._from(math.floor(number) + 1))

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt, lambda number: not self._from(math.ceil(number)))

    def _equals(self, number: Fraction) -> bool:
        if number.denominator != 1:
            return False
        latent = self._run.latent(self)
        inside: Spans = latent.spans
        outside: list[Span] = []
        # From the number on, and below the next.
        for threshold, test in ((int(number), operator.ge), (int(number) + 1, operator.lt)):
            line = Line(self._line.slope, self._line.shift - threshold)
            kept: list[Span] = []
            for low, high, form in compare(test, line, (None, None)):
                (kept if isinstance(form, Same) and form.value else outside).extend(within(inside, low, high))
            inside = tuple(kept)
        return self._is_decided(latent, inside, tuple(sorted(outside, key=_lowest)))

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq, self._equals)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, operator.ne, lambda number: not self._equals(number))

    def __bool__(self) -> bool:
        return not self._equals(Fraction(0))


def _lowest(span: Span) -> float:
    return -math.inf if span.low is None else span.low


def _digits_first(function: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """An operator and its reflection that need the digits."""

    def forward(self: NoisyNumber, other: Any) -> Any:
        return self._on_digits(function, other)

    def reflect(self: NoisyNumber, other: Any) -> Any:
        return self._on_digits_of(function, other)

    return forward, reflect


def _digit_operators() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in ("truediv", "pow", "and_", "or_", "xor"):
        forward, reflected = _digits_first(getattr(operator, name))
        yield f"__{name.strip('_')}__", forward
        yield f"__r{name.strip('_')}__", reflected
    for name in ("floordiv", "mod", "lshift", "rshift"):
        yield f"__r{name}__", _digits_first(getattr(operator, name))[1]


for _operator_name, _function in _digit_operators():
    setattr(NoisyNumber, _operator_name, _function)
Integral.register(NoisyNumber)
