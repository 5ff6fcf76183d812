"""`Sweep`: the rows of a sweep as values, as lines of a file, as columns for a DataFrame, as pictures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...numbers.exponential import read_exponential
from ...numbers.fraction import FORMULA, Number, as_probability, parse_fraction
from ...results.numbers import (
    at_confidence,
    bound,
    decimal,
    exactly,
    json_assumed,
    json_number,
    outward,
    outward_float,
    value_of,
)
from ...results.plots import draw_sweep
from ...results.sections import SHOWN_ROWS, Rendered, Section, Table
from ...results.text import LONGEST_NAME, name_pair, printable, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...numbers.field import Exact

Parameters = tuple[tuple[str, Any], ...]
"""Names and values of a job."""
LONGEST_ERROR = 80
"""Characters of an error in a table; the file has it whole."""

RESULTS: dict[str, frozenset[str]] = {
    "delta": frozenset({"lower", "upper", "exact", "nodes", "method", "stopped"}),
    "epsilon": frozenset(
        {"delta", "epsilon", "exp_epsilon", "epsilon_refuted", "exp_epsilon_refuted", "exact", "pure", "impossible"}
    ),
    "distance": frozenset({"value", "reverse", "largest", "side", "kind"}),
    "estimate": frozenset({"lower", "upper", "certified", "samples", "horizon", "proved", "confidence", "seed"}),
}
"""The keys of each verb's result; the two of a direction are left out of bd."""
BOUNDS: dict[str, tuple[str, ...]] = {
    "delta": ("lower", "upper"),
    "epsilon": ("epsilon_refuted", "exp_epsilon_refuted"),
    "distance": ("value",),
    "estimate": ("lower", "upper", "confidence"),
}
"""The keys that must hold numbers."""


@dataclass(frozen=True, slots=True)
class SweepRow:
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
    """Whether the checker accepted the certificate before the row was written; None where there is none."""
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
    def read(cls, entry: Mapping[str, Any]) -> SweepRow:
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
class Sweep(Rendered):
    """The rows of a sweep, in the order of its jobs, whatever the order in which they came. A value.

    Attributes:
        verb: the verb that was asked.
        rows: a row for each job and pair.
        missing: jobs that were not run, because the time limit was reached, somebody interrupted, or workers died.
        lost: what happened to the workers, if they are why; empty otherwise.
    """

    verb: str
    rows: tuple[SweepRow, ...]
    missing: int = 0
    lost: str = ""

    @property
    def failed(self) -> tuple[SweepRow, ...]:
        """The rows that are errors."""
        return tuple(row for row in self.rows if row.error is not None)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the rows assume, each sentence once."""
        found = (sentence for row in self.rows for sentence in (row.result or {}).get("assumes", ()))
        return tuple(dict.fromkeys(found))

    @property
    def headline(self) -> str:
        """The verb, what it ran over, and how many rows there are."""
        names = [*self._parameters, *(["ε"] if any(row.epsilon is not None for row in self.rows) else [])]
        over = shorten(printable(", ".join(names)), 80)
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        missing = f", {self.missing:,} job{'' if self.missing == 1 else 's'} missing" if self.missing else ""
        count = f"{len(self.rows):,} row{'' if len(self.rows) == 1 else 's'}"
        return f"{self.verb} over {over or 'one model'}: {count}{failed}{missing}"

    @property
    def _parameters(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name, _ in row.parameters))

    def sections(self) -> Sequence[Section]:
        """The first rows: parameters, pair, ε, and the numbers of the verb, bounds rounded outward."""
        shown = self.rows[:SHOWN_ROWS]
        if not shown:
            return []
        columns = [(name, [_parameter(dict(row.parameters).get(name)) for row in shown]) for name in self._parameters]
        columns.append(("pair", ["" if row.pair is None else name_pair(row.pair, LONGEST_NAME) for row in shown]))
        if any(row.epsilon is not None for row in shown):
            columns.append(("ε", ["" if row.epsilon is None else decimal(row.epsilon) for row in shown]))
        cells = [_cells(row) for row in shown]
        shown_names = dict.fromkeys(name for row in cells for name in row)
        columns += [(name, [row.get(name, "") for row in cells]) for name in shown_names]
        holds = [_holds(row) for row in shown]
        columns += [("for", holds)] if any(holds) else []
        likely = [(row.result or {}).get("accuracy") for row in shown]
        if any(likely):
            columns.append(("accuracy", ["" if known is None else bound(_exact(known), "lower") for known in likely]))
        if any(row.checked for row in shown):
            columns.append(("certificate", ["checked" if row.checked else "" for row in shown]))
        if any(row.error is not None for row in shown):
            columns.append(("error", [shorten(row.error or "", LONGEST_ERROR) for row in shown]))
        more = len(self.rows) - len(shown)
        left = f"… and {more:,} more; `to_dict()` or `out` has all" if more else ""
        header = [printable(name) for name, _ in columns]
        return [Table(header, list(zip(*(found for _, found in columns), strict=True)), more=left)]

    def to_dict(self) -> dict[str, list[Any]]:
        """The rows as columns, for a DataFrame: numbers as floats rounded outward, and exactly as text."""
        flat = [_flat(row) for row in self.rows]
        names = list(dict.fromkeys(name for row in flat for name in row))
        return {name: [row.get(name) for row in flat] for name in names}

    def document(self) -> dict[str, Any]:
        """The keys of its own of ``deltachain sweep --json``, beside where the model and the file are."""
        counts = {"count": len(self.rows), "failed": len(self.failed), "missing": self.missing}
        return {"verb": self.verb, **counts, **json_assumed(self.assumes), "rows": [row.to_dict() for row in self.rows]}

    def plot(self, target: str | Path | Axes | None = None, *, delta: Number | None = None) -> Axes | None:
        """Draw lines over one parameter, a heat map over two, panels of heat maps over three (extra ``plot``).

        Args:
            target: an SVG, PNG or PDF file to write, or matplotlib axes to draw onto; None for new axes.
            delta: a δ to draw a line at: of a heat map, around the rows whose upper number is at most that.

        Returns:
            The axes; None where a file was written.

        Raises:
            InputError: there is nothing to draw, or too much; or a line at a δ, where rows are about ε.
        """
        limit = None if delta is None else as_probability(delta, "delta")
        if limit is not None and self.verb == "epsilon":
            raise InputError("delta: the rows are about ε; draw the line over rows of the verb delta")
        axes: Axes | None = draw_sweep(target, self.verb, [_flat(row) for row in self._whole()], limit)
        return axes

    def _whole(self) -> list[SweepRow]:
        """The rows of jobs that have one for every pair: where a pair failed, the worst one is not known."""
        rows = [row for row in self.rows if row.error is None]
        there = Counter(row.key for row in rows)
        return [row for row in rows if there[row.key] >= (row.pairs or 1)]


def _parameter(value: object) -> str:
    return "" if value is None else shorten(printable(str(value)), LONGEST_NAME)


def _cells(row: SweepRow) -> dict[str, str]:
    """The numbers of one row, by column, as they are shown."""
    result = row.result
    if result is None:
        return {}
    if row.verb == "delta":
        return {"δ": value_of(*_bounds(result, result)), "method": result["method"]}
    if row.verb == "distance":
        side = "upper" if result["side"] == "upper" else None
        names = {"value": result["kind"], "reverse": "reverse", "largest": "larger: bounds δ"}
        return {
            shown: exactly(_any_exact(result[name])) if side is None else bound(_any_exact(result[name]), "upper")
            for name, shown in names.items()
            if name in result
        }
    if row.verb == "estimate":
        return {
            f"δ with confidence {decimal(_exact(result['confidence']))}, not proved": value_of(
                *_bounds(result, result)
            ),
            "proved": value_of(*_bounds(result, result["certified"])),
        }
    proved, none = result["epsilon"], "none" if result["impossible"] else "not proved"
    return {
        "ε proved from": none if proved is None else outward(_exact(proved), "upper", 9),
        "ε refuted below": outward(_exact(result["epsilon_refuted"]), "lower", 9),
    }


def _holds(row: SweepRow) -> str:
    """Of what the numbers of a row are proved, where its model's rows are known within limits only, or from counts."""
    result = row.result or {}
    known = result.get("counts_confidence" if row.verb == "estimate" else "confidence")
    level = "" if known is None else at_confidence(_exact(known))
    return ", ".join(filter(None, ["every chain within the limits" if result.get("uncertain") else "", level]))


def _bounds(result: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[Exact, Exact]:
    """The bounds that are known: δ itself twice, where the result has it."""
    if "value" in result:
        return _any_exact(result["value"]), _any_exact(result["value"])
    return _exact(known["lower"]), _exact(known["upper"])


def _exact(number: Mapping[str, Any]) -> Fraction:
    return parse_fraction(number["exact"])


def _any_exact(number: Mapping[str, Any]) -> Exact:
    """The number of a JSON document, a formula in exp(…) too."""
    text = number["exact"]
    if FORMULA.search(text) is None:
        return parse_fraction(text)
    return read_exponential(text)


OWN_COLUMNS = frozenset({"first", "second", "epsilon", "verb", "error", "checked"})


def column_of(parameter: str) -> str:
    """The column of a parameter: its name, or ``parameter_NAME`` where a column of every sweep is called so.

    >>> column_of("p"), column_of("epsilon"), column_of("upper")
    ('p', 'parameter_epsilon', 'parameter_upper')
    """
    results = {name.removesuffix("_exact") for keys in RESULTS.values() for name in keys}
    taken = parameter.removesuffix("_exact") in OWN_COLUMNS | results or parameter.startswith("parameter_")
    return f"parameter_{parameter}" if taken else parameter


def _flat(row: SweepRow) -> dict[str, Any]:
    """One level of plain values; a number is a float under its name, and text under name_exact."""
    found: dict[str, Any] = {column_of(name): value for name, value in row.parameters}
    found |= {"first": row.pair[0] if row.pair else None, "second": row.pair[1] if row.pair else None}
    found["epsilon"] = None if row.epsilon is None else outward_float(row.epsilon)
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


def faithful(result: Mapping[str, Any]) -> bool:
    """Whether each decimal of a result is one that its exact number may be shown by."""
    values = [value for value in result.values() if isinstance(value, dict)]
    parts = [part for value in values for part in ([value] if "exact" in value else value.values())]
    numbers = [part for part in parts if isinstance(part, dict)]  # a reason has names and words beside its numbers
    return all(
        number in [json_number(_any_exact(number), side) for side in (None, "lower", "upper")] for number in numbers
    )


def is_result(verb: str, result: Any) -> bool:
    """Whether something read from a file has the shape of the verb's result, each decimal that of its exact number."""
    optional = {"reverse", "largest"}
    if verb not in RESULTS or not isinstance(result, dict) or not RESULTS[verb] - optional <= result.keys():
        return False
    try:
        return all(isinstance(result[key]["exact"], str) for key in BOUNDS[verb]) and faithful(result)
    except (InputError, ValueError, KeyError, TypeError, AttributeError):
        return False
