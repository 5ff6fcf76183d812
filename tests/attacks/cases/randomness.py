"""Randomness of the code's own, frequent and rare, from every place that has some."""

import ctypes
import hashlib
import os
import queue
import random
import secrets as tokens
import ssl
import string
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import deltachain as dc
from tests.attacks.collection import assumed, impure

SYSTEM = random.SystemRandom()
MODULE = random.Random()
SEEDED = random.Random(12345)


def leak(secret, rare):
    return secret if rare else "quiet"


@impure("SystemRandom, 2 %", leaks=True)
def system_two_percent(secret):
    return leak(secret, SYSTEM.random() < 0.02)


@impure("SystemRandom, 0.1 %", leaks=True)
def system_one_in_a_thousand(secret):
    return leak(secret, random.SystemRandom().randrange(1000) == 0)


@impure("SystemRandom, one in a million", leaks=True)
def system_one_in_a_million(secret):
    return leak(secret, random.SystemRandom().randrange(10**6) == 0)


@impure("SystemRandom, made late, 2 %", leaks=True)
def system_by_a_late_import(secret):
    module = __import__("ran" + "dom")
    return leak(secret, getattr(module, "System" + "Random")().random() < 0.02)


@impure("a Random of the module, 2 %", leaks=True)
def module_two_percent(secret):
    return leak(secret, MODULE.random() < 0.02)


@impure("a Random with a seed, 2 %", leaks=True)
def seeded_two_percent(secret):
    return leak(secret, SEEDED.random() < 0.02)


@impure("a Random made in the call, 2 %", leaks=True)
def new_two_percent(secret):
    return leak(secret, random.Random().random() < 0.02)


@impure("a Random made in the call, one in a thousand", leaks=True)
def new_one_in_a_thousand(secret):
    return leak(secret, random.Random().random() < 0.001)


@impure("the generator of the module random, 2 %", leaks=True)
def global_two_percent(secret):
    return leak(secret, random.random() < 0.02)


@impure("shuffle of the module random", leaks=True)
def global_shuffle(secret):
    order = list(range(50))
    random.shuffle(order)
    return leak(secret, order[0] == 0)


@impure("the module random, seeded anew in the call from nothing", leaks=True)
def seeded_anew(secret):
    random.seed()
    return leak(secret, random.random() < 0.02)


@impure("getrandbits", leaks=True)
def bits(secret):
    return leak(secret, random.getrandbits(6) == 0)


@impure("os.urandom, 2 %", leaks=True)
def urandom_two_percent(secret):
    return leak(secret, os.urandom(1)[0] < 5)


@impure("os.urandom, one in 65,536", leaks=True)
def urandom_rare(secret):
    return leak(secret, os.urandom(2) == b"\0\0")


@impure("os.getrandom, 2 %", leaks=True)
def getrandom(secret):
    return leak(secret, os.getrandom(1)[0] < 5)


@impure("/dev/urandom, 2 %", leaks=True)
def device(secret):
    with open("/dev/urandom", "rb") as file:
        return leak(secret, file.read(1)[0] < 5)


@impure("/dev/urandom by its descriptor, 2 %", leaks=True)
def device_by_descriptor(secret):
    number = os.open("/dev/urandom", os.O_RDONLY)
    try:
        return leak(secret, os.read(number, 1)[0] < 5)
    finally:
        os.close(number)


@impure("getrandom of C, 2 %", leaks=True)
def getrandom_of_c(secret):
    buffer = ctypes.create_string_buffer(1)
    ctypes.CDLL(None).getrandom(buffer, 1, 0)
    return leak(secret, buffer.raw[0] < 5)


@impure("rand of C", leaks=True)
def rand_of_c(secret):
    return leak(secret, ctypes.CDLL(None).rand() % 50 == 0)


@impure("RAND_bytes of OpenSSL, 2 %", leaks=True)
def openssl(secret):
    return leak(secret, ssl.RAND_bytes(1)[0] < 5)


@impure("secrets.randbelow, 2 %", leaks=True)
def tokens_two_percent(secret):
    return leak(secret, tokens.randbelow(50) == 0)


@impure("secrets.token_hex", leaks=True)
def token_hex(secret):
    return leak(secret, tokens.token_hex(1) == "00")


@impure("secrets.choice", leaks=True)
def token_choice(secret):
    return leak(secret, tokens.choice(range(1000)) == 0)


@impure("uuid4, 2 %", leaks=True)
def uuid4(secret):
    return leak(secret, uuid.uuid4().int % 50 == 0)


@assumed("uuid1, by the clock")
def uuid1(secret):
    return leak(secret, uuid.uuid1().int >> 96 & 63 == 0)


@impure("NumPy's default_rng, 2 %", leaks=True)
def numpy_default(secret):
    import numpy as np

    return leak(secret, np.random.default_rng().random() < 0.02)


@impure("NumPy's default_rng, one in a thousand", leaks=True)
def numpy_default_rare(secret):
    import numpy as np

    return leak(secret, np.random.default_rng().random() < 0.001)


@impure("NumPy's global generator, 2 %", leaks=True)
def numpy_global(secret):
    import numpy as np

    return leak(secret, np.random.random() < 0.02)


@impure("NumPy's RandomState, 2 %", leaks=True)
def numpy_random_state(secret):
    import numpy as np

    return leak(secret, np.random.RandomState().random_sample() < 0.02)


@impure("NumPy's SeedSequence, 2 %", leaks=True)
def numpy_seed_sequence(secret):
    import numpy as np

    return leak(secret, np.random.SeedSequence().entropy % 50 == 0)


@impure("pandas' sample", leaks=True)
def pandas_sample(secret):
    import pandas as pd

    return leak(secret, int(pd.Series(range(50)).sample(1).iloc[0]) == 0)


@assumed("the address of an object")
def hash_of_an_object(secret):
    return leak(secret, hash(object()) % 64 == 0)


KEPT = []


@assumed("the address of an object that is kept")
def id_of_a_kept_object(secret):
    KEPT.append(object())
    return leak(secret, id(KEPT[-1]) // 16 % 50 == 0)


@impure("a temporary name, 2 %", leaks=True)
def temporary_name(secret):
    return leak(secret, next(tempfile._get_candidate_names())[0] in "ab")


@assumed("nanoseconds of the clock, 2 %")
def nanoseconds(secret):
    return leak(secret, time.time_ns() // 100 % 50 == 0)


@assumed("perf_counter, one in a thousand")
def performance_counter(secret):
    return leak(secret, time.perf_counter_ns() // 10 % 1000 == 0)


@assumed("monotonic")
def monotonic(secret):
    return leak(secret, int(time.monotonic() * 1e6) % 50 == 0)


@assumed("CPU time of the process")
def process_time(secret):
    return leak(secret, time.process_time_ns() // 1000 % 50 == 0)


@assumed("a duration")
def duration(secret):
    began = time.perf_counter_ns()
    sum(range(100))
    return leak(secret, (time.perf_counter_ns() - began) // 10 % 40 == 0)


@assumed("a race of threads")
def race(secret):
    order = queue.Queue()
    threads = [threading.Thread(target=order.put, args=(n,)) for n in range(3)]
    for thread in reversed(threads):
        thread.start()
    for thread in threads:
        thread.join()
    return leak(secret, [order.get() for _ in range(3)] != [2, 1, 0])


@assumed("a thread that may be late")
def late_thread(secret):
    box = []
    thread = threading.Thread(target=box.append, args=(secret,))
    thread.start()
    early = bool(box)
    thread.join()
    return leak(secret, early)


@impure("noise that it draws itself", leaks=True)
def own_noise(secret):
    return secret + round(SYSTEM.gauss(0, 1))


@impure("noise of random.gauss", leaks=True)
def own_gauss(secret):
    return secret + round(random.gauss(0, 3))


@impure("noise of NumPy's laplace", leaks=True)
def numpy_laplace(secret):
    import numpy as np

    return secret + round(np.random.default_rng().laplace(0, 2))


@impure("it draws from SystemEntropy by hand", leaks=True)
def own_source(secret):
    with dc.using(dc.seeded(time.time_ns())):
        return leak(secret, dc.uniform(0, 49) == 0)


@impure("with a source of its own, seeded by the system", leaks=True)
def own_source_of_the_system(secret):
    with dc.using(dc.seeded(int.from_bytes(os.urandom(4), "big"))):
        return leak(secret, dc.uniform(0, 49) == 0)


@impure("draws in another context", leaks=True)
def in_a_fresh_context(secret):
    import contextvars

    return leak(secret, contextvars.Context().run(dc.uniform, 0, 49) == 0)


@impure("draws in a thread", leaks=True)
def in_a_thread(secret):
    box = []
    thread = threading.Thread(target=lambda: box.append(dc.uniform(0, 49)))
    thread.start()
    thread.join()
    return leak(secret, box == [0])


@impure("a draw in a thread that swallows its refusal", leaks=True)
def in_a_thread_that_swallows(secret):
    box = [1]

    def draw():
        try:
            box[0] = dc.uniform(0, 49)
        except BaseException:
            pass

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    return leak(secret, box == [0])


@impure("draws in a pool of threads", leaks=True)
def in_a_pool(secret):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return leak(secret, pool.submit(dc.uniform, 0, 49).result() == 0)


@impure("draws in a child", leaks=True)
def in_a_child(secret):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, b"%d" % dc.uniform(0, 49))
        os._exit(0)
    os.waitpid(child, 0)
    return leak(secret, os.read(reader, 2) == b"0")


@impure("another interpreter draws", leaks=True)
def in_a_subprocess(secret):
    code = "import random; print(random.SystemRandom().randrange(50))"
    return leak(secret, subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "0\n")


@impure("the shell draws", leaks=True)
def in_a_shell(secret):
    return leak(secret, subprocess.getoutput("od -An -N1 -tu1 /dev/urandom").strip() in "01234")


@impure("the kernel's uuid", leaks=True)
def kernel_uuid(secret):
    with open("/proc/sys/kernel/random/uuid") as file:
        return leak(secret, file.read(1) in string.digits[:1])


@assumed("the process's statistics")
def statistics_of_the_process(secret):
    with open("/proc/self/stat") as file:
        return leak(secret, int(hashlib.sha256(file.read().encode()).hexdigest(), 16) % 50 == 0)


@assumed("its process number")
def process_number(secret):
    return leak(secret, os.getpid() % 50 == 0)


@assumed("the number of its thread")
def thread_number(secret):
    return leak(secret, threading.get_native_id() % 50 == 0)


@assumed("the load of the machine")
def load(secret):
    return leak(secret, int(os.getloadavg()[0] * 100) % 50 == 0)


@assumed("random bytes of the auxiliary vector, and the stack's address")
def address_of_a_frame(secret):
    return leak(secret, id(sys._getframe()) // 16 % 50 == 0)


@impure("a garbage collection happens now", leaks=True)
def collections_so_far(secret):
    import gc

    return leak(secret, sum(each["collections"] for each in gc.get_stats()) % 50 == 0)


@impure("os.urandom kept under another name", leaks=True)
def kept_urandom(secret):
    return leak(secret, URANDOM(1)[0] < 5)


URANDOM = os.urandom
BELOW = tokens.randbelow
BOUND = SYSTEM.random


@impure("randbelow kept under another name", leaks=True)
def kept_randbelow(secret):
    return leak(secret, BELOW(1000) == 0)


@impure("a bound method of SystemRandom", leaks=True)
def kept_bound_random(secret):
    return leak(secret, BOUND() < 0.001)


@impure("posix.urandom", leaks=True)
def posix_urandom(secret):
    import posix

    return leak(secret, posix.urandom(1)[0] < 5)


@impure("_random.Random of C", leaks=True)
def random_of_c(secret):
    import _random

    return leak(secret, _random.Random().random() < 0.02)


@assumed("the hash of a NaN")
def hash_of_nan(secret):
    return leak(secret, hash(float("nan")) % 50 == 0)


@impure("a boolean of 2 % beside honest noise", leaks=True)
def beside_honest_noise(secret):
    x = dc.discrete_laplace(2)
    return x + (1000 * secret if SYSTEM.random() < 0.02 else 0)


@impure("only in a branch that is rare itself", leaks=True)
def in_a_rare_branch(secret):
    if dc.flip("1/100"):
        return leak(secret, SYSTEM.random() < 0.5)
    return "quiet"
