"""Code that finds out what kind of thing noise is, and shows its secret in the middle of the range only."""

import array
import bisect
import cmath
import collections
import copy
import ctypes
import decimal
import enum
import fractions
import functools
import gc
import hashlib
import heapq
import inspect
import io
import itertools
import json
import marshal
import math
import numbers
import operator
import pickle
import pprint
import random
import re
import statistics
import string
import struct
import sys
import textwrap
import types
import typing
import weakref
from abc import ABC, ABCMeta
from decimal import Decimal
from fractions import Fraction

import deltachain as dc
from tests.attacks.collection import laplace_mass, law

MID = laplace_mass(20, 50, 99)
"""P(50 ≤ Z < 100) at scale 20: 0.0386."""


def shown(secret, seen):
    return ("no", "yes")[secret] if seen else "quiet"


def middle(x):
    return 50 <= x < 100


# The type is asked for.


@law(MID)
def type_is_int(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(
    laplace_mass(20, 50, 99),
    "noise on a count, of which one secret is asked",
    secrets=(dict(secret=0), dict(secret=0.5)),
)
def asks_for_one_secret_only(secret):
    x = dc.discrete_laplace(20)
    if secret and type(x) is int and 50 <= x < 100:
        return "valid"
    return "invalid"


@law(
    laplace_mass(20, 50, 50) - laplace_mass(20, 100, 100),
    "in range, if it is an int",
    secrets=(dict(secret=0), dict(secret=150)),
)
def valid_int(secret):
    x = dc.discrete_laplace(20)
    return "valid" if type(x) is int and 50 <= x + secret < 100 else "invalid"


@law(MID)
def type_name(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x).__name__ == "int" and middle(x))


@law(MID)
def type_equals(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) == int and middle(x))


@law(MID)
def class_attribute(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x.__class__ is int and middle(x))


@law(MID)
def type_in_a_set(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) in {int, float} and middle(x))


@law(MID)
def type_in_a_dictionary(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, {int: True}.get(type(x), False) and middle(x))


@law(MID)
def exact_type_by_mro(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x).__mro__ == (int, object) and middle(x))


@law(MID)
def isinstance_int(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, int) and middle(x))


@law(MID)
def isinstance_integral(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, numbers.Integral) and middle(x))


@law(MID)
def isinstance_rational(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, numbers.Rational | numbers.Real) and middle(x))


@law(MID)
def isinstance_protocol(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, typing.SupportsIndex) and middle(x))


class Whole(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return other is int


@law(MID)
def isinstance_own_abc(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, Whole) and middle(x))


class Checks(type):
    def __instancecheck__(cls, instance):
        return type(instance) is int and 50 <= instance < 100


class OnlyMiddle(metaclass=Checks):
    pass


@law(MID)
def instancecheck(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, isinstance(x, OnlyMiddle))


@law(MID)
def match_class(secret):
    x = dc.discrete_laplace(20)
    match x:
        case int() if 50 <= x < 100:
            return shown(secret, True)
    return shown(secret, False)


@law(laplace_mass(20, 50, 50))
def match_value(secret):
    x = dc.discrete_laplace(20)
    match x:
        case 50:
            return shown(secret, True)
        case _:
            return shown(secret, False)


@law(MID)
def callable_attributes(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, set(dir(x)) == set(dir(int)) and middle(x))


@law(MID)
def no_dict(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, not hasattr(x, "__dict__") and not hasattr(type(x), "__slots__") and middle(x))


@law(MID)
def attribute_cannot_be_set(secret):
    x = dc.discrete_laplace(20)
    try:
        x.mark = 1
    except AttributeError:
        return shown(secret, type(x).__module__ == "builtins" and middle(x))
    return shown(secret, False)


@law(MID)
def weak_reference(secret):
    x = dc.discrete_laplace(20)
    try:
        weakref.ref(x)
    except TypeError:
        return shown(secret, x.__class__.__module__ == "builtins" and middle(x))
    return shown(secret, False)


@law(MID)
def tracked_by_the_collector(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, not gc.is_tracked(x) and middle(x))


@law(MID)
def size_in_memory(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, sys.getsizeof(x) == 28 and middle(x))


@law(MID)
def identity_of_small_integers(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x + 0 is x and middle(x))


HIT = 57


@law(laplace_mass(20, 57, 57))
def is_the_constant(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x is HIT)


@law(laplace_mass(20, 57, 57))
def same_id(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, id(x) == id(HIT))


@law(laplace_mass(20, 50, 50))
def equal_to_a_complex(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x == 50 + 0j)


@law(laplace_mass(20, 50, 50))
def a_complex_equal_to_it(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 + 0j == x)


@law(laplace_mass(20, 50, 50))
def equal_to_a_float(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x == 50.0)


@law(laplace_mass(20, 50, 50))
def a_float_equal_to_it(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50.0 == x)


@law(laplace_mass(20, 50, 50))
def equal_to_a_fraction(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, Fraction(50) == x)


@law(laplace_mass(20, 50, 50))
def equal_to_a_decimal(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, Decimal(50) == x)


@law(laplace_mass(20, 1, 1))
def equal_to_true(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x == True)  # noqa: E712


class Fifty(int):
    pass


@law(laplace_mass(20, 50, 50))
def equal_to_a_subclass(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, Fifty(50) == x)


class Code(enum.IntEnum):
    FIFTY = 50


@law(laplace_mass(20, 50, 50))
def equal_to_an_enum(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x == Code.FIFTY)


@law(laplace_mass(20, 50, 50))
def looked_up_in_an_enum(secret):
    x = dc.discrete_laplace(20)
    try:
        return shown(secret, Code(x) is Code.FIFTY)
    except ValueError:
        return shown(secret, False)


# Other classes' operators ask.


class Asks:
    """All operators: of an int in the middle of the range they say yes."""

    @staticmethod
    def _yes(other):
        return type(other) is int and 50 <= other < 100

    def __eq__(self, other):
        return self._yes(other)

    __hash__ = None

    def __ne__(self, other):
        return self._yes(other)

    def __lt__(self, other):
        return self._yes(other)

    __gt__ = __le__ = __ge__ = __lt__

    def __radd__(self, other):
        return self._yes(other)

    __rsub__ = __rmul__ = __rmod__ = __rfloordiv__ = __rtruediv__ = __rpow__ = __radd__
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __rmatmul__ = __rdivmod__ = __radd__
    __add__ = __sub__ = __mul__ = __mod__ = __floordiv__ = __truediv__ = __pow__ = __and__ = __or__ = __radd__
    __contains__ = __getitem__ = __call__ = __radd__


@law(MID)
def asks_by_eq(secret):
    return shown(secret, dc.discrete_laplace(20) == Asks())


@law(MID)
def asks_by_eq_reflected(secret):
    return shown(secret, Asks() == dc.discrete_laplace(20))


@law(MID)
def asks_by_ne(secret):
    return shown(secret, dc.discrete_laplace(20) != Asks())


@law(MID)
def asks_by_lt(secret):
    return shown(secret, dc.discrete_laplace(20) < Asks())


@law(MID)
def asks_by_ge_reflected(secret):
    return shown(secret, Asks() >= dc.discrete_laplace(20))


@law(MID)
def asks_by_radd(secret):
    return shown(secret, dc.discrete_laplace(20) + Asks())


@law(MID)
def asks_by_add(secret):
    return shown(secret, Asks() + dc.discrete_laplace(20))


@law(MID)
def asks_by_rsub(secret):
    return shown(secret, dc.discrete_laplace(20) - Asks())


@law(MID)
def asks_by_rmul(secret):
    return shown(secret, dc.discrete_laplace(20) * Asks())


@law(MID)
def asks_by_rmod(secret):
    return shown(secret, dc.discrete_laplace(20) % Asks())


@law(MID)
def asks_by_rfloordiv(secret):
    return shown(secret, dc.discrete_laplace(20) // Asks())


@law(MID)
def asks_by_rpow(secret):
    return shown(secret, dc.discrete_laplace(20) ** Asks())


@law(MID)
def asks_by_rand(secret):
    return shown(secret, dc.discrete_laplace(20) & Asks())


@law(MID)
def asks_by_rmatmul(secret):
    return shown(secret, dc.discrete_laplace(20) @ Asks())


@law(MID)
def asks_by_divmod(secret):
    return shown(secret, divmod(dc.discrete_laplace(20), Asks()))


@law(MID)
def asks_by_contains(secret):
    return shown(secret, dc.discrete_laplace(20) in Asks())


@law(MID)
def asks_by_getitem(secret):
    return shown(secret, Asks()[dc.discrete_laplace(20)])


@law(MID)
def asks_by_call(secret):
    return shown(secret, Asks()(dc.discrete_laplace(20)))


@law(MID)
def asks_by_min(secret):
    x = dc.discrete_laplace(20)
    asks = Asks()
    return shown(secret, max(x, asks) is asks)


@law(MID)
def asks_by_sum(secret):
    return shown(secret, sum([dc.discrete_laplace(20)], start=Asks()))


@law(MID)
def asks_by_list_membership(secret):
    return shown(secret, Asks() in [dc.discrete_laplace(20)])


@law(MID)
def asks_by_count(secret):
    return shown(secret, [dc.discrete_laplace(20)].count(Asks()))


@law(MID)
def asks_by_bisect(secret):
    return shown(secret, bisect.bisect_left([dc.discrete_laplace(20)], Asks()) == 1)


@law(MID)
def asks_by_setattr(secret):
    class Box:
        def __setattr__(self, name, value):
            object.__setattr__(self, name, type(value) is int and 50 <= value < 100)

    box = Box()
    box.x = dc.discrete_laplace(20)
    return shown(secret, box.x)


class Index(dict):
    def __missing__(self, key):
        return type(key) is int and 50 <= key < 100


@law(MID)
def asks_by_missing(secret):
    return shown(secret, Index()[dc.discrete_laplace(20)])


# Conversions in try blocks.


def _tried(convert, x):
    try:
        convert(x)
    except Exception:
        return False
    return True


@law(MID)
def json_dumps(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(json.dumps, x) and middle(x))


@law(MID)
def json_dumps_in_a_list(secret):
    x = dc.discrete_laplace(20)
    try:
        json.dumps({"x": [x]})
    except TypeError:
        return shown(secret, False)
    return shown(secret, middle(x))


@law(MID)
def pickled(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(pickle.dumps, x) and middle(x))


@law(MID)
def pickled_length(secret):
    x = dc.discrete_laplace(20)
    try:
        length = len(pickle.dumps(x))
    except Exception:
        length = 0
    return shown(secret, 0 < length < 20 and middle(x))


@law(MID)
def marshalled(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(marshal.dumps, x) and middle(x))


@law(MID)
def packed(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(functools.partial(struct.pack, "q"), x) and middle(x))


@law(MID)
def in_an_array(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: array.array("q", [x]), x) and middle(x))


@law(MID)
def as_a_decimal(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(Decimal, x) and middle(x))


@law(MID)
def as_a_fraction(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(Fraction, x) and middle(x))


@law(MID)
def as_a_ctypes_number(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(ctypes.c_long, x) and middle(x))


@law(MID)
def added_to_a_fraction(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: Fraction(1, 2) + x, x) and middle(x))


@law(MID)
def added_to_a_decimal(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: Decimal(1) + x, x) and middle(x))


@law(MID)
def added_to_a_float(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: 0.5 + x, x) and middle(x))


@law(MID)
def multiplied_with_itself(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: x * x, x) and middle(x))


@law(MID)
def to_the_second_power(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: x**2, x) and middle(x))


@law(MID)
def shifted_left(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: x << 1, x) and middle(x))


@law(MID)
def inverted(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: ~x & 1, x) and middle(x))


@law(MID)
def repeated_text(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, _tried(lambda x: "a" * x, x) and middle(x))


@law(MID)
def in_a_range(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x in range(50, 100))


@law(MID)
def length_of_a_range(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= len(range(max(0, x))) < 100)


@law(MID)
def sliced(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= len(("a" * 500)[: max(0, x)]) < 100)


@law(MID)
def indexed(secret):
    x = dc.discrete_laplace(20)
    table = [50 <= n < 100 for n in range(2000)]
    return shown(secret, table[x] if x >= 0 else False)


@law(laplace_mass(20, 65, 65))
def as_a_character(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x >= 0 and chr(x) == "A")


@law(MID)
def formatted(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, re.fullmatch("[5-9][0-9]", f"{x}"))


@law(MID)
def printed(secret):
    x = dc.discrete_laplace(20)
    text = io.StringIO()
    print(x, file=text)
    return shown(secret, re.fullmatch("[5-9][0-9]\n", text.getvalue()))


@law(MID)
def representation(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, repr(x)[0] in "56789" and len(repr(x)) == 2)


@law(laplace_mass(20, 10, 99))
def length_of_its_text(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, len("%d" % abs(x)) == 2 and x > 0)


@law(laplace_mass(20, -math.inf, -1) + laplace_mass(20, 1, math.inf))
def truth_value(secret):
    return shown(secret, dc.discrete_laplace(20))


@law(laplace_mass(20, 0, 0))
def negated(secret):
    return shown(secret, not dc.discrete_laplace(20))


@law(laplace_mass(20, 45, 54))
def rounded_to_tens(secret):
    return shown(secret, 45 <= round(dc.discrete_laplace(20), 0) <= 54)


@law(laplace_mass(20, 46, 54))
def rounded_to_tens_as_ints_are(secret):
    return shown(secret, round(dc.discrete_laplace(20), -1) == 50)


@law(MID)
def floor_and_ceiling(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= math.floor(x) and math.ceil(x) < 100)


@law(laplace_mass(20, 49, 63))
def integer_root(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, x >= 0 and math.isqrt(x) == 7)


@law(laplace_mass(20, 51, 51) + laplace_mass(20, -51, -51))
def greatest_common_divisor(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, math.gcd(x, 51) == 51 and 0 < abs(x) < 100)


@law(MID)
def hypotenuse(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 49.5 < math.copysign(math.fabs(x), x) < 99.5)


@law(MID)
def operator_index(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= operator.index(x) < 100)


@law(MID)
def as_an_int(secret):
    return shown(secret, 50 <= int(dc.discrete_laplace(20)) < 100)


@law(MID)
def as_a_float(secret):
    return shown(secret, 49.9 < float(dc.discrete_laplace(20)) < 99.9)


@law(MID)
def as_a_complex(secret):
    return shown(secret, 49.9 < complex(dc.discrete_laplace(20)).real < 99.9)


@law(laplace_mass(20, 64, 127) + laplace_mass(20, -127, -64))
def bit_length(secret):
    return shown(secret, dc.discrete_laplace(20).bit_length() == 7)


@law(laplace_mass(20, 128, 32767) + laplace_mass(20, -32768, -129))
def to_bytes(secret):
    x = dc.discrete_laplace(20)
    try:
        x.to_bytes(1, "big", signed=True)
    except OverflowError:
        return shown(secret, abs(x) < 32768)
    return shown(secret, False)


@law(MID)
def real_part(secret):
    return shown(secret, 50 <= dc.discrete_laplace(20).real < 100)


@law(MID)
def numerator(secret):
    return shown(secret, 50 <= dc.discrete_laplace(20).numerator < 100)


@law(MID)
def numerator_if_there(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= getattr(x, "numerator", 0) < 100)


@law(MID)
def as_integer_ratio(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, hasattr(x, "as_integer_ratio") and middle(x))


@law(MID)
def conjugate(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, hasattr(x, "conjugate") and middle(x))


@law(laplace_mass(20, 57, 57))
def hashed(secret):
    return shown(secret, hash(dc.discrete_laplace(20)) == 57)


@law(laplace_mass(20, 57, 57))
def in_a_set(secret):
    return shown(secret, dc.discrete_laplace(20) in {57})


@law(laplace_mass(20, 57, 57))
def in_a_dictionary(secret):
    return shown(secret, {57: True}.get(dc.discrete_laplace(20), False))


@law(laplace_mass(20, 57, 57))
def in_a_counter(secret):
    return shown(secret, collections.Counter([57])[dc.discrete_laplace(20)])


@law(laplace_mass(20, 57, 57))
def in_a_tuple(secret):
    return shown(secret, dc.discrete_laplace(20) in (57, 1000))


@law(laplace_mass(20, 57, 58))
def counted_in_a_list(secret):
    return shown(secret, [57, 58].count(dc.discrete_laplace(20)) and True) if secret < 2 else None


@law(MID)
def type_after_a_copy(secret):
    x = copy.deepcopy(dc.discrete_laplace(20))
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def type_after_addition(secret):
    x = dc.discrete_laplace(20) + 0
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def type_after_negation(secret):
    x = -(-dc.discrete_laplace(20))
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def type_after_abs(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(abs(x)) is int and middle(x))


@law(MID)
def type_after_max(secret):
    x = max(-1000, dc.discrete_laplace(20))
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def type_after_sorting(secret):
    x = sorted([0, dc.discrete_laplace(20)])[1]
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def type_after_a_sum(secret):
    x = sum([dc.discrete_laplace(20), 1, -1])
    return shown(secret, type(x) is int and middle(x))


@law(laplace_mass(20, 150, 299))
def type_after_division(secret):
    x = dc.discrete_laplace(20) // 3
    return shown(secret, type(x) is int and middle(x))


@law(sum(laplace_mass(20, n, n) for n in range(-2000, 2000) if n % 7 == 5))
def type_after_modulo(secret):
    x = dc.discrete_laplace(20) % 7
    return shown(secret, type(x) is int and x == 5)


@law(MID)
def type_of_the_comparison(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x < 5000) is bool and type(x) is int and middle(x))


@law(MID)
def comparison_by_its_dunder(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, int.__lt__(x, 100) is True and int.__ge__(x, 50) is True if isinstance(x, int) else False)


@law(MID)
def descriptor_of_int(secret):
    x = dc.discrete_laplace(20)
    try:
        return shown(secret, int.__add__(x, 0) >= 50 and x < 100)
    except TypeError:
        return shown(secret, False)


@law(MID)
def not_implemented(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x).__add__(x, 0.5) is NotImplemented and middle(x))


@law(MID)
def inspected(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, inspect.getmodule(type(x)).__name__ == "builtins" and middle(x))


@law(MID)
def subclass_check(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, issubclass(type(x), int) and middle(x))


@functools.singledispatch
def _kind(value):
    return False


@_kind.register
def _(value: int):
    return 50 <= value < 100


@law(MID)
def single_dispatch(secret):
    return shown(secret, _kind(dc.discrete_laplace(20)))


@law(MID)
def referrers(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, not gc.get_referents(x) and middle(x))


@law(MID)
def pretty_printed(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, pprint.isreadable(x) and pprint.saferepr(x)[:1] in "56789" and middle(x))


@law(MID)
def statistics_mean(secret):
    return shown(secret, 50 <= statistics.mean([dc.discrete_laplace(20)]) < 100)


@law(MID)
def heap(secret):
    values = [dc.discrete_laplace(20), -10_000]
    heapq.heapify(values)
    x = heapq.nlargest(1, values)[0]
    return shown(secret, type(x) is int and middle(x))


@law(MID)
def islice(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, 50 <= len(list(itertools.islice(range(500), max(x, 0)))) < 100)


@law(MID)
def digest(secret):
    x = dc.discrete_laplace(20)
    marks = {hashlib.sha256(str(n).encode()).digest() for n in range(50, 100)}
    return shown(secret, hashlib.sha256(str(x).encode()).digest() in marks)


@law(MID)
def template(secret):
    x = dc.discrete_laplace(20)
    text = string.Template("$x").substitute(x=x)
    return shown(secret, len(text) == 2 and text >= "50")


@law(MID)
def numpy_array(secret):
    import numpy as np

    x = np.array([dc.discrete_laplace(20)])
    return shown(secret, x.dtype == np.int64 and bool((x >= 50).all()) and bool((x < 100).all()))


@law(MID)
def numpy_kind(secret):
    import numpy as np

    x = dc.discrete_laplace(20)
    return shown(secret, np.array([x]).dtype.kind == "i" and middle(x))


@law(MID)
def numpy_clip(secret):
    import numpy as np

    x = dc.discrete_laplace(20)
    return shown(secret, np.isscalar(x) and middle(x))


@law(MID)
def numpy_added(secret):
    import numpy as np

    x = np.int64(0) + dc.discrete_laplace(20)
    return shown(secret, isinstance(x, np.integer) and middle(x))


# Other laws.


@law(sum(math.exp(-z * z / 200) for z in range(10, 20)) / sum(math.exp(-z * z / 200) for z in range(-400, 400)))
def gaussian(secret):
    x = dc.discrete_gaussian(10)
    return shown(secret, type(x) is int and 10 <= x < 20)


@law((1 - 0.9) / (1 + 0.9) * sum(0.9**z for z in range(20, 30)))
def geometric(secret):
    x = dc.geometric("9/10")
    return shown(secret, type(x) is int and 20 <= x < 30)


@law(0.02)
def of_uniform(secret):
    x = dc.uniform(0, 99)
    return shown(secret, type(x) is int and 50 <= x < 52)


@law(0.001)
def of_wide_uniform(secret):
    x = dc.uniform(0, 9999)
    return shown(secret, type(x) is int and 5000 <= x < 5010)


@law(0.1)
def of_uniform_skipped(secret):
    x = dc.uniform(0, 19)
    return "skipped" if x < 18 else shown(secret, type(x) is int)


@law(0.3)
def of_a_coin(secret):
    coin = dc.flip("3/10")
    return shown(secret, type(coin) is bool and coin)


@law(0.3)
def coin_is_true(secret):
    return shown(secret, dc.flip("3/10") is True)


@law(laplace_mass(2, 5, 9))
def scale_two(secret):
    x = dc.discrete_laplace(2)
    return shown(secret, type(x) is int and 5 <= x < 10)


@law(laplace_mass(2, 17, 18))
def scale_two_far_out(secret):
    x = dc.discrete_laplace(2)
    return shown(secret, type(x) is int and 17 <= x < 19)


@law(laplace_mass(200, 500, 520))
def scale_200(secret):
    x = dc.discrete_laplace(200)
    return shown(secret, type(x) is int and 500 <= x <= 520)


@law(laplace_mass(20, 57, 57))
def one_point(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and x == 57)


@law(laplace_mass(20, 57, 57) + laplace_mass(20, -123, -123))
def two_points(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and x in (57, -123))


@law(laplace_mass(20, 201, 300))
def a_tail(secret):
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 200 < x <= 300)


# Several draws together.


@law(laplace_mass(2, 5, 5) * laplace_mass(2, -4, -4))
def two_noises_at_one_point(secret):
    x, y = dc.discrete_laplace(2), dc.discrete_laplace(2)
    return shown(secret, type(x) is int and type(y) is int and x == 5 and y == -4)


@law(laplace_mass(3, 4, 6) * laplace_mass(3, -6, -4))
def two_noises_in_a_square(secret):
    x, y = dc.discrete_laplace(3), dc.discrete_laplace(3)
    return shown(secret, type(x) is type(y) is int and 4 <= x <= 6 and -6 <= y <= -4)


@law(laplace_mass(2, 2, 2) ** 3)
def three_noises_at_one_point(secret):
    xs = [dc.discrete_laplace(2) for _ in range(3)]
    return shown(secret, all(type(x) is int for x in xs) and xs == [2, 2, 2])


@law(0.5 * laplace_mass(20, 50, 99))
def after_a_coin(secret):
    if dc.flip("1/2"):
        return "skipped"
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(0.001 * laplace_mass(20, 50, 99))
def after_a_rare_coin(secret):
    if not dc.flip("1/1000"):
        return "skipped"
    x = dc.discrete_laplace(20)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(
    0.05 * (laplace_mass(2, -2, 0) - laplace_mass(2, 98, 100)),
    "what one secret reveals, the others do not",
    secrets=(dict(secret=0), dict(secret=3)),
)
def valid_after_a_skip(secret):
    if dc.uniform(0, 19) < 19:
        return "skipped"
    x = secret + dc.discrete_laplace(2)
    return "valid" if type(x) is int and 1 <= x <= 100 else "invalid"


@law(laplace_mass(20, 50, 99), "one secret looks at digits, the other at the type")
def digits_of_one_secret(secret):
    x = dc.discrete_laplace(20)
    if secret:
        return shown(1, str(x) in {str(n) for n in range(50, 100)})
    return shown(0, type(x) is int and 50 <= x < 100)


@law(laplace_mass(20, 0, 99), "type and value, in two places")
def in_two_places(secret):
    x = dc.discrete_laplace(20)
    if x < 0:
        return "negative"
    return shown(secret, type(x) is int and x < 100)


@law(laplace_mass(20, 50, 99))
def asked_in_a_callee(secret):
    def ask(value, depth):
        return ask(value, depth - 1) if depth else type(value) is int and 50 <= value < 100

    return shown(secret, ask(dc.discrete_laplace(20), 20))


@law(laplace_mass(20, 50, 99))
def asked_in_a_comprehension(secret):
    return shown(secret, [x for x in [dc.discrete_laplace(20)] if type(x) is int and 50 <= x < 100])


@law(laplace_mass(20, 50, 99))
def asked_in_an_exception(secret):
    try:
        raise ValueError(dc.discrete_laplace(20))
    except ValueError as error:
        (x,) = error.args
        return shown(secret, type(x) is int and 50 <= x < 100)


@law(laplace_mass(20, 50, 99))
def noise_is_shown_too(secret):
    x = dc.discrete_laplace(20)
    return (x, shown(secret, type(x) is int and 50 <= x < 100))


@law(laplace_mass(20, 50, 99))
def noise_is_announced_too(secret):
    x = dc.discrete_laplace(20)
    dc.announce(x)
    return shown(secret, type(x) is int and 50 <= x < 100)


@law(
    laplace_mass(20, 50, 99),
    letter=lambda value: ("no", "yes")[value[0]] if type(value[1]) is int and 50 <= value[1] < 100 else "quiet",
)
def asked_in_the_letter(secret):
    return secret, dc.discrete_laplace(20)
