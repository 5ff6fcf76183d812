"""What crosses between processes, as JSON and back: numbers, laws and draws.

Nothing is unpickled that comes from a process which ran the code: reading a pickle runs what is in it. Numbers keep
their exact form. One that is only enclosed is sent as the operations that made it, and is computed again from them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import fmpz_poly

from ..draws.laws import DrawnLaw, GaussianNoise, LawParameter, TwoSidedNoise, Uniform, Weighted
from ..errors import InternalError
from ..numbers import real
from ..numbers.ball import Irrational
from ..numbers.exponential import Exponential
from ..programs.language.unbounded import Span

Json = Any
"""What `json` writes and reads."""

LONGEST_DECIMAL = 1 << 63
"""Whole numbers beyond it are sent in hexadecimal: Python reads no more than 4,300 decimal digits."""


def write_whole(number: int | None) -> Json:
    """A whole number, or None."""
    return number if number is None or abs(number) < LONGEST_DECIMAL else hex(number)


def read_whole(written: Json) -> Any:
    """What `write_whole` wrote."""
    return int(written, 16) if isinstance(written, str) else written


def write_number(number: Any) -> Json:
    """A fraction as text, an irrational number as its polynomials or as the operation that made it."""
    if isinstance(number, int | Fraction):
        return f"{number.numerator:x}/{number.denominator:x}"
    if not isinstance(number, real.Real):
        raise InternalError(f"{type(number).__name__} is not a number of a law")
    if number.exact is not None:
        exact = number.exact
        return ["exact", hex(exact.k), *([hex(int(c)) for c in side.coeffs()] for side in (exact.top, exact.bottom))]
    return [number.made_by, *map(write_number, number.made_of)]


def read_number(written: Json) -> LawParameter:
    """What `write_number` wrote."""
    if isinstance(written, str):
        top, _, bottom = written.partition("/")
        return Fraction(int(top, 16), int(bottom, 16))
    how, *parts = written
    if how == "exact":
        k, *sides = parts
        polynomials = [fmpz_poly([int(c, 16) for c in side]) for side in sides]
        return _parameter(real.make_number(Exponential(int(k, 16), *polynomials)))
    operands = [read_number(part) for part in parts]
    if how == "**":
        return _parameter(real.power(operands[0], int(operands[1])))  # type: ignore[arg-type]  # a whole number
    if how in real.OPERATIONS:
        return _parameter(real.combine(how, *operands))
    functions = {"exp": real.exp, "log": real.log, "sqrt": real.sqrt}
    return _parameter(functions[how](*operands))


def _parameter(number: real.ExactReal) -> LawParameter:
    return number if isinstance(number, Irrational) else Fraction(number)


def write_law(law: DrawnLaw) -> Json:
    """A law, without the values that its outcomes stand for."""
    match law:
        case Weighted():
            return ["weighted", law.name, list(map(write_number, law.weights)), str(law)]
        case Uniform():
            return ["uniform", write_whole(law.low), write_whole(law.high), law.name]
        case TwoSidedNoise():
            ends = (write_whole(law.low), write_whole(law.high))
            return ["two-sided", law.name, write_number(law.ratio), write_number(law.tail), *ends, law.text]
        case GaussianNoise():
            return ["gaussian", write_number(law.sigma), write_number(law.tail), law.name]


def read_law(written: Json) -> DrawnLaw:
    """What `write_law` wrote; the values of a choice are the numbers of its outcomes."""
    kind, *parts = written
    if kind == "weighted":
        name, weights, text = parts
        return Weighted(name, range(len(weights)), tuple(map(read_number, weights)), text)
    if kind == "uniform":
        low, high, name = parts
        return Uniform(read_whole(low), read_whole(high), name)
    if kind == "two-sided":
        name, ratio, tail, low, high, text = parts
        cut = Fraction(read_number(tail))  # type: ignore[arg-type]  # of a tail, a fraction
        return TwoSidedNoise(name, read_number(ratio), cut, read_whole(low), read_whole(high), text)
    sigma, tail, name = parts
    return GaussianNoise(read_number(sigma), Fraction(read_number(tail)), name)  # type: ignore[arg-type]


@lru_cache(maxsize=512)
def noise_of(text: str) -> DrawnLaw:
    """The law of noise whose `law_text` this is, with its tables, kept for the next time."""
    return read_law(json.loads(text))


def law_text(law: DrawnLaw) -> str:
    """A text that two draws share only if they are the same draw, but for what the values are."""
    text = _TEXTS.get(law.key)
    if text is None:
        written = write_law(law)
        text = json.dumps(written[:-1] if isinstance(law, Weighted) else written)
        if len(_TEXTS) >= MOST_TEXTS:
            _TEXTS.clear()
        _TEXTS[law.key] = text
    return text


_TEXTS: dict[Any, str] = {}
MOST_TEXTS = 4096
"""How many texts of laws are kept."""


def write_spans(spans: Sequence[Span]) -> Json:
    """Outcomes of noise."""
    return [[write_whole(low), write_whole(high), step, residue] for low, high, step, residue in spans]


def read_spans(written: Json) -> tuple[Span, ...]:
    """What `write_spans` wrote."""
    return tuple(Span(read_whole(low), read_whole(high), step, residue) for low, high, step, residue in written)
