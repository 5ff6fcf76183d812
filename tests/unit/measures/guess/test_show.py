"""What is said of a guess."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import deltachain as dc
from deltachain.beliefs.graph.plans import FixedPlan
from deltachain.results.sections import Fields


def test_what_adaptive_questions_gain_is_told_by_its_bounds() -> None:
    """Only the upper one was shown, as if it were the number."""
    found = dc.guess("example:pin-checker", max_nodes=20)
    plan = FixedPlan(1, ("try",), Fraction(1, 3), Fraction(2, 3), Fraction(1, 3), Fraction(6, 7), 0)
    (fields,) = (section for section in replace(found, plan=plan).sections() if isinstance(section, Fields))
    assert ("1, each chosen after the answers", "0.333333 to 0.857143") in list(fields.rows)
    assert ("best plan of 1", "0.333333 to 0.666667: try") in list(fields.rows)
