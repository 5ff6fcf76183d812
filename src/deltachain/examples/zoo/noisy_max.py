"""The largest of noisy answers, right and wrong: what are they?

Report noisy max [Dwork, Roth 2014, Claim 3.9], two of its usual errors beside it.
Protocol: n answers of sensitivity 1 get independent noise, and ``variant`` says what is published. 1: the index
of the largest noisy answer, noise of ratio a = e^(−ε/2). 2: the largest noisy answer itself, the same noise. 3:
the index, with half the noise, of ratio a² = e^(−ε). Ties go to the lowest index.
Secret: the answers: 0, 1, …, 1 in s0 and 1, 0, …, 0 in s1, which differ by 1 in every place.
Labels: ``start``; the published number; ``end``.

Noise is on all integers; with ``clamp``, noisy answers are moved to −clamp and clamp. Variant 2 clamps what it
shows, at ±8 if the noise has no end.

Known exactly: e^ε = a^−2. Variant 1 is private there. Variant 2 shows its least number only if every noisy answer is
that low, which costs a factor of 1/a for each of the n − 1 answers that are larger from s0, and a factor of a for
the first one: the ratio is a^−(n−2), so from n = 5 on it is not private. Variant 3 reports the index 0 with a
ratio above e^ε. At n = 2, a = 1/2 and α = 4, variant 1: δ = 0.
What changes with geometric noise: ties, which Laplace noise does not have, are broken by index. To clamp noisy
answers is post-processing, so variant 2 keeps its proof for one answer and its error for many.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import prod

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import clamped_noise, compile_program, probability, unroll, whole

SHOWN = 8
"""Where variant 2 clamps what it shows, if its noise has no end."""

PROGRAM = """
def noisy_max(answers, ratio, value, shown):
    where = 0
    largest = answers[0] + geometric(ratio)
    for i in range(1, len(answers)):
        noisy = answers[i] + geometric(ratio)
        if noisy > largest:
            largest = noisy
            where = 0 if value else i
    announce(max(-shown, min(shown, largest)) if value else where)
"""


def noisy_max(variant: int = 1, n: int = 2, clamp: int = 0, ratio: Number = "1/2") -> Chain:
    """The largest of ``n`` noisy answers: its index (``variant`` 1, 3) or its value (2).

    Noise is on all integers, or noisy answers are clamped to −clamp … clamp.

    >>> noisy_max(n=3)
    <Chain: 6 states, 10 transitions, 5 labels, 1 pair>
    """
    variant, n = whole(variant, "variant", 1, 3), whole(n, "n", 1, 20)
    clamp = whole(clamp, "clamp", 0, 50)
    a = probability(ratio, "ratio") ** (2 if variant == 3 else 1)
    if not clamp:
        answers = [{"answers": (first, *([1 - first] * (n - 1)))} for first in (0, 1)]
        return compile_program(PROGRAM, answers, {"ratio": a, "value": variant == 2, "shown": SHOWN})
    masses = [tuple(p for _, p in clamped_noise(a, -clamp - answer, clamp - answer)) for answer in (0, 1)]
    at_most = [(Fraction(0), *accumulate(mass)) for mass in masses]

    def moves(secret: int) -> Iterator[tuple[Fraction, str, int | None]]:
        answers = [secret, *([1 - secret] * (n - 1))]
        for level in range(2 * clamp + 1):
            for winner, answer in enumerate(answers):
                # Lower indices stay strictly below the winner, higher ones do not exceed it.
                others = prod(
                    (at_most[b][level + (i > winner)] for i, b in enumerate(answers) if i != winner), start=Fraction(1)
                )
                yield masses[answer][level] * others, str(level - clamp if variant == 2 else winner), None

    return unroll({"s0": 0, "s1": 1}, moves)
