"""How long the checkers are is said where people decide whether to read them: and it is so."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

FOLDERS = {"packages/checker/deltachain_checker": "5,800", "packages/checker-v1/deltachain_checker_v1": "4,600"}
EXTENSIONS = ("distances", "integers", "limits", "measures", "outcomes", "parts", "recipes", "splits", "sums")
PAGES = {
    "README.md": {"5,800"},
    "docs/certificate.md": {"5,800"},
    "docs/reference/certificate-1.md": {"4,600"},
    "docs/howto/checking-a-certificate.md": {"5,800"},
    "docs/trusted-base.md": {"5,800", "3,000", "4,600"},
}
"""What each page says of how many lines there are."""


def lengths(folder: str) -> dict[str, int]:
    """The lines of each module."""
    return {path.stem: len(path.read_text("utf-8").splitlines()) for path in (ROOT / folder).glob("*.py")}


def said(count: int) -> str:
    """To the nearest hundred."""
    return f"{round(count, -2):,}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_length_of_a_checker_is_what_is_said(folder: str) -> None:
    assert said(sum(lengths(folder).values())) == FOLDERS[folder]


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_the_length_that_is_true(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert {*re.findall(r"\b\d,\d00(?= lines|,? for format 1| of them)", text)} == PAGES[page]


def test_the_core_and_its_extensions_are_as_long_as_is_said() -> None:
    known = lengths("packages/checker/deltachain_checker")
    extensions = {name: known.pop(name) for name in EXTENSIONS}
    text = (ROOT / "docs" / "trusted-base.md").read_text("utf-8")
    assert said(sum(known.values())) == "3,000"
    for name, length in extensions.items():
        assert f"`{name}.py`, {length} lines" in text
