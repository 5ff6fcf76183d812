"""From a float policy to a proof: certified upper values, or the exact distance (docs/theory/fixed-points.md).

*Upper values* are d with Wd + η ≤ d, checked exactly, pair by pair. Let x be the least solution of x = max over
directions (Wx + η + κd) for a tiny κ: it lies above d by at most κ(I−W)^{-1}d, and at x every inequality
Wx + η ≤ x − κd has room, relative to its own size, to round x up to floats, which are short dyadic rationals
(docs/theory/floats-to-proofs.md). Rounding errors cannot make the result unsound: the
inequalities are checked in exact arithmetic with exact flows, and κ grows until they hold. It stops there; the values
are then at most `SHARP` above the float fixed point, relatively. If no κ does it (a chain that mixes so slowly that
floats cannot see where it goes), the pairs that fail are raised to 1, until nothing fails: sound, but not sharp, and
said so.

Flows are whole multiples of one unit (`policy_iteration`); where that is too coarse or words do not fit, and on small
chains, they are rationals, re-solved from their bases.

*The exact distance.* d is proved equal to bd (or ld) by
(a) flows: Γ(d) ≤ d, hence d ≥ bd;
(b) an option σ for each pair (a direction for bd, an input where there are any), and prices f that show d = F_σ(d) for
    the operator F_σ of these options;
(c) ranks: a deletion order that shows that the least fixed point of F_σ is positive wherever d is.
By (c) d and lfp F_σ vanish on the same pairs, where F_σ has only one fixed point; so by (b) d = lfp F_σ ≤ bd.

`solve_exactly` is policy iteration in rationals from the float policy: solve the policy's linear system by strongly
connected component, switch to options that cost more, improve flows by the exact simplex, until nothing changes.
It stops because each policy has one value and values fall. A component or number beyond the budget raises
NotConverged.

**Ranks.** Start with all pairs and delete, round after round, those whose active option has a positive step at the
costs 1_{deleted}, each with prices f that show it: 0 ≤ f ≤ 1, f_i ≤ α f_j for the same-label pairs (i, j) not deleted
in earlier rounds, and Σ f_i (x_i − α y_i) > 0. For sd the prices are scaled to f ≤ (α−1)/α, where complement
constraints hold for pairs that are not deleted: α f_j − f_i ≤ α − 1. A pair that gets a rank is outside the zero set of
F_σ (docs/theory/zero-set.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from ..cancel import Cancel
from ..errors import NotConverged
from ..flints import fraction
from ..kernels.records import NodeTable, Policy, WholeFlows
from ..kernels.types import Ints, Reals
from ..model.components import components
from .closure import Closure, ExactClosure, close, close_exactly
from .pair_space import Kind, PairSpace
from .policy_iteration import (
    Guide,
    apply_step,
    build_system,
    evaluate,
    nodes_of,
    policy_of,
    spliced,
    too_expensive,
    units_of,
    whole_flows,
)
from .step_exact import (
    ONE,
    ZERO,
    Entry,
    Flow,
    by_label,
    exact_flow,
    extend_prices,
    filled_flow,
    flow_value,
    option_imbalance,
    plain_flow,
    solve_amounts,
    solve_label,
    start_in,
    unfold_amounts,
)
from .zero_set import ZeroSet

FIRST_MARGIN = 2.0**-44
LAST_MARGIN = 2.0**-30
SHARP = 1e-9
LOOSE = 1e-11
"""A flow in units whose η is above the guide's by more than this, relative to the value, is replaced by a rational
one.
"""
FLOAT_NOISE = 4e-15
"""By this much the guide's own η may be off where amounts were met exactly."""
SMALL = 200
"""Up to this many flows all are rational: short numbers in certificates."""


@dataclass(frozen=True)
class Certified:
    """A value for each pair, a float that stands for the rational it is, and the flows that prove it.

    Each flow, one for every option, costs at most the pair's value at these values. Members of the zero set have the
    value 0.
    """

    space: PairSpace
    values: Reals
    zero: ZeroSet
    rounds: int
    levels: int
    """The largest number of levels of stepping stones that a round needed."""
    sharp: bool
    """Whether each value is within a relative `SHARP` of the float fixed point."""
    policy: Policy
    whole: WholeFlows | None
    rational: dict[int, Flow]

    def value(self, pair: int) -> Fraction:
        """The certified upper bound of one pair."""
        return Fraction(float(self.values[pair]))

    def flow(self, option: int) -> Flow:
        """The exact flow of an option that costs at most its pair's value; built when asked for."""
        pair = self.space.pairs_of(option)
        if self.zero.member[pair]:
            return self.zero.flow(option)
        need = option_imbalance(self.space, option)
        if self.values[pair] >= 1:
            return plain_flow(need)
        if option in self.rational:
            return self.rational[option]
        if self.whole is None:
            raise KeyError(option)
        q = int(np.searchsorted(self.policy.todo, option))
        span = slice(int(self.policy.ptr[q]), int(self.policy.ptr[q + 1]))
        return filled_flow(self.space, need, self.policy.arc[span], self.whole.whole[span], self.whole.units.unit)


def certify(
    space: PairSpace,
    kind: Kind,
    guide: Guide,
    zero: ZeroSet,
    cancel: Cancel | None = None,
    flows: dict[int, Flow] | None = None,
) -> Certified:
    """Certified upper values for every pair of the guide's policy; ``sharp`` says how good they are.

    ``flows`` are the policy's exact flows, if they are known.
    """
    whole = _in_units(space, guide) if flows is None else None
    rational = _rational_flows(space, guide, whole, cancel) if flows is None else flows
    policy = _refined(space, guide.policy, whole, rational)
    nodes = nodes_of(space, kind, policy.todo)
    proof = Certified(space, guide.d, zero, guide.rounds, guide.levels, False, guide.policy, whole, rational)
    margin = FIRST_MARGIN
    while True:
        proof = replace(proof, values=_rounded_up(space, nodes, guide.d, policy, margin))
        broken = _broken(proof)
        if cancel is not None:
            cancel.report(f"checking: {len(broken)} of {len(policy.todo)} flows cost too much at margin {margin:.0e}")
            cancel.check()
        if len(broken) == 0 or margin >= LAST_MARGIN:
            break
        margin *= 16
    failed = len(broken) > 0
    while len(broken):
        pairs = space.pairs_of(broken)
        proof.values[pairs] = 1.0
        if kind == "bd":
            proof.values[space.swapped[pairs]] = 1.0
        broken = _broken(proof)
    near = bool((proof.values <= guide.d * (1 + SHARP)).all())
    return replace(proof, sharp=guide.settled and not failed and near)


def _in_units(space: PairSpace, guide: Guide) -> WholeFlows | None:
    """The policy in machine integers; None on small chains, and where α leaves no room for them."""
    if len(guide.policy.todo) <= SMALL:
        return None
    units = units_of(space)
    return None if units is None else whole_flows(space, guide.policy, units)


def _rational_flows(space: PairSpace, guide: Guide, whole: WholeFlows | None, cancel: Cancel | None) -> dict[int, Flow]:
    """Exact flows from their bases for the options that integers do not do, or do not do sharply."""
    policy = guide.policy
    todo = policy.todo
    if whole is not None:
        noise = np.where(whole.snapped, FLOAT_NOISE, 0.0)
        lost = whole.constant / whole.units.unit - policy.eta > LOOSE * guide.d[space.pairs_of(todo)] + noise
        todo = todo[(whole.constant < 0) | guide.stopped | lost]
    if len(todo) == 0:
        return {}
    bases = apply_step(space, todo, guide.closure)
    flows = {}
    for index, option in enumerate(todo.tolist()):
        flows[option] = exact_flow(space, bases, guide.closure, index)
        if cancel is not None and index % 4096 == 0:
            cancel.report(f"exact flows: {index} of {len(todo)}")
            cancel.check()
    return flows


def _refined(space: PairSpace, policy: Policy, whole: WholeFlows | None, rational: dict[int, Flow]) -> Policy:
    """The policy with the float nearest to each exact amount.

    The float simplex leaves amounts an absolute 1e-16 off, which counts where distances are tiny.
    """
    if whole is None:
        return policy_of(space, policy.todo, rational)
    unit = float(whole.units.unit)
    policy = policy._replace(weight=whole.whole / unit, eta=np.maximum(whole.constant, 0) / unit)
    todo = np.array(list(rational), np.int64)
    return spliced(policy, np.searchsorted(policy.todo, todo), policy_of(space, todo, rational)) if rational else policy


def _rounded_up(space: PairSpace, nodes: NodeTable, d: Reals, policy: Policy, margin: float) -> Reals:
    """The x of the module's docstring for each pair, rounded up to a float, capped at 1."""
    system = build_system(nodes, policy)
    known = np.zeros(len(nodes.head) - 1)
    pairs = space.pairs_of(policy.todo)
    known[nodes.of_pair[pairs]] = d[pairs]
    eta = system.eta + margin * np.repeat(known, np.diff(nodes.head))
    raised, _ = evaluate(system._replace(eta=eta), known * (1 + margin), margin / 4)
    return np.append(np.minimum(np.nextafter(raised, 2.0), 1.0), 0.0)[nodes.of_pair]


def _broken(proof: Certified) -> Ints:
    """The options whose flow costs more than the value of their pair.

    A pair of value 1 needs no flow of its own: `plain_flow` never costs more than 1.
    """
    found: list[int] = []
    if proof.whole is not None:
        broken = too_expensive(proof.space, proof.policy, proof.whole, proof.values)
        broken[np.searchsorted(proof.policy.todo, np.array(list(proof.rational), np.int64))] = False
        found = proof.policy.todo[broken].tolist()
    values = _Values(proof.values)
    for option, flow in proof.rational.items():
        pair = proof.space.pairs_of(option)
        if proof.values[pair] < 1 and flow_value(proof.space, flow, values) > values[pair]:
            found.append(option)
    return np.array(found, np.int64)


class _Values(dict[int, fmpq]):
    """Floats as the rationals that they are, each made once."""

    def __init__(self, floats: Reals) -> None:
        self._floats = floats

    def __missing__(self, pair: int) -> fmpq:
        found = self[pair] = fmpq(*float(self._floats[pair]).as_integer_ratio())
        return found


# The exact distance.


@dataclass(frozen=True)
class Ranks:
    """Rank and witness prices of each active option, and those of pairs of positive value that got none."""

    rank: dict[int, int]
    prices: dict[int, dict[int, fmpq]]
    missing: list[int]


@dataclass(frozen=True)
class Exact:
    """Exact values by pair number, flows for every option, and for each active one its rank and, if asked, prices."""

    space: PairSpace
    values: list[fmpq]
    flows: dict[int, Flow]
    zero: ZeroSet
    active: tuple[int, ...]
    """The options of σ: one for each pair, for bd for each unordered one; only where d > 0."""
    ranks: Ranks
    rounds: int
    bases: dict[int, list[Entry]]
    """Bases of the active options that no other undercuts at the costs of ``closure``."""
    closure: ExactClosure
    sharp = True

    def value(self, pair: int) -> Fraction:
        """The distance of one pair."""
        return fraction(self.values[pair])

    def flow(self, option: int) -> Flow:
        """The exact flow of an option, which costs at most the pair's value."""
        return self.zero.flow(option) if self.zero.member[self.space.pairs_of(option)] else self.flows[option]

    def prices(self, option: int) -> dict[int, fmpq]:
        """Prices f over all states of the labels involved, at which Σ f (x − αy) is the distance of the pair.

        Only a certificate needs them: that they exist is known, since no flow costs less.
        """
        prices: dict[int, fmpq] = {}
        for part in by_label(self.space, option_imbalance(self.space, option)):
            cost, gains = self.closure.cost, self.closure.gains
            optimum = solve_label(part, cost, gains, start_in(part, self.bases[option]))
            block = self.space.block_positions(next(iter(part.excess)))
            prices |= extend_prices(part, optimum.price, cost, gains, block)
        return prices


def solve_exactly(
    space: PairSpace,
    kind: Kind,
    guide: Guide,
    zero: ZeroSet,
    *,
    max_component: int = 400,
    max_rounds: int = 50,
    cancel: Cancel | None = None,
) -> Exact:
    """The exact distance on every pair of the space; NotConverged (without a value) beyond the budget."""
    work = _ExactPolicy(space, kind, guide, max_component)
    for round_number in range(1, max_rounds + 1):
        if cancel is not None:
            cancel.report(f"exact: round {round_number}")
            cancel.check()
        work.solve_options()
        closure = close_exactly(space, work.d, complement=kind == "sd")
        if work.improve(closure):
            continue
        ranks = find_ranks(space, kind, work.active(), work.d)
        if ranks.missing:
            if work.switch_ties(ranks.missing, closure):
                continue
            between = "inputs" if space.layers > 1 else "the two directions"
            raise NotConverged(f"exactness not proved: a tie between {between} on a closed class of pairs")
        active = tuple(work.active())
        bases = {option: work.basis[option] for option in active}
        return Exact(space, work.d, work.flows, zero, active, ranks, round_number, bases, closure)
    raise NotConverged(f"no exact fixed point after {max_rounds} rounds of policy iteration")


class _ExactPolicy:
    """The policy while it improves. A *node* is an unordered pair for bd, else an ordered one: a pair number."""

    def __init__(self, space: PairSpace, kind: Kind, guide: Guide, max_component: int) -> None:
        self.space, self.kind, self.max_component = space, kind, max_component
        todo = guide.policy.todo.tolist()
        bases = apply_step(space, guide.policy.todo, guide.closure)
        self.swapped = space.swapped
        self.basis: dict[int, list[Entry]] = {option: bases.entries(i) for i, option in enumerate(todo)}
        self.flows = {option: exact_flow(space, bases, guide.closure, i) for i, option in enumerate(todo)}
        self.options: dict[int, list[int]] = {}
        for option in todo:
            self.options.setdefault(self.node(option), []).append(option)
        self.nodes = sorted(self.options)
        self.chosen = {self.node(option): option for option in guide.policy.todo[guide.active].tolist()}
        self.d: list[fmpq] = [ZERO] * len(space)

    def node(self, option: int) -> int:
        """The node of an option."""
        pair = int(self.space.pairs_of(option))
        return min(pair, int(self.swapped[pair])) if self.kind == "bd" else pair

    def active(self) -> list[int]:
        """The chosen options."""
        return [self.chosen[node] for node in self.nodes]

    def solve_options(self) -> None:
        """Make d the value of the present flows, the least that is ≥ all options: switch options upwards."""
        while True:
            self._solve()
            switched = False
            for node in self.nodes:
                others = (option for option in self.options[node] if option != self.chosen[node])
                above = (o for o in others if flow_value(self.space, self.flows[o], self.d) > self.d[node])
                found = next(above, None)
                if found is not None:
                    self.chosen[node] = found
                    switched = True
            if not switched:
                return

    def _solve(self) -> None:
        """Solve d = Wd + η for the chosen options, exactly, component by component."""
        index = {node: i for i, node in enumerate(self.nodes)}
        member = set(self.nodes)
        arcs: list[list[tuple[int, fmpq]]] = []
        for node in self.nodes:
            weights: dict[int, fmpq] = {}
            for u, v, amount in self.flows[self.chosen[node]].cited:
                target = self.node(self.space.pair(u, v))
                if target in member:
                    weights[index[target]] = weights.get(index[target], ZERO) + amount
            arcs.append(list(weights.items()))
        value: list[fmpq] = [ZERO] * len(self.nodes)
        for component in components([[j for j, _ in row] for row in arcs]):
            self._solve_component(component, arcs, value)
        for node, i in index.items():
            self.d[node] = value[i]
            if self.kind == "bd":
                self.d[int(self.swapped[node])] = value[i]

    def _solve_component(self, component: list[int], arcs: list[list[tuple[int, fmpq]]], value: list[fmpq]) -> None:
        if len(component) > self.max_component:
            what = f"the exact value needs a linear system of {len(component)} equations"
            raise NotConverged(f"{what}, above the limit of {self.max_component}")
        inside = {node: i for i, node in enumerate(component)}
        matrix = fmpq_mat(len(component), len(component))
        right = fmpq_mat(len(component), 1)
        for i, node in enumerate(component):
            constant = self.flows[self.chosen[self.nodes[node]]].constant(self.space.exact_alpha)
            matrix[i, i] = ONE
            for target, weight in arcs[node]:
                if target in inside:
                    matrix[i, inside[target]] -= weight
                else:
                    constant += weight * value[target]
            right[i, 0] = constant
        try:
            solution = matrix.solve(right)
        except ZeroDivisionError:
            raise NotConverged("a policy whose linear system is singular") from None
        for i, node in enumerate(component):
            value[node] = solution[i, 0]
            if value[node] < ZERO:
                raise NotConverged("a policy that gains on a cycle: it has no finite value")

    def improve(self, closure: ExactClosure) -> bool:
        """Replace flows of the chosen options by cheaper ones; whether there were any."""
        changed = False
        for node, option in zip(self.nodes, self.active(), strict=True):
            if self._optimise(option, closure) < self.d[node]:
                changed = True
        return changed

    def _optimise(self, option: int, closure: ExactClosure) -> fmpq:
        """Make the flow of one option optimal at d; returns its cost."""
        need = option_imbalance(self.space, option)
        amounts = solve_amounts(self.space, need, closure.cost, closure.gains, self.basis[option])
        flow = unfold_amounts(self.space, amounts, closure)
        cost = flow_value(self.space, flow, self.d)
        if cost < flow_value(self.space, self.flows[option], self.d):
            self.flows[option], self.basis[option] = flow, list(amounts)
        return cost

    def switch_ties(self, missing: list[int], closure: ExactClosure) -> bool:
        """Turn pairs whose option has no rank to the next one that costs d as well; whether any was turned."""
        turned = False
        for option in missing:
            node = self.node(option)
            at = self.options[node].index(option)
            others = self.options[node][at + 1 :] + self.options[node][:at]
            other = next((o for o in others if self._optimise(o, closure) == self.d[node]), None)
            if other is not None:
                self.chosen[node] = other
                turned = True
        return turned


def find_ranks(space: PairSpace, kind: Kind, active: Sequence[int], d: Sequence[fmpq]) -> Ranks:
    """Delete the pairs of the active options with d > 0, exactly. For bd, (v, u) goes with (u, v).

    Raises NotConverged if the stepping stones are too many to keep.
    """
    present = np.ones(len(space), bool)
    waiting = [option for option in active if d[space.pairs_of(option)]]
    rank: dict[int, int] = {}
    prices: dict[int, dict[int, fmpq]] = {}
    support: dict[int, list[int]] = {}
    alpha = space.exact_alpha
    scale = (alpha - ONE) / alpha if kind == "sd" and alpha > ONE else ONE
    round_number = 0
    while waiting:
        closure = close(space, 1.0 - present)
        if not closure.complete:
            raise NotConverged("exactness not proved: the paths over stepping stones are too long to keep")
        gone = []
        for option in waiting:
            if option in support and all(present[arc] for arc in support[option]):
                continue
            witness = _positive_prices(space, closure, option, support)
            if witness is not None:
                gone.append(option)
                prices[option] = {i: f * scale for i, f in witness.items()}
        if not gone:
            break
        for option in gone:
            pair = space.pairs_of(option)
            rank[option] = round_number
            present[pair] = False
            if kind == "bd":
                present[space.swapped[pair]] = False
        waiting = [option for option in waiting if option not in rank]
        round_number += 1
    return Ranks(rank, prices, waiting)


def _positive_prices(
    space: PairSpace, closure: Closure, option: int, support: dict[int, list[int]]
) -> dict[int, fmpq] | None:
    """Prices that show the step to be positive at 0/1 costs; None, and the flow's arcs in ``support``, if zero."""
    prices: dict[int, fmpq] = {}
    amounts: dict[Entry, fmpq] = {}
    for part in by_label(space, option_imbalance(space, option)):
        optimum = solve_label(part, closure.free, closure.gains)
        amounts |= optimum.amounts
        block = space.block_positions(next(iter(part.excess)))
        prices |= extend_prices(part, optimum.price, closure.free, closure.gains, block)
    flow = unfold_amounts(space, amounts, closure)
    if flow.eta:
        return {i: f for i, f in prices.items() if f}
    support[option] = [space.pair(u, v) for u, v, _ in flow.arcs]
    return None
