"""Arguments of the library that are not what they should be: an InputError that says so, never one from inside."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from tests.words import refuses, says

COIN: Any = dc.examples.coin()
HUGE: Any = 10**5000
ODD: Any = 3

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "title": (lambda: dc.report(COIN, epsilon=1, title=ODD), "title: int is not text"),
    "about": (lambda: dc.report(COIN, epsilon=1, about=ODD), "about: int is not text"),
    "date": (lambda: dc.report(COIN, epsilon=1, date=ODD), "date: int is not text"),
    "left": (lambda: dc.disjoint_union("x", COIN), "left: str is not a chain"),  # type: ignore[arg-type]
    "right": (lambda: dc.disjoint_union(COIN, ODD), "right: int is not a chain"),
    "prefixes": (lambda: dc.disjoint_union(COIN, COIN, prefixes=ODD), "prefixes: they are not two texts"),
    "timeout": (lambda: dc.delta(COIN, epsilon=1, timeout=HUGE), r"timeout: 1000.* seconds \(give a number above 0"),
    "token": (lambda: Cancel(HUGE), "timeout: it must be above 0, and at most"),
    "job": (lambda: dc.sweep(COIN, epsilons=[1], job_timeout=HUGE), "job_timeout: 1000"),
    "gap": (lambda: dc.delta(COIN, epsilon=1, gap=-HUGE), "gap: -1000.* is not above 0"),
    "confidence": (lambda: dc.estimate(COIN, epsilon=1, confidence=HUGE), "confidence: 1000"),
    "state": (lambda: dc.delta(COIN, HUGE, 0, epsilon=1), "no state number 1000"),
    "probability": (lambda: dc.Chain.from_dicts({"s": {"s": -HUGE}}, {"s": "a"}), "negative probability -1000"),
}


@pytest.mark.parametrize("verb", [dc.delta, dc.check, dc.distance, dc.estimate, dc.report], ids=lambda v: v.__name__)
def test_alpha_has_another_name_here(verb: Any) -> None:
    with refuses(InputError, "alpha: called exp_epsilon"):
        verb(COIN, alpha=2)


def test_other_names_of_arguments() -> None:
    asking: Any = dc.threshold
    with refuses(InputError, "alpha: called exp_epsilon"):
        asking(COIN, theta=0, alpha=2)
    measuring: Any = dc.distance
    with refuses(InputError, "merge: called quotient"):
        measuring(COIN, exp_epsilon=2, merge=True)
    with pytest.raises(TypeError, match="merge"):
        asking(COIN, theta=0, exp_epsilon=2, merge=True)


@pytest.mark.parametrize("which", WRONG)
def test_it_is_named_in_a_line_that_can_be_read(which: str) -> None:
    call, words = WRONG[which]
    with pytest.raises(InputError, match=words) as caught:
        call()
    assert all(len(line) < 400 for line in str(caught.value).splitlines())


def test_a_huge_parameter_of_a_sweep_is_a_row(tmp_path: Path) -> None:
    (row,) = dc.sweep(dc.examples.survey, parameters={"p": [HUGE]}, epsilons=[1], out=tmp_path / "rows.jsonl")
    assert row.error is not None
    assert says(row.error, "is outside")


K = 3


@dc.program
def helper(x):  # type: ignore[no-untyped-def]
    return x + K


@dc.program
def wide(x, n=2):  # type: ignore[no-untyped-def]
    t = (x, 1, n)
    text = str(x)
    y = max(t) + min(t) + sum(t) + abs(-x) + len(t) + (5 // 2) - 3 % 2
    doubled = tuple(i * 2 for i in t)
    most, some = max(i for i in t), any(i == 1 for i in t) or all(i > 0 for i in t)
    for i, j in zip(t, doubled, strict=True):
        if dc.flip("1/3") and i <= j and x not in (5, 6):
            y = y + i | 1
    dc.announce(f"{y} {most} {some} {-x} {x**2} {helper(x)} {n} {not x} {text}")
    dc.announce(x + dc.discrete_laplace(1))


@pytest.mark.parametrize("again", [lambda program: pickle.loads(pickle.dumps(program)), copy.deepcopy])  # noqa: S301
def test_a_program_travels(again: Callable[[dc.Program], dc.Program]) -> None:
    program: dc.Program = wide
    found, secrets = again(program), [{"x": 0}, {"x": 1}]
    assert repr(found) == "<program wide(x, n=2)>"
    assert found.chain(secrets).sha256 == program.chain(secrets).sha256
