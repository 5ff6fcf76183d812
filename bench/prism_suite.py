"""Distances on the models of "Robust Probabilistic Bisimilarity" (CAV 2025): ``python -m bench.prism_suite FOLDER``.

FOLDER is the qvbs folder of a clone of zfatmi13/benchmarks; its models are read from there, and none is copied. What is
seen in a state is what the property of the suite asks about, as there: a label that is added to a copy of the model for
the run, or one that the model has. Measured: reading and exploring the model (by Storm, in a process of its own),
minimising it, and the skewed bisimilarity distance bd at e^ε = 6/5 on the quotient, all pairs of one label at once.

Like for like: no. The paper decides which states are bisimilar, and robustly so; this computes a distance for every
pair, which decides the first on the way. Its times are not in the repository, and are not quoted here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import deltachain as dc
from bench.measure import RESULTS, Row, Stopwatch, note, write_rows

NAME, TITLE = "prism-suite", "Models of the robust-bisimilarity suite"
ALPHA = "6/5"
LIMIT = 300
"""Seconds for a model, exploring included."""

CASES: tuple[tuple[str, str, str], ...] = (
    ("table3/brp/brp.pm", "N=16,MAX=2", "s=5"),
    ("table3/brp/brp.pm", "N=64,MAX=5", "s=5"),
    ("table1/crowds/crowds.pm", "TotalRuns=3,CrowdSize=5", "observe0>1"),
    ("table1/crowds/crowds.pm", "TotalRuns=6,CrowdSize=5", "observe0>1"),
    ("table3/egl/egl.pm", "N=5,L=2", "phase=4"),
    ("table3/herman/herman7.pm", "", ""),
    ("table3/herman/herman11.pm", "", ""),
    ("table3/leader_sync/leader_sync3_2.pm", "", ""),
    ("table3/leader_sync/leader_sync5_3.pm", "", ""),
    ("table3/haddad_monmege/haddad_monmege.pm", "N=20,p=0.7", ""),
    ("table3/haddad_monmege/haddad_monmege.pm", "N=300,p=0.7", ""),
    ("table3/oscillators/oscillators.3-6-0.1-1.prism", "mu=0.1,lambda=1", "order_parameter >= lambda"),
    ("table3/oscillators/oscillators.6-6-0.1-1.prism", "mu=0.1,lambda=1", "order_parameter >= lambda"),
    ("table4/nand/nand.pm", "N=20,K=1", "s=4 & z/N<0.1"),
)
"""The model, its constants, and what is seen; nothing: the labels of the model."""


def measure(folder: Path, path: str, constants: str, seen: str) -> dict[str, Any]:
    """One model, in this process."""
    text = (folder / path).read_text("utf-8") + (f'\nlabel "seen" = {seen};\n' if seen else "")
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "model.prism"
        copy.write_text(text, "utf-8")
        given = dict(pair.split("=") for pair in constants.split(",")) if constants else {}
        with Stopwatch() as reading:
            chain = dc.load(copy, constants=given, observe_labels=["seen"] if seen else [])
    with Stopwatch() as minimising:
        small = dc.quotient(chain).chain
    found: dict[str, Any] = {"states": len(chain), "classes": len(small), "reading": reading.seconds}
    try:
        with Stopwatch() as ours:
            distance = dc.distance(small, exp_epsilon=ALPHA, pairs="all")
    except dc.errors.DeltachainError as error:
        return found | {"seconds": minimising.seconds, "peak_mb": minimising.peak_mb, "said": str(error)}
    said = f"{len(distance)} pairs, {distance.side}"
    return found | {"seconds": minimising.seconds + ours.seconds, "peak_mb": ours.peak_mb, "said": said}


def row(folder: Path, path: str, constants: str, seen: str) -> Row:
    """One model in a process of its own, with a limit in time."""
    case = f"{Path(path).stem} {constants}".strip()
    command = [sys.executable, "-m", "bench.prism_suite", str(folder), "--one", path, constants, seen]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=os.environ)
    except subprocess.TimeoutExpired:
        return Row(case, LIMIT, 0, f"does not fit: not done in {LIMIT} s")
    if done.returncode:
        return Row(case, 0, 0, f"does not fit: {done.stderr.strip().splitlines()[-1][:120]}")
    found = json.loads(done.stdout)
    size = f"{found['states']:,} states, {found['classes']:,} classes; read in {found['reading']:.2g} s"
    return Row(case, found["seconds"], found["peak_mb"], f"{size}; {found['said']}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prism_suite")
    parser.add_argument("folder", type=Path, help="the qvbs folder of a clone of zfatmi13/benchmarks")
    parser.add_argument("--one", nargs=3, metavar=("MODEL", "CONSTANTS", "SEEN"), help="measure one model, as JSON")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.folder, *asked.one)))
        return 0
    rows = []
    for case in CASES:
        if not (asked.folder / case[0]).is_file():
            note(f"{case[0]}: not in {asked.folder}, left out")
            continue
        rows.append(row(asked.folder, *case))
    write_rows(RESULTS, NAME, TITLE, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
