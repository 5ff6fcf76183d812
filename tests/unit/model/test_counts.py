"""Chains from counts: how the error is divided, what counts as rest, what may be mixed, every defect at once."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import factorial, prod

import pytest

from deltachain import Chain
from deltachain.errors import ModelError
from deltachain.model import Box, LimitRow
from deltachain.proportions import limits
from tests.words import refuses

F = Fraction
LABELS = {"s": "go", "h": "heads", "t": "tails"}
ENDS = {"h": {"h": 1}, "t": {"t": 1}}


def test_the_error_is_divided_among_rows_targets_and_rest() -> None:
    labels = LABELS | {"u": "go", "e": "edge"}
    counts = {"s": {"h": 40, "t": 60}, "u": {"h": 7, "t": 3, "e": 0}}
    chain = Chain.from_counts(counts, labels, rows=ENDS | {"e": {"e": 1}}, confidence="0.99", totals="fixed")
    assert chain.confidence == F(99, 100)
    assert [row.counted for rows in chain.given for row in rows if isinstance(row, LimitRow)] == [True, True]
    two, three = F(1, 100) / (2 * 3), F(1, 100) / (2 * 4)
    assert chain.given[0] == (
        LimitRow(
            ((1, *limits(40, 100, two, "fixed")), (2, *limits(60, 100, two, "fixed"))),
            limits(0, 100, two, "fixed")[1],
            counted=True,
        ).tighten(),
    )
    edge = {target: ends for target, *ends in chain.boxes[chain.number("u")][0]}[chain.number("e")]
    assert edge == [0, limits(0, 10, three, "fixed")[1]]


def test_totals_are_random_unless_said_otherwise() -> None:
    by_default, said, fixed = (
        Chain.from_counts({"s": {"h": 40, "t": 60}}, LABELS, rows=ENDS, confidence="0.9", **totals)
        for totals in ({}, {"totals": "random"}, {"totals": "fixed"})
    )
    assert by_default == said != fixed


def test_what_was_not_declared_counts_as_rest_and_has_no_lower_limit() -> None:
    counts = {"s": {"h": 500, "t": 480, "e": 15, "elsewhere": 5}}
    labels = LABELS | {"e": "edge"}
    chain = Chain.from_counts(counts, labels, rows=ENDS | {"e": {"e": 1}}, targets=["h", "t"], confidence="0.99")
    (row,) = chain.boxes[0]
    error = F(1, 100) / 3
    assert [target for target, _, _ in row] == [1, 2]
    assert row.rest == limits(20, 1000, error, "random")[1]
    assert row.entries[0][1] == limits(500, 1000, error, "random")[0]


def test_a_row_that_was_never_seen_is_all_rest_and_has_its_part_of_the_error() -> None:
    labels = LABELS | {"u": "go"}
    zero = Chain.from_counts({"s": {"h": 3, "t": 4}, "u": {"h": 0, "t": 0}}, labels, rows=ENDS, confidence="0.99")
    declared = Chain.from_counts({"s": {"h": 3, "t": 4}}, labels, rows=ENDS, targets=["h", "t"], confidence="0.99")
    by_state = Chain.from_counts({"s": {"h": 3, "t": 4}}, labels, rows=ENDS, targets={"u": ["h"]}, confidence="0.99")
    assert zero.given[zero.number("u")] == (LimitRow((), F(1), counted=True),)
    assert zero.given == declared.given == by_state.given
    assert zero.boxes[0][0].entries[0][1] == limits(3, 7, F(1, 100) / 6, "random")[0]


def test_rest_may_be_known_to_be_nothing() -> None:
    chain = Chain.from_counts({"s": {"h": 30, "t": 70}}, LABELS, rows=ENDS, rest={"s": 0}, confidence="0.99")
    (row,) = chain.boxes[0]
    assert row.rest == 0
    assert row.entries[0][1] + row.entries[1][2] == 1
    never = Chain.from_counts({"s": {"h": 0, "t": 0}}, LABELS, rows=ENDS, rest={"s": 0}, confidence="0.99")
    assert never.given[0] == (LimitRow(((1, F(0), F(1)), (2, F(0), F(1))), F(0), counted=True),)
    with refuses(ModelError, "declared, and rest"):
        Chain.from_counts({"s": {"h": 4, "t": 1}}, LABELS, rows=ENDS, rest={"s": 0}, targets=["h"], confidence="0.9")


def test_inputs_may_be_counted_each_and_mixed_with_rows_that_are_known() -> None:
    labels = {"s": "menu", "u": "menu", "h": "heads", "t": "tails"}
    counts = {"s": {"probe": {"h": 5, "t": 5}}, "u": {"probe": {"h": 1, "t": 9}, "wait": {"u": 4}}}
    rows = ENDS | {"s": {"wait": {"s": ("1/2", 1), "h": ("0", "1/2")}}}
    chain = Chain.from_counts(counts, labels, rows=rows, confidence="0.9", relation=[("s", "u")])
    assert chain.inputs == {"menu": ("probe", "wait")}
    error = F(1, 10) / (3 * 3)
    assert chain.boxes[0][0].entries[0] == (2, *limits(5, 10, error, "random"))
    assert chain.given[0][1].kind == "limits"
    assert chain.boxes[1][1].entries[0][1] == limits(4, 4, F(1, 10) / (3 * 2), "random")[0]
    assert chain.pairs == (("s", "u"),)
    unseen = Chain.from_counts(
        {"s": {"probe": {"h": 5, "t": 5}}, "u": {"probe": {"h": 1, "t": 9}}},
        labels,
        rows=ENDS,
        targets={state: {"probe": ["h", "t"], "wait": [state]} for state in "su"},
        confidence="0.9",
    )
    assert unseen.given[0][1] == LimitRow((), F(1), counted=True)


def test_numbers_of_any_whole_kind_are_counts() -> None:
    numpy = pytest.importorskip("numpy")
    plain = Chain.from_counts({"s": {"h": 4, "t": 6}}, LABELS, rows=ENDS, confidence="0.9")
    other = Chain.from_counts({"s": {"h": numpy.int64(4), "t": "6"}}, LABELS, rows=ENDS, confidence=F(9, 10))
    assert plain == other


def test_every_defect_is_reported_at_once() -> None:
    labels = {name: name for name in "abcdefgh"}
    counts = {
        "a": {"a": -1},
        "b": {"a": "1/2", "b": True},
        "c": {},
        "d": {"nowhere": 3},
        "e": {"e": 2},
        "f": {"a": 2**53},
        "x": {"a": 1},
    }
    with pytest.raises(ModelError) as caught:
        Chain.from_counts(
            counts,  # type: ignore[arg-type]
            labels,
            rows={"e": {"e": 1}},
            rest={"a": -1},
            targets={"g": "ab", "y": ["a"], "d": {"ask": ["d"]}},
            confidence=1,
            totals="known",  # type: ignore[arg-type]
        )
    defects = [str(defect) for defect in caught.value.defects]
    wanted = [
        "state 'x': it has no label",
        "targets of 'g': the text 'ab' is not a list of states",
        "targets of 'y': there is no such state",
        "state 'd': some of its counts, or its targets, are by input and others are not",
        "state 'e': it has counts and a row",
        "state 'h': it has neither counts nor a row",
        "confidence: 1 is not above 0 and below 1",
        "totals: 'known' is neither 'random' nor 'fixed'",
        "state 'a': negative count -1 to 'a'",
        "state 'a': rest is -1",
        "state 'b': fractional count 1/2 to 'a'",
        "state 'b': count: True is not a number, to 'b'",
        "state 'c': it has neither counts nor targets",
        f"state 'f': {2**53} steps are counted",
        "state 'd': unknown target 'nowhere'",
    ]
    for start in wanted:
        assert any(defect.startswith(start) for defect in defects), start


@pytest.mark.parametrize("confidence", [0, 1, -1, "3/2", "sure", True])
def test_a_confidence_is_between_0_and_1(confidence: object) -> None:
    with refuses(ModelError, "confidence"):
        Chain.from_counts({"s": {"h": 1, "t": 1}}, LABELS, rows=ENDS, confidence=confidence)  # type: ignore[arg-type]


def holds(row: Box, truth: dict[int, Fraction]) -> bool:
    """Whether the row is inside the box, its other targets as mass that goes elsewhere."""
    listed = {target: (lo, hi) for target, lo, hi in row}
    within = all(lo <= truth.get(target, 0) <= hi for target, (lo, hi) in listed.items())
    return within and 1 - sum(truth.get(target, F(0)) for target in listed) <= row.rest


def coverage(truth: dict[str, Fraction], declared: list[str], total: int, error: Fraction) -> Fraction:
    """The probability that the box of one row holds, over all ways in which ``total`` steps may go."""
    labels = {name: name for name in ["s", *truth]}
    numbers = {name: number for number, name in enumerate(labels)}
    found = F(0)
    for seen in product(range(total + 1), repeat=len(truth)):
        if sum(seen) != total:
            continue
        counts = {"s": {name: k for name, k in zip(truth, seen, strict=True) if k}}
        rows = {name: {name: 1} for name in truth}
        chain = Chain.from_counts(
            counts, labels, rows=rows, targets={"s": declared}, confidence=1 - error, totals="fixed"
        )
        if holds(chain.boxes[0][0], {numbers[name]: p for name, p in truth.items()}):
            chances = [p**k / factorial(k) for p, k in zip(truth.values(), seen, strict=True)]
            found += factorial(total) * prod(chances, start=F(1))
    return found


@pytest.mark.parametrize("declared", [["a", "b"], ["a"], ["a", "b", "c"]])
def test_a_row_holds_with_the_confidence_asked_for(declared: list[str]) -> None:
    for a, b in [(F(1, 2), F(1, 3)), (F(9, 10), F(1, 20)), (F(1, 10), F(1, 10)), (F(98, 100), F(1, 100))]:
        assert coverage({"a": a, "b": b, "c": 1 - a - b}, declared, 8, F(1, 4)) >= F(3, 4)


def test_dividing_by_what_was_seen_would_be_wrong() -> None:
    """A row of 1,000 targets of 1e-7 each: dividing the error among those seen is wrong most of the time."""
    rng = random.Random(29)
    rare = [f"r{k}" for k in range(1000)]
    chances = dict.fromkeys(rare, F(1, 10**7)) | {"often": 1 - F(1, 10**4)}
    wrong = dict.fromkeys(["seen", "declared", "all"], 0)
    trials = 40
    for trial in range(trials):
        seen = [rng.choice(rare) for _ in range(10_000) if rng.random() < 1e-4]
        counts = {"often": 10_000 - len(seen)} | {name: seen.count(name) for name in seen}
        declared = {"seen": list(counts), "declared": ["often"]} | ({} if trial % 10 else {"all": list(chances)})
        for way, targets in declared.items():
            states = dict.fromkeys([*counts, *targets])
            chain = Chain.from_counts(
                {"s": counts},
                {name: name for name in ["s", *states]},
                rows={name: {name: 1} for name in states},
                targets=targets,
                confidence="0.99",
                totals="fixed",
            )
            wrong[way] += not holds(chain.boxes[0][0], {chain.number(name): chances[name] for name in states})
    assert wrong["declared"] == wrong["all"] == 0
    assert wrong["seen"] > trials / 2
