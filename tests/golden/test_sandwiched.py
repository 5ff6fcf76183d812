"""Verbs about programs that lie between two labellings: the values of another, older program, to the last digit.

That program computes with fractions of polynomials of e^(−1/k), from recurrences; it shares no code with this one.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import pytest

import deltachain as dc
from deltachain.model.outputs import letters_of, translate_word
from deltachain.model.words import words
from deltachain.programs import Program
from tests.cli.command import run
from tests.reference import sandwiched_programs as programs
from tests.words import says

FILE = "tests/reference/sandwiched_programs.py"
COUNTS = [{"x": 0}, {"x": 1}]


def answers(one: str, other: str) -> list[dict[str, Any]]:
    """Two secrets, from digits."""
    return [{"answers": tuple(map(int, text))} for text in (one, other)]


BOTH = [{"count": 0, "other": 0}, {"count": 1, "other": 1}]
DELTAS: list[tuple[Program, dict[str, Any], list[dict[str, Any]], str, float]] = [
    (programs.summed, {}, COUNTS, "1/20", 0.004723221722822528),
    (programs.summed, {}, COUNTS, "2/25", 9.549913632781656e-05),
    (programs.summed, {"second": 5}, COUNTS, "1/20", 0.011431545675777447),
    (programs.summed, {"second": 20}, COUNTS, "1/40", 0.0056301744511396586),
    (programs.thrice, {}, COUNTS, "1/20", 0.0017988128958619793),
    (programs.summed_and_rounded, {}, COUNTS, "1/20", 0.004699919520299886),
    (programs.gap, {}, answers("01", "10"), "0", 0.0418811013284261),
    (programs.gap, {}, answers("01", "10"), "1/4", 0),
    (programs.gap, {}, answers("001", "110"), "1/4", 0.0052980091134396),
    (programs.gap, {}, answers("001", "110"), "1/2", 0),
    (programs.gap, {}, answers("00001", "11110"), "1/4", 0.0057017274151675),
    (programs.gap_with_a_fixed_bar, {}, answers("00001", "11110"), "1/2", 0.0030146071332719),
    (programs.value_for_the_gap, {}, answers("00001", "11110"), "1/2", 0.0003939523374095),
    (programs.gap_of_exact_answers, {}, answers("00001", "11110"), "1/2", 0.0968462151569989),
    (programs.reused, {}, BOTH, "0", 0.1243530017715962),
    (programs.reused, {}, BOTH, "1/4", 0.0248215299266502),
    (programs.reused, {}, BOTH, "3/8", 0),
    (programs.largest, {}, answers("00", "11"), "0", 0.0624187467475125),
    (programs.largest, {}, answers("00", "11"), "1/4", 0),
    (programs.largest, {}, answers("000", "111"), "0", 0.0555636881360362),
    (programs.largest, {}, answers("000", "111"), "1/4", 0.0176135340785939),
    (programs.largest, {}, answers("011", "100"), "0", 0.0734138802715468),
    (programs.largest, {}, answers("011", "100"), "1/8", 0.0213846072573904),
    (programs.largest, {}, answers("011", "100"), "1/4", 0.0023744664263361),
]
PURE: list[tuple[Program, dict[str, Any], list[dict[str, Any]], float]] = [
    (programs.summed, {}, COUNTS, 0.1),
    (programs.summed, {"second": 5}, COUNTS, 0.1),
    (programs.summed, {"second": 20}, COUNTS, 0.05),
    (programs.thrice, {}, COUNTS, 0.1),
    (programs.summed_and_rounded, {}, COUNTS, 0.1),
    (programs.gap, {}, answers("01", "10"), log(1.2623516692)),
    (programs.gap, {}, answers("001", "110"), log(1.3770012436)),
    (programs.gap, {}, answers("00001", "11110"), log(1.5370116308)),
    (programs.gap, {}, answers("0000000001", "1111111110"), 0.496483561),
    (programs.gap_with_a_fixed_bar, {}, answers("00001", "11110"), 5 / 8),
    (programs.value_for_the_gap, {}, answers("00001", "11110"), 5 / 8),
    (programs.reused, {}, BOTH, 3 / 8),
    (programs.largest, {}, answers("00", "11"), 2 / 8),
    (programs.largest, {}, answers("000", "111"), 3 / 8),
    (programs.largest, {}, answers("011", "100"), log(1.3803392631)),
]


def compiled(program: Program, constants: dict[str, Any], secrets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The secrets with the constants."""
    return [constants | secret for secret in secrets]


@pytest.mark.parametrize(("program", "constants", "secrets", "epsilon", "value"), DELTAS)
def test_delta_is_known_exactly(
    program: Program, constants: dict[str, Any], secrets: list[dict[str, Any]], epsilon: str, value: float
) -> None:
    found = dc.delta(program, secrets=compiled(program, constants, secrets), epsilon=epsilon)
    assert found.exact
    assert found.checked.accepted
    assert float(found.upper) == pytest.approx(value, rel=1e-12, abs=1e-16)


@pytest.mark.parametrize(("program", "constants", "secrets", "value"), PURE)
def test_the_least_pure_epsilon_is_known_exactly(
    program: Program, constants: dict[str, Any], secrets: list[dict[str, Any]], value: float
) -> None:
    found = dc.epsilon(program, secrets=compiled(program, constants, secrets), delta=0)
    assert found.exact
    assert found.checked.accepted
    assert float(found.epsilon or 0) == pytest.approx(value, abs=2e-10)


def test_what_no_epsilon_bounds() -> None:
    """'below' and a gap of 0 tell exact answers apart."""
    secrets = answers("00001", "11110")
    found = dc.epsilon(programs.gap_of_exact_answers, secrets=secrets, delta=0)
    assert found.impossible
    assert float(found.least_delta or 0) == pytest.approx(0.0968462151569989, rel=1e-12)


@pytest.mark.parametrize("constants", [{}, {"second": 5}])
def test_a_sum_of_noises_is_private_at_its_epsilon_and_no_smaller_one(constants: dict[str, Any]) -> None:
    secrets = compiled(programs.summed, constants, COUNTS)
    assert dc.check(programs.summed, secrets=secrets, epsilon="1/10", delta=0).verdict == "private"
    assert dc.check(programs.summed, secrets=secrets, epsilon="2/25", delta=0).verdict == "violated"


def test_a_hidden_scale_is_private_at_the_epsilon_of_the_smaller_one() -> None:
    found = dc.check(programs.hidden_scale, secrets=COUNTS, epsilon=1, delta=0)
    assert found.verdict == "private"
    assert found.upper == 0


def test_the_divergence_of_a_sum_of_noises() -> None:
    found = dc.profile(programs.summed, secrets=COUNTS, epsilons=[0], orders=[2], check=False).renyi(2)
    assert found.lower is not None
    assert found.upper is not None
    assert Fraction("0.0029835718") < found.lower <= found.upper < Fraction("0.0029835875")


def test_two_announcements_without_end_need_not_meet() -> None:
    found = dc.delta(programs.repeated, secrets=COUNTS, epsilon="1/2")
    assert float(found.lower) == pytest.approx(0.0215842677107885, rel=1e-12)
    assert found.upper - found.lower < Fraction(1, 10**9)


SUM = ("--secret", "x=0", "--secret", "x=1", "--brief")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("delta", "summed", *SUM, "--epsilon", "1/20"), 0, "δ(x=0, x=1) ≈ 0.00472322, exact"),
        (("check", "summed", *SUM, "--epsilon", "1/10", "--delta", "0"), 0, "PRIVATE: proved, checked, δ ≤ 0"),
        (("check", "summed", *SUM, "--epsilon", "2/25", "--delta", "0"), 1, "VIOLATED: proved, checked, δ ≥ 0.00005"),
        (
            ("epsilon", "thrice", *SUM, "--delta", "0"),
            0,
            "pure ε-privacy holds from ε = 0.1 (1/10) on, exactly, and for no smaller one; checked",
        ),
        (("check", "hidden_scale", *SUM, "--epsilon", "1", "--delta", "0"), 0, "PRIVATE: proved, checked, δ ≤ 0"),
        (("guess", "summed", *SUM), 0, "guesses the secret with probability ≈ 0.512521; without watching 0.5"),
    ],
)
def test_the_command_says_the_same(arguments: tuple[str, ...], code: int, said: str) -> None:
    verb, name, *options = arguments
    done = run(verb, f"{FILE}:{name}", *options)
    assert done.returncode == code, done.stderr
    assert said in done.stdout
    assert says(done.stderr, "reveal at least")


def test_guessing_follows_from_the_total_variation() -> None:
    found = dc.guess(programs.summed, secrets=COUNTS)
    assert found.exact
    total = dc.delta(programs.summed, secrets=COUNTS, epsilon=0)
    assert found.upper == (1 + (total.value or 0)) / 2
    assert float(total.upper) == pytest.approx(0.0250415, abs=1e-7)


# What is announced, and the letters of the chain.

SHOWN: list[tuple[Program, list[dict[str, Any]]]] = [
    (programs.summed, COUNTS),
    (programs.gap, answers("01", "10")),
    (programs.reused, BOTH),
    (programs.largest, answers("00", "11")),
    (programs.counter, [{"events": (0, 0, 0)}, {"events": (1, 0, 0)}]),
]


@pytest.mark.parametrize(("program", "secrets"), SHOWN)
def test_words_of_outputs_are_read_as_they_are_written(program: Program, secrets: list[dict[str, Any]]) -> None:
    chain = program.sandwich(secrets).coarse
    found = {word for length in range(1, 6) for word, _ in words(chain, 0, length)}
    assert len(found) > 10
    for word in found:
        assert letters_of(chain, 0, translate_word(chain.outputs, word)) == word


def test_a_witness_can_be_traced() -> None:
    """Its words are what the program announced, in tails too."""
    found = dc.delta(programs.reused, secrets=BOTH, epsilon=0).witness
    assert found is not None
    assert found.words
    for each in found.words:
        assert dc.trace(programs.reused, 0, each.word, secrets=BOTH).probability == each.probability


def test_the_command_traces_what_is_announced() -> None:
    """An output that is named later, and one that is relative to the one before, have their own numbers."""
    later = ("--secret", "count=0,other=0", "--secret", "count=1,other=1", "--word", "start 2 above", "--brief")
    done = run("trace", f"{FILE}:reused", *later)
    assert "0.0312033" in done.stdout
    secrets = [{"events": (0, 0)}, {"events": (3, 0)}]
    stated = [part for each in secrets for part in ("--secret", f"events={each['events']}")]
    done = run("trace", f"{FILE}:counter", *stated, "--word", '["start", "1", "≥ 2"]', "--brief")
    probability = dc.trace(programs.counter, 0, ("start", "1", "≥ 2"), secrets=secrets).probability
    assert probability
    assert f"{float(probability):.6g}" in done.stdout
