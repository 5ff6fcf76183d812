"""The numbers that verbs are given, each with one reader: exact, within its limits, and named as its user calls it.

A reader takes what was given and its place (``"gap"`` in Python, ``"--gap"`` on the command line), and raises
InputError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import Defect, InputError
from .numbers.fraction import Number, as_fraction, as_probability, epsilon_of, in_brief

Secret = Mapping[str, object]
Secrets = Iterable[Secret] | Mapping[str, Secret]
"""Secrets in a list, or by name."""
AS_SECRETS = "give one dict for each secret, [dict(x=0), dict(x=1)], or {name: dict(x=0), …}"
Neighbours = str | Callable[[Mapping[str, Any], Mapping[str, Any]], object]
"""Which start states are compared: a rule about two of them as text, or a function of their values."""

Given = ParamSpec("Given")
Found = TypeVar("Found")

SPELLED = {"neighbors": "neighbours"}
"""Another spelling of a parameter → its name."""

LONGEST = 10**9
"""Seconds of a timeout."""
LARGEST_CONFIDENCE = 1 - Fraction(1, 10**30)
LARGEST_ORDER = 1_000_000
DEFAULT_CONFIDENCE = "0.999"


def accept_spellings(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function, whose arguments by keyword may be spelled in another way; InputError if one is given twice."""

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        return function(*args, **respell(kwargs))

    return call


def respell(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by keyword under their own names."""
    twice = [name for name in given if SPELLED.get(name) in given]
    if twice:
        raise InputError([Defect(name, f"{SPELLED[name]} is given as well", "give it once") for name in twice])
    return {SPELLED.get(name, name): value for name, value in given.items()}


def as_whole(value: Number, place: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``."""
    number = as_fraction(value, place)
    if number.denominator != 1 or not least <= number <= most:
        raise InputError(Defect(place, f"{in_brief(number)} is not a whole number from {least:,} to {most:,}"))
    return int(number)


def as_seconds(value: Number, place: str = "timeout") -> float:
    """A time limit, above 0."""
    seconds = as_fraction(value, place)
    if not 0 < seconds <= LONGEST:
        raise InputError(Defect(place, f"{in_brief(seconds)} seconds", f"give a number above 0, at most {LONGEST:,}"))
    return float(seconds)


def as_width(value: Number, place: str) -> Fraction:
    """A width or a precision: above 0."""
    width = as_fraction(value, place)
    if width <= 0:
        raise InputError(Defect(place, "it must be above 0"))
    return width


def as_gap(value: Number, place: str = "gap") -> Fraction:
    """The width of an interval that is narrow enough."""
    gap = as_fraction(value, place)
    if gap <= 0:
        given = value if isinstance(value, str) else in_brief(gap)
        raise InputError(Defect(place, f"{given} is not above 0", "leave it out for the best that can be had"))
    return gap


def whole(name: str, least: int, most: int) -> Callable[..., int]:
    """The reader of a whole number from ``least`` to ``most``; its place is ``name`` unless another is given."""
    return lambda value, place=name: as_whole(value, place, least, most)


as_nodes = whole("max_nodes", 1, 10**12)
"""A number of belief pairs."""
as_questions = whole("fixed", 1, 1000)
"""How many questions of a plan are decided in advance."""
as_runs = whole("repeat", 1, 10**9)
"""How many independent runs."""
as_samples = whole("samples", 1, 100_000_000)
"""How many words are drawn."""
as_drawn_pairs = whole("sample", 1, 10_000)
"""How many pairs are drawn from a domain."""
as_horizon = whole("horizon", 1, 1_000_000)
"""How many letters a word has at most."""
as_seed = whole("seed", 0, 2**63 - 1)
"""What random words are drawn from."""
MOST_SECRETS = 1_000
"""Secrets to guess among."""
as_guesses = whole("guesses", 1, MOST_SECRETS)
"""How many secrets may be named."""
as_processes = whole("jobs", 1, 1024)
"""How many processes work."""


def as_confidence(value: Number, place: str = "confidence") -> Fraction:
    """A probability above 0 and not too near 1."""
    level = as_fraction(value, place)
    if not 0 < level <= LARGEST_CONFIDENCE:
        near = "above 1 − 10^-30" if 0 < level < 1 else "not above 0 and below 1"
        raise InputError(Defect(place, f"{in_brief(level)} is {near}"))
    return level


def as_prior(value: Number, place: str = "prior") -> Fraction:
    """An observer's belief in the first state, before watching."""
    belief = as_probability(value, place)
    if not 0 < belief < 1:
        raise InputError(Defect(place, f"{in_brief(belief)} learns nothing", "give a belief above 0 and below 1"))
    return belief


def as_order(value: Number, place: str = "order") -> Fraction:
    """A Rényi order above 1."""
    order = as_fraction(value, place)
    if not 1 < order <= LARGEST_ORDER:
        fix = (
            "order 1 is the Kullback–Leibler divergence"
            if order == 1
            else f"give a number above 1, at most {LARGEST_ORDER:,}"
        )
        raise InputError(Defect(place, f"{in_brief(order)} is not a Rényi order above 1", fix))
    return order


def as_epsilon(value: Number, place: str = "epsilon") -> Fraction:
    """An ε that e^ε can be bounded for."""
    return epsilon_of(as_fraction(value, place))


class NamedSecrets(tuple[Secret, ...]):
    """The secrets in their order, and what each is called: the name of its start state, wherever it is shown."""

    names: tuple[str, ...]

    def __new__(cls, given: Mapping[str, Secret]) -> NamedSecrets:
        """Those of a mapping from names."""
        made = super().__new__(cls, given.values())
        made.names = tuple(given)
        return made

    def __getnewargs__(self) -> tuple[Mapping[str, Secret]]:
        return (dict(zip(self.names, self, strict=True)),)


def list_secrets(given: Secrets) -> Sequence[Secret]:
    """The secrets in a list, with their names if they have any; what is neither is left for `AS_SECRETS` to refuse."""
    if isinstance(given, Mapping):
        named = given and all(isinstance(name, str) and name for name in given)
        fits = named and all(isinstance(secret, Mapping) for secret in given.values())
        return NamedSecrets(given) if fits else given  # type: ignore[return-value]
    return given if isinstance(given, NamedSecrets) else list(given)
