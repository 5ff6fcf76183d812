"""The public verbs: thin functions from a chain and a privacy parameter to an answer with its proof.

ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the chain carries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from .chain import Chain
from .errors import InputError
from .rational import Number, alpha_above, alpha_below, as_alpha, as_fraction, as_probability

if TYPE_CHECKING:
    from .certificate.record import Certificate
    from .distance.fixed_point import Distance
    from .distance.space import Kind
    from .trace.intervals import Answer, PairAnswer, Prepared, Search
    from .trace.unroll import Interval
    from .trace.witness import Witness

__all__ = [
    "Delta",
    "PairDelta",
    "Verdict",
    "check",
    "delta",
    "distance",
    "exp_epsilon_bounds",
    "pair_numbers",
    "verify",
]

State = str | int
Report = Callable[[str], None]


def exp_epsilon_bounds(epsilon: Number | None, exp_epsilon: Number | None) -> tuple[Fraction, Fraction]:
    """(α_below, α_above) with α_below ≤ e^ε ≤ α_above; equal when e^ε itself is given."""
    if epsilon is not None and exp_epsilon is None:
        return alpha_below(epsilon), alpha_above(epsilon)
    if exp_epsilon is not None and epsilon is None:
        alpha = as_alpha(exp_epsilon)
        return alpha, alpha
    raise InputError("give epsilon or exp_epsilon (that is, e^epsilon), one of the two")


def pair_numbers(chain: Chain, pairs: Iterable[tuple[State, State]] | None) -> list[tuple[int, int]]:
    """The pairs by number; those of the chain's relation by default. InputError if there are none."""
    numbered = list(chain.relation) if pairs is None else [(chain.number(s), chain.number(t)) for s, t in pairs]
    if not numbered:
        names = ", ".join(chain.states[:8]) + (", …" if len(chain) > 8 else "")
        raise InputError(f"no pairs to compare: the chain carries no relation; name two of its states ({names})")
    return list(dict.fromkeys(numbered))


def distance(
    chain: Chain,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    kind: Kind = "bd",
    pairs: Iterable[tuple[State, State]] | None = None,
    exact: bool | None = None,
    report: Report | None = None,
) -> Distance:
    """Bd or ld of the chain as given; ``pairs`` defaults to every same-label pair.

    For ``epsilon`` the distance is computed at a rational α_below ≤ e^ε (relative error 2^-60), which makes it an
    upper bound of the distance at e^ε; at ``exp_epsilon`` it is what `Distance.side` says.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> d = distance(chain, exp_epsilon="1.0002")
    >>> d["s0", "s1"], d.side
    (Fraction(1, 2500), 'exact')
    """
    from .distance.fixed_point import solve

    if kind not in ("bd", "ld"):
        raise InputError(f"kind: {kind!r} is neither 'bd' nor 'ld'")
    below, _ = exp_epsilon_bounds(epsilon, exp_epsilon)
    numbered = None if pairs is None else pair_numbers(chain, pairs)
    return solve(chain, below, kind=kind, pairs=numbered, exact=exact, report=report)


@dataclass(frozen=True, slots=True)
class PairDelta:
    """The certified interval of one pair: lower ≤ δ ≤ upper."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    method: str

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Delta:
    """Certified intervals for the smallest δ, pair by pair; ``lower`` and ``upper`` are those of the worst pair.

    Upper bounds hold at ``exp_epsilon[0]`` ≤ e^ε and lower bounds at ``exp_epsilon[1]`` ≥ e^ε, hence at e^ε.
    """

    exp_epsilon: tuple[Fraction, Fraction]
    answer: Answer

    @cached_property
    def results(self) -> tuple[PairDelta, ...]:
        """Every pair, in the order asked."""
        return tuple(PairDelta(self._names(p), p.interval.lower, p.interval.upper, p.method) for p in self.answer.pairs)

    def _names(self, found: PairAnswer) -> tuple[str, str]:
        s, t = found.pair
        return self.answer.chain.states[s], self.answer.chain.states[t]

    @property
    def lower(self) -> Fraction:
        """A lower bound for the worst pair's δ, with a witness."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Fraction:
        """An upper bound for every pair's δ."""
        return max(result.upper for result in self.results)

    @property
    def exact(self) -> bool:
        """Whether δ over all pairs is known exactly."""
        return self.lower == self.upper

    @property
    def nodes(self) -> int:
        """The number of belief pairs that were looked at."""
        return self.answer.nodes

    @property
    def interrupted(self) -> bool:
        """Whether time ran out, or Ctrl-C was pressed, before the search was over."""
        return self.answer.interrupted

    @cached_property
    def witness(self) -> Witness | None:
        """The event that gives the worst pair away, by its most telling words; None if no difference was found."""
        from .trace.witness import find_witness

        worst = max(self.answer.pairs, key=lambda p: p.interval.lower)
        return find_witness(self.answer, worst)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of both sides for every pair; see docs/certificate.md."""
        from .certificate.deltas import delta_certificate

        return delta_certificate(self.answer)


@dataclass(frozen=True)
class Verdict(Delta):
    """A `Delta` measured against a δ that is allowed."""

    allowed: Fraction

    def verdict_of(self, result: PairDelta) -> Literal["private", "violated", "undecided"]:
        """The verdict on one pair."""
        if result.upper <= self.allowed:
            return "private"
        return "violated" if result.lower > self.allowed else "undecided"

    @property
    def verdict(self) -> Literal["private", "violated", "undecided"]:
        """``"private"``: proved for all pairs; ``"violated"``: refuted for one, see `witness`; else ``"undecided"``."""
        verdicts = {self.verdict_of(result) for result in self.results}
        return "violated" if "violated" in verdicts else "undecided" if "undecided" in verdicts else "private"


def search_for(
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    enough: Callable[[Sequence[Interval]], bool] | None = None,
) -> Search:
    """The limits of a search, checked."""
    from .trace.intervals import Search

    width = None if gap is None else as_fraction(gap, "gap")
    if width is not None and width <= 0:
        raise InputError("gap: it must be above 0 (leave it out for the best that can be had)")
    if max_nodes is not None and max_nodes < 1:
        raise InputError(f"max_nodes: {max_nodes} is below 1")
    if timeout is not None and not timeout > 0:
        raise InputError(f"timeout: {timeout} seconds; it must be above 0")
    end = None if timeout is None else time.monotonic() + timeout
    return Search(
        gap=width,
        max_nodes=max_nodes,
        stop=lambda: end is not None and time.monotonic() >= end,
        enough=enough or (lambda _: False),
        report=report or (lambda _: None),
    )


def _prepared(chain: Chain, s: State | None, t: State | None, pairs: Iterable[tuple[State, State]] | None) -> Prepared:
    from .trace.intervals import Prepared

    if (s is None) != (t is None) or (s is not None and pairs is not None):
        raise InputError("name two states, or give pairs, or neither for the chain's relation")
    if s is not None and t is not None:
        pairs = [(s, t)]
    return Prepared(chain, pair_numbers(chain, pairs))


def delta(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
) -> Delta:
    """A certified interval for the smallest δ such that the pairs are (ε, δ)-private.

    Stops when the interval is exact, or narrower than ``gap`` (default: as narrow as a finite search gets, 1e-6 on
    chains with cycles), or after ``max_nodes`` belief pairs or ``timeout`` seconds; it is certified whenever it stops,
    on Ctrl-C too.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> r = delta(chain, "s0", "s1", exp_epsilon="1.0002")
    >>> r.lower, r.upper, r.exact
    (Fraction(7501, 25000000), Fraction(7501, 25000000), True)
    """
    alphas = exp_epsilon_bounds(epsilon, exp_epsilon)
    search = search_for(gap, max_nodes, timeout, report)
    return Delta(alphas, _prepared(chain, s, t, pairs).bound(*alphas, search))


def check(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
) -> Verdict:
    """Is every pair (ε, δ)-private? Three-valued, and certified; stops as soon as the verdict is known.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> check(chain, exp_epsilon="1.0002", delta="3e-4").verdict
    'violated'
    """
    allowed = as_probability(delta, "delta")
    alphas = exp_epsilon_bounds(epsilon, exp_epsilon)

    def enough(intervals: Sequence[Interval]) -> bool:
        return max(i.upper for i in intervals) <= allowed or max(i.lower for i in intervals) > allowed

    search = search_for(gap, max_nodes, timeout, report, enough)
    return Verdict(alphas, _prepared(chain, s, t, pairs).bound(*alphas, search), allowed)


def verify(chain: Chain, certificate: Certificate) -> list[str]:
    """Have the trusted checker check a certificate against a chain: what it proves, or CertificateRejected."""
    from .certificate.plain import Model, parse
    from .check import verify

    names = chain.states
    rows = {names[s]: {names[j]: p for j, p in row} for s, row in enumerate(chain.rows)}
    return verify(Model(dict(zip(names, chain.labels, strict=True)), rows), parse("".join(certificate.chunks())))
