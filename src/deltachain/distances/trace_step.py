"""sd up to traces: the step in which f need only be right on what traces can tell (docs/theory/step.md, trace space).

Inside one label the f of an event, f_i = ν_i(E), lies in the column space of the trace basis O. So the rows of O of
some *pivot* states determine all: f_i = Σ_p Λ_ip f_p, and the step becomes, with e = x − αy and e_Λ = Σ_i e_i Λ_i,

    min Σ ω_ij d_ij + Σ ω'_ij (d_ij + α − 1) + Σ η_i   with   Σ_z z·column(z) = e_Λ,   z ≥ 0,

where η_i has the column Λ_i, the slack of f_i ≥ 0 has −Λ_i, a plain arc (i, j) Λ_i − αΛ_j and a complement arc its
negative. Balance then holds after adding a vector that is orthogonal to O: the ``shift`` of a `Flow`. All arcs inside
the label take part, so that stepping stones need no closure; such a step is slow, and meant for chains of up to some
hundred states. Where O is the whole space this is sd.

Floats find bases; amounts are exact, and what a flow proves is checked by `certify` as for any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import fmpq, fmpq_mat

from .. import kernels
from ..cancel import Cancel
from ..errors import InputError
from ..kernels.types import Reals, Reals2
from .closure import close
from .pair_space import Mask, PairSpace, nearest_float
from .policy_iteration import FIRST_GUESS, STANDS, Guide, build_system, evaluate, nodes_of, policy_of
from .step_exact import ONE, ZERO, Flow, diagonal_basis, minimise, option_imbalance
from .trace_basis import TraceBasis
from .zero_set import CLEAR, ZeroSet

MAX_TRACE_PAIRS = 40_000
OPTIMAL = 1e-12

Variable = tuple[str, int, int]
"""("eta", i, i), ("slack", i, i), ("plain", i, j) or ("back", i, j), in positions of the space."""


@dataclass(frozen=True)
class _Block:
    """One label: its positions from ``low`` on, and Λ, exactly and in floats."""

    low: int
    exact: list[list[fmpq]]
    floats: Reals2
    pivots: list[int]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.exact)


class TraceStep:
    """The step up to traces for the pairs of a space."""

    def __init__(self, space: PairSpace, basis: TraceBasis) -> None:
        if len(space) > MAX_TRACE_PAIRS:
            raise InputError(f"{len(space)} same-label pairs, above the limit of {MAX_TRACE_PAIRS} for sd up to traces")
        self.space, self.alpha = space, space.exact_alpha
        sizes = zip(space.first.tolist(), space.size.tolist(), strict=True)
        self.blocks = [_block(space, basis, low, size) for low, size in sizes]

    @cached_property
    def tells_all(self) -> bool:
        """Whether traces distinguish every state of a label from the others, linearly: then this is sd itself."""
        return all(len(block.pivots) == block.size for block in self.blocks)

    def basis_of(self, pair: int, d: Reals) -> tuple[float, list[Variable]]:
        """The value of one ordered pair's step at float costs, and the variables of an optimal basis."""
        value, found = 0.0, []
        for block, e in self._parts(pair):
            more, variables = _solve(
                block, np.array([nearest_signed(v) for v in e]), self._square(block, d), self.space
            )
            value += more
            found += variables
        return value, found

    def flow(self, pair: int, variables: list[Variable]) -> Flow | None:
        """The exact flow of a basis, or None if its amounts are not all ≥ 0."""
        amounts: dict[Variable, fmpq] = {}
        for block, e in self._parts(pair):
            mine = [z for z in variables if block.low <= z[1] < block.low + block.size]
            matrix = fmpq_mat(len(e), len(e))
            for c, variable in enumerate(mine):
                for r, value in enumerate(self._column(block, variable)):
                    matrix[r, c] = value
            try:
                solution = matrix.solve(fmpq_mat(len(e), 1, e))
            except ZeroDivisionError:
                return None
            amounts |= {variable: solution[c, 0] for c, variable in enumerate(mine)}
        if any(amount < ZERO for amount in amounts.values()):
            return None
        return self._as_flow(pair, amounts)

    def exact_optimum(self, pair: int, cost: Mapping[int, fmpq] | list[fmpq]) -> Flow:
        """The exact optimal flow at exact costs."""
        amounts: dict[Variable, fmpq] = {}
        for block, e in self._parts(pair):
            variables = self._variables(block)
            number = {variable: i for i, variable in enumerate(variables)}
            columns = [[(r, a) for r, a in enumerate(self._column(block, z)) if a] for z in variables]
            # A pivot state determines itself: its column is one of the identity, and its η or slack takes all of e.
            states = [block.low + p for p in block.pivots]
            start = [number["eta" if v >= ZERO else "slack", i, i] for i, v in zip(states, e, strict=True)]
            basis = diagonal_basis(start, e)
            minimise([self._cost(z, cost) for z in variables], columns, basis, steepest=5 * len(e))
            found = zip(basis.variables, basis.amounts, strict=True)
            amounts |= {variables[i]: amount for i, amount in found if amount}
        return self._as_flow(pair, amounts)

    def _parts(self, pair: int) -> list[tuple[_Block, list[fmpq]]]:
        """The labels whose e_Λ is not zero, with it."""
        whole = option_imbalance(self.space, pair).signed
        parts = []
        for block in self.blocks:
            e = [ZERO] * len(block.pivots)
            for i in range(block.size):
                share = whole.get(block.low + i)
                if share:
                    e = [a + share * b if b else a for a, b in zip(e, block.exact[i], strict=True)]
            if any(e):
                parts.append((block, e))
        return parts

    def _square(self, block: _Block, d: Reals) -> Reals2:
        start = self.space.pair(block.low, block.low)
        square = d[start : start + block.size**2].reshape(block.size, block.size).copy()
        np.fill_diagonal(square, np.inf)
        return square

    def _variables(self, block: _Block) -> list[Variable]:
        states = range(block.low, block.low + block.size)
        single: list[Variable] = [(kind, i, i) for kind in ("eta", "slack") for i in states]
        return single + [(kind, i, j) for kind in ("plain", "back") for i in states for j in states if i != j]

    def _column(self, block: _Block, variable: Variable) -> list[fmpq]:
        kind, i, j = variable
        row = block.exact[i - block.low]
        if kind in ("eta", "slack"):
            return row if kind == "eta" else [-a for a in row]
        mixed = [a - self.alpha * b for a, b in zip(row, block.exact[j - block.low], strict=True)]
        return mixed if kind == "plain" else [-a for a in mixed]

    def _cost(self, variable: Variable, d: Mapping[int, fmpq] | list[fmpq]) -> fmpq:
        kind, i, j = variable
        if kind in ("eta", "slack"):
            return ONE if kind == "eta" else ZERO
        return d[self.space.pair(i, j)] + (self.alpha - ONE if kind == "back" else ZERO)

    def _as_flow(self, pair: int, amounts: Mapping[Variable, fmpq]) -> Flow:
        """The flow, with the shift that makes up for what traces cannot see: e − what leaves + slack."""
        shift = option_imbalance(self.space, pair).signed
        listed: dict[str, list[tuple[int, int, fmpq]]] = {kind: [] for kind in ("eta", "slack", "plain", "back")}
        for (kind, i, j), amount in sorted(amounts.items()):
            if amount:
                listed[kind].append((i, j, amount))
                sign = ONE if kind in ("eta", "plain") else -ONE
                shift[i] = shift.get(i, ZERO) - sign * amount
                if i != j:
                    shift[j] = shift.get(j, ZERO) + sign * self.alpha * amount
        eta = tuple((i, amount) for i, _, amount in listed["eta"])
        unseen = tuple(sorted((i, value) for i, value in shift.items() if value))
        return Flow(tuple(listed["plain"]), eta, tuple(listed["back"]), unseen)


def nearest_signed(value: fmpq) -> float:
    """The float nearest to a rational."""
    return nearest_float(value) if value >= ZERO else -nearest_float(-value)


def _block(space: PairSpace, basis: TraceBasis, low: int, size: int) -> _Block:
    """Λ of one label: the reduced echelon form of the basis' rows there writes each in terms of the pivot states."""
    states = space.states[low : low + size]
    matrix = fmpq_mat(len(basis.columns), size, [fmpq(column[s]) for column in basis.columns for s in states])
    reduced, rank = matrix.rref()
    rows = [[reduced[p, i] for p in range(rank)] for i in range(size)]
    pivots = [next(i for i in range(size) if reduced[p, i]) for p in range(rank)]
    floats = np.array([[nearest_signed(value) for value in row] for row in rows]).reshape(size, rank)
    return _Block(low, rows, floats, pivots)


def _solve(block: _Block, e: Reals, d: Reals2, space: PairSpace) -> tuple[float, list[Variable]]:
    """Revised simplex in floats over all variables of a label: the value, and an optimal basis as far as floats can
    see.
    """
    alpha, size, rows = space.float_alpha, block.size, block.floats
    count = len(e)
    sign = np.where(e >= 0, 1.0, -1.0)
    basis = [("eta" if s > 0 else "slack", block.pivots[r], block.pivots[r]) for r, s in enumerate(sign)]
    inverse, amount = np.diag(sign), np.abs(e)
    weights = np.where(e >= 0, 1.0, 0.0)
    for _ in range(50 * count + 200):
        f = rows @ (weights @ inverse)
        plain = d - f[:, None] + alpha * f[None, :]
        back = d + (alpha - 1.0) + f[:, None] - alpha * f[None, :]
        offers = {"eta": 1.0 - f, "slack": f, "plain": plain, "back": back}
        kind = min(offers, key=lambda name: float(offers[name].min()))
        if offers[kind].min() > -OPTIMAL:
            break
        place = int(offers[kind].argmin())
        i, j = divmod(place, size) if kind in ("plain", "back") else (place, place)
        column = rows[i] if i == j else rows[i] - alpha * rows[j]
        column = -column if kind in ("slack", "back") else column
        change = inverse @ column
        leave = kernels.exchange_basis(inverse, amount, change)
        if leave < 0:
            break
        basis[leave] = (kind, i, j)
        direct = {"eta": 1.0, "slack": 0.0}.get(kind)
        weights[leave] = d[i, j] + (alpha - 1.0 if kind == "back" else 0.0) if direct is None else direct
    low = block.low
    return float(weights @ amount), [(kind, low + i, low + j) for kind, i, j in basis]


def trace_zero_set(step: TraceStep, cancel: Cancel | None = None) -> ZeroSet:
    """The zero set up to traces, by deletion, each deletion and each flow of cost zero exact (see `zero_set`)."""
    space = step.space
    member = np.ones(len(space), bool)
    flows: dict[int, Flow] = {}
    pending = space.off_diagonal.tolist()
    while pending:
        d = 1.0 - member
        gone = []
        for pair in pending:
            flow = _zero_flow(step, pair, member, d)
            if flow is None:
                gone.append(pair)
                flows.pop(pair, None)
            else:
                flows[pair] = flow
        member[gone] = False
        lost = set(gone)
        pending = [p for p, flow in flows.items() if any(space.pair(i, j) in lost for i, j, _ in flow.cited)]
        if cancel is not None:
            cancel.report(f"pairs of distance zero, up to traces: {int(member.sum())} left, {len(pending)} to check")
            cancel.check()
    return ZeroSet(space, member, close(space, 1.0 - member), flows)


def _zero_flow(step: TraceStep, pair: int, member: Mask, d: Reals) -> Flow | None:
    """An exact flow of cost zero when members cost 0 and the others 1, or None if there is none."""
    value, variables = step.basis_of(pair, d)
    if value > CLEAR:
        return None
    flow = step.flow(pair, variables)
    if flow is None or not _free(step, flow, member):
        flow = step.exact_optimum(pair, [ZERO if inside else ONE for inside in member.tolist()])
    return flow if _free(step, flow, member) else None


def _free(step: TraceStep, flow: Flow, member: Mask) -> bool:
    inside = all(member[step.space.pair(i, j)] for i, j, _ in flow.cited)
    return inside and not flow.constant(step.alpha)


def find_trace_policy(
    step: TraceStep, zero: ZeroSet, *, max_rounds: int = 60, cancel: Cancel | None = None
) -> tuple[Guide, dict[int, Flow]]:
    """Policy iteration up to traces off the zero set: the guide, and the exact flows of its last policy."""
    space = step.space
    todo = np.flatnonzero(~zero.member)
    d = np.where(zero.member, 0.0, FIRST_GUESS)
    reached = np.where(zero.member, 0.0, 1.0)
    flows: dict[int, Flow] = {}
    settled = False
    nodes = nodes_of(space, "sd", todo)
    for round_number in range(1, max_rounds + 1):
        flows = {pair: _best_flow(step, pair, d) for pair in todo.tolist()}
        policy = policy_of(space, todo, flows)
        value, active = evaluate(build_system(nodes, policy))
        new = np.zeros(len(space))
        new[todo] = value
        drop = float(np.max((reached - new) / np.maximum(reached, 1e-300), initial=0.0))
        if cancel is not None:
            cancel.report(f"round {round_number}, up to traces: largest improvement {drop:.0e}")
            cancel.check()
        d = reached = new
        settled = drop <= STANDS and round_number > 1
        if settled:
            break
    nowhere = np.zeros(len(todo), bool)
    return Guide(d, policy, nowhere, zero.closure, nodes.place[active], round_number, 1, settled), flows


def _best_flow(step: TraceStep, pair: int, d: Reals) -> Flow:
    """The exact flow of a float basis; where floats misjudged it, the exact optimum at the float costs."""
    _, variables = step.basis_of(pair, d)
    flow = step.flow(pair, variables)
    return flow or step.exact_optimum(pair, [fmpq(*float(value).as_integer_ratio()) for value in d])
