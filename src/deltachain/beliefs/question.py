"""What is asked: a chain, pairs of its states, e^ε, and when to stop. Read once, from raw input, with all its defects.

`Terms` is the half that can be read, and refused, before the model is there; `Terms.about` makes the `Question`, which
travels unchanged through the search into its proofs. Both are frozen values: ``replace(question, at=…)`` asks the same
at another ε.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeVar

from ..errors import Defect, InputError, require_possible
from ..model import Chain, Loaded
from ..model.chain import Pair
from ..numbers.field import Exact, ends
from ..numbers.fraction import ExpEpsilon, Number, as_probability
from ..numbers.precision import EPSILON_BITS
from ..parameters import as_gap, as_nodes, as_questions, as_runs
from .reach import IRRATIONAL, column_of

ZERO, ONE = Fraction(0), Fraction(1)
Found = TypeVar("Found")
StateName = str | int
"""A state as a caller names it."""

StopReason = Literal["finished", "gap", "letters", "nodes", "time", "interrupted"]
"""Why a search ended: nothing is left to search (δ is known, or the rest is in how closely rows are), the interval is
narrow enough (or the verdict known), what is open is in letters that stand for tails, or a limit."""


@dataclass(frozen=True, slots=True)
class Interval:
    """lower ≤ δ ≤ upper, and the direction (0: s against t, 1: t against s) that attains the lower bound.

    0 ≤ lower ≤ upper ≤ 1: an interval that no δ lies in is a mistake of ours, and raises `ImpossibleBound`.
    """

    lower: Fraction
    upper: Fraction
    direction: int
    value: Exact | None = None
    """δ itself, where it is known exactly."""
    ways: tuple[tuple[Fraction, Fraction], ...] = field(default=(), compare=False)
    """(lower, upper) of s against t, and of t against s, where these are known apart."""

    def __post_init__(self) -> None:
        require_possible(self.lower, self.upper)

    @classmethod
    def exactly(cls, value: Exact, direction: int = 0, ways: tuple[tuple[Fraction, Fraction], ...] = ()) -> Interval:
        """The interval of an exact number: one Fraction, or two around it."""
        if isinstance(value, Fraction):
            return cls(value, value, direction, value, ways)
        require_possible(value, value)
        low, high = ends(value)
        return cls(max(low, ZERO), min(high, ONE), direction, value, ways)

    @classmethod
    def largest(cls, intervals: Iterable[Interval]) -> list[Interval]:
        """The interval of the largest δ among these, or none: a verdict on all of them asks for no more."""
        found = list(intervals)
        return [cls(max(i.lower for i in found), max(i.upper for i in found), 0)] if found else []

    @classmethod
    def of_directions(cls, one: tuple[Exact, Exact], other: tuple[Exact, Exact]) -> Interval:
        """From (lower, upper) of s against t and of t against s; ends that say nothing, below 0 or above 1, are cut."""
        (lower0, upper0), (lower1, upper1) = one, other
        # δ is the larger of the two directions (docs/theory/definitions.md), and so are both its bounds.
        lower, upper = max(lower0, lower1, ZERO), min(max(upper0, upper1), ONE)
        direction = 0 if lower0 >= lower1 else 1
        ways = _cut(*one), _cut(*other)
        # Asked of the exact numbers: the fractions around two equal irrational ones differ.
        if lower == upper:
            return cls.exactly(lower, direction, ways)
        require_possible(lower, upper)
        return cls(ends(lower)[0], min(ends(upper)[1], ONE), direction, None, ways)


def _cut(low: Exact, high: Exact) -> tuple[Fraction, Fraction]:
    """The ends of one direction as Fractions from 0 to 1."""
    if low is high and isinstance(low, Fraction) and 0 <= low.numerator <= low.denominator:
        return low, low
    return max(ends(low)[0], ZERO), min(ends(high)[1], ONE)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work a search may do, whatever time that takes.

    Attributes:
        max_nodes: beliefs that may be met or expanded; None for the default of each method.
        share: how much of the default budget of signed beliefs may be spent, where ``max_nodes`` does not say.
    """

    max_nodes: int | None = None
    share: Fraction = Fraction(1)

    def at_most(self, nodes: int) -> int:
        """The number of beliefs that a method may meet whose own limit is ``nodes``."""
        return nodes if self.max_nodes is None else min(nodes, self.max_nodes)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """At which e^ε, and when to stop.

    Attributes:
        at: e^ε, or two rationals around it.
        gap: stop when every interval is at most this wide. Without it a chain without cycles is searched to its end,
            which is exact, and others up to `signed.search.DEFAULT_GAP`.
        allowed: stop when it is known whether δ is at most this, for all pairs.
        budget: stop when this much work is done.
        runs: how many independent runs it is about.
        fixed: ask also for the best plan of so many questions that are decided in advance; None for none.
    """

    at: ExpEpsilon
    gap: Fraction | None = None
    allowed: Fraction | None = None
    budget: Budget = field(default_factory=Budget)
    runs: int = 1
    fixed: int | None = None

    @classmethod
    def read(
        cls,
        *,
        epsilon: Number | None = None,
        exp_epsilon: Number | None = None,
        gap: Number | None = None,
        allowed: Number | None = None,
        max_nodes: int | str | None = None,
        repeat: int = 1,
        fixed: int | None = None,
        place: Callable[[str], str] = str,
    ) -> Terms:
        """The terms from raw input; InputError lists every defect. ``place("gap")`` is what a user calls ``gap``."""
        defects: list[Defect] = []

        def read(reader: Callable[[], Found]) -> Found | None:
            try:
                return reader()
            except InputError as error:
                defects.extend(error.defects)
                return None

        at = read(lambda: ExpEpsilon.read(epsilon, exp_epsilon))
        width = read(lambda: None if gap is None else as_gap(gap, place("gap")))
        limit = read(lambda: None if allowed is None else as_probability(allowed, place("delta")))
        nodes = read(lambda: None if max_nodes is None else as_nodes(max_nodes, place("max_nodes")))
        runs = read(lambda: as_runs(repeat))
        questions = read(lambda: None if fixed is None else as_questions(fixed))
        if at is None or runs is None or defects:
            raise InputError(defects)
        return cls(at=at, gap=width, allowed=limit, budget=Budget(nodes), runs=runs, fixed=questions)

    def about(self, chain: Chain, pairs: Sequence[Pair], beside: Sequence[Loaded] = ()) -> Question:
        """The question about these pairs, each once, and models that run ``beside`` the chain.

        Where rows enclose known numbers, e^ε is enclosed as closely as they are.
        """
        if self.fixed is not None and (self.runs > 1 or beside):
            raise InputError("fixed: a plan is about one run of the chain; ask for it without repeat and compose")
        return Question(
            at=self.at.refine(EPSILON_BITS) if column_of(chain) in IRRATIONAL else self.at,
            gap=self.gap,
            allowed=self.allowed,
            budget=self.budget,
            runs=self.runs,
            fixed=self.fixed,
            chain=chain,
            pairs=tuple(dict.fromkeys(pairs)),
            beside=tuple(beside),
        )


@dataclass(frozen=True, kw_only=True)
class Question(Terms):
    """The terms, and what they are about: pairs of states of a chain, by number, each once, and what runs beside it."""

    chain: Chain
    pairs: tuple[Pair, ...]
    beside: tuple[Loaded, ...] = ()

    @property
    def together(self) -> bool:
        """Whether it is about several runs: these are composed from the losses of one."""
        return self.runs > 1 or bool(self.beside)

    def is_decided(self, intervals: Sequence[Interval]) -> bool:
        """Whether the intervals, of all pairs, settle whether δ is at most what is allowed."""
        if self.allowed is None:
            return False
        proved = all(interval.upper <= self.allowed for interval in intervals)
        return proved or any(interval.lower > self.allowed for interval in intervals)


def asked_pairs(
    chain: Chain, s: StateName | None, t: StateName | None, pairs: Iterable[tuple[StateName, StateName]] | str | None
) -> list[Pair]:
    """The pairs by number: two states, or pairs, or the chain's relation. InputError if there are none."""
    if (s is None) != (t is None) or (s is not None and pairs is not None):
        raise InputError("name two states, or give pairs, or neither for the chain's relation")
    if isinstance(pairs, str):
        raise InputError(f"pairs: {pairs!r} is text; give tuples of two states")
    if s is not None and t is not None:
        pairs = [(s, t)]
    numbered = list(chain.relation) if pairs is None else [(chain.number(a), chain.number(b)) for a, b in pairs]
    if not numbered:
        names = ", ".join(chain.states[:8]) + (", …" if len(chain) > 8 else "")
        raise InputError(f"no pairs to compare: the chain carries no relation; name two of its states ({names})")
    return list(dict.fromkeys(numbered))
