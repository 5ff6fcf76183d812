"""``python -m bench.smt [--quick]``: which thresholds the paper's formulas decide, against the engine on the same ones.

Every formula, encoding and solver gets 60 s a question. On the random chains, which grow, a way of asking that twice in
a row does not know leaves the rest of that size alone, and all larger sizes if it knew nothing at this one. Each answer
is checked against the exact distance. Times are wall clock from the chain to the checked answer: reduction, printing, a
solver's start, solving, checking of a model; for the engine, the exact distance from scratch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction

import deltachain as dc
from bench.measure import RESULTS
from deltachain.distance import solve
from deltachain.errors import SolverUnknown
from deltachain.rational import format_fraction
from deltachain.smt import Decider

WAYS = [
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
SIZES = (3, 4, 5, 6, 7, 8, 10, 12, 14)
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


def measure(model: str, alpha: str, way: tuple[str, str, str], side: str, limit: float) -> Measured:
    """Ask once, in a fresh way, and compare."""
    encoding, formula, solver = way
    chain = dc.examples.build(model)
    s, t = chain.relation[0]
    exact = solve(chain, Fraction(alpha), kind="bd", pairs=[(s, t)], exact=True)[s, t]
    theta = dict(questions(exact))[side]
    started = time.perf_counter()
    try:
        if solver == "engine":
            found = solve(chain, Fraction(alpha), kind="bd", pairs=[(s, t)], exact=True)[s, t]
            holds: bool | None = found <= theta
        else:
            settings = {"encoding": encoding, "formula": formula, "solver": solver}
            decider = Decider(chain, s, t, exp_epsilon=alpha, timeout=limit, **settings)  # type: ignore[arg-type]
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

    def ask(model: str, alpha: str, way: tuple[str, str, str], side: str) -> Measured:
        row = measure(model, alpha, way, side, limit)
        rows.append(row)
        print(model, side, *way, row.answer, f"{row.seconds:.2f} s", flush=True)
        write(rows, limit, quick)
        return row

    engine = ("", "", "engine")
    measure("coin", "3/2", engine, "at", limit)  # compiles and imports, once for all
    for model, alpha in NAMED[: 3 if quick else 4]:
        for way in [engine, *WAYS]:
            for side in ("at", "below", "above"):
                if not (side == "below" and model == "coin"):
                    ask(model, alpha, way, side)
    tired: set[tuple[str, str, str]] = set()
    for size in SIZES[: 2 if quick else None]:
        for way in [engine, *WAYS]:
            if way in tired:
                continue
            got = []
            for seed in (0, 1, 2):
                for side in ("at", "below"):
                    # Seeds whose value is 0 or 1 say little about a formula's reach.
                    if telling(size, seed):
                        got.append(ask(f"random,n={size},seed={seed}", "6/5", way, side).answer)
                    if got[-2:] == ["unknown", "unknown"]:
                        break
                if got[-2:] == ["unknown", "unknown"]:
                    break
            if got and set(got) == {"unknown"}:
                tired.add(way)
    return rows


def telling(size: int, seed: int) -> bool:
    """Whether reduction alone leaves something to decide, and the value is neither 0 nor 1."""
    chain = dc.examples.build(f"random,n={size},seed={seed}")
    decider = Decider(chain, 0, 1, exp_epsilon="6/5", encoding="reduced")
    reduction = decider.reduction(decider.question(1))
    return reduction is not None and bool(reduction.problems)


def write(rows: list[Measured], limit: float, quick: bool) -> None:
    """smt.json and smt.md in bench/results."""
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
    ways = [("", "", "engine"), *WAYS]
    heads = ["engine", *(f"{e} {f} {s}" for e, f, s in WAYS)]
    lines += [f"| chain | states | θ | {' | '.join(heads)} |", "|---" * (3 + len(heads)) + "|"]
    cells: dict[tuple[str, int, str], dict[tuple[str, str, str], str]] = {}
    for row in rows:
        mark = "?" if row.answer == "unknown" else row.answer if row.answer == "WRONG" else f"{row.seconds:.2g}"
        key = row.model, row.states, row.side
        cells.setdefault(key, {})[row.encoding, row.formula, row.solver] = mark
    for (model, states, side), found in cells.items():
        lines.append(f"| {model} | {states} | {side} | {' | '.join(found.get(way, '') for way in ways)} |")
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n", "utf-8")


def plot(rows: list[Measured]) -> None:
    """Share of questions solved on random chains, by size; one line for each way of asking."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    styles = {"faithful": ":", "reduced": "--", "bounded": "-", "": "-"}
    colours = {("np", "z3"): "C0", ("sigma2", "z3"): "C1", ("np", "cvc5"): "C2", ("sigma2", "cvc5"): "C3"}
    for encoding, formula, solver in [("", "", "engine"), *WAYS]:
        mine = [r for r in rows if (r.encoding, r.formula, r.solver) == (encoding, formula, solver)]
        mine = [r for r in mine if r.model.startswith("random")]
        sizes = sorted({r.states for r in mine})
        style = {"linestyle": styles[encoding], "color": colours.get((formula, solver), "black"), "marker": "."}
        label = f"{encoding} {formula} {solver}".strip()
        solved = [[r for r in mine if r.states == n and r.answer != "unknown"] for n in sizes]
        asked = [sum(r.states == n for r in mine) for n in sizes]
        share = [100 * len(got) / all_ for got, all_ in zip(solved, asked, strict=True)]
        left.plot(sizes, share, label=label, **style)
        times = [(n, max(r.seconds for r in got)) for n, got in zip(sizes, solved, strict=True) if got]
        right.semilogy([n for n, _ in times], [s for _, s in times], **style)
    left.set(xlabel="states", ylabel="solved (%)", title="Random chains: thresholds decided")
    right.set(xlabel="states", ylabel="seconds", title="… and the slowest of these")
    left.legend(frameon=False, fontsize=7)
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
