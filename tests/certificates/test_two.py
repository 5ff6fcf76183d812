"""Small certificates of format 2 that are kept as files: for each rule some that hold, and for each condition one less.

``two/accept`` holds at least one for every rule; ``two/reject`` certificates that each violate one condition, and are
named after it, with the words of the rejection in ``two/reject.json``. Both lists name the model of each file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltachain_checker import CertificateRejected, ModelFile, describe, read_file, verify
from deltachain_checker.certificate import field_of
from tests.words import refuses

TWO = Path(__file__).parent / "two"
LISTED: dict[str, dict[str, dict[str, Any]]] = {
    kind: json.loads((TWO / f"{kind}.json").read_text("utf-8")) for kind in ("accept", "reject")
}
COUNTS = {"accept": 104, "reject": 544}


def paths_of(kind: str, name: str) -> tuple[str, str]:
    """The files of the model and of the certificate."""
    return str(TWO / "models" / f"{LISTED[kind][name]['model']}.json"), str(TWO / kind / f"{name}.json")


def judged_file(kind: str, name: str) -> list[str]:
    """What the file proves, as `python -m deltachain_checker` reads both; CertificateRejected otherwise."""
    model, certificate = paths_of(kind, name)
    return [*map(describe, verify(ModelFile(read_file(model)), read_file(certificate)))]


@pytest.mark.parametrize("kind", COUNTS)
def test_every_file_is_listed_and_none_is_missing(kind: str) -> None:
    assert {path.stem for path in (TWO / kind).glob("*.json")} == LISTED[kind].keys()
    assert len(LISTED[kind]) == COUNTS[kind]
    used = {entry["model"] for listed in LISTED.values() for entry in listed.values()}
    assert {path.stem for path in (TWO / "models").glob("*.json")} == used


@pytest.mark.parametrize("name", LISTED["accept"])
def test_accepted_and_proves(name: str) -> None:
    assert judged_file("accept", name) == LISTED["accept"][name]["proves"]


@pytest.mark.parametrize("name", LISTED["reject"])
def test_rejected_for_its_reason(name: str) -> None:
    with pytest.raises(CertificateRejected) as caught:
        judged_file("reject", name)
    assert LISTED["reject"][name]["says"] in str(caught.value)


def test_every_part_and_every_claim_is_among_those_that_are_accepted() -> None:
    from deltachain_checker.certificate import CLAIMS, HEADER, PARTS
    from deltachain_checker.measures import KEYS

    documents = [json.loads((TWO / "accept" / f"{name}.json").read_text("utf-8")) for name in LISTED["accept"]]
    views = [view for document in documents for view in document.get("views", {}).values()]
    assert {part for document in [*documents, *views] for part in document} == {*HEADER, *PARTS}
    claims = [claim for document in documents for claim in document["proves"]]
    assert {claim["claim"] for claim in claims} == {*CLAIMS, *KEYS}
    for what, known in {**CLAIMS, **KEYS}.items():
        used = {key for claim in claims if claim["claim"] == what for key in claim}
        assert {*known} - used <= {"below", "above", "after", "to"}, what


def test_the_base_of_a_chain_in_memory_must_divide_that_of_the_certificate() -> None:
    """Of a file, the model is read over the certificate's own field."""
    model, certificate = (read_file(path) for path in paths_of("accept", "field-base"))
    chain = ModelFile(model).over(field_of({"base": 2}))
    assert verify(chain, certificate)
    with refuses(CertificateRejected, "multiple of the"):
        verify(chain, certificate | {"field": {"base": 3}})


def test_an_empty_unseen_vector_is_refused_wherever_it_stands() -> None:
    model, certificate = (read_file(path) for path in paths_of("accept", "covers-unseen"))
    with refuses(CertificateRejected, "states of one"):
        verify(ModelFile(model), certificate | {"unseen": [*certificate["unseen"], []]})


DOOR = {
    "format": "deltachain.chain/1",
    "parameter": {"u": ["0", "1"]},
    "states": {
        "s": {"label": "go", "to": {"h": "u", "e": "1-u"}},
        "t": {"label": "go", "to": {"e": 1}},
        "h": {"label": "heads", "to": {"h": 1}},
        "e": {"label": "tails", "to": {"e": 1}},
    },
}
"""s shows heads, which t never does, for every u between 0 and 1; at 0 it does not either, and the ratio is 1."""


@pytest.mark.parametrize("closed", [[True, False], [False, True], [False, False]])
def test_the_ends_of_the_models_interval_are_not_in_it(closed: list[bool]) -> None:
    field = {"parameter": {"u": ["0", "1"]}, "closed": closed}
    claim = {"claim": "ratio", "pair": ["s", "t"], "lower": "infinity", "first": "s", "words": ["go", "heads"]}
    document = {"format": "deltachain.certificate/2", "field": field, "proves": [claim]}
    document["model"] = ModelFile(DOOR).over(field_of({"parameter": field["parameter"]})).sha256()
    if not any(closed):
        assert verify(ModelFile(DOOR), document)[0].infinite
        return
    with refuses(CertificateRejected, "that are values"):
        verify(ModelFile(DOOR), document)
