"""What code does behind a recorder's back is refused, with its place: never a wrong chain."""

# ruff: noqa: ARG005 - code with a secret that it does not look at is code too

from __future__ import annotations

import asyncio
import contextvars
import itertools
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain import announce, discrete_laplace, flip, uniform
from deltachain.cancel import Cancel
from deltachain.code import CodeRefused, from_code, recorder, recording
from deltachain.draws.source import STRAY, in_force, seeded, using
from deltachain.testing import assert_private
from tests.amounts import fewer_or_all
from tests.words import refuses, says

pytestmark = pytest.mark.usefixtures("one_process")

HERE = re.escape(__file__)
SECRETS = [{"x": 0}, {"x": 1}]


def refused(code: Callable[..., Any], match: str, **options: Any) -> None:
    with pytest.raises(CodeRefused, match=match):
        from_code(code, SECRETS, **options)
    assert not STRAY  # nothing is left behind
    assert "system" in repr(in_force())


def test_another_law_on_replay_is_refused_with_both_and_the_place(calls: Callable[[], int]) -> None:
    def code(x: int) -> Any:
        return (flip("1/2"), flip("1/3") if calls() % 2 else uniform(0, 4))

    refused(code, rf"{HERE}:\d+: the code is not a function of its arguments and draws: draw \d was .*(flip|uniform)")


def test_another_line_on_replay_is_refused(calls: Callable[[], int]) -> None:
    def code(x: int) -> Any:
        if calls() % 2:
            return flip("1/3")
        return flip("1/3")

    refused(code, rf"draw 1 was flip\(1/3\), now flip\(1/3\) \({HERE}")


def test_other_letters_on_replay_are_refused(calls: Callable[[], int]) -> None:
    def code(x: int) -> Any:
        announce(f"call {calls()}")
        return flip("1/3")

    refused(code, "before draw 1, .*there was 'call 0', now 'call 1'")


def test_a_cache_makes_fewer_draws() -> None:
    @lru_cache
    def noise() -> bool:
        return flip("1/3")

    def code(x: int) -> Any:
        return noise(), flip("1/2")

    refused(code, "not a function")


def test_a_cached_helper_is_refused_with_what_to_call_instead() -> None:
    @lru_cache
    def twice(n: int) -> int:
        return 2 * n

    @lru_cache
    def summed(n: int) -> int:
        return n and n + summed(n - 1)

    def cleared(x: int) -> int:
        found = x + summed(3)
        summed.cache_clear()
        return found

    remedy = r"the cache of .*twice is another value.*call .*twice.__wrapped__, .*twice.cache_clear\(\) before"
    refused(lambda x: twice(x) + 1, remedy)
    assert "2" in from_code(lambda x: twice.__wrapped__(x) + 2, SECRETS).labels
    assert "6" in from_code(cleared, SECRETS).labels


def test_a_run_that_ends_before_its_prefix_is_refused(calls: Callable[[], int]) -> None:
    def code(x: int) -> Any:
        return None if calls() else flip("1/3")

    refused(code, rf"{HERE}:\d+: .*draw 1 was flip\(1/3\), now the run ends before it")


@pytest.mark.parametrize(
    "code",
    [
        lambda x: (time.perf_counter_ns(), flip("1/3")),
        lambda x: (flip("1/3"), time.perf_counter_ns()),
        lambda x: time.perf_counter_ns(),
        lambda x: (discrete_laplace(1) > x, time.perf_counter_ns()),
        lambda x: (int(discrete_laplace(1) > x) + os.getpid() * 0, os.urandom(8)),
        lambda x: random.SystemRandom().random(),
        lambda x: np.random.default_rng().integers(10**9),
        lambda x: random.Random().random() < 0.5,
        lambda x: id(object()) and object().__hash__() * 0 + random.Random().getrandbits(64),
    ],
)
def test_time_and_other_randomness_is_refused(code: Callable[..., Any]) -> None:
    refused(code, "not a function|takes random bytes of the system")


def test_a_counter_is_refused_by_name_and_one_in_a_file_by_what_it_shows(calls: Callable[[], int]) -> None:
    counter = itertools.count()
    refused(lambda x: (flip("1/3"), next(counter)), rf"{HERE}:\d+: .*not a function.*counter is another value")
    third = itertools.count()
    refused(lambda x: (flip("1/3"), next(third) == 3), rf"{HERE}:\d+: .*third is another value after the call")
    shows = rf"{HERE}:\d+: .*not a function.*it shows .*2.*, and showed .*after the draws flip\(1/3\): outcome "
    refused(lambda x: (flip("1/3"), calls() // 2), shows)


def test_time_after_the_last_draw_is_refused_with_its_place() -> None:
    refused(lambda x: (flip("1/3"), time.perf_counter_ns()), rf"{HERE}:\d+: .*it shows .*, and showed ")


def test_state_kept_from_one_secret_to_the_next_is_refused() -> None:
    seen: list[int] = []

    def code(x: int) -> Any:
        seen.append(x)
        return flip("1/3"), 1 in seen

    refused(code, "not a function")


def test_a_changed_argument_is_refused() -> None:
    secrets = [{"records": [1]}, {"records": [2]}]
    with refuses(CodeRefused, "changes its argument"):
        from_code(lambda records: records.append(1), secrets)
    with pytest.raises(CodeRefused, match="changes its argument"):
        from_code(lambda records: [records.append(1), flip("1/2")][1] if len(records) < 3 else None, secrets)


@pytest.mark.parametrize(
    ("code", "instead"),
    [
        (lambda x: random.random() * 0, "Random"),
        (lambda x: random.choice([1]), "Random"),
        (lambda x: np.random.rand() * 0, "numpy_generator"),
        (lambda x: np.random.default_rng and np.random.permutation([1, 1])[0], "numpy_generator"),
    ],
)
def test_global_generators_are_refused(code: Callable[..., Any], instead: str) -> None:
    refused(code, f"global generator.*{instead}")


def test_a_generator_in_the_arguments_is_a_changed_argument() -> None:
    secrets = [{"rng": np.random.default_rng(1)}, {"rng": random.Random(1)}]
    for secret in secrets:
        with pytest.raises(CodeRefused, match=r"changes its argument 'rng'|not a function"):
            from_code(lambda rng: rng.random() * 0, [secret])


def test_draws_in_threads_are_refused() -> None:
    def in_thread(x: int) -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(flip("1/3")))
        hook, threading.excepthook = threading.excepthook, lambda _: None
        try:
            thread.start()
            thread.join()
        finally:
            threading.excepthook = hook
        return found

    refused(in_thread, f"{HERE}.*another thread")

    def in_pool(x: int) -> Any:
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(flip, "1/3").result()
            except Exception:
                return "hidden"

    refused(in_pool, "another thread")
    refused(lambda x: asyncio.run(asyncio.to_thread(flip, "1/3")), "another thread")


def test_noise_that_is_looked_at_in_a_thread_is_refused() -> None:
    def code(x: int) -> Any:
        noise = discrete_laplace(1)
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(lambda: noise > 0).result()
            except BaseException:
                return "hidden"

    refused(code, "another thread|another run")


def test_draws_in_a_context_without_the_source_are_refused() -> None:
    refused(lambda x: contextvars.Context().run(flip, "1/3"), "a context of its own")
    chain = from_code(lambda x: contextvars.copy_context().run(flip, "1/3"), SECRETS)
    assert "returns True" in chain.labels


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_forks_are_refused() -> None:
    def code(x: int) -> Any:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of forks in a process with threads
            child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        return flip("1/3")

    refused(code, "forks")


def test_control_flow_that_is_swallowed_changes_nothing() -> None:
    def swallows(x: int) -> Any:
        noise = x + discrete_laplace(1)
        announce(noise)
        try:
            return noise > 3
        except BaseException:
            return "swallowed"

    def plain(x: int) -> Any:
        noise = x + discrete_laplace(1)
        announce(noise)
        return noise > 3

    assert from_code(swallows, SECRETS).labels == from_code(plain, SECRETS).labels

    def finally_returns(x: int) -> Any:
        calls.append(1)
        try:
            return flip("1/3") if len(calls) % 2 else uniform(0, 3)
        finally:
            return "always"  # noqa: B012, SIM107 - that is what is tried

    calls: list[int] = []
    refused(finally_returns, "not a function")


def test_code_that_catches_everything_and_tries_again_comes_to_an_end() -> None:
    def stubborn(x: int) -> Any:
        while True:
            try:
                if flip("1/2"):
                    return x
            except BaseException:
                x += 0

    chain = from_code(stubborn, SECRETS, tail="1e-3")
    assert "returns #1" in chain.labels


def test_a_source_of_its_own_and_a_recording_inside_are_refused() -> None:
    def own(x: int) -> Any:
        with using(seeded(1)):
            return flip("1/3")

    refused(own, "a source of its own.*seed 1")
    refused(lambda x: from_code(lambda: flip("1/3"), [{}]).labels, "a source of its own")


def test_noise_of_another_run_is_refused() -> None:
    def code(x: int) -> Any:
        # Where nobody looks for it.
        kept = vars(os).setdefault("kept by a test", [])
        kept.append(discrete_laplace(1))
        return kept[0] > 0

    refused(code, "another run than the one that drew it")
    with pytest.raises(CodeRefused, match="another run"):
        from_code(code, SECRETS, isolate=False)
    kept = vars(os).pop("kept by a test")
    with pytest.raises(CodeRefused, match="another run"):
        bool(kept[0] > 0)


def test_generators_that_outlive_the_run_are_refused() -> None:
    def lazy(x: int) -> Iterator[bool]:
        yield flip("1/3")

    refused(lazy, "generator cannot be shown as an output")
    assert from_code(lambda x: list(lazy(x)), SECRETS).labels.count("returns [True]") == 1
    kept: list[Iterator[bool]] = []

    def used_up(x: int) -> Any:
        if not kept:
            kept.append(flip("1/3") for _ in range(5))
        return next(kept[0], None), flip("1/2")

    refused(used_up, "not a function")


def test_what_has_no_letter_is_refused_with_the_fix() -> None:
    refused(lambda x: object(), "object cannot be shown as an output: give letter=")
    refused(lambda x: announce(object()), "object cannot be shown as an output: give letter=")
    chain = from_code(lambda x: object(), SECRETS, letter=lambda value: type(value).__name__)
    assert "returns 'object'" in chain.labels
    refused(lambda x: 1, "letter= raised ZeroDivisionError", letter=lambda value: 1 / 0)


def test_an_exception_is_raised_with_the_draws_that_led_to_it() -> None:
    def code(x: int) -> Any:
        return 1 // (uniform(0, 2) - x)

    with pytest.raises(ZeroDivisionError) as caught:
        from_code(code, SECRETS)
    assert re.search(rf"the draws that led here: uniform\(0, 2\) = 0 \({HERE}:\d+\)", caught.value.__notes__[0])


def test_an_exception_can_be_a_letter() -> None:
    chain = from_code(lambda x: 1 // (uniform(0, 2) - x), SECRETS, errors="announce")
    assert sum(label.startswith("raises ZeroDivisionError(") for label in chain.labels) == 1
    assert dc.check(chain, epsilon=0, delta="2/3").verdict == "private"
    chain = from_code(lambda x: [sys.exit(x)], SECRETS, errors="announce")
    assert "raises SystemExit(#1) code=#2" in chain.labels


def test_errors_of_noise_that_is_no_number_yet_are_not_the_codes() -> None:
    import json
    import pickle

    def pickled(x: int) -> Any:
        return pickle.loads(pickle.dumps(x + discrete_laplace("1/8")))  # noqa: S301 - made here

    def written(x: int) -> Any:
        try:
            return json.dumps(x + discrete_laplace("1/8"))
        except TypeError:
            return "never"

    for code in (pickled, written):
        chain = from_code(code, SECRETS)
        assert "returns 'never'" not in chain.labels
        assert dc.check(chain, epsilon=8, delta="1e-20").verdict == "private"


def test_too_many_runs_name_the_lines_that_multiply() -> None:
    def code(x: int) -> Any:
        first = [flip("1/2") for _ in range(20)]
        return first, uniform(0, 99)

    refused(code, rf"more than 500 runs.*flip\(1/2\) at {HERE}:\d+: 1,048,576 outcomes; uniform\(0, 99\)", max_runs=500)


@fewer_or_all("most", 2_000, 100_000)
def test_a_run_that_draws_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    if most == 2_000:  # otherwise the limit itself
        monkeypatch.setattr(recorder, "MOST_DRAWS", most)

    def code(x: int) -> Any:
        while flip(1):
            pass

    refused(code, f"draws more than {most:,} times")


def test_ask_has_no_meaning() -> None:
    with pytest.raises(dc.errors.InputError, match="ask"):
        from_code(lambda x: dc.ask("a", "b"), SECRETS)


@pytest.mark.parametrize(
    ("function", "secrets", "message"),
    [
        (lambda x: 1, [], "there are none"),
        (lambda x: 1, {"x": 1}, "not a list of dicts"),
        (lambda x: 1, [{"y": 1}], "secret 1: .*cannot be called: missing a required argument: 'x'"),
        (lambda x: 1, [{"x": iter([])}], "can be read only once"),
        (3, [{"x": 1}], "not callable"),
        (dc.program("def f(x): announce(x)"), [{"x": 1}], "it is a program"),
    ],
)
def test_what_does_not_fit_is_said(function: Any, secrets: Any, message: str) -> None:
    with pytest.raises(dc.errors.InputError, match=message):
        from_code(function, secrets)


def test_a_coroutine_and_wrong_settings_are_refused() -> None:
    async def code(x: int) -> bool:
        return flip("1/2")

    with pytest.raises(dc.errors.InputError, match="coroutine"):
        from_code(code, SECRETS)
    chain = from_code(lambda x: asyncio.run(code(x)), SECRETS)
    assert set(chain.labels) == {"start", "returns True", "returns False", "end"}
    with refuses(dc.errors.InputError, "max_runs"):
        from_code(lambda x: 1, SECRETS, max_runs=0, errors="x")  # type: ignore[arg-type]


def test_a_deadline_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "BETWEEN_SIGNS", 0.0)

    def report(text: str) -> None:
        if "calls" in text:
            cancel.interrupt()

    cancel = Cancel(report=report)
    with refuses(dc.errors.Stopped, "interrupted while running"):
        from_code(lambda x: [flip("1/2") for _ in range(12)], SECRETS, cancel=cancel)


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "BETWEEN_SIGNS", 0.0)
    told: list[str] = []
    from_code(lambda x: [flip("1/2") for _ in range(5)], SECRETS, report=told.append)
    assert any(says(text, "running the code") for text in told)


def test_runs_that_are_not_confirmed_count_as_unknown() -> None:
    def code(x: int) -> Any:
        return uniform(0, 9)

    assert dc.check(from_code(code, SECRETS), epsilon=0, delta=0).verdict == "private"
    chain = from_code(code, SECRETS, max_confirmed=4)
    assert dc.check(chain, epsilon=0, delta=0).verdict == "undecided"
    assert dc.check(chain, epsilon=0, delta="0.59").verdict == "undecided"
    shown = {label for label in chain.labels if label.isdigit()}
    assert shown == {"0", "1", "2", "3"}
    with refuses(AssertionError, "are not followed"):
        assert_private(chain, epsilon=0, delta=0)


def test_a_process_that_the_code_starts_refuses_to_draw() -> None:
    program = "import deltachain as dc\ntry: dc.flip('1/3')\nexcept dc.errors.InputError as e: print(e)"

    def code(x: int) -> Any:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        return done.stdout

    chain = from_code(code, SECRETS[:1], isolate=False)
    assert any(says(label, "is being recorded") for label in chain.labels)
    assert "DELTACHAIN_RECORDING" not in os.environ
