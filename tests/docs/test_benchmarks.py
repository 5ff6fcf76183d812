"""The page of benchmarks shows the results that bench/results has: tables and figures."""

from __future__ import annotations

import pytest

from bench import page
from bench.__main__ import TITLES
from bench.measure import RESULTS, Row, read_rows, table
from bench.plots import exponent


def test_the_tables_are_those_of_the_results() -> None:
    text = page.PAGE.read_text("utf-8")
    assert len(page.PLACE.findall(text)) == 8
    assert page.filled(text) == text, "run `python -m bench.page`"


def test_a_changed_result_would_be_noticed() -> None:
    text = page.PAGE.read_text("utf-8").replace("| reached |", "| reached it |", 1)
    assert page.filled(text) != text


@pytest.mark.parametrize("name", page.DRAWN)
def test_the_figures_are_those_of_the_results(name: str) -> None:
    assert (page.FIGURES / name).read_bytes() == (RESULTS / name).read_bytes()
    assert f"figures/{name}" in page.PAGE.read_text("utf-8")


def test_no_answer_is_wrong() -> None:
    rows = [row for name in TITLES for row in read_rows(RESULTS / f"{name}.json")]
    assert len(rows) > 30
    assert not [row.case for row in rows if "WRONG" in row.answer]


def test_the_exponent_of_a_power_is_the_power() -> None:
    rows = [Row(f"random n={n}", n**2.5, 1, "", facts={"states": n}) for n in (10, 20, 40, 80)]
    assert exponent(rows, "seconds") == pytest.approx(2.5)


def test_a_row_shows_its_ratio_and_what_it_missed() -> None:
    line = table([Row("c", 0.02, 30, "ok", "≤ 1 ms", False, "b", 0.01)]).splitlines()[-1]
    assert line == "| c | 20 ms | 30 MB | b: 10 ms | 0.5× | ≤ 1 ms | **no** | ok |"
