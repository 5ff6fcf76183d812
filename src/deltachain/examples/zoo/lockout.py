"""A lock with attempts, back-off and noise: which PIN is it?

Protocol: a lock holds one of ``pins`` PINs. While it is ready, the intruder tries one. The lock tells right from wrong
with probability ``accuracy``. If it takes the PIN for right, it opens, and that is all. Otherwise it makes the intruder
wait, ``backoff`` steps after the first rejection and twice as long after each further one, and is ready again; after
``attempts`` rejections it stays locked.
Secret: which of two PINs the lock holds: 0 in s0, 1 in s1 (the others matter as wrong guesses).
Labels: ``ready``, where the inputs are the PINs; ``wait``; ``open``; ``locked``.

Known exactly: the intruder tries 0 or 1, since any other PIN tells nothing and may end the run. After rejections the
past weighs x from s0 and y from s1, starting from 1 and 1, and with a = accuracy and k attempts left

    V_0(x, y) = max(x − αy, 0),    V_k(x, y) = max of max(ax − α(1−a)y, 0) + V_{k−1}((1−a)x, ay)
                                                and max((1−a)x − αay, 0) + V_{k−1}(ax, (1−a)y),

and δ is V at (1, 1): the two directions are the same, with the two PINs exchanged. It pays to try the PIN that one does
*not* believe in: a rejection speaks for the other one, and leaves an attempt. At accuracy 3/4, two attempts and α = 2,
to try 0 first is worth 1/4; to try 1 first, then either, is worth 9/16 − 2/16 = 7/16 = δ.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_PINS = 1_000
MAX_ATTEMPTS = 1_000
MAX_BACKOFF = 10_000
ONE = Fraction(1)


def lockout(pins: int = 3, attempts: int = 2, accuracy: Number = "3/4", backoff: int = 1) -> Chain:
    """A lock with one of ``pins`` PINs, 0 (s0) or 1 (s1), that the intruder may try ``attempts`` times.

    >>> lockout()
    <Chain: 8 states, 28 transitions, 4 labels, 3 inputs, 1 pair>
    """
    pins, attempts = whole(pins, "pins", 2, MAX_PINS), whole(attempts, "attempts", 1, MAX_ATTEMPTS)
    backoff = whole(backoff, "backoff", 0, MAX_BACKOFF)
    right = probability(accuracy, "accuracy")
    waits = backoff * (2 ** min(attempts, 60) - 1)
    limit_transitions(2 * (2 * pins * attempts + waits), "lower pins, attempts or backoff")
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {}
    labels: dict[str, str] = {}
    for pin in (0, 1):
        for tried in range(attempts):
            ready = _ready(pin, tried)
            last = tried == attempts - 1
            length = 0 if last else backoff * 2**tried
            waiting = [f"s{pin}.wait{tried + 1}.{step + 1}" for step in range(length)]
            after = "locked" if last else _ready(pin, tried + 1)
            rejected = [*waiting, after]
            labels[ready] = "ready"
            rows[ready] = {str(guess): _row(right if guess == pin else 1 - right, rejected[0]) for guess in range(pins)}
            for here, then in zip(waiting, rejected[1:], strict=True):
                rows[here], labels[here] = {then: ONE}, "wait"
    for end in ("open", "locked"):
        rows[end], labels[end] = {end: ONE}, end
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def _ready(pin: int, tried: int) -> str:
    return f"s{pin}.ready{tried}" if tried else f"s{pin}"


def _row(accepts: Fraction, rejected: str) -> dict[str, Fraction]:
    return {target: p for target, p in (("open", accepts), (rejected, 1 - accepts)) if p}
