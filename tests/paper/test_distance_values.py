"""Every reference value of bd, exactly: the paper's, and those that are known in closed form."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import examples
from deltachain.distances.fixed_point import solve
from deltachain.distances.improvement import ExactDistance
from deltachain.model import Chain, quotient
from deltachain.numbers.fraction import round_up
from tests.reference.strategies import Kind

DINERS_ALPHA = Fraction(10002, 10000)


def exact(chain: Chain, alpha: Fraction | int | str, s: str = "s0", t: str = "s1", kind: Kind = "bd") -> Fraction:
    pair = (chain.number(s), chain.number(t))
    found = solve(chain, Fraction(alpha), kind=kind, pairs=[pair], exact=True)
    assert found.side == "exact"
    assert isinstance(found.proof, ExactDistance)
    upper = solve(chain, Fraction(alpha), kind=kind, pairs=[pair], exact=False)
    assert upper.side == "upper"
    assert found[s, t] <= upper[s, t] <= found[s, t] * (1 + Fraction(1, 10**9))
    return found[s, t]


def test_the_coin_of_the_paper() -> None:
    """[CMP18, Ex. 1]: 0.4/0.6 against 0.6/0.4 is pure at α = 3/2; below it, 3/5 − 2/5 α."""
    assert exact(examples.coin(), "3/2") == 0
    assert exact(examples.coin(), "149/100") == Fraction(3, 5) - Fraction(149, 100) * Fraction(2, 5)
    assert exact(examples.coin(), 1) == Fraction(1, 5)


def test_two_diners() -> None:
    """[CMP18, Sec. 4]: 0.0004 on the chain as given; the true δ is 0.00030004."""
    chain = examples.dining_cryptographers(n=2, p="49/100")
    assert exact(chain, DINERS_ALPHA) == Fraction(1, 2500)


def test_three_diners() -> None:
    chain = examples.dining_cryptographers(n=3, p="49/100")
    assert len(chain) == 52
    assert exact(chain, DINERS_ALPHA, "s0", "s1") == Fraction(792, 10**6)
    assert exact(chain, DINERS_ALPHA, "s0", "s2") == Fraction(792, 10**6)
    assert exact(chain, DINERS_ALPHA, "s1", "s2") == Fraction(4, 10**4)
    merged = quotient(chain)
    of_quotient = exact(merged.chain, DINERS_ALPHA, "s0", "s1")
    assert round_up(of_quotient, 9) == Fraction("0.000692089")
    assert of_quotient == Fraction(86528378587649, 125025000000000000)


def test_duplicated_ends() -> None:
    """A fair coin against (1/4, 3/4), ends doubled: two copies at distance 0 still allow f_i = α f_i'."""
    chain = examples.split_coin()
    assert exact(chain, "6/5") == Fraction(1, 4)
    assert exact(quotient(chain).chain, "6/5") == Fraction(1, 5)


@pytest.mark.parametrize(("alpha", "value"), [("2", "0"), ("3/2", "1/6"), ("1", "1/3")])
def test_truncated_geometric_noise(alpha: str, value: str) -> None:
    chain = examples.geometric(m=5)
    neighbours = chain.pairs
    assert max(exact(chain, alpha, s, t) for s, t in neighbours) == Fraction(value)


def test_survey() -> None:
    assert exact(examples.survey(), 3) == 0
    assert exact(examples.survey(), 2) == Fraction(1, 4)


@pytest.mark.parametrize("alpha", ["1", "3/2", "2", "4", "5"])
def test_a_loop_in_closed_form(alpha: str) -> None:
    """Both wait with probability 1/2; s0 then shows b, s1 b with 1/4 and c with 3/4: d = d/2 + half of that flip's."""
    chain = Chain.from_dicts(
        {
            "s0": {"s0": "1/2", "b": "1/2"},
            "s1": {"s1": "1/2", "b": "1/8", "c": "3/8"},
            "b": {"b": 1},
            "c": {"c": 1},
        },
        labels={"s0": "w", "s1": "w", "b": "b", "c": "c"},
    )
    assert exact(chain, alpha, "s0", "s1", "ld") == max(1 - Fraction(alpha) / 4, Fraction(0))
    assert exact(chain, alpha, "s1", "s0", "ld") == Fraction(3, 4)
    assert exact(chain, alpha) == Fraction(3, 4)
