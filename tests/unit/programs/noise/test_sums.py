"""The sum of independent noises has the convolution of their laws, and is found without a walk over pairs."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

from deltachain.model import Chain
from deltachain.programs import program
from deltachain.programs.run.explore import Explorer
from tests.words import says

SECRETS = [{"x": 0}, {"x": 2}]
NOISES = ("geometric('1/3', tail='1e-3')", "discrete_laplace('1/2', tail='1e-4')", "discrete_gaussian(1, tail='1e-4')")
ADDED = [
    "announce(x + a + b)",
    "announce(a - b + 2 * x)",
    "announce(max(-3, min(3, a + b + x)))",
    "s = a + b\n    announce(x + s)\n    announce(s % 2)",
    "announce((a + b) % 3)",
    "y = a * 2\n    announce(y + b + b + x)",
    "announce(3 * (a + x) - b * 3)",
    "c = discrete_laplace('1/2', tail='1e-4')\n    announce(a + b - c + x)",
    "t = a\n    for i in range(2):\n        t += geometric('1/3', tail='1e-2')\n    announce(t + b)",
    "a = b - a\n    announce(a)\n    announce(a + x)",
    "announce(1 / (a + b + 100))",
    "announce((a + b, x))",
]
TOLD_APART = [
    "announce(a + b)\n    announce(a)",
    "announce(2 * a + b)",
    "announce(a if a + b > 2 else x)",
    "announce((a + b, a - b))",
    "s = 10 // (a * a + 1)\n    announce(a + b + s)",
]


def laws(chain: Chain) -> list[tuple[dict[str, tuple[Fraction, Fraction]], Fraction]]:
    """What is seen first from each start, between two limits, and what may be seen instead."""
    found = []
    for start in range(len(SECRETS)):
        row, law = chain.given[start][0].box, defaultdict(lambda: (Fraction(0), Fraction(0)))
        for target, low, high in row:
            before = law[chain.labels[target]]
            law[chain.labels[target]] = before[0] + low, before[1] + high
        found.append((dict(law), row.rest))
    return found


def compiled(text: str, monkeypatch: pytest.MonkeyPatch, *, together: bool) -> tuple[Chain, int]:
    """The chain, and how many sums were found; with ``together`` false, none is looked for."""
    found, add = 0, Explorer._added_up

    def counted(*arguments: object) -> object:
        nonlocal found
        moves = add(*arguments) if together else None  # type: ignore[arg-type]
        found += moves is not None
        return moves

    with monkeypatch.context() as patched:
        patched.setattr(Explorer, "_added_up", counted)
        return program(text).chain(SECRETS), found


@pytest.mark.sample(9)
@pytest.mark.parametrize("body", ADDED + TOLD_APART)
def test_sums_are_those_of_the_walk_over_pairs(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one, other in zip(NOISES, NOISES[1:] + NOISES[:1], strict=True):
        text = f"def main(x):\n    a = {one}\n    b = {other}\n    {body}\n"
        chain, sums = compiled(text, monkeypatch, together=True)
        # What is followed exactly needs no sum.
        assert chain.whole or (sums > 0) == (body in ADDED), text
        walked, _ = compiled(text, monkeypatch, together=False)
        for (law, lost), (slow, slowly_lost) in zip(laws(chain), laws(walked), strict=True):
            tails = [int(re.sub("[^0-9-]", "", letter)) for letter in slow if letter[0] in "≤≥"]
            for letter in {*law, *slow}:
                if letter[0] in "≤≥" or (tails and not min(tails) < int(letter) < max(tails)):
                    continue  # one label in the other
                low, high = law.get(letter, (0, 0))
                bottom, top = slow.get(letter, (0, 0))
                assert low <= top + slowly_lost
                assert bottom <= high + lost


def test_a_sum_of_rational_noise_is_the_exact_convolution() -> None:
    ratio, reach = Fraction(1, 3), 6  # 2·r^7/(1 + r) ≤ 10^-3 < 2·r^6/(1 + r)
    chain = program(
        "def main(x):\n    a = geometric('1/3', tail='1e-3')\n    announce(x + a - geometric('1/3', tail='1e-3'))\n"
    )
    law = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}
    want: dict[int, Fraction] = defaultdict(Fraction)
    for (a, p), (b, q) in product(law.items(), law.items()):
        want[a - b] += p * q
    for secret, (found, lost) in zip(SECRETS, laws(chain.chain(SECRETS)), strict=True):
        assert lost == 1 - sum(want.values())
        # An exact row whose mass may go elsewhere is tightened no further than that.
        assert {int(letter): low for letter, (low, _) in found.items()} == {secret["x"] + u: p for u, p in want.items()}


def test_a_sum_of_wide_noise_takes_as_many_configurations_as_it_has_values() -> None:
    explorers = []
    original = Explorer.__init__

    def noted(self: Explorer, *arguments: object, **options: object) -> None:
        explorers.append(self)
        original(self, *arguments, **options)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Explorer, "__init__", noted)
        text = "def main(x):\n    announce(x + discrete_gaussian(50) + discrete_gaussian(50))\n"
        chain = program(text).chain(SECRETS)
    *_, explorer = explorers  # before it, those that found noise to cut off
    assert len(explorer.points) < 2 * len(chain.states)
    assert explorer._steps_left > 5_000_000  # a walk over pairs takes more than two million


def test_a_variable_that_is_drawn_again_is_another_outcome() -> None:
    loop = "for i in range(3):\n        n = geometric('1/3', tail='1e-3')\n        t = t + n"
    text = f"def main(x):\n    t = 0\n    {loop}\n    announce(t)\n"
    law = {z: Fraction(1, 2) * Fraction(1, 3) ** abs(z) for z in range(-6, 7)}
    want: dict[int, Fraction] = defaultdict(Fraction)
    for (a, p), (b, q), (c, r) in product(law.items(), law.items(), law.items()):
        want[a + b + c] += p * q * r
    ((found, _), _) = laws(program(text).chain(SECRETS))
    assert {int(letter): low for letter, (low, _) in found.items()} == dict(want)


def test_noise_that_reaches_too_far_is_not_added_up_where_it_need_not_be_told_apart() -> None:
    text = "def main(x):\n    a = discrete_laplace(1)\n    announce(max(0, min(3, x + a + discrete_laplace(10**25))))\n"
    chain = program(text).chain(SECRETS)
    assert set(chain.alphabet) == {"start", "0", "1", "2", "3", "end"}


def test_that_noise_is_added_up_is_a_reason_for_cutting_it_off() -> None:
    text = "def main(x):\n    announce(x + geometric('1/3') + geometric('1/3'))\n"
    _, notes = program(text).chain_with_notes(SECRETS)
    assert any(says(note, "noise is cut") and says(note, "are announced (line") for note in notes)
