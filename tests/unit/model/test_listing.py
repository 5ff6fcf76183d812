"""The rows of a chain as text: the same numbers wherever they are listed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import Chain
from deltachain.beliefs.workspace import Workspace
from deltachain.formats.format import chain_to_dot
from deltachain.model import BallRow, LimitRow, PointRow
from deltachain.model.listing import ListedRow, brief, listed_rows, shown_entry, state_lines
from deltachain.model.rows import AnyRow, points
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.field import ends
from deltachain.reports.drawing import draw
from tests.words import says

F = Fraction
HALF = 1 / (1 + exp_of(F(1, 2)))


def chain_with(row: AnyRow) -> Chain:
    """A state with the row, and two ends."""
    here = [(PointRow(((j, F(1)),)),) for j in (1, 2)]
    return Chain(("s", "a", "b"), ("go", "x", "y"), ((row,), *here), ((0, 0),))


def functions() -> Chain:
    return chain_with(points({1: HALF, 2: 1 - HALF}))


def test_a_function_of_e_is_its_formula_everywhere() -> None:
    chain = functions()
    formulas = ["1/(1+exp(1/2))", "exp(1/2)/(1+exp(1/2))"]
    assert list(listed_rows(chain, 0)) == [ListedRow(None, tuple(zip((1, 2), formulas, strict=True)), 2, "")]
    assert says(list(state_lines(chain, 0)))
    shown = [
        chain.summary(),
        "".join(chain_to_dot(chain)),
        chain._repr_html_(),
        draw(Workspace(chain, [(0, 0)]), (0, 0)).svg,
    ]
    assert all(formula in text for text in shown for formula in formulas)


def test_a_long_formula_is_a_decimal_that_says_so() -> None:
    number = (1 + 3 * HALF) ** 9 / 1000
    assert len(str(number)) > 60
    low, _ = ends(number)
    text = shown_entry(number, number)
    assert text.startswith("≈ ")
    assert abs(F(text.removeprefix("≈ ")) - low) < low / 10**5


@pytest.mark.parametrize("number", [F(1, 3), F(10**20, 3 * 10**20 + 1), HALF])
def test_ends_are_rounded_outward(number: Fraction) -> None:
    low, high = ends(number)
    down, up = (brief(number, down=side) for side in (True, False))
    if len(str(number)) <= 16:
        assert down == up == str(number)
    else:
        assert F(down) <= low <= high <= F(up)


def test_limits_and_what_goes_elsewhere_are_told() -> None:
    third, long = F(1, 3), F(1, 3 * 10**20)
    limits = chain_with(LimitRow(((1, F(1, 4), F(1, 2)), (2, F(1, 4), F(1, 2))), F(1, 8)))
    assert says(next(state_lines(limits, 0)), "elsewhere: up to")
    balls = chain_with(BallRow(((1, third - long, third + long), (2, 2 * third - long, 2 * third + long))))
    (row,) = listed_rows(balls, 0)
    assert row.targets == ((1, "[0.333333, 0.333334]"), (2, "[0.666666, 0.666667]"))
    assert row.elsewhere == ""


def test_many_targets_are_cut_and_counted() -> None:
    states = tuple("abcdefgh")
    row = PointRow(tuple((j, F(1, 8)) for j in range(8)))
    chain = Chain(states, states, ((row,),) * 8)
    (listed,) = listed_rows(chain, 0)
    assert len(listed.targets) == 6
    assert listed.more == ", … (8 in all)"
