"""What the exit code says.

A verdict is never an accident: code 0 is returned only when the whole result was written, and a reader that
closes the pipe early (``| head``) gets 141, which no verdict uses.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The process's exit code."""

    DONE = 0
    """Done; for a verdict: private."""
    VIOLATED = 1
    """Violated; for `threshold`: no."""
    BAD_INPUT = 2
    """Bad input or usage."""
    UNDECIDED = 3
    """The asked gap or verdict was not reached, or the run was interrupted."""
    REJECTED = 4
    """A certificate was rejected."""
    INTERNAL = 5
    """An internal error."""
    MISSING = 6
    """A backend or an extra is not installed."""
    BROKEN_PIPE = 141
    """Nobody read the result to its end; what shells report for SIGPIPE."""


EPILOG = """\
exit codes:
  0  done; for a verdict: private
  1  violated; for threshold: no
  2  bad input or usage
  3  undecided: the asked gap or verdict was not reached
  4  a certificate was rejected
  5  internal error
  6  a backend or an extra is not installed
"""


SEVERITY = (Exit.INTERNAL, Exit.MISSING, Exit.REJECTED, Exit.BAD_INPUT, Exit.UNDECIDED, Exit.VIOLATED, Exit.DONE)
"""The worst first: what a sweep returns whose rows failed in several ways."""
