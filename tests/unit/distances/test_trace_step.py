"""sd: golden values, never above ld, exact and certified alike, and what it is up to traces."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import fmpq

from deltachain import examples, verify
from deltachain.certificate.distances import distance_certificate
from deltachain.distances.fixed_point import solve
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.step_exact import flow_value
from deltachain.distances.trace_basis import trace_basis
from deltachain.distances.trace_step import TraceStep
from deltachain.errors import InputError, NotConverged
from deltachain.model import Chain
from deltachain.numbers.flint import to_fraction
from tests.reference.sharp import coin_ahead, sharp_operator

TWO_DINERS = examples.dining_cryptographers(n=2, p="49/100")
SPLIT_COIN = Chain.from_dicts(
    {
        "s0": {"h0": "1/2", "t0": "1/2"},
        "s1": {"h1": "1/4", "t1": "3/4"},
        **{end: {end: 1} for end in ("h0", "t0", "h1", "t1")},
    },
    labels={"s0": "s", "s1": "s", "h0": "h", "h1": "h", "t0": "t", "t1": "t"},
)


def both(chain: Chain) -> list[tuple[int, int]]:
    s, t = chain.number("s0"), chain.number("s1")
    return [(s, t), (t, s)]


@pytest.mark.parametrize(
    ("chain", "alpha", "there", "back"),
    [
        (TWO_DINERS, Fraction("1.0002"), Fraction(7501, 25000000), Fraction(7501, 25000000)),
        (SPLIT_COIN, Fraction(6, 5), Fraction(1, 5), Fraction(3, 20)),
    ],
)
def test_golden_values(chain: Chain, alpha: Fraction, there: Fraction, back: Fraction) -> None:
    found = solve(chain, alpha, kind="sd", pairs=both(chain), exact=True)
    assert (found["s0", "s1"], found["s1", "s0"]) == (there, back)
    proved = verify(chain, distance_certificate(found, both(chain)))
    assert proved[0].startswith(f"sd(s0, s1) = {there}")
    upper = solve(chain, alpha, kind="sd", pairs=both(chain), exact=False)
    assert there <= upper["s0", "s1"] <= there * (1 + Fraction(1, 10**9))


ALPHAS = [
    Fraction(1),
    Fraction(11, 10),
    Fraction(6, 5),
    Fraction(2),
    Fraction(10),
    1 + Fraction(1, 10**6),
    Fraction(10**6),
]


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_against_the_slow_operator(seed: int) -> None:
    """sd is a fixed point of the operator by full linear programs, at most ld, certified alike, and proved."""
    random = Random(seed)
    for _ in range(5):
        size = random.choice([4, 5])
        labels = ["x", "y"] + ["a"] * (size - 2)
        rows = []
        for i in range(size):
            parts = random.choice([2, 3, 4, 5, 10])  # few parts: ties x = αy are frequent
            row: dict[int, Fraction] = {}
            for _ in range(parts):
                j = i if i < 2 else random.randrange(size)
                row[j] = row.get(j, Fraction(0)) + Fraction(1, parts)
            rows.append(row)
        chain, alpha = Chain.from_rows(rows, labels), random.choice(ALPHAS)
        sd, upper = (solve(chain, alpha, kind="sd", exact=flag) for flag in (True, False))
        ld = solve(chain, alpha, kind="ld", exact=True)
        matrix = [[sd[i, j] for j in range(size)] for i in range(size)]
        assert sharp_operator(chain, alpha, matrix) == matrix
        for (s, t), value in sd.items():
            assert value <= ld[s, t]
            assert value <= upper[s, t] <= value * (1 + Fraction(1, 10**9))
        pairs = [(i, j) for i in range(size) for j in range(size)]
        for found in (sd, upper):
            verify(chain, distance_certificate(found, pairs))


@pytest.mark.parametrize("seed", range(2))
def test_certified_in_machine_integers(seed: int) -> None:
    """Above 1,500 pairs flows are whole numbers of a unit; the certificate has the rationals that they stand for."""
    chain = examples.random(n=60, labels=2, degree=3, seed=seed)
    for alpha in (Fraction(11, 10), Fraction(10**17 + 1, 10**17)):
        sd, ld = (solve(chain, alpha, kind=kind, exact=False) for kind in ("sd", "ld"))
        assert sd.side == ld.side == "upper"
        near = 1 + Fraction(1, 10**9)
        assert all(value <= ld[s, t] * near for (s, t), value in sd.items())
        for found in (sd, ld):
            verify(chain, distance_certificate(found, [(0, 1), (1, 0)]))


def test_twenty_two_states_up_to_traces() -> None:
    """δ = 19/40; ld and sd are 1, since no two states of the two halves are alike, but traces are."""
    chain, alpha = coin_ahead(), Fraction(11, 10)
    assert len(chain) == 22
    assert solve(chain, alpha, kind="sd", exact=True)["s0", "s1"] == 1
    found = solve(chain, alpha, kind="sd", traces=True)
    for pair in (("s0", "s1"), ("s1", "s0")):
        assert Fraction(19, 40) <= found[pair] <= Fraction(19, 40) + Fraction(1, 10**9)
    proved = verify(chain, distance_certificate(found, both(chain)))
    assert "up to traces" in proved[0]
    with pytest.raises(NotConverged, match="from above only") as refusal:
        solve(chain, alpha, kind="sd", traces=True, exact=True)
    assert refusal.value.upper["s0", "s1"] == found["s0", "s1"]


def test_trace_equivalent_states_are_at_distance_zero() -> None:
    """Not bisimilar: one decides now, the other a step later."""
    rows = {
        "s": {"m": 1},
        "t": {"u": "1/2", "v": "1/2"},
        "m": {"x": "1/2", "y": "1/2"},
        "u": {"x": 1},
        "v": {"y": 1},
        "x": {"x": 1},
        "y": {"y": 1},
    }
    labels = {"s": "a", "t": "a", "m": "b", "u": "b", "v": "b", "x": "x", "y": "y"}
    chain = Chain.from_dicts(rows, labels)
    assert solve(chain, Fraction(1), kind="sd")["s", "t"] == Fraction(1, 2)
    assert solve(chain, Fraction(1), kind="sd", traces=True)["s", "t"] == 0


@pytest.mark.parametrize("seed", range(2))
def test_traces_never_raise_and_stay_above_delta(seed: int) -> None:
    import deltachain as dc

    random = Random(seed)
    for _ in range(2):
        chain = examples.random(n=7, labels=2, degree=2, denominators=4, seed=random.randrange(10**6))
        alpha = random.choice([Fraction(1), Fraction(6, 5), Fraction(2)])
        sd = solve(chain, alpha, kind="sd", exact=False)
        up_to = solve(chain, alpha, kind="sd", traces=True, exact=False)
        near = 1 + Fraction(1, 10**9)
        assert all(up_to[s, t] <= value * near for (s, t), value in sd.items())
        s, t = chain.states[0], chain.states[1]
        delta = dc.delta(chain, s, t, exp_epsilon=alpha, max_nodes=40)
        assert delta.lower <= max(up_to[s, t], up_to[t, s])
        verify(chain, distance_certificate(up_to, [(0, 1), (1, 0)]))


def test_traces_are_for_sd() -> None:
    with pytest.raises(InputError, match="traces"):
        solve(SPLIT_COIN, Fraction(2), kind="ld", traces=True)


def test_the_exact_simplex_up_to_traces_agrees_with_the_float_one() -> None:
    """Where a float basis is of no use, the exact one takes its place: both find the least cost of the same step."""
    random = Random(9)
    chain = coin_ahead()
    step = TraceStep(PairSpace.of(chain, Fraction(11, 10)), trace_basis(chain))
    space = step.space
    assert not step.tells_all
    costs = [fmpq(random.randint(0, 8), 8) for _ in range(len(space))]
    floats = np.array([float(Fraction(int(c.p), int(c.q))) for c in costs])
    for pair in random.sample(space.off_diagonal.tolist(), 40):
        flow = step.exact_optimum(pair, costs)
        value, _ = step.basis_of(pair, floats)
        assert float(to_fraction(flow_value(space, flow, costs))) == pytest.approx(value, abs=1e-9)
