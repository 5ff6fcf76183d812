"""Rows that enclose known numbers: beliefs level by level in long integers."""

from __future__ import annotations

from functools import cache

import pytest

import deltachain as dc

SURVEY = """
def survey(c: int):
    x = flip(exp(-1/3)) if c > 0 else flip(exp(-1/2))
    announce(x)
    announce(flip(exp(-1/5)) if x else flip(exp(-1/7)))
    if c > 1:
        announce(flip(exp(-1/4)))
        announce(flip(exp(-1/9)))
        announce(flip(exp(-1/11)))
    else:
        announce(flip(exp(-1/4)))
"""


@cache
def survey() -> tuple[dc.Chain, dc.Delta]:
    """The chain, and its δ, which takes seconds."""
    chain = dc.program(SURVEY).chain(secrets=[{"c": c} for c in range(3)])
    return chain, dc.delta(chain, epsilon="1/20")


@pytest.mark.parametrize("most", [1, 2, 4, 8, 12])
def test_pairs_of_which_one_does_not_end_in_time_have_one_certificate(most: int) -> None:
    """One unit serves all recipes of a certificate: that of trees is not that of long integers."""
    chain, exact = survey()
    found = dc.delta(chain, epsilon="1/20", max_nodes=most)
    assert found.checked.accepted
    assert found.lower <= exact.lower <= exact.upper <= found.upper
