"""``python -m bench [--quick] [TABLE …]``: run the tables, write bench/results."""

from __future__ import annotations

import argparse
import math

from bench import tables
from bench.measure import RESULTS, Row, write_table

TITLES = {
    "foundations": "Chains: loading and minimising",
    "distances": "Distances",
    "deltas": "Intervals for δ",
    "growth": "Growth: certified bd of all pairs",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("tables", nargs="*", choices=[[], *TITLES], help="which tables (default: all)")
    args = parser.parse_args()
    missed = []
    for name in args.tables or TITLES:
        rows: list[Row] = getattr(tables, name)(args.quick)
        title = TITLES[name]
        if name == "growth":
            title += f" (time grows as n^{_exponent(rows):.2f})"
            _plot(rows)
        write_table(f"{name}-quick" if args.quick else name, title, rows)
        missed += [row.case for row in rows if row.reached is False or "WRONG" in row.answer]
    for case in missed:
        print(f"not reached: {case}")
    return 1 if missed else 0


def _sizes(rows: list[Row]) -> list[int]:
    return [int(row.case.split("n=")[1].split(",")[0]) for row in rows]


def _exponent(rows: list[Row]) -> float:
    """The slope of log time against log n, least squares."""
    points = [(math.log(n), math.log(row.seconds)) for n, row in zip(_sizes(rows), rows, strict=True)]
    mean_x, mean_y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def _plot(rows: list[Row]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.loglog(_sizes(rows), [row.seconds for row in rows], marker="o", color="#0072B2", label="time (s)")
    axes.loglog(
        _sizes(rows), [row.peak_mb / 1024 for row in rows], marker="s", color="#D55E00", label="peak memory (GB)"
    )
    axes.set(xlabel="states", title="Certified bd of all pairs, random chains of 2 labels and degree 3, α = 6/5")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend(frameon=False)
    RESULTS.mkdir(parents=True, exist_ok=True)
    figure.savefig(RESULTS / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    raise SystemExit(main())
