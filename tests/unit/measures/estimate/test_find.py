"""Estimates of pairs: they cover δ as often as they say, and depend on the seed and the number of words alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.question import Interval
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.search import SignedProof
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.measures.estimate.find import Narrowed, Sampling, estimate_band, narrow
from deltachain.numbers.fraction import ExpEpsilon
from tests.amounts import fewer_or_all
from tests.asking import answered, question_at

CONFIDENCE = Fraction(9, 10)
KNOWN = {
    "survey": (dc.examples.survey(rounds=3, p="3/5"), Fraction(6, 5)),
    "diners": (dc.examples.dining_cryptographers(n=4, p="2/5"), Fraction(11, 10)),
    "crowds": (dc.examples.crowds(), Fraction(2)),
    "memoised-survey": (dc.examples.memoised_survey(), Fraction(11, 10)),
}
"""Chains whose δ is known exactly; the last one only by a split, not by a tree: words are never told all."""


def barely_searched(chain: Chain, at: ExpEpsilon, expansions: int) -> Answer:
    """What a tree of a few expansions proves, though more could be proved."""
    question = question_at(at, chain, chain.relation[:1])
    work = Workspace.of(question)
    (pair,) = question.pairs
    s, t = work.merge(pair)
    forest = Forest(work.quotient.chain, [(s, t), (t, s)], at)
    forest.grow(dict.fromkeys(forest.known, expansions), Cancel())
    (lower0, upper0), (lower1, upper1) = forest.bounds((s, t)), forest.bounds((t, s))
    interval = Interval(max(lower0, lower1), max(upper0, upper1), 0 if lower0 >= lower1 else 1)
    proof = SignedProof(
        question=question, pair=pair, interval=interval, method="a tree", stopped="nodes", forest=forest, start=(s, t)
    )
    return Answer(question, work, (proof,))


def missed(answer: Answer, delta: Fraction, samples: int, seed: int) -> tuple[bool, Narrowed]:
    (found,) = narrow(answer, Sampling(1 - CONFIDENCE, samples=samples, horizon=24, seed=seed), None)
    return not found.lower <= delta <= found.upper, found


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("expansions", [0, 2])
@fewer_or_all("runs, most", (50, 13), (150, 28))
def test_no_more_misses_than_stated(name: str, expansions: int, runs: int, most: int) -> None:
    """For each of eight questions at confidence 0.9; `make test-slow` has thousands of each, too."""
    _coverage(name, expansions, runs, most)  # a tenth expected at most; so many would have a probability below 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_no_more_misses_than_stated_in_thousands_of_runs(name: str) -> None:
    _coverage(name, 1, 4000, 460)  # 400 expected at most; 460 would have a probability below 1e-3


def _coverage(name: str, expansions: int, runs: int, most: int) -> None:
    chain, alpha = KNOWN[name]
    truth = dc.delta(chain, pairs=chain.relation[:1], exp_epsilon=alpha)
    assert truth.exact
    answer = barely_searched(chain, ExpEpsilon.exactly(alpha), expansions)
    proved = answer.proofs[0].interval
    assert proved.lower <= truth.lower <= proved.upper
    results = [missed(answer, truth.lower, 150, seed) for seed in range(runs)]
    assert sum(wrong for wrong, _ in results) <= most
    if proved.upper - proved.lower > Fraction(1, 100):
        mean = sum(found.upper - found.lower for _, found in results) / runs
        assert mean < Fraction(2, 3) * (proved.upper - proved.lower), "the samples say something"


def test_the_answer_depends_on_seed_and_number_alone() -> None:
    chain, alpha = dc.examples.build("random,n=30,labels=2,degree=3,seed=2"), ExpEpsilon.exactly(Fraction(11, 10))
    answer = answered(question_at(alpha, chain, [(0, 1)], max_nodes=30))
    with ThreadPoolExecutor(3) as threads:
        found = [
            narrow(answer, Sampling(Fraction(1, 100), samples=9000, seed=seed, executor=executor), None)
            for seed, executor in ((1, None), (1, threads), (2, None))
        ]
    assert found[0] == found[1] != found[2]
    assert found[0][0].samples == 18_000


def test_more_words_narrow_and_a_width_is_enough() -> None:
    chain, at = dc.examples.build("random,n=40,labels=2,degree=3,seed=2"), ExpEpsilon.exactly(Fraction(11, 10))
    answer = answered(question_at(at, chain, [(0, 1)], max_nodes=50))
    widths = []
    for samples in (500, 8000):
        (found,) = narrow(answer, Sampling(Fraction(1, 100), samples=samples), None)
        widths.append(found.upper - found.lower)
    assert widths[1] < widths[0] / 3
    (enough,) = narrow(answer, Sampling(Fraction(1, 100)), widths[0])
    assert enough.upper - enough.lower <= widths[0]
    assert enough.samples < 200_000


def test_no_time_means_no_words() -> None:
    chain, at = dc.examples.build("random,n=40,labels=2,degree=3,seed=2"), ExpEpsilon.exactly(Fraction(11, 10))
    answer = answered(question_at(at, chain, [(0, 1)], max_nodes=50))
    cancel = Cancel()
    cancel.interrupt()
    (found,) = narrow(answer, Sampling(Fraction(1, 100), cancel=cancel), None)
    proved = answer.proofs[0].interval
    assert (found.lower, found.upper, found.samples) == (proved.lower, proved.upper, 0)


def test_errors_are_shared_by_pairs_directions_and_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    from deltachain.measures.estimate import find as estimates

    used: list[Fraction] = []
    real = estimates.lower_mean
    monkeypatch.setattr(estimates, "lower_mean", lambda v, error, bets: used.append(error) or real(v, error, bets))
    chain = dc.examples.build("random,n=30,labels=2,degree=3,seed=2")
    pairs = [(s, t) for s in range(4) for t in range(s) if chain.labels[s] == chain.labels[t]][:2]
    answer = answered(question_at(ExpEpsilon.exactly(Fraction(11, 10)), chain, pairs, max_nodes=40))
    narrow(answer, Sampling(Fraction(1, 100), samples=50, horizon=8), None)
    assert len(used) == 8
    assert sum(used) == Fraction(1, 100)


def test_a_band_covers_exact_curves_at_all_points_at_once() -> None:
    chain = dc.examples.survey(rounds=3, p="3/5")
    grid = [ExpEpsilon.read(epsilon=Fraction(k, 4)) for k in range(6)]
    curve = dc.profile(chain, epsilons=[Fraction(k, 4) for k in range(6)])
    wrong, work = 0, Workspace(chain, list(chain.relation))
    for seed in range(60):
        band = estimate_band(work, grid, Sampling(1 - CONFIDENCE, samples=300, seed=seed))
        inside = [
            low <= point.upper and point.lower <= high
            for (low, high), point in zip(band.bounds, curve.points, strict=True)
        ]
        wrong += not all(inside)
        assert band.samples == 600
    assert wrong <= 14  # 6 expected at most
    assert max(high - low for low, high in band.bounds) < Fraction(1, 2)


def test_a_band_of_what_is_known_draws_nothing() -> None:
    grid = [ExpEpsilon.exactly(Fraction(2))]
    chain = dc.examples.survey()
    same = Workspace(chain, [(0, 0)])
    apart = Workspace(chain, [(0, next(s for s in range(len(chain)) if chain.labels[s] != chain.labels[0]))])
    assert estimate_band(same, grid, Sampling(Fraction(1, 10))).bounds == ((0, 0),)
    assert estimate_band(apart, grid, Sampling(Fraction(1, 10))).bounds == ((1, 1),)
