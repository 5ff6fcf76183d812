"""Evidence about a mechanism that lies between two labellings of one chain (`model.sandwich`).

Bounds from above are proved of the chain, whose letters tell at least as much as the mechanism's, and bounds from below
of the same chain with coarser letters. Both are in one certificate: what concerns the coarser letters is a *view*, and
the checker relabels the chain by itself (docs/certificate.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deltachain_checker.claims import name_of

from ..errors import CertificateRejected
from ..model.sandwich import Sandwich
from .checked import TooLarge
from .claims import Claim, Evidence, in_our_numbers
from .record import PARTS, Certificate, Entries, claims_of

if TYPE_CHECKING:
    from ..model import Chain

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
            return self._join(None) is not None
        except TooLarge:
            return False

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Both proofs in one document; `TooLarge` if it would be longer than asked for."""
        found = self._join(most_bytes)
        if found is None:
            raise TooLarge
        return found

    def _join(self, most_bytes: int | None) -> Certificate | None:
        fine, coarse = (each.certificate(most_bytes) for each in (self.above, self.below))
        # Where nothing is cited, claims say 0 or 1, and the field and e^ε of the other serve as well.
        leading, other = (
            (fine.written, coarse.written)
            if _cites(fine) or not _cites(coarse)
            else (
                coarse.written,
                fine.written,
            )
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
    for claim in certificate.document["proves"]:
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


def sandwich_of(chain: Chain, document: Any) -> Sandwich | None:
    """The sandwich of a chain that a certificate was made for; None if it was made for none of them."""
    if chain.sandwiches is None or not isinstance(document, dict):
        return None
    return next((each for each in chain.sandwiches() if each.fine.sha256 == document.get("model")), None)


def require_sides(sandwich: Sandwich, document: Any, claims: Sequence[Claim]) -> None:
    """CertificateRejected unless its claims, all proved of the fine chain, are about the mechanism as well.

    From above they must be about the chain itself, and from below about letters that are a function of the coarse ones.
    A trade-off function is one from above of the chain itself, and one from below of coarser letters. Ratios may be
    bounded from below by words of the fine chain whose letters keep them.
    """
    views = document.get("views", {})
    # One entry may claim many pairs.
    entries = [entry for entry in claims_of(document) for _ in entry.get("pairs", (None,))]
    for found, entry in zip(claims, entries, strict=True):
        claim, name = in_our_numbers(found), name_of(found)
        if "view" in claim.terms:
            _need(claim.upper is None or claim.upper == 1, name, "from above, a claim about the chain's own letters")
            labels = views[claim.terms["view"]]["labels"]
            _need(_tells_less(sandwich, labels), name, "letters that the coarse ones tell")
        elif claim.infinite or (claim.lower is not None and claim.lower > (1 if claim.measure == "ratio" else 0)):
            kept = claim.measure == "ratio" and not _letters(entry.get("words")) & sandwich.inner
            _need(kept, name, "from below, a claim about coarser letters")


def _tells_less(sandwich: Sandwich, labels: Mapping[str, str]) -> bool:
    """Whether letters of the fine chain that the coarse one merges are one letter by these labels, too."""
    shown: dict[str, str] = {}
    return all(
        shown.setdefault(whole, labels.get(letter, letter)) == labels.get(letter, letter)
        for letter, whole in sandwich.merged.items()
    )


def _letters(words: Any) -> set[str]:
    """The letters of what proves a ratio from below: a word, or a prefix and a cycle."""
    if isinstance(words, list):
        return {*words}
    return {*words["prefix"], *words["cycle"]}


def _need(fits: bool, claim: str, rule: str) -> None:
    if not fits:
        raise CertificateRejected(claim, rule)
