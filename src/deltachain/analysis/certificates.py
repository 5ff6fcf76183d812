"""`verify`: a certificate checked against a chain, by the trusted checker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model import Chain

if TYPE_CHECKING:
    from ..certificate.record import Certificate


def verify(
    chain: Chain, certificate: Certificate | Mapping[str, Any] | str | Path, *, formal: bool = False
) -> list[str]:
    """What the certificate, its document, or the file of one proves about the chain; CertificateRejected if nothing.

    A file that does not exist is a FileNotFoundError (and an InputError), not a rejection. With ``formal`` the checker
    that is extracted from the proofs in formal/ decides (`make formal` builds it; an InputError where it is not built).

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> len(verify(chain, dc.delta(chain, exp_epsilon=1).certificate))
    1
    """
    from ..certificate.verification import verify_certificate

    return verify_certificate(chain, certificate, formal=formal)
