"""How many beliefs a pair of states leads to, counted before any is computed exactly.

The walk is that of `finite.explore`: pairs of beliefs up to scale, in the order in which they are met. But masses
are residues modulo a prime, in machine words, whatever their exact length. Proportional beliefs stay proportional
modulo the prime; others fall together with a chance of about one in 2^31 for each entry. (The prime is 2q + 1 for a
prime q: ratios such as 2^k come back after q steps at the earliest. Modulo 2^31 − 1 that would be 31.) So the count is
a guess that is almost always right. It proves nothing: it tells, much sooner, whether an exact exploration would come
to an end.
"""

from __future__ import annotations

from typing import NamedTuple

from ...cancel import Cancel
from ...kernels import Rows, Walk, walk_on
from ...kernels.lookahead import ENDED, FULL, PAUSED
from ...kernels.records import Tables

ARCS_PER_CALL = 4_000_000
"""The work of one call of the kernel, after which the deadline and Ctrl-C are checked."""


class Ahead(NamedTuple):
    """What a pair leads to: beliefs up to scale, the states in them, the longest word; whether that is all of it."""

    ended: bool
    nodes: int
    entries: int
    depth: int


def look_ahead(tables: Tables, s: int, t: int, max_nodes: int, max_entries: int, cancel: Cancel) -> Ahead:
    """Walk from the states s and t (by place in the tables), as far as `finite.explore` with these limits."""
    rows, walk = Rows(tables), Walk(len(tables.label), s, t)
    why = PAUSED
    while why in (PAUSED, FULL) and not cancel.is_stopped():
        why = walk_on(rows, walk, max_nodes, max_entries, ARCS_PER_CALL)
        if why == FULL:
            walk.enlarge()
    met, entries, depth = walk.count()
    return Ahead(why == ENDED, met, entries, depth)
