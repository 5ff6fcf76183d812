"""Deciding bd(s, t) ≤ θ: build the formula, give it to a solver, check what it says.

A "yes" is returned only with a pre-fixed point that proves it, as the trusted checker confirms. A "no" is the solver's
``unsat`` (or, for the engine, the exact distance). Anything else raises SolverUnknown.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, get_args

from ..distances.fixed_point import FixedPoint, solve
from ..errors import Defect, InputError, NotConverged, SolverUnknown
from ..model import Chain
from ..rational import Number, as_alpha, as_fraction
from . import faithful, reduced
from .bounded_integers import MOST_BITS, complete_bits, integer_program, read_model, to_bitvectors
from .constraints import EncodingName, FormulaName, Query, ThresholdQuestion, to_smtlib
from .prefixed_point import PrefixedPoint, prefixed_point_from_model
from .reduced import Background, Reduction, look, reduce_question, sweep_bounds
from .solvers import SOLVERS, SolverAnswer, backend, run, time_limit

SolverName = Literal["z3", "cvc5", "engine"]


@dataclass(frozen=True)
class Decision:
    """The answer to a question; ``proof`` is there for every "yes" that a solver gave.

    ``settled``: exact bounds alone decided it; the solver only compared two numbers.
    """

    question: ThresholdQuestion
    holds: bool
    solver: str
    seconds: float
    proof: PrefixedPoint | None = None
    settled: bool = False


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
    ) -> None:
        formula = formula or default_formula(solver, bits)
        _refuse(solver, formula, encoding, bits)
        self.chain, self.s, self.t = chain, chain.number(s), chain.number(t)
        self.alpha, self.timeout = as_alpha(exp_epsilon), time_limit(timeout)
        self.solver, self.formula, self.encoding, self.bits = solver, formula, encoding, bits
        self.calls = 0

    def question(self, theta: Number, *, strict: bool = False) -> ThresholdQuestion:
        """The question for one θ; InputError outside [0, 1]."""
        return ThresholdQuestion(self.chain, self.s, self.t, self.alpha, as_fraction(theta, "theta"), strict)

    @cached_property
    def background(self) -> Background:
        """The relevant pairs and their zero set."""
        return look(self.question(1))

    @cached_property
    def _reduction(self) -> Reduction:
        bounds = sweep_bounds(self.background) if self.encoding == "bounded" else self.background.zero_bounds
        return reduce_question(self.question(1), bounds)

    @cached_property
    def _distance(self) -> FixedPoint:
        """The engine's distance: exact, or its certified upper bound where exact arithmetic gives up."""
        try:
            return solve(self.chain, self.alpha, kind="bd", pairs=[(self.s, self.t)], exact=True)
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
            builders = {"np": faithful.np_query, "sigma2": faithful.sigma2_query, "least": faithful.least_query}
            return builders[self.formula](question)
        build = reduced.np_query if self.formula == "np" else reduced.sigma2_query
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
            return self._measured(question)
        query = self.query(question)
        answer = run(self.solver, self._script(query), self.timeout)
        return self._checked(query, answer)

    def _measured(self, question: ThresholdQuestion) -> Decision:
        started = time.perf_counter()
        value, side = self._distance[self.s, self.t], self._distance.side
        holds = value < question.theta if question.strict else value <= question.theta
        if side == "upper" and not holds:
            raise SolverUnknown(f"the engine has only an upper bound of bd, which is not {question.relation} theta")
        return Decision(question, holds, "engine", time.perf_counter() - started)

    def _checked(self, query: Query, answer: SolverAnswer) -> Decision:
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
    defects = []
    if solver not in get_args(SolverName):
        defects.append(Defect("solver", f"no solver {solver!r}", f"solvers are {', '.join(get_args(SolverName))}"))
    if formula not in get_args(FormulaName):
        defects.append(Defect("formula", f"no formula {formula!r}", f"formulas are {', '.join(get_args(FormulaName))}"))
    if encoding not in get_args(EncodingName):
        known = ", ".join(get_args(EncodingName))
        defects.append(Defect("encoding", f"no encoding {encoding!r}", f"encodings are {known}"))
    if formula == "least" and encoding in ("reduced", "bounded"):
        defects.append(
            Defect("formula", f"'least' has no {encoding} form", "give encoding 'faithful', or formula 'sigma2'")
        )
    if bits is not None and solver == "engine":
        defects.append(Defect("bits", "the engine reads no formula", "leave it out, or name a solver"))
    elif bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS):
        defects.append(Defect("bits", f"{bits!r} is no size of an integer", f"give a number from 1 to {MOST_BITS}"))
    if bits is not None and formula in ("sigma2", "least"):
        defects.append(Defect("formula", f"{formula!r} has quantifiers", "only 'np' has an integer encoding"))
    if defects:
        raise InputError(defects)
    if solver in SOLVERS:
        backend(solver)


def decide(
    chain: Chain,
    s: str | int,
    t: str | int,
    theta: Number,
    *,
    exp_epsilon: Number,
    strict: bool = False,
    solver: str = "z3",
    formula: str | None = None,
    encoding: str = "bounded",
    timeout: float | None = None,
    bits: int | None = None,
) -> Decision:
    """Is bd(s, t) ≤ θ (``strict``: < θ) on the chain as given? SolverUnknown if the solver does not know.

    >>> from deltachain.examples import coin
    >>> decide(coin(), "s0", "s1", 0, exp_epsilon="3/2").holds
    True
    """
    decider = Decider(
        chain,
        s,
        t,
        exp_epsilon=exp_epsilon,
        solver=solver,
        formula=formula,
        encoding=encoding,
        timeout=timeout,
        bits=bits,
    )
    return decider.decide(theta, strict=strict)
