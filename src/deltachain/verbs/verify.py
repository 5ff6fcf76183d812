"""`verify`: whether a certificate proves what it claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..loading import load
from ..model import Chain
from .asking import Secrets

if TYPE_CHECKING:
    from ..certificate.record import Certificate
    from ..programs import Program


def verify(
    model: Chain | Program | str | Path,
    certificate: Certificate | Mapping[str, Any] | str | Path,
    *,
    secrets: Secrets | None = None,
    formal: bool = False,
) -> list[str]:
    """What a certificate proves about the model.

    Args:
        model: a chain, or what `load` takes.
        certificate: a certificate, its document, or the file of one.
        secrets: what a program starts from.
        formal: let the checker decide that is extracted from the proofs in formal/ (`make formal` builds it).

    Raises:
        CertificateRejected: it does not prove what it claims.
        InputError: a file that does not exist (also a FileNotFoundError), or the formal checker is not built.

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> len(verify(chain, dc.delta(chain, exp_epsilon=1).certificate))
    1
    """
    from ..certificate.verification import verify_certificate

    return verify_certificate(load(model, secrets=secrets), certificate, formal=formal)
