"""Machine code for inner loops: plain functions in the subset of Python that numba compiles, compiled on first use.

numba takes a good second to import, so nothing here is loaded before a kernel is needed; the machine code is cached on
disk beside the module that defines it. The functions that a kernel calls must stand in the kernel's own file: numba's
cache looks at that file alone to see whether its code is still true.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any


def loaded() -> bool:
    """Whether numba is there already: then compiled code pays for small problems too. It computes the same numbers."""
    return "numba" in sys.modules


@cache
def compiled(function: Callable[..., Any], *parts: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` compiled, free of the interpreter lock; ``parts`` are the plain functions that it calls."""
    import numba
    from numba.extending import register_jitable

    for part in parts:
        register_jitable(part)
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to cache in: compiled anew in each process
        return numba.njit(nogil=True)(function)
