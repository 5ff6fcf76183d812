"""Tables of pairs as files: what is written is what was found, rounded to its own side."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.measures.distance.pairs_file import DENOMINATOR, save_pairs
from tests.reference.random_chains import random_chain


@pytest.mark.parametrize("kind", ["bd", "ld"])
def test_every_line_is_a_row_of_the_table(kind: str, tmp_path: Path) -> None:
    table = dc.distance(random_chain(Random(3)), pairs="all", exp_epsilon="6/5", kind=kind, exact=True)
    save_pairs(tmp_path / "pairs.jsonl", table)
    lines = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    assert len(lines) == len(table.results) > 0
    for line, row in zip(lines, table.results, strict=True):
        assert line["pair"] == list(row.pair)
        assert Fraction(line["value"]) == row.value
        assert line["side"] == row.side == "exact"
        assert ("reverse" in line) == table.directed
        assert not table.directed or Fraction(line["reverse"]) == row.reverse


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exact", [False, True])
def test_arrays_hold_upper_bounds_over_one_denominator(seed: int, exact: bool, tmp_path: Path) -> None:
    table = dc.distance(random_chain(Random(seed)), pairs="all", exp_epsilon="6/5", kind="ld", exact=exact)
    save_pairs(tmp_path / "pairs.npz", table)
    with np.load(tmp_path / "pairs.npz") as found:
        assert int(found["denominator"]) == DENOMINATOR
        names = [tuple(found["states"][pair]) for pair in found["pair"]]
        assert names == [row.pair for row in table.results]
        for n, row in enumerate(table.results):
            assert found["value"][n].tolist() == [math.ceil(v * DENOMINATOR) for v in (row.value, row.reverse)]
            lower = -1 if row.lower is None else math.floor(row.lower * DENOMINATOR)
            assert found["lower"][n][0] == lower
            assert found["exact"][n] == (row.side == "exact")


@pytest.mark.parametrize("name", ["pairs.csv", "pairs"])
def test_another_suffix_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    table = dc.distance(dc.examples.coin(), exp_epsilon=1)
    with pytest.raises(InputError, match=r"use \.jsonl, \.npz"):
        save_pairs(tmp_path / name, table)
    assert list(tmp_path.iterdir()) == []
