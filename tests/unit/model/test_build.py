"""Chains from matrices, dicts, NetworkX digraphs and transition labels; defects by name, all at once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.errors import InputError, ModelError
from deltachain.model import Chain, from_dicts, from_networkx, from_rows, from_transition_labels
from deltachain.model.build import assemble
from deltachain.model.words import word_probability
from tests.words import refuses, says


def messages(error: pytest.ExceptionInfo[ModelError]) -> list[str]:
    return [str(defect) for defect in error.value.defects]


def test_dense_and_sparse_rows_are_the_same_chain() -> None:
    dense = from_rows([[0, "1/2", 0.5], [0, 1, 0], ["0", 0, 1]], ["a", "b", "b"])
    sparse = from_rows([{1: Fraction(1, 2), 2: "0.5"}, {1: 1}, {2: 1}], ["a", "b", "b"])
    assert dense == sparse
    assert dense.rows[0] == ((1, Fraction(1, 2)), (2, Fraction(1, 2)))


def test_rows_take_names_and_a_relation() -> None:
    chain = from_rows([[1, 0], [0, 1]], ["a", "a"], states=["x", "y"], relation=[("y", "x")])
    assert chain.states == ("x", "y")
    assert chain.pairs == (("x", "y"),)


def test_rows_in_disorder_are_sorted() -> None:
    assert from_dicts({"a": {"b": "1/3", "a": "2/3"}, "b": {"b": 1}}, {"a": "x", "b": "x"}).rows[0][0][0] == 0


def test_dict_defects_come_all_at_once() -> None:
    with pytest.raises(ModelError) as error:
        from_dicts(
            {"a": {"a": "1/2", "ghost": "1/2"}, "b": {"b": "one"}, "c": {"c": "0.9"}, "d": {"d": 1}},
            {"a": "x", "b": "x", "c": "x", "ghost": "x"},
            relation=[("a", "nobody")],
        )
    found = messages(error)
    wanted = [
        "'d': it has no label",
        "'ghost': there is no such state",
        "unknown target 'ghost'",
        "not a number: 'one'",
    ]
    wanted += ["unknown state 'nobody'", "row sums to 9/10"]
    assert len(found) == len(wanted)
    for text in wanted:
        assert sum(text in defect for defect in found) == 1, text


def test_negative_probabilities_are_refused_even_if_rows_sum_to_one() -> None:
    with pytest.raises(ModelError) as error:
        from_rows([["3/2", "-1/2"], [0, 1]], ["a", "b"])
    assert any("-1/2" in defect for defect in messages(error))


def test_wrong_number_of_columns_or_labels_is_refused() -> None:
    with pytest.raises(InputError):
        from_rows([[1, 0], [0, 1]], ["a"])
    with pytest.raises(InputError):
        from_rows([[1, 0, 0], [0, 0, 1]], ["a", "b"])


def test_a_target_given_twice_is_refused() -> None:
    with pytest.raises(ModelError, match="given twice"):
        assemble(["a"], ["x"], [[("a", "1/2"), (0, "1/2")]])


def test_normalising_divides_by_the_sum_exactly() -> None:
    chain = assemble(["a", "b"], ["x", "x"], [[("a", "0.333333"), ("b", "0.666666")], [("b", 1)]], normalise=True)
    assert chain.probability("a", "a") == Fraction(1, 3)
    with pytest.raises(ModelError, match="row sums to"):
        assemble(["a"], ["x"], [[("a", "0.999999")]])


def test_networkx_digraph() -> None:
    graph = pytest.importorskip("networkx", reason="needs the extra networkx").DiGraph()
    graph.add_node(0, label="start")
    graph.add_node("h", label="heads")
    graph.add_edge(0, "h", probability="1/3")
    graph.add_edge(0, 0, probability="2/3")
    graph.add_edge("h", "h", probability=1)
    chain = from_networkx(graph)
    assert chain == Chain.from_dicts({"0": {"h": "1/3", "0": "2/3"}, "h": {"h": 1}}, {"0": "start", "h": "heads"})
    assert Chain.from_networkx(graph) == chain


def test_networkx_defects() -> None:
    graph = pytest.importorskip("networkx", reason="needs the extra networkx").DiGraph()
    graph.add_edge("a", "a")
    graph.add_edge("a", "b", probability="1/2")
    with pytest.raises(ModelError) as error:
        from_networkx(graph)
    found = messages(error)
    assert any(says(defect, "edge a →") for defect in found)
    assert sum("no attribute 'label'" in defect for defect in found) == 2


def test_transition_labels_keep_trace_measures() -> None:
    """A two-state source; word probabilities by hand-multiplied transition matrices per letter."""
    source = [
        ("p", "a", "1/2", "p"),
        ("p", "a", "1/6", "q"),
        ("p", "b", "1/3", "q"),
        ("q", "b", "1/4", "p"),
        ("q", "a", "3/4", "q"),
    ]
    chain = from_transition_labels(source)
    matrices: dict[str, dict[tuple[str, str], Fraction]] = {}
    for s, letter, p, t in source:
        matrices.setdefault(letter, {})[s, t] = Fraction(p)
    for start in "pq":
        for word in ("a", "b", "aa", "ab", "ba", "bab", "abba"):
            mass = {start: Fraction(1)}
            for letter in word:
                step: dict[str, Fraction] = {}
                for (s, t), p in matrices[letter].items():
                    step[t] = step.get(t, Fraction(0)) + mass.get(s, Fraction(0)) * p
                mass = step
            assert word_probability(chain, start, ["start", *word]) == sum(mass.values())


def test_transition_labels_with_clashing_names_are_refused() -> None:
    with pytest.raises(ModelError, match="rename"):
        from_transition_labels([("s", "a", 1, "s"), ("s|a", "a", 1, "s")])
    with pytest.raises(ModelError, match="two transitions"):
        from_transition_labels([("x", "b|c", 1, "a"), ("a", "c", 1, "a|b")])


def test_valuations_are_kept() -> None:
    chain = from_dicts({"a": {"a": 1}}, {"a": "x"}, valuations={"a": {"n": 3}})
    assert chain.valuations == ({"n": 3},)


def test_labels_in_the_place_of_rows_are_refused() -> None:
    with refuses(ModelError, "first, labels second"):
        from_dicts({"s": "a"}, {"s": {"s": 1}})  # type: ignore[dict-item]


def test_rows_by_state_are_for_from_dicts() -> None:
    with pytest.raises(InputError, match=r"use Chain\.from_dicts"):
        from_rows({"s": {"s": 1}}, ["a"])  # type: ignore[arg-type]
