"""Arithmetic and comparisons of noise, at every corner of the integers. The δ of each is known; a wrong interval is a false proof."""

import math
import operator
from decimal import Decimal
from fractions import Fraction

import deltachain as dc
from tests.attacks.collection import honest, laplace_mass, law

LAW = {z: laplace_mass(3, z, z) for z in range(-120, 121)}


def mass(holds):
    """P(holds(Z)) at scale 3."""
    return math.fsum(p for z, p in LAW.items() if holds(z))


def mass2(holds):
    """P(holds(X, Y)) of two at scale 3."""
    near = {z: p for z, p in LAW.items() if abs(z) <= 75}
    return math.fsum(p * q for x, p in near.items() for y, q in near.items() if holds(x, y))


def shown(secret, seen):
    return ("no", "yes")[secret] if seen else "quiet"


@honest(mass(lambda z: z > 2), delta="0.9")
def greater(secret):
    return shown(secret, dc.discrete_laplace(3) > 2)


@honest(mass(lambda z: z >= 2), delta="0.9")
def greater_or_equal(secret):
    return shown(secret, dc.discrete_laplace(3) >= 2)


@honest(mass(lambda z: 2 > z), delta="0.9")
def reflected(secret):
    return shown(secret, 2 > dc.discrete_laplace(3))


@honest(mass(lambda z: z == 2), delta="0.9")
def equal(secret):
    return shown(secret, dc.discrete_laplace(3) == 2)


@honest(mass(lambda z: z != 2), delta="0.9")
def not_equal(secret):
    return shown(secret, dc.discrete_laplace(3) != 2)


@law(mass(lambda z: z > 2.5), delta="0.9")
def greater_than_a_float(secret):
    return shown(secret, dc.discrete_laplace(3) > 2.5)


@law(mass(lambda z: z <= 2.0), delta="0.9")
def at_most_a_whole_float(secret):
    return shown(secret, dc.discrete_laplace(3) <= 2.0)


@law(mass(lambda z: z < -2.5), delta="0.9")
def less_than_a_negative_float(secret):
    return shown(secret, dc.discrete_laplace(3) < -2.5)


@law(1, delta="0.9")
def less_than_infinity(secret):
    return shown(secret, dc.discrete_laplace(3) < math.inf)


@law(0)
def less_than_nan(secret):
    return shown(secret, dc.discrete_laplace(3) < math.nan)


@law(1, delta="0.9")
def not_less_than_nan(secret):
    return shown(secret, not dc.discrete_laplace(3) >= math.nan)


@law(0)
def equal_to_a_half(secret):
    return shown(secret, dc.discrete_laplace(3) == 0.5)


@law(mass(lambda z: 2 * z > 5), delta="0.9")
def greater_than_a_fraction(secret):
    return shown(secret, dc.discrete_laplace(3) > Fraction(5, 2))


@law(mass(lambda z: z > Decimal("2.5")), delta="0.9")
def greater_than_a_decimal(secret):
    return shown(secret, dc.discrete_laplace(3) > Decimal("2.5"))


@law(mass(lambda z: z > True), delta="0.9")
def greater_than_true(secret):
    return shown(secret, dc.discrete_laplace(3) > True)


@law(1, delta="0.9")
def not_equal_to_text(secret):
    return shown(secret, dc.discrete_laplace(3) != "2")


@law(0)
def equal_to_none(secret):
    return shown(secret, dc.discrete_laplace(3) == None)  # noqa: E711


@honest(mass(lambda z: -3 <= z < 2), delta="0.9")
def chained(secret):
    return shown(secret, -3 <= dc.discrete_laplace(3) < 2)


@honest(mass(lambda z: z + 5 > 7), delta="0.9")
def plus(secret):
    return shown(secret, dc.discrete_laplace(3) + 5 > 7)


@honest(mass(lambda z: 5 - z > 7), delta="0.9")
def subtracted_from(secret):
    return shown(secret, 5 - dc.discrete_laplace(3) > 7)


@honest(mass(lambda z: -z > 1), delta="0.9")
def negative(secret):
    return shown(secret, -dc.discrete_laplace(3) > 1)


@law(mass(lambda z: ~z > 1), delta="0.9")
def inverse(secret):
    return shown(secret, ~dc.discrete_laplace(3) > 1)


@law(mass(lambda z: 3 * z > 7), delta="0.9")
def times(secret):
    return shown(secret, 3 * dc.discrete_laplace(3) > 7)


@law(mass(lambda z: -2 * z >= 4), delta="0.9")
def times_negative(secret):
    return shown(secret, dc.discrete_laplace(3) * -2 >= 4)


@law(mass(lambda z: z * 0 == 0), delta="0.9")
def times_zero(secret):
    return shown(secret, dc.discrete_laplace(3) * 0 == 0)


@law(mass(lambda z: z * z > 10), delta="0.9")
def square(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x * x > 10)


@law(mass(lambda z: z**2 > 10), delta="0.9")
def power(secret):
    return shown(secret, dc.discrete_laplace(3) ** 2 > 10)


@law(mass(lambda z: 2 ** abs(z) > 10), delta="0.9")
def exponent(secret):
    return shown(secret, 2 ** abs(dc.discrete_laplace(3)) > 10)


@honest(mass(lambda z: z // 3 == 1), delta="0.9")
def floor_division(secret):
    return shown(secret, dc.discrete_laplace(3) // 3 == 1)


@law(mass(lambda z: z // -3 == 1), delta="0.9")
def floor_division_by_a_negative(secret):
    return shown(secret, dc.discrete_laplace(3) // -3 == 1)


@law(mass(lambda z: -z // 3 == 1), delta="0.9")
def negated_floor_division(secret):
    return shown(secret, -dc.discrete_laplace(3) // 3 == 1)


@law(mass(lambda z: z != 0 and 7 // z == 2), delta="0.9", errors="announce")
def divides(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x != 0 and 7 // x == 2)


@law(mass(lambda z: z == 0), "division by noise that may be zero", delta="0.9", errors="announce", enumerable=False)
def divides_by_zero(secret):
    x = dc.discrete_laplace(3)
    try:
        1 // x
    except ZeroDivisionError:
        return shown(secret, True)
    return shown(secret, False)


@honest(mass(lambda z: z % 3 == 1), delta="0.9")
def modulo(secret):
    return shown(secret, dc.discrete_laplace(3) % 3 == 1)


@law(mass(lambda z: z % -3 == -1), delta="0.9")
def modulo_negative(secret):
    return shown(secret, dc.discrete_laplace(3) % -3 == -1)


@law(mass(lambda z: z != 0 and 7 % z == 1), delta="0.9")
def modulo_of_noise(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x != 0 and 7 % x == 1)


@law(mass(lambda z: divmod(z, 4) == (1, 2)), delta="0.9")
def both_of_a_division(secret):
    return shown(secret, divmod(dc.discrete_laplace(3), 4) == (1, 2))


@law(mass(lambda z: z / 4 > 0.5), delta="0.9")
def true_division(secret):
    return shown(secret, dc.discrete_laplace(3) / 4 > 0.5)


@law(mass(lambda z: z & 1), delta="0.9")
def last_bit(secret):
    return shown(secret, dc.discrete_laplace(3) & 1)


@law(mass(lambda z: z | 1 == 3 and z | 1), delta="0.9", enumerable=True)
def or_one(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x | 1 == 3 and x | 1)


@law(mass(lambda z: (z ^ 5) > 6), delta="0.9")
def xor(secret):
    return shown(secret, (dc.discrete_laplace(3) ^ 5) > 6)


@law(mass(lambda z: (z << 2) > 9), delta="0.9")
def left_shift(secret):
    return shown(secret, (dc.discrete_laplace(3) << 2) > 9)


@law(mass(lambda z: (z >> 1) == -2), delta="0.9")
def right_shift(secret):
    return shown(secret, (dc.discrete_laplace(3) >> 1) == -2)


@law(mass(lambda z: round(z / 2) == 2), delta="0.9")
def rounded_half(secret):
    return shown(secret, round(dc.discrete_laplace(3) / 2) == 2)


@law(mass(lambda z: round(z, -1) == 10), delta="0.9")
def rounded_to_tens(secret):
    return shown(secret, round(dc.discrete_laplace(3), -1) == 10)


@law(mass(lambda z: math.floor(z / 3) == -2), delta="0.9")
def floored(secret):
    return shown(secret, math.floor(dc.discrete_laplace(3) / 3) == -2)


@law(mass(lambda z: math.trunc(z / 3) == -1), delta="0.9")
def truncated(secret):
    return shown(secret, int(dc.discrete_laplace(3) / 3) == -1)


@honest(mass(lambda z: abs(z) > 4), delta="0.9")
def absolute(secret):
    return shown(secret, abs(dc.discrete_laplace(3)) > 4)


@honest(mass(lambda z: abs(z - 5) <= 2), delta="0.9")
def absolute_of_a_shift(secret):
    return shown(secret, abs(dc.discrete_laplace(3) - 5) <= 2)


@honest(mass(lambda z: max(z, 3) == 3), delta="0.9")
def maximum(secret):
    return shown(secret, max(dc.discrete_laplace(3), 3) == 3)


@law(mass(lambda z: min(z, 2.5) == 2.5), delta="0.9")
def minimum_with_a_float(secret):
    return shown(secret, min(dc.discrete_laplace(3), 2.5) == 2.5)


@law(mass(lambda z: abs(z) % 4 == 3 and z // 2 > 0), delta="0.9")
def several_operations(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, abs(x) % 4 == 3 and x // 2 > 0)


@law(mass(lambda z: (2 * z + 1) % 5 == 0), delta="0.9")
def modulo_of_a_multiple(secret):
    return shown(secret, (2 * dc.discrete_laplace(3) + 1) % 5 == 0)


@law(mass(lambda z: (z % 5) // 2 == 1), delta="0.9")
def division_of_a_modulo(secret):
    return shown(secret, (dc.discrete_laplace(3) % 5) // 2 == 1)


@law(mass(lambda z: abs(z % 7 - 3) >= 3), delta="0.9")
def distance_on_a_circle(secret):
    return shown(secret, abs(dc.discrete_laplace(3) % 7 - 3) >= 3)


@law(1, delta="0.9")
def minus_itself(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x - x == 0)


@law(0)
def parity_of_its_double(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, (x + x) % 2)


@law(mass(lambda z: z - z // 2 * 2 == 1), delta="0.9")
def remainder_by_hand(secret):
    x = dc.discrete_laplace(3)
    return shown(secret, x - x // 2 * 2 == 1)


@law(mass2(lambda x, y: x + y > 3), delta="0.9")
def sum_of_two(secret):
    return shown(secret, dc.discrete_laplace(3) + dc.discrete_laplace(3) > 3)


@law(mass2(lambda x, y: x < y), delta="0.9")
def one_less_than_the_other(secret):
    return shown(secret, dc.discrete_laplace(3) < dc.discrete_laplace(3))


@law(mass2(lambda x, y: x == y), delta="0.9")
def one_equal_to_the_other(secret):
    return shown(secret, dc.discrete_laplace(3) == dc.discrete_laplace(3))


@law(mass2(lambda x, y: x - y == 2), delta="0.9")
def difference_of_two(secret):
    return shown(secret, dc.discrete_laplace(3) - dc.discrete_laplace(3) == 2)


@law(mass2(lambda x, y: max(x, y) <= 1), delta="0.9")
def maximum_of_two(secret):
    return shown(secret, max(dc.discrete_laplace(3), dc.discrete_laplace(3)) <= 1)


@law(mass2(lambda x, y: x * y > 4), delta="0.9")
def product_of_two(secret):
    return shown(secret, dc.discrete_laplace(3) * dc.discrete_laplace(3) > 4)


@law(mass2(lambda x, y: sorted([x, y, 0])[1] == 0), delta="0.9")
def median_of_two_and_zero(secret):
    return shown(secret, sorted([dc.discrete_laplace(3), dc.discrete_laplace(3), 0])[1] == 0)


@law(mass2(lambda x, y: x > 2 and y > x), delta="0.9")
def compared_in_turn(secret):
    x = dc.discrete_laplace(3)
    if x <= 2:
        return "quiet"
    return shown(secret, dc.discrete_laplace(3) > x)


@law(mass(lambda z: z * 10**20 > 10**20), delta="0.9")
def big_multiples(secret):
    return shown(secret, dc.discrete_laplace(3) * 10**20 > 10**20)


@law(mass(lambda z: z // 10**20 == -1), delta="0.9")
def big_divisors(secret):
    return shown(secret, dc.discrete_laplace(3) // 10**20 == -1)


@law(mass(lambda z: (z + 2**63) > 2**63), delta="0.9")
def beyond_64_bits(secret):
    return shown(secret, dc.discrete_laplace(3) + 2**63 > 2**63)


@law(mass(lambda z: z + 0.5 > 2), delta="0.9")
def plus_a_float(secret):
    return shown(secret, dc.discrete_laplace(3) + 0.5 > 2)


@law(0, "2^53 swallows it", delta=0)
def swallowed_by_a_float(secret):
    return shown(secret, abs(dc.discrete_laplace("1/10") * 0 + 2.0**60) != 2.0**60)


@law(mass(lambda z: operator.floordiv(operator.add(z, 1), 2) == 1), delta="0.9")
def operators(secret):
    return shown(secret, operator.floordiv(operator.add(dc.discrete_laplace(3), 1), 2) == 1)


@law(mass(lambda z: z in (1, 5, 9)), delta="0.9")
def among(secret):
    return shown(secret, dc.discrete_laplace(3) in (1, 5, 9))


@law(mass(lambda z: z.__mod__(4) == 3), delta="0.9")
def by_its_method(secret):
    return shown(secret, dc.discrete_laplace(3).__mod__(4) == 3)


@law(mass(lambda z: pow(z, 2, 7) == 4), delta="0.9")
def modular_power(secret):
    return shown(secret, pow(dc.discrete_laplace(3), 2, 7) == 4)


@honest(mass(lambda z: 0 < z + 7 <= 7), delta="0.9")
def augmented(secret):
    x = 7
    x += dc.discrete_laplace(3)
    return shown(secret, 0 < x <= 7)


@honest(mass(lambda z: z > 0), delta="0.9")
def nested_thresholds(secret):
    x = dc.discrete_laplace(3)
    if x > 4:
        return shown(secret, x > 0)
    if x > 2:
        return shown(secret, x < 5)
    return shown(secret, x > 0)


def pair_delta(one, other):
    """δ at ε = 0 between two ways to show Z."""
    left, right = {}, {}
    for z, p in LAW.items():
        left[one(z)] = left.get(one(z), 0) + p
        right[other(z)] = right.get(other(z), 0) + p
    return max(math.fsum(max(0.0, p - b.get(v, 0)) for v, p in a.items()) for a, b in ((left, right), (right, left)))


@honest(pair_delta(lambda z: z, lambda z: 2 * z), delta="0.9")
def shows_it_or_its_double(secret):
    return dc.discrete_laplace(3) * (1 + secret)


@law(pair_delta(lambda z: z // 2, lambda z: (z + 1) // 2), delta="0.9")
def halves(secret):
    return (dc.discrete_laplace(3) + secret) // 2


@law(pair_delta(lambda z: abs(z), lambda z: abs(z + 1)), delta="0.9")
def absolute_shown(secret):
    return abs(dc.discrete_laplace(3) + secret)


@law(pair_delta(lambda z: z % 4, lambda z: (z + 1) % 4), delta="0.9")
def residues(secret):
    return (dc.discrete_laplace(3) + secret) % 4


@honest(pair_delta(lambda z: max(z, 0), lambda z: max(z + 1, 0)), delta="0.9")
def clamped(secret):
    return max(dc.discrete_laplace(3) + secret, 0)


@law(pair_delta(lambda z: (z, z), lambda z: (z, z + 1)), delta="0.9")
def shown_twice(secret):
    x = dc.discrete_laplace(3)
    return x, x + secret


@law(1, delta="0.9")
def difference_is_shown(secret):
    x = dc.discrete_laplace(3)
    dc.announce(x)
    dc.announce(x + secret)


@law(pair_delta(lambda z: (z > 0, z), lambda z: (z > 0, z)), delta="0.9")
def compared_and_shown(secret):
    x = dc.discrete_laplace(3)
    return (x > 0, x)


@law(pair_delta(lambda z: (z > 0, z + 1), lambda z: (z > 1, z + 1)), delta="0.9")
def compared_with_the_secret_and_shown(secret):
    x = dc.discrete_laplace(3)
    return (x > secret, x + 1)


@law(pair_delta(lambda z: -z, lambda z: z), delta="0.9")
def mirrored(secret):
    x = dc.discrete_laplace(3)
    return x if secret else -x


@law(pair_delta(lambda z: z / 2, lambda z: (z + 1) / 2), delta="0.9")
def half_as_a_float(secret):
    return (dc.discrete_laplace(3) + secret) / 2


@law(pair_delta(lambda z: str(z), lambda z: str(z + 1)), delta="0.9")
def as_text(secret):
    return str(dc.discrete_laplace(3) + secret)


@law(1, delta="0.9")
def a_float_for_one(secret):
    x = dc.discrete_laplace(3)
    return float(x) if secret else x
