"""bdsolver's labelled Markov chains: what is read, and what is refused, by line; values beside an LP iteration."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.errors import FormatError, ModelError
from tests.reference.step_forms import directed_step

DICE = """// a die by a fair coin, and another one by a coin that shows heads with 2/3
States
1 start
2 left
3 right

11 start   // the other one
12 left
13 right
Edges
1 -> 2 1/2
1->3 0.5
2 -> 2 1
3 -> 3 1/1
11 -> 12 1/3
11 -> 13 2/3
12 -> 2 1
13 -> 3 1
"""


def saved(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "dice.lmc"
    path.write_text(text)
    return path


def test_a_chain_is_read(tmp_path: Path) -> None:
    chain = dc.load(saved(tmp_path, DICE))
    assert chain.states == ("1", "2", "3", "11", "12", "13")
    assert chain.labels == ("start", "left", "right") * 2
    assert chain.row("11") == {"12": Fraction(1, 3), "13": Fraction(2, 3)}
    assert dc.distance(chain, "1", "11", exp_epsilon=1).value == Fraction(1, 6)


def iterated(chain: dc.Chain, rounds: int) -> list[list[Fraction]]:
    """The classic distance from below, by linear programs over all states."""
    size = range(len(chain))
    d = [[Fraction(chain.labels[s] != chain.labels[t]) for t in size] for s in size]
    rows, labels = [dict(row) for row in chain.rows], chain.labels
    for _ in range(rounds):
        steps = [[directed_step(d, rows[s], rows[t], 1) for t in size] for s in size]
        d = [[steps[s][t] if labels[s] == labels[t] else d[s][t] for t in size] for s in size]
    return d


def test_values_agree_with_an_iteration(tmp_path: Path) -> None:
    chain = dc.load(saved(tmp_path, DICE))
    found = dc.distance(chain, pairs="all", exp_epsilon=1, exact=True)
    wanted = iterated(chain, 4)
    for s in range(len(chain)):
        for t in range(len(chain)):
            assert abs(found[s, t] - wanted[s][t]) < Fraction(1, 10**9)


def test_rounded_rows_need_to_be_normalised(tmp_path: Path) -> None:
    path = saved(tmp_path, "States\n1 a\n2 b\nEdges\n1->1 0.3333\n1->2 0.6666\n2->2 1")
    with pytest.raises(ModelError, match="normalise"):
        dc.load(path)
    assert dc.load(path, normalise=True).row("1") == {"1": Fraction(1111, 3333), "2": Fraction(2222, 3333)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a\n", "does not begin with States"),
        ("States\n1 a\n", "no line Edges"),
        ("", "no line Edges"),
        ("Edges\n", "does not belong here"),
        ("States\n1 a\nEdges\n1 -> 1 1\nEdges\n", "does not belong here"),
        ("States\nx a\nEdges\n", ":2:1: this is not a state"),
        ("States\n1 a\n1 b\nEdges\n", "is there already"),
        ("States\n1 a\nEdges\n1 2 1\n", ":4:1: this is not an edge"),
        ("States\n1 a\nEdges\n1 -> 2 1\n", "there is no state 2"),
        ("States\n1 a\nEdges\n1 -> 1 1/2\n1 -> 1 1/2\n", "is there already"),
        ("States\n1 a\nEdges\n1 -> 1 half\n", ":4:8"),
        ("States\n1 a\nEdges\n1 -> 1 -1\n", "negative"),
    ],
)
def test_what_is_wrong_is_said_by_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said):
        dc.load(saved(tmp_path, text))


def test_a_state_without_edges_has_no_row(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"dice\.lmc:3: state '2'"):
        dc.load(saved(tmp_path, "States\n1 a\n2 b\nEdges\n1 -> 1 1\n"))
