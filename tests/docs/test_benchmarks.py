"""The pages with measured numbers show the results that bench/results has: tables and figures."""

from __future__ import annotations

import re

import pytest

from bench import page
from bench.__main__ import main as bench
from bench.commands import QUESTIONS, REACH
from bench.measure import RESULTS, ROOT, Row, read_rows, table
from bench.plots import exponent
from bench.smt import read_measured
from bench.tables import TITLES
from tests.words import refuses, says

TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in page.PAGES}
MADE = {"exponents", "profile", "reach", "smt", "local-reports", "prism-suite"}
"""Tables that are not simply the rows of one file, or that have a command of their own."""


@pytest.mark.parametrize("name", TEXTS)
def test_the_tables_are_those_of_the_results(name: str) -> None:
    assert page.PLACE.search(TEXTS[name])
    assert page.filled(TEXTS[name]) == TEXTS[name], "run `python -m bench.page`"


def test_every_table_is_on_one_page() -> None:
    shown = [found for text in TEXTS.values() for _, found, _ in page.PLACE.findall(text)]
    assert sorted(shown) == sorted({*TITLES, *MADE})
    assert {path for path in ROOT.glob("docs/**/*.md") if "<!-- table:" in path.read_text("utf-8")} <= set(page.PAGES)


@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_result_would_be_noticed(name: str) -> None:
    place = page.PLACE.search(TEXTS[name])
    assert place is not None
    first_row = place.group().splitlines()[3]
    changed = TEXTS[name].replace(first_row, "| something |", 1)
    assert changed != TEXTS[name]
    assert page.filled(changed) != changed


def test_the_short_page_is_short_and_shows_both_sides() -> None:
    rows = [page.measured_row("commands", question.line) for question in QUESTIONS]
    ratios = [row.ratio for row in rows]
    assert min(ratio for ratio in ratios if ratio) < 1 < max(ratio for ratio in ratios if ratio)
    assert len(TEXTS["docs/benchmarks.md"].splitlines()) < 90


def test_what_is_quoted_is_a_checked_command_beside_the_same_without() -> None:
    """The check costs something, so a time that leaves it out would be the shorter one."""
    rows = [page.measured_row("commands", question.line) for question in QUESTIONS]
    for row in rows:
        assert row.case.startswith("deltachain ")
        assert "--no-check" not in row.case
        assert re.search(r", (checked|checked by `verify`|no certificate: .+)$", row.answer), row.case
    checked = [row for row in rows if "checked" in row.answer]
    assert sum(row.seconds for row in checked) > sum(row.facts["unchecked"] for row in checked)
    readme = TEXTS["README.md"]
    assert all(f"| {question.reach} |" in readme for question in REACH)


def test_a_row_that_was_renamed_is_not_lost_silently() -> None:
    with refuses(LookupError, "no case 'nothing"):
        page.measured_row("scale", "nothing")


@pytest.mark.parametrize("name", page.DRAWN)
def test_the_figures_are_those_of_the_results(name: str) -> None:
    assert (page.FIGURES / name).read_bytes() == (RESULTS / name).read_bytes()
    assert any(f"figures/{name}" in text for text in TEXTS.values())


def test_no_answer_is_wrong() -> None:
    rows = [row for name in TITLES for row in read_rows(RESULTS / f"{name}.json")]
    assert len(rows) > 30
    assert not [row.case for row in rows if "WRONG" in row.answer]
    thresholds = read_measured()
    assert len(thresholds) > 200
    assert {row.answer for row in thresholds} == {"yes", "no", "unknown"}


def test_the_exponent_of_a_power_is_the_power() -> None:
    rows = [Row(f"random n={n}", n**2.5, 1, "", facts={"states": n}) for n in (10, 20, 40, 80)]
    assert exponent(rows, "seconds") == pytest.approx(2.5)


def test_a_row_shows_its_ratio_and_what_it_missed() -> None:
    line = table([Row("c", 0.02, 30, "ok", "≤ 1 ms", False, "b", 0.01)]).splitlines()[-1]
    assert says(line)


@pytest.mark.slow
@pytest.mark.parametrize("name", TITLES)
def test_every_table_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Small sizes: a case that fails raises, and one whose answer is not right says so in its row.

    Whether a limit of time is kept is for `make bench` to say, not for a test.
    """
    written = RESULTS / "quick" / f"{name}.json"
    written.unlink(missing_ok=True)
    bench(["--quick", name])
    rows = read_rows(written)
    assert rows
    assert [row.case for row in rows if "WRONG" in row.answer] == []
    assert f"# {TITLES[name]}\n" in capsys.readouterr().out
