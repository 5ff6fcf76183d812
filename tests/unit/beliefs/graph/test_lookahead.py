"""Looking ahead counts what an exact exploration meets, and never changes an answer."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, examples
from deltachain.beliefs.graph.belief_graph import graph_of
from deltachain.beliefs.graph.finite import explore
from deltachain.beliefs.graph.lookahead import Ahead, look_ahead
from deltachain.beliefs.signed.tables import tables_of
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.kernels.step import PRIME
from tests.amounts import fewer_or_all
from tests.asking import answered, question_at
from tests.reference.random_chains import random_chain


def _ahead(chain: Chain, s: int, t: int, nodes: int = 500, entries: int = 5000) -> Ahead:
    tables, order = tables_of(chain)
    return look_ahead(tables, order.index(s), order.index(t), nodes, entries, Cancel())


def _explored(chain: Chain, s: int, t: int, nodes: int = 500, entries: int = 5000) -> tuple[bool, int]:
    graph = graph_of(chain)
    ended = explore(graph, graph.root(s, t), nodes, 2**30, Cancel(), max_entries=entries)
    return ended, len(graph.nodes)


@fewer_or_all("number", 20, 300)
def test_it_meets_as_many_beliefs_as_exploring_does(number: int) -> None:
    random, ended, endless = Random(7), 0, 0
    for _ in range(number):
        chain = random_chain(random)
        pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
        for s, t in pairs[:3]:
            ahead = _ahead(chain, s, t)
            assert (ahead.ended, ahead.nodes) == _explored(chain, s, t)
            ended, endless = ended + ahead.ended, endless + (not ahead.ended)
    assert 3 * ended > number
    assert 15 * endless > number


@pytest.mark.parametrize("limits", [(3, 10**6), (10**6, 40), (100, 100)])
def test_it_gives_up_where_exploring_does(limits: tuple[int, int]) -> None:
    chain = examples.dining_cryptographers(n=6)
    assert (_ahead(chain, 0, 1, *limits).ended, _ahead(chain, 0, 1, *limits).nodes) == _explored(chain, 0, 1, *limits)


def test_large_graphs_are_counted_right() -> None:
    chain = examples.dining_cryptographers(n=20)
    quotient = Workspace(chain, [(0, 1)]).quotient.chain
    ahead = _ahead(quotient, 0, 1, 10**5, 10**6)
    assert ahead.ended
    assert ahead.nodes == _explored(quotient, 0, 1, 10**5, 10**6)[1] > 1000
    assert ahead.depth == 19


def test_denominators_that_the_prime_divides_do_no_harm() -> None:
    part = Fraction(1, PRIME)
    rows = {"s": {"a": part, "b": 1 - part}, "t": {"a": 1 - part, "b": part}, "a": {"a": 1}, "b": {"b": 1}}
    chain = Chain.from_dicts(rows, {"s": "start", "t": "start", "a": "a", "b": "b"}, relation=[("s", "t")])
    answer = answered(question_at(2, chain, [(0, 1)]))
    assert answer.lower == answer.upper == 1 - part - 2 * part
