"""Features that were written for one kind of row, asked about another."""

from __future__ import annotations

import pytest

from deltachain import delta
from deltachain.errors import UncertainChain
from deltachain.programs import program

ASKING = """
def f(x):
    scale = ask(1, 2)
    announce(x + discrete_laplace(scale) > 0)
"""


def test_plans_are_not_compared_on_functions_of_e() -> None:
    """It was an internal error."""
    chain = program(ASKING).chain([{"x": 0}, {"x": 1}])
    with pytest.raises(UncertainChain, match="functions of e or known within limits"):
        delta(chain, "x=0", "x=1", epsilon="1/4", fixed=1)
