"""The pytest plugin: ``--deltachain-report DIR`` keeps report and certificate of a failed assertion about privacy.

pytest loads it by its entry point, in every project of an environment that has deltachain. It therefore imports nothing
of ours: an assertion that failed brings its own way to be saved (`testing.NotProved`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator

import pytest

LONGEST = 80
"""Characters of a test's name that are kept in the names of its files."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("deltachain", "privacy")
    group.addoption(
        "--deltachain-report",
        metavar="DIR",
        help="write report and certificate of each failed assert_private and assert_violated into this folder",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write the files when such an assertion has failed its test, and say where they are."""
    report = yield
    folder = item.config.getoption("--deltachain-report")
    save = getattr(call.excinfo.value, "save_report", None) if call.excinfo is not None else None
    if folder is None or save is None or not report.failed:
        return report
    try:
        lines = save(item.config.invocation_params.dir / folder, file_name(item.nodeid))
    except Exception as reason:  # whatever goes wrong, the test's own failure is what counts
        lines = [f"could not be written: {reason}"]
    report.sections.append(("deltachain", "\n".join(lines)))
    return report


def file_name(test: str) -> str:
    """A name for the files of a test: readable, and of its own.

    >>> file_name("test_a::test_b[x]")
    'test_a-test_b-x-09ffe1dc'
    """
    plain = re.sub(r"[^\w.]+", "-", test).strip("-.")[-LONGEST:]
    return f"{plain}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
