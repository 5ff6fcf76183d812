"""The chain as NetworkX and SciPy hold it."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

from deltachain import examples, program
from deltachain.errors import BackendMissing, InteractiveChain
from deltachain.model import Chain, PointRow
from deltachain.model.rows import points
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.field import ends
from tests.words import refuses

DINERS = examples.dining_cryptographers(n=2)


def test_networkx_there_and_back() -> None:
    pytest.importorskip("networkx", reason="needs the extra networkx")
    graph = DINERS.to_networkx()
    assert graph.graph["relation"] == DINERS.pairs
    assert graph.nodes["s0"] == {"label": "start", "valuation": {"payer": 0}}
    assert graph.edges["s0", "s0.0.001"]["probability"] == Fraction(2401, 10000)
    again = Chain.from_networkx(graph, relation=graph.graph["relation"])
    assert again == Chain.of_rows(DINERS.states, DINERS.labels, DINERS.rows, DINERS.relation)
    assert "valuation" not in Chain.from_rows([[1]], ["a"]).to_networkx().nodes["0"]


def test_without_networkx_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(BackendMissing, match=r"pip install 'deltachain\[networkx\]'"):
        DINERS.to_networkx()


def test_scipy_gives_nearest_floats_in_the_chains_order() -> None:
    matrix, labels = DINERS.to_scipy()
    assert labels == DINERS.labels
    assert matrix.shape == (len(DINERS), len(DINERS))
    assert matrix.nnz == DINERS.transitions
    dense = matrix.toarray()
    for state, row in enumerate(DINERS.rows):
        exact = dict(row)
        assert [float(exact.get(target, 0)) for target in range(len(DINERS))] == dense[state].tolist()


def test_inputs_are_refused_and_can_be_settled_first() -> None:
    pytest.importorskip("networkx", reason="needs the extra networkx")
    box = Chain.from_dicts({"s": {"look": {"h": 1}, "wait": {"s": 1}}, "h": {"h": 1}}, {"s": "closed", "h": "open"})
    with refuses(InteractiveChain, "label 'closed', and"):
        box.to_networkx()
    with refuses(InteractiveChain, "label 'closed', and"):
        box.to_scipy()
    assert list(box.choosing({"closed": "look"}).to_networkx().edges) == [("s", "h"), ("h", "h")]


def test_scipy_gives_the_nearest_floats_of_functions_of_e() -> None:
    small = exp_of(Fraction(-40)) / (1 + exp_of(Fraction(1, 3)))
    end = (PointRow(((1, Fraction(1)),)),)
    chain = Chain(("s", "a"), ("go", "x"), ((points({0: small, 1: 1 - small}),), end))
    matrix, _ = chain.to_scipy()
    low, high = ends(small)
    assert matrix.toarray()[0, 0] == float(low) == float(high)


def test_functions_of_e_go_to_networkx_and_back() -> None:
    pytest.importorskip("networkx", reason="needs the extra networkx")
    noisy = program("def count(n): announce(n + geometric(exp(-1), -2, 2))").chain([{"n": 0}, {"n": 1}])
    graph = noisy.to_networkx()
    assert not all(isinstance(p, Fraction) for _, _, p in graph.edges(data="probability"))
    again = Chain.from_networkx(graph, relation=graph.graph["relation"])
    assert (again.states, again.labels, again.points) == (noisy.states, noisy.labels, noisy.points)


def test_a_probability_that_was_computed_is_taken_as_it_is() -> None:
    third = exp_of(Fraction(-1)) / 3
    chain = Chain.from_dicts({"s": {"s": third, "t": 1 - third}, "t": {"t": 1}}, {"s": "a", "t": "b"})
    assert chain.probability("s", "s") == third
