"""``python -m bench [--quick] [TABLE …]``: run the tables, write bench/results, refresh the pages of `bench.page`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from bench import page, tables
from bench.measure import RESULTS, Row, read_rows, write_rows
from bench.plots import draw_growth, draw_ratios
from bench.profiles import write_profiles
from bench.scale_rows import draw_scale
from bench.tables import TITLES


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="small sizes, to bench/results/quick; no page")
    parser.add_argument("--models", metavar="FOLDER", help="explicit models that are no part of the project")
    parser.add_argument("tables", nargs="*", choices=[[], *TITLES], help="which tables (default: all)")
    args = parser.parse_args(arguments)
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
    if not args.quick:
        page.refresh()
    elif not args.tables:
        draw_ratios(
            {title: read_rows(folder / f"{name}.json") for name, title in TITLES.items()}, folder / "ratios.svg"
        )
    for case in missed:
        print(f"not reached: {case}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
