"""Tests that need an extra which is not installed are skipped, and say which one it is.

Whatever a test asks for, by an import of its own, through deltachain or from a command: it is the same absence that
ends it. With `EVERY_EXTRA` set in the environment, as where CI runs, to be skipped for that is to fail.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Generator
from typing import NoReturn

import pytest

from deltachain.errors import BackendMissing, InputError

EXTRAS = {
    "cvc5": "smt",
    "deltachain_explore": "web",
    "deltachain_smt": "smt",
    "deltachain_storm": "storm",
    "dask": "cluster",
    "distributed": "cluster",
    "dp_accounting": "accounting",
    "h11": "web",
    "jsonschema": "dev",
    "matplotlib": "plot",
    "mkdocs": "docs",
    "networkx": "networkx",
    "pandas": "dev",
    "pysat": "sat",
    "referencing": "dev",
    "scipy": "scipy",
    "starlette": "web",
    "stormpy": "storm",
    "umbi": "umb",
    "uvicorn": "web",
    "yaml": "docs",
    "z3": "smt",
}
"""A package that the core does without, a satellite of ours among them → the extra that it is for."""

MISSING = 6
"""The exit code of a command that needs an extra."""
SAID = re.compile(r"not installed: pip install 'deltachain\[(\w+)\]'")
REASONS = re.compile(r"needs the extra \w+|could not import '(\w+)")
"""What a skip says, ours and that of `pytest.importorskip`."""


OF_SATELLITES = {
    "/threshold": "smt",
    "_threshold": "smt",
    "[threshold": "smt",
    "[explore": "web",
    "tests/docs/": "smt web storm",
}
"""What is in the name of a test that needs a satellite → for which extras that is: the docs are about all of them."""


def satellite_missing(test: str) -> str | None:
    """The extra of a satellite that the test needs and that is not here, as in the core alone."""
    needed = [extra for part, extras in OF_SATELLITES.items() if part in test for extra in extras.split()]
    ours = {brought: name for name, brought in EXTRAS.items() if name.startswith("deltachain_")}
    return next((extra for extra in needed if importlib.util.find_spec(ours[extra]) is None), None)


MET = re.compile(
    r"unknown (?:suffix|format) '\.?(?P<storm>prism|pm|nm|sm|jani|umb)'"
    r"|invalid choice: '(?:(?P<smt>threshold)|(?P<web>explore))'"
    r"|no attribute '(?P<name>[Tt]hreshold)'"
)
"""What the core alone says to whoever asks for what a satellite brings; its extra is the name of the group."""


def satellite_asked_for(said: str) -> str | None:
    """The extra of the satellite that is not here and that something, by what was said of it, has asked for."""
    found = MET.search(said)
    extra = None if found is None else {"name": "smt"}.get(found.lastgroup or "", found.lastgroup)
    return extra if extra is not None and is_absent(extra) else None


def is_absent(extra: str) -> bool:
    """Whether a package of the extra is not installed."""
    return any(importlib.util.find_spec(name) is None for name, brought in EXTRAS.items() if brought == extra)


def skip_without(extra: str) -> NoReturn:
    """Skip the test, at its own place."""
    raise pytest.skip.Exception(f"needs the extra {extra}", _use_item_location=True)


def extra_needed(error: BaseException | None) -> str | None:
    """The extra whose absence the error is, or comes from; None for any other error."""
    while error is not None:
        if (
            isinstance(error, InputError | AttributeError)
            and (satellite := satellite_asked_for(str(error))) is not None
        ):
            return satellite
        if isinstance(error, BackendMissing):
            return error.extra if error.extra is not None and is_absent(error.extra) else None
        if isinstance(error, ModuleNotFoundError):
            extra = EXTRAS.get((error.name or "").partition(".")[0])
            return extra if extra is not None and is_absent(extra) else None
        error = error.__cause__ or error.__context__
    return None


def skip_if_a_command_needs_more(code: int, said: str) -> None:
    """Skip the test where its command, by its exit code and what it said, needed an extra that is not installed."""
    satellite = satellite_asked_for(said) if code == 2 else None
    if satellite is not None:
        skip_without(satellite)
    found = SAID.search(said) if code == MISSING else None
    if found is not None and is_absent(found[1]):
        skip_without(found[1])


def is_skipped_for_an_extra(report: pytest.TestReport | pytest.CollectReport) -> bool:
    """Whether the report is of a test that was skipped because an extra is absent."""
    if report.outcome != "skipped" or not isinstance(report.longrepr, tuple):
        return False
    found = REASONS.search(report.longrepr[2])
    return found is not None and (found[1] is None or found[1] in EXTRAS)


def fail_if_every_extra_is_promised(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where `EVERY_EXTRA` is set, a skip for an absent extra becomes a failure."""
    if os.environ.get("EVERY_EXTRA") and is_skipped_for_an_extra(report):
        report.longrepr = f"{report.longrepr[2]}, and EVERY_EXTRA is set"  # type: ignore[index]
        report.outcome = "failed"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of what a satellite brings are skipped where it is not."""
    for item in items:
        extra = satellite_missing(item.nodeid)
        if extra is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs the extra {extra}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    """Fixtures that need an extra skip their tests without it."""
    return (yield from _skipping())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """So do tests."""
    return (yield from _skipping())


def _skipping() -> Generator[None, object, object]:
    try:
        return (yield)
    except Exception as error:
        extra = extra_needed(error)
        if extra is None:
            raise
    skip_without(extra)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where every extra is promised, none may be absent."""
    report = yield
    fail_if_every_extra_is_promised(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Modules that cannot be imported without an extra are skipped; see above where every one is promised."""
    report = yield
    call = getattr(report, "call", None)
    extra = extra_needed(call.excinfo.value) if report.failed and call is not None and call.excinfo else None
    if extra is not None:
        report.outcome, report.longrepr = "skipped", (str(collector.path), 1, f"Skipped: needs the extra {extra}")
        del report.call  # type: ignore[attr-defined] # nothing to look at
    fail_if_every_extra_is_promised(report)
    return report
