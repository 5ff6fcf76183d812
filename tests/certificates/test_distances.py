"""Certificates of bd, ld and sd over functions of e^(1/k): the engine's are accepted, and no change proves a falsehood.

Every claim is the exact distance, a function of e itself, so that any sharper claim is false.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.certificate.distances import DistanceEvidence
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import Seen, parsed_text
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.errors import CertificateRejected, NotConverged
from deltachain.numbers.exponential import Exponential, exp_of
from deltachain.numbers.field import Exact, as_text
from deltachain_checker_v1 import CertificateRejected as Rejected
from deltachain_checker_v1 import Meter, Unfinished, verify
from deltachain_checker_v1.read import parse
from tests.reference.functions import chain_of, exact_row, function_system, random_functions

from .fixtures import document_of, model_named, proved
from .live import accepted, as_older, at, changed, judged, numbers, read, written
from .older_form import older_number

KINDS = ("bd", "ld", "sd")
BUG = Path(__file__).parents[2] / "examples" / "bugs" / "opendp_2922.py"
CLOSE = Fraction(1, 10**50)
LAPLACE = """
from deltachain import announce, discrete_laplace, program

@program
def noisy(x):
    announce(x + discrete_laplace(1))
"""
E = exp_of(Fraction(1))


def proof(found: FixedPoint, pairs: list[tuple[int, int]]) -> Any:
    """The certificate as plain JSON values."""
    return written(DistanceEvidence(found.chain, found, asked=pairs).certificate())


def random_question(random: Random, kind: str, *, asking: bool = False) -> tuple[Chain, FixedPoint, Any]:
    """A chain with rows of functions, its distance, some of whose values are irrational, and the certificate."""
    while True:
        chain = function_system(random)[0] if asking else chain_of(*random_functions(random, cyclic=True))
        if chain.base is None:
            continue
        power = Fraction(random.randint(0, 2), random.choice([1, 2]))
        alpha: Exact = random.choice([exp_of(power), Fraction(1), Fraction(3, 2)])
        found = solve(chain, alpha if isinstance(alpha, Fraction) or power else Fraction(1), kind=kind, exact=True)
        pairs = [(chain.number(s), chain.number(t)) for (s, t), value in found.items() if value]
        if any(isinstance(found[pair], Exponential) for pair in pairs):
            return chain, found, proof(found, pairs)


def in_older_numbers(value: Any) -> Any:
    """The document of format 1 with all functions of e as lists of coefficients."""
    if isinstance(value, dict):
        return {key: in_older_numbers(inside) for key, inside in value.items()}
    return [*map(in_older_numbers, value)] if isinstance(value, list) else older_number(value)


def base_of(document: Any) -> int:
    """k of the e^(1/k) that its numbers are functions of."""
    return int(document["field"]["base"])


def moved(value: Exact, by: Fraction, document: Any) -> str:
    """A number near it, as the certificate has it."""
    return as_text(value + by, base_of(document))


@pytest.mark.parametrize("asking", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(2, 12)
def test_the_engines_certificates_prove_the_exact_distances(seed: int, kind: str, asking: bool) -> None:
    random = Random(f"{seed} {kind} {asking}")
    for _ in range(3):
        chain, found, document = random_question(random, kind, asking=asking)
        sentences = judged(chain, document)
        assert len(sentences) == len(document["proves"]) > 0
        for sentence, claim in zip(sentences, document["proves"], strict=True):
            s, t = claim["pair"]
            assert sentence.startswith(f"{kind}({s}, {t}) = ")
            assert claim["lower"] == claim["upper"] == as_text(found[s, t], base_of(document))
        older = in_older_numbers(as_older(chain, document))
        assert proved(older_model_of(chain), older) == sentences


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(2, 12)
def test_no_number_of_a_claim_or_of_an_entry_can_be_sharpened(seed: int, kind: str) -> None:
    random = Random(f"{seed} {kind} sharper")
    chain, found, document = random_question(random, kind)
    seen = Seen(chain)

    def some(entries: list[Any]) -> list[tuple[int, Any]]:
        assert entries
        return random.sample([*enumerate(entries)], min(len(entries), 4))

    for n, claim in some(document["proves"]):
        value = found[claim["pair"][0], claim["pair"][1]]
        for side, way in (("upper", -1), ("lower", 1)):
            assert not accepted(seen, changed(document, ("proves", n, side), moved(value, way * CLOSE, document)))
    # A value with nothing to spare: what it rests on is an optimal cover, or optimal prices.
    for n, ((s, t), *_) in some(document["claims"]):
        assert not accepted(seen, changed(document, ("claims", n, 1), moved(found[s, t], -CLOSE, document)))
    for n, (s, t, *_) in some(document["distances"]["prices"]):
        place = ("distances", "prices", n, 2)
        assert not accepted(seen, changed(document, place, moved(found[s, t], CLOSE, document)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(3, 20)
def test_no_change_of_a_cover_a_price_or_a_value_proves_a_falsehood(seed: int, kind: str) -> None:
    random = Random(f"{seed} {kind} bent")
    chain, found, document = random_question(random, kind, asking=seed % 3 == 0)
    seen, rejected = Seen(chain), 0
    x = exp_of(Fraction(1, base_of(document)))
    places = [place for place in numbers(document) if place[0] in ("claims", "distances")]
    for _ in range(8):
        bent = document
        for place in random.sample(places, min(len(places), random.randint(1, 2))):
            known = read(bent, at(bent, place))
            after = random.choice([known - 1, known + 1, known + x, known - x, 2 * known, -known, known * 0])
            bent = changed(bent, place, as_text(after, base_of(document)))
        rejected += not accepted(seen, bent)
        n = random.randrange(len(document["proves"]))
        value = found[document["proves"][n]["pair"][0], document["proves"][n]["pair"][1]]
        for side, other, way in (("upper", "lower", -1), ("lower", "upper", 1)):
            lie = changed(bent, ("proves", n, side), moved(value, way * CLOSE, document))
            del lie["proves"][n][other]
            assert not accepted(seen, lie), (side, lie)
    assert rejected


def terms_of(chain: Chain, document: Any) -> Any:
    """The e^ε that its first claim is about."""
    return Seen(chain).verify(parsed_text(json.dumps(document)))[0].at


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(2, 8)
def test_another_k_is_another_number_and_is_rejected(seed: int, kind: str) -> None:
    chain, _, document = random_question(Random(f"{seed} {kind} base"), kind)
    assert any(" " in claim["upper"] for claim in document["proves"])
    for other in (base_of(document) + 1, 2 * base_of(document)):
        bent = document | {"field": {"base": other}}
        # What then happens to be true is about another e^ε.
        assert not accepted(chain, bent) or terms_of(chain, bent) != terms_of(chain, document)
    for part in ("field", "alpha"):
        assert not accepted(chain, {key: value for key, value in document.items() if key != part}) or (
            part == "alpha" and document["alpha"] == "1"
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(2, 8)
def test_about_other_rows_it_proves_nothing_false(seed: int, kind: str) -> None:
    """Some mass of a row goes elsewhere: another model by its hash, and, if that is changed, by its flows."""
    random, rejected = Random(f"{seed} {kind} rows"), 0
    while not rejected:
        rows, labels = random_functions(random, cyclic=True)
        chain = chain_of(rows, labels)
        long = [s for s, row in enumerate(rows) if len(row) > 1]
        if chain.base is None or not long:
            continue
        found = solve(chain, E, kind=kind, exact=True)
        pairs = [(s, t) for s, t in product(range(len(chain)), repeat=2) if s != t and labels[s] == labels[t]]
        document = proof(found, pairs)
        s = random.choice(long)
        first, second = random.sample(sorted(rows[s]), 2)
        moving = rows[s][first] / 2
        row = rows[s] | {first: rows[s][first] - moving, second: rows[s][second] + moving}
        given = tuple((exact_row(row),) if n == s else one for n, one in enumerate(chain.given))
        other = Chain(chain.states, chain.labels, given, chain.relation)
        seen = Seen(other)
        with pytest.raises(CertificateRejected, match="the certificate's model"):
            judged(seen, document)
        truth = solve(other, E, kind=kind, exact=True)
        same = all(truth[pair] == found[pair] for pair in pairs)
        assert accepted(seen, document | {"model": seen.model.sha256()}) <= same
        rejected += not same


@pytest.mark.parametrize("kind", KINDS)
def test_two_sides_where_the_exact_value_is_out_of_reach(kind: str) -> None:
    random, seen = Random(9), 0
    for _ in range(50):
        chain = chain_of(*random_functions(random, cyclic=True))
        if chain.base is None:
            continue
        try:
            solve(chain, E, kind=kind, exact=True, max_equations=1)
        except NotConverged as reason:
            both = reason.upper
            assert isinstance(both, FixedPoint)
            pairs = [(chain.number(s), chain.number(t)) for (s, t), _ in both.items()]
            document = proof(both, pairs)
            sentences = judged(chain, document)
            assert any(" ≤ " in sentence for sentence in sentences)
            for claim in document["proves"]:
                exact = solve(chain, E, kind=kind, exact=True)[claim["pair"][0], claim["pair"][1]]
                assert Fraction(claim.get("lower", "0")) <= exact <= Fraction(claim["upper"])
            seen += 1
        if seen == 2:
            return
    pytest.fail("too few systems of two equations or more")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("quotient", [False, True])
def test_answers_about_real_noise(kind: str, quotient: bool, tmp_path: Path) -> None:
    """From the verb to the checker and back: what is proved is what is printed."""
    (tmp_path / "noise.py").write_text(LAPLACE)
    half = exp_of(Fraction(1, 2))
    cases: list[tuple[str, Any, Exact, Exact]] = [
        (f"{tmp_path}/noise.py:noisy", [{"x": 0}, {"x": 1}], Fraction(1, 2), (E - half) / (1 + E)),
        (f"{BUG}:laplace_threshold", [{"count": 0}, {"count": 1}], Fraction(1), 1 / (E**3 + E**4)),
    ]
    for model, secrets, epsilon, value in cases:
        found = dc.distance(model, secrets=secrets, epsilon=epsilon, kind=kind, quotient=quotient)
        assert (found.value, found.certified) == (value, True)
        sentences = dc.verify(model, found.certificate, secrets=secrets)
        assert len(sentences) == (1 if kind == "bd" else 2)
        document = found.certificate.document
        claimed = [claim["upper"] for claim in document["proves"]]
        assert [claim["lower"] for claim in document["proves"]] == claimed
        assert as_text(value, base_of(document)) in claimed


def test_the_work_is_limited_by_the_meter() -> None:
    model, document = model_named("exp-retry"), parse(json.dumps(document_of("accept", "functions-bd-circle")))
    meter = Meter()
    verify(model, document, meter)
    assert verify(model, document, Meter(meter.steps))[0].measure == "bd"
    with pytest.raises(Unfinished):
        verify(model, document, Meter(meter.steps - 1))


@pytest.mark.parametrize(
    "place", [("distances", 0, 2), ("distances", 0, 4, 0, 1), ("prices", 0, 2), ("claims", 0, "upper")], ids=str
)
@pytest.mark.parametrize("number", [[["0"] * 20_001 + ["1"], ["1"]], [["9" * 40_000, *["1"] * 20], ["1"]]])
def test_numbers_that_are_too_long_are_refused(place: tuple[Any, ...], number: Any) -> None:
    bent = changed(document_of("accept", "functions-bd-circle"), place, number)
    with pytest.raises(Rejected, match=r"a degree of at most|coefficients of at most"):
        proved(model_named("exp-retry"), bent)
