"""What kernels use of Cython, as it works where they are not compiled: types and decorators that do nothing.

The compiler knows these words by itself (`_compiled.pyx`), so Cython is needed to build the package and not to run it.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

Decorated = TypeVar("Decorated")
Value = TypeVar("Value")

compiled: bool = False


class _Nogil(nullcontext[None]):
    """``with cython.nogil:`` and ``@cython.nogil``: without the interpreter lock."""

    def __call__(self, function: Decorated) -> Decorated:
        return function


nogil = _Nogil()


def cfunc(function: Decorated) -> Decorated:
    """A function of C, which Python cannot call."""
    return function


def inline(function: Decorated) -> Decorated:
    """A function that is copied to where it is called."""
    return function


def cclass(record: Decorated) -> Decorated:
    """A record whose fields are those of a C structure."""
    return record


def exceptval(*, check: bool) -> Callable[[Decorated], Decorated]:  # noqa: ARG001
    """``exceptval(check=False)``: a function that raises nothing, so that no caller asks."""
    return cfunc


def declare(kind: Callable[[Value], Value], value: Value) -> Value:
    """A constant of C, of that type; Python does not see it in the compiled module."""
    return kind(value)


def cast(kind: Callable[[float], Value], value: float) -> Value:
    """The value as C converts it: floats are cut off towards zero."""
    return kind(value)
