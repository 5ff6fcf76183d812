"""Code that uses up what a confirmation may cost: slow, with many runs, many secrets or wide noise. It gives away little."""

import math
import time

import deltachain as dc
from tests.attacks.collection import impure, laplace_mass, law

MID = laplace_mass(20, 50, 99)


def shown(secret, seen):
    return ("no", "yes")[secret] if seen else "quiet"


@law(MID)
def slow(secret):
    time.sleep(0.02)
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(MID)
def slow_with_integers_alone(secret):
    x = dc.discrete_laplace(20)
    if type(x) is int:
        time.sleep(0.1)
        return shown(secret, 50 <= x < 100)
    return shown(secret, False)


@law(MID)
def slow_beside_the_middle(secret):
    x = dc.discrete_laplace(20)
    if type(x) is int:
        time.sleep(0.3 if x < 50 else 0)
        return shown(secret, 50 <= x < 100)
    return shown(secret, False)


@law(laplace_mass(20, -62, -61))
def slow_and_narrow(secret):
    time.sleep(0.01)
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and -63 < x < -60)


@law(MID)
def busy(secret):
    sum(range(300_000))
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(laplace_mass(1000, 777, 777))
def one_point_of_scale_1000(secret):
    x = dc.discrete_laplace(1000)
    return shown(secret, type(x) is int and x == 777)


@law(laplace_mass(5000, 7777, 7779))
def few_points_of_scale_5000(secret):
    x = dc.discrete_laplace(5000)
    return shown(secret, type(x) is int and 7777 <= x < 7780)


@law(laplace_mass(100_000, 123_456, 123_499), enumerable=False)
def few_points_of_scale_100000(secret):
    x = dc.discrete_laplace(100_000)
    return shown(secret, type(x) is int and 123_456 <= x < 123_500)


@law(laplace_mass(20, -395, -395))
def one_point_far_out(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and x == -395)


@law(laplace_mass(20, 301, 1000))
def a_far_tail(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and x > 300)


@law(MID / 5000, enumerable=False)
def one_of_many_runs(secret):
    u = dc.uniform(0, 4999)
    x = dc.discrete_laplace(20)
    return shown(secret, u == 3333 and type(x) is int and 50 <= x < 100)


@law(MID / 100)
def one_of_a_hundred_runs(secret):
    u = dc.uniform(0, 99)
    x = dc.discrete_laplace(20)
    return shown(secret, u == 33 and type(x) is int and 50 <= x < 100)


@law(1e-6 * MID)
def behind_three_rare_coins(secret):
    if not all([dc.flip("1/100"), dc.flip("1/100"), dc.flip("1/100")]):
        return "quiet"
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(MID, secrets=[{"secret": n} for n in range(40)])
def one_of_many_secrets(secret):
    x = dc.discrete_laplace(20)
    return "yes" if secret == 37 and type(x) is int and 50 <= x < 100 else "quiet"


@law(laplace_mass(2, 3, 3), enumerable=False)
def the_last_of_six(secret):
    xs = [dc.discrete_laplace(2) for _ in range(6)]
    return shown(secret, type(xs[5]) is int and xs[5] == 3)


@law(laplace_mass(2, 3, 3) * laplace_mass(2, -2, -2), enumerable=False)
def the_second_and_fifth_of_six(secret):
    xs = [dc.discrete_laplace(2) for _ in range(6)]
    return shown(secret, type(xs[1]) is int and xs[1] == 3 and xs[4] == -2)


@law(math.fsum(laplace_mass(2, x, x) ** 3 for x in range(-60, 61)), enumerable=False)
def three_of_one_value(secret):
    x, y, z = (dc.discrete_laplace(2) for _ in range(3))
    return shown(secret, type(x) is int and x == y == z)


@law(2 * math.fsum(laplace_mass(3, a, a) * laplace_mass(3, 35 // a, 35 // a) for a in (1, 5, 7, 35)))
def product_of_two(secret):
    x, y = dc.discrete_laplace(3), dc.discrete_laplace(3)
    return shown(secret, type(x) is int and type(y) is int and x * y == 35)


@law(math.fsum(laplace_mass(3, x, x) * laplace_mass(3, 11 - x, 11 - x) for x in range(-90, 100)))
def sum_of_two(secret):
    z = dc.discrete_laplace(3) + dc.discrete_laplace(3)
    return shown(secret, type(z) is int and z == 11)


@law(math.fsum(laplace_mass(20, x, x) * laplace_mass(20, x + 40, x + 49) for x in range(50, 90)), enumerable=False)
def two_wide_noises(secret):
    x, y = dc.discrete_laplace(20), dc.discrete_laplace(20)
    return shown(secret, type(x) is int and type(y) is int and 50 <= x < 90 and 40 <= y - x < 50)


@law(laplace_mass(20, 50, 99) * laplace_mass(20, 50, 99), enumerable=False)
def two_in_the_middle(secret):
    x, y = dc.discrete_laplace(20), dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100 and 50 <= y < 100)


@law(laplace_mass(20, 58, 58) * 0.5, "the secret decides which value counts")
def another_value_for_each(secret):
    x = dc.discrete_laplace(20)
    if dc.flip("1/2"):
        return "quiet"
    return shown(1, type(x) is int and x == 57 + secret) if secret else shown(1, False)


@law(laplace_mass(20, 57, 57), "after a comparison that both secrets share")
def behind_a_comparison(secret):
    x = dc.discrete_laplace(20)
    if x <= 0:
        return "low"
    if x > 5000:
        return "high"
    return shown(secret, type(x) is int and x == 57)


@law(1 / 100_000, enumerable=False)
def a_hundred_thousand_runs(secret):
    return shown(secret, dc.uniform(0, 99_999) in {77_777})


@impure("own randomness in one of many runs", leaks=True)
def own_coin_in_one_run(secret):
    import random

    if dc.uniform(0, 999) == 123:
        return shown(secret, random.SystemRandom().random() < 0.5)
    return "quiet"


CALLS = [0]


@impure("a count that is far, and slow", leaks=False)
def slow_counter(secret):
    time.sleep(0.01)
    CALLS[0] += 1
    return secret if CALLS[0] > 2000 else dc.flip("1/2")


@law(laplace_mass(20, 50, 99), "it catches what ends a long run")
def catches_while_slow(secret):
    x = dc.discrete_laplace(20)
    try:
        if type(x) is int:
            time.sleep(0.2)
            return shown(secret, 50 <= x < 100)
    except BaseException:
        pass
    return shown(secret, False)


@law(laplace_mass(20, 50, 99), "it prints while integers are tried")
def loud_while_confirmed(secret):
    x = dc.discrete_laplace(20)
    if type(x) is int and not 50 <= x < 100:
        print("x" * 1000)
    return shown(secret, type(x) is int and 50 <= x < 100)
