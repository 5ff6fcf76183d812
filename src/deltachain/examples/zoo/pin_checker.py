"""Guesses at a PIN, answered with noise: which PIN is it?

Protocol: a lock holds one of ``pins`` PINs. In each of ``guesses`` rounds an intruder draws a PIN uniformly
and tries it. The lock says whether it was right, but tells the truth only with
probability ``accuracy``, so that one answer proves little.
Secret: which of two PINs the lock holds: 0 in s0, 1 in s1 (the others matter as wrong guesses).
Labels: ``start``; in each round ``guess-g``, then ``accept`` or ``reject``; ``end``.

Known exactly, for one round with N PINs: only the guesses 0 and 1, drawn with probability 1/N each, tell the
two apart. After either, one answer has probability m = max(accuracy, 1 − accuracy) from the one side and 1 −
m from the other, so each is worth max(m − α(1 − m), 0)/N, and δ = 2/N · max(m − α(1 − m), 0), in both
directions. At N = 4, accuracy 3/4, α = 2: δ = 1/8.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_PINS = 10_000
MAX_GUESSES = 10_000


def pin_checker(pins: int = 4, guesses: int = 1, accuracy: Number = "3/4") -> Chain:
    """``guesses`` uniform guesses among ``pins`` at the PIN 0 (s0) or 1 (s1), answered with ``accuracy``.

    >>> pin_checker()
    <Chain: 13 states, 27 transitions, 8 labels, 1 pair>
    """
    pins, guesses = whole(pins, "pins", 2, MAX_PINS), whole(guesses, "guesses", 1, MAX_GUESSES)
    right = probability(accuracy, "accuracy")
    limit_transitions(8 * pins * guesses, "lower pins or guesses")
    rows: dict[str, dict[str, Fraction]] = {}
    labels = {"s0": "start", "s1": "start"}
    for secret in (0, 1):
        for turn in range(guesses):
            here = f"s{secret}.{turn + 1}."
            # The last answer need not remember the secret.
            answer = "" if turn == guesses - 1 else here
            sources = [f"s{secret}"] if turn == 0 else [f"s{secret}.{turn}.accept", f"s{secret}.{turn}.reject"]
            row = {f"{here}{guess}": Fraction(1, pins) for guess in range(pins)}
            rows |= dict.fromkeys(sources, row)
            for guess in range(pins):
                accepts = right if guess == secret else 1 - right
                rows[f"{here}{guess}"] = {f"{answer}accept": accepts, f"{answer}reject": 1 - accepts}
                labels[f"{here}{guess}"] = f"guess-{guess}"
            labels |= {f"{answer}accept": "accept", f"{answer}reject": "reject"}
    rows |= {"accept": {"end": Fraction(1)}, "reject": {"end": Fraction(1)}, "end": {"end": Fraction(1)}}
    labels["end"] = "end"
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
