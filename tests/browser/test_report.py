"""The report as a reader meets it: a file, opened in a browser that has no network."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.numbers.fraction import ExpEpsilon
from tests.browser.driver import CONTRAST, Seen

pytestmark = pytest.mark.browser

HIT = "</script><script>window.hit=1;alert(1)</script><img src=x onerror='window.hit=1;alert(1)'>"


def hostile() -> dc.Chain:
    rows = {HIT: {"'\"h": "2/5", "<t>": "3/5"}, "&amp;": {"'\"h": "3/5", "<t>": "2/5"}}
    ends = {"'\"h": {"'\"h": 1}, "<t>": {"<t>": 1}}
    labels = {HIT: HIT, "&amp;": HIT, "'\"h": f"h{HIT}", "<t>": "javascript:alert(1)"}
    return dc.Chain.from_dicts(rows | ends, labels, relation=[(HIT, "&amp;")])  # type: ignore[arg-type]


def wide() -> dc.Chain:
    """Names that take room: capitals, wide letters, long ones."""
    rows = {"W" * 40: {"測" * 30: "2/5", "M" * 20: "3/5"}, "MWMW" * 9: {"測" * 30: "3/5", "M" * 20: "2/5"}}
    ends = {"測" * 30: {"測" * 30: 1}, "M" * 20: {"M" * 20: 1}}
    labels = {name: name[:1] * 25 for name in ends} | dict.fromkeys(rows, "@" * 22)
    return dc.Chain.from_dicts(rows | ends, labels, relation=[tuple(rows)])  # type: ignore[list-item]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports by name."""
    folder = tmp_path_factory.mktemp("reports")
    made = {
        "survey": dc.report(dc.examples.survey(), epsilon=1, delta="1/100", source="example:survey"),
        "sensor": dc.report(dc.examples.sticky_sensor(), epsilon="1/2", epsilons=[0, "1/2", 1], max_nodes=400),
        "wide": dc.report(wide(), epsilon="1/10"),
        "hostile": dc.report(hostile(), epsilon="1/10", delta="1/100", source=HIT, command=HIT, notes=[HIT]),
    }
    for name, report in made.items():
        report.save(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("name", ["survey", "sensor", "hostile"])
def test_it_opens_without_complaint_and_asks_for_nothing(
    page: Any, seen: Seen, files: dict[str, Path], name: str
) -> None:
    page.goto(files[name].as_uri())
    page.locator("#next").click()
    assert page.locator("#slider-delta").inner_text().strip()
    assert seen.complaints == []
    assert seen.requests == [files[name].as_uri()]


def test_the_slider_shows_the_bounds_of_its_epsilon(page: Any, files: dict[str, Path]) -> None:
    page.goto(files["survey"].as_uri())
    (losses,) = dc.profile(dc.examples.survey()).distributions or ()
    slider = page.locator("#slider")
    assert page.locator("#slider-epsilon").inner_text() == "1", "it begins where the question was asked"
    slider.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft", "PageUp"):
        page.keyboard.press(key)
        at = ExpEpsilon.read(epsilon=page.locator("#slider-epsilon").inner_text())
        text = page.locator("#slider-delta").inner_text()
        numbers = [Fraction(number) for number in re.findall(r"\d[\d./e+-]*", text)]
        assert numbers[0] <= losses.curve.delta(at.above) <= losses.curve.delta(at.below) <= numbers[-1], text
        assert text in slider.get_attribute("aria-valuetext")
    page.keyboard.press("Home")
    assert page.locator("#slider-delta").inner_text() == "δ = 1/2 = 0.5"
    page.locator(".slider summary").click()
    assert "δ = 3/4 − 1/4·e^ε" in page.locator("#slider-exact").inner_text()


def test_an_output_sequence_is_walked_through_step_by_step(page: Any, files: dict[str, Path]) -> None:
    page.goto(files["survey"].as_uri())
    chain = dc.examples.survey()
    witness = dc.delta(chain, epsilon=1).witness
    assert witness is not None
    word = witness.words[0]
    assert page.locator("#back").is_disabled()
    for _ in word.word[1:]:
        page.locator("#next").focus()
        page.keyboard.press("Enter")
    assert page.locator("#next").is_disabled()
    assert page.locator("#letters").inner_text().strip().split(" → ") == list(word.word)
    assert Fraction(page.locator("#step-first").inner_text()) == word.probability
    assert Fraction(page.locator("#step-second").inner_text()) == word.other
    assert page.locator("#step-odds").inner_text() == "3 : 1"
    widths = page.eval_on_selector_all("#chain .bar-s", "bars => bars.map(bar => Number(bar.getAttribute('width')))")
    assert sum(widths) == pytest.approx(138), "the belief is on the drawn states"
    assert page.locator("#beliefs .here .name").text_content() == word.word[-1]
    page.locator("#back").click()
    assert page.locator("#step-odds").inner_text() == "1 : 1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["survey", "sensor"])
def test_text_can_be_read_in_both_colour_schemes(page: Any, files: dict[str, Path], name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(files[name].as_uri())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert page.evaluate(CONTRAST) == []


def test_a_phone_shows_it_without_scrolling_sideways(page: Any, files: dict[str, Path]) -> None:
    for name in files:
        page.set_viewport_size({"width": 360, "height": 740})
        page.goto(files[name].as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name


OVERLAPS = """() => {
  const found = [];
  for (const graph of document.querySelectorAll("svg.graph")) {
    const texts = [...graph.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const around = graph.getBoundingClientRect();
    texts.forEach((text, i) => {
      const a = boxes[i];
      if (a.height < 8) found.push(`too small: ${text.textContent}`);
      if (a.left < around.left || a.right > around.right || a.top < around.top || a.bottom > around.bottom) {
        found.push(`outside: ${text.textContent}`);
      }
      const frame = text.closest(".box")?.querySelector(".frame-box").getBoundingClientRect();
      if (frame && (a.left < frame.left || a.right > frame.right || a.bottom > frame.bottom)) {
        found.push(`out of its box: ${text.textContent}`);
      }
      for (let j = i + 1; j < boxes.length; j += 1) {
        const b = boxes[j];
        const over = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && over > 0.5) {
          found.push(`${text.textContent} / ${texts[j].textContent}`);
        }
      }
    });
  }
  return [document.querySelectorAll("svg.graph .box").length, found];
}"""
"""How many boxes there are, and what overlaps, leaves its place, or is too small to read."""


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of every example."""
    folder = tmp_path_factory.mktemp("zoo")
    for name in dc.examples.names():
        model = f"example:{name}"
        page = dc.report(model, epsilon=1, epsilons=[0, 1, 2], max_nodes=300, source=model)
        page.save(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in dc.examples.names()}


@pytest.mark.parametrize("width", [390, 1280])
def test_no_two_labels_of_a_picture_overlap_in_the_whole_zoo(page: Any, zoo: dict[str, Path], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    drawn = 0
    for name, path in zoo.items():
        page.goto(path.as_uri())
        boxes, found = page.evaluate(OVERLAPS)
        drawn += boxes > 0
        assert found == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert drawn >= 15


CHARTS = """() => {
  const found = [];
  let count = 0;
  for (const chart of document.querySelectorAll("svg.chart")) {
    const boxes = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [i, [name, a]] of boxes.entries()) {
      if (!a.width) continue;
      count += 1;
      if (Math.min(a.width, a.height) < 9 && name.length > 1) found.push(`too small: ${name}`);
      if (a.left < 0 || a.right > document.documentElement.clientWidth) found.push(`outside: ${name}`);
      for (const [other, b] of boxes.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        if (wide > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2) found.push(`${name} / ${other}`);
      }
    }
  }
  return [count, found];
}"""
"""How many texts the charts have, and which overlap, leave the page, or are too small to read."""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_axes_of_every_chart_can_be_read(page: Any, zoo: dict[str, Path], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for name, path in zoo.items():
        page.goto(path.as_uri())
        for _ in ("linear", "logarithmic"):
            texts, found = page.evaluate(CHARTS)
            assert texts >= 10, name
            assert found == [], name
            page.locator("#axis").click()


def test_labels_of_unusual_letters_stay_in_their_boxes(page: Any, files: dict[str, Path]) -> None:
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for name in ("hostile", "wide"):
            page.goto(files[name].as_uri())
            assert page.evaluate(OVERLAPS)[1] == []


def test_fractions_are_shown_on_demand(page: Any, files: dict[str, Path]) -> None:
    page.goto(files["survey"].as_uri())
    assert "3/4" not in page.locator("#words").inner_text()
    page.locator("#fractions").click()
    assert "3/4" in page.locator("#words").inner_text()
    assert page.locator("#fractions").get_attribute("aria-pressed") == "true"
    page.locator("#beliefs-0").focus()
    assert "1/4 from" in page.locator(".detail[data-of=beliefs]").inner_text()
    page.locator("#chain-0").click()
    assert "goes to" in page.locator(".detail[data-of=chain]").inner_text()


AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, zoo: dict[str, Path], files: dict[str, Path], scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    for path in (files["survey"], files["sensor"], zoo["probe"], zoo["dining-cryptographers"]):
        page.goto(path.as_uri())
        page.evaluate(AXE)
        found = page.evaluate("axe.run()")["violations"]
        assert [f"{rule['id']}: {node['html'][:120]}" for rule in found for node in rule["nodes"]] == [], path.name


PAPER = {"A4": (210, 297), "Letter": (216, 279)}
"""Width and height in millimetres."""


@pytest.mark.parametrize("paper", PAPER)
def test_no_table_is_cut_on_paper(page: Any, zoo: dict[str, Path], paper: str) -> None:
    page.emulate_media(media="print")
    inside = int((PAPER[paper][0] - 30) / 25.4 * 96)  # the margins of the style sheet are 15 mm
    page.set_viewport_size({"width": inside, "height": 900})
    for name, path in zoo.items():
        page.goto(path.as_uri())
        wide = page.evaluate(
            "[...document.querySelectorAll('table, pre, svg')].filter(e => e.getClientRects().length"
            " && e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5).map(e => e.outerHTML)"
        )
        assert wide == [], name
    assert page.pdf(format=paper).startswith(b"%PDF")


def test_a_phone_shows_tables_as_cards_with_the_verdict_first(page: Any, files: dict[str, Path]) -> None:
    page.set_viewport_size({"width": 390, "height": 740})
    page.goto(files["survey"].as_uri())
    assert page.locator("table.cards td[data-head=verdict]").inner_text() == "violated"
    cells = page.locator("table.cards").first.locator("tbody td")
    tops = [cells.nth(i).bounding_box()["y"] for i in range(cells.count())]
    assert tops == sorted(set(tops)), "one below the other"


def test_print_leaves_the_controls_out(page: Any, files: dict[str, Path]) -> None:
    page.goto(files["survey"].as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("#slider").is_visible()
    assert not page.locator("#stepper").is_visible()
    assert page.locator("#words").is_visible()
    assert page.evaluate(CONTRAST) == []
    assert page.pdf().startswith(b"%PDF")


def test_print_opens_what_is_folded(page: Any, zoo: dict[str, Path]) -> None:
    page.goto(zoo["probe"].as_uri())
    table = page.locator("#strategy-steps")
    seen = "table => table.checkVisibility({ contentVisibilityAuto: true })"
    assert not table.evaluate(seen)
    page.emulate_media(media="print")
    assert table.evaluate(seen)
    assert table.bounding_box()["height"] > 20


def test_hostile_names_are_shown_and_run_nothing(page: Any, seen: Seen, files: dict[str, Path]) -> None:
    page.goto(files["hostile"].as_uri())
    for _ in range(3):
        if page.locator("#next").is_enabled():
            page.locator("#next").click()
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert page.title() == f"Privacy report: {HIT}"
    assert seen.complaints == []


def test_the_certificate_is_saved_and_accepted(page: Any, files: dict[str, Path], tmp_path: Path) -> None:
    page.goto(files["survey"].as_uri())
    with page.expect_download() as coming:
        page.locator("#certificate").click()
    assert coming.value.suggested_filename == "certificate.json"
    coming.value.save_as(tmp_path / "certificate.json")
    assert dc.verify(dc.examples.survey(), json.loads((tmp_path / "certificate.json").read_text("utf-8")))


def test_every_control_is_reached_by_the_keyboard_and_has_a_name(page: Any, files: dict[str, Path]) -> None:
    page.goto(files["survey"].as_uri())
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"slider", "word", "next", "certificate"} <= reached
    names = "[...document.querySelectorAll('svg[role=img]')].map(s => s.querySelector('title').textContent.length)"
    assert min(page.evaluate(names)) > 3
    assert page.locator("#slider").evaluate("s => s.labels.length") == 1


def test_without_scripts_the_tables_are_there(browser: Any, files: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["survey"].as_uri())
    assert page.locator("#words").is_visible()
    assert not page.locator("#slider").is_visible()
    context.close()
