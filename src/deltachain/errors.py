"""The exception tree.

::

    DeltachainError
    ├── InputError (ValueError)          bad numbers, models, pairs, options: every defect at once
    │   ├── FormatError                  a file that does not parse: file, line, column
    │   │   └── ProgramError             a protocol that is not a program; it lives in `deltachain.programs`
    │   ├── CodeRefused                  code whose chain cannot be made honestly; it lives in `deltachain.code`
    │   ├── ModelError                   a chain that is not one: unknown targets, row sums, …
    │   ├── UnknownState (KeyError)      a state name that the chain does not have
    │   ├── InteractiveChain             inputs that the observer chooses, where there must be none
    │   ├── UncertainChain               rows known within limits only, where they must be exact
    │   └── MissingFile (FileNotFoundError)  a file that is not there
    ├── SolverError (RuntimeError)
    │   ├── SolverUnknown                a solver answered "unknown"
    │   ├── NotConverged                 a budget ran out; carries the certified value reached
    │   ├── Stopped                      time limit or Ctrl-C, before there was an answer
    │   ├── WorkersLost                  processes that shared the work were killed
    │   └── BackendMissing (ImportError) an optional dependency is not installed
    ├── CertificateRejected (the checker's, a ValueError)  claim, rule, and the two sides that do not fit
    └── InternalError (RuntimeError)     a mistake of ours that was noticed before anything was printed
        ├── ImpossibleBound              an interval that no probability lies in
        └── RejectedAnswer               the checker rejected the proof of an answer

A message that advises a setting names the parameter in backticks; the command line prints its option instead.
`exit_code` says which exit code of the command line each kind stands for.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deltachain_checker.errors import CertificateRejected as Rejected
from deltachain_checker.errors import shortened
from deltachain_checker_v1.errors import CertificateRejected as OlderRejected

SHOWN_DEFECTS = 20
LONGEST_WORD = 300
"""Characters without a blank that a message may have: a path may be that long, and a number of use to anybody."""


def shortened_words(text: str) -> str:
    """The text with every word of it short enough to be read: what was given may be a number of thousands of digits.

    >>> shortened_words("gap: -" + 400 * "1" + " is not above 0")
    'gap: -11111111111111111111111… (401 characters) is not above 0'
    """
    if len(text) <= LONGEST_WORD:
        return text
    return re.sub(rf"\S{{{LONGEST_WORD},}}", lambda word: f"{word[0][:24]}… ({len(word[0]):,} characters)", text)


class DeltachainError(Exception):
    """The root: catch this to catch everything that deltachain raises on purpose."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing wrong with an input: where it is, what it is, and how to correct it."""

    where: str
    what: str
    fix: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return shortened_words(f"{place}{self.what}" + (f" ({self.fix})" if self.fix else ""))


class InputError(DeltachainError, ValueError):
    """Input that cannot be used. ``defects`` lists everything that is wrong with it, not only the first thing."""

    def __init__(self, defects: str | Defect | Iterable[Defect]) -> None:
        if isinstance(defects, str):
            defects = Defect("", defects)
        self.defects: tuple[Defect, ...] = (defects,) if isinstance(defects, Defect) else tuple(defects)
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [str(defect) for defect in self.defects[:SHOWN_DEFECTS]]
        hidden = len(self.defects) - len(lines)
        if hidden > 0:
            lines.append(f"… and {hidden} more")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self._text()


class ModelError(InputError):
    """A description that is not a labelled Markov chain."""


class FormatError(InputError):
    """A file that does not parse; each defect's place is ``file:line:column``."""


class UnknownState(InputError, KeyError):
    """A state name that the chain does not have."""


class InteractiveChain(InputError):
    """A chain whose observer chooses inputs, where only a chain that runs by itself will do."""


class UncertainChain(InputError):
    """A chain whose rows are known within limits only, where exact rows are needed."""


class MissingFile(InputError, FileNotFoundError):
    """A file that is not there."""

    def __init__(self, path: str, fix: str = "") -> None:
        super().__init__(Defect(path, "there is no such file", fix))
        self.filename = path

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename, self.defects[0].fix)


class SolverError(DeltachainError, RuntimeError):
    """A computation that did not reach its answer. Never raised where a wrong number could be returned instead."""


class SolverUnknown(SolverError):
    """A solver answered "unknown"."""


class NotConverged(SolverError):
    """A budget ran out. ``upper`` is the best certified upper value reached, or None if there is none."""

    def __init__(self, message: str, upper: object = None) -> None:
        super().__init__(message)
        self.upper = upper


class Stopped(SolverError):
    """The work was cut off, by a deadline or by Ctrl-C, before it had an answer; see `deltachain.cancel`."""


class WorkersLost(SolverError):
    """Processes that shared the work were killed, and could not be replaced; what was done before them stands."""


class BackendMissing(SolverError, ImportError):
    """An optional dependency is not installed; the message names the pip line."""

    def __init__(self, what: str, extra: str | None = None) -> None:
        wanted = what if extra is None else f"'deltachain[{extra}]'"
        super().__init__(f"{what} is not installed: pip install {wanted}")
        self.extra = extra


@contextmanager
def require_extra(what: str, extra: str | None = None) -> Iterator[None]:
    """Within it an import that fails is BackendMissing; where it failed because memory ran out, MemoryError."""
    try:
        yield
    except ImportError as error:
        if is_out_of_memory(error):
            raise MemoryError(f"no room for {what}") from None
        raise BackendMissing(what, extra) from None


class CertificateRejected(DeltachainError, Rejected, OlderRejected):
    """A certificate that does not prove what it claims: what the checker raises, as one of our errors.

    ``claim`` names the claim, ``rule`` the rule that fails, ``left`` and ``right`` the two sides that do not fit.
    """


class InternalError(DeltachainError, RuntimeError):
    """A mistake of deltachain's own, noticed before a wrong number was printed. Please report it."""


class ImpossibleBound(InternalError):
    """Bounds of a probability that leave no room for it: one of them is wrong."""


class RejectedAnswer(InternalError):
    """The checker rejected the proof of an answer, so that there is none. ``kept`` is the folder with both, if any."""

    def __init__(self, message: str, kept: str | None = None) -> None:
        super().__init__(message)
        self.kept = kept

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.kept)


def require_possible(lower: Any, upper: Any) -> None:
    """Raise `ImpossibleBound` unless 0 ≤ lower ≤ upper ≤ 1, for exact numbers of any field."""
    if not 0 <= lower <= upper <= 1:
        raise ImpossibleBound(f"internal error: bounds {shortened(lower)} ≤ δ ≤ {shortened(upper)}; please report it")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the system refused memory: said as such, by a call, by the loader of libraries, or of a thread's stack.

    >>> is_out_of_memory(OSError(errno.ENOMEM, "Cannot allocate memory")), is_out_of_memory(RuntimeError("no"))
    (True, False)
    """
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    said = {ImportError: ("failed to map segment", "annot allocate memory"), RuntimeError: ("can't start new thread",)}
    texts = (text for kind, texts in said.items() if isinstance(error, kind) for text in texts)
    return isinstance(error, MemoryError) or any(text in str(error) for text in texts)


def exit_code(error: Exception) -> int:
    """The exit code that an error stands for, on the command line and in a row of a sweep.

    2 bad input, 3 undecided, 4 a certificate was rejected, 6 an extra is missing, 5 anything else: an internal error.
    """
    if is_out_of_memory(error):
        return 3
    if isinstance(error, BackendMissing):
        return 6
    if isinstance(error, InputError | OSError):
        return 2
    if isinstance(error, SolverError):
        return 3
    return 4 if isinstance(error, CertificateRejected) else 5
