"""Reference values of other measures than δ (docs/theory/divergences.md): Rényi, KL, zCDP and trade-offs."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.measures.divergences.show import Divergence
from deltachain.numbers.exponential import read_exponential
from deltachain.numbers.field import ends
from tests.docs.pages import ROOT


def encloses(found: Divergence, truth: float, width: float = 1e-15) -> bool:
    """Whether the bounds are as close as ``width``, relatively, and next to a float."""
    assert found.lower is not None
    assert found.upper is not None
    close = found.upper - found.lower <= width * max(truth, 1)
    return bool(close and float(found.lower) == pytest.approx(truth, rel=1e-9))


def test_survey() -> None:
    curve = dc.profile(dc.examples.survey(), epsilons=[0])
    assert curve.renyi(2).moment == Fraction(7, 3)
    assert encloses(curve.renyi(2), math.log(7 / 3))
    assert encloses(curve.kl(), math.log(3) / 2)
    assert encloses(curve.zcdp(), math.log(3) / 2, 1e-11)
    forth, back = curve.tradeoff()
    assert forth.pair == back.pair[::-1] == ("s0", "s1")
    assert forth.exact
    assert forth.corners == back.corners == ((0, 1), (Fraction(1, 4), Fraction(1, 4)), (1, 0))
    assert forth.at(Fraction(1, 8)) == Fraction(5, 8)


@pytest.mark.parametrize(("n", "value"), [(3, "3909378127/3909373125"), (4, "39156325105003/39156249984999")])
def test_diners(n: int, value: str) -> None:
    curve = dc.profile(dc.examples.dining_cryptographers(n=n, p="49/100"), "s0", "s1", epsilons=[0])
    assert [each.moment for each in curve.measured("renyi", Fraction(2))] == [Fraction(value)] * 2


NOISY = """
from deltachain import announce, discrete_laplace, program

@program
def noisy(x):
    announce(x + discrete_laplace(1))
"""


def test_discrete_laplace(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    chain = dc.load(f"{tmp_path / 'noisy.py'}:noisy", secrets=[{"x": 0}, {"x": 1}])
    curve = dc.profile(chain, epsilons=[0])
    found = curve.renyi(2).moment
    assert found == read_exponential("(exp(2) + exp(-1))/(1 + exp(1))")
    # The sum over outcomes k: P(k)²/Q(k) with P(k) = c·e^-|k|, Q(k) = c·e^-|k-1|, c = (e−1)/(e+1), tails beyond 800.
    from flint import arb, ctx

    with ctx.workprec(1400):
        e = arb(1).exp()
        direct = sum(((-2 * abs(arb(k)) + abs(arb(k - 1))).exp() for k in range(-800, 800)), arb(0)) * (e - 1) / (e + 1)
        low, high = ends(found, 1300)  # type: ignore[arg-type]
        difference = abs(direct - arb(low.numerator) / low.denominator)
        assert difference < arb(10) ** -300
        assert high - low < Fraction(1, 10**300)
    share = read_exponential("1/(1 + exp(1))")
    corners = curve.tradeoff()[0].corners
    assert corners == ((0, 1), (share, share), (1, 0))


def test_permute_and_flip_exceeds_the_zcdp_of_the_exponential_mechanism() -> None:
    # Scores (0, 0) against (1, −1), scale 1: each score moves by 1, so ε = 2, and ε²/8 = 1/2.
    program = ROOT / "examples" / "bugs" / "opendp_2911.py"
    pair: list[dict[str, object]] = [{"scores": (0, 0)}, {"scores": (1, -1)}]
    chain = dc.load(f"{program}:permute_and_flip", secrets=pair)
    curve = dc.profile(chain, epsilons=[0])
    forth, back = curve.measured("renyi", Fraction(2))
    assert forth.moment == read_exponential("1/(4 - 2*exp(-2)) + exp(2)/2")
    assert back.moment == read_exponential("2*(1 - exp(-2)/2)^2 + exp(-4)/2")
    assert forth.lower is not None
    assert back.upper is not None
    claimed = Fraction(1, 2)
    assert forth.lower > 2 * claimed > back.upper
    assert encloses(forth, math.log(1 / (4 - 2 * math.exp(-2)) + math.exp(2) / 2))
    bound = dc.epsilon(chain, delta=0)
    assert bound.least == 2, "ε itself is right, and tight"


def test_dp_accounting_agrees_on_its_own_mechanisms() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dp_accounting
        from dp_accounting import dp_event, rdp
    orders = list(range(2, 65))
    accountant = rdp.RdpAccountant(orders, dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_event.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2))
    curve = dc.profile(dc.examples.survey(), epsilons=[0])
    for order, theirs in zip(orders, accountant._rdp, strict=True):
        assert float(curve.renyi(order).upper or 0) == pytest.approx(theirs, abs=1e-12)


def test_dp_accounting_agrees_on_discrete_laplace(tmp_path: Path) -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting.pld.privacy_loss_mechanism import DiscreteLaplacePrivacyLoss
    # It has no Rényi divergences of this mechanism, but its law and its losses, outcome by outcome.
    theirs, far = DiscreteLaplacePrivacyLoss(1.0), 60
    outcomes = [(float(theirs.mu_upper_cdf(-far)), theirs.privacy_loss(-far))]
    outcomes += [
        (float(theirs.mu_upper_cdf(x) - theirs.mu_upper_cdf(x - 1)), theirs.privacy_loss(x))
        for x in range(-far + 1, far)
    ]
    (tmp_path / "noisy.py").write_text(NOISY)
    chain = dc.load(f"{tmp_path / 'noisy.py'}:noisy", secrets=[{"x": 0}, {"x": 1}])
    curve = dc.profile(chain, epsilons=[0], orders=range(2, 65))
    for order in range(2, 65):
        moment = sum(mass * math.exp((order - 1) * loss) for mass, loss in outcomes)
        assert float(curve.renyi(order).upper or 0) == pytest.approx(math.log(moment) / (order - 1), abs=1e-12)
    assert all(each.checked.accepted for group in curve.divergences for each in group)
