"""`exact_threshold`: bd itself, found by asking a solver about thresholds alone [CMP18, Theorem 3].

bd is rational, with a denominator up to a bound D. Bisection keeps an interval around it, by questions bd ≤ θ; the
fraction of least denominator in it, found by continued fractions, is tried after 0, 1, 2, 4, … halvings, and counts
once bd ≤ c was answered by yes and bd < c by no. Below a width of 1/D² there is no other, so that the search ends
after at most 2·log₂ D halvings: polynomially many calls of an oracle for NP. The engine, which needs no oracle, says
the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from deltachain.asking import Inquiry, Pairs, StateName, load_inquiry, reject_renamed_arguments
from deltachain.cancel import Cancel
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.kinds.bd import BD
from deltachain.errors import DeltachainError, NotConverged, SolverError, SolverUnknown, Stopped
from deltachain.numbers.fraction import ExpEpsilon, Number
from deltachain.parameters import Secrets
from deltachain.results.numbers import asked_at, epsilon_fields, interval, json_number, value_of
from deltachain.results.scope import ALONE, Scope, Scoped
from deltachain.results.sections import Fields, Rendered, Section, Table
from deltachain.results.text import LONGEST_NAME, name_pair, printable
from deltachain.settings import Settings

from .decider import ATTACHED, Bisection, Decider, exact_value, oracle
from .reduced import denominator_bound
from .verb import deciders

if TYPE_CHECKING:
    from deltachain.loading import AnyModel
    from deltachain.model import Chain


@dataclass(frozen=True, slots=True)
class PairValueByCalls:
    """bd of one pair, as thresholds tell it.

    Attributes:
        pair: the names of the two states.
        lower: bd is at least this, as the solver says.
        upper: bd is at most this.
        calls: how many thresholds were asked about.
        denominator_bits: the length of the bound on bd's denominator.
        engine: bd as the engine computes it; None where it has no exact value.
        reason: why the value was not found; None where it was.
        seconds: how long the calls took, by the clock.
    """

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    calls: int
    denominator_bits: int | None
    engine: Fraction | None
    reason: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def value(self) -> Fraction | None:
        """bd; None where it was not found."""
        return self.upper if self.lower == self.upper else None

    @property
    def agrees(self) -> bool | None:
        """Whether the engine says the same: its value is in the interval; None where it has none."""
        return None if self.engine is None else self.lower <= self.engine <= self.upper


@dataclass(frozen=True, repr=False)
class ExactThreshold(Scoped, Rendered):
    """bd of pairs of states, found from thresholds alone; a value.

    Attributes:
        exp_epsilon: the e^ε that was asked for; the distance is the one at ``exp_epsilon.below``.
        solver: who answered.
        formula: which of the paper's formulas; None for the engine.
        encoding: how it was written; None for the engine.
        results: every pair, in the order asked.
        scope: at which confidence, where rows come from counts that leave a single chain.
    """

    exp_epsilon: ExpEpsilon
    solver: str
    formula: str | None
    encoding: str | None
    results: tuple[PairValueByCalls, ...]
    scope: Scope = field(default=ALONE, kw_only=True)

    @property
    def found(self) -> bool:
        """Whether the value of every pair was found."""
        return all(row.value is not None for row in self.results)

    @property
    def agrees(self) -> bool:
        """Whether nothing that was found differs from the engine."""
        return all(row.agrees is not False for row in self.results)

    @property
    def _asked(self) -> str:
        return f"{self.solver}, {asked_at(self.exp_epsilon)}"

    @property
    def headline(self) -> str:
        """The value of the one pair with its calls, or how many were found."""
        if len(self.results) != 1:
            count = sum(row.value is not None for row in self.results)
            return f"bd of {count} of {len(self.results)} pairs found by {self.solver}{self.scope.aside}"
        (row,) = self.results
        what = interval(f"bd{name_pair(row.pair, LONGEST_NAME)}", row.lower, row.upper)
        return f"{what}, by {_count(row.calls, 'call')} of {self.solver}{self.scope.aside}"

    def sections(self) -> Sequence[Section]:
        """Who was asked, and every pair with its calls, beside what the engine says."""
        rows = epsilon_fields(self.exp_epsilon)
        how = "" if self.formula is None else f", formula {self.formula}, {self.encoding}"
        rows.append(("asked", f"{self.solver}{how}"))
        table: list[tuple[str, ...]] = [
            (
                name_pair(row.pair),
                interval("bd", row.lower, row.upper).removeprefix("bd = ").removeprefix("bd "),
                str(row.calls),
                "" if row.denominator_bits is None else _count(row.denominator_bits, "bit"),
                _compare(row),
                printable(row.reason or ""),
            )
            for row in self.results
        ]
        header: tuple[str, ...] = ("pair", "bd", "calls", "denominator at most", "engine", "stopped")
        if not any(row.reason for row in self.results):
            header, table = header[:-1], [line[:-1] for line in table]
        return [Fields(rows), Table(header, table)]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of ``deltachain threshold --exact --json`` that are its own."""
        return {
            "solver": self.solver,
            "formula": self.formula,
            "encoding": self.encoding,
            "bits": None,
            **self.scope.keys(),
            "results": [],
            "exact": [
                {
                    "pair": list(row.pair),
                    "value": None if row.value is None else json_number(row.value),
                    "lower": json_number(row.lower, "lower"),
                    "upper": json_number(row.upper, "upper"),
                    "calls": row.calls,
                    "denominator_bits": row.denominator_bits,
                    "engine": None if row.engine is None else json_number(row.engine),
                    "agrees": row.agrees,
                    "reason": row.reason,
                }
                for row in self.results
            ],
        }


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _compare(row: PairValueByCalls) -> str:
    if row.engine is None:
        return "no exact value in this time"
    return "the same" if row.engine == row.value else value_of(row.engine, row.engine)


@reject_renamed_arguments
def exact_threshold(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    solver: str = "z3",
    formula: str | None = None,
    encoding: str = "bounded",
    timeout: float | None = 60,
    cancel: Cancel | None = None,
) -> ExactThreshold:
    """The distance bd at e^ε (at a rational just below it, for ``epsilon``), from answers to bd ≤ θ and bd < θ alone.

    This is Theorem 3 of the paper, with a solver as the oracle, for comparison; `distance` is the way to compute bd.

    Args:
        model: a chain, or what `load` takes.
        s: a state, by name or number.
        t: another one.
        epsilon: ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program.
        solver: ``"z3"``, ``"cvc5"``, or ``"engine"``, which computes the distance.
        formula: ``"np"``, ``"sigma2"`` or ``"least"``; None for the solver's default.
        encoding: ``"faithful"``, ``"reduced"`` or ``"bounded"``.
        timeout: seconds for each call of a solver; None for no limit.
        cancel: a deadline for the whole, and where progress goes.

    Raises:
        InputError: the question does not apply to this model.
        BackendMissing: the solver is not installed.

    >>> import deltachain as dc
    >>> exact_threshold(dc.examples.split_coin(), "s0", "s1", exp_epsilon="6/5", solver="engine").results[0].value
    Fraction(1, 4)
    """
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    cancel = cancel or Cancel()
    inquiry = load_inquiry(model, Settings(secrets=secrets, cancel=cancel), s, t, pairs)
    chain = inquiry.chain
    found_by = deciders(chain, inquiry.pairs, at, solver, formula, encoding, timeout, None, cancel)
    results = tuple(_find(chain, decider, cancel) for decider in found_by)
    formula_used, encoding_used = (None, None) if solver == "engine" else (found_by[0].formula, encoding)
    return ExactThreshold(at, solver, formula_used, encoding_used, results, scope=Scope.of(chain))


def _find(chain: Chain, decider: Decider, cancel: Cancel) -> PairValueByCalls:
    """Bd of one pair, or the interval that was reached."""
    pair = chain.states[decider.s], chain.states[decider.t]
    started, ask = time.perf_counter(), oracle(decider)

    def is_counted(theta: Fraction, strict: bool) -> bool:  # as an oracle is asked
        cancel.report(f"{pair[0]} against {pair[1]}: {decider.solver}, call {decider.calls + 1}")
        try:
            cancel.check()
            return ask(theta, strict)
        except Stopped as stopped:  # the interval that was reached goes with what is not known
            raise SolverUnknown(str(stopped)) from None

    bits, low, high, reason = None, Fraction(0), Fraction(1), None
    try:
        bound = _denominator_bound(decider)
        bits = bound.bit_length()
        low = high = exact_value(is_counted, bound=bound).value
    except NotConverged as stopped:
        reason = str(stopped).removesuffix(ATTACHED)
        if isinstance(stopped.upper, Bisection):
            low, high = stopped.upper.lower, stopped.upper.upper
    except (SolverUnknown, Stopped) as stopped:
        reason = str(stopped)
    seconds = time.perf_counter() - started
    return PairValueByCalls(pair, low, high, decider.calls, bits, _by_engine(decider, cancel), reason, seconds)


def _denominator_bound(decider: Decider) -> int:
    """A bound on the denominator of bd, which no formula changes (docs/theory/smt.md, from thresholds to the value)."""
    reduced = decider
    if decider.encoding == "faithful":
        reduced = Decider(decider.chain, decider.s, decider.t, exp_epsilon=decider.alpha, encoding="reduced")
    reduction = reduced.reduction(reduced.question(1))
    if reduction is None:
        raise DeltachainError("a reduced formula has its reduction")
    return denominator_bound(reduction)


def _by_engine(decider: Decider, cancel: Cancel) -> Fraction | None:
    pair = decider.s, decider.t
    try:
        found: FixedPoint = solve(decider.chain, decider.alpha, kind=BD, pairs=[pair], exact=True, cancel=cancel)
    except (SolverError, Stopped):
        return None
    return found.fraction(pair)
