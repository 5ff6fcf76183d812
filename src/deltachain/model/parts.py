"""Parts and sums of chains: what is reachable, what is kept, and two systems side by side."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Defect, InputError, ModelError
from .chain import Chain


def reachable(chain: Chain, starts: Iterable[str | int]) -> tuple[int, ...]:
    """The states that can be reached from ``starts`` (these included), in increasing order."""
    stack = [chain.number(s) for s in starts]
    seen = set(stack)
    while stack:
        for row in chain.moves[stack.pop()]:
            for target, _ in row:
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
    labels = tuple(chain.labels[i] for i in kept)
    met = set(labels)
    return Chain(
        tuple(chain.states[i] for i in kept),
        labels,
        tuple(tuple(tuple((new[j], p) for j, p in row) for row in chain.moves[i]) for i in kept),
        tuple((new[i], new[j]) for i, j in chain.relation if i in new and j in new),
        None if chain.valuations is None else tuple(chain.valuations[i] for i in kept),
        {label: names for label, names in chain.inputs.items() if label in met},
    )


def disjoint_union(left: Chain, right: Chain, *, prefixes: tuple[str, str] = ("left.", "right.")) -> Chain:
    """Two chains side by side in one, to compare a state of the one with a state of the other.

    States are renamed with the prefixes; both relations are kept. A label that both have must offer the same inputs.

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
        left.moves + tuple(tuple(tuple((j + shift, p) for j, p in row) for row in rows) for rows in right.moves),
        left.relation + tuple((i + shift, j + shift) for i, j in right.relation),
        valuations,
        _joined_inputs(left, right),
    )


def _joined_inputs(left: Chain, right: Chain) -> dict[str, tuple[str, ...]]:
    """The inputs of both; one defect for each label at which they differ."""
    both = sorted(left.by_label.keys() & right.by_label.keys())
    defects = [
        Defect(
            f"label {label!r}", "the two chains offer different inputs there", "make them the same, or rename the label"
        )
        for label in both
        if left.inputs.get(label) != right.inputs.get(label)
    ]
    if defects:
        raise ModelError(defects)
    return {**left.inputs, **right.inputs}
