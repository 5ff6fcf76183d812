"""SVT 1 to 6, right and wrong: which answers are above?

The sparse vector technique in its six published forms [Lyu, Su, Li 2017, Algorithms 1 to 6].
Protocol: n queries of sensitivity 1 are asked in turn; each is answered ``above`` or ``below``: whether its
noisy answer reaches a noisy threshold. With u = e^(−ε/(4c)), the ratios of the two noises are, by ``variant``:
1 (Lyu, Su, Li): threshold u^2c, answers u. 2 (Dwork, Roth): threshold u², drawn anew after each ``above``,
answers u. 3 (Roth's notes): threshold u^2c, answers u², and the noisy answer is shown in place of ``above``. 4
(Lee, Clifton): threshold u^c, answers u^3c. 5 (Stoddard and others): threshold u^2c, answers without noise. 6
(Chen and others): threshold and answers u^2c. Variants 1 to 4 stop after c times ``above``; 5 and 6 never do.
Secret: the vector of true answers: s0 has 0 everywhere and 1 in the last ``ones`` places, s1 the opposite. In
{0, 1}^n all vectors are adjacent.
Labels: ``start``; ``above`` (variant 3: a number) or ``below``; ``end``.

Noise is on all integers; with ``clamp``, it is moved to −clamp and clamp. In variant 3 the noisy answer is clamped
where it is shown, at ±8 if the noise has no end.

Known exactly: e^ε = u^−4c. Variant 5 answers ``below above`` to (0, 1) if the threshold is 1, and never to (1,
0): at n = 2, ones = 1 and every α it has δ ≥ P(threshold = 1) = (1 − v)v/(1 + v) with v = u^2c, that is 3/20 at
u = 1/2, c = 1.
With Laplace noise 1 and 2 are ε-private, 4 is (1 + 6c)ε/4-private, and 3, 5 and 6 are private for no ε. What
changes with geometric noise: answers can tie with the threshold (``above``); proofs move noise by one or two, and
carry over. With a clamp they do not, since noise at the clamp cannot be moved any further; the bound is computed
instead, and fails where ε is small. In variant 3 the noisy answer is clamped, not the noise, since otherwise the
largest answer would give the secret away by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import clamped_noise, compile_program, probability, unroll, whole

SHOWN = 8
"""Where variant 3 clamps what it shows, if its noise has no end."""

PROGRAM = """
def sparse_vector(answers, variant, c, threshold, noise, shown):
    level = geometric(threshold)
    hits = 0
    while len(answers) > 0 and hits < c:
        noisy = answers[0]
        answers = answers[1:]
        if variant != 5:
            noisy = noisy + geometric(noise)
        if noisy < level:
            announce("below")
        else:
            if variant == 2:
                level = geometric(threshold)
            if variant <= 4:
                hits = hits + 1
            announce(max(-shown, min(shown, noisy)) if variant == 3 else "above")
"""

VectorState = tuple[int, int, int, int | None]
"""The secret, how many queries are answered, how often ``above``, and the noisy threshold (None: not drawn yet)."""

Move = tuple[Fraction, str, VectorState | None]

EXPONENTS: dict[int, Callable[[int], tuple[int, int]]] = {
    1: lambda c: (2 * c, 1),
    2: lambda c: (2, 1),  # noqa: ARG005 - the same for every c
    3: lambda c: (2 * c, 2),
    4: lambda c: (c, 3 * c),
    5: lambda c: (2 * c, 0),
    6: lambda c: (2 * c, 2 * c),
}
"""Variant → c → the powers of u that are the ratios of threshold and answer noise."""


def sparse_vector(
    variant: int = 1, n: int = 2, c: int = 1, ones: int = 1, unit: Number = "1/2", clamp: int = 0
) -> Chain:
    """SVT ``variant`` on ``n`` answers that are 0…01…1 (s0, with ``ones`` ones) or 1…10…0 (s1).

    Noise is on all integers, or clamped to −clamp … clamp.

    >>> sparse_vector()
    <Chain: 7 states, 11 transitions, 4 labels, 1 pair>
    >>> sparse_vector(clamp=8)
    <Chain: 36 states, 97 transitions, 4 labels, 1 pair>
    """
    variant, n, c = whole(variant, "variant", 1, 6), whole(n, "n", 1, 50), whole(c, "c", 1, 5)
    ones, clamp = whole(ones, "ones", 0, n), whole(clamp, "clamp", 0, 30)
    u = probability(unit, "unit")
    threshold_power, answer_power = EXPONENTS[variant](c)
    if not clamp:
        answers = [(first,) * (n - ones) + (1 - first,) * ones for first in (0, 1)]
        ratios = {"threshold": u**threshold_power, "noise": u**answer_power if answer_power else 0}
        constants = {"variant": variant, "c": c, "shown": SHOWN, **ratios}
        return compile_program(PROGRAM, [{"answers": vector} for vector in answers], constants)
    thresholds = clamped_noise(u**threshold_power, -clamp, clamp)
    low = {answer: -clamp - (answer if variant == 3 else 0) for answer in (0, 1)}
    noisy = {
        answer: [(answer + z, p) for z, p in clamped_noise(u**answer_power, low[answer], low[answer] + 2 * clamp)]
        for answer in (0, 1)
    }
    if variant == 5:
        noisy = {answer: [(answer, Fraction(1))] for answer in (0, 1)}

    shown = {
        (answer, level): _letters(noisy[answer], level, variant == 3) for answer in noisy for level, _ in thresholds
    }

    def answer_query(asked: VectorState, level: int) -> Iterator[Move]:
        secret, turn, count, _ = asked
        for letter, chance in shown[int((turn >= n - ones) != bool(secret)), level].items():
            above = letter != "below"
            hits = count + (above and variant <= 4)
            over = turn + 1 == n or hits == c
            kept = None if above and variant == 2 else level
            yield chance, letter, None if over else (secret, turn + 1, hits, kept)

    def moves(asked: VectorState) -> Iterator[Move]:
        for level, chance in thresholds if asked[3] is None else ((asked[3], Fraction(1)),):
            yield from ((chance * p, letter, after) for p, letter, after in answer_query(asked, level))

    starts: dict[str, VectorState] = {"s0": (0, 0, 0, None), "s1": (1, 0, 0, None)}
    return unroll(starts, moves)


def _letters(noisy: list[tuple[int, Fraction]], level: int, numeric: bool) -> dict[str, Fraction]:
    """What a noisy answer shows against a threshold at ``level``."""
    found: dict[str, Fraction] = {}
    for value, chance in noisy:
        letter = "below" if value < level else str(value) if numeric else "above"
        found[letter] = found.get(letter, Fraction(0)) + chance
    return found
