"""What is no chain: rows that do not add up or go below 0, of every kind, whoever built them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain.errors import ModelError
from deltachain.model import Chain
from deltachain.model.rows import AnyRow, BallRow, LimitRow, PointRow, Quotients
from deltachain.model.validate import find_defects
from tests.reference.random_chains import random_chain

F = Fraction
STAYS = PointRow(((1, F(1)),))


def defects(row: AnyRow) -> list[str]:
    """What is wrong with a chain whose first row is this one."""
    return [str(defect) for defect in find_defects(("s", "t"), ("a", "b"), ((row,), (STAYS,)), ())]


@pytest.mark.parametrize(
    "row",
    [
        PointRow(((0, F(1, 3)), (1, F(2, 3)))),
        PointRow(((0, F(1, 3)),), F(2, 3)),
        # 1/(e − 1) and (e − 2)/(e − 1); the same over 1 − e.
        PointRow(Quotients(1, ((0, (1,)), (1, (-2, 1))), (-1, 1))),
        PointRow(Quotients(1, ((0, (-1,)), (1, (2, -1))), (1, -1))),
        BallRow(((0, F(1, 3), F(1, 2)), (1, F(1, 2), F(2, 3)))),
        BallRow(((0, F(1, 3), F(1, 2)),), F(2, 3)),
        LimitRow(((0, F(0), F(1)),), F(1)),
    ],
)
def test_rows_that_are_sound(row: AnyRow) -> None:
    assert defects(row) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (PointRow(()), "it has no transitions"),
        (PointRow(((0, F(1, 3)), (1, F(1, 3)))), "row sums to 2/3"),
        (PointRow(((1, F(1, 3)), (0, F(2, 3)))), "repeated or out of order"),
        (PointRow(((0, F(1)), (0, F(0)))), "repeated or out of order"),
        (PointRow(((0, F(3, 2)), (1, F(-1, 2)))), "is not positive"),
        (PointRow(((2, F(1)),)), "unknown target number 2"),
        # With a part that is cut off.
        (PointRow(((0, F(3, 2)),), F(-1, 2)), "what is cut off is below 0"),
        (PointRow(((0, F(-1, 2)), (1, F(1))), F(1, 2)), "the probability to 's' is not positive"),
        (PointRow(((0, F(1, 2)),), F(1, 3)), "with what is cut off it sums to 5/6"),
        (PointRow(((2, F(1, 2)),), F(1, 2)), "unknown, repeated or out of order"),
        # −1/(e − 1), (e − 3)/(e − 1) and 2/(2 − e) are below 0, each beside what makes the sum 1.
        (PointRow(Quotients(1, ((0, (-1,)), (1, (0, 1))), (-1, 1))), "the probability to 's' is not positive"),
        (PointRow(Quotients(1, ((0, (2,)), (1, (-3, 1))), (-1, 1))), "the probability to 't' is not positive"),
        (PointRow(Quotients(1, ((0, (2,)), (1, (0, -1))), (2, -1))), "the probability to 's' is not positive"),
        (PointRow(Quotients(1, ((0, (1,)), (1, (0, 1))), (2, 1))), "the numerators exceed the denominator by"),
        (BallRow(((0, F(1, 2), F(1, 3)), (1, F(1, 2), F(1)))), "goes from 1/2 to 1/3"),
        (BallRow(((0, F(1, 3), F(1, 2)),)), "sum to 1/2"),
        (LimitRow(((0, F(2, 3), F(1)), (1, F(2, 3), F(1)))), "the lower ends sum to 4/3"),
        (LimitRow(((0, F(0), F(1)),), F(-1)), "rest is -1"),
    ],
)
def test_rows_that_are_not(row: AnyRow, said: str) -> None:
    assert any(said in found for found in defects(row)), defects(row)
    with pytest.raises(ModelError):
        Chain(("s", "t"), ("a", "b"), ((row,), (STAYS,)))


def test_signs_of_functions_are_those_of_their_values() -> None:
    """Random numerators over 1 + e: a defect exactly where a probability is below 0 in decimals."""
    random, e = Random(3), 2.718281828459045
    seen = set()
    for _ in range(200):
        top = (random.randint(-4, 4), random.randint(-4, 4))
        other = (1 - top[0], 1 - top[1])
        values = [(c + d * e) / (1 + e) for c, d in (top, other)]
        row = PointRow(Quotients(1, ((0, top), (1, other)), (1, 1)))
        sound = min(values) > 0
        seen.add(sound)
        assert (defects(row) == []) == sound, (top, other)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_every_defect_is_reported_at_once(seed: int) -> None:
    """As many rows as are spoiled, each by its name."""
    random = Random(seed)
    chain = random_chain(random)
    spoiled = {state for state in range(len(chain)) if random.random() < 0.5}
    rows = [
        (PointRow(tuple((j, 2 * p) for j, p in row)) if state in spoiled else PointRow(row),)
        for state, row in enumerate(chain.rows)
    ]
    found = find_defects(chain.states, chain.labels, rows, ())
    assert [defect.where for defect in found] == [f"state {chain.states[state]!r}" for state in sorted(spoiled)]
