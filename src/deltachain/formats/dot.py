"""DOT out: a picture of a chain for Graphviz. Nodes have name and label, edges have probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Chain
from ..model.display import dot_pieces
from ..rational import format_fraction
from .format import Format
from .text import probability_texts


def chain_to_dot(chain: Chain) -> Iterator[str]:
    r"""The DOT text of a chain, in pieces. Pairs of the relation are joined by dashed lines.

    >>> print("".join(chain_to_dot(Chain.from_dicts({"s": {"s": 1}}, {"s": "a"}))), end="")
    digraph chain {
      0 [label="s\na"];
      0 -> 0 [label="1"];
    }
    """
    return dot_pieces(chain, probability_texts(chain, format_fraction))


DOT = Format(title="Graphviz DOT, written only", pieces=chain_to_dot, holds_relation=lambda _: True)
