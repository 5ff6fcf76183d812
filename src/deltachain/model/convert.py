"""Chains as other Python packages hold them: a NetworkX digraph, a SciPy matrix."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..errors import require_extra
from ..numbers.field import ends
from .chain import ASK_INSTEAD, Chain

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

FIX = "settle the inputs first, chain.choosing({label: input}), or take one layer at a time, chain.layer(k)"


def to_networkx(chain: Chain) -> networkx.DiGraph:
    """A digraph with a node for each state, by name, with its ``label`` (and ``valuation``, if there are any), and an
    edge for each transition with its exact ``probability``; the graph's ``relation`` lists the pairs.

    `Chain.from_networkx` gives the chain back, without relation and valuations. Raises InteractiveChain where there are
    inputs, UncertainChain where probabilities are not exact.
    """
    chain.need("no inputs", "to_networkx", "a digraph has one row per state", FIX)
    with require_extra("networkx", "networkx"):
        package: Any = importlib.import_module("networkx")
    graph: networkx.DiGraph = package.DiGraph(relation=chain.pairs)
    for state, name in enumerate(chain.states):
        valuation = {} if chain.valuations is None else {"valuation": dict(chain.valuations[state])}
        graph.add_node(name, label=chain.labels[state], **valuation)
    for state, (row,) in enumerate(chain.points):
        graph.add_edges_from((chain.states[state], chain.states[j], {"probability": p}) for j, p in row)
    return graph


def to_scipy(chain: Chain) -> tuple[scipy.sparse.csr_array, tuple[str, ...]]:
    """The transition matrix as a sparse array of floats (each the nearest to its probability), and the labels.

    Rows and columns are the chain's states, in order. Floats are for looking, plotting and simulating: rows need not
    sum to one any more. Raises InteractiveChain where there are inputs, UncertainChain where rows are not exact.
    """
    chain.need("no inputs", "to_scipy", "a matrix has one row per state", FIX)
    chain.need("exact", "to_scipy", "a matrix has one number for each entry", ASK_INSTEAD)
    import numpy as np

    with require_extra("scipy", "scipy"):
        import scipy.sparse
    rows = [row for (row,) in chain.given]
    data = np.fromiter(
        (float(ends(lo)[0]) for row in rows for _, lo, _ in row.list_entries()), np.float64, chain.transitions
    )
    columns = np.fromiter((j for row in rows for j, *_ in row), np.int64, chain.transitions)
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    matrix = scipy.sparse.csr_array((data, columns, starts), shape=(len(chain), len(chain)))
    return matrix, chain.labels
