"""The protocols of LDP-Audit's suite, exactly: ``python -m bench.local_reports [--audit FOLDER]``.

LDP-Audit [Arcolezi, Gambs, PETS 2024] runs a local protocol a million times for each of two values, lets an attack
guess the value, and turns the two rates of its guess into a lower bound on ε, with a confidence. The protocols and
their parameters here are those of its release (5cd1c5d: ldp_audit, and the clients of multi-freq-ldpy that it calls),
written anew as programs. Three things are compared:

- exact: that ε is enough at the δ claimed, and ε − 1/1000 is not (for approximate protocols: that δ is enough, and a
  thousandth less is not), each proved by the engine;
- the attack's limit: what their bound tends to with more and more runs, ln of the ratio of the two rates, by formula;
- audited: the mean of the bounds in ``FOLDER/results/ldp_audit_results_*.csv``, if their scripts were run there.

Local hashing with δ gets a smaller one than it claims: where the hashes of both values collide, nothing is told, so it
is (1 − 1/g)·δ. Longitudinal audits there are of fresh reports, so that ε adds up.

Nothing of theirs is copied: their results are read from the folder that is named. Their Gaussian mechanisms and the
histogram encodings with continuous noise (THE, SHE) are left out.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import deltachain as dc
from bench.measure import RESULTS, Row, Stopwatch, write_rows

EPSILONS = ("1/4", "1/2", "3/4", "1", "2", "4", "6", "10")
SIZES = (2, 25)
DELTA = Fraction(1, 100_000)
NAME, TITLE = "local-reports", "Local reports, beside an auditor's bounds"
LIKE = "yes: the same protocol, values and parameters"
BITS = "yes, for the two bits that differ; the others have the same law"
IDEAL = "yes, with an ideal hash in place of xxhash"

RESPONSE = dc.program("""
def response(item, k, epsilon, delta, reports=1):
    own = exp(epsilon) + (k - 1) * Fraction(delta)
    for _ in range(reports):
        announce(choose(range(k), weights=tuple(own if i == item else 1 - Fraction(delta) for i in range(k))))
""")
"""Generalised randomised response; with δ > 0, its approximate form."""

SUBSET = dc.program("""
def subset(item, size, k, epsilon):
    both = exp(epsilon) * (size - 1)
    one = exp(epsilon) * (k - size)
    other = k - size
    none = Fraction((k - size) * (k - size - 1), size)
    shown = choose(("both", "own", "other", "none"), weights=(both, one, other, none))
    announce(shown if shown in ("both", "none") else item if shown == "own" else 1 - item)
""")
"""Which of the two values the subset has; given that, its other members have the same law."""

UNARY = dc.program("""
def unary(item, epsilon, optimised, reports=1):
    p = Fraction(1, 2) if optimised else exp(Fraction(epsilon) / 2) / (exp(Fraction(epsilon) / 2) + 1)
    q = 1 / (exp(epsilon) + 1) if optimised else 1 - p
    for _ in range(reports):
        for i in range(2):
            announce(1 if flip(p if i == item else q) else 0)
""")

APPROXIMATE_UNARY = dc.program("""
def approximate_unary(item, epsilon, delta):
    root = sqrt(exp(epsilon) * (1 - Fraction(delta)) + Fraction(delta))
    p = (exp(epsilon) - root) / (exp(epsilon) - 1)
    q = (root - 1) / (exp(epsilon) - 1)
    for i in range(2):
        announce(1 if flip(p if i == item else q) else 0)
""")

HASHED = dc.program("""
def hashed(item, g, epsilon, delta):
    collide = flip(Fraction(1, g))
    announce(collide)
    own = exp(epsilon) + (g - 1) * Fraction(delta)
    each = 1 - Fraction(delta)
    if collide:
        announce(choose(("both", "elsewhere"), weights=(own, (g - 1) * each)))
    else:
        announce(choose((item, 1 - item, "elsewhere"), weights=(own, each, (g - 2) * each)))
""")
"""Whether the hash tells the two values apart, and whose hash is reported: a value's, or one of the others."""


def chain(protocol: str, k: int, epsilon: str, reports: int = 1) -> dc.Chain:
    """The protocol with value 0, and with value k − 1 (or 1, where only the two values matter)."""
    rate, delta = math.exp(Fraction(epsilon)), str(DELTA) if protocol.startswith("A") else "0"
    if protocol in ("GRR", "AGRR"):
        constants = {"k": k, "epsilon": epsilon, "delta": delta, "reports": reports}
        return RESPONSE.chain([{"item": 0}, {"item": k - 1}], constants=constants)
    items = [{"item": 0}, {"item": 1}]
    if protocol == "SS":
        size = max(1, round(k / (rate + 1)))
        return SUBSET.chain(items, constants={"k": k, "size": size, "epsilon": epsilon})
    if protocol in ("SUE", "OUE"):
        return UNARY.chain(items, constants={"epsilon": epsilon, "optimised": protocol == "OUE", "reports": reports})
    if protocol == "ASUE":
        return APPROXIMATE_UNARY.chain(items, constants={"epsilon": epsilon, "delta": delta})
    return HASHED.chain(items, constants={"g": hash_size(protocol, rate), "epsilon": epsilon, "delta": delta})


def hash_size(protocol: str, rate: float) -> int:
    """The values of the hash, as they choose them."""
    if protocol in ("BLH", "ABLH"):
        return 2
    if protocol == "OLH":
        return round(rate) + 1
    delta = float(DELTA)
    root = math.sqrt(rate - 1) * math.sqrt((1 - delta) * (rate + delta - 9 * rate * delta - 1))
    return max(2, round((-3 * rate * delta - root + rate + 3 * delta - 1) / (2 * delta)))


def attack_limit(protocol: str, k: int, epsilon: float) -> float:
    """What the audited bound tends to: ln of (rate of right guesses − δ)/(rate of that guess from the other value)."""
    rate, delta = math.exp(epsilon), float(DELTA) if protocol.startswith("A") else 0.0
    right, wrong = RATES[protocol](protocol, k, rate, delta)
    return math.log((right - delta) / wrong)


def _response_rates(_: str, k: int, rate: float, delta: float) -> tuple[float, float]:
    return (rate + (k - 1) * delta) / (rate + k - 1), (1 - delta) / (rate + k - 1)


def _subset_rates(_: str, k: int, rate: float, _delta: float) -> tuple[float, float]:
    """A member at random."""
    size = max(1, round(k / (rate + 1)))
    own = size * rate / (size * rate + k - size)
    return own / size, (own * (size - 1) + (1 - own) * size) / (k - 1) / size


def _unary_rates(protocol: str, k: int, rate: float, delta: float) -> tuple[float, float]:
    """A bit that is set, at random; any value if none is."""
    if protocol == "OUE":
        p, q = 0.5, 1 / (rate + 1)
    else:
        root = math.sqrt(rate * (1 - delta) + delta)
        p, q = (rate - root) / (rate - 1), (root - 1) / (rate - 1)

    def share(others: int, more: float) -> float:
        """The mean of 1/(1 + bits set) over so many bits with q, and one with ``more``."""
        weights = [math.comb(others, n) * q**n * (1 - q) ** (others - n) for n in range(others + 1)]
        return sum(w * ((1 - more) / (1 + n) + more / (2 + n)) for n, w in enumerate(weights))

    right = p * share(k - 2, q) + (1 - p) * (1 - q) ** (k - 1) / k
    wrong = q * share(k - 2, p) + (1 - q) * (1 - p) * (1 - q) ** (k - 2) / k
    return right, wrong


def _hashed_rates(protocol: str, k: int, rate: float, delta: float) -> tuple[float, float]:
    """A value with this hash, at random; any value if there is none. The hash of every value is uniform."""
    g = hash_size(protocol, rate)
    own = (rate + (g - 1) * delta) / (rate + g - 1)
    each = (1 - own) / (g - 1)

    def share(others: int) -> float:
        return (1 - (1 - 1 / g) ** (others + 1)) / ((others + 1) / g)

    # The report is the true hash: the value is in the set, with each other value at 1/g. Otherwise it is not.
    nobody = (1 - 1 / g) ** (k - 1)
    right = own * share(k - 1) + (g - 1) * each * nobody / k
    # From the other value: the first one is in the set if it collides there, or hashes to the wrong report.
    collides, differs = own / g, (g - 1) * each / g
    with_other = sum(math.comb(k - 2, n) * (1 / g) ** n * (1 - 1 / g) ** (k - 2 - n) / (n + 2) for n in range(k - 1))
    wrong = collides * with_other + differs * share(k - 2) + (g - 1) * each * nobody / k
    return right, wrong


RATES: dict[str, Callable[[str, int, float, float], tuple[float, float]]] = {
    "GRR": _response_rates,
    "SS": _subset_rates,
    "SUE": _unary_rates,
    "OUE": _unary_rates,
    "BLH": _hashed_rates,
    "OLH": _hashed_rates,
    "AGRR": _response_rates,
    "ASUE": _unary_rates,
    "ABLH": _hashed_rates,
    "AOLH": _hashed_rates,
}
LEAST = {"AGRR": "δ = 1e-5 exactly", "ASUE": "δ = 1e-5 to nine digits"} | dict.fromkeys(
    ("ABLH", "AOLH"), "δ = (1 − 1/g)·1e-5 exactly, less than claimed"
)
LONGITUDINAL = tuple((protocol, reports) for protocol in ("GRR", "SUE", "OUE") for reports in (5, 25))
COMPARED = {"GRR": LIKE, "AGRR": LIKE, "SS": BITS, "SUE": BITS, "OUE": BITS, "ASUE": BITS}


def claimed_delta(protocol: str, epsilon: str) -> Fraction:
    """The least δ: what is claimed, but for local hashing."""
    if not protocol.startswith("A"):
        return Fraction(0)
    if protocol in ("ABLH", "AOLH"):
        return DELTA * (1 - Fraction(1, hash_size(protocol, math.exp(Fraction(epsilon)))))
    return DELTA


def exactly(protocol: str, k: int, epsilon: str, reports: int = 1) -> bool:
    """Whether the least ε and δ are proved, and refuted where a little less is asked for."""
    made, asked, least = chain(protocol, k, epsilon, reports), Fraction(epsilon), claimed_delta(protocol, epsilon)
    slack = least / 10**9 if protocol == "ASUE" else Fraction(0)  # its p and q are known to many digits, not exactly
    if least:
        below = dc.check(made, epsilon=asked, delta=least * Fraction(999, 1000), check=False)
    else:
        below = dc.check(made, epsilon=reports * asked - Fraction(1, 1000), delta=0, check=False)
    above = dc.check(made, epsilon=reports * asked, delta=least + slack, check=False)
    return above.verdict == "private" and below.verdict == "violated"


def audited(folder: Path | None) -> dict[tuple[str, int, Fraction], float]:
    """Protocol, size and ε → the mean of the bounds that their scripts have written."""
    found: dict[tuple[str, int, Fraction], list[float]] = defaultdict(list)
    for path in sorted((folder / "results").glob("ldp_audit_results_main_*.csv")) if folder else ():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found[row["protocol"], int(row["k"]), Fraction(row["epsilon"])].append(float(row["eps_emp"]))
    return {key: fmean(values) for key, values in found.items()}


def rows(folder: Path | None) -> list[Row]:
    """A row for each protocol and size; the two values of ε in the answer show where the attack loses most."""
    theirs = audited(folder)
    made = []
    for protocol in RATES:
        for k in SIZES:
            with Stopwatch() as ours:
                right = all(exactly(protocol, k, epsilon) for epsilon in EPSILONS)
            limits = [attack_limit(protocol, k, float(Fraction(epsilon))) for epsilon in EPSILONS]
            seen = [theirs.get((protocol, k, Fraction(epsilon))) for epsilon in EPSILONS]
            beside = "limit of the attack: " + ", ".join(f"{limit:.3g}" for limit in limits)
            if any(value is not None for value in seen):
                beside += "; audited: " + ", ".join("–" if value is None else f"{value:.3g}" for value in seen)
            said = f"{LEAST.get(protocol, 'ε exactly')}, at all eight ε; like for like: {COMPARED.get(protocol, IDEAL)}"
            answer = said if right else f"WRONG: {said}"
            made.append(Row(f"{protocol}, k = {k}", ours.seconds, ours.peak_mb, answer, baseline=beside))
    for protocol, reports in LONGITUDINAL:
        with Stopwatch() as ours:
            right = all(exactly(protocol, 2, epsilon, reports) for epsilon in EPSILONS[:4])
        said = f"{reports}·ε exactly, at ε = 1/4 to 1; like for like: yes: fresh reports, as there"
        case = f"{protocol}, k = 2, {reports} reports"
        made.append(Row(case, ours.seconds, ours.peak_mb, said if right else f"WRONG: {said}"))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.local_reports")
    parser.add_argument("--audit", type=Path, metavar="FOLDER", help="a clone of ldp-audit whose scripts were run")
    found = rows(parser.parse_args().audit)
    write_rows(RESULTS, NAME, TITLE, found)
    return any("WRONG" in row.answer for row in found)


if __name__ == "__main__":
    raise SystemExit(main())
