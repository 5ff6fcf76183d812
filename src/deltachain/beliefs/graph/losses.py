"""The privacy-loss distribution of a pair, exactly, for all ε at once (docs/theory/beliefs.md, all ε at once).

When the graph of belief nodes is finite (or the graphs of the parts of a split are), every run ends in a closed node or
a bottom component B, where the share of the two measures no longer changes. With X_B, Y_B the
probabilities of ending there from s and from t,

    δ(α) = max( Σ_B max(X_B − αY_B, 0), Σ_B max(Y_B − αX_B, 0) )   for every α ≥ 1:

one exploration gives an exact, convex, piecewise linear curve, and the loss of B is ln(X_B / Y_B).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from ...cancel import Cancel, spend
from ...certificate.tradeoff import ExactCurve, curve_of_tests
from ...model.chain import Pair
from ...numbers.field import Exact, length
from .. import reach
from ..question import Budget
from ..search import ENDINGS
from ..workspace import Workspace
from .finite import Part
from .values import absorb

LOSS_NODES, CYCLIC_LOSS_NODES = 20_000, 2_000
"""Beliefs to meet before an exact loss distribution is given up: fewer where they may never end."""


@dataclass(frozen=True, slots=True)
class Loss:
    """An outcome: its probability from the first state and from the second. Its loss is ln(first/second)."""

    first: Exact
    second: Exact


@dataclass(frozen=True)
class PrivacyLosses:
    """The exact privacy-loss distribution: outcomes with equal ratio added up, by increasing loss."""

    outcomes: tuple[Loss, ...]

    @cached_property
    def tests(self) -> tuple[tuple[Exact, Exact], ...]:
        """The best tests of "second" against "first": (false positives, false negatives), the most telling first."""
        corners: list[tuple[Exact, Exact]] = [(Fraction(0), Fraction(1))]
        for outcome in self.outcomes:
            spend(30)
            a, b = corners[-1]
            corners.append((a + outcome.first, b - outcome.second))
        return tuple(corners)

    @cached_property
    def curve(self) -> ExactCurve:
        """δ at every ε."""
        return curve_of_tests(self.tests)

    @property
    def reversed(self) -> PrivacyLosses:
        """The distribution of the pair in the other order."""
        return PrivacyLosses(tuple(Loss(o.second, o.first) for o in reversed(self.outcomes)))


def losses_of(tests: Sequence[tuple[Exact, Exact]]) -> PrivacyLosses:
    """The distribution that these tests are the best of."""
    return PrivacyLosses(tuple(Loss(c - a, b - d) for (a, b), (c, d) in pairwise(tests)))


def total(numbers: Iterable[Exact]) -> Exact:
    """The sum."""
    found: Exact = Fraction(0)
    for number in numbers:
        spend(30)
        found = found + number
    return found


LONGEST_FUNCTION = 6_000
"""Bits of the denominator of a probability that is a function of e: outcomes of longer ones are not sorted by their
ratios, which takes a difference of two such numbers each. δ at one ε needs no order, and is found as exactly."""


def find_losses(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> PrivacyLosses | None:
    """The exact privacy-loss distribution of a pair, or None if no finite graphs were found within the budget.

    None too where the observer chooses inputs, since the best strategy depends on ε and no one distribution has every
    δ; and where rows are boxes.
    """
    arrived = find_outcomes(work, pair, budget, cancel)
    if arrived is None:
        return None
    if any(not isinstance(p, Fraction) and length(p) > LONGEST_FUNCTION for outcome in arrived for p in outcome):
        return None
    return collect_losses(arrived)


def find_outcomes(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> list[tuple[Exact, Exact]] | None:
    """Where runs end, by the probability from either state, in no order; None as of `find_losses`, but for lengths."""
    if pair not in work.alike:
        return told_apart()
    parts = find_parts(work, pair, budget, cancel)
    return None if parts is None else outcomes_of(parts)


def told_apart() -> list[tuple[Exact, Exact]]:
    """The outcomes of two states of different labels."""
    return [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))]


def outcomes_of(parts: Sequence[Part]) -> list[tuple[Exact, Exact]] | None:
    """Where runs end on these graphs; None if one of them is too entangled to solve."""
    arrived: list[tuple[Exact, Exact]] = []
    for part in parts:
        found = absorb(part.graph, part.root, part.graph.is_closed)
        if found is None:
            return None
        arrived += [(part.scale * x, part.scale * y) for x, y in found.values()]
    return arrived


def find_parts(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> Sequence[Part] | None:
    """The finite graphs of a pair of one label, over which outcomes add up; None as of `find_outcomes`."""
    if not reach.takes("losses", work.chain):
        return None
    max_nodes = budget.max_nodes or (LOSS_NODES if work.acyclic else CYCLIC_LOSS_NODES)
    ways = (ending for way, ending in ENDINGS if reach.takes(way, work.chain))
    found = (ending(work, pair, max_nodes, cancel) for ending in ways)
    return next((parts for parts in found if parts is not None), None)


def find_all_losses(work: Workspace, budget: Budget, cancel: Cancel) -> tuple[PrivacyLosses, ...] | None:
    """The distributions of all pairs, in their order; None if one of them was not found."""
    found = []
    for pair in work.pairs:
        losses = find_losses(work, pair, budget, cancel)
        if losses is None:
            return None
        found.append(losses)
    return tuple(found)


def collect_losses(arrived: Iterable[tuple[Exact, Exact]]) -> PrivacyLosses:
    """The outcomes with these probabilities, none of them (0, 0), those of one ratio added up."""
    shares: dict[Exact, tuple[Exact, Exact]] = {}
    for x, y in arrived:
        spend(100)
        # Equal shares are equal ratios x/y, in the same order, and y = 0 needs no special case.
        share = x / (x + y)
        known = shares.get(share, (Fraction(0), Fraction(0)))
        shares[share] = (known[0] + x, known[1] + y)
    return PrivacyLosses(tuple(Loss(*shares[share]) for share in sorted(shares)))
