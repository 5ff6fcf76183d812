"""What can be wrong with a program, and where: places in a source file, and the one error that reports them.

A `Problem` is raised by an operation that does not know where in the source it stands; whoever knows turns it
into a `ProgramError`, whose every defect names ``file:line:column`` and the fix.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Defect, FormatError


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a source file; line and column count from 1, columns in characters."""

    line: int
    column: int
    file: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class ProgramError(FormatError):
    """A protocol that is not a program of the language, or that goes wrong when its runs are explored."""


class Problem(Exception):
    """Something that an operation cannot do; whoever asked for it says where."""

    def __init__(self, what: str, fix: str = "", place: Place | None = None) -> None:
        super().__init__(what)
        self.what, self.fix, self.place = what, fix, place

    def at(self, place: Place) -> Problem:
        """The same problem, placed; a place that is already there is the more exact one and stays."""
        return self if self.place is not None else Problem(self.what, self.fix, place)

    def defect(self) -> Defect:
        """The problem as a line of an error report."""
        return Defect("" if self.place is None else str(self.place), self.what, self.fix)
