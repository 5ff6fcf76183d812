"""A solver in a process of its own: ``python -m deltachain.smt.worker z3 < script``, the answer as JSON on stdout."""

from __future__ import annotations

import sys

from .solvers import answer_to_json, backend

__all__ = ["main"]


def main() -> None:
    """Solve the script on standard input with the solver that the first argument names."""
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    answer = backend(sys.argv[1]).solve(sys.stdin.read())
    print(answer_to_json(answer))


if __name__ == "__main__":
    main()
