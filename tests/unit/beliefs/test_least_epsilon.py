"""The least ε proved, and the largest refuted."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

import deltachain as dc
from deltachain import delta, epsilon
from deltachain.beliefs import least_epsilon, split
from deltachain.beliefs.least_epsilon import MOST_RATIOS, ratios
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from tests.reference.endless_chains import between


def test_pure_epsilon_of_randomised_response_is_exact() -> None:
    bound = epsilon(dc.examples.survey(), delta=0)
    assert bound.proved == bound.refuted == 3
    assert bound.exact
    assert bound.pure
    assert bound.epsilon is not None
    assert math.log(3) <= bound.epsilon < math.log(3) + 1e-11
    assert bound.epsilon_refuted <= math.log(3)


@pytest.mark.parametrize("name", ["coin", "geometric", "crowds", "mix", "pin-checker", "geometric-counter"])
@pytest.mark.parametrize("allowed", ["0", "1/1000", "1/20", "1/7"])
def test_the_exact_answer_is_where_delta_crosses(name: str, allowed: str) -> None:
    chain = dc.examples.build(name)
    bound = epsilon(chain, delta=allowed)
    if bound.impossible:
        far = delta(chain, exp_epsilon=10**9)
        assert far.lower > Fraction(allowed)
        return
    assert bound.exact
    assert bound.proved is not None
    assert delta(chain, exp_epsilon=bound.proved).upper <= Fraction(allowed)
    if bound.proved > 1:
        before = delta(chain, exp_epsilon=max(Fraction(1), bound.proved - Fraction(1, 10**9)))
        assert before.lower > Fraction(allowed)


def test_an_output_that_only_one_state_can_show_makes_pure_privacy_impossible() -> None:
    chain = dc.Chain.from_dicts(
        {"s": {"a": "1/2", "b": "1/2"}, "t": {"a": 1}, "a": {"a": 1}, "b": {"b": 1}},
        {"s": "start", "t": "start", "a": "a", "b": "b"},
        relation=[("s", "t")],
    )
    bound = epsilon(chain, delta=0)
    assert bound.impossible
    assert bound.least_delta == Fraction(1, 2)
    assert epsilon(chain, delta="1/2").proved is not None


def test_the_least_delta_is_that_of_the_worst_pair() -> None:
    chain = dc.Chain.from_dicts(
        {
            "s": {"a": "3/4", "b": "1/4"},
            "t": {"a": 1},
            "u": {"a": "1/4", "b": "3/4"},
            "a": {"a": 1},
            "b": {"b": 1},
        },
        {"s": "start", "t": "start", "u": "start", "a": "a", "b": "b"},
        relation=[("s", "t"), ("t", "u"), ("s", "u")],
    )
    for allowed in (0, "1/4", "1/2"):
        assert epsilon(chain, delta=allowed).least_delta == Fraction(3, 4)
    assert epsilon(chain, delta="3/4").least_delta is None


def test_what_is_learnt_in_the_long_run_alone_is_exact() -> None:
    # The memoised survey tells the permanent answer in the limit: δ = p − α(1 − p) with p = 3/4, see its docstring.
    bound = epsilon(dc.examples.memoised_survey(), delta="1/20", max_nodes=200)
    assert bound.exact
    assert bound.proved == bound.refuted == Fraction(14, 5)  # 3/4 − α/4 = 1/20


def test_a_cyclic_chain_gets_an_interval_by_bisection() -> None:
    chain = dc.examples.sticky_sensor()
    bound = epsilon(chain, delta="1/20", precision="1/50", max_nodes=15_000)
    assert bound.proved is not None
    assert 1 < bound.refuted < bound.proved <= 3
    lower, upper = (between(chain, "s0", "s1", alpha, 9) for alpha in (bound.proved, bound.refuted))
    assert lower[0] <= Fraction(1, 20) <= upper[1]
    assert bound.proved <= bound.refuted * Fraction(11, 10)


def test_pure_privacy_of_a_cyclic_chain_is_proved_by_the_zero_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "MOST_STATES", 0)  # as if it were too large for the exact answer
    bound = epsilon(dc.examples.memoised_survey(), delta=0, precision="1/100", max_nodes=100)
    assert bound.proved == 3  # a ratio of its probabilities, which a bisection to a hundredth need not meet
    assert bound.refuted <= 3


def stones() -> dc.Chain:
    """i, k and j toss heads with 1/2, 1/4 and 1/8; k is a stepping stone that nobody reaches."""
    return dc.Chain.from_dicts(
        {
            "s": {"i": "1/4", "z": "3/4"},
            "t": {"j": "1/2", "z": "1/2"},
            "i": {"h": "1/2", "e": "1/2"},
            "k": {"h": "1/4", "e": "3/4"},
            "j": {"h": "1/8", "e": "7/8"},
            **{x: {x: 1} for x in "zhe"},
        },
        {"s": "start", "t": "start", "i": "coin", "k": "coin", "j": "coin", "z": "z", "h": "h", "e": "e"},
        relation=[("s", "t")],
    )


def test_a_ratio_may_prove_less_than_a_bisection(monkeypatch: pytest.MonkeyPatch) -> None:
    """ld(s, t) is 0 at 2 and from 4 on, and not between: a bisection that begins above misses 2, the ratios have it."""
    chain = stones()

    def zero(_: Workspace, alpha: Fraction, cancel: Cancel) -> bool:
        assert not cancel.stopped()
        return dc.distance(chain, "s", "t", exp_epsilon=alpha, kind="ld")["s", "t"] == 0

    work = Workspace(chain, [(0, 1)])
    assert [zero(work, Fraction(alpha), Cancel()) for alpha in ("2", "5/2", "4")] == [True, False, True]
    monkeypatch.setattr(least_epsilon, "in_zero_set", zero)
    monkeypatch.setattr(least_epsilon, "_from_losses", lambda *_: None)
    monkeypatch.setattr(least_epsilon, "_sufficient", lambda _: Fraction(9))
    monkeypatch.setattr(least_epsilon.Judge, "refutes", lambda _, alpha: alpha < Fraction(3, 2))
    unknown = SimpleNamespace(lower=Fraction(0), upper=Fraction(1))
    monkeypatch.setattr(least_epsilon.Judge, "answer", lambda *_: unknown)
    assert epsilon(chain, "s", "t", delta=0).proved == 2
    monkeypatch.setattr(least_epsilon, "ratios", lambda *_: [])
    assert epsilon(chain, "s", "t", delta=0).proved == 4


def test_ratios_are_between_and_few() -> None:
    found = ratios(stones(), Fraction(1), Fraction(3))
    assert found == [Fraction(ratio) for ratio in ("1", "8/7", "7/6", "4/3", "3/2", "7/4", "2")]
    many = dc.Chain.from_rows([{0: Fraction(k, 101), 1: Fraction(101 - k, 101)} for k in range(1, 31)], ["a"] * 30)
    assert len(ratios(many, Fraction(1), Fraction(100))) == MOST_RATIOS


def test_an_interrupt_in_the_zero_set_keeps_what_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    cancel = Cancel()
    asked: list[Fraction] = []
    whole = least_epsilon.in_zero_set

    def interrupted(work: Workspace, alpha: Fraction, told: Cancel) -> bool:
        asked.append(alpha)
        if len(asked) == 5:
            cancel.interrupt()
        return whole(work, alpha, told)

    monkeypatch.setattr(least_epsilon, "in_zero_set", interrupted)
    bound = epsilon(dc.examples.sticky_sensor(), delta=0, max_nodes=100, cancel=cancel)
    assert len(asked) == 5
    assert bound.proved is not None
    assert bound.refuted <= 3 <= bound.proved <= 4
    assert not bound.exact


def test_different_labels_can_never_be_private() -> None:
    chain = dc.examples.coin()
    assert epsilon(chain, "s0", "h" if "h" in chain.index else chain.states[-1], delta="1/2").impossible


@pytest.mark.parametrize("bad", [{"delta": "2"}, {"delta": "-1"}, {"delta": "0", "precision": 0}, {"delta": "x"}])
def test_bad_numbers_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        epsilon(dc.examples.coin(), **bad)  # type: ignore[arg-type]
