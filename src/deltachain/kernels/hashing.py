"""Hashes of 64 bits, of what belongs together: words are mixed in one after the other (Fowler, Noll and Vo's way)."""

from . import cython

if not cython.compiled:
    from .types import u64

FIRST_HASH = cython.declare(u64, 14695981039346656037)
HASH_FACTOR = cython.declare(u64, 1099511628211)
ALL_BITS = cython.declare(u64, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(mixed: u64, word: u64) -> u64:
    """A hash with one more word in it."""
    mixed = ((mixed ^ word) * HASH_FACTOR) & ALL_BITS
    return mixed ^ (mixed >> 29)
