"""Noise inside of libraries: whatever they do with it, the words are those of plain ints."""

from __future__ import annotations

import bisect
import copy
import functools
import heapq
import itertools
import math
import operator
import statistics
import struct
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain import announce, discrete_laplace, from_code, geometric, uniform
from tests.unit.code.test_noisy import compare

pytestmark = pytest.mark.usefixtures("one_process")


def near(x: Any, low: int = -2, high: int = 2) -> Any:
    return max(low, min(high, x))


STANDARD: dict[str, Callable[[Any], Any]] = {
    "heapq": lambda x: heapq.nlargest(1, [x, 1]) == [1],
    "bisect": lambda x: bisect.bisect([0, 1, 2], x),
    "median": lambda x: statistics.median([x, 0, 1]) > 0,
    "counter": lambda x: Counter({"a": near(x), "b": 1}).most_common(1)[0][0],
    "set": lambda x: len({near(x), 1}),
    "key": lambda x: {near(x): "x"},
    "percent": lambda x: "%d" % near(x),  # noqa: UP031 - that it works is what is tried
    "join": lambda x: ",".join(map(str, [near(x), 2])),
    "struct": lambda x: struct.pack("b", near(x)),
    "slice": lambda x: "abcdef"[near(x, 0, 3) :],
    "range": lambda x: sum(range(near(x, 0, 3))),
    "reduce": lambda x: functools.reduce(operator.add, [x, 1, 2]) > 3,
    "decimal": lambda x: str(Decimal(near(x))),
    "fraction": lambda x: Fraction(near(x), 3),
    "logarithm": lambda x: math.log2(near(x, 1, 4)),
    "bytes": lambda x: bytes(near(x, 0, 3)),
    "copied": lambda x: copy.deepcopy([x]) == [x] and x > 0,
    "shown twice": lambda x: (x, x),
    "shown both ways": lambda x: (x, -x),
    "between": lambda x: 0 < x < 3,
    "nested": lambda x: {"a": [x, {"b": (1,)}]},
    "doubled": lambda x: 2 * x,
    "divided": lambda x: x // 3,
    "remainder": lambda x: x % -3,
    "holes": lambda x: x if x not in (2, -1) else "hit",
    "even": lambda x: x if x % 2 == 0 else "odd",
    "type": lambda x: "int" if type(x) is int and x == 7 else "other",
    "count": lambda x: list(itertools.islice(itertools.count(near(x)), 2)),
    "tuples": lambda x: (x, "a") > (1, "b"),
    "announced": lambda x: announce([near(x)]),
}

NUMPY: dict[str, Callable[[Any], Any]] = {
    "where": lambda x: np.where(np.array([x, 3]) > 0, 1, 0),
    "largest": lambda x: bool(np.max(np.array([x, 1])) > 1),
    "index of the largest": lambda x: int(np.argmax(np.array([x, 1, 0]))),
    "added to a scalar": lambda x: np.int64(1) + near(x),
    "added in place": lambda x: operator.iadd(np.zeros(2, dtype=int), near(x)),
    "sums": lambda x: np.cumsum([near(x), 1]),
    "counted": lambda x: np.bincount([near(x, 0, 2)], minlength=3),
    "mean": lambda x: np.mean([near(x), 1]).item(),
    "announced": lambda x: announce(np.array([near(x)])),
    "announced scalar": lambda x: announce(np.int64(1) + x),
    "announced scalar that is looked at": lambda x: announce(np.int32(1) + x) or x > 2,
}


def pandas_cases() -> dict[str, Callable[[Any], Any]]:
    pd = pytest.importorskip("pandas")
    return {
        "largest": lambda x: pd.Series([x, 1, 0], index=list("abc")).nlargest(1).index[0],
        "sorted": lambda x: list(pd.Series([x, 1, 0], index=list("abc")).sort_values().index),
        "as ints": lambda x: pd.Series([near(x), 1]).astype(int).sum().item(),
        "mean": lambda x: float(pd.Series([near(x), 1]).mean()),
        "frame": lambda x: pd.DataFrame({"n": [x, 1], "k": ["x", "y"]}),
        "filtered": lambda x: pd.DataFrame({"n": [x, 1, 5]})[lambda d: d.n >= 1].n.tolist(),
        "clipped": lambda x: pd.Series([x, 1]).clip(0, 2).tolist(),
        "grouped": lambda x: pd.DataFrame({"k": ["a", "b"], "n": [x, 1]}).groupby("k").n.sum(),
        "added up": lambda x: pd.DataFrame({"k": ["a", "a"], "n": [x, 1]}).groupby("k").n.sum(),
        "merged": lambda x: pd.DataFrame({"k": ["a"], "n": [x]}).merge(pd.DataFrame({"k": ["a"], "m": [1]})),
        "as a dict": lambda x: pd.Series({"a": x}).to_dict(),
        "as text": lambda x: pd.Series({"a": near(x)}).to_csv(),
        "one entry": lambda x: pd.Series([x, 1]).iloc[0],
    }


def with_noise(code: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda start: code(start + geometric("1/2"))


@pytest.mark.parametrize("name", STANDARD)
def test_the_standard_library(name: str) -> None:
    compare(with_noise(STANDARD[name]), 1, start=1)


@pytest.mark.parametrize("name", NUMPY)
def test_arrays(name: str) -> None:
    compare(with_noise(NUMPY[name]), 1, start=1)


def test_frames() -> None:
    for code in pandas_cases().values():
        compare(with_noise(code), 1, start=1)


def test_noise_that_is_added_to_a_scalar_is_announced_without_an_end() -> None:
    def code(c: int) -> None:
        announce(np.int64(c) + discrete_laplace(1))

    chain = from_code(code, [{"c": 0}, {"c": 1}])
    assert dc.check(chain, epsilon=1, delta=0).verdict == "private"
    assert dc.delta(chain, epsilon=0).upper == dc.delta(from_code(plain, [{"c": 0}, {"c": 1}]), epsilon=0).upper


def plain(c: int) -> None:
    announce(c + discrete_laplace(1))


def test_the_type_of_an_announced_sum_is_seen_on_every_path() -> None:
    def code(c: int) -> None:
        marked = uniform(0, 99) == 70 and c
        announce((np.int64(0) if marked else 0) + discrete_laplace(1))

    found = dc.delta(from_code(code, [{"c": 0}, {"c": 1}]), epsilon=0)
    assert found.lower <= Fraction(1, 100) <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**20)
