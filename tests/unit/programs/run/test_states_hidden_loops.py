"""Hidden steps summed exactly: loops that end surely, never, and perhaps."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.model.words import words
from deltachain.programs import Program, ProgramError, announce, flip, program, uniform
from deltachain.programs.run import states as states_module
from tests.words import refuses


@program
def retry(x):
    while not flip("1/3"):
        if flip(0.5):
            x = (x + 1) % 3
    announce(x)


@program
def silent(x):
    while True:
        x = 1 - x


@program
def silent_draws(x):
    while True:
        x = x ^ flip("1/2")


@program
def perhaps(x):
    if flip(x):
        while True:
            pass
    announce("done")


@program
def trapped(x):
    """A walk on -1 … 3 that leaves at 3 and is caught, silently, at -1."""
    while x != 3:
        x = x if x == -1 else x + 1 if flip("2/3") else x - 1
    announce("out")


@program
def counting(x):
    count = 0
    while flip("1/2"):
        count = min(count + 1, 4)
    announce((count, x))


@program
def between(x):
    """Announces, then walks unseen before it announces again."""
    while True:
        announce(x)
        while flip("1/4"):
            x = uniform(0, 1)


def only_word(written: Program, value: object, length: int) -> dict[tuple[str, ...], Fraction]:
    chain = written.chain([{"x": value}])
    return dict(words(chain, 0, length))


def test_retry_is_a_geometric_sum() -> None:
    # A turn stops with 1/3, moves with 1/3: k moves with (1/2)^(k+1), summed modulo 3.
    assert only_word(retry, 0, 3) == {
        ("start", "0", "end"): Fraction(4, 7),
        ("start", "1", "end"): Fraction(2, 7),
        ("start", "2", "end"): Fraction(1, 7),
    }


@pytest.mark.parametrize("written", [silent, silent_draws])
def test_sure_divergence(written: Program) -> None:
    chain = written.chain([{"x": 0}])
    assert chain.states == ("x=0", "diverges")
    assert chain.labels == ("start", "diverges")
    assert chain.rows == (((1, Fraction(1)),), ((1, Fraction(1)),))


def test_partial_divergence() -> None:
    assert only_word(perhaps, "2/5", 3) == {
        ("start", "diverges", "diverges"): Fraction(2, 5),
        ("start", "done", "end"): Fraction(3, 5),
    }


def test_divergence_after_a_letter() -> None:
    @program
    def stuck(x):
        announce(x)
        while x:
            pass
        announce("free")

    chain = stuck.chain([{"x": 0}, {"x": 1}])
    assert dict(words(chain, "x=0", 4)) == {("start", "0", "free", "end"): Fraction(1)}
    assert dict(words(chain, "x=1", 4)) == {("start", "1", "diverges", "diverges"): Fraction(1)}


def test_divergence_inside_a_comprehension() -> None:
    text = (
        "@program\ndef waits(x):\n    while x == 1:\n        pass\n    return x\n"
        "def main(x):\n    announce(sum(waits(i) for i in range(x, x + 1)))\n"
    )
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    assert dict(words(chain, "x=0", 3)) == {("start", "0", "end"): Fraction(1)}
    assert dict(words(chain, "x=1", 2)) == {("start", "diverges"): Fraction(1)}


def test_gamblers_ruin_against_the_formula() -> None:
    # From x, with odds 2 : 1, the walk reaches 3 before -1 with probability (1 − 2^−(x+1))/(1 − 2^−4).
    for x in range(4):
        reach = (1 - Fraction(1, 2 ** (x + 1))) / (1 - Fraction(1, 2**4))
        law = only_word(trapped, x, 3)
        assert law[("start", "out", "end")] == reach
        assert law.get(("start", "diverges", "diverges"), Fraction(0)) == 1 - reach
    assert only_word(trapped, -1, 2) == {("start", "diverges"): Fraction(1)}


def test_self_loops_with_a_tail() -> None:
    law = only_word(counting, 0, 3)
    assert {int(word[1][1]): p for word, p in law.items()} == {
        0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 8), 3: Fraction(1, 16), 4: Fraction(1, 16)
    }  # fmt: skip


def test_loops_between_announcements_keep_states_few() -> None:
    chain = between.chain([{"x": 0}, {"x": 1}])
    # The first letter is x itself; afterwards x changes with probability 1/4 · 1/2 · (1 + …) = 1/8.
    one_zero = dict(words(chain, "x=0", 3))
    assert one_zero == {("start", "0", "0"): Fraction(7, 8), ("start", "0", "1"): Fraction(1, 8)}
    assert len(chain) == 4


def test_a_long_chain_of_hidden_draws_does_not_recurse() -> None:
    @program
    def many(x):
        for _ in range(5000):
            x = x ^ flip("1/2")
        announce(x)

    assert only_word(many, False, 2) == {
        ("start", "True"): Fraction(1, 2),
        ("start", "False"): Fraction(1, 2),
    }


def test_a_walk_on_a_grid_is_solved_exactly() -> None:
    @program
    def grid(x, y, size=5):
        while 0 < x < size and 0 < y < size:
            step = uniform(0, 3)
            if step == 0:
                x += 1
            elif step == 1:
                x -= 1
            elif step == 2:
                y += 1
            else:
                y -= 1
        announce("side" if x == 0 or x == size else "top")

    chain = grid.chain([{"x": 2, "y": 3}, {"x": 3, "y": 2}])
    one, other = dict(words(chain, 0, 2)), dict(words(chain, 1, 2))
    # Exchanging x and y exchanges the two letters, and each law is exact, so they mirror each other exactly.
    assert one[("start", "side")] == other[("start", "top")]
    assert sum(one.values()) == 1
    # (2, 3) and (2, 2) are symmetric about y = 5/2 for the event "side", and (2, 2) is symmetric in x and y.
    assert one[("start", "side")] == Fraction(1, 2)


def test_a_hidden_loop_that_is_too_large_is_refused_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states_module, "MAX_SOLVE", 5)
    with refuses(ProgramError, "test_states_hidden_loops"):
        retry.chain([{"x": 0}])
