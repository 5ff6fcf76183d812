"""A certificate while it is written: parts once, in the order of the file, and never longer than asked for."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from flint import fmpq

import deltachain as dc
from deltachain.certificate.checked import TooLarge
from deltachain.certificate.record import (
    PARTS,
    Certificate,
    Writer,
    exact_text,
    merge_of,
)
from deltachain.model import quotient


def test_what_an_owner_writes_is_written_once() -> None:
    writer, calls = Writer(), []
    owner, other = object(), object()
    for who in (owner, owner, other, owner):
        writer.once(who, lambda: calls.append(writer.add("graph", ["x", "y"])))
    assert calls == [0, 2]
    assert writer.certificate(dc.examples.coin().sha256, [], []).document.get("graph") == ["x", "y", "x", "y"]


def test_entries_are_kept_as_the_lines_of_the_file() -> None:
    """Not as lists of lists of names: those of a hundred thousand pairs take gigabytes."""
    writer = Writer()
    writer.add("beliefs", [[["s", "1"]], [["t", "2"]]])
    made = writer.certificate(dc.examples.coin().sha256, [], [{"claim": "delta"}])
    assert made.written["beliefs"] == ['[["s", "1"]]', '[["t", "2"]]']
    assert made.written["proves"] == ['{"claim": "delta"}']
    assert json.loads("".join(made.chunks())) == made.document
    assert made.document["beliefs"] == [[["s", "1"]], [["t", "2"]]]


def test_a_belief_is_written_once_and_named_by_its_place() -> None:
    writer = Writer()
    s, t = [["s", "1"]], [["t", "2"]]
    assert [writer.belief(entries) for entries in (s, t, s, t)] == [0, 1, 0, 1]
    assert writer.certificate(dc.examples.coin().sha256, [], []).document["beliefs"] == [s, t]


def test_parts_stand_in_the_order_of_the_file_and_empty_ones_are_left_out() -> None:
    writer = Writer(base=2)
    writer.add("values", [1])
    writer.put_distances({"kind": "bd"})
    writer.add("graph", [])
    writer.use("measures")
    writer.use("distances")
    writer.add("merge", [["a", "b"]])
    made = writer.certificate(dc.examples.coin().sha256, ["2", "3"], [{"claim": "bd"}]).document
    assert list(made) == ["format", "model", "field", "alpha", "extensions", "merge", "values", "distances", "proves"]
    assert [part for part in PARTS if part in made] == ["merge", "values", "distances"]
    assert (made["field"], made["alpha"]) == ({"base": 2}, {"upper": "2", "lower": "3"})
    assert made["extensions"] == ["distances", "measures"]
    assert writer.certificate(dc.examples.coin().sha256, ["2", "2"], []).document["alpha"] == "2"


def test_what_becomes_too_long_is_given_up() -> None:
    writer = Writer(most_bytes=60)
    writer.add("nodes", ["12345678"])
    with pytest.raises(TooLarge):
        writer.add("nodes", ["12345678", "12345678"])


def test_an_epsilon_is_rounded_to_both_sides_where_rows_are_known_within_limits() -> None:
    rows = {"s": {"h": ("1/4", "1/2"), "g": ("1/2", "3/4")}, "t": {"h": 1}, "h": {"h": 1}, "g": {"g": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "go", "t": "go", "h": "heads", "g": "tails"})
    document = dc.delta(chain, "s", "t", epsilon=1).certificate.document
    assert list(document) == ["format", "model", "alpha", "extensions", "units", "recipes", "proves"]
    assert document["extensions"] == ["limits", "recipes"]
    low, high = (Fraction(document["alpha"][side]) for side in ("upper", "lower"))
    assert low < Fraction("2.71828182845904523536028747135") < Fraction("2.71828182845904523536028747136") < high


def test_a_file_is_the_document_with_a_line_an_entry(tmp_path: Path) -> None:
    document = {"format": "x", "nodes": [[1, "a"], [2, "b"]], "none": [], "claims": [{"upper": "1/2"}]}
    made = Certificate(document)
    made.save(tmp_path / "proof.json")
    text = (tmp_path / "proof.json").read_text()
    assert json.loads(text) == document
    assert '\n  [1, "a"],\n  [2, "b"]]' in text


def test_numbers_and_merged_states_as_text() -> None:
    assert [exact_text(v) for v in (Fraction(3, 6), 2, fmpq(2, 8))] == ["1/2", "2", "1/4"]
    rows = {"s": {"a": "1/2", "b": "1/2"}, "a": {"a": 1}, "b": {"b": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "s", "a": "e", "b": "e"})
    assert merge_of(chain, quotient(chain)) == [["a", "b"]]
