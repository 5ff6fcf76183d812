"""A row whose common denominator is huge took a minute to add up; it is refused before that."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import Chain, load
from deltachain.errors import ModelError
from deltachain.formats import save
from deltachain.numbers.fraction import format_fraction

LONG = "state 's': the common denominator of its probabilities has more than 100,000 digits"


def long_row(entries: int, digits: int) -> dict[str, str]:
    """Probabilities with different denominators of so many digits; their sum is below 1."""
    rng = random.Random(1)
    denominators = [rng.randrange(10 ** (digits - 1), 10**digits) for _ in range(entries)]
    return {
        f"t{i}": format_fraction(Fraction(rng.randrange(1, denominator // (2 * entries)), denominator))
        for i, denominator in enumerate(denominators)
    }


@pytest.mark.sample(1)
@pytest.mark.parametrize("normalise", [False, True, "any"])
def test_a_row_of_long_probabilities_is_refused(normalise: bool, tmp_path: Path) -> None:
    row = long_row(12, 10_000)
    ends = {name: {name: "1"} for name in row}
    labels = {"s": "a"} | dict.fromkeys(ends, "b")
    with pytest.raises(ModelError) as caught:
        Chain.from_dicts({"s": row} | ends, labels, normalise=normalise)  # type: ignore[arg-type]
    assert [str(defect).partition(" (")[0] for defect in caught.value.defects] == [LONG]
    states = {name: {"label": labels[name], "to": to} for name, to in ({"s": row} | ends).items()}
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}))
    with pytest.raises(ModelError, match=LONG.partition(": ")[2]):
        load(path, normalise=normalise)  # type: ignore[arg-type]


def test_long_rows_that_share_a_denominator_are_read(tmp_path: Path) -> None:
    scale = 10**20_000
    shares = [Fraction(2 * k + 1, scale) for k in range(30)]
    row = {f"t{i}": p for i, p in enumerate(shares)} | {"s": 1 - sum(shares)}
    ends = {name: {name: Fraction(1)} for name in row if name != "s"}
    chain = Chain.from_dicts({"s": row} | ends, {"s": "a"} | dict.fromkeys(ends, "b"))
    save(chain, tmp_path / "m.json")
    assert load(tmp_path / "m.json") == chain
