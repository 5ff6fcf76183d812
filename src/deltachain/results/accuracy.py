"""How an `Accuracy` is shown: the least probability of an event of the run, rounded down.

It is computed exactly, or enclosed where a probability is irrational; there is no certificate for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .numbers import bound, decimal, json_bounds

if TYPE_CHECKING:
    from ..programs.run.events import Accuracy

NOT_CERTIFIED = "exact arithmetic, not certified"


def accuracy_cell(found: Accuracy | None) -> str:
    """The least probability in a cell: itself, or a lower bound marked as one."""
    if found is None:
        return ""
    return decimal(found.lower, side="lower") if found.lower == found.upper else bound(found.lower, "lower")


def accuracy_words(found: Accuracy) -> str:
    """The least probability in a sentence, and for which secrets it is.

    >>> from fractions import Fraction
    >>> from deltachain.programs.run.events import Accuracy
    >>> accuracy_words(Accuracy("output == x", Fraction(2, 3), Fraction(2, 3), "x=0", 2))
    'P(output == x) ≥ 0.666666 for each of 2 secrets'
    """
    least = accuracy_cell(found).removeprefix("≥ ")
    # A number that is shown whole is still a lower bound for every secret but the worst.
    for_whom = f"each of {found.secrets:,} secrets" if found.secrets > 1 else "the secret"
    return f"P({found.event}) ≥ {least} for {for_whom}"


def accuracy_body(found: Accuracy | None) -> dict[str, Any] | None:
    """The key ``accuracy`` of a JSON document."""
    if found is None:
        return None
    named = {"event": found.event, **json_bounds(found.lower, found.upper)}
    return named | {"secret": found.secret, "secrets": found.secrets}
