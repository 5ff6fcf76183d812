"""The checker that is extracted from the proofs judges as ours does: files, the zoo, and certificates with changes."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.certificate.formal import verify_formally
from deltachain.certificate.kernel import kernel
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import Seen, parsed
from deltachain.errors import CertificateRejected, DeltachainError, InputError
from deltachain.examples import build, catalogue
from deltachain_checker_v1.read import parse, read_file, read_model
from deltachain_checker_v1.rules import opened
from tests.cli.command import run
from tests.fuzz.driver import FuzzClass
from tests.fuzz.formal import CASES, document_of

from .fixtures import KEPT, model_named, model_path
from .fixtures import document_of as kept_document
from .live import as_older, judged, written
from .test_two import LISTED as TWO
from .test_two import paths_of
from .two_checkers import NOT_PROVED, agreed, needs_formal


def is_not_proved(name: str) -> bool:
    """Whether an accepted file uses what the proved checker does not have.

    The lower side of splits, corners, grids beside boxes, where runs end, distances over functions of e^(1/k), and,
    with inputs at e^ε = 1, prices along single arcs.
    """
    document = kept_document("accept", name)
    kinds = {recipe[2] for recipe in document.get("recipes", [])}
    split = any("split" in claim for claim in document["claims"])  # with lower bounds above 0, all of them
    ends = any(claim["claim"] not in ("delta", "distance") for claim in document["claims"])
    functions = "base" in document and "distances" in document
    return split or ends or functions or "corners" in kinds or name in ("box-grid-beside", "ask-single-arcs")


@pytest.mark.parametrize("name", KEPT["accept"])
def test_what_is_not_proved_is_refused_by_name(name: str) -> None:
    model = read_model(read_file(str(model_path("accept", name))))
    refusing = pytest.raises(CertificateRejected, match=NOT_PROVED) if is_not_proved(name) else nullcontext()
    with refusing:
        kernel(model, parse(json.dumps(kept_document("accept", name))))


@needs_formal
@pytest.mark.parametrize("kind", KEPT)
def test_files_are_judged_alike(kind: str) -> None:
    ends = Counter(
        agreed(read_model(read_file(str(model_path(kind, name)))), kept_document(kind, name)) for name in KEPT[kind]
    )
    others = sum(map(is_not_proved, KEPT["accept"]))
    expected = {"accept": Counter(accepted=len(KEPT["accept"]) - others, refused=others)}
    assert ends == expected.get(kind, ends)
    assert kind == "accept" or not ends["accepted"]


@needs_formal
@pytest.mark.parametrize("name", [name for name in TWO["accept"] if name.startswith("recipe")])
def test_recipes_of_today_are_accepted_too(name: str) -> None:
    model, certificate = paths_of("accept", name)
    seen, document = Seen(dc.load(model)), parsed(certificate)
    if name in ("recipe-functions-at-e", "recipe-functions-grid", "recipe-levels-second-root", "recipe-long-rows"):
        with pytest.raises(CertificateRejected, match=NOT_PROVED):
            verify_formally(seen, document)
        return
    (ours,), (theirs,) = seen.verify(document), verify_formally(seen, document)
    assert (ours.subject, ours.lower, ours.upper) == (theirs.subject, theirs.lower, theirs.upper)


@needs_formal
@pytest.mark.parametrize("name", [example.name for example in catalogue()])
def test_the_zoo_is_judged_alike(name: str) -> None:
    chain = build(name)
    pair = chain.relation[0] if chain.relation else (0, 1)
    document = written(dc.delta(chain, *pair, exp_epsilon="11/10", max_nodes=200).certificate)
    if name in ("memoised-survey", "waiting-room"):
        with pytest.raises(CertificateRejected, match=NOT_PROVED):
            verify_formally(Seen(chain), document)
        return
    assert agreed(older_model_of(chain), as_older(chain, document)) == "accepted"


RECIPES = {"levels": (9, 0), "grid": (64, 30)}


def recipe_certificate(chain: Chain, kind: str, bits: int) -> Any:
    """Bounds of the sensor by one recipe in each direction, as the checker in Python computes them."""
    s, t = (chain.states[i] for i in chain.relation[0])
    recipes = [[a, b, kind, *RECIPES[kind]] for a, b in ((s, t), (t, s))]
    document: Any = {
        "format": "deltachain.certificate/1", "model": older_model_of(chain).sha256(), "bits": bits, "recipes": recipes,
        "exp_epsilon": {"upper": "11/10", "lower": "11/10"}, "claims": [{"claim": "delta", "pair": [s, t]}],
    }  # fmt: skip
    return document


@needs_formal
@pytest.mark.parametrize("kind", ["levels", "grid"])
def test_recipes_give_the_same_numbers(kind: str) -> None:
    """A claim of one unit more than the recipe gives is rejected by both: the numbers are the same to the last bit."""
    chain, bits = dc.examples.sticky_sensor(), 50
    model, document = older_model_of(chain), recipe_certificate(dc.examples.sticky_sensor(), kind, bits)
    checker, _ = opened(model, parse(json.dumps(document)))
    low = max(below for below, _ in checker.recipes.values())
    high = max(above for _, above in checker.recipes.values())
    assert 0 < low < high < 1
    claim = document["claims"][0]
    for lower, upper, end in ((0, 0, "accepted"), (1, 0, "rejected"), (0, 1, "rejected")):
        claim["lower"] = str(low + Fraction(lower, 2**bits))
        claim["upper"] = str(high - Fraction(upper, 2**bits))
        assert agreed(model, document) == end


SHOWN = {
    "README": ["opendp_2922.py:laplace_threshold", "--epsilon", "1", "--delta", "0.004926"],
    "what it was accounted for": ["opendp_2922.py:as_accounted", "--epsilon", "1", "--delta", "0.004926"],
    "rational": ["google_dp_101.py:thresholded", "--exp-epsilon", "4", "--delta", "1/10"],
}


@needs_formal
@pytest.mark.parametrize("command", SHOWN.values(), ids=[*SHOWN])
def test_certificates_of_programs_with_real_noise_are_accepted(command: list[str], tmp_path: Any) -> None:
    """From the command line, as README and docs/bugs.md have them."""
    model, *question = command
    asked = [f"examples/bugs/{model}", "--secret", "count=0", "--secret", "count=1"]
    path = str(tmp_path / "certificate.json")
    assert run("check", *asked, *question, "--certificate", path, "-q").returncode in (0, 1)
    done = run("verify", asked[0], path, *asked[1:], "--formal", "-q")
    assert (done.returncode, done.stdout.count("proved, says the checker extracted from Coq")) == (0, 1)


@needs_formal
@pytest.mark.parametrize("name", [name for name in KEPT["accept"] if name.startswith("split-")])
def test_the_upper_side_of_splits_is_proved(name: str) -> None:
    """R7: the bound itself is accepted, one a little below it is not."""
    model = read_model(read_file(str(model_path("accept", name))))
    document = kept_document("accept", name)
    for claim in document["claims"]:
        claim["lower"] = 0
    assert agreed(model, document) == "accepted"
    for claim in document["claims"]:
        claim["upper"] = str(Fraction(str(claim["upper"])) - Fraction(1, 10**12))
    assert agreed(model, document) == "rejected"


FUZZED = [*zip(["exact", "boxes", "kept"], CASES, strict=True)]


@needs_formal
@pytest.mark.parametrize("cases", [pytest.param(cases, id=name) for name, cases in FUZZED])
def test_changed_certificates_are_judged_alike(cases: FuzzClass) -> None:
    random, ends = Random(19), Counter[str]()
    for _ in range(300):
        ends[cases.run(random)] += 1
    assert min(ends["accepted"], ends["rejected"]) > 60, ends


@needs_formal
@pytest.mark.slow
@pytest.mark.parametrize("cases", [pytest.param(cases, id=name) for name, cases in FUZZED])
def test_thousands_of_changed_certificates_are_judged_alike(cases: FuzzClass) -> None:
    random, ends = Random(20), Counter[str]()
    for _ in range(5000):
        ends[cases.run(random)] += 1
    assert min(ends["accepted"], ends["rejected"]) > 1000, ends


def test_a_rule_that_is_not_proved_is_refused_by_name() -> None:
    """Before anything is run, so without Coq too."""
    document = kept_document("accept", "split-three-ends")
    with pytest.raises(CertificateRejected, match=NOT_PROVED):
        kernel(model_named("three-ends"), parse(json.dumps(document)))


def test_a_checker_that_is_not_built_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACHAIN_FORMAL", "/no/such/program")
    chain = dc.examples.coin()
    certificate = dc.delta(chain, exp_epsilon=1).certificate
    with pytest.raises(InputError, match=r"make formal.*libzarith-ocaml-dev"):
        dc.verify(chain, certificate, formal=True)


@pytest.mark.parametrize("older", [True, False])
def test_a_checker_that_fails_proves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, older: bool) -> None:
    chain = dc.examples.coin()
    certificate: Any = dc.delta(chain, exp_epsilon=1).certificate
    certificate = as_older(chain, written(certificate)) if older else certificate
    program = tmp_path / "broken"
    monkeypatch.setenv("DELTACHAIN_FORMAL", str(program))
    for body in ("exit 0", "echo malformed; exit 2", "echo accepted; exit 1", "kill -9 $$"):
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        with pytest.raises(DeltachainError, match="the proved checker failed"):
            dc.verify(chain, certificate, formal=True)


def test_states_and_labels_are_numbered_label_by_label() -> None:
    chain = dc.examples.dining_cryptographers(n=2)
    model, document = document_of(
        {
            "spec": "dining-cryptographers,n=2",
            "alpha": "2",
            "about": "delta",
            "nodes": 50,
            "exact": True,
            "mutations": [],
        }
    )
    (numbers,), claims = kernel(model, parse(json.dumps(document)))
    assert numbers[:2] == [1, len(chain.states)]
    assert [*map(str, claims)] == judged(chain, document)
