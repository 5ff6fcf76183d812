"""Answers are checked before they are printed: the certificate goes, as the bytes of its file, to the checker.

The search and the checker share no code, so that a mistake in one of them is noticed by the other. The checker returns
the claims that it accepts, and results are made of these; what it rejects is an internal error, and no bound is
printed. The limit counts bytes and steps, not seconds: whether an answer is checked depends on the question alone,
unless a deadline or Ctrl-C cuts the check.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from deltachain_checker import Meter, Unfinished

from .. import formats
from ..cancel import Cancel
from ..errors import CertificateRejected, RejectedAnswer, Stopped
from ..files import write_atomically
from ..memory import collector_paused
from ..model import Chain
from ..numbers.parameter import OpenParameter
from .checked import ACCEPTED, NOT_ASKED, TOO_LARGE, Checked, TooLarge
from .claims import Accepted, Evidence, Unproved, accepted_of
from .verification import MOST_BYTES, MOST_STEPS, Seen, verify_bytes

STEPS_PER_TRANSITION = 40
"""What the checker spends on a model at least, to hash it."""

LATER = "save the certificate, then run verify"
"""What to do about an answer that there was no time to check."""


@dataclass(frozen=True, eq=False)
class Inspection:
    """Checks the answers of one command about one chain, within one limit of steps for all of them."""

    chain: Chain
    cancel: Cancel
    meter: Meter
    interval: OpenParameter | None = None
    """Of its parameter, where the answer is about all values of one."""

    @classmethod
    def of(cls, chain: Chain, cancel: Cancel) -> Inspection:
        """With the whole limit ahead."""
        return cls(chain, cancel, Meter(MOST_STEPS, cancel.make_ending().is_stopped))

    def about(self, chain: Chain) -> Inspection:
        """The same for another chain, within what is left of the limit."""
        return replace(self, chain=chain)

    def again(self) -> Inspection:
        """The same for a part of what was too large, with the whole limit ahead."""
        return replace(self, meter=Meter(MOST_STEPS, self.cancel.make_ending().is_stopped))

    @cached_property
    def _seen(self) -> Seen:
        return Seen(self.chain, self.interval)

    def accept(self, evidence: Evidence) -> Accepted:
        """Hand the bytes of the certificate to the checker; the claims that it accepts, those that were found.

        Raises:
            RejectedAnswer: it does not prove what was found.
        """
        if evidence.missing:
            return Accepted(evidence.claims, Checked(None, evidence.missing))
        late = self.cancel.make_ending()
        if late.is_stopped():
            return Accepted(evidence.claims, self.cut_off())
        if STEPS_PER_TRANSITION * self.chain.transitions > MOST_STEPS:
            return Accepted(evidence.claims, TOO_LARGE)  # the hash of the model alone takes more
        self.cancel.report("checking the certificate")
        try:
            with late.govern(), collector_paused():
                data = "".join(evidence.certificate(MOST_BYTES).chunks()).encode()
                if len(data) > MOST_BYTES:
                    return Accepted(evidence.claims, TOO_LARGE)
                accepted = verify_bytes(self._seen, data, self.meter)
        except TooLarge:
            return Accepted(evidence.claims, TOO_LARGE)
        except Stopped:
            return Accepted(evidence.claims, self.cut_off())
        except Unfinished as unfinished:
            return Accepted(evidence.claims, self.cut_off() if unfinished.reason == "stopped" else TOO_LARGE)
        except CertificateRejected as rejection:
            raise _reject(self.chain, data, str(rejection)) from rejection
        try:
            return Accepted(accepted_of(evidence.claims, accepted), ACCEPTED)
        except Unproved as problem:
            raise _reject(self.chain, data, str(problem)) from problem

    def contradiction(self, evidence: Evidence, why: str) -> RejectedAnswer:
        """The error for an answer that a search, with this evidence, contradicts."""
        try:
            data = "".join(evidence.certificate(MOST_BYTES).chunks()).encode()
        except TooLarge:
            data = b"{}"
        return _reject(self.chain, data, why, "a search contradicts this answer")

    def cut_off(self) -> Checked:
        """Not checked, because the deadline was reached or the work was interrupted."""
        why = "time limit reached" if self.cancel.is_stopped() and self.cancel.reason == "time" else "interrupted"
        return Checked(False, f"{why}: {LATER}")


def accepted_by(inspection: Inspection | None, evidence: Evidence) -> Accepted:
    """What a result is made of: the claims that the inspection accepts, or those that were found, where there is none.

    Every answer with a certificate comes through here.
    """
    if inspection is not None:
        return inspection.accept(evidence)
    return Accepted(evidence.claims, Checked(None, evidence.missing) if evidence.missing else NOT_ASKED)


def _reject(
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
