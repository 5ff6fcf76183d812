"""Which labels a text format can express; what a label stands for is said in `chain.label_sets`."""

from __future__ import annotations

from collections.abc import Collection

from ..errors import Defect, InputError
from ..model import Chain


def refuse_names(chain: Chain, forbidden: Collection[str], format_name: str) -> None:
    """Raise InputError listing every state whose label, or input, has a ``forbidden`` character or is no UTF-8 text."""
    bad = {
        label: [f"its label {label!r}: {why}"] if (why := why_not(label, forbidden)) else [] for label in chain.alphabet
    }
    for label, names in chain.inputs.items():
        bad[label] += [f"its input {name!r}: {why}" for name in names if (why := why_not(name, forbidden))]
    defects = [
        Defect(f"state {state!r}", f"{format_name} cannot express {what}", "rename it")
        for state, label in zip(chain.states, chain.labels, strict=True)
        for what in bad[label]
    ]
    if defects:
        raise InputError(defects)


def why_not(label: str, forbidden: Collection[str] = ()) -> str:
    """Why a file cannot hold the name; empty if it can."""
    for character in label:
        if character in forbidden:
            return f"it contains {character!r}"
        if "\ud800" <= character <= "\udfff":
            return f"it contains the lone surrogate {character!r}"
    return ""
