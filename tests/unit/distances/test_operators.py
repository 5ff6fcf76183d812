"""K_α has one value in all its forms, Γ_α(bd) = bd, and iterates bound bd; over fractions and functions of e."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.distances.fixed_point import solve
from deltachain.distances.kinds.bd import BD
from deltachain.distances.operators import DirectedStep, apply_operator
from deltachain.distances.pair_function import PairFunction, load_pair_function, read_pair_function
from deltachain.errors import InputError
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.field import Exact
from tests.reference.functions import chain_of, random_functions
from tests.reference.random_chains import random_chain, random_system
from tests.reference.step_forms import paper_dual_form, primal_form, sharp_step, skewed_kantorovich

ALPHAS = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(3)]
ZERO = Fraction(0)


def random_costs(random: Random, chain: Chain, *, across: bool = False) -> dict[tuple[str, str], Fraction]:
    """A symmetric d with many ties, and no triangle inequality; ``across``: of different labels too."""
    names, labels = chain.states, chain.labels
    pairs = [(i, j) for i in range(len(chain)) for j in range(i) if across or labels[i] == labels[j]]
    return {(names[i], names[j]): Fraction(random.randint(0, 6), 6) for i, j in pairs}


def admissible(step: DirectedStep, d: PairFunction) -> bool:
    """Whether f is a function into [0, 1] that satisfies every row of the primal program [CMP18, Section 4]."""
    f, alpha = step.f, step.exp_epsilon
    rows = all(f[i] - alpha * f[j] <= min(d[i, j], d[j, i]) for i in f for j in f)
    return rows and all(0 <= value <= 1 for value in f.values())


def check_dual(step: DirectedStep, d: PairFunction) -> None:
    """ω, τ, γ, η are a solution of the paper's dual [CMP18, Lemma 3], of the same value."""
    omega, tau, gamma, eta, alpha = step.omega, step.tau, step.gamma, step.eta, step.exp_epsilon
    for part in (omega, tau, gamma, eta):
        assert all(0 < value <= 1 for value in part.values())
    for i in step.f:
        extra = tau.get(i, ZERO) - gamma.get(i, ZERO)
        received: Exact = extra + eta.get(i, ZERO)
        sent: Exact = extra / alpha
        for (u, v), amount in omega.items():
            received = received + (amount if u == i else 0)
            sent = sent + (amount if v == i else 0)
        assert received == step.x.get(i, ZERO)
        assert sent <= step.y.get(i, ZERO)
    cost: Exact = ZERO
    for pair, amount in omega.items():
        cost = cost + amount * min(d[pair], d[pair[::-1]])
    for amount in eta.values():
        cost = cost + amount
    assert cost == step.value


def check_step(step: DirectedStep, d: PairFunction) -> None:
    assert admissible(step, d)
    assert step.gained == step.value
    check_dual(step, d)


@pytest.mark.seeds(30, 1000)
def test_primal_and_dual_have_one_value(seed: int) -> None:
    random = Random(f"operators {seed}")
    chain = random_chain(random, most_states=6)
    alpha = ALPHAS[seed % 5]
    given = random_costs(random, chain, across=seed % 3 == 0)
    d = read_pair_function(chain, given)
    s, t = random.randrange(len(chain)), random.randrange(len(chain))
    found = dc.kantorovich(chain, given, s, t, exp_epsilon=alpha)
    for step in (found.there, found.back):
        check_step(step, d)
    x, y = (dict(chain.points[state][0]) for state in (s, t))
    matrix = d.matrix()
    assert found.value == skewed_kantorovich(matrix, x, y, alpha)  # type: ignore[arg-type]  # Fractions all
    if seed < 10:
        assert found.there.value == primal_form(matrix, x, y, alpha).solve().value  # type: ignore[arg-type]
        assert found.there.value == paper_dual_form(matrix, x, y, alpha).solve().value  # type: ignore[arg-type]


@pytest.mark.seeds(30, 1000)
def test_bd_is_a_fixed_point_of_gamma_and_iterates_bound_it(seed: int) -> None:
    random = Random(f"gamma {seed}")
    chain, alpha = random_chain(random, most_states=6), ALPHAS[seed % 5]
    bd = dc.distance(chain, pairs="all", exp_epsilon=alpha, exact=True)
    image = dc.gamma(chain, bd)
    assert image == read_pair_function(chain, bd)
    assert image.side == "upper"
    iterates = [dc.iterate_gamma(chain, steps, exp_epsilon=alpha) for steps in range(4)]
    assert all(lower <= higher for lower, higher in pairwise([*iterates, image]))
    assert all(iterate.side == "lower" for iterate in iterates)
    above = [dc.iterate_gamma(chain, steps, exp_epsilon=alpha, start="above") for steps in range(3)]
    assert all(lower <= higher for lower, higher in pairwise([image, *reversed(above)]))
    low, high = (dc.iterate_gamma(chain, 3, exp_epsilon=alpha, start=way, bits=5) for way in ("below", "above"))
    assert low <= iterates[3]
    assert image <= high
    assert all((value * 32) in range(33) for _, value in [*low.items(), *high.items()])


@pytest.mark.seeds(12, 1000)
def test_the_same_over_functions_of_e(seed: int) -> None:
    random = Random(f"functions {seed}")
    rows, labels = random_functions(random, cyclic=seed % 2 == 1)
    chain = chain_of(rows, labels)
    alpha: Exact = exp_of(Fraction(1, 2)) if seed % 6 == 5 and not chain.rational else ALPHAS[seed % 5]
    bd = solve(chain, alpha, exact=True)
    found = {(s, t): value for (s, t), value in bd.items()}
    d = read_pair_function(chain, found)
    assert dc.gamma(chain, found, exp_epsilon=alpha) == d
    for s, t in list(found)[:3]:
        both = dc.kantorovich(chain, found, s, t, exp_epsilon=alpha)
        assert both.value == found[s, t]
        for step in (both.there, both.back):
            check_step(step, d)


@pytest.mark.seeds(8, 200)
def test_ld_and_sd_are_fixed_points_of_their_operators(seed: int) -> None:
    random = Random(f"directed {seed}")
    chain, alpha = random_chain(random, most_states=6), ALPHAS[seed % 5]
    for kind in ("ld", "sd"):
        found = dc.distance(chain, pairs="all", exp_epsilon=alpha, exact=True, kind=kind)
        assert dc.gamma(chain, found, kind=kind) == read_pair_function(chain, found)
    s, t = random.randrange(len(chain)), random.randrange(len(chain))
    d = random_costs(random, chain)
    step = dc.kantorovich(chain, d, s, t, exp_epsilon=alpha, kind="sd").there
    x, y = (dict(chain.points[state][0]) for state in (s, t))
    assert step.gained == step.value == sharp_step(read_pair_function(chain, d).matrix(), x, y, alpha)  # type: ignore[arg-type]
    if step.complement:
        with pytest.raises(InputError, match="no complement arcs"):
            _ = step.tau


@pytest.mark.seeds(6, 200)
def test_with_inputs_a_pair_has_the_largest_value_of_all(seed: int) -> None:
    random = Random(f"inputs {seed}")
    chain, alpha = random_system(random), ALPHAS[seed % 5]
    d = read_pair_function(chain, random_costs(random, chain))
    image = apply_operator(chain, d, alpha, BD)
    for s, t in list(d.values)[:4]:
        rows = zip(chain.points[s], chain.points[t], strict=True)
        assert image.at(s, t) == max(skewed_kantorovich(d.matrix(), dict(x), dict(y), alpha) for x, y in rows)  # type: ignore[arg-type]


def test_epsilon_is_taken_exactly() -> None:
    chain = dc.examples.split_coin()
    d = {pair: 1 for pair, _ in dc.iterate_gamma(chain, 0, exp_epsilon=1).items()}
    found = dc.kantorovich(chain, d, "s0", "s1", epsilon="1/10")
    assert found.attained.exp_epsilon == exp_of(Fraction(1, 10))
    assert found.value == dc.kantorovich(chain, d, "s0", "s1", exp_epsilon="exp(1/10)").value
    assert dc.kantorovich(chain, d, "s0", "s1", epsilon="ln 2").attained.exp_epsilon == 2


def test_distributions_may_stand_in_place_of_states() -> None:
    chain = dc.examples.coin()
    d = {("s0", "s1"): 1}
    rows = [{chain.states[i]: p for i, p in chain.points[s][0]} for s in (0, 1)]
    found = dc.kantorovich(chain, d, *rows, exp_epsilon=1)
    assert found.value == dc.kantorovich(chain, d, "s0", "s1", exp_epsilon=1).value == Fraction(1, 5)
    assert repr(found) == "<Kantorovich: K(d)(μ, μ') = 1/5, by μ → μ', exact>"
    with pytest.raises(InputError, match="sum to 1"):
        dc.kantorovich(chain, d, {"s0": "1/3"}, "s1", exp_epsilon=1)


def test_the_differences_of_the_paper() -> None:
    assert [dc.skewed_difference(*pair, exp_epsilon=2) for pair in ((9, 3), (9, 6), (6, 3))] == [3, 0, 0]
    p, q = {"a": "3/5", "b": "2/5"}, {"b": "3/5", "a": "2/5"}
    assert dc.total_variation(p, q, exp_epsilon=1) == Fraction(1, 5)
    assert dc.total_variation(p, q, exp_epsilon="3/2") == 0
    assert dc.total_variation([1, 0], [0, 1], epsilon=1) == 1
    assert dc.total_variation(["1/4", "3/4"], [1, 0], epsilon="1/2") == Fraction(3, 4)
    assert (
        dc.total_variation(["3/4", "1/4"], ["1/4", "3/4"], epsilon="1/2") == Fraction(3, 4) - exp_of(Fraction(1, 2)) / 4
    )


@pytest.mark.parametrize(
    ("d", "said"),
    [
        ({}, "no value for"),
        ({("s0", "s1"): 2}, r"outside \[0, 1\]"),
        ({"s0": 1}, "not a pair"),
        ([[0, 1]], "not a square matrix"),
        (3, "no values of pairs"),
        ({("s0", "nobody"): 1}, "no state 'nobody'"),
    ],
)
def test_what_is_not_a_function_of_pairs_is_refused(d: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        dc.gamma(dc.examples.coin(), d, exp_epsilon=2)  # type: ignore[arg-type]


def test_other_arguments_are_refused() -> None:
    chain, d = dc.examples.coin(), {("s0", "s1"): 1}
    with pytest.raises(InputError, match="epsilon or exp_epsilon"):
        dc.gamma(chain, d)
    with pytest.raises(InputError, match="below 1"):
        dc.gamma(chain, d, exp_epsilon="1/2")
    with pytest.raises(InputError, match="'below' or 'above'"):
        dc.iterate_gamma(chain, 1, exp_epsilon=1, start="left")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole number"):
        dc.iterate_gamma(chain, -1, exp_epsilon=1)
    with pytest.raises(InputError, match="at least 0"):
        dc.skewed_difference(-1, 1, exp_epsilon=1)


def test_everything_that_is_wrong_with_a_function_of_pairs_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        dc.gamma(dc.examples.coin(), {("s0", "s1"): 2, ("s0", "nobody"): 1, "s0": 1}, exp_epsilon=2)  # type: ignore[dict-item]
    assert len(refused.value.defects) == 3
    file = tmp_path / "d.json"
    file.write_text('[["s0"], ["s0", "s1", "1/2"], ["s0", "s1", "1/3"], {"pair": ["s1", "s0"], "value": true}]')
    with pytest.raises(InputError) as refused:
        load_pair_function(dc.examples.coin(), file)
    assert [str(defect).split(":")[0][-1] for defect in refused.value.defects] == ["1", "3", "4"], "the pairs by number"
