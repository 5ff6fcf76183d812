"""δ of independent runs together, from the exact privacy-loss distributions of each: certified from both sides.

A run ends in outcome i with probability x_i from s and y_i from t (`losses`). K runs, of one mechanism or of several,
end in K outcomes, and δ_K(α) = Σ (Π x − α Π y)^+ over all sequences of them. Losses are put on a grid of ratios ρ^k.

*On a lattice*, where every x_i/y_i is a power ρ^{k_i}, Π x / Π y is ρ^k with k the sum of the places. With X the law of
that sum from s, δ_K(α) = Σ_k X_k (1 − αρ^-k)^+: one law bounds it from both sides, whatever α is. Of noise that is
added to whole numbers, losses are multiples of one 1/scale, and ρ a power of e.

*Elsewhere*,

- *below*, only the sum of the integers t_i ≈ log_ρ(x_i/y_i) is used. It is a function of what is seen, so any event
  about it bounds δ_K, whatever the t_i are. Of its law from t the masses y_i ρ^{t_i} are kept, which are about x_i;
- *above*, each outcome is split into two on the grid, x_i = a + b with aρ^-k + bρ^-(k+1) ≤ y_i. V is sublinear and
  monotone (docs/theory/signed-beliefs.md), so δ_K ≤ Σ_k U_k (1 − αρ^-k)^+, where U is the law of the sum of the grid's
  places. Outcomes that only s can show count fully.

Both errors are of second order in the step of the grid ("connect the dots" [Doroshenko et al. 2022]). Laws of sums are
products of polynomials, squared in integers of units 2^-BITS and rounded down. The whole mass is known: what a law
misses of it, by rounding or where its ends were cut off, counts fully against whoever uses the law. Floats choose the
grid, and nothing else.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import neg
from typing import TYPE_CHECKING

from flint import arb, ctx, fmpq, fmpz, fmpz_poly

from ..beliefs.graph.losses import PrivacyLosses, total
from ..cancel import Cancel
from ..errors import InputError
from ..numbers.ball import scaled_ends
from ..numbers.exponential import MOST_DEGREE, as_exponential, common_base, exp_of
from ..numbers.field import Exact, ends, floor
from ..numbers.fraction import ExpEpsilon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BITS, BITS_ON_A_GRID = 256, 192
"""Of the units of masses: on a lattice, and on a grid, whose own error is greater than that of rounding."""
TAIL_BITS = 160
"""About 2^-TAIL_BITS is cut off a law in all products together."""
MOST_CELLS = 1 << 16
"""Cells of a law that the grid is chosen for."""
LARGEST_LATTICE = 4 * MOST_CELLS
"""Cells of a law on a lattice: more take a coarser grid."""
FARTHEST_PLACE = MOST_CELLS // 2
CELLS_PER_DEVIATION = 300
"""How fine the grid is at most, in cells per standard deviation of one run's loss."""
MOST_STEPS_TRIED = 4096
"""Steps of a grid among which that is chosen which losses are nearest to multiples of."""
MOST_FITTED = 64
"""Losses of different sizes to which a step is fitted; more are never all near to its multiples."""
FINEST_STEP = 2.0**-128
"""The least step of a grid: neighbouring powers of its ratio must still differ in BITS bits, and logarithms of ratios
that are closer to 1 may be 0 as floats."""
RARE = 2.0**-60
"""The mass of an outcome, in all runs together, that the grid need not reach."""
WIDTH = 15
"""Standard deviations to each side that matter."""
LARGEST_POWER = 64
"""Of the ratio of a lattice that is no power of e."""
LONGEST_RATIO = 100_000
"""Bits of a likelihood ratio that is kept exactly."""
LARGEST_LOGARITHM = 300.0
"""Of floats that choose events."""

LossOutcome = tuple[Exact, Exact]
"""Probabilities (x, y)."""
LossOutcomes = Sequence[tuple[Sequence[LossOutcome], int]]
"""The outcomes of each mechanism, and how often it runs."""


# Laws of sums.


@dataclass(frozen=True)
class _Units:
    """Masses are whole numbers of 2^-bits, and of a law at most ``tail`` of them is cut off at either end."""

    bits: int
    tail: int

    @classmethod
    def of(cls, bits: int, runs: int) -> _Units:
        """Those for so many runs: what products cut off adds up over them."""
        return cls(bits, max((1 << bits - TAIL_BITS) // runs, 1))

    @property
    def one(self) -> int:
        """The mass 1."""
        return 1 << self.bits

    def up(self, mass: Exact) -> int:
        """A mass, rounded up."""
        return math.ceil(ends(mass, self.bits)[1] * self.one)

    def down(self, mass: Exact) -> int:
        """A mass, rounded down."""
        return max(math.floor(ends(mass, self.bits)[0] * self.one), 0)


@dataclass(frozen=True)
class _Law:
    """Masses by place, from below: the coefficient of X^i is that at ``first`` + i."""

    first: int
    cells: fmpz_poly


def _law(places: Iterable[int], masses: Iterable[int]) -> _Law:
    """The law of one run."""
    found: dict[int, int] = {}
    for place, mass in zip(places, masses, strict=True):
        found[place] = found.get(place, 0) + mass
    if not found:
        return _Law(0, fmpz_poly([]))
    first = min(found)
    return _Law(first, fmpz_poly([found.get(place, 0) for place in range(first, max(found) + 1)]))


def _sum(one: _Law, other: _Law, units: _Units) -> _Law:
    """At most the law of the sum of two: rounded down, its tails cut off."""
    # Flint squares if both are one polynomial, and rounds quotients of coefficients down.
    masses = ((one.cells * other.cells) // units.one).coeffs()
    low = _negligible(masses, units.tail)
    high = max(len(masses) - _negligible(reversed(masses), units.tail), low)
    return _Law(one.first + other.first + low, fmpz_poly(masses[low:high]))


def _negligible(masses: Iterable[fmpz], tail: int) -> int:
    """How many of the first masses are at most ``tail`` together."""
    left, count = tail, 0
    for mass in masses:
        left -= int(mass)
        if left < 0:
            break
        count += 1
    return count


def _sum_of_runs(laws: Iterable[tuple[_Law, int]], units: _Units, cancel: Cancel) -> _Law:
    """At most the law of the sum over all runs of all mechanisms."""
    whole: _Law | None = None
    for law, times in laws:
        # Square and multiply, from the second binary digit on.
        power = law
        for digit in bin(times)[3:]:
            cancel.check()
            power = _sum(power, power, units)
            if digit == "1":
                power = _sum(power, law, units)
        whole = power if whole is None else _sum(whole, power, units)
    return _law((), ()) if whole is None else whole


# What is read off laws at any α.


@dataclass(frozen=True)
class _Places:
    """Σ_{i ≥ k} (X_i − αρ^-i·Y_i) for any place k, from both sides.

    X and Y are laws that are known from below; the true Y is ``scale`` times a law, of which Y is a part. Place k is
    ``first`` + j, j ≥ 0:
    """

    units: _Units
    ratio: Exact
    scale: arb
    first: int
    tails: list[int]
    """Σ_{i ≥ k} X_i, ending with 0."""
    least: list[int]
    most: list[int]
    """Σ_{i ≥ k} Y_i ρ^-(i-k), from below and from above."""
    missing: int
    """What X misses of 1."""
    unseen: int
    """What Y misses of 1."""

    @classmethod
    def of(cls, units: _Units, ratio: Exact, law: _Law, other: _Law | None = None, scale: arb | None = None) -> _Places:
        """Of X and Y; of one law that is both of them, if there is no other."""
        first = min(law.first, law.first if other is None else other.first)
        masses = _from_place(first, law)
        others = masses if other is None else _from_place(first, other)
        longest = max(len(masses), len(others))
        tails = [*[0] * (longest - len(masses)), *accumulate(reversed(masses), initial=0)][::-1]
        below = floor(1 / ratio, units.bits)
        # ρ > 1: what is rounded stays below, or above, and a step by a place is one product (Horner).
        least = most = 0
        both = [(0, 0)] * (longest - len(others) + 1)
        for mass in reversed(others):
            least = mass + (least * below >> units.bits)
            # A shift rounds down, so minus a shifted minus rounds up.
            most = mass - (-most * (below + 1) >> units.bits)
            both.append((least, most))
        both.reverse()
        return cls(
            units,
            ratio,
            arb(1) if scale is None else scale,
            first,
            tails,
            [low for low, _ in both],
            [high for _, high in both],
            units.one - tails[0],
            units.one - sum(others),
        )

    def upper(self, alpha: Fraction) -> Fraction:
        """At least Σ_k X_k (1 − αρ^-k)^+ of the true law X, if Y is X; at most 1."""
        j, (below, _) = self._start(alpha)
        gain = ((self.tails[j] + self.missing) << self.units.bits) - below * self.least[j]
        return min(Fraction(gain, self.units.one**2), Fraction(1))

    def lower_of_one(self, alpha: Fraction) -> Fraction:
        """At most Σ_k X_k (1 − αρ^-k)^+ of the true law X, if Y is X."""
        # What is missed of the law is missed twice: terms of the sum, none of them negative.
        j, (_, above) = self._start(alpha)
        gain = (self.tails[j] << self.units.bits) - above * self.most[j]
        return max(Fraction(gain, self.units.one**2), Fraction(0))

    def lower_of_two(self, alpha: Fraction) -> Fraction:
        """At most the greatest sum over i ≥ k of the true laws."""
        # Any place is an event, so floats may choose it; its gain is then taken exactly.
        tails, others, places = self._guides
        start = _loss(alpha, Fraction(1)) + float(self.scale.log())
        shares = math.e ** (start - places * _loss(self.ratio, Fraction(1))).clip(max=LARGEST_LOGARITHM)
        j = int((tails - shares * others).argmax())
        _, above = self._share(_ball(alpha), j)
        gain = (self.tails[j] << self.units.bits) - above * (self.most[j] + self.unseen)
        return max(Fraction(gain, self.units.one**2), Fraction(0))

    @cached_property
    def _guides(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        import numpy as np

        tails, others = (np.array([float(mass) for mass in sums]) for sums in (self.tails, self.most))
        return tails, others + float(self.unseen), self.first + np.arange(len(tails), dtype=np.float64)

    def _start(self, alpha: Fraction) -> tuple[int, tuple[int, int]]:
        """The first place with αρ^-k·scale ≤ 1, or where that is open; the number in units, between two integers."""
        last = len(self.tails) - 1
        guess = math.ceil(_loss(alpha, Fraction(1)) / _loss(self.ratio, Fraction(1))) - self.first
        j, start = min(max(guess, 0), last), _ball(alpha)
        # The terms of smaller places are 0, and those from there on are not negative, or as small as a rounding.
        while j < last and self._share(start, j)[0] > self.units.one:
            j += 1
        while j > 0 and self._share(start, j - 1)[0] <= self.units.one:
            j -= 1
        return j, self._share(start, j)

    def _share(self, alpha: arb, j: int) -> tuple[int, int]:
        """αρ^-k·scale in units, between two integers."""
        with ctx.workprec(2 * BITS):
            power = None if isinstance(self.ratio, Fraction) else self.ratio.power
            if power is None:
                change = _ball(self.ratio) ** -(self.first + j)
            else:
                change = (_ball(power) * -(self.first + j)).exp()
            return scaled_ends(alpha * change * self.scale, self.units.bits)


def _from_place(first: int, law: _Law) -> list[int]:
    return [0] * (law.first - first) + [int(mass) for mass in law.cells.coeffs()]


@dataclass(frozen=True)
class _Direction:
    """What bounds one direction, ready for any α."""

    above: _Places
    events: _Places | None
    """What bounds it from below; None on a lattice, where the first does."""
    alone: Fraction
    """The mass that only s can show, from below."""

    def lower(self, alpha: Fraction) -> Fraction:
        """At most δ."""
        return (self.events.lower_of_two(alpha) if self.events else self.above.lower_of_one(alpha)) + self.alone

    def upper(self, alpha: Fraction) -> Fraction:
        """At least δ."""
        return self.above.upper(alpha)

    @property
    def farthest(self) -> float:
        """The loss beyond which less than 2^-20 lies."""
        last = bisect_right(self.above.tails, -(self.above.units.one >> 20), key=neg)
        return _loss(self.above.ratio, Fraction(1)) * (self.above.first + last)


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

    def exactly(self, at: ExpEpsilon) -> Exact | None:  # noqa: ARG002  # as of `ExactCurve`
        """None: sums on a grid are bounds."""
        return None

    def least_alpha(self, delta: Fraction) -> Exact | None:
        """The least e^ε for δ, where it is known exactly."""
        return self.greatest if delta == 0 else None


def compose_losses(runs: Sequence[tuple[PrivacyLosses, int]], cancel: Cancel) -> ComposedLosses:
    """Compose independent runs; raises Stopped when it is cancelled.

    Args:
        runs: at least one mechanism, by its losses, with the number of times that it runs.
        cancel: ends the work between two products.
    """
    forth = [([(o.first, o.second) for o in losses.outcomes], times) for losses, times in runs]
    back = [([(o.second, o.first) for o in losses.outcomes], times) for losses, times in runs]
    shared = [([(x, y) for x, y in outcomes if x and y], times) for outcomes, times in forth]
    lattice = _lattice(shared)
    if lattice is None:
        directions = _directions_on_grids(shared, cancel)
    else:
        directions = _directions_on_a_lattice(shared, lattice, cancel)
    farthest = max(direction.farthest for direction in directions)
    # In units a mass that is tiny may be 0; that of one run is known exactly, and is at most that of all.
    once = max(ends(total(x for x, y in outcomes if not y))[0] for way in (forth, back) for outcomes, _ in way)
    one_sided = max(once, *(direction.alone for direction in directions))
    return ComposedLosses(max(farthest, 0.0), _greatest([forth, back]), one_sided, directions)


def _directions_on_a_lattice(shared: LossOutcomes, lattice: _Lattice, cancel: Cancel) -> tuple[_Direction, ...]:
    """Both directions, where all ratios are powers of one."""
    units = _Units.of(BITS, sum(times for _, times in shared))
    known: list[list[tuple[_Law, int]]] = []
    found: list[_Direction] = []
    for way in (shared, _reverse(shared)):
        laws = [
            (_law([lattice.place(x, y) for x, y in both], [units.down(x) for x, _ in both]), times)
            for both, times in way
        ]
        # A symmetric mechanism has the same law the other way.
        above = found[0].above if laws in known else _Places.of(units, lattice.ratio, _sum_of_runs(laws, units, cancel))
        known.append(laws)
        found.append(_Direction(above, None, _alone(way)))
    return tuple(found)


def _directions_on_grids(shared: LossOutcomes, cancel: Cancel) -> tuple[_Direction, ...]:
    """Both directions, where ratios are rounded."""
    turned = _reverse(shared)
    forth = _on_a_grid(shared, cancel)
    # A symmetric mechanism has the same losses the other way.
    same = all(set(both) == set(back) for (both, _), (back, _) in zip(shared, turned, strict=True))
    return forth, forth if same else _on_a_grid(turned, cancel)


def _on_a_grid(shared: LossOutcomes, cancel: Cancel) -> _Direction:
    ratio = _grid(shared)
    units = _Units.of(BITS_ON_A_GRID, sum(times for _, times in shared))
    step = _loss(ratio, Fraction(1))
    split = [(_split(both, ratio, step, units), times) for both, times in shared]
    above = _Places.of(units, ratio, _sum_of_runs(split, units, cancel))
    mine, others, scale = [], [], arb(1)
    for both, times in shared:
        # Any integers are places of outcomes.
        places = [_clip(round(_loss(x, y) / step)) for x, y in both]
        mine.append((_law(places, [units.down(x) for x, _ in both]), times))
        # y·ρ^t is about x, and as precise where y is as small as e^-ε: rounded up, and divided by what all are
        # together, which makes them a law.
        changed = [_list_changed(y, ratio, place, units) for place, (_, y) in zip(places, both, strict=True)]
        whole = sum(changed)
        others.append((_law(places, [mass * units.one // whole for mass in changed]), times))
        with ctx.workprec(2 * BITS):
            scale *= arb(fmpq(whole, units.one)) ** times
    laws = [_sum_of_runs(runs, units, cancel) for runs in (mine, others)]
    return _Direction(above, _Places.of(units, ratio, laws[0], laws[1], scale), _alone(shared))


def _list_changed(mass: Exact, ratio: Fraction, power: int, units: _Units) -> int:
    """Mass · ratio^power, rounded up."""
    with ctx.workprec(2 * BITS):
        return scaled_ends(_ball(mass) * _ball(ratio) ** power, units.bits)[1]


def _reverse(shared: LossOutcomes) -> LossOutcomes:
    return [([(y, x) for x, y in both], times) for both, times in shared]


def _alone(shared: LossOutcomes) -> Fraction:
    """The mass that only s can show, from below."""
    units = _Units(BITS, 0)
    whole = units.one
    for both, times in shared:
        start = power = units.up(total(x for x, _ in both))
        for digit in bin(times)[3:]:
            power = -(-power * power >> BITS)
            if digit == "1":
                power = -(-power * start >> BITS)
        whole = -(-whole * power >> BITS)
    return Fraction(max(units.one - whole, 0), units.one)


def _clip(place: int) -> int:
    """A law of one run has hardly more cells than the grid was chosen for."""
    return max(-FARTHEST_PLACE, min(place, FARTHEST_PLACE))


def _split(outcomes: Sequence[LossOutcome], ratio: Fraction, step: float, units: _Units) -> _Law:
    """Each outcome as masses on neighbouring places of the grid; those beyond it are left out."""
    places, masses = [], []
    power = _upper_powers(ratio)
    for x, y in outcomes:
        k = math.floor(_loss(x, y) / step)
        if k >= FARTHEST_PLACE:
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
        places += [k, k + 1]
        masses += [units.down(x - up), units.down(up)]
    return _law(places, masses)


def _upper_powers(ratio: Fraction) -> Callable[[int], Fraction]:
    """K ↦ at least ρ^-k, to about BITS bits; computed once each."""
    known = {0: Fraction(1)}

    def round_up_to(value: Fraction) -> Fraction:
        shift = max(BITS - value.numerator.bit_length() + value.denominator.bit_length(), 0)
        return Fraction(-(-(value.numerator << shift) // value.denominator), 1 << shift)

    def power(k: int) -> Fraction:
        if k not in known:
            half = k // 2 if k > 0 else -(-k // 2)
            value = 1 / ratio if k == 1 else ratio if k == -1 else power(half) * power(k - half)
            known[k] = round_up_to(value)
        return known[k]

    return power


# The grid.


def _loss(x: Exact, y: Exact) -> float:
    """About ln(x/y); not 0 where it is a step of a grid."""
    ratio = ends(x / y)[0]
    if abs(ratio - 1) < Fraction(1, 2):
        return math.log1p(ratio - 1)
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def _ball(number: Exact) -> arb:
    with ctx.workprec(2 * BITS):
        low, high = (arb(fmpq(end.numerator, end.denominator)) for end in ends(number, 2 * BITS))
        return low.union(high)


@dataclass(frozen=True)
class _Lattice:
    """A ratio that all likelihood ratios of outcomes are powers of, and which power each of them is."""

    ratio: Exact
    powers: dict[Exact, int]
    """Of the ratios above 1."""

    def place(self, x: Exact, y: Exact) -> int:
        """K, if x/y is ratio^k."""
        if x == y:
            return 0
        return self.powers[x / y] if x / y in self.powers else -self.powers[y / x]


def _lattice(shared: LossOutcomes) -> _Lattice | None:
    """The lattice that all ratios lie on, if one is found and the places are not too many."""
    ratios: set[Exact] = {max(x / y, y / x) for both, _ in shared for x, y in both} - {Fraction(1)}
    if not ratios:
        return _Lattice(Fraction(2), {})
    logarithms = {ratio: None if isinstance(ratio, Fraction) else ratio.power for ratio in ratios}
    known = [power for power in logarithms.values() if power is not None]
    if len(known) == len(ratios):
        # Powers of e: the greatest number that all are multiples of.
        below = math.lcm(*(power.denominator for power in known))
        unit = Fraction(math.gcd(*(int(power * below) for power in known)), below)
        common: Exact = exp_of(unit)
        powers = {ratio: int(power / unit) for ratio, power in logarithms.items() if power is not None}
    else:
        common = min(ratios, key=lambda ratio: _loss(ratio, Fraction(1)))
        found = {ratio: _power_of(common, ratio) for ratio in ratios}
        powers = {ratio: power for ratio, power in found.items() if power is not None}
    step = _loss(common, Fraction(1))
    if len(powers) < len(ratios) or step < FINEST_STEP or max(powers.values()) > FARTHEST_PLACE:
        return None
    reach, deviation, _ = _spread(shared)
    return _Lattice(common, powers) if min(reach, 2 * WIDTH * deviation) <= LARGEST_LATTICE * step else None


def _power_of(base: Exact, ratio: Exact) -> int | None:
    """K, if ratio is base^k and k is not too large."""
    step = _loss(base, Fraction(1))
    # Logarithms of ratios that are closer to 1 may be 0.
    power = round(_loss(ratio, Fraction(1)) / step) if step >= FINEST_STEP else LARGEST_POWER + 1
    if power > LARGEST_POWER or power * _degree(base) > MOST_DEGREE:
        return None
    found: Exact = base**power
    return power if found == ratio else None


def _degree(number: Exact) -> int:
    return 0 if isinstance(number, Fraction) else max(number.top.degree(), number.bottom.degree())


def _spread(shared: LossOutcomes) -> tuple[float, float, float]:
    """Of the loss: how far apart its least and greatest are at most, its deviation, and the least of one run."""
    variance = reach = 0.0
    finest = math.inf
    for both, times in shared:
        losses = [(float(x), _loss(x, y)) for x, y in both]
        mean = sum(x * loss for x, loss in losses)
        spread = sum(x * (loss - mean) ** 2 for x, loss in losses)
        variance += times * spread
        reach += 2 * times * max((abs(loss) for _, loss in losses), default=0.0)
        finest = min(finest, math.sqrt(spread) or math.inf)
    return reach, math.sqrt(variance), finest


def _grid(shared: LossOutcomes) -> Fraction:
    """The ratio ρ between neighbours, as fine as a limited grid can be."""
    reach, deviation, finest = _spread(shared)
    width = min(reach, 2 * WIDTH * deviation)
    # What is so rare that it may count fully, as if s alone could show it, need not lie on the grid.
    losses = [abs(_loss(x, y)) for both, times in shared for x, y in both if times * float(x) > RARE]
    largest = max(losses, default=0.0)
    finest = finest / CELLS_PER_DEVIATION if finest < math.inf else 0.0
    step = max(finest, width / MOST_CELLS, largest / (FARTHEST_PLACE - 2), 1e-9)
    step = max(_fit(shared, step), FINEST_STEP)
    # Rare losses may be so large that e^step is no float; they are clipped anyhow.
    shortened = Fraction(math.expm1(min(step, 700.0))).limit_denominator(max(10**12, math.ceil(1000 / step)))
    return 1 + shortened


def _fit(shared: LossOutcomes, finest: float) -> float:
    """A step of at least about ``finest`` that the largest loss is a multiple of, and the others nearly."""
    losses = [(float(x + y), abs(_loss(x, y))) for both, _ in shared for x, y in both]
    largest = max(loss for _, loss in losses)
    count = max(1, math.floor(largest / finest))
    if len(losses) > MOST_FITTED or largest < FINEST_STEP:
        return largest / count
    steps = (largest / n for n in range(count, max(0, count // 2 - 1, count - MOST_STEPS_TRIED), -1))
    # Of steps that fit as well the finest.
    return min(steps, key=lambda step: sum(w * (loss - round(loss / step) * step) ** 2 for w, loss in losses))


def _greatest(ways: Sequence[LossOutcomes]) -> Exact | None:
    """Max Π (max x/y)^times over both ways; None if it is too long, or infinite."""
    if not all(y for runs in ways for outcomes, _ in runs for _, y in outcomes):
        return None
    products = [_product_of_powers([(max(x / y for x, y in outcomes), n) for outcomes, n in runs]) for runs in ways]
    known = [product for product in products if product is not None]
    try:
        return max(known) if len(known) == len(products) else None
    except InputError:  # over one e^(1/k) their degrees are too high for a comparison
        return None


def _product_of_powers(factors: Sequence[tuple[Exact, int]]) -> Exact | None:
    """Π factor^times; None if it is too long."""
    logarithms = [as_exponential(factor).power for factor, _ in factors]
    if None not in logarithms:
        power = sum((p * times for p, (_, times) in zip(logarithms, factors, strict=True) if p), Fraction(0))
        if abs(power.numerator) > MOST_DEGREE:
            return None
        return exp_of(power) if power else Fraction(1)
    k = common_base(map(as_exponential, (factor for factor, _ in factors)))
    degree = sum(times * _degree(factor) * (k // as_exponential(factor).k) for factor, times in factors)
    if degree > MOST_DEGREE or sum(times * _size(factor) for factor, times in factors) > LONGEST_RATIO:
        return None
    product: Exact = Fraction(1)
    for factor, times in factors:
        product = product * factor**times
    return product


def _size(ratio: Exact) -> int:
    """The bits of a ratio; of a function of e, those of all its coefficients, about."""
    if isinstance(ratio, Fraction):
        return max(ratio.numerator, ratio.denominator).bit_length()
    return max((part.degree() + 1) * part.height_bits() for part in (ratio.top, ratio.bottom))
