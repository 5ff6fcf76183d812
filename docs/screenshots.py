"""Make the docs' pictures in a real browser: `python -m docs.screenshots`. Look at them before you commit them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import deltachain as dc
from bench.boxes import counted
from tests.browser.driver import HOW, chromium, launched
from tests.satellites.explore.serving import explorer

FIGURES = Path(__file__).parent / "figures"


def main() -> None:
    """Write every picture."""
    if chromium() is None:
        raise SystemExit(f"no browser: {HOW}")
    with launched() as browser:
        context = browser.new_context(viewport={"width": 900, "height": 760}, color_scheme="light")
        _bug(context.new_page())
        _report(context.new_page())
        _limits(context.new_page())
        wide = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
        _explorer(wide.new_page())


def _bug(page: Any) -> None:
    """The report of the README's bug: the verdict and the distinguishing output, without the sections between."""
    model = FIGURES.parents[1] / "examples" / "bugs" / "opendp_2922.py"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        dc.report(
            f"{model}:laplace_threshold",
            secrets=[{"count": 0}, {"count": 1}],
            epsilon=1,
            delta="0.004926",
            source="examples/bugs/opendp_2922.py:laplace_threshold",
            title="OpenDP 2922: a model of make_laplace_threshold",
        ).save(file)
        page.goto(file.as_uri())
        page.evaluate(
            "document.querySelectorAll('main > section:not(#verdict):not([aria-labelledby=outputs-head]), footer')"
            ".forEach(part => { part.hidden = true; })"
        )
        page.screenshot(path=FIGURES / "report.png", full_page=True)


def _report(page: Any) -> None:
    chain = dc.examples.survey()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        dc.report(chain, epsilon=1, delta="1/10", source="example:survey").save(file)
        page.goto(file.as_uri())
        page.locator("#next").click()
        page.locator("#stepper").scroll_into_view_if_needed()
        page.wait_for_timeout(400)  # the bars move
        page.locator("section[aria-labelledby=outputs-head]").screenshot(path=FIGURES / "report-outputs.png")
        page.locator("section[aria-labelledby=curve-title-head]").screenshot(path=FIGURES / "report-curve.png")


def _limits(page: Any) -> None:
    """The two bands of a model that is known from counts."""
    chain = counted(dc.examples.survey(5, "5/8"), 10_000)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        dc.report(chain, epsilon="1", epsilons=[f"{k}/10" for k in range(0, 31, 2)]).save(file)
        page.goto(file.as_uri())
        page.locator("section[aria-labelledby=curve-title-head]").screenshot(path=FIGURES / "report-limits.png")


def _explorer(page: Any) -> None:
    with explorer() as served:
        page.goto(served.address)
        page.locator("#example").select_option("dining-cryptographers")
        page.locator("#epsilon").fill("0.0001")
        page.locator("#delta").fill("0.001")
        page.locator("#run").click()
        page.wait_for_function(
            "() => document.getElementById('stop').disabled && document.getElementById('stale').hidden", timeout=60_000
        )
        page.frame_locator("#report").locator("#verdict").wait_for()
        page.screenshot(path=FIGURES / "explorer.png")


if __name__ == "__main__":
    main()
