"""Single chains inside boxes: they are inside, and between the bounds over all chains."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, check
from deltachain.beliefs.limits.inside import inside_of
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.model import AnyRow, BallRow, LimitRow, PointRow
from tests.property.test_boxes import two_rounds
from tests.reference.boxes import random_boxes


def holds(boxes: Chain, chain: Chain) -> bool:
    """Whether every row of the chain lies in its box, what is left going to the one state outside."""
    for state, (box,) in enumerate(boxes.boxes):
        row = dict(chain.rows[state])
        outside = sum((p for j, p in row.items() if j >= len(boxes)), Fraction(0))
        known = {j: (lo, hi) for j, lo, hi in box}
        if outside > box.rest or any(j not in known for j in row if j < len(boxes)):
            return False
        if not all(lo <= row.get(j, 0) <= hi for j, (lo, hi) in known.items()):
            return False
    return True


@pytest.mark.seeds(4, 25)
def test_chains_found_are_inside_and_between_the_bounds(seed: int) -> None:
    random = Random(seed)
    chain = random_boxes(random)
    terms = Terms.read(exp_epsilon=random.choice(["1", "3/2", "4"]), max_nodes=60)
    question = terms.about(chain, [(0, 1)])
    answer = search(question, Workspace.of(question), Cancel())
    found = inside_of(question, Cancel())[0, 1]
    assert holds(chain, found.smallest)
    assert holds(chain, found.largest)
    assert answer.lower <= found.lower
    assert found.upper <= answer.upper
    assert found.lower >= 0
    assert found.centre.upper >= answer.lower
    assert found.centre.lower <= answer.upper


def test_the_corners_of_two_rounds_are_found() -> None:
    chain = two_rounds()
    question = Terms.read(exp_epsilon="3/2").about(chain, chain.relation)
    found = inside_of(question, Cancel())[chain.relation[0]]
    assert (found.lower, found.upper) == (Fraction(3, 25), Fraction(71, 200))


def test_rows_that_enclose_a_known_number_are_not_chosen() -> None:
    """Beside a row with limits, one around a number stays what it is: no chain inside has another."""
    low, high = Fraction(2, 5), Fraction(3, 5)
    rows: list[AnyRow] = [
        BallRow(((3, low, high), (4, low, high))),
        PointRow(((3, Fraction(1, 2)), (4, Fraction(1, 2)))),
        LimitRow(((3, low, high), (4, low, high))),
        PointRow(((3, Fraction(1)),)),
        PointRow(((4, Fraction(1)),)),
    ]
    labels = ("start", "start", "start", "heads", "tails")
    chain = Chain(("s", "t", "u", "h", "g"), labels, tuple((row,) for row in rows), ((0, 1), (1, 2)))
    found = check(chain, "s", "t", epsilon=0, delta="1/20")
    assert found.verdict == "undecided"
    assert found.counterexample is None
    inside = inside_of(Terms.read(epsilon=0).about(chain, chain.relation), Cancel())
    assert inside[0, 1].upper == 0
    assert inside[0, 1].largest.given[0] == chain.given[0]
    assert Fraction(99, 1000) < inside[1, 2].upper <= Fraction(1, 10)
