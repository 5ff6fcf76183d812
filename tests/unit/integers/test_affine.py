"""Integer solutions of integer equations."""

from __future__ import annotations

import random
from itertools import product

import pytest

from deltachain.integers.affine import Affine, Form, solve


@pytest.mark.seeds(40, 400)
def test_a_solution_solves_and_none_is_missed(seed: int) -> None:
    rng = random.Random(seed)
    height, width = rng.randint(1, 3), rng.randint(1, 3)
    rows = [[rng.randint(-3, 3) for _ in range(width)] for _ in range(height)]
    right = [rng.randint(-4, 4) for _ in range(height)]
    found = solve(rows, right)
    if found is None:
        # Euclid's combinations of small columns have small solutions, if any.
        for x in product(range(-8, 9), repeat=width):
            assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows] != right
    else:
        assert [sum(a * b for a, b in zip(row, found, strict=True)) for row in rows] == right


def test_sums_of_forms_drop_what_cancels() -> None:
    x, y = Form((("x", 1),)), Form((("y", 2),), 3)
    assert x.plus(y, -1) == Form((("x", 1), ("y", -2)), -3)
    assert x.plus(x, -1) == Form()
    assert Affine(((0, 1),), x).plus(Affine(((0, 1),), y), -1) == Affine((), Form((("x", 1), ("y", -2)), -3))
    assert y.at({"y": 5}) == 13
