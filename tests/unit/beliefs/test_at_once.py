"""`at_once`: δ is 1 where labels differ and 0 where states are bisimilar, whatever ε is; nothing else is settled."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.beliefs import at_once
from deltachain.beliefs.question import Terms
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.model import Chain, from_dicts
from deltachain.model.chain import Pair

LABELS = {"s": "a", "t": "a", "u": "a", "x": "b", "y": "c"}
ROWS = {
    "s": {"x": "1/3", "y": "2/3"},
    "t": {"y": "2/3", "x": "1/3"},
    "u": {"x": "2/3", "y": "1/3"},
    "x": {"x": 1},
    "y": {"y": 1},
}


def chain() -> Chain:
    return from_dicts(ROWS, LABELS)


PAIRS: list[Pair] = [(0, 1), (0, 2), (0, 0), (3, 4), (0, 3)]


@pytest.mark.parametrize("alpha", ["1", "2", "1000"])
def test_each_settles_its_own_pairs(alpha: str) -> None:
    model = chain()
    work = Workspace(model, PAIRS)
    question = Terms.read(exp_epsilon=alpha).about(model, PAIRS)
    differ = at_once.different(question, work, PAIRS, Cancel())
    alike = at_once.bisimilar(question, work, PAIRS, Cancel())
    assert set(differ) == {(3, 4), (0, 3)}
    assert set(alike) == {(0, 1), (0, 0)}
    assert {(p.interval.lower, p.interval.upper) for p in differ.values()} == {(Fraction(1), Fraction(1))}
    assert {(p.interval.lower, p.interval.upper) for p in alike.values()} == {(Fraction(0), Fraction(0))}


def test_what_is_seen_is_said() -> None:
    model = chain()
    question = Terms.read(exp_epsilon="2").about(model, PAIRS)
    work = Workspace(model, PAIRS)
    (word,) = at_once.different(question, work, [(0, 3)], Cancel())[0, 3].event(10).words
    assert (word.word, word.probability, word.other) == (("a",), 1, 0)
    alike = at_once.bisimilar(question, work, [(0, 1), (0, 0)], Cancel())
    assert (
        alike[0, 1].explain()
        == "s and t are bisimilar: every output sequence is as likely from either, so δ = 0 at every ε."
    )
    assert alike[0, 0].explain().startswith("s and s are one state")
    assert not alike[0, 1].event(10).words
