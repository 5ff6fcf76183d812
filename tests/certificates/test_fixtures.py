"""Certificates kept as files: the sound ones are accepted, the others rejected for the reason that they show."""

from __future__ import annotations

import pytest

from deltachain_checker_v1 import CertificateRejected, verify
from deltachain_checker_v1.read import read_file, read_model

from .fixtures import KEPT, ROOT, certificate_path, model_path

COUNTS = {"accept": 109, "reject": 424, "malformed": 185}


@pytest.mark.parametrize("kind", COUNTS)
def test_every_file_is_listed_and_none_is_missing(kind: str) -> None:
    assert {path.stem for path in (ROOT / kind).glob("*.json")} == KEPT[kind].keys()
    assert len(KEPT[kind]) == COUNTS[kind]


@pytest.mark.parametrize("name", KEPT["accept"])
def test_accepted_and_proves(name: str) -> None:
    model = read_model(read_file(str(model_path("accept", name))))
    assert [*map(str, verify(model, read_file(str(certificate_path("accept", name)))))] == KEPT["accept"][name][
        "proves"
    ]


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ("reject", "malformed") for name in KEPT[kind]])
def test_rejected_for_its_reason(kind: str, name: str) -> None:
    model = read_model(read_file(str(model_path(kind, name))))
    with pytest.raises(CertificateRejected) as caught:
        verify(model, read_file(str(certificate_path(kind, name))))
    assert KEPT[kind][name]["says"] in str(caught.value)
