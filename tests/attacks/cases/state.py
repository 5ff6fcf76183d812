"""State that functions keep between calls, in every place that Python has for it."""

import array
import collections
import contextlib
import contextvars
import copy
import ctypes
import decimal
import functools
import gc
import inspect
import io
import itertools
import json
import logging
import math
import os
import queue
import random
import re
import signal
import sqlite3
import string
import sys
import tempfile
import threading
import time
import types
import uuid
import warnings
import weakref

import deltachain as dc
from tests.attacks.cases import _counted
from tests.attacks.collection import impure

BUDGET = (dict(secret=0), dict(secret=1000))


# The budget: answers while it lasts, then "denied". In production the first answers tell 0 from 1000.

LEFT = 100


@impure("a budget of 100 in the module", leaks=True, secrets=BUDGET)
def serve_100(secret):
    global LEFT
    if LEFT <= 0:
        return "denied"
    LEFT -= 1
    return secret + dc.discrete_laplace(2)


LEFT_1 = 1


@impure("a budget of 1", leaks=True, secrets=BUDGET)
def serve_1(secret):
    global LEFT_1
    if LEFT_1 <= 0:
        return "denied"
    LEFT_1 -= 1
    return secret + dc.discrete_laplace(2)


LEFT_7 = 7


@impure("a budget of 7", leaks=True, secrets=BUDGET)
def serve_7(secret):
    global LEFT_7
    if LEFT_7 <= 0:
        return "denied"
    LEFT_7 -= 1
    return secret + dc.discrete_laplace(2)


LEFT_3 = 3


@impure("three answers in one call, then denied", leaks=True, secrets=BUDGET)
def serve_three_at_a_time(secret):
    global LEFT_3
    answers = []
    for _ in range(3):
        LEFT_3 -= 1
        answers.append(secret + dc.discrete_laplace(2) if LEFT_3 >= 0 else "denied")
    return answers


LEFT_LIST = [13]


@impure("a budget in a list", leaks=True, secrets=BUDGET)
def serve_from_a_list(secret):
    if not LEFT_LIST[0]:
        return "denied"
    LEFT_LIST[0] -= 1
    return secret + dc.discrete_laplace(2)


# The first call only: it shows its secret once.

FIRST = True


@impure("shows it on the first call only", leaks=True)
def first_call(secret):
    global FIRST
    was, FIRST = FIRST, False
    return secret if was else dc.flip("1/2")


SEEN_NOTHING = {}


@impure("a cache in a module's dict: the first secret answers for all", leaks=True)
def memo_of_the_first(secret):
    return SEEN_NOTHING.setdefault("answer", secret)


@impure("the first coin is kept for ever", leaks=False)
def permanent_coin(secret):
    if "coin" not in SEEN_NOTHING:
        SEEN_NOTHING["coin"] = dc.flip("1/2")
    return SEEN_NOTHING["coin"], secret if SEEN_NOTHING["coin"] else 0


# A count that gives the secret away at the k-th call, kept where nobody looks. In the first calls all is quiet.


def reveal(secret, calls, after):
    return secret if calls > after else dc.flip("1/2")


COUNT = 0


@impure("every 1,000,000th call")
def global_counter(secret):
    global COUNT
    COUNT += 1
    return reveal(secret, COUNT, 10**6)


def _closure():
    calls = 0

    def closure_counter(secret):
        nonlocal calls
        calls += 1
        return reveal(secret, calls, 300)

    return closure_counter


closure_counter = _closure()
impure("a closure's cell, after 300 calls")(closure_counter)
closure_counter.__qualname__ = closure_counter.__name__ = "closure_counter"


def _nested():
    calls = [0]

    def tick():
        calls[0] += 1
        return calls[0]

    def nested_closure(secret):
        return reveal(secret, tick(), 300)

    return nested_closure


nested_closure = _nested()
impure("a closure of a closure")(nested_closure)


@impure("its own attribute")
def function_attribute(secret):
    function_attribute.calls = getattr(function_attribute, "calls", 0) + 1
    return reveal(secret, function_attribute.calls, 300)


@impure("the attribute of another function")
def attribute_of_another(secret):
    reveal.calls = getattr(reveal, "calls", 0) + 1
    return reveal(secret, reveal.calls, 300)


@impure("a default argument")
def default_argument(secret, calls=[0]):
    calls[0] += 1
    return reveal(secret, calls[0], 300)


@impure("a keyword-only default")
def keyword_default(secret, *, memory={}):
    memory[len(memory)] = None
    return reveal(secret, len(memory), 300)


@impure("the defaults themselves are exchanged")
def exchanged_defaults(secret, calls=0):
    exchanged_defaults.__defaults__ = (calls + 1,)
    return reveal(secret, calls, 300)


@impure("its code is exchanged")
def exchanged_code(secret):
    exchanged_code.__code__ = exchanged_code.__code__.replace(co_firstlineno=exchanged_code.__code__.co_firstlineno + 1)
    return reveal(secret, exchanged_code.__code__.co_firstlineno, 1200)


@functools.lru_cache(maxsize=None)
def _cached(secret):
    return dc.flip("1/2")


@impure("lru_cache around a draw: drawn once", leaks=False)
def cached_draw(secret):
    return _cached(0), secret if _cached(0) else 0


@functools.lru_cache(maxsize=None)
def _length(key):
    return key


@impure("lru_cache's own statistics")
def cache_info(secret):
    _length(_length.cache_info().misses)
    return reveal(secret, _length.cache_info().misses, 300)


@functools.cache
def _boxes():
    return []


@impure("functools.cache hands out the same list")
def cached_list(secret):
    _boxes().append(1)
    return reveal(secret, len(_boxes()), 300)


class Server:
    answered = 0

    def __init__(self):
        self.mine = 0

    @classmethod
    def next(cls):
        cls.answered += 1
        return cls.answered

    @staticmethod
    def bare():
        Server.answered += 1
        return Server.answered

    def step(self):
        self.mine += 1
        return self.mine


SERVER = Server()


@impure("a class attribute")
def class_attribute(secret):
    return reveal(secret, Server.next(), 300)


@impure("a static method that writes its class")
def static_method(secret):
    return reveal(secret, Server.bare(), 300)


@impure("an instance")
def instance_attribute(secret):
    return reveal(secret, SERVER.step(), 300)


class Slotted:
    __slots__ = ("calls", "lock")

    def __init__(self):
        self.calls = 0
        self.lock = threading.Lock()

    def step(self):
        with self.lock:
            self.calls += 1
        return self.calls


SLOTTED = Slotted()


@impure("a slot beside a lock, which does not pickle")
def slotted_with_a_lock(secret):
    return reveal(secret, SLOTTED.step(), 300)


class Hidden:
    def __reduce__(self):
        return (int, ())

    calls = 0

    def step(self):
        self.calls += 1
        return self.calls


HIDDEN = Hidden()


@impure("an instance that pickles as 0")
def pickles_as_nothing(secret):
    return reveal(secret, HIDDEN.step(), 300)


class Equal:
    calls = 0

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __getstate__(self):
        return None

    def step(self):
        self.calls += 1
        return self.calls


EQUAL = Equal()


@impure("an instance that is equal to all and shows no state")
def equal_to_everything(secret):
    return reveal(secret, EQUAL.step(), 300)


def _numbers():
    number = 0
    while True:
        number += 1
        yield number


NUMBERS = _numbers()
COUNTER = itertools.count(1)
CYCLE = itertools.cycle([False] * 299 + [True])
ITERATOR = iter(range(10**6))
LIST_ITERATOR = iter([0] * 100_000)
DEQUE = collections.deque([1] + [0] * 299)
QUEUE = queue.SimpleQueue()


@impure("a generator")
def generator(secret):
    return reveal(secret, next(NUMBERS), 300)


@impure("itertools.count")
def counted(secret):
    return reveal(secret, next(COUNTER), 300)


@impure("itertools.cycle")
def cycled(secret):
    return secret if next(CYCLE) else dc.flip("1/2")


@impure("an iterator of a range")
def range_iterator(secret):
    return reveal(secret, next(ITERATOR), 300)


@impure("an iterator of a list")
def list_iterator(secret):
    next(LIST_ITERATOR)
    return reveal(secret, 100_000 - LIST_ITERATOR.__length_hint__(), 300)


@impure("a deque that rotates")
def rotated(secret):
    DEQUE.rotate(1)
    return secret if DEQUE[-1] else dc.flip("1/2")


@impure("a SimpleQueue, which shows nothing but its length")
def queued(secret):
    QUEUE.put(0)
    return reveal(secret, QUEUE.qsize(), 300)


LOCAL = threading.local()


@impure("threading.local")
def thread_local(secret):
    LOCAL.calls = getattr(LOCAL, "calls", 0) + 1
    return reveal(secret, LOCAL.calls, 300)


VARIABLE = contextvars.ContextVar("calls", default=0)


@impure("a context variable")
def context_variable(secret):
    VARIABLE.set(VARIABLE.get() + 1)
    return reveal(secret, VARIABLE.get(), 300)


BOX = contextvars.ContextVar("box", default=[0])


@impure("the list in a context variable")
def context_variable_box(secret):
    BOX.get()[0] += 1
    return reveal(secret, BOX.get()[0], 300)


class _Task:
    pass


KEY = _Task()
WEAK = weakref.WeakKeyDictionary()


@impure("a dictionary of weak keys")
def weak_dictionary(secret):
    WEAK[KEY] = WEAK.get(KEY, 0) + 1
    return reveal(secret, WEAK[KEY], 300)


DATABASE = None


def _database():
    global DATABASE
    if DATABASE is None:
        DATABASE = sqlite3.connect(":memory:")
        DATABASE.execute("create table calls (n integer)")
    return DATABASE


@impure("a database in memory")
def database(secret):
    _database().execute("insert into calls values (1)")
    (count,) = _database().execute("select count(*) from calls").fetchone()
    return reveal(secret, count, 300)


OPENED = sqlite3.connect(":memory:", check_same_thread=False)
OPENED.execute("create table calls (n integer)")


@impure("a database in memory, opened before")
def opened_database(secret):
    OPENED.execute("insert into calls values (1)")
    (count,) = OPENED.execute("select count(*) from calls").fetchone()
    return reveal(secret, count, 300)


@impure("a library that counts")
def library(secret):
    return reveal(secret, _counted.spend(), 300)


@impure("a library that counts, imported inside")
def library_imported_late(secret):
    from tests.attacks.cases._counted import spend_from_pool

    return reveal(secret, -spend_from_pool(), 300)


@impure("the ledger of a library, beside its lock")
def library_object(secret):
    return reveal(secret, not _counted.LEDGER.spend(), 0)


@impure("sys.modules, by a name made at run time")
def by_a_name_made_late(secret):
    module = sys.modules["tests.attacks.cases." + "_coun" + "ted"]
    return reveal(secret, getattr(module, "spe" + "nd")(), 300)


@impure("globals()")
def through_globals(secret):
    space = globals()
    space["HID" + "DEN_CALLS"] = space.get("HIDDEN_CALLS", 0) + 1
    return reveal(secret, space["HIDDEN_CALLS"], 300)


@impure("the globals of a frame")
def through_a_frame(secret):
    space = sys._getframe().f_globals
    space["FRAME_CALLS"] = space.get("FRAME_CALLS", 0) + 1
    return reveal(secret, space["FRAME_CALLS"], 300)


@impure("exec")
def through_exec(secret):
    exec("global EXEC_CALLS\nEXEC_CALLS = globals().get('EXEC_CALLS', 0) + 1", globals())
    return reveal(secret, eval("EXEC_CALLS"), 300)


@impure("an attribute of the module sys")
def attribute_of_sys(secret):
    sys.calls = getattr(sys, "calls", 0) + 1
    return reveal(secret, sys.calls, 300)


@impure("an attribute of the module math")
def attribute_of_math(secret):
    math.calls = getattr(math, "calls", 0) + 1
    return reveal(secret, math.calls, 300)


@impure("builtins")
def in_builtins(secret):
    import builtins

    builtins.calls = getattr(builtins, "calls", 0) + 1
    return reveal(secret, builtins.calls, 300)


@impure("an attribute of deltachain")
def attribute_of_deltachain(secret):
    dc.calls = vars(dc).get("calls", 0) + 1
    return reveal(secret, dc.calls, 300)


@impure("an attribute of a class of the standard library")
def attribute_of_a_class(secret):
    json.JSONEncoder.calls = getattr(json.JSONEncoder, "calls", 0) + 1
    return reveal(secret, json.JSONEncoder.calls, 300)


@impure("an entry of sys.modules")
def entry_of_sys_modules(secret):
    module = sys.modules.setdefault("counting_calls", types.ModuleType("counting_calls"))
    module.calls = getattr(module, "calls", 0) + 1
    return reveal(secret, module.calls, 300)


@impure("an environment variable that it writes itself")
def environment_variable(secret):
    os.environ["CALLS"] = str(int(os.environ.get("CALLS", 0)) + 1)
    return reveal(secret, int(os.environ["CALLS"]), 300)


@impure("putenv and getenv of C")
def environment_of_c(secret):
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    calls = int(libc.getenv(b"CALLS_OF_C") or 0) + 1
    libc.setenv(b"CALLS_OF_C", str(calls).encode(), 1)
    return reveal(secret, calls, 300)


@impure("warnings that are shown once")
def warnings_registry(secret):
    with contextlib.redirect_stderr(io.StringIO()):
        for _ in range(1):
            warnings.warn_explicit("odd", UserWarning, "x.py", len(WARNED), registry=WARNED) if False else None
    WARNED[len(WARNED)] = True
    return reveal(secret, len(WARNED), 300)


WARNED = {}
LOGGER = logging.getLogger("deltachain-attack")


class Counting(logging.Handler):
    calls = 0

    def emit(self, record):
        self.calls += 1


LOGGER.addHandler(Counting())
LOGGER.propagate = False


@impure("a handler of logging")
def logging_handler(secret):
    LOGGER.error("asked")
    return reveal(secret, LOGGER.handlers[0].calls, 300)


@impure("the names of loggers")
def logger_names(secret):
    logging.getLogger(f"asked.{len(logging.root.manager.loggerDict)}")
    return reveal(secret, len(logging.root.manager.loggerDict), 300)


@impure("the level of a logger")
def logger_level(secret):
    LOGGER.setLevel(LOGGER.level + 1)
    return reveal(secret, LOGGER.level, 300)


@impure("the precision of decimal numbers")
def decimal_context(secret):
    decimal.getcontext().prec += 1
    return reveal(secret, decimal.getcontext().prec, 328)


@impure("the limit of recursion")
def recursion_limit(secret):
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    return reveal(secret, sys.getrecursionlimit(), 1300)


@impure("the limit of digits of integers")
def integer_digits(secret):
    sys.set_int_max_str_digits(sys.get_int_max_str_digits() + 1)
    return reveal(secret, sys.get_int_max_str_digits(), 4600)


@impure("the interval of threads")
def switch_interval(secret):
    sys.setswitchinterval(sys.getswitchinterval() * 1.01)
    return reveal(secret, sys.getswitchinterval(), 0.1)


@impure("thresholds of the collector")
def collector_threshold(secret):
    first, *others = gc.get_threshold()
    gc.set_threshold(first + 1, *others)
    return reveal(secret, gc.get_threshold()[0], 3000)


@impure("the umask")
def umask(secret):
    calls = os.umask(0)
    os.umask((calls + 1) % 512)
    return reveal(secret, calls, 300)


@impure("the directory it works in")
def working_directory(secret):
    if os.getcwd() == "/":
        return reveal(secret, 1, 0)
    os.chdir("..")
    return dc.flip("1/2")


@impure("a signal handler")
def signal_handler(secret):
    before = signal.getsignal(signal.SIGUSR1)
    calls = before.calls + 1 if hasattr(before, "calls") else 1

    def handler(number, frame):
        return None

    handler.calls = calls
    signal.signal(signal.SIGUSR1, handler)
    return reveal(secret, calls, 300)


PIPE = os.pipe() if hasattr(os, "pipe") else None


@impure("bytes in a pipe")
def bytes_in_a_pipe(secret):
    os.write(PIPE[1], b"x")
    count = len(os.read(PIPE[0], 10_000))
    os.write(PIPE[1], b"x" * count)
    return reveal(secret, count, 300)


@impure("open descriptors")
def open_descriptors(secret):
    return reveal(secret, os.dup(0), 300)


TEMPORARY = tempfile.SpooledTemporaryFile(max_size=10**6)
BUFFER = io.BytesIO()


@impure("a buffer in memory")
def buffer(secret):
    BUFFER.write(b"x")
    return reveal(secret, BUFFER.tell(), 300)


ARRAY = array.array("l", [0])
RAW = ctypes.c_long(0)
BYTES = bytearray(8)
VIEW = memoryview(BYTES)


@impure("an array")
def in_an_array(secret):
    ARRAY[0] += 1
    return reveal(secret, ARRAY[0], 300)


@impure("a number of C")
def number_of_c(secret):
    RAW.value += 1
    return reveal(secret, RAW.value, 300)


@impure("a view of memory")
def view_of_memory(secret):
    count = int.from_bytes(VIEW, "little") + 1
    VIEW[:] = count.to_bytes(8, "little")
    return reveal(secret, count, 300)


POINTER = ctypes.create_string_buffer(8)
ADDRESS = ctypes.addressof(POINTER)


@impure("memory by its address, a plain int")
def by_address(secret):
    cell = ctypes.c_long.from_address(ADDRESS)
    cell.value += 1
    return reveal(secret, cell.value, 300)


@impure("how many modules there are")
def number_of_modules(secret):
    sys.modules[f"attack_{len(sys.modules)}"] = math
    return reveal(secret, len(sys.modules), 3000)


@impure("names of threads are numbered")
def thread_names(secret):
    return reveal(secret, int(threading.Thread().name.partition("-")[2].partition(" ")[0]), 300)


@impure("references to None")
def reference_counts(secret):
    KEPT.append(KEPT_OBJECT)
    return reveal(secret, sys.getrefcount(KEPT_OBJECT), 300)


KEPT_OBJECT = object()
KEPT = []


@impure("objects of the collector", leaks=False)
def objects_of_the_collector(secret):
    gc.callbacks.append(None) if False else None
    gc.get_objects()[0]
    LEAKED.append([])
    return reveal(secret, len(gc.get_objects()), 10**7)


LEAKED = []


@impure("interned strings: a new object only once")
def registry_of_codecs(secret):
    import codecs

    name = f"attack{len(NAMES)}"
    NAMES.append(name)
    codecs.register(lambda wanted: None)
    return reveal(secret, len(NAMES), 300)


NAMES = []


@impure("copyreg's registry of extensions")
def registry_of_copyreg(secret):
    import copyreg

    copyreg.dispatch_table[type(f"T{len(copyreg.dispatch_table)}", (), {})] = None
    return reveal(secret, len(copyreg.dispatch_table), 300)


@impure("subclasses of a class")
def subclasses(secret):
    made = type("Made", (Server,), {})
    MADE.append(made)
    return reveal(secret, len(Server.__subclasses__()), 300)


MADE = []


@functools.singledispatch
def _dispatched(value):
    return 0


@impure("the registry of a singledispatch function")
def single_dispatch(secret):
    kind = type("Kind", (), {})
    _dispatched.register(kind, lambda value: 1)
    return reveal(secret, len(_dispatched.registry), 300)


PARTIAL = functools.partial(lambda box, secret: (box.append(1), reveal(secret, len(box), 300))[1], [])


@impure("the argument of a partial")
def in_a_partial(secret):
    return PARTIAL(secret)


class Callable_:
    calls = 0

    def __call__(self, secret):
        type(self).calls += 1
        return reveal(secret, self.calls, 300)


CALLABLE = Callable_()


@impure("a callable object")
def callable_object(secret):
    return CALLABLE(secret)


class Meta(type):
    calls = 0

    def __getattr__(cls, name):
        Meta.calls += 1
        return Meta.calls


class WithMeta(metaclass=Meta):
    pass


@impure("a metaclass")
def metaclass(secret):
    return reveal(secret, WithMeta.anything, 300)


class Descriptor:
    def __init__(self):
        self.calls = 0

    def __get__(self, instance, owner):
        self.calls += 1
        return self.calls


class WithDescriptor:
    number = Descriptor()


@impure("a descriptor that counts as it is read")
def descriptor(secret):
    return reveal(secret, WithDescriptor().number, 300)


DEFAULTS = collections.defaultdict(int)


@impure("a defaultdict grows as it is read")
def grows_when_read(secret):
    DEFAULTS[len(DEFAULTS)]
    return reveal(secret, len(DEFAULTS), 300)


CHAIN = collections.ChainMap({}, {"calls": 0})


@impure("a ChainMap")
def chain_map(secret):
    CHAIN["calls"] += 1
    return reveal(secret, CHAIN["calls"], 300)


ORDER = collections.OrderedDict((n, None) for n in range(300))


@impure("the order of a dictionary alone changes")
def order_of_a_dictionary(secret):
    first = next(iter(ORDER))
    ORDER.move_to_end(first)
    return secret if first == 299 else dc.flip("1/2")


ORDER_PLAIN = dict.fromkeys(range(300))


@impure("the order of a plain dict alone changes")
def order_of_a_plain_dict(secret):
    first = next(iter(ORDER_PLAIN))
    ORDER_PLAIN[first] = ORDER_PLAIN.pop(first)
    return secret if first == 299 else dc.flip("1/2")


OWN = random.Random(3)
SHARED_STATE = random.getstate()


@impure("a generator with a seed", leaks=False)
def seeded_generator(secret):
    return secret if OWN.random() < 0.002 else dc.flip("1/2")


@impure("uuid's clock sequence", leaks=False)
def uuid_of_a_name(secret):
    STORE[uuid.uuid5(uuid.NAMESPACE_DNS, str(len(STORE)))] = 1
    return reveal(secret, len(STORE), 300)


STORE = {}
REGEX = re.compile("x")


@impure("the cache of re, by its size")
def cache_of_re(secret):
    re.compile(f"x{len(re._cache)}y{len(PATTERNS)}")
    PATTERNS.add(len(PATTERNS))
    return reveal(secret, len(re._cache), 300)


PATTERNS = set()


class Finaliser:
    def __del__(self):
        _counted.Ledger.spent += 1


@impure("__del__ counts")
def in_a_finaliser(secret):
    Finaliser()
    return reveal(secret, _counted.Ledger.spent, 300)


class Iterated:
    def __init__(self):
        self.queue = iter(range(100_000))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.queue)


ITERATED = Iterated()


@impure("an iterator inside an object")
def iterated_object(secret):
    return reveal(secret, next(ITERATED), 300)


@contextlib.contextmanager
def _counting(box=[]):
    box.append(1)
    yield len(box)


@impure("the default of a context manager's function")
def context_manager(secret):
    with _counting() as calls:
        return reveal(secret, calls, 300)


def counting(function):
    calls = itertools.count()

    @functools.wraps(function)
    def wrapper(**arguments):
        return function(**arguments, calls=next(calls))

    return wrapper


@impure("a decorator that counts")
@counting
def decorated(secret, calls):
    return reveal(secret, calls, 300)


TEMPLATE = string.Template("$x")


@impure("an attribute of an instance of the standard library")
def attribute_of_an_instance(secret):
    TEMPLATE.calls = getattr(TEMPLATE, "calls", 0) + 1
    return reveal(secret, TEMPLATE.calls, 300)


@impure("an annotation")
def annotations(secret):
    annotations.__annotations__["calls"] = annotations.__annotations__.get("calls", 0) + 1
    return reveal(secret, annotations.__annotations__["calls"], 300)


@impure("its docstring")
def docstring(secret):
    """x"""
    docstring.__doc__ += "x"
    return reveal(secret, len(docstring.__doc__), 300)


@impure("the profile function of sys")
def settrace_slot(secret):
    before = sys.getprofile()

    def profile(frame, event, argument):
        return None

    profile.calls = getattr(before, "calls", 0) + 1
    sys.setprofile(profile)
    return reveal(secret, profile.calls, 300)


@impure("sys.path grows")
def path_grows(secret):
    sys.path.append("/nowhere")
    return reveal(secret, len(sys.path), 300)


@impure("a mutable argument of its own: what is given to it is changed", constants=dict(box=[0]))
def changed_argument(secret, box):
    box[0] += 1
    return reveal(secret, box[0], 300)


class Argument:
    def __init__(self):
        self._calls = 0

    def __eq__(self, other):
        return True

    def __reduce__(self):
        return (Argument, ())

    def step(self):
        self._calls += 1
        return self._calls


@impure("an argument that counts, and looks the same", constants=dict(box=Argument()))
def counting_argument(secret, box):
    return reveal(secret, box.step(), 300)


@impure("a generator as an argument", constants=dict(box=_numbers()))
def generator_argument(secret, box):
    return reveal(secret, next(box), 300)


@impure("a closure as an argument", constants=dict(tick=_nested()))
def closure_argument(secret, tick):
    return tick(secret)


TIMES = []


@impure("how long it has been since the last call, counted by itself")
def counts_on_the_heap(secret):
    TIMES.append(time.monotonic_ns)
    return reveal(secret, len(TIMES), 300)


DEEP = {"a": [({"b": [0]},)]}


@impure("deep inside a constant")
def deep_inside(secret):
    DEEP["a"][0][0]["b"][0] += 1
    return reveal(secret, DEEP["a"][0][0]["b"][0], 300)


FUNCTIONS = {"f": _nested()}


@impure("a closure in a dictionary of functions")
def closure_in_a_dictionary(secret):
    return FUNCTIONS["f"](secret)


class Strategy:
    def __init__(self):
        self.pick = _nested()

    @functools.cached_property
    def box(self):
        return [0]

    @property
    def calls(self):
        self.box[0] += 1
        return self.box[0]


STRATEGY = Strategy()


@impure("a closure in an instance")
def closure_in_an_instance(secret):
    return STRATEGY.pick(secret)


@impure("a cached property")
def cached_property(secret):
    return reveal(secret, STRATEGY.calls, 300)


BOUND = SERVER.step
METHOD = types.MethodType(lambda self, secret: reveal(secret, self.step(), 300), Slotted())


@impure("a bound method")
def bound_method(secret):
    return reveal(secret, BOUND(), 300)


@impure("a bound method of a slotted object with a lock")
def bound_method_of_slots(secret):
    return METHOD(secret)


PROXY = weakref.proxy(SERVER)
MAPPING = types.MappingProxyType({"box": [0]})
NAMESPACE = types.SimpleNamespace(calls=0)


@impure("a weak proxy")
def weak_proxy(secret):
    return reveal(secret, PROXY.step(), 300)


@impure("inside a read-only mapping")
def read_only_mapping(secret):
    MAPPING["box"][0] += 1
    return reveal(secret, MAPPING["box"][0], 300)


@impure("a namespace")
def namespace(secret):
    NAMESPACE.calls += 1
    return reveal(secret, NAMESPACE.calls, 300)


COROUTINE = _numbers()
FROZEN = (COROUTINE, frozenset({1}))


@impure("a generator in a tuple")
def generator_in_a_tuple(secret):
    return reveal(secret, next(FROZEN[0]), 300)


try:
    import numpy as np

    GRID = np.zeros(3, dtype=np.int64)
    OBJECTS = np.array([[0]], dtype=object)
    OBJECTS[0, 0] = [0]
    GENERATOR = np.random.default_rng(5)
except ImportError:  # pragma: no cover
    GRID = None


@impure("an array of NumPy")
def numpy_array(secret):
    GRID[1] += 1
    return reveal(secret, int(GRID[1]), 300)


@impure("a list in an array of objects")
def numpy_objects(secret):
    OBJECTS[0, 0][0] += 1
    return reveal(secret, OBJECTS[0, 0][0], 300)


@impure("a generator of NumPy with a seed")
def numpy_seeded(secret):
    return secret if GENERATOR.random() < 0.002 else dc.flip("1/2")


@impure("every third call, and noise", leaks=False, secrets=BUDGET)
def every_third_call(secret):
    global COUNT
    COUNT += 1
    return (0 if COUNT % 3 else secret) + dc.discrete_laplace(2)


@impure("every second call", leaks=False)
def every_second_call(secret):
    global COUNT
    COUNT += 1
    return secret if COUNT % 2 == 0 else dc.flip("1/2")


LAST = None


@impure("shows the secret of the call before", leaks=False)
def the_one_before(secret):
    global LAST
    shown, LAST = LAST, secret
    return dc.flip("1/2") if shown is None else shown


@impure("copies and drops its own state on reading", leaks=False)
def copies_itself(secret):
    global DEEP
    DEEP = copy.deepcopy(DEEP)
    DEEP["a"].append(0)
    return reveal(secret, len(DEEP["a"]), 300)


@impure("the source's lines, read from a cache", leaks=False)
def cache_of_lines(secret):
    import linecache

    linecache.cache[f"line{len(linecache.cache)}"] = (0, None, [], "")
    return reveal(secret, len(linecache.cache) + (inspect is None), 300)
