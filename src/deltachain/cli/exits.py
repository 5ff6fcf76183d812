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
    BAD_INPUT = 2
    """Bad input or usage."""
    UNDECIDED = 3
    """The asked gap or verdict was not reached, or the run was interrupted."""
    REJECTED = 4
    """A certificate was rejected."""
    INTERNAL = 5
    """An internal error."""
    BROKEN_PIPE = 141
    """Nobody read the result to its end; what shells report for SIGPIPE."""


EPILOG = """\
exit codes:
  0  done; for a verdict: private
  1  violated
  2  bad input or usage
  3  undecided: the asked gap or verdict was not reached
  4  a certificate was rejected
  5  internal error
"""
