"""Files in, up to a limit; files out, all or nothing.

In: only regular files are opened, and only up to a stated size. A pipe or a device may never end, and opening a
pipe waits for whoever writes it; both are refused by name. ``-`` stands for standard input and output where a
caller says so; it is read up to the same limit.

Out: new content appears under its name complete, or the old content stays. Each file is written beside its
target under a temporary name, flushed to disk, and renamed over it; a rename within a folder is atomic. Several
files are all written before the first is renamed, so a full disk or an error in the content leaves every one of
them as it was. A temporary file is called ``.NAME.deltachain-DIGITS.tmp`` and is locked by its writer: what a
killed writer left behind can be told by its name and by having no lock, and the next write to the same target
removes it. Devices and pipes (``/dev/stdout``) are written straight.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from .errors import Defect, InputError, MissingFile

MAX_BYTES = 2_000_000_000
"""The largest file that is read, unless a caller sets another limit."""

STANDARD = "-"
"""Standard input, or standard output."""

# Elsewhere there are no such locks, and what killed writers leave behind stays.
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None

_TEMPORARY = re.compile(r"\.(?P<target>.*)\.deltachain-[0-9a-f]{16}\.tmp", re.DOTALL)
_NAME_LENGTH = 100


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
    sys.stdout.flush()
    sys.stdout.buffer.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
    sys.stdout.buffer.flush()


def write_all_atomically(files: Mapping[Path, Iterable[str | bytes]]) -> None:
    """Write every file, or, when any of them cannot be written, none."""
    staged: list[tuple[Path, Path]] = []
    with contextlib.ExitStack() as locks:
        try:
            for path, chunks in files.items():
                target = _target(path)
                if target is None:
                    _write(path, partial(os.open, path, os.O_WRONLY), chunks)
                    continue
                _remove_left_behind(target)
                temporary = target.with_name(f".{target.name[:_NAME_LENGTH]}.deltachain-{secrets.token_hex(8)}.tmp")
                staged.append((temporary, target))
                _write(path, partial(_created, temporary, locks), chunks)
                _keep_mode(temporary, target)
            for temporary, target in staged:
                try:
                    temporary.replace(target)
                except OSError as error:
                    raise _unwritable(target, error) from None
        finally:
            for temporary, _ in staged:
                with contextlib.suppress(OSError):  # renamed already, or never made
                    temporary.unlink()


def _created(temporary: Path, locks: contextlib.ExitStack) -> int:
    """A new file, open for writing; its lock is held, through a descriptor of its own, until ``locks`` end."""
    while True:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if fcntl is None:
            return descriptor
        holder = os.dup(descriptor)  # a lock belongs to the open file: it lasts until both descriptors are closed
        locks.callback(os.close, holder)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(holder, fcntl.LOCK_EX)
        if os.fstat(holder).st_nlink:
            return descriptor
        os.close(descriptor)  # another writer took it for one left behind, before it was locked


def _remove_left_behind(target: Path) -> None:
    """Remove what killed writers of this target left: files of our pattern that nobody has locked."""
    if fcntl is None:
        return
    for name in _left_behind(target):
        with contextlib.suppress(OSError):  # locked by a living writer, somebody else's, or removed meanwhile
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                name.unlink()
            finally:
                os.close(descriptor)


def _left_behind(target: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            match = _TEMPORARY.fullmatch(entry.name)
            if match and match["target"] == target.name[:_NAME_LENGTH] and entry.is_file(follow_symlinks=False):
                yield target.with_name(entry.name)


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


def _write(path: Path, opened: Callable[[], int], chunks: Iterable[str | bytes]) -> None:
    try:
        with os.fdopen(opened(), "wb") as file:
            file.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
            file.flush()
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                os.fsync(file.fileno())
    except UnicodeEncodeError as error:
        what = f"{error.object[error.start : error.end]!r} cannot be written as UTF-8"
        raise InputError(Defect(str(path), what, "rename the state or label that has it")) from None
    except OSError as error:
        raise _unwritable(path, error) from None


def _keep_mode(temporary: Path, target: Path) -> None:
    if target.exists():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def _unwritable(path: Path, error: Exception) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return InputError(Defect(str(path), f"it cannot be written: {reason}", "check the folder and its permissions"))


class Journal:
    """A file of JSON objects, one a line, that only grows: each `append` is on disk when it returns.

    Whoever is killed leaves whole lines and perhaps a torn last one, which is dropped when the file is opened again.
    One writer at a time.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        """Open the file; InputError if it has content and is not to be resumed, or its content is something else."""
        self.path = Path(path)
        try:
            self._descriptor = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
            )
        except (OSError, ValueError) as error:
            raise _unwritable(self.path, error) from None
        try:
            self._lock()
            _refuse_special(self.path, os.fstat(self._descriptor))
            self.found = self._read(resume)
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

    def _read(self, resume: bool) -> list[dict[str, Any]]:
        """The objects that are there; a torn last line is cut off."""
        if os.fstat(self._descriptor).st_size == 0:
            return []
        if not resume:
            raise InputError(Defect(str(self.path), "it exists", "resume it, or give another name"))
        with open_regular(self.path) as file:
            lines = file.read(MAX_BYTES).splitlines(keepends=True)
        found, whole = [], 0
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                entry = None
            if not isinstance(entry, dict):
                if number < len(lines):
                    what = "this line is not a JSON object"
                    raise InputError(Defect(f"{self.path}:{number}", what, "give the file of a sweep"))
                break
            found.append(entry)
            whole += len(line)
        os.ftruncate(self._descriptor, whole)
        return found

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
