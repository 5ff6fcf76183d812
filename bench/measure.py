"""How a case is measured: in a process of its own, wall clock and peak memory, its answer checked by the case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
MODELS = Path(os.environ.get("DELTACHAIN_MODELS", ROOT.parent / "shared" / "models"))
"""Explicit chains to measure on, which are not part of the project; rows that need them are left out without them."""


@dataclass(frozen=True)
class Row:
    """One line of a table. ``limit`` is what must be reached; None where the row only informs."""

    case: str
    seconds: float
    peak_mb: float
    answer: str
    limit: str = ""
    reached: bool | None = None
    baseline: str = ""
    baseline_seconds: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times longer the baseline takes."""
        return None if self.baseline_seconds is None else self.baseline_seconds / self.seconds


def whole_command(*arguments: str) -> tuple[float, float, str]:
    """(seconds, peak MB, standard output) of ``deltachain ARGUMENTS`` from a cold start; raises if it fails."""
    return _run([sys.executable, "-m", "deltachain", *arguments])


def in_process(case: str, *arguments: str) -> tuple[float, float, dict[str, object]]:
    """(seconds, peak MB, result) of a case of `bench.cases` in its own process; seconds as the case counts them."""
    _, peak, output = _run([sys.executable, "-m", "bench.cases", case, *arguments])
    result = json.loads(output)
    return float(result["seconds"]), peak, result


def _run(command: list[str]) -> tuple[float, float, str]:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    output = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"{' '.join(command)} failed")
    return seconds, usage.ru_maxrss / 1024, output


def write_table(name: str, title: str, rows: list[Row]) -> None:
    """Write NAME.json and NAME.md to bench/results."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    data = [asdict(row) | {"ratio": row.ratio} for row in rows]
    (RESULTS / f"{name}.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    lines = [f"# {title}", "", "| case | time | peak memory | must reach | reached | baseline | ratio | answer |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in rows:
        reached = "" if row.reached is None else "yes" if row.reached else "**no**"
        base = f"{row.baseline}: {_seconds(row.baseline_seconds)}" if row.baseline_seconds is not None else row.baseline
        ratio = "" if row.ratio is None else f"{row.ratio:,.0f}×" if row.ratio >= 10 else f"{row.ratio:.2g}×"
        cells = [row.case, _seconds(row.seconds), f"{row.peak_mb:.0f} MB", row.limit, reached, base, ratio, row.answer]
        lines.append("| " + " | ".join(cells) + " |")
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1000:.3g} ms" if value < 0.1 else f"{value:.3g} s"
