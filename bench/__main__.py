"""``python -m bench [--quick] [TABLE …]``: run the tables, write bench/results, refresh docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os

from bench import page, tables
from bench.measure import RESULTS, Row, read_rows, write_rows
from bench.plots import draw_growth, draw_ratios
from bench.profiles import write_profiles
from bench.scale_rows import draw_scale

TITLES = {
    "foundations": "Chains: loading and minimising",
    "distances": "Distances",
    "deltas": "Intervals for δ",
    "scale": "δ at scale",
    "solvers": "Distances against solvers and libraries",
    "accountants": "δ against an accountant",
    "growth": "Growth",
    "mechanisms": "Mechanisms",
    "programs": "Compiling programs",
    "noise": "Real noise",
    "ties": "Exact ties",
    "boxes": "Rows known from counts",
    "interactive": "Systems that answer questions",
    "sampling": "Estimates by sampling",
    "sweeps": "Sweeps, and where they run",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="small sizes, to bench/results/quick; no page")
    parser.add_argument("--models", metavar="FOLDER", help="explicit models that are no part of the project")
    parser.add_argument("tables", nargs="*", choices=[[], *TITLES], help="which tables (default: all)")
    args = parser.parse_args()
    if args.models:
        os.environ["DELTACHAIN_MODELS"] = args.models
    folder = RESULTS / "quick" if args.quick else RESULTS
    missed = []
    for name in args.tables or TITLES:
        rows: list[Row] = getattr(tables, name)(args.quick)
        write_rows(folder, name, TITLES[name], rows)
        missed += [row.case for row in rows if row.reached is False or "WRONG" in row.answer]
        if name == "scale" and not args.quick:
            draw_scale(folder / "scale.svg")
        if name == "growth":
            draw_growth(rows, folder / "growth.svg")
            write_profiles(folder, {family: sizes[args.quick][-1] for family, sizes in tables.FAMILIES.items()})
    there = [folder / f"{name}.json" for name in TITLES if (folder / f"{name}.json").exists()]
    draw_ratios([row for path in there for row in read_rows(path)], folder / "ratios.svg")
    if not args.quick and len(there) == len(TITLES):
        page.refresh()
    for case in missed:
        print(f"not reached: {case}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
