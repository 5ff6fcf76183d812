"""Independent runs of what is cut off or enclosed: against runs of the true law, and against dp-accounting."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.errors import InputError
from deltachain.model.dominating import dominating
from deltachain.model.rows import BallRow, PointRow

COUNTS = [{"x": 0}, {"x": 1}]
GAUSS = program("def f(x): announce(x + discrete_gaussian(2))")
COARSE = program("def f(x): announce((1 + x) * geometric('1/2', tail='1e-2'))")
"""Much is cut off, as outcomes are multiples for one secret and not for the other."""
FARTHEST = 60


def geometric(times: int) -> dict[int, Fraction]:
    """times · Z for P(Z = z) = (1/3)·2^-|z|, nearly whole."""
    return {times * z: Fraction(1, 3) / 2 ** abs(z) for z in range(-FARTHEST, FARTHEST + 1)}


def together(law: dict[int, Fraction], runs: int) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for sequence in product(law.items(), repeat=runs):
        mass = Fraction(1)
        for _, each in sequence:
            mass *= each
        found[tuple(sorted(value for value, _ in sequence))] += mass
    return found


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(2), Fraction(8)])
@pytest.mark.parametrize("runs", [1, 2])
def test_the_mass_that_is_cut_off_counts_in_each_run(runs: int, alpha: Fraction) -> None:
    one, other = (together(geometric(1 + x), runs) for x in (0, 1))
    ways = (
        sum(max(a.get(key, Fraction(0)) - alpha * b.get(key, Fraction(0)), Fraction(0)) for key in {*a, *b})
        for a, b in ((one, other), (other, one))
    )
    true, lost = max(ways), runs * (1 + alpha) * Fraction(4, 2**FARTHEST)
    found = dc.delta(COARSE, secrets=COUNTS, exp_epsilon=alpha, repeat=runs, compose=[])
    assert found.lower <= true + lost
    assert true - lost <= found.upper
    assert found.upper - found.lower < Fraction(runs, 10) * (1 + alpha)
    if runs == 2:
        assert found.lower < found.upper


@pytest.mark.parametrize("runs", [10, 100, 1000])
@pytest.mark.parametrize("epsilon", [1, 4])
def test_gaussians_agree_with_an_accountant(runs: int, epsilon: int) -> None:
    pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution as accountant

    found = dc.delta(GAUSS, secrets=COUNTS, epsilon=epsilon, repeat=runs)
    known = accountant.from_discrete_gaussian_mechanism(2, value_discretization_interval=1e-4)
    theirs = known.self_compose(runs).get_delta_for_epsilon(epsilon)
    assert 0 < found.upper - found.lower < Fraction(1, 10**10)
    assert float(found.lower) <= theirs + 1e-9
    assert theirs <= float(found.upper) + 1e-6


def test_losses_are_exported_on_both_sides() -> None:
    pytest.importorskip("dp_accounting")
    curve = dc.profile(GAUSS, secrets=COUNTS, epsilons=[0, 1])
    above, below = curve.to_dp_accounting(), curve.to_dp_accounting(pessimistic=False)
    for runs, epsilon in ((1, 1), (10, 2), (100, 8)):
        found = dc.delta(GAUSS, secrets=COUNTS, epsilon=epsilon, repeat=runs) if runs > 1 else curve.delta(epsilon=1)
        high, low = (each.self_compose(runs).get_delta_for_epsilon(epsilon) for each in (above, below))
        assert low <= float(found.upper)
        assert float(found.lower) <= high * (1 + 1e-9)
        assert high - low < 2e-3
    text = curve.loss_masses_csv()
    assert text.count("inf") == 2
    assert "inf" not in curve.loss_masses_csv(pessimistic=False)


def test_other_verbs_compose_what_is_cut_off() -> None:
    bound = dc.epsilon(GAUSS, secrets=COUNTS, delta="1e-6", repeat=10)
    assert bound.epsilon is not None
    assert bound.refuted > 1
    assert Fraction("8.30328") < bound.epsilon_refuted <= bound.epsilon < Fraction("8.30329")
    pure = dc.epsilon(GAUSS, secrets=COUNTS, delta=0, repeat=10)
    assert pure.epsilon is None
    assert not pure.impossible
    curve = dc.profile(GAUSS, secrets=COUNTS, epsilons=[0, 1], repeat=10, zcdp=True)
    assert curve.zcdp().upper == Fraction(10, 8)
    laplace = dc.load(program("def f(x): announce(x + discrete_laplace(2))"), secrets=COUNTS)
    beside = dc.delta(GAUSS, secrets=COUNTS, epsilon=1, compose=[laplace])
    alone = dc.delta(GAUSS, secrets=COUNTS, epsilon=1)
    assert alone.lower < beside.lower <= beside.upper


def random_chain(random: Random) -> tuple[Chain, Chain]:
    """A chain of a few steps whose rows are enclosed or cut off, and one inside."""
    states = ["s", "t", *(f"{letter}{step}" for step in (1, 2) for letter in "abc"), "end"]
    labels = {state: "start" if state in "st" else state[0] if state != "end" else "end" for state in states}
    place = {state: i for i, state in enumerate(states)}
    inside: dict[str, dict[str, Fraction]] = {}
    rows: list[PointRow | BallRow] = []
    for state in states:
        if state == "end" or state.endswith("2"):
            inside[state] = {"end": Fraction(1)}
            rows.append(PointRow(((place["end"], Fraction(1)),)))
            continue
        step = "1" if state in "st" else "2"
        masses = [random.randint(0, 9) for _ in "abc"]
        masses[random.randrange(3)] += 1
        total = sum(masses)
        law = {f"{letter}{step}": Fraction(mass, total) for letter, mass in zip("abc", masses, strict=True) if mass}
        inside[state] = law
        width = Fraction(random.choice([0, 1, 5]), 100)
        if width:
            entries = tuple(
                sorted((place[j], p * (1 - width), p)
                       for j, p in law.items())
            )  # fmt: skip
            rows.append(BallRow(entries, sum((hi - lo for _, lo, hi in entries), Fraction(0))))
        else:
            rows.append(PointRow(tuple(sorted((place[j], p) for j, p in law.items()))))
    chain = Chain(tuple(states), tuple(labels[state] for state in states), tuple((row,) for row in rows), ((0, 1),))
    return chain, Chain.from_dicts(inside, labels, relation=[("s", "t")])


@pytest.mark.parametrize("seed", range(12))
def test_what_tells_at_least_as_much_bounds_every_chain_inside(seed: int) -> None:
    chain, true = random_chain(Random(seed))
    more, pairs, (lost,) = dominating(chain, [(0, 1)])
    assert more.rational
    for alpha in ("1", "3/2", "4"):
        inside = dc.delta(true, exp_epsilon=alpha).upper
        assert inside <= dc.delta(more, exp_epsilon=alpha).upper
        for runs in (2, 5):
            several = dc.delta(true, exp_epsilon=alpha, repeat=runs)
            bounds = dc.delta(chain, exp_epsilon=alpha, repeat=runs)
            assert several.lower <= bounds.upper, (seed, alpha, runs)
            assert bounds.lower <= several.upper, (seed, alpha, runs)
    assert pairs == more.relation
    assert 0 <= lost < Fraction(1, 8)


def test_limits_are_still_refused() -> None:
    some, half = ("1/4", "3/4"), {"a": "1/2", "b": "1/2"}
    chain = dc.Chain.from_dicts(
        {"s": {"a": some, "b": some}, "t": half, "a": {"a": 1}, "b": {"b": 1}},
        labels={"s": "start", "t": "start", "a": "a", "b": "b"},
        relation=[("s", "t")],
    )
    assert chain.kind == "limits"
    with pytest.raises(InputError, match="repeat"):
        dc.delta(chain, exp_epsilon=1, repeat=2)
