"""From a chain and a certificate to the checker: what is kept while it works."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import deltachain as dc
from deltachain.certificate import verification
from deltachain_checker_v1 import read


def test_the_collector_works_again_after_a_check_and_after_a_rejection() -> None:
    chain = dc.examples.dining_cryptographers(n=3)
    proof = dc.delta(chain, exp_epsilon="1.0002").certificate
    seen: list[bool] = []

    def judged(*_args: object, **_settings: object) -> list[str]:
        seen.append(gc.isenabled())
        raise dc.errors.CertificateRejected("claim", "rule")

    assert len(verification.OURS(verification.model_of(chain), verification.parsed(proof))) == 3
    assert gc.isenabled()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "verify", judged)
        with pytest.raises(dc.errors.CertificateRejected):
            verification.OURS(verification.model_of(chain), {})
    assert seen == [False]
    assert gc.isenabled()


def test_rows_that_are_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dc.examples.dining_cryptographers(n=4)
    document: dict[str, Any] = verification.parsed(dc.delta(chain, exp_epsilon="1.0002").certificate)
    whole = verification.OURS(verification.model_of(chain), document)
    monkeypatch.setattr(read, "MOST_KNOWN_ROWS", 1)
    model = verification.model_of(chain)
    assert verification.OURS(model, document) == whole
    claim = document["claims"][0]
    with pytest.raises(dc.errors.CertificateRejected):
        verification.OURS(model, document | {"claims": [claim | {"upper": claim["lower"], "lower": "1"}]})
