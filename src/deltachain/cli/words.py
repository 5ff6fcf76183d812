"""Files of events: one word a line, written as `words.parse_word` reads it.

Blocks of words, separated by blank lines, are the events; lines that start with ``#`` are comments.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import Defect, FormatError, InputError
from ..model.words import Word, parse_word


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
