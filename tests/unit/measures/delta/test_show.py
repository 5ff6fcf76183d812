"""`Delta` and `Verdict`: what is said of several pairs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import deltachain as dc


def test_why_a_search_ended_is_said_of_the_pair_that_most_is_open_of() -> None:
    found = dc.check("example:sticky-sensor", exp_epsilon=2, delta="1/40", max_nodes=50)
    (result,) = found.results
    narrow = replace(result, pair=("s1", "s0"), lower=Fraction(1, 50), upper=Fraction(1, 50), stopped="gap")
    late = replace(result, lower=Fraction(0), upper=Fraction(1), stopped="time")
    both = replace(found, results=(narrow, late))
    assert both.worst == narrow
    assert both.ended.startswith("time limit reached")
