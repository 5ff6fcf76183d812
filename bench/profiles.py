"""Where the time goes in the largest cases: ``python -m bench.profiles CASE SIZE`` prints the top functions as JSON."""

from __future__ import annotations

import cProfile
import json
import pstats
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import deltachain as dc
from bench.measure import ROOT
from bench.retransmission import retransmission
from deltachain.distances.fixed_point import solve

TOP = 8


def _distances(chain: dc.Chain, alpha: str) -> None:
    solve(chain, Fraction(alpha), exact=False)


def _delta(chain: dc.Chain, alpha: str) -> None:
    dc.delta(chain, exp_epsilon=alpha, check=False)


def _two_payers(n: int) -> dc.Chain:
    return dc.examples.dining_cryptographers(n=n).with_relation([("s0", "s1")])


@dataclass(frozen=True)
class Subject:
    """How a case is built from its size and run; ``small`` is run first, for imports."""

    build: Callable[[int], dc.Chain]
    run: Callable[[dc.Chain, str], None]
    alpha: str
    small: int


SUBJECTS = {
    "random": Subject(lambda n: dc.examples.build(f"random,n={n},labels=2,degree=3"), _distances, "6/5", 60),
    "retransmission": Subject(retransmission, _distances, "11/10", 8),
    "diners": Subject(_two_payers, _delta, "1.0002", 3),
}


def profile(name: str, size: int) -> list[tuple[str, float]]:
    """(function, seconds of its own) for the functions that take most; the first entry is the whole."""
    subject = SUBJECTS[name]
    subject.run(subject.build(subject.small), subject.alpha)
    chain = subject.build(size)
    profiler = cProfile.Profile()
    profiler.enable()
    subject.run(chain, subject.alpha)
    profiler.disable()
    stats = pstats.Stats(profiler)
    own = sorted(((values[2], where) for where, values in stats.stats.items()), reverse=True)  # type: ignore[attr-defined]
    whole = sum(seconds for seconds, _ in own)
    return [("all", whole), *((_named(where), seconds) for seconds, where in own[:TOP])]


def _named(where: tuple[str, int, str]) -> str:
    path, _, function = where
    if path == "~":
        return function.strip("<>").replace("|", "/")
    parts = Path(path).parts
    home = next((i for i, part in enumerate(parts) if part in ("deltachain", "site-packages")), len(parts) - 2)
    return f"{'/'.join(parts[home + 1 :])}: {function}"


def write_profiles(folder: Path, largest: dict[str, int]) -> None:
    """profile.json for the largest size of each family, each in a process of its own."""
    found = {}
    for name, size in largest.items():
        command = [sys.executable, "-m", "bench.profiles", name, str(size)]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        found[f"{name}, size {size}"] = json.loads(done.stdout)
    (folder / "profile.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(f"# Where the time goes\n\n{profile_table(folder)}\n", flush=True)


def profile_table(folder: Path) -> str:
    """profile.json in Markdown."""
    lines = ["| case | function | own time | share |", "|---|---|---|---|"]
    for case, ((_, whole), *functions) in json.loads((folder / "profile.json").read_text("utf-8")).items():
        for number, (name, seconds) in enumerate(functions):
            shown = f"{case} ({whole:.3g} s under the profiler)" if number == 0 else ""
            lines.append(f"| {shown} | `{name}` | {seconds:.3g} s | {seconds / whole:.0%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(profile(sys.argv[1], int(sys.argv[2]))))
