"""How much a test tries: a usual run takes a part of what `make test-slow` takes, always the same."""

from __future__ import annotations

import pytest
from hypothesis import settings

USUAL, THOROUGH = 25, 100
settings.register_profile("usual", max_examples=USUAL, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=THOROUGH, deadline=None)


def part_of(number: int) -> int:
    """So many examples in a thorough run; a quarter of them, at least five if there are as many, in a usual one."""
    if settings.default is not None and settings.default.max_examples == THOROUGH:
        return number
    return max(number // 4, min(number, 5))


def fewer_or_all(names: str, usual: object, thorough: object) -> pytest.MarkDecorator:
    """The test takes ``usual`` in a usual run, and ``thorough``, a case of its own, in the slow one.

    Of several names, such as a number of cases and what must be seen among them, both are tuples.
    """
    return pytest.mark.parametrize(names, [usual, pytest.param(*_values(names, thorough), marks=pytest.mark.slow)])


def _values(names: str, value: object) -> tuple[object, ...]:
    if "," not in names:
        return (value,)
    assert isinstance(value, tuple)
    return value
