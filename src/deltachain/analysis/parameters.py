"""What the verbs are given: a privacy parameter, pairs of states, the limits of a search. Read exactly, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from ..chain import Chain
from ..errors import InputError
from ..rational import Number, as_fraction
from ..watch import Report, Watch
from ..watch import interruptible as until_interrupted

if TYPE_CHECKING:
    from ..beliefs.intervals import Prepared, Search
    from ..beliefs.intervals import Interval

__all__ = ["State", "pair_numbers", "prepared", "search_for", "watching"]

State = str | int


def pair_numbers(chain: Chain, pairs: Iterable[tuple[State, State]] | None) -> list[tuple[int, int]]:
    """The pairs by number; those of the chain's relation by default. InputError if there are none."""
    numbered = list(chain.relation) if pairs is None else [(chain.number(s), chain.number(t)) for s, t in pairs]
    if not numbered:
        names = ", ".join(chain.states[:8]) + (", …" if len(chain) > 8 else "")
        raise InputError(f"no pairs to compare: the chain carries no relation; name two of its states ({names})")
    return list(dict.fromkeys(numbered))


@contextmanager
def watching(watch: Watch | None, timeout: float | None, report: Report | None, interruptible: bool) -> Iterator[Watch]:
    """The token of one call: the caller's own, or a new one, which Ctrl-C sets if ``interruptible``."""
    if watch is not None:
        if timeout is not None or report is not None or interruptible:
            raise InputError("watch: it brings its own timeout, report and interruption; give it alone")
        yield watch
        return
    watch = Watch(timeout, report)
    with until_interrupted(watch) if interruptible else nullcontext():
        yield watch


def search_for(
    gap: Number | None = None,
    max_nodes: int | None = None,
    watch: Watch | None = None,
    enough: Callable[[Sequence[Interval]], bool] | None = None,
) -> Search:
    """The limits of a search, checked."""
    from ..beliefs.intervals import Search

    width = None if gap is None else as_fraction(gap, "gap")
    if width is not None and width <= 0:
        raise InputError("gap: it must be above 0 (leave it out for the best that can be had)")
    if max_nodes is not None and max_nodes < 1:
        raise InputError(f"max_nodes: {max_nodes} is below 1")
    return Search(gap=width, max_nodes=max_nodes, enough=enough, watch=watch or Watch())


def prepared(chain: Chain, s: State | None, t: State | None, pairs: Iterable[tuple[State, State]] | None) -> Prepared:
    """The pairs asked for: two states, or pairs, or the chain's relation; ready to be asked at any α."""
    from ..beliefs.intervals import Prepared

    if (s is None) != (t is None) or (s is not None and pairs is not None):
        raise InputError("name two states, or give pairs, or neither for the chain's relation")
    if s is not None and t is not None:
        pairs = [(s, t)]
    return Prepared(chain, pair_numbers(chain, pairs))
