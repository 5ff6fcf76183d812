"""Honest code: each function must get its verdict. The δ beside each is compared with an enumeration."""

import math
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import accumulate, groupby
from operator import itemgetter

import deltachain as dc
from deltachain import discrete_laplace
from tests.attacks.collection import honest, laplace_delta, laplace_mass, law

RECORDS = (dict(records="aaab"), dict(records="aaa"))
SHIFTED = (dict(secret=0), dict(secret=3))
MANY = (dict(answers=(1, 0, 2)), dict(answers=(0, 0, 2)))
E1 = math.exp(-1)
TIE = math.exp(-4) / (1 + E1)


@honest(TIE, secrets=RECORDS, epsilon=1, delta="0.0134")
def release(records, threshold=5, scale=1):
    counts = Counter(records)
    return {key: n for key, c in sorted(counts.items()) if (n := c + dc.discrete_laplace(scale)) >= threshold}


@honest(TIE, secrets=RECORDS, epsilon=1, delta="0.0133")
def release_too_bold(records, threshold=5, scale=1):
    counts = Counter(records)
    return {key: n for key, c in sorted(counts.items()) if (n := c + dc.discrete_laplace(scale)) >= threshold}


@honest(0.25, epsilon="0.693147180559945", delta="0.2500001")
def survey(secret):
    return bool(secret) if dc.flip("3/4") else not secret


@honest(0.5)
def survey_violated(secret):
    return bool(secret) if dc.flip("3/4") else not secret


@honest(laplace_delta(2, 3), secrets=SHIFTED, delta="0.55")
def noisy_count(secret):
    return secret + discrete_laplace(2)


@honest(0, secrets=SHIFTED, epsilon="3/2", delta=0)
def noisy_count_at_its_epsilon(secret):
    return secret + discrete_laplace(2)


@honest(laplace_mass(2, 1, 3), secrets=SHIFTED, delta="0.3")
def above_threshold(secret):
    return secret + dc.discrete_laplace(2) >= 4


@honest(laplace_mass(2, -1, 1), "clamped at both sides", secrets=SHIFTED, delta="0.6")
def clamped(secret):
    return max(0, min(3, secret + dc.discrete_laplace(2)))


@honest(laplace_delta(2, 3), "clamped where hardly any noise gets", secrets=SHIFTED, delta="0.6")
def clamped_far_away(secret):
    return max(-1000, min(1000, secret + dc.discrete_laplace(2)))


@honest(laplace_mass(2, -3, -1), secrets=SHIFTED, delta="0.4")
def sign_only(secret):
    x = secret - 0 + dc.discrete_laplace(2)
    return "up" if x >= 0 else "down"


@honest(0, "parity of two equally noisy even numbers", secrets=(dict(secret=0), dict(secret=2)))
def parity(secret):
    return (secret + 2 * dc.uniform(0, 3)) % 2


@honest(1 / 4, secrets=(dict(secret=0), dict(secret=1)), delta="0.3")
def die(secret):
    return secret + dc.uniform(0, 3)


@honest(0)
def one_time_pad(secret):
    return (secret + dc.uniform(0, 15)) % 16


@honest(0)
def xor_with_a_coin(secret):
    return secret ^ dc.flip("1/2")


@honest(0.02, delta="0.0199")
def two_percent_leak(secret):
    return secret if dc.uniform(1, 100) <= 2 else None


@honest(0.02, delta="0.02")
def two_percent_allowed(secret):
    return secret if dc.uniform(1, 100) <= 2 else None


@honest(0.001)
def one_in_a_thousand(secret):
    return secret if dc.flip("0.001") else "quiet"


@honest(0.5)
def announced(secret):
    dc.announce("first")
    if dc.flip("1/2"):
        dc.announce(secret)
    return "done"


@honest(0)
def announced_nothing(secret):
    for _ in range(3):
        dc.announce(dc.flip("1/3"))


@honest(0.75)
def two_tries(secret):
    return [secret if dc.flip("1/2") else None for _ in range(2)]


@honest(laplace_delta(1, 1), secrets=MANY, delta="0.5")
def histogram(answers):
    return [count + dc.discrete_laplace(1) for count in answers]


@honest(0, secrets=MANY, epsilon=1, delta=0, enumerable=False)
def histogram_at_its_epsilon(answers):
    return [count + dc.discrete_laplace(1) for count in answers]


@honest(laplace_delta(1, 1), secrets=MANY, delta="0.5", enumerable=False)
def dictionary_of_counts(answers):
    return {name: count + discrete_laplace(1) for name, count in zip("abc", answers, strict=True)}


@honest(laplace_delta(1, 1), secrets=MANY, delta="0.5")
def group_by(answers):
    groups = defaultdict(int)
    for key, count in zip("abc", answers, strict=True):
        groups[key] += count
    return OrderedDict((key, groups[key] + dc.discrete_laplace(1)) for key in "abc")


@honest(1, secrets=RECORDS, delta="0.9")
def forgets_to_fix_the_keys(records):
    return {key: sum(1 for _ in rows) + dc.discrete_laplace(1) for key, rows in groupby(sorted(records))}


@honest(laplace_delta(1, 1), secrets=(dict(secret=(3, 4)), dict(secret=(3, 3))), delta="0.5")
def noisy_sum(secret):
    return sum(secret) + dc.discrete_laplace(1)


@honest(laplace_delta(1, 1), secrets=(dict(secret=(3, 4)), dict(secret=(3, 3))), delta="0.5")
def noise_in_a_reduce(secret):
    return reduce(lambda total, each: total + each, secret, dc.discrete_laplace(1))


@honest(0.5)
def chosen_by_weights(secret):
    return dc.choose({"yes": "3/4", "no": "1/4"} if secret else {"yes": "1/4", "no": "3/4"})


@honest((math.e - 1) / (math.e + 2))
def response(secret):
    return dc.randomised_response("abc"[secret], tuple("abc"), 1)


@honest(0, epsilon=1, delta=0)
def response_at_its_epsilon(secret):
    return dc.randomised_response("abc"[secret], tuple("abc"), 1)


@honest(laplace_delta(1, 1), delta="0.47")
def geometric_count(secret):
    return secret + dc.geometric(E_TO_MINUS_ONE)


E_TO_MINUS_ONE = dc.exp(-1) if dc.exp is not None else math.exp(-1)


@honest(2 / 3, delta="0.67")
def bounded_geometric(secret):
    return max(secret, dc.geometric("1/2", low=0, high=2))


@honest(0)
def a_local_cache(secret):
    @lru_cache
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci(10) + 0 * secret if dc.flip("1/2") else "none"


@honest(0)
def sorted_with_noise_kept_apart(secret):
    rows = [("b", dc.flip("1/2")), ("a", dc.flip("1/2"))]
    return sorted(rows, key=itemgetter(0))


@honest(0)
def raises_for_both(secret):
    try:
        return 1 // 0
    except ZeroDivisionError:
        return dc.flip("1/2")


@honest(0.5, errors="announce")
def raises_what_it_knows(secret):
    if dc.flip("1/2"):
        raise ValueError(f"secret {secret}")
    return None


@honest(0, errors="announce")
def raises_the_same(secret):
    if dc.flip("1/2"):
        raise KeyError("missing")
    return None


@dataclass(frozen=True)
class Report:
    title: str
    count: int


@honest(laplace_delta(1, 1), delta="0.47")
def as_a_dataclass(secret):
    return Report("count", secret + dc.discrete_laplace(1))


Point = namedtuple("Point", "x y")


@law(laplace_delta(1, 1), delta="0.47")
def as_a_named_tuple(secret):
    return Point(secret + dc.discrete_laplace(1), 0)


class Colour(Enum):
    RED = 1
    BLUE = 2


@honest(0.5)
def as_an_enum(secret):
    return (Colour.RED if secret else Colour.BLUE) if dc.flip("1/2") else Colour.RED


@honest(0.5)
def fractions(secret):
    return Fraction(secret, 3) if dc.flip("1/2") else Fraction(1, 7)


@honest(laplace_mass(5, 1, 3), secrets=SHIFTED, delta="0.3")
def retried_until_positive(secret):
    tries = 0
    while tries < 1:
        tries += 1
        if secret + dc.discrete_laplace(5) > 3:
            return "high"
    return "low"


@honest(laplace_mass(2, 0, 2) * 0.5, secrets=SHIFTED, delta="0.2")
def sparse_vector_with_a_coin(secret):
    if dc.flip("1/2"):
        return "skipped"
    return "above" if secret + dc.discrete_laplace(2) > 2 else "below"


@honest(0.375)
def recursive(secret, depth=3):
    if depth == 0:
        return "end"
    if dc.flip("1/2"):
        return recursive(secret, depth - 1) if depth > 1 else secret
    return secret if depth == 3 and dc.flip("1/2") else recursive(secret, 0)


@honest(laplace_delta(20, 3), "formats its digits, so that they are told apart", secrets=SHIFTED, delta="0.1")
def formatted(secret):
    return f"{secret + dc.discrete_laplace(20):+d} persons"


@honest(laplace_mass(20, 47, 49), "a valid range, honestly compared", secrets=SHIFTED, delta="0.02")
def in_range(secret):
    x = secret + dc.discrete_laplace(20)
    return "valid" if 50 <= x < 100_000 else "invalid"


@honest(laplace_delta(2, 3), secrets=SHIFTED, delta="0.6")
def running_sums(secret):
    return list(accumulate([secret + dc.discrete_laplace(2), 1, 1]))


@honest(1 / 2)
def generator_inside(secret):
    def noisy():
        yield secret if dc.flip("1/2") else 0
        yield 7

    return list(noisy())


@honest(laplace_delta(1, 1), delta="0.47")
def through_a_class(secret):
    class Mechanism:
        def __init__(self, scale):
            self.scale = scale
            self.calls = 0

        def __call__(self, value):
            self.calls += 1
            return value + dc.discrete_laplace(self.scale)

    mechanism = Mechanism(1)
    return mechanism(secret), mechanism.calls


@honest(0, "what is printed is no letter")
def prints(secret):
    print("hello", secret)
    return dc.flip("1/2")


@honest(laplace_delta(2, 3), "a constant table of the module", secrets=SHIFTED, delta="0.6")
def reads_a_constant(secret):
    return TABLE["offset"] + secret + dc.discrete_laplace(2)


TABLE = {"offset": 5, "names": ["a", "b"]}


@honest(0.5)
def unhashable_in_a_set(secret):
    return {1, 2, secret} if dc.flip("1/2") else frozenset({1, 2})


@honest(0.5)
def text_and_bytes(secret):
    return ("no", b"no", "yes")[secret * 2] if dc.flip("1/2") else b"\x00"


@honest(
    laplace_delta(1, 1), "the sum of two noises against a shift, by comparison alone", delta="0.5", enumerable=False
)
def noise_and_a_coin(secret):
    return (secret + dc.discrete_laplace(1), dc.flip("1/3"))


@honest(0.5)
def nested_letters(secret):
    return {"a": [1, (2, {"b": secret if dc.flip("1/2") else 0})], "c": None}


@honest(laplace_delta(3, 1), "scale from a constant", delta="0.2", constants=dict(scale="3"))
def scale_as_text(secret, scale):
    return secret + dc.discrete_laplace(scale)
