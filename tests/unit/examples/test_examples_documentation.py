"""The first table of docs/examples.md is the catalogue, and its numbers are true."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import examples
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.reference.interactive import delta_of_system

PAGE = Path(__file__).parents[3] / "docs" / "examples.md"
ROWS = [
    [cell.strip(" `") for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").partition("## Mechanisms of the literature")[0].splitlines()
    if line.startswith("| `")
]
ENDLESS = {"memoised-survey", "sticky-sensor", "waiting-room"}


def test_table_lists_the_catalogue_with_its_defaults() -> None:
    listed = [(name, parameters) for name, parameters, *_ in ROWS]
    known = [(e.name, ",".join(f"{key}={text}" for key, text in e.parameters)) for e in examples.catalogue()]
    assert listed == known


@pytest.mark.parametrize("row", [row for row in ROWS if row[3]], ids=lambda row: row[0])
def test_delta_of_the_table(row: list[str]) -> None:
    name, _, _, alpha, delta = row
    chain = examples.build(name)
    slowly = delta_of_system if chain.interactive else tv_alpha_at_depth
    found = [slowly(chain, "s0", "s1", Fraction(alpha), depth) for depth in (5, 6)]
    if name in ENDLESS:
        # Their limits are proved where they are stated; a finite depth stays at or below.
        assert found[0] <= found[1] <= Fraction(delta)
    else:
        assert found == [Fraction(delta)] * 2
