"""All pairs of a distance as a file: a line of JSON each, or NumPy arrays. Written span by span, never as a whole.

In ``.npz`` a value is the integer ⌈value · 2^62⌉ over the one denominator 2^62, so it stays an upper bound; it is the
exact value if that is a whole number of 2^-62, as certified values above 2^-10 are. ``lower`` are the lower sides in
the same units, rounded down, and −1 where there is none.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...distances.pair_table import SPAN, PairTable
from ...errors import Defect, InputError
from ...files import write_atomically
from ...results.numbers import exact_text, round_to_side

if TYPE_CHECKING:
    from ...distances.pair_table import PairDistance
    from ...numbers.field import Exact

DENOMINATOR = 2**62


class PairsTable(Protocol):
    """What can be written: the rows, and whether both directions of a pair have values of their own."""

    @property
    def results(self) -> Sequence[PairDistance]:
        """A row of each pair."""

    @property
    def directed(self) -> bool:
        """Whether the pair turned round has a value of its own."""


def save_pairs(path: str | Path, table: PairsTable) -> None:
    """Write the table, all or nothing; InputError for a suffix that is none of ours."""
    refuse_suffix(path)
    write = _lines if Path(path).suffix == ".jsonl" else _archive
    write_atomically(Path(path), write(table))


def refuse_suffix(path: str | Path) -> None:
    """InputError unless the file's suffix is that of a table of pairs."""
    suffix = Path(path).suffix
    if suffix not in (".jsonl", ".npz"):
        what = f"no table is written as {suffix or 'a file without suffix'}"
        raise InputError(Defect(str(path), what, "use .jsonl, .npz"))


def _lines(table: PairsTable) -> Iterator[str | bytes]:
    directed = table.directed
    for row in table.results:
        sides = [("value", row.value), ("lower", row.lower)]
        sides += [("reverse", row.reverse), ("reverse_lower", row.reverse_lower)] if directed else []
        fields = ", ".join(f'"{name}": {_text(value)}' for name, value in sides)
        yield f'{{"pair": {json.dumps(row.pair)}, {fields}, "side": "{row.side}"}}\n'


@lru_cache(maxsize=100_000)
def _text(value: Exact | None) -> str:
    return "null" if value is None else f'"{exact_text(value)}"'


def _archive(table: PairsTable) -> Iterator[str | bytes]:
    """``states``, ``pair`` (numbers of ``states``), ``value`` and ``lower`` (there and back), ``exact`` and
    ``denominator``.
    """
    stream = _Taken()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in _arrays(table.results).items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
                for start in range(0, max(1, array.size), SPAN):
                    file.write(array.reshape(-1)[start : start + SPAN].tobytes())
                    yield stream.take()
    yield stream.take()


def _arrays(rows: Sequence[PairDistance]) -> dict[str, Any]:
    """The columns of a table, a few bytes a row."""
    if isinstance(rows, PairTable):
        states, pair = np.array(rows.states), np.stack((rows.first, rows.second), 1)
        # A product with a power of two is exact, and so is a whole number below 2^63 that a float holds.
        value = np.stack(
            [np.ceil(side * float(DENOMINATOR)).astype(np.int64) for side in (rows.value, rows.reverse)], 1
        )
        lower = np.full_like(value, -1)
        if rows.lowers is not None:
            lower = np.stack([np.floor(side * float(DENOMINATOR)).astype(np.int64) for side in rows.lowers], 1)
        exact = np.zeros(len(rows), bool)
    else:
        names: dict[str, int] = {}
        numbers = [[names.setdefault(state, len(names)) for state in row.pair] for row in rows]
        states, pair = np.array(list(names)), np.array(numbers, np.int32).reshape(-1, 2)
        both = [[_rounded_up(row.value), _rounded_up(row.reverse)] for row in rows]
        value = np.array(both, np.int64).reshape(-1, 2)
        below = [[_rounded_down(row.lower), _rounded_down(row.reverse_lower)] for row in rows]
        lower = np.array(below, np.int64).reshape(-1, 2)
        exact = np.array([row.side == "exact" for row in rows], bool)
    numbers_of = {"states": states, "pair": pair, "value": value, "lower": lower, "exact": exact}
    return numbers_of | {"denominator": np.int64(DENOMINATOR)}


def _rounded_up(value: Exact) -> int:
    return math.ceil(round_to_side(value, "upper") * DENOMINATOR)


def _rounded_down(value: Exact | None) -> int:
    return -1 if value is None else math.floor(round_to_side(value, "lower") * DENOMINATOR)


class _Taken(io.RawIOBase):
    """A stream that is written to, and whose bytes are taken away as they come."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """All that was written since the last time."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken
