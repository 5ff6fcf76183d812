"""The record, replayed: a sample here, all of it among the slow tests."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import deltachain as dc
from tests.record.answers import NO_CERTIFICATE, NO_CLAIM, NO_RULES, ends
from tests.record.replay import (
    ANSWERS,
    CERTIFICATES,
    FAILURES,
    Difference,
    differences,
    narrower,
    recheck,
    replay,
    rows_of,
    sample,
)

KINDS = {
    *("zoo", "fractions", "inputs", "bugs", "cut off", "noise with inputs"),
    *(f"{rows}{inputs}" for rows in ("limits", "counts", "enclosed", "functions") for inputs in ("", " with inputs")),
}


def failing(found: list[Difference]) -> list[str]:
    return [f"{d.kind}: {d.where}: {d.what}" for d in found if d.fails]


def test_a_sample_is_answered_as_well_as_recorded() -> None:
    rows = sample(rows_of(ANSWERS), 4)
    assert {row["kind"] for row in rows} == KINDS
    assert failing(list(replay(rows))) == []


def test_a_sample_of_older_certificates_is_accepted() -> None:
    rows = rows_of(CERTIFICATES)
    assert {row["release"] for row in rows} == {"0.2", "0.3"}
    assert failing(list(recheck(rows[::8]))) == []


@pytest.mark.slow
def test_everything_is_answered_as_well_as_recorded() -> None:
    assert failing(list(replay(rows_of(ANSWERS)))) == []


@pytest.mark.slow
def test_every_older_certificate_is_accepted() -> None:
    assert failing(list(recheck(rows_of(CERTIFICATES)))) == []


def test_every_recorded_bound_was_accepted_or_has_no_certificate() -> None:
    for row in rows_of(ANSWERS):
        for question, answer in row["asked"]:
            if "refused" in answer:
                continue
            if question["verb"] == "profile":
                together = "repeat" in question
                assert all(point[2] is None if together else point[2] is not False for point in answer["points"])
            elif {"repeat", "compose"} & set(question):
                assert answer["certificate"] == NO_CERTIFICATE
            else:
                says_nothing = question["verb"] == "epsilon" and (answer["refuted"], answer["proved"]) == ("1", None)
                assert (answer["certificate"] == NO_CLAIM) == says_nothing
                no_rules = question["verb"] == "distance" and answer["certificate"] == NO_RULES
                assert says_nothing or no_rules or len(answer["certificate"]) == 16, f"{row['name']}: {question}"


@pytest.mark.parametrize("release", ["0.2", "0.3"])
def test_an_older_certificate_that_claims_more_is_rejected(release: str) -> None:
    row = next(row for row in rows_of(CERTIFICATES) if row["release"] == release)
    document = json.loads(row["certificate"])
    document["claims"][0] |= {"lower": "1", "upper": "0"}
    found = list(recheck([row | {"certificate": json.dumps(document)}]))
    assert [d.kind for d in found] == ["older certificate rejected"]
    found = list(recheck([row | {"claims": row["claims"] + 1}]))
    assert [d.kind for d in found] == ["older certificate rejected"]


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (("1/4", "1/2"), None),
        (("1/3", "1/2"), "narrower"),
        (("1/5", "1/2"), "wider"),
        (("1/4", "3/4"), "wider"),
        (("3/4", "1"), "contradicts"),
        (("0", "1/5"), "contradicts"),
    ],
)
def test_intervals(new: tuple[str, str], kind: str | None) -> None:
    found = [d.kind for d in narrower("here", ("1/4", "1/2"), new, exact=False)]
    assert found == ([] if kind is None else [kind])


def test_an_exact_number_must_meet_the_interval_and_no_more() -> None:
    wide, far = ("1/5", "3/10"), ("1/2", "1/2")
    assert not any(d.fails for d in narrower("here", ("1/4", "1/4"), wide, exact=True))
    assert [d.kind for d in narrower("here", ("1/4", "1/4"), far, exact=True)] == ["contradicts"]


def test_answers_that_are_worse_are_failures() -> None:
    good = {"pairs": [["1/4", "1/4", True, "beliefs", 3]], "certificate": "ab", "witness": ["s", "t", "0.25", ["a b"]]}
    worse = [
        ({"refused": "no"}, "refused now"),
        (good | {"pairs": [["1/5", "1/4", False, "beliefs", 3]]}, "wider"),
        (good | {"pairs": [["1/4", "1/4", False, "beliefs", 3]]}, "exactness lost"),
        (good | {"certificate": None}, "no certificate now"),
        ({key: good[key] for key in ("pairs", "certificate")}, "witness lost"),
    ]
    assert list(differences("delta", "here", good, good)) == []
    for new, kind in worse:
        assert kind in FAILURES
        assert kind in {d.kind for d in differences("delta", "here", good, new)}
    told = good | {"pairs": [["1/4", "1/4", True, "signed", 4]], "certificate": "cd"}
    assert {d.kind for d in differences("delta", "here", good, told)} == {"method", "nodes", "other bytes"}
    assert not any(d.fails for d in differences("delta", "here", good, told))
    assert [d.kind for d in differences("delta", "here", {"refused": "no"}, good)] == ["answered now"]


def test_a_crash_and_a_rejected_proof_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in rows_of(ANSWERS) if row["name"] == "coin")

    def crashes(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(dc, "delta", crashes)
    asked = [[question, answer] for question, answer in row["asked"] if question["verb"] == "delta"]
    assert {d.kind for d in replay([row | {"asked": asked}])} == {"crashed"}


def test_formulas_are_enclosed() -> None:
    low, high = ends("(1)/(exp(3)+exp(4))")
    assert low < high < low + Fraction(1, 10**200)
    assert abs(low - Fraction("0.01338980493269845")) < Fraction(1, 10**17)
    third, _ = ends("1/3*exp(1/3)^3")
    assert abs(third - Fraction("0.906093942819681745")) < Fraction(1, 10**17)
