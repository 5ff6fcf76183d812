"""Distances over functions of e^(1/k): exact and two-sided, against stand-ins next to e, brute force and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flint import fmpq

import deltachain as dc
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.scalars import LARGEST_FLOAT, RATIONALS, FunctionScalars, Singular, scalars_of
from deltachain.distances.upper_side import Certified
from deltachain.errors import NotConverged, UncertainChain
from deltachain.model import Chain
from deltachain.numbers.exponential import Exponential, as_exponential, exp_of
from deltachain.numbers.field import Exact
from deltachain.numbers.fraction import ExpEpsilon
from tests.amounts import fewer_or_all
from tests.reference.functions import chain_of, random_functions
from tests.reference.near_e import replaced, stand_in
from tests.reference.strategies import Kind, largest_of_strategies
from tests.words import says

KINDS: tuple[Kind, ...] = ("bd", "ld", "sd")
E = exp_of(Fraction(1))
BUGS = Path(__file__).parents[3] / "examples" / "bugs"
SHARP = 1 + Fraction(1, 10**9)


def common(chain: Chain, alpha: Exact) -> int:
    """The k of all numbers of a question."""
    return math.lcm(chain.base or 1, as_exponential(alpha).k)


def agree(chain: Chain, alpha: Exact, kind: Kind) -> FixedPoint:
    """The exact distance, which is that of the stand-in, to the last digit; and the certified one is above it."""
    k = common(chain, alpha)
    found = solve(chain, alpha, kind=kind, exact=True)
    rational = solve(stand_in(chain, k), replaced(alpha, k), kind=kind, exact=True)
    assert found.side == rational.side == "exact"
    upper = solve(chain, alpha, kind=kind, exact=False)
    for pair, value in found.items():
        assert replaced(value, k) == rational[pair], (chain.summary(), alpha, kind, pair)
        assert value <= upper[pair]
        assert upper[pair] <= value * SHARP
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(2, 8)
def test_random_chains_against_stand_ins(seed: int, kind: Kind) -> None:
    random, irrational = Random(seed), 0
    for _ in range(6):
        chain = chain_of(*random_functions(random, cyclic=True))
        if chain.base is None:
            continue
        power = Fraction(random.randint(0, 2), random.choice([1, 2]))
        found = agree(chain, random.choice([exp_of(power), Fraction(1), Fraction(2)]), kind)
        irrational += sum(isinstance(value, Exponential) for _, value in found.items())
    assert irrational, "some distances are functions of e"


@pytest.mark.parametrize("kind", KINDS)
def test_small_chains_against_brute_force_over_strategies(kind: Kind) -> None:
    """The largest least fixed point of all strategies, at the stand-in."""
    random, seen = Random(5), 0
    while seen < 12:
        rows, labels = random_functions(random, cyclic=True)
        chain = chain_of(rows, labels)
        if len(chain) > 5 or chain.base is None or max(map(len, chain.by_label.values())) > 3:
            continue
        seen += 1
        alpha = exp_of(Fraction(1, chain.base))
        k = common(chain, alpha)
        wanted = largest_of_strategies(stand_in(chain, k), replaced(alpha, k), kind)
        found = solve(chain, alpha, kind=kind, exact=True)
        assert {pair: replaced(found[pair], k) for pair in wanted} == wanted


def family(alpha: Exponential, u: Fraction, xi: Exponential) -> Chain:
    """The four-state chain of docs/theory/fixed-points.md, on which iteration from above sticks, at any α > 1."""
    v = (alpha**2 + alpha + 1) / (1 + alpha) ** 2 + alpha * u / (alpha**2 - 1) - xi
    a, q = 1 - v - alpha * u, ((1 + alpha) * v - 1) / alpha
    rows = [
        {"0": alpha * a + 1 / (1 + alpha), "2": alpha * v - alpha**2 / (1 + alpha), "h": alpha**2 * u},
        {"0": a, "2": v, "h": alpha * u},
        {"0": 1 - u - q, "1": q, "h": as_exponential(u)},
    ]
    texts: dict[str, Any] = {str(s): {t: str(p) for t, p in row.items()} for s, row in enumerate(rows)}
    return Chain.from_dicts(texts | {"h": {"h": 1}}, {"0": "a", "1": "a", "2": "a", "h": "h"})


@pytest.mark.parametrize("power", [Fraction(1, 2), Fraction(1), Fraction(2)], ids=str)
def test_ties_that_hold_identically(power: Fraction) -> None:
    """A continuum of fixed points: floats and iteration from above are both wrong, and ties are those of functions."""
    alpha = exp_of(power)
    for exponent in (7, 9):
        u = Fraction(1, 2**exponent)
        chain = family(alpha, u, u * u * (alpha - 1) / (16 * alpha**4))
        found = agree(chain, alpha, "bd")
        assert found[0, 1] == found[1, 2] < found[0, 2]
        assert isinstance(found[0, 1], Exponential)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [0, 1])
def test_chains_with_inputs(kind: Kind, epsilon: int) -> None:
    """Also at α = 1, where flows run along single arcs."""
    random = Random(epsilon)
    texts = ["exp(-1)", "1/2", "1/(1+exp(1))", "exp(-2)"]
    for _ in range(6):
        rows: dict[str, Any] = {"x": {"go": {"x": 1}}, "y": {"stop": {"y": 1}}}
        for state in "stu":
            rows[state] = {}
            for asked in ("i", "j"):
                p = random.choice(texts)
                first, second = random.sample("stuxy", 2)
                rows[state][asked] = {first: p, second: f"1-{p}"}
        chain = Chain.from_dicts(rows, {"x": "x", "y": "y"} | dict.fromkeys("stu", "a"))
        assert chain.interactive
        agree(chain, exp_of(Fraction(epsilon)), kind)


@pytest.mark.parametrize("kind", KINDS)
@fewer_or_all("wanted", 2, 4)
def test_two_sides_where_the_system_is_too_large(kind: Kind, wanted: int) -> None:
    random, seen = Random(9), 0
    for _ in range(50):
        chain = chain_of(*random_functions(random, cyclic=True))
        if chain.base is None:
            continue
        try:
            solve(chain, E, kind=kind, exact=True, max_equations=1)
        except NotConverged as reason:
            both, value = reason.upper, solve(chain, E, kind=kind, exact=True)
            assert isinstance(both, FixedPoint)
            assert both.lower is not None
            for pair, exact in value.items():
                there = both.lowers((chain.number(pair[0]), chain.number(pair[1])))
                assert there is not None
                assert there[0] <= exact <= both[pair]
                assert exact <= there[0] * SHARP + Fraction(1, 10**9)
            seen += 1
        if seen == wanted:
            return
    pytest.fail("too few systems of two equations or more")


def test_machine_integers_round_irrational_rows_outward() -> None:
    """Hundreds of flows are whole numbers of a unit: never below the distance, and as near as those of fractions."""
    random = Random(3)
    texts = {str(s): {} for s in range(30)}
    for row in texts.values():
        first, second = random.sample(sorted(texts), 2)
        p = random.choice(["exp(-1)", "exp(-2)", "1/(1+exp(1))", "1/3"])
        row |= {first: p, second: f"1-{p}"}
    chain = Chain.from_dicts(texts, {s: "ab"[int(s) % 2] for s in texts})
    for kind in KINDS:
        found = solve(chain, E, kind=kind, exact=False)
        assert isinstance(found.proof, Certified)
        assert found.proof.whole is not None
        rational = solve(stand_in(chain, 1), replaced(E, 1), kind=kind, exact=True)
        slack = Fraction(1, 10**12)  # stand-ins are that near
        for pair, value in rational.items():
            assert value * (1 - slack) <= found[pair] <= value * SHARP + slack


def test_flows_cost_no_more_than_they_claim() -> None:
    """The flows of a certified bound, in exact arithmetic: feasible, and of the cost that is claimed."""
    from deltachain.distances.step_exact import flow_value, option_imbalance

    chain = chain_of(*random_functions(Random(1), cyclic=True))
    for exact in (True, False):
        found = solve(chain, E, kind="sd", exact=exact)
        space = found.proof.space
        costs = [as_exponential(found.value(pair)) for pair in range(len(space))]
        for pair in space.off_diagonal.tolist():
            if found.value(pair) == 1:
                continue
            flow = found.proof.flow(pair)
            assert flow_value(space, flow, costs) <= costs[pair]
            left = option_imbalance(space, pair).signed
            for sign, arcs in ((1, flow.arcs), (-1, flow.complement)):
                for u, v, amount in arcs:
                    assert amount >= 0
                    left[u] = left.get(u, as_exponential(0)) - sign * amount
                    left[v] = left.get(v, as_exponential(0)) + sign * E * amount
            open_ = dict(flow.eta)
            assert all(rest <= open_.get(state, as_exponential(0)) for state, rest in left.items())


def test_the_distance_of_noise_is_a_formula_of_e() -> None:
    bug = dc.load(f"{BUGS}/opendp_2922.py:laplace_threshold", secrets=[{"count": 0}, {"count": 1}])
    for kind in KINDS:
        found = dc.distance(bug, epsilon=1, kind=kind)
        assert found.side == "exact"
        assert found.value == 1 / (E**3 + E**4)
        assert found.measured_at == E
    assert says(str(dc.distance(bug, epsilon=1)), "exact")


def test_a_distance_of_functions_is_certified_and_can_be_pickled() -> None:
    import pickle

    chain = chain_of(*random_functions(Random(1), cyclic=True))
    found = dc.distance(chain, epsilon=1)
    assert found.certified
    assert not any("Not certified" in str(section) for section in found.sections())
    assert all("at exp_epsilon exp(1)" in str(claim) for claim in dc.verify(chain, found.certificate))
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again == found
    assert again.certificate == found.certificate


def test_chains_that_are_not_exact_are_refused_by_name() -> None:
    limits = Chain.from_dicts({"s": {"s": ("1/3", "1/2"), "t": ("1/2", "2/3")}, "t": {"t": 1}}, {"s": "a", "t": "a"})
    enclosed = dc.program('def noisy(x):\n    announce(0 if flip(sqrt("1/2")) else x)\n').chain([{"x": 0}, {"x": 1}])
    for chain, words in ((limits, "known within limits only"), (enclosed, "enclosed")):
        with pytest.raises(UncertainChain, match=f"distance: .*{words}"):
            dc.distance(chain, pairs="all", epsilon=1)


def test_where_a_distance_is_measured() -> None:
    """At e^ε itself where that is a power of the rows' own e^(1/k), or of a finer one; else at a rational below."""
    scalars = FunctionScalars(1, 4)
    assert scalars.alpha(ExpEpsilon.read(epsilon="1/2")) == exp_of(Fraction(1, 2))
    assert scalars.alpha(ExpEpsilon.read(exp_epsilon="3/2")) == Fraction(3, 2)
    fine = ExpEpsilon.read(epsilon="0.123456789")
    assert scalars.alpha(fine) == fine.below
    assert RATIONALS.alpha(ExpEpsilon.read(epsilon=1)) == ExpEpsilon.read(epsilon=1).below


def test_linear_algebra_over_functions() -> None:
    random, scalars = Random(2), FunctionScalars(1, 1)
    size = 4
    for _ in range(5):
        rows = [
            {j: E ** random.randint(0, 2) * random.randint(-3, 3) + random.randint(1, 9) for j in range(size)}
            for _ in range(size)
        ]
        inverse = scalars.inverse([[(i, rows[i][j]) for i in range(size)] for j in range(size)])
        assert inverse is not None
        for i in range(size):
            for j in range(size):
                product = sum((inverse[i][m] * rows[m][j] for m in range(size)), scalars.zero)
                assert product == (i == j)
    assert scalars.inverse([[(0, E), (1, E)], [(0, E), (1, E)]]) is None
    with pytest.raises(Singular):
        scalars.solve([{0: scalars.zero}], [scalars.one], None)
    half = scalars.ratio(1, 2)
    assert scalars.solve([{0: scalars.one, 1: -half}, {1: E}], [scalars.zero, scalars.one], None) == [half / E, 1 / E]


def test_floats_beside_a_number() -> None:
    rows: dict[str, Any] = {"s": {"s": "exp(-1)", "t": "1-exp(-1)"}, "t": {"t": 1}}
    scalars = scalars_of(Chain.from_dicts(rows, {"s": "a", "t": "b"}))
    for value in (E, exp_of(Fraction(-700)), scalars.zero, E**400):
        high, low = scalars.two_floats(value)
        assert scalars.nearest(value) == high
        assert float(value - Fraction(high)) == pytest.approx(low, rel=1e-9, abs=1e-320)
    assert scalars.two_floats(E**800) == (LARGEST_FLOAT, 0.0)
    assert RATIONALS.around(fmpq(1, 3)) == (Fraction(1, 3), Fraction(1, 3))
    low_end, high_end = scalars.around(E)
    assert low_end < E < high_end
