"""The docs, opened from a disk: search works, the reports are there, and no page asks a network for anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.driver import Seen
from tests.docs.site import build_site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Path:
    """The built site; only where there is a browser to open it."""
    assert browser.is_connected()
    return build_site(tmp_path_factory.mktemp("site"))


def test_search_works_from_a_disk(page: Any, seen: Seen, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    page.locator("#own-search").fill("check a certificate")
    page.locator(".own-search a").first.wait_for()
    page.locator("#own-search").press("ArrowDown")
    assert page.locator(".own-search a").first.evaluate("link => link === document.activeElement")
    link = page.locator(".own-search a[href*='howto/checking-a-certificate.html']").first
    link.click()
    page.locator("h1", has_text="certificate").wait_for()
    assert "/howto/checking-a-certificate.html" in page.url
    page.locator("#own-search").fill("zzqxv")
    assert page.locator(".own-search li").inner_text() == "Nothing found"
    assert seen.complaints == []
    assert all(url.startswith(("file://", "data:", "blob:")) for url in seen.requests)


def test_every_page_fits_its_window_and_reads_from_the_disk_alone(page: Any, seen: Seen, site: Path) -> None:
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    assert len(pages) > 30
    wide = {}
    for path in pages:
        for width in (360, 390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(path.as_uri())
            needed = page.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                wide[str(path.relative_to(site))] = needed
    assert wide == {}
    assert seen.complaints == []
    assert all(url.startswith(("file://", "data:", "blob:")) for url in seen.requests)


def test_a_wide_table_can_be_read_on_a_phone(page: Any, seen: Seen, site: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((site / "reference" / "measurements.html").as_uri())
    found = page.locator("article table").first.evaluate("""table => {
        const scroller = table.closest(".md-typeset__scrollwrap");
        scroller.scrollLeft = scroller.scrollWidth;
        const row = [...table.rows[1].cells].map(cell => cell.getBoundingClientRect());
        const first = row[0], last = row[row.length - 1];
        const width = document.documentElement.scrollWidth;
        return {moved: scroller.scrollLeft, first: first.left, end: last.right, page: width};
    }""")
    assert found["moved"] > 0
    assert found["page"] <= 390
    assert 0 <= found["first"] < 40, "the first column names the row that is being read"
    assert found["end"] <= 392, "the last column comes into view"
    assert seen.complaints == []


def test_the_gallery_leads_to_five_reports(page: Any, seen: Seen, site: Path) -> None:
    page.goto((site / "howto" / "report.html").as_uri())
    links = page.locator("article a[href^='../gallery/']")
    addresses = [links.nth(i).evaluate("a => a.href") for i in range(links.count())]
    assert len(addresses) == 5
    for address in addresses:
        page.goto(address)
        assert page.locator("#verdict h2").inner_text()
    assert seen.complaints == []
