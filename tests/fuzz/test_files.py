"""A few rounds of the file fuzzer, so that its cases themselves stay sound."""

from __future__ import annotations

from random import Random

import pytest

from tests.amounts import fewer_or_all
from tests.fuzz.files import CASES, FileCase


@fewer_or_all("rounds", 8, 25)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mutated_files_are_read_or_refused(case: FileCase, rounds: int) -> None:
    for seed in range(1 if case.suffix in ("prism", "jani") else rounds):
        case.run(Random(f"{case.name} {seed}"))


def test_every_format_that_is_read_has_cases() -> None:
    from deltachain.formats import FORMATS, format_of

    read = {name for name in FORMATS if format_of(name).read is not None}
    assert {case.suffix for case in CASES} <= read
    assert {"json", "drn", "tra"} <= {case.suffix for case in CASES}
