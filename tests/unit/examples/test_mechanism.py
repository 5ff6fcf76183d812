"""The mechanisms of the literature: published and derived values, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain import examples

CLAIMED = 16
"""e^ε of the sparse vector at u = 1/2, c = 1."""


@pytest.mark.parametrize(
    ("spec", "exp_epsilon", "epsilon"),
    [
        ("rappor,bits=6", Fraction(41, 39) ** 6, "0.300062524"),
        ("rappor,bits=6,f=19/20,p=0,q=1", Fraction(21, 19) ** 6, "0.600500752"),
        ("geometric,m=5,ratio=8/9", Fraction(9, 8), "0.117783036"),
        ("survey", Fraction(3), "1.098612289"),
        ("partial-sum", Fraction(2), "0.693147181"),
        ("histogram,moved=0", Fraction(2), "0.693147181"),
        ("histogram,bins=3", Fraction(4), "1.386294362"),
        ("noisy-max,n=5,variant=2", Fraction(8), "2.079441542"),
    ],
)
def test_pure_epsilon(spec: str, exp_epsilon: Fraction, epsilon: str) -> None:
    found = dc.epsilon(examples.build(spec), delta=0)
    assert found.exp_epsilon_proved == exp_epsilon
    assert 0 <= float(epsilon) - math.log(exp_epsilon) <= 1e-9


def test_permanent_bits_bound_what_many_reports_tell() -> None:
    limit = Fraction(5, 3) ** 2
    found = [dc.epsilon(examples.rappor(bits=2, reports=k), delta=0).exp_epsilon_proved for k in (1, 2, 3)]
    assert found[0] == Fraction(41, 39) ** 2
    assert found[0] < found[1] < found[2] < limit


@pytest.mark.parametrize("clamp", [1, 2, 5])
def test_cut_noise_leaves_the_mass_of_its_ends(clamp: int) -> None:
    edge = Fraction(1, 2) ** clamp / Fraction(3, 2)
    chain = examples.clamped_geometric(clamp=clamp)
    assert dc.delta(chain, exp_epsilon=1000).upper == edge == dc.delta(chain, exp_epsilon=2).lower
    sums = examples.smart_sum(clamp=clamp)
    assert dc.delta(sums, exp_epsilon=4).upper == 1 - (1 - edge) ** 2
    assert dc.delta(examples.smart_sum(block=1, clamp=clamp), exp_epsilon=2).lower == edge


@pytest.mark.parametrize("clamp", [0, 8])
@pytest.mark.parametrize(("variant", "private"), [(1, True), (2, False), (3, False)])
def test_noisy_max(variant: int, private: bool, clamp: int) -> None:
    chain = examples.noisy_max(variant=variant, n=5, clamp=clamp)
    assert bool(dc.check(chain, exp_epsilon=4, delta=0)) is private


@pytest.mark.parametrize("clamp", [0, 8])
@pytest.mark.parametrize(("variant", "private"), [(1, True), (2, True), (3, False), (4, False), (5, False), (6, False)])
def test_sparse_vector_as_published(variant: int, private: bool, clamp: int) -> None:
    chain = examples.sparse_vector(variant=variant, n=5, ones=2 if variant == 6 else 1, clamp=clamp)
    assert bool(dc.check(chain, exp_epsilon=CLAIMED, delta=0)) is private


@pytest.mark.slow
def test_sparse_vector_loss() -> None:
    # Algorithm 4 is (1 + 6c)/4 · ε-private, which five answers nearly use up; Algorithm 3 loses e^(ε/2c) a query.
    fourth = dc.epsilon(examples.sparse_vector(variant=4, n=5), delta=0).exp_epsilon_proved
    assert fourth is not None
    assert 127 < fourth < 128
    for n, c in ((1, 1), (3, 1), (5, 1), (4, 2), (5, 2)):
        assert dc.epsilon(examples.sparse_vector(variant=3, n=n, c=c), delta=0).exp_epsilon_proved == 4**n
    fifth = examples.sparse_vector(variant=5, n=2)
    assert dc.delta(fifth, exp_epsilon=10**6).lower == Fraction(3, 20)


def by_hand(answers: tuple[int, ...], word: tuple[str, ...]) -> Fraction:
    """P(word) of SVT 1 with c = 1, u = 1/2 and clamp 8, summed over the noises as the algorithm is written."""
    u = Fraction(1, 2)

    def noise(ratio: Fraction, z: int) -> Fraction:
        edge = ratio**8 / (1 + ratio)
        return edge if abs(z) == 8 else (1 - ratio) / (1 + ratio) * ratio ** abs(z)

    total = Fraction(0)
    for threshold in range(-8, 9):
        mass = noise(u**2, threshold)
        for answer, letter in zip(answers, word, strict=False):
            above = sum((noise(u, z) for z in range(-8, 9) if answer + z >= threshold), Fraction(0))
            mass *= above if letter == "above" else 1 - above
        total += mass
    return total


@pytest.mark.parametrize("word", [("above",), ("below", "above"), ("below", "below")])
def test_sparse_vector_against_sums_by_hand(word: tuple[str, ...]) -> None:
    chain = examples.sparse_vector(clamp=8)
    for state, answers in (("s0", (0, 1)), ("s1", (1, 0))):
        assert dc.trace(chain, state, ("start", *word)).probability == by_hand(answers, word)


def test_unbounded_noise_is_what_a_wide_clamp_comes_close_to() -> None:
    for variant in (1, 2, 4, 6):
        free, clamped = (examples.sparse_vector(variant=variant, n=3, clamp=clamp) for clamp in (0, 30))
        for alpha in (1, 4):
            ours, theirs = (dc.delta(chain, exp_epsilon=alpha).upper for chain in (free, clamped))
            assert abs(ours - theirs) < Fraction(1, 2**20), (variant, alpha)
    for variant in (1, 3):
        free, clamped = (examples.noisy_max(variant=variant, n=3, clamp=clamp) for clamp in (0, 50))
        ours, theirs = (dc.delta(chain, exp_epsilon=2).upper for chain in (free, clamped))
        assert abs(ours - theirs) < Fraction(1, 2**40), variant


def test_right_sparse_vectors_are_private_at_small_epsilon_without_a_clamp() -> None:
    """Where a clamp of 8 violates them."""
    unit = Fraction(21, 22)
    for variant in (1, 2):
        for clamp, verdict in ((0, "private"), (8, "violated")):
            chain = examples.sparse_vector(variant=variant, n=5, unit=unit, clamp=clamp)
            assert dc.check(chain, exp_epsilon=unit**-4, delta=0).verdict == verdict
