"""The cone that floats find: its ratios against all words, and against itself one letter further."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.measures.epsilon.cone import INFINITE, Words, newton_step, radius
from deltachain.model.words import word_probability
from tests.reference.random_chains import random_chain


def cones(chain: Chain) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        found = [words.fixed_point() for words in Words.longer_and_longer(chain)]
    return [cone.ratios for cone in found if cone is not None]


def test_a_sensor_has_three_at_the_start_and_seven_thirds_inside() -> None:
    chain = dc.examples.sticky_sensor()
    for ratios in cones(chain):
        assert ratios[chain.number("s0"), chain.number("s1")] == pytest.approx(3, rel=1e-9)
        assert ratios[chain.number("0.low"), chain.number("1.low")] == pytest.approx(7 / 3, rel=1e-9)
        assert ratios[chain.number("s0"), chain.number("0.low")] == 1  # of other labels nothing is said


def test_no_cone_is_below_a_word() -> None:
    compared = 0
    for seed in range(120):
        chain = random_chain(random.Random(seed), most_states=4, most_letters=2)
        # Of three states of a label at most, floats have the largest ratio over the cone.
        if any(len(states) > 3 for states in chain.by_label.values()):
            continue
        found = cones(chain)
        pairs = [(i, j) for states in chain.by_label.values() for i in states for j in states if i != j]
        for i, j in pairs:
            for word in words_of(chain, i, 4):
                x, y = (Fraction(word_probability(chain, state, word)) for state in (i, j))  # type: ignore[arg-type]
                for ratios in found:
                    assert ratios[i, j] == INFINITE or float(x) <= float(y) * ratios[i, j] * (1 + 1e-9)
                    compared += ratios[i, j] < INFINITE
    assert compared > 5_000


def test_deeper_trees_have_smaller_cones() -> None:
    for seed, first, last in ((35, 3.9743765, 3.7927461), (19, 1.1950226, 1.1941187)):
        found = cones(dc.examples.build(f"random,n=6,labels=2,degree=3,seed={seed}"))
        worst = [max(ratios[0, 1], ratios[1, 0]) for ratios in found]
        assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(worst))
        assert worst[0] == pytest.approx(first, rel=1e-7)
        assert worst[-1] == pytest.approx(last, rel=1e-7)


def words_of(chain: Chain, state: int, letters: int) -> list[tuple[str, ...]]:
    found = [(chain.labels[state],)]
    for word in found:
        if len(word) <= letters:
            found += [(*word, letter) for letter in sorted(chain.alphabet)]
    return found


def test_ratios_that_are_handed_on_in_a_circle_are_not_pushed() -> None:
    circle = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert radius(circle, [0, 1]) == pytest.approx(1)
    change = np.array([0.1, 0.0])
    step = newton_step(circle, change)
    assert step is not None
    assert step.tolist() == change.tolist()
    held = newton_step(circle / 2, change)
    assert held is not None
    assert held.tolist() == pytest.approx([0.1 / 0.75, 0.05 / 0.75])
    assert newton_step(np.zeros((0, 0)), np.zeros(0)) is None


def test_large_chains_have_no_cone() -> None:
    chain = dc.examples.random(n=80, labels=2, degree=3, seed=1)
    assert cones(chain) == []
