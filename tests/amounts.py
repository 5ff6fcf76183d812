"""How many examples Hypothesis tries: a usual run takes a part of what `make test-slow` takes, always the same."""

from __future__ import annotations

from hypothesis import settings

USUAL, THOROUGH = 25, 100
settings.register_profile("usual", max_examples=USUAL, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=THOROUGH, deadline=None)


def part_of(number: int) -> int:
    """So many examples in a thorough run; a quarter of them, at least five if there are as many, in a usual one."""
    if settings.default is not None and settings.default.max_examples == THOROUGH:
        return number
    return max(number // 4, min(number, 5))
