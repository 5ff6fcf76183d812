"""Private for all integers: random programs against runs that are listed, and the mechanisms of the literature."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import fmpq

import deltachain_checker
from deltachain import program
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.integers.build import mechanism_of
from deltachain.integers.cases import cases, moved_terms, needed_shifts
from deltachain.integers.mechanism import Mechanism, WordSum, document
from deltachain.integers.regions import families, key_of, regions
from deltachain.integers.rings import Fractions, OverInterval
from deltachain.integers.search import Alpha, Found, inputs_at, private
from deltachain.integers.stars import Placed, Stars, value_of
from deltachain.numbers.flint import to_fraction
from deltachain.numbers.parameter import OpenParameter
from deltachain.numbers.real import make_number
from deltachain_checker.integers import sha256
from tests.reference.integers import probabilities, random_program

OPEN = OpenParameter.read("u=0:1")
Env = Mapping[str, int]


def star_value(stars: Stars, placed: Sequence[Placed]) -> Fraction:
    """The star, where its atoms stand at these integers."""
    tops, bottoms = stars.kinds(tuple((kind, ratio) for kind, ratio, _ in placed))
    value = stars.value(placed)
    for factor in tops.elements():
        value = value * value_of(stars.ring, factor)
    for factor in bottoms.elements():
        value = value / value_of(stars.ring, factor)
    return to_fraction(value)


def probability(word: WordSum, stars: Stars, env: Env) -> Fraction:
    """The word's probability at integers, star by star."""
    total = Fraction(0)
    for term in word.terms:
        value = term.weight
        for star in term.stars:
            value *= star_value(stars, [(atom.kind, atom.ratio, atom.point.at(env)) for atom in star])
        total += value
    return total


FRACTIONS = """
def program(q, u):
    if (q[0] <= u + 2) == (q[0] <= 3):
        announce(q[0] + geometric(u) >= u - 1)
    elif u - 3 >= q[0] or -u == q[0]:
        announce('never')
    else:
        announce('three')
"""


@pytest.mark.parametrize("q", range(-4, 5))
def test_integers_are_compared_with_fractions_as_they_are(q: int) -> None:
    u = Fraction(1, 2)
    mechanism, stars = mechanism_of(program(FRACTIONS), {"q": 1}, {"u": u}, Cancel()), Stars(Fractions())
    found = {word.letters: probability(word, stars, {"q[0]": q}) for word in mechanism.words}
    if q == 3:
        assert found[("three",)] == 1
        return
    # Noise is at least −q: its probability is r^m/(1 + r) for m ≥ 0.
    tail = u ** abs(q) / (1 + u) if q <= 0 else 1 - u ** (q + 1) / (1 + u)
    assert found[("True",)] == tail
    assert found[("False",)] == 1 - tail


def shifts_of(mechanism: Mechanism, most: int) -> list[dict[str, int]]:
    every = product(range(-most, most + 1), repeat=len(mechanism.inputs))
    return [dict(zip(mechanism.inputs, s, strict=True)) for s in every if any(s)]


def decided(mechanism: Mechanism, alpha: Fraction, most: int) -> Found:
    at = Alpha(fmpq(alpha.numerator, alpha.denominator), fmpq(1))
    real = lambda place: inputs_at(mechanism, place) is not None  # noqa: E731
    return private(mechanism, Fractions(), at, shifts_of(mechanism, most), Cancel(), real)


def accepted(mechanism: Mechanism, alpha: Fraction, most: int) -> bool:
    """Whether the checker accepts δ = 0."""
    model = document(mechanism)
    claim = {"claim": "delta", "neighbours": ["linf", most], "upper": "0"}
    certificate = {
        "format": "deltachain.certificate/2",
        "model": sha256(model),
        "alpha": str(alpha),
        "extensions": ["integers"],
        "proves": [claim],
    }
    try:
        deltachain_checker.verify(deltachain_checker.ModelFile(model), certificate)
    except deltachain_checker.CertificateRejected:
        return False
    return True


def random_case(seed: int) -> tuple[random.Random, str, Mechanism, Fraction]:
    rng = random.Random(seed)
    text, n = random_program(rng)
    u = rng.choice((Fraction(1, 2), Fraction(2, 3), Fraction(1, 4)))
    return rng, text, mechanism_of(program(text), {"q": n}, {"u": u}, Cancel()), u


@pytest.mark.seeds(10, 100)
def test_words_have_the_probabilities_of_runs(seed: int) -> None:
    rng = random.Random(seed)
    text, n = random_program(rng)
    u, window = Fraction(1, 4), 7
    mechanism = mechanism_of(program(text), {"q": n}, {"u": u}, Cancel())
    q = tuple(rng.randint(-3, 3) for _ in range(n))
    slow = probabilities(text, {"q": q, "u": u}, window, Fraction)
    left_out = 3 * 2 * u ** (window + 1) / (1 + u)
    stars = Stars(Fractions())
    compared = 0
    for word in mechanism.words:
        variables = [name for name in mechanism.outputs if any(name in letter for letter in word.letters)]
        for shown in product(range(-4, 5), repeat=len(variables)):
            env = {**dict(zip(mechanism.inputs, q, strict=True)), **dict(zip(variables, shown, strict=True))}
            letters = tuple(str(env[letter]) if letter in env else letter for letter in word.letters)
            runs = sum((p for w, p in slow.items() if tuple(map(str, w)) == letters), Fraction(0))
            assert abs(probability(word, stars, env) - runs) <= left_out, (text, q, letters)
            compared += 1
    assert compared


@pytest.mark.seeds(40, 500)
def test_no_pair_of_integers_is_above_what_was_proved(seed: int) -> None:
    rng, text, mechanism, u = random_case(seed)
    most = rng.choice((1, 1, 2))
    alpha = (1 / u) ** (rng.choice((1, 2, 3, 4)) * most) if rng.random() < 0.7 else Fraction(rng.randint(11, 60), 10)
    found, stars = decided(mechanism, alpha, most), Stars(Fractions())
    proved = found.violation is None and found.undecided is None
    assert accepted(mechanism, alpha, most) == proved
    if found.violation is not None:
        values = inputs_at(mechanism, found.violation)
        assert values is not None
        first, shown = values
        second = {name: value + found.violation.case.shift.get(name, 0) for name, value in first.items()}
        (word,) = found.violation.words
        assert probability(word, stars, {**first, **shown}) > alpha * probability(word, stars, {**second, **shown})
    if not proved:
        return
    shifts = shifts_of(mechanism, most)
    for number in range(50):
        span = 4 if number % 2 else 30
        first = {name: rng.randint(-span, span) for name in mechanism.inputs}
        shift = rng.choice(shifts)
        second = {name: value + shift[name] for name, value in first.items()}
        shown = {name: rng.randint(-span, span) for name in mechanism.outputs}
        for word in mechanism.words:
            high = probability(word, stars, {**first, **shown})
            assert high <= alpha * probability(word, stars, {**second, **shown}), (text, first, second, shown)


@pytest.mark.seeds(12, 150)
def test_shifts_that_are_left_out_are_not_worse(seed: int) -> None:
    """Lemma 3: for each shift one that is kept makes the word at most as likely, at random integers."""
    rng, _, mechanism, _ = random_case(seed)
    stars, shifts = Stars(Fractions()), shifts_of(mechanism, 1)
    for word in mechanism.words:
        kept = needed_shifts(word, shifts)
        assert kept
        for _ in range(5):
            env = {name: rng.randint(-5, 5) for name in (*mechanism.inputs, *mechanism.outputs)}

            def moved(shift: Mapping[str, int], env: Env = env, word: WordSum = word) -> Fraction:
                return probability(word, stars, {name: value + shift.get(name, 0) for name, value in env.items()})

            least = min(map(moved, kept))
            assert all(least <= moved(shift) for shift in shifts)


def test_where_a_sum_is_announced_no_shift_is_left_out() -> None:
    """The points of noise itself may move neither way: monotony and one shift per word do not hold."""
    gap = "def program(q, u):\n    bar = geometric(u)\n    z = q[0] + geometric(u)\n    announce(z - bar)"
    mechanism = mechanism_of(program(gap), {"q": 1}, {"u": Fraction(1, 2)}, Cancel())
    (word,) = mechanism.words
    assert len(needed_shifts(word, shifts_of(mechanism, 1))) == 2


def test_answers_of_one_scale_commute_and_others_do_not() -> None:
    def orders(second: str) -> int:
        text = (
            "def program(q, u):\n    bar = geometric(u)\n    if q[0] + geometric(u) < bar:\n"
            f"        if q[1] + geometric({second}) < bar:\n            announce('both')"
        )
        mechanism = mechanism_of(program(text), {"q": 2}, {"u": Fraction(1, 2)}, Cancel())
        word = next(word for word in mechanism.words if word.letters == ("both",))
        (shift,) = needed_shifts(word, shifts_of(mechanism, 1))
        (case,) = cases(moved_terms([word], shift), shift)
        own = families(case.terms)
        return len({key_of(case.terms, own, region) for region in regions(own)})

    assert orders("u") < orders("u * u")


CLAMPED = """
def program(q, u):
    noisy = q[0] + geometric(u)
    announce(min(max(-1, noisy), 2))
    announce(noisy if not q[0] else (0, noisy))
"""


@pytest.mark.parametrize("q", [-3, 0, 1])
def test_a_number_beside_announced_integers_is_one_of_them(q: int) -> None:
    u = Fraction(1, 4)
    mechanism, stars = mechanism_of(program(CLAMPED), {"q": 1}, {"u": u}, Cancel()), Stars(Fractions())
    assert {word.letters for word in mechanism.words} == {("#1", "#2"), ("#1", "(0, #2)")}
    for noisy in range(q - 3, q + 4):
        first = min(max(-1, noisy), 2)
        for word in mechanism.words:
            here = (q == 0) == (word.letters[1] == "#2")
            for shown in range(-3, 4):
                right = (1 - u) / (1 + u) * u ** abs(noisy - q) if here and shown == first else Fraction(0)
                assert probability(word, stars, {"q[0]": q, "#1": shown, "#2": noisy}) == right


SVT = """
def svt(q, u):
    bar = geometric({bar})
    for x in q:
        if x{noise} >= bar:
            announce('above'){stop}
        else:
            announce('below')
"""
STOP = "\n            return"
MAX = """
def noisy_max(q, u):
    best, index = q[0] + geometric(u), 0
    for i in range(1, len(q)):
        z = q[i] + geometric(u)
        if z > best:
            best, index = z, i
    announce(index)
"""
GAP = """
def gap(q, u):
    bar = geometric({bar})
    for x in q:
        z = x{noise}
        if z >= bar:
            announce({shown})
            return
        announce('below')
"""
SVT1 = SVT.format(bar="u", noise=" + geometric(u * u)", stop=STOP)
SVT5 = SVT.format(bar="u", noise="", stop="")
SVT6 = SVT.format(bar="u", noise=" + geometric(u)", stop="")
NOISY, BAR = " + geometric(u * u)", "u"
MECHANISMS: list[tuple[str, str, int, int, bool]] = [
    ("noisy max", MAX, 2, 2, True),
    ("noisy max", MAX, 3, 2, True),
    ("noisy max", MAX, 4, 2, True),
    ("noisy max", MAX, 2, 1, False),
    ("SVT1", SVT1, 1, 1, True),
    ("SVT1", SVT1, 2, 4, True),
    ("SVT1", SVT1, 3, 5, True),
    ("SVT1", SVT1, 2, 2, False),
    ("SVT1", SVT1, 3, 4, False),
    ("SVT5", SVT5, 2, 4, False),
    ("SVT5", SVT5, 3, 4, False),
    ("SVT6", SVT6, 3, 2, False),
    ("gap-SVT", GAP.format(bar=BAR, noise=NOISY, shown="z - bar"), 2, 4, True),
    ("gap-SVT", GAP.format(bar=BAR, noise=NOISY, shown="z - bar"), 3, 5, True),
    ("gap-SVT", GAP.format(bar=BAR, noise=NOISY, shown="z - bar"), 3, 4, False),
    ("gap-SVT, no noise on answers", GAP.format(bar=BAR, noise="", shown="z - bar"), 2, 4, False),
    ("gap-SVT, no noise on answers", GAP.format(bar=BAR, noise="", shown="z - bar"), 3, 4, False),
    ("gap-SVT, value shown", GAP.format(bar=BAR, noise=NOISY, shown="z"), 3, 5, False),
]


@pytest.mark.parametrize(("name", "text", "n", "power", "holds"), MECHANISMS)
def test_mechanisms_for_all_integers_and_every_u(name: str, text: str, n: int, power: int, holds: bool) -> None:
    """At e^ε = u^-power, neighbours at distance 1 in each answer, all u in (0, 1) at once."""
    mechanism = _open(text, n)
    ring = OverInterval(Fraction(0), Fraction(1))
    at = Alpha(ring.number(1), ring.power(1, power))
    real = lambda place: inputs_at(mechanism, place) is not None  # noqa: E731
    found = private(mechanism, ring, at, shifts_of(mechanism, 1), Cancel(), real)
    assert found.undecided is None
    assert (found.violation is None) == holds, name
    if found.violation is not None:
        assert isinstance(found.violation.at, Fraction)  # a value of u at which a pair is a violation


def _open(text: str, n: int) -> Mechanism:
    constants: dict[str, Any] = {"u": make_number(OPEN.formula("u"))}
    return mechanism_of(program(text), {"q": n}, constants, Cancel(), OPEN)


REFUSED = [
    ("announce(q[0] * q[1])", "multiplied by another"),
    ("announce(q[0] % 2)", "Mod"),
    ("announce(q[0] + discrete_gaussian(2))", "discrete_gaussian"),
    ("announce(ask('a', 'b'))", "asked"),
    ("announce(f'{q[0]}')", "applied to an integer"),
    ("announce((1, 2)[q[0]])", "index"),
    ("announce(q[0] + geometric(u) + geometric(u) + geometric(u))", "more than two noises"),
    ("announce(2 * geometric(u) + q[0])", "multiplied by a number"),
    ("announce(q[0] + geometric(u) if flip('1/2') else 2 * (q[0] + geometric(u)))", "could be one letter"),
    ("announce((0, q[0] + geometric(u)) if flip('1/2') else (0, 3))", "could be one letter"),
    ("announce(q[0] + geometric(u) if flip('1/2') else '#1')", "has a # in it"),
    ("announce(uniform(0, q[0]))", "law of a draw"),
]


@pytest.mark.parametrize(("line", "why"), REFUSED)
def test_what_is_outside_the_class_is_refused_by_name(line: str, why: str) -> None:
    text = f"def program(q, u):\n    {line}"
    with pytest.raises(InputError, match=why) as refused:
        mechanism_of(program(text), {"q": 2}, {"u": Fraction(1, 2)}, Cancel())
    assert any(way in str(refused.value) for way in ("finite domain", "announce a word", "announce another text"))
