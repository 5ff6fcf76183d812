"""Tables line up on a terminal, whatever is in the cells."""

from __future__ import annotations

from deltachain.results.text import fields, list_first, table
from tests.words import refuses


def test_columns_are_aligned() -> None:
    text = table(["name", "n"], [["a", "1"], ["longer", "100"]], right=[1])
    assert text.split("\n") == ["name      n", "------  ---", "a         1", "longer  100"]


def test_no_rows_leave_the_header() -> None:
    assert table(["a", "b"], []).split("\n") == ["a  b", "-  -"]


def test_wide_and_combining_characters_are_measured() -> None:
    lines = table(["x", "y"], [["日本", "1"], ["e\u0301", "2"]]).split("\n")
    assert lines[2] == "日本  1"
    assert lines[3] == "e\u0301     2"


def test_control_characters_cannot_move_the_cursor() -> None:
    assert "\x1b" not in table(["x"], [["\x1b[2J\n"]])
    assert "\\x1b[2J\\n" in table(["x"], [["\x1b[2J\n"]])


def test_rows_of_another_length_are_refused() -> None:
    with refuses(ValueError, "under a header"):
        table(["x"], [["1", "2"]])


def test_fields_and_lists() -> None:
    assert fields([("a", "1"), ("bcd", "2")], indent="  ") == "  a    1\n  bcd  2"
    assert fields([]) == ""
    assert list_first(["a", "b"]) == "a, b"
    assert list_first(list("abcdefghij"), 3) == "a, b, c, … (10 in all)"


def test_a_table_fits_its_width() -> None:
    rows = [["a" * 5, "one two three four five six seven", "0.5"], ["b", "z" * 60, "1"]]
    for width in (30, 40, 60):
        lines = table(["name", "words", "δ"], rows, width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert "".join(line[7:].strip().split("  ")[0].replace(" ", "") for line in lines).count("z") == 60
    assert table(["name", "words", "δ"], rows, width=200) == table(["name", "words", "δ"], rows)
