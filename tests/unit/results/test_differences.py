"""Where two inputs differ, in the few entries that are not the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain.results.differences import MOST_SHOWN, show_differences
from deltachain.testing import NotProved, assert_private
from tests.words import says

ROWS = [("a", k) for k in range(500)]


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (ROWS, [*ROWS[:300], ("b", 300), *ROWS[301:]], [("x[300][0]", "'a'", "'b'")]),
        (ROWS, ROWS[:-1], [("x[499]", "('a', 499)", "nothing")]),
        ({"u": 1, "v": 2}, {"u": 1, "w": 2}, [("x['v']", "2", "nothing"), ("x['w']", "nothing", "2")]),
        (np.arange(300), np.where(np.arange(300) == 7, 9, np.arange(300)), [("x[7]", "7", "9")]),
        (1, True, [("x", "1", "True")]),
        ("a", "b", [("x", "'a'", "'b'")]),
        ([[[[[[1]]]]]], [[[[[[2]]]]]], [("x[0][0][0][0]", "[[1]]", "[[2]]")]),
        (1, 1, []),
    ],
)
def test_what_differs_is_shown(one: Any, other: Any, shown: list[tuple[str, str, str]]) -> None:
    assert show_differences({"x": one, "same": 5}, {"x": other, "same": 5}) == shown


def test_tables_differ_by_rows() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"city": ["Bern", "Chur"], "age": [31, 27]})
    other = pd.DataFrame({"city": ["Bern", "Olten"], "age": [31, 27]})
    assert show_differences({"t": frame}, {"t": other}) == [("t[1][0]", "'Chur'", "'Olten'")]
    assert show_differences({"t": frame}, {"t": frame.iloc[:1]}) == [("t[1]", "['Chur', 27]", "nothing")]


def test_few_are_shown_and_long_ones_are_cut() -> None:
    found = show_differences({"x": list(range(100))}, {"x": list(range(1, 101))})
    assert len(found) == MOST_SHOWN
    ((_, one, _),) = show_differences({"x": "a" * 1000}, {"x": "b"})
    assert len(one) < 80


def test_a_failed_assertion_shows_the_inputs_and_not_their_numbers_alone() -> None:
    def size(rows: list[tuple[str, int]]) -> int:
        return sum(1 for name, _ in rows if name == "b")

    secrets = [{"rows": ROWS}, {"rows": [*ROWS[:300], ("b", 300), *ROWS[301:]]}]
    with pytest.raises(NotProved) as failed:
        assert_private(size, secrets=secrets, epsilon=1, delta=0)
    message = str(failed.value)
    assert says(message, "two inputs differ")
    assert "rows[300][0]" in message
    assert "'b'" in message
    with pytest.raises(NotProved) as failed:
        assert_private(dc.examples.survey(), epsilon=0, delta=0)
    assert "inputs differ" not in str(failed.value)
