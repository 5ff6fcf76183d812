"""What the verbs are given: pairs of states, the limits of a search, how it is watched. Read exactly, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel, Report
from ..cancel import interruptible as until_interrupted
from ..errors import InputError
from ..model import Chain
from ..rational import Number, as_fraction

if TYPE_CHECKING:
    from ..beliefs.answers import Interval, Search
    from ..beliefs.intervals import Prepared

State = str | int

FINITE_NODES = 20_000

LONGEST = 10**9
"""Seconds; a longer timeout is none."""


def asked_pairs(
    chain: Chain, s: State | None, t: State | None, pairs: Iterable[tuple[State, State]] | str | None
) -> list[tuple[int, int]]:
    """The pairs by number, each once: two states, or pairs, or the chain's relation. InputError if there are none."""
    if (s is None) != (t is None) or (s is not None and pairs is not None):
        raise InputError("name two states, or give pairs, or neither for the chain's relation")
    if isinstance(pairs, str):
        raise InputError(f"pairs: {pairs!r} is text; give tuples of two states")
    if s is not None and t is not None:
        pairs = [(s, t)]
    numbered = list(chain.relation) if pairs is None else [(chain.number(a), chain.number(b)) for a, b in pairs]
    if not numbered:
        names = ", ".join(chain.states[:8]) + (", …" if len(chain) > 8 else "")
        raise InputError(f"no pairs to compare: the chain carries no relation; name two of its states ({names})")
    return list(dict.fromkeys(numbered))


@contextmanager
def watching(
    cancel: Cancel | None, timeout: float | None, report: Report | None, interruptible: bool
) -> Iterator[Cancel]:
    """The token of one call: the caller's own, or a new one, which Ctrl-C sets if ``interruptible``."""
    if cancel is not None:
        if timeout is not None or report is not None or interruptible:
            raise InputError("cancel: it brings its own timeout, report and interruption; give it alone")
        yield cancel
        return
    cancel = Cancel(None if timeout is None else float(min(as_fraction(timeout, "timeout"), Fraction(LONGEST))), report)
    with until_interrupted(cancel) if interruptible else nullcontext():
        yield cancel


def search_for(
    gap: Number | None = None,
    max_nodes: int | None = None,
    cancel: Cancel | None = None,
    enough: Callable[[Sequence[Interval]], bool] | None = None,
) -> Search:
    """The limits of a search, checked."""
    from ..beliefs.answers import Search

    width = None if gap is None else as_fraction(gap, "gap")
    if width is not None and width <= 0:
        raise InputError("gap: it must be above 0 (leave it out for the best that can be had)")
    if max_nodes is not None:
        count = as_fraction(max_nodes, "max_nodes")
        if count.denominator != 1 or count < 1:
            raise InputError(f"max_nodes: {max_nodes} is not one of 1, 2, 3, …")
        max_nodes = int(count)
    return Search(gap=width, max_nodes=max_nodes, enough=enough, cancel=cancel or Cancel())


def loss_budget(ready: Prepared, search: Search) -> int:
    """Beliefs to meet before an exact loss distribution is given up: fewer where they may never end."""
    return search.max_nodes or (FINITE_NODES if not ready.alike or ready.acyclic else FINITE_NODES // 10)


def prepared(chain: Chain, s: State | None, t: State | None, pairs: Iterable[tuple[State, State]] | None) -> Prepared:
    """The pairs asked for, ready to be asked at any α."""
    from ..beliefs.intervals import Prepared

    return Prepared(chain, asked_pairs(chain, s, t, pairs))
