"""Every way that something random can go, each with its exact probability: of bits, and of choices among weights.

Slow and obvious. A function is run again for every sequence of answers, so it must ask nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any


class Exhausted(Exception):
    """More is asked than there is."""


class Script:
    """Answers that are followed, and what they were chosen from."""

    def __init__(self, answers: Sequence[int]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[int, Any]] = []
        """How many answers there were at each question, and the probability of the one that was given."""

    def choose(self, weights: Sequence[Any]) -> int:
        """The number of a weight; weights are exact numbers that sum to 1."""
        place = len(self.asked)
        if place == len(self.answers):
            self.answers.append(0)
        found = self.answers[place]
        self.asked.append((len(weights), weights[found]))
        return found


def every_way(run: Callable[[Callable[[Sequence[Any]], int]], Hashable], longest: int) -> dict[Hashable, Any]:
    """Outcome → its probability, summed over all sequences of at most ``longest`` choices; the others are left out."""
    found: dict[Hashable, Any] = {}
    answers: list[int] | None = []
    while answers is not None:
        script = Script(answers)

        def choose(weights: Sequence[Any], script: Script = script) -> int:
            if len(script.asked) == longest:
                raise Exhausted
            return script.choose(weights)

        try:
            outcome = run(choose)
        except Exhausted:
            pass
        else:
            probability: Any = Fraction(1)
            for _, chance in script.asked:
                probability = probability * chance
            found[outcome] = found[outcome] + probability if outcome in found else probability
        answers = _next(script)
    return found


def _next(script: Script) -> list[int] | None:
    """The answers of the next run: the last one that has another after it goes on."""
    answers = [answer for answer, _ in zip(script.answers, script.asked, strict=False)]
    while answers:
        if answers[-1] + 1 < script.asked[len(answers) - 1][0]:
            return [*answers[:-1], answers[-1] + 1]
        answers.pop()
    return None


def every_string(draw: Callable[[Callable[[int], int]], Hashable], length: int) -> tuple[dict[Hashable, Fraction], int]:
    """Feed every bit string of a length: outcome → the part of the strings that decide for it; how many do not."""
    decided: dict[Hashable, int] = {}
    undecided = 0
    for string in range(1 << length):
        left = length

        def bits(count: int, string: int = string) -> int:
            nonlocal left
            if count > left:
                raise Exhausted
            left -= count
            return string >> left & ((1 << count) - 1)

        try:
            outcome = draw(bits)
        except Exhausted:
            undecided += 1
        else:
            decided[outcome] = decided.get(outcome, 0) + 1
    return {outcome: Fraction(count, 1 << length) for outcome, count in decided.items()}, undecided
