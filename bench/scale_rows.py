"""The table of δ at scale: what each case must reach, and the figure of how width falls and time grows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.measure import RESULTS, Measured, Row, in_process, models, note
from bench.scale import release_width

__all__ = ["draw_scale", "scale"]

SIZES = (50, 100, 200, 400, 800, 1600, 3200, 5000)
GROWTH_WIDTH = "0.2"
BUDGETS = (250, 1000, 4000, 16_000, 64_000, 256_000)
SHAPES = ("random,n=100,labels=3,degree=4,seed=0", "random,n=400,labels=3,degree=4,seed=0")
CURVES = RESULTS / "scale-curves.json"
"""What the figure is drawn from."""
RELEASE_MODELS = {"brp32-2": (0.399, 5.3e-4), "crowds03-10": (0.109, 0.0)}
"""Seconds and width of release 0.1, measured on the machine of the time."""


def scale(quick: bool) -> list[Row]:
    """Every row; the quick table leaves out what takes long."""
    rows = [_as_release(seed) for seed in ((0,) if quick else range(5))]
    rows += [_beside_floats(seed) for seed in ((0,) if quick else range(5))]
    random = [
        ("random,n=400,labels=3,degree=4,seed=0", "0.085", 5),
        ("random,n=100,labels=3,degree=4,seed=0", "0.02", 5),
    ]
    random += [] if quick else [("random,n=5000,labels=2,degree=4,seed=0", "0.05", 20)]
    rows += [_narrow(spec, "11/10", gap, seconds) for spec, gap, seconds in random]
    rows.append(_narrow("sticky-sensor", "11/10", "1e-6", 2))
    rows.append(_narrow("survey,rounds=200,p=11/20", "11/10", "1e-9", 1))
    for alpha in ("1",) if quick else ("1", "11/4", "15/2"):
        rows.append(_narrow("survey,rounds=1000,p=51/100", alpha, "1e-6", 10))
    rows += _diners(quick)
    rows += [] if quick else _models()
    rows += [_profile(), *(_repeated(runs, epsilon) for runs, epsilon in ((1000, "1"), (25_000, "20")))]
    if not quick:
        rows.append(_certificate())
        rows += _growth()
    return rows


def _as_release(seed: int) -> Row:
    """Time to the width that release 0.1 reached in a minute."""
    spec = f"random,n=400,labels=3,degree=4,seed={seed}"
    goal = release_width(spec)
    found = in_process("measured", spec, "11/10", goal, 60)
    before = {"baseline": "release 0.1", "baseline_seconds": 60.0}
    found = Measured(found.seconds, found.peak_mb, found.result | before)
    fast = found.result["width"] <= goal and 60 / found.seconds >= 500
    return found.row(f"{spec}, α=11/10, to width {goal:.3f}", _said(found), "≥ 500× faster", fast)


def _beside_floats(seed: int) -> Row:
    """At no time wider than a best-first float script, and fast enough."""
    spec = f"random,n=400,labels=3,degree=4,seed={seed}"
    found = in_process("beside_floats", spec, "11/10", "0.1,0.5,1,2,5")
    rows = found.result["rows"]
    widths = "; ".join(f"{r['seconds']:g} s: {r['width']:.3g}, floats {r['float_width']:.3g}" for r in rows)
    rate = max(row["rate"] for row in rows)
    good = all(row["width"] <= row["float_width"] for row in rows) and rate >= 20_000
    answer = f"{widths}; {rate:,.0f} expansions a second"
    return found.row(f"{spec}, width by time", answer, "never wider; ≥ 20,000 a second", good)


def _narrow(spec: str, alpha: str, gap: str, seconds: int) -> Row:
    """A width within a time."""
    found = in_process("measured", spec, alpha, gap, 60)
    good = found.result["width"] <= float(Fraction(gap)) and found.seconds <= seconds and found.peak_mb <= 2048
    return found.row(f"{spec}, α={alpha}", _said(found), f"width ≤ {gap} in {seconds} s, 2 GB", good)


def _said(found: Measured) -> str:
    bounds = f"[{found.result['lower']:.6g}, {found.result['upper']:.6g}]"
    beliefs = f"{found.result['nodes']:,} beliefs, {found.result['cpu_seconds']:.2g} s of processor time"
    return f"{bounds}, width {found.result['width']:.2g}, {beliefs}"


def _diners(quick: bool) -> list[Row]:
    one = in_process("diners_delta", 50, "1.0002")
    said = f"δ = {one.result['delta']:.12g} exactly, {one.result['nodes']} belief pairs"
    rows = [one.row("50 diners, one pair, α=1.0002", said, "exact, ≤ 0.5 s", one.seconds <= 0.5)]
    n = 12 if quick else 30
    every = in_process("all_pairs_of_diners", n, "1.0002")
    said = f"{every.result['pairs']} pairs exactly, the worst δ = {every.result['delta']:.12g}"
    return [*rows, every.row(f"{n} diners, all pairs, α=1.0002", said, "exact, ≤ 60 s", every.seconds <= 60)]


def _models() -> list[Row]:
    """Explicit models: not slower than release 0.1 was, not wider."""
    if not models().is_dir():
        note(f"brp32-2 and crowds03-10 are left out: no folder {models()} (--models names another)")
        return []
    rows = []
    for name, s, t in (("brp32-2", 100, 200), ("crowds03-10", 6000, 6100)):
        seconds, width = RELEASE_MODELS[name]
        found = in_process("model_delta", name, s, t, "11/10", 60)
        ours = found.result["upper"] - found.result["lower"]
        said = f"width {ours:.2g}, {found.result['nodes']} belief pairs; {found.result['method']}; certificate accepted"
        limit = f"≤ {seconds} s, width ≤ {width:.2g} (release 0.1)"
        good = found.seconds <= seconds and ours <= width
        rows.append(found.row(f"{name}, δ of ({s}, {t}), α=11/10, with certificate", said, limit, good))
    return rows


def _profile() -> Row:
    found = in_process("band", "sticky-sensor", "2", "0.01")
    said = f"{found.result['points']} points, width ≤ {found.result['width']:.1e}"
    good = found.seconds <= 20 and found.result["width"] <= 1e-5
    return found.row("profile of sticky-sensor, 0:2:0.01", said, "all points in 20 s, width ≤ 1e-5", good)


def _repeated(runs: int, epsilon: str) -> Row:
    found = in_process("repeated", runs, "51/100", epsilon)
    result = found.result
    said = f"δ = {result['delta']:.9g}, width {result['width']:.1e}; the accountant {result['above']:+.1e}"
    good = result["width"] <= 1e-6
    return found.row(f"profile --repeat {runs}, survey p=51/100, ε={epsilon}", said, "width ≤ 1e-6", good)


def _certificate() -> Row:
    found = in_process("certified", "random,n=400,labels=3,degree=4,seed=0", "11/10", "0.085")
    size = found.result["bytes"] / 1e6
    good = size <= 3 and found.seconds <= 90
    said = f"{size:.2f} MB for width {found.result['width']:.3f}; the time is the checker's"
    return found.row("certificate, random n=400, seed 0, α=11/10", said, "≤ 3 MB, checked in 90 s", good)


def _growth() -> list[Row]:
    """Time to a fixed width against n, and width against expansions; the figure's data."""
    rows, curves = [], dict[str, Any](time=[], width={})
    for n in SIZES:
        found = in_process("measured", f"random,n={n},labels=3,degree=4,seed=0", "11/10", GROWTH_WIDTH, 60)
        rows.append(found.row(f"random n={n}, 3 labels, degree 4, to width {GROWTH_WIDTH}", _said(found), states=n))
        curves["time"].append([n, found.seconds, found.result["width"]])
    for spec in SHAPES:
        found = in_process("width_by_expansions", spec, "11/10", ",".join(map(str, BUDGETS)))
        pairs = list(zip(BUDGETS, found.result["widths"], strict=True))
        said = ", ".join(f"{budget:,}: {width:.3g}" for budget, width in pairs)
        rows.append(found.row(f"{spec}, width by expansions", said))
        curves["width"][spec] = pairs
    CURVES.write_text(json.dumps(curves, indent=1) + "\n", "utf-8")
    return rows


def draw_scale(path: Path) -> None:
    """Time to a fixed width against states, and width against expansions."""
    from bench.plots import new_figure, save_figure

    curves = json.loads(CURVES.read_text("utf-8"))
    figure = new_figure(9.2, 4.0)
    left, right = figure.subplots(1, 2)
    reached = [(n, seconds) for n, seconds, width in curves["time"] if width <= float(GROWTH_WIDTH)]
    left.loglog(*zip(*reached, strict=True), marker="o", color="#0072B2", label=f"to width {GROWTH_WIDTH}")
    left.set(xlabel="states n", ylabel="time (s)")
    for (spec, points), colour, mark in zip(curves["width"].items(), ("#D55E00", "#009E73"), "s^", strict=True):
        right.loglog(*zip(*points, strict=True), marker=mark, color=colour, label=spec.split(",labels")[0])
    right.set(xlabel="expansions, both directions", ylabel="width of the interval")
    for axes in (left, right):
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(frameon=False)
    save_figure(figure, path)
