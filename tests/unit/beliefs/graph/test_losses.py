"""Privacy-loss distributions: δ(α) for every α at once, and the least α for a δ."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain, delta
from deltachain.beliefs.graph.losses import Loss, PrivacyLosses, collect_losses, find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from tests.amounts import fewer_or_all
from tests.reference.random_chains import random_chain

ALPHAS = [Fraction(1), Fraction("1.0002"), Fraction(7, 5), Fraction(3), Fraction(1000)]


def losses_of(chain: Chain, s: int, t: int) -> PrivacyLosses | None:
    return find_losses(Workspace(chain, [(s, t)]), (s, t), Budget(400), Cancel())


def finite_pairs(seed: int, wanted: int) -> list[tuple[Chain, tuple[int, int], PrivacyLosses]]:
    """Pairs of random chains, many of them with cycles, whose belief graph is finite and that differ."""
    random = Random(seed)
    found = []
    while len(found) < wanted:
        chain = random_chain(random, most_states=6)
        pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
        if pairs:
            pair = random.choice(pairs)
            losses = losses_of(chain, *pair)
            if losses is not None and len(losses.outcomes) > 1:
                found.append((chain, pair, losses))
    return found


@pytest.mark.seeds(1, 4)
def test_delta_at_every_alpha_is_that_of_the_intervals(seed: int) -> None:
    for chain, pair, losses in finite_pairs(seed, 20):
        assert sum(o.first for o in losses.outcomes) == 1
        assert sum(o.second for o in losses.outcomes) == 1
        for alpha in ALPHAS:
            found = delta(chain, pairs=[pair], exp_epsilon=alpha, max_nodes=400)
            assert found.exact
            assert losses.curve.delta(alpha) == found.lower


@fewer_or_all("number", 10, 30)
def test_outcomes_are_sorted_by_loss_and_merged(number: int) -> None:
    for _, _, losses in finite_pairs(11, number):
        shares = [o.first / (o.first + o.second) for o in losses.outcomes]
        assert shares == sorted(set(shares))


def random_losses(random: Random) -> PrivacyLosses:
    """Two distributions on a few outcomes; now and then one of them misses an outcome."""
    sides = [[random.randint(0 if random.random() < 0.2 else 1, 9) for _ in range(random.randint(2, 5))]]
    sides.append([random.randint(0 if random.random() < 0.2 else 1, 9) for _ in sides[0]])
    totals = [max(sum(side), 1) for side in sides]
    kept = [(Fraction(x, totals[0]), Fraction(y, totals[1])) for x, y in zip(*sides, strict=True) if x or y]
    return collect_losses(kept)


def test_the_least_alpha_is_least_and_enough() -> None:
    random, attained, none = Random(4), 0, 0
    for _ in range(300):
        losses = random_losses(random)
        for share in (0, 1, 2, 5, 9):
            wanted = losses.curve.delta(Fraction(1)) * Fraction(share, 10)
            alpha = losses.curve.least_alpha(wanted)
            if alpha is None:
                none += 1
                assert losses.curve.delta(Fraction(10**9)) > wanted
                continue
            assert alpha >= 1
            assert losses.curve.delta(alpha) <= wanted
            if alpha > 1:
                attained += 1
                assert losses.curve.delta(alpha) == wanted
                assert losses.curve.delta(max(alpha - Fraction(1, 10**12), Fraction(1))) > wanted
    assert attained > 500
    assert none > 50


def test_the_least_alpha_by_hand() -> None:
    losses = PrivacyLosses((Loss(Fraction(1, 4), Fraction(3, 4)), Loss(Fraction(3, 4), Fraction(1, 4))))
    assert losses.curve.delta(Fraction(2)) == Fraction(1, 4)
    assert losses.curve.least_alpha(Fraction(1, 4)) == 2
    assert losses.curve.least_alpha(Fraction(0)) == 3
    assert losses.curve.least_alpha(Fraction(1, 2)) == 1
    assert losses.curve.least_alpha(Fraction(9, 10)) == 1
    sure = PrivacyLosses((Loss(Fraction(3, 4), Fraction(1)), Loss(Fraction(1, 4), Fraction(0))))
    assert sure.curve.least_alpha(Fraction(1, 5)) is None
    assert sure.curve.least_alpha(Fraction(1, 4)) == 1


def test_different_labels_never_become_private() -> None:
    chain = dc.examples.split_coin()
    losses = losses_of(chain, chain.number("s0"), chain.number("heads0"))
    assert losses is not None
    assert losses.curve.delta(Fraction(10**9)) == 1
    assert losses.curve.least_alpha(Fraction(1, 2)) is None


def test_a_graph_that_is_not_finite_has_none() -> None:
    rows = {
        f"{bit}{letter}": {f"{bit}x": odds, f"{bit}y": Fraction(3, 4) - odds, "end": Fraction(1, 4)}
        for bit, odds in (("s", Fraction(1, 2)), ("t", Fraction(1, 4)))
        for letter in "xy"
    }
    chain = Chain.from_dicts(rows | {"end": {"end": Fraction(1)}}, {s: s[-1] for s in rows} | {"end": "end"})
    assert losses_of(chain, chain.number("sx"), chain.number("tx")) is None


@pytest.mark.parametrize(
    "chain",
    [
        dc.examples.dining_cryptographers(n=3, p="9/20"),
        dc.examples.survey(rounds=3),
        dc.examples.geometric(),
        dc.examples.mix(),
    ],
    ids=["diners", "survey", "geometric", "mix"],
)
def test_agrees_with_dp_accounting(chain: Chain) -> None:
    """Google's accountant on the same two distributions of outcomes: its pessimistic δ is at least ours, and close."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("dp_accounting")
        from dp_accounting.pld import privacy_loss_distribution as pld

    losses = losses_of(chain, *chain.relation[0])
    assert losses is not None
    first = {k: math.log(o.first) for k, o in enumerate(losses.outcomes) if o.first}
    second = {k: math.log(o.second) for k, o in enumerate(losses.outcomes) if o.second}
    for upper, lower in ((first, second), (second, first)):
        accountant = pld.from_two_probability_mass_functions(
            log_probability_mass_function_lower=lower,
            log_probability_mass_function_upper=upper,
            value_discretization_interval=1e-5,
            symmetric=False,
        )
        for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0):
            theirs = accountant.get_delta_for_epsilon(epsilon)
            alpha = Fraction(math.exp(epsilon))
            pairs = [(o.first, o.second) if upper is first else (o.second, o.first) for o in losses.outcomes]
            ours = float(sum(max(x - alpha * y, Fraction(0)) for x, y in pairs))
            assert ours - 1e-9 <= theirs <= ours + 1e-4
            assert ours <= float(losses.curve.delta(alpha))
