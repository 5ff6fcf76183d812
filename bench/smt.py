"""``python -m bench.smt [--quick]``: which thresholds the paper's formulas decide, against the engine on the same ones.

Every formula, encoding and solver gets 60 s a question. On the random chains, which grow, a way of asking is left alone
after the third question of one size that it could not decide. Each answer is checked against the exact distance. Times
are wall clock from the chain to the checked answer: reduction, printing, a solver's start, solving, checking a model;
for the engine, the exact distance from scratch.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial

import deltachain as dc
from bench.measure import RESULTS
from deltachain.distances.fixed_point import solve
from deltachain.errors import SolverUnknown
from deltachain.numbers.fraction import format_fraction
from deltachain_smt.decider import Decider

Way = tuple[str, str, str]
"""Encoding, formula, solver."""

ENGINE: Way = ("", "", "engine")
WAYS: list[Way] = [
    (encoding, formula, solver)
    for encoding in ("faithful", "reduced", "bounded")
    for formula in ("np", "sigma2")
    for solver in ("z3", "cvc5")
]
NAMED = [
    ("coin", "3/2"),
    ("split-coin", "6/5"),
    ("survey", "2"),
    ("dining-cryptographers,n=2,p=49/100", "5001/5000"),
]
SIZES = (4, 5, 6, 7, 8, 10, 12, 14, 17, 20)
MOST_UNKNOWN = 3
NEAR = Fraction(1, 10**9)


@dataclass(frozen=True)
class Measured:
    """One question, asked in one way. ``answer``: yes, no, unknown, or WRONG."""

    model: str
    states: int
    exp_epsilon: str
    theta: str
    side: str
    encoding: str
    formula: str
    solver: str
    answer: str
    seconds: float


def questions(value: Fraction) -> Iterator[tuple[str, Fraction]]:
    """θ at the value, just below and just above."""
    for side, theta in (("at", value), ("below", value - NEAR), ("above", value + NEAR)):
        if 0 <= theta <= 1:
            yield side, theta


def measure(model: str, alpha: str, way: Way, side: str, limit: float) -> Measured:
    """Ask once, in a fresh way, and compare."""
    encoding, formula, solver = way
    chain = dc.examples.build(model)
    s, t = chain.relation[0]
    exact = solve(chain, Fraction(alpha), kind="bd", pairs=[(s, t)], exact=True).fraction((s, t))
    theta = dict(questions(exact))[side]
    started = time.perf_counter()
    try:
        if solver == "engine":
            found = solve(chain, Fraction(alpha), kind="bd", pairs=[(s, t)], exact=True).fraction((s, t))
            holds: bool | None = found <= theta
        else:
            decider = Decider(
                chain, s, t, exp_epsilon=alpha, timeout=limit, encoding=encoding, formula=formula, solver=solver
            )
            holds = decider.decide(theta).holds
    except SolverUnknown:
        holds = None
    seconds = time.perf_counter() - started
    answer = "unknown" if holds is None else "WRONG" if holds != (exact <= theta) else "yes" if holds else "no"
    return Measured(
        model, len(chain), alpha, format_fraction(theta), side, encoding, formula, solver, answer, round(seconds, 3)
    )


def run(quick: bool, limit: float) -> list[Measured]:
    rows: list[Measured] = []

    def ask(model: str, alpha: str, way: Way, side: str) -> Measured:
        row = measure(model, alpha, way, side, limit)
        rows.append(row)
        print(model, side, *way, row.answer, f"{row.seconds:.2f} s", flush=True)
        write(rows, limit, quick)
        return row

    measure("coin", "3/2", ENGINE, "at", limit)  # compiles and imports, once for all
    for model, alpha in NAMED[: 3 if quick else 4]:
        for way in [ENGINE, *WAYS]:
            for side in ("at", "below", "above"):
                if not (side == "below" and model == "coin"):
                    ask(model, alpha, way, side)
    tired: set[Way] = set()
    for size in SIZES[: 2 if quick else None]:
        # Seeds whose value reduction alone finds say little about a formula's reach.
        asked = [*itertools.product(filter(partial(telling, size), range(3)), ("at", "below"))]
        for way in [ENGINE, *WAYS]:
            unknown = 0
            for seed, side in asked if way not in tired else ():
                unknown += ask(f"random,n={size},seed={seed}", "6/5", way, side).answer == "unknown"
                if unknown == MOST_UNKNOWN:
                    tired.add(way)
                    break
    return rows


def telling(size: int, seed: int) -> bool:
    """Whether reduction alone leaves something to decide, and the value is neither 0 nor 1."""
    chain = dc.examples.build(f"random,n={size},seed={seed}")
    decider = Decider(chain, 0, 1, exp_epsilon="6/5", encoding="reduced")
    reduction = decider.reduction(decider.question(1))
    return reduction is not None and bool(reduction.problems)


def write(rows: list[Measured], limit: float, quick: bool) -> None:
    """smt.json in bench/results; the whole table is printed."""
    name = "smt-quick" if quick else "smt"
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", "utf-8")
    lines = [
        "# Thresholds by the paper's formulas",
        "",
        f"bd ≤ θ at θ = bd (at), bd − 10⁻⁹ (below), bd + 10⁻⁹ (above); at most {limit:g} s each. Times in seconds;",
        "`?` is unknown; a blank was not asked. Random chains: e^ε = 6/5, 2 labels, degree 3.",
        "",
    ]
    ways = [ENGINE, *WAYS]
    heads = list(map(_name, ways))
    lines += [f"| chain | states | θ | {' | '.join(heads)} |", "|---" * (3 + len(heads)) + "|"]
    cells: dict[tuple[str, int, str], dict[Way, str]] = {}
    for row in rows:
        mark = "?" if row.answer == "unknown" else row.answer if row.answer == "WRONG" else f"{row.seconds:.2g}"
        key = row.model, row.states, row.side
        cells.setdefault(key, {})[_way(row)] = mark
    for (model, states, side), found in cells.items():
        lines.append(f"| {model} | {states} | {side} | {' | '.join(found.get(way, '') for way in ways)} |")
    print("\n".join(lines))


def reach_table(rows: list[Measured]) -> str:
    """For each way of asking and each kind of chain, the slowest answer, or how many of the questions it decided."""
    groups = list(dict.fromkeys(map(_group, rows)))
    lines = [f"| asked | {' | '.join(groups)} |", "|---" * (1 + len(groups)) + "|"]
    for way in [ENGINE, *WAYS]:
        asked = [[row for row in rows if _way(row) == way and _group(row) == group] for group in groups]
        lines.append(f"| {_name(way)} | {' | '.join(map(_decided, asked))} |")
    return "\n".join(lines)


def _decided(asked: list[Measured]) -> str:
    times = [row.seconds for row in asked if row.answer != "unknown"]
    if not times:
        return "none" if asked else ""
    return f"{max(times):.2g} s" if len(times) == len(asked) else f"{len(times)} of {len(asked)}"


def _way(row: Measured) -> Way:
    return row.encoding, row.formula, row.solver


def _name(way: Way) -> str:
    return " ".join(filter(None, way))


def _group(row: Measured) -> str:
    if row.model.startswith("random"):
        return f"n = {row.states}"
    return "2 diners" if row.model.startswith("dining") else row.model


def read_measured() -> list[Measured]:
    """The rows of the last full run."""
    return [Measured(**row) for row in json.loads((RESULTS / "smt.json").read_text("utf-8"))]


def plot(rows: list[Measured]) -> None:
    """How many questions each way of asking decides within a time, and how its slowest answer grows with the chain."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    styles = {"faithful": ":", "reduced": "--", "bounded": "-", "": "-"}
    colours = {("np", "z3"): "C0", ("sigma2", "z3"): "C1", ("np", "cvc5"): "C2", ("sigma2", "cvc5"): "C3"}
    for way in [ENGINE, *WAYS]:
        decided = [row for row in rows if _way(row) == way and row.answer != "unknown"]
        style = {"linestyle": styles[way[0]], "color": colours.get(way[1:], "black")}
        times = sorted(row.seconds for row in decided)
        left.semilogx(times, range(1, len(times) + 1), label=_name(way), **style)
        slowest: dict[int, float] = {}
        for row in decided:
            if row.model.startswith("random"):
                slowest[row.states] = max(row.seconds, slowest.get(row.states, 0.0))
        right.semilogy(list(slowest), list(slowest.values()), marker=".", **style)
    every = len({(row.model, row.side) for row in rows})
    left.set(xlabel="seconds", ylabel=f"questions decided, of {every}", title="Decided within a time")
    right.set(xlabel="states", ylabel="seconds", title="Random chains: the slowest question decided")
    figure.legend(loc="outside right center", frameon=False, fontsize=8)
    for axes in (left, right):
        axes.grid(visible=True, alpha=0.3)
    figure.savefig(RESULTS / "smt.svg", metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.smt")
    parser.add_argument("--quick", action="store_true", help="small chains only, 5 s each")
    args = parser.parse_args()
    rows = run(args.quick, 5.0 if args.quick else 60.0)
    if not args.quick:
        plot(rows)
    wrong = [row for row in rows if row.answer == "WRONG"]
    for row in wrong:
        print("WRONG:", row)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
