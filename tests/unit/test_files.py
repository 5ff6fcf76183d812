from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltachain.errors import InputError
from deltachain.files import open_regular, write_all_atomically, write_atomically
from tests.words import refuses


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_writes_and_replaces(tmp_path: Path) -> None:
    write_atomically(tmp_path / "f", ["a", "é\n"])
    write_atomically(str(tmp_path / "f"), ["b\n"])
    assert (tmp_path / "f").read_bytes() == b"b\n"
    assert names(tmp_path) == ["f"]


STALE = ".f.deltachain-0123456789abcdef.tmp"


@pytest.mark.skipif(os.name != "posix", reason="POSIX locks")
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    others = [".f.deltachain-0123.tmp", ".g.deltachain-0123456789abcdef.tmp", "f.deltachain-0123456789abcdef.tmp"]
    for name in (STALE, *others):
        (tmp_path / name).write_text("half", "utf-8")
    os.mkfifo(tmp_path / ".f.deltachain-fedcba9876543210.tmp")
    write_atomically(tmp_path / "f", ["b\n"])
    assert names(tmp_path) == sorted(["f", *others, ".f.deltachain-fedcba9876543210.tmp"])


@pytest.mark.skipif(os.name != "posix", reason="POSIX locks")
def test_what_a_writer_is_still_at_is_left_alone(tmp_path: Path) -> None:
    def chunks() -> Iterator[str]:
        yield "first\n"
        write_atomically(tmp_path / "f", ["second\n"])
        assert len(names(tmp_path)) == 2
        yield "first again\n"

    write_atomically(tmp_path / "f", chunks())
    assert (tmp_path / "f").read_text("utf-8") == "first\nfirst again\n"
    assert names(tmp_path) == ["f"]


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_a_writer_that_is_killed_leaves_one_file_until_the_next(tmp_path: Path) -> None:
    text = """
import os, signal, sys
from deltachain.files import write_atomically
def chunks():
    yield "half"
    os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[1], chunks())
"""
    subprocess.run([sys.executable, "-c", text, str(tmp_path / "f")], check=False)
    assert len(names(tmp_path)) == 1
    write_atomically(tmp_path / "f", ["whole\n"])
    assert names(tmp_path) == ["f"]


def breaks_off(error: BaseException) -> Iterator[str]:
    yield "half" * 100_000
    raise error


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt()])
def test_content_that_fails_leaves_the_old_file(error: BaseException, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises(type(error)):
        write_atomically(tmp_path / "f", breaks_off(error))
    assert (tmp_path / "f").read_text() == "old"
    assert names(tmp_path) == ["f"]


def test_a_full_disk_leaves_every_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        (tmp_path / name).write_text("old")
    calls = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with refuses(InputError, "cannot be written"):
        write_all_atomically({tmp_path / "a": ["new"], tmp_path / "b": ["new"]})
    assert [(tmp_path / name).read_text() for name in "ab"] == ["old", "old"]
    assert names(tmp_path) == ["a", "b"]


def test_text_without_utf8_is_refused(tmp_path: Path) -> None:
    with refuses(InputError, "cannot be written"):
        write_atomically(tmp_path / "f", ["ok", "\ud800"])
    assert names(tmp_path) == []


def test_places_that_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    for path, part in (
        (tmp_path, "directory"),
        (tmp_path / "none" / "f", "cannot be written: No such file"),
        (tmp_path / "file" / "f", "cannot be written: Not a directory"),
        (tmp_path / "a\0b", "not a path"),
        (tmp_path / "loop", "cannot be written"),
        (tmp_path / ("x" * 300), "cannot be written"),
    ):
        with pytest.raises(InputError, match=part):
            write_atomically(path, ["x"])
    assert names(tmp_path) == ["file", "loop"]


def test_links_are_followed_and_modes_kept(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o640)
    (tmp_path / "link").symlink_to("f")
    write_atomically(tmp_path / "link", ["new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "f").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640


def test_new_files_obey_the_umask(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "f", ["x"])
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_straight() -> None:
    write_atomically("/dev/null", ["x"])
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_long_name_is_written(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250)
    write_atomically(target, ["new"])
    assert names(tmp_path) == [target.name]


def test_only_regular_files_up_to_the_limit_are_opened(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    with open_regular(tmp_path / "f", 5) as file:
        assert file.read() == b"12345"
    with refuses(InputError, "larger than"):
        open_regular(tmp_path / "f", 4)
    os.mkfifo(tmp_path / "pipe")
    for path, part in ((tmp_path / "pipe", "a pipe"), (Path("/dev/null"), "a device"), (tmp_path, "a directory")):
        with pytest.raises(InputError, match=f"it is {part}"):
            open_regular(path)
