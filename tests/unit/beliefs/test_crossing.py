"""The least e^ε for a δ, guided by a band."""

from __future__ import annotations

from fractions import Fraction

from deltachain import examples, profile
from deltachain.beliefs.bands import Known
from deltachain.beliefs.crossing import crossing
from deltachain.beliefs.least_epsilon import Judge
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from tests.unit.beliefs.cancelling import StoppingAfter

WIDTH = Fraction(1, 10**3)


def test_it_finds_what_the_exact_curve_says() -> None:
    chain = examples.survey()
    pair = chain.number("s0"), chain.number("s1")
    curve = profile(chain)
    for delta in (Fraction(0), Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)):
        judge = Judge(Workspace(chain, [pair]), delta, Budget(100), Cancel())
        found = crossing(Known(), judge, delta, WIDTH)
        (losses,) = curve.distributions or ()
        exact = losses.exp_epsilon(delta)
        assert exact is not None
        assert found.proved is not None
        assert found.refuted <= exact <= found.proved <= found.refuted * (1 + WIDTH)


def test_what_cannot_be_proved_is_none_and_what_is_refuted_stands() -> None:
    chain = examples.random(n=8, seed=1)
    pair = chain.number("s0"), chain.number("s1")
    judge = Judge(Workspace(chain, [pair]), Fraction(0), Budget(20), Cancel())
    found = crossing(Known(), judge, Fraction(0), WIDTH, 4)
    assert found.refuted >= 1
    assert found.proved is None or found.proved >= found.refuted


def test_cancelled_it_says_what_the_band_says() -> None:
    chain = examples.sticky_sensor()
    pair = chain.number("s0"), chain.number("s1")
    curve = profile(chain, epsilons=[0, "1/2", 1], max_nodes=200)
    known = Known.of((p.epsilon, p.lower, p.upper) for p in curve.points)
    before = known.proved(Fraction(1, 10)), known.refuted(Fraction(1, 10))
    judge = Judge(Workspace(chain, [pair]), Fraction(1, 10), Budget(100), StoppingAfter(0))
    found = crossing(known, judge, Fraction(1, 10), WIDTH)
    assert (found.proved, found.refuted) == before
