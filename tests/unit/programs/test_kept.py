"""Kept noise, followed exactly: against the same programs with noise that is cut off, and what is not followed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.programs import Program, kept
from deltachain.programs.noisy import NotFollowed
from tests.reference import kept_programs
from tests.reference.kept_programs import KINDS

SCALES = ("1", "2", "1/2")


@contextmanager
def cut_off() -> Iterator[None]:
    """Noise is cut off, whatever could be done instead."""

    def refused(_: object) -> None:
        raise NotFollowed("asked for")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kept, "in_some_base", refused)
        yield


def instance(kind: Program, rng: random.Random) -> tuple[list[dict[str, object]], dict[str, object]]:
    """Two vectors of answers, and the other parameters."""
    few = kind.name.startswith(("index", "records", "best"))
    size = 2 if few else rng.randint(1, 3)
    while True:
        one = tuple(rng.randint(-1, 2) for _ in range(size))
        other = tuple(answer + rng.choice((-1, 0, 1)) for answer in one)
        if one != other:
            break
    given: dict[str, object] = {"bar": rng.choice(SCALES), "noise": rng.choice(("1", "1/2") if few else SCALES)}
    if kind is kept_programs.sparse:
        given |= {"c": rng.randint(1, 2), "anew": rng.random() < 0.4}
    if kind is kept_programs.index_of_max:
        given |= {"lazy": rng.random() < 0.5}
    return [{"answers": one}, {"answers": other}], given


def compare(kind: Program, seed: int) -> None:
    """The exact δ lies inside the interval that is certified where noise is cut off."""
    secrets, constants = instance(kind, random.Random(seed))
    chain, notes = kind.chain_with_notes(secrets, constants=constants)
    assert any("followed exactly" in note for note in notes), notes
    with cut_off():
        other = kind.chain(secrets, constants=constants)
    for epsilon in (Fraction(0), Fraction(1, 4), Fraction(1)):
        exact, certified = (dc.delta(each, epsilon=epsilon) for each in (chain, other))
        assert exact.upper - exact.lower < Fraction(1, 10**40)
        assert certified.lower <= exact.upper, (kind.name, secrets, constants, epsilon)
        assert exact.lower <= certified.upper, (kind.name, secrets, constants, epsilon)
    dc.verify(chain, dc.delta(chain, epsilon=1).certificate)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_exact_value_is_inside_what_is_certified_with_noise_cut_off(kind: Program) -> None:
    compare(kind, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 20))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_exact_value_is_inside_for_many_programs(kind: Program, seed: int) -> None:
    compare(kind, seed)


def test_the_comparison_is_of_two_different_chains() -> None:
    secrets, constants = instance(kept_programs.sparse, random.Random(0))
    chain = kept_programs.sparse.chain(secrets, constants=constants)
    with cut_off():
        other, notes = kept_programs.sparse.chain_with_notes(secrets, constants=constants)
    assert len(chain.states) < 20 < len(other.states)
    assert any("noise is cut off" in note and "asked for" in note for note in notes)
