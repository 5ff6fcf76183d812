"""The directed step k(d)(x→y) as a linear program, in three forms that have the same optimum [CMP18, Lemma 3].

For a cost d: S×S → [0,1] with d_ii = 0 and two sub-distributions x, y over S:

- primal:       max Σ f_i (x_i − α y_i)  over 0 ≤ f ≤ 1  with  f_i − α f_j ≤ d_ij for i ≠ j;
- paper's dual: min Σ ω_ij d_ij + Σ η_i  over ω, τ, γ, η in [0,1]  with, for every i,
                Σ_j ω_ij + τ_i − γ_i + η_i = x_i  and  Σ_j ω_ji + (τ_i − γ_i)/α ≤ y_i;
- flow:         min Σ ω_ij d_ij + Σ η_i  over ω, η ≥ 0  with  Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ x_i − α y_i.

Eliminating τ_i − γ_i from the paper's dual gives the flow form; the boxes cut off no optimum, because what leaves a
state along useful paths ends, multiplied by α at least, in room that the sinks have: α Σ y ≤ α. Here x, y, d range
over all states, with no reduction: these are definitions to compare with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .linear_program import LinearProgram, Row

Number = Fraction | int | str
Cost = Sequence[Sequence[Number]]
"""d over all states: a square matrix."""

Weights = Mapping[int, Number] | Sequence[Number]
"""A sub-distribution by state number; a mapping may leave zeros out."""

ONE = Fraction(1)


@dataclass(frozen=True)
class _Problem:
    """The data that the forms share, read exactly."""

    d: tuple[tuple[Fraction, ...], ...]
    x: tuple[Fraction, ...]
    y: tuple[Fraction, ...]
    alpha: Fraction

    @property
    def states(self) -> range:
        return range(len(self.d))

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """The pairs i ≠ j."""
        return [(i, j) for i in self.states for j in self.states if i != j]


def primal_form(d: Cost, x: Weights, y: Weights, alpha: Number) -> LinearProgram:
    """The primal max Σ f_i (x_i − α y_i): variables ``f[i]``, rows ``d[i,j]`` and the boxes ``box f[i]``.

    Paper: rows for all i, j. Here: for i ≠ j. Because: f_i − α f_i ≤ 0 holds for α ≥ 1.
    """
    p = _read(d, x, y, alpha)
    f = [f"f[{i}]" for i in p.states]
    rows = [Row(f"d[{i},{j}]", {f[i]: ONE, f[j]: -p.alpha}, "<=", p.d[i][j]) for i, j in p.arcs]
    gains = {f[i]: p.x[i] - p.alpha * p.y[i] for i in p.states}
    return LinearProgram("max", tuple(f), gains, (*rows, *_boxes(f)))


def paper_dual_form(d: Cost, x: Weights, y: Weights, alpha: Number) -> LinearProgram:
    """The dual of [CMP18, Lemma 3]: variables ``omega[i,j]`` (i = j too), ``tau[i]``, ``gamma[i]``, ``eta[i]``.

    Rows ``receive[i]`` (Σ_j ω_ij + τ_i − γ_i + η_i = x_i), ``send[i]`` (Σ_j ω_ji + (τ_i − γ_i)/α ≤ y_i), and a box
    for each variable.
    """
    p = _read(d, x, y, alpha)
    omega = {(i, j): f"omega[{i},{j}]" for i in p.states for j in p.states}
    variables = [*omega.values(), *(f"{name}[{i}]" for name in ("tau", "gamma", "eta") for i in p.states)]
    rows = []
    for i in p.states:
        loop = {f"tau[{i}]": ONE, f"gamma[{i}]": -ONE}
        receive = {omega[i, j]: ONE for j in p.states} | loop | {f"eta[{i}]": ONE}
        send = {omega[j, i]: ONE for j in p.states} | {v: a / p.alpha for v, a in loop.items()}
        rows += [Row(f"receive[{i}]", receive, "=", p.x[i]), Row(f"send[{i}]", send, "<=", p.y[i])]
    costs = {name: p.d[i][j] for (i, j), name in omega.items()} | {f"eta[{i}]": ONE for i in p.states}
    return LinearProgram("min", tuple(variables), costs, (*rows, *_boxes(variables)))


def flow_form(d: Cost, x: Weights, y: Weights, alpha: Number) -> LinearProgram:
    """The step as a flow with gain α: variables ``omega[i,j]`` (i ≠ j) and ``eta[i]``, rows ``balance[i]``.

    Any feasible point proves k(d)(x→y) ≤ its cost. The multipliers of the rows are an optimal f of the primal.
    """
    p = _read(d, x, y, alpha)
    omega = {(i, j): f"omega[{i},{j}]" for i, j in p.arcs}
    rows = []
    for i in p.states:
        leaving = {omega[i, j]: ONE for j in p.states if j != i}
        arriving = {omega[j, i]: -p.alpha for j in p.states if j != i}
        right = p.x[i] - p.alpha * p.y[i]
        rows.append(Row(f"balance[{i}]", leaving | arriving | {f"eta[{i}]": ONE}, ">=", right))
    costs = {name: p.d[i][j] for (i, j), name in omega.items()} | {f"eta[{i}]": ONE for i in p.states}
    return LinearProgram("min", tuple(costs), costs, tuple(rows))


def directed_step(d: Cost, x: Weights, y: Weights, alpha: Number) -> Fraction:
    """k(d)(x→y), exactly.

    >>> directed_step([[0, 1], [1, 0]], ["3/4", "1/4"], ["1/4", "3/4"], 2)
    Fraction(1, 4)
    """
    return flow_form(d, x, y, alpha).solve().value


def sharp_step(d: Cost, x: Weights, y: Weights, alpha: Number) -> Fraction:
    """The step of sd, exactly: the primal with the complement constraints (1−f_j) − α(1−f_i) ≤ d_ji as well."""
    p = _read(d, x, y, alpha)
    plain = primal_form(d, x, y, alpha)
    back = [
        Row(f"complement[{i},{j}]", {f"f[{j}]": p.alpha, f"f[{i}]": -ONE}, "<=", p.d[i][j] + p.alpha - 1)
        for i, j in p.arcs
    ]
    return LinearProgram("max", plain.variables, plain.objective, (*plain.rows, *back)).solve().value


def skewed_kantorovich(d: Cost, x: Weights, y: Weights, alpha: Number) -> Fraction:
    """K_α(d)(x, y) = max(k(d)(x→y), k(d)(y→x)) [CMP18, Def. 10], exactly; d is meant to be symmetric."""
    return max(directed_step(d, x, y, alpha), directed_step(d, y, x, alpha))


def _boxes(variables: Sequence[str]) -> list[Row]:
    return [Row(f"box {name}", {name: ONE}, "<=", ONE) for name in variables]


def _read(d: Cost, x: Weights, y: Weights, alpha: Number) -> _Problem:
    matrix = tuple(tuple(Fraction(value) for value in row) for row in d)
    weights = [
        tuple(Fraction(w.get(i, 0) if isinstance(w, Mapping) else w[i]) for i in range(len(matrix))) for w in (x, y)
    ]
    return _Problem(matrix, weights[0], weights[1], Fraction(alpha))
