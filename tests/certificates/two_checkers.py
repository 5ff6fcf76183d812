"""The checker in Python and the one that is extracted from the proofs, asked about the same certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deltachain.certificate.formal import formal_checker, verify_formally
from deltachain.certificate.kernel import NOT_PROVED
from deltachain.errors import InputError
from deltachain_checker_v1 import CertificateRejected, verify
from deltachain_checker_v1.read import Model, parse


def is_built() -> bool:
    try:
        formal_checker()
    except InputError:
        return False
    return True


needs_formal = pytest.mark.skipif(not is_built(), reason="the proved checker is not built: make formal")


def said(judge: Callable[[Model, Any], list[str]], model: Model, document: Any) -> list[str] | CertificateRejected:
    """The sentences that it proves, or why it rejects it."""
    try:
        return judge(model, parse(json.dumps(document)))
    except CertificateRejected as reason:
        return reason


def agreed(model: Model, document: Any) -> str:
    """How both judge a document, in a word; AssertionError where they differ.

    A rule that is not in the proved checker is refused by it, whatever the other says, and the refusal names it.
    """
    ours, proved = said(verify, model, document), said(verify_formally, model, document)
    if isinstance(proved, CertificateRejected) and NOT_PROVED in proved.rule:
        return "refused"
    if isinstance(ours, CertificateRejected) or isinstance(proved, CertificateRejected):
        assert type(ours) is type(proved), (ours, proved)
        return "rejected"
    assert ours == proved
    return "accepted"
