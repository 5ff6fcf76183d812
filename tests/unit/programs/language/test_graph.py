"""Variables that nothing reads are forgotten, also where they only feed themselves; what is computed once is."""

from __future__ import annotations

import pytest

from deltachain.model import Chain
from deltachain.numbers import real as reals
from deltachain.programs import ProgramError, program
from tests.words import refuses

SECRETS = [{"x": 0}, {"x": 1}]


def chain(body: str, **given: int) -> Chain:
    return program("def main(x):\n    " + body.replace("\n", "\n    ")).chain(SECRETS, **given)


UNREAD = [
    "tries = 0\nwhile flip(1/2):\n    tries += 1\nannounce(x)",
    "tries = 0\nwhile flip(1/2):\n    tries += 1\n    announce(x)",
    "tries = total = 0\nwhile flip(1/2):\n    tries += 1\n    total = total + tries * 2\n    announce(x)",
    "tries = x\nwhile flip(1/2):\n    tries -= 1\n    announce(x)",
    "tries = 0\nwhile flip(1/2):\n    tries += uniform(0, 9)\n    announce(x)",
]


@pytest.mark.parametrize("body", UNREAD)
def test_counters_that_only_feed_themselves_are_forgotten(body: str) -> None:
    found = chain(body, max_states=20)
    assert set(found.labels) <= {"start", "0", "1", "end"}
    assert len(found) == 5


@pytest.mark.parametrize("body", UNREAD)
def test_a_counter_that_is_read_at_last_is_kept(body: str) -> None:
    with refuses(ProgramError, "values"):
        chain(f"{body}\nannounce((x, tries))" + ("\nannounce(total)" if "total" in body else ""), max_states=200)


def test_any_operations_on_numbers_may_feed_what_nothing_reads() -> None:
    body = (
        "tries = 0\nwhile flip(1/2):\n    tries = tries + 1 if tries < 7 or not tries > 9 else -tries\n    announce(x)"
    )
    assert len(chain(body, max_states=20)) == 5


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("while flip(1/2):\n    tries += 1\nannounce(x)", "'tries' has no value here"),
        ("tries = 'a'\nwhile flip(1/2):\n    tries += 1\nannounce(x)", r"\+ needs numbers"),
        ("tries = 1\nwhile flip(1/2):\n    tries = 1 / (tries - 1)\nannounce(x)", "division by zero"),
        ("tries = (1,)\nwhile flip(1/2):\n    tries += 1\nannounce(x)", r"\+ needs numbers"),
        ("if flip(1/2):\n    tries = 0\ntries = tries + 1\nannounce(x)", "'tries' has no value here"),
        ("tries = choose({0: 1/2, 'a': 1/2})\ntries = tries + 1\nannounce(x)", r"\+ needs numbers"),
    ],
)
def test_what_goes_wrong_still_goes_wrong(body: str, why: str) -> None:
    with pytest.raises(ProgramError, match=why):
        chain(body, max_states=50)


def test_a_parameter_that_may_be_text_is_not_taken_for_a_number() -> None:
    text = "def main(x):\n    tries = x\n    while flip(1/2):\n        tries += 1\n    announce(0)"
    assert len(program(text).chain(SECRETS)) == 4
    with pytest.raises(ProgramError, match=r"\+ needs numbers"):
        program(text).chain([{"x": "a"}, {"x": 0}], max_states=50)


def test_a_counter_that_grows_without_bound_is_named() -> None:
    with refuses(ProgramError, "changed on line"):
        chain("tries = 0\nwhile flip(1/2):\n    tries += 1\nannounce(tries)", max_states=100)


def test_weights_of_a_choice_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[object] = []
    exp = reals.exp
    monkeypatch.setattr(reals, "exp", lambda value: computed.append(value) or exp(value))
    weights = "weights=tuple(exp(Fraction(-3 * abs(z), 4)) for z in range(-9, 10))"
    found = chain(
        f"a = choose(range(-9, 10), {weights})\nannounce(x + a)\nb = choose(range(-9, 10), {weights})\n"
        f"announce(x + a + b)\nannounce(a + choose((0, 1), weights=(exp(-1), exp(-2))))"
    )
    assert len(found) > 300
    assert 0 < len(computed) <= 2 * 19 + 2


def test_a_comprehension_is_computed_again_for_other_values() -> None:
    found = chain("a = uniform(0, 9)\nannounce(sum(tuple(z * a + x for z in range(3))))")
    assert {label for label in found.labels if label.isdigit()} == {
        str(3 * a + 3 * x) for a in range(10) for x in (0, 1)
    }
