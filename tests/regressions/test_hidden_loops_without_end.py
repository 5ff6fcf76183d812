"""A hidden loop without a draw or an end is a dead end, whatever was drawn before it: compiling once ran for ever."""

from __future__ import annotations

import pytest

from deltachain import program


@pytest.mark.parametrize("outcomes", [3, 9])  # few outcomes run one by one, many are prepared together
def test_a_loop_that_repeats_itself_announces_nothing(outcomes: int) -> None:
    text = f"""def f(x):
    z = uniform(0, {outcomes})
    while z < 3:
        z = (z + 1) % 3
    announce(z + x)
"""
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    shown = {chain.labels[j]: p for j, p in chain.rows[chain.number("x=0")]}
    assert sum(shown.values()) == 1
    assert {"3"} <= set(shown)
    assert not {"0", "1", "2"} & set(shown)
