"""The statements of the theory pages are numbered once through, in the order of the pages; references name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import ROOT

KIND = "(Theorem|Lemma|Proposition|Corollary)"
STATED = re.compile(rf'^(?:!!! note "|\*\*){KIND} ([0-9]+)\b', re.MULTILINE)
NAMED = re.compile(rf"{KIND}s? \[?([0-9]+)(?: (?:to|and) ([0-9]+))?")
"""A reference, also where only the number is a link."""
OWN_NUMBERS = {"all-integers.md"}
"""Pages whose lemmas have numbers of their own: the checker's module states them again, by these."""
OF_THE_PAPER = re.compile(r"CMP1[89][^\]]*$|of the paper$")


def pages() -> list[Path]:
    """The theory pages in the order of the site."""
    listed = re.findall(r"- (theory/[a-z-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    return [ROOT / "docs" / name for name in listed]


def stated() -> list[tuple[str, int]]:
    """The statements: what each is called, and its number."""
    counted = [page for page in pages() if page.name not in OWN_NUMBERS]
    return [(kind, int(number)) for page in counted for kind, number in STATED.findall(page.read_text("utf-8"))]


def test_all_pages_are_listed() -> None:
    assert {page.name for page in pages()} == {page.name for page in (ROOT / "docs/theory").glob("*.md")}


def test_numbers_rise_by_one() -> None:
    assert [number for _, number in stated()] == [*range(1, len(stated()) + 1)]
    assert len(stated()) >= 50


def references() -> Iterator[tuple[str, str, int]]:
    """Where a statement of these pages is named: the file, what it is called, and its number."""
    files = [*(ROOT / "docs").glob("**/*.md"), *(ROOT / "src").rglob("*.py"), *(ROOT / "packages").rglob("*.py")]
    for path in files:
        # Half of the names of the first are the paper's.
        if path.name in {"from-the-paper.md", *OWN_NUMBERS} or "integers" in path.parts or path.stem == "integers":
            continue
        text = path.read_text("utf-8")
        for found in NAMED.finditer(text):
            before, after = text[max(0, found.start() - 60) : found.start()], text[found.end() : found.end() + 20]
            if OF_THE_PAPER.search(before) or after.startswith((" of the paper", " the paper")):
                continue
            yield path.name, found[1], int(found[2])


def test_references_name_statements() -> None:
    known, plural = set(stated()), {number for _, number in stated()}
    wrong = [ref for ref in references() if ref[1:] not in known and ref[2] not in plural]
    assert not wrong
    mistaken = [ref for ref in references() if ref[1:] not in known and ref[1] != "Theorem"]
    assert not mistaken
