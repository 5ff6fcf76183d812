"""Floats only order the search: beliefs beyond their range must neither be lost nor stop it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import Chain, delta, verify
from deltachain.beliefs.graph.belief_graph import graph_of
from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel

TINY = Fraction(1, 10**200)


def rare_secret() -> Chain:
    """The two differ after two events of probability 10⁻²⁰⁰: together, less than the smallest float."""
    rows = {
        "s": {"s1": TINY, "z": 1 - TINY},
        "t": {"t1": TINY, "z": 1 - TINY},
        "s1": {"s2": TINY, "z": 1 - TINY},
        "t1": {"t2": TINY, "z": 1 - TINY},
        "s2": {"h": Fraction(3, 4), "k": Fraction(1, 4)},
        "t2": {"h": Fraction(1, 4), "k": Fraction(3, 4)},
        "h": {"h": 1},
        "k": {"k": 1},
        "z": {"z": 1},
    }
    return Chain.from_dicts(rows, {name: name.replace("t", "s") if name != "t" else "s" for name in rows})


def test_a_leaf_whose_weight_underflows_is_still_expanded() -> None:
    """Such leaves were left out of the heap and counted as settled: δ was said to be exactly 0."""
    chain = rare_secret()
    truth = TINY * TINY / 2
    losses = find_losses(Workspace(chain, [(0, 1)]), (0, 1), Budget(100), Cancel())
    assert losses is not None
    assert losses.curve.delta(Fraction(1)) == truth
    found = delta(chain, "s", "t", exp_epsilon=1)
    assert (found.lower, found.upper) == (truth, truth)
    verify(chain, found.certificate)
    assert found.witness is not None
    assert found.witness.listed == truth


def test_masses_beyond_floats_do_not_stop_the_witness() -> None:
    """Beliefs are integers without a common factor; their values overflowed a float."""
    scale = 10**110 + 3
    odds = {"0": Fraction(6 * 10**109, scale), "1": Fraction(4 * 10**109 + 1, scale)}
    rows = {"s": {"0x": odds["0"], "0y": 1 - odds["0"]}, "t": {"1x": odds["1"], "1y": 1 - odds["1"]}}
    for bit, other in (("0", "1"), ("1", "0")):
        share = {f"{bit}x": odds[bit] * Fraction(9, 10), f"{bit}y": (1 - odds[bit]) * Fraction(9, 10)}
        rows |= {f"{bit}{letter}": share | {f"{other}x": Fraction(1, 10)} for letter in "xy"}
    chain = Chain.from_dicts(rows, {name: name[-1] if len(name) == 2 else "go" for name in rows})
    found = delta(chain, "s", "t", exp_epsilon=1, max_nodes=100)
    assert found.witness is not None
    assert 0 < found.witness.listed <= found.witness.advantage
    verify(chain, found.certificate)


def test_an_interruption_between_two_nodes_leaves_no_number_that_means_two(monkeypatch: pytest.MonkeyPatch) -> None:
    import deltachain.beliefs.graph.belief_graph as beliefs

    chain = rare_secret()
    graph = graph_of(chain)
    graph.root(0, 1)
    real = beliefs.Node

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(beliefs, "Node", interrupted)
    with pytest.raises(KeyboardInterrupt):
        graph.root(2, 3)
    monkeypatch.setattr(beliefs, "Node", real)
    other, again = graph.root(4, 5), graph.root(2, 3)
    assert other != again
    assert graph.nodes[again].x == ((2, 1),)
    assert graph.nodes[other].x == ((4, 1),)
    assert graph.edges[again] is None
    assert {edge.label for edge in graph.expand(again)} == {"s2", "z"}


def test_long_masses_use_up_the_budget_too() -> None:
    """Thirty more bits a step: 5,000 of these nodes took many minutes, for nothing. Words take over now."""
    rows = {
        "s": {"s": 1},
        "t": {"t": Fraction(10**9, 10**9 + 1), "u": Fraction(1, 10**9 + 1)},
        "u": {name: Fraction(1, 3) for name in "stu"},
    }
    chain = Chain.from_dicts(rows, {"s": "a", "t": "a", "u": "c"})
    found = delta(chain, "s", "t", exp_epsilon=2, max_nodes=500)
    assert not found.exact
    assert found.results[0].method == "signed beliefs"
    deeper = delta(chain, "s", "t", exp_epsilon=2, max_nodes=1000)
    assert found.lower <= deeper.lower < deeper.upper <= found.upper
    verify(chain, deeper.certificate)


@pytest.mark.parametrize("power", [46, 60, 64, 80])
@pytest.mark.parametrize("entry", ["1/2", ("2/5", "3/5")])
def test_at_an_alpha_that_leaves_no_unit_the_certificate_says_nothing_of_trees(entry: object, power: int) -> None:
    """Writing it failed on a negative shift, or the checker missed the bits of the unit: `epsilon` goes to 2^64."""
    rows = {"s": {"s": entry, "t": entry}, "t": {"s": "1/3", "t": "1/3", "u": "1/3"}, "u": {"t": entry, "s": entry}}
    chain = Chain.from_dicts(rows, {"s": "a", "t": "a", "u": "b"})  # type: ignore[arg-type]
    found = delta(chain, "s", "t", exp_epsilon=2**power, max_nodes=1)
    assert verify(chain, found.certificate)
    assert 0 <= found.lower <= found.upper <= 1
