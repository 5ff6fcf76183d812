"""The explorer as its user meets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from tests.browser.driver import CONTRAST, Seen, watched
from tests.browser.test_report import HIT, hostile

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.unit.web.serving import Served, explorer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with explorer() as served:
        yield served


def computed(page: Any) -> str:
    """Ask, and wait for the headline of the answer."""
    page.locator("#run").click()
    page.locator("#run:enabled").wait_for(timeout=60_000)
    page.locator("#result-head").wait_for()
    return str(page.locator("#result-head").inner_text())


def test_an_example_is_chosen_and_computed(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    page.locator("#delta").fill("0.01")
    assert computed(page) == "✓ Private"
    page.locator("#epsilon").fill("0.1")
    assert computed(page) == "✗ Not private"
    report = page.frame_locator("#report")
    report.locator("#next").click()
    assert report.locator("#step-odds").inner_text() != "1 : 1"
    assert seen.complaints == []
    assert all(url.startswith(f"http://127.0.0.1:{server.port}/") for url in seen.requests)


def test_a_model_is_edited_and_its_errors_are_beside_the_line(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    page.locator("#edit").click()
    page.locator("#text").wait_for()
    text = page.locator("#text").input_value()
    assert json.loads(text)["format"] == "deltachain.chain/1"
    page.locator("#text").fill(text.rstrip()[:-1])
    page.locator("#run").click()
    page.locator("#errors li").first.wait_for()
    assert page.locator("#gutter b").count() == 1
    page.locator("#errors button").first.click()
    page.locator("#text").fill(text)
    assert computed(page) in ("δ measured", "✓ Private")
    assert page.locator("#errors li").count() == 0


def test_a_long_computation_is_stopped(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("random")
    page.locator("[data-key=n]").fill("52")
    page.locator("[data-key=seed]").fill("1")
    page.locator("#max_nodes").fill("10000000")
    page.locator("#run").click()
    page.wait_for_timeout(2500)
    assert page.locator("#status").inner_text()
    page.locator("#stop").click()
    page.locator("#run:enabled").wait_for(timeout=30_000)
    assert "stopped early" in page.locator("#result-head").inner_text() or page.locator("#errors li").count()


def test_what_was_computed_is_saved(page: Any, server: Served, tmp_path: Path) -> None:
    page.goto(server.address)
    computed(page)
    for link, name in (
        ("save-report", "report.html"),
        ("save-certificate", "certificate.json"),
        ("save-csv", "profile.csv"),
    ):
        with page.expect_download() as coming:
            page.locator(f"#{link}").click()
        assert coming.value.suggested_filename == name
        coming.value.save_as(tmp_path / name)
    assert dc.verify(dc.examples.survey(), json.loads((tmp_path / "certificate.json").read_text("utf-8")))


def test_a_hostile_model_runs_nothing(page: Any, seen: Seen, server: Served, tmp_path: Path) -> None:
    dc.save(hostile(), tmp_path / "hostile.json")
    page.goto(server.address)
    page.locator("input[value=model]").check()
    page.locator("#text").fill((tmp_path / "hostile.json").read_text("utf-8"))
    computed(page)
    page.locator("#pair").fill("<img/src=x/onerror=alert(1)> b")
    page.locator("#run").click()
    page.locator("#errors li").first.wait_for()
    assert "onerror" in page.locator("#errors").inner_text()
    assert page.locator("#errors img").count() == 0
    assert seen.complaints == []
    assert HIT not in page.title()


def test_two_tabs_ask_at_once_and_one_is_closed(browser: Any, server: Served) -> None:
    context = browser.new_context()
    first, second, third = (context.new_page() for _ in range(3))
    seen = [watched(tab) for tab in (first, second)]
    for tab, example in ((third, "crowds"), (first, "survey"), (second, "mix")):
        tab.goto(server.address)
        tab.locator("#example").select_option(example)
        tab.locator("#run").click()
    third.close()
    for tab in (first, second):
        tab.locator("#result-head").wait_for(timeout=60_000)
    assert [record.complaints for record in seen] == [[], []]
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read(page: Any, server: Served, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(server.address)
    page.locator("input[value=program]").check()
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
