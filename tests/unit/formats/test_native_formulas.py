"""Probabilities as formulas in exp(…): read exactly, written back, refused with state and reason."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.numbers.exponential import read_exponential

MORE, LESS = "1/(1+exp(-1/10))", "exp(-1/10)/(1+exp(-1/10))"


def model(**rows: dict[str, object]) -> dict[str, object]:
    states: dict[str, object] = {name: {"label": "start", "to": row} for name, row in rows.items()}
    states |= {name: {"label": name, "to": {name: 1}} for name in "ht"}
    return {"format": "deltachain.chain/1", "states": states, "relation": [list(rows)]}


def saved(folder: Path, data: dict[str, object]) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_formulas_are_exact_and_come_back(tmp_path: Path) -> None:
    chain = dc.load(saved(tmp_path, model(a={"h": MORE, "t": LESS}, b={"h": LESS, "t": MORE})))
    assert chain.base == 10
    assert dc.delta(chain, epsilon="1/10").upper == 0
    assert dc.delta(chain, epsilon="0.0999").lower > 0
    dc.save(chain, tmp_path / "again.json")
    again = dc.load(tmp_path / "again.json")
    assert again.sha256 == chain.sha256
    assert again == chain
    text = json.loads((tmp_path / "again.json").read_text("utf-8"))["states"]["a"]["to"]["h"]
    assert read_exponential(text) == read_exponential(MORE)


def test_formulas_that_are_rational_are_plain_rows() -> None:
    rows = {"s": {"h": "exp(0)/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "start", "h": "h", "t": "t"})
    assert chain.rows[0] == ((1, Fraction(1, 2)), (2, Fraction(1, 2)))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"h": MORE, "t": MORE}, r"state 'a': the row does not sum to 1: it sums to about 1\.\d+"),
        ({"h": "exp(exp(1))", "t": LESS}, "exp of something that is not rational, to 'h'"),
        ({"h": "1-exp(1)", "t": "exp(1)"}, r"negative probability 1-exp\(1\) to 'h'"),
        ({"h": "exp(1/2", "t": LESS}, "a parenthesis is not closed"),
        ({"x": MORE, "t": LESS}, "unknown target 'x'"),
        ({"h": "exp(99999)/2", "t": LESS}, "degree 99999"),
    ],
)
def test_bad_formulas_are_refused_with_their_state(row: dict[str, object], why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why):
        dc.load(saved(tmp_path, model(a=row, b={"h": LESS, "t": MORE})))
