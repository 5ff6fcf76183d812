"""Diners in a ring with biased coins: who paid?

Source: [CMP18, Fig. 1; Chaum 1988].
Protocol: n diners sit in a ring, and one of them has paid. Each two neighbours toss a coin that only they
see, which shows 0 with probability p. In turn, each diner announces whether the two coins at their side
differ; the payer announces the opposite. The announcements then add up to an odd number, so everybody learns
that a diner paid. With fair coins nothing shows who; biased coins leak a little.
Secret: who paid, kept from an outside observer. The start states are the payers s0 … s(n−1), and the relation
is all pairs of them.
Labels: ``start``; the announcement ``1`` (the coins differ, or seem to) or ``0``; ``end`` after the last
one.

A state after the start holds the paper's five variables: payer, cryptographer (who announces), first flip
(the coin that the first and the last diner share), previous flip (the coin passed on) and the announcement.
The start goes straight to the first announcement: both coins of diner 0 are tossed in one step. Every payer
keeps states of their own, and after the last announcement all runs meet in one end state. That makes 8n(n −
1) + n + 1 states.

Known exactly: for n = 2, write e = 2p(1 − p) for the probability that the two coins differ. If 0 paid, the
announcements are (0, 1) when the coins differ and (1, 0) when they agree; if 1 paid, the other way about. So
δ = max(m − α(1 − m), 0) with m = max(e, 1 − e). At p = 49/100 and α = 10002/10000: m = 5002/10000, δ =
(50020000 − 10002 · 4998)/10^8 = 30004/10^8 = 7501/25000000; bd = 1/2500 on the chain as given.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability, whole

MAX_DINERS = 120

Variables = tuple[int, int, int, int, int]
"""(payer, cryptographer, first flip, previous flip, announcement)."""


def dining_cryptographers(n: int = 3, p: Number = "49/100") -> Chain:
    """A ring of ``n`` dining cryptographers; coins show 0 with probability ``p``; in state si diner i paid.

    >>> dining_cryptographers(n=2).pairs
    (('s0', 's1'),)
    >>> len(dining_cryptographers(n=3))
    52
    """
    n = whole(n, "n", 2, MAX_DINERS)
    zero = probability(p, "p")
    coin = {0: zero, 1: 1 - zero}
    starts = [f"s{payer}" for payer in range(n)]
    rows: dict[str, dict[str, Fraction]] = {name: {} for name in starts}
    labels = dict.fromkeys(starts, "start")
    valuations: dict[str, dict[str, object]] = {name: {"payer": payer} for payer, name in enumerate(starts)}
    for payer in range(n):
        for first, chance in coin.items():
            opening = _announce(n, coin, payer, 0, first, first)
            rows[starts[payer]] |= {_name(after): chance * q for after, q in opening.items()}
        for state in _states(n, payer):
            _, cryptographer, first, previous, announcement = state
            following = _announce(n, coin, payer, cryptographer + 1, first, previous)
            rows[_name(state)] = {_name(after): q for after, q in following.items()} or {"end": Fraction(1)}
            labels[_name(state)] = str(announcement)
            valuations[_name(state)] = _valuation(state)
    rows["end"] = {"end": Fraction(1)}
    labels["end"] = "end"
    return Chain.from_dicts(rows, labels, relation=combinations(starts, 2), valuations=valuations)


def _announce(
    n: int, coin: dict[int, Fraction], payer: int, cryptographer: int, first: int, previous: int
) -> dict[Variables, Fraction]:
    """What the cryptographer's turn leads to, with probabilities; nothing after the last one."""
    if cryptographer == n:
        return {}
    tosses = {first: Fraction(1)} if cryptographer == n - 1 else coin
    odd = int(cryptographer == payer)
    return {(payer, cryptographer, first, flip, previous ^ flip ^ odd): q for flip, q in tosses.items()}


def _states(n: int, payer: int) -> list[Variables]:
    """The assignments that some tosses lead to, in the order of the announcements."""
    bits = (0, 1)
    odd = int(payer == 0)
    opening = [(payer, 0, first, flip, first ^ flip ^ odd) for first in bits for flip in bits]
    middle = [
        (payer, c, first, flip, said) for c in range(1, n - 1) for first in bits for flip in bits for said in bits
    ]
    # The last diner's second coin is the first flip.
    closing = [(payer, n - 1, first, first, said) for first in bits for said in bits]
    return opening + middle + closing


def _name(state: Variables) -> str:
    payer, cryptographer, first, previous, announcement = state
    return f"s{payer}.{cryptographer}.{first}{previous}{announcement}"


def _valuation(state: Variables) -> dict[str, object]:
    names = ("payer", "cryptographer", "first_flip", "previous_flip", "announcement")
    return dict(zip(names, state, strict=True))
