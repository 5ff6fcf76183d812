"""Spans of outcomes: what is told apart and what is cut off is every outcome once; the cells of a draw have its law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from deltachain.programs import program
from deltachain.programs.language.source import Problem
from deltachain.programs.language.unbounded import Span, Unbounded
from deltachain.programs.noise import spread
from deltachain.programs.noise.pieces import Stairs
from deltachain.programs.noise.spread import ShownNoise, beyond, is_endless, nearest, told_apart
from tests.words import refuses

WINDOW = range(-60, 61)
"""Far enough: no end of a span here is further from 0 than half of it, and neither is the reach."""


class Near(Unbounded):
    """Noise that is told apart as far as it is said to be; it has no law."""

    def __init__(self, reach: int) -> None:
        self.name, self._reach = "near", reach

    @property
    def reach(self) -> int:
        return self._reach


def within(span: Span) -> set[int]:
    """The outcomes of a span that are in the window."""
    low, high, step, residue = span
    return {z for z in WINDOW if (low is None or z >= low) and (high is None or z <= high) and z % step == residue}


def random_span(random: Random) -> Span:
    low, high = sorted(random.randint(-25, 25) for _ in range(2))
    step = random.choice([1, 1, 2, 3, 5])
    ends = random.choice([(low, high), (None, high), (low, None), (None, None)])
    return Span(*ends, step, random.randrange(step))


@pytest.mark.parametrize("seed", range(10))
def test_what_is_told_apart_and_what_is_cut_off_is_every_outcome_once(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "MOST_TOLD_APART", 30)
    random, endless = Random(seed), 0
    for _ in range(200):
        span, reach = random_span(random), random.randint(0, 14)
        each, lost = told_apart(Near(reach), span)
        parts = [set(each), *map(within, lost)]
        assert sum(map(len, parts)) == len(within(span))
        assert set().union(*parts) == within(span)
        if is_endless(span):
            endless += 1
            assert all(abs(z) <= reach for z in each)
            assert all(abs(z) > reach for part in lost for z in within(part))
        else:
            assert not lost
    assert 50 < endless < 190


def test_too_many_outcomes_to_tell_apart_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "MOST_TOLD_APART", 30)
    assert len(told_apart(Near(14), Span(None, None))[0]) == 29
    with refuses(Problem, "outcomes that are"):
        told_apart(Near(15), Span(None, None))


def test_the_nearest_outcome_is_in_the_span_and_no_other_is_much_closer() -> None:
    random = Random(1)
    for _ in range(500):
        span = random_span(random)
        if not (outcomes := within(span)):
            continue
        found = nearest(span)
        assert found in outcomes
        assert abs(found) < min(map(abs, outcomes)) + span.step


def test_beyond_is_the_rest_of_what_is_within_reach() -> None:
    for low in (None, -20, -3, 4, 20):
        for high in (None, -20, -3, 4, 20):
            if low is not None and high is not None and low > high:
                continue
            outcomes = within(Span(low, high))
            far = [within(part) for part in beyond(low, high, 5)]
            assert sum(map(len, far)) == len(set().union(*far))
            assert set().union(*far) == {z for z in outcomes if abs(z) > 5}


@pytest.mark.parametrize(
    "stairs",
    [
        Stairs.of(1, 7, 1, 1, 0),
        Stairs.of(-1, 7, 1, 1, 0),
        Stairs.of(1, -2, 3, 4, 1),
        Stairs.of(-1, 5, 4, 4, 0),
        Stairs.of(1, 0, 2, -3, 1),
    ],
)
@pytest.mark.parametrize(("low", "high"), [(None, 3), (-4, None), (None, None), (-4, 3)])
def test_what_is_shown_leads_back_to_its_outcomes(stairs: Stairs, low: int | None, high: int | None) -> None:
    shown = ShownNoise(low, high, stairs, 0)
    first, last = shown.steps
    outcomes = within(Span(low, high))
    steps = {stairs.step(z) for z in outcomes}
    assert first is None or first == min(steps)
    assert last is None or last == max(steps)
    assert (first is None, last is None) == (
        (low is None, high is None) if stairs.sign > 0 else (high is None, low is None)
    )
    for least, greatest in ((0, 1), (None, 0), (1, None)):
        expected = {
            z
            for z in outcomes
            if (least is None or stairs.step(z) >= least) and (greatest is None or stairs.step(z) <= greatest)
        }
        assert within(shown.span(least, greatest)) == expected


CELLS: dict[str, Callable[[int], object]] = {
    "z >= 2": lambda z: z >= 2,
    "max(-1, min(1, z))": lambda z: max(-1, min(1, z)),
    "z % 3": lambda z: z % 3,
    "abs(z) > 1": lambda z: abs(z) > 1,
    "'big' if z > 5 else z > -2": lambda z: "big" if z > 5 else z > -2,
}


@pytest.mark.parametrize("shown", CELLS)
def test_cells_have_the_law_of_their_outcomes(shown: str) -> None:
    """Exactly, and nothing is cut off; P(z) = 2^-|z|/3, so that the window leaves out less than 2^-60."""
    chain = program(f"def cells(x):\n    z = geometric('1/2')\n    announce({shown})").chain([{"x": 0}])
    assert chain.rational
    found = {chain.labels[target]: p for target, p in chain.rows[0]}
    assert sum(found.values()) == 1
    wanted: dict[str, Fraction] = {}
    for z in WINDOW:
        letter = str(CELLS[shown](z))
        wanted[letter] = wanted.get(letter, Fraction(0)) + Fraction(1, 3 * 2 ** abs(z))
    assert found.keys() == wanted.keys()
    assert all(0 <= p - wanted[letter] < Fraction(1, 2**60) for letter, p in found.items())
