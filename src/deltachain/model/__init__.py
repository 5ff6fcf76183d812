"""Labelled Markov chains: the model everything else is about [CMP18, Def. 1]."""

from .bisimulation import Quotient, bisimilarity, is_bisimulation, quotient
from .build import Normalise, from_dicts, from_distributions, from_networkx, from_rows, from_transition_labels
from .chain import Chain, Loaded, RowsByInput, Valuation
from .parts import disjoint_union, reachable, restrict
from .rows import AnyRow, BallRow, Box, LimitRow, PointRow, Row

__all__ = [
    "AnyRow",
    "BallRow",
    "Box",
    "Chain",
    "LimitRow",
    "Loaded",
    "Normalise",
    "PointRow",
    "Quotient",
    "Row",
    "RowsByInput",
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
