"""The site builds without a warning, needs no network to be read, and its search leads to places that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.docs.site import build_site

LOADED = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["']?(https?:)?//""")


pytestmark = pytest.mark.slow  # the whole site is built


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    return build_site(tmp_path_factory.mktemp("site"))


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    built = sorted(site.rglob("*.html"))
    assert len(built) >= len(list((ROOT / "docs").rglob("*.md")))
    loading = {
        page.name: [found.group(0) for found in LOADED.finditer(page.read_text("utf-8")) if "canonical" not in found[0]]
        for page in built
    }
    assert not {name: found for name, found in loading.items() if found}


def test_every_entry_of_the_search_index_leads_to_a_heading(site: Path) -> None:
    text = (site / "assets" / "search-index.js").read_text("utf-8")
    sections = json.loads(text.removeprefix("window.searchSections = ").removesuffix(";\n"))
    assert len(sections) > 200
    for section in sections:
        page, _, anchor = section["place"].partition("#")
        assert f'id="{anchor}"' in (site / page).read_text("utf-8"), section
    assert {"Chain", "delta", "One step is a small flow problem"} <= {section["title"] for section in sections}


def test_formulas_are_mathml_where_they_stand(site: Path) -> None:
    page = (site / "theory" / "beliefs.html").read_text("utf-8")
    formulas = re.findall(r'<p><span class="formula">(<math .*?</math>)+</span></p>', page)
    assert len(formulas) == 2, "one in an admonition, one in the text"
    assert page.count("<span><math ") > 50, "and those in the text"
    assert not re.search(r"<p><span><math [^>]*>(?:(?!</math>).)*</math></span></p>\n<p>[.,a-z]", page), "in their line"
    assert "$" not in re.sub(r"<(pre|code|script).*?</\1>", "", page, flags=re.DOTALL)


def test_the_gallery_is_there(site: Path) -> None:
    assert len(list((site / "gallery").glob("*.html"))) == 5
