from __future__ import annotations

import random
from fractions import Fraction

import pytest

from deltachain.cancel import Cancel
from deltachain.errors import Stopped
from deltachain.model.elimination import solve


def system(seed: int, size: int = 7) -> tuple[dict[int, dict[int, Fraction]], dict[int, dict[str, Fraction]]]:
    """A random system whose every row leaks, with right-hand sides of two entries."""
    chooser = random.Random(seed)
    inner: dict[int, dict[int, Fraction]] = {}
    outer: dict[int, dict[str, Fraction]] = {}
    for node in range(size):
        targets = chooser.sample(range(size), chooser.randint(0, 4))
        inner[node] = {target: Fraction(chooser.randint(1, 3), 4 * len(targets)) for target in targets}
        outer[node] = {name: Fraction(chooser.randint(1, 9), 7) for name in "xy" if chooser.random() < 0.6}
    return inner, outer


@pytest.mark.parametrize("seed", range(50))
def test_the_solution_satisfies_every_equation(seed: int) -> None:
    inner, outer = system(seed)
    solved = solve(*system(seed))
    assert solved is not None
    for node, row in inner.items():
        for name in "xy":
            right = outer[node].get(name, Fraction(0))
            right += sum((p * solved[target].get(name, 0) for target, p in row.items()), Fraction(0))
            assert solved[node].get(name, 0) == right


@pytest.mark.parametrize("seed", range(20))
def test_wanted_nodes_alone_are_solved_to_the_same_values(seed: int) -> None:
    everything = solve(*system(seed))
    inner, outer = system(seed)
    inner |= {100: {0: Fraction(1)}, 101: {1: Fraction(1, 2), 2: Fraction(1, 2)}}
    outer |= {100: {}, 101: {"x": Fraction(1)}}
    some = solve(inner, outer, [100, 101])
    assert everything is not None
    assert some is not None
    assert some.keys() == {100, 101}
    for name in "xy":
        value = [everything[node].get(name, Fraction(0)) for node in range(3)]
        assert some[100].get(name, 0) == value[0]
        assert some[101].get(name, 0) == (value[1] + value[2]) / 2 + (1 if name == "x" else 0)


def test_budgets_and_the_watch() -> None:
    assert solve(*system(1), most_work=3) is None
    dense = {i: {j: Fraction(1, 20) for j in range(10)} for i in range(10)}
    assert solve(dense, {i: {"x": Fraction(1)} for i in range(10)}, most_neighbours=5) is None
    cancel = Cancel()
    cancel.interrupt()
    with pytest.raises(Stopped):
        solve(*system(1), cancel=cancel)
