"""How a case is measured: in a process of its own, wall clock and peak memory, its answer checked by the case."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"


def models() -> Path:
    """Explicit chains to measure on, which are not part of the project; rows that need them are left out without them.

    ``--models`` names the folder, or the variable DELTACHAIN_MODELS.
    """
    return Path(os.environ.get("DELTACHAIN_MODELS", ROOT.parent / "shared" / "models"))


COLUMNS = ("case", "time", "peak memory", "baseline", "ratio", "must reach", "reached", "answer")


@dataclass(frozen=True)
class Row:
    """One line of a table. ``limit`` is what must be reached; None where the row only informs.

    Of the facts, ``command`` is the processor time of the whole command that answers the same, with the check of its
    certificate, and ``unchecked`` that with ``--no-check``. Where they are there, the baseline is in processor time,
    too, and the ratio is that of the checked command.
    """

    case: str
    seconds: float
    peak_mb: float
    answer: str
    limit: str = ""
    reached: bool | None = None
    baseline: str = ""
    baseline_seconds: float | None = None
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How many times longer the baseline takes."""
        if self.baseline_seconds is None:
            return None
        return self.baseline_seconds / self.facts.get("command", self.seconds)


@dataclass(frozen=True)
class Measured:
    """What a case took and said. ``result`` holds ``right`` and perhaps ``baseline`` and ``baseline_seconds``."""

    seconds: float
    peak_mb: float
    result: dict[str, Any]
    cpu_seconds: float = 0.0
    """Of a whole command: processor time, user and system."""
    command: Checked | None = None
    """The whole command that answers the same."""

    def with_command(self, *arguments: str) -> Measured:
        """The same, with what ``deltachain ARGUMENTS`` takes beside it."""
        return replace(self, command=checked_command(*arguments))

    @property
    def right(self) -> bool:
        return bool(self.result["right"])

    def beside(self, other: Measured, right: bool = True) -> Measured:
        """With the baseline of another case of the same question, which must be right, too."""
        baseline = {key: other.result[key] for key in ("baseline", "baseline_seconds")}
        return Measured(self.seconds, self.peak_mb, self.result | baseline | {"right": right and other.right})

    def row(self, case: str, answer: str = "agrees", limit: str = "", within: bool = True, **facts: float) -> Row:
        """A row, reached if the answer is right and the limit kept (``within``)."""
        reached = within and self.right if limit else None
        seconds = self.seconds
        if self.command is not None:  # then all times of the row are of the processor
            facts |= self.command.facts
            seconds = self.result["cpu_seconds"]
        taken = "baseline_cpu_seconds" if self.command is not None else "baseline_seconds"
        base, base_seconds = self.result.get("baseline", ""), self.result.get(taken)
        said = answer if self.right else f"WRONG: {answer}"
        return Row(case, seconds, self.peak_mb, said, limit, reached, base, base_seconds, facts)


class Stopwatch:
    """``with Stopwatch() as ours: …``: wall clock, and the peak memory of this process up to the end of the block."""

    def __enter__(self) -> Stopwatch:
        self.base_mb = _peak_mb()
        self._cpu = time.process_time()
        self._started = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._started
        self.cpu_seconds = time.process_time() - self._cpu
        self.peak_mb = _peak_mb()

    @property
    def found(self) -> dict[str, Any]:
        """``grown_mb`` is what the block added to the peak; the rest is the interpreter, libraries and preparation."""
        memory = {"peak_mb": self.peak_mb, "grown_mb": self.peak_mb - self.base_mb}
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds} | memory

    @property
    def as_baseline(self) -> dict[str, float]:
        """What the block took, where it is the baseline."""
        return {"baseline_seconds": self.seconds, "baseline_cpu_seconds": self.cpu_seconds}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def note(text: str) -> None:
    """Say something beside the tables."""
    print(text, file=sys.stderr, flush=True)


def whole_command(*arguments: str, runs: int = 3) -> Measured:
    """``deltachain ARGUMENTS --json`` from its start; raises if it fails. ``result`` is what it prints.

    The middle of three runs: the first may have to read the installation from disk. A long one is run once.
    """
    taken: list[Spent] = []
    while len(taken) < runs and sum(spent.seconds for spent in taken) < LONG:
        taken.append(_run([sys.executable, "-m", "deltachain", *arguments, "--json"]))
    found = sorted(taken, key=lambda spent: spent.cpu_seconds)[len(taken) // 2]
    return Measured(found.seconds, found.peak_mb, json.loads(found.output), found.cpu_seconds)


class Checked(NamedTuple):
    """A command as people run it, with the check of its certificate, and without: processor seconds."""

    seconds: float
    unchecked: float
    peak_mb: float
    document: dict[str, Any]
    how: str
    """"checked", "checked by `verify`", or why there is no certificate."""

    @property
    def facts(self) -> dict[str, float]:
        """What a row about the engine says of the command beside it."""
        return {"command": self.seconds, "unchecked": self.unchecked}


def checked_command(*arguments: str) -> Checked:
    """``deltachain ARGUMENTS`` with its check, and with ``--no-check``; RuntimeError for a proof that is not accepted.

    Where the certificate is too large to be checked before the answer is printed, the command without the check is
    counted, and ``deltachain verify`` of its certificate.
    """
    found, without = whole_command(*arguments), whole_command(*arguments, "--no-check")
    answer = found.result["points"][0] if "points" in found.result else found.result
    if answer["checked"] is None:
        how = "no certificate: composed from exact losses"
        return Checked(found.cpu_seconds, without.cpu_seconds, found.peak_mb, found.result, how)
    if answer["checked"]:
        return Checked(found.cpu_seconds, without.cpu_seconds, found.peak_mb, found.result, "checked")
    with tempfile.TemporaryDirectory() as folder:
        proof = str(Path(folder) / "proof.json")
        written = whole_command(*arguments, "--no-check", "--certificate", proof)
        proving = whole_command("verify", arguments[1], proof)
    if not proving.result["accepted"]:
        raise RuntimeError(f"{' '.join(arguments)}: its certificate is rejected")
    spent, peak = written.cpu_seconds + proving.cpu_seconds, max(written.peak_mb, proving.peak_mb)
    return Checked(spent, without.cpu_seconds, peak, found.result, "checked by `verify`")


def in_process(case: str, *arguments: object) -> Measured:
    """A case of `bench.cases` in its own process; seconds and memory of our part as the case counts them."""
    result = json.loads(_run([sys.executable, "-m", "bench.cases", case, *map(str, arguments)]).output)
    return Measured(result["seconds"], result["peak_mb"], result)


LONG = 30.0
"""Seconds; a command that takes longer is not run again."""


class Spent(NamedTuple):
    """What a process took, and what it printed."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


def _run(command: list[str]) -> Spent:
    # As on a machine where Python keeps what it has compiled; an empty text is "not set". Threads of linear algebra
    # would count in processor time without making small systems faster.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here, to see what it took
    seconds = time.perf_counter() - started
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed")
    return Spent(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def write_rows(folder: Path, name: str, title: str, rows: list[Row]) -> None:
    """Write NAME.json, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    data = [asdict(row) | {"ratio": row.ratio} for row in rows]
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"# {title}\n\n{table(rows)}\n", flush=True)


def read_rows(path: Path) -> list[Row]:
    """The rows of a NAME.json."""
    rows = json.loads(path.read_text("utf-8"))
    return [Row(**{key: value for key, value in row.items() if key != "ratio"}) for row in rows]


def table(rows: list[Row]) -> str:
    """The rows in Markdown; with what the whole commands take, where it was measured."""
    commands = ("command, checked", "`--no-check`") if any("command" in row.facts for row in rows) else ()
    columns = [*COLUMNS[:2], *commands, *COLUMNS[2:]]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        taken = [duration(row.facts[key]) if key in row.facts else "" for key in ("command", "unchecked") if commands]
        shown = cells(row)
        lines.append("| " + " | ".join([*shown[:2], *taken, *shown[2:]]) + " |")
    return "\n".join(lines)


def cells(row: Row) -> list[str]:
    """What each of `COLUMNS` shows."""
    reached = "" if row.reached is None else "yes" if row.reached else "**no**"
    base = row.baseline
    if row.baseline_seconds is not None:
        base += f": {duration(row.baseline_seconds)}"
    ratio = "" if row.ratio is None else f"{row.ratio:,.0f}×" if row.ratio >= 10 else f"{row.ratio:.2g}×"
    memory = f"{row.peak_mb:.0f} MB" if row.peak_mb else ""  # a process that was stopped tells none
    return [row.case, duration(row.seconds), memory, base, ratio, row.limit, reached, row.answer]


def duration(value: float) -> str:
    """Seconds for people."""
    if value < 5e-5:
        return f"{value * 1e6:.3g} µs"
    return f"{value * 1000:.3g} ms" if value < 0.1 else f"{value:.3g} s"
