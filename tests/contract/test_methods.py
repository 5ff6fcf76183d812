"""One suite that every way to bound δ passes, on chains that it settles: a new method is one more line of ``CASES``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest

from deltachain import Chain, errors, examples, verify
from deltachain.beliefs import at_once
from deltachain.beliefs.graph import finite, flows, split, traced
from deltachain.beliefs.proof import Answer, Proof
from deltachain.beliefs.question import Question
from deltachain.beliefs.reach import WayName
from deltachain.beliefs.search import METHODS, search
from deltachain.beliefs.signed.search import SignedSearch
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.record import Certificate, claims_of
from deltachain.distances.fixed_point import solve
from deltachain.model.chain import Pair
from deltachain.model.words import word_probability as chance
from tests.asking import question_at
from tests.contract.cells import CLOSE, chain_of, instances
from tests.fuzz.intervals import delta_upper_by_states
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.reference.interactive import delta_of_system
from tests.reference.systems import probe_system
from tests.unit.beliefs.cancelling import StoppingAfter

Attempt = Callable[[Question, Workspace, Sequence[Pair], Cancel], Mapping[Pair, Proof]]


def into_sd(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> Mapping[Pair, Proof]:
    """Flows into the sharp distance of all pairs."""
    distance = solve(work.quotient.chain, question.at.below, kind="sd", exact=True)
    return flows.attempt(question, work, pairs, distance, cancel)


def signed(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> Mapping[Pair, Proof]:
    """Signed beliefs alone."""
    return SignedSearch(question, work, pairs, [], cancel).finish(None)


def late_or_early() -> Chain:
    """A fair coin that is tossed at the end (s), or perhaps already while waiting (u): trace equivalent."""
    rest = {"h": "1/4", "t": "1/4"}
    return Chain.from_dicts(
        {
            "s": {"s": "1/2"} | rest,
            "u": {"u": "1/6", "u0": "1/6", "u1": "1/6"} | rest,
            "u0": {"u0": "1/2", "h": "1/2"},
            "u1": {"u1": "1/2", "t": "1/2"},
            "h": {"h": 1},
            "t": {"t": 1},
        },
        {"s": "wait", "u": "wait", "u0": "wait", "u1": "wait", "h": "heads", "t": "tails"},
        relation=[("s", "u")],
    )


def twins() -> Chain:
    """Two states that do the same."""
    return Chain.from_dicts(
        {"s": {"e": 1}, "t": {"e": "1/2", "f": "1/2"}, "e": {"e": 1}, "f": {"f": 1}},
        {"s": "a", "t": "a", "e": "b", "f": "b"},
        relation=[("s", "t")],
    )


@dataclass(frozen=True)
class Case:
    """A method and a chain with one pair that it settles at α.

    Attributes:
        attempt: the method.
        chain: the chain, whose relation is the pair.
        alpha: e^ε.
        inside: chains of fractions that the bounds must hold for; empty where the chain is one itself.
    """

    attempt: Attempt
    chain: Chain
    alpha: str
    inside: tuple[Chain, ...] = ()

    @classmethod
    def of_cell(cls, way: WayName, shape: str, column: str, inputs: bool = False) -> Case:
        """A case with rows that are not fractions."""
        attempt: Attempt = signed if way == "signed beliefs" else dict(METHODS)[way]
        return cls(attempt, chain_of(shape, column, inputs), "11/10", tuple(instances(shape, column, inputs)))

    @property
    def slack(self) -> Fraction:
        """How far fractions inside may be off."""
        return CLOSE if self.inside else Fraction(0)

    @property
    def pair(self) -> Pair:
        return self.chain.relation[0]

    def question(self, max_nodes: int | None = 4000) -> Question:
        return question_at(Fraction(self.alpha), self.chain, [self.pair], max_nodes=max_nodes)

    def proved(self) -> Answer:
        """What the method alone proves."""
        question = self.question()
        work = Workspace.of(question)
        proofs = self.attempt(question, work, question.pairs, Cancel())
        return Answer(question, work, (proofs[self.pair],))


LABELS = Chain.from_dicts({"s": {"s": 1}, "t": {"t": 1}}, {"s": "a", "t": "b"}, relation=[("s", "t")])
CASES = {
    "different labels": Case(at_once.different, LABELS, "2"),
    "bisimilar": Case(at_once.bisimilar, twins(), "1"),
    "outcomes": Case(dict(METHODS)["outcomes"], examples.survey(rounds=3, p="3/5"), "3/2"),
    "outcomes, functions": Case.of_cell("outcomes", "ending", "functions"),
    "finite graph": Case(finite.attempt, examples.dining_cryptographers(n=3, p="2/5"), "11/10"),
    "finite graph, a strategy": Case(finite.attempt, probe_system(), "3/2"),
    "traced graph": Case(traced.attempt, late_or_early(), "1"),
    "split": Case(split.attempt, examples.memoised_survey(), "11/10"),
    "flows": Case(into_sd, examples.sticky_sensor(), "4"),
    "signed beliefs": Case(signed, examples.sticky_sensor(), "11/10"),
    "signed beliefs, acyclic": Case(signed, examples.survey(rounds=6, p="3/5"), "3/2"),
    "signed beliefs, a strategy": Case(signed, examples.build("random,n=12,inputs=2"), "11/10"),
    "finite graph, functions": Case.of_cell("finite graph", "ending", "functions"),
    "long integers": Case.of_cell("long integers", "ending", "enclosed"),
    "long integers, cut off": Case.of_cell("long integers", "ending", "cut off"),
    "signed beliefs, functions": Case.of_cell("signed beliefs", "endless", "functions"),
    "signed beliefs, limits": Case.of_cell("signed beliefs", "endless", "limits"),
    "signed beliefs, limits and inputs": Case.of_cell("signed beliefs", "ending", "limits", inputs=True),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def test_every_method_of_the_search_has_a_case() -> None:
    attempted = {case.attempt for case in CASES.values()}
    assert {attempt for _, attempt in METHODS} <= attempted


def test_the_case_of_flows_rests_on_flows() -> None:
    document = CASES["flows"].proved().certificate().document
    assert any(len(entry) == 4 and any(entry[3]) for entry in document["values"]), "covers of leaves"


@every_case
def test_bounds_contain_what_events_show(case: Case) -> None:
    answer, alpha = case.proved(), Fraction(case.alpha)
    s, t = case.pair
    for chain in case.inside or (case.chain,):
        if chain.interactive:
            assert delta_of_system(chain, s, t, alpha, 3) <= answer.upper + case.slack
        else:
            assert tv_alpha_at_depth(chain, s, t, alpha, 5) <= answer.upper + case.slack
            assert answer.lower - case.slack <= delta_upper_by_states(chain, s, t, alpha, 6)
    assert 0 <= answer.lower <= answer.upper <= 1
    exact = answer.lower == answer.upper or answer.proofs[0].interval.value is not None
    assert not exact or answer.proofs[0].stopped == "finished"


@every_case
def test_the_witness_adds_up(case: Case) -> None:
    answer, alpha = case.proved(), Fraction(case.alpha)
    witness = answer.worst.witness(5)
    assert (witness is None) == (answer.lower == 0)
    if witness is None:
        return
    assert witness.advantage >= max(answer.lower, witness.listed) > 0
    no_strategy = bool(case.inside) and case.chain.interactive  # none is listed where rows are not fractions
    assert 0 < len(witness.words) <= 5 or no_strategy
    for word in witness.words:
        assert word.gain(alpha) > 0
        for chain in case.inside:  # at least, and at most
            assert chain.interactive or word.probability <= chance(chain, witness.state, word.word) + case.slack
            assert chain.interactive or word.other >= chance(chain, witness.other, word.word) - case.slack
        if not case.chain.interactive and not case.inside:
            assert word.probability == chance(case.chain, witness.state, word.word)
            assert word.other == chance(case.chain, witness.other, word.word)


@every_case
def test_the_certificate_is_accepted_and_a_better_bound_is_not(case: Case) -> None:
    answer = case.proved()
    certificate = answer.certificate()
    verify(case.chain, certificate)
    a_little = Fraction(1, 10**9)
    better = []
    if answer.upper > 0:
        better.append(("upper", answer.upper - a_little))
    if answer.lower < 1:
        better.append(("lower", answer.lower + a_little))
    for side, value in better:
        document = copy.deepcopy(dict(certificate.document))
        claims_of(document)[0][side] = str(value)
        with pytest.raises(errors.CertificateRejected):
            verify(case.chain, Certificate(document))


@every_case
def test_the_certificate_does_not_depend_on_the_witness(case: Case) -> None:
    asked, silent = case.proved(), case.proved()
    asked.worst.witness()
    assert "".join(asked.certificate().chunks()) == "".join(silent.certificate().chunks())


@every_case
@pytest.mark.parametrize("max_nodes", [1, 7, 50])
def test_a_small_budget_is_honoured(case: Case, max_nodes: int) -> None:
    question = case.question(max_nodes)
    answer = search(question, Workspace.of(question), Cancel())
    most = max(max_nodes, 2)  # two, where a split has two parts of one belief each
    if case.inside:  # both directions from two roots: each gets a part, rounded up; in long integers, all of it
        most = 4 * max_nodes if "long integers" in answer.proofs[0].method else max_nodes + 3
    assert answer.proofs[0].nodes <= most
    verify(case.chain, answer.certificate())


@pytest.mark.sample(32)
@every_case
@pytest.mark.parametrize("calls", [0, 1, 3, 10])
def test_a_cancelled_search_is_certified(case: Case, calls: int) -> None:
    question = case.question()
    answer = search(question, Workspace.of(question), StoppingAfter(calls))
    assert answer.lower <= case.proved().upper
    verify(case.chain, answer.certificate())
