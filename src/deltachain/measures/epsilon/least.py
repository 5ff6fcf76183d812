"""The least e^ε that is proved for a given δ, and the largest that is refuted.

δ falls as ε grows. Where the belief graphs are finite, δ(α) is known exactly for all α, and so is the least α = e^ε.
Otherwise δ is searched at one α after the other. δ(α) is convex, so each search moves both bounds on the least α, by
chords of upper bounds and by secants extended (`bands.Known`): ``proved`` is the least α found with δ(α) ≤ δ, and every
α below ``refuted`` has δ(α) > δ. The next α is from the middle of what is left; where a search decides nothing, what
is left on either side of it is narrowed on its own. It stops where both are ``width`` wide, relatively, so after about
log₂(1/width) searches for each at most, or when it is cancelled; what is known stands in each case.

For δ = 0 a pair is proved by the zero set of ld (docs/theory/zero-set.md) at any α' ≤ α, and refuted by any word whose
likelihood ratio exceeds α. So a word of a large ratio is looked for first (`ratio`), and the first searches are at its
ratio, if that is short, and just above it. Where one of them proves δ = 0, nothing is left to narrow.

*Pure ε by zero sets.* δ_α ≤ δ_α' ≤ ld_α' for every α' ≤ α, so one α' with every pair in the zero set of ld is enough.
The zero set is not monotone in α (docs/theory/open-questions.md): a pair may be in it at 2 and at 4 and not at 5/2. A
search over α can therefore miss the least α' that proves δ = 0, and end above it. Whether a pair is in the set changes
where some x_i = α y_i, for probabilities of two states or labels, so beside the α of the search these ratios are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ...beliefs import reach
from ...beliefs.graph.losses import find_losses, find_outcomes
from ...beliefs.proof import Answer
from ...beliefs.question import Budget, Question
from ...beliefs.search import search
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, spend
from ...certificate.tradeoff import ExactCurve
from ...distances.kinds.ld import LD
from ...distances.scalars import scalars_of
from ...model import Chain
from ...model.chain import Pair
from ...numbers.exponential import as_exponential
from ...numbers.field import Exact, ends, rational
from ...numbers.fraction import ExpEpsilon, alpha_above, alpha_below, simplest_between
from .bands import Known

if TYPE_CHECKING:
    from .limit import RatioLimit
    from .matrix import RatioMatrix
    from .none import NoEpsilon
    from .ratio import RatioWord

LARGEST_ALPHA = Fraction(2**64)
"""Beyond this e^ε (ε ≈ 44) the search for a sufficient ε is given up: such an ε protects nobody."""
SEARCH_NODES = 15_000
"""Belief pairs for each α that is tried, unless a budget is given: there may be dozens of them."""
SEARCH_GAP = Fraction(1, 10**12)
"""An interval narrower than this, on both sides of δ, is not narrowed further."""
FEW_NODES = 500
"""Beliefs that are followed for the least δ where no ε is known to be enough for δ = 0, or known not to be."""
MOST_RATIOS = 64
"""So many ratios are tried at most, the smallest first."""
MOST_PROBABILITIES = 1000
"""Of chains with more different probabilities, no ratios are tried: they are all close to each other."""
SHORT_BITS = 64
"""A word's ratio of no more bits is said as it is, and may be the least e^ε; a longer one is rounded down."""
END_BITS = 80
"""How closely a least e^ε is enclosed that is neither rational nor a power of e."""


@dataclass(frozen=True, slots=True)
class LeastAlpha:
    """refuted ≤ the least α = e^ε at which all pairs are (ε, δ)-private ≤ proved.

    Attributes:
        proved: privacy is proved from this α on; None if no such α was found.
        refuted: privacy is refuted for every smaller α (1: for none).
        least_delta: if it is proved that no ε at all is enough: nor is any for a δ below this one.
        epsilon: the least ε itself, where it is a rational.
        reached: where nothing was proved: the smallest δ that was proved at an α, as (δ, α).
        none: why no ε at all is enough for δ = 0.
        alpha: the least α itself, where it is known and neither it nor its logarithm is rational.
        matrix: proves δ = 0 at ``proved``; None where searches prove more, or δ is not 0.
        lower: a word, or a limit of words, whose ratio refutes every α below ``refuted`` for δ = 0; None where searches
            refute more, or none did.
        proved_epsilon: the ε from which on privacy is proved, where it is a rational; ``proved`` is at e^ε or just
            above.
        by_losses: whether it is known from where the runs of every pair end.
    """

    proved: Fraction | None
    refuted: Fraction
    least_delta: Fraction | None = None
    epsilon: Fraction | None = None
    reached: tuple[Fraction, Fraction] | None = None
    none: NoEpsilon | None = None
    alpha: Exact | None = None
    matrix: RatioMatrix | None = None
    lower: RatioWord | RatioLimit | None = None
    proved_epsilon: Fraction | None = None
    by_losses: bool = False

    @property
    def exact(self) -> bool:
        """Whether the least α is known exactly."""
        known = self.epsilon is not None or self.alpha is not None
        return known or (self.proved is not None and self.proved == self.refuted)

    @classmethod
    def exactly(cls, alpha: Exact) -> LeastAlpha:
        """α itself is the least: a rational, a power of e, or another number, which is enclosed."""
        known, power = rational(alpha), as_exponential(alpha).power
        if known is not None:
            return cls(known, known)
        if power is not None:
            return cls(alpha_above(power), alpha_below(power), epsilon=power, proved_epsilon=power)
        # Fewer bits than values have: a search at either end is to find δ on the right side of what is allowed.
        below, above = ends(alpha, END_BITS)
        return cls(above, max(below, Fraction(1)), alpha=alpha)


def least_alpha(
    work: Workspace, delta: Fraction, width: Fraction, budget: Budget, cancel: Cancel, known: Known | None = None
) -> LeastAlpha:
    """Bounds on the least α for δ; a search stops where they are ``width`` apart, relatively.

    What is ``known`` of δ(α) guides the search, and grows by what it finds.
    """
    judge = Judge(work, delta, budget, cancel, proof=known is not None and known.alone)
    if delta == 0:
        return _pure(judge, width, budget, known)
    exact = cancel.attempt(lambda: _from_losses(work, delta, budget, cancel))
    return search_least(judge, width, known) if exact is None else exact


def _pure(judge: Judge, width: Fraction, budget: Budget, known: Known | None) -> LeastAlpha:
    """Bounds on the least α for δ = 0, the largest ratio of a word's probabilities."""
    from . import limit, matrix, none, ratio  # bring numpy, which exact answers for other δ do without

    work, cancel = judge.work, judge.cancel
    reason = none.by_support(work, cancel)
    if reason is not None:
        return _without_epsilon(work, reason, budget, cancel)
    finite = bool(work.alike) and work.acyclic
    exact = cancel.attempt(lambda: _from_losses(work, judge.delta, budget, cancel)) if finite else None
    if exact is not None:
        return exact
    word = cancel.attempt(lambda: ratio.ratio_word(work, cancel))
    reason = None if word is None else cancel.attempt(lambda: none.along(work, word))
    if reason is not None:
        return _without_epsilon(work, reason, budget, cancel)
    lower: RatioWord | RatioLimit | None = word
    above: RatioMatrix | None = None
    once = False
    if reach.takes("ratio matrix", work.chain):
        chain = work.quotient.chain
        merged = [work.merge(pair) for pair in work.alike]
        starts = [way for s, t in merged if s != t for way in ((s, t), (t, s))]
        if word is not None:
            lower = cancel.attempt(lambda: limit.beyond(chain, work.merge(word.pair), word)) or word
        reached = Fraction(1) if lower is None else lower.ratio
        above = cancel.attempt(lambda: matrix.ratio_matrix(chain, starts, reached, width, cancel))
        once = above is None and lower is not None and matrix.is_affordable(chain)
        # A zero set at α is a matrix whose entries are α.
        few = Budget(budget.at_most(FEW_NODES))
        judge = Judge(work, judge.delta, few, cancel, zero_sets=False) if once else judge
    if above is None:
        # What a matrix bounds does not grow without end.
        reason = none.by_pumping(work, cancel)
        if reason is not None:
            return _without_epsilon(work, reason, budget, cancel)
    elif above.largest == (Fraction(1) if lower is None else lower.ratio):
        return LeastAlpha(above.largest, above.largest, matrix=above, lower=lower)
    exact = None if finite else cancel.attempt(lambda: _from_losses(work, judge.delta, budget, cancel))
    return search_least(judge, width, known, lower, above, once=once) if exact is None else exact


def _without_epsilon(work: Workspace, none: NoEpsilon, budget: Budget, cancel: Cancel) -> LeastAlpha:
    """No ε is enough for δ = 0; the δ that every ε needs is that of a word, or of all losses if these end soon."""
    least: Exact = none.probability
    small = budget if work.alike and work.acyclic else Budget(budget.at_most(FEW_NODES))
    for pair in work.pairs:
        one_sided = cancel.attempt(partial(_one_sided, work, pair, small, cancel))
        least = least if one_sided is None else max(least, one_sided)
    return LeastAlpha(None, LARGEST_ALPHA, ends(least)[0] if least else None, none=none)


def _one_sided(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> Exact | None:
    """The δ that every ε needs for a pair; None if it is not known."""
    losses = find_losses(work, pair, budget, cancel)
    return None if losses is None else losses.curve.least_delta


def _from_losses(work: Workspace, delta: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha | None:
    """The exact answer where every pair's belief graph is finite."""
    if delta == 0:
        found = (_largest_ratio(work, pair, budget, cancel) for pair in work.pairs)
        ratios: list[Exact] = list(takewhile(lambda ratio: ratio is not None, found))  # type: ignore[arg-type]
        if len(ratios) == len(work.pairs):
            return replace(LeastAlpha.exactly(max(ratios)), by_losses=True)
    known: list[ExactCurve] = []
    for pair in work.pairs:
        losses = find_losses(work, pair, budget, cancel)
        if losses is None:
            # One pair without any ε is enough to know.
            least = least_of(known, delta) if known else None
            return None if least is None or least.least_delta is None else replace(least, by_losses=False)
        known.append(losses.curve)
    return least_of(known, delta)


def least_of(curves: Sequence[ExactCurve], delta: Fraction) -> LeastAlpha:
    """The exact answer where the curve of every pair is known."""
    least_delta = max(curve.least_delta for curve in curves)
    if least_delta > delta:
        return LeastAlpha(None, LARGEST_ALPHA, ends(least_delta)[0], by_losses=True)
    needed = (curve.least_alpha(delta) for curve in curves)
    return replace(LeastAlpha.exactly(max(alpha for alpha in needed if alpha is not None)), by_losses=True)


def _largest_ratio(work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> Exact | None:
    """The largest ratio of an outcome's probabilities, which is the least α for δ = 0; None if it is not known.

    It takes no sums and no order, which long functions of e are slow in. None, too, if one state alone shows an
    outcome: then no α is enough, and the losses say from which δ on one is.
    """
    outcomes = find_outcomes(work, pair, budget, cancel)
    if outcomes is None or not all(x and y for x, y in outcomes):
        return None
    return max((ratio for x, y in outcomes for ratio in (x / y, y / x)), default=Fraction(1))


class Judge:
    """Bounds δ at any α, as far as the verdict on a δ that is allowed needs it."""

    def __init__(
        self,
        work: Workspace,
        delta: Fraction,
        budget: Budget,
        cancel: Cancel,
        *,
        proof: bool = False,
        zero_sets: bool = True,
    ) -> None:
        """With ``proof`` only by what a certificate can cite; with or without ``zero_sets``."""
        self.delta, self.cancel, self.work = delta, cancel, work
        # The checker's rules for the flows that a zero set rests on are those of the sharp distance.
        self._zero: reach.WayName = "sharp distance" if proof else "zero set"
        self._zero_sets = zero_sets and delta == 0 and reach.takes(self._zero, work.chain)
        self._budget = Budget(budget.max_nodes or SEARCH_NODES)

    def measure(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α, by a search."""
        if self.in_zero_set(alpha):
            return Fraction(0), Fraction(0)
        answer = self.answer(alpha)
        return answer.lower, answer.upper

    def in_zero_set(self, alpha: Exact) -> bool:
        """Whether the question is about δ = 0, and the zero set of ld at α answers it. False if cancelled."""
        if not self._zero_sets:
            return False
        return self.cancel.attempt(lambda: in_zero_set(self.work, alpha, self.cancel)) or False

    def ratios(self, low: Fraction, high: Fraction) -> list[Exact]:
        """Where zero sets may do better than what was tried; none if δ is not 0."""
        if not self._zero_sets:
            return []
        return self.cancel.attempt(lambda: ratios(self.work.quotient.chain, low, high)) or []

    def answer(self, alpha: Fraction | ExpEpsilon) -> Answer:
        """The intervals of all pairs at α, as far as the verdict needs them."""
        return search(self.question(alpha), self.work, self.cancel)

    def question(self, alpha: Fraction | ExpEpsilon) -> Question:
        """What is asked at α."""
        return Question(
            chain=self.work.chain,
            pairs=self.work.pairs,
            at=alpha if isinstance(alpha, ExpEpsilon) else ExpEpsilon.exactly(alpha),
            gap=SEARCH_GAP,
            allowed=self.delta,
            budget=self._budget,
        )


def search_least(
    judge: Judge,
    width: Fraction,
    known: Known | None = None,
    lower: RatioWord | RatioLimit | None = None,
    above: RatioMatrix | None = None,
    *,
    once: bool = False,
) -> LeastAlpha:
    """Bounds on the least α by searches, each at an α that what is ``known`` so far leaves open.

    For δ = 0 a word, or a limit of words, refutes every α below its ratio, and a matrix proves its largest entry. Where
    a matrix was looked for and there is none, zero sets prove nothing, nor do searches: there is ``once`` one, just
    above that ratio, which says what δ can be proved.
    """
    known = Known() if known is None else known
    vain: list[Fraction] = []
    near = [] if lower is None else _near(lower.ratio, width, known)
    if above is not None:
        known.add(ExpEpsilon.exactly(above.largest), Fraction(0), Fraction(0))

    def try_one(alpha: Fraction) -> None:
        judge.cancel.report(f"trying e^ε = {float(alpha):.9g}")
        lower, upper = judge.measure(alpha)
        known.add(ExpEpsilon.exactly(alpha), lower, upper)
        # The search left it open, and would again: `_open` keeps to either side of such places.
        if lower <= judge.delta < upper:
            vain.append(alpha)

    if above is not None and _open(known, judge.delta, width, vain) is None:
        near = []
    for alpha in near[-1:] if once else near:
        if not judge.cancel.is_stopped() and known.refute(judge.delta) <= alpha < (
            known.prove(judge.delta) or alpha + 1
        ):
            try_one(alpha)
    while not (once or judge.cancel.is_stopped()):
        following = _open(known, judge.delta, width, vain)
        if following is None:
            break
        try_one(following)
    proved, refuted = _shorten(known, judge.delta, width)
    by_ratio = _by_ratios(judge, refuted, proved)
    if by_ratio is not None:
        _, proved = ends(by_ratio, END_BITS)
    uppers = [(upper, alpha) for alpha, upper in known.uppers if alpha >= 1 and upper < 1]
    return LeastAlpha(
        proved,
        refuted,
        reached=min(uppers, default=None) if proved is None else None,
        matrix=above if above is not None and proved == above.largest else None,
        lower=lower if lower is not None and lower.ratio >= refuted else None,
        proved_epsilon=None if by_ratio is None else as_exponential(by_ratio).power,
    )


def _near(ratio: Fraction, width: Fraction, known: Known) -> list[Fraction]:
    """Where to search first, as every α below the ratio is refuted, which is now ``known``.

    The ratio itself, if it is short: it may be the largest. And the simplest fraction just above it: the ratios of
    longer words may come nearer and nearer to it.
    """
    short = ratio.numerator.bit_length() + ratio.denominator.bit_length() <= SHORT_BITS
    known.positive = ratio if short else simplest_between(max(ratio * (1 - width / 8), Fraction(1)), ratio)
    above = simplest_between(ratio, ratio * (1 + width / 2))
    tried = [ratio, above] if short and ratio < above else [above]
    return [alpha for alpha in tried if alpha <= LARGEST_ALPHA]


def _open(known: Known, delta: Fraction, width: Fraction, vain: list[Fraction]) -> Fraction | None:
    """An α to search at; None where all that is left is as narrow as asked, or was asked in vain."""
    proved, refuted = known.prove(delta), known.refute(delta)
    if proved is None:
        if not known.lowers:
            return Fraction(1)
        alpha = Fraction(2)
        # e^ε is squared, so ε doubles: 2, 4, 16, 256, …
        while alpha <= max([refuted, *vain]):
            alpha *= alpha
        if alpha <= LARGEST_ALPHA:
            return alpha
    # Between those asked in vain nothing is looked for.
    parts = [(refuted, min(vain))] if vain else []
    if proved is not None:
        parts = [(refuted, min([proved, *vain])), (max([refuted, *vain]), proved)]
    low, high = max(parts, key=lambda part: part[1] / part[0], default=(refuted, refuted))
    if high <= low * (1 + width):
        return None
    # Anywhere in the middle half will do: the shortest fraction there keeps exact numbers short.
    quarter = (high - low) / 4
    return simplest_between(low + quarter, high - quarter)


def _shorten(known: Known, delta: Fraction, width: Fraction) -> tuple[Fraction | None, Fraction]:
    """(proved, refuted); where a line crosses δ, moved outward by a part of ``width``, to a fraction of few digits."""
    proved, refuted = known.prove(delta), known.refute(delta)
    if proved == refuted:
        return proved, refuted
    if proved is not None and proved not in {alpha for alpha, _ in known.uppers}:
        proved = simplest_between(proved, proved * (1 + width / 8))
    if refuted != known.positive and refuted not in {alpha for alpha, _ in known.lowers}:
        refuted = simplest_between(max(refuted * (1 - width / 8), Fraction(1)), refuted)
    return proved, refuted


def _by_ratios(judge: Judge, refuted: Fraction, proved: Fraction | None) -> Exact | None:
    """The first ratio between what is refuted and what is proved whose zero set proves δ = 0, from it on; None if none.

    What is proved may be just above an irrational ratio.
    """
    for alpha in judge.ratios(refuted, LARGEST_ALPHA if proved is None else proved):
        if judge.cancel.is_stopped():
            break
        judge.cancel.report(f"zero set at e^ε = {float(alpha):.9g}")
        if judge.in_zero_set(alpha):
            return alpha
    return None


def in_zero_set(work: Workspace, alpha: Exact, cancel: Cancel) -> bool:
    """Whether every pair is private with δ = 0 at α, by the zero set of ld of the quotient. Raises Stopped."""
    from ...distances.pair_space import PairSpace, relevant_states
    from ...distances.zero_set import zero_set

    if len(work.alike) < len(work.pairs):
        return False
    places = [work.merge(pair) for pair in work.pairs]
    chain = work.quotient.chain
    space = PairSpace.over(chain, scalars_of(chain), alpha, relevant_states(chain, places))
    member = zero_set(space, LD, cancel=cancel).member
    return all(bool(member[space.pair_of_states(s, t)] and member[space.pair_of_states(t, s)]) for s, t in places)


def ratios(chain: Chain, low: Fraction, high: Fraction) -> list[Exact]:
    """The first ratios p/q with low ≤ p/q < high, of probabilities of states and of labels in exact rows of a chain."""
    found: set[Exact] = set()
    for row in {row for rows in chain.given for row in rows}:
        by_label: dict[str, Exact] = {}
        spend(20 * len(row))
        for target, p, _ in row.list_entries():
            by_label[chain.labels[target]] = by_label.get(chain.labels[target], Fraction(0)) + p
            found.add(p)
        found.update(by_label.values())
    if len(found) > MOST_PROBABILITIES:
        return []
    between = {p / q for p in found for q in found if low * q <= p < high * q}
    return sorted(between)[:MOST_RATIOS]
