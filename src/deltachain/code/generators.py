"""Generators that ask the source in force: code that takes its generator as an argument is verified unchanged.

`Random` is a `random.Random` and `numpy_generator` makes a `numpy.random.Generator`. Their methods that draw from
finitely many whole outcomes ask the source that is in force for an outcome of the same law, exactly: in production from
the system's entropy, and while code is recorded for one outcome after the other. A float from [0, 1) has 2^53 outcomes
and a rounded law, so everything that is made from floats is refused, with what to draw instead.

What a subclass does not override would silently draw from the real generator beneath. So every method is either
overridden or refused here, and those that are not known yet are refused as well.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..draws.laws import Uniform, Weighted
from ..draws.source import in_force
from ..errors import InputError
from ..programs.language import primitives
from ..programs.language.source import Problem

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

MOST_BITS = 16
"""The most bits that `Random.getrandbits` draws: each more doubles the runs."""

_FLOATS = "a float has 2^53 outcomes, whose law is rounded"


def below(count: int) -> int:
    """A number from 0 to count − 1, each with the same probability."""
    return in_force().draw(Uniform(0, count - 1, "randrange"))  # type: ignore[no-any-return]


def refuse(name: str, why: str, instead: str) -> NoReturn:
    """Say what cannot be drawn, why, and what can."""
    raise InputError(f"{name}: {why}; {instead}")


def heads_among(trials: int, p: Any) -> int:
    """The number of heads among so many coins, in one draw."""
    try:
        heads: Any = primitives.probability(p, "binomial")
    except Problem as problem:
        raise InputError(problem.defect()) from None
    if heads in (0, 1):
        return trials if heads == 1 else 0
    weights = [math.comb(trials, k) * heads**k * (1 - heads) ** (trials - k) for k in range(trials + 1)]
    law = Weighted("binomial", tuple(range(trials + 1)), tuple(weights), f"binomial({trials}, {p})")
    return in_force().draw(law)  # type: ignore[no-any-return]


def drawn_from(weights: Sequence[Any]) -> int:
    """A place in a list of weights, which are exact numbers, in proportion to its weight."""
    return primitives.choose(range(len(weights)), weights=tuple(weights))


class Random(random.Random):
    """A `random.Random` whose whole-number methods ask the source in force; those that need floats are refused.

    >>> generator = Random()
    >>> generator.randint(1, 6) in range(1, 7)
    True
    """

    def __new__(cls) -> Random:
        """Nothing to seed: the source that is in force draws."""
        return super().__new__(cls)

    def __init__(self) -> None:
        super().__init__()

    def seed(self, a: Any = None, version: int = 2) -> None:  # noqa: ARG002
        """Nothing; a seed is refused."""
        if a is not None:
            refuse("Random.seed", "the source in force draws", "use `with deltachain.using(deltachain.seeded(1)):`")

    def __reduce__(self) -> tuple[type[Random], tuple[()]]:
        return type(self), ()

    def __deepcopy__(self, _: object) -> Random:
        return self

    def _randbelow(self, n: int) -> int:
        """What every whole-number method of `random.Random` draws from."""
        return below(n)

    def getrandbits(self, k: int) -> int:
        """That many bits, up to 16."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        if k > MOST_BITS:
            refuse("Random.getrandbits", f"{k} bits have 2^{k} outcomes", f"draw at most {MOST_BITS}, or randrange")
        return below(1 << k) if k else 0

    def sample(self, population: Sequence[T], k: int, *, counts: Iterable[int] | None = None) -> list[T]:
        """``k`` items without replacement, in the order in which they are drawn."""
        items = list(population)
        if counts is not None:
            items = [item for item, count in zip(items, counts, strict=True) for _ in range(count)]
        if not 0 <= k <= len(items):
            raise ValueError("Sample larger than population or is negative")
        # Python rejects items that were drawn before if there are many: that would be an endless tree of runs.
        return [items.pop(below(len(items))) for _ in range(k)]

    def choices(  # type: ignore[override]
        self, population: Sequence[T], weights: Any = None, *, cum_weights: Any = None, k: int = 1
    ) -> list[T]:
        """``k`` items with replacement, each in proportion to its weight; weights are exact numbers."""
        items = list(population)
        if cum_weights is not None:
            if weights is not None:
                raise TypeError("Cannot specify both weights and cumulative weights")
            sums = [Fraction(0), *(Fraction(str(weight)) for weight in cum_weights)]
            weights = [after - before for before, after in pairwise(sums)]
        if weights is None:
            return [items[below(len(items))] for _ in range(k)]
        given = list(weights)
        if len(given) != len(items):
            raise ValueError("The number of weights does not match the population")
        return [items[drawn_from(given)] for _ in range(k)]

    def binomialvariate(self, n: int = 1, p: Any = "1/2") -> int:
        """The number of heads among n coins."""
        if n < 0:
            raise ValueError("n must be non-negative")
        return heads_among(n, p)

    def random(self) -> float:
        """Refused."""
        refuse("Random.random", _FLOATS, "use deltachain.flip(p), or randrange")

    def getstate(self) -> NoReturn:
        """Refused."""
        refuse("Random.getstate", "there is no state", "the source in force draws")

    def setstate(self, state: Any) -> NoReturn:  # noqa: ARG002
        """Refused."""
        refuse("Random.setstate", "there is no state", "the source in force draws")


def make_refusal(owner: str, name: str, instead: str) -> Callable[..., NoReturn]:
    """A method that refuses."""

    def method(self: object, *_: object, **__: object) -> NoReturn:  # noqa: ARG001
        refuse(f"{owner}.{name}", _FLOATS, instead)

    method.__name__, method.__doc__ = name, "Refused."
    return method


_INSTEAD = {
    "gauss": "use deltachain.discrete_gaussian(sigma)",
    "normalvariate": "use deltachain.discrete_gaussian(sigma)",
    "expovariate": "use deltachain.geometric(ratio)",
    "uniform": "use randrange, or deltachain.uniform(low, high)",
}

_OF_FLOATS = (
    "betavariate",
    "expovariate",
    "gammavariate",
    "gauss",
    "lognormvariate",
    "normalvariate",
    "paretovariate",
    "triangular",
    "uniform",
    "vonmisesvariate",
    "weibullvariate",
)
for _name in _OF_FLOATS:
    setattr(Random, _name, make_refusal("Random", _name, _INSTEAD.get(_name, "draw whole numbers")))


def numpy_generator() -> np.random.Generator:
    """A `numpy.random.Generator` whose whole-number methods ask the source in force.

    ``integers``, ``choice``, ``permutation``, ``shuffle``, ``binomial`` and ``geometric`` draw exactly; all others are
    refused.

    >>> int(numpy_generator().integers(6)) in range(6)
    True
    """
    from .numpy_draws import AskingGenerator

    return AskingGenerator()
