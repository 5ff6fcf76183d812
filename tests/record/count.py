"""``python -m tests.record.count``: the searches, checker runs and readings of ε of a command, its CPU time, and code.

Counts are of calls of named functions, whatever module imported them; CPU seconds are those of a command that runs in a
process which has run it before, the median of nine. ``--against PATH`` counts and times another checkout as well, with
its own interpreter (PATH/.venv/bin/python), in turn with this one. ``--write`` keeps what is found in figures.json.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import threading
import time
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FIGURES = Path(__file__).parent / "figures.json"
NAMED: Mapping[str, Sequence[str]] = {
    "searches": ("deltachain.beliefs.search:search",),
    "checker runs": (
        *("deltachain_checker.certificate:verify", "deltachain_checker_v1.rules:verify"),
        "deltachain.checker.rules:verify",
    ),
    "readings of ε": ("deltachain.numbers.fraction:ExpEpsilon.read",),
}
"""What is counted, and the functions that are called then: all of those that a tree has."""
COUNTED: Mapping[str, Sequence[str]] = {
    "report dining n=2": ("report", "example:dining-cryptographers,n=2", "--epsilon", "1/2", "--out", "OUT/page.html"),
    "report dining n=2, δ": (
        *("report", "example:dining-cryptographers,n=2,p=49/100", "--epsilon", "0.1", "--delta", "1e-3"),
        *("--out", "OUT/page.html"),
    ),
    "report coin": ("report", "example:coin", "--epsilon", "1/2", "--out", "OUT/page.html"),
    "profile crowds": ("profile", "example:crowds"),
    "profile crowds, certificates": ("profile", "example:crowds", "--certificates", "OUT/proofs"),
    "profile dining n=2": ("profile", "example:dining-cryptographers,n=2"),
    "profile survey, measures": ("profile", "example:survey", "--orders", "2,4", "--kl", "--zcdp"),
    "delta coin": ("delta", "example:coin", "--epsilon", "1/2"),
    "delta crowds": ("delta", "example:crowds", "--epsilon", "1/2"),
    "check dining n=2": ("check", "example:dining-cryptographers,n=2", "--epsilon", "1/2", "--delta", "1e-3"),
    "check opendp_2922": (
        *("check", "examples/bugs/opendp_2922.py:laplace_threshold", "--secret", "count=0", "--secret", "count=1"),
        *("--epsilon", "1", "--delta", "1e-2"),
    ),
    "epsilon survey, δ = 0": ("epsilon", "example:survey", "--delta", "0"),
    "epsilon survey, δ = 1/20": ("epsilon", "example:survey", "--delta", "1/20"),
    "guess dining n=3": ("guess", "example:dining-cryptographers"),
    "distance dining n=2": ("distance", "example:dining-cryptographers,n=2", "--epsilon", "1/2"),
}
TIMED: Mapping[str, Sequence[str]] = {
    **{name: COUNTED[name] for name in ("delta coin", "delta crowds", "check dining n=2", "check opendp_2922")},
    "delta dining n=3": ("delta", "example:dining-cryptographers", "--epsilon", "1/2"),
    "delta probe": ("delta", "example:probe", "--epsilon", "1/2"),
    "check survey, 20 rounds": (
        *("check", "example:survey,rounds=20,p=51/100", "--epsilon", "1/2", "--delta", "1e-3"),
    ),
    "distance dining n=2": COUNTED["distance dining n=2"],
    "distance crowds, ld": ("distance", "example:crowds", "--kind", "ld", "--epsilon", "1/2"),
    **{name: COUNTED[name] for name in ("profile crowds", "profile dining n=2", "profile survey, measures")},
    "profile probe": ("profile", "example:probe"),
    **{name: COUNTED[name] for name in ("report coin", "report dining n=2", "guess dining n=3")},
    **{name: COUNTED[name] for name in ("epsilon survey, δ = 0", "epsilon survey, δ = 1/20")},
}
SAMPLES, SHORTEST = 9, 0.05
"""How often each command is timed, and for how many CPU seconds at least, by running it several times."""
TOGETHER = ("beliefs", "certificate", "verbs", "results", "claims", "measures", "evidence")
"""The packages of which the code is counted together: those that there are, and those that they become."""
SKIPPED = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENDMARKER, tokenize.ENCODING),
}


# In a worker: a process of the tree that is measured.


def _main_of(arguments: Sequence[str], folder: str) -> int:
    from deltachain.cli.command import main

    with contextlib.redirect_stdout(_sink()), contextlib.redirect_stderr(_sink()):
        return int(main([argument.replace("OUT", folder) for argument in arguments]))


def _sink() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _codes() -> dict[CodeType, str]:
    found = {}
    for what, places in NAMED.items():
        for place in places:
            module, _, path = place.partition(":")
            try:
                function: Any = import_module(module)
                for part in path.split("."):
                    function = getattr(function, part)
            except (ImportError, AttributeError):
                continue
            while hasattr(function, "__wrapped__"):
                function = function.__wrapped__
            found[function.__code__] = what
    return found


def counted(arguments: Sequence[str], folder: str) -> dict[str, int]:
    """How often each named function is called, and how many calls there are in all; after a run that imports."""
    _main_of(arguments, folder)
    codes = _codes()
    counts: Counter[str] = Counter(dict.fromkeys(codes.values(), 0))
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            code = frame.f_code
            if code in codes:
                counts[codes[code]] += 1
            if "deltachain" in code.co_filename:
                counts["calls"] += 1
                seen.add(code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        _main_of(arguments, folder)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # it takes None
    return dict(counts) | {"functions": len(seen), "modules": len({code.co_filename for code in seen})}


def timed(arguments: Sequence[str], folder: str, times: int) -> float:
    """CPU seconds of one run, where it is run so many times."""
    started = time.process_time()
    for _ in range(times):
        _main_of(arguments, folder)
    return (time.process_time() - started) / times


def work() -> int:
    """Answer requests, one JSON document in a line each, until there are no more."""
    import deltachain

    root = Path(deltachain.__file__).resolve().parent.parent.parent
    os.chdir(root)
    out = sys.stdout
    print(json.dumps(str(root)), file=out, flush=True)
    with TemporaryDirectory() as folder:
        for line in sys.stdin:
            asked = json.loads(line)
            arguments = asked["arguments"]
            times = asked.get("times")
            answer = counted(arguments, folder) if times is None else timed(arguments, folder, times)
            print(json.dumps(answer), file=out, flush=True)
    return 0


# In the process that asks.


class Tree:
    """A checkout, and a process that works with it."""

    def __init__(self, root: Path) -> None:
        interpreter = root / ".venv" / "bin" / "python"
        python = str(interpreter) if interpreter.exists() else sys.executable
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"PYTHONPATH": os.pathsep.join(map(str, (root / "src", root / "packages" / "checker")))}
        self.root = root
        self._process = subprocess.Popen(
            [python, str(Path(__file__).resolve()), "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=environment,
        )
        if self._answer() != str(root):
            raise SystemExit(f"{root}: {python} imports another deltachain")

    def ask(self, arguments: Sequence[str], **more: object) -> Any:
        """What the process answers."""
        assert self._process.stdin is not None
        print(json.dumps({"arguments": list(arguments)} | more), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.root}: its process ended")
        return json.loads(line)

    def close(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def times_of(trees: Sequence[Tree], arguments: Sequence[str]) -> list[float]:
    """The median CPU seconds of a command in each tree, measured in turn."""
    once = [max(tree.ask(arguments, times=1) for _ in range(2)) for tree in trees]
    times = max(1, round(SHORTEST / min(once)))
    samples: list[list[float]] = [[] for _ in trees]
    for number in range(SAMPLES):
        # Who comes second would always find the caches as the first one left them.
        order = range(len(trees)) if number % 2 == 0 else reversed(range(len(trees)))
        for which in order:
            samples[which].append(trees[which].ask(arguments, times=times))
    return [statistics.median(each) for each in samples]


def code_lines(path: Path) -> int:
    """Lines of a file that are neither blank nor a comment nor part of a docstring."""
    text = path.read_bytes()
    lines: set[int] = set()
    for token in tokenize.tokenize(io.BytesIO(text).readline):
        if token.type not in SKIPPED:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def code_of(root: Path) -> dict[str, int]:
    """Code lines of each package, of `TOGETHER`, and of all."""
    counts: Counter[str] = Counter()
    files = [*sorted((root / "src" / "deltachain").rglob("*.py")), *sorted((root / "packages").rglob("*.py"))]
    for path in files:
        if "tests" in path.parts or "build" in path.parts:
            continue
        inside = path.relative_to(root / "src" / "deltachain" if "src" in path.parts else root).parts
        top = inside[0] if len(inside) > 1 else "modules of their own"
        counts[top] += code_lines(path)
    together = sum(count for top, count in counts.items() if top in TOGETHER)
    return {"together": together, "in all": sum(counts.values())} | dict(sorted(counts.items()))


def commit_of(root: Path) -> str:
    """The commit that is checked out."""
    line = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(line, capture_output=True, encoding="utf-8", check=True).stdout.strip()


def main() -> int:
    """Count, time, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.record.count", description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout, to be counted and timed in turn with this one")
    parser.add_argument("--only", default="", help="commands whose name contains this text")
    parser.add_argument("--no-times", action="store_true", help="count, but measure no times")
    parser.add_argument("--write", action="store_true", help=f"keep the figures of this tree in {FIGURES.name}")
    arguments = parser.parse_args()
    roots = [ROOT] if arguments.against is None else [ROOT, arguments.against.resolve()]
    trees = [Tree(root) for root in roots]
    figures: list[dict[str, Any]] = [{"commit": commit_of(root), "counts": {}, "cpu seconds": {}} for root in roots]
    print("  ".join(f"{root} at {figure['commit']}" for root, figure in zip(roots, figures, strict=True)))
    for name in _named(COUNTED, arguments.only):
        for tree, figure in zip(trees, figures, strict=True):
            found = figure["counts"][name] = tree.ask(COUNTED[name])
            print(f"{name}: {', '.join(f'{count:,} {what}' for what, count in found.items())}", flush=True)
    for name in () if arguments.no_times else _named(TIMED, arguments.only):
        found = times_of(trees, TIMED[name])
        for figure, seconds in zip(figures, found, strict=True):
            figure["cpu seconds"][name] = round(seconds, 5)
        ratio = f", {found[0] / found[1]:.2f} × the other" if len(found) > 1 else ""
        print(f"{name}: {'  '.join(f'{1000 * seconds:.1f} ms' for seconds in found)}{ratio}", flush=True)
    for root, figure in zip(roots, figures, strict=True):
        figure["code lines"] = code_of(root)
        print(f"code: {', '.join(f'{top} {count:,}' for top, count in figure['code lines'].items())}")
    for tree in trees:
        tree.close()
    if arguments.write:
        FIGURES.write_text(json.dumps(figures[0], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _named(commands: Mapping[str, Sequence[str]], only: str) -> Iterable[str]:
    return [name for name in commands if only in name]


if __name__ == "__main__":
    sys.exit(work() if sys.argv[1:] == ["--worker"] else main())
