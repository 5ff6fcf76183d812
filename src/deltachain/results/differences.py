"""Where two inputs differ, for people: the few entries that are not the same, however long the inputs are."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

MOST_SHOWN = 5
"""How many entries that differ are shown."""
MOST_DEEP = 4
"""How deep inputs are compared entry by entry."""
NOTHING = "nothing"
"""In place of an entry that one of the two does not have."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def show_differences(one: Mapping[str, object], other: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """The first places at which they differ, and what stands there in each.

    >>> show_differences({"rows": [1, 2, 3], "k": 5}, {"rows": [1, 7], "k": 5})
    [('rows[1]', '2', '7'), ('rows[2]', '3', 'nothing')]
    """
    places = (found for name in one for found in _places(name, one[name], other.get(name), MOST_DEEP))
    return list(islice(places, MOST_SHOWN))


def _places(place: str, one: Any, other: Any, depth: int) -> Iterator[tuple[str, str, str]]:
    """Where two values differ; of what cannot be compared entry by entry, the values themselves."""
    if _same(one, other):
        return
    if depth and type(one) is type(other):
        if isinstance(one, Mapping):
            for key in dict.fromkeys((*one, *other)):
                if key in one and key in other:
                    yield from _places(f"{place}[{_SHORT.repr(key)}]", one[key], other[key], depth - 1)
                else:
                    yield f"{place}[{_SHORT.repr(key)}]", _entry(one, key), _entry(other, key)
            return
        rows = _as_rows(one), _as_rows(other)
        if rows[0] is not None and rows[1] is not None:
            both = min(len(rows[0]), len(rows[1]))
            for at in range(both):
                yield from _places(f"{place}[{at}]", rows[0][at], rows[1][at], depth - 1)
            for at in range(both, max(len(rows[0]), len(rows[1]))):
                left, right = (_SHORT.repr(row[at]) if at < len(row) else NOTHING for row in (rows[0], rows[1]))
                yield f"{place}[{at}]", left, right
            return
    yield place, _SHORT.repr(one), _SHORT.repr(other)


def _as_rows(value: Any) -> Sequence[Any] | None:
    """The entries of a list, a tuple, an array or a table, which is a list of rows; None of anything else."""
    if isinstance(value, list | tuple):
        return value
    rows = getattr(value, "values", value)  # of a table or a column
    listed = rows.tolist() if hasattr(rows, "tolist") else None
    return listed if isinstance(listed, list) else None


def _entry(value: Mapping[Any, Any], key: object) -> str:
    return _SHORT.repr(value[key]) if key in value else NOTHING


def _same(one: Any, other: Any) -> bool:
    """Whether two values are plainly equal; False of what does not say so in one word."""
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other)
    except (ValueError, TypeError):  # arrays and tables compare entry by entry
        return False
