"""Text files in: what is read, up to which size, and how a place in a file is named.

A file is UTF-8 text (a leading byte-order mark is skipped) of at most `files.MAX_BYTES`. Lines end in a line feed,
with or without a carriage return before it; no other character ends a line. Lines and columns count from 1,
columns in characters. A parser collects what is wrong in `Faults` and goes on while that makes sense, so that
one run reports a file's defects together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..cancel import Cancel
from ..errors import Defect, FormatError
from ..files import MAX_BYTES, open_regular, too_large, unreadable

MAX_FAULTS = 1000
"""A file with so many syntax errors is not in the format it claims; reading stops there."""

LINES_BETWEEN_CHECKS = 4096

_TOKEN = re.compile(r"[^ \t]+")


class Faults:
    """The syntax errors of one file, in the order found."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Defect] = []

    def add(self, line: int, column: int, what: str, fix: str = "") -> None:
        """Note an error at ``line:column``; raises FormatError when there are `MAX_FAULTS`."""
        self.found.append(Defect(f"{self.source}:{line}:{column}", what, fix))
        if len(self.found) >= MAX_FAULTS:
            raise FormatError(self.found)

    def check(self) -> None:
        """Raise FormatError with everything found, if anything was."""
        if self.found:
            raise FormatError(self.found)


def tokens(line: str) -> list[tuple[int, str]]:
    """The words of a line with their columns.

    >>> tokens("0  12 1/2")
    [(1, '0'), (4, '12'), (7, '1/2')]
    """
    return [(match.start() + 1, match.group()) for match in _TOKEN.finditer(line)]


def read_text(path: str | Path) -> str:
    """The whole text of a file.

    Raises InputError when it is missing, unreadable, too large, or a directory, a pipe or a device; FormatError
    when it is not UTF-8.
    """
    with open_regular(path, MAX_BYTES) as file:
        try:
            data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from None
    if len(data) > MAX_BYTES:
        raise too_large(path, MAX_BYTES)
    return decoded(data, path)


def decoded(data: bytes, path: str | Path) -> str:
    """The text of UTF-8 bytes, without a byte-order mark; FormatError naming the place of what is none."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line, start = data.count(b"\n", 0, error.start) + 1, data.rfind(b"\n", 0, error.start) + 1
        raise _not_utf8(path, line, data[start : error.start], data[error.start]) from None
    return text.removeprefix("\ufeff")


def read_lines(path: str | Path, cancel: Cancel | None = None) -> Iterator[str]:
    """The lines of a file one at a time, without their ends; raises as `read_text` does, and Stopped."""
    size = 0
    with open_regular(path, MAX_BYTES) as file:
        number = 0
        while True:
            try:
                raw = file.readline(MAX_BYTES + 1 - size)
            except OSError as error:
                raise unreadable(path, error) from None
            if not raw:
                return
            number += 1
            if cancel is not None and number % LINES_BETWEEN_CHECKS == 0:
                cancel.check()
            size += len(raw)
            if size > MAX_BYTES:
                raise too_large(path, MAX_BYTES)
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(path, number, raw[: error.start], raw[error.start]) from None
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield line.removesuffix("\n").removesuffix("\r")


def check_readable(path: str | Path) -> None:
    """Raise as `read_text` does for what is missing, unreadable, too large or no file."""
    open_regular(path, MAX_BYTES).close()


def _not_utf8(path: str | Path, line: int, before: bytes, byte: int) -> FormatError:
    """The error for a ``byte`` that is not UTF-8, after the bytes ``before`` on its line, which are."""
    column = len(before.decode()) + 1
    return FormatError(
        Defect(f"{path}:{line}:{column}", f"byte 0x{byte:02x} is not UTF-8 text", "save the file as UTF-8")
    )
