from __future__ import annotations

import pytest

import deltachain_checker_v1
from deltachain.certificate.rejection import ours
from deltachain.errors import CertificateRejected, DeltachainError


@pytest.mark.parametrize("sides", [(), (2, 1), (10**5000, None)])
def test_a_rejection_by_the_checker_is_ours_in_the_same_words(sides: tuple[object, ...]) -> None:
    said = deltachain_checker_v1.CertificateRejected("D(s,t)", "R1", *sides)
    with pytest.raises(DeltachainError) as caught, ours():
        raise said
    assert type(caught.value) is CertificateRejected
    assert (str(caught.value), vars(caught.value)) == (str(said), vars(said))


def test_a_rejection_of_ours_stays_as_it_is() -> None:
    said = CertificateRejected("domain", "every pair")
    with pytest.raises(CertificateRejected) as caught, ours():
        raise said
    assert caught.value is said
