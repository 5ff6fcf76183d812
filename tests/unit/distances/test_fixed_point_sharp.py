"""sd: golden values, never above ld, exact and certified alike."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import examples, verify
from deltachain.certificate.distances import DistanceEvidence
from deltachain.distances.fixed_point import solve
from deltachain.model import Chain
from tests.reference.sharp import sharp_operator

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
    proved = verify(chain, DistanceEvidence(found.chain, found, asked=both(chain)).certificate())
    assert str(proved[0]).startswith(f"sd(s0, s1) = {there}")
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
            verify(chain, DistanceEvidence(found.chain, found, asked=pairs).certificate())


@pytest.mark.seeds(1, 2)
def test_certified_in_machine_integers(seed: int) -> None:
    """Above 1,500 pairs flows are whole numbers of a unit; the certificate has the rationals that they stand for."""
    chain = examples.random(n=60, labels=2, degree=3, seed=seed)
    for alpha in (Fraction(11, 10), Fraction(10**17 + 1, 10**17)):
        sd, ld = (solve(chain, alpha, kind=kind, exact=False) for kind in ("sd", "ld"))
        assert sd.side == ld.side == "upper"
        near = 1 + Fraction(1, 10**9)
        assert all(value <= ld[s, t] * near for (s, t), value in sd.items())
        for found in (sd, ld):
            verify(chain, DistanceEvidence(found.chain, found, asked=[(0, 1), (1, 0)]).certificate())


def test_trace_equivalent_states_need_not_be_at_distance_zero() -> None:
    """One decides now, the other a step later. δ = 0, and sd is not."""
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
    assert solve(Chain.from_dicts(rows, labels), Fraction(1), kind="sd")["s", "t"] == Fraction(1, 2)
