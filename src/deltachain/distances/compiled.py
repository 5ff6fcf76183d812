"""Machine code for the kernels: functions written in the subset of Python that numba compiles.

A kernel is compiled on first use and its machine code is cached on disk; small problems run it uncompiled, which
spares the import of numba. The functions that a kernel calls must stand in the kernel's own file: numba's cache looks
at that file alone to see whether its code is still true.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["compiled"]


@cache
def compiled(function: Callable[..., Any], *parts: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` compiled by numba, free of the interpreter lock; ``parts`` are the plain functions that it calls."""
    import numba
    from numba.extending import register_jitable

    for part in parts:
        register_jitable(part)
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to cache in: compiled anew in each process
        return numba.njit(nogil=True)(function)
