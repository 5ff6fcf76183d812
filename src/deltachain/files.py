"""Files out, all or nothing: new content appears under its name complete, or the old content stays.

Each file is written beside its target under a temporary name, flushed to disk, and renamed over it; a
rename within a folder is atomic. Several files are all written before the first is renamed, so a full disk
or an error in the content leaves every one of them as it was. Devices and pipes (``/dev/stdout``) are
written straight.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from .errors import Defect, InputError

__all__ = ["write_all_atomically", "write_atomically"]


def write_atomically(path: str | Path, chunks: Iterable[str | bytes]) -> None:
    """Write ``chunks``, text as UTF-8, to ``path``, all or nothing; InputError when that cannot be done."""
    write_all_atomically({Path(path): chunks})


def write_all_atomically(files: Mapping[Path, Iterable[str | bytes]]) -> None:
    """Write every file, or, when any of them cannot be written, none."""
    staged: list[tuple[Path, Path]] = []
    try:
        for path, chunks in files.items():
            target = _target(path)
            if target is None:
                _write(path, path, chunks, os.O_WRONLY)
                continue
            temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
            staged.append((temporary, target))
            _write(path, temporary, chunks, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
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
        raise InputError(Defect(repr(str(path)), "this is not a path", "mend it")) from None


def _write(path: Path, place: Path, chunks: Iterable[str | bytes], flags: int) -> None:
    try:
        with os.fdopen(os.open(place, flags, 0o666), "wb") as file:
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
