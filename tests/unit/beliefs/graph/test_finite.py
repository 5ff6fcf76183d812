"""Finite graphs of beliefs: the words that tell two states apart."""

from __future__ import annotations

from fractions import Fraction

import deltachain as dc


def test_a_witness_where_more_than_a_thousand_letters_follow() -> None:
    """Words of one promise were ordered by their paths, which have no order: TypeError."""
    many = range(1100)
    rows: dict[str, dict[str, object]] = {
        "s": {f"x{i}": Fraction(1, len(many)) for i in many},
        "t": {f"y{i}": Fraction(1, len(many)) for i in many},
        "u": {"b": "3/4", "c": "1/4"},
        "v": {"b": "1/4", "c": "3/4"},
        "b": {"b": 1},
        "c": {"c": 1},
    }
    labels = {"s": "go", "t": "go", "u": "last", "v": "last", "b": "b", "c": "c"}
    for i in many:
        rows[f"x{i}"], rows[f"y{i}"] = {"u": 1}, {"v": 1}
        labels[f"x{i}"] = labels[f"y{i}"] = f"a{i}"
    found = dc.delta(dc.Chain.from_dicts(rows, labels), "s", "t", exp_epsilon=2)
    assert found.lower == Fraction(1, 4)
    assert found.witness is not None
    assert found.witness.words[0].word[-1] == "b"
