"""One chain for every kind of row, with and without inputs: the cells that every method and every verb is asked about.

A shape is a chain with a probability p in it, so that each kind of row has the same shapes. `instances` are chains of
fractions inside: what is proved of a cell holds for each of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc

E_HALF = Fraction(
    "1.6487212707001281468486507878141635716537761007101480115750793116406610211942156086327765200563666430"
)
"""e^(1/2), rounded to 100 digits."""
CLOSE = Fraction(1, 10**90)
"""More than δ of an instance may be off where numbers are rounded to 100 digits."""
THIRD = Fraction(1, 3)


@dataclass(frozen=True)
class Numbers:
    """How p and 1 − p are written in a row of a model file, what else the row says, and fractions that p may be."""

    p: object
    other: object
    beside: Mapping[str, object]
    inside: tuple[Fraction, ...]

    def row(self, yes: str, no: str) -> dict[str, object]:
        """A row with p to one state and 1 − p to another."""
        return {"to": {yes: self.p, no: self.other}, **self.beside}

    def backwards(self, yes: str, no: str) -> dict[str, object]:
        """A row with 1 − p to the first."""
        return {"to": {yes: self.other, no: self.p}, **self.beside}


def _around(value: Fraction, width: Fraction) -> list[str]:
    return [str(value - width), str(value + width)]


TINY = Fraction(1, 10**100)
COLUMNS: Mapping[str, Numbers] = {
    "fractions": Numbers("1/3", "2/3", {}, (THIRD,)),
    "functions": Numbers("1/(1+exp(1/2))", "exp(1/2)/(1+exp(1/2))", {}, (1 / (1 + E_HALF),)),
    "enclosed": Numbers(_around(THIRD, TINY), _around(2 * THIRD, TINY), {"enclosed": True}, (THIRD,)),
    "cut off": Numbers(
        _around(THIRD, TINY),
        _around(2 * THIRD - Fraction(1, 1000), TINY),
        {"enclosed": True, "rest": "1/1000"},
        (THIRD, THIRD + Fraction(1, 1000)),
    ),
    "limits": Numbers(["3/10", "2/5"], ["3/5", "7/10"], {}, (Fraction(3, 10), THIRD, Fraction(2, 5))),
}
"""What rows may be made of; "cut off" counts as enclosed, with a little that goes nowhere known."""
CELLS = [(column, inputs) for column in COLUMNS for inputs in (False, True)]

State = dict[str, object]
ENDS: Mapping[str, State] = {"y": {"label": "yes", "to": {"y": "1"}}, "n": {"label": "no", "to": {"n": "1"}}}


def _asking(state: Mapping[str, object], inputs: bool) -> State:
    """The state, which waits for the question that it answers, or another one that says nothing."""
    if not inputs:
        return dict(state)
    row = {key: value for key, value in state.items() if key != "label"}
    return {"label": state["label"], "on": {"ask": row if len(row) > 1 else row["to"], "skip": {"nothing": "1"}}}


def _model(states: Mapping[str, Mapping[str, object]], inputs: bool, pair: Sequence[str] = ("s", "t")) -> str:
    found = {name: _asking(state, inputs and state["label"] == "start") for name, state in states.items()}
    if inputs:
        found["nothing"] = {"label": "nothing", "to": {"nothing": "1"}}
    return json.dumps({"format": "deltachain.chain/1", "states": found, "relation": [list(pair)]})


def labels(numbers: Numbers, inputs: bool) -> str:
    """Two states that show different letters."""
    start: State = {"label": "start", **numbers.row("y", "n")}
    return _model({"s": start, "t": {"label": "other", "to": {"n": "1"}}, **ENDS}, inputs)


def twins(numbers: Numbers, inputs: bool) -> str:
    """Two states that do the same: what happens next is in one row."""
    both: State = {"label": "start", "to": {"m": "1"}}
    middle: State = {"label": "middle", **numbers.row("y", "n")}
    return _model({"s": both, "t": both, "m": middle, **ENDS}, inputs)


def ending(numbers: Numbers, inputs: bool) -> str:
    """Answers with probability p and 1 − p, twice."""
    states: dict[str, State] = {}
    for name, row in (("s", numbers.row), ("t", numbers.backwards)):
        states[name] = {"label": "start", **row(f"{name}y", f"{name}n")}
        for letter, word in (("y", "first yes"), ("n", "first no")):
            states[f"{name}{letter}"] = {"label": word, **row("y", "n")}
    return _model(states | dict(ENDS), inputs)


def endless(numbers: Numbers, inputs: bool) -> str:
    """A hidden mode that changes slowly, and is shown with noise for ever: beliefs never end."""
    states: dict[str, State] = {}
    for mode, row in (("s", numbers.row), ("t", numbers.backwards)):
        states[mode] = {"label": "start", **row(f"{mode}y", f"{mode}n")}
        for letter, word in (("y", "yes"), ("n", "no")):
            states[f"{mode}{letter}"] = {"label": word, "to": {mode: "3/4", "t" if mode == "s" else "s": "1/4"}}
    return _model(states, inputs)


def remembered(numbers: Numbers, inputs: bool) -> str:
    """A noisy answer is drawn once, and shown with noise for ever: beliefs end apart for each of them."""
    states: dict[str, State] = {}
    for name, row in (("s", numbers.row), ("t", numbers.backwards)):
        states[name] = {"label": "start", **row("k0", "k1")}
    for kept, row in (("k0", numbers.row), ("k1", numbers.backwards)):
        for here in (kept, f"{kept}'"):
            states[here] = {"label": "yes" if here == kept else "no", **row(kept, f"{kept}'")}
    return _model(states, inputs)


def late_or_early(numbers: Numbers, inputs: bool) -> str:
    """A coin that is tossed at the end (s), or perhaps already while waiting (t): trace equivalent."""
    rest = {"y": "1/4", "n": "1/4"}
    waiting = {
        "s": {"s": "1/2", **rest},
        "t": {"t": "1/6", "t0": "1/6", "t1": "1/6", **rest},
        "t0": {"t0": "1/2", "y": "1/2"},
        "t1": {"t1": "1/2", "n": "1/2"},
    }
    states: dict[str, State] = {name: {"label": "start", "to": row} for name, row in waiting.items()}
    ends: dict[str, State] = {
        "y": {"label": "heads", **numbers.row("end", "last")},
        "n": {"label": "tails", **numbers.row("end", "last")},
        "end": {"label": "end", "to": {"end": "1"}},
        "last": {"label": "last", "to": {"last": "1"}},
    }
    return _model(states | ends, inputs)


SHAPES = {shape.__name__: shape for shape in (labels, twins, ending, endless, remembered, late_or_early)}


@cache
def loaded(text: str) -> dc.Chain:
    """The chain of a model file; many tests ask for the same."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        path.write_text(text, "utf-8")
        return dc.load(path)


def chain_of(shape: str, column: str, inputs: bool = False) -> dc.Chain:
    """The chain of a cell."""
    return loaded(SHAPES[shape](COLUMNS[column], inputs))


def instances(shape: str, column: str, inputs: bool = False) -> list[dc.Chain]:
    """Chains of fractions that are inside, or as close as `CLOSE` allows; what is cut off may go anywhere."""
    found: list[dc.Chain] = []
    for p in COLUMNS[column].inside:
        fractions: Any = Numbers(str(p), str(1 - p), {}, (p,))
        found.append(loaded(SHAPES[shape](fractions, inputs)))
    return found
