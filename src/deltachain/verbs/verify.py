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
    neighbours: str | None = None,
    formal: bool = False,
) -> list[str]:
    """What a certificate proves about the model.

    Args:
        model: a chain, or what `load` takes.
        certificate: a certificate, its document, or the file of one.
        secrets: what a program starts from.
        neighbours: which of them are to be compared, as of `load`. Where it is given, or a whole ``domain(q=…)`` of
            secrets, every pair of the domain must be claimed.
        formal: let the checker decide that is extracted from the proofs in formal/ (`make formal` builds it).

    Raises:
        CertificateRejected: it does not prove what it claims, or does not claim a pair of the domain.
        InputError: a file that does not exist (also a FileNotFoundError), or the formal checker is not built.

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> len(verify(chain, dc.delta(chain, exp_epsilon=1).certificate))
    1
    """
    from ..certificate.verification import require_claimed, verify_certificate
    from ..programs.domains import Domain

    whole = neighbours is not None or isinstance(secrets, Domain)
    chain = load(model, secrets=secrets, neighbours=neighbours)
    claims = verify_certificate(chain, certificate, formal=formal)
    if whole:
        require_claimed(chain, certificate)
    return claims
