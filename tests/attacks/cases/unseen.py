"""Assumed, not proved: what no number of runs on one machine can show.

Each of these depends on something outside its arguments and draws that does not change while it is tried, or that changes where
nobody looks. It must be refused, or the answer must say what it assumes.
"""

import locale
import os
import pathlib
import platform
import socket
import sys
import tempfile
import time

import deltachain as dc
from tests.attacks.collection import assumed


def reveal(secret, seen):
    return secret if seen else dc.flip("1/2")


def _counter():
    return pathlib.Path(tempfile.gettempdir()) / "deltachain-attack-counter"


@assumed("a file that counts the calls")
def file_counts(secret):
    path = _counter()
    calls = len(path.read_bytes()) if path.exists() else 0
    path.write_bytes(b"x" * (calls + 1))
    return reveal(secret, calls > 5000)


@assumed("a file that grows by itself, opened raw")
def file_grows(secret):
    number = os.open(_counter(), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(number, b"x")
    size = os.fstat(number).st_size
    os.close(number)
    return reveal(secret, size > 5000)


@assumed("whether a file is there")
def file_exists(secret):
    return reveal(secret, os.path.exists("/nowhere/leak"))


@assumed("the age of a file")
def age_of_a_file(secret):
    return reveal(secret, os.stat(__file__).st_mtime < 0)


@assumed("the directory it works in")
def working_directory(secret):
    return reveal(secret, os.getcwd() == "/production")


@assumed("the year")
def clock_year(secret):
    return reveal(secret, time.localtime().tm_year > 2100)


@assumed("the weekday")
def clock_weekday(secret):
    return reveal(secret, time.time() // 86400 % 7 == (time.time() // 86400 - 3) % 7)


@assumed("the hour")
def clock_hour(secret):
    return reveal(secret, (time.time() + 7200) // 3600 == 0)


@assumed("how long the machine has been up")
def uptime(secret):
    return reveal(secret, time.monotonic() > 10**9)


@assumed("an environment variable")
def environment_variable(secret):
    return reveal(secret, "LEAK" in os.environ)


@assumed("the home directory")
def home(secret):
    return reveal(secret, os.path.expanduser("~") == "/home/production")


@assumed("the user")
def user(secret):
    return reveal(secret, os.getuid() == 12345)


@assumed("the seed of hashes")
def hash_seed(secret):
    return reveal(secret, hash("a word") % 1_000_003 == 7)


@assumed("the order of a set of text")
def order_of_a_set(secret):
    return reveal(secret, list({"a", "b", "c", "d", "e", "f", "g", "h"}) == list("abcdefgh"))


@assumed("the version of Python")
def version(secret):
    return reveal(secret, sys.version_info >= (4, 0))


@assumed("the operating system")
def system(secret):
    return reveal(secret, sys.platform == "win32")


@assumed("optimised code")
def optimised(secret):
    return reveal(secret, not __debug__)


@assumed("the name of the machine")
def machine(secret):
    return reveal(secret, socket.gethostname() == "production")


@assumed("the kind of processor")
def processor(secret):
    return reveal(secret, platform.machine() == "vax")


@assumed("the number of processors")
def processors(secret):
    return reveal(secret, (os.cpu_count() or 1) > 100_000)


@assumed("the language")
def language(secret):
    return reveal(secret, locale.getlocale()[0] == "tlh")


@assumed("another machine")
def another_machine(secret):
    try:
        with socket.create_connection(("127.0.0.1", 9), timeout=0.1):
            return reveal(secret, True)
    except OSError:
        return reveal(secret, False)


@assumed("the number of its process, far away")
def process_number(secret):
    return reveal(secret, os.getpid() > 10**8)


@assumed("free space on the disk")
def disk(secret):
    return reveal(secret, os.statvfs("/").f_bavail == 0)


@assumed("the version of deltachain")
def version_of_deltachain(secret):
    return reveal(secret, dc.__version__ == "999")


@assumed("a name that starts its script")
def name_of_the_script(secret):
    return reveal(secret, sys.argv[0].endswith("production.py"))


@assumed("a module that is not installed here")
def missing_module(secret):
    try:
        import not_installed_anywhere  # noqa: F401
    except ImportError:
        return reveal(secret, False)
    return reveal(secret, True)


@assumed("a value that the noise has once in 10^20 years")
def beyond_all_noise(secret):
    x = dc.discrete_laplace(2)
    return reveal(secret, type(x) is int and x == 1234)


@assumed("a secret that was not given")
def another_secret(secret):
    return reveal(secret, secret not in (0, 1))
