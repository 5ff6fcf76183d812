"""A solver in a process of its own: ``python -m deltachain.smt.worker z3 65 < script``; its answer as JSON."""

from __future__ import annotations

import signal
import sys

from .solvers import answer_to_json, backend


def main() -> None:
    """Solve the script on standard input with the solver named first, for at most the seconds named second."""
    name, seconds = sys.argv[1:]
    if hasattr(signal, "alarm"):  # whoever started this may be gone before the time is up
        signal.alarm(int(seconds))
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    answer = backend(name).solve(sys.stdin.read())
    print(answer_to_json(answer))


if __name__ == "__main__":
    main()
