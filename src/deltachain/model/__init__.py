"""Labelled Markov chains: the model everything else is about [CMP18, Def. 1]."""

from .bisimulation import Quotient, bisimilarity, is_bisimulation, quotient
from .boxes import AnyRow, BoxRow, Row
from .build import Normalise, from_dicts, from_distributions, from_networkx, from_rows, from_transition_labels
from .chain import Chain, Loaded, Moves, Valuation
from .parts import disjoint_union, reachable, restrict

__all__ = [
    "AnyRow",
    "BoxRow",
    "Chain",
    "Loaded",
    "Moves",
    "Normalise",
    "Quotient",
    "Row",
    "Valuation",
    "bisimilarity",
    "disjoint_union",
    "from_dicts",
    "from_distributions",
    "from_networkx",
    "from_rows",
    "from_transition_labels",
    "is_bisimulation",
    "quotient",
    "reachable",
    "restrict",
]
