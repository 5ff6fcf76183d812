"""Boxes in the trusted checker: how they are read, what is refused, and that what is proved holds for all inside.

`tests.fuzz.boxes` makes random boxes with random recipes of every kind, and tries many chains inside, of all natures.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from deltachain import Chain
from deltachain.certificate.verification import model_of
from deltachain.model import LimitRow, PointRow
from deltachain_checker import (
    CertificateRejected,
    Model,
    ModelFile,
    describe,
    limits,
    parse,
    read_file,
    recipes,
    verify,
)
from deltachain_checker.limits import CornerBounds, FirstOrderTree, Limits, ScaledRow
from deltachain_checker.numbers import Rationals, text
from deltachain_checker.recipes import Recipes
from tests.amounts import fewer_or_all
from tests.fuzz.boxes import by_sign, check_case, corners_of, random_case, scaled
from tests.reference.boxes import random_boxes, vertices
from tests.words import refuses

from .test_two import LISTED, paths_of

F = Fraction
BOXED = [name for name in LISTED["accept"] if name.startswith("limits-")]
NATIVE = {"format": "deltachain.chain/1"}


def model_and_document(name: str) -> tuple[Model, Any]:
    """A kept certificate that is accepted, as plain JSON values, and its chain."""
    model, document = (read_file(path) for path in paths_of("accept", name))
    return ModelFile(model).over(Rationals()), json.loads(json.dumps(document))


def model_named(name: str) -> Model:
    return next(model_and_document(each)[0] for each in BOXED if LISTED["accept"][each]["model"] == name)


def bounds_of(model: Model, recipe: list[Any], alpha: Any = "1", **parts: Any) -> tuple[Fraction, Fraction]:
    """What one recipe proves of its direction."""
    document = parse(json.dumps({"units": [40, 30], "recipes": [recipe], **parts}))
    at = F(alpha), F(alpha)
    return Recipes(model, lambda part: document.get(part, []), at).bounds("recipes", *recipe[:2], [0])


def read_model(document: Any) -> Model:
    return ModelFile(document).over(Rationals())


def model_with(row: Any, **more: Any) -> Model:
    """A model whose state s has this row (or, as ``on``, rows), read as from a file."""
    states = {"s": {"label": "go", "to": row, **more}, "h": {"label": "heads", "to": {"h": 1}}}
    states |= {"t": {"label": "tails", "to": {"t": "1"}}, "to": {"label": "to", "to": {"to": 1}}}
    if row is None:
        del states["s"]["to"]
    return read_model(parse(json.dumps(NATIVE | {"states": states})))


# Soundness.


def ended(seeds: range, **fixed: Any) -> Counter[str]:
    """How cases end; each raises if something false is proved."""
    return Counter(check_case(random_case(Random(f"boxes {seed}")) | fixed) for seed in seeds)


@pytest.mark.seeds(2, 9)
def test_what_is_proved_holds_for_every_chain_inside(seed: int) -> None:
    found = ended(range(12 * seed, 12 * seed + 12), worlds=1)
    assert found["nothing"] < 12


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_what_is_proved_holds_for_every_chain_inside_at_length(part: int) -> None:
    found = ended(range(1000 + 300 * part, 1300 + 300 * part), worlds=4)
    assert found["nothing"] < 150


def test_joined_beliefs_may_have_different_natures() -> None:
    """The counterexample of docs/theory/boxes.md: nature tosses the coin of z after it has seen the word.

    The beliefs (3, −2) and (2, −3) on (i, k), after different words, are worth from 2 to 3 to the observer, and 5/2 if
    they are joined, as they are where groups are made by signs alone.
    """
    rows: dict[str, Any] = {
        "s": {"i1": "3/5", "i2": "2/5"}, "t": {"k1": "2/5", "k2": "3/5"},
        "i1": {"i": 1}, "i2": {"i": 1}, "k1": {"k": 1}, "k2": {"k": 1},
        "i": {"z": "1/2", "y": "1/2"}, "k": {"z": "1/2", "x": "1/2"},
        "z": {"h": (0, 1), "g": (0, 1)}, "y": {"h": 1}, "x": {"g": 1}, "h": {"h": 1}, "g": {"g": 1},
    }  # fmt: skip
    shown = {"s": "0", "t": "0", "i1": "1", "k1": "1", "i2": "2", "k2": "2", "i": "3", "k": "3", "h": "h", "g": "g"}
    chain = Chain.from_dicts(rows, shown | dict.fromkeys("zyx", "4"))
    with patch.object(recipes, "direction_of", by_sign):
        lower, upper = bounds_of(model_of(chain), ["s", "t", "levels", 6, 0])
    assert lower <= F(2, 5)
    assert upper >= F(3, 5)


def test_mass_that_leaves_may_show_what_an_event_asks_for() -> None:
    """A quarter of t's mass leaves: the event "heads" has a chance of 1/2 from s, and of up to 1/2 from t."""
    rows = {"s": {"h": "1/2", "g": "1/2"}, "t": {"h": "1/4", "g": "1/2"}, "h": {"h": "1"}, "g": {"g": "1"}}
    labels = {"s": "go", "t": "go", "h": "heads", "g": "tails"}
    model = model_of(Chain.from_dicts(rows, labels, rest={"t": "1/4"}))
    assert bounds_of(model, ["s", "t", "tree", "2,"], vectors=[["go", {"heads": 1}]])[0] == 0


def test_mass_that_leaves_counts_row_by_row() -> None:
    """Half of s and half of t leave, for whatever states there are: these may show which one it was."""
    rows = {"s": {"h": "1/2"}, "t": {"h": "1/2"}, "h": {"h": "1"}}
    model = model_of(Chain.from_dicts(rows, {"s": "go", "t": "go", "h": "heads"}, rest={"s": "1/2", "t": "1/2"}))
    for recipe in (["tree", "x"], ["-tree", "x"], ["levels", 1, 0], ["-levels", 1, 0], ["first", "x."]):
        assert bounds_of(model, ["s", "t", *recipe])[1] >= F(1, 2)
    assert bounds_of(model, ["s", "t", "corners", 2, [["s", "t", [0, 1 << 29, 1 << 31]]]])[1] >= F(1, 2)
    with refuses(CertificateRejected, "what follows direction"):
        bounds_of(model, ["s", "t", "corners", 2, [["s", "t", [0, (1 << 29) - 1, 1 << 31]]]])


def test_an_input_under_which_a_state_may_leave_is_not_left_out() -> None:
    """Under "wait" both states stay, but a tenth of the one may leave, which its observer sees."""
    chain = Chain(
        ("s", "t", "h"),
        ("menu", "menu", "heads"),
        (
            (PointRow(((2, F(1)),)), LimitRow(((0, F(9, 10), F(1)),), F(1, 10))),
            (((2, F(1)),), ((1, F(1)),)),
            (((2, F(1)),),),
        ),
        inputs={"menu": ("go", "wait")},
    )
    assert bounds_of(model_of(chain), ["s", "t", "-tree", "x."])[1] >= F(1, 10)


@pytest.mark.parametrize(
    ("name", "lower", "upper"),
    [
        ("limits-tree", "0", "2/5"), ("limits-first", "0", "1/5"), ("limits-survey", "3/25", "3/8"),
        ("limits-survey-first", "0.1150", "0.3733"), ("limits-rest", "0", "1/4"), ("limits-merge", "1/4", "1/4"),
    ],
)  # fmt: skip
def test_bounds_are_those_that_the_theory_has(name: str, lower: str, upper: str) -> None:
    claim = model_and_document(name)[1]["proves"][0]
    assert abs(F(claim["lower"]) - F(lower)) < F(1, 10**4)
    assert abs(F(claim["upper"]) - F(upper)) < F(1, 10**4)


@pytest.mark.parametrize("seed", range(40))
def test_vertices_and_largest_sums_are_those_of_the_definition(seed: int) -> None:
    """The vertices of a row are listed by their definition, and a sum of straight lines is largest at one of them."""
    random = Random(seed)
    chain = random_boxes(random)
    for i, name in enumerate(chain.states):
        row = ScaledRow.of(model_of(chain).rows[name][None])
        listed = {
            (*(int(p.get(chain.number(target), 0) * limits.WHOLE) for target in row.targets), int(out * limits.WHOLE))
            for p, out in vertices(scaled(chain, i))
        }
        assert row.corners() == listed
        assert all(sum(p) == limits.WHOLE for p in listed)
        below, above = ([random.randint(-(10**6), 10**6) for _ in row.low] for _ in range(2))

        def lines(p: tuple[int, ...], row: Any = row, below: Any = below, above: Any = above) -> Fraction:
            ends = zip(p, row.low, row.high, below, above, strict=True)
            return sum((a + (F(b - a, hi - lo) * (x - lo) if hi > lo else 0) for x, lo, hi, a, b in ends), F(0))

        most = max(map(lines, listed))
        assert most <= row.fill(below, above) < most + 1


# Reading.


@pytest.mark.parametrize("seed", range(120))
def test_the_hash_is_that_of_the_chain(seed: int) -> None:
    """Through memory, and through the native format as it is specified."""
    chain = random_boxes(Random(seed), inputs=seed % 2 == 0)
    assert model_of(chain).sha256() == chain.sha256
    states = {}
    for s, name in enumerate(chain.states):
        rows = [written(chain, row, long=seed % 3 == 0) for row in chain.given[s]]
        asked = chain.inputs.get(chain.labels[s])
        states[name] = {"label": chain.labels[s]} | ({"on": dict(zip(asked, rows, strict=True))} if asked else rows[0])
        if not asked and "to" not in rows[0]:
            states[name] = {"label": chain.labels[s], "to": rows[0]}
    read = read_model(parse(json.dumps(NATIVE | {"states": states})))
    assert read.rows == model_of(chain).rows
    assert read.sha256() == chain.sha256


def written(chain: Chain, row: Any, long: bool) -> dict[str, Any]:
    """A row of the native format: long if it must be, or is to be."""
    if isinstance(row, PointRow):
        plain = {chain.states[j]: text(p) for j, p in row}
        return {"to": plain} if long else plain
    return {"to": {chain.states[j]: [text(lo), text(hi)] for j, lo, hi in row}, "rest": text(row.box.rest)}


@pytest.mark.parametrize(
    ("row", "rest", "wanted"),
    [
        (
            {"h": ["2/5", "3/5"], "t": ["2/5", 1]},
            "0",
            Limits({"h": (F(2, 5), F(3, 5)), "t": (F(2, 5), F(3, 5))}, F(0)),
        ),
        (
            {"h": ["1/4", "1/2"], "t": "1/2"},
            "1",
            Limits({"h": (F(1, 4), F(1, 2)), "t": (F(1, 2), F(1, 2))}, F(1, 4)),
        ),
        ({"h": ["0", "1"], "t": ["1/3", "1/3"]}, "0", {"h": F(2, 3), "t": F(1, 3)}),
        ({"h": [1, 1], "t": [0, "1/2"]}, "1/2", {"h": F(1)}),
        ({"h": "1/2", "t": "1/2"}, "0.0", {"h": F(1, 2), "t": F(1, 2)}),
        ({"h": "1/2"}, "5e-1", Limits({"h": (F(1, 2), F(1, 2))}, F(1, 2))),
        ({"h": ["0", "0"], "t": ["0", "1/2"]}, "1", Limits({"t": (F(0), F(1, 2))}, F(1))),
        ({}, 1, Limits({}, F(1))),
    ],
)
def test_boxes_are_tightened(row: Any, rest: Any, wanted: Any) -> None:
    read = model_with(row, rest=rest)
    assert read.rows["s"][None] == wanted
    assert read.limited == read.is_limited("s") == isinstance(wanted, Limits)


@pytest.mark.parametrize(
    ("row", "more", "words"),
    [
        ({"h": ["3/5", "2/5"]}, {}, "ends 0 ≤ lo ≤ hi"),
        ({"h": ["-1/5", "1"]}, {}, "ends 0 ≤ lo ≤ hi"),
        ({"h": [0, 1]}, {"rest": "-1/10"}, "rest ≥ 0"),
        ({"h": ["1/5", "2/5"]}, {}, "a box that is not empty"),
        ({"h": ["2/3", 1], "t": ["1/2", 1]}, {}, "a box that is not empty"),
        ({"h": "1/5"}, {"rest": "1/10"}, "a box that is not empty"),
        ({"h": [0]}, {}, "the two ends"),
        ({"h": [0, "1/2", 1]}, {}, "the two ends"),
        ({"h": [[0, 1], 1]}, {}, "number: an integer or text"),
        ({"h": [None, 1]}, {}, "number: an integer or text"),
        ({"nobody": [0, 1]}, {"rest": 1}, "known targets"),
        ({"h": 1}, {"rest": None}, "number: an integer or text"),
        ({"h": 1}, {"rest": ["0", "1"]}, "number: an integer or text"),
        ({"h": "1/2", "t": "1/4"}, {}, "a row that sums to one"),
        ({"h": 1}, {"counts": {"h": 3}}, "no counts: convert the model first"),
        (None, {"counts": {"h": 3, "t": 4}}, "no counts: convert the model first"),
        (None, {"on": {"look": {"h": 1}}, "rest": "1/2"}, "rest beside to"),
        (None, {"on": {"look": {"counts": {"h": 3}}}}, "no counts: convert the model first"),
        (None, {"on": {"look": {"to": {"h": 1}, "counts": {"h": 3}}}}, "no counts: convert the model first"),
        (None, {"on": {"look": {"to": {"h": [0, "1/2"]}, "rest": "1/4"}}}, "a box that is not empty"),
        (None, {"on": {"look": {"to": "1/2", "rest": "1/2"}}}, "known targets"),
        (["h"], {}, "an object of probabilities"),
        (None, {"on": {"look": ["h"]}}, "an object of probabilities"),
    ],
)
def test_what_is_no_box_is_refused(row: Any, more: Any, words: str) -> None:
    with pytest.raises(CertificateRejected) as caught:
        model_with(row, **more)
    assert words in str(caught.value)


def test_a_target_that_is_called_to() -> None:
    """The value of ``to`` tells a long row from a row with such a target."""
    plain = model_with(None, on={"look": {"to": ["1/2", "3/4"], "h": ["1/4", "1/2"]}})
    assert plain.rows["s"]["look"] == Limits({"to": (F(1, 2), F(3, 4)), "h": (F(1, 4), F(1, 2))}, F(0))
    long = model_with(None, on={"look": {"to": {"to": "1/2", "h": "1/4"}, "rest": "1/4"}})
    assert long.rows["s"]["look"] == Limits({"to": (F(1, 2), F(1, 2)), "h": (F(1, 4), F(1, 4))}, F(1, 4))
    assert model_with(None, on={"look": {"to": 1}}).rows["s"]["look"] == {"to": F(1)}


def test_long_ends_and_huge_exponents_are_refused() -> None:
    for value in ("9" * 60_000, "1e-60000", "1/" + "0" * 9):
        with pytest.raises(CertificateRejected, match="number"):
            model_with({"h": ["0", value]}, rest=1)
        with pytest.raises(CertificateRejected, match="number"):
            model_with({"h": 1}, rest=value)


# Tampering.


@pytest.mark.parametrize("name", BOXED)
def test_no_claim_can_be_sharpened(name: str) -> None:
    """The claims of these files are what their recipes prove, to the last digit."""
    model, document = model_and_document(name)
    verify(model, document)
    sides = [(side, sign) for side, sign in (("lower", 1), ("upper", -1)) if side in document["proves"][0]]
    assert sides
    for side, sign in sides:
        for share in (F(1, 10**60), F(1, 1000)):
            bent = copy.deepcopy(document)
            bent["proves"][0][side] = text(F(document["proves"][0][side]) + sign * share)
            with pytest.raises(CertificateRejected, match=f"the {side} bound"):
                verify(model, bent)


def test_no_value_of_tight_corners_can_be_lowered() -> None:
    """No step leads back to the two states: their values are as small as the rule lets them be."""
    lowered = 0
    for seed in range(12):
        chain = random_boxes(Random(seed), acyclic=True, two_modes=True, most_states=6)
        size = 3
        entries = corners_of(chain, size, len(chain))
        model = model_of(chain)
        CornerBounds(model, size, entries)
        for entry in (n for n, (i, _, _) in enumerate(entries) if i in ("0", "1")):
            for k in range(size + 1):
                bent = copy.deepcopy(entries)
                bent[entry][2][k] -= 1
                with pytest.raises(CertificateRejected):
                    CornerBounds(model, size, bent)
                lowered += 1
    assert lowered > 60


@pytest.mark.parametrize("name", BOXED)
def test_no_smaller_box_is_taken_for_the_model(name: str) -> None:
    """The hash tells them apart; and with the hash of the other model, more may be proved of it, never less."""
    kept, document = model_and_document(name)
    rows = {state: dict(by_input) for state, by_input in kept.rows.items()}
    state = min(filter(kept.is_limited, rows))
    asked, row = next((asked, row) for asked, row in rows[state].items() if isinstance(row, Limits))
    rows[state][asked] = Limits(row.ends, row.rest / 2 + F(1, 10**9))  # type: ignore[assignment]
    with pytest.raises(CertificateRejected, match="the certificate's model"):
        verify(Model(kept.label, rows, kept.field), document)


# Work.


def test_short_recipes_of_endless_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_named("boxed-sensor")

    def refused(words: str, *recipe: Any) -> None:
        with pytest.raises(CertificateRejected, match=words):
            bounds_of(model, ["s0", "s1", *recipe], F(11, 10))

    monkeypatch.setattr(limits, "MOST_WORK", 3000)
    refused("at most 3000 entries of rows", "first", "x" * 400)
    refused("at most 3000 corners", "corners", 64, [["a0", "b0", [k << 30 for k in range(65)]]])
    monkeypatch.setattr(recipes, "MOST_STEPS", 50)
    refused("at most 50 steps of beliefs", "-levels", 40, 0)


@fewer_or_all("depth", 5_000, 20_000)
def test_deep_and_long_trees_are_walked_without_recursion(depth: int) -> None:
    rows: dict[str, Any] = {"s": {"s": 1}, "t": {"t": 1}, "u": {"s": (0, 1), "t": (0, 1)}}
    model = model_of(Chain.from_dicts(rows, dict.fromkeys(rows, "a")))
    assert model.limited
    for kind in ("first", "tree", "-tree"):
        assert bounds_of(model, ["s", "t", kind, "x" * depth + "."]) == (0, 1)
    with patch.object(limits, "MOST_OPEN", 100), refuses(CertificateRejected, "depth of at"):
        FirstOrderTree(model, "x" * 101 + ".").bounds("s", "t", (F(1), F(1)), 40)
    with patch.object(recipes, "MOST_OPEN", 100), refuses(CertificateRejected, "at most"):
        bounds_of(model, ["s", "t", "tree", "x" * 101 + "."])


def test_rows_of_many_entries_have_too_many_corners() -> None:
    for size, words in ((11, "at most 10000000 corners"), (12, "rows of at most 12 entries")):
        names = [f"x{k:02}" for k in range(size)]
        row = dict.fromkeys(names, ("0", "1/5"))
        rows: dict[str, Any] = {"s": row, "t": row, **{name: {name: 1} for name in names}}
        chain = Chain.from_dicts(rows, {"s": "go", "t": "go", **{name: name for name in names}})
        with pytest.raises(CertificateRejected, match=words):
            CornerBounds(model_of(chain), 99, [["s", "t", [k << 30 for k in range(100)]]])


def test_beliefs_of_more_than_two_states_have_no_corners() -> None:
    entries = [["s", "t", [0, 1 << 30, 1 << 31]]]
    rows: dict[str, Any] = {"s": {"x": "1/2", "y": "1/2"}, "t": {"z": 1}, **{k: {k: 1} for k in "xyz"}}
    chain = Chain.from_dicts(rows, {"s": "a", "t": "a", "x": "b", "y": "b", "z": "b"})
    with refuses(CertificateRejected, "beliefs over two"):
        CornerBounds(model_of(chain), 2, entries)


# What may rest on limits.


def test_recipes_of_limits_are_refused_where_all_rows_are_exact() -> None:
    rows: dict[str, Any] = {"s": {"h": "1/2", "t": "1/2"}, "u": {"h": "1/4", "t": "3/4"}, "h": {"h": 1}, "t": {"t": 1}}
    chain = Chain.from_dicts(rows, {"s": "go", "u": "go", "h": "heads", "t": "tails"})
    for recipe in (["first", "x.."], ["corners", 2, []]):
        with refuses(CertificateRejected, "tree, levels, grid"):
            bounds_of(model_of(chain), ["s", "u", *recipe])


def test_the_sentence_says_what_was_used() -> None:
    model, document = model_and_document("limits-first")
    (claim,) = verify(model, document)
    assert claim.extensions == ("recipes", "limits")
    assert describe(claim) == LISTED["accept"]["limits-first"]["proves"][0]
