"""Random chains have the asked shape, and the same seed gives the same chain everywhere."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import examples


@pytest.mark.parametrize(
    ("n", "labels", "degree", "denominators"), [(10, 2, 3, 12), (2, 1, 1, 1), (4, 4, 4, 4), (30, 3, 5, 1000)]
)
def test_shape(n: int, labels: int, degree: int, denominators: int) -> None:
    chain = examples.random(n=n, labels=labels, degree=degree, denominators=denominators, seed=5)
    assert len(chain) == n
    assert set(chain.labels) <= {f"a{i}" for i in range(labels)}
    assert chain.labels[0] == chain.labels[1]
    assert chain.pairs == (("s0", "s1"),)
    for row in chain.rows:
        assert len(row) == degree
        assert all((p * denominators).denominator == 1 for _, p in row)


def test_same_seed_same_chain_on_every_machine() -> None:
    assert examples.random().sha256 == "cc71f1a82f5c3d09c1194e99e5c16ee9386180029c7b40315e4317f053acb148"


def test_seeds_differ() -> None:
    assert len({examples.random(seed=seed).sha256 for seed in range(20)}) == 20


def test_targets_and_shares_are_spread() -> None:
    """Every target and every composition of 4 into 2 parts turns up about as often as it should."""
    chain = examples.random(n=600, degree=2, denominators=4, seed=1)
    entered = [0] * 600
    for row in chain.rows:
        for target, _ in row:
            entered[target] += 1
    assert sum(entered) == 1200
    assert max(entered) < 12
    first_shares = [row[0][1] for row in chain.rows]
    for share in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        assert 150 < first_shares.count(share) < 250
