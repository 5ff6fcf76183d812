"""Repeated runs: bounds from the losses of one against the enumeration of all sequences, and against other ways."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import pytest

from deltachain import examples
from deltachain.beliefs.graph.losses import Loss, PrivacyLosses, collect_losses, find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import Stopped
from deltachain.measures.composed import enumerate_losses
from deltachain.measures.composed_losses import compose_losses
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.field import Exact, ends
from deltachain.numbers.fraction import ExpEpsilon
from tests.amounts import fewer_or_all
from tests.unit.beliefs.cancelling import StoppingAfter

ALPHAS = [
    Fraction(1),
    Fraction(1001, 1000),
    Fraction(6, 5),
    Fraction(3),
    Fraction(50),
    Fraction(10**6),
    Fraction(2**50),
]


def _random_losses(random: Random) -> PrivacyLosses:
    """Outcomes of all kinds: shared, of one side alone, tiny and huge ratios, ties."""
    size = random.randint(1, 4)
    sizes = [1, 2, 3, 7, 10**6, 10**40]
    first, second = ([random.choice([0, *sizes]) for _ in range(size)] for _ in range(2))
    first[0] = first[0] or 1
    second[-1] = second[-1] or 1
    outcomes = [
        Loss(Fraction(x, sum(first)), Fraction(y, sum(second))) for x, y in zip(first, second, strict=True) if x or y
    ]
    return PrivacyLosses(tuple(outcomes))


def _exact(losses: PrivacyLosses, times: int, alpha: Fraction) -> Fraction:
    """max over both directions of Σ (Πx − αΠy)^+ over all sequences of outcomes."""
    forth = back = Fraction(0)
    for sequence in product(losses.outcomes, repeat=times):
        x, y = prod(o.first for o in sequence), prod(o.second for o in sequence)
        forth += max(x - alpha * y, Fraction(0))
        back += max(y - alpha * x, Fraction(0))
    return max(forth, back)


@fewer_or_all("number", 3, 16)
def test_the_bounds_contain_what_enumeration_finds(number: int) -> None:
    random, narrow = Random(5), 0
    for _ in range(number):
        losses, times = _random_losses(random), random.randint(1, 4)
        repeated = compose_losses([(losses, times)], Cancel())
        for alpha in random.sample(ALPHAS, 3):
            lower, upper = repeated.bounds(ExpEpsilon.exactly(alpha))
            assert lower <= _exact(losses, times, alpha) <= upper
            narrow += upper - lower < Fraction(1, 10**6)
    assert 4 * narrow > 3 * (3 * number), "of three α each"


@fewer_or_all("number, mechanisms", (1, 2), (16, 3))
def test_different_mechanisms_are_composed(number: int, mechanisms: int) -> None:
    random, narrow = Random(6), 0
    for _ in range(number):
        runs = [(_random_losses(random), random.randint(1, 2)) for _ in range(random.randint(2, mechanisms))]
        composed = compose_losses(runs, Cancel())
        sequences = [
            (prod((o.first for o in each), start=Fraction(1)), prod((o.second for o in each), start=Fraction(1)))
            for each in product(*(losses.outcomes for losses, times in runs for _ in range(times)))
        ]
        for alpha in random.sample(ALPHAS, 3):
            lower, upper = composed.bounds(ExpEpsilon.exactly(alpha))
            forth = sum(max(x - alpha * y, Fraction(0)) for x, y in sequences)
            back = sum(max(y - alpha * x, Fraction(0)) for x, y in sequences)
            assert lower <= max(forth, back) <= upper
            narrow += upper - lower < Fraction(1, 10**5)
    assert 2 * narrow > 3 * number, "of three α each"


def test_powers_of_one_ratio_are_composed_almost_exactly() -> None:
    chain = examples.build("survey,rounds=60,p=51/100")
    one = examples.build("survey,p=51/100")
    losses = find_losses(Workspace(one, one.relation), one.relation[0], Budget(1000), Cancel())
    many = find_losses(Workspace(chain, chain.relation), chain.relation[0], Budget(10_000), Cancel())
    assert losses is not None
    assert many is not None
    for alpha in (Fraction(1), Fraction(11, 10), Fraction(4)):
        lower, upper = compose_losses([(losses, 60)], Cancel()).bounds(ExpEpsilon.exactly(alpha))
        assert lower <= many.curve.delta(alpha) <= upper
        assert upper - lower < Fraction(1, 10**40)


def test_many_runs_of_uneven_losses_are_narrow() -> None:
    chain = examples.build("sparse-vector")
    losses = find_losses(Workspace(chain, chain.relation), chain.relation[0], Budget(1000), Cancel())
    assert losses is not None
    lower, upper = compose_losses([(losses, 50)], Cancel()).bounds(ExpEpsilon.exactly(Fraction(3, 2)))
    assert 0 < upper - lower < Fraction(1, 10**5)


def test_it_looks_at_the_watch() -> None:
    losses = PrivacyLosses((Loss(Fraction(1, 3), Fraction(2, 3)), Loss(Fraction(2, 3), Fraction(1, 3))))
    with pytest.raises(Stopped):
        compose_losses([(losses, 1000)], StoppingAfter(2))


@pytest.mark.parametrize("digits", [13, 18, 40, 100, 400])
def test_losses_next_to_nothing_have_a_grid(digits: int) -> None:
    tiny, third = Fraction(1, 10**digits), Fraction(1, 3)
    uneven = PrivacyLosses((Loss(third - tiny, third), Loss(third, third), Loss(third + tiny, third)))
    even = PrivacyLosses((Loss(third - tiny, 2 * third + tiny), Loss(2 * third + tiny, third - tiny)))
    half = Fraction(1, 2)
    close = PrivacyLosses((Loss(half - tiny, half + tiny), Loss(half + tiny, half - tiny)))
    for losses in (uneven, even, close):
        repeated = compose_losses([(losses, 3)], Cancel())
        for alpha in (Fraction(1), 1 + tiny, Fraction(3, 2)):
            lower, upper = repeated.bounds(ExpEpsilon.exactly(alpha))
            assert lower <= _exact(losses, 3, alpha) <= upper < lower + Fraction(1, 10**12)


@pytest.mark.parametrize("digits", [10, 100, 400])
def test_what_only_one_side_shows_counts_however_rare(digits: int) -> None:
    tiny = Fraction(1, 10**digits)
    losses = PrivacyLosses((Loss(1 - tiny, Fraction(1)), Loss(tiny, Fraction(0))))
    for each in (losses, losses.reversed):
        composed = compose_losses([(each, 100)], Cancel())
        assert tiny <= composed.least_delta <= 100 * tiny
        assert composed.least_alpha(Fraction(0)) is None


def _laplace(sensitivity: int, scale: int) -> PrivacyLosses:
    """Discrete Laplace noise on counts that differ by ``sensitivity``: its outcomes within the two, and its tails."""
    ratio = exp_of(Fraction(1, scale))
    at = {k: (1 - 1 / ratio) / (1 + 1 / ratio) / ratio ** abs(k) for k in range(-sensitivity, sensitivity + 1)}
    tail = 1 / (1 + ratio)  # of everything from 1 on
    outcomes: list[tuple[Exact, Exact]] = [(at[k], at[k - sensitivity]) for k in range(1, sensitivity)]
    outcomes += [(1 - tail, tail / ratio ** (sensitivity - 1)), (tail / ratio ** (sensitivity - 1), 1 - tail)]
    return collect_losses(outcomes)


@fewer_or_all("sensitivity, times", (2, 2), (3, 4))
def test_losses_that_are_multiples_of_one_are_composed_almost_exactly(sensitivity: int, times: int) -> None:
    losses = _laplace(sensitivity, 7)
    composed = compose_losses([(losses, times)], Cancel())
    for alpha in (Fraction(1), Fraction(6, 5), Fraction(2)):
        lower, upper = composed.bounds(ExpEpsilon.exactly(alpha))
        curve = enumerate_losses([(losses, times)])
        assert curve is not None
        low, high = ends(curve.delta(alpha), 300)
        assert lower <= low <= high <= upper < lower + Fraction(1, 10**50)


def test_powers_of_e_that_share_a_finer_one_are_a_lattice() -> None:
    losses = [_laplace(2, 5), _laplace(3, 2)]
    runs = [(losses[0], 2), (losses[1], 1)]
    composed, curve = compose_losses(runs, Cancel()), enumerate_losses(runs)
    assert curve is not None
    lower, upper = composed.bounds(ExpEpsilon.exactly(Fraction(3, 2)))
    low, high = ends(curve.delta(Fraction(3, 2)), 300)
    assert lower <= low <= high <= upper < lower + Fraction(1, 10**50)


@pytest.mark.parametrize(
    ("sensitivity", "times", "epsilon"), [(1, 1_000, 5), (1, 10_000, 20), (2, 25_000, 150), (3, 10**6, 11_000)]
)
def test_many_runs_are_not_refused_and_stay_narrow(sensitivity: int, times: int, epsilon: int) -> None:
    composed = compose_losses([(_laplace(sensitivity, 20), times)], Cancel())
    lower, upper = composed.bounds(ExpEpsilon.of(Fraction(epsilon)))
    assert Fraction(1, 1000) < lower <= upper < lower + Fraction(1, 10**15)


def test_uneven_losses_are_composed_a_hundred_thousand_times() -> None:
    first, second = (500, 300, 200), (505, 301, 194)
    uneven = collect_losses((Fraction(x, 1000), Fraction(y, 1000)) for x, y in zip(first, second, strict=True))
    composed = compose_losses([(uneven, 10**5)], Cancel())
    for part in (3, 5, 6, 7):
        lower, upper = composed.bounds(ExpEpsilon.of(Fraction(round(composed.farthest * part / 8))))
        assert lower <= upper < lower + Fraction(1, 50)
    assert 0 < lower < 1


@pytest.mark.parametrize(("sensitivity", "times", "epsilon"), [(1, 100, 1), (2, 400, 3), (5, 100, 4)])
def test_an_accountant_in_floats_agrees(sensitivity: int, times: int, epsilon: int) -> None:
    accountant = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    composed = compose_losses([(_laplace(sensitivity, 20), times)], Cancel())
    lower, upper = composed.bounds(ExpEpsilon.of(Fraction(epsilon)))
    one = accountant.from_discrete_laplace_mechanism(1 / 20, sensitivity, value_discretization_interval=1e-3)
    theirs = one.self_compose(times).get_delta_for_epsilon(epsilon)
    assert float(lower) - 1e-9 <= theirs <= float(upper) + 1e-3
