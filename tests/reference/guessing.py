"""Guessing by its definition: the best guess after every word of some length, over all strategies of the observer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from deltachain.model import Chain

Beliefs = list[dict[int, Fraction]]
Worth = Callable[[Sequence[Fraction]], Fraction]


def value_at_depth(chain: Chain, secrets: Sequence[int], worth: Worth, depth: int) -> Fraction:
    """What the best guess is worth after ``depth`` steps; with inputs, that of the best strategy."""
    starts: dict[str, Beliefs] = {}
    for place, state in enumerate(secrets):
        starts.setdefault(chain.labels[state], [{} for _ in secrets])[place][state] = Fraction(1)
    return sum((_value(chain, beliefs, worth, depth) for beliefs in starts.values()), Fraction(0))


def _value(chain: Chain, beliefs: Beliefs, worth: Worth, depth: int) -> Fraction:
    if depth == 0:
        return worth([sum(belief.values(), Fraction(0)) for belief in beliefs])
    some = next(state for belief in beliefs for state in belief)
    return max(
        sum((_value(chain, after, worth, depth - 1) for after in _split(chain, beliefs, choice)), Fraction(0))
        for choice in range(len(chain.offered(some)))
    )


def _split(chain: Chain, beliefs: Beliefs, choice: int) -> list[Beliefs]:
    found: dict[str, Beliefs] = {}
    for place, belief in enumerate(beliefs):
        for state, mass in belief.items():
            for target, p in chain.moves[state][choice]:
                there = found.setdefault(chain.labels[target], [{} for _ in beliefs])[place]
                there[target] = there.get(target, Fraction(0)) + mass * p
    return list(found.values())


def best_plan_value(chain: Chain, secrets: Sequence[int], worth: Worth, questions: int) -> Fraction:
    """What the best of all sequences of inputs is worth, where every state of every run offers the same ones."""
    inputs = chain.offered(secrets[0])
    starts: dict[str, Beliefs] = {}
    for place, state in enumerate(secrets):
        starts.setdefault(chain.labels[state], [{} for _ in secrets])[place][state] = Fraction(1)
    best = Fraction(0)
    for plan in product(range(len(inputs)), repeat=questions):
        reached = list(starts.values())
        for choice in plan:
            reached = [after for beliefs in reached for after in _split(chain, beliefs, choice)]
        masses = [[sum(belief.values(), Fraction(0)) for belief in beliefs] for beliefs in reached]
        best = max(best, sum(map(worth, masses), Fraction(0)))
    return best
