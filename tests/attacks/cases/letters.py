"""Values that look the same and are not, or lie about themselves."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import itertools
import pathlib
import re
import types
import typing
import uuid
import zoneinfo
from dataclasses import dataclass, field

import deltachain as dc
from tests.attacks.collection import honest, law


@dataclass(slots=True)
class Row:
    title: str


@dataclass
class Hidden(Row):
    __slots__ = ("row",)

    def __init__(self, row):
        Row.__init__(self, "row")
        self.row = row


@law(1, "a slot beyond the fields", enumerable=False)
def slot_beyond_fields(secret):
    return Hidden(secret)


class Base:
    __slots__ = ("row",)


@dataclass
class OnSlots(Base):
    title: str = "row"


@law(1, "a slot of a base that is no dataclass", enumerable=False)
def slot_of_a_base(secret):
    value = OnSlots()
    value.row = secret
    return value


@dataclass
class Plain:
    title: str = "row"


@law(1, "an attribute that is no field", enumerable=False)
def attribute_beyond_fields(secret):
    value = Plain()
    value.row = secret
    return value


@dataclass
class NotShown:
    title: str = "row"
    row: int = field(default=0, repr=False, compare=False, hash=False)


@law(1, "a field that neither compares nor prints")
def field_that_is_not_shown(secret):
    return NotShown(row=secret)


@dataclass
class InitOnly:
    row: dataclasses.InitVar[int]
    title: str = "row"

    def __post_init__(self, row):
        self._row = row


@law(1, "an InitVar that is kept", enumerable=False)
def kept_init_variable(secret):
    return InitOnly(secret)


@dataclass
class ByClass:
    title: str = "row"
    row: typing.ClassVar[int] = 0


@law(1, "a class variable that an instance shadows", enumerable=False)
def shadowed_class_variable(secret):
    value = ByClass()
    value.row = secret
    return value


@dataclass
class Lies:
    row: int

    def __getattribute__(self, name):
        return 0 if name == "row" else super().__getattribute__(name)

    def truth(self):
        return self.__dict__["row"]


@law(1, "__getattribute__ lies", enumerable=False)
def getattribute(secret):
    return Lies(secret)


@dataclass
class Deleted:
    row: int = 0


@law(1, "a field that is not there", enumerable=False)
def deleted_field(secret):
    value = Deleted()
    if secret:
        del value.row
    return value


@law(1, "a local dataclass of the same name")
def local_dataclass(secret):
    @dataclass
    class Local:
        row: int

    return Local(secret)


@dataclass
class Property:
    title: str = "row"

    @property
    def row(self):
        return SECRETS[id(self)]


SECRETS = {}


@law(1, "a property that looks elsewhere", enumerable=False)
def property_elsewhere(secret):
    return dataclasses.make_dataclass("Made", [("title", str, "row")], namespace={"row": secret})()


class Integer(int):
    pass


class Text(str):
    pass


class Table(dict):
    pass


class Sequence(list):
    pass


class Real(float):
    pass


class Raw(bytes):
    pass


class Group(frozenset):
    pass


class Pair(tuple):
    pass


def _marked(value, secret):
    value.row = secret
    return value


@law(1, enumerable=False)
def int_subclass(secret):
    return _marked(Integer(5), secret)


@law(1, enumerable=False)
def text_subclass(secret):
    return _marked(Text("row"), secret)


@law(1, enumerable=False)
def dict_subclass(secret):
    return _marked(Table(a=1), secret)


@law(1, enumerable=False)
def list_subclass(secret):
    return _marked(Sequence([1]), secret)


@law(1, enumerable=False)
def float_subclass(secret):
    return _marked(Real(1.5), secret)


@law(1, enumerable=False)
def bytes_subclass(secret):
    return _marked(Raw(b"x"), secret)


@law(1, enumerable=False)
def set_subclass(secret):
    return _marked(Group({1}), secret)


@law(1, enumerable=False)
def tuple_subclass(secret):
    return _marked(Pair((1,)), secret)


@law(1, enumerable=False)
def counter_with_an_attribute(secret):
    return _marked(collections.Counter("a"), secret)


@law(1, enumerable=False)
def ordered_with_an_attribute(secret):
    return _marked(collections.OrderedDict(a=1), secret)


@law(1, "the factory of a defaultdict", enumerable=False)
def factory_of_a_defaultdict(secret):
    return collections.defaultdict((int, str)[secret], a=1)


@law(1, "the length of a deque", enumerable=False)
def bound_of_a_deque(secret):
    return collections.deque([1], maxlen=5 + secret)


@law(1, "type of the number alone")
def subclass_or_not(secret):
    return (5, Integer(5))[secret]


@law(1, "type of the text alone")
def text_subclass_or_not(secret):
    return ("x", Text("x"))[secret]


class Named(typing.NamedTuple):
    a: int
    b: int


class NamedBelow(Named):
    def __new__(cls, a, b, row):
        made = super().__new__(cls, a, b)
        made.row = row
        return made


@law(1, "a subclass of a namedtuple", enumerable=False)
def named_tuple_subclass(secret):
    return NamedBelow(1, 2, secret)


@law(1, "names of a namedtuple", enumerable=False)
def names_of_a_namedtuple(secret):
    return collections.namedtuple("T", "ab"[secret])(1)


class State(enum.Enum):
    LEFT = 1
    RIGHT = 2


@law(1, "an enum with state", enumerable=False)
def enum_with_state(secret):
    State.LEFT.row = secret
    return State.LEFT


class Flags(enum.IntFlag):
    A = 1
    B = 2


@law(1)
def flags(secret):
    return (Flags.A, Flags.A | Flags.B)[secret]


@law(1, "flags that have no name", enumerable=False)
def unnamed_flags(secret):
    return Flags(4 << secret)


class Alias(enum.Enum):
    A = 1
    ALSO_A = 1
    TRUE = "1"


@law(1, "members whose values look the same")
def enum_of_text_and_number(secret):
    return (Alias.A, Alias.TRUE)[secret]


@law(1, enumerable=False)
def enum_and_its_value(secret):
    return (1, Alias.A)[secret]


class Always:
    def __init__(self, row):
        self.row = row

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        return "Always()"

    def __str__(self):
        return "Always()"

    def __reduce__(self):
        return (Always, (0,))

    def __getstate__(self):
        return {}


@law(1, "equal to all, with one repr, and pickles as one", enumerable=False)
def always_equal(secret):
    return Always(secret)


@law(1, "the same inside a list", enumerable=False)
def always_equal_in_a_list(secret):
    return [1, {"a": Always(secret)}]


@law(1, "as a key", enumerable=False)
def always_equal_as_a_key(secret):
    return {Always(secret): 1}


@law(1, "through letter=, whose letter is such an object", enumerable=False, letter=Always)
def letter_is_always_equal(secret):
    return secret


@law(1, "letter= returns the object in a tuple", enumerable=False, letter=lambda value: ("x", Always(value)))
def letter_in_a_tuple(secret):
    return secret


@law(0, "letter= shows nothing", letter=lambda value: None)
def letter_is_none(secret):
    return secret


@law(1, "letter= shows all", letter=lambda value: f"saw {value}")
def letter_is_text(secret):
    return secret


@law(1, "plus and minus zero")
def minus_zero(secret):
    return (0.0, -0.0)[secret]


@law(1, "plus and minus zero of complex numbers", enumerable=False)
def complex_minus_zero(secret):
    return (complex(0.0, 0.0), complex(0.0, -0.0))[secret]


@law(1, "two NaNs of different bits", enumerable=False)
def nans(secret):
    import struct

    return struct.unpack("<d", bytes([1 + secret, 0, 0, 0, 0, 0, 0xF8, 0x7F]))[0]


@law(1)
def nan_or_not(secret):
    return (float("nan"), 1.0)[secret]


@law(0.5)
def close_floats(secret):
    return (0.1 + 0.2, 0.3)[secret] if dc.flip("1/2") else 0.0


@law(1)
def infinities(secret):
    return (float("inf"), float("-inf"))[secret]


@law(1)
def int_or_float(secret):
    return (1, 1.0)[secret]


@law(1)
def bool_or_int(secret):
    return (1, True)[secret]


@law(1, enumerable=False)
def numpy_bool(secret):
    import numpy as np

    return (True, np.bool_(True))[secret]


@law(1, enumerable=False)
def numpy_widths(secret):
    import numpy as np

    return (np.int32(1), np.int64(1))[secret]


@law(1, enumerable=False)
def numpy_dtypes(secret):
    import numpy as np

    return np.zeros(3, dtype=(np.int32, np.uint32)[secret])


@law(1, enumerable=False)
def numpy_shapes(secret):
    import numpy as np

    return np.zeros((0, 3 + secret))


@law(1, "the middle of a long array", enumerable=False)
def numpy_middle(secret):
    import numpy as np

    values = np.zeros(5000)
    values[2500] = secret
    return values


@law(1, "what a mask covers", enumerable=False)
def numpy_masked(secret):
    import numpy as np

    return np.ma.array([1, secret], mask=[False, True])


@law(1, "the fill value of a masked array", enumerable=False)
def numpy_fill_value(secret):
    import numpy as np

    return np.ma.array([1], mask=[True], fill_value=5 + secret)


@law(1, "names of fields", enumerable=False)
def numpy_field_names(secret):
    import numpy as np

    return np.zeros(1, dtype=[("ab"[secret], "i8")])


@law(1, "the order in memory", enumerable=False)
def numpy_byte_order(secret):
    import numpy as np

    return np.array([1], dtype=("<i8", ">i8")[secret])


@law(1, "a subclass of arrays", enumerable=False)
def numpy_subclass(secret):
    import numpy as np

    class Marked(np.ndarray):
        pass

    value = np.zeros(2).view(Marked)
    value.row = secret
    return value


@law(1, "objects in an array", enumerable=False)
def numpy_objects(secret):
    import numpy as np

    values = np.empty(1, dtype=object)
    values[0] = Always(secret)
    return values


@law(1, "metadata of a dtype", enumerable=False)
def numpy_metadata(secret):
    import numpy as np

    return np.array([1], dtype=np.dtype("i8", metadata={"row": secret}))


@law(1, "attrs of a frame", enumerable=False)
def pandas_attributes(secret):
    import pandas as pd

    frame = pd.DataFrame({"a": [1]})
    frame.attrs["row"] = secret
    return frame


@law(1, "the name of an index", enumerable=False)
def pandas_index_name(secret):
    import pandas as pd

    return pd.DataFrame({"a": [1]}, index=pd.Index([0], name="ab"[secret]))


@law(1, "categories without rows", enumerable=False)
def pandas_categories(secret):
    import pandas as pd

    return pd.Series(pd.Categorical(["x"], categories=["x", "yz"[secret]]))


@law(1, "the name of a series", enumerable=False)
def pandas_series_name(secret):
    import pandas as pd

    return pd.Series([1], name="ab"[secret])


@law(1, "NaN or None", enumerable=False)
def pandas_missing(secret):
    import pandas as pd

    return pd.Series([(None, float("nan"))[secret]], dtype=object)


@law(1, "nanoseconds of a timestamp", enumerable=False)
def pandas_nanoseconds(secret):
    import pandas as pd

    return pd.Timestamp(secret)


@law(1)
def decimal_digits(secret):
    return (decimal.Decimal("1.0"), decimal.Decimal("1.00"))[secret]


@law(1)
def decimal_zeros(secret):
    return (decimal.Decimal("0"), decimal.Decimal("-0"))[secret]


@law(1)
def decimal_nan_payload(secret):
    return (decimal.Decimal("NaN1"), decimal.Decimal("NaN2"))[secret]


@law(1)
def order_of_a_dict(secret):
    return ({"a": 1, "b": 2}, {"b": 2, "a": 1})[secret]


@law(1)
def dict_keys(secret):
    return ({1: 0}, {"1": 0})[secret]


@law(1)
def true_and_one_as_keys(secret):
    return ({1: 0}, {True: 0})[secret]


@law(1)
def nesting(secret):
    return ([[1], [2]], [[1, 2], []])[secret]


@law(1, "joins of text")
def joined_text(secret):
    return (["a, b"], ["a", "b"])[secret]


@law(1, "quotes")
def quoted_text(secret):
    return ("['a']", ["a"])[secret]


@law(1, "a letter that looks like the one for noise")
def looks_like_noise(secret):
    return ("#1", 1)[secret]


@law(1, "text that looks like the rest of a letter")
def looks_like_a_letter(secret):
    dc.announce(("returns 1", "1")[secret])


@law(1, "announced or returned")
def announced_or_returned(secret):
    if secret:
        dc.announce("x")
        return None
    return "x"


@law(1, "announced in one or in two")
def one_or_two_letters(secret):
    if secret:
        dc.announce("a b")
    else:
        dc.announce("a")
        dc.announce("b")


@law(1, "text of two forms of Unicode")
def unicode_forms(secret):
    return ("\u00e9", "e\u0301")[secret]


@law(1, "surrogates")
def surrogates(secret):
    return ("\ud800", "\ud801")[secret]


@law(1, "NUL and what follows")
def after_nul(secret):
    return ("a\0b", "a\0c")[secret]


@law(1, "white space")
def white_space(secret):
    return ("a ", "a")[secret]


@law(1, "long text that differs in the middle")
def long_text(secret):
    return "a" * 50_000 + str(secret) + "a" * 50_000


@law(1, "many digits", enumerable=False)
def many_digits(secret):
    return 10**5000 + secret


@law(1, "bytes and bytearrays")
def bytes_or_bytearray(secret):
    return (b"a", bytearray(b"a"))[secret]


@law(1, enumerable=False)
def memory_views(secret):
    return memoryview(b"ab"[secret : secret + 1])


@law(1, enumerable=False)
def arrays_of_types(secret):
    return array.array("bB"[secret], [1])


@law(1)
def ranges(secret):
    return (range(0, 4, 2), range(0, 3, 2))[secret]


@law(1)
def list_or_tuple(secret):
    return ([1], (1,))[secret]


@law(1)
def set_or_frozenset(secret):
    return ({1}, frozenset({1}))[secret]


@law(1, "None or nothing at all", enumerable=False)
def none_or_ellipsis(secret):
    return (None, ...)[secret]


@law(1, "none or text")
def none_or_text(secret):
    return (None, "None")[secret]


def _recursive(secret):
    value = [secret]
    value.append(value)
    return value


@law(1, "a list that holds itself", enumerable=False)
def recursive_list(secret):
    return _recursive(secret)


@law(1, "two recursive shapes", enumerable=False)
def recursive_shapes(secret):
    value = []
    value.append(value if not secret else [value])
    return value


@law(1, "deep", enumerable=False)
def deep_list(secret):
    value = secret
    for _ in range(3000):
        value = [value]
    return value


@law(1, "an iterator that gives the secret", enumerable=False)
def returns_an_iterator(secret):
    return iter([secret])


@law(1, "a generator", enumerable=False)
def returns_a_generator(secret):
    return (secret for _ in range(1))


@law(1, "a generator function", enumerable=False)
def is_a_generator(secret):
    yield secret


@law(1, "a coroutine", enumerable=False)
async def is_a_coroutine(secret):
    return secret


@law(1, "a function", enumerable=False)
def returns_a_function(secret):
    return lambda: secret


@law(1, "a partial", enumerable=False)
def returns_a_partial(secret):
    return functools.partial(print, secret)


@law(1, "a class", enumerable=False)
def returns_a_class(secret):
    return type("Made", (), {"row": secret})


@law(1, "a module", enumerable=False)
def returns_a_module(secret):
    module = types.ModuleType("made")
    module.row = secret
    return module


@law(1, "a namespace", enumerable=False)
def returns_a_namespace(secret):
    return types.SimpleNamespace(row=secret)


@law(1, "a bound method", enumerable=False)
def returns_a_method(secret):
    return Always(secret).__str__


@law(1, "views of a dictionary", enumerable=False)
def views(secret):
    return {"a": secret}.values()


@law(1, "a map", enumerable=False)
def returns_a_map(secret):
    return map(str, [secret])


@law(1, "a chain", enumerable=False)
def returns_a_chain(secret):
    return itertools.chain([secret])


@law(1, enumerable=False)
def dates(secret):
    return datetime.datetime(2020, 1, 1, fold=secret)


@law(1, enumerable=False)
def time_zones(secret):
    return datetime.datetime(2020, 1, 1, tzinfo=(datetime.timezone.utc, zoneinfo.ZoneInfo("UTC"))[secret])


@law(1, enumerable=False)
def paths(secret):
    return pathlib.PurePosixPath(f"/a/{secret}")


@law(1, enumerable=False)
def uuids(secret):
    return uuid.UUID(int=secret)


@law(1, enumerable=False)
def addresses(secret):
    return ipaddress.ip_address(secret)


@law(1, enumerable=False)
def compiled_expressions(secret):
    return re.compile("a", re.I * secret)


@law(1, enumerable=False)
def matches(secret):
    return re.match(".", "ab"[secret])


@law(1, enumerable=False)
def fractions_subclass(secret):
    class F(fractions.Fraction):
        pass

    return (fractions.Fraction(1, 2), F(1, 2))[secret]


class Mapping(collections.abc.Mapping):
    def __init__(self, row):
        self.row = row

    def __getitem__(self, key):
        return 0

    def __iter__(self):
        return iter("a")

    def __len__(self):
        return 1


@law(1, "a mapping of its own", enumerable=False)
def own_mapping(secret):
    return Mapping(secret)


class Chameleon:
    @property
    def __class__(self):
        return int

    def __init__(self, row):
        self.row = row

    def __int__(self):
        return 5

    __index__ = __int__


@law(1, "__class__ lies", enumerable=False)
def chameleon(secret):
    return Chameleon(secret)


class Loud(list):
    def __iter__(self):
        return iter([1])

    def __len__(self):
        return 1


@law(1, "a list that iterates over something else", enumerable=False)
def lying_list(secret):
    return Loud([secret])


class LyingText(str):
    def __str__(self):
        return "x"

    __repr__ = __format__ = lambda self, *_: "'x'"

    def encode(self, *_):
        return b"x"


@law(1, "a text that prints as another", enumerable=False)
def lying_text(secret):
    return LyingText("ab"[secret])


class LyingInt(int):
    def __int__(self):
        return 5

    __index__ = __int__
    __repr__ = __str__ = lambda self: "5"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 5


@law(1, "an int that says five", enumerable=False)
def lying_int(secret):
    return LyingInt(secret)


@law(1, "changed after it was announced", enumerable=False)
def changed_later(secret):
    row = [0]
    dc.announce(row)
    row[0] = secret
    return row


@law(0, "changed after it was announced, and not shown", enumerable=False)
def changed_later_unseen(secret):
    row = [0]
    dc.announce(row)
    row[0] = secret


@honest(1, delta="0.5")
def changed_before(secret):
    row = [0]
    row[0] = secret
    dc.announce(row)


@honest(0)
def sets_in_any_order(secret):
    return {"a", "b", "c"} if secret else {"c", "b", "a"}


@honest(0)
def equal_tables(secret):
    return {"a": [1, 2.5, None], "b": (True, b"x", "text")}


@honest(1, delta="0.999")
def nested_dataclasses(secret):
    return [Plain("a"), Plain("b" * (1 + secret))]


@honest(1, delta="0.999")
def dates_of_two_days(secret):
    return f"{datetime.date(2020, 1, 1 + secret)}"
