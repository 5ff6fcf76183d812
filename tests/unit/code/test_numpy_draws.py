"""The generator that stands for NumPy's: its draws have NumPy's laws, exactly, and what it cannot do it refuses."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain.errors import InputError

pytestmark = pytest.mark.usefixtures("one_process")


def law(code: Callable[[Any], object]) -> dict[str, Fraction]:
    """What is announced with which probability, followed over every draw."""

    def shown(x: int, generator: Any) -> None:
        dc.announce(code(generator))

    chain = dc.from_code(shown, [{"x": 0}], constants={"generator": dc.numpy_generator()})
    found: dict[str, Fraction] = {}
    for state, p in chain.rows[0]:
        found[chain.labels[state]] = found.get(chain.labels[state], Fraction(0)) + p
    return found


def test_integers_are_uniform_without_the_end_or_with_it() -> None:
    third = Fraction(1, 3)
    assert law(lambda g: int(g.integers(3))) == {"0": third, "1": third, "2": third}
    assert law(lambda g: int(g.integers(4, 7))) == {"4": third, "5": third, "6": third}
    assert law(lambda g: int(g.integers(4, 6, endpoint=True))) == {"4": third, "5": third, "6": third}


def test_choice_with_and_without_replacement() -> None:
    sixth, ninth = Fraction(1, 6), Fraction(1, 9)
    without = law(lambda g: tuple(int(x) for x in g.choice(3, 2, replace=False)))
    assert without == {str((a, b)): sixth for a in range(3) for b in range(3) if a != b}
    again = law(lambda g: tuple(int(x) for x in g.choice(3, 2)))
    assert again == {str((a, b)): ninth for a in range(3) for b in range(3)}
    weighted = law(lambda g: int(g.choice([7, 8], p=[Fraction(1, 5), Fraction(4, 5)])))
    assert weighted == {"7": Fraction(1, 5), "8": Fraction(4, 5)}


def test_shapes_and_types_are_those_of_numpy() -> None:
    generator, real = dc.numpy_generator(), np.random.default_rng(1)
    for size in (None, 3, (2, 2)):
        mine, theirs = generator.integers(5, size=size), real.integers(5, size=size)
        assert np.shape(mine) == np.shape(theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype
    assert generator.permutation(4).shape == (4,)


def test_errors_are_those_of_numpy() -> None:
    generator, real = dc.numpy_generator(), np.random.default_rng(1)
    for wrong in (
        lambda g: g.integers(3, 3),
        lambda g: g.choice(2, 3, replace=False),
        lambda g: g.choice(3, p=[0.5, 0.5]),
    ):
        with pytest.raises(ValueError, match=r"\w") as theirs:
            wrong(real)
        with pytest.raises(ValueError, match=r"\w") as mine:
            wrong(generator)
        assert str(mine.value)[:10].lower() == str(theirs.value)[:10].lower()


@pytest.mark.parametrize("name", ["normal", "laplace", "random", "uniform", "exponential", "bytes"])
def test_what_draws_real_numbers_is_refused_with_what_to_use(name: str) -> None:
    with pytest.raises(InputError, match=name):
        getattr(dc.numpy_generator(), name)(1)


def test_a_copy_asks_the_same_source() -> None:
    generator = dc.numpy_generator()
    assert copy.deepcopy(generator) is generator
    assert type(pickle.loads(pickle.dumps(generator))) is type(generator)  # noqa: S301 - our own
    assert repr(generator) == "deltachain.numpy_generator()"
    with pytest.raises(AttributeError, match="no bits"):
        _ = generator.bit_generator
