"""Kept noise, followed exactly: against the same programs with noise that is cut off, and what is not followed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.model.silent import without_silent
from deltachain.model.words import word_bounds, word_probability
from deltachain.programs import Program, program, protocol
from deltachain.programs.language.source import ProgramError
from deltachain.programs.noise.noisy import NotFollowed
from tests.amounts import fewer_or_all
from tests.reference import kept_programs
from tests.reference.kept_programs import KINDS
from tests.reference.random_kept import random_program, words
from tests.words import refuses, says

SCALES = ("1", "2", "1/2")


@contextmanager
def cut_off() -> Iterator[None]:
    """Noise is cut off, whatever could be done instead."""

    def refused(_: object) -> None:
        raise NotFollowed("asked for")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(protocol, "follow_kept", refused)
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


@pytest.mark.sample(4)
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
    assert any(says(note, "noise is cut") and "asked for" in note for note in notes)


def compare_words(seed: int) -> bool:
    """Every word of a random program is as likely as certified with noise cut off; False if it is not followed."""
    text = random_program(random.Random(seed))
    secrets = [{"x": 0}, {"x": 1}]
    chain, notes = program(text).chain_with_notes(secrets)
    with cut_off():
        other = program(text).chain(secrets)
    for state in range(2):
        found = {word: word_bounds(chain, state, word) for word in set(words(chain, state))}
        assert all(low == high for low, high in found.values()) or any("cut off" in note for note in notes), text
        for word in {*found, *words(other, state)}:
            low, high = word_bounds(other, state, word)
            exactly = found.get(word, (0, 0))
            assert low <= exactly[1], (text, word)
            assert exactly[0] <= high, (text, word)
    return any("followed exactly" in note for note in notes)


@fewer_or_all("number, least", (3, 2), (15, 10))
def test_words_of_random_programs_are_inside_what_is_certified_with_noise_cut_off(number: int, least: int) -> None:
    assert sum(map(compare_words, range(number))) >= least


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_words_of_many_random_programs(seed: int) -> None:
    assert sum(map(compare_words, range(100 + 15 * seed, 115 + 15 * seed))) >= 5


# What is not followed.

OUTSIDE = (
    ("announce('go')\n    announce(bar % 2)", "`%` is applied to noise (line 4)"),
    ("announce('go')\n    announce(bar // 2 % 3 >= x)", "`%` is applied to noise (line 4)"),
    ("announce('go')\n    announce(bar // 2 + discrete_laplace(1) >= x)", "rounded noise is added to other noise"),
    ("announce('go')\n    announce(bar * bar >= x)", "`*` is applied to noise (line 4)"),
    ("announce('go')\n    announce(str(bar) == 'x')", "str() is taken of noise (line 4)"),
    ("announce('go')\n    announce(bar in (0, x))", "`in` is applied to noise (line 4)"),
    ("announce(bar >= 0)\n    announce(bar + x if x else 2 * bar)", "kept noise is announced (line 4)"),
    ("announce('go')\n    announce((x, bar))", "noise is announced together with something else (line 4)"),
    ("announce(bar + discrete_laplace(1))", "noises that are added up are announced (line 3)"),
    (
        "z = discrete_laplace(1)\n    announce(z >= x)\n    announce(bar >= x)\n    announce(z >= bar)",
        "two noises are kept",
    ),
    ("z = discrete_laplace(1)\n    announce(z + discrete_laplace(1) >= bar + x)", "a third noise is needed"),
    ("z = discrete_laplace(1)\n    if z >= bar:\n        announce(z + x)", "announced after it was compared (line 5)"),
    (
        (
            "z = x + discrete_laplace('1/2', tail='1e-6')\n    announce(z)\n    y = ask('a', 'b')\n"
            "    announce(z >= discrete_laplace(1))"
        ),
        "noise that was announced is compared, and the observer is asked before that (line 5)",
    ),
    (
        "announce('go')\n    y = ask('a', 'b' if bar >= x else 'c')\n    announce(y)",
        "noise decides what may be asked (line 4)",
    ),
    ("announce('go')\n    announce(uniform(0, max(0, bar)) >= x)", "noise is the parameter of a draw (line 4)"),
    ("announce('go')\n    announce(bar + 2 * discrete_laplace(1) >= x)", "different multiples of two noises"),
    ("announce('go')\n    announce(x + discrete_gaussian(1) >= bar)", "discrete_gaussian has no exact geometric tails"),
    ("announce('go')\n    announce(x + discrete_laplace(log(3)) >= bar)", "has no exact geometric tails (line 4)"),
    ("announce('go')\n    announce(flip(log(2)) and bar >= x)", "probabilities are enclosed: log(2)"),
    (
        "announce('go')\n    while discrete_laplace(1) >= bar:\n        x = 1 - x\n    announce(bar >= x)",
        "a loop around kept noise goes on without announcing (line 4)",
    ),
    ("while True:\n        announce(x + discrete_laplace(1) >= bar)", "a loop compares kept noise without end"),
    ("announce('go')\n    announce(bar >= x)\n    if bar > 5000 * x:\n        announce('far')", "too many numbers"),
)


@pytest.mark.sample(8)
@pytest.mark.parametrize(("text", "why"), OUTSIDE, ids=[why for _, why in OUTSIDE])
def test_what_is_outside_the_class_is_cut_off_and_the_note_says_why(text: str, why: str) -> None:
    made = program(f"def f(x):\n    bar = discrete_laplace('1/2', tail='1e-6')\n    {text}\n")
    secrets = [{"x": 0}, {"x": 1}]
    chain, notes = made.chain_with_notes(secrets)
    (said,) = (note for note in notes if note.startswith("noise is cut off"))
    assert why in said
    with cut_off():
        assert chain.sha256 == made.chain(secrets).sha256


INSIDE = (
    "bar += discrete_laplace('2/3')\n    announce('go')\n    announce(bar >= x)",
    "announce(x + discrete_laplace(1) + bar >= 1)",
    "announce(bar >= 0)\n    announce(x + bar)",
    "announce('go')\n    announce(bar // 2 >= x)\n    announce((bar + 1) // 3)",
    "announce('go')\n    announce(bar - x)\n    announce(3 * bar)",
    "z = discrete_laplace(1)\n    announce(x + z)\n    announce(x - bar)",
    "z = discrete_laplace(1)\n    announce(bar)\n    announce(z + bar >= x + bar)",
    "z = x + discrete_laplace('1/2')\n    announce(z >= 1)\n    announce(bar >= 0)",
    "announce(x + bar + discrete_laplace(1) + discrete_laplace('2/3') - discrete_laplace('1/2') > 0)",
    "if bar > 0:\n        bar = bar + geometric('1/3') - x\n    announce(bar > 0)\n    announce(bar > 1)",
    "both = (bar, x + discrete_laplace(1))\n    announce(sum(both) > len(both))",
    "announce(max(0, min(1, bar)))\n    announce(bar + 1 >= x)",
    # Draws that nothing looks at yet.
    "z = geometric('1/8', tail='1e-4')\n    announce('go')\n    announce(z >= bar + x)",
    "z = geometric('1/8', tail='1e-4')\n    announce('go')\n    announce(z + bar >= x)\n    announce(z >= x)",
    "zs = tuple(x - geometric('1/8', tail='1e-4') for _ in range(2))\n    for z in zs:\n        announce(z > bar)",
    "zs = (x + geometric('1/8', tail='1e-4'), 3, bar)\n    announce('go')\n    for z in zs:\n        announce(z)",
    "z = x + geometric('1/8', tail='1e-4')\n    announce(z >= 0 and z >= bar and z + bar <= 3)\n    announce(z > 0)",
)


@pytest.mark.sample(5)
@pytest.mark.parametrize("text", INSIDE)
def test_sums_and_announced_integers_are_followed(text: str) -> None:
    made = program(f"def f(x):\n    bar = discrete_laplace('1/2', tail='1e-12')\n    {text}\n")
    secrets = [{"x": 0}, {"x": 1}]
    chain = made.chain(secrets)
    assert chain.whole
    with cut_off():
        other = made.chain(secrets)
    assert not other.whole
    for epsilon in ("0", "1/2"):
        exact, certified = (dc.delta(each, epsilon=epsilon) for each in (chain, other))
        assert exact.exact
        assert certified.lower <= exact.upper
        assert exact.lower <= certified.upper


def test_an_error_of_the_program_is_reported_with_its_values() -> None:
    text = "def f(x):\n    bar = discrete_laplace(1)\n    announce('go')\n    announce(1 / x if bar >= 1 else 0)\n"
    with refuses(ProgramError, "division by zero"):
        program(text).chain([{"x": 0}, {"x": 1}])


def test_what_cannot_happen_is_no_error() -> None:
    """The second test is decided by the first: there is no division by zero."""
    text = """
def f(x):
    bar = discrete_laplace(1)
    announce("go")
    value = x + discrete_laplace(1)
    if value >= bar:
        announce("above" if value >= bar else 1 / 0)
    else:
        announce("below" if value + 1 <= bar else 1 / 0)
"""
    chain, notes = program(text).chain_with_notes([{"x": 0}, {"x": 1}])
    assert any("followed exactly" in note for note in notes)
    assert set(chain.alphabet) == {"start", "go", "above", "below", "end"}


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "text",
    [
        "announce(max(-2, min(2, bar)) % 3 >= x)",
        "announce(max(-2, min(2, bar + x)))",
        "announce(f'{x + max(-1, min(1, bar))}!')",
        "announce((4, 5, x)[max(0, min(2, bar))])",
        "announce(max(-1, min(1, bar)) in (x, 1))",
        "announce(uniform(0, 1 + max(0, min(1, bar))) >= x)",
        "value = max(-2, min(2, x + discrete_laplace(1)))\n    announce(value if value >= bar else 'below')",
    ],
)
def test_noise_with_finitely_many_values_is_told_apart(text: str) -> None:
    made = program(
        f"def f(x):\n    bar = discrete_laplace(1, tail='1e-9')\n    announce(discrete_laplace(2) >= bar)\n    {text}\n"
    )
    secrets = [{"x": 0}, {"x": 1}]
    chain, notes = made.chain_with_notes(secrets)
    assert any("followed exactly" in note for note in notes), notes
    with cut_off():
        other = made.chain(secrets)
    for epsilon in ("0", "1/2"):
        exact, certified = (dc.delta(each, epsilon=epsilon) for each in (chain, other))
        assert exact.upper - exact.lower < Fraction(1, 10**40)
        assert certified.lower <= exact.upper
        assert exact.lower <= certified.upper


# What is kept beside the integer.


def test_a_hidden_flag_keeps_laws_apart() -> None:
    """Nothing was announced, and yet the flag tells of k: P(c and k ≥ 2) = 1/6, where 1/18 is the product."""
    text = """
def f(x):
    k = geometric("1/2")
    c = k >= 1
    announce("tick")
    announce(c and k >= x)
"""
    chain = program(text).chain([{"x": 2}, {"x": 100}])
    assert word_probability(chain, "x=2", ("start", "tick", "True")) == Fraction(1, 6)
    assert word_probability(chain, "x=2", ("start", "tick", "False")) == Fraction(5, 6)


def test_hidden_letters_are_summed_over_laws() -> None:
    text = """
def f(answers):
    bar = geometric("1/2")
    for answer in answers:
        announce("above" if answer + geometric("1/3") >= bar else "below")
        announce("tick")
"""
    secrets = [{"answers": (0, 0, 1)}, {"answers": (1, 1, 0)}]
    chain = program(text).chain(secrets)
    shown = without_silent(chain, ["tick"]).chain
    same = program(text.replace('        announce("tick")\n', "")).chain(secrets)
    for alpha in (1, 2, 4):
        assert dc.delta(shown, exp_epsilon=alpha).upper == dc.delta(same, exp_epsilon=alpha).upper


def test_an_observer_who_asks_against_noise_that_is_cut_off() -> None:
    text = """
def f(answers):
    bar = geometric("1/3", tail="1e-9")
    for _ in range(2):
        which = ask("first", "last")
        answer = answers[0] if which == "first" else answers[-1]
        announce("above" if answer + geometric("1/2") >= bar else "below")
"""
    secrets = [{"answers": (0, 1)}, {"answers": (1, 0)}]
    chain, notes = program(text).chain_with_notes(secrets)
    assert any("followed exactly" in note for note in notes)
    assert chain.inputs
    with cut_off():
        other = program(text).chain(secrets)
    for alpha in (1, 2):
        exact, certified = (dc.delta(each, exp_epsilon=alpha) for each in (chain, other))
        assert exact.exact
        assert certified.lower <= exact.upper <= certified.upper


def test_a_run_that_diverges_with_noise_kept() -> None:
    text = """
def f(x):
    bar = geometric("1/2")
    announce("go")
    if bar >= x:
        while True:
            x = 0
    announce("low")
"""
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    assert word_probability(chain, "x=1", ("start", "go", "diverges")) == Fraction(1, 3)
    assert word_probability(chain, "x=0", ("start", "go", "diverges")) == Fraction(2, 3)


def test_what_a_law_state_shows() -> None:
    secrets = [{"answers": (0, 0, 1)}, {"answers": (1, 1, 0)}]
    chain = kept_programs.sparse.chain(secrets)
    shown = [values.get("level") for values in chain.valuations or ()]
    assert shown.count("law after 1 comparison") == 2
    assert shown.count("law after 2 comparisons") == 2


def test_no_letter_means_no_law() -> None:
    """The index of the largest of many noisy values: all is folded between two letters."""
    answers = tuple(n % 3 for n in range(8))
    chain = kept_programs.noisy_max.chain([{"answers": answers}, {"answers": answers[::-1]}])
    assert len(chain.states) == 2 + len(answers) + 1
