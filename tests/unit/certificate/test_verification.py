"""From a chain and a certificate to the checker: what is kept while it works."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import deltachain as dc
import deltachain_checker_v1
from deltachain.certificate import verification
from deltachain_checker import model
from deltachain_checker_v1 import read
from tests.certificates.older_form import older_form


def test_the_collector_works_again_after_a_check_and_after_a_rejection() -> None:
    chain = dc.examples.dining_cryptographers(n=3)
    proof = dc.delta(chain, exp_epsilon="1.0002").certificate
    seen: list[bool] = []

    def judged(*_args: object, **_settings: object) -> list[str]:
        seen.append(gc.isenabled())
        raise dc.errors.CertificateRejected("claim", "rule")

    seen_as = verification.Seen(chain)
    assert len(verification.OURS(seen_as, verification.parse_document(proof))) == 3
    assert gc.isenabled()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "verify", judged)
        patch.setattr(deltachain_checker_v1, "verify", judged)
        for format_ in ("deltachain.certificate/2", "deltachain.certificate/1"):
            with pytest.raises(dc.errors.CertificateRejected, match="rule"):
                verification.OURS(seen_as, {"format": format_})
    assert seen == [False, False]
    assert gc.isenabled()


@pytest.mark.parametrize("older", [False, True])
def test_rows_that_are_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch, older: bool) -> None:
    chain = dc.examples.dining_cryptographers(n=4)
    document: dict[str, Any] = verification.parse_document(dc.delta(chain, exp_epsilon="1.0002").certificate)
    document = verification.parse_document(older_form(verification.Seen(chain), document)) if older else document
    listed = "claims" if older else "proves"
    whole = verification.OURS(verification.Seen(chain), document)
    monkeypatch.setattr(read if older else model, "MOST_KNOWN_ROWS", 1)
    seen = verification.Seen(chain)
    assert verification.OURS(seen, document) == whole
    claim = document[listed][0]
    with pytest.raises(dc.errors.CertificateRejected, match="bound"):
        verification.OURS(seen, document | {listed: [claim | {"upper": claim["lower"], "lower": "1"}]})
