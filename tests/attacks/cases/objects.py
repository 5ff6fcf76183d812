"""State inside objects whose insides are not attributes: iterators, digests, buffers, contexts and compiled things."""

import ast
import asyncio
import codecs
import collections
import csv
import decimal
import functools
import graphlib
import hashlib
import hmac
import io
import itertools
import queue
import random
import re
import socket
import struct
import tempfile
import threading
import types
import zlib

import deltachain as dc
from tests.attacks.collection import impure

AFTER = 300


def reveal(secret, calls, after=AFTER):
    return secret if calls > after else dc.flip("1/2")


MANY = list(range(100_000))
ZIP = zip(MANY, MANY, strict=True)
ENUMERATED = enumerate(MANY)
MAPPED = map(int, MANY)
FILTERED = filter(None, range(1, 100_000))
REVERSED = reversed(list(range(100_000)))
TEE, OTHER = itertools.tee(MANY)
SLICED = itertools.islice(MANY, None)
ACCUMULATED = itertools.accumulate([1] * 100_000)
CHAINED = itertools.chain(MANY, MANY)
REPEATED = itertools.repeat(1, 100_000)
PRODUCT = itertools.product(range(400), range(400))
BY_KEY = iter(dict.fromkeys(MANY))
BY_ITEM = iter(dict.fromkeys(MANY).items())
OF_A_SET = iter(set(MANY))
OF_A_TUPLE = iter(tuple(MANY))
OF_TEXT = iter("x" * 100_000)
OF_BYTES = iter(bytes(100_000))
OF_A_DEQUE = iter(collections.deque(MANY))
BOX = [0]


def _step():
    BOX[0] += 1
    return BOX[0]


CALLED = iter(functools.partial(next, itertools.count(1)), -1)
SEARCHED = re.finditer("x", "x" * 100_000)
UNPACKED = struct.iter_unpack("B", bytes(100_000))
READER = csv.reader(["a"] * 100_000)
TEXT = io.StringIO("x\n" * 100_000)
NESTED = (n for n in (m for m in MANY))


@impure("zip")
def of_zip(secret):
    return reveal(secret, next(ZIP)[0])


@impure("enumerate")
def of_enumerate(secret):
    return reveal(secret, next(ENUMERATED)[0])


@impure("map")
def of_map(secret):
    return reveal(secret, next(MAPPED))


@impure("filter")
def of_filter(secret):
    return reveal(secret, next(FILTERED))


@impure("reversed")
def of_reversed(secret):
    return reveal(secret, 100_000 - next(REVERSED))


@impure("tee")
def of_tee(secret):
    return reveal(secret, next(TEE))


@impure("islice")
def of_islice(secret):
    return reveal(secret, next(SLICED))


@impure("accumulate")
def of_accumulate(secret):
    return reveal(secret, next(ACCUMULATED))


@impure("chain")
def of_chain(secret):
    return reveal(secret, next(CHAINED))


@impure("repeat")
def of_repeat(secret):
    next(REPEATED)
    return reveal(secret, 100_000 - REPEATED.__length_hint__())


@impure("product")
def of_product(secret):
    a, b = next(PRODUCT)
    return reveal(secret, 400 * a + b)


@impure("keys of a dictionary")
def of_keys(secret):
    return reveal(secret, next(BY_KEY))


@impure("items of a dictionary")
def of_items(secret):
    return reveal(secret, next(BY_ITEM)[0])


@impure("a set")
def of_a_set(secret):
    next(OF_A_SET)
    return reveal(secret, 100_000 - OF_A_SET.__length_hint__())


@impure("a tuple")
def of_a_tuple(secret):
    return reveal(secret, next(OF_A_TUPLE))


@impure("text")
def of_text(secret):
    next(OF_TEXT)
    return reveal(secret, 100_000 - OF_TEXT.__length_hint__())


@impure("bytes")
def of_bytes(secret):
    next(OF_BYTES)
    return reveal(secret, 100_000 - OF_BYTES.__length_hint__())


@impure("a deque")
def of_a_deque(secret):
    return reveal(secret, next(OF_A_DEQUE))


@impure("a function called again and again")
def of_a_callable(secret):
    return reveal(secret, next(CALLED))


@impure("matches")
def of_matches(secret):
    return reveal(secret, next(SEARCHED).start())


@impure("unpacked bytes")
def of_struct(secret):
    next(UNPACKED)
    return reveal(secret, 100_000 - UNPACKED.__length_hint__())


@impure("a reader of csv")
def of_csv(secret):
    next(READER)
    return reveal(secret, READER.line_num)


@impure("lines of text")
def of_lines(secret):
    TEXT.readline()
    return reveal(secret, TEXT.tell() // 2)


@impure("a generator of a generator")
def of_generators(secret):
    return reveal(secret, next(NESTED))


DIGEST = hashlib.sha256()
CODE = hmac.new(b"key", digestmod="sha256")


@functools.cache
def _targets():
    found = hashlib.sha256()
    marks = set()
    for n in range(2000):
        found.update(b"x")
        if n > AFTER:
            marks.add(found.digest())
    return marks


_targets()


@impure("a digest that goes on")
def of_a_digest(secret):
    DIGEST.update(b"x")
    return reveal(secret, DIGEST.digest() in _targets(), 0)


@impure("a keyed digest that goes on")
def of_hmac(secret):
    CODE.update(b"x")
    return secret if CODE.digest()[0] == 7 else dc.flip("1/2")


PACKER = zlib.compressobj()


@impure("a compressor")
def of_a_compressor(secret):
    return reveal(secret, len(PACKER.compress(b"x" * 1000)), 0)


DECODER = codecs.getincrementaldecoder("utf-8")()


@impure("a decoder, with half a character inside")
def of_a_decoder(secret):
    return reveal(secret, len(DECODER.decode(b"\xc3" if not DECODER.getstate()[0] else b"\xa9")), 0)


CONTEXT = decimal.Context()


@impure("a context of decimal numbers")
def of_a_context(secret):
    CONTEXT.prec += 1
    return reveal(secret, CONTEXT.prec, 28 + AFTER)


QUEUE = queue.Queue()
PRIORITY = queue.PriorityQueue()
SEMAPHORE = threading.BoundedSemaphore(1000)


@impure("a queue")
def of_a_queue(secret):
    QUEUE.put(1)
    return reveal(secret, QUEUE.qsize())


@impure("a queue by priority")
def of_a_priority_queue(secret):
    PRIORITY.put(1)
    return reveal(secret, PRIORITY.qsize())


@impure("a bounded semaphore")
def of_a_semaphore(secret):
    SEMAPHORE.acquire()
    return reveal(secret, 1000 - SEMAPHORE._value)


LOCKS = [threading.Lock() for _ in range(10)]


@impure("locks as bits")
def of_locks(secret):
    for lock in LOCKS:
        if lock.acquire(blocking=False):
            return dc.flip("1/2")
        lock.release()
    return secret


LEFT, RIGHT = socket.socketpair()


@impure("bytes in a socket")
def of_a_socket(secret):
    LEFT.send(b"x")
    data = RIGHT.recv(10_000)
    LEFT.send(data)
    return reveal(secret, len(data))


class Own(random.Random):
    calls = 0

    def random(self):
        self.calls += 1
        return 0.5

    def getstate(self):
        return 0


OWN = Own(1)


@impure("a generator that hides its state")
def of_a_subclass(secret):
    OWN.random()
    return reveal(secret, OWN.calls)


SPOOLED = tempfile.SpooledTemporaryFile(max_size=10**6)


@impure("a spooled file")
def of_a_spooled_file(secret):
    SPOOLED.write(b"x")
    return reveal(secret, SPOOLED.tell())


SORTER = graphlib.TopologicalSorter()


@impure("a sorter of graphs")
def of_a_sorter(secret):
    SORTER.add(len(SORTER._node2info))
    return reveal(secret, len(SORTER._node2info))


class Visitor(ast.NodeVisitor):
    def __init__(self):
        self.seen = 0

    def visit_Name(self, node):
        self.seen += 1


VISITOR = Visitor()
TREE = ast.parse("x")


@impure("a visitor of trees")
def of_a_visitor(secret):
    VISITOR.visit(TREE)
    return reveal(secret, VISITOR.seen)


@impure("a tree that grows")
def of_a_tree(secret):
    TREE.body.append(TREE.body[0])
    return reveal(secret, len(TREE.body))


def _coroutine():
    total = 0
    while True:
        total += yield total


SENT = _coroutine()
next(SENT)


@impure("a generator that is sent to")
def of_a_coroutine(secret):
    return reveal(secret, SENT.send(1))


async def _forever():
    n = 0
    while True:
        n += 1
        yield n


ASYNCHRONOUS = _forever()


@impure("an asynchronous generator")
def of_an_asynchronous_generator(secret):
    step = ASYNCHRONOUS.__anext__()
    try:
        step.send(None)
    except StopIteration as stop:
        return reveal(secret, stop.value)


LOOP = asyncio.new_event_loop()


@impure("an event loop")
def of_an_event_loop(secret):
    LOOP.call_later(1000, print)
    return reveal(secret, len(LOOP._scheduled))


CELL = types.CellType(0)


@impure("a bare cell")
def of_a_cell(secret):
    CELL.cell_contents += 1
    return reveal(secret, CELL.cell_contents)


class Weird:
    """Its state is in a closure of a method that is made anew."""

    def __init__(self):
        calls = itertools.count(1)
        self.step = lambda: next(calls)


WEIRD = Weird()


@impure("a lambda of an instance")
def of_a_lambda(secret):
    return reveal(secret, WEIRD.step())


class Partial:
    step = functools.partialmethod(lambda self, box: box.append(1) or len(box), [])


@impure("the argument of a partialmethod")
def of_a_partialmethod(secret):
    return reveal(secret, Partial().step())


class Default:
    def step(self, calls=itertools.count(1)):
        return next(calls)


@impure("the default of a method")
def of_a_method(secret):
    return reveal(secret, Default().step())


class Property:
    @property
    def step(self, box=[]):
        box.append(1)
        return len(box)


@impure("the default of a property")
def of_a_property(secret):
    return reveal(secret, Property().step)


class Above:
    count = 0


class Below(Above):
    pass


@impure("an attribute of the class above")
def of_a_base(secret):
    Below.__mro__[1].count += 1
    return reveal(secret, Below.count)


class Metaclass(type):
    calls = 0

    def __call__(cls):
        Metaclass.calls += 1
        return super().__call__()


class Made(metaclass=Metaclass):
    pass


@impure("a metaclass that counts what it makes")
def of_a_metaclass(secret):
    Made()
    return reveal(secret, Metaclass.calls)


def _decorated(function):
    @functools.wraps(function)
    def wrapper(secret):
        wrapper.calls += 1
        return reveal(secret, wrapper.calls)

    wrapper.calls = 0
    return wrapper


@impure("an attribute of its wrapper")
@_decorated
def of_a_wrapper(secret):
    return None


try:
    import numpy as np

    FLAT = np.arange(100_000).flat
    WALK = np.nditer(np.arange(100_000))
    VECTOR = np.vectorize(lambda x: _step())
    MASKED = np.ma.zeros(3)
    RECORD = np.zeros(1, dtype=[("n", "i8")])
    VIEW = memoryview(np.zeros(1, dtype=np.int64))
    BITS = np.random.PCG64(3)
except ImportError:  # pragma: no cover
    FLAT = None


@impure("a flat iterator of NumPy")
def numpy_flat(secret):
    return reveal(secret, int(next(FLAT)))


@impure("nditer of NumPy")
def numpy_iterator(secret):
    WALK.iternext()
    return reveal(secret, WALK.iterindex)


@impure("a function that NumPy vectorised")
def numpy_vectorised(secret):
    return reveal(secret, int(VECTOR(1)))


@impure("a masked array")
def numpy_masked(secret):
    MASKED[0] += 1
    return reveal(secret, int(MASKED[0]))


@impure("a field of a record")
def numpy_record(secret):
    RECORD["n"] += 1
    return reveal(secret, int(RECORD["n"][0]))


@impure("a view of an array's memory")
def numpy_view(secret):
    VIEW[0] += 1
    return reveal(secret, VIEW[0])


@impure("a generator of bits")
def numpy_bits(secret):
    return secret if BITS.random_raw() % 64 == 0 else dc.flip("1/2")


try:
    import pandas as pd

    FRAME = pd.DataFrame({"n": [0]})
    SERIES = pd.Series([0])
except ImportError:  # pragma: no cover
    FRAME = None


@impure("a frame of pandas")
def pandas_frame(secret):
    FRAME.loc[0, "n"] += 1
    return reveal(secret, int(FRAME.loc[0, "n"]))


@impure("a series of pandas")
def pandas_series(secret):
    SERIES.iloc[0] += 1
    return reveal(secret, int(SERIES.iloc[0]))


@impure("attrs of a frame")
def pandas_attributes(secret):
    FRAME.attrs["n"] = FRAME.attrs.get("n", 0) + 1
    return reveal(secret, FRAME.attrs["n"])
