"""What the measurements say of an auditor's attacks: rates by formula, beside all reports, one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import deltachain as dc
from bench.local_reports import RATES, attack_limit, audited, exactly, expected_bound, hash_size, kept, kept_losses


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


@pytest.mark.parametrize("protocol", ["GRR", "SS", "SUE", "OUE", "BLH", "OLH"])
def test_fresh_reports_add_up(protocol: str) -> None:
    assert exactly(protocol, 2, "1/2", reports=3)


def test_the_bound_that_is_expected_of_a_million_runs() -> None:
    """Below the limit, and near to it; where a guess is never wrong, it is what a million runs can show at most."""
    pytest.importorskip("scipy")
    for protocol in RATES:
        assert (
            attack_limit(protocol, 25, 1.0) - 0.05 < expected_bound(protocol, 25, 1.0) < attack_limit(protocol, 25, 1.0)
        )
    # 0 of a million: the upper end is 1 − (error/4)^(1/n).
    most = -math.log(1 - 0.0025 ** (1 / 1_000_000))
    assert expected_bound("GRR", 2, 40.0) == pytest.approx(most, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3, 25])
def test_one_report_of_a_kept_response_by_formula(k: int) -> None:
    """What is kept with p1 and q1 and reported with p2 and q2; p2 is what multi-freq-ldpy computes."""
    epsilon, first = 1.0, 0.5
    e, f = math.exp(epsilon), math.exp(first)
    p1, q1 = e / (e + k - 1), 1 / (e + k - 1)
    p2 = (q1 - f * p1) / (-p1 * f + k * q1 * f - q1 * f - p1 * (k - 1) + q1)
    q2 = (1 - p2) / (k - 1)
    loss = math.log((p1 * p2 + (k - 1) * q1 * q2) / (q1 * p2 + p1 * q2 + (k - 2) * q1 * q2))
    found = dc.epsilon(kept("L-GRR", k, "1", 1), delta=0, check=False)
    assert float(found.epsilon or 0) == pytest.approx(loss, abs=1e-8)
    assert (found.least == Fraction(1, 2)) == (k == 2), "for more than two values a report loses less than it may"


def test_kept_values_lose_what_is_claimed() -> None:
    assert (
        kept_losses("L-SUE", 2, 1) == kept_losses("L-OSUE", 2, 1) == [x / 2 for x in (0.25, 0.5, 0.75, 1, 2, 4, 6, 10)]
    )
    assert 0.99 < kept_losses("L-OSUE", 2, 5)[3] < 1


def test_their_results_are_read_from_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    lines = ["seed,protocol,k,delta,epsilon,eps_emp", "0,GRR,25,0.0,0.25,0.2", "1,GRR,25,0.0,0.25,0.24"]
    (tmp_path / "results" / "ldp_audit_results_main_pure.csv").write_text("\n".join(lines))
    long = ["seed,protocol,k,tau,delta,epsilon,eps_emp", "0,SUE,2,5,0.0,0.5,1.1"]
    (tmp_path / "results" / "bk_ldp_audit_results_sequential_composition_pure.csv").write_text("\n".join(long))
    assert audited(tmp_path) == {
        ("GRR", 25, 1, Fraction(1, 4)): pytest.approx(0.22),
        ("SUE", 2, 5, Fraction(1, 2)): pytest.approx(1.1),
    }
    assert audited(None) == {}
