"""The driver: seeded, resumable, counting, and leaving each failure behind as a test. And a minute of all fuzzers."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.driver import MOST_FAILURES, FuzzClass, fuzz, load_state, registered

EXPECTED = {
    "programs as whole files",
    "intervals",
    "distances",
    "certificates mutated",
    "hostile names",
    "real noise",
    "signed beliefs",
}


def always_even(case: int) -> str:
    assert case % 2 == 0, f"{case} is odd"
    return "even"


class Plain:
    """A class of cases that has a name and runs, no more."""

    name = "plain"

    def __init__(self) -> None:
        self.seen: list[float] = []

    def run(self, random: Random) -> None:
        self.seen.append(random.random())


def test_counts_add_up_over_runs_and_seeds_go_on(tmp_path: Path) -> None:
    state, failures = tmp_path / "fuzz.json", tmp_path / "failures"
    first, second = Plain(), Plain()
    assert fuzz([first], 0.05, state, failures)["plain"].ended["passed"] == len(first.seen)
    fuzz([second], 0.05, state, failures)
    assert len({*first.seen, *second.seen}) == len(first.seen) + len(second.seen)
    total = load_state(state)["plain"]
    assert total.next_seed == total.ended["passed"] == len(first.seen) + len(second.seen)
    assert json.loads(state.read_text())["plain"]["next_seed"] == total.next_seed
    assert not failures.exists()
    state.unlink()
    again = Plain()
    fuzz([again], 0.05, state, failures)
    assert again.seen[:3] == first.seen[:3]


def test_a_failure_becomes_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = FuzzClass("odd numbers", lambda random: random.randrange(10), always_even)
    outcome = fuzz([odd, Plain()], 0.05, tmp_path / "fuzz.json", tmp_path / "failures")["odd numbers"]
    written = sorted((tmp_path / "failures").iterdir())
    assert 0 < outcome.failures == len(written) < sum(outcome.ended.values())
    monkeypatch.setattr("tests.fuzz.driver.registered", lambda: {"odd numbers": odd})
    module = runpy.run_path(str(written[0]))
    (test,) = (thing for name, thing in module.items() if name.startswith("test_"))
    with pytest.raises(AssertionError, match="is odd"):
        test()


def test_every_module_with_cases_takes_part() -> None:
    classes = registered()
    assert classes.keys() >= EXPECTED
    assert all(case.name == name for name, case in classes.items())


@pytest.mark.seeds(1, 2)
@pytest.mark.parametrize("name", sorted(registered()))
def test_the_first_cases_of_every_class_pass(name: str, seed: int) -> None:
    registered()[name].run(Random(f"{name} {seed}"))


def test_a_class_that_fails_again_and_again_is_set_aside(tmp_path: Path) -> None:
    odd = FuzzClass("odd numbers", lambda _: 1, always_even)
    outcome = fuzz([odd], 60, tmp_path / "fuzz.json", tmp_path / "failures")["odd numbers"]
    assert outcome.failures == MOST_FAILURES == len(list((tmp_path / "failures").iterdir()))


@pytest.mark.slow
def test_a_minute_of_all_fuzzers(tmp_path: Path) -> None:
    classes = list(registered().values())
    outcomes = fuzz(classes, 60, tmp_path / "fuzz.json", tmp_path / "failures")
    failed = {name: outcome.failures for name, outcome in outcomes.items() if outcome.failures}
    assert not failed, sorted((tmp_path / "failures").iterdir())[0].read_text()
    assert all(sum(outcome.ended.values()) for outcome in outcomes.values())
