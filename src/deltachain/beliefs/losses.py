"""The privacy-loss distribution of a pair, exactly, for all ε at once (docs/theory/beliefs.md, all ε at once).

When the graph of belief nodes is finite (or the graphs of the parts of a split are), every run ends in a closed node or
a bottom component B, where the share of the two measures no longer changes. With X_B, Y_B the
probabilities of ending there from s and from t,

    δ(α) = max( Σ_B max(X_B − αY_B, 0), Σ_B max(Y_B − αX_B, 0) )   for every α ≥ 1:

one exploration gives an exact, convex, piecewise linear curve, and the loss of B is ln(X_B / Y_B).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..cancel import Cancel
from .node_values import absorbed
from .question import Budget, Pair
from .search import ENDINGS
from .workspace import Workspace

LOSS_NODES, CYCLIC_LOSS_NODES = 20_000, 2_000
"""Beliefs to meet before an exact loss distribution is given up: fewer where they may never end."""


@dataclass(frozen=True, slots=True)
class Loss:
    """An outcome: its probability from the first state and from the second. Its loss is ln(first/second)."""

    first: Fraction
    second: Fraction


@dataclass(frozen=True)
class PrivacyLosses:
    """The exact privacy-loss distribution: outcomes with equal ratio added up, by increasing loss."""

    outcomes: tuple[Loss, ...]

    def delta(self, alpha: Fraction) -> Fraction:
        """The exact δ at α = e^ε."""
        forth = sum((max(o.first - alpha * o.second, Fraction(0)) for o in self.outcomes), Fraction(0))
        back = sum((max(o.second - alpha * o.first, Fraction(0)) for o in self.outcomes), Fraction(0))
        return max(forth, back)

    @property
    def reversed(self) -> PrivacyLosses:
        """The distribution of the pair in the other order."""
        return PrivacyLosses(tuple(Loss(o.second, o.first) for o in reversed(self.outcomes)))

    @property
    def one_sided(self) -> Fraction:
        """The limit of δ(α) as α grows: the probability of outcomes that only one of the two states can show."""
        forth = sum((o.first for o in self.outcomes if not o.second), Fraction(0))
        back = sum((o.second for o in self.outcomes if not o.first), Fraction(0))
        return max(forth, back)

    def exp_epsilon(self, delta: Fraction) -> Fraction | None:
        """The least α ≥ 1 with δ(α) ≤ delta, exactly; None if no α is enough.

        δ is piecewise linear in α and falls; between breakpoints, the ratios of the outcomes, solve one equation
        for each direction.
        """
        if self.delta(Fraction(1)) <= delta:
            return Fraction(1)
        if self.one_sided > delta:
            return None
        forth = [(o.first, o.second) for o in self.outcomes]
        back = [(o.second, o.first) for o in self.outcomes]
        return max(_least_alpha(forth, delta), _least_alpha(back, delta))


def _least_alpha(pairs: list[tuple[Fraction, Fraction]], delta: Fraction) -> Fraction:
    """The least α ≥ 1 with Σ max(x − αy, 0) ≤ delta, which is at least the sum of the x whose y is 0."""

    def value(alpha: Fraction) -> Fraction:
        return sum((max(x - alpha * y, Fraction(0)) for x, y in pairs), Fraction(0))

    breaks = sorted({Fraction(1)} | {x / y for x, y in pairs if y and x > y})
    after = next(alpha for alpha in breaks if value(alpha) <= delta)
    if after == 1:
        return after
    # On the piece that ends at ``after`` the positive terms are those with ratio ≥ after.
    active = [(x, y) for x, y in pairs if x >= after * y and (x or y)]
    slope = sum((y for _, y in active), Fraction(0))
    return (sum((x for x, _ in active), Fraction(0)) - delta) / slope if slope else after


def find_losses(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> PrivacyLosses | None:
    """The exact privacy-loss distribution of a pair, or None if no finite graphs were found within the budget.

    None too where the observer chooses inputs, since the best strategy depends on ε and no one distribution has every
    δ; and where rows are boxes.
    """
    if pair not in work.alike:
        return PrivacyLosses((Loss(Fraction(0), Fraction(1)), Loss(Fraction(1), Fraction(0))))
    if work.chain.interactive or work.chain.uncertain:
        return None
    max_nodes = budget.max_nodes or (LOSS_NODES if work.acyclic else CYCLIC_LOSS_NODES)
    for method in ENDINGS:
        parts = method.ending(work, pair, max_nodes, cancel)
        if parts is not None:
            break
    else:
        return None
    ends: list[tuple[Fraction, Fraction]] = []
    for part in parts:
        found = absorbed(part.graph, part.root, part.graph.closed)
        if found is None:
            return None
        ends += [(part.scale * x, part.scale * y) for x, y in found.values()]
    return collected(ends)


def find_all_losses(work: Workspace, budget: Budget, cancel: Cancel) -> tuple[PrivacyLosses, ...] | None:
    """The distributions of all pairs, in their order; None if one of them was not found."""
    found = []
    for pair in work.pairs:
        losses = find_losses(work, pair, budget, cancel)
        if losses is None:
            return None
        found.append(losses)
    return tuple(found)


def collected(ends: Iterable[tuple[Fraction, Fraction]]) -> PrivacyLosses:
    """The outcomes with these probabilities, none of them (0, 0), those of one ratio added up."""
    shares: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for x, y in ends:
        known = shares.get(x / (x + y), (Fraction(0), Fraction(0)))
        shares[x / (x + y)] = (known[0] + x, known[1] + y)
    return PrivacyLosses(tuple(Loss(*shares[share]) for share in sorted(shares)))
