"""The driver of the fuzzers: classes of cases, run in turn, seeded and resumable, each failure kept as a test.

A class generates a case from a seeded source of randomness and checks it. Case number n of a class depends on the
class's name and n alone. The state file holds, for each class, the next number and how the cases ended so far, over
all runs.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import signal
import textwrap
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Protocol

import tests.fuzz

__all__ = ["FuzzClass", "Fuzzed", "Outcome", "fuzz", "registered"]

CASE_SECONDS = 120
"""A case that takes longer has failed."""

SAVE_SECONDS = 5.0

MOST_FAILURES = 20
"""A class that failed so often in one run is set aside: one bug need not fill the disk."""


class Fuzzed(Protocol):
    """What ``CASES`` holds: a name, and one case from a seeded source of randomness, which raises if it shows a bug."""

    @property
    def name(self) -> str:
        """The class's name, different from all others."""
        ...

    def run(self, random: Random) -> str | None:
        """Check one case; how it ended, in a word."""
        ...


@dataclass(frozen=True, slots=True)
class FuzzClass:
    """A kind of cases that are kept as text when they fail.

    ``generate`` makes a case whose ``repr`` is its Python source (text, numbers, fractions, tuples, lists, dicts).
    ``check`` raises if the case shows a bug, and else says in a word how it ended, so that vacuous runs are seen.
    """

    name: str
    generate: Callable[[Random], Any]
    check: Callable[[Any], str]

    def run(self, random: Random) -> str:
        """Generate and check one case."""
        return self.check(self.generate(random))


@dataclass(slots=True)
class Outcome:
    """How the cases of one class ended, over all runs."""

    next_seed: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def failures(self) -> int:
        """How many cases showed a bug."""
        return self.ended["FAILED"]


def registered() -> dict[str, Fuzzed]:
    """Every class of the modules of this package, by name."""
    found: dict[str, Fuzzed] = {}
    for module in pkgutil.iter_modules(tests.fuzz.__path__):
        if not module.name.startswith(("_", "test_")):
            for case in getattr(importlib.import_module(f"tests.fuzz.{module.name}"), "CASES", []):
                if case.name in found:
                    raise ValueError(f"two fuzz classes are called {case.name}")
                found[case.name] = case
    return found


def load_state(path: Path) -> dict[str, Outcome]:
    """The state of earlier runs; empty if there is none."""
    if not path.exists():
        return {}
    saved = json.loads(path.read_text())
    return {n: Outcome(s["next_seed"], Counter(s["ended"]), s["seconds"]) for n, s in saved.items()}


def save_state(path: Path, state: dict[str, Outcome]) -> None:
    """Write the state, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = {
        n: {"next_seed": s.next_seed, "ended": dict(sorted(s.ended.items())), "seconds": round(s.seconds, 1)}
        for n, s in sorted(state.items())
    }
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(rows, indent=1) + "\n")
    draft.replace(path)


def fuzz(classes: Sequence[Fuzzed], seconds: float, state_file: Path, failures: Path) -> dict[str, Outcome]:
    """Run the classes in turn, each for the same time, and return the counts of this run alone.

    A class with `MOST_FAILURES` failures takes no further part; the run ends early when none is left.
    """
    state = load_state(state_file)
    now: dict[str, Outcome] = {case.name: Outcome() for case in classes}
    end = time.monotonic() + seconds
    saved = time.monotonic()
    try:
        while time.monotonic() < end:
            sound = [case for case in classes if now[case.name].failures < MOST_FAILURES]
            if not sound:
                break
            case = min(sound, key=lambda c: now[c.name].seconds)
            total, mine = state.setdefault(case.name, Outcome()), now[case.name]
            started = time.monotonic()
            ended = _one(case, total.next_seed, failures)
            took = time.monotonic() - started
            total.next_seed += 1
            for outcome in (total, mine):
                outcome.ended[ended] += 1
                outcome.seconds += took
            if time.monotonic() - saved > SAVE_SECONDS:
                save_state(state_file, state)
                saved = time.monotonic()
    finally:
        save_state(state_file, state)
    return now


def _one(case: Fuzzed, seed: int, failures: Path) -> str:
    made: Any = None
    random = Random(f"{case.name} {seed}")
    try:
        with _time_limit(CASE_SECONDS):
            if isinstance(case, FuzzClass):
                made = case.generate(random)
                return case.check(made)
            return case.run(random) or "passed"
    except Exception:
        failures.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() else "_" for c in case.name)
        (failures / f"test_{name}_{seed}.py").write_text(_as_test(case, name, seed, made, traceback.format_exc()))
        return "FAILED"


def _as_test(case: Fuzzed, name: str, seed: int, made: Any, trace: str) -> str:
    """A test file that fails as the case did."""
    comment = textwrap.indent("\n".join(line.rstrip() for line in trace.splitlines()), "# ", lambda _: True)
    if made is None:
        imports, value = "from random import Random", f"Random({f'{case.name} {seed}'!r})"
        call = f"registered()[{case.name!r}].run(CASE)"
    else:
        imports, value = "from fractions import Fraction  # noqa: F401  (cases may hold fractions)", repr(made)
        call = f"registered()[{case.name!r}].check(CASE)"
    return (
        f'"""A case of the fuzz class {case.name!r} (number {seed}) that showed a bug."""\n\n{imports}\n\n'
        f"from tests.fuzz.driver import registered\n\nCASE = {value}\n\n\n"
        f"def test_{name}_{seed}() -> None:\n    {call}\n\n\n{comment}\n"
    )


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
