"""Announced noise that is read again: exactly as differences, where the letters seen tell what to subtract."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.draws.source import seeded
from deltachain.errors import InputError
from deltachain.model.outputs import letters_of, translate_word
from deltachain.model.silent import without_silent
from deltachain.model.words import words
from deltachain.numbers.exponential import exp_of
from tests.amounts import fewer_or_all
from tests.reference.announced_noise import delta_between, random_rereading
from tests.reference.announced_noise import words as words_of
from tests.words import says

COUNTS = [{"x": 0}, {"x": 1}]
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))


def compiled(*lines: str) -> tuple[Chain, tuple[str, ...]]:
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    return dc.program(text).chain_with_notes(COUNTS)


def of(program: str, *secrets: tuple[int, ...]) -> Chain:
    return dc.program(program).chain([{"q": secret} for secret in secrets])


SMART = """
def smart(q, scale=2):
    a = q[0] + discrete_laplace(scale)
    announce(a)
    b = q[1] + discrete_laplace(scale)
    announce(a + b)
"""
PARTIAL = """
def partial(q, scale=2):
    total = 0
    for x in q:
        total += x + discrete_laplace(scale)
        announce(total)
"""
TREE = """
def tree(q, scale=2, nodes=False):
    noisy = (0, 0, 0, 0)
    for t in range(len(q)):
        level = 0
        while (t + 1) % 2 ** (level + 1) == 0:
            level += 1
        node = sum(q[t + 1 - 2**level:t + 1]) + discrete_laplace(scale)
        if nodes:
            announce(node)
        noisy = noisy[:level] + (node,) + noisy[level + 1:]
        announce(sum(noisy[j] for j in range(4) if (t + 1) // 2**j % 2 == 1))
"""
EIGHT, CHANGED = (0,) * 8, (0, 0, 0, 0, 1, 0, 0, 0)


def test_smart_sum() -> None:
    """δ(1/4) = (e^(1/2) − e^(1/4))/(1 + e^(1/2)): as if the two noisy numbers were announced by themselves."""
    found = dc.delta(of(SMART, (0, 0), (1, 0)), epsilon="1/4")
    assert found.exact
    assert found.value == (exp_of(Fraction(1, 2)) - exp_of(Fraction(1, 4))) / (1 + exp_of(Fraction(1, 2)))
    assert dc.delta(of(SMART, (0, 0), (1, 1)), epsilon=1).upper == 0
    assert dc.delta(of(SMART, (0, 0), (1, 1)), epsilon="0.999").lower > 0


def test_partial_sums() -> None:
    chain = of(PARTIAL, EIGHT, CHANGED)
    assert dc.delta(chain, epsilon="1/2").upper == 0
    assert dc.delta(chain, epsilon="1/4").upper == dc.delta(of(SMART, (0, 0), (1, 0)), epsilon="1/4").upper


def test_partial_sums_for_ever() -> None:
    text = PARTIAL.replace("for x in q:", "while True:").replace("x +", "q +") + "        q = 0\n"
    chain = dc.program(text).chain([{"q": 0}, {"q": 1}])
    assert len(chain) == 6
    assert dc.delta(chain, epsilon="1/2").upper == 0


@pytest.mark.parametrize("nodes", [False, True])
def test_tree_counter(nodes: bool) -> None:
    """One event is in three nodes of a tree over eight: exactly 3/2 at scale 2, in sums as node by node."""
    chain = dc.program(TREE).chain([{"q": EIGHT}, {"q": CHANGED}], constants={"nodes": nodes})
    assert chain.whole
    assert dc.delta(chain, epsilon="3/2").upper == 0
    assert dc.delta(chain, epsilon="1.499").lower > 0
    found = dc.delta(chain, epsilon="1/4")
    assert found.exact
    assert float(found.upper) == pytest.approx(0.26914869897753, abs=1e-14)


def test_what_is_said() -> None:
    chain, notes = compiled("a = x + discrete_laplace(10)", "announce(a)", "announce(a + discrete_laplace(10))")
    assert any(says(note, "outputs; this is") for note in notes)
    assert chain.step_by_step
    with pytest.raises(InputError):
        without_silent(chain, ["≤ 0"])


# The program's own outputs.


def test_words_of_outputs() -> None:
    chain = of(SMART, (0, 0), (3, 2))
    found = {translate_word(chain.outputs, word) for word, _ in words(chain, 0, 4)}
    assert len(found) == len(list(words(chain, 0, 4)))
    assert ("start", "1", "2", "end") in found
    assert ("start", "2", "≥ 4", "end") in found
    assert ("start", "n≥3", "n+1", "end") in found


def test_letters_of_outputs() -> None:
    chain = of(SMART, (0, 0), (3, 2))
    assert letters_of(chain, 0, ("start", "2", "3", "end")) == ("start", "2", "[-1]+1", "end")
    assert letters_of(chain, 0, ("start", "7", "3")) == ("start", "≥ 3", "[-1]+(≤ 0)")
    assert letters_of(chain, 0, ("start", "x", "3")) == ("start", "x", "3")


def test_runs_are_words_of_the_chain() -> None:
    program = dc.program(TREE)
    chain = program.chain([{"q": EIGHT}, {"q": CHANGED}])
    for seed in range(20):
        word = letters_of(chain, 1, ("start", *program.run(source=seeded(seed), q=CHANGED)))
        assert word in {each for each, _ in words(chain, 1, len(word))}


def test_outputs_after_questions() -> None:
    lines = ("a = x + geometric('1/4')", "announce(a)", "y = ask(1, 2)", "announce(a + y * geometric('1/4'))")
    chain, _ = compiled(*lines[:3], "announce(a + geometric('1/4') if y == 1 else a - geometric('1/4'))")
    assert chain.whole
    word = ("start", "≥ 1", "1|2?", "2", "[-2]+(≥ 1)")
    assert translate_word(chain.outputs, word, options=(3,)) == ("start", "n≥1", "1|2?", "2", "≥ n+1")
    assert letters_of(chain, 0, ("start", "9", "1|2?", "2", "13")) == word
    assert not compiled(*(line.replace("'1/4'", "'1/4', tail='1e-3'") for line in lines))[0].whole


# What is not relative.


@pytest.mark.slow  # what follows compares smaller ones with enumeration
def test_a_quotient_of_a_sum_is_not_that_of_its_second_part() -> None:
    """By a mod 8, (a + b) // 8 has δ from 0.01405 to 0.025604, and 0.0192930237 on average; b // 8 has 0.023167."""
    noise = "discrete_laplace(10, tail='1e-4')"
    chain, notes = compiled(f"a = {noise}", "announce(a)", f"announce((a + x + {noise}) // 8)")
    found = dc.delta(chain, epsilon="1/20")
    assert found.lower < 0.0192930237 < found.upper < 0.0195
    assert any("`//` is applied to noise" in note for note in notes)
    alone, _ = compiled(f"announce({noise})", f"announce((x + {noise}) // 8)")
    assert float(dc.delta(alone, epsilon="1/20").upper) == pytest.approx(0.0231670384008, abs=1e-13)


A, B = "a = x + geometric('1/4', tail='1e-4')", "b = geometric('1/8', tail='1e-3')"


@pytest.mark.parametrize(
    "lines",
    [
        # The quotient tells where in its step the first number is: it says more, or less, than the second noise alone.
        (A, B, "announce(a)", "announce((a + b) // 4)"),
        (A, B, "announce(a)", "announce((a + b) % 3)"),
        (A, "announce(a)", B, "announce(max(0, min(2, a + b)))"),
        (A, "announce(a)", B, "announce(a + b >= 1)"),
        (A, "announce(a)", B, "announce((a + b, 1))"),
        # Who subtracts the first number would see the same for both.
        (A, "announce(a)", B, "announce(a + b if x else b)"),
        (A, "announce(a)", B, "announce(a + b if x else 2 * a + b)"),
        (A, "announce(a)", B, "announce(a + b if x else 3)"),
        # A coin that nobody sees tells which it is.
        ("c = flip('1/2')", A, "announce(a)", B, "announce(a + b if c else b)"),
        ("c = flip('1/2')", A, "announce('go')", "if c:", "    announce('go')", "announce(a)", "announce(a + 1)"),
        # Half of an even number, or of any.
        (A, "announce(2 * a)", B, "announce(a + b)"),
        (A, "announce(a // 2)", "announce(a)"),
        # A text that looks like a relative letter.
        (A, "announce(a)", B, "announce('[-1]+0' if x else a)"),
    ],
)
def test_what_is_not_a_sum_with_known_outputs_is_cut_off(lines: tuple[str, ...]) -> None:
    assert not is_right("def f(x):\n" + "".join(f"    {line}\n" for line in lines))


@pytest.mark.parametrize(
    "lines",
    [
        (A, "announce(a)", B, "announce(a + b)"),
        (A, "announce(a)", B, "announce(b - 2 * a)"),
        (A, "announce(a)", B, "announce(a + 2 * b)", "announce(a)"),
        (A, "announce(a)", "announce(a + x)", "announce(2 * a)"),
        (A, "announce(x - a)", B, "announce(a + b if x else 1 + a - b)"),
        (A, "announce(a)", "announce('five' if x else a + 5)"),
        ("c = flip('1/3')", A, "announce(a)", B, "announce(a + b + c)", "announce(c)"),
        (A, "announce(a)", B, "announce(a + b)", "announce(b)"),
    ],
)
def test_sums_with_known_outputs_are_exact(lines: tuple[str, ...]) -> None:
    assert is_right("def f(x):\n" + "".join(f"    {line}\n" for line in lines))


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("(a + b) // 4", "`//` is applied to noise"),
        ("a % 3", "`%` is applied to noise that was announced"),
        ("a + b if x else b", "the number of letters does not tell how"),
    ],
)
def test_why_it_is_cut_off(shown: str, why: str) -> None:
    _, notes = compiled(A, "announce(a)", B, f"announce({shown})")
    assert any(says(note, "noise is cut") and why in note for note in notes)


def is_right(text: str) -> bool:
    """The tool's interval of δ meets that of the enumeration; whether nothing was cut off."""
    chain = dc.program(text).chain(COUNTS)
    ratios = re.findall(r"geometric\('([^']+)'", text)
    one, other = (words_of(text, x, ratios) for x in (0, 1))
    for alpha in ALPHAS:
        found = dc.delta(chain, exp_epsilon=alpha)
        low, high = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        assert low <= found.upper, text
        assert found.lower <= high, text
        assert not chain.whole or found.exact, text
    return chain.whole


@fewer_or_all("first, number, least", (0, 30, 7), (1000, 1000, 250))
def test_random_programs_are_what_enumeration_says(first: int, number: int, least: int) -> None:
    texts = (random_rereading(Random(seed)) for seed in range(first, first + number))
    assert sum(map(is_right, texts)) >= least
