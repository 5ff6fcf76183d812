"""Whole domains in one question, beside the same pairs one after the other; and the smallest noise that is enough."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process
from tests.reference import open_programs

Result = dict[str, Any]

# The sparse vector of Lyu, Su and Li, 2017, whose noise is clamped.
CLAMPED = open_programs.SVT.replace("u=0", "u=Fraction(1, 2)")
LAPLACE = """
def svt(q, scale=4):
    t = discrete_laplace(scale)
    for a in q:
        if a + discrete_laplace(2 * scale) >= t:
            announce("above")
            return
        announce("below")
"""
BROKEN = """
def svt(q, threshold=5, scale=2):
    for a in q:
        if a + discrete_laplace(scale) >= threshold:
            announce("above")
            return
        announce("below")
"""
SENSOR = """
def sensor(q):
    mode = flip(Fraction(q, 1000))
    while True:
        announce("hot" if flip(Fraction(3, 4) if mode else Fraction(2, 5)) else "cold")
        if flip(Fraction(1, 10)):
            mode = not mode
"""
GAUSSIAN = "def released(count, sigma=1): announce(count + discrete_gaussian(sigma))"
SURVEY = "def survey(truth, p=0): announce(truth if flip(p) else not truth)"
NEAR, ALONE = "linf 1", 50
"""How many pairs are asked one after the other: the time of all is scaled from them."""

DOMAINS: dict[str, tuple[str, int, dict[str, Any], str]] = {
    "clamped": (CLAMPED, 4, {"exp_epsilon": 16, "delta": 0}, "private"),
    "laplace": (LAPLACE, 4, {"epsilon": "1/2", "delta": 0}, "private"),
    "broken": (BROKEN, 3, {"epsilon": 1, "delta": 0}, "violated"),
    "sensor": (SENSOR, 1, {"epsilon": "1/10", "delta": "1/2"}, "private"),
}
"""The program, how many numbers a secret has, what is asked, and the verdict."""


def whole_domain(which: str, size: str) -> Result:
    """The verdict on all pairs with its certificate as a file; beside it, one pair after the other."""
    text, length, asked, known = DOMAINS[which]
    entries = range(int(size))
    secrets = dc.domain(q=list(entries if length == 1 else product(entries, repeat=length)))
    program = dc.program(text)
    near = None if which == "sensor" else NEAR
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        with Stopwatch() as ours:
            found = dc.check(program, secrets=secrets, neighbours=near, check=False, **asked)
            found.certificate.save(path)
        size_mb = path.stat().st_size / 2**20
        chain = dc.load(program, secrets=secrets, neighbours=near)
        pairs = [result.pair for result in found.results]
        few = pairs[:: max(1, len(pairs) // ALONE)][:ALONE]
        with Stopwatch() as alone:
            each = [dc.check(chain, *pair, check=False, **asked) for pair in few]
            for one in each:
                one.certificate.save(path)
    together = {result.pair: found.verdict_of(result) for result in found.results}
    agree = all(one.verdict == together[pair] for one, pair in zip(each, few, strict=True))
    return ours.found | {
        "seconds": ours.cpu_seconds,
        "right": found.verdict == known and agree,
        "verdict": found.verdict,
        "pairs": len(pairs),
        "searches": found.searches,
        "certificate_mb": size_mb,
        "baseline": f"one after the other, scaled from {len(few)}",
        "baseline_seconds": alone.cpu_seconds * len(pairs) / len(few),
    }


def verified_domain(which: str, size: str) -> Result:
    """The checker on the certificate of a whole domain, and that no pair of the domain is missing."""
    text, length, asked, _ = DOMAINS[which]
    secrets = dc.domain(q=list(product(range(int(size)), repeat=length)))
    program = dc.program(text)
    settings: dict[str, Any] = {"secrets": secrets, "neighbours": NEAR}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        found = dc.check(program, check=False, **settings, **asked)
        found.certificate.save(path)
        pairs = len(found.results)
        del found
        with Stopwatch() as ours:
            said = dc.verify(program, path, **settings)
    return ours.found | {"seconds": ours.cpu_seconds, "right": len(said) == pairs, "pairs": pairs}


CALIBRATED: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "gaussian": (
        GAUSSIAN,
        {"parameter": "sigma=4:5:1/1000", "secrets": [{"count": 0}, {"count": 1}], "epsilon": 1, "delta": "1e-6"},
        "4.231",
        "4.230",
    ),
    "survey": (
        SURVEY,
        {"parameter": "p=1/2:1:1e-6", "secrets": [{"truth": True}, {"truth": False}], "epsilon": 1, "delta": "1/100"},
        "0.733747",
        "0.733748",
    ),
}
"""The program, what is asked, and the two values that are known."""


def smallest_noise(which: str) -> Result:
    """The best value of a parameter and its refuted neighbour, both certificates checked."""
    text, asked, best, refuted = CALIBRATED[which]
    with Stopwatch() as ours:
        found = dc.calibrate(dc.program(text), **asked)
    checked = all(end is not None and end.checked.accepted for end in (found.proof, found.refutation))
    right = checked and (found.best, found.refuted) == (Fraction(best), Fraction(refuted))
    return ours.found | {"seconds": ours.cpu_seconds, "right": right, "tried": len(found.tried)}


ROWS: tuple[tuple[str, str, tuple[int, int], float | None], ...] = (
    ("SVT 1, clamped at 8, answers in 0…{}, four of them", "clamped", (4, 3), 60),
    ("SVT 1, clamped at 8, answers in 0…{}, four of them", "clamped", (8, 2), None),
    ("sparse vector, unbounded noise (functions of e), answers in 0…{}, four of them", "laplace", (4, 2), None),
    ("sparse vector, unbounded noise (functions of e), answers in 0…{}, four of them", "laplace", (6, 3), None),
    ("sparse vector without threshold noise, answers in 0…{}, three of them", "broken", (11, 6), 60),
    ("a sensor with two hidden modes that never ends, secrets 0…{}, all pairs", "sensor", (60, 12), None),
    ("a sensor with two hidden modes that never ends, secrets 0…{}, all pairs", "sensor", (200, 20), None),
)
"""Case, its program, how many values a number has, in full and quick, and the most seconds."""
VERIFIED: tuple[tuple[str, str, tuple[int, int]], ...] = (
    ("verify: SVT 1, clamped at 8, answers in 0…{}, four of them", "clamped", (4, 2)),
    ("verify: SVT 1, clamped at 8, answers in 0…{}, four of them", "clamped", (8, 3)),
    ("verify: sparse vector, unbounded noise, answers in 0…{}, four of them", "laplace", (4, 2)),
)
NOISES: tuple[tuple[str, str, float], ...] = (
    ("calibrate: discrete Gaussian, ε = 1, δ = 1e-6, σ in steps of 1/1000", "gaussian", 5),
    ("calibrate: randomised response, ε = 1, δ = 0.01, p in steps of 1e-6", "survey", 5),
)


def domains(quick: bool) -> list[Row]:
    """Verdicts on whole domains with their certificates, the checks of these, and calibrations."""
    rows = []
    for case, which, sizes, seconds in ROWS:
        found = in_process("whole_domain", which, sizes[quick])
        said = found.result
        answer = f"{said['verdict']}, {said['pairs']:,} pairs, {said['searches']:,} searches"
        answer += f", certificate {said['certificate_mb']:.1f} MB"
        limit = "" if seconds is None else f"{seconds:g} s"
        within = seconds is None or said["seconds"] <= seconds
        rows.append(found.row(case.format(sizes[quick] - 1), answer, limit, within))
    for case, which, sizes in VERIFIED:
        found = in_process("verified_domain", which, sizes[quick])
        answer = f"accepted, {found.result['pairs']:,} pairs, none missing"
        rows.append(found.row(case.format(sizes[quick] - 1), answer))
    for case, which, most in NOISES:
        found = in_process("smallest_noise", which)
        answer = f"proved and refuted, both checked; {found.result['tried']} values examined"
        rows.append(found.row(case, answer, f"{most:g} s", found.result["seconds"] <= most))
    return rows
