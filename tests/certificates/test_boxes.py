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
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import verify_certificate
from deltachain.model import LimitRow, PointRow
from deltachain_checker_v1 import CertificateRejected, boxes, recipes, verify
from deltachain_checker_v1.read import LimitedRow, Model, parse, read_model, text
from deltachain_checker_v1.recipes import Recipes
from tests.amounts import fewer_or_all
from tests.fuzz.boxes import by_sign, check_case, corners_of, random_case, scaled
from tests.reference.boxes import random_boxes, vertices

from .fixtures import KEPT, document_of, model_named, proved

F = Fraction
BOXED = [name for name in KEPT["accept"] if name.startswith("box-")]
NATIVE = {"format": "deltachain.chain/1"}


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
    document = parse(json.dumps({"bits": 40, "recipes": [["s", "t", "levels", 6, 0]]}))
    with patch.object(recipes, "_direction", by_sign):
        lower, upper = Recipes(older_model_of(chain), document, {"upper": F(1), "lower": F(1)}).proved()["s", "t"]
    assert lower <= F(2, 5)
    assert upper >= F(3, 5)


def test_mass_that_leaves_may_show_what_an_event_asks_for() -> None:
    """A quarter of t's mass leaves: the event "heads" has a chance of 1/2 from s, and of up to 1/2 from t."""
    rows = {"s": {"h": "1/2", "g": "1/2"}, "t": {"h": "1/4", "g": "1/2"}, "h": {"h": "1"}, "g": {"g": "1"}}
    labels = {"s": "go", "t": "go", "h": "heads", "g": "tails"}
    model = older_model_of(Chain.from_dicts(rows, labels, rest={"t": "1/4"}))
    document = {"bits": 40, "vectors": [["go", {"heads": 1}]], "recipes": [["s", "t", "tree", "2,"]]}
    lower, _ = Recipes(model, parse(json.dumps(document)), {"upper": F(1), "lower": F(1)}).proved()["s", "t"]
    assert lower == 0


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
    document = parse(json.dumps({"bits": 40, "recipes": [["s", "t", "-tree", "x."]]}))
    _, upper = Recipes(older_model_of(chain), document, {"upper": F(1), "lower": F(1)}).proved()["s", "t"]
    assert upper >= F(1, 10)


@pytest.mark.parametrize(
    ("name", "lower", "upper"),
    [
        ("box-tree", "0", "2/5"), ("box-first", "0", "1/5"), ("box-survey", "3/25", "3/8"),
        ("box-survey-first", "0.1150", "0.3733"), ("box-rest", "0", "1/4"), ("box-merge", "1/4", "1/4"),
    ],
)  # fmt: skip
def test_bounds_are_those_that_the_theory_has(name: str, lower: str, upper: str) -> None:
    claim = document_of("accept", name)["claims"][0]
    assert abs(F(claim["lower"]) - F(lower)) < F(1, 10**4)
    assert abs(F(claim["upper"]) - F(upper)) < F(1, 10**4)


@pytest.mark.parametrize("seed", range(40))
def test_vertices_and_largest_sums_are_those_of_the_definition(seed: int) -> None:
    """The vertices of a row are listed by their definition, and a sum of straight lines is largest at one of them."""
    random = Random(seed)
    chain = random_boxes(random)
    for i, name in enumerate(chain.states):
        row = boxes.ScaledRow.of(older_model_of(chain).given[name][None])
        listed = {
            (*(int(p.get(chain.number(target), 0) * boxes.ONE) for target in row.targets), int(out * boxes.ONE))
            for p, out in vertices(scaled(chain, i))
        }
        assert row.vertices() == listed
        assert all(sum(p) == boxes.ONE for p in listed)
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
    assert older_model_of(chain).sha256() == chain.sha256
    states = {}
    for s, name in enumerate(chain.states):
        rows = [written(chain, row, long=seed % 3 == 0) for row in chain.given[s]]
        asked = chain.inputs.get(chain.labels[s])
        states[name] = {"label": chain.labels[s]} | ({"on": dict(zip(asked, rows, strict=True))} if asked else rows[0])
        if not asked and "to" not in rows[0]:
            states[name] = {"label": chain.labels[s], "to": rows[0]}
    read = read_model(parse(json.dumps(NATIVE | {"states": states})))
    assert read.given == older_model_of(chain).given
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
            LimitedRow({"h": (F(2, 5), F(3, 5)), "t": (F(2, 5), F(3, 5))}, F(0)),
        ),
        (
            {"h": ["1/4", "1/2"], "t": "1/2"},
            "1",
            LimitedRow({"h": (F(1, 4), F(1, 2)), "t": (F(1, 2), F(1, 2))}, F(1, 4)),
        ),
        ({"h": ["0", "1"], "t": ["1/3", "1/3"]}, "0", {"h": F(2, 3), "t": F(1, 3)}),
        ({"h": [1, 1], "t": [0, "1/2"]}, "1/2", {"h": F(1)}),
        ({"h": "1/2", "t": "1/2"}, "0.0", {"h": F(1, 2), "t": F(1, 2)}),
        ({"h": "1/2"}, "5e-1", LimitedRow({"h": (F(1, 2), F(1, 2))}, F(1, 2))),
        ({"h": ["0", "0"], "t": ["0", "1/2"]}, "1", LimitedRow({"t": (F(0), F(1, 2))}, F(1))),
        ({}, 1, LimitedRow({}, F(1))),
    ],
)
def test_boxes_are_tightened(row: Any, rest: Any, wanted: Any) -> None:
    read = model_with(row, rest=rest)
    assert read.given["s"][None] == wanted
    assert read.boxed == ({"s"} if isinstance(wanted, LimitedRow) else set())


@pytest.mark.parametrize(
    ("row", "more", "words"),
    [
        ({"h": ["3/5", "2/5"]}, {}, "ends 0 ≤ lo ≤ hi"),
        ({"h": ["-1/5", "1"]}, {}, "ends 0 ≤ lo ≤ hi"),
        ({"h": [0, 1]}, {"rest": "-1/10"}, "a rest ≥ 0"),
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
    assert plain.given["s"]["look"] == LimitedRow({"to": (F(1, 2), F(3, 4)), "h": (F(1, 4), F(1, 2))}, F(0))
    long = model_with(None, on={"look": {"to": {"to": "1/2", "h": "1/4"}, "rest": "1/4"}})
    assert long.given["s"]["look"] == LimitedRow({"to": (F(1, 2), F(1, 2)), "h": (F(1, 4), F(1, 4))}, F(1, 4))
    assert model_with(None, on={"look": {"to": 1}}).given["s"]["look"] == {"to": F(1)}


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
    model, document = model_named(KEPT["accept"][name]["model"]), document_of("accept", name)
    proved(model, document)
    for side, sign in (("lower", 1), ("upper", -1)):
        for share in (F(1, 10**60), F(1, 1000)):
            bent = copy.deepcopy(document)
            bent["claims"][0][side] = text(F(document["claims"][0][side]) + sign * share)
            with pytest.raises(CertificateRejected, match=f"the {side} bound"):
                proved(model, bent)


def test_no_value_of_tight_corners_can_be_lowered() -> None:
    """No step leads back to the two states: their values are as small as the rule lets them be."""
    lowered = 0
    for seed in range(12):
        chain = random_boxes(Random(seed), acyclic=True, two_modes=True, most_states=6)
        size = 3
        entries = corners_of(chain, size, len(chain))
        model = older_model_of(chain)
        boxes.CornerBounds(model, str(size), in_text(entries))
        for entry in (n for n, (i, _, _) in enumerate(entries) if i in ("0", "1")):
            for k in range(size + 1):
                bent = copy.deepcopy(entries)
                bent[entry][2][k] -= 1
                with pytest.raises(CertificateRejected):
                    boxes.CornerBounds(model, str(size), in_text(bent))
                lowered += 1
    assert lowered > 60


def in_text(entries: list[Any]) -> Any:
    return parse(json.dumps(entries))


@pytest.mark.parametrize("name", BOXED)
def test_no_smaller_box_is_taken_for_the_model(name: str) -> None:
    """The hash tells them apart; and with the hash of the other model, more may be proved of it, never less."""
    kept = model_named(KEPT["accept"][name]["model"])
    given = {state: dict(rows) for state, rows in kept.given.items()}
    state = min(kept.boxed)
    asked, row = next((asked, row) for asked, row in given[state].items() if isinstance(row, LimitedRow))
    given[state][asked] = LimitedRow(row.ends, row.rest / 2 + F(1, 10**9))
    with pytest.raises(CertificateRejected, match="the certificate's model"):
        proved(Model(kept.label, given), document_of("accept", name))


# Work, and the proved checker.


def test_short_recipes_of_endless_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_named("boxed-sensor")
    at = {"upper": F(11, 10), "lower": F(11, 10)}

    def refused(words: str, *recipe: Any) -> None:
        document = {"bits": 40, "recipes": [["s0", "s1", *recipe]]}
        with pytest.raises(CertificateRejected, match=words):
            Recipes(model, parse(json.dumps(document)), at).proved()

    refused("values below 2", "corners", 2, [["a0", "b0", [0, 1 << 31, 1 << 64]]])
    monkeypatch.setattr(boxes, "MOST_WORK", 3000)
    refused("at most 3000 entries of rows", "first", "x" * 400)
    refused("at most 3000 vertices", "corners", 64, [["a0", "b0", [k << 30 for k in range(65)]]])
    monkeypatch.setattr(recipes, "MOST_STEPS", 50)
    refused("at most 50 steps of beliefs", "-levels", 40, 0)


@fewer_or_all("depth", 5_000, 20_000)
def test_deep_and_long_trees_are_walked_without_recursion(depth: int) -> None:
    rows: dict[str, Any] = {"s": {"s": 1}, "t": {"t": 1}, "u": {"s": (0, 1), "t": (0, 1)}}
    model = older_model_of(Chain.from_dicts(rows, dict.fromkeys(rows, "a")))
    assert model.boxed
    for kind in ("first", "tree", "-tree"):
        document = {"bits": 40, "recipes": [["s", "t", kind, "x" * depth + "."]]}
        bounds = Recipes(model, parse(json.dumps(document)), {"upper": F(1), "lower": F(1)}).proved()["s", "t"]
        assert bounds == (0, 1)
    with patch.object(boxes, "MOST_OPEN", 100), pytest.raises(CertificateRejected, match="a depth of at most 100"):
        boxes.FirstOrderTree(model, "x" * 101 + ".").upper("s", "t", F(1), 40)
    document = {"bits": 40, "recipes": [["s", "t", "tree", "x" * 101 + "."]]}
    with patch.object(recipes, "MOST_OPEN", 100), pytest.raises(CertificateRejected, match="at most 100 sums"):
        Recipes(model, parse(json.dumps(document)), {"upper": F(1), "lower": F(1)}).proved()


def test_rows_of_many_entries_have_too_many_vertices() -> None:
    for size, words in ((11, "at most 10000000 vertices"), (12, "rows of at most 12 entries")):
        names = [f"x{k:02}" for k in range(size)]
        row = dict.fromkeys(names, ("0", "1/5"))
        rows: dict[str, Any] = {"s": row, "t": row, **{name: {name: 1} for name in names}}
        chain = Chain.from_dicts(rows, {"s": "go", "t": "go", **{name: name for name in names}})
        with pytest.raises(CertificateRejected, match=words):
            boxes.CornerBounds(older_model_of(chain), "99", in_text([["s", "t", [k << 30 for k in range(100)]]]))


def test_beliefs_of_more_than_two_states_have_no_corners() -> None:
    model = model_named("boxed-merge")
    states = [["v", "t", [0, 1 << 30, 1 << 31]]]
    assert boxes.CornerBounds(model, "2", in_text(states)).upper("v", "t", F(1)) == 1
    rows: dict[str, Any] = {"s": {"x": "1/2", "y": "1/2"}, "t": {"z": 1}, **{k: {k: 1} for k in "xyz"}}
    chain = Chain.from_dicts(rows, {"s": "a", "t": "a", "x": "b", "y": "b", "z": "b"})
    with pytest.raises(CertificateRejected, match="beliefs over two states"):
        boxes.CornerBounds(older_model_of(chain), "2", in_text([["s", "t", [0, 1 << 30, 1 << 31]]]))


@pytest.mark.parametrize(
    ("recipe", "more", "refused"),
    [
        (["-tree", "x.."], {}, None),
        (["-levels", 1, 0], {}, "recipe -levels: exact rows"),
        (["first", "x.."], {}, None),
        (["corners", 2, []], {}, "recipe corners"),
        (["tree", "x.."], {"row_bits": 64}, None),
    ],
)
def test_new_rules_hold_for_exact_rows(recipe: list[Any], more: Any, refused: str | None) -> None:
    """Those that are not proved there are refused by the proved checker, by name."""
    rows: dict[str, Any] = {"s": {"h": "1/2", "t": "1/2"}, "u": {"h": "1/4", "t": "3/4"}, "h": {"h": 1}, "t": {"t": 1}}
    chain = Chain.from_dicts(rows, {"s": "go", "u": "go", "h": "heads", "t": "tails"})
    document = {
        "format": "deltachain.certificate/1", "model": chain.sha256, "exp_epsilon": {"upper": "1", "lower": "1"},
        "bits": 40, **more, "recipes": [["s", "u", *recipe], ["u", "s", *recipe]],
        "claims": [{"claim": "delta", "pair": ["s", "u"], "lower": "0", "upper": "1"}],
    }  # fmt: skip
    if recipe[0] != "corners":
        document["claims"][0].update(lower="1/4", upper="1/4")  # type: ignore[index]
    claims = verify(older_model_of(chain), parse(json.dumps(document)))
    assert [*map(str, verify_certificate(chain, document))] == [*map(str, claims)]
