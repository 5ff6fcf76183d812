"""The chain: valid by construction, frozen, equal by content, hashed as documented."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from fractions import Fraction
from random import Random

import pytest

from deltachain.errors import ModelError, UnknownState
from deltachain.model import Chain
from tests.reference.random_chains import random_chain
from tests.words import refuses, says

HALF = Fraction(1, 2)


def coin() -> Chain:
    return Chain.from_dicts(
        {"s0": {"h": "2/5", "t": "3/5"}, "s1": {"h": "3/5", "t": "2/5"}, "h": {"h": 1}, "t": {"t": 1}},
        {"s0": "start", "s1": "start", "h": "heads", "t": "tails"},
        relation=[("s1", "s0")],
    )


def defects_of(*parts: object) -> list[str]:
    with pytest.raises(ModelError) as caught:
        Chain.of_rows(*parts)  # type: ignore[arg-type]
    return [str(defect) for defect in caught.value.defects]


def test_lookups() -> None:
    chain = coin()
    assert len(chain) == 4
    assert chain.number("h") == 2 == chain.number(2)
    assert chain.probability("s0", "t") == Fraction(3, 5)
    assert chain.probability("h", "t") == 0
    assert chain.alphabet == ("heads", "start", "tails")
    assert chain.by_label == {"start": (0, 1), "heads": (2,), "tails": (3,)}
    assert chain.transitions == 6
    assert chain.relation == ((0, 1),)
    assert chain.pairs == (("s0", "s1"),)


@pytest.mark.parametrize(
    ("state", "hint"),
    [("s00", "did you mean s0"), ("zzz", "states are s0, s1"), (4, "0 to 3"), (-1, "0 to 3")],
)
def test_unknown_states_get_near_misses(state: str | int, hint: str) -> None:
    with pytest.raises(UnknownState, match=hint):
        coin().number(state)


def test_true_is_not_state_one() -> None:
    with pytest.raises(UnknownState):
        coin().number(True)


def test_a_chain_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        coin().states = ()  # type: ignore[misc]


def test_relation_is_symmetric_sorted_and_without_repeats() -> None:
    chain = coin().with_relation([("t", "h"), ("s1", "s0"), (0, 1), ("h", "h")])
    assert chain.relation == ((0, 1), (2, 2), (2, 3))
    with pytest.raises(UnknownState):
        coin().with_relation([("s0", "nobody")])


def test_equality_and_hash_follow_content() -> None:
    assert coin() == coin()
    assert hash(coin()) == hash(coin())
    assert coin() != coin().with_relation([])
    assert len({coin(), coin(), coin().with_relation([])}) == 2


def test_content_hash_is_the_documented_one() -> None:
    lines = [
        ["h", "heads", [["h", "1"]]],
        ["s0", "start", [["h", "2/5"], ["t", "3/5"]]],
        ["s1", "start", [["h", "3/5"], ["t", "2/5"]]],
        ["t", "tails", [["t", "1"]]],
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    assert coin().sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("seed", range(20))
def test_content_hash_ignores_order_and_sees_everything_else(seed: int) -> None:
    random = Random(seed)
    chain = random_chain(random)
    order = random.sample(range(len(chain)), len(chain))
    rows = {chain.states[i]: {chain.states[j]: p for j, p in chain.rows[i]} for i in order}
    labels = {chain.states[i]: chain.labels[i] for i in order}
    assert Chain.from_dicts(rows, labels).sha256 == chain.sha256
    victim = chain.states[random.randrange(len(chain))]
    assert Chain.from_dicts(rows, labels | {victim: "other"}).sha256 != chain.sha256
    other_row = {chain.states[0]: "1/7", "new": "6/7"}
    changed = Chain.from_dicts(rows | {"new": {"new": 1}}, labels | {"new": "a"})
    assert changed.sha256 != chain.sha256
    assert Chain.from_dicts(rows | {"new": other_row}, labels | {"new": "a"}).sha256 != changed.sha256


def test_every_defect_is_reported_at_once() -> None:
    rows = (
        ((0, HALF), (7, HALF)),
        ((1, HALF), (1, HALF)),
        ((0, Fraction(9, 10)),),
        ((0, Fraction(3, 2)), (1, Fraction(-1, 2))),
        (),
        ((0, 0.5), (1, HALF)),
        ((5, Fraction(1)),),
    )
    found = defects_of(tuple("abcdefg"), ("x",) * 7, rows, ((0, 9),))
    assert len(found) == 7
    for defect, (place, words) in zip(
        found,
        [
            ("'a'", "unknown target number 7"),
            ("'b'", "repeated or out of order"),
            ("'c'", "row sums to 9/10"),
            ("'d'", "-1/2"),
            ("'e'", "no transitions"),
            ("'f'", "not a Fraction"),
            ("relation", "(0, 9)"),
        ],
        strict=True,
    ):
        assert place in defect
        assert words in defect
    assert says(found[2], "normalised on purpose")


def test_rounded_rows_can_be_normalised_as_the_message_says() -> None:
    rows = {"s": {"s": 1 / 3, "t": 2 / 3}, "t": {"t": 1.0}}
    labels = {"s": "a", "t": "b"}
    with refuses(ModelError, "on purpose: normalise=True"):
        Chain.from_dicts(rows, labels)
    assert Chain.from_dicts(rows, labels, normalise=True).probability("s", "t") == Fraction(2, 3)
    matrix = [[1 / 3, 2 / 3], [0, 1]]
    assert Chain.from_rows(matrix, ["a", "b"], normalise=True).probability(0, 1) == Fraction(2, 3)
    far = [[1, 3], [0, 1]]
    with refuses(ModelError, 'normalise="any" if it'):
        Chain.from_rows(far, ["a", "b"], normalise=True)
    assert Chain.from_rows(far, ["a", "b"], normalise="any").probability(0, 1) == Fraction(3, 4)


def test_shape_defects() -> None:
    assert says(defects_of((), (), ()))
    one = ((0, Fraction(1)),)
    found = defects_of(("a", "a"), ("x",), (one, one, one), (), ({},))
    assert [defect.split(":")[0] for defect in found] == ["labels", "rows", "valuations", "state 'a'"]
    assert "not text" in defects_of((1,), ("x",), (one,))[0]
    assert "not text" in defects_of(("a",), (None,), (one,))[0]


def test_a_row_off_by_a_hair_is_refused() -> None:
    hair = Fraction(1, 10**30)
    found = defects_of(("a", "b"), ("x", "x"), (((0, HALF), (1, HALF - hair)), ((1, 1 + hair),)))
    assert len(found) == 2


def test_summaries() -> None:
    chain = coin()
    assert repr(chain) == "<Chain: 4 states, 6 transitions, 3 labels, 1 pair>"
    assert str(chain).splitlines()[1] == "  s0 [start] → h: 2/5, t: 3/5"
    assert says(chain.summary(1), "more states")
    wide = Chain.from_rows([[Fraction(1, 8)] * 8] * 8, ["<b>"] * 8)
    assert "(8 in all)" in str(wide)
    assert "&lt;b&gt;" in wide._repr_html_()
    assert "<b>" not in wide._repr_html_()
