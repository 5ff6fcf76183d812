"""A distance as a value: what pairs mean, matrices, both sides in text, JSON and files."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import deltachain as dc
from deltachain.errors import InputError, NotConverged, UnknownState
from deltachain.results.sections import as_text
from tests.words import refuses, says

COIN = dc.examples.coin()
RANDOM = dc.examples.random(n=14, seed=1)


def two_sided(*pair: str, kind: dc.measures.distance.show.Kind = "bd", **at: str) -> dc.Distance:
    """Bounds from both sides, of a chain whose exact value is not allowed."""
    with pytest.raises(NotConverged) as caught:
        dc.distance(RANDOM, *pair, kind=kind, exact=True, max_equations=1, **at)  # type: ignore[call-overload]
    assert isinstance(caught.value.upper, dc.Distance)
    return caught.value.upper


def test_pairs_that_need_no_computing() -> None:
    found = dc.distance(COIN, "s0", "s1", exp_epsilon="6/5")
    assert found["s0", "s0"] == found[1, 1] == 0
    assert found["s0", "heads"] == found["heads", "s1"] == 1
    with refuses(UnknownState, "state 'alpha': the"):
        _ = found["s0", "alpha"]
    with pytest.raises(UnknownState, match="no state 77"):
        _ = found["s0", 77]
    other = dc.distance(RANDOM, "s0", "s2", exp_epsilon="6/5")
    same = next(s for s in RANDOM.states[3:] if RANDOM.labels[RANDOM.number(s)] == RANDOM.labels[0])
    with refuses(InputError, "asked for: name"):
        _ = other["s0", same]


@pytest.mark.parametrize("exact", [True, False])
def test_a_matrix_has_every_pair(exact: bool) -> None:
    found = dc.distance(RANDOM, pairs="all", exp_epsilon="6/5", kind="ld", exact=exact)
    rows, floats = found.matrix(), found.matrix(floats=True)
    assert floats.shape == (14, 14)
    for s, row in enumerate(rows):
        for t, value in enumerate(row):
            assert value == found[s, t]
            assert value <= Fraction(float(floats[s, t])) <= value + Fraction(1, 10**15)
    assert not np.diag(floats).any()
    with refuses(InputError, "was not asked"):
        dc.distance(RANDOM, "s0", "s2", exp_epsilon="6/5").matrix()


def test_both_sides_are_shown_and_are_no_bounds_on_delta() -> None:
    value = dc.distance(RANDOM, "s0", "s2", exp_epsilon="6/5", exact=True)["s0", "s2"]
    found = two_sided("s0", "s2", exp_epsilon="6/5")
    (row,) = found.results
    assert row.lower is not None
    assert row.lower < value < row.value
    assert (found.lower, found.value) == (row.lower, row.value)
    text = as_text(found.headline, found.sections())
    assert text.split(" ≤ ")[1] == "bd(s0, s2)"
    assert "exact" not in text
    entry = found.to_dict()["results"][0]
    assert (Fraction(entry["lower"]["exact"]), Fraction(entry["value"]["exact"])) == (row.lower, row.value)
    assert Fraction(entry["lower"]["approx"]) <= row.lower
    directed = two_sided("s0", "s2", kind="ld", epsilon="0.2")
    text = as_text(directed.headline, directed.sections())
    assert directed.headline.startswith("δ(s0, s2) ≤ ")
    assert "≤ ld ≤" in text
    assert "≤ δ" not in text


def test_two_sides_at_an_irrational_name_their_rational() -> None:
    found = two_sided("s0", "s2", epsilon="0.2")
    assert found.headline.endswith(f", certified at {found.exp_epsilon.below}, just below e^ε")


def test_what_more_can_be_done_is_said() -> None:
    upper = dc.distance(RANDOM, "s0", "s2", exp_epsilon="6/5", exact=False)
    assert upper.lower is None
    assert says(as_text(upper.headline, upper.sections()), "exact` finds the")
    exact = dc.distance(RANDOM, "s0", "s2", exp_epsilon="6/5", exact=True)
    assert exact.lower == exact.value
    assert "finds" not in as_text(exact.headline, exact.sections())


def test_many_pairs_show_the_largest_below_one() -> None:
    chain = dc.examples.random(n=22, seed=1)
    found = dc.distance(chain, pairs="all", exp_epsilon="6/5")
    ones = sum(row.value == 1 for row in found.results)
    below = max(row.value for row in found.results if row.value < 1)
    text = as_text(found.headline, found.sections())
    first = next(row for row in found.results if row.value == below)
    assert f"({first.pair[0]}, {first.pair[1]})" in text
    if ones:
        assert text.endswith(f"; {ones} have distance 1")


def test_files_have_both_sides(tmp_path: Path) -> None:
    for found in (two_sided("s0", "s2", exp_epsilon="6/5", kind="sd"), dc.distance(COIN, exp_epsilon="6/5", kind="sd")):
        (row,) = found.results
        found.save(tmp_path / "pairs.jsonl")
        (line,) = (tmp_path / "pairs.jsonl").read_text("utf-8").splitlines()
        entry = json.loads(line)
        sides = ("value", "lower", "reverse", "reverse_lower")
        assert [Fraction(entry[side]) for side in sides] == [row.value, row.lower, row.reverse, row.reverse_lower]
        found.save(tmp_path / "pairs.npz")
        with np.load(tmp_path / "pairs.npz") as arrays:
            unit = int(arrays["denominator"])
            low, high = arrays["lower"][0].tolist(), arrays["value"][0].tolist()
        assert row.lower is not None
        assert Fraction(low[0], unit) <= row.lower <= row.value <= Fraction(high[0], unit)
    upper = dc.distance(RANDOM, pairs="all", exp_epsilon="6/5", exact=False)
    upper.save(tmp_path / "pairs.npz")
    with np.load(tmp_path / "pairs.npz") as arrays:
        assert (arrays["lower"] == -1).all()
    upper.save(tmp_path / "pairs.jsonl")
    assert '"lower": null' in (tmp_path / "pairs.jsonl").read_text("utf-8")


def test_of_every_pair_those_below_one_are_shown_by_value() -> None:
    chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    found = dc.distance(chain, pairs="all", exp_epsilon="1.0002", exact=True)
    assert says(found.headline)
    text = as_text(found.headline, found.sections())
    rows = [line for line in text.splitlines() if line.startswith("(")]
    assert rows[0].split() == ["(s0,", "s1)", "1/2500", "=", "0.0004", "exact"]
    assert len(rows) == 57 - 32
    listed = dc.distance(chain, pairs=[("s0", "s1"), ("s0.0.001", "s0.0.111")], exp_epsilon="1.0002", exact=True)
    assert says(listed.headline, "the largest bd")


def test_where_every_pair_is_at_one_it_says_so() -> None:
    rows = {"s": {"a": 1}, "t": {"b": 1}, "a": {"a": 1}, "b": {"b": 1}, "u": {"c": 1}, "c": {"c": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "s", "t": "s", "u": "s", "a": "a", "b": "b", "c": "c"})
    found = dc.distance(chain, pairs="all", exp_epsilon=2, exact=True)
    assert says(found.headline)
