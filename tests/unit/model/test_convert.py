"""The chain as NetworkX and SciPy hold it."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

from deltachain import examples
from deltachain.errors import BackendMissing, InteractiveChain
from deltachain.model import Chain

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
    with pytest.raises(InteractiveChain, match=r"inputs at label 'closed', and a digraph .*chain\.choosing"):
        box.to_networkx()
    with pytest.raises(InteractiveChain, match=r"inputs at label 'closed', and a matrix .*chain\.layer"):
        box.to_scipy()
    assert list(box.choosing({"closed": "look"}).to_networkx().edges) == [("s", "h"), ("h", "h")]
