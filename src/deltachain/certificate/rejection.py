"""What the checker rejects is a `DeltachainError` to who calls us; the checker knows no class of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltachain_checker.errors import CertificateRejected as Rejected
from deltachain_checker_v1.errors import CertificateRejected as OlderRejected

from ..errors import CertificateRejected


@contextmanager
def ours() -> Iterator[None]:
    """Within it, or in a function that it decorates, a rejection by the checker is ours, in the same words."""
    try:
        yield
    except CertificateRejected:
        raise
    except (Rejected, OlderRejected) as reason:
        raise CertificateRejected(reason.claim, reason.rule, reason.left, reason.right) from reason
