"""Announced integers that are compared later: told apart at once, or a mark in their place until they are dead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.draws.source import seeded
from deltachain.errors import InputError
from deltachain.model.outputs import letters_of, translate_word
from deltachain.model.sandwich import Sandwich
from deltachain.model.silent import without_silent
from deltachain.model.words import words
from deltachain.numbers.exponential import exp_of
from deltachain.programs.language.source import ProgramError
from tests.amounts import fewer_or_all
from tests.reference.announced_noise import Words, delta_between
from tests.reference.announced_noise import words as words_of
from tests.reference.deferred_noise import random_deferring
from tests.words import refuses

COUNTS = [{"x": 0}, {"x": 1}]
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))
NOISE = "geometric('1/8')"


def text(*lines: str) -> str:
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def sandwich(*lines: str, apart: int = 0) -> Sandwich:
    return program(text(*lines)).sandwich(COUNTS, apart=apart)


def values(found: Sandwich, epsilon: str) -> tuple[float, float]:
    """What the coarse chain is at least, and what the fine one is at most."""
    lower, upper = dc.delta(found.coarse, epsilon=epsilon).lower, dc.delta(found.fine, epsilon=epsilon).upper
    assert lower <= upper
    return float(lower), float(upper)


# Golden values.

REUSED = """def reused(count, other, scale=4):
    a = count + discrete_laplace(scale)
    announce(a)
    announce("above" if other + discrete_laplace(2 * scale) >= a else "below")
"""


def test_an_announced_value_is_compared() -> None:
    """a with noise Y², the other with noise Y = e^(−1/8); 0, 0 against 1, 1."""
    secrets = [{"count": 0, "other": 0}, {"count": 1, "other": 1}]
    found = program(REUSED).sandwich(secrets, apart=4)
    for epsilon, expected in (("0", 0.1243530017715962), ("1/4", 0.0248215299266502), ("3/8", 0)):
        assert values(found, epsilon) == pytest.approx((expected, expected), abs=1e-15)
    assert found.keeps_ratios
    assert dc.epsilon(found.fine, delta=0).epsilon == Fraction(3, 8)


def test_an_announced_value_is_compared_until_one_is_above() -> None:
    """When it is shown depends on the letters, and they tell when."""
    lines = ["a = x + geometric('1/8')", "announce(a)"]
    for bar in (0, 1):
        lines += [f"if {bar} + geometric('1/8') >= a:", "    announce('above')", "    return"]
    lines.append("announce('below')")
    assert is_between(text(*lines), apart=1)
    chain = sandwich(*lines).fine
    assert named_letters(chain) >= named_after(chain, "above") != set()


def named_letters(chain: Chain) -> set[str]:
    return {letter for letter in chain.labels if letter.startswith("[?]") and letter != "[?]"}


def named_after(chain: Chain, label: str) -> set[str]:
    return {chain.labels[target] for s in chain.by_label[label] for row in chain.given[s] for target, *_ in row}


# One chain.


def compiled(*lines: str) -> tuple[Chain, tuple[str, ...]]:
    return program(text(*lines)).chain_with_notes(COUNTS)


CLAMPED = "max(0, min(2, discrete_laplace(1)))"
HIGH = (
    "a = x + discrete_laplace(1)",
    "announce(a)",
    f"announce('high' if a >= {CLAMPED} else 'low')",
    "announce('end of it')",
)


def test_where_its_tails_have_one_ratio_it_is_one_chain() -> None:
    """Far out, the answer is known."""
    chain, notes = compiled(*HIGH)
    assert chain.whole
    said = (
        "'[?]' stands for an output that is compared later, and letters such as '[?]=3' name it: whole words tell the "
    )
    assert f"{said}same" in notes
    assert dc.check(chain, epsilon=1, delta=0).verdict == "private"
    found = sandwich(*HIGH)
    assert found.exact
    assert found.fine == chain


@pytest.mark.parametrize(
    "later",
    [
        ("announce('high' if a > 2 else 'low')",),
        ("announce(max(-1, min(3, a)))", "announce(abs(a) >= 2)"),
        ("y = ask('p', 'q')", "announce(a >= 1 if y == 'p' else 3 - 2 * a < 0)"),
        ("if a < 0:", "    return", "announce(a == 4)"),
        ("announce(min(7, max(0, a)) % 3)",),
    ],
)
def test_compared_with_known_numbers_it_is_a_letter_at_once(later: tuple[str, ...]) -> None:
    """What is told by the number is no news."""
    chain, _ = compiled("a = x + discrete_laplace(1)", "announce(a)", *later)
    assert chain.whole
    assert "[?]" not in chain.by_label
    alone = program(text("announce(x + discrete_laplace(1))")).chain(COUNTS)
    for epsilon in ("0", "1/2", "1"):
        assert dc.delta(chain, epsilon=epsilon).value == dc.delta(alone, epsilon=epsilon).value


STOP = "    announce('stop')\n        return"


def test_again_and_again_until_one_is_high() -> None:
    lines = ("for step in range(3):", "    a = x + geometric('1/8')", "    announce(a)", "    if a > 1:")
    chain, _ = compiled(*lines, "        announce('stop')", "        return")
    assert chain.whole
    unrolled = [line for _ in range(3) for line in ("a = x + geometric('1/8')", "announce(a)", "if a > 1:", STOP)]
    assert is_between(text(*unrolled), apart=0) is False
    assert dc.delta(chain, epsilon="1/2").value == dc.delta(program(text(*unrolled)).chain(COUNTS), epsilon="1/2").value


def test_words_are_those_of_the_program() -> None:
    chain, _ = compiled(*HIGH)
    found = {translate_word(chain.outputs, word): word for word, _ in words(chain, 0, 6)}
    assert len(found) == len(list(words(chain, 0, 6)))
    assert ("start", "1", "high", "end of it", "end") in found
    assert ("start", "≥ 2", "high", "end of it", "end") in found
    assert translate_word(chain.outputs, ("start", "[?]", "low")) == ("start", "[?]", "low")
    named = ("start", "[?]", "high", "[?]=1", "end of it", "end")
    assert letters_of(chain, 0, ("start", "1", "high", "end of it", "end")) == named
    assert letters_of(chain, 0, ("start", "1", "high")) == named[:4]
    assert dc.trace(chain, "x=0", [named[:4]]).probability == dc.trace(chain, "x=0", "start 1 high").probability
    r = exp_of(Fraction(-1))
    both = [dc.trace(chain, "x=0", f"start 1 {letter}").probability for letter in ("high", "low")]
    assert both[0] + both[1] == (1 - r) / (1 + r) * r


def test_an_output_is_no_name() -> None:
    """Where some runs end and others go on, numbers are named in the former, and are outputs in the latter."""
    lines = ("a = x + discrete_laplace(2)", "announce(a)", "c = flip('1/2')", "announce('m')", "if c:")
    compare, other = "    announce('low' if discrete_laplace(4) >= a else 'high')", "    announce(discrete_laplace(3))"
    mechanism = program(text(*lines, compare, "elif flip('1/3'):", other))
    chain = mechanism.sandwich(COUNTS).coarse
    for word, letters in (
        ("start 1 m end", ("start", "[?]", "m", "[?]=1", "end")),
        ("start 1 m 0 end", ("start", "[?]", "m", "0", "[?]=1", "end")),
        ("start 1 m 7 end", ("start", "[?]", "m", "≥ 2", "[?]=1", "end")),
        ("start 1 m low end", ("start", "[?]", "m", "low", "[?]=1", "end")),
    ):
        assert letters_of(chain, 0, tuple(word.split())) == letters
    for seed in range(40):
        found = letters_of(chain, 1, ("start", *mechanism.run(source=seeded(seed), x=1), "end"))
        assert found in {each for each, _ in words(chain, 1, len(found))}


def test_a_word_without_the_number_has_no_probability_of_its_own() -> None:
    chain, _ = compiled(*HIGH)
    with refuses(InputError, "announced, and not"):
        letters_of(chain, 0, ("start", "1"))
    assert dc.trace(chain, "x=0", [("start", "[?]")]).probability == 1


def test_runs_are_words_of_the_chain() -> None:
    mechanism = program(text(*HIGH))
    chain = mechanism.chain(COUNTS)
    for seed in range(20):
        word = letters_of(chain, 1, ("start", *mechanism.run(source=seeded(seed), x=1)))
        assert word in {each for each, _ in words(chain, 1, len(word))}


def test_letters_must_all_be_seen() -> None:
    chain, _ = compiled(*HIGH)
    assert chain.step_by_step
    with pytest.raises(InputError):
        without_silent(chain, ["low"])


# Conditions, each with what would be wrong without it.


def test_a_mark_stays_where_the_number_was() -> None:
    """x = 0 shows (number, m), x = 1 shows (m, number): everybody sees which. Without marks, δ would be 0."""
    later = ("announce('p' if a >= geometric('1/8') else 'q')",)
    lines = ("a = geometric('1/8')", "if x:", "    announce('m')", "announce(a)", "if not x:", "    announce('m')")
    assert values(sandwich(*lines, *later), "0") == (1, 1)


def test_a_second_one_before_the_first_is_named() -> None:
    """a and b in one order or the other, both shown at last: which of them a letter names would not be told."""
    draws = ("a = geometric('1/8')", "b = geometric('1/4')")
    shown = ("announce(a if x else b)", "announce(b if x else a)", "announce(a >= b)")
    with refuses(ProgramError, "not followed exactly"):
        sandwich(*draws, *shown)
    one = ("a = x + geometric('1/8')", "announce(a)", "b = geometric('1/8')", "announce(b)", "announce(a >= b)")
    with refuses(ProgramError, "announcements are compared"):
        sandwich(*one)


def test_letters_tell_when_it_is_named() -> None:
    """x = 1 compares for a letter longer: were it named then, and at once for x = 0, δ would be 1. It is named last."""
    lines = ("a = geometric('1/8')", "announce(a)", "announce('m')")
    found = sandwich(*lines, "if x:", f"    announce('p' if a >= {NOISE} else 'p')", "else:", "    announce('p')")
    assert values(found, "0") == (0, 0)
    assert named_after(found.fine, "p") == named_letters(found.fine)


def test_letters_do_not_tell_when_it_is_named() -> None:
    """As above, and what is compared after it was is kept to the end: it cannot wait."""
    lines = ("a = geometric('1/8')", "announce(a)", "announce('m')")
    branch = ("if x:", f"    announce('p' if a >= {NOISE} else 'p')", "else:", "    announce('p')")
    rest = ("b = geometric('1/8')", "announce('go' if b >= 1 else 'on')", "announce(b >= 0)")
    with pytest.raises(ProgramError, match=r"two noises are kept|the letters do not tell for how long"):
        sandwich(*lines, *branch, *rest)


def test_nobody_chooses_in_between() -> None:
    """What is asked may depend on the number: an observer who does not know it yet would ask at random."""
    lines = ("a = x + geometric('1/8')", "announce(a)", "y = ask('high', 'low')")
    with refuses(ProgramError, "observer is asked"):
        sandwich(*lines, "announce(a >= geometric('1/8') if y == 'high' else a <= 0)")
    # Before and after, it does no harm.
    both = ("y = ask('b', 'c')", "a = x + geometric('1/8')", "announce(a)", "announce(a >= geometric('1/8'))")
    chains = sandwich(*both, "z = ask('d', 'e')", "announce(z)", apart=2)
    once = sandwich(*both[1:], apart=2)
    assert values(chains, "1/2") == values(once, "1/2")


def test_it_is_named_in_the_end() -> None:
    """A run that may go on for ever would show it with a delay that nobody waits for."""
    lines = ("a = x + geometric('1/8')", "announce(a)", "while True:", "    announce('on')")
    with refuses(ProgramError, "for ever before"):
        sandwich(*lines, "    if flip('1/2'):", "        break", "announce(a >= geometric('1/8'))")
    with refuses(ProgramError, "not followed exactly"):
        sandwich(*lines, "    announce(a >= geometric('1/8'))")


def test_no_other_run_shows_a_number_at_once() -> None:
    """Of x = 0 a 1 could be the number that x = 1 shows later: δ is less than 1."""
    lines = ("a = geometric('1/8')", "announce(a if x else 1)", "announce(a >= geometric('1/8'))")
    with refuses(ProgramError, "where others announce"):
        sandwich(*lines)
    # A word is never a number.
    assert values(sandwich(lines[0], "announce(a if x else 'one')", lines[2]), "0") == (1, 1)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("announce(a)", f"announce(a >= {NOISE})", "announce(2 * a)"), "and announced once more before"),
        (("announce(a)", "announce(a % 2)"), "`%` is applied to noise that was announced"),
        (("announce(a)", "announce('[?]')", f"announce(a >= {NOISE})"), "a text holds"),
    ],
)
def test_what_is_refused(lines: tuple[str, ...], why: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(why)):
        sandwich("a = x + geometric('1/8')", *lines)


CHANCES = {"u": ("9/10", "1/2"), "v": ("1/2", "1/10")}
"""The chance of heads after each answer, for x = 0 and x = 1: which is better depends on what was seen."""


@pytest.mark.parametrize("alpha", ALPHAS)
def test_who_asks_afterwards_has_seen_the_number(alpha: Fraction) -> None:
    """The best question after each word of numbers, by enumeration."""
    seen = ("a = x + geometric('1/8')", "announce(a)", "announce('p' if x + geometric('1/8') >= a else 'q')")
    coin = " else ".join(f"flip('{zero}' if x == 0 else '{one}') if y == '{y}'" for y, (zero, one) in CHANCES.items())
    found = sandwich(*seen, "y = ask('u', 'v')", f"announce({coin} else 0)", apart=6)
    upper = dc.delta(found.fine, "x=0", "x=1", exp_epsilon=alpha)
    lower = dc.delta(found.coarse, "x=0", "x=1", exp_epsilon=alpha)
    (zero, no_zero), (one, no_one) = (words_of(text(*seen), x, ["1/8", "1/8"]) for x in (0, 1))
    chances = [tuple(map(Fraction, pair)) for pair in CHANCES.values()]
    first = asked_best(alpha, zero, one, chances)
    second = asked_best(alpha, one, zero, [(other, heads) for heads, other in chances])
    assert max(first - alpha * no_one, second - alpha * no_zero) <= upper.upper
    assert lower.lower <= max(first + no_zero, second + no_one)
    assert upper.upper - lower.lower < Fraction(1, 10**9)


def asked_best(alpha: Fraction, one: Words, other: Words, chances: Sequence[tuple[Fraction, ...]]) -> Fraction:
    """What the best question after each word is worth, as far as words were enumerated; chances of heads for each."""
    total = Fraction(0)
    for word, p in one.items():
        q = other.get(word, Fraction(0))
        total += max(max(Fraction(0), p * c - alpha * q * d) + max(Fraction(0), p * (1 - c) - alpha * q * (1 - d))
                     for c, d in chances)  # fmt: skip
    return total


# Random programs.


@fewer_or_all("first, number, least", (0, 80, 15), (1000, 1500, 300))
def test_random_programs_lie_between(first: int, number: int, least: int) -> None:
    found = [is_between(random_deferring(Random(seed)), apart=seed % 3) for seed in range(first, first + number)]
    assert sum(found) >= least


def is_between(source: str, apart: int) -> bool:
    """Whether an announcement is deferred; what enumeration says of the program lies in its sandwich, if it has one."""
    try:
        found = program(source).sandwich(COUNTS, apart=apart)
    except ProgramError:
        return False
    ratios = re.findall(r"geometric\('([^']+)'", source)
    one, other = (words_of(source, x, ratios) for x in (0, 1))
    for alpha in ALPHAS:
        least, most = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        upper, lower = dc.delta(found.fine, exp_epsilon=alpha).upper, dc.delta(found.coarse, exp_epsilon=alpha).lower
        assert least <= upper, source
        assert lower <= most, source
        assert lower <= upper, source
    return "[?]" in found.fine.by_label
