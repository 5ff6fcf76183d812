"""The checker in Python and the one that is extracted from the proofs, asked about the same certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deltachain.certificate.formal import PROGRAM, formal_checker, proved_formally
from deltachain.certificate.kernel import NOT_PROVED
from deltachain.errors import CertificateRejected, InputError
from deltachain_checker_v1 import CertificateRejected as Rejected
from deltachain_checker_v1 import verify
from deltachain_checker_v1.read import Model, parse


def is_built() -> bool:
    try:
        formal_checker(), formal_checker(PROGRAM)
    except InputError:
        return False
    return True


needs_formal = pytest.mark.skipif(not is_built(), reason="the proved checker is not built: make formal")


def said(judge: Callable[[Model, Any], Any], model: Model, document: Any) -> list[str] | CertificateRejected | Rejected:
    """The sentences that it proves, or why it rejects it."""
    try:
        return [*map(str, judge(model, parse(json.dumps(document))))]
    except (CertificateRejected, Rejected) as reason:
        return reason


def agreed(model: Model, document: Any) -> str:
    """How both judge a document, in a word; AssertionError where they differ.

    A rule that is not in the proved checker is refused by it, whatever the other says, and the refusal names it.
    """
    ours, proved = said(verify, model, document), said(proved_formally, model, document)
    if isinstance(proved, CertificateRejected) and NOT_PROVED in proved.rule:
        return "refused"
    if not (isinstance(ours, list) and isinstance(proved, list)):
        assert isinstance(ours, list) is isinstance(proved, list), (ours, proved)
        return "rejected"
    assert ours == proved
    return "accepted"
