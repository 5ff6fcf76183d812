"""Models become proofs, and only right ones do."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from deltachain import Chain, examples
from deltachain.certificate.verification import verify_certificate
from deltachain.distances.step_exact import Flow
from deltachain.errors import CertificateRejected, SolverUnknown
from deltachain_smt.decider import Decider
from deltachain_smt.formulas import to_smtlib
from deltachain_smt.prefixed_point import PrefixedPoint, prefixed_point_from_model
from deltachain_smt.solvers import Algebraic, SolverValue, run
from tests.certificates.live import as_older, judged
from tests.words import refuses, says

CASES = [("split-coin", "6/5", "1/4"), ("random,n=5,seed=0", "6/5", "97/570"), ("sticky-sensor", "3/2", "17/59")]


def _decider(case: str, alpha: str, **settings: str) -> Decider:
    chain = examples.build(case)
    return Decider(chain, *chain.relation[0], exp_epsilon=alpha, **settings)  # type: ignore[arg-type]


def _proof(case: str, alpha: str, theta: str, **settings: str) -> PrefixedPoint:
    proof = _decider(case, alpha, **settings).decide(theta).proof
    assert proof is not None
    return proof


@pytest.mark.parametrize(("case", "alpha", "theta"), CASES)
@pytest.mark.parametrize("formula", ["np", "sigma2"])
def test_the_trusted_checker_accepts_the_certificate(case: str, alpha: str, theta: str, formula: str) -> None:
    proof = _proof(case, alpha, theta, formula=formula)
    chain = proof.chain
    s, t = chain.relation[0]
    certificate = proof.certificate(s, t)
    document = certificate.document
    assert len(judged(chain, document)) == 1
    assert document["proves"][0]["upper"] == theta
    lowered = {**document, "proves": [{**document["proves"][0], "upper": "0"}]}
    with pytest.raises(CertificateRejected, match="the upper bound"):
        judged(chain, lowered)


@pytest.mark.parametrize(("case", "alpha", "theta"), CASES)
def test_the_checker_of_format_1_accepts_the_same_claims(case: str, alpha: str, theta: str) -> None:
    proof = _proof(case, alpha, theta)
    document = proof.certificate(*proof.chain.relation[0]).document
    older = as_older(proof.chain, document)
    assert older["format"] == "deltachain.certificate/1"
    assert len(judged(proof.chain, older)) == 1
    first = older["distances"][0]
    older["distances"][0] = [*first[:2], str(Fraction(first[2]) - Fraction(1, 10**9)), *first[3:]]
    with pytest.raises(CertificateRejected):
        judged(proof.chain, older)


@pytest.mark.parametrize(("case", "alpha", "theta"), CASES)
def test_tampering_is_found(case: str, alpha: str, theta: str) -> None:
    decider = _decider(case, alpha)
    question = decider.question(theta)
    proof = _proof(case, alpha, theta)
    assert proof.proves(question)
    s, t = question.s, question.t
    flow = proof.flows[s, t] if proof.flows[s, t].eta else proof.flows[t, s]
    where = (s, t) if flow is proof.flows[s, t] else (t, s)
    spoiled = [
        replace(proof, distance={**proof.distance, (s, t): proof.distance[s, t] - Fraction(1, 10**12)}),
        replace(proof, distance={**proof.distance, (s, t): Fraction(3, 2)}),
        replace(proof, flows={**proof.flows, where: Flow((), ())}),
        replace(proof, flows={**proof.flows, where: Flow(((*flow.arcs[0][:2], fmpq(-1)), *flow.arcs[1:]), flow.eta)}),
        replace(proof, flows={**proof.flows, where: Flow((*flow.arcs, (s, t, fmpq(1))), flow.eta)}),
        replace(proof, flows={pair: f for pair, f in proof.flows.items() if pair != (s, t)}),
    ]
    for wrong in spoiled:
        assert not wrong.proves(question)
    assert not proof.proves(replace(question, theta=question.theta - Fraction(1, 10**9)))
    assert not proof.proves(replace(question, strict=True))
    assert not proof.proves(replace(question, alpha=question.alpha + 1))


def test_a_negative_distance_proves_nothing() -> None:
    """Two absorbing states of one label are as far apart as they say they are, unless d ≥ 0 is asked for: bd is 1/2."""
    half = Fraction(1, 2)
    rows = [{2: half, 4: half}, {3: half, 5: half}, {2: 1}, {3: 1}, {4: 1}, {5: 1}]
    chain = Chain.from_rows(rows, ["x", "x", "y", "y", "a", "b"])
    distance = {(i, i): Fraction(0) for i in range(6)} | {(0, 1): Fraction(0), (2, 3): Fraction(-5)}
    flows = {
        (0, 1): Flow(((2, 3, fmpq(1, 2)),), ((4, fmpq(1, 2)),)),
        (1, 0): Flow(((3, 2, fmpq(1, 2)),), ((5, fmpq(1, 2)),)),
        (2, 3): Flow(((2, 3, fmpq(1)),), ()),
        (3, 2): Flow(((3, 2, fmpq(1)),), ()),
    }
    point = PrefixedPoint(chain, Fraction(1), distance, flows, "a lie")
    question = Decider(chain, 0, 1, exp_epsilon=1).question(0)
    assert not point.proves(question)
    with pytest.raises(CertificateRejected):
        verify_certificate(chain, point.certificate(0, 1))


def test_values_that_bounds_settled_are_proved_with_those_bounds() -> None:
    """bd(s, t) = 1/2 by one direction alone; the other rests on d(u, v), which the formula does not mention."""
    rows = {
        "s": {"a": "1/2", "u": "1/2"},
        "t": {"u": "1/4", "v": "3/4"},
        "u": {"u": "1/2", "a": "1/2"},
        "v": {"v": "1/2", "a": "2/5", "b": "1/10"},
        "a": {"a": 1},
        "b": {"b": 1},
    }
    chain = Chain.from_dicts(rows, {"s": "start", "t": "start", "u": "middle", "v": "middle", "a": "a", "b": "b"})
    for formula in ("np", "sigma2"):
        decider = Decider(chain, "s", "t", exp_epsilon=2, formula=formula)
        decision = decider.decide("1/2")
        assert decision.settled
        assert decision.proof is not None
        assert 0 < decision.proof.distance[2, 3] < 1
        assert not decider.decide("1/2", strict=True).holds


def _answered(decider: Decider, theta: str) -> tuple[dict[str, SolverValue], Decider]:
    answer = run("z3", to_smtlib(decider.query(decider.question(theta))))
    assert answer.verdict == "sat"
    return dict(answer.model), decider


def test_an_irrational_model_is_repaired_by_a_linear_query() -> None:
    """Distances that are only known to lie in small intervals: rounded up they are no pre-fixed point of θ."""
    model, decider = _answered(_decider("random,n=5,seed=0", "6/5"), "97/570")
    question = decider.question("97/570")
    blurred: dict[str, SolverValue] = {
        name: Algebraic(value - Fraction(1, 10**20), value + Fraction(1, 10**20))
        for name, value in model.items()
        if isinstance(value, Fraction)
    }
    query = decider.query(question)
    point = prefixed_point_from_model(query, blurred, decider.background, decider.reduction(question))
    assert point.proves(question)
    assert says(point.source)


@pytest.mark.parametrize("formula", ["np", "sigma2"])
def test_a_false_model_is_not_believed(formula: str) -> None:
    """A solver that says sat to a false question, with the model of a true one."""
    model, decider = _answered(_decider("random,n=5,seed=0", "6/5", formula=formula), "97/570")
    question = decider.question(Fraction(97, 570) - Fraction(1, 10**9))
    query = decider.query(question)
    lowered: dict[str, SolverValue] = model | {"d_0_1": question.theta}
    with refuses(SolverUnknown, "be turned into"):
        prefixed_point_from_model(query, lowered, decider.background, decider.reduction(question))


def test_faithful_models_use_both_orders_of_a_pair() -> None:
    proof = _proof("coin", "3/2", "0", encoding="faithful", formula="np")
    assert says(proof.source)
    assert proof.distance[0, 1] == 0
