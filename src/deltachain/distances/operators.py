"""The paper's operators, as objects: Δ_α, K_α with its solutions on both sides, Γ_α, and its iterates [CMP18].

- `skewed_difference`: Δ_α(x, y) = max(x − αy, y − αx, 0) [CMP18, Def. 6].
- `total_variation`: tv_α(p, q) = sup_E Δ_α(p(E), q(E)) of two finite distributions [CMP18, Def. 7].
- `kantorovich`: K_α(d)(μ, μ') [CMP18, Def. 10], the larger of two linear programs. Each comes with an optimal f, with
  an optimal flow, and with the ω, τ, γ, η of [CMP18, Lemma 3]. All have the same value, exactly.
- `gamma`: Γ_α(d) [CMP18, Def. 11]; of ld and sd, the directed operator Λ in its place [CMP19].
- `iterate_gamma`: Γ_α applied again and again, to 0 (every iterate is a lower bound of bd) or to 1 (an upper one).

Numbers are Fractions, or functions of e^(1/k) where the chain's rows, d or α are. α is exact: ε = 1/10 means e^(1/10)
itself, which `distance` replaces by a rational just below where the chain's rows are rational.

How a step is solved is in docs/theory/step.md: for each label apart, on the states where x ≠ αy, along the cheapest
paths of d. Paper: f ranges over all of S, and d over all pairs. Here: the same; where d says less than 1 of states of
different labels, all states are one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal

import numpy as np

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..loading import load
from ..model import Chain, words
from ..model.tikz import draw_coupling
from ..numbers.exponential import exp_of
from ..numbers.field import Exact, floor, text_of
from ..numbers.fraction import ExpEpsilon, Number
from .closure import ExactClosure, close_exactly
from .kind import DistanceKind
from .kinds import kind_named
from .pair_function import ONE, ZERO, BoundSide, CostsGiven, PairFunction, read_exact, read_pair_function
from .pair_space import PairSpace
from .scalars import FunctionScalars, Scalars, V, scalars_of
from .step_exact import BasisEntry, by_label, extend_prices, imbalance, solve_label, unfold_amounts

if TYPE_CHECKING:
    from ..loading import AnyModel
    from .improvement import ExactDistance
    from .step_exact import Flow

Arc = tuple[str, str]
Weights = Mapping[str, Exact]
StateOrDistribution = str | int | Mapping[Any, Any]


# Δ_α and tv_α.


def skewed_difference(
    x: Number | Exact, y: Number | Exact, *, epsilon: Number | None = None, exp_epsilon: Number | Exact | None = None
) -> Exact:
    """Δ_α(x, y) = max(x − αy, y − αx, 0), the skewed difference of two numbers [CMP18, Def. 6]; exact.

    Args:
        x: a number ≥ 0.
        y: another one.
        epsilon: ε ≥ 0; α is e^ε itself.
        exp_epsilon: α = e^ε ≥ 1, in place of ε.

    >>> skewed_difference(9, 3, exp_epsilon=2), skewed_difference(9, 6, exp_epsilon=2)
    (Fraction(3, 1), Fraction(0, 1))
    """
    alpha = read_alpha(epsilon, exp_epsilon)
    one, other = (read_exact(value, place) for value, place in ((x, "x"), (y, "y")))
    if one < 0 or other < 0:
        raise InputError("skewed_difference: its numbers are at least 0")
    return words.skewed_difference(one, other, alpha)


def total_variation(
    p: Mapping[Any, Number | Exact] | Sequence[Number | Exact],
    q: Mapping[Any, Number | Exact] | Sequence[Number | Exact],
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | Exact | None = None,
) -> Exact:
    """tv_α(p, q) = sup_E Δ_α(p(E), q(E)) of two finite distributions [CMP18, Def. 7]; exact.

    The largest of Σ max(p − αq, 0) and Σ max(q − αp, 0), which an event attains: at α = 1 the total variation distance.
    Of the runs of a chain it is what `delta` bounds.

    Args:
        p: probabilities by outcome, or in order.
        q: those of the other distribution over the same outcomes.
        epsilon: ε ≥ 0; α is e^ε itself.
        exp_epsilon: α = e^ε ≥ 1, in place of ε.

    >>> total_variation({"a": "3/4", "b": "1/4"}, {"a": "1/4", "b": "3/4"}, exp_epsilon=2)
    Fraction(1, 4)
    """
    alpha = read_alpha(epsilon, exp_epsilon)
    one, other = _distribution(p, "p"), _distribution(q, "q")
    outcomes = list(dict.fromkeys([*one, *other]))
    sides = (
        [_positive(x.get(outcome, ZERO) - alpha * y.get(outcome, ZERO)) for outcome in outcomes]
        for x, y in ((one, other), (other, one))
    )
    return max(words.total(side) for side in sides)


def _positive(value: Exact) -> Exact:
    return max(value, ZERO)


def _distribution(given: Mapping[Any, Number | Exact] | Sequence[Number | Exact], place: str) -> dict[Any, Exact]:
    """Probabilities that sum to 1, by outcome."""
    entries = given.items() if isinstance(given, Mapping) else enumerate(given)
    found = {outcome: read_exact(value, f"{place}[{outcome!r}]") for outcome, value in entries}
    if any(value < 0 for value in found.values()) or words.total(found.values()) != 1:
        raise InputError(Defect(place, "these are not probabilities that sum to 1", "give exact ones: '1/3'"))
    return found


def read_alpha(epsilon: Number | None, exp_epsilon: Number | Exact | None) -> Exact:
    """α = e^ε, exactly, from one of the two."""
    if exp_epsilon is not None and epsilon is None:
        alpha = read_exact(exp_epsilon, "exp_epsilon")
        if alpha < 1:
            raise InputError(f"exp_epsilon: {alpha} is below 1")
        return alpha
    at = ExpEpsilon.read(epsilon, None if exp_epsilon is None else str(exp_epsilon))
    if at.epsilon is None:
        return at.below
    found = exp_of(at.epsilon)
    return found if found.rational is None else found.rational


# One step.


@dataclass(frozen=True)
class DirectedStep:
    """k(d)(x→y) = max Σ f_i (x_i − α y_i) over admissible f, with an optimal f and an optimal flow; all exact.

    One of the two linear programs of K_α [CMP18, Section 4]. A flow carries ω_ij from i to j, where α times as much
    arrives, at the price d_ij, and pays η_i at once, at the price 1 (docs/theory/step.md).

    Attributes:
        value: the optimum, of every form of the program.
        exp_epsilon: α.
        x: the distribution that is to be told from the other one: the paper's μ.
        y: the other one, the paper's μ'.
        f: an optimal f for all states, f_i − α f_j ≤ d_ij.
        flow: what an optimal flow carries, without loops: ω_ij of each pair of states where it is positive.
        complement: of sd alone: what it carries along complement arcs.
        eta: what it pays at once: η_i where it is positive.
    """

    value: Exact
    exp_epsilon: Exact
    x: Weights
    y: Weights
    f: Weights
    flow: Mapping[Arc, Exact]
    complement: Mapping[Arc, Exact]
    eta: Weights

    @property
    def omega(self) -> Mapping[Arc, Exact]:
        """The ω of [CMP18, Lemma 3], where it is positive: that of `flow`."""
        return self.flow

    @cached_property
    def _balance(self) -> dict[str, Exact]:
        """τ_i − γ_i = x_i − η_i − Σ_j ω_ij of every state (docs/theory/step.md, Proposition 5)."""
        if self.complement:
            raise InputError("tau, gamma: the paper's dual has no complement arcs; ask for kind='bd' or 'ld'")
        found = {state: self.x.get(state, ZERO) - self.eta.get(state, ZERO) for state in self.f}
        for (i, _), amount in self.flow.items():
            found[i] = found[i] - amount
        return found

    @property
    def tau(self) -> dict[str, Exact]:
        """The τ of [CMP18, Lemma 3], where it is positive: free routes along which cargo grows."""
        return {state: value for state, value in self._balance.items() if value > 0}

    @property
    def gamma(self) -> dict[str, Exact]:
        """The γ of [CMP18, Lemma 3], where it is positive: free routes back, along which cargo shrinks."""
        return {state: -value for state, value in self._balance.items() if value < 0}

    @property
    def gained(self) -> Exact:
        """Σ f_i (x_i − α y_i): what `f` attains, the value of the primal program."""
        return words.total(
            f * (self.x.get(state, ZERO) - self.exp_epsilon * self.y.get(state, ZERO)) for state, f in self.f.items()
        )


@dataclass(frozen=True, repr=False)
class Kantorovich:
    """K_α(d)(μ, μ'), the skewed Kantorovich distance [CMP18, Def. 10]: the larger of two directed steps; exact.

    ``f``, ``omega``, ``tau``, ``gamma`` and ``eta`` are those of the direction that attains it.

    Attributes:
        there: the step that tells the first distribution from the second.
        back: the step that tells the second from the first.
        names: what the two are called.
    """

    there: DirectedStep
    back: DirectedStep
    names: tuple[str, str]

    @property
    def attained(self) -> DirectedStep:
        """The direction of the larger value; the first one, if they are equal."""
        return self.back if self.back.value > self.there.value else self.there

    @property
    def direction(self) -> tuple[str, str]:
        """Which of the two distributions is told from which."""
        return self.names if self.attained is self.there else (self.names[1], self.names[0])

    @property
    def value(self) -> Exact:
        """K_α(d)(μ, μ')."""
        return self.attained.value

    @property
    def f(self) -> Weights:
        """An optimal f: S → [0, 1]."""
        return self.attained.f

    @property
    def flow(self) -> Mapping[Arc, Exact]:
        """The reduced flow."""
        return self.attained.flow

    @property
    def omega(self) -> Mapping[Arc, Exact]:
        """The ω of [CMP18, Lemma 3], where it is positive."""
        return self.attained.omega

    @property
    def tau(self) -> Weights:
        """The τ of [CMP18, Lemma 3], where it is positive."""
        return self.attained.tau

    @property
    def gamma(self) -> Weights:
        """The γ of [CMP18, Lemma 3], where it is positive."""
        return self.attained.gamma

    @property
    def eta(self) -> Weights:
        """The η of [CMP18, Lemma 3], where it is positive."""
        return self.attained.eta

    def to_tikz(self) -> str:
        """The optimal flow of the direction that attains it, as a TikZ picture."""
        step = self.attained
        matched = [(i, j, text_of(amount), False) for (i, j), amount in step.flow.items()]
        return "".join(draw_coupling(matched, [(i, text_of(amount)) for i, amount in step.eta.items()]))

    def __repr__(self) -> str:
        s, t = self.direction
        return f"<Kantorovich: K(d)({', '.join(self.names)}) = {self.value}, by {s} → {t}, exact>"


def kantorovich(
    model: AnyModel,
    d: CostsGiven,
    s: StateOrDistribution,
    t: StateOrDistribution,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | Exact | None = None,
    input: str | None = None,  # noqa: A002  # what the model calls it
    kind: str | DistanceKind = "bd",
) -> Kantorovich:
    """K_α(d)(μ_s, μ_t), the skewed Kantorovich distance [CMP18, Def. 10], with both solutions; exact.

    Args:
        model: a chain, or what `load` takes.
        d: a number in [0, 1] for each pair of states of one label, as a mapping of pairs, a square matrix in the order
            of the states, a `Distance` or a `PairFunction`. Where it is not symmetric, K_α takes the smaller direction,
            as the definition says.
        s: a state, whose row is μ_s; or a distribution over states, as a mapping.
        t: another one.
        epsilon: ε ≥ 0; α is e^ε itself. Neither is needed where d is a `Distance`: then it is what that was measured
            at.
        exp_epsilon: α = e^ε ≥ 1, in place of ε.
        input: the observer's choice, where states have a row for each of several.
        kind: of the constraints on f: ``"bd"`` and ``"ld"`` have the paper's, ``"sd"`` complement constraints as well.

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> found = kantorovich(chain, dc.distance(chain, pairs="all", exp_epsilon=1), "s0", "s1")
    >>> found.value, found.attained.gained, found.direction
    (Fraction(1, 5), Fraction(1, 5), ('s0', 's1'))
    """
    chain, costs, alpha = _read(model, d, epsilon, exp_epsilon)
    measure = kind_named(kind)
    rows = [_row(chain, end, input) for end in (s, t)]
    work = _Operator.of(chain, measure, costs, alpha, [*rows[0], *rows[1]], [p for row in rows for p in row.values()])
    names = _end_name(chain, s, "μ"), _end_name(chain, t, "μ'")
    return Kantorovich(work.step(rows[0], rows[1]), work.step(rows[1], rows[0]), names)


def _end_name(chain: Chain, end: StateOrDistribution, otherwise: str) -> str:
    return otherwise if isinstance(end, Mapping) else chain.states[chain.number(end)]


def _row(chain: Chain, end: StateOrDistribution, asked: str | None) -> dict[int, Exact]:
    """A distribution over states: the row of one, or the one that is given."""
    if not isinstance(end, Mapping):
        return dict(chain.points_of(chain.number(end), asked))
    found = _distribution(end, "distribution")
    return {chain.number(state): value for state, value in found.items() if value}


def _read(
    model: AnyModel, d: CostsGiven, epsilon: Number | None, exp_epsilon: Number | Exact | None
) -> tuple[Chain, PairFunction, Exact]:
    chain = load(model)
    if epsilon is None and exp_epsilon is None:
        exp_epsilon = getattr(d, "measured_at", None)
    return chain, read_pair_function(chain, d), read_alpha(epsilon, exp_epsilon)


class _OperatorSpace(PairSpace[V]):
    """The pairs that one application reads. All paths count, since d is any function: see `PairSpace.single_arcs`."""

    @property
    def single_arcs(self) -> bool:
        """No: flows run over stepping stones, as f ranges over all states."""
        return False


@dataclass(frozen=True)
class _Operator(Generic[V]):
    """One application of the operator of a kind to one d: everything that all its pairs share."""

    kind: DistanceKind
    space: PairSpace[V]
    closure: ExactClosure[V]

    @staticmethod
    def of(
        chain: Chain,
        kind: DistanceKind,
        d: PairFunction,
        alpha: Exact,
        targets: Sequence[int],
        given: Sequence[Exact] = (),
        cancel: Cancel | None = None,
    ) -> _Operator[Any]:
        """For distributions over ``targets``; ``given`` are numbers beside those of the chain, d and α."""
        numbers = [alpha, *d.values.values(), *given]
        rational = chain.rational and all(isinstance(number, Fraction) for number in numbers)
        scalars: Scalars[Any] = scalars_of(chain)  # refuses a chain that is not exact
        if not rational and chain.rational:
            scalars = FunctionScalars(1, 0)
        if d.across:
            states: Sequence[int] = range(len(chain))
        else:
            states = [state for label in {chain.labels[i] for i in targets} for state in chain.by_label[label]]
        space = _space_of(chain, scalars, alpha, states, one_block=d.across)
        costs = [scalars.number(value) for value in _costs(space, kind, d)]
        return _Operator(kind, space, close_exactly(space, costs, constraints=kind.constraints, cancel=cancel))

    def _entries(self, row: Mapping[int, Exact]) -> list[tuple[int, V]]:
        space = self.space
        scale = self.kind.discount
        return [(space.position[state], space.scalars.number(scale * p)) for state, p in row.items()]

    def step(self, x: Mapping[int, Exact], y: Mapping[int, Exact]) -> DirectedStep:
        """The directed step with its solutions."""
        space, closure = self.space, self.closure
        exactly, names = space.scalars.exactly, [space.chain.states[state] for state in space.states]
        need = imbalance(self._entries(x), self._entries(y), space.exact_alpha)
        amounts, prices = dict[BasisEntry, V](), dict[int, V]()
        for part in by_label(space, need):
            found = solve_label(space.scalars, part, closure.cost, closure.gains)
            block = space.block_positions(next(iter(part.excess)))
            prices |= extend_prices(part, found.price, closure.cost, closure.gains, block)
            amounts |= found.amounts
        flow: Flow[V] = unfold_amounts(space, amounts, closure)
        f = dict.fromkeys(space.chain.states, ZERO) | {names[i]: exactly(p) for i, p in prices.items()}
        return DirectedStep(
            value=exactly(self._cost(flow)),
            exp_epsilon=space.alpha,
            x={space.chain.states[state]: p for state, p in x.items()},
            y={space.chain.states[state]: p for state, p in y.items()},
            f=f,
            flow={(names[i], names[j]): exactly(amount) for i, j, amount in flow.arcs if amount},
            complement={(names[i], names[j]): exactly(amount) for i, j, amount in flow.complement if amount},
            eta={names[i]: exactly(amount) for i, amount in flow.eta if amount},
        )

    def _cost(self, flow: Flow[V]) -> V:
        d, space = self.closure.d, self.space
        return sum((amount * d[space.pair(u, v)] for u, v, amount in flow.cited), flow.constant(space.exact_alpha))

    def value(self, x: Mapping[int, Exact], y: Mapping[int, Exact]) -> V:
        """The value of the directed step alone, by what its prices f gain."""
        space, closure = self.space, self.closure
        total = space.scalars.zero
        need = imbalance(self._entries(x), self._entries(y), space.exact_alpha)
        for part in by_label(space, need):
            price = solve_label(space.scalars, part, closure.cost, closure.gains).price
            total = sum((price[state] * e for state, e in part.signed.items()), total)
        return total


def operator_of(proof: ExactDistance[V], kind: DistanceKind) -> _Operator[V]:
    """The operator at an exact distance: of its own pairs, and along the paths that proved it."""
    return _Operator(kind, proof.space, proof.lower.closure)


def _space_of(
    chain: Chain, scalars: Scalars[Any], alpha: Exact, states: Sequence[int], *, one_block: bool
) -> PairSpace[Any]:
    """The pairs of some states, label by label; in one block, where d tells less than labels do."""
    by_labels = PairSpace.over(chain, scalars, alpha, states)
    places = by_labels.first, by_labels.size, by_labels.offset, by_labels.block
    if one_block:
        count = len(by_labels.states)
        places = np.zeros(1, np.int64), np.array([count]), np.array([0, count * count]), np.zeros(count, np.int64)
    return _OperatorSpace(chain, scalars, by_labels.exact_alpha, by_labels.states, *places)


def _costs(space: PairSpace[Any], kind: DistanceKind, d: PairFunction) -> Iterator[Exact]:
    """D by pair number; of a symmetric kind, Δ_α(f_i, f_j) ≤ d_ij says so of both directions."""
    u, v = space.ends
    for i, j in zip(u.tolist(), v.tolist(), strict=True):
        s, t = space.states[i], space.states[j]
        yield min(d.at(s, t), d.at(t, s)) if kind.symmetric else d.at(s, t)


# Γ_α.


def gamma(
    model: AnyModel,
    d: CostsGiven,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | Exact | None = None,
    kind: str | DistanceKind = "bd",
    cancel: Cancel | None = None,
) -> PairFunction:
    """Γ_α(d), the operator whose least fixed point is bd [CMP18, Defs. 11 and 12]; exact.

    Where states have inputs, a pair has the largest value of all inputs. If Γ_α(d) ⊑ d, both are upper bounds of bd,
    the least pre-fixed point [CMP18, Remark after Def. 12]; then ``side`` of the result says ``"upper"``.

    Args:
        model: a chain, or what `load` takes.
        d: a number in [0, 1] for each pair of states of one label, as for `kantorovich`.
        epsilon: ε ≥ 0; α is e^ε itself. Neither is needed where d is a `Distance`.
        exp_epsilon: α = e^ε ≥ 1, in place of ε.
        kind: ``"bd"``; or ``"ld"`` or ``"sd"``, whose operator is directed: Λ(d)(s, t) = k(d)(μ_s→μ_t) [CMP19].
        cancel: a token of the caller's.

    >>> import deltachain as dc
    >>> chain = dc.examples.split_coin()
    >>> bd = dc.distance(chain, pairs="all", exp_epsilon="6/5", exact=True)
    >>> image = gamma(chain, bd)
    >>> image["s0", "s1"], all(bd[pair] == value for pair, value in image.items())
    (Fraction(1, 4), True)
    """
    chain, costs, alpha = _read(model, d, epsilon, exp_epsilon)
    return apply_operator(chain, costs, alpha, kind_named(kind), cancel)


def apply_operator(
    chain: Chain, d: PairFunction, alpha: Exact, kind: DistanceKind, cancel: Cancel | None = None
) -> PairFunction:
    """`gamma` of what is read already."""
    cancel = cancel or Cancel()
    work = _Operator.of(chain, kind, d, alpha, range(len(chain)), cancel=cancel)
    exactly, values = work.space.scalars.exactly, dict[tuple[int, int], Exact]()
    rows = [[dict(points) for points in chain.points[state]] for state in range(len(chain))]
    for block in chain.by_label.values():
        for i in block:
            cancel.check()
            for j in block:
                if i == j or (kind.symmetric and j < i):
                    continue
                both = zip(rows[i], rows[j], strict=True)
                value = exactly(max(work.value(*step) for x, y in both for step in kind.of_steps(x, y)))
                values[i, j] = value
                if kind.symmetric:
                    values[j, i] = value
    found = PairFunction(chain.states, chain.labels, {pair: values[pair] for pair in sorted(values)})
    return replace(found, side="upper") if found <= d else found


def iterate_gamma(
    model: AnyModel,
    steps: int,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | Exact | None = None,
    start: Literal["below", "above"] = "below",
    bits: int | None = None,
    kind: str | DistanceKind = "bd",
    cancel: Cancel | None = None,
) -> PairFunction:
    """Γ_α^n(0), a lower bound of bd that rises to it as n grows; or Γ_α^n of 1, an upper one.

    From above it falls to the greatest fixed point, which may lie above bd.

    Args:
        model: a chain, or what `load` takes.
        steps: n ≥ 0, how often Γ_α is applied.
        epsilon: ε ≥ 0; α is e^ε itself.
        exp_epsilon: α = e^ε ≥ 1, in place of ε.
        start: ``"below"``: from 0; ``"above"``: from 1 for every pair of different states.
        bits: round to whole multiples of 2^-bits after each application, towards the side of the bound; None: exact.
        kind: as for `gamma`.
        cancel: a token of the caller's.

    >>> import deltachain as dc
    >>> found = iterate_gamma(dc.examples.split_coin(), 3, exp_epsilon="6/5")
    >>> found["s0", "s1"], found.side
    (Fraction(1, 4), 'lower')
    """
    if start not in ("below", "above"):
        raise InputError(f"start: {start!r} is not 'below' or 'above'")
    if not isinstance(steps, int) or steps < 0:
        raise InputError(f"steps: {steps!r} is not a whole number ≥ 0")
    chain, measure = load(model), kind_named(kind)
    alpha = read_alpha(epsilon, exp_epsilon)
    first = ZERO if start == "below" else ONE
    side: BoundSide = "lower" if start == "below" else "upper"
    values = {(i, j): first for block in chain.by_label.values() for i in block for j in block if i != j}
    found = PairFunction(chain.states, chain.labels, values, side)
    for _ in range(steps):
        # The operator is monotone: what bounds its least fixed point from one side does so after it is applied.
        found = replace(apply_operator(chain, found, alpha, measure, cancel), side=side)
        if bits is not None:
            found = _round(found, bits)
    return found


def _round(d: PairFunction, bits: int) -> PairFunction:
    """The values as whole multiples of 2^-bits, towards their side."""

    def to_side(value: Exact) -> Fraction:
        return Fraction(floor(value, bits) if d.side == "lower" else -floor(-value, bits), 1 << bits)

    return PairFunction(d.states, d.labels, {pair: to_side(value) for pair, value in d.values.items()}, d.side)
