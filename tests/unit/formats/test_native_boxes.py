"""Native files with boxes and counts: read, written back, refused with every defect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deltachain import Chain
from deltachain.errors import ModelError
from deltachain.formats.native import chain_from_json, chain_to_json
from deltachain.model import AnyRow, BallRow, LimitRow, PointRow
from deltachain_checker_v1.read import read_model
from tests.words import refuses

F = Fraction
ENDS = {"h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}


def read(states: dict[str, object], **top: object) -> Chain:
    document = {"format": "deltachain.chain/1", "states": states | ENDS} | top
    return chain_from_json(json.dumps(document), "model.json")


def again(chain: Chain) -> Chain:
    return chain_from_json("".join(chain_to_json(chain)), "again.json")


def test_a_probability_may_have_two_ends_and_mass_may_be_unknown() -> None:
    chain = read({"s": {"label": "go", "to": {"h": ["2/5", 0.6], "t": "2/5"}, "rest": "1e-3"}})
    assert chain.given[0] == (LimitRow(((1, F("0.599"), F(3, 5)), (2, F(2, 5), F(2, 5))), F("1e-3")),)
    assert chain.kind == "limits"
    assert again(chain) == chain


def test_enclosures_are_marked() -> None:
    chain = read({"s": {"label": "go", "to": {"h": ["2/5", "3/5"], "t": ["2/5", "3/5"]}, "enclosed": True}})
    assert chain.kind == "enclosed"
    assert again(chain) == chain


def test_counts_are_read_and_come_back_as_boxes() -> None:
    states = {"s": {"label": "go", "counts": {"h": 4021, "t": 5979}}}
    chain = read(states, confidence="0.99")
    rows = {name: {name: 1} for name in "ht"}
    labels = {"s": "go", "h": "heads", "t": "tails"}
    assert chain == Chain.from_counts({"s": {"h": 4021, "t": 5979}}, labels, rows=rows, confidence="0.99")
    assert again(chain) == chain
    fixed = read(states, confidence=0.99, totals="fixed")
    assert fixed.boxes[0][0].entries[0][1] > chain.boxes[0][0].entries[0][1]


def test_targets_may_be_declared_and_rest_known() -> None:
    chain = read({"s": {"label": "go", "counts": {"h": 60, "x": 40}, "targets": ["h", "t"]}}, confidence="0.9")
    assert chain.boxes[0][0].rest > F(2, 5)
    assert [lo for _, lo, _ in chain.boxes[0][0]][1] == 0
    known = read({"s": {"label": "go", "counts": {"h": 60, "t": 40}, "rest": 0}}, confidence="0.9")
    assert known.boxes[0][0].rest == 0
    never = read({"s": {"label": "go", "counts": {"h": 0, "t": 0}}}, confidence="0.9")
    assert never.given[0] == (LimitRow((), F(1), counted=True),)
    for model in (chain, known, never):
        assert again(model) == model


def test_boxes_of_every_kind_beside_each_other() -> None:
    wide = {"h": ["2/5", "3/5"], "t": ["2/5", "3/5"]}
    chain = read(
        {
            "s": {"label": "a", "counts": {"h": 1, "t": 2}},
            "u": {"label": "b", "to": wide},
            "v": {"label": "c", "to": wide, "enclosed": True},
        },
        confidence="0.9",
    )
    assert [type(row) for (row,) in chain.given[:3]] == [LimitRow, LimitRow, BallRow]
    assert [chain.given[i][0].counted for i in (0, 1)] == [True, False]  # type: ignore[union-attr]
    assert again(chain) == chain


def test_inputs_have_boxes_of_their_own() -> None:
    offered = {
        "count": {"counts": {"h": 3, "t": 1}},
        "limit": {"h": ["1/5", "3/5"], "t": ["2/5", "4/5"]},
        "exact": {"h": "1/2", "t": "1/2"},
        "partly": {"to": {"h": "1/2"}, "rest": "1/2", "enclosed": True},
        "unknown": {"to": {}, "rest": 1},
    }
    chain = read({"s": {"label": "menu", "on": offered}}, confidence="0.9")
    kinds = dict(zip(chain.offered(0), chain.given[0], strict=True))
    assert kinds["exact"] == PointRow(((1, F(1, 2)), (2, F(1, 2))))
    assert kinds["partly"] == PointRow(((1, F(1, 2)),), cut_off=F(1, 2))
    assert kinds["unknown"] == LimitRow((), F(1))
    assert [kinds[name].counted for name in ("count", "limit")] == [True, False]  # type: ignore[union-attr]
    assert again(chain) == chain


def test_a_state_may_be_called_to_or_rest() -> None:
    states = {
        "s": {"label": "menu", "on": {"a": {"to": "1/2", "rest": "1/2"}}},
        "to": {"label": "x", "to": {"to": 1}},
        "rest": {"label": "y", "to": {"rest": 1}},
    }
    chain = read(states)
    assert chain.rational
    assert again(chain) == chain


def test_every_defect_is_reported_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        read(
            {
                "a": {"label": "a", "to": {"h": ["4/5", "3/5"]}},
                "b": {"label": "b", "to": {"h": ["1/5", "2/5"]}},
                "c": {"label": "c", "to": {"h": 1}, "counts": {"h": 1}},
                "d": {"label": "d", "counts": {"h": -1, "t": 0.5}},
                "e": {"label": "e", "counts": {}},
                "f": {"label": "f", "to": {"h": ["1/5", "2/5", "3/5"]}},
                "g": {"label": "g", "to": {"h": 1}, "enclosed": "yes", "given": True, "targets": ["h"]},
                "i": {"label": "i", "to": {"h": 1}, "rest": "-1"},
                "j": {"label": "j", "to": {"h": [None, ".5"]}},
                "k": {"label": "k", "counts": 3},
                "l": {"label": "l", "counts": {"h": 1}, "targets": "h", "rest": "x"},
                "m": {"label": "m", "on": {"ask": {"to": {"h": 1}, "also": 1}}, "rest": 1},
            },
            totals="known",
        )
    text = "\n".join(map(str, caught.value.defects))
    for wanted in [
        "state 'a': the box to 'h' goes from 4/5 to 3/5",
        "state 'b': no row is inside: the upper ends, with rest, sum to 2/5",
        'state \'c\': it has "to" and "counts"',
        "state 'd': negative count -1 to 'h'",
        "state 'd': fractional count 1/2 to 't'",
        "state 'e': it has neither counts nor targets",
        "state 'f': a list of 3, to 'h', where two ends are expected",
        "state 'g': its \"enclosed\" is the text 'yes', not true or false",
        'state \'g\': it has "targets" and no "counts"',
        "state 'i': negative probability -1 to 'rest'",
        "state 'j': probability: NoneType is not a number",
        "state 'j': '.5', to 'h', is not how a number is written in this format",
        "state 'k': its \"counts\" is the number 3, not an object",
        "state 'l': its \"targets\" are the text 'h'",
        "state 'l': rest: not a number: 'x'",
        'state \'m\': it has "on", and "rest" beside it',
        "state 'm': unknown key 'also' of input 'ask'",
        "model.json: confidence: rows are counts, and no confidence is given",
        "\"totals\" is the text 'known'",
    ]:
        assert wanted in text


@pytest.mark.parametrize("confidence", [0, 1, "3/2", True, [], "sure"])
def test_a_confidence_is_between_0_and_1(confidence: object) -> None:
    with pytest.raises(ModelError, match=r"model\.json: confidence: "):
        read({"s": {"label": "go", "counts": {"h": 1, "t": 1}}}, confidence=confidence)


def test_totals_are_of_counts() -> None:
    with refuses(ModelError, 'totals" is given'):
        read({"s": {"label": "go", "to": {"h": 1}}}, totals="fixed")


@st.composite
def boxes(draw: st.DrawFn) -> Chain:
    """Chains of three states with rows of any kind."""
    confidence = draw(st.sampled_from([None, F(99, 100)]))
    makers: list[Callable[..., AnyRow]] = [LimitRow, BallRow] + (
        [partial(LimitRow, counted=True)] if confidence else []
    )
    digits = draw(st.binary(min_size=24, max_size=24))
    rows = []
    for k in (0, 8, 16):
        ends = [sorted(F(digit % 10, 9) for digit in digits[k + i : k + i + 2]) for i in (0, 2, 4)]
        low = sum(lo for lo, _ in ends)
        scale = 1 if low <= 1 else 1 / low
        entries = tuple((target, lo * scale, max(hi, lo * scale)) for target, (lo, hi) in enumerate(ends))
        rest = max(F(digits[k + 6] % 3, 14), 1 - sum(hi for _, _, hi in entries), F(0))
        rows.append((makers[digits[k + 7] % len(makers)](entries, rest),))
    return Chain(("s", "to", "u"), ("a", "b", "b"), tuple(rows), confidence=confidence)


ALL_UNKNOWN = Chain(("s", "to", "u"), ("a", "b", "b"), ((BallRow((), F(1)),),) * 3)


@given(boxes())
@example(ALL_UNKNOWN)
def test_what_is_written_reads_back(chain: Chain) -> None:
    assert again(chain) == chain
    if chain.confidence is None:
        asked = replace(chain, inputs={"a": ("look",)})
        assert again(asked) == asked


@given(boxes())
@example(ALL_UNKNOWN)
def test_the_trusted_checker_reads_the_same(chain: Chain) -> None:
    document = json.loads("".join(chain_to_json(chain)), parse_float=str, parse_int=str)
    assert read_model(document).sha256() == chain.sha256
