"""Code that ends its process, never ends, or eats the machine. A run of it is no answer, whatever it says at the end."""

import _thread
import asyncio
import atexit
import ctypes
import faulthandler
import gc
import itertools
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import deltachain as dc
from tests.attacks.collection import ends, law

SOON = dict(timeout=3)


@ends("exits with 0, at once", **SOON)
def exit_0(secret):
    os._exit(0)


@ends("exits with 1, at once", **SOON)
def exit_1(secret):
    os._exit(1)


@ends("exits with 0 after a draw", **SOON)
def exit_after_a_draw(secret):
    if dc.flip("1/2"):
        os._exit(0)
    return "ok"


@ends("exits for one secret alone", **SOON)
def exit_for_one(secret):
    if secret:
        os._exit(0)
    return "ok"


@ends("exits on a rare coin", **SOON)
def exit_rarely(secret):
    if dc.flip("1/1000"):
        os._exit(0)
    return "ok"


@ends("exits where noise is real and in the middle", **SOON)
def exit_in_the_middle(secret):
    x = dc.discrete_laplace(20)
    if type(x) is int and 50 <= x < 100:
        os._exit(0)
    return "ok"


@ends("sys.exit(0)", **SOON)
def system_exit(secret):
    sys.exit(0)


@law(0, "sys.exit(1), announced: for both the same", errors="announce", enumerable=False, **SOON)
def system_exit_announced(secret):
    sys.exit(1)


@ends("exit()", **SOON)
def builtin_exit(secret):
    exit()


@ends("KeyboardInterrupt", **SOON)
def keyboard_interrupt(secret):
    raise KeyboardInterrupt


@ends("GeneratorExit", **SOON)
def generator_exit(secret):
    raise GeneratorExit


class Unusual(BaseException):
    pass


@ends("an exception of its own that is no Exception", **SOON)
def own_base_exception(secret):
    raise Unusual(secret)


@ends("a task was cancelled", **SOON)
def cancelled(secret):
    raise asyncio.CancelledError


@law(0, "interrupts the main thread", may_die=True, enumerable=False, **SOON)
def interrupt_main(secret):
    _thread.interrupt_main()
    for _ in range(100):
        pass
    return "ok"


@ends("os.abort", may_die=True, **SOON)
def abort(secret):
    os.abort()


@ends("SIGKILL to itself", may_die=True, **SOON)
def kill_itself(secret):
    os.kill(os.getpid(), signal.SIGKILL)


@ends("SIGTERM to itself", may_die=True, **SOON)
def terminate_itself(secret):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.01)
    return "ok"


@ends("SIGINT to itself", may_die=True, **SOON)
def interrupt_itself(secret):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    return "ok"


@ends("SIGSTOP to itself", **SOON)
def stop_itself(secret):
    os.kill(os.getpid(), signal.SIGSTOP)
    return "ok"


@ends("SIGKILL to its parent", may_die=True, **SOON)
def kill_parent(secret):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.05)
    return "ok"


@ends("SIGSTOP to its parent", may_die=True, **SOON)
def stop_parent(secret):
    os.kill(os.getppid(), signal.SIGSTOP)
    return "ok"


@ends("SIGKILL to its group", may_die=True, **SOON)
def kill_group(secret):
    os.killpg(0, signal.SIGKILL)


@ends("a segmentation fault", may_die=True, **SOON)
def segmentation_fault(secret):
    ctypes.string_at(0)


@ends("a segmentation fault for one secret", may_die=True, **SOON)
def segmentation_fault_for_one(secret):
    if secret:
        faulthandler._sigsegv()
    return "ok"


@ends("an endless loop", **SOON)
def endless(secret):
    while True:
        pass


@ends("an endless loop for one secret", **SOON)
def endless_for_one(secret):
    while secret:
        pass
    return "ok"


@ends("an endless loop on a rare coin", **SOON)
def endless_rarely(secret):
    while dc.flip("1/1000"):
        while True:
            pass
    return "ok"


@ends("an endless loop that draws", **SOON)
def endless_draws(secret):
    while True:
        dc.flip("1/2")


@ends("an endless loop that announces", **SOON)
def endless_letters(secret):
    while True:
        dc.announce("x")


@ends("an endless loop in C", **SOON)
def endless_in_c(secret):
    return sum(itertools.repeat(1))


@ends("one long operation in C", **SOON)
def long_power(secret):
    return (7 ** (10**8)) % 2


@ends("sleeps", **SOON)
def sleeps(secret):
    time.sleep(1000)


@ends("sleeps for one secret", **SOON)
def sleeps_for_one(secret):
    time.sleep(1000 * secret)
    return "ok"


@ends("waits for a signal", **SOON)
def pauses(secret):
    signal.pause()


@ends("waits for a lock", **SOON)
def deadlock(secret):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@ends("waits for a socket", **SOON)
def waits_for_a_socket(secret):
    left, _right = socket.socketpair()
    left.recv(1)


@ends("waits for input", **SOON)
def waits_for_input(secret):
    select.select([], [], [])


@ends("swallows everything, for ever", **SOON)
def swallows(secret):
    while True:
        try:
            while True:
                dc.flip("1/2")
        except BaseException:
            pass


@ends("swallows, and sleeps", **SOON)
def swallows_asleep(secret):
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            continue


def _bare(secret):
    while True:
        try:
            time.sleep(0.001)
        finally:
            continue


@ends("a finally that goes on", **SOON)
def finally_goes_on(secret):
    _bare(secret)


@law(0, "bare except around a draw", timeout=30)
def bare_except(secret):
    try:
        return dc.flip("1/2")
    except:  # noqa: E722
        return "swallowed"


@law(0, "except BaseException around noise in the digits", timeout=30)
def base_exception_around_digits(secret):
    try:
        return str(dc.discrete_laplace(2))
    except BaseException:
        return "swallowed"


@law(0.5, "a finally that returns", timeout=30)
def finally_returns(secret):
    try:
        coin = dc.flip("1/2")
    finally:
        return secret if coin else 0  # noqa: B012


@law(0.5, "swallows what a draw may raise, and draws again", timeout=30)
def swallows_and_draws_again(secret):
    try:
        coin = dc.flip("1/2")
    except BaseException:
        coin = dc.flip("1/2")
    return secret if coin else 0


@ends("eats memory, one list", **SOON)
def memory_list(secret):
    rows = []
    while True:
        rows.append(bytearray(10**8))


@ends("eats memory, many objects", **SOON)
def memory_objects(secret):
    rows = []
    while True:
        rows.append([0] * 1_000_000)


@ends("eats memory, and announces that", errors="announce", **SOON)
def memory_announced(secret):
    rows = []
    while True:
        rows.append(bytearray(10**8))


@ends("eats memory, catches it, and answers", **SOON)
def memory_caught(secret):
    rows = []
    try:
        while True:
            rows.append(bytearray(10**8))
    except MemoryError:
        return "too much"


@ends("how much memory there is", **SOON)
def memory_counted(secret):
    rows = []
    try:
        while True:
            rows.append(bytearray(10**8))
    except MemoryError:
        return len(rows) > 30


@law(0, "one impossible block, caught", enumerable=False, **SOON)
def impossible_block(secret):
    try:
        return len(bytearray(10**12))
    except MemoryError:
        return "too much"


@ends("endless recursion", **SOON)
def recursion(secret):
    return recursion(secret)


@ends("endless recursion, announced", errors="announce", **SOON)
def recursion_announced(secret):
    return recursion_announced(secret)


@law(0, "endless recursion, caught: the depth is ours", enumerable=False, **SOON)
def recursion_caught(secret):
    def deep(n):
        try:
            return deep(n + 1)
        except RecursionError:
            return n

    return deep(0)


@law(0, "endless recursion, caught", enumerable=False, **SOON)
def recursion_told(secret):
    def deep(n):
        return deep(n + 1)

    try:
        deep(0)
    except RecursionError:
        return "too deep"


@ends("recursion in C", may_die=True, **SOON)
def recursion_in_c(secret):
    sys.setrecursionlimit(10**8)
    value = []
    for _ in range(10**6):
        value = [value]
    return repr(value)[:1]


@ends("floods the output", **SOON)
def flood(secret):
    while True:
        print("x" * 10_000)


@ends("floods the descriptor of errors", **SOON)
def flood_errors(secret):
    while True:
        os.write(2, b"x" * 10_000)


@law(0, "prints ten megabytes", timeout=60)
def prints_much(secret):
    for _ in range(10):
        print("x" * 100_000)
    return dc.flip("1/2")


@ends("forks and goes on in the child", **SOON)
def forks(secret):
    if os.fork():
        os._exit(0)
    return "ok"


@ends("forks, and both answer", **SOON)
def forks_and_both_answer(secret):
    os.fork()
    return "ok"


@law(0, "forks, and the child stays", enumerable=False, **SOON)
def leaves_a_child(secret):
    if not os.fork():
        time.sleep(1000)
        os._exit(0)
    return "ok"


@law(0, "forks and the child leaves the session", enumerable=False, **SOON)
def leaves_a_daemon(secret):
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(1000)
        os._exit(0)
    return "ok"


@ends("a small fork bomb", **SOON)
def fork_bomb(secret):
    for _ in range(6):
        try:
            os.fork()
        except OSError:
            break
    time.sleep(1)
    return "ok"


@law(0, "a subprocess that stays", enumerable=False, **SOON)
def leaves_a_subprocess(secret):
    subprocess.Popen(["sleep", "1000"])
    return "ok"


@law(0, "vfork through posix_spawn", enumerable=False, **SOON)
def spawns(secret):
    os.posix_spawn("/bin/sleep", ["sleep", "1000"], {})
    return "ok"


@law(0, "fork of C", enumerable=False, **SOON)
def fork_of_c(secret):
    child = ctypes.CDLL(None).fork()
    if child == 0:
        time.sleep(1000)
        os._exit(0)
    return "ok"


@ends("replaces itself", **SOON)
def replaces_itself(secret):
    os.execv("/bin/true", ["true"])


@law(0, "a thread that never ends", enumerable=False, **SOON)
def leaves_a_thread(secret):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return "ok"


@law(0, "a thread that is no daemon", enumerable=False, **SOON)
def leaves_a_loyal_thread(secret):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return "ok"


@law(0, "many threads", enumerable=False, **SOON)
def many_threads(secret):
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return "ok"


@ends("a thread that ends the process later", **SOON)
def thread_that_ends_it(secret):
    def later():
        time.sleep(0.05)
        os._exit(0)

    threading.Thread(target=later, daemon=True).start()
    time.sleep(0.2)
    return "ok"


@ends("closes all descriptors", leaks=True, **SOON)
def closes_descriptors(secret):
    os.closerange(0, 100)
    return secret


@ends("closes all descriptors but the standard ones", leaks=True, **SOON)
def closes_other_descriptors(secret):
    os.closerange(3, 1000)
    return secret


@law(0, "closes the output", enumerable=False, timeout=30)
def closes_output(secret):
    sys.stdout.close()
    return dc.flip("1/2")


@law(0, "replaces the output", enumerable=False, timeout=30)
def replaces_output(secret):
    sys.stdout = sys.stderr = None
    return dc.flip("1/2")


@ends("writes an answer into every descriptor", leaks=True, **SOON)
def writes_into_descriptors(secret):
    for number in range(1, 100):
        try:
            os.write(number, b'{"agreed": 1000}\n')
        except OSError:
            pass
    return secret


@ends("prints a verdict and exits", **SOON)
def prints_a_verdict(secret):
    print("PRIVATE: proved, checked, δ ≤ 0 for (secret=0, secret=1)", flush=True)
    os._exit(0)


@ends("an alarm", may_die=True, **SOON)
def alarm(secret):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(1)
    return "ok"


@ends("ignores every signal, and loops", **SOON)
def ignores_signals(secret):
    for each in (
        signal.SIGTERM,
        signal.SIGINT,
        signal.SIGHUP,
        signal.SIGALRM,
        signal.SIGCHLD,
        signal.SIGPIPE,
        signal.SIGXCPU,
    ):
        signal.signal(each, signal.SIG_IGN)
    while True:
        pass


@ends("limits its own time", may_die=True, **SOON)
def limits_its_time(secret):
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass


@ends("limits the number of its files", **SOON)
def limits_its_files(secret):
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    return "ok" if secret else os.urandom(0)


@ends("exits at the end", may_die=False, leaks=True, enumerable=False, **SOON)
def exits_at_exit(secret):
    atexit.register(os._exit, 0)
    return secret


@ends("a finaliser that exits", **SOON)
def exits_in_a_finaliser(secret):
    class Ends:
        def __del__(self):
            os._exit(0)

    Ends()
    return "ok"


@ends("a value that exits when it is looked at", letter=lambda value: os._exit(0), **SOON)
def exits_in_the_letter(secret):
    return secret


@ends("a letter that hangs", letter=lambda value: time.sleep(1000), **SOON)
def hangs_in_the_letter(secret):
    return secret


@ends("a value that hangs when it is hashed", **SOON)
def hangs_in_the_hash(secret):
    class Slow:
        def __hash__(self):
            time.sleep(1000)
            return 0

        def __eq__(self, other):
            return True

    return {Slow(): 1}


@ends("stops the collector and makes garbage", leaks=True, **SOON)
def stops_the_collector(secret):
    gc.disable()
    for _ in range(1000):
        row = []
        row.append(row)
    return secret


@ends("an endless generator", **SOON)
def endless_generator(secret):
    return itertools.count()


@ends("a letter of a hundred megabytes", leaks=True, **SOON)
def big_letter(secret):
    return "x" * 10**8 + str(secret)


@ends("a million letters", leaks=True, **SOON)
def a_million_letters(secret):
    for _ in range(10**6):
        dc.announce("x")
    return secret
