"""DOT out: a picture of a chain for Graphviz. Nodes have name and label, edges have probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from ..chain import Chain
from ..rational import format_fraction
from .numbers import probability_texts

__all__ = ["chain_to_dot"]

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\\\0"})


def chain_to_dot(chain: Chain) -> Iterator[str]:
    r"""The DOT text of a chain, in pieces. Pairs of the relation are joined by dashed lines.

    >>> print("".join(chain_to_dot(Chain.from_dicts({"s": {"s": 1}}, {"s": "a"}))), end="")
    digraph chain {
      0 [label="s\na"];
      0 -> 0 [label="1"];
    }
    """
    texts = probability_texts(chain, format_fraction)
    yield "digraph chain {\n"
    for state, (name, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        yield f'  {state} [label="{name.translate(_ESCAPES)}\\n{label.translate(_ESCAPES)}"];\n'
    for state, row in enumerate(chain.rows):
        for target, probability in row:
            yield f'  {state} -> {target} [label="{texts[probability]}"];\n'
    for i, j in chain.relation:
        yield f"  {i} -> {j} [dir=none, style=dashed, constraint=false];\n"
    yield "}\n"
