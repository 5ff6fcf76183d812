"""`distance`: bd, ld or sd of the chain as given, or of its quotient.

bd is symmetric. ld and sd are directed: δ(s, t) asks about both directions, and is bounded by the larger of ld(s, t)
and ld(t, s) alone. A result therefore has both, and their maximum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..cancel import Cancel, Report
from ..distances.pair_table import PairDistance, PairTable, Side, largest_of, top_of
from ..errors import InputError, NotConverged
from ..model import Chain, quotient
from ..rational import ExpEpsilon, Number
from ..render.html import html_table
from ..render.numbers import bound, json_number
from ..render.results import asked_at, named, pair_interval, value_of
from .parameters import State, asked_pairs, watching
from .values import ProvedValue

if TYPE_CHECKING:
    from ..certificate.record import Certificate
    from ..distances.fixed_point import Distance as Solution
    from ..distances.pair_space import Kind
    from ..model import Quotient

LISTED = 10_000
"""Up to so many pairs are listed one by one in tables and in JSON; of more, the `SHOWN` largest."""
SHOWN = 40


@dataclass(frozen=True)
class _Proof:
    """The engine's solution, on the chain or its quotient, and the pairs that were asked for, as states of it."""

    chain: Chain
    solution: Solution
    merged: Quotient | None
    pairs: Sequence[tuple[int, int]] | None
    """None: every pair of one label."""

    def certified_pairs(self) -> list[tuple[int, int]]:
        """The pairs, those of all states where none were asked for."""
        if self.pairs is not None:
            return list(self.pairs)
        number = self.solution.chain.number
        return [(number(row.pair[0]), number(row.pair[1])) for row in self.solution.table()]


@dataclass(frozen=True, repr=False)
class Distance(ProvedValue):
    """bd, ld or sd of pairs of states: ``d["s", "t"]`` is a Fraction. A value; its proof is `certificate`.

    Measured at ``exp_epsilon.below``. That makes it an upper bound of δ at e^ε; where e^ε was not given exactly it need
    not be one of the distance at e^ε, for distances do not always fall as α grows.
    """

    kind: Kind
    exp_epsilon: ExpEpsilon
    side: Side
    """What the values are: ``"exact"``, or ``"upper"``, certified upper bounds."""
    results: Sequence[PairDistance]
    """Every pair, in the order asked; of millions, made as they are looked at."""
    merged: bool
    """Whether it was measured on the bisimulation quotient,"""
    measured: int
    """which, or the chain itself, has so many states."""
    traces: bool
    """Whether flows balance up to what traces can tell; for sd."""
    states: tuple[str, ...] = field(compare=False)
    """The chain's states: pairs may be given by number too."""
    _proof: _Proof | None = field(compare=False)

    PROVED = ("certificate",)

    @property
    def value(self) -> Fraction:
        """The largest distance over all pairs and both directions: a bound on δ for every pair asked for."""
        return largest_of(self.results)

    @cached_property
    def _values(self) -> dict[tuple[str, str], Fraction]:
        there = {result.pair: result.value for result in self.results}
        back = {(t, s): result.reverse for result in self.results for s, t in [result.pair]}
        return back | there

    def __getitem__(self, pair: tuple[State, State]) -> Fraction:
        s, t = (state if isinstance(state, str) else self.states[state] for state in pair)
        if isinstance(self.results, PairTable):
            number = self.results.number
            found = self.results.find(number[s], number[t]) if s in number and t in number else None
        else:
            found = self._values.get((s, t))
        if found is None:
            raise InputError(f"pair ({s!r}, {t!r}) was not asked for: name it, or ask for pairs='all'")
        return found

    def __len__(self) -> int:
        return len(self.results)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of every pair, both directions; see docs/certificate.md."""
        from ..certificate.distances import distance_certificate

        proof = self._found(self._proof)
        pairs = proof.certified_pairs()
        if self.kind != "bd":
            pairs = list(dict.fromkeys([*pairs, *((t, s) for s, t in pairs)]))
        original = None if proof.merged is None else proof.chain
        return distance_certificate(proof.solution, pairs, original=original, quotient=proof.merged)

    def __repr__(self) -> str:
        return f"<Distance: {self._sentence()}, {asked_at(self.exp_epsilon)}>"

    def _sentence(self) -> str:
        if len(self.results) != 1:
            return f"{self.kind} of {len(self.results)} pairs, {self.side}, at most {bound(self.value, 'upper')[2:]}"
        result = self.results[0]
        s, t = result.pair
        shown = pair_interval(self.kind, (s, t), result.value, result.value)
        if self.kind != "bd":
            shown += f", {pair_interval(self.kind, (t, s), result.reverse, result.reverse)}"
        return f"{shown}, {result.side}"

    def _repr_html_(self) -> str:
        shown = self.listed
        header: tuple[str, ...] = ("pair", self.kind, "side")
        rows: list[tuple[str, ...]] = [(named(r.pair), value_of(r.value, r.value), r.side) for r in shown]
        if self.kind != "bd":
            header = ("pair", self.kind, "reverse", "larger, bounds δ", "side")
            rows = [(named(r.pair), *(value_of(v, v) for v in (r.value, r.reverse, r.largest)), r.side) for r in shown]
        return html_table(f"{self._sentence()}, {asked_at(self.exp_epsilon)}", header, rows)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, the keys of its own of ``deltachain distance --json``; exact numbers as text.

        Of more than 10,000 pairs it has the 40 largest alone; ``pairs`` says how many there are.
        """
        return {
            "kind": self.kind,
            "traces": self.traces,
            "quotient": self.merged,
            "states_measured": self.measured,
            "results": [self._entry(result) for result in self.listed],
            "pairs": len(self.results),
            "largest": self.summary,
        }

    @property
    def listed(self) -> Sequence[PairDistance]:
        """The pairs that are shown one by one: all, or the largest of very many."""
        return self.results if len(self.results) <= LISTED else top_of(self.results, SHOWN)

    @property
    def summary(self) -> dict[str, str | float | None]:
        """The largest distance over all pairs, as the JSON shows it."""
        return json_number(self.value, "upper" if self.side == "upper" else None)

    def _entry(self, result: PairDistance) -> dict[str, object]:
        side: Any = "upper" if result.side == "upper" else None
        entry: dict[str, object] = {"pair": list(result.pair), "value": json_number(result.value, side)}
        if self.kind != "bd":
            entry |= {"reverse": json_number(result.reverse, side), "largest": json_number(result.largest, side)}
        return entry | {"side": result.side}


def distance(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    pairs: Iterable[tuple[State, State]] | Literal["all"] | None = None,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    kind: Kind = "bd",
    traces: bool = False,
    exact: bool | None = None,
    merge: bool = False,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Distance:
    """The distance bd, ld or sd of pairs of states; ``pairs="all"``: every pair of states of one label.

    bd is the paper's, symmetric; ld is directed, at most bd; sd, with complement constraints, is at most ld. All bound
    δ from above. ``traces``, for sd on chains of up to some hundred states, works up to trace equivalence: never
    larger, and certified from above only.

    ``exact=True`` asks for the exact value and raises NotConverged, with the certified upper Distance as ``upper``,
    where that is too dear; ``exact=False`` is content with certified upper values; None tries the exact ones on
    small chains. ``merge`` measures on the bisimulation quotient, where distances may be smaller.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> distance(chain, "s0", "s1", exp_epsilon="1.0002")
    <Distance: bd(s0, s1) = 1/2500 = 0.0004, exact, e^ε = 1.0002>
    """
    from ..distances.fixed_point import Distance as Solution
    from ..distances.fixed_point import solve
    from ..distances.pair_space import Kind

    if kind not in get_args(Kind):
        raise InputError(f"kind: {kind!r} is none of {', '.join(get_args(Kind))}")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    asked = None if isinstance(pairs, str) and pairs == "all" and s is None else asked_pairs(chain, s, t, pairs)
    with watching(cancel, timeout, report, interruptible) as cancel:
        merged = quotient(chain, cancel=cancel) if merge else None
        measured = chain if merged is None else merged.chain
        places = asked if merged is None or asked is None else [(merged.block[a], merged.block[b]) for a, b in asked]
        try:
            solution = solve(measured, at.below, kind=kind, pairs=places, exact=exact, traces=traces, cancel=cancel)
        except NotConverged as reason:
            if isinstance(reason.upper, Solution):
                raise NotConverged(str(reason), _result(chain, at, reason.upper, merged, asked)) from None
            raise
    return _result(chain, at, solution, merged, asked)


def _result(
    chain: Chain, at: ExpEpsilon, solution: Solution, merged: Quotient | None, asked: list[tuple[int, int]] | None
) -> Distance:
    """The engine's solution as a value: by the names that were asked for, or of every computed pair."""
    measured = solution.chain
    if asked is None:
        return _as_value(chain, at, solution, merged, None, solution.table())
    places = asked if merged is None else [(merged.block[s], merged.block[t]) for s, t in asked]
    named_pairs = [(chain.states[s], chain.states[t]) for s, t in asked]
    results = []
    for (s, t), ends in zip(places, named_pairs, strict=True):
        known = s == t or measured.labels[s] != measured.labels[t]
        side = "exact" if known else solution.side
        results.append(PairDistance(ends, solution[s, t], solution[t, s], side))
    return _as_value(chain, at, solution, merged, places, tuple(results))


def _as_value(
    chain: Chain,
    at: ExpEpsilon,
    solution: Solution,
    merged: Quotient | None,
    places: list[tuple[int, int]] | None,
    results: Sequence[PairDistance],
) -> Distance:
    return Distance(
        kind=solution.kind,
        exp_epsilon=at,
        side=solution.side,
        results=results,
        merged=merged is not None,
        traces=solution.traces is not None,
        measured=len(solution.chain),
        states=chain.states,
        _proof=_Proof(chain, solution, merged, places),
    )
