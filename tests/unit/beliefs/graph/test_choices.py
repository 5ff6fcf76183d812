"""The best strategy on finite belief graphs, exactly: worked values, loops, and every stationary strategy listed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest

import deltachain as dc
from deltachain import delta, verify
from deltachain.beliefs.graph.belief_graph import AnyGraph, Edge, graph_of
from deltachain.beliefs.graph.choices import by_input
from deltachain.beliefs.graph.finite import Solved, explore, solve_finite
from deltachain.beliefs.workspace import is_acyclic
from deltachain.cancel import Cancel
from deltachain.model.elimination import solve
from deltachain.numbers.flint import to_flint, to_fraction
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.interactive import delta_of_system
from tests.reference.systems import lively_system, probe_system, waiting_device


@pytest.mark.parametrize(("alpha", "value"), [("1", "1/2"), ("3/2", "3/8"), ("2", "1/4"), ("3", "0")])
def test_the_probe_is_worth_asking_first(alpha: str, value: str) -> None:
    chain = probe_system()
    found = delta(chain, exp_epsilon=alpha)
    assert found.lower == found.upper == Fraction(value)
    assert len(verify(chain, found.certificate)) == 1


def test_waiting_for_ever_is_no_strategy() -> None:
    """V = P V also for the strategy that only waits: the certificate must lead to a look."""
    chain = waiting_device()
    found = delta(chain, exp_epsilon="6/5")
    assert found.lower == found.upper == Fraction(1, 5)
    assert verify(chain, found.certificate)
    witness = found.witness
    assert witness is not None
    assert witness.strategy is not None
    assert witness.strategy.asked == "look"
    assert witness.listed == Fraction(1, 5)


def test_inputs_that_do_nothing_are_no_cycles() -> None:
    rows = {
        "s": {"look": {"h": "1/2", "t": "1/2"}, "wait": {"s": 1}},
        "u": {"look": {"h": "1/4", "t": "3/4"}, "wait": {"u": 1}},
        "h": {"h": 1},
        "t": {"t": 1},
    }
    labels = {"s": "closed", "u": "closed", "h": "heads", "t": "tails"}
    assert is_acyclic(dc.Chain.from_dicts(rows, labels))
    assert not is_acyclic(waiting_device())


def all_stationary(solved: Solved, k: int) -> Fraction:
    """The largest value at the root, node 0, over all ways to name an input, or a stop, at every node."""
    graph = solved.graph
    inner = [node for node in solved.values if node not in solved.settled]
    ways = [[None, *by_input(graph.edges[node] or ())] for node in inner]
    best = Fraction(0)
    for choice in product(*(range(len(way)) for way in ways)):
        going = {
            node: by_input(graph.edges[node] or ())[ways[i][c]]
            for i, (node, c) in enumerate(zip(inner, choice, strict=True))
            if c
        }
        if not leads_out(going):
            continue
        rows: dict[int, dict[int, object]] = {}
        right: dict[int, dict[int, object]] = {}
        for node, edges in going.items():
            rows[node], right[node] = {}, {0: to_flint(Fraction(0))}
            for edge in edges:
                if edge.child in going:
                    rows[node][edge.child] = rows[node].get(edge.child, to_flint(Fraction(0))) + to_flint(
                        to_fraction(edge.weight)
                    )  # type: ignore[operator]
                else:
                    right[node][0] += to_flint(to_fraction(edge.weight)) * gap(solved, edge.child, k)  # type: ignore[operator]
        values = solve(rows, right)
        assert values is not None
        found = values[0][0] if 0 in values else gap(solved, 0, k)
        best = max(best, Fraction(int(found.p), int(found.q)))
    return best


def gap(solved: Solved, node: int, k: int) -> object:
    x, y = solved.graph.nodes[node].masses(k % 2)
    return to_flint(max(Fraction(0), x - Fraction(11, 10) * y))


def leads_out(going: dict[int, list[Edge]]) -> bool:
    out = {node for node, edges in going.items() if any(edge.child not in going for edge in edges)}
    while True:
        more = {node for node, edges in going.items() if any(edge.child in out for edge in edges)} - out
        if not more:
            return len(out) == len(going)
        out |= more


def graphs_with_loops() -> Iterator[AnyGraph]:
    """Sixty small graphs in which some node leads back, and the observer has a choice."""
    found, seed = 0, 0
    while found < 60:
        chain = lively_system(Random(seed))
        seed += 1
        graph = graph_of(chain)
        if not explore(graph, graph.root(0, 1), 8, 2**16, Cancel()) or len(graph.nodes) < 3:
            continue
        edges = [(node, edge) for node, out in enumerate(graph.edges) for edge in out or ()]
        if any(edge.child <= node for node, edge in edges) and {edge.asked for _, edge in edges} - {None, "i0"}:
            found += 1
            yield graph


def test_no_stationary_strategy_is_better() -> None:
    gains = 0
    for graph in graphs_with_loops():
        solved = solve_finite(graph, [0], ExpEpsilon.exactly(Fraction(11, 10)))
        assert solved is not None
        for k in (0, 1):
            value = solved.values[0][k]
            assert Fraction(int(value.p), int(value.q)) == all_stationary(solved, k)
            gains += value > 0
    assert gains > 40


@pytest.mark.seeds(1, 10)
def test_exact_on_systems_that_end(seed: int) -> None:
    """Five hundred systems without loops: the recursion, to the depth of the system, gives the very number."""
    asked = 0
    for number in range(50 * seed, 50 * (seed + 1)):
        random = Random(number)
        chain = lively_system(random, loops=False)
        alpha = random.choice([Fraction(1), Fraction(6, 5), Fraction(2)])
        found = delta(chain, 0, 1, exp_epsilon=alpha)
        want = delta_of_system(chain, 0, 1, alpha, len(chain))
        assert found.lower == found.upper == want, number
        assert verify(chain, found.certificate)
        asked += want > 0
    assert asked > 30
