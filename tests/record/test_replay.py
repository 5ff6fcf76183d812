"""The record, replayed: a sample here, all of it among the slow tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from tests.record.answers import NO_CERTIFICATE, NO_CLAIM, NO_RULES, ends
from tests.record.count import NAMED, code_lines, counted
from tests.record.documents import Comparison
from tests.record.replay import (
    ANSWERS,
    CERTIFICATES,
    FAILURES,
    VERBS,
    Difference,
    differences,
    narrower,
    recheck,
    replay,
    replay_further,
    rows_of,
    sample,
)

KINDS = {
    *("zoo", "fractions", "inputs", "bugs", "cut off", "noise with inputs"),
    *(f"{rows}{inputs}" for rows in ("limits", "counts", "enclosed", "functions") for inputs in ("", " with inputs")),
}


FURTHER_KINDS = {
    *(
        "fractions",
        "endless",
        "inputs",
        "functions",
        "functions with inputs",
        "enclosed",
        "cut off",
        "limits",
        "counts",
    ),
    *("limits with inputs", "counts with inputs", "domain", "code", "parametric", "families", "threshold"),
    "other verbs",
}
TOO_LARGE = "turtledove_k_anonymity.py:server 0 {'epsilon': '1.98'}"
"""A certificate of one of its points is too large to be checked before it is printed."""
LONG = {"sticky-sensor", "halves", "roots"}
"""Models some of whose questions take seconds."""
SURVEY = {"kind": "fractions", "name": "survey", "source": "example:survey"}


def failing(found: list[Difference]) -> list[str]:
    return [f"{d.kind}: {d.where}: {d.what}" for d in found if d.fails]


def test_a_sample_is_answered_as_well_as_recorded() -> None:
    rows = sample(rows_of(ANSWERS), 4)
    assert {row["kind"] for row in rows} == KINDS
    assert failing(list(replay(rows))) == []


def test_a_sample_of_older_certificates_is_accepted() -> None:
    rows = rows_of(CERTIFICATES)
    assert {row["release"] for row in rows} == {"0.2", "0.3", "before claims"}
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
                unchecked = sum(point[2] is not None if together else point[2] is False for point in answer["points"])
                assert unchecked == (1 if row["name"] == TOO_LARGE else 0)
            elif {"repeat", "compose"} & set(question):
                assert answer["certificate"] == NO_CERTIFICATE
            else:
                says_nothing = question["verb"] == "epsilon" and (answer["refuted"], answer["proved"]) == ("1", None)
                assert (answer["certificate"] == NO_CLAIM) == says_nothing
                no_rules = question["verb"] == "distance" and answer["certificate"] == NO_RULES
                assert says_nothing or no_rules or len(answer["certificate"]) == 16, f"{row['name']}: {question}"


@pytest.mark.parametrize("release", ["0.2", "0.3", "before claims"])
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


def test_a_sample_of_every_verb_is_answered_as_well_as_recorded() -> None:
    rows = sample((row for row in rows_of(VERBS) if row["name"] not in LONG), 2)
    assert {row["kind"] for row in rows} == FURTHER_KINDS
    assert failing(list(replay_further(rows))) == []


@pytest.mark.slow
def test_every_verb_is_answered_as_well_as_recorded() -> None:
    assert failing(list(replay_further(rows_of(VERBS)))) == []


def recorded(*line: str) -> dict[str, Any]:
    """What is recorded of a command about the survey."""
    row = next(row for row in rows_of(VERBS) if row["name"] == "survey" and row["kind"] == "fractions")
    answer: dict[str, Any] = next(
        answer for question, answer in row["asked"] if question.get("command", [])[: len(line)] == list(line)
    )
    return answer


def kinds(old: Mapping[str, Any], new: Mapping[str, Any], verb: str = "delta") -> set[str]:
    found = Comparison(verb, "here", narrower)(old, new)
    return {each.kind if isinstance(each, Difference) else each[0] for each in found}


def changed(answer: Mapping[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """The answer with something else at a place."""
    new = deepcopy(dict(answer))
    part: Any = new
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = to
    return new


@pytest.mark.parametrize(
    ("line", "path", "to", "kind"),
    [
        (("delta",), ("document", "upper"), {"exact": "1", "approx": 1.0}, "wider"),
        (("delta",), ("document", "results", 0, "lower"), {"exact": "0", "approx": 0.0}, "wider"),
        (("delta",), ("document", "results", 0, "lower"), {"exact": "1", "approx": 1.0}, "contradicts"),
        (("delta", "--exp-epsilon"), ("document", "results", 0, "exact"), False, "exactness lost"),
        (("delta",), ("document", "checked"), False, "checked no more"),
        (("delta",), ("document", "checked"), None, "checked no more"),
        (("delta",), ("document", "results"), [], "answers missing"),
        (("delta",), ("document", "witness"), None, "witness lost"),
        (("delta",), ("proofs",), [], "no certificate now"),
        (("delta",), ("document",), {"error": {"kind": "input", "messages": ["no"]}}, "refused now"),
        (("check",), ("exit",), 3, "another exit code"),
        (("check",), ("document", "verdict"), "undecided", "less decided"),
        (("check",), ("document", "verdict"), "other", "contradicts"),
        (("epsilon", "--delta", "1/20"), ("document", "exp_epsilon"), {"exact": "9", "approx": 9.0}, "wider"),
        (("epsilon", "--delta", "1/20"), ("document", "exp_epsilon"), None, "less decided"),
        (("epsilon", "--delta", "1/20"), ("document", "exp_epsilon"), {"exact": "1", "approx": 1.0}, "contradicts"),
        (("guess",), ("document", "leakage", "lower"), {"exact": "0", "approx": 0.0}, "wider"),
        (("guess",), ("document", "before"), {"exact": "1/3", "approx": 0.33}, "contradicts"),
        (("profile",), ("document", "points", 1, "upper"), {"exact": "1", "approx": 1.0}, "contradicts or wider"),
        (("profile",), ("document", "renyi"), [], "answers missing"),
    ],
)
def test_documents_that_are_worse_are_failures(
    line: tuple[str, ...], path: tuple[str | int, ...], to: Any, kind: str
) -> None:
    old = recorded(*line)
    assert kinds(old, old, line[0]) == set()
    found = kinds(old, changed(old, *path, to=to), line[0]) & set(FAILURES)
    assert found & set(kind.split(" or "))


def test_documents_that_differ_in_keys_and_words_are_told_by_key() -> None:
    old = recorded("delta")
    new = changed(old, "document", "claims", to=[])
    del new["document"]["covers"]
    new["document"]["results"][0]["method"] = "endings"
    found = kinds(old, new)
    assert found == {
        "added: delta: document.claims",
        "removed: delta: document.covers",
        "changed: delta: document.results[].method",
    }
    assert not found & set(FAILURES)


def test_a_wrong_answer_of_a_command_or_call_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    question = {"call": "delta", "arguments": {"epsilon": "1/2"}}
    answer = next(a for row in rows_of(VERBS) if row["name"] == "survey" for q, a in row["asked"] if q == question)
    row = SURVEY | {"asked": [[question, answer]]}
    assert not any(difference.fails for difference in replay_further([row]))
    right = dc.delta
    monkeypatch.setattr(dc, "delta", lambda chain, **asked: right(chain, **asked | {"epsilon": "1"}))
    assert {"contradicts"} <= {d.kind for d in replay_further([row])}

    def crashes(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(dc, "delta", crashes)
    assert [d.kind for d in replay_further([row])] == ["crashed"]


def test_calls_are_counted_and_lines_of_code(tmp_path: Path) -> None:
    found = counted(["delta", "example:coin", "--epsilon", "1/2"], str(tmp_path))
    assert {what: found[what] for what in ("searches", "checker runs")} == {"searches": 1, "checker runs": 1}
    assert found.keys() >= NAMED.keys()
    path = tmp_path / "lines.py"
    path.write_text(
        '"""Two\nlines."""\n\nX = (  # a comment\n    1,\n)\n\n\ndef f() -> str:\n    """Say."""\n    return "a"\n'
    )
    assert code_lines(path) == 5
