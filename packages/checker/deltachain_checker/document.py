"""Strict JSON: no key twice, numbers as integers or as their digits, and what comes again is kept once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from .errors import CertificateRejected, need
from .numbers import SHORT

MAX_BYTES = 512 * 2**20
BLANKS = frozenset(" \t\n\r")


class Digits(str):
    """A JSON number that is no short integer, kept as its digits. Shown without quotes: so it is told from text."""

    __slots__ = ()
    __repr__ = str.__str__


def integer(source: str) -> int | Digits:
    """An integer, or the digits of a long one."""
    return int(source) if len(source) <= SHORT else Digits(source)


def parse(source: str) -> Any:
    """The JSON value that the text says; CertificateRejected if it says none, or may mean two things."""
    try:
        return Document(source).read()
    except (RecursionError, json.JSONDecodeError) as error:
        raise CertificateRejected("file", f"not JSON, or nested too deeply: {error}") from None


def read_file(path: str) -> Any:
    """The JSON value in a file."""
    return parse(read_text(path))


def read_text(path: str) -> str:
    """What is in a file of at most MAX_BYTES."""
    try:
        usual = Path(path).is_file() or not Path(path).exists()  # a pipe or a device could go on for ever
        need(usual, path, "a readable UTF-8 file, not a folder, a pipe or a device")
        need(Path(path).stat().st_size <= MAX_BYTES, path, f"a file of at most {MAX_BYTES} bytes")
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CertificateRejected(path, f"a readable UTF-8 file: {error}") from None


class Document:
    """JSON text, of which the lists in a top object are read entry by entry, and what is equal is kept once.

    The names and beliefs of a certificate come again and again. Read as they stand, they would take five times the
    memory of the text.
    """

    def __init__(self, source: str) -> None:
        self.source, self.place = source, 0
        self.known: dict[str, Any] = {}
        digits: Any = cache(Digits)
        hooks = {"parse_int": cache(integer), "parse_float": digits, "parse_constant": digits}
        self.decoder = json.JSONDecoder(object_pairs_hook=self.unique, **hooks)

    def read(self) -> Any:
        """What the whole text says."""
        if self.takes("{"):
            found: Any = self.unique([self.member() for _ in self.listed("}")])
        else:
            found = self.value()
        if self.next():
            raise json.JSONDecodeError("Extra data", self.source, self.place)
        return found

    def member(self) -> tuple[str, Any]:
        """A key of the top object, and its value."""
        if self.next() != '"':
            raise json.JSONDecodeError("Expecting a key", self.source, self.place)
        key = self.value()
        self.require(":")
        if self.takes("["):
            return key, [self.shared(self.value()) for _ in self.listed("]")]
        return key, self.value()

    def shared(self, entry: Any) -> Any:
        """An entry whose texts, and lists, are those of earlier entries where they are equal to them."""
        if isinstance(entry, list):
            for k, part in enumerate(entry):
                if isinstance(part, list) or type(part) is str:
                    entry[k] = self.known.setdefault(repr(part), part)
        return entry

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object. Of two equal keys readers of JSON take the first or the last: a file must not mean two things."""
        found = {self.known.setdefault(repr(key), key): value for key, value in pairs}
        need(len(found) == len(pairs), "file", "each key once", [key for key, _ in pairs][:9])
        return found

    def value(self) -> Any:
        """The JSON value that comes next."""
        self.next()
        found, self.place = self.decoder.raw_decode(self.source, self.place)
        return found

    def listed(self, end: str) -> Iterator[None]:
        """Stops at each entry of a list or an object that is open, to be read, up to its end."""
        if self.takes(end):
            return
        yield
        while self.takes(","):
            yield
        self.require(end)

    def next(self) -> str:
        """The character at which the next value, or mark, begins; none at the end."""
        while self.source[self.place : self.place + 1] in BLANKS:
            self.place += 1
        return self.source[self.place : self.place + 1]

    def takes(self, mark: str) -> bool:
        """Whether this mark comes next, which is then read."""
        taken = self.next() == mark
        self.place += taken
        return taken

    def require(self, mark: str) -> None:
        """Read this mark."""
        if not self.takes(mark):
            raise json.JSONDecodeError(f"Expecting {mark}", self.source, self.place)


def lists(value: Any, width: int, *, more: int = 0) -> list[list[Any]]:
    """A list of lists of ``width`` entries, or up to ``more`` more: text and objects would unpack, too."""
    most, fits = width + more, type(value) is list
    for entry in value if fits else ():
        fits = fits and type(entry) is list and width <= len(entry) <= most
    if not fits:
        raise CertificateRejected(
            "certificate", f"malformed: a list of lists of {width} entries" + f" to {most}" * bool(more)
        )
    return value  # type: ignore[no-any-return]


def keys(value: Any, name: str, *known: str) -> dict[str, Any]:
    """An object with no other keys than these."""
    need(isinstance(value, dict), name, "malformed: an object")
    need(value.keys() <= {*known}, name, "known keys", [key for key in value if key not in known][:9])
    return value  # type: ignore[no-any-return]


def shown(sentence: str) -> str:
    """The sentence on one line: names may hold line breaks or control characters, and must not forge another one."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence)


def say(line: str, stream: TextIO | None) -> None:
    """Print a line; a stream that has no ≤ gets its escape, one that the caller closed gets nothing."""
    if stream is None:
        return
    encoding = stream.encoding or "ascii"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=stream)


@contextmanager
def refusing_what_is_malformed() -> Iterator[None]:
    """What cannot be read as docs/certificate.md says is rejected, however it fails."""
    try:
        yield
    except CertificateRejected:
        raise
    except (TypeError, KeyError, IndexError, AttributeError, ValueError, RecursionError, ZeroDivisionError) as error:
        raise CertificateRejected("certificate", f"malformed: {error!r:.200}") from None
