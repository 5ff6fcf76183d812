"""Rows that are boxes: tightening, defects, what is refused, what may be merged."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import pytest

from deltachain import Chain
from deltachain.errors import ModelError, UncertainChain
from deltachain.model import Box, LimitRow, disjoint_union, is_bisimulation, quotient, restrict
from tests.words import refuses, says

F = Fraction


def coin(**rest: str) -> Chain:
    rows = {"s": {"h": ("2/5", "3/5"), "t": ("2/5", "1")}, "u": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}}
    return Chain.from_dicts(rows, {"s": "go", "u": "go", "h": "heads", "t": "tails"}, relation=[("s", "u")], rest=rest)


def test_a_box_is_tightened_when_it_is_built() -> None:
    assert coin().given[0] == (LimitRow(((2, F(2, 5), F(3, 5)), (3, F(2, 5), F(3, 5)))),)
    assert coin(s="1/10").given[0] == (LimitRow(((2, F(2, 5), F(3, 5)), (3, F(2, 5), F(3, 5))), F(1, 10)),)


def test_a_box_with_one_row_inside_is_that_row() -> None:
    chain = Chain.from_dicts({"s": {"s": ("0", "1"), "t": ("1/3", "1/3")}, "t": {"t": 1}}, {"s": "a", "t": "b"})
    assert chain.rows[0] == ((0, F(2, 3)), (1, F(1, 3)))
    assert chain.rational


def test_tightening_keeps_every_row_and_is_least() -> None:
    rng = random.Random(5)
    for _ in range(400):
        size, rest = rng.randint(1, 4), F(rng.choice([0, 0, 1, 3]), 10)
        ends = [sorted(F(rng.randint(0, 10), 10) for _ in range(2)) for _ in range(size)]
        low, high = sum(lo for lo, _ in ends), sum(hi for _, hi in ends)
        if low > 1 or high + rest < 1:
            continue
        box = Box(tuple((k, lo, hi) for k, (lo, hi) in enumerate(ends)), rest)
        tight = box.tighten()
        entries = {j: (lo, hi) for j, lo, hi in tight}
        for k, (lo, hi) in enumerate(ends):
            # The largest and the smallest p_k of any row inside, by filling up the others.
            most = min(hi, 1 - (low - lo))
            least = max(lo, 1 - rest - (high - hi))
            assert entries.get(k, (0, 0)) == (least, most)
        assert tight.tighten() == tight


def test_every_defect_of_boxes_is_reported_at_once() -> None:
    rows = {
        "s": {"h": ("4/5", "3/5")},
        "x": {"h": ("1/5", "2/5")},
        "y": {"h": ("2/3", 1), "x": ("1/2", 1)},
        "h": {"h": 1},
    }
    with pytest.raises(ModelError) as caught:
        Chain.from_dicts(rows, {name: name for name in rows})
    text = str(caught.value)
    assert says(text, "state 's': the")
    assert says(text, "inside: the upper")
    assert says(text, "inside: the lower")


def test_what_is_for_exact_rows_refuses_by_name() -> None:
    with refuses(UncertainChain, "probabilities of state"):
        _ = coin().moves
    with pytest.raises(UncertainChain):
        coin().probability("s", "h")


def test_boxes_survive_copies_parts_and_sums() -> None:
    chain = coin()
    assert pickle.loads(pickle.dumps(chain)) == chain  # noqa: S301
    assert restrict(chain, ["s"]).boxes[0][0].entries == ((1, F(2, 5), F(3, 5)), (2, F(2, 5), F(3, 5)))
    both = disjoint_union(chain, chain)
    assert both.boxes[4][0].entries[0] == (6, F(2, 5), F(3, 5))
    assert chain.with_relation([]).kind == "limits"


def test_equal_boxes_are_not_merged() -> None:
    rows = {"a": {"h": ("2/5", "3/5"), "t": ("2/5", "3/5")}, "b": {"h": ("2/5", "3/5"), "t": ("2/5", "3/5")}}
    rows |= {"h": {"h": 1}, "t": {"t": 1}}
    chain = Chain.from_dicts(rows, {"a": "go", "b": "go", "h": "heads", "t": "tails"})
    assert len(quotient(chain).chain) == 4
    assert not is_bisimulation(chain, [0, 0, 1, 2])


def test_boxes_into_merged_states_are_added_up() -> None:
    rows = {"a": {"h": ("1/5", "2/5"), "g": ("1/5", "2/5"), "t": ("1/5", "3/5")}, "h": {"h": 1}, "g": {"g": 1}}
    rows |= {"t": {"t": 1}}
    merged = quotient(Chain.from_dicts(rows, {"a": "go", "h": "heads", "g": "heads", "t": "tails"})).chain
    assert merged.boxes[0][0].entries == ((1, F(2, 5), F(4, 5)), (2, F(1, 5), F(3, 5)))


def test_what_a_box_forces_to_be_a_point_may_be_merged() -> None:
    rows = {"a": {"h": ("1/5", "4/5"), "g": ("1/5", "4/5")}, "b": {"h": 1}, "h": {"h": 1}, "g": {"g": 1}}
    chain = Chain.from_dicts(rows, {"a": "go", "b": "go", "h": "heads", "g": "heads"})
    assert is_bisimulation(chain, [0, 0, 1, 1])
    assert quotient(chain, [0, 0, 1, 1]).chain.rows[0] == ((1, F(1)),)


def test_the_hash_covers_ends_and_rest() -> None:
    assert len({coin().sha256, coin(s="1/10").sha256, coin(s="1/5").sha256}) == 3


def test_the_centre_is_inside() -> None:
    row, left = coin(s="1/10").boxes[0][0].centre()
    assert all(F(2, 5) <= p <= F(3, 5) for _, p in row)
    assert 0 <= left <= F(1, 10)
    assert sum(p for _, p in row) + left == 1


def test_a_row_that_many_states_share_is_tightened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tightened = LimitRow.tighten
    rows: list[LimitRow] = []

    def counted(row: LimitRow) -> object:
        rows.append(row)
        return tightened(row)

    monkeypatch.setattr(LimitRow, "tighten", counted)
    box = LimitRow(((0, Fraction(1, 4), Fraction(3, 4)), (1, Fraction(0), Fraction(1))))
    chain = Chain(("a", "b", "c"), ("", "", ""), ((box,), (box,), (box,)))
    assert rows == [box]
    assert chain.given[0][0] is chain.given[2][0]
