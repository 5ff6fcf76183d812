"""``python -m tests.fuzz --minutes 10``: run the fuzzers, print how the cases of each class ended, exit 1 on a bug."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.driver import Outcome, fuzz, load_state, registered


def main() -> int:
    """Run, and print this run's counts beside those of all runs."""
    classes = registered()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long to run (default: 10)")
    parser.add_argument("--only", action="append", choices=sorted(classes), help="a class to run (default: all)")
    parser.add_argument("--state", type=Path, default=Path("build/fuzz.json"), help="where counts and seeds are kept")
    parser.add_argument("--failures", type=Path, default=Path("build/fuzz-failures"), help="where failures are written")
    args = parser.parse_args()
    chosen = [classes[name] for name in args.only or sorted(classes)]
    print(f"{len(chosen)} classes, {args.minutes:g} minutes", flush=True)
    now = fuzz(chosen, args.minutes * 60, args.state, args.failures)
    total = load_state(args.state)
    for name, outcome in now.items():
        print(f"{name}: {_counts(outcome)}; over all runs {_counts(total[name])}")
    failed = sum(outcome.failures for outcome in now.values())
    if failed:
        print(f"{failed} failures; each is a test in {args.failures}")
    return 1 if failed else 0


def _counts(outcome: Outcome) -> str:
    ended = ", ".join(f"{count} {how}" for how, count in sorted(outcome.ended.items()) if count)
    return f"{sum(outcome.ended.values())} cases in {outcome.seconds:.0f} s ({ended or 'none'})"


if __name__ == "__main__":
    sys.exit(main())
