"""Words and events as text, read back as written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.errors import FormatError, InputError
from deltachain.measures.trace.command import read_events
from deltachain.model.words import parse_word, written_word
from tests.words import refuses


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5), max_size=5))
def test_writing_and_reading_is_the_identity(word: list[str]) -> None:
    assert parse_word(written_word(word)) == tuple(word)


def test_plain_words_stay_plain() -> None:
    assert written_word(("start", "heads")) == "start heads"
    assert parse_word("  a\tb  ") == ("a", "b")
    assert parse_word("") == parse_word("[]") == ()


@pytest.mark.parametrize("text", ["[", "[1]", '["a"', '["a"] b', "[a]", "[" * 100_000])
def test_broken_lists_are_refused(text: str) -> None:
    with refuses(ValueError, "list of strings"):
        parse_word(text)


def test_events_are_blocks_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text('# two events\na b\n# still the first\na\n\n\n  \n["x y", ""]\r\n\n# nothing\n', "utf-8")
    assert read_events(str(path)) == [[("a", "b"), ("a",)], [("x y", "")]]


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text("a\n[1]\n\n[\n", "utf-8")
    with pytest.raises(FormatError) as error:
        read_events(str(path))
    assert [defect.where for defect in error.value.defects] == [f"{path}:2", f"{path}:4"]


def test_files_that_hold_no_events_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "events"
    with pytest.raises(InputError, match="No such file"):
        read_events(str(path))
    path.write_text("# nothing\n\n", "utf-8")
    with pytest.raises(InputError, match="no event"):
        read_events(str(path))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_events(str(path))
