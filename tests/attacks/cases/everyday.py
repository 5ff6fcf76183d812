"""Ordinary habits beside a private release: none of them makes it depend on more than its arguments and draws."""

import bisect
import functools
import hashlib
import itertools
import json
import logging
import math
import os
import random
import re
import statistics
import string
import sys
import textwrap
import threading
import time
import warnings
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import deltachain as dc
from tests.attacks.collection import honest, laplace_delta, laplace_mass, law

LOGGER = logging.getLogger("everyday")
WORD = re.compile(r"[a-z]+")
HALF = laplace_delta(2, 1)
TEXTS = ({"text": "a b a b a"}, {"text": "a b a b"})


@honest(HALF, delta="0.3")
def logs(secret):
    LOGGER.info("counting %s", secret)
    return secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def logs_with_the_root(secret):
    logging.debug("counting %s", secret)
    return secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def measures_its_time(secret):
    began = time.perf_counter()
    noisy = secret + dc.discrete_laplace(2)
    LOGGER.debug("took %s", time.perf_counter() - began)
    return noisy


@functools.lru_cache
def weight(n):
    return sum(range(n))


@law(HALF, delta="0.3")
def cached_helper(secret):
    return weight(2) * secret + dc.discrete_laplace(2)


@functools.cache
def table():
    return {"one": 1}


@law(HALF, delta="0.3")
def cached_table(secret):
    return table()["one"] * secret + dc.discrete_laplace(2)


@honest(laplace_delta(2, 1), secrets=TEXTS, delta="0.3")
def counts_words(text):
    counts = Counter(WORD.findall(text))
    return {word: counts[word] + dc.discrete_laplace(2) for word in ("a", "b")}


@honest(HALF, delta="0.3")
def imports_late(secret):
    import colorsys

    return round(colorsys.rgb_to_hls(0, 0, 0)[0]) + secret + dc.discrete_laplace(2)


@dataclass(frozen=True)
class Settings:
    scale: int = 2
    names: tuple[str, ...] = ("a",)


SETTINGS = Settings()


@honest(HALF, delta="0.3")
def reads_settings(secret):
    return secret + dc.discrete_laplace(SETTINGS.scale)


@dataclass
class Release:
    name: str
    values: list[Any] = field(default_factory=list)


@honest(HALF, delta="0.3")
def builds_a_result(secret):
    result = Release("counts")
    result.values.append(secret + dc.discrete_laplace(2))
    return result


@honest(HALF, delta="0.3")
def hashes_with_a_seed(secret):
    order = random.Random(7).sample(range(5), 5)
    return order, secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def digests(secret):
    return hashlib.sha256(b"salt").hexdigest()[:4], secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def reads_the_environment(secret):
    return secret + dc.discrete_laplace(int(os.environ.get("EVERYDAY_SCALE", "2")))


@honest(HALF, delta="0.3")
def reads_a_file(secret):
    lines = Path(__file__).read_text().count("\n") > 5
    return lines, secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def uses_a_local_lock(secret):
    with threading.Lock():
        return secret + dc.discrete_laplace(2)


LOCK = threading.Lock()


@honest(HALF, delta="0.3")
def uses_a_lock_of_the_module(secret):
    with LOCK:
        return secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def warns(secret):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    return secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def prints_to_errors(secret):
    print("counting", file=sys.stderr)
    return secret + dc.discrete_laplace(2)


class Mechanism(Protocol):
    def __call__(self, value: int) -> int: ...


class Laplace:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, value):
        return value + dc.discrete_laplace(self.scale)


MECHANISM = Laplace(2)


@honest(HALF, delta="0.3")
def calls_an_object(secret):
    return MECHANISM(secret)


@honest(HALF, delta="0.3", constants={"mechanism": Laplace(2)})
def is_given_a_mechanism(secret, mechanism):
    return mechanism(secret)


@honest(HALF, delta="0.3", constants={"mechanism": lambda value: value + dc.discrete_laplace(2)})
def is_given_a_lambda(secret, mechanism):
    return mechanism(secret)


@honest(HALF, delta="0.3", constants={"table": {"a": [1, 2, 3]}})
def is_given_a_table(secret, table):
    return len(table["a"]) - 3 + secret + dc.discrete_laplace(2)


def scaled(factor):
    def mechanism(secret):
        return factor * secret + dc.discrete_laplace(2 * factor)

    return mechanism


doubled = scaled(1)
doubled.__name__ = "doubled"
honest(HALF, delta="0.3")(doubled)


@honest(laplace_mass(2, 0, 0), delta="0.2")
def in_bins(secret):
    edges = [0, 3, 7]
    noisy = dc.discrete_laplace(2) + secret
    return ["low", "few", "some", "many"][sum(noisy > edge for edge in edges)]


@law(laplace_mass(2, 1, 1), delta="0.3")
def bisected(secret):
    return bisect.bisect([0, 3, 7], dc.discrete_laplace(2) + secret)


@honest(HALF, delta="0.3")
def formats_a_title(secret):
    title = string.Template("$a of $b").substitute(a="counts", b=textwrap.shorten("a long title " * 5, 20))
    return {"title": title, "count": secret + dc.discrete_laplace(2)}


@honest(HALF, delta="0.3")
def rounds_constants(secret):
    return round(math.pi, 3), statistics.mean([1, 2, 3]), secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def keeps_a_window(secret):
    window = deque(maxlen=2)
    for value in (1, 2, secret):
        window.append(value)
    return sum(window) + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def parses_json(secret):
    return json.loads('{"a": 2}')["a"] * 0 + secret + dc.discrete_laplace(2)


@honest(HALF, delta="0.3")
def takes_pairs(secret):
    rows = list(itertools.pairwise([0, secret, 0]))
    return sum(a for a, _ in rows) + dc.discrete_laplace(2)


@honest(0, "a helper that fails is caught", delta=0)
def retries(secret):
    for attempt in range(3):
        try:
            if attempt < 2:
                raise ConnectionError("try again")
            return dc.flip("1/2")
        except ConnectionError:
            continue
    return None


@honest(HALF, delta="0.3")
def numpy_constants(secret):
    import numpy as np

    return int(np.arange(4).sum()) - 6 + secret + dc.discrete_laplace(2)


@honest(0.5, delta="0.6")
def numpy_choice_by_a_coin(secret):
    import numpy as np

    values = np.array([0, secret])
    return values if dc.flip("1/2") else np.array([0, 0])


@honest(laplace_delta(2, 1), delta="0.3")
def pandas_group_by(secret):
    import pandas as pd

    frame = pd.DataFrame({"city": ["a", "a", "b"], "n": [1, secret, 1]})
    sums = frame.groupby("city")["n"].sum()
    return {city: int(total) + dc.discrete_laplace(2) for city, total in sums.items()}
