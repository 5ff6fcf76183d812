"""The least ε proved, and the largest refuted."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

import deltachain as dc
from deltachain import delta, epsilon
from deltachain.beliefs.graph import split
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.measures.epsilon import least as least_epsilon
from deltachain.measures.epsilon import matrix
from deltachain.measures.epsilon.bands import Known
from deltachain.measures.epsilon.least import MOST_RATIOS, Judge, ratios, search_least
from deltachain.numbers.exponential import Exponential, as_exponential, exp_of
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.endless_chains import between
from tests.reference.functions import chain_of
from tests.unit.beliefs.cancelling import StoppingAfter

WIDTH = Fraction(1, 10**3)


def test_pure_epsilon_of_randomised_response_is_exact() -> None:
    bound = epsilon(dc.examples.survey(), delta=0)
    assert bound.exp_epsilon_proved == bound.refuted == 3
    assert bound.exact
    assert bound.pure
    assert bound.epsilon is not None
    assert math.log(3) <= bound.epsilon < math.log(3) + 1e-11
    assert bound.epsilon_refuted <= math.log(3)


@pytest.mark.sample(10)
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
    assert bound.exp_epsilon_proved is not None
    assert delta(chain, exp_epsilon=bound.exp_epsilon_proved).upper <= Fraction(allowed)
    if bound.exp_epsilon_proved > 1:
        before = delta(chain, exp_epsilon=max(Fraction(1), bound.exp_epsilon_proved - Fraction(1, 10**9)))
        assert before.lower > Fraction(allowed)


def test_functions_that_merge_away_leave_a_rational() -> None:
    """States b are bisimilar, and with them e leaves the rows: ratios are fractions, and were taken for functions."""
    e, half, third = exp_of(Fraction(1)), as_exponential(Fraction(1, 2)), as_exponential(Fraction(1, 3))
    rows = [{2: half, 5: half}, {2: third, 5: 1 - third}, {3: 1 / (1 + e), 4: e / (1 + e)}]
    chain = chain_of([*rows, *({s: as_exponential(1)} for s in (3, 4, 5))], ["s", "s", "a", "b", "b", "c"])
    bound = epsilon(chain, delta=0)
    assert bound.exact
    assert bound.exp_epsilon_proved == bound.refuted == Fraction(3, 2)
    assert epsilon(chain, delta="1/10").exp_epsilon_proved == Fraction(6, 5)


def test_an_output_that_only_one_state_can_show_makes_pure_privacy_impossible() -> None:
    chain = dc.Chain.from_dicts(
        {"s": {"a": "1/2", "b": "1/2"}, "t": {"a": 1}, "a": {"a": 1}, "b": {"b": 1}},
        {"s": "start", "t": "start", "a": "a", "b": "b"},
        relation=[("s", "t")],
    )
    bound = epsilon(chain, delta=0)
    assert bound.impossible
    assert bound.least_delta == Fraction(1, 2)
    assert epsilon(chain, delta="1/2").exp_epsilon_proved is not None


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
    assert bound.exp_epsilon_proved == bound.refuted == Fraction(14, 5)  # 3/4 − α/4 = 1/20


def test_a_cyclic_chain_gets_an_interval_by_searches() -> None:
    chain = dc.examples.sticky_sensor()
    bound = epsilon(chain, delta="1/20", precision="1/50", max_nodes=15_000)
    assert bound.exp_epsilon_proved is not None
    assert 1 < bound.refuted < bound.exp_epsilon_proved <= 3
    lower, upper = (between(chain, "s0", "s1", alpha, 9) for alpha in (bound.exp_epsilon_proved, bound.refuted))
    assert lower[0] <= Fraction(1, 20) <= upper[1]
    assert bound.exp_epsilon_proved <= bound.refuted * Fraction(11, 10)


def test_pure_privacy_of_a_cyclic_chain_is_proved_by_the_zero_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "MOST_STATES", 0)  # as if it were too large for the exact answer
    bound = epsilon(dc.examples.memoised_survey(), delta=0, precision="1/100", max_nodes=100)
    assert bound.exp_epsilon_proved == 3  # a ratio of its probabilities, which a search to a hundredth need not meet
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


def test_a_ratio_may_prove_less_than_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """ld(s, t) is 0 at 2 and from 4 on, and not between: a search that begins above misses 2, the ratios have it."""
    chain = stones()

    def zero(_: Workspace, alpha: Fraction, cancel: Cancel) -> bool:
        assert not cancel.is_stopped()
        return dc.distance(chain, "s", "t", exp_epsilon=alpha, kind="ld")["s", "t"] == 0

    work = Workspace(chain, [(0, 1)])
    assert [zero(work, Fraction(alpha), Cancel()) for alpha in ("2", "5/2", "4")] == [True, False, True]
    monkeypatch.setattr(least_epsilon, "in_zero_set", zero)
    unknown = SimpleNamespace(lower=Fraction(0), upper=Fraction(1))
    monkeypatch.setattr(least_epsilon.Judge, "answer", lambda *_: unknown)

    monkeypatch.setattr(least_epsilon, "simplest_between", lambda low, high: (low + high) / 2)

    def proved() -> Fraction | None:
        known = Known()
        known.add(ExpEpsilon.exactly(Fraction(10)), Fraction(0), Fraction(0))
        return search_least(Judge(work, Fraction(0), Budget(), Cancel()), WIDTH, known).proved

    assert proved() == 2
    monkeypatch.setattr(least_epsilon, "ratios", lambda *_: [])
    found = proved()
    assert found is not None
    assert 4 <= found <= 4 * (1 + WIDTH)


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
    # As if it were too large for a ratio matrix, which answers exactly.
    monkeypatch.setattr(matrix, "ratio_matrix", lambda *_: None)
    monkeypatch.setattr(matrix, "is_affordable", lambda *_: False)
    bound = epsilon(dc.examples.sticky_sensor(), delta=0, max_nodes=100, cancel=cancel)
    assert len(asked) == 5
    assert bound.exp_epsilon_proved is not None
    assert bound.refuted <= 3 <= bound.exp_epsilon_proved <= 4
    assert not bound.exact


@pytest.mark.parametrize("alone", [False, True])
def test_a_search_finds_what_the_exact_curve_says(alone: bool) -> None:
    chain = dc.examples.survey()
    work = Workspace(chain, [(chain.number("s0"), chain.number("s1"))])
    (losses,) = dc.profile(chain).distributions or ()
    for allowed in (Fraction(0), Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)):
        found = search_least(Judge(work, allowed, Budget(100), Cancel()), WIDTH, Known(alone=alone))
        exact = losses.curve.least_alpha(allowed)
        assert exact is not None
        assert found.proved is not None
        assert found.refuted <= exact <= found.proved <= found.refuted * (1 + WIDTH)


@pytest.mark.seeds(2, 80)
def test_lines_and_single_places_agree_with_a_narrow_interval(seed: int) -> None:
    """Whatever the budget leaves open, δ is above what is allowed just below ``refuted``, and not at ``proved``."""
    chain = dc.examples.random(n=5, labels=2, degree=2, seed=seed)
    pair = next((s, t) for s in range(5) for t in range(s) if chain.labels[s] == chain.labels[t])
    allowed = Fraction(1 + seed % 7, 20)
    for alone in (False, True):
        work = Workspace(chain, [pair])
        found = search_least(Judge(work, allowed, Budget(30), Cancel()), WIDTH, Known(alone=alone))
        names = chain.states[pair[0]], chain.states[pair[1]]
        if found.proved is not None:
            assert found.refuted <= found.proved
            assert delta(chain, *names, exp_epsilon=found.proved).lower <= allowed
        if found.refuted > 1:
            before = max(Fraction(1), found.refuted - Fraction(1, 10**9))
            assert delta(chain, *names, exp_epsilon=before).upper > allowed


def test_what_cannot_be_proved_is_none_and_what_is_refuted_stands() -> None:
    chain = dc.examples.random(n=8, seed=1)
    work = Workspace(chain, [(chain.number("s0"), chain.number("s1"))])
    found = search_least(Judge(work, Fraction(0), Budget(20), Cancel()), WIDTH)
    assert found.proved is None
    assert found.refuted > 1
    assert delta(chain, "s0", "s1", exp_epsilon=found.refuted).upper > 0


def test_cancelled_it_says_what_the_band_says() -> None:
    chain, allowed = dc.examples.sticky_sensor(), Fraction(1, 10)
    work = Workspace(chain, [(chain.number("s0"), chain.number("s1"))])
    points = dc.profile(chain, epsilons=[0, "1/2", 1], max_nodes=200).points
    known = Known.of((p.epsilon, p.lower, p.upper) for p in points)
    proved, refuted = known.prove(allowed), known.refute(allowed)
    found = search_least(Judge(work, allowed, Budget(100), StoppingAfter(0)), WIDTH, known)
    assert proved is not None
    assert found.proved is not None
    assert proved <= found.proved <= proved * (1 + WIDTH)
    assert refuted * (1 - WIDTH) <= found.refuted <= refuted


def test_a_certificate_proves_the_epsilon_that_is_said() -> None:
    chain = dc.examples.sticky_sensor()
    bound = epsilon(chain, delta="1/20", precision="1/50", max_nodes=2000, certificate=True)
    assert bound.certificate is not None
    assert bound.exp_epsilon_proved is not None
    (claim,) = dc.verify(chain, bound.certificate)
    assert claim.at == (bound.exp_epsilon_proved,)
    assert claim.upper <= Fraction(1, 20)


def test_where_rows_are_functions_an_output_of_one_state_makes_every_epsilon_too_small() -> None:
    noisy = dc.program("""
def noisy(secret: bool):
    if secret and flip("1/8"):
        announce("caught")
    else:
        announce("yes" if flip(exp(-1)) else "no")
""")
    chain = noisy.chain(secrets=[{"secret": True}, {"secret": False}])
    for allowed in (0, "1/10"):
        bound = epsilon(chain, delta=allowed)
        assert bound.impossible
        assert bound.least_delta == Fraction(1, 8)
    assert not epsilon(chain, delta="1/5").impossible


def test_different_labels_can_never_be_private() -> None:
    chain = dc.examples.coin()
    assert epsilon(chain, "s0", "h" if "h" in chain.index else chain.states[-1], delta="1/2").impossible


@pytest.mark.parametrize("bad", [{"delta": "2"}, {"delta": "-1"}, {"delta": "0", "precision": 0}, {"delta": "x"}])
def test_bad_numbers_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        epsilon(dc.examples.coin(), **bad)  # type: ignore[arg-type]


def test_a_certificate_that_is_asked_for_is_not_given_up_for_a_closer_bound() -> None:
    """The zero set is found over functions of e, too, but the checker has no rule for it there."""
    rows = {
        "0": {"0": "4/9", "1": "1/9", "2": "1/9", "4": "2/9", "5": "1/9"},
        "1": {"0": "1/3", "2": "1/3", "3": "1/3"},
        "2": {"0": "exp(1/2)/(3+exp(1/2)+exp(1))", "2": "1/(3+exp(1/2)+exp(1))", "3": "(2+exp(1))/(3+exp(1/2)+exp(1))"},
        "3": {"0": "exp(1/2)/(exp(1/2)+exp(1))", "2": "exp(1)/(exp(1/2)+exp(1))"},
        "4": {"0": "1/(2+exp(1/2))", "2": "1/(2+exp(1/2))", "3": "exp(1/2)/(2+exp(1/2))"},
        "5": {"0": "exp(1/2)/(2+exp(1/2))", "2": "1/(2+exp(1/2))", "3": "1/(2+exp(1/2))"},
    }
    chain = dc.Chain.from_dicts(rows, {state: "c" if state == "0" else "a" for state in rows})
    found = dc.epsilon(chain, "1", "2", delta=0, max_nodes=100, certificate=True)
    assert found.exp_epsilon_proved is not None
    assert found.certificate is not None
    assert dc.verify(chain, found.certificate)


def kept_answer(ratio: Fraction) -> dc.Chain:
    """A bit with odds e^ratio is kept for ever, and shown again and again with odds e: its graph has no end."""

    def likely(power: Fraction, right: bool) -> Exponential:
        odds = exp_of(power)
        return (odds if right else as_exponential(1)) / (1 + odds)

    letters = [(bit, letter) for bit in (0, 1) for letter in (0, 1)]
    rows = [
        {
            2 + n: likely(ratio, bit == start) * likely(Fraction(1), letter == bit)
            for n, (bit, letter) in enumerate(letters)
        }
        for start in (0, 1)
    ]
    rows += [
        {2 + n: likely(Fraction(1), letter == bit) for n, (bit, letter) in enumerate(letters) if bit == kept}
        for kept, _ in letters
    ]
    return chain_of(rows, ["start", "start", *(f"{letter}" for _, letter in letters)])


@pytest.mark.parametrize("ratio", [Fraction(10), Fraction(1, 3)])
def test_an_epsilon_that_a_zero_set_proves_is_said_as_it_is(ratio: Fraction) -> None:
    bound = epsilon(kept_answer(ratio), delta=0, max_nodes=100)
    assert bound.proved_epsilon == bound.epsilon == ratio
    assert bound.least is None
    assert bound.exp_epsilon_proved is not None
    assert bound.exp_epsilon_proved >= ExpEpsilon.read(epsilon=ratio).below
    said = {10: "ε = 10 on;", Fraction(1, 3): "ε ≈ 0.333333 (1/3) on;"}[ratio]
    assert f"is proved from {said}" in bound.headline
