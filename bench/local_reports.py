"""The protocols of LDP-Audit's suite, exactly: ``python -m bench.local_reports [--audit FOLDER]``.

LDP-Audit [Arcolezi, Gambs, PETS 2024] runs a local protocol a million times for each of two values, lets an attack
guess the value, and turns the two rates of its guess into a lower bound on ε, with a confidence. The protocols and
their parameters here are those of its release (5cd1c5d: ldp_audit, and the clients of multi-freq-ldpy that it calls),
written anew as programs. Four things are compared:

- exact: that ε is enough at the δ claimed, and ε − 1/1000 is not (for approximate protocols: that δ is enough, and a
  thousandth less is not), each proved by the engine;
- the attack's limit: what their bound tends to with more and more runs, ln of the ratio of the two rates, by formula;
- expected: their bound where a million runs of each value come out as often as expected, with their intervals;
- audited: the mean of the bounds in ``FOLDER/results/*ldp_audit_results_*.csv``, if their scripts were run there.

Local hashing with δ gets a smaller one than it claims: where the hashes of both values collide, nothing is told, so it
is (1 − 1/g)·δ. Longitudinal audits there are of fresh reports, so that ε adds up.

The longitudinal protocols of multi-freq-ldpy (fd04aef: L-GRR, L-SUE, which is RAPPOR, and L-OSUE) keep a noisy value
and report it with noise. They have two parameters: ε for any number of reports, and ε₁ for one, here ε/2. The auditor
has no audit of them: they are measured alone. The second noise of L-GRR is computed by a formula that is right for two
values; for more, a report loses less than ε₁.

Nothing of theirs is copied: their results are read from the folder that is named. Their Gaussian mechanisms and the
histogram encodings with continuous noise (THE, SHE) are left out.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
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
def subset(item, size, k, epsilon, reports=1):
    both = exp(epsilon) * (size - 1)
    one = exp(epsilon) * (k - size)
    other = k - size
    none = Fraction((k - size) * (k - size - 1), size)
    for _ in range(reports):
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
def hashed(item, g, epsilon, delta, reports=1):
    own = exp(epsilon) + (g - 1) * Fraction(delta)
    each = 1 - Fraction(delta)
    for _ in range(reports):
        collide = flip(Fraction(1, g))
        announce(collide)
        if collide:
            announce(choose(("both", "elsewhere"), weights=(own, (g - 1) * each)))
        else:
            announce(choose((item, 1 - item, "elsewhere"), weights=(own, each, (g - 2) * each)))
""")
"""Whether the hash tells the two values apart, and whose hash is reported: a value's, or one of the others."""

KEPT_RESPONSE = dc.program("""
def kept_response(item, k, epsilon, first, reports):
    p1 = exp(epsilon) / (exp(epsilon) + k - 1)
    q1 = 1 / (exp(epsilon) + k - 1)
    p2 = (exp(first) * p1 - q1) / (exp(first) * p1 - q1 + (k - 1) * (p1 - exp(first) * q1))
    kept = choose(range(k), weights=tuple(p1 if i == item else q1 for i in range(k)))
    for _ in range(reports):
        announce(choose(range(k), weights=tuple((k - 1) * p2 if i == kept else 1 - p2 for i in range(k))))
""")
"""L-GRR: a noisy value is drawn once and reported with noise; ``first`` is what one report is meant to lose."""

KEPT_UNARY = dc.program("""
def kept_unary(item, epsilon, first, optimised, reports):
    root, shown = exp(Fraction(epsilon) / 2), exp(Fraction(first) / 2)
    p1 = Fraction(1, 2) if optimised else root / (root + 1)
    q1 = 1 / (exp(epsilon) + 1) if optimised else 1 / (root + 1)
    q = 1 / (exp(first) + 1) if optimised else 1 / (shown + 1)
    p2 = (1 - q1 - q) / (1 - 2 * q1)
    zero = flip(p1 if item == 0 else q1)
    one = flip(p1 if item == 1 else q1)
    for _ in range(reports):
        announce(1 if flip(p2 if zero else 1 - p2) else 0)
        announce(1 if flip(p2 if one else 1 - p2) else 0)
""")
"""L-SUE (RAPPOR), optimised: L-OSUE. The two bits that differ are kept, and reported with symmetric noise."""


def chain(protocol: str, k: int, epsilon: str, reports: int = 1) -> dc.Chain:
    """The protocol with value 0, and with value k − 1 (or 1, where only the two values matter)."""
    rate, delta = math.exp(Fraction(epsilon)), str(DELTA) if protocol.startswith("A") else "0"
    if protocol in ("GRR", "AGRR"):
        constants = {"k": k, "epsilon": epsilon, "delta": delta, "reports": reports}
        return RESPONSE.chain([{"item": 0}, {"item": k - 1}], constants=constants)
    items = [{"item": 0}, {"item": 1}]
    if protocol == "SS":
        size = max(1, round(k / (rate + 1)))
        return SUBSET.chain(items, constants={"k": k, "size": size, "epsilon": epsilon, "reports": reports})
    if protocol in ("SUE", "OUE"):
        return UNARY.chain(items, constants={"epsilon": epsilon, "optimised": protocol == "OUE", "reports": reports})
    if protocol == "ASUE":
        return APPROXIMATE_UNARY.chain(items, constants={"epsilon": epsilon, "delta": delta})
    size = hash_size(protocol, rate)
    return HASHED.chain(items, constants={"g": size, "epsilon": epsilon, "delta": delta, "reports": reports})


def kept(protocol: str, k: int, epsilon: str, reports: int) -> dc.Chain:
    """A protocol that keeps a noisy value, with ε₁ = ε/2, for two values."""
    items = [{"item": 0}, {"item": 1}]
    constants = {"epsilon": epsilon, "first": str(Fraction(epsilon) / 2), "reports": reports}
    if protocol == "L-GRR":
        return KEPT_RESPONSE.chain(items, constants=constants | {"k": k})
    return KEPT_UNARY.chain(items, constants=constants | {"optimised": protocol == "L-OSUE"})


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


def expected_bound(protocol: str, k: int, epsilon: float, runs: int = 1_000_000, error: float = 0.01) -> float:
    """The audited bound where both guesses come out as often as expected: each rate at its end of Clopper and Pearson.

    As there, each of the two intervals has half of the error, and half of that at each end.
    """
    from scipy.stats import beta

    delta = float(DELTA) if protocol.startswith("A") else 0.0
    right, wrong = (runs * rate for rate in RATES[protocol](protocol, k, math.exp(epsilon), delta))
    least = beta.ppf(error / 4, right, runs - right + 1)
    most = beta.ppf(1 - error / 4, wrong + 1, runs - wrong)
    return math.log((float(least) - delta) / float(most))


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
LONGITUDINAL = tuple((protocol, 5) for protocol in ("GRR", "SS", "SUE", "OUE", "BLH", "OLH")) + tuple(
    (protocol, 25) for protocol in ("GRR", "SUE", "OUE")
)
KEPT = (
    ("L-GRR", 2, 1),
    ("L-GRR", 25, 1),
    ("L-SUE", 2, 1),
    ("L-OSUE", 2, 1),
    ("L-GRR", 2, 5),
    ("L-SUE", 2, 5),
    ("L-OSUE", 2, 5),
)
ALONE = "no: the auditor's release has no audit of it"
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


def kept_losses(protocol: str, k: int, reports: int) -> list[float]:
    """The least ε at each of the eight, proved; 0 where it is more than is claimed."""
    found = []
    for epsilon in EPSILONS:
        least = dc.epsilon(kept(protocol, k, epsilon, reports), delta=0, check=False)
        claimed = Fraction(epsilon) / 2 if reports == 1 else Fraction(epsilon)
        right = least.exact and least.epsilon is not None and least.epsilon <= claimed + Fraction(1, 10**8)
        found.append(float(least.epsilon or 0) if right else 0.0)
    return found


def audited(folder: Path | None) -> dict[tuple[str, int, int, Fraction], float]:
    """Protocol, size, reports and ε → the mean of the bounds that their scripts have written."""
    found: dict[tuple[str, int, int, Fraction], list[float]] = defaultdict(list)
    for kind in ("ldp_audit_results_main_*", "*ldp_audit_results_sequential_composition_*"):
        for path in sorted((folder / "results").glob(f"{kind}.csv")) if folder else ():
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    key = row["protocol"], int(row["k"]), int(row.get("tau") or 1), Fraction(row["epsilon"])
                    found[key].append(float(row["eps_emp"]))
    return {key: fmean(values) for key, values in found.items()}


def rows(folder: Path | None) -> list[Row]:
    """A row for each protocol and size, one for each number of fresh reports, and one for each that keeps a value."""
    theirs = audited(folder)
    made = []
    for protocol in RATES:
        for k in SIZES:
            with Stopwatch() as ours:
                right = all(exactly(protocol, k, epsilon) for epsilon in EPSILONS)
            said = f"{LEAST.get(protocol, 'ε exactly')}, at all eight ε; like for like: {COMPARED.get(protocol, IDEAL)}"
            answer = said if right else f"WRONG: {said}"
            made.append(Row(f"{protocol}, k = {k}", ours.seconds, ours.peak_mb, answer))
    for protocol, reports in LONGITUDINAL:
        with Stopwatch() as ours:
            right = all(exactly(protocol, 2, epsilon, reports) for epsilon in EPSILONS[:4])
        said = f"{reports}·ε exactly, at ε = 1/4 to 1; like for like: yes: fresh reports, as there"
        case = f"{protocol}, k = 2, {reports} reports"
        beside = _audited(theirs, protocol, 2, reports, EPSILONS[:4]).removeprefix("; ")
        made.append(Row(case, ours.seconds, ours.peak_mb, said if right else f"WRONG: {said}", baseline=beside))
    for protocol, k, reports in KEPT:
        with Stopwatch() as ours:
            losses = kept_losses(protocol, k, reports)
        first = [float(Fraction(epsilon)) / 2 for epsilon in EPSILONS]
        if reports == 1 and losses == first:
            said = "ε₁ = ε/2 exactly, at all eight ε"
        else:
            said = f"less than {'ε₁ = ε/2' if reports == 1 else 'ε'}: {_listed(losses)}"
        answer = f"{said}; like for like: {ALONE}"
        case = f"{protocol}, k = {k}, {reports} report{'' if reports == 1 else 's'} of a kept value"
        made.append(Row(case, ours.seconds, ours.peak_mb, answer if all(losses) else f"WRONG: {answer}"))
    # Last, since SciPy is in the memory of the process from here on.
    attacks = [_beside(protocol, k) + _audited(theirs, protocol, k, 1, EPSILONS) for protocol in RATES for k in SIZES]
    attacked = [replace(row, baseline=attack) for row, attack in zip(made, attacks, strict=False)]
    return attacked + made[len(attacked) :]


def _beside(protocol: str, k: int) -> str:
    """What the attack can show."""
    epsilons = [float(Fraction(epsilon)) for epsilon in EPSILONS]
    limit = _listed([attack_limit(protocol, k, epsilon) for epsilon in epsilons])
    expected = _listed([expected_bound(protocol, k, epsilon) for epsilon in epsilons])
    return f"attack's limit: {limit}; expected of a million runs: {expected}"


def _listed(values: list[float]) -> str:
    return "≈ " + ", ".join(f"{value:.3g}" for value in values)


def _audited(
    theirs: dict[tuple[str, int, int, Fraction], float], protocol: str, k: int, reports: int, epsilons: tuple[str, ...]
) -> str:
    """What their scripts found, where they were run."""
    seen = [theirs.get((protocol, k, reports, Fraction(epsilon))) for epsilon in epsilons]
    if all(value is None for value in seen):
        return ""
    return "; audited: " + ", ".join("–" if value is None else f"{value:.3g}" for value in seen)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.local_reports")
    parser.add_argument("--audit", type=Path, metavar="FOLDER", help="a clone of ldp-audit whose scripts were run")
    found = rows(parser.parse_args().audit)
    write_rows(RESULTS, NAME, TITLE, found)
    return any("WRONG" in row.answer for row in found)


if __name__ == "__main__":
    raise SystemExit(main())
