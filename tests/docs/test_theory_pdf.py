"""The theory pages as one document: every page and statement once, and links that lead to places in it."""

from __future__ import annotations

import re

import pytest

from docs import theory_pdf
from tests.docs.test_theory_numbers import OWN_NUMBERS, pages, stated


@pytest.fixture(scope="module")
def document() -> str:
    return theory_pdf.document()


def test_every_page_is_there_once_and_in_order(document: str) -> None:
    assert re.findall(r'<section id="([^"]*)"', document) == [page.stem for page in pages()]
    assert document.count("<h1") == len(pages()) + 1, "and the title"


def test_statements_are_numbered_once_through(document: str) -> None:
    for name in OWN_NUMBERS:
        document = re.sub(rf'<section id="{name.removesuffix(".md")}".*?</section>', "", document, flags=re.DOTALL)
    found = re.findall(r'(?:admonition-title">|<strong>)(Theorem|Lemma|Proposition|Corollary) ([0-9]+)', document)
    assert [(kind, int(number)) for kind, number in found] == stated()


def test_links_lead_to_places_in_the_document(document: str) -> None:
    targets = re.findall(r'href="([^"]*)"', document)
    places = set(re.findall(r'\bid="([^"]*)"', document))
    assert len(targets) > 150
    assert {
        target for target in targets if not target.startswith("http") and target.removeprefix("#") not in places
    } == set()


def test_formulas_are_mathml(document: str) -> None:
    text = re.sub(r"<(pre|code|math|style)\b.*?</\1>", "", document, flags=re.DOTALL)
    assert document.count("<math ") > 2000
    assert "$" not in text
