"""Samplers: CPU time of one draw, whole calls from Python, beside OpenDP's and IBM diffprivlib's on the same machine.

OpenDP is asked for a vector of 1,000 at once, and for one number at a time. diffprivlib draws in floats, and so not
from the law that it names. Each library has an environment of its own (`make bench-libraries`); a row says so where it
is not there.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import deltachain as dc
from bench.measure import ROOT, Row, Stopwatch, in_process

OPENDP, DIFFPRIVLIB = "opendp-0.16.0", "diffprivlib-0.6.6"
DRAWS = 30_000
ROUNDS = 5
"""The least of so many rounds counts: a shared machine only adds."""

Draw = Callable[[], Any]

OURS: dict[str, tuple[Draw, Any, float]] = {
    "flip": (lambda: dc.flip("1/3"), True, 1 / 3),
    "laplace 1": (lambda: dc.discrete_laplace(1), 0, math.tanh(1 / 2)),
    "laplace 1000": (lambda: dc.discrete_laplace(1000), 0, math.tanh(1 / 2000)),
    "gaussian 10": (lambda: dc.discrete_gaussian(10), 0, 1 / (10 * math.sqrt(2 * math.pi))),
    "gaussian 1000": (lambda: dc.discrete_gaussian(1000), 0, 1 / (1000 * math.sqrt(2 * math.pi))),
}
"""A draw, one of its outcomes, and the probability of that, to many digits."""

TIMED = """
import json, time
def timed(draw, size=1, rounds=5, least=0.05):
    draw()
    found, number = [], 1
    while not found:
        started = time.process_time()
        for _ in range(number):
            draw()
        taken = time.process_time() - started
        if taken > least:
            found.append(taken / number)
        number *= 4
    number //= 4
    for _ in range(rounds - 1):
        started = time.process_time()
        for _ in range(number):
            draw()
        found.append((time.process_time() - started) / number)
    return min(found) / size
"""

OPENDP_SCRIPT = (
    TIMED
    + """
import opendp.prelude as dp
dp.enable_features("contrib")
number, numbers = dp.atom_domain(T=int), dp.vector_domain(dp.atom_domain(T=int))
zeros, found = [0] * 1000, {}
for scale in (1, 1000):
    many = dp.m.make_laplace(numbers, dp.l1_distance(T=int), scale=float(scale))
    one = dp.m.make_laplace(number, dp.absolute_distance(T=int), scale=float(scale))
    found[f"laplace {scale}"] = timed(lambda: many(zeros), 1000), timed(lambda: one(0))
for sigma in (10, 1000):
    many = dp.m.make_gaussian(numbers, dp.l2_distance(T=float), scale=float(sigma))
    one = dp.m.make_gaussian(number, dp.absolute_distance(T=float), scale=float(sigma))
    found[f"gaussian {sigma}"] = timed(lambda: many(zeros), 1000), timed(lambda: one(0))
coin = dp.m.make_randomized_response_bool(prob=2 / 3)
found["flip"] = None, timed(lambda: coin(True))
print(json.dumps(found))
"""
)

DIFFPRIVLIB_SCRIPT = (
    TIMED
    + """
import math
from diffprivlib.mechanisms import Binary, GaussianDiscrete, Geometric
found = {}
for scale in (1, 1000):
    noise = Geometric(epsilon=1 / scale, sensitivity=1)
    found[f"laplace {scale}"] = timed(lambda: noise.randomise(0))
noise = GaussianDiscrete(epsilon=0.5, delta=1e-5, sensitivity=1)  # it takes no sigma, and finds 7.03
found["gaussian 10"] = timed(lambda: noise.randomise(0))
coin = Binary(epsilon=math.log(2), value0="a", value1="b")
found["flip"] = timed(lambda: coin.randomise("a"))
print(json.dumps(found))
"""
)


def drawn(which: str) -> dict[str, Any]:
    """Seconds of a draw, and whether one outcome comes as often as it should (six standard deviations)."""
    draw, outcome, chance = OURS[which]
    draw()
    seconds = []
    with Stopwatch() as ours:
        for _ in range(ROUNDS):
            started = time.process_time()
            for _ in range(DRAWS):
                draw()
            seconds.append((time.process_time() - started) / DRAWS)
    with dc.using(dc.seeded(1)):
        seen = sum(draw() == outcome for _ in range(DRAWS))
    right = abs(seen - DRAWS * chance) <= 6 * math.sqrt(DRAWS * chance)
    return ours.found | {"seconds": min(seconds), "right": right, "seen": seen / DRAWS}


def library(name: str, script: str) -> dict[str, Any] | None:
    """What another library's script says in its own environment; None where there is none."""
    python = ROOT / "build" / name / "bin" / "python"
    if not (python.parents[1] / "ready").exists():
        return None
    done = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


NAMES = {
    "flip": 'flip("1/3")',
    "laplace 1": "discrete_laplace(1)",
    "laplace 1000": "discrete_laplace(1000)",
    "gaussian 10": "discrete_gaussian(10)",
    "gaussian 1000": "discrete_gaussian(1000)",
}
FASTEST = {"gaussian 1000": math.inf}
"""How many seconds a draw may take: ten millionths, unless it only informs."""
MISSING = "not installed: `make bench-libraries`"


def draws(quick: bool) -> list[Row]:
    """Samplers, each beside every library that has the law."""
    opendp, diffprivlib = library(OPENDP, OPENDP_SCRIPT), library(DIFFPRIVLIB, DIFFPRIVLIB_SCRIPT)
    rows: list[Row] = []
    for which in list(NAMES)[:2] if quick else NAMES:
        found = in_process("drawn", which)
        most = FASTEST.get(which, 10e-6)
        limit = f"≤ {most * 1e6:g} µs" if most < math.inf else ""
        row = found.row(NAMES[which], f"outcome seen {found.result['seen']:.4f}", limit, found.seconds <= most)
        rows += [replace(row, baseline=name, baseline_seconds=t) for name, t in _beside(which, opendp, diffprivlib)]
    return rows


def _beside(
    which: str, opendp: dict[str, Any] | None, diffprivlib: dict[str, Any] | None
) -> Iterator[tuple[str, float | None]]:
    """The libraries: what each is called, and its seconds; one that does not have the law is left out."""
    if opendp is None:
        yield f"OpenDP: {MISSING}", None
    else:
        vector, one = opendp[which]
        if vector is not None:
            yield "OpenDP, 1,000 at once", vector
        yield "OpenDP, one call", one
    if diffprivlib is None:
        yield f"diffprivlib: {MISSING}", None
    elif which in diffprivlib:
        yield "diffprivlib, in floats" + (", σ = 7.03" if which == "gaussian 10" else ""), diffprivlib[which]
