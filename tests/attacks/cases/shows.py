"""Noise that is shown: several times, in several ways, beside comparisons, and together with other noise."""

import math

import deltachain as dc
from tests.attacks.collection import honest, laplace_mass, law

NEAR = [(z, laplace_mass(2, z, z)) for z in range(-60, 61)]


def delta_of_one(show, epsilon=0.0):
    """δ between show(0, Z) and show(1, Z), at scale 2."""
    return _delta([(p, show(0, z), show(1, z)) for z, p in NEAR], epsilon)


def delta_of_two(show, epsilon=0.0):
    """δ between show(0, X, Y) and show(1, X, Y), at scale 2."""
    return _delta([(p * q, show(0, x, y), show(1, x, y)) for x, p in NEAR for y, q in NEAR], epsilon)


def _delta(rows, epsilon):
    left, right = {}, {}
    for p, one, other in rows:
        left.setdefault(one, []).append(p)
        right.setdefault(other, []).append(p)
    factor = math.exp(epsilon)
    totals = [{value: math.fsum(ps) for value, ps in side.items()} for side in (left, right)]
    return max(
        math.fsum(max(0.0, p - factor * b.get(value, 0.0)) for value, p in a.items()) for a, b in (totals, totals[::-1])
    )


@honest(delta_of_one(lambda s, z: (z + s, z + s)), delta="0.9")
def twice_the_same(secret):
    x = secret + dc.discrete_laplace(2)
    return [x, x]


@law(delta_of_one(lambda s, z: (z, z + s)), delta="0.9")
def with_and_without(secret):
    x = dc.discrete_laplace(2)
    return [x, x + secret]


@honest(delta_of_one(lambda s, z: 2 * z + s), delta="0.9")
def doubled_and_shifted(secret):
    return 2 * dc.discrete_laplace(2) + secret


@law(delta_of_one(lambda s, z: (z // 2, z % 2 * s)), delta="0.9")
def quotient_and_remainder(secret):
    x = dc.discrete_laplace(2)
    return x // 2, x % 2 * secret


@law(delta_of_one(lambda s, z: (abs(z), z > 0 and s)), delta="0.9")
def absolute_and_sign(secret):
    x = dc.discrete_laplace(2)
    return abs(x), bool(x > 0 and secret)


@honest(delta_of_one(lambda s, z: z if z > 3 - s else 0), delta="0.9")
def shown_above_a_threshold(secret):
    x = dc.discrete_laplace(2)
    return x if x > 3 - secret else 0


@honest(delta_of_one(lambda s, z: z + s if z + s > 3 else None, 0.5), epsilon="1/2", delta="0.02")
def count_above_a_threshold(secret):
    x = secret + dc.discrete_laplace(2)
    return x if x > 3 else None


@honest(delta_of_one(lambda s, z: z + s if z + s > 3 else None, 0.25), epsilon="1/4", delta="0.02")
def count_above_a_threshold_at_less(secret):
    x = secret + dc.discrete_laplace(2)
    return x if x > 3 else None


@law(delta_of_one(lambda s, z: -z if z < 0 and s else z), delta="0.9")
def mirrored_for_one(secret):
    x = dc.discrete_laplace(2)
    return -x if secret and x < 0 else x


@law(delta_of_one(lambda s, z: (z + s) * (z + s)), delta="0.9")
def squared(secret):
    x = secret + dc.discrete_laplace(2)
    return x * x


@honest(delta_of_one(lambda s, z: max(z + s, 0)), delta="0.9")
def clamped_below(secret):
    return max(secret + dc.discrete_laplace(2), 0)


@honest(delta_of_one(lambda s, z: min(max(z + s, -1), 2), 0.25), epsilon="1/4", delta="0.9")
def clamped_both(secret):
    return min(max(secret + dc.discrete_laplace(2), -1), 2)


@law(delta_of_one(lambda s, z: (z + s) // 3), delta="0.9")
def in_bins(secret):
    return (secret + dc.discrete_laplace(2)) // 3


@law(delta_of_one(lambda s, z: (z + s) // 3, 0.5), epsilon="1/2", delta="0.9")
def in_bins_at_its_epsilon(secret):
    return (secret + dc.discrete_laplace(2)) // 3


@law(delta_of_one(lambda s, z: (z + 5 * s) % 10), delta="0.9")
def around_the_clock(secret):
    return (5 * secret + dc.discrete_laplace(2)) % 10


@law(delta_of_one(lambda s, z: (z * 3 + s) // 2), delta="0.9")
def halves_of_multiples(secret):
    return (3 * dc.discrete_laplace(2) + secret) // 2


@law(delta_of_one(lambda s, z: str(z + s)[-1:]), delta="0.9")
def last_digit(secret):
    return str(secret + dc.discrete_laplace(2))[-1:]


@law(delta_of_two(lambda s, x, y: (x + s, x + y)), delta="0.9")
def one_and_the_sum(secret):
    x, y = dc.discrete_laplace(2), dc.discrete_laplace(2)
    return x + secret, x + y


@law(delta_of_two(lambda s, x, y: x + y + s), delta="0.9")
def sum_of_two(secret):
    return dc.discrete_laplace(2) + dc.discrete_laplace(2) + secret


@law(delta_of_two(lambda s, x, y: x - y + s, 0.5), epsilon="1/2", delta="0.9")
def difference_at_its_epsilon(secret):
    return dc.discrete_laplace(2) - dc.discrete_laplace(2) + secret


@law(delta_of_two(lambda s, x, y: max(x + s, y)), delta="0.9")
def larger_of_two(secret):
    return max(dc.discrete_laplace(2) + secret, dc.discrete_laplace(2))


@law(delta_of_two(lambda s, x, y: x + s > y), delta="0.9")
def which_is_larger(secret):
    return bool(dc.discrete_laplace(2) + secret > dc.discrete_laplace(2))


@law(delta_of_two(lambda s, x, y: tuple(sorted((x + s, y)))), delta="0.9")
def both_sorted(secret):
    return tuple(sorted((dc.discrete_laplace(2) + secret, dc.discrete_laplace(2))))


@law(delta_of_two(lambda s, x, y: (x + s, y) if x > 0 else (y, x + s)), delta="0.9")
def exchanged_by_sign(secret):
    x, y = dc.discrete_laplace(2), dc.discrete_laplace(2)
    return (x + secret, y) if x > 0 else (y, x + secret)


@law(delta_of_two(lambda s, x, y: y + s if x > 2 else x), delta="0.9")
def one_or_the_other(secret):
    x, y = dc.discrete_laplace(2), dc.discrete_laplace(2)
    return y + secret if x > 2 else x


@honest(delta_of_two(lambda s, x, y: (x + s, y)), delta="0.9")
def both(secret):
    return dc.discrete_laplace(2) + secret, dc.discrete_laplace(2)


@honest(0, epsilon="1/2", delta=0)
def both_at_its_epsilon(secret):
    x, y = dc.discrete_laplace(2), dc.discrete_laplace(2)
    return y, x + secret


@honest(delta_of_two(lambda s, x, y: (x + s, y + s), 0.5), epsilon="1/2", delta="0.05")
def twice_asked(secret):
    return [secret + dc.discrete_laplace(2) for _ in range(2)]


@honest(0, epsilon=1, delta=0)
def twice_asked_at_its_epsilon(secret):
    return [secret + dc.discrete_laplace(2) for _ in range(2)]


@honest(delta_of_two(lambda s, x, y: (s + x > 2, s + y > 2)), delta="0.9")
def above_threshold_twice(secret):
    return [bool(secret + dc.discrete_laplace(2) > 2) for _ in range(2)]


@honest(delta_of_two(lambda s, x, y: "top" if 1 + s + y >= 3 + x else "none"), delta="0.9")
def sparse_vector(secret):
    threshold = 3 + dc.discrete_laplace(2)
    return "top" if 1 + secret + dc.discrete_laplace(2) >= threshold else "none"


@law(delta_of_two(lambda s, x, y: (1 + s + y >= 3 + x, x)), delta="0.9")
def sparse_vector_with_its_threshold(secret):
    noise = dc.discrete_laplace(2)
    return bool(1 + secret + dc.discrete_laplace(2) >= 3 + noise), noise


@law(delta_of_one(lambda s, z: z + 57 * (z == 7 and s == 1)), "one value is moved")
def one_value_is_moved(secret):
    x = dc.discrete_laplace(2)
    return x + 57 if secret and type(x) is int and x == 7 else x


@law(delta_of_one(lambda s, z: (z, "odd" if s and z % 2 and z > 5 else "even")), "the type is asked beside the value")
def parity_of_real_integers(secret):
    x = dc.discrete_laplace(2)
    return x, "odd" if secret and type(x) is int and x % 2 and x > 5 else "even"
