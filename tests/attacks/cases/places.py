"""More places for state: of the process, of C, of libraries, shared between processes, and in what is passed in."""

import csv
import ctypes
import locale
import logging
import mmap
import multiprocessing
import os
import resource
import signal
import socket
import threading
import time
import tracemalloc
import unittest.mock

import deltachain as dc
from tests.attacks.collection import impure


def reveal(secret, calls, after):
    return secret if calls > after else dc.flip("1/2")


@impure("the longest field of csv")
def csv_limit(secret):
    return reveal(secret, csv.field_size_limit(csv.field_size_limit() + 1), 131_072 + 300)


@impure("the dialects of csv")
def csv_dialects(secret):
    csv.register_dialect(f"d{len(csv.list_dialects())}", "excel")
    return reveal(secret, len(csv.list_dialects()), 300)


@impure("the timeout of sockets")
def socket_timeout(secret):
    socket.setdefaulttimeout((socket.getdefaulttimeout() or 0) + 1)
    return reveal(secret, socket.getdefaulttimeout(), 300)


@impure("errno of C")
def errno_of_c(secret):
    calls = ctypes.get_errno() + 1
    ctypes.set_errno(calls)
    return reveal(secret, calls, 300)


@impure("niceness of the process", leaks=False)
def niceness(secret):
    return reveal(secret, os.nice(1), 18)


@impure("the stack of new threads")
def stack_of_threads(secret):
    before = threading.stack_size()
    threading.stack_size(max(before, 2**20) + 4096)
    return reveal(secret, before, 2**20 + 300 * 4096)


@impure("a soft limit")
def soft_limit(secret):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    return reveal(secret, hard - soft, 300) if hard > 0 else dc.flip("1/2")


@impure("a timer")
def timer(secret):
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, left + 1000)
    return reveal(secret, left, 300_000)


@impure("traced memory")
def traced_memory(secret):
    if not tracemalloc.is_tracing():
        tracemalloc.start()
        return dc.flip("1/2")
    return reveal(secret, tracemalloc.get_traceback_limit(), 5)


@impure("the locale")
def current_locale(secret):
    if locale.setlocale(locale.LC_NUMERIC) == "C.UTF-8":
        return secret
    locale.setlocale(locale.LC_NUMERIC, "C.UTF-8")
    return dc.flip("1/2")


@impure("which processors it may use")
def affinity(secret):
    mine = os.sched_getaffinity(0)
    if len(mine) == 1:
        return secret
    os.sched_setaffinity(0, {min(mine)})
    return dc.flip("1/2")


@impure("its name in the system")
def name_of_the_process(secret):
    libc = ctypes.CDLL(None)
    buffer = ctypes.create_string_buffer(16)
    libc.prctl(16, buffer)
    calls = int(buffer.value[1:] or 0) + 1 if buffer.value.startswith(b"#") else 1
    libc.prctl(15, b"#%d" % calls)
    return reveal(secret, calls, 300)


@impure("memory of malloc")
def memory_of_malloc(secret):
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    libc.setenv(b"ATTACK_CELL", b"00000000", 0)
    cell = ctypes.c_long.from_address(libc.getenv(b"ATTACK_CELL"))
    cell.value += 1
    return reveal(secret, cell.value & 0xFFFF, 0x3030 + 300)


@impure("descriptors: how many are open", leaks=False)
def leaks_descriptors(secret):
    os.open("/dev/null", os.O_RDONLY)
    return reveal(secret, len(os.listdir("/proc/self/fd")), 300)


SHARED = mmap.mmap(-1, 8)
VALUE = multiprocessing.Value("i", 0)


@impure("memory that forks share")
def shared_memory(secret):
    calls = int.from_bytes(SHARED[:8], "little") + 1
    SHARED[:8] = calls.to_bytes(8, "little")
    return reveal(secret, calls, 100_000)


@impure("memory that forks share: the first call of all shows it", leaks=True)
def shared_first_call(secret):
    first = SHARED[0] == 0
    SHARED[0] = 1
    return secret if first else dc.flip("1/2")


@impure("a value of multiprocessing")
def shared_value(secret):
    with VALUE.get_lock():
        VALUE.value += 1
        return reveal(secret, VALUE.value, 100_000)


@impure("a semaphore")
def semaphore(secret):
    SEMAPHORE.release()
    return reveal(secret, SEMAPHORE._value, 300)


SEMAPHORE = threading.Semaphore(0)
LOCK = threading.RLock()
EVENT = threading.Event()
CONDITION = threading.Condition()


@impure("an event, set by its first call")
def event(secret):
    if EVENT.is_set():
        return secret
    EVENT.set()
    return dc.flip("1/2")


@impure("a lock that it never gives back")
def recursive_lock(secret):
    LOCK.acquire()
    return reveal(secret, int(repr(LOCK).partition("count=")[2].partition(" ")[0]), 300)


@impure("a mock counts its calls")
def mock(secret):
    MOCK()
    return reveal(secret, MOCK.call_count, 300)


MOCK = unittest.mock.Mock()


@impure("options of NumPy")
def numpy_options(secret):
    import numpy as np

    calls = np.get_printoptions()["precision"] + 1
    np.set_printoptions(precision=calls)
    return reveal(secret, calls, 300)


@impure("NumPy's buffer")
def numpy_buffer(secret):
    import numpy as np

    return reveal(secret, np.setbufsize(np.getbufsize() + 16), 8192 + 300 * 16)


@impure("options of pandas")
def pandas_options(secret):
    import pandas as pd

    pd.options.display.max_rows = (pd.options.display.max_rows or 0) + 1
    return reveal(secret, pd.options.display.max_rows, 360)


class Accountant:
    """What is spent, beside a lock: an honest object that is passed in."""

    def __init__(self):
        self.lock = threading.Lock()
        self.spent = 0

    def spend(self):
        with self.lock:
            self.spent += 1
            return self.spent

    def answer(self, secret):
        return reveal(secret, self.spend(), 300)


@impure("an accountant that is passed in", constants={"accountant": Accountant()})
def accountant_passed_in(secret, accountant):
    return reveal(secret, accountant.spend(), 300)


@impure("the method of an accountant that is passed in", constants={"spend": Accountant().spend})
def method_passed_in(secret, spend):
    return reveal(secret, spend(), 300)


@impure("a logger that is passed in", constants={"logger": logging.getLogger("attack.places")})
def logger_passed_in(secret, logger):
    logger.asked = getattr(logger, "asked", 0) + 1
    return reveal(secret, logger.asked, 300)


@impure("a list inside a secret", secrets=[{"secret": [0]}, {"secret": [1]}], leaks=True)
def changes_its_secret(secret):
    secret.append(secret[0])
    return secret[0] if len(secret) > 300 else dc.flip("1/2")


ACCOUNTANT = Accountant()
answer = ACCOUNTANT.answer
impure("the function is a bound method", leaks=False)(answer)


def registry():
    return REGISTRY


REGISTRY = {"accountant": Accountant()}


@impure("found by a function that hands it out")
def handed_out(secret):
    return reveal(secret, registry()["accountant"].spend(), 300)


class Singleton:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.calls = 0
        return cls._instance


@impure("a singleton, made by the first call")
def singleton(secret):
    Singleton().calls += 1
    return reveal(secret, Singleton().calls, 300)


@impure("an old time stamp of its own", leaks=False)
def rate_limit(secret):
    now = time.monotonic()
    STAMPS.append(now)
    return reveal(secret, len(STAMPS), 300)


STAMPS = []


FORKED = [0]
os.register_at_fork(after_in_child=lambda: FORKED.__setitem__(0, 0))


@impure("a count that each fork sets back")
def set_back_by_forks(secret):
    FORKED[0] += 1
    return reveal(secret, FORKED[0], 300)
