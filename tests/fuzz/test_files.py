"""A few rounds of the file fuzzer, so that its cases themselves stay sound."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.files import CASES, FileCase


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mutated_files_are_read_or_refused(case: FileCase) -> None:
    rounds = 1 if case.suffix in ("prism", "jani") else 8
    for seed in range(rounds):
        case.run(Random(f"{case.name} {seed}"))


def test_every_format_that_is_read_has_cases() -> None:
    from deltachain.formats import FORMATS, format_of

    read = {name for name in FORMATS if format_of(name).read is not None}
    assert {case.suffix for case in CASES} <= read
    assert {"json", "drn", "tra"} <= {case.suffix for case in CASES}
