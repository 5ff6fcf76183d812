from __future__ import annotations

import os
from pathlib import Path

import pytest

from deltachain import load
from deltachain.errors import FormatError, InputError
from deltachain.formats import format as text
from deltachain.formats.format import read_lines, read_text
from deltachain.programs import program_names
from tests.words import refuses


def test_lines_end_in_a_line_feed_only(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes("\ufeffa\u2028b\x0bc\r\n\nlast\r".encode())
    assert list(read_lines(tmp_path / "t")) == ["a\u2028b\x0bc", "", "last"]
    assert read_text(tmp_path / "t") == "a\u2028b\x0bc\r\n\nlast\r"


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path))])
def test_larger_files_than_the_limit_are_refused(read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t"
    path.write_text("12345\n7890")
    monkeypatch.setattr(text, "MAX_BYTES", 10)
    read(path)
    monkeypatch.setattr(text, "MAX_BYTES", 9)
    with refuses(InputError, "larger than"):
        read(path)


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path)), load, program_names])
def test_pipes_and_devices_are_refused_and_not_waited_for(read, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.json")  # nobody writes to it: opening it the usual way would wait for ever
    with refuses(InputError, "json: it is"):
        read(tmp_path / "model.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    with refuses(InputError, "a device, not"):
        read(tmp_path / "zero.json")


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path))])
def test_not_utf8(read, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes("one\né".encode() + b"\xe9\n")
    with pytest.raises(FormatError, match="byte 0xe9") as caught:
        read(tmp_path / "t")
    assert caught.value.defects[0].where == f"{tmp_path / 't'}:2:2"


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path))])
def test_what_is_no_file(read, tmp_path: Path) -> None:
    for path, part in (
        (tmp_path, "directory"),
        (tmp_path / "none", "no such file"),
        (tmp_path / "a\0b", "not a path"),
    ):
        with pytest.raises(InputError, match=part):
            read(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("x")
    (tmp_path / "t").chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "t")
