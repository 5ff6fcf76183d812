"""Files in, up to a limit; files out, all or nothing.

In: only regular files are opened, and only up to a stated size. A pipe or a device may never end, and opening a
pipe waits for whoever writes it; both are refused by name. ``-`` stands for standard input and output where a
caller says so; it is read up to the same limit.

Out: new content appears under its name complete, or the old content stays. Each file is written beside its
target under a temporary name, flushed to disk, and renamed over it; a rename within a folder is atomic. Several
files are all written before the first is renamed, so a full disk or an error in the content leaves every one of
them as it was. A temporary file is called ``.NAME.deltachain-DIGITS.tmp``; a writer that is killed may leave one
behind, and the next one to write NAME removes it. A writer locks its own while it is at work, so that none is removed
under its hands; a lock ends with its process. Devices and pipes (``/dev/stdout``) are written straight.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from .errors import Defect, InputError, MissingFile

MAX_BYTES = 2_000_000_000
"""The largest file that is read, unless a caller sets another limit."""

STANDARD, STANDARD_INPUT = "-", "standard input"
"""How standard input, or standard output, is given; and what the former is called."""

PLOTS = (".svg", ".png", ".pdf")
"""The suffixes of plots."""

# Elsewhere there are no such locks, and two writers of one journal are not kept apart.
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None

_NAME_LENGTH = 100
_TEMPORARY_END = re.compile(r"[0-9a-f]{16}\.tmp")
_SHOWN = 300
"""Characters of a value in the message about a journal of another question."""


def open_regular(path: str | Path, limit: int = MAX_BYTES) -> BinaryIO:
    """The file, open for reading bytes; InputError unless it is a regular file of at most ``limit`` bytes.

    Never waits: a pipe without a writer is refused like any other. The file may grow afterwards; who reads it
    counts what is read.
    """
    try:
        # Without waiting, and looked at only once it is open: it cannot be exchanged in between.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        _refuse_special(path, os.stat(path))  # noqa: PTH116 - some devices act when they are opened
        file = os.fdopen(os.open(path, flags), "rb")
    except InputError:  # a ValueError itself
        raise
    except FileNotFoundError:
        raise MissingFile(str(path), "correct the path") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise InputError(Defect(repr(str(path)), "this is not a path", "correct it")) from None
    try:
        found = os.fstat(file.fileno())
        _refuse_special(path, found)
        if found.st_size > limit:
            raise too_large(path, limit)
    except BaseException:
        file.close()
        raise
    return file


def _refuse_special(path: str | Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise InputError(Defect(str(path), "it is a directory", "give a file"))
    if not stat.S_ISREG(found.st_mode):
        kind = "a pipe" if stat.S_ISFIFO(found.st_mode) else "a socket" if stat.S_ISSOCK(found.st_mode) else "a device"
        raise InputError(Defect(str(path), f"it is {kind}, not a file", "save its content to a file first"))


def read_standard_input(limit: int = MAX_BYTES) -> bytes:
    """All of standard input; InputError when it is closed, unreadable or larger than ``limit`` bytes."""
    if sys.stdin is None:
        raise InputError(Defect("standard input", "it is closed", "give a file"))
    try:
        data = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise unreadable("standard input", error) from None
    if len(data) > limit:
        raise too_large("standard input", limit)
    return data


def unreadable(path: str | Path, error: OSError) -> InputError:
    """The error for a file that the system does not let us read."""
    what = f"it cannot be read: {error.strerror or error}"
    return InputError(Defect(str(path), what, "check the file and its permissions"))


def too_large(path: str | Path, limit: int) -> InputError:
    """The error for a file beyond the limit."""
    return InputError(Defect(str(path), f"it is larger than {limit} bytes", "that is the most that is read"))


def require_plot(path: Path) -> None:
    """InputError unless the file's suffix is that of a plot."""
    if path.suffix.lower() not in PLOTS:
        raise InputError(f"{path}: a plot is written as {', '.join(PLOTS)}; give one of these suffixes")


def write_atomically(path: str | Path, chunks: Iterable[str | bytes]) -> None:
    """Write ``chunks``, text as UTF-8, to ``path``, all or nothing; InputError when that cannot be done."""
    write_all_atomically({Path(path): chunks})


def make_folder(path: Path) -> None:
    """Make the folder unless it is there; InputError if it cannot be made."""
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def write_standard_output(chunks: Iterable[str | bytes]) -> None:
    """Write ``chunks``, text as UTF-8 whatever the terminal's encoding, to standard output."""
    with to_standard_output():
        sys.stdout.flush()
        sys.stdout.buffer.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def to_standard_output() -> Iterator[None]:
    """Within it an OSError, which is about a file without a name, is about standard output."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or "standard output"
        raise


def write_all_atomically(files: Mapping[Path, Iterable[str | bytes]]) -> None:
    """Write every file, or, when any of them cannot be written, none."""
    staged: list[tuple[Path, Path]] = []
    held: list[BinaryIO] = []  # open until all is renamed, for their locks
    try:
        for path, chunks in files.items():
            target = _target(path)
            if target is None:
                _write(path, path, os.O_WRONLY, chunks).close()
                continue
            _remove_stale(target)
            temporary = target.with_name(f"{_temporary_start(target)}{os.urandom(8).hex()}.tmp")
            staged.append((temporary, target))
            held.append(_write(path, temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, chunks))
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        for temporary, target in staged:
            try:
                temporary.replace(target)
            except OSError as error:
                raise _unwritable(target, error) from None
    finally:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):  # renamed already, or never made
                temporary.unlink()
        for file in held:
            file.close()


def _temporary_start(target: Path) -> str:
    return f".{target.name[:_NAME_LENGTH]}.deltachain-"


def _remove_stale(target: Path) -> None:
    """Remove what writers of this file left that are no more: their locks went with them."""
    if fcntl is None:
        return
    start = _temporary_start(target)
    with contextlib.suppress(OSError):  # a folder that cannot be listed has nothing that could be removed
        for left in target.parent.iterdir():
            ours = left.name.startswith(start) and _TEMPORARY_END.fullmatch(left.name, len(start))
            if ours and stat.S_ISREG(left.lstat().st_mode):
                with contextlib.suppress(OSError), left.open("rb") as file:  # locked: its writer is at work
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    left.unlink()


def _target(path: Path) -> Path | None:
    """The file to replace, links followed; None for a device or pipe. InputError for a directory."""
    try:
        target = path.resolve()
        if target.is_dir():
            raise InputError(Defect(str(path), "it is a directory", "give a file name"))
        return None if target.exists() and not target.is_file() else target
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise _unwritable(path, error) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(Defect(repr(str(path)), "this is not a path", "correct it")) from None


def _write(path: Path, place: Path, flags: int, chunks: Iterable[str | bytes]) -> BinaryIO:
    """Write the chunks to ``place``, and wait until they are on disk; the file, still open. Messages name ``path``."""
    try:
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(os.fdopen(os.open(place, flags, 0o666), "wb"))
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            while regular and not _is_locked(file):
                file = stack.enter_context(os.fdopen(os.open(place, flags, 0o666), "wb"))
            file.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
            file.flush()
            if regular:
                os.fsync(file.fileno())
            stack.pop_all()
            return file
    except UnicodeEncodeError as error:
        what = f"{error.object[error.start : error.end]!r} cannot be written as UTF-8"
        raise InputError(Defect(str(path), what, "rename the state or label that has it")) from None
    except OSError as error:
        raise _unwritable(path, error) from None


def _is_locked(file: BinaryIO) -> bool:
    """Lock the file; False if another writer took it for a stale one before that, and has removed it."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


def _unwritable(path: Path, error: Exception) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return InputError(Defect(str(path), f"it cannot be written: {reason}", "check the folder and its permissions"))


def read_head(path: str | Path) -> dict[str, Any]:
    """The first line of a journal; empty where there is none, which is an error of who opens it."""
    try:
        with open_regular(path) as file:
            return _json_object(file.readline(MAX_BYTES)) or {}
    except InputError:
        return {}


class Journal:
    """A file of JSON objects, one per line, that only grows: each `append` is on disk when it returns.

    Its first line is the *head*: what the file is, and what it answers. Only a file with the head of this very question
    is ever changed. A process that is killed leaves whole lines and perhaps a torn last one, which is dropped when the
    file is opened again. One writer at a time.
    """

    def __init__(self, path: str | Path, head: Mapping[str, Any], *, resume: bool = False) -> None:
        """Open the file, or create it with ``head``.

        Raises:
            InputError: it has content and is not to be resumed, or its first line is not ``head``, or a line in the
                middle is no JSON object. The file is then as it was.
        """
        self.path = Path(path)
        self._head = dict(head)
        try:
            self._descriptor = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
            )
        except (OSError, ValueError) as error:
            raise _unwritable(self.path, error) from None
        try:
            self._lock()
            found = os.fstat(self._descriptor)
            _refuse_special(self.path, found)
            self.found: list[dict[str, Any]] = []
            if found.st_size == 0:
                self.append([self._head])
            elif resume:
                self.found = self._read()
            else:
                raise InputError(Defect(str(self.path), "it exists", "resume it, or give another name"))
        except BaseException:
            os.close(self._descriptor)
            raise

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(Defect(str(self.path), "another process writes it", "wait for its end")) from None
            except OSError:  # a file system without locks
                pass

    def _read(self) -> list[dict[str, Any]]:
        """The objects after the head; a torn last line is cut off."""
        with open_regular(self.path) as file:
            first, *lines = file.read(MAX_BYTES).splitlines(keepends=True)
        self._refuse_other(_json_object(first))
        found, whole = [], len(first)
        for number, line in enumerate(lines, 2):
            entry = _json_object(line)
            if entry is None:
                if number <= len(lines):
                    what = "this line is not a JSON object"
                    raise InputError(Defect(f"{self.path}:{number}", what, "correct or remove it"))
                break
            found.append(entry)
            whole += len(line)
        os.ftruncate(self._descriptor, whole)
        return found

    def _refuse_other(self, head: dict[str, Any] | None) -> None:
        """InputError unless the first line is the head of this question; the message shows what differs."""
        if head == self._head:
            return
        place, fix = f"{self.path}:1", "give another file"
        if head is None or head.get("journal") != self._head["journal"]:
            what = "not a journal of a sweep"
            if head is not None and {"parameters", "pair", "verb", "checked"} <= head.keys():
                what = "a journal of deltachain 0.2, which does not say what was asked"
            raise InputError(Defect(place, f"{what}; the file was not changed", fix))
        names = sorted(name for name in {*head, *self._head} if head.get(name) != self._head.get(name))
        defects = [
            Defect(place, f"{name}: the file answers {_brief(head.get(name))}, asked is {_brief(self._head.get(name))}")
            for name in names
        ]
        raise InputError([Defect(place, "the file answers another question; it was not changed", fix), *defects])

    def append(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Write the objects, and wait until they are on disk."""
        data = "".join(f"{json.dumps(entry, allow_nan=False)}\n" for entry in entries).encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise _unwritable(self.path, error) from None

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _json_object(line: bytes) -> dict[str, Any] | None:
    """The object that a whole line holds; None if it is torn or holds something else."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _brief(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
