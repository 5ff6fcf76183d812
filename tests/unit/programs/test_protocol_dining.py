"""The paper's own program [CMP18, Fig. 3]: its words by hand, its size, and what its states say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from deltachain.model.words import words
from deltachain.programs import Program, announce, flip, program


@program
def dining(paying, n=3, p="49/100"):
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == paying else previous != this)
        previous = this


@program
def dining_as_printed(paying, n, p):
    """The same with the paper's `if`s in place of conditional expressions."""
    first = flip(p)
    previous = first
    for cryptographer in range(n):
        if cryptographer == n - 1:  # noqa: SIM108  (as printed)
            this = first
        else:
            this = flip(p)
        if cryptographer == paying:
            announce(previous == this)
        else:
            announce(previous != this)
        previous = this


def payers(n: int) -> list[dict[str, object]]:
    return [{"paying": payer} for payer in range(n)]


def test_two_diners_by_hand() -> None:
    # The coins agree with probability 0.49² + 0.51² = 2501/5000; if 0 paid, they then announce True, False.
    agree, differ = Fraction(2501, 5000), Fraction(2499, 5000)
    chain = dining.chain(payers(2), constants={"n": 2})
    assert dict(words(chain, "paying=0", 4)) == {
        ("start", "True", "False", "end"): agree,
        ("start", "False", "True", "end"): differ,
    }
    assert dict(words(chain, "paying=1", 4)) == {
        ("start", "False", "True", "end"): agree,
        ("start", "True", "False", "end"): differ,
    }
    assert chain.pairs == (("paying=0", "paying=1"),)


@pytest.mark.parametrize("written", [dining, dining_as_printed])
def test_three_diners_by_counting_coins(written: Program) -> None:
    p = Fraction(49, 100)
    chain = written.chain(payers(3), constants={"n": 3, "p": p})
    for payer in range(3):
        expected: dict[tuple[str, ...], Fraction] = {}
        for first, second, third in product((True, False), repeat=3):
            coins = (first, second, third, first)
            said = [str((coins[i] != coins[i + 1]) != (i == payer)) for i in range(3)]
            weight = p ** (first + second + third) * (1 - p) ** (3 - first - second - third)
            word = ("start", *said, "end")
            expected[word] = expected.get(word, Fraction(0)) + weight
        assert dict(words(chain, f"paying={payer}", 5)) == expected


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("written", [dining, dining_as_printed])
def test_size_is_quadratic(written: Program, n: int) -> None:
    # n payers × n turns × first × previous × letter, never 2^n.
    assert len(written.chain(payers(n), constants={"n": n, "p": "49/100"})) <= 8 * n * n + n + 3


def test_states_carry_their_variables() -> None:
    chain = dining.chain(payers(3))
    start = chain.number("paying=2")
    assert chain.valuations is not None
    assert chain.valuations[start] == {"paying": 2, "n": 3, "p": "'49/100'"}
    after = next(target for target, _ in chain.rows[start])
    assert chain.valuations[after]["paying"] == 2
    assert set(chain.valuations[after]) >= {"first", "previous", "paying"}
    assert "p" not in chain.valuations[after], "a fixed parameter is no part of a state"


def test_a_letter_is_a_state_of_its_own_only_while_it_is_seen() -> None:
    chain = dining.chain(payers(2), constants={"n": 2})
    # After the last announcement nothing is live: both payers share the two last states and the end.
    assert set(chain.states[-3:]) == {"False@end", "True@end", "end"}
    assert len(chain) == 2 + 2 * 4 + 3
