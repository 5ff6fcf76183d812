"""Verbs about programs between two labellings: against enumeration, and what may not be said of them."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.beliefs import search
from deltachain.certificate.views import COARSE, require_sides, sandwich_of
from deltachain.errors import CertificateRejected, InputError, Stopped
from deltachain.loading import load_with_notes
from deltachain.settings import Settings
from tests.amounts import fewer_or_all
from tests.cli.command import run
from tests.reference.announced_noise import delta_between, words
from tests.reference.deferred_noise import random_deferring
from tests.reference.sandwiched_programs import gap, repeated, summed, thrice
from tests.reference.summed_noise import random_sums
from tests.words import refuses, says

FILE = "tests/reference/sandwiched_programs.py"
KINDS = (random_sums, random_deferring)
COUNTS = [{"x": 0}, {"x": 1}]
SUM = ("--secret", "x=0", "--secret", "x=1")
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))
ALLOWED = Fraction(1, 50)


def sandwiched(mechanism: dc.Program) -> Chain:
    """As verbs load it."""
    return load_with_notes(mechanism, Settings(secrets=COUNTS, sandwiched=True)).chain


def compare(seed: int) -> Counter[str]:
    """What verbs say of a random program, and what enumeration says: nothing may be outside."""
    found = Counter[str]()
    text = KINDS[seed % len(KINDS)](Random(seed))
    mechanism = program(text)
    if sandwiched(mechanism).sandwiches is None:
        return found
    found["programs"] += 1
    ratios = re.findall(r"geometric\('([^']+)'", text)
    one, other = (words(text, x, ratios) for x in (0, 1))

    def enumerated(alpha: Fraction) -> tuple[Fraction, Fraction]:
        least, most = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        return least, most

    for alpha in ALPHAS:
        least, most = enumerated(alpha)
        delta = dc.delta(mechanism, secrets=COUNTS, exp_epsilon=alpha, gap="1e-9")
        assert least <= delta.upper, (seed, text)
        assert delta.lower <= most, (seed, text)
        found["δ"] += 1
        found["exact"] += delta.exact
        verdict = dc.check(mechanism, secrets=COUNTS, exp_epsilon=alpha, delta=ALLOWED).verdict
        assert verdict != "private" or least <= ALLOWED, (seed, text)
        assert verdict != "violated" or most > ALLOWED, (seed, text)
    bound = dc.epsilon(mechanism, secrets=COUNTS, delta=ALLOWED)
    if bound.exp_epsilon_proved is not None:
        assert enumerated(bound.exp_epsilon_proved)[0] <= ALLOWED, (seed, text)
    if bound.refuted > 1:
        assert enumerated(max(bound.refuted * Fraction(999_999, 10**6), Fraction(1)))[1] >= ALLOWED, (seed, text)
    curve = dc.profile(mechanism, secrets=COUNTS, epsilons=[0])
    guessed = dc.guess(mechanism, secrets=COUNTS)
    least, most = enumerated(Fraction(1))
    assert curve.points[0].lower <= most, (seed, text)
    assert least <= curve.points[0].upper, (seed, text)
    assert guessed.lower <= (1 + most) / 2, (seed, text)
    assert (1 + least) / 2 <= guessed.upper, (seed, text)
    return found


@fewer_or_all("first, number", (5000, 60), (5060, 1000))
def test_what_verbs_say_holds_of_what_is_enumerated(first: int, number: int) -> None:
    found = sum(map(compare, range(first, first + number)), Counter())
    assert found["programs"] > number / 10
    assert found["exact"] > found["δ"] / 2


def test_one_certificate_has_both_sides() -> None:
    found = dc.delta(summed, secrets=COUNTS, epsilon="1/20")
    document = found.certificate.document
    above, below = document["proves"]
    assert "lower" not in above
    assert "view" not in above
    assert below["view"] == COARSE
    assert "upper" not in below
    labels = document["views"][COARSE]["labels"]
    assert {*labels.values()} == {letter.partition("·")[0] for letter in labels}
    claims = dc.verify(summed, document, secrets=COUNTS)
    assert [claim.terms.get("view") for claim in claims] == [None, COARSE]
    assert found.exact
    assert 0 < claims[0].upper - claims[1].lower < Fraction(1, 10**30)


def test_many_pairs_are_proved_by_the_words_that_they_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LEAST_PAIRS", {"outcomes": 50})
    mechanism = program("def f(c): announce((c * c + discrete_laplace(1) + discrete_laplace(1)) // 40)")
    given: dict[str, Any] = {"secrets": dc.domain(c=range(11)), "neighbours": "linf 10"}
    found = dc.delta(mechanism, **given, epsilon="1/2")
    document = found.certificate.document
    assert document["extensions"] == ["outcomes"]
    assert "outcomes" in document["views"][COARSE]
    claims = dc.verify(mechanism, document, **given)
    assert [claim.terms.get("view") for claim in claims] == [None] * 55 + [COARSE] * 55
    assert found.exact


@pytest.mark.parametrize("verb", ["delta", "epsilon", "guess", "pure", "profile"])
def test_every_certificate_is_verified(verb: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"secrets": COUNTS}
    if verb == "profile":
        dc.profile(summed, **given, epsilons=["0", "1/20"], orders=[2], certificates=tmp_path, gap="1e-3")
        written = [json.loads(path.read_text()) for path in sorted(tmp_path.iterdir())]
        assert len(written) == 3
    else:
        found: Any = {
            "delta": lambda: dc.delta(summed, **given, epsilon="1/20"),
            "epsilon": lambda: dc.epsilon(summed, **given, delta="1e-3"),
            "pure": lambda: dc.epsilon(thrice, **given, delta=0),
            "guess": lambda: dc.guess(summed, **given),
        }[verb]()
        assert found.checked.accepted
        written = [found.certificate.document]
    for document in written:
        assert dc.verify(thrice if verb == "pure" else summed, document, **given)


def test_a_bound_from_below_of_the_finer_letters_is_none_of_the_program() -> None:
    """The checker accepts it: it is true of the chain; but not of what the program announces."""
    found = dc.delta(summed, secrets=COUNTS, epsilon="1/20")
    document = found.certificate.document
    chain = sandwiched(summed)
    sandwich = sandwich_of(chain, document)
    assert sandwich is not None
    fine = dc.delta(sandwich.fine, epsilon="1/20")
    with refuses(CertificateRejected, "about coarser letters"):
        dc.verify(summed, fine.certificate, secrets=COUNTS)
    other = document | {"proves": [document["proves"][1] | {"upper": "1/2"}]}
    with pytest.raises(CertificateRejected):
        dc.verify(summed, other, secrets=COUNTS)


def test_a_view_must_merge_what_the_coarse_letters_merge() -> None:
    """A labelling of its own may tell more than the program does."""
    found = dc.delta(summed, secrets=COUNTS, epsilon="1/20")
    document = found.certificate.document
    sandwich = sandwich_of(sandwiched(summed), document)
    assert sandwich is not None
    apart = dict(list(document["views"][COARSE]["labels"].items())[1:])
    claims = dc.verify(summed, document, secrets=COUNTS)
    changed = document | {"views": {COARSE: document["views"][COARSE] | {"labels": apart}}}
    with refuses(CertificateRejected, "letters that the"):
        require_sides(sandwich, changed, claims)
    every = dict.fromkeys(sandwich.fine.labels, "anything")
    require_sides(sandwich, document | {"views": {COARSE: {"labels": every}}}, claims)


def test_words_with_inner_letters_bound_no_ratio() -> None:
    sandwich = next(sandwiched(thrice).sandwiches())  # type: ignore[misc]  # it has some
    inner = min(sandwich.inner)
    claim = dc.verify(sandwich.fine, dc.epsilon(sandwich.fine, delta=0).certificate)[0]
    ratio = type(claim)(measure="ratio", subject=claim.subject, lower=Fraction(2))
    require_sides(sandwich, {"proves": [{"words": ["start", "≥ 5·1"]}]}, [ratio])
    for words_of in ({"prefix": ["start"], "cycle": [inner]}, ["start", inner]):
        with pytest.raises(CertificateRejected, match="coarser letters"):
            require_sides(sandwich, {"proves": [{"words": words_of}]}, [ratio])


def test_witnesses_are_words_of_the_program() -> None:
    found = dc.delta(summed, secrets=COUNTS, epsilon="1/20")
    assert found.witness is not None
    told = [letter for word in found.witness.words for letter in word.word]
    assert told
    assert not any("·" in letter for letter in told)
    for word in found.witness.words:
        traced = dc.trace(summed, ["x=0", "x=1"], [word.word], secrets=COUNTS)
        assert traced.chances[0] == word.probability
        assert traced.chances[1] == word.other


def test_numbers_of_a_tail_are_traced_where_they_are_told_apart() -> None:
    one, other = dc.trace(summed, ["x=0", "x=1"], "start 100", secrets=COUNTS).chances
    assert 0 < one < other
    done = run("trace", f"{FILE}:summed", *SUM, "--word", "start 100", "--word", '["start", "≤ -15"]', "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["unknown_letters"] == []


def test_more_numbers_are_told_apart_only_while_the_question_is_open() -> None:
    made: list[int] = []
    chain = sandwiched(summed)

    def counted() -> Any:
        for sandwich in chain.sandwiches():  # type: ignore[misc]  # it has some
            made.append(len(sandwich.fine))
            yield sandwich

    watched = replace(chain, sandwiches=counted)
    assert dc.check(watched, epsilon="1/10", delta=0).verdict == "private"
    assert len(made) == 1
    made.clear()
    assert dc.delta(watched, epsilon="2/25", gap="1e-3").upper > 0
    few = len(made)
    made.clear()
    assert dc.delta(watched, epsilon="2/25").exact
    assert len(made) > few


def test_where_time_is_up_the_last_sandwich_stands() -> None:
    chain = sandwiched(summed)

    def interrupted() -> Any:
        yield next(chain.sandwiches())  # type: ignore[misc]  # it has some
        raise Stopped("time limit reached")

    found = dc.delta(replace(chain, sandwiches=interrupted), epsilon="1/20")
    assert 0 < found.lower < found.upper < 1
    assert found.results[0].stopped == "letters"
    assert "how many labels stand for a tail" in found.ended


def test_results_are_values() -> None:
    for found in (
        dc.delta(summed, secrets=COUNTS, epsilon="1/20"),
        dc.epsilon(summed, secrets=COUNTS, delta="1e-3"),
        dc.profile(summed, secrets=COUNTS, epsilons=[0], gap="1e-3"),
    ):
        again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
        assert str(again) == str(found)
        assert again.certificate.document == found.certificate.document


def test_a_profile_between_has_both_sides() -> None:
    wanted = {"epsilons": ["0", "1/20"], "orders": [2], "kl": True, "zcdp": True}
    curve = dc.profile(summed, secrets=COUNTS, gap="1e-4", check=False, **wanted)  # type: ignore[arg-type]
    assert not curve.exact
    assert curve.between is not None
    middle = curve.delta(epsilon="1/40")
    exact = dc.delta(summed, secrets=COUNTS, epsilon="1/40")
    assert middle.lower <= exact.lower <= exact.upper <= middle.upper
    assert middle.upper - middle.lower < Fraction(1, 10**4)
    for found in (curve.kl(), curve.zcdp(), curve.renyi(3)):
        assert found.lower is not None
        assert found.upper is not None
        assert 0 < found.lower < found.upper < found.lower * Fraction(1001, 1000)
    proved, refuted = curve.epsilon(delta="1e-3")
    assert proved is not None
    assert 0 < refuted <= proved < refuted + Fraction(1, 10**4)
    assert not any(each.exact for each in curve.tradeoff())
    with refuses(InputError, "exact loss distribution"):
        curve.losses  # noqa: B018 - it raises


def test_several_runs_are_composed_on_both_sides() -> None:
    """Against as many runs of a program that announces twice."""
    constants = {"first": 2, "second": 2}
    two = dc.delta(summed, secrets=[constants | secret for secret in COUNTS], epsilon="1/2", repeat=2)
    assert two.upper - two.lower < Fraction(1, 10**6)
    once = dc.delta(repeated, secrets=COUNTS, epsilon="1/2", gap="1e-4")
    assert once.lower <= two.upper
    assert two.lower <= once.upper


def test_interactive_programs_between_two_labellings() -> None:
    asked = program(
        "def f(x):\n"
        "    which = ask('sum', 'one')\n"
        "    announce(x + discrete_laplace(1) + discrete_laplace(1) if which == 'sum' else x + discrete_laplace(2))\n"
    )
    one = program("def f(x):\n    announce(x + discrete_laplace(2))\n")
    both = program("def f(x):\n    announce(x + discrete_laplace(1) + discrete_laplace(1))\n")
    found = dc.delta(asked, secrets=COUNTS, epsilon="1/4")
    single = [dc.delta(each, secrets=COUNTS, epsilon="1/4") for each in (one, both)]
    assert found.exact
    assert found.upper == max(each.upper for each in single)


def test_the_command_verifies_what_it_wrote(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    secrets = ("--secret", "answers=(0,1)", "--secret", "answers=(1,0)")
    done = run("delta", f"{FILE}:gap", *secrets, "--epsilon", "0", "--certificate", str(proof), "--brief")
    assert done.returncode == 0, done.stderr
    done = run("verify", f"{FILE}:gap", str(proof), *secrets)
    assert done.returncode == 0, done.stderr
    assert says(done.stdout, "seen through coarse")
    assert "are the program's" in done.stdout
    found = dc.delta(gap, secrets=[{"answers": (0, 1)}, {"answers": (1, 0)}], epsilon=0)
    assert found.exact


def test_what_keeps_its_own_chain_is_cut_off_as_before() -> None:
    """Plans, channels and samples are about the chain of `Program.chain`."""
    assert summed.chain(COUNTS).sandwiches is None
    assert dc.load(summed, secrets=COUNTS).outside > 0
    assert repeated.sandwich(COUNTS).merged
