"""How many of many like cases a usual run takes; `make test-slow` takes the rest."""

from __future__ import annotations

import gc
import importlib.util
import json
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator

import pytest
from hypothesis import settings

from deltachain.cancel import Cancel
from deltachain.code import replay
from deltachain.code.confirmation import Effort
from deltachain.code.recording import Subject
from deltachain.code.server import Limits
from deltachain.code.wire import Json
from deltachain.code.workers import ForkedWorkers, ThisProcess
from tests import (
    amounts,  # noqa: F401 - it registers the profiles
    extras,
)

settings.load_profile("usual")

ONLY_KNOWN = replay._only_known


@pytest.fixture(scope="session", autouse=True)
def few_processes() -> Iterator[None]:
    """Few runs of ordinary code are confirmed, and the others believed, where a test does not ask for more.

    A fork of a process as large as this one takes twenty milliseconds.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replay, "EFFORT", Effort(processes=4, seconds=600.0))
        patched.setattr(replay, "_only_known", lambda *_: {})
        yield


@pytest.fixture
def whole_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of ordinary code are confirmed as those of users are, on a busy machine too."""
    monkeypatch.setattr(replay, "EFFORT", Effort(seconds=120.0))
    monkeypatch.setattr(replay, "_only_known", ONLY_KNOWN)


class OneProcess(ThisProcess):
    """What forked workers answer to the same tasks, by calls in this process; both cross as they cross a pipe."""

    how, clean = ForkedWorkers.how, ForkedWorkers.clean

    def __init__(self, subject: Subject, limits: Limits) -> None:
        super().__init__(subject, limits.seconds)

    def answers(self, tasks: Iterable[Json], cancel: Cancel) -> Iterator[tuple[Json, Json]]:
        """As of all workers."""
        for task in tasks:
            for _, answer in super().answers([json.loads(json.dumps(task))], cancel):
                yield task, json.loads(json.dumps(answer))


# Of this scope, and not of a function, though no test is in a class: it is set once for all examples of Hypothesis.
@pytest.fixture(scope="class")
def one_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """Code is run in this process, where the test asks what it does and not where; `make test-slow` forks, too."""
    with pytest.MonkeyPatch.context() as patched:
        if getattr(request, "param", True):
            patched.setattr(replay, "ForkedWorkers", OneProcess)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_storm() -> Iterator[None]:
    """Storm is loaded once, not for every model; the core alone has no Storm."""
    if importlib.util.find_spec("deltachain_storm") is None:
        yield
        return
    from tests.storm_server import served

    with served():
        yield


def pytest_configure(config: pytest.Config) -> None:
    """What is skipped without an extra, in the doctests of the sources too, where no hook of this file reaches."""
    config.pluginmanager.register(extras)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``@pytest.mark.seeds(fast, all)``: the test takes a ``seed``; those from ``fast`` on are slow.

    They are thousands: where slow ones are not asked for, they are not even made.
    """
    without_slow = "not slow" in metafunc.config.getoption("markexpr")
    if "one_process" in metafunc.fixturenames and not without_slow:
        ways = [pytest.param(True, id="one process"), pytest.param(False, id="forked", marks=pytest.mark.slow)]
        metafunc.parametrize("one_process", ways, indirect=True)
    marker = metafunc.definition.get_closest_marker("seeds")
    if marker is None:
        return
    fast, every = marker.args
    more = [pytest.param(seed, marks=pytest.mark.slow) for seed in (() if without_slow else range(fast, every))]
    metafunc.parametrize("seed", [*range(fast), *more])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """``@pytest.mark.sample(n)``: n cases of those of a test, always the same, are run; the others are slow.

    Cases that are slow by themselves (`tests.amounts.fewer_or_all`) are not among the n.
    """
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") is not None and item.get_closest_marker("slow") is None:
            cases[item.nodeid.partition("[")[0]].append(item)
    for like in cases.values():
        (number,) = like[0].get_closest_marker("sample").args  # type: ignore[union-attr]
        # By a hash of its name: a case that is added moves no other.
        for item in sorted(like, key=lambda item: zlib.crc32(item.nodeid.encode()))[number:]:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: the collector of garbage need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """From here on it looks at what is new alone."""
    gc.collect()
    gc.freeze()
