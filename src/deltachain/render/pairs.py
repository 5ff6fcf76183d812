"""All pairs of a distance as a file: a line of JSON each, or NumPy arrays. Written row by row, never as one text.

In ``.npz`` a value is the integer ⌈value · 2^62⌉ over the one denominator 2^62, so it stays an upper bound.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from ..errors import Defect, InputError
from ..files import write_atomically
from ..rational import format_fraction

__all__ = ["DENOMINATOR", "writer_of"]

DENOMINATOR = 2**62


class _Pair(Protocol):
    """One row: a pair, its value and the value turned round, and whether they are exact."""

    @property
    def pair(self) -> tuple[str, str]: ...
    @property
    def value(self) -> Fraction: ...
    @property
    def reverse(self) -> Fraction: ...
    @property
    def side(self) -> str: ...


class _Table(Protocol):
    """A result with a row for each pair."""

    @property
    def kind(self) -> str: ...
    @property
    def results(self) -> Sequence[_Pair]: ...


def writer_of(path: str) -> Callable[[str, Any], None]:
    """The function that writes a file of this suffix; InputError for any other."""
    known = {".jsonl": _write_lines, ".npz": _write_arrays}
    suffix = Path(path).suffix
    if suffix not in known:
        raise InputError(
            Defect(path, f"no table is written as {suffix or 'a file without suffix'}", "use .jsonl, .npz")
        )
    return known[suffix]


def _write_lines(path: str, table: _Table) -> None:
    write_atomically(Path(path), _lines(table))


def _lines(table: _Table) -> Iterator[str]:
    for row in table.results:
        entry = {"pair": list(row.pair), "value": format_fraction(row.value)}
        if table.kind != "bd":
            entry["reverse"] = format_fraction(row.reverse)
        yield json.dumps(entry | {"side": row.side}) + "\n"


def _write_arrays(path: str, table: _Table) -> None:
    import numpy as np

    names: dict[str, int] = {}
    count = len(table.results)
    pair = np.empty((count, 2), np.int32)
    value = np.empty((count, 2), np.int64)
    for at, row in enumerate(table.results):
        pair[at] = [names.setdefault(state, len(names)) for state in row.pair]
        value[at] = _rounded_up(row.value), _rounded_up(row.reverse)
    arrays: dict[str, Any] = {"states": np.array(list(names)), "pair": pair, "value": value}
    exact = np.array([row.side == "exact" for row in table.results], bool)
    temporary = Path(path).with_name(f".{Path(path).name}.part.npz")
    try:
        np.savez_compressed(temporary, **arrays, exact=exact, denominator=np.int64(DENOMINATOR))
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(Defect(path, f"it cannot be written: {error}", "choose another place")) from None


def _rounded_up(value: Fraction) -> int:
    return -((-value.numerator * DENOMINATOR) // value.denominator)
