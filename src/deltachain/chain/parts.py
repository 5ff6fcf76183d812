"""Parts and sums of chains: what is reachable, what is kept, and two systems side by side."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InputError
from .model import Chain

__all__ = ["disjoint_union", "reachable", "restrict"]


def reachable(chain: Chain, starts: Iterable[str | int]) -> tuple[int, ...]:
    """The states that can be reached from ``starts`` (these included), in increasing order."""
    stack = [chain.number(s) for s in starts]
    seen = set(stack)
    while stack:
        for target, _ in chain.rows[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return tuple(sorted(seen))


def restrict(chain: Chain, starts: Iterable[str | int]) -> Chain:
    """The part of the chain that can be reached from ``starts``, which keeps names, labels and trace measures.

    Pairs of the relation survive when both their states do.
    """
    starts = list(starts)
    if not starts:
        raise InputError("restriction to no start states: name at least one")
    kept = reachable(chain, starts)
    if len(kept) == len(chain):
        return chain
    new = {old: i for i, old in enumerate(kept)}
    return Chain(
        tuple(chain.states[i] for i in kept),
        tuple(chain.labels[i] for i in kept),
        tuple(tuple((new[j], p) for j, p in chain.rows[i]) for i in kept),
        tuple((new[i], new[j]) for i, j in chain.relation if i in new and j in new),
        None if chain.valuations is None else tuple(chain.valuations[i] for i in kept),
    )


def disjoint_union(left: Chain, right: Chain, *, prefixes: tuple[str, str] = ("left.", "right.")) -> Chain:
    """Two chains side by side in one, to compare a state of the one with a state of the other.

    States are renamed with the prefixes; both relations are kept.

    >>> one = Chain.from_dicts({"s": {"s": 1}}, {"s": "a"})
    >>> disjoint_union(one, one).states
    ('left.s', 'right.s')
    """
    shift = len(left)
    names = [prefixes[0] + s for s in left.states] + [prefixes[1] + s for s in right.states]
    if len(set(names)) != len(names):
        raise InputError(f"the prefixes {prefixes[0]!r} and {prefixes[1]!r} do not keep the two chains' names apart")
    valuations = None
    if left.valuations is not None or right.valuations is not None:
        valuations = (left.valuations or ({},) * len(left)) + (right.valuations or ({},) * len(right))
    return Chain(
        tuple(names),
        left.labels + right.labels,
        left.rows + tuple(tuple((j + shift, p) for j, p in row) for row in right.rows),
        left.relation + tuple((i + shift, j + shift) for i, j in right.relation),
        valuations,
    )
