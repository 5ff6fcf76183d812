"""What takes which chain: the one table that asks what kind of rows a chain has, and whether there are inputs.

A chain has one `Column`, by what its numbers allow:

- *fractions*: exact rational rows, nothing cut off. Everything is for them.
- *functions*: exact rows that are functions of e^(1/k), nothing cut off: what is written over a field.
- *enclosed*: one number each, known to many digits; and exact rows of which noise is cut off. What bounds.
- *limits*: what holds for every chain inside.

"sharp distance" closes beliefs by flows that a certificate of δ cites, and its rule for those is about fractions; bd,
ld and sd themselves ("distances") are found and certified over functions, too, and their zero set is found.

A new way is one line here. The contract suite has a case, or a refusal by name, for every cell.
"""

from __future__ import annotations

from typing import Literal

from ..model import Chain

RowKind = Literal["fractions", "functions", "enclosed", "limits"]
ALL: frozenset[RowKind] = frozenset(("fractions", "functions", "enclosed", "limits"))
EXACT: frozenset[RowKind] = frozenset(("fractions", "functions"))
FRACTIONS: frozenset[RowKind] = frozenset(("fractions",))
KNOWN: frozenset[RowKind] = frozenset(("fractions", "functions", "enclosed"))
IRRATIONAL: frozenset[RowKind] = frozenset(("functions", "enclosed"))
LIMITS: frozenset[RowKind] = frozenset(("limits",))
NONE: frozenset[RowKind] = frozenset()

WayName = Literal[
    "different labels",
    "bisimilar",
    "outcomes",
    "finite graph",
    "traced graph",
    "split",
    "long integers",
    "sharp distance",
    "signed beliefs",
    "forms",
    "zero set",
    "distances",
    "supports",
    "pumping",
    "ratio matrix",
    "losses",
    "moments",
    "guessing",
    "words",
    "pieces",
    "plans",
    "drawn words",
    "look-ahead",
    "extreme chains",
]

TABLE: dict[WayName, tuple[frozenset[RowKind], frozenset[RowKind]]] = {
    # way: (without inputs, with inputs)
    "different labels": (ALL, ALL),
    "bisimilar": (ALL, ALL),
    "outcomes": (EXACT, NONE),
    "finite graph": (EXACT, EXACT),
    "traced graph": (FRACTIONS, NONE),
    "split": (FRACTIONS, NONE),
    "long integers": (IRRATIONAL, NONE),
    "sharp distance": (FRACTIONS, FRACTIONS),
    "signed beliefs": (ALL, ALL),
    "forms": (LIMITS, NONE),
    "zero set": (EXACT, EXACT),
    "distances": (EXACT, EXACT),
    "supports": (EXACT, EXACT),
    "pumping": (FRACTIONS, NONE),
    "ratio matrix": (FRACTIONS, NONE),
    "losses": (EXACT, NONE),
    "moments": (KNOWN, FRACTIONS),
    "guessing": (EXACT, EXACT),
    "words": (EXACT, EXACT),
    "pieces": (NONE, EXACT),
    "plans": (NONE, EXACT),
    "drawn words": (EXACT, NONE),
    "look-ahead": (FRACTIONS, NONE),
    "extreme chains": (LIMITS, NONE),
}


def column_of(chain: Chain) -> RowKind:
    """What the numbers of a chain allow."""
    if chain.kind == "limits":
        return "limits"
    if chain.kind == "enclosed" or not chain.whole:
        return "enclosed"
    return "fractions" if chain.rational else "functions"


def takes(way: WayName, chain: Chain) -> bool:
    """Whether a way is for this chain."""
    without, with_inputs = TABLE[way]
    return column_of(chain) in (with_inputs if chain.interactive else without)
