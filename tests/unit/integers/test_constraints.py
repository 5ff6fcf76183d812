"""What follows from differences that are known, and which two sets of them are one."""

from __future__ import annotations

import random
from itertools import product

import pytest

from deltachain.integers.affine import Form
from deltachain.integers.constraints import NoiseBound, follows, join, select_needed

NODES = (None, 0, 1, 2)
CUBE = list(product(range(-3, 4), repeat=3))


def holds(bound: NoiseBound, point: tuple[int, ...]) -> bool:
    left, right = (0 if node is None else point[node] for node in bound[:2])
    return left - right >= bound.form.constant


def random_bounds(rng: random.Random, count: int) -> list[NoiseBound]:
    pairs = [rng.sample(NODES, 2) for _ in range(count)]
    return [NoiseBound(a, b, Form((), rng.randint(-2, 2))) for a, b in pairs]


@pytest.mark.seeds(60, 600)
def test_what_follows_holds_wherever_the_others_do(seed: int) -> None:
    rng = random.Random(seed)
    known, (asked,) = random_bounds(rng, 3), random_bounds(rng, 1)
    region = [point for point in CUBE if all(holds(b, point) for b in known)]
    if follows(asked, known):
        assert all(holds(asked, point) for point in region)
    kept = select_needed(known)
    assert {p for p in CUBE if all(holds(b, p) for b in kept)} == {*region}


@pytest.mark.seeds(60, 600)
def test_a_join_is_the_union_of_the_two(seed: int) -> None:
    rng = random.Random(seed)
    (decision,), common = random_bounds(rng, 1), random_bounds(rng, 2)
    joined = join([*common, decision], [*common, decision.negation], decision)
    if joined is not None:
        either = {p for p in CUBE if all(holds(b, p) for b in common)}
        assert {p for p in CUBE if all(holds(b, p) for b in joined)} == either


def test_the_histories_of_a_maximum_are_joined() -> None:
    """{z0 < z1 < z2} and {z1 <= z0 < z2} are {z0 < z2, z1 < z2}."""
    decision = NoiseBound(1, 0, Form((), 1))
    first = [decision, NoiseBound(2, 1, Form((), 1))]
    second = [decision.negation, NoiseBound(2, 0, Form((), 1))]
    joined = join(first, second, decision)
    assert joined is not None
    assert {*joined} == {NoiseBound(2, 1, Form((), 1)), NoiseBound(2, 0, Form((), 1))}
