"""Where the keys of a JSON text stand: for messages only, so it is computed only when something is wrong.

The decoder does not say where it found a key. This walks the tokens of a text that the decoder has
accepted, and keeps the place of every object key with the keys that lead to it.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')
_SPACE = re.compile(r"[ \t\n\r]*")


class JsonPlaces:
    """Lines and columns of the keys of a JSON text."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source

    def walk(self) -> Iterator[tuple[tuple[str, ...], int, str, int]]:
        """Every key in order, as (keys of the objects around it, number of its object, key, offset)."""
        outer: list[tuple[str, int]] = []  # for each open bracket: the key it is the value of, and its number
        key, number, opened = "", -1, 0
        is_object: list[bool] = []
        expects_key = False
        for match in _TOKEN.finditer(self.text):
            lexeme = match.group()
            if lexeme in "{[":
                outer.append((key, number))
                number, opened = opened, opened + 1
                is_object.append(lexeme == "{")
                expects_key = is_object[-1]
            elif lexeme in "}]":
                key, number = outer.pop()
                is_object.pop()
                expects_key = False
            elif lexeme == ",":
                expects_key = is_object[-1]
            elif expects_key and lexeme != ":":
                key = json.loads(lexeme)
                expects_key = False
                yield tuple(k for k, _ in outer[1:]), number, key, match.start()

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def place(self, offset: int) -> str:
        """``source:line:column`` of a place in the text."""
        line = bisect.bisect_left(self._line_ends, offset)
        column = offset - (self._line_ends[line - 1] if line else -1)
        return f"{self.source}:{line + 1}:{column}"

    @cached_property
    def _state_offsets(self) -> dict[str, int]:
        return {key: offset for outer, _, key, offset in self.walk() if outer == ("states",)}

    def state(self, name: str) -> str:
        """The place of a state of a native model, by name."""
        offset = self._state_offsets.get(name)
        return f"{self.source if offset is None else self.place(offset)}: state {name!r}"

    @cached_property
    def _relation_offsets(self) -> list[int]:
        """Where each entry of the top-level list ``relation`` begins."""
        start = next((offset for outer, _, key, offset in self.walk() if not outer and key == "relation"), None)
        if start is None:
            return []
        found: list[int] = []
        depth = 0
        for match in islice(_TOKEN.finditer(self.text, start), 2, None):  # after the key and its colon
            lexeme = match.group()
            depth += (lexeme in "[{") - (lexeme in "]}")
            if depth <= 0:
                break
            if depth == 1 and lexeme in "[,":
                after = _SPACE.match(self.text, match.end())
                found.append(after.end() if after else match.end())
        return found

    def pair(self, entry: int) -> str:
        """The place of an entry of the relation of a native model, by number."""
        offsets = self._relation_offsets
        return f"{self.place(offsets[entry]) if entry < len(offsets) else self.source}: relation"

    def repeated(self) -> Iterator[tuple[tuple[str, ...], str, int, int]]:
        """Every key that its object has already: (keys around it, key, offset of the first, its offset)."""
        first: dict[tuple[int, str], int] = {}
        for outer, number, key, offset in self.walk():
            before = first.setdefault((number, key), offset)
            if before != offset:
                yield outer, key, before, offset
