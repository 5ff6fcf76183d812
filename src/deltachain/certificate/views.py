"""Evidence about a mechanism that lies between two labellings of one chain (`model.sandwich`).

Bounds from above are proved of the chain, whose letters tell at least as much as the mechanism's, and bounds from below
of the same chain with coarser letters. Both are in one certificate: what concerns the coarser letters is a *view* of it,
and the checker relabels the chain by itself (docs/certificate.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..model.sandwich import Sandwich
from .checked import TooLarge
from .claims import Claim, Evidence
from .record import PARTS, Certificate, Entries, claims_of

COARSE = "coarse"
"""The name of the view with the coarser letters."""
OLDER_FORM = "the bounds from above and those from below need rules that certificates with views do not have"
ABOUT = ("field", "alpha")


@dataclass(frozen=True, eq=False)
class Views:
    """Bounds from above by one chain, and from below by what a coarser labelling of it tells.

    Attributes:
        sandwich: the two chains.
        above: evidence about the fine chain.
        below: evidence about the coarse chain.
    """

    sandwich: Sandwich
    above: Evidence
    below: Evidence

    @property
    def claims(self) -> Sequence[Claim]:
        """First what is proved from above, without its lower bounds, then what is proved from below."""
        return [*map(_upper, self.above.claims), *map(_lower, self.below.claims)]

    @cached_property
    def missing(self) -> str:
        """Why there is no certificate."""
        return self.above.missing or self.below.missing or ("" if self._fit else OLDER_FORM)

    @cached_property
    def _fit(self) -> bool:
        """Whether both proofs have one form and are about one e^ε."""
        try:
            return self._joined(None) is not None
        except TooLarge:
            return False

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Both proofs in one document; `TooLarge` if it would be longer than asked for."""
        found = self._joined(most_bytes)
        if found is None:
            raise TooLarge
        return found

    def _joined(self, most_bytes: int | None) -> Certificate | None:
        fine, coarse = (each.certificate(most_bytes) for each in (self.above, self.below))
        if fine.older or coarse.older:
            return None
        # Where nothing is cited, claims say 0 or 1, and the field and e^ε of the other serve as well.
        leading, other = (fine.written, coarse.written) if _cites(fine) or not _cites(coarse) else (
            coarse.written,
            fine.written,
        )
        about = {key: leading[key] for key in ABOUT if key in leading}
        if about != {key: other[key] for key in ABOUT if key in other} and _cites(fine) and _cites(coarse):
            return None
        extensions = list(dict.fromkeys([*fine.written.get("extensions", ()), *coarse.written.get("extensions", ())]))
        known = {*self.sandwich.fine.labels}
        labels = {letter: whole for letter, whole in self.sandwich.merged.items() if letter in known}
        parts = {part: value for part, value in coarse.document.items() if part in PARTS}
        made = Entries()
        for claim in _of_view(fine, None):
            made.add(claim)
        for claim in _of_view(coarse, COARSE):
            made.add(claim)
        header = {"format": fine.written["format"], "model": self.sandwich.fine.sha256} | about
        header |= {"extensions": extensions} if extensions else {}
        header |= {"views": {COARSE: {"labels": labels} | parts}}
        own = {part: value for part, value in fine.written.items() if part in PARTS}
        return Certificate(header | own | {"proves": made})


def _cites(certificate: Certificate) -> bool:
    """Whether anything beside merged states proves its claims."""
    return any(part in certificate.written for part in PARTS if part != "merge")


def _of_view(certificate: Certificate, view: str | None) -> Iterator[dict[str, Any]]:
    """Its claims, from above only of the chain itself, from below only of a view."""
    for claim in claims_of(certificate.document):
        if view is None:
            yield {key: value for key, value in claim.items() if key != "lower"}
        else:
            yield {key: value for key, value in claim.items() if key != "upper"} | {"view": view}


def _upper(claim: Claim) -> Claim:
    """What it says from above."""
    return replace(claim, lower=None, value=None)


def _lower(claim: Claim) -> Claim:
    """What it says from below, of the view."""
    return replace(claim, upper=None, value=None, terms={**claim.terms, "view": COARSE})
