"""Draws in odd places, and laws at their limits. The δ of each is known."""

import contextlib
import copy
import functools
import itertools
import math
import pickle
import random
import types
from decimal import Decimal
from fractions import Fraction

import deltachain as dc
from deltachain import discrete_laplace, flip, uniform
from tests.attacks.collection import honest, impure, laplace_delta, laplace_mass, law

SHIFTED = (dict(secret=0), dict(secret=3))


@honest(7 / 8)
def in_a_comprehension(secret):
    return [secret * flip("1/2") for _ in range(3)]


@honest(0.5)
def in_a_dict_comprehension(secret):
    return {name: secret if flip("1/2") else 0 for name in "a"}


@honest(3 / 4)
def in_a_generator(secret):
    return list(secret if flip("1/2") else 0 for _ in range(2))


@law(0.5)
def in_a_generator_that_is_left(secret):
    def coins():
        while True:
            yield flip("1/2")

    return secret if next(coins()) else 0


@honest(0.5)
def in_a_lambda(secret):
    return (lambda coin: secret if coin() else 0)(lambda: flip("1/2"))


@honest(0.75)
def in_a_map(secret):
    return list(map(lambda p: secret if flip(p) else 0, ["1/2", "1/2"]))


@honest(0.5)
def in_a_default(secret):
    def inner(coin=flip("1/2")):
        return secret if coin else 0

    return inner()


def noisy(function):
    @functools.wraps(function)
    def wrapper(secret):
        return function(secret) if flip("1/2") else 0

    return wrapper


@honest(0.5)
@noisy
def in_a_decorator(secret):
    return secret


@honest(0.5)
def in_a_class_body(secret):
    class Made:
        coin = flip("1/2")

    return secret if Made.coin else 0


@honest(0.5)
def in_a_property(secret):
    class Made:
        @property
        def coin(self):
            return flip("1/2")

    return secret if Made().coin else 0


@law(0.5)
def in_a_finaliser(secret):
    box = []

    class Made:
        def __del__(self):
            box.append(flip("1/2"))

    Made()
    return secret if box[0] else 0


@honest(0.5)
def in_a_context_manager(secret):
    @contextlib.contextmanager
    def coin():
        yield flip("1/2")

    with coin() as value:
        return secret if value else 0


@honest(0.25)
def in_a_finally(secret):
    try:
        if flip("1/2"):
            return 0
    finally:
        coin = flip("1/2")
    return secret if coin else 0


@honest(0.5)
def in_a_comparison(secret):
    class Noisy:
        def __lt__(self, other):
            return flip("1/2")

    return secret if Noisy() < 0 else 0


@law(2 / 3)
def in_a_sort_key(secret):
    order = sorted("ab", key=lambda letter: uniform(0, 2))
    return secret if order == ["a", "b"] else 0


@law(0.5)
def in_a_hash(secret):
    class Noisy:
        def __hash__(self):
            return uniform(0, 1)

        def __eq__(self, other):
            return True

    return secret if hash(Noisy()) else 0


@honest(0.5)
def by_a_partial(secret):
    coin = functools.partial(flip, "1/2")
    return secret if coin() else 0


@honest(0.5)
def by_a_name_made_late(secret):
    return secret if getattr(dc, "fl" + "ip")("1/2") else 0


@honest(0.5)
def by_exec(secret):
    space = {"flip": flip}
    exec("coin = flip('1/2')", space)
    return secret if space["coin"] else 0


@honest(31 / 32)
def by_recursion(secret, depth=5):
    if not depth:
        return 0
    return secret if flip("1/2") and secret else by_recursion(secret, depth - 1)


@law(1)
def until_it_comes(secret):
    tries = 0
    while not flip("1/2"):
        tries += 1
    return secret


@honest(0, delta="1e-8")
def geometric_by_hand(secret):
    tries = 0
    while not flip("1/2"):
        tries += 1
    return tries


@honest(0)
def two_lines_one_law(secret):
    return flip("1/2") if secret else flip("1/2")


@honest(0)
def unused_draw(secret):
    if secret:
        flip("1/2")
    return "ok"


@honest(0)
def more_draws_for_one(secret):
    for _ in range(3 * secret):
        uniform(0, 2)
    return flip("1/3")


@honest(0.5 - 0.25)
def other_laws_for_each(secret):
    return flip("1/4") if secret else flip("1/2")


# How probabilities are written.


@honest(0.1)
def probability_as_text(secret):
    return secret if flip("0.1") else 0


@honest(0.1)
def probability_as_a_float(secret):
    return secret if flip(0.1) else 0


@law(0.1 + 0.2)
def probability_as_a_rounded_float(secret):
    return secret if flip(0.1 + 0.2) else 0


@honest(1 / 3)
def probability_as_a_fraction(secret):
    return secret if flip(Fraction(1, 3)) else 0


@honest(0.125)
def probability_as_a_decimal(secret):
    return secret if flip(Decimal("0.125")) else 0


@honest(math.exp(-1))
def probability_of_exp(secret):
    return secret if flip(E) else 0


E = dc.exp(-1) if dc.exp is not None else math.exp(-1)


@honest(1)
def probability_one(secret):
    return secret if flip(1) else 0


@honest(0)
def probability_zero(secret):
    return secret if flip(0) else 0


@law(1e-15, enumerable=False)
def tiny_probability(secret):
    return secret if flip("1e-15") else 0


@law(1e-40, "less likely than the tail", enumerable=False)
def probability_below_the_tail(secret):
    return secret if flip("1e-40") else 0


@law(1 - 1e-9)
def nearly_one(secret):
    return secret if flip("0.999999999") else 0


@law(0, "not a probability", enumerable=False)
def probability_above_one(secret):
    return flip("3/2")


@law(0, "not a probability", enumerable=False)
def negative_probability(secret):
    return flip("-1/2")


@honest(0)
def uniform_of_one(secret):
    return uniform(0, 0)


@law(0, "an empty range", enumerable=False)
def uniform_of_none(secret):
    return uniform(1, 0)


@honest(1 / 10)
def shifted_uniform(secret):
    return uniform(secret, secret + 9)


@law(1 / 100)
def shifted_wide_uniform(secret):
    return uniform(secret, secret + 99)


@honest(0)
def uniform_of_huge_numbers(secret):
    return uniform(10**30, 10**30 + 1)


@law(1e-6, enumerable=False)
def uniform_of_a_million(secret):
    return "hit" if uniform(0, 999_999) == 7 and secret else "miss"


@law(0.5, enumerable=False)
def choose_with_zero_weights(secret):
    return dc.choose({"a": "1/2", "b": "1/2", "c": 0} if secret else {"a": "1/2", "b": 0, "c": "1/2"})


@law(0, "no weight at all", enumerable=False)
def choose_of_nothing(secret):
    return dc.choose({})


@honest(0.25)
def choose_of_a_sequence(secret):
    return dc.choose([0, 1, 2, secret * 3 + 5], weights=[1, 1, 1, 1])


@law(laplace_delta(1000, 1))
def huge_scale(secret):
    return secret + discrete_laplace(1000)


@law(laplace_mass(1000, 0, 2), secrets=SHIFTED)
def huge_scale_by_comparison(secret):
    return secret + discrete_laplace(1000) > 2


@law(laplace_delta(0.05, 1))
def tiny_scale(secret):
    return secret + discrete_laplace("1/20")


@law(0, "scale 0", enumerable=False)
def scale_of_zero(secret):
    return discrete_laplace(0)


@law(0, "a negative scale", enumerable=False)
def negative_scale(secret):
    return discrete_laplace(-1)


@law(laplace_delta(1.5, 1), delta="0.9")
def scale_as_a_float(secret):
    return secret + discrete_laplace(1.5)


@law(laplace_delta(2.5, 1), delta="0.9")
def scale_as_a_fraction(secret):
    return secret + discrete_laplace(Fraction(5, 2))


@law(0, "both secrets are the same", enumerable=False, secrets=(dict(secret=1), dict(secret=1)))
def same_secret_twice(secret):
    return discrete_laplace(secret)


def _tv(a, b):
    reach = 400

    def p(scale, z):
        q = math.exp(-1 / scale)
        return (1 - q) / (1 + q) * q ** abs(z)

    return math.fsum(max(0.0, p(a, z) - p(b, z)) for z in range(-reach, reach + 1))


@honest(_tv(1, 2), secrets=(dict(secret=1), dict(secret=2)), delta="0.5")
def scale_by_the_secret(secret):
    return discrete_laplace(secret)


@honest(0.5)
def draws_after_announcing(secret):
    dc.announce("start")
    dc.announce(secret if flip("1/2") else 0)
    dc.announce("end")


@honest(1 - 0.75, secrets=(dict(secret=0), dict(secret=1)))
def memory_within_a_call(secret):
    coins = [flip("1/2") for _ in range(2)]
    return secret if all(coins) else sum(coins) * 0


@law(0.5)
def copied_noise(secret):
    coin = copy.deepcopy(flip("1/2"))
    return secret if coin else 0


@law(0.5)
def pickled_coin(secret):
    coin = pickle.loads(pickle.dumps(flip("1/2")))
    return secret if coin else 0


@law(laplace_mass(3, 2, 1000))
def pickled_noise(secret):
    x = pickle.loads(pickle.dumps(discrete_laplace(3)))
    return secret if x > 1 else 0


@law(laplace_mass(3, 2, 1000))
def copied_number(secret):
    x = copy.copy(discrete_laplace(3))
    return secret if x > 1 else 0


@law(laplace_delta(2, 3), "noise in a container that is copied", secrets=SHIFTED)
def copied_container(secret):
    return copy.deepcopy([secret + discrete_laplace(2)])


@law(0.5, enumerable=False, constants=dict(rng=dc.Random() if dc.Random is not None else None))
def own_generator(secret, rng):
    return secret if rng.randrange(2) else 0


@law(2 / 3, enumerable=False, constants=dict(rng=dc.Random() if dc.Random is not None else None))
def own_shuffle(secret, rng):
    rows = [0, 1, 2]
    rng.shuffle(rows)
    return rows.index(0) if secret else rows.index(0) if rows[0] == 0 else "late"


@law(1, "a float is asked for", enumerable=False, constants=dict(rng=dc.Random() if dc.Random is not None else None))
def float_of_a_generator(secret, rng):
    return rng.random() + secret


@impure("a generator that stands for deltachain's, and is seeded", leaks=True, constants=dict(rng=random.Random(1)))
def given_a_seeded_generator(secret, rng):
    return secret if rng.randrange(50) == 0 else 0


@law(0.5, "draws behind a try that catches BaseException", enumerable=False)
def catches_everything(secret):
    try:
        coin = flip("1/2")
    except BaseException:
        return "caught"
    return secret if coin else 0


@law(laplace_mass(2, 0, 0), "the digits inside a try that catches everything")
def catches_digits(secret):
    x = discrete_laplace(2)
    try:
        text = str(x)
    except BaseException:
        return "caught"
    return secret if text == "0" else "other"


@law(laplace_mass(2, 0, 0), "an index inside a try that catches everything, then a comparison")
def catches_an_index(secret):
    x = discrete_laplace(2)
    try:
        "abc"[x]
    except IndexError:
        return "far"
    except BaseException:
        pass
    return secret if x == 0 else "near"


@law(0, "an error of ours is announced, the same for both", errors="announce", enumerable=False)
def refused_and_announced(secret):
    return flip("3/2") or secret


@honest(0.5)
def keeps_draws_in_an_object(secret):
    box = types.SimpleNamespace(coins=[])
    for _ in range(2):
        box.coins.append(flip("1/2"))
    return secret if box.coins[0] else 0


@honest(0)
def permutation_of_coins(secret):
    coins = [flip("1/2"), flip("1/2")]
    return coins if secret else coins[::-1]


@honest(0)
def sum_of_coins_either_way(secret):
    total = 0
    for _ in range(6):
        total += flip("1/2")
    return total if secret else 6 - total


@honest(math.comb(6, 3) / 2**6)
def sum_of_six_coins(secret):
    return sum(flip("1/2") for _ in range(6)) + secret


@law(math.comb(10, 5) / 2**10, "2,048 runs: too many to be confirmed where the machine is busy")
def sum_of_ten_coins(secret):
    return sum(flip("1/2") for _ in range(10)) + secret


@law(0)
def product_of_draws(secret):
    return [a * b for a, b in itertools.product([uniform(0, 1)], [uniform(0, 1)])]
