"""Deciding bd(s, t) ≤ θ: build the formula, give it to a solver, check what it says.

A "yes" is returned only with a pre-fixed point that proves it, as the trusted checker confirms. A "no" is the solver's
``unsat`` (or, for the engine, the exact distance). Anything else raises SolverUnknown.

*The value of bd from thresholds alone*: bisection, and the exact rational by continued fractions. An oracle answers
bd ≤ θ and bd < θ. Bisection keeps lower < bd ≤ upper (or lower = 0 = bd) and halves. If the
denominator of bd is at most D, an interval shorter than 1/D² holds at most one such rational, and that one has the
least denominator in it: the Stern–Brocot search finds it. The candidate is then verified by two calls, bd ≤ c and not
bd < c, so the result does not rest on D; D only says when to stop looking. Candidates are tried on the way too,
after 0, 1, 2, 4, 8, … halvings, because values are usually much simpler than D allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, get_args

from deltachain.cancel import Cancel
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.kinds.bd import BD
from deltachain.errors import Defect, InputError, NotConverged, SolverUnknown
from deltachain.model import Chain
from deltachain.numbers.fraction import Number, as_alpha, as_fraction, simplest_between

from . import reduced
from .bounded_integers import MOST_BITS, complete_bits, integer_program, read_model, to_bitvectors
from .formulas import (
    EncodingName,
    FormulaName,
    Query,
    ThresholdQuestion,
    faithful_least,
    faithful_np,
    faithful_sigma2,
    to_smtlib,
)
from .prefixed_point import PrefixedPoint, prefixed_point_from_model
from .reduced import Background, Reduction, look, reduce_question, sweep_bounds
from .solvers import SolverAnswer, run, time_limit

SolverName = Literal["z3", "cvc5", "engine"]

PREPARING = "preparing the formula"


@dataclass(frozen=True)
class Decision:
    """The answer to a question; ``proof`` is there for every "yes" that a solver gave.

    ``settled``: exact bounds alone decided it; the solver only compared two numbers. ``exact``: whether the engine's
    distance is; if not, its certified upper bound was enough for a yes.
    """

    question: ThresholdQuestion
    holds: bool
    solver: str
    seconds: float
    proof: PrefixedPoint | None = None
    settled: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class FormulaSize:
    """How large a formula is: its free variables, and the characters of its script."""

    variables: int
    characters: int

    def __str__(self) -> str:
        return f"{self.variables:,} variables and {self.characters:,} characters"


def default_formula(solver: str, bits: int | None = None) -> FormulaName:
    """What works best: Z3 is good at the bilinear formula, cvc5 at the quantified linear one, which has no integers."""
    return "sigma2" if solver == "cvc5" and bits is None else "np"


class Decider:
    """All thresholds of one pair at one α: what does not depend on θ is computed once.

    ``timeout`` (seconds) limits each call of a solver. With ``bits`` the solver looks for ratios of natural numbers of
    so many bits (`bounded_integers`) in place of real numbers.
    """

    def __init__(
        self,
        chain: Chain,
        s: str | int,
        t: str | int,
        *,
        exp_epsilon: Number,
        solver: str = "z3",
        formula: str | None = None,
        encoding: str = "bounded",
        timeout: float | None = None,
        bits: int | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        formula = formula or default_formula(solver, bits)
        _refuse(solver, formula, encoding, bits)
        self.chain, self.s, self.t = chain, chain.number(s), chain.number(t)
        self.alpha, self.timeout = as_alpha(exp_epsilon), time_limit(timeout)
        self.solver, self.formula, self.encoding, self.bits = solver, formula, encoding, bits
        self.calls, self._cancel = 0, cancel or Cancel()
        self.size: FormulaSize | None = None
        """How large the formula was that was built last; None before."""

    def question(self, theta: Number, *, strict: bool = False) -> ThresholdQuestion:
        """The question for one θ; InputError outside [0, 1]."""
        return ThresholdQuestion(self.chain, self.s, self.t, self.alpha, as_fraction(theta, "theta"), strict)

    @cached_property
    def _preparing(self) -> Cancel:
        """What is done before the solver starts takes no longer than a call of it may."""
        self._cancel.report(PREPARING)
        return Cancel(self.timeout, self._cancel.report, within=self._cancel, stage=PREPARING)

    @cached_property
    def background(self) -> Background:
        """The relevant pairs and their zero set."""
        return look(self.question(1), self._preparing)

    @cached_property
    def _reduction(self) -> Reduction:
        background = self.background
        with self._preparing.govern():
            if self.encoding != "bounded":
                return reduce_question(self.question(1), background.zero_bounds)
            return reduce_question(self.question(1), sweep_bounds(background, cancel=self._preparing))

    @cached_property
    def _distance(self) -> FixedPoint:
        """The engine's distance: exact, or its certified upper bound where exact arithmetic gives up."""
        try:
            return solve(self.chain, self.alpha, kind=BD, pairs=[(self.s, self.t)], exact=True, cancel=self._cancel)
        except NotConverged as reason:
            if isinstance(reason.upper, FixedPoint):
                return reason.upper
            raise SolverUnknown(str(reason)) from None

    def reduction(self, question: ThresholdQuestion) -> Reduction | None:
        """The reduction that the formula is built on; None for the faithful encoding."""
        if self.encoding == "faithful":
            return None
        return replace(self._reduction, question=question)

    def query(self, question: ThresholdQuestion) -> Query:
        """The formula that is satisfiable iff the answer is yes."""
        reduction = self.reduction(question)
        if reduction is None:
            return {"np": faithful_np, "sigma2": faithful_sigma2, "least": faithful_least}[self.formula](question)
        build = reduced.np_query if self.formula == "np" else reduced.sigma2_query
        with self._preparing.govern():
            return build(reduction, self.encoding)

    def script(self, theta: Number, *, strict: bool = False) -> str:
        """The SMT-LIB script of a question."""
        return self._script(self.query(self.question(theta, strict=strict)))

    def _script(self, query: Query) -> str:
        return to_smtlib(query) if self.bits is None else to_bitvectors(integer_program(query, self.bits))

    def decide(self, theta: Number, *, strict: bool = False) -> Decision:
        """Is bd ≤ θ (``strict``: < θ)? SolverUnknown if the solver does not know."""
        question = self.question(theta, strict=strict)
        self.calls += 1
        if self.solver == "engine":
            return self._measure(question)
        query = self.query(question)
        script = self._script(query)
        self.size = FormulaSize(len(query.variables), len(script))
        self._cancel.report(f"{self.solver}: a formula of {self.size}")
        answer = run(self.solver, script, self._seconds)
        return self._check(query, answer)

    @property
    def _seconds(self) -> float | None:
        """How long a call of the solver may take: as long as each may, and no longer than what is left of the whole."""
        return min((limit for limit in (self.timeout, self._cancel.left) if limit is not None), default=None)

    def _measure(self, question: ThresholdQuestion) -> Decision:
        started = time.perf_counter()
        value, side = self._distance.fraction((self.s, self.t)), self._distance.side
        holds = value < question.theta if question.strict else value <= question.theta
        # An upper bound can prove a yes, and never a no.
        if side == "upper" and not holds:
            raise SolverUnknown(f"the engine has only an upper bound of bd, which is not {question.relation} theta")
        return Decision(question, holds, "engine", time.perf_counter() - started, exact=side == "exact")

    def _check(self, query: Query, answer: SolverAnswer) -> Decision:
        if answer.verdict == "unknown":
            raise SolverUnknown(f"{self.solver} does not know whether {query.question}: {answer.reason or 'no reason'}")
        reduction = self.reduction(query.question)
        settled = reduction is not None and not reduction.problems
        if answer.verdict == "unsat":
            if self.bits is not None and not (reduction is not None and self.bits >= complete_bits(reduction)):
                enough = "" if reduction is None else f"; {complete_bits(reduction)} bits would settle it"
                raise SolverUnknown(f"no ratios of numbers of {self.bits} bits show that {query.question}{enough}")
            return Decision(query.question, False, self.solver, answer.seconds, settled=settled)
        model = answer.model
        if self.bits is not None:
            numbers = {name: value for name, value in model.items() if isinstance(value, Fraction)}
            model = read_model(integer_program(query, self.bits), numbers)
        proof = prefixed_point_from_model(query, model, self.background, reduction, self.timeout)
        return Decision(query.question, True, self.solver, answer.seconds, proof, settled)


def _refuse(solver: str, formula: str, encoding: str, bits: int | None) -> None:
    """InputError for every name that is not known and for combinations that there are not."""
    known = {"solver": (solver, SolverName), "formula": (formula, FormulaName), "encoding": (encoding, EncodingName)}
    defects = [
        Defect(what, f"no {what} {given!r}", f"{what}s are {', '.join(get_args(names))}")
        for what, (given, names) in known.items()
        if given not in get_args(names)
    ]
    if formula == "least" and encoding in ("reduced", "bounded"):
        defects.append(
            Defect("formula", f"'least' has no {encoding} form", "give encoding 'faithful', or formula 'sigma2'")
        )
    if bits is not None and solver == "engine":
        defects.append(Defect("bits", "the engine reads no formula", "leave it out, or name a solver"))
    elif bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS):
        defects.append(Defect("bits", f"{bits!r} is not a size of an integer", f"give a number from 1 to {MOST_BITS}"))
    if bits is not None and formula in ("sigma2", "least"):
        defects.append(Defect("formula", f"{formula!r} has quantifiers", "only 'np' has an integer encoding"))
    if defects:
        raise InputError(defects)


# From thresholds to the value.

Oracle = Callable[[Fraction, bool], bool]
"""oracle(θ, strict): whether bd ≤ θ, or with strict bd < θ. Raises SolverUnknown if it does not know."""


@dataclass(frozen=True)
class Bisection:
    """lower ≤ bd ≤ upper, after so many calls of the oracle."""

    lower: Fraction
    upper: Fraction
    calls: int


@dataclass(frozen=True)
class ExactValue:
    """bd, verified by bd ≤ value and not bd < value."""

    value: Fraction
    calls: int
    denominator_bound: int | None = field(repr=False)


def oracle(decider: Decider) -> Oracle:
    """The threshold oracle of a decider, whatever its solver."""
    return lambda theta, strict: decider.decide(theta, strict=strict).holds


def bisect(ask: Oracle, precision: Number) -> Bisection:
    """An interval around bd, at most ``precision`` long, after at most 1 + ⌈log₂(1/precision)⌉ calls.

    Raises NotConverged with the interval reached, as a Bisection, if the oracle does not know.

    >>> bisect(lambda theta, strict: Fraction(1, 3) <= theta, "1/10")
    Bisection(lower=Fraction(5, 16), upper=Fraction(3, 8), calls=5)
    """
    width = as_fraction(precision, "precision")
    if width <= 0:
        raise InputError(Defect("precision", f"{width} is not positive", "such as 1/1000"))
    interval = _Interval(ask)
    interval.at_most(Fraction(0))
    while interval.upper - interval.lower > width:
        interval.halve()
    return interval.now


ATTACHED = "; the interval reached is attached"
"""What an exception says of its interval, in Python."""


class _Interval:
    """lower < bd ≤ upper (or lower = upper = 0), and the calls that showed it."""

    def __init__(self, ask: Oracle) -> None:
        self.ask = ask
        self.lower, self.upper, self.calls = Fraction(0), Fraction(1), 0

    @property
    def now(self) -> Bisection:
        return Bisection(self.lower, self.upper, self.calls)

    def _is_asked(self, theta: Fraction, strict: bool) -> bool:
        self.calls += 1
        try:
            return self.ask(theta, strict)
        except SolverUnknown as reason:
            raise NotConverged(f"{reason}{ATTACHED}", self.now) from None

    def at_most(self, theta: Fraction) -> bool:
        """Ask bd ≤ θ, and keep what that says."""
        holds = self._is_asked(theta, False)
        if holds:
            self.upper = min(self.upper, theta)
        else:
            self.lower = max(self.lower, theta)
        return holds

    def below(self, theta: Fraction) -> bool:
        """Ask bd < θ."""
        return self._is_asked(theta, True)

    def halve(self) -> None:
        self.at_most((self.lower + self.upper) / 2)


def exact_value(ask: Oracle, *, bound: int | None = None, most_calls: int | None = None) -> ExactValue:
    """The value of bd. ``bound`` limits its denominator, see `reduced.denominator_bound`; None: any denominator.

    ``most_calls`` is as many as the bound can ask for unless it is given, and 10,000 without a bound.
    Raises InputError if bd has a larger denominator than ``bound``, NotConverged with the interval reached if the
    oracle does not know or the calls are used up.
    """
    if bound is not None and bound < 1:
        raise InputError(Defect("bound", "it is not positive", "a bound on the denominator of bd"))
    bits = 0 if bound is None else bound.bit_length()
    if most_calls is None:
        # 2 log₂ D halvings, and two calls after each doubling of their number.
        most_calls = 10_000 if bound is None else 4 * bits + 64
    interval = _Interval(ask)
    if interval.at_most(Fraction(0)):
        return ExactValue(Fraction(0), interval.calls, bound)
    halvings = 0
    while interval.calls < most_calls:
        # Different fractions with denominators up to D are at least 1/D²
        # apart: so narrow, the interval holds at most one.
        narrow = bound is not None and interval.upper - interval.lower < Fraction(1, bound * bound)
        # After 0, 1, 2, 4, 8, … halvings: a simple value is found soon, and a long one costs few calls in vain.
        if narrow or halvings & (halvings - 1) == 0:
            # lower itself is excluded; below 1/D² it cannot be the simplest, and before that the next round decides.
            low, high = interval.lower, interval.upper
            candidate = simplest_between(low, high) if low else _simplest(high)
            if candidate > interval.lower and interval.at_most(candidate) and not interval.below(candidate):
                return ExactValue(candidate, interval.calls, bound)
            if narrow:
                what = f"bd has a denominator above this bound of {bits} bits"
                raise InputError(Defect("bound", what, "give a larger bound"))
        interval.halve()
        halvings += 1
    raise NotConverged(f"bd not found in {most_calls} calls{ATTACHED}", interval.now)


def _simplest(upper: Fraction) -> Fraction:
    """The fraction of least denominator in (0, upper]."""
    return Fraction(1, -(-upper.denominator // upper.numerator))
