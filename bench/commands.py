"""Questions that users ask, as the commands that they run: what README and docs/benchmarks.md show.

Each is ``deltachain …`` in a process of its own, from its start to its answer, with the check of its certificate that a
command makes before it prints; where a certificate is too large for that, it is written, and ``deltachain verify`` is
counted, too. The same command with ``--no-check`` stands beside it. All times are processor seconds of user and system,
so that other work on the machine hardly counts; no library may use more than one thread. Baselines are measured in the
same run, without their imports.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import deltachain as dc
from bench.boxes import CHAINS, counted
from bench.interactive import random_system
from bench.measure import Measured, Row, checked_command, in_process
from bench.noise import BITS, SPARSE
from bench.scale import release_width
from bench.ties import ANSWERS

__all__ = ["QUESTIONS", "REACH", "Question", "commands"]

Result = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """What is asked, in words and as a command, and what else answers it."""

    words: str
    command: tuple[str, ...]
    home: str
    """The table with more of the kind."""
    known: tuple[float, float]
    """What is known of the number asked for: the answer must meet this interval."""
    baseline: tuple[str, ...] = ()
    """A case of `bench.cases` with its arguments, whose baseline answers the same question."""
    instead: str = ""
    """What is said of a baseline that is not run."""
    writes: Callable[[Path], None] | None = None
    """Writes the file that the command reads, into a folder; its name in the command stands for its path."""
    file: str = ""
    quick: bool = False
    """Whether it is asked in the quick run."""
    reach: str = ""
    """What the README calls it, if it is there."""

    @property
    def line(self) -> str:
        """The command as it is typed."""
        return " ".join(["deltachain", *(f"'{word}'" if " " in word or "(" in word else word for word in self.command)])

    def typed(self, folder: str) -> tuple[str, ...]:
        """The command, with the file's path."""
        return tuple(f"{folder}/{word}" if self.file and word.startswith(self.file) else word for word in self.command)


def _program(text: str, name: str) -> Callable[[Path], None]:
    imports = "from fractions import Fraction\n\nfrom deltachain import *\n"
    return lambda folder: _written(folder / name, f"{imports}\n\n@program{text}")


def _written(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


OPPOSITE = tuple(1 - bit for bit in BITS)
RELEASED = "random,n=400,labels=3,degree=4,seed=0"
GOAL = f"{release_width(RELEASED):.3f}"

COUNT = """
def count(value):
    announce(value + discrete_laplace(20))
"""

HISTOGRAM = """import deltachain as dc

WITHOUT = {f"key {n:04}": 7 * n % 13 for n in range(1000)}
WITH = dict(sorted({**WITHOUT, "key 0003, too": 1}.items()))


def noisy(key, count, threshold=5):
    found = count + dc.discrete_laplace(1)
    return found if found >= threshold else None


def release(counts):
    return dc.each(counts, noisy, skip_none=True)
"""

QUESTIONS = (
    Question(
        "the sparse vector technique with unbounded noise, δ at half its ε",
        (
            "delta",
            "sparse.py:sparse",
            "--secret",
            f"answers={BITS}",
            "--secret",
            f"answers={OPPOSITE}",
            "--epsilon",
            "1/4",
        ),
        "noise",
        (0.005701727415, 0.005701727416),
        writes=_program(SPARSE, "sparse.py"),
        file="sparse.py",
    ),
    Question(
        "20 rounds of randomised response, each with ε = 1: is δ exactly 0 at ε = 20?",
        ("delta", "answers.py:answers,rounds=20", "--secret", "value=0", "--secret", "value=1", "--epsilon", "20"),
        "ties",
        (0, 0),
        writes=_program(ANSWERS, "answers.py"),
        file="answers.py",
    ),
    Question(
        "50 dining cryptographers: is the payer hidden?",
        ("delta", "example:dining-cryptographers,n=50,p=49/100", "--pair", "s0", "s1", "--exp-epsilon", "1.0002"),
        "scale",
        (0.002138561466, 0.002138561467),
        instead="enumerating all words, prefixes shared: 2^50, not run",
        reach="50 dining cryptographers, who paid?",
    ),
    Question(
        "a survey of 1,000 rounds",
        ("delta", "example:survey,rounds=1000,p=51/100", "--exp-epsilon", "11/4", "--gap", "1e-6"),
        "scale",
        (0.22458063, 0.22458065),
        reach="a survey of 1,000 rounds",
    ),
    Question(
        "25,000 independent runs of a survey",
        ("profile", "example:survey,p=51/100", "--repeat", "25000", "--epsilons", "20"),
        "scale",
        (0.43854264, 0.43854265),
        ("repeated", "25000", "51/100", "20"),
        quick=True,
        reach="25,000 independent runs of one round",
    ),
    Question(
        "10,000 counts with discrete Laplace noise of scale 20",
        (
            "delta",
            "count.py:count",
            "--secret",
            "value=0",
            "--secret",
            "value=1",
            "--repeat",
            "10000",
            "--epsilon",
            "20",
        ),
        "scale",
        (0.04718, 0.04719),
        ("laplace_composed", "10000", "20", "20"),
        writes=_program(COUNT, "count.py"),
        file="count.py",
        reach="10,000 counts with Laplace noise of scale 20",
    ),
    Question(
        "a histogram of 1,000 keys with a threshold, in Python that is run",
        (
            "delta",
            "--execute",
            "histogram.py:release",
            "--secret",
            "counts=WITH",
            "--secret",
            "counts=WITHOUT",
            "--epsilon",
            "1",
        ),
        "noise",
        (0.0133898, 0.0133899),
        writes=lambda folder: _written(folder / "histogram.py", HISTOGRAM),
        file="histogram.py",
        reach="a histogram of 1,000 keys, in Python that is run",
    ),
    Question(
        "a survey of 100 rounds; the accountant knows that it is a composition",
        ("delta", "example:survey,rounds=100,p=11/20", "--exp-epsilon", "11/10"),
        "accountants",
        (0.66923798, 0.66923799),
        ("accountant_composed", "100", "11/10"),
    ),
    Question(
        "Crowds, where runs are short and outputs few",
        ("delta", "example:crowds", "--exp-epsilon", "11/10"),
        "deltas",
        (0.1925, 0.1925),
        ("zoo", "crowds", "11/10"),
        quick=True,
    ),
    Question(
        "2,000 states, and an observer who chooses among four sensors",
        ("delta", "ring.json", "--exp-epsilon", "2", "--timeout", "60"),
        "interactive",
        (0, 1),
        ("scripted_recursion", "2000", "4", "2"),
        writes=lambda folder: dc.save(random_system(2000, 4), folder / "ring.json"),
        file="ring.json",
    ),
    Question(
        "a random chain of 400 states, without structure",
        ("delta", f"example:{RELEASED}", "--exp-epsilon", "11/10", "--gap", "0.085"),
        "scale",
        (0.8537, 0.8566),
        reach="a random chain without structure",
    ),
    Question(
        f"the same, to width {GOAL}, for which release 0.1 took a minute",
        ("delta", f"example:{RELEASED}", "--exp-epsilon", "11/10", "--gap", GOAL),
        "scale",
        (0.8537, 0.8566),
        instead="release 0.1: 56 s of processor time, on another day",
    ),
    Question(
        "a random chain of 5,000 states",
        ("delta", "example:random,n=5000,labels=2,degree=4,seed=0", "--exp-epsilon", "11/10", "--gap", "0.05"),
        "scale",
        (0.76624, 0.814006),
        reach="a larger one",
    ),
    Question(
        "a survey of 5 rounds, known from 10,000 counts per state, at confidence 0.99",
        ("delta", "counts.json", "--exp-epsilon", "4"),
        "boxes",
        (0.048, 0.194),
        writes=lambda folder: dc.save(counted(CHAINS["survey"](), 10_000), folder / "counts.json"),
        file="counts.json",
        quick=True,
    ),
    Question(
        "the bisimilarity distance of all pairs of 300 states",
        ("distance", "example:random,n=300", "--all", "--exp-epsilon", "1"),
        "solvers",
        (1, 1),
        ("transport", "300"),
    ),
)

REACH = tuple(question for question in QUESTIONS if question.reach)
"""Those of the README."""


def commands(quick: bool) -> list[Row]:
    """Every question, as a command with its check and without."""
    return [_asked(question) for question in QUESTIONS if question.quick or not quick]


def _asked(question: Question) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        if question.writes is not None:
            question.writes(Path(folder))
        command = question.typed(folder)
        found = checked_command(*command)
    said, bounds, width = _read(found.document)
    right = bounds[0] <= question.known[1] and question.known[0] <= bounds[1]
    beside = _baseline(question, found.seconds)
    measured = Measured(found.seconds, found.peak_mb, beside | {"right": right and beside["right"]})
    return measured.row(question.line, f"{said}, {found.how}", unchecked=found.unchecked, width=width)


def _read(document: Result) -> tuple[str, tuple[float, float], float]:
    """What a document of JSON answers: in words; the interval, and its width."""
    if document["schema"].startswith("deltachain.distance"):
        largest = document["largest"]["approx"]
        return f"{document['pairs']:,} pairs, certified", (largest, largest), 0.0
    answer = document["points"][0] if "points" in document else document
    lower, upper = (Fraction(answer[side]["exact"]) for side in ("lower", "upper"))
    if lower == upper:
        said = f"δ = {float(upper):.12g}, exact"
    elif upper - lower < Fraction(1, 10**8):
        said = f"δ = {float(upper):.9g}, width {float(upper - lower):.2g}"
    else:
        said = f"[{float(lower):.6g}, {float(upper):.6g}], width {float(upper - lower):.2g}"
    return said, (float(lower), float(upper)), float(upper - lower)


def _baseline(question: Question, ours: float) -> Result:
    """``right``, and what the baseline is and takes; a script that is given time gets that of the checked command."""
    if not question.baseline:
        return {"right": True, "baseline": question.instead}
    case, *arguments = question.baseline
    if case == "scripted_recursion":
        return in_process(case, *arguments, ours).result
    found = in_process(case, *arguments).result
    return {
        "right": found["right"],
        "baseline": found["baseline"],
        "baseline_seconds": found["baseline_cpu_seconds"],
    }
