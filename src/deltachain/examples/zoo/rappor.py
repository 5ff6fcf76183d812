"""RAPPOR, one-time or again and again: which value was reported?

RAPPOR [Erlingsson, Pihur, Korolova 2014], on the bits in which two Bloom filters differ.
Protocol: a value is a Bloom filter of bits. For each bit the device draws a permanent one: 1 or 0 with
probability f/2 each, the true bit otherwise. Every report shows each permanent bit through fresh noise: 1 with
probability q if the permanent bit is 1, and with probability p if it is 0. ``p=0,q=1,reports=1`` is one-time
RAPPOR, which shows the permanent bits themselves.
Secret: which of two values it is. Bits that the two filters share have the same distribution from both and are
independent of the others, so only the ``bits`` that differ are modelled: s0 has 0 in the first half of them
(rounded down) and 1 in the others, s1 the opposite.
Labels: ``start``; one ``0`` or ``1`` for each bit, report after report; ``end``.

Known exactly: a bit that is truly 1 is shown as 1 with probability q* = (p + q)f/2 + (1 − f)q in one report, a
bit that is 0 with p* = (p + q)f/2 + (1 − f)p. Bits are independent, so for one report and p < q the pure e^ε is
the product of max(q*/p*, (1 − p*)/(1 − q*)) over the bits where s0 and s1 differ, each read in its worse
direction at once: for p + q = 1 it is (q*/p*)^bits. At f = 3/4, p = 9/20, q = 11/20 that is (41/39)^bits, for 6
bits ε = 0.300062524…; one-time at f = 19/20 it is (21/19)^bits, for 6 bits ε = 0.600500752…. Two bits at α = 1:
δ = q*² − p*² = 1/40 (q* = 41/80, p* = 39/80). Many reports give away no more than the permanent bits, e^ε ≤ ((1
− f/2)/(f/2))^bits.
No noise is replaced here: RAPPOR's coins are rational as published.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, unroll, whole

Device = tuple[int, int, tuple[int, ...]]
"""The secret, how many bits have been shown, and the permanent bits that are known and will be shown again."""


def rappor(bits: int = 2, f: Number = "3/4", p: Number = "9/20", q: Number = "11/20", reports: int = 1) -> Chain:
    """``reports`` reports of ``bits`` noisy bits that are 0…01…1 in s0 and 1…10…0 in s1.

    >>> rappor()
    <Chain: 9 states, 15 transitions, 4 labels, 1 pair>
    """
    bits, reports = whole(bits, "bits", 1, 20), whole(reports, "reports", 1, 1000)
    limit_transitions(8 * 2**bits * bits * (reports - 1), "lower bits or reports")
    lie = probability(f, "f") / 2
    shown = (probability(p, "p"), probability(q, "q"))
    final = reports * bits

    def moves(device: Device) -> Iterator[tuple[Fraction, str, Device | None]]:
        secret, turn, kept = device
        place, last = turn % bits, turn >= final - bits
        true = int((place >= bits // 2) != bool(secret))
        drawn = ((bit, 1 - lie if bit == true else lie) for bit in (0, 1))
        for bit, chance in ((kept[0], Fraction(1)),) if turn >= bits else drawn:
            # The permanent bits stand in the order in which they are shown next; the last report forgets them.
            left = kept[1:] if turn >= bits else kept
            after = None if turn + 1 == final else (secret, turn + 1, left if last else (*left, bit))
            yield chance * shown[bit], "1", after
            yield chance * (1 - shown[bit]), "0", after

    starts: dict[str, Device] = {"s0": (0, 0, ()), "s1": (1, 0, ())}
    return unroll(starts, moves)
