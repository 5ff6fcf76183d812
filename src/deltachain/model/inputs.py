"""Inputs settled or refused: a chain in which the observer's choices are made, and what to say where they are not.

A strategy that looks at the present label alone turns a system with inputs into a chain without: at the label a it
always gives the input σ(a), so the row of a state s is μ_{s,σ(ℓ(s))}. Strategies that remember more are not a chain of
the same states.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from ..errors import Defect, InputError, InteractiveChain
from .chain import Chain


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
        for label, rows in zip(chain.labels, chain.moves, strict=True)
    )
    left = {label: names for label, names in chain.inputs.items() if label not in number}
    return Chain(chain.states, chain.labels, moves, chain.relation, chain.valuations, left)


def refuse_inputs(chain: Chain, where: str, what: str, fix: str) -> None:
    """Raise InteractiveChain if the observer chooses anything: ``what`` cannot be done then, ``fix`` says what can."""
    if chain.inputs:
        shown = [repr(label) for label in list(chain.inputs)[:3]]
        more = ", …" if len(chain.inputs) > len(shown) else ""
        labels = f"label{'' if len(chain.inputs) == 1 else 's'} {', '.join(shown)}{more}"
        raise InteractiveChain(Defect(where, f"the observer chooses inputs at {labels}, and {what}", fix))
