"""Answers are checked before they are printed: the certificate goes, as the bytes of its file, to the checker.

The search and the checker share no code, so that a mistake in one of them is noticed by the other. What the checker
accepts is compared with the numbers that will be printed; what it rejects is an internal error, and no bound is
printed. The limit counts bytes and steps, not seconds: whether an answer is checked depends on the question alone,
unless a deadline or Ctrl-C cuts the check.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flint import fmpz_poly

from deltachain_checker import Meter, Model, Unfinished

from .. import formats
from ..cancel import Cancel
from ..errors import CertificateRejected, RejectedAnswer, Stopped
from ..files import write_atomically
from ..model import Chain
from ..numbers.exponential import function_of
from ..numbers.field import Exact
from ..numbers.fraction import ExpEpsilon, parse_fraction
from .checked import ACCEPTED, TOO_LARGE, Checked
from .record import Certificate, TooLarge
from .verification import MOST_BYTES, MOST_STEPS, model_of, verify_bytes

if TYPE_CHECKING:
    from deltachain_checker.families import ChainFamily

STEPS_PER_TRANSITION = 40
"""What the checker spends on a model at least, to hash it."""

LATER = "save the certificate, then run verify"
"""What to do about an answer that there was no time to check."""

Printed = Mapping[tuple[str, str], tuple[Fraction, Fraction, Exact | None]]
"""Lower and upper bound for each pair of states, by name, and δ itself where it is said to be known."""


PrintedDistances = Mapping[tuple[str, str], tuple[Exact | None, Exact]]
"""Lower and upper bound of the distance from one state to another, by name; None where there is no lower one."""


@dataclass(frozen=True, eq=False)
class Inspection:
    """Checks the answers of one command about one chain, within one limit of steps for all of them."""

    chain: Chain
    cancel: Cancel
    meter: Meter
    model: ChainFamily | None = None
    """The chain for every value of its parameter, where the answer is about all of them."""

    @classmethod
    def of(cls, chain: Chain, cancel: Cancel) -> Inspection:
        """With the whole limit ahead."""
        return cls(chain, cancel, Meter(MOST_STEPS, cancel.ending().stopped))

    def about(self, chain: Chain) -> Inspection:
        """The same for another chain, within what is left of the limit."""
        return replace(self, chain=chain)

    def again(self) -> Inspection:
        """The same for a part of what was too large, with the whole limit ahead."""
        return replace(self, meter=Meter(MOST_STEPS, self.cancel.ending().stopped))

    @cached_property
    def _model(self) -> Model | ChainFamily:
        return self.model or model_of(self.chain)

    def certificate(
        self,
        make: Callable[[int], Certificate],
        differs: Callable[[Mapping[str, Any]], str | None] = lambda _document: None,
    ) -> Checked:
        """Hand the bytes of the certificate to the checker.

        Args:
            make: makes the certificate; `TooLarge` if it is longer than the number of bytes that it is given.
            differs: what would be printed beyond what a document claims, in words; None if nothing.

        Raises:
            RejectedAnswer: it does not prove what would be printed.
        """
        late = self.cancel.ending()
        if late.stopped():
            return self.cut_off()
        if STEPS_PER_TRANSITION * self.chain.transitions > MOST_STEPS:
            return TOO_LARGE  # the hash of the model alone takes more
        self.cancel.report("checking the certificate")
        try:
            with late.governing():
                data = "".join(make(MOST_BYTES).chunks()).encode()
                if len(data) > MOST_BYTES:
                    return TOO_LARGE
                document = verify_bytes(self._model, data, self.meter)
        except TooLarge:
            return TOO_LARGE
        except Stopped:
            return self.cut_off()
        except Unfinished as unfinished:
            return self.cut_off() if unfinished.reason == "stopped" else TOO_LARGE
        except CertificateRejected as rejection:
            raise _rejected(self.chain, data, str(rejection)) from rejection
        problem = differs(document)
        if problem is not None:
            raise _rejected(self.chain, data, problem)
        return ACCEPTED

    def bounds(self, make: Callable[[int], Certificate], at: ExpEpsilon, printed: Printed) -> Checked:
        """Hand a certificate of δ to the checker: it must prove what is printed of the bounds at e^ε."""
        return self.certificate(make, lambda document: mismatch(document, at, printed))

    def distances(self, make: Callable[[int], Certificate], kind: str, at: Exact, printed: PrintedDistances) -> Checked:
        """Hand a certificate of distances to the checker: it must prove what is printed of them at α."""
        return self.certificate(make, lambda document: distance_mismatch(document, kind, at, printed))

    def contradiction(self, make: Callable[[int], Certificate], why: str) -> RejectedAnswer:
        """The error for an answer that a search contradicts; ``make`` makes the certificate of that search."""
        try:
            data = "".join(make(MOST_BYTES).chunks()).encode()
        except TooLarge:
            data = b"{}"
        return _rejected(self.chain, data, why, "a search contradicts this answer")

    def cut_off(self) -> Checked:
        """Not checked, because the deadline was reached or the work was interrupted."""
        why = "time limit reached" if self.cancel.stopped() and self.cancel.reason == "time" else "interrupted"
        return Checked(False, f"{why}: {LATER}")


def mismatch(document: Mapping[str, Any], at: ExpEpsilon, printed: Printed) -> str | None:
    """What is printed of δ beyond the certificate, which the checker has accepted; None if nothing is."""
    named = parse_fraction(document["exp_epsilon"]["upper"]), parse_fraction(document["exp_epsilon"]["lower"])
    if named != (at.below, at.above) or not about_epsilon(document, at):
        return "its certificate is about another ε"
    claims = {tuple(claim["pair"]): claim for claim in document["claims"] if claim["claim"] == "delta"}
    for pair, (lower, upper, value) in printed.items():
        # What is printed may be wider than what is proved, never narrower.
        claim = claims.get(pair)
        if claim is None or parse_fraction(claim["lower"]) < lower or parse_fraction(claim["upper"]) > upper:
            return "its numbers are not those that its certificate proves"
        if value is not None and value != proved_value(document, claim):
            return "it says exact of what its certificate only bounds"
    return None


def distance_mismatch(document: Mapping[str, Any], kind: str, at: Exact, printed: PrintedDistances) -> str | None:
    """What is printed of distances beyond the certificate, which the checker has accepted; None if nothing is."""
    # Without an irrational α of its own, a certificate of distances is at one rational.
    named = claimed_number(document, document.get("alpha", document["exp_epsilon"]["upper"]))
    if named != at or document["kind"] != kind:
        return "its certificate is about another distance"
    claims = {tuple(claim["pair"]): claim for claim in document["claims"] if claim["claim"] == "distance"}
    for pair, (lower, upper) in printed.items():
        claim = claims.get(pair)
        if claim is None or claimed_number(document, claim["upper"]) != upper:
            return "its numbers are not those that its certificate proves"
        if lower is not None and ("lower" not in claim or claimed_number(document, claim["lower"]) != lower):
            return "it says more from below than its certificate proves"
    return None


def claimed_number(document: Mapping[str, Any], written: Any) -> Exact:
    """A number of an accepted certificate: a fraction, or a function of its e^(1/base)."""
    return _number(written, int(document.get("base", "1")))


def proved_value(document: Mapping[str, Any], claim: Mapping[str, Any]) -> Exact | None:
    """δ itself, where what the checker accepted leaves one number: by the claim, or by those about its pair's node.

    A claim about δ has rational ends. Values of nodes may be functions of X = e^(1/base), and say more.
    """
    if claim["lower"] == claim["upper"]:
        return parse_fraction(claim["upper"])
    if "node" not in claim or "base" not in document:
        return None
    node, base = claim["node"], int(document["base"])
    sides: dict[str, list[Exact]] = {"lower": [], "upper": []}
    for number, *values in (entry[:3] for entry in document.get("values", ())):
        if number == node:
            for value in values:
                for side, found in sides.items():
                    found.append(_number(value[side] if isinstance(value, dict) else value, base))
    for side, found in sides.items():
        found += [_number(value, base) for number, _, value, *_ in document.get(side, ()) if number == node]
    if not all(len(found) == 2 for found in sides.values()):  # both directions, once each
        return None
    # δ is the larger direction; each side of it is the larger of two.
    lower, upper = (max(found) for found in sides.values())
    return upper if lower == upper else None


def _number(written: Any, base: int) -> Exact:
    """A number of an accepted certificate."""
    if isinstance(written, str):
        return parse_fraction(written)
    top, bottom = (fmpz_poly([int(c) for c in part]) for part in written)
    return function_of(base, top, bottom)


def about_epsilon(document: Mapping[str, Any], asked: ExpEpsilon) -> bool:
    """Whether a certificate that is about one function of X = e^(1/base) is about e^ε, and no other near it."""
    if "alpha" not in document:
        return True
    if asked.epsilon is None:
        return isinstance(document["alpha"], str) and parse_fraction(document["alpha"]) == asked.below == asked.above
    power = asked.epsilon * parse_fraction(document["base"])
    if power == 0 or isinstance(document["alpha"], str):
        return power == 0 and document["alpha"] == "1"
    top, bottom = document["alpha"]  # never written out by us: who sent it chose how long it would be
    return len(top) == power + 1 and top[-1] == "1" and set(top[:-1]) <= {"0"} and bottom == ["1"]


def _rejected(
    chain: Chain, data: bytes, why: str, what: str = "the checker rejected the proof of this answer"
) -> RejectedAnswer:
    """The error, after certificate and model were kept where nobody else reads them, if they can be."""
    said = f"internal error: {what}, so that no bound is printed ({why})"
    try:
        folder = Path(tempfile.mkdtemp(prefix="deltachain-rejected-"))
        write_atomically(folder / "certificate.json", [data.decode()])
        formats.save(chain, folder / "model.json", format="json")
    except Exception as error:  # whatever is in the way of keeping them must not hide the rejection
        kept = None
        where = f"certificate and model could not be kept ({error})"
    else:
        kept, where = str(folder), f"certificate and model are kept in {folder}"
    return RejectedAnswer(f"{said}; {where}. Please report it", kept)
