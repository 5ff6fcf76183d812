"""What an observer sees who cannot count silent steps, the slow and obvious way: step by step, with what is left over.

`seen_first` follows the distribution of runs for a number of steps and adds up where they are first seen. What it
gives are lower bounds, and no bound is further from the truth than the mass that is still silent.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from deltachain.model import Chain

__all__ = ["seen_first", "seen_word_bounds"]


def seen_first(
    chain: Chain, start: int, hidden: Collection[str], steps: int, *, step_first: bool, asked: str | None = None
) -> tuple[dict[int, Fraction], Fraction]:
    """The visible state in which a run is first seen, and the mass not seen within ``steps``.

    ``step_first``: only after leaving the start state, as for the next state of a run that is seen there; ``asked`` is
    the input that is given there, None where none is offered.
    """
    mass = {start: Fraction(1)}
    found: dict[int, Fraction] = {}
    for step in range(steps + 1):
        if step or not step_first:
            for state in [s for s in mass if chain.labels[s] not in hidden]:
                found[state] = found.get(state, Fraction(0)) + mass.pop(state)
        following: dict[int, Fraction] = {}
        for state, m in mass.items():
            for target, p in chain.points_of(state, asked if step == 0 else None):
                following[target] = following.get(target, Fraction(0)) + m * p
        mass = following
    return found, sum(mass.values(), Fraction(0))


def seen_word_bounds(
    chain: Chain,
    start: int,
    hidden: Collection[str],
    word: tuple[str, ...],
    steps: int,
    given: Sequence[str | None] | None = None,
) -> tuple[Fraction, Fraction]:
    """Bounds of the probability that the visible labels from ``start`` begin with ``word``.

    ``given`` are the inputs of the observer after each letter but the last, None where none is offered.
    """
    here = {start: Fraction(1)}
    lost = Fraction(0)
    for place, letter in enumerate(word):
        following: dict[int, Fraction] = {}
        for state, m in here.items():
            asked = given[place - 1] if given and place else None
            found, rest = seen_first(chain, state, hidden, steps, step_first=place > 0, asked=asked)
            lost += m * rest
            for target, p in found.items():
                if chain.labels[target] == letter:
                    following[target] = following.get(target, Fraction(0)) + m * p
        here = following
    low = sum(here.values(), Fraction(0))
    return low, low + lost
