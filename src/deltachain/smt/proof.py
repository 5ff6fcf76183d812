"""A pre-fixed point d with its flows as a certificate: D claims (rule R1) that prove an upper bound on bd.

bd is the least pre-fixed point with values in [0, 1], so d proves bd ≤ d, whoever found it. Whether it is one is for
the trusted checker to say, and for nobody else: a solver's "yes" is believed when its certificate is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..certificate.record import Certificate, document_of
from ..certificate.verification import verify_certificate
from ..errors import CertificateRejected
from ..model import Chain
from ..rational import ExpEpsilon, format_fraction
from .question import Question
from .reduction import Pair, unordered

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Flow:
    """ω as arcs (i, j) → amount, and η as state → amount; only positive amounts."""

    arcs: Mapping[tuple[int, int], Fraction]
    eta: Mapping[int, Fraction]

    def cost(self, distance: Mapping[Pair, Fraction]) -> Fraction:
        """Σ ω d + Σ η."""
        paid = sum((amount * distance[unordered(*arc)] for arc, amount in self.arcs.items()), ZERO)
        return paid + sum(self.eta.values(), ZERO)


@dataclass(frozen=True)
class PrefixedPoint:
    """d on all same-label pairs (smaller number first; the diagonal is 0), and a flow for each ordered pair s ≠ t."""

    chain: Chain
    alpha: Fraction
    distance: Mapping[Pair, Fraction]
    flows: Mapping[tuple[int, int], Flow]
    source: str
    """Where d and the flows came from, in words."""

    def value(self, s: int, t: int) -> Fraction:
        """d(s, t); 1 for states of different labels."""
        return self.distance[unordered(s, t)] if self.chain.labels[s] == self.chain.labels[t] else ONE

    def certificate(self, s: int, t: int) -> Certificate:
        """Proof of bd(s, t) ≤ d(s, t), with only the claims that it rests on. Pairs of value 1 need none (R0)."""
        names = self.chain.states
        stack, seen = [(s, t)], set()
        entries: list[list[Any]] = []
        while stack:
            i, j = stack.pop()
            value, flow = self.value(i, j), self.flows.get((i, j))
            if i == j or (i, j) in seen or value == 1 or flow is None:
                continue
            seen.add((i, j))
            stack += [(j, i), *flow.arcs]
            arcs = [[names[u], names[v], format_fraction(amount)] for (u, v), amount in sorted(flow.arcs.items())]
            eta = [[names[u], format_fraction(amount)] for u, amount in sorted(flow.eta.items())]
            entries.append([names[i], names[j], format_fraction(value), arcs, eta])
        claim = {"claim": "distance", "pair": [names[s], names[t]], "upper": format_fraction(self.value(s, t))}
        entries.sort(key=lambda entry: (entry[0], entry[1]))
        return Certificate(
            document_of(self.chain, ExpEpsilon.exactly(self.alpha), [claim], kind="bd", distances=entries)
        )

    def proves(self, question: Question) -> bool:
        """Whether d(s, t) meets the question's threshold, and the checker accepts that it bounds bd(s, t)."""
        if self.chain != question.chain or self.alpha != question.alpha:
            return False
        value = self.value(question.s, question.t)
        if not (value < question.theta if question.strict else value <= question.theta):
            return False
        try:
            verify_certificate(self.chain, self.certificate(question.s, question.t))
        except CertificateRejected:
            return False
        return True
