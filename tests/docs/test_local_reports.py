"""What docs/benchmarks/suites.md says of an auditor's attacks: rates by formula, beside all reports, one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from bench.local_reports import RATES, attack_limit, audited, exactly, hash_size


def guesses(members: list[int], k: int, value: int) -> float:
    """The chance that a member at random, or any value if there is none, is this one."""
    return 1 / k if not members else (value in members) / len(members)


def unary_by_hand(p: float, q: float, k: int, truth: int, guess: int) -> float:
    total = 0.0
    for bits in product((0, 1), repeat=k):
        chance = math.prod((p if i == truth else q) if b else 1 - (p if i == truth else q) for i, b in enumerate(bits))
        total += chance * guesses([i for i, b in enumerate(bits) if b], k, guess)
    return total


@pytest.mark.parametrize("k", [2, 3, 5])
def test_rates_of_unary_encoding(k: int) -> None:
    rate = math.exp(0.75)
    for protocol, p, q in (
        ("OUE", 0.5, 1 / (rate + 1)),
        ("SUE", *(x / (math.sqrt(rate) + 1) for x in (math.sqrt(rate), 1))),
    ):
        right, wrong = RATES[protocol](protocol, k, rate, 0.0)
        assert right == pytest.approx(unary_by_hand(p, q, k, 0, 0))
        assert wrong == pytest.approx(unary_by_hand(p, q, k, k - 1, 0))


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (3, 1.0), (4, 0.25)])
def test_rates_of_local_hashing(k: int, epsilon: float) -> None:
    rate = math.exp(epsilon)
    g = hash_size("OLH", rate)
    own = rate / (rate + g - 1)
    for truth, found in zip((0, k - 1), RATES["OLH"]("OLH", k, rate, 0.0), strict=True):
        total = 0.0
        for hashes, report in product(product(range(g), repeat=k), range(g)):
            chance = (own if hashes[truth] == report else (1 - own) / (g - 1)) / g**k
            total += chance * guesses([v for v in range(k) if hashes[v] == report], k, 0)
        assert found == pytest.approx(total)


def test_a_subset_of_one_is_a_response() -> None:
    assert attack_limit("SS", 2, 1.0) == pytest.approx(1.0)
    assert attack_limit("GRR", 25, 2.0) == pytest.approx(2.0)
    assert attack_limit("AGRR", 25, 2.0) == pytest.approx(2.0)


@pytest.mark.parametrize("protocol", ["GRR", "SS", "SUE", "OUE", "OLH", "AGRR", "ABLH"])
def test_claims_are_exact(protocol: str) -> None:
    assert exactly(protocol, 3, "1/2")


def test_their_results_are_read_from_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    lines = ["seed,protocol,k,delta,epsilon,eps_emp", "0,GRR,25,0.0,0.25,0.2", "1,GRR,25,0.0,0.25,0.24"]
    (tmp_path / "results" / "ldp_audit_results_main_pure.csv").write_text("\n".join(lines))
    assert audited(tmp_path) == {("GRR", 25, Fraction(1, 4)): pytest.approx(0.22)}
    assert audited(None) == {}
