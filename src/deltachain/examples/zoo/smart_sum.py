"""Noisy sums after every bit, by blocks: what was the first one?

Smart sum [Chan, Shi, Song 2011].
Protocol: bits x_1 … x_n arrive, and a number is published after every one. Inside a block that is what was published
last plus x_i and fresh noise of ratio a = e^(−ε); at the end of each block of length ``block`` it is, anew, the block's
true sum with fresh noise, so that errors do not pile up.
Secret: the first bit: 0 in s0, 1 in s1; the other bits are 0.
Labels: ``start``; the published numbers; ``end``.

Known exactly: the first bit enters two published numbers, its own and that of its block, so with Laplace noise it is
2ε-private (ε-private if the block is one bit long).
What changes with noise clamped to ±clamp: −clamp can be published only if the bit is 0, clamp + 1 only if it is
1, each with probability t = a^clamp/(1 + a), so no ε is pure. For a ≤ 1/2 other outputs have ratios of at most
1/a, so δ = 1 − (1 − t)² at α = a^−2 and block > 1: 11/36 at a = 1/2, clamp = 2, α = 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import clamped_noise, probability, unroll, whole


def smart_sum(steps: int = 3, block: int = 2, clamp: int = 2, ratio: Number = "1/2") -> Chain:
    """Noisy sums after each of ``steps`` bits, of which the first is the secret and the others are 0.

    >>> smart_sum(steps=1).pairs
    (('s0', 's1'),)
    """
    steps, block = whole(steps, "steps", 1, 20), whole(block, "block", 1, 20)
    clamp = whole(clamp, "clamp", 1, 20)
    noise = clamped_noise(probability(ratio, "ratio"), -clamp, clamp)

    def moves(now: tuple[int, int, int, int]) -> Iterator[tuple[Fraction, str, tuple[int, int, int, int] | None]]:
        secret, turn, published, inside = now
        bit = secret if turn == 0 else 0
        closes = (turn + 1) % block == 0
        base = inside + bit if closes else published + bit
        for z, chance in noise:
            after = (0, turn + 1, base + z, 0 if closes else inside + bit)
            yield chance, str(base + z), None if turn + 1 == steps else after

    return unroll({"s0": (0, 0, 0, 0), "s1": (1, 0, 0, 0)}, moves)
