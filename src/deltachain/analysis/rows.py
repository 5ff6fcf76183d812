"""The rows of a sweep: as lines of a file, as values, as columns for a DataFrame, as pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..rational import parse_fraction
from ..render.html import html_table
from ..render.numbers import json_number
from ..render.table import shortened
from .jobs import NUMBERS, Parameters, is_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_ROWS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a sweep."""

    parameters: Parameters
    pair: tuple[str, str] | None
    """None where the chain could not be built, or has no pairs."""
    epsilon: Fraction | None
    verb: str
    body: str
    """The result, as JSON text; empty if there is none."""
    error: str | None
    checked: bool | None
    """Whether this process checked the certificate; None where there is none."""
    pairs: int | None
    """How many pairs there are at these parameters."""
    code: int = field(default=0, compare=False)
    """The exit code that the error stands for; 0 without one. Not in the file: a failed row is run again."""

    @property
    def result(self) -> dict[str, Any] | None:
        """What the verb says of the pair, as its JSON has it; None if the job failed."""
        return json.loads(self.body) if self.body else None

    def to_dict(self) -> dict[str, Any]:
        """The row as its file has it."""
        what = {"error": self.error} if self.error is not None else {"result": self.result}
        return {
            "parameters": dict(self.parameters),
            "pair": None if self.pair is None else list(self.pair),
            "pairs": self.pairs,
            "epsilon": None if self.epsilon is None else json_number(self.epsilon),
            "verb": self.verb,
            **what,
            "checked": self.checked,
        }

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Row:
        """The row that a line of a file holds; ValueError, KeyError or TypeError if it holds none."""
        pair, at, error, result = entry["pair"], entry["epsilon"], entry.get("error"), entry.get("result")
        parameters, checked, pairs = entry["parameters"], entry["checked"], entry["pairs"]
        plain = all(value is None or isinstance(value, bool | int | float | str) for value in parameters.values())
        named = pair is None or (len(pair) == 2 and all(isinstance(state, str) for state in pair))
        counted = pairs is None or (type(pairs) is int and pairs > 0)
        if not (plain and named and counted and (checked is None or isinstance(checked, bool))):
            raise ValueError("a field of the wrong type")
        if error is None and not is_result(entry["verb"], result):
            raise ValueError("not a result of its verb")
        return cls(
            tuple(parameters.items()),
            None if pair is None else (pair[0], pair[1]),
            None if at is None else parse_fraction(at["exact"]),
            entry["verb"],
            "" if error is not None else json.dumps(result),
            None if error is None else str(error),
            checked,
            pairs,
        )

    @property
    def key(self) -> tuple[str, Fraction | None]:
        """What tells the row's job from others."""
        return parameters_key(self.parameters), self.epsilon


def parameters_key(parameters: Parameters) -> str:
    """Parameters as text, the same whatever their order."""
    return json.dumps(dict(parameters), sort_keys=True)


@dataclass(frozen=True, repr=False)
class Sweep:
    """The rows of a sweep, in the order of its jobs, whatever the order in which they came. A value."""

    verb: str
    rows: tuple[Row, ...]
    missing: int = 0
    """Jobs that were not run, because time ran out or somebody interrupted."""

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows that are errors."""
        return tuple(row for row in self.rows if row.error is not None)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Sweep: {self._sentence()}>"

    def _sentence(self) -> str:
        names = list(dict.fromkeys(name for row in self.rows for name, _ in row.parameters))
        over = shortened(
            ", ".join([*names, *(["epsilon"] if any(r.epsilon is not None for r in self.rows) else [])]), 80
        )
        failed = f", {len(self.failed)} failed" if self.failed else ""
        missing = f", {self.missing} jobs missing" if self.missing else ""
        return f"{self.verb} over {over or 'one model'}, {len(self.rows)} rows{failed}{missing}"

    def to_dict(self) -> dict[str, list[Any]]:
        """The rows as columns, for a DataFrame: numbers as floats rounded outward, and exactly as text."""
        flat = [_flat(row) for row in self.rows]
        names = list(dict.fromkeys(name for row in flat for name in row))
        return {name: [row.get(name) for row in flat] for name in names}

    def _repr_html_(self) -> str:
        columns = {name: values for name, values in self.to_dict().items() if not name.endswith("_exact")}
        rows = list(zip(*(map(_cell, values[:SHOWN_ROWS]) for values in columns.values()), strict=True))
        more = f", the first {SHOWN_ROWS} shown" if len(self.rows) > SHOWN_ROWS else ""
        return html_table(self._sentence() + more, tuple(columns), rows)

    def plot(self, target: str | Path | Axes) -> None:
        """Draw lines over one parameter, a heat map over two, panels of heat maps over three (extra ``plot``)."""
        from ..render.sweeps import draw_sweep

        draw_sweep(target, self.verb, [_flat(row) for row in self.rows if row.error is None])


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else shortened(str(value), 40)


OWN_COLUMNS = frozenset({"first", "second", "epsilon", "verb", "error", "checked"})


def _column(parameter: str) -> str:
    """The column of a parameter: its name, or ``parameter_NAME`` where a column of every sweep is called so.

    >>> _column("p"), _column("epsilon"), _column("upper")
    ('p', 'parameter_epsilon', 'parameter_upper')
    """
    results = {name.removesuffix("_exact") for numbers in NUMBERS.values() for name in numbers}
    taken = parameter.removesuffix("_exact") in OWN_COLUMNS | results or parameter.startswith("parameter_")
    return f"parameter_{parameter}" if taken else parameter


def _flat(row: Row) -> dict[str, Any]:
    """One level of plain values; a number is a float under its name, and text under name_exact."""
    found: dict[str, Any] = {_column(name): value for name, value in row.parameters}
    found |= {"first": row.pair[0] if row.pair else None, "second": row.pair[1] if row.pair else None}
    found["epsilon"] = None if row.epsilon is None else float(row.epsilon)
    found["verb"] = row.verb
    for key, value in (row.result or {}).items():
        nested = {key: value} if not isinstance(value, dict) or "exact" in value else value
        for name, number in nested.items():
            place = name if nested.keys() == {key} else f"{key}_{name}"
            place = f"found_{place}" if place in found else place
            if isinstance(number, dict):
                found |= {place: number["approx"], f"{place}_exact": number["exact"]}
            else:
                found[place] = number
    return found | {"error": row.error, "checked": row.checked}
