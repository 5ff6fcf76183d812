"""Every stage that may be long asks again and again whether to stop, soon ends then, and says nothing false.

Work is counted in lines of Python, and never by a clock: from one question to the next, and from the one that was
answered "stop" to the result, with no time at all for putting things together. Each case is large enough that a stage
that forgets to ask exceeds the limit.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain, examples, program
from deltachain.cancel import ASKED_EVERY, GRACE, Cancel, spend
from deltachain.errors import NotConverged, SolverError, Stopped
from deltachain.numbers.fraction import ExpEpsilon
from deltachain.reports.report import report
from tests.unit.beliefs.cancelling import Counting, StoppingAfter
from tests.words import refuses, says

F = Fraction
OFTEN = ASKED_EVERY // 100
"""Steps after which it is asked again in these tests: then small cases tell."""
MOST_LINES = 200_000
"""Between two questions, where these are asked so often; a hundred times as many would take a second."""
MOST_AFTER = 150_000
"""After the stop: what is printed must be made; the page of a report takes some tenths of a second."""


@cache
def query_budget(people: int) -> Chain:
    return examples.query_budget(people=people, questions=2)


@cache
def noisy() -> Chain:
    return program("def main(x): announce(x + discrete_laplace(1, tail='1e-2'))").chain([{"x": 0}, {"x": 1}])


@cache
def dining(n: int) -> Chain:
    return examples.dining_cryptographers(n=n)


@cache
def scattered(n: int) -> Chain:
    return examples.random(n=n, labels=2, degree=3)


STAGES: dict[str, Callable[[Cancel], Any]] = {
    "least ε of a large chain": lambda cancel: dc.epsilon(scattered(300), delta=0, cancel=cancel),
    "least ε, δ above 0": lambda cancel: dc.epsilon(dining(6), delta="1/10", cancel=cancel),
    "profile where the observer asks": lambda cancel: dc.profile(
        query_budget(2), orders=[2, 4], kl=True, zcdp=True, cancel=cancel
    ),
    "profile of exact losses": lambda cancel: dc.profile(dining(5), orders=[2], kl=True, zcdp=True, cancel=cancel),
    "guess where the observer asks": lambda cancel: dc.guess(query_budget(3), cancel=cancel),
    "guess": lambda cancel: dc.guess(examples.crowds(members=10, paths=2), cancel=cancel),
    "report of a program": lambda cancel: report(noisy(), epsilon="1/10", epsilons=[0, 1], cancel=cancel),
    "report of losses": lambda cancel: report(dining(4), epsilon="1/10", epsilons=[0, 1], cancel=cancel),
    "threshold": lambda cancel: dc.threshold(scattered(40), theta="1/2", exp_epsilon="3/2", cancel=cancel),
    "distance where the observer asks": lambda cancel: dc.distance(query_budget(3), epsilon="1/10", cancel=cancel),
    "distance": lambda cancel: dc.distance(scattered(40), epsilon="1/10", cancel=cancel),
    "δ where the observer asks": lambda cancel: dc.delta(query_budget(3), epsilon="1/10", cancel=cancel),
    "δ of a chain with cycles": lambda cancel: dc.delta(
        scattered(100), epsilon="1/10", max_nodes=20_000, cancel=cancel
    ),
    "curves in a parameter": lambda cancel: dc.parametric(
        program("def main(q, u): announce(q + geometric(u, -2, 2))"),
        parameter="u=0:1",
        exp_epsilon="u^-40",
        delta=0,
        maximum=True,
        secrets=[{"q": 0}, {"q": 1}],
        cancel=cancel,
    ),
}


@pytest.fixture(autouse=True)
def _asking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltachain.cancel.ASKED_EVERY", OFTEN)
    monkeypatch.setattr("deltachain_checker_v1.meter.ASKED_EVERY", OFTEN)


def counted(stage: str, calls: int) -> Counting:
    """What was counted, with a cancel that stops after so many questions."""
    cancel = Counting(calls)
    with cancel.counting():
        try:
            STAGES[stage](cancel)
        except SolverError:
            assert cancel.reason is not None or stage == "threshold", "only what was cut may have no answer"
    return cancel


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_questions_keep_coming_and_the_end_comes_soon_after_a_stop(stage: str) -> None:
    STAGES[stage](Cancel()) if stage != "threshold" else None  # what is made once, such as modules, does not count
    whole = counted(stage, 10**9)
    assert whole.longest <= MOST_LINES, whole.where
    for calls in sorted({0, whole.asked // 3, 2 * whole.asked // 3, whole.asked - 1}):
        cut = counted(stage, calls)
        most = MOST_AFTER if "report" not in stage else 10 * MOST_AFTER
        assert cut.after <= most, f"stopped at question {calls} of {whole.asked}"


# Nothing false is said of what was cut.


def questions(run: Callable[[StoppingAfter], object], later: int | None) -> int:
    """How many questions a run asks."""
    cancel = StoppingAfter(10**9, later)
    run(cancel)
    return 10**9 - cancel.calls


SMALL = {
    "survey": examples.survey(rounds=2),
    "with cycles": examples.memoised_survey(),
    "the observer asks": examples.adaptive_survey(rounds=1),
    "random": examples.random(n=8, seed=3),
    "no ε": examples.random(n=7, labels=2, degree=2, seed=2),
    "no ε, larger": examples.random(n=12, labels=2, degree=2, seed=1),
}
NAMES = [pytest.param(name, marks=pytest.mark.slow if "larger" in name else ()) for name in SMALL]


def stops(run: Callable[[StoppingAfter], object]) -> list[tuple[int, int]]:
    """(k, j): stop at question k, then j questions for putting things together; at every k, and some j."""
    most = questions(run, None)
    step = max(1, most // 10)
    return [(k, j) for k in range(0, most + 1, step) for j in ((0, 5) if k == 0 else (0,))]


@pytest.mark.parametrize("name", NAMES)
def test_an_interval_holds_wherever_the_search_is_stopped(name: str) -> None:
    chain = SMALL[name]
    exact = dc.delta(chain, epsilon="1/2", gap="1e-9")

    def run(cancel: StoppingAfter) -> Any:
        return dc.delta(chain, epsilon="1/2", cancel=cancel)

    for k, j in stops(run):
        found = run(StoppingAfter(k, j))
        assert found.lower <= exact.upper, (k, j)
        assert found.upper >= exact.lower, (k, j)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delta", ["0", "1/10"])
def test_an_ends_of_epsilon_hold_wherever_the_search_is_stopped(name: str, delta: str) -> None:
    chain = SMALL[name]
    whole = dc.epsilon(chain, delta=delta)

    def run(cancel: StoppingAfter) -> Any:
        return dc.epsilon(chain, delta=delta, cancel=cancel)

    for k, j in stops(run):
        found = run(StoppingAfter(k, j))
        if found.exp_epsilon_proved is not None:
            assert whole.least_delta is None, (k, j)
            assert found.exp_epsilon_proved >= whole.refuted, (k, j)
        if whole.exp_epsilon_proved is not None:
            assert found.least_delta is None, (k, j)
            assert found.refuted <= whole.exp_epsilon_proved, (k, j)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_guess_is_worth_is_bounded_wherever_it_is_stopped(name: str) -> None:
    chain = SMALL[name]
    whole = dc.guess(chain, max_nodes=2_000)

    def run(cancel: StoppingAfter) -> Any:
        return dc.guess(chain, max_nodes=2_000, cancel=cancel)

    for k, j in stops(run):
        found = run(StoppingAfter(k, j))
        assert found.lower <= whole.upper, (k, j)
        assert found.upper >= whole.lower, (k, j)
        assert found.spread[0] <= whole.spread[1], (k, j)
        assert found.spread[1] >= whole.spread[0], (k, j)


@pytest.mark.parametrize("name", ["survey", "with cycles", "the observer asks"])
def test_a_curve_and_its_divergences_hold_wherever_they_are_stopped(name: str) -> None:
    chain = SMALL[name]
    grid = [0, F(1, 2), 2]
    whole = dc.profile(chain, epsilons=grid, orders=[2], kl=True, zcdp=True)

    def run(cancel: StoppingAfter) -> Any:
        return dc.profile(chain, epsilons=grid, orders=[2], kl=True, zcdp=True, cancel=cancel)

    for k, j in stops(run):
        found = run(StoppingAfter(k, j))
        for mine, true in zip(found.points, whole.points, strict=True):
            assert mine.lower <= true.upper, (k, j)
            assert mine.upper >= true.lower, (k, j)
        for mine, true in zip(found.divergences, whole.divergences, strict=True):
            for one, other in zip(mine, true, strict=True):
                assert one.infinite <= other.infinite or other.upper is None, (k, j)
                assert one.lower is None or other.upper is None or one.lower <= other.upper, (k, j)
                assert one.upper is None or (other.lower is not None and one.upper >= other.lower), (k, j)


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
@pytest.mark.parametrize("name", ["with cycles", "random", "the observer asks"])
def test_a_distance_holds_wherever_it_is_stopped(name: str, kind: str) -> None:
    chain = SMALL[name]
    whole = dc.distance(chain, exp_epsilon="3/2", kind=kind, exact=True)

    def run(cancel: StoppingAfter) -> Any:
        try:
            return dc.distance(chain, exp_epsilon="3/2", kind=kind, exact=True, cancel=cancel)
        except NotConverged as reason:
            return reason.upper

    for k, j in stops(run):
        found = run(StoppingAfter(k, j))
        for mine, true in zip(found.results, whole.results, strict=True):
            assert mine.value >= true.value, (k, j)
            assert mine.reverse >= true.reverse, (k, j)
            assert mine.lower is None or mine.lower <= true.value, (k, j)
            assert mine.reverse_lower is None or mine.reverse_lower <= true.reverse, (k, j)


# The mechanism.


def test_steps_that_cannot_be_done_in_time_are_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("deltachain.cancel.time.monotonic", lambda: now)
    cancel = Cancel(10)
    with cancel.govern():
        spend(90_000_000)  # nine seconds
        with pytest.raises(Stopped, match="time limit reached"):
            spend(200_000_000)
        assert not cancel.is_stopped(), "something shorter may still be done"
    spend(200_000_000)  # nothing governs
    assert Cancel(10).attempt(lambda: spend(200_000_000)) is None


def test_what_is_put_together_ends_a_little_later(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("deltachain.cancel.time.monotonic", lambda: now)
    cancel = Cancel(10)
    part = cancel.during("searching").first(0.5)
    ending = part.make_ending()
    now += 5
    assert part.is_stopped()
    assert not ending.is_stopped()
    assert not cancel.is_stopped()
    now += GRACE
    assert ending.is_stopped()
    assert ending.reason == "time"
    assert ending.make_ending() is ending
    cancel.interrupt()
    assert cancel.make_ending().attempt(lambda: 3) == 3
    now += GRACE
    assert cancel.make_ending().attempt(lambda: 3) is None


def test_a_stop_within_a_stage_is_not_one_around_it() -> None:
    outer, inner = Cancel(), Cancel()
    inner.interrupt()
    with outer.govern():
        assert inner.attempt(lambda: 3) is None
        spend(10**9)
    assert inner.reason == "interrupted"
    assert outer.reason is None


def test_a_distance_that_was_stopped_says_what_is_so_of_every_distance() -> None:
    chain = examples.split_coin()
    with refuses(NotConverged, "interrupted while computing") as caught:
        dc.distance(chain, "s0", "s1", epsilon=ExpEpsilon.read(epsilon=0).epsilon, cancel=StoppingAfter(0))
    found = caught.value.upper
    assert isinstance(found, dc.Distance)
    assert (found["s0", "s1"], found.lower, found.sharp, found.certified) == (1, 0, False, False)
    assert says(found.headline, "bd(s0")


COMMANDS = (
    "epsilon example:random,n=20000,labels=2,degree=3 --delta 0 --timeout 0.3",
    "epsilon example:random,n=3000,labels=2,degree=6 --delta 0 --timeout 2",
    "guess example:crowds,members=60,paths=3 --timeout 2",
    "distance example:query-budget,people=6,questions=5 --epsilon 1/10 --timeout 2",
    "delta example:query-budget,people=6,questions=5 --epsilon 1/10 --timeout 2",
)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_took_minutes_or_gigabytes_ends_soon_in_little_memory(command: str) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "deltachain", *command.split()], capture_output=True, text=True, timeout=300, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 3), done.stderr
    assert done.stdout, "what is proved by then is printed"
    # Seconds of the processor: other work on the machine does not count.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10
    assert after.ru_maxrss < 1_500_000
