"""Fixtures for tests in a browser; they are skipped, with the reason, where there is none."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.driver import HOW, Seen, chromium, launched, watched


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    if importlib.util.find_spec("playwright") is None or chromium() is None:
        pytest.skip(f"no browser to drive: {HOW}")
    with launched() as running:
        yield running


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page in a profile of its own."""
    context = browser.new_context(accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def seen(page: Any) -> Seen:
    """What the page says, asks for and runs."""
    return watched(page)
