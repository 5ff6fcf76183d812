"""Which labels a text format can express; what a label stands for is said in `chain.label_sets`."""

from __future__ import annotations

from collections.abc import Collection

from ..chain import Chain
from ..errors import Defect, InputError
from .label_sets import DROPPED, joined, label_names

__all__ = ["DROPPED", "joined", "label_names", "refuse_names"]


def refuse_names(chain: Chain, forbidden: Collection[str], format_name: str) -> None:
    """Raise InputError listing every state whose label has a ``forbidden`` character or is no UTF-8 text."""
    bad = {label: why for label in chain.alphabet if (why := _why_not(label, forbidden))}
    if bad:
        raise InputError(
            Defect(
                f"state {name!r}",
                f"{format_name} cannot express its label {label!r}: {bad[label]}",
                "rename the label",
            )
            for name, label in zip(chain.states, chain.labels, strict=True)
            if label in bad
        )


def _why_not(label: str, forbidden: Collection[str]) -> str:
    for character in label:
        if character in forbidden:
            return f"it contains {character!r}"
        if "\ud800" <= character <= "\udfff":
            return f"it contains the lone surrogate {character!r}"
    return ""
