"""Generators that ask the source: the laws of those that they stand for, and nothing behind their back."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain.code import Random, from_code, numpy_generator
from deltachain.draws.source import seeded, using

pytestmark = pytest.mark.usefixtures("one_process")


def law(function: Callable[[Any], Any], generator: Any) -> dict[str, Fraction]:
    """Word → probability of what a function returns."""
    chain = from_code(lambda: function(generator), [{}])
    found: dict[str, Fraction] = {}
    pending = [(0, (), Fraction(1))]
    while pending:
        state, word, chance = pending.pop()
        if chain.labels[state] == "end":
            found[" ".join(word)] = found.get(" ".join(word), Fraction(0)) + chance
            continue
        for target, p in chain.given[state][0]:
            label = chain.labels[target].removeprefix("returns ")
            pending.append((target, word if label == "end" else (*word, label), chance * p))
    return found


def even(*words: str) -> dict[str, Fraction]:
    return dict.fromkeys(words, Fraction(1, len(words)))


HALVES = {f"#1 {k}": Fraction(comb(3, k), 8) for k in range(4)}

LAWS: list[tuple[Callable[[random.Random], Any], dict[str, Fraction]]] = [
    (lambda r: r.randrange(3), even("#1 0", "#1 1", "#1 2")),
    (lambda r: r.randint(5, 6), even("#1 5", "#1 6")),
    (lambda r: r.randrange(0, 6, 3), even("#1 0", "#1 3")),
    (lambda r: r.choice("abc"), even("'a'", "'b'", "'c'")),
    (lambda r: r.choices("ab", [1, 3])[0], {"'a'": Fraction(1, 4), "'b'": Fraction(3, 4)}),
    (lambda r: r.choices("ab", [0.25, 0.75])[0], {"'a'": Fraction(1, 4), "'b'": Fraction(3, 4)}),
    (lambda r: r.choices("ab", cum_weights=[1, 4])[0], {"'a'": Fraction(1, 4), "'b'": Fraction(3, 4)}),
    (lambda r: "".join(r.choices("ab", k=2)), even("'aa'", "'ab'", "'ba'", "'bb'")),
    (lambda r: "".join(r.sample("abc", 2)), even("'ab'", "'ac'", "'ba'", "'bc'", "'ca'", "'cb'")),
    (lambda r: sorted(r.sample(range(100), 1))[0] < 50, even("True", "False")),
    (lambda r: r.sample(["a"], counts=[2], k=1)[0], even("'a'")),
    (lambda r: r.getrandbits(2), even("#1 0", "#1 1", "#1 2", "#1 3")),
    (lambda r: r.binomialvariate(3, "1/2"), HALVES),
    (lambda r: r.binomialvariate(3, 0.5), HALVES),
]


@pytest.mark.parametrize(("function", "known"), LAWS)
def test_whole_number_methods_have_their_laws(
    function: Callable[[random.Random], Any], known: dict[str, Fraction]
) -> None:
    assert law(function, Random()) == known


def test_a_shuffle_of_four_is_uniform() -> None:
    def shuffled(generator: random.Random) -> str:
        letters = list("abcd")
        generator.shuffle(letters)
        return "".join(letters)

    found = law(shuffled, Random())
    assert len(found) == 24
    assert set(found.values()) == {Fraction(1, 24)}


NUMPY: list[tuple[Callable[[np.random.Generator], Any], dict[str, Fraction]]] = [
    (lambda g: int(g.integers(3)), even("#1 0", "#1 1", "#1 2")),
    (lambda g: int(g.integers(5, 6, endpoint=True)), even("#1 5", "#1 6")),
    (lambda g: g.integers(2, size=(1, 2)).tolist(), even(*(f"[[#1, #2]] {a} {b}" for a in (0, 1) for b in (0, 1)))),
    (lambda g: str(g.choice(["a", "b"], p=[0.25, 0.75])), {"'a'": Fraction(1, 4), "'b'": Fraction(3, 4)}),
    (lambda g: "".join(g.choice(list("abc"), 2, replace=False)), even("'ab'", "'ac'", "'ba'", "'bc'", "'ca'", "'cb'")),
    (lambda g: "".join(g.permutation(list("abc"))), even("'abc'", "'acb'", "'bac'", "'bca'", "'cab'", "'cba'")),
    (lambda g: int(g.binomial(3, 0.5)), HALVES),
]


@pytest.mark.parametrize(("function", "known"), NUMPY)
def test_whole_number_methods_of_numpy_have_their_laws(
    function: Callable[[np.random.Generator], Any], known: dict[str, Fraction]
) -> None:
    assert law(function, numpy_generator()) == known


def test_choices_without_replacement_follow_their_weights() -> None:
    found = law(lambda g: "".join(g.choice(list("ab"), 2, replace=False, p=[0.25, 0.75])), numpy_generator())
    assert found == {"'ab'": Fraction(1, 4), "'ba'": Fraction(3, 4)}


def test_arrays_and_lists_are_shuffled_in_place() -> None:
    def shuffled(generator: np.random.Generator) -> Any:
        array, items = np.arange(2), [0, 1]
        generator.shuffle(array)
        generator.shuffle(items)
        return array.tolist() + items

    assert len(law(shuffled, numpy_generator())) == 4


def test_trials_up_to_a_success_have_no_end() -> None:
    chain = from_code(lambda g: int(g.geometric("1/2")), [{"g": numpy_generator()}], tail="1e-3")
    assert {label for label in chain.labels if label.isdigit()} == {str(n) for n in range(1, 10)}


@pytest.mark.parametrize("name", ["random", "gauss", "uniform", "normalvariate", "expovariate", "betavariate"])
def test_floats_of_random_are_refused_with_what_to_use(name: str) -> None:
    with pytest.raises(dc.errors.InputError, match=rf"Random.{name}: a float has 2\^53 outcomes.*(use|draw)"):
        getattr(Random(), name)(*([1, 2] if name not in ("random", "expovariate") else [1] * (name != "random")))


def test_every_other_method_of_numpy_is_refused() -> None:
    generator = numpy_generator()
    allowed = {"integers", "choice", "permutation", "shuffle", "binomial", "geometric", "spawn"}
    names = {name for name in dir(np.random.Generator) if not name.startswith("_")} - allowed - {"bit_generator"}
    assert {"random", "normal", "permuted", "multinomial"} <= names
    for name in names:
        with pytest.raises(dc.errors.InputError, match=name):
            getattr(generator, name)()
    with pytest.raises(AttributeError):
        _ = generator.bit_generator


def test_seeds_and_states_are_refused() -> None:
    generator = Random()
    for call in (
        lambda: generator.seed(1),
        generator.getstate,
        lambda: generator.setstate(()),
        lambda: generator.getrandbits(17),
    ):
        with pytest.raises(dc.errors.InputError, match="Random"):
            call()
    generator.seed()


def test_they_are_what_they_stand_for_and_can_be_copied() -> None:
    assert isinstance(Random(), random.Random)
    generator = numpy_generator()
    assert isinstance(generator, np.random.Generator)
    assert np.random.default_rng(generator) is generator
    assert copy.deepcopy(generator) is generator
    for each in (generator, Random()):
        assert type(pickle.loads(pickle.dumps(each))) is type(each)  # noqa: S301 - made here
    assert generator.spawn(2)


def test_they_draw_from_the_source_in_force() -> None:
    def numbers() -> list[int]:
        return [Random().randrange(10**6) for _ in range(5)] + numpy_generator().integers(10**6, size=5).tolist()

    with using(seeded(1)):
        first = numbers()
    with using(seeded(1)):
        assert numbers() == first
    assert numbers() != first


def test_pandas_samples_from_it() -> None:
    pd = pytest.importorskip("pandas")
    found = law(lambda g: pd.Series(list("abc")).sample(1, random_state=g).iloc[0], numpy_generator())
    assert found == even("'a'", "'b'", "'c'")
