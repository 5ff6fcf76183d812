"""Private for every ε, or violated for every ε: programs with one constant open, up to the checked proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process
from tests.reference import open_programs

Result = dict[str, Any]
PAYING: list[dict[str, Any]] = [{"paying": 0}, {"paying": 1}]
TRUTHS: list[dict[str, Any]] = [{"truth": True}, {"truth": False}]


def every_value(which: str, size: str) -> Result:
    """The answer for every value of the parameter; right if it is the known one and the checker accepted the proof."""
    n = int(size)
    secrets: list[dict[str, Any]]
    end: list[dict[str, Any]] = [{"q": (0,) * (n - 1) + (1,)}, {"q": (1,) * (n - 1) + (0,)}]
    variant, _, hits = which.removeprefix("SVT ").partition(" c ")
    asked: dict[str, Any] = {"parameter": "u=0:1", "exp_epsilon": f"u^-{4 * int(hits or 1)}"}
    if which == "clamped":
        source, secrets, constants, known = open_programs.SVT, end, {}, "partly"
    elif which == "diners":
        source, secrets, constants, known = open_programs.DINING, PAYING, {"n": n}, "partly"
        asked = {"parameter": "p=0:1/2", "exp_epsilon": "1.0002"}
    elif which == "memoised":
        source, secrets, constants, known = open_programs.MEMOISED, TRUTHS, {"reports": n}, "partly"
        asked = {"parameter": "p=1/2:1", "exp_epsilon": 3}
    else:
        private = int(variant) <= 2
        secrets = [{"q": q} for q in product((0, 1), repeat=n)] if private else end
        source, known = open_programs.UNBOUNDED, "everywhere" if private else "nowhere"
        constants = {"variant": int(variant), "c": int(hits or 1)}
    with Stopwatch() as ours:
        found = dc.parametric(dc.program(source), delta=Fraction(0), secrets=secrets, constants=constants, **asked)
    said = {"right": found.holds == known and found.checked.accepted is True, "holds": found.holds}
    return ours.found | {"seconds": ours.cpu_seconds, "pairs": found.seen[0]} | said


OPEN: tuple[tuple[str, str, int, float], ...] = (
    ("SVT 1, c = 2, unbounded, all pairs of 5 answers", "SVT 1 c 2", 5, 60),
    ("SVT 2, c = 2, unbounded, all pairs of 5 answers", "SVT 2 c 2", 5, 60),
    ("SVT 1, c = 1, unbounded, all pairs of 5 answers", "SVT 1 c 1", 5, 60),
    ("SVT 2, c = 1, unbounded, all pairs of 5 answers", "SVT 2 c 1", 5, 60),
    ("SVT 4, unbounded, 5 answers", "SVT 4", 5, 2),
    ("SVT 6, unbounded, 5 answers", "SVT 6", 5, 2),
    ("SVT 1, clamped at 8, 5 answers", "clamped", 5, 5),
    ("16 dining cryptographers", "diners", 16, 2),
    ("memoised survey, 40 reports", "memoised", 40, 5),
)
"""Case, its program, its size, and the most seconds."""

SAID = {
    "everywhere": "private for every value",
    "nowhere": "violated for every value",
    "partly": "violated beyond a border",
}


def parametric(quick: bool) -> list[Row]:
    """Every value of a parameter at once, certificate checked."""
    rows = []
    for case, which, size, seconds in OPEN[4:] if quick else OPEN:
        found = in_process("every_value", which, str(size))
        said = found.result
        pairs = f"{said['pairs']} pair{'s' if said['pairs'] > 1 else ''}"
        answer = f"{SAID[said['holds']]}, {pairs}, checked"
        rows.append(found.row(case, answer, f"{seconds:g} s", said["seconds"] <= seconds))
    return rows
