"""Words and events as text.

A word is its letters, separated by blanks: ``start heads``. Where a letter is empty or has blanks in it, a
word is a JSON list instead: ``["start", "all heads", ""]``. An events file holds one word a line; blocks of
words, separated by blank lines, are the events; lines that start with ``#`` are comments.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..errors import Defect, FormatError, InputError
from ..words import Word

__all__ = ["parse_word", "read_events", "written_word"]


def parse_word(text: str) -> Word:
    """The letters of ``text``; ValueError with a short reason if it starts as a JSON list and is not one.

    >>> parse_word("start heads"), parse_word('["a b", ""]')
    (('start', 'heads'), ('a b', ''))
    """
    if not text.lstrip().startswith("["):
        return tuple(text.split())
    try:
        letters = json.loads(text)
    except (ValueError, RecursionError):
        letters = None
    if not isinstance(letters, list) or not all(isinstance(letter, str) for letter in letters):
        raise ValueError('a word that starts with "[" must be a JSON list of strings')
    return tuple(letters)


def written_word(word: Sequence[str]) -> str:
    """The text of a word; `parse_word` reads it back.

    >>> written_word(["start", "heads"]), written_word(["a b", ""])
    ('start heads', '["a b", ""]')
    """
    plain = " ".join(word)
    if tuple(plain.split()) == tuple(word) and not plain.startswith("["):
        return plain or "[]"
    return json.dumps(list(word), ensure_ascii=False)


def read_events(path: str) -> list[list[Word]]:
    """The events of a file, in order; FormatError with every bad line, InputError if it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(Defect(path, f"cannot read the events: {reason}")) from None
    events: list[list[Word]] = [[]]
    defects: list[Defect] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped:
            events.append([])
        elif not stripped.startswith("#"):
            try:
                events[-1].append(parse_word(stripped))
            except ValueError as reason:
                defects.append(Defect(f"{path}:{number}", str(reason)))
    found = [event for event in events if event]
    if not found and not defects:
        defects.append(Defect(path, "it holds no event", "write one word a line, and a blank line between events"))
    if defects:
        raise FormatError(defects)
    return found
