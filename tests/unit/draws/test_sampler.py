"""The exact sampler, without statistics: all bit strings are fed, tables are compared with exact numbers, and the
compositions are explored, so that their laws come out equal, as exact numbers, to what they claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import sqrt as float_sqrt
from typing import Any

import pytest

from deltachain.draws import seeded
from deltachain.draws.sampler import GaussianSampler, Inverse, TwoSidedSampler, UniformSampler, inverse_of
from deltachain.errors import InputError
from deltachain.numbers import ball as enclosures
from deltachain.numbers.exponential import Exponential, exp_of
from deltachain.numbers.real import Real, combine, exp, make_number, sqrt
from tests.amounts import fewer_or_all
from tests.reference.every_draw import every_string, every_way
from tests.words import refuses

LENGTH = 12
"""Bits of the strings that are fed."""

F = Fraction


def plain(number: Any) -> Any:
    """A number in a form that compares with fractions: a Fraction or an Exponential."""
    return number.exact if isinstance(number, Real) else Fraction(number)


def as_parameter(number: Any) -> Any:
    """An exact number as an argument of a sampler."""
    return make_number(number) if isinstance(number, Exponential) else Fraction(number)


E1, E50 = exp_of(F(-1)), exp_of(F(-50))

WEIGHTS: list[list[Any]] = [
    [F(1)],
    [F(1, 2), F(1, 2)],
    [F(1, 3), F(2, 3)],
    [F(1, 1024), F(1023, 1024)],
    [F(1, 2**70), 1 - F(1, 2**70)],
    [F(999_999), F(1_000_001)],
    [F(10**6), F(1)],
    [F(1), F(10**6), F(3)],
    [F(1, 7)] * 7,
    [E1, 1 - E1],
    [E50, 1 - E50],
    [exp_of(F(n, 2)) for n in range(5)],
]


def probabilities(weights: Sequence[Any]) -> list[Any]:
    total = sum(weights[1:], weights[0])
    return [weight / total for weight in weights]


@pytest.mark.sample(18)
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("weights", WEIGHTS, ids=[str(len(w)) + "-" + str(w[0]) for w in WEIGHTS])
def test_every_bit_string_decides_for_the_right_outcome(weights: list[Any], width: int) -> None:
    inverse = inverse_of(tuple(map(as_parameter, weights)), width)
    decided, undecided = every_string(inverse.draw, LENGTH)
    assert undecided <= 3 * (len(weights) - 1)
    for outcome, p in enumerate(probabilities(weights)):
        measure = decided.get(outcome, F(0))
        assert measure <= p <= measure + F(undecided, 1 << LENGTH)


@pytest.mark.parametrize("width", [1, 4])
def test_numbers_that_are_only_enclosed_are_drawn_exactly_too(width: int) -> None:
    half_root = combine("/", sqrt(2), 2)
    inverse = inverse_of((half_root, combine("-", 1, half_root)), width)  # type: ignore[arg-type]
    decided, undecided = every_string(inverse.draw, LENGTH)
    low, high = decided[0], decided[0] + F(undecided, 1 << LENGTH)
    assert low**2 <= F(1, 2) <= high**2
    assert 0 < undecided <= 3


@pytest.mark.parametrize("width", [1, 2, 4, 5])
@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 64, 100])
def test_every_bit_string_decides_for_the_right_whole_number(count: int, width: int) -> None:
    decided, undecided = every_string(UniformSampler(-3, count - 4, width).draw, LENGTH)
    assert set(decided) == set(range(-3, count - 3))
    assert undecided < 1 << LENGTH - LENGTH // width * width if (count & count - 1) == 0 else undecided
    for measure in decided.values():
        assert measure <= F(1, count) <= measure + F(undecided, 1 << LENGTH)


def test_ranges_of_any_length_are_drawn_from() -> None:
    source = seeded(3)
    for top in (10**15, 2**64, 10**30, 10**400):
        found = [UniformSampler(0, top).draw(source.bits) for _ in range(50)]
        assert len(set(found)) == 50
        assert 0 <= min(found) < top // 5 < 4 * top // 5 < max(found) <= top
    assert UniformSampler(7, 7).draw(source.bits) == 7


@pytest.mark.parametrize("bits", [1, 7, 64, 200])
@pytest.mark.parametrize("weights", WEIGHTS, ids=[str(len(w)) + "-" + str(w[0]) for w in WEIGHTS])
def test_tables_enclose_the_exact_cumulative_probabilities(weights: list[Any], bits: int) -> None:
    check_table(inverse_of(tuple(map(as_parameter, weights))), probabilities(weights), bits)


def check_table(inverse: Inverse, exact: Sequence[Any], bits: int) -> None:
    """The ends of a table, at so many bits, lie around exact cumulative probabilities, at most 2 apart."""
    *cumulative, total = accumulate(exact)
    assert total == 1
    ends = inverse.ends(bits)
    for (low, high), sum_ in zip(ends, cumulative, strict=True):
        assert low <= sum_ * (1 << bits) <= high
        assert 0 <= low <= high <= min(low + 2, 1 << bits)


def test_an_enclosure_that_is_not_in_order_does_not_mislead() -> None:
    # The second boundary is known more closely than the first: their upper ends are not in order.
    inverse = Inverse(lambda _: [(0, 2), (1, 1)], width=2)
    assert inverse.draw(lambda _: 1) == 2
    assert inverse.draw(lambda _: 3) == 2


# Two-sided geometric noise.

RATIOS: list[Any] = [F(1, 3), F(1, 2), F(9, 10), F(1, 2**70), F(999, 1000), E1, E50, exp_of(F(-1, 7)), exp_of(F(-3, 7))]


class Decision:
    """In place of a table: a choice among exact weights."""

    def __init__(self, weights: Sequence[Any]) -> None:
        self.weights = weights

    def draw(self, choose: Callable[[Sequence[Any]], int]) -> int:
        return choose(self.weights)


def decisions(r: Any, base: int, places: int) -> tuple[Decision, list[Decision]]:
    """The sign and the digits of two-sided geometric noise: what their laws must be."""
    one = r**0
    sign = Decision([(one - r) / (one + r), r / (one + r), r / (one + r)])
    digits = []
    for place in range(places):
        s = r ** (base**place)
        if place < places - 1:
            digits.append(Decision([s**d * (one - s) / (one - s**base) for d in range(base)]))
        else:
            digits.append(Decision([*(s**d * (one - s) for d in range(base)), s**base]))
    return sign, digits


@pytest.mark.parametrize("base", [2, 3, 4])
@pytest.mark.parametrize("r", RATIOS, ids=str)
def test_two_sided_noise_is_its_law_as_exact_numbers(r: Any, base: int) -> None:
    """Tables enclose what the decisions are to be, and the decisions make the law: equal for all outcomes up to the
    second "again"."""
    sampler = TwoSidedSampler(as_parameter(r), base=base)
    places = min(len(sampler.digits), 2)
    assert sampler.sign is not None
    sign, digits = decisions(r, base, places)
    for bits in (3, 64, 90):
        check_table(sampler.sign, sign.weights, bits)
        if places == len(sampler.digits):
            for table, digit in zip(sampler.digits, digits, strict=True):
                check_table(table, digit.weights, bits)
    sampler.sign, sampler.digits = sign, digits  # type: ignore[assignment]
    found = every_way(sampler.draw, longest=1 + places + 1)  # type: ignore[arg-type]
    span = base**places
    assert set(found) == set(range(-2 * span, 2 * span + 1))
    for z, p in found.items():
        assert p == (1 - r) / (1 + r) * r ** abs(z), z  # type: ignore[operator, arg-type]


@pytest.mark.parametrize("r", [F(1, 3), F(999, 1000), exp_of(F(-1, 7)), exp_of(F(-1, 1000))], ids=str)
def test_all_digits_of_the_default_base_have_their_laws(r: Any) -> None:
    sampler = TwoSidedSampler(as_parameter(r))
    base, places = sampler.base, len(sampler.digits)
    for place, table in enumerate(sampler.digits):
        s = r ** (base**place)
        *ends, last = range(0, base + (place == places - 1), 37)
        whole = 1 if place == places - 1 else 1 - s**base
        found = table.ends(64)
        assert len(found) == base - (place < places - 1)
        for d in (*ends, min(last, len(found) - 1)):
            low, high = found[d]
            assert low <= (1 - s ** (d + 1)) / whole * (1 << 64) <= high


@pytest.mark.parametrize("r", [F(1, 3), F(1, 2), E1], ids=str)
def test_every_bit_string_makes_two_sided_noise(r: Any) -> None:
    decided, undecided = every_string(TwoSidedSampler(as_parameter(r), base=2, width=1).draw, LENGTH)
    assert sum(decided.values()) + F(undecided, 1 << LENGTH) == 1
    assert decided[0] > F(1, 4)
    for z, measure in decided.items():
        p = (1 - r) / (1 + r) * r ** abs(z)  # type: ignore[operator, arg-type]
        assert measure <= p <= measure + F(undecided, 1 << LENGTH)


def test_noise_beyond_an_end_is_that_end() -> None:
    free, clamped = TwoSidedSampler(F(3, 4)), TwoSidedSampler(F(3, 4), -1, 2)
    one, other = seeded(5), seeded(5)
    draws = [(free.draw(one.bits), clamped.draw(other.bits)) for _ in range(300)]
    assert all(moved == min(max(z, -1), 2) for z, moved in draws)
    assert {moved for _, moved in draws} == {-1, 0, 1, 2}
    assert TwoSidedSampler(F(0), 3, 5).draw(one.bits) == 3
    assert TwoSidedSampler(F(0)).draw(one.bits) == 0


def test_a_scale_of_any_honest_size_is_drawn_from() -> None:
    source = seeded(11)
    for scale in (10**6, 10**30, 10**300):
        sampler = TwoSidedSampler(exp(F(-1, scale)))  # type: ignore[arg-type]
        found = sorted(abs(sampler.draw(source.bits)) for _ in range(200))
        assert scale * 0.4 < found[100] < scale  # the median of |Z| is scale·ln 2
    with refuses(InputError, "a scale above"):
        TwoSidedSampler(exp(F(-1, 1 << 5000)))  # type: ignore[arg-type]


# The discrete Gaussian.

SIGMAS = [F(1), F(1, 3), F(7, 2), F(1, 2**10), F(10)]


@pytest.mark.parametrize("sigma", SIGMAS, ids=str)
@fewer_or_all("distant", False, True)
def test_the_gaussian_accepts_in_proportion_to_its_law(sigma: Fraction, distant: bool) -> None:
    """Of what is proposed and accepted in one round, P(y)/P(0) = e^(−y²/2σ²), as exact numbers."""
    sampler = GaussianSampler(sigma)
    r = exp_of(F(-1, sampler.scale))
    check_table(sampler.proposal.sign, decisions(r, 2, 1)[0].weights, 80)  # type: ignore[arg-type]

    def coin(y: int) -> Fraction:
        """The logarithm of the probability that y is accepted."""
        return -((y - sigma**2 / sampler.scale) ** 2) / (2 * sigma**2)

    # Where noise is narrow, the chance of a distant value is a number of a hundred million digits.
    for y in (0, 1, 2, 5, 30) if distant or sigma > F(1, 100) else (0, 1, 2):
        (low, high), (below, above) = sampler.coin(y).ends(100)[0], enclosures.exp(coin(y), 200)
        assert low <= above * 2**100
        assert below * 2**100 <= high
        assert high - low <= 2
        # P(y) ∝ r^|y|·coin = e^(−|y|/t + coin(y)): the logarithms add up to that of the law, and one constant.
        assert F(-y, sampler.scale) + coin(y) - coin(0) == -F(y**2) / (2 * sigma**2)


def test_every_bit_string_makes_gaussian_noise() -> None:
    sigma = F(1, 2)
    decided, undecided = every_string(GaussianSampler(sigma, width=1).draw, LENGTH)
    # The sum that normalises, in floats: their error is far below what is undecided.
    total = 1 + 2 * sum(float(exp_of(-F(z**2) / (2 * sigma**2))) for z in range(1, 12))
    assert decided[0] > F(1, 3)
    for z, measure in decided.items():
        p = float(exp_of(-F(z**2) / (2 * sigma**2))) / total  # type: ignore[operator]
        assert float(measure) <= p <= float(measure + F(undecided, 1 << LENGTH))


def test_a_gaussian_of_an_irrational_sigma_is_drawn() -> None:
    source = seeded(2)
    sampler = GaussianSampler(sqrt(F(2)))  # type: ignore[arg-type]
    counts = Counter(sampler.draw(source.bits) for _ in range(4000))
    total = 1 + 2 * sum(float(exp_of(-F(z**2, 4))) for z in range(1, 20))
    for z in range(-3, 4):
        p = float(exp_of(-F(z**2, 4))) / total
        assert abs(counts[z] - 4000 * p) < 5 * float_sqrt(4000 * p)


# Statistics, beside.


def test_frequencies_of_a_seeded_source_are_near() -> None:
    """20,000 draws each; every outcome within five standard deviations, with seeds that are fixed."""
    size = 20_000
    source = seeded(1)
    laws: list[tuple[Callable[[], Any], dict[Any, float]]] = []
    for r in (0.5, 0.9):
        sampler = TwoSidedSampler(as_parameter(F(str(r))))
        chances = {z: (1 - r) / (1 + r) * r ** abs(z) for z in range(-8, 9)}
        laws.append((lambda sampler=sampler: sampler.draw(source.bits), chances))  # type: ignore[misc]
    gauss = GaussianSampler(F(3))
    total = 1 + 2 * sum(float(exp_of(-F(z**2, 18))) for z in range(1, 60))
    laws.append((lambda: gauss.draw(source.bits), {z: float(exp_of(-F(z**2, 18))) / total for z in range(-8, 9)}))
    die = UniformSampler(1, 6)
    laws.append((lambda: die.draw(source.bits), dict.fromkeys(range(1, 7), 1 / 6)))
    for draw, chances in laws:
        counts = Counter(draw() for _ in range(size))
        for outcome, p in chances.items():
            assert abs(counts[outcome] - size * p) < 5 * float_sqrt(size * p * (1 - p)), outcome
