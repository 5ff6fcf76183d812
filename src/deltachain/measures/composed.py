"""δ of independent runs together, from the exact privacy-loss distributions of each: certified from both sides.

A run ends in outcome i with probability x_i from s and y_i from t (`losses`). K runs, of one mechanism or of several,
end in K outcomes, and δ_K(α) = Σ (Π x − α Π y)^+ over all sequences of them. With the grid of ratios ρ^k,

- *below*, only the sum of the integers t_i ≈ log_ρ(x_i/y_i) is used. It is a function of what is seen, so any event
  about it bounds δ_K, whatever the t_i are. The two laws of the sum are products of polynomials, rounded down; what
  they miss of their whole mass, which is known, counts fully against the bound;
- *above*, each outcome is split into two on the grid, x_i = a + b with aρ^-k + bρ^-(k+1) ≤ y_i. V is sublinear and
  monotone (docs/theory/signed-beliefs.md), so δ_K ≤ Σ_k U_k (1 − αρ^-k)^+, where U is the law of the sum of the grid's
  places: again a product, rounded up. Outcomes that only s can show count fully.

Both errors are of second order in the step of the grid ("connect the dots" [Doroshenko et al. 2022]); where all ratios
are powers of one, there is none but rounding. Everything is integers in units of 2^-BITS; floats choose the grid.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from operator import neg
from typing import TYPE_CHECKING

from flint import fmpz_poly

from ..beliefs import reach
from ..beliefs.graph.losses import PrivacyLosses, collected, find_all_losses, total
from ..beliefs.proof import Answer, Proof
from ..beliefs.question import Budget, Interval, Question, StopReason
from ..beliefs.witness import Event, Witness
from ..beliefs.workspace import Workspace
from ..cancel import Cancel
from ..certificate.record import Writer
from ..certificate.tradeoff import ExactCurve
from ..errors import Defect, InputError, Stopped
from ..numbers.field import Exact, ends, rational
from ..numbers.fraction import ExpEpsilon
from .epsilon.least import LARGEST_ALPHA, Judge, LeastAlpha, searched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BITS = 256
UNIT = 1 << BITS
TAIL = 1 << (BITS - 160)
"""The mass at either end of a law that may be cut off after each product: times α it must still be small."""
MOST_CELLS = 1 << 16
"""Cells of a law that the grid is chosen for."""
FARTHEST_PLACE = MOST_CELLS // 2
CELLS_PER_DEVIATION = 300
"""How fine the grid is at most, in cells per standard deviation of one run's loss."""
FINEST_STEP = 2.0**-128
"""The least step of a grid: neighbouring powers of its ratio must still differ in BITS bits, and logarithms of ratios
that are closer to 1 may be 0 as floats."""
WIDTH = 15
"""Standard deviations to each side that matter."""
LARGEST_POWER = 64
LONGEST_RATIO = 100_000
"""Bits of a likelihood ratio that is kept exactly."""
MOST_ENUMERATED, MOST_ENUMERATED_RUNS = 256, 64
"""Outcomes that are kept one by one, and runs: beyond, sums are taken on the grid."""
MOST_TOGETHER = 1000
"""Choices of a pair in each model that are composed, at most."""

Outcome = tuple[Exact, Exact]
"""Probabilities (x, y)."""
Outcomes = Sequence[tuple[Sequence[Outcome], int]]
"""The outcomes of each mechanism, and how often it runs."""


@dataclass(frozen=True)
class _Law:
    """Masses by place, ``cells[0]`` at ``first``; ``beyond`` is the mass above all of them, or ended for good."""

    first: int
    cells: list[int]
    beyond: int = 0

    @property
    def total(self) -> int:
        return sum(self.cells)


Product = Callable[[_Law, _Law], _Law]


def _cells_of_product(one: _Law, other: _Law) -> list[int]:
    return [int(cell) for cell in (fmpz_poly(one.cells) * fmpz_poly(other.cells)).coeffs()] or [0]


def _product_below(one: _Law, other: _Law) -> _Law:
    """At most the law of the sum: rounded down, small tails cut off."""
    cells = [cell >> BITS for cell in _cells_of_product(one, other)]
    low, high = _ends(cells)
    return _Law(one.first + other.first + low, cells[low:high])


def _product_above(one: _Law, other: _Law) -> _Law:
    """At least the law of the sum: rounded up, small tails moved up, those above to ``beyond``."""
    # A shift rounds down, so minus a shifted minus rounds up.
    cells = [-(-cell >> BITS) for cell in _cells_of_product(one, other)]
    low, high = _ends(cells)
    # What is beyond in either factor is beyond in the sum.
    mixed = one.beyond * (other.total + other.beyond) + one.total * other.beyond
    kept = cells[low:high]
    # A higher place is worth more, (1 − αρ^-k)^+, so moving mass up stays above.
    kept[0] += sum(cells[:low])
    return _Law(one.first + other.first + low, kept, -(-mixed >> BITS) + sum(cells[high:]))


def _ends(cells: Sequence[int]) -> tuple[int, int]:
    """Where a law begins and ends once at most TAIL is cut off at either end; at least one cell stays."""
    low = bisect_left(list(accumulate(cells)), TAIL + 1)
    high = len(cells) - bisect_left(list(accumulate(reversed(cells))), TAIL + 1)
    return (low, high) if low < high else (0, max(len(cells), 1))


def _power(law: _Law, times: int, product: Product, cancel: Cancel) -> _Law:
    # Square and multiply, from the second binary digit on.
    result = law
    for digit in bin(times)[3:]:
        cancel.check()
        result = product(result, result)
        if digit == "1":
            result = product(result, law)
    return result


def _together(laws: Sequence[_Law], product: Product, cancel: Cancel) -> _Law:
    """The law of the sum over all mechanisms."""
    result = laws[0]
    for law in laws[1:]:
        cancel.check()
        result = product(result, law)
    return result


def _whole(bases: Sequence[tuple[Exact, int]]) -> int:
    """Π base^times in units, 0 ≤ base ≤ 1, rounded up."""
    result = UNIT
    for base, times in bases:
        start = power = _up(base)
        for digit in bin(times)[3:]:
            power = -(-power * power >> BITS)
            if digit == "1":
                power = -(-power * start >> BITS)
        result = -(-result * power >> BITS)
    return result


@dataclass(frozen=True)
class _Direction:
    """What bounds one direction, ready for any α."""

    forth: list[int]
    back: list[int]
    """The masses of {Σt ≥ k} from s and from t, k by k, from below."""
    missing: int
    """What ``back`` misses of its whole, at most."""
    alone: int
    """The mass that only s can show, from below."""
    beyond: int
    """The mass that counts fully above."""
    above: list[int]
    worth: list[int]
    """Σ_{j ≥ k} U_j and Σ_{j ≥ k} U_j·ρ^-j, for k = 0, 1, …"""
    powers: list[int]
    """ρ^-k for the same k, rounded down."""

    def lower(self, alpha: Fraction) -> Fraction:
        """The gain of an event {Σt ≥ k}, together with what only s shows; floats choose k."""
        forth, back = self._guides
        # Any k is an event, so floats may choose it; its gain is then taken exactly.
        k = int((forth - float(alpha) * back).argmax())
        gain = self.forth[k] - alpha * (self.back[k] + self.missing)
        return (max(gain, Fraction(0)) + self.alone) / UNIT

    @cached_property
    def _guides(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        import numpy as np

        return np.array([mass / UNIT for mass in self.forth]), np.array([mass / UNIT for mass in self.back])

    def upper(self, alpha: Fraction) -> Fraction:
        """Σ_k U_k·(1 − αρ^-k)^+."""
        # The first place whose term is positive. Powers are rounded down, which makes every term larger.
        k = bisect_right(self.powers, -math.ceil(UNIT / alpha), key=neg)
        gain = UNIT * self.above[k] - alpha * self.worth[k] if k < len(self.above) else Fraction(0)
        return min((gain / UNIT + self.beyond) / UNIT, Fraction(1))


def _tails(law: _Law, first: int, last: int) -> list[int]:
    """The mass of {k, k + 1, …} for k = first … last."""
    cells = [0] * (last - first + 1)
    for place, mass in enumerate(law.cells, law.first):
        if place >= first:
            cells[place - first] = mass
    return list(accumulate(reversed(cells)))[::-1]


@dataclass(frozen=True)
class ComposedLosses:
    """Certified bounds on δ of independent runs together, at any ε."""

    farthest: float
    """Beyond this ε hardly any loss lies."""
    greatest: Exact | None
    """The greatest likelihood ratio of all runs, either way, exactly: e^ε of pure privacy. None if it is too long, or
    if there is none, since some outcome is possible from one side alone."""
    least_delta: Fraction
    """At most the limit of δ as ε grows: what only one side can show, from below."""
    _directions: tuple[_Direction, ...]

    def bounds(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) at e^ε."""
        return (
            max(direction.lower(at.above) for direction in self._directions),
            max(direction.upper(at.below) for direction in self._directions),
        )

    def exactly(self, at: ExpEpsilon) -> Exact | None:  # as of `ExactCurve`
        """None: sums on a grid are bounds."""
        return None

    def least_alpha(self, delta: Fraction) -> Exact | None:
        """The least e^ε for δ, where it is known exactly."""
        return self.greatest if delta == 0 else None


def enumerate_losses(runs: Sequence[tuple[PrivacyLosses, int]]) -> ExactCurve | None:
    """All outcomes of the runs, those of one ratio added up; None if they are more than `MOST_ENUMERATED`."""
    if sum(times for _, times in runs) > MOST_ENUMERATED_RUNS:
        return None
    whole: list[Outcome] = [(Fraction(1), Fraction(1))]
    for losses, times in runs:
        for _ in range(times):
            found = collected(
                both for x, y in whole for o in losses.outcomes if any(both := (x * o.first, y * o.second))
            )
            if len(found.outcomes) > MOST_ENUMERATED:
                return None
            whole = [(o.first, o.second) for o in found.outcomes]
    return found.curve


def compose_losses(runs: Sequence[tuple[PrivacyLosses, int]], cancel: Cancel) -> ComposedLosses:
    """Compose independent runs; raises Stopped when it is cancelled.

    Args:
        runs: at least one mechanism, by its losses, with the number of times that it runs.
        cancel: ends the work between two products.
    """
    forth = [([(o.first, o.second) for o in losses.outcomes], times) for losses, times in runs]
    back = [([(o.second, o.first) for o in losses.outcomes], times) for losses, times in runs]
    ratio = _grid(forth)
    step = _loss(ratio, Fraction(1))
    directions = tuple(_direction(each, ratio, step, cancel) for each in (forth, back))
    farthest = step * max(_last(d.above) for d in directions)
    # In units a mass that is tiny may be 0; that of one run is known exactly, and is at most that of all.
    once = max(ends(total(x for x, y in outcomes if not y))[0] for way in (forth, back) for outcomes, _ in way)
    one_sided = max(once, *(Fraction(direction.alone, UNIT) for direction in directions))
    return ComposedLosses(farthest, _greatest([forth, back]), one_sided, directions)


def _greatest(ways: Sequence[Outcomes]) -> Exact | None:
    """Max Π (max x/y)^times over both ways; None if it is too long, or infinite."""
    if not all(y for runs in ways for outcomes, _ in runs for _, y in outcomes):
        return None
    found: Exact = Fraction(1)
    for runs in ways:
        product: Exact = Fraction(1)
        size = 0
        for outcomes, times in runs:
            largest: Exact = max(x / y for x, y in outcomes)
            size += times * _size(largest)
            if size > LONGEST_RATIO:
                return None
            product = product * largest**times
        found = max(found, product)
    return found


def _size(ratio: Exact) -> int:
    """The bits of a ratio; of a function of e, those of all its coefficients, about."""
    if isinstance(ratio, Fraction):
        return max(ratio.numerator, ratio.denominator).bit_length()
    return max((part.degree() + 1) * part.height_bits() for part in (ratio.top, ratio.bottom))


def _last(tails: Sequence[int]) -> int:
    """The first place that less than 2^-20 lies beyond."""
    return bisect_right(tails, -(UNIT >> 20), key=neg)


def _direction(runs: Outcomes, ratio: Fraction, step: float, cancel: Cancel) -> _Direction:
    shared = [([(x, y) for x, y in outcomes if x and y], times) for outcomes, times in runs]
    laws = []
    for side in (0, 1):
        powers = []
        for both, times in shared:
            places = [_clipped(round(_loss(x, y) / step)) for x, y in both]
            one = _collected(places, [_down(pair[side]) for pair in both])
            powers.append(_power(one, times, _product_below, cancel))
        laws.append(_together(powers, _product_below, cancel))
    # What both can show, of either: the laws are parts of it, and what they miss is known.
    whole = [_whole([(total(pair[side] for pair in both), times) for both, times in shared]) for side in (0, 1)]
    above = _together([_law_above(both, times, ratio, step, cancel) for both, times in shared], _product_above, cancel)
    first = min(law.first for law in laws)
    last = max(law.first + len(law.cells) for law in laws)
    end = max(above.first + len(above.cells), 0)
    grid = _powers(ratio, end)
    from_zero = [*(_at(above, k) for k in range(end)), 0]
    return _Direction(
        _tails(laws[0], first, last),
        _tails(laws[1], first, last),
        max(whole[1] - laws[1].total, 0),
        # ``whole`` is rounded up: what it leaves of 1 is at most what only s can show.
        max(UNIT - whole[0], 0),
        above.beyond,
        list(accumulate(reversed(from_zero)))[::-1],
        list(accumulate(mass * power for mass, power in zip(reversed(from_zero), reversed(grid), strict=True)))[::-1],
        grid,
    )


def _law_above(both: Sequence[Outcome], times: int, ratio: Fraction, step: float, cancel: Cancel) -> _Law:
    """The runs of one mechanism on the grid, from above; what only s can show is beyond it."""
    split, beyond = _split(both, ratio, step)
    start = _collected([k for k, _ in split], [mass for _, mass in split])
    alone = 1 - total(x for x, _ in both)
    return _power(_Law(start.first, start.cells, beyond + _up(alone)), times, _product_above, cancel)


def _up(mass: Exact) -> int:
    """A mass in units, rounded up."""
    return math.ceil(ends(mass, BITS)[1] * UNIT)


def _down(mass: Exact) -> int:
    """A mass in units, rounded down."""
    return max(math.floor(ends(mass, BITS)[0] * UNIT), 0)


def _at(law: _Law, k: int) -> int:
    place = k - law.first
    return law.cells[place] if 0 <= place < len(law.cells) else 0


def _collected(places: Sequence[int], masses: Sequence[int]) -> _Law:
    first = min(places, default=0)
    cells = [0] * (max(places, default=0) - first + 1)
    for place, mass in zip(places, masses, strict=True):
        cells[place - first] += mass
    return _Law(first, cells)


def _clipped(place: int) -> int:
    """A law of one run has hardly more cells than the grid was chosen for."""
    return max(-FARTHEST_PLACE, min(place, FARTHEST_PLACE))


def _powers(ratio: Fraction, end: int) -> list[int]:
    """ρ^-k for k = 0 … end, rounded down."""
    powers = [UNIT]
    for _ in range(end):
        powers.append(powers[-1] * ratio.denominator // ratio.numerator)
    return powers


def _split(outcomes: Sequence[Outcome], ratio: Fraction, step: float) -> tuple[list[tuple[int, int]], int]:
    """Each outcome as masses on neighbouring places of the grid, rounded up; and the mass of those beyond it."""
    split, beyond = [], 0
    power = _upper_powers(ratio)
    for x, y in outcomes:
        k = math.floor(_loss(x, y) / step)
        if k >= FARTHEST_PLACE:
            beyond += _up(x)
            continue
        k = max(k, -FARTHEST_PLACE)
        # All of x may stand at k + 1 but not at k, or k is as low as places go.
        while x * power(k + 1) > y:
            k += 1
        while k > -FARTHEST_PLACE and x * power(k) <= y:
            k -= 1
        here, there = power(k), power(k + 1)
        # Solves a·ρ^-k + b·ρ^-(k+1) = y with a + b = x for b; powers
        # rounded up keep the left side ≤ y at the true ones.
        up: Exact = max((x * here - y) / (here - there), Fraction(0))
        split += [(k, _up(x - up)), (k + 1, _up(up))]
    return split, beyond


def _upper_powers(ratio: Fraction) -> Callable[[int], Fraction]:
    """K ↦ at least ρ^-k, to about BITS bits; computed once each."""
    known = {0: Fraction(1)}

    def rounded(value: Fraction) -> Fraction:
        shift = max(BITS - value.numerator.bit_length() + value.denominator.bit_length(), 0)
        return Fraction(-(-(value.numerator << shift) // value.denominator), 1 << shift)

    def power(k: int) -> Fraction:
        if k not in known:
            half = k // 2 if k > 0 else -(-k // 2)
            value = 1 / ratio if k == 1 else ratio if k == -1 else power(half) * power(k - half)
            known[k] = rounded(value)
        return known[k]

    return power


def _loss(x: Exact, y: Exact) -> float:
    """About ln(x/y); not 0 where it is a step of a grid."""
    ratio = ends(x / y)[0]
    if abs(ratio - 1) < Fraction(1, 2):
        return math.log1p(ratio - 1)
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def _grid(runs: Outcomes) -> Fraction:
    """The ratio ρ between neighbours: one that all ratios are powers of, or as fine as a limited grid can be."""
    finite = [([(x, y, _loss(x, y)) for x, y in outcomes if x and y], times) for outcomes, times in runs]
    found: set[Exact] = {max(x / y, y / x) for outcomes, _ in finite for x, y, _ in outcomes} - {Fraction(1)}
    ratios = {known for ratio in found if (known := rational(ratio)) is not None}
    if not found:
        return Fraction(2)
    common = min(ratios, default=Fraction(1)) if len(ratios) == len(found) else Fraction(1)
    if common > 1 and _loss(common, Fraction(1)) >= FINEST_STEP and all(_is_power(ratio, common) for ratio in ratios):
        return common
    variance = drift = reach = largest = 0.0
    finest = math.inf
    for outcomes, times in finite:
        means = [sum(float(o[side]) * o[2] for o in outcomes) for side in (0, 1)]
        spread = sum(float(x) * (loss - means[0]) ** 2 for x, _, loss in outcomes)
        farthest = max((abs(loss) for _, _, loss in outcomes), default=0.0)
        variance, drift = variance + times * spread, drift + times * (means[0] - means[1])
        reach, largest = reach + 2 * times * farthest, max(largest, farthest)
        finest = min(finest, math.sqrt(spread) or math.inf)
    width = min(reach, 2 * WIDTH * math.sqrt(variance) + drift)
    step = max(finest / CELLS_PER_DEVIATION if finest < math.inf else 0.0, width / MOST_CELLS, 1e-9)
    # The largest loss is made a whole number of steps: it lies on a place of the grid, or next to one.
    step = max(largest / max(1, math.floor(largest / step)), FINEST_STEP)
    # Rare losses may be so large that e^step is no float; they are clipped anyhow.
    shortened = Fraction(math.expm1(min(step, 700.0))).limit_denominator(max(10**12, math.ceil(1000 / step)))
    return 1 + shortened


def _is_power(ratio: Fraction, base: Fraction) -> bool:
    power = round(_loss(ratio, Fraction(1)) / _loss(base, Fraction(1)))
    return power <= LARGEST_POWER and base**power == ratio


# Several models together.


@dataclass(frozen=True)
class Composition:
    """Independent runs of several models: each from one state of a pair of its own, against the other states.

    ``of_pairs`` has, for each pair of the first model, the losses with every choice of pairs of the others, in both
    orders.
    """

    of_pairs: tuple[tuple[ComposedLosses | ExactCurve, ...], ...]
    single: tuple[tuple[PrivacyLosses, ...], ...] = ()
    """The losses of one run of each model, of every pair; those of models beside the first in either order."""

    def bounds(self, number: int, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of the worst choice with one pair of the first model."""
        found = [losses.bounds(at) for losses in self.of_pairs[number]]
        return max(lower for lower, _ in found), max(upper for _, upper in found)

    def interval(self, number: int, at: ExpEpsilon) -> Interval:
        """The bounds of the worst choice with one pair of the first model; exact where all of them are."""
        found = [losses.exactly(at) for losses in self.of_pairs[number]]
        known = [value for value in found if value is not None]
        if len(known) == len(found):
            return Interval.exactly(max(known))
        return Interval(*self.bounds(number, at), 0)

    def delta(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of the worst choice."""
        found = [self.bounds(number, at) for number in range(len(self.of_pairs))]
        return max(lower for lower, _ in found), max(upper for _, upper in found)

    @property
    def farthest(self) -> float:
        """Beyond this ε hardly any loss lies."""
        return max(losses.farthest for choices in self.of_pairs for losses in choices)

    def exp_epsilon(self, delta: Fraction) -> Exact | None:
        """The least e^ε for δ, which must not be below `one_sided`, where it is known exactly."""
        found = [losses.least_alpha(delta) for choices in self.of_pairs for losses in choices]
        known = [alpha for alpha in found if alpha is not None]
        return max(known) if len(known) == len(found) else None

    @property
    def one_sided(self) -> Exact:
        """No ε is enough for a δ below this."""
        return max(losses.least_delta for choices in self.of_pairs for losses in choices)


@dataclass(frozen=True)
class Runs:
    """What runs, independently: each model, with its pairs, so many times.

    Attributes:
        works: the models; the first one's pairs are answered apart.
        names: who asks for each, in a message: ``repeat``, or ``compose`` with the model.
        times: how often each of them runs.
    """

    works: tuple[Workspace, ...]
    names: tuple[str, ...]
    times: int


def runs_of(question: Question, work: Workspace) -> Runs:
    """The model of ``work`` and those beside it; InputError with each of these that has no pairs."""
    compose = question.beside
    bare = [model for model in compose if not model.chain.relation]
    if bare:
        what, fix = "it carries no relation, so that there is nothing to compare", "add its pairs to the model"
        raise InputError(Defect(f"compose {model.source}", what, fix) for model in bare)
    others = [Workspace(model.chain, model.chain.relation) for model in compose]
    first = "compose, the first model" if question.runs == 1 else "repeat"
    return Runs((work, *others), (first, *(f"compose {model.source}" for model in compose)), question.runs)


def compose(runs: Runs, budget: Budget, cancel: Cancel) -> Composition:
    """The losses of all runs; raises Stopped when it is cancelled.

    Args:
        runs: what runs.
        budget: for the losses of one run.
        cancel: ends the work between two products.

    Raises:
        InputError: a model whose losses cannot be composed, by name, or too many choices of pairs.
    """
    losses: list[tuple[PrivacyLosses, ...]] = []
    defects: list[Defect] = []
    for work, name in zip(runs.works, runs.names, strict=True):
        try:
            losses.append(_losses_of_one(work, name, budget, cancel))
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)
    # A relation is symmetric: beside a pair of the first model, those of the others stand in either order.
    beside = [list(dict.fromkeys([*found, *(each.reversed for each in found)])) for found in losses[1:]]
    count = math.prod(map(len, [set(losses[0]), *beside]))
    if count > MOST_TOGETHER:
        what = f"{count:,} choices of a pair in each model"
        raise InputError(Defect("compose", what, f"name fewer pairs: at most {MOST_TOGETHER:,}"))
    known: dict[tuple[PrivacyLosses, ...], ComposedLosses | ExactCurve] = {}
    found: list[tuple[ComposedLosses | ExactCurve, ...]] = []
    for first in losses[0]:
        choices = [(first, *others) for others in product(*beside)]
        for choice in choices:
            if choice not in known:
                cancel.report(f"composing runs, {len(known) + 1} of {count:,}")
                each_times = [(each, runs.times) for each in choice]
                known[choice] = enumerate_losses(each_times) or compose_losses(each_times, cancel)
        found.append(tuple(known[choice] for choice in choices))
    return Composition(tuple(found), (losses[0], *map(tuple, beside)))


def _losses_of_one(work: Workspace, name: str, budget: Budget, cancel: Cancel) -> tuple[PrivacyLosses, ...]:
    what = "what is best to ask depends on ε, so that there are no losses to compose"
    work.chain.need("no inputs", name, what, "ask about one run, or let a program run the protocol again")
    found = find_all_losses(work, budget, cancel)
    if found is None:
        cancel.check()
        why = "the beliefs of one run do not end within the budget"
        if not reach.takes("losses", work.chain):
            instead = "write a program that runs the mechanism K times"
            work.chain.need("exact", name, "losses are composed as exact numbers", instead)
        fix = "give a larger `max_nodes`, or end the run after some rounds; of K runs that are each (ε, δ)-private, "
        fix += "(Kε, Kδ) always holds"
        raise InputError(Defect(name, f"{why}, so its exact losses, which are composed, are not known", fix))
    return found


class ComposedProof(Proof):
    """The interval of a pair over independent runs. It is certified by how it was computed: no certificate says so."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Refused: certificates are about one run."""
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")

    def event(self, limit: int) -> Event:
        """None is known."""
        return Event()

    def witness(self, limit: int = 10) -> Witness | None:
        """None: the losses do not say which words bring them."""
        return None


def composed_answer(question: Question, runs: Runs, cancel: Cancel) -> Answer:
    """Every pair of the question, of the first model, over independent runs; 0 ≤ δ ≤ 1 if it was cancelled."""
    intervals = [Interval(Fraction(0), Fraction(1), 0)] * len(question.pairs)
    reason: StopReason = "finished"
    try:
        composition = compose(runs, question.budget, cancel)
        intervals = [composition.interval(number, question.at) for number in range(len(question.pairs))]
    except Stopped:
        reason = cancel.reason or "interrupted"
    proofs = [
        ComposedProof(
            question=question,
            pair=pair,
            interval=interval,
            method="exact losses of one run, composed",
            stopped="gap"
            if reason == "finished" and interval.value is None and interval.lower < interval.upper
            else reason,
        )
        for pair, interval in zip(question.pairs, intervals, strict=True)
    ]
    return Answer(question, runs.works[0], tuple(proofs))


class _ComposedJudge(Judge):
    """A judge who asks the composition."""

    def __init__(self, composition: Composition, work: Workspace, delta: Fraction, cancel: Cancel) -> None:
        super().__init__(work, delta, Budget(), cancel)
        self._composition = composition

    def measured(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α."""
        return self._composition.delta(ExpEpsilon.exactly(alpha))

    def ratios(self, low: Fraction, high: Fraction) -> list[Exact]:
        """None: zero sets are about one run."""
        return []


def least_composed_alpha(runs: Runs, delta: Fraction, width: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha:
    """Bounds on the least α for δ over independent runs; nothing is known if it was cancelled."""
    try:
        composition = compose(runs, budget, cancel)
    except Stopped:
        return LeastAlpha(None, Fraction(1))
    if composition.one_sided > delta:
        return LeastAlpha(None, LARGEST_ALPHA, ends(composition.one_sided)[0])
    least = composition.exp_epsilon(delta)
    if least is not None:
        return LeastAlpha.exactly(least)
    return searched(_ComposedJudge(composition, runs.works[0], delta, cancel), width)
