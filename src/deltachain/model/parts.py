"""Parts and sums of chains: what is reachable, two systems side by side, and inputs settled or refused.

A strategy that looks at the present label alone turns a system with inputs into a chain without: at the label a it
always gives the input σ(a), so the row of a state s is μ_{s,σ(ℓ(s))}. Strategies that remember more are not a chain of
the same states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction

from ..errors import Defect, InputError, ModelError
from .chain import Chain
from .rows import once_per_row


def reachable(chain: Chain, starts: Iterable[str | int]) -> tuple[int, ...]:
    """The states that can be reached from ``starts`` (these included), in increasing order."""
    stack = [chain.number(s) for s in starts]
    seen = set(stack)
    while stack:
        for row in chain.given[stack.pop()]:
            for target, *_ in row:
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
    in_part = once_per_row(lambda row: row.renumber(new))
    return replace(
        chain,
        states=tuple(chain.states[i] for i in kept),
        labels=labels,
        given=tuple(tuple(map(in_part, chain.given[i])) for i in kept),
        relation=tuple((new[i], new[j]) for i, j in chain.relation if i in new and j in new),
        valuations=None if chain.valuations is None else tuple(chain.valuations[i] for i in kept),
        inputs={label: names for label, names in chain.inputs.items() if label in met},
    )


def disjoint_union(left: Chain, right: Chain, *, prefixes: tuple[str, str] = ("left.", "right.")) -> Chain:
    """Two chains side by side in one, to compare a state of the one with a state of the other.

    States are renamed with the prefixes; both relations are kept. A label that both have must offer the same inputs.

    >>> one = Chain.from_dicts({"s": {"s": 1}}, {"s": "a"})
    >>> disjoint_union(one, one).states
    ('left.s', 'right.s')
    """
    for side, chain in (("left", left), ("right", right)):
        if not isinstance(chain, Chain):
            raise InputError(Defect(side, f"{type(chain).__name__} is not a chain", "load it first"))
    if not (isinstance(prefixes, tuple | list) and [type(prefix) for prefix in prefixes] == [str, str]):
        raise InputError(Defect("prefixes", "they are not two texts", 'give ("left.", "right.")'))
    from .outputs import join_outputs  # few chains are ever put side by side

    shift = len(left)
    moved = range(shift, shift + len(right))
    names = [prefixes[0] + s for s in left.states] + [prefixes[1] + s for s in right.states]
    if len(set(names)) != len(names):
        raise InputError(f"the prefixes {prefixes[0]!r} and {prefixes[1]!r} do not keep the two chains' names apart")
    valuations = None
    if left.valuations is not None or right.valuations is not None:
        valuations = (left.valuations or ({},) * len(left)) + (right.valuations or ({},) * len(right))
    return Chain(
        tuple(names),
        left.labels + right.labels,
        left.given + tuple(tuple(row.renumber(moved) for row in rows) for rows in right.given),
        left.relation + tuple((i + shift, j + shift) for i, j in right.relation),
        valuations,
        _joined_inputs(left, right),
        _joined_confidence(left, right),
        left.step_by_step or right.step_by_step,
        tuple(dict.fromkeys(left.notes + right.notes)),
        tuple(dict.fromkeys(left.assumes + right.assumes)),
        "; ".join(dict.fromkeys(filter(None, (left.confirmation, right.confirmation)))),
        join_outputs(left, right),
    )


def _joined_confidence(left: Chain, right: Chain) -> Fraction | None:
    """With what probability the boxes of both hold, whether or not they were counted together (union bound)."""
    if left.confidence is None or right.confidence is None:
        return right.confidence if left.confidence is None else left.confidence
    return max(Fraction(0), left.confidence + right.confidence - 1)


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


def choosing(chain: Chain, choices: Mapping[str, str]) -> Chain:
    """The chain whose observer always gives input ``choices[label]`` at those labels; others keep their inputs.

    Raises InputError for every label without inputs and every input that its label does not offer.

    >>> box = Chain.from_dicts({"s": {"look": {"h": 1}, "wait": {"s": 1}}, "h": {"h": 1}}, {"s": "closed", "h": "open"})
    >>> choosing(box, {"closed": "look"}).rows[0]
    ((1, Fraction(1, 1)),)
    """
    defects = []
    for label, name in choices.items():
        if label not in chain.inputs:
            what = "it offers no inputs" if label in chain.by_label else "no state has this label"
            known = f"labels with inputs are {', '.join(map(repr, list(chain.inputs)[:8])) or 'none'}"
            defects.append(Defect(f"label {label!r}", what, known))
        elif name not in chain.inputs[label]:
            near = get_close_matches(name, chain.inputs[label], n=1)
            known = f"did you mean {near[0]!r}?" if near else f"it offers {', '.join(map(repr, chain.inputs[label]))}"
            defects.append(Defect(f"label {label!r}", f"it offers no input {name!r}", known))
    if defects:
        raise InputError(defects)
    number = {label: chain.inputs[label].index(name) for label, name in choices.items()}
    moves = tuple(
        (rows[number[label]],) if label in number else rows
        for label, rows in zip(chain.labels, chain.given, strict=True)
    )
    left = {label: names for label, names in chain.inputs.items() if label not in number}
    return replace(chain, given=moves, inputs=left, sandwiches=None)
