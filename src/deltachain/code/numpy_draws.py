"""A NumPy generator that asks the source in force; see `generators`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..programs.language.primitives import flip
from .generators import below, drawn_from, heads_among, make_refusal, refuse

_INSTEAD = {
    "normal": "use deltachain.discrete_gaussian(sigma)",
    "standard_normal": "use deltachain.discrete_gaussian(sigma)",
    "laplace": "use deltachain.discrete_laplace(scale)",
    "random": "use deltachain.flip(p), or integers",
    "uniform": "use integers",
}


def _fill(size: Any, draw: Callable[[], int], dtype: Any = np.int64) -> Any:
    """One draw, or an array of so many."""
    if size is None:
        return np.dtype(dtype).type(draw())
    shape = (size,) if isinstance(size, int | np.integer) else tuple(size)
    return np.array([draw() for _ in range(math.prod(shape))], dtype=dtype).reshape(shape)


class AskingGenerator(np.random.Generator):
    """A generator without bits of its own."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))  # which nothing reads: every method is overridden or refused

    def __reduce__(self) -> Any:
        return type(self), ()

    def __deepcopy__(self, _: object) -> AskingGenerator:
        return self

    def __repr__(self) -> str:
        return "deltachain.numpy_generator()"

    __str__ = __repr__

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Whole numbers from low (or 0) to high, which is not included unless ``endpoint`` says so."""
        if np.ndim(low) or (high is not None and np.ndim(high)):
            refuse("integers", "limits that are arrays are not supported", "draw for each of them")
        first, last = (0, int(low)) if high is None else (int(low), int(high))
        count = last - first + bool(endpoint)
        if count <= 0:
            raise ValueError("low >= high")
        return _fill(size, lambda: first + below(count), dtype)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Entries of an array, or numbers below an int, with or without replacement; ``p`` are exact numbers."""
        items = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        count = items.shape[axis]
        shape = () if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
        wanted = math.prod(shape)
        left = list(range(count))
        weights = None if p is None else [_convert(share) for share in p]
        if weights is not None and len(weights) != count:
            raise ValueError("a and p must have same size")
        if not replace and wanted > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        places: list[int] = []
        for _ in range(wanted):
            place = below(len(left)) if weights is None else drawn_from(weights)
            places.append(left[place])
            if not replace:
                del left[place]
                if weights is not None:
                    del weights[place]
        del shuffle  # the order is that of the draws either way
        if size is None:
            return items.take(places[0], axis=axis)
        return items.take(np.array(places, dtype=np.intp).reshape(shape), axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The entries along an axis in an order drawn at random, in a new array."""
        items = np.arange(x) if isinstance(x, int | np.integer) else np.array(x)
        return items.take(_order(items.shape[axis]), axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """The same in place."""
        if isinstance(x, np.ndarray):
            x[...] = x.take(_order(x.shape[axis]), axis=axis)
            return
        x[:] = [x[place] for place in _order(len(x))]

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """The number of heads among n coins."""
        return _fill(size, lambda: heads_among(int(n), p))

    def geometric(self, p: Any, size: Any = None) -> Any:
        """The number of coins up to the first head."""

        def draw() -> int:
            number = 1
            while not flip(p):
                number += 1
            return number

        return _fill(size, draw)

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """As many generators: all of them ask the same source."""
        return [AskingGenerator() for _ in range(n_children)]

    @property
    def bit_generator(self) -> NoReturn:
        """None: there are no bits to hand on."""
        raise AttributeError("deltachain.numpy_generator() has no bits of its own")


def _convert(share: Any) -> Any:
    """An entry of an array as a plain number."""
    return share.item() if isinstance(share, np.generic) else share


def _order(count: int) -> list[int]:
    left = list(range(count))
    return [left.pop(below(len(left))) for _ in range(count)]


def _refuse_others() -> None:
    """Refuse what is not overridden: it would draw from the generator beneath."""
    for name in dir(np.random.Generator):
        if not name.startswith("_") and name not in vars(AskingGenerator):
            instead = _INSTEAD.get(name, "draw whole numbers")
            setattr(AskingGenerator, name, make_refusal("numpy_generator()", name, instead))


_refuse_others()
