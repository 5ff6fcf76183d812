"""Answers about a mechanism between two labellings of one chain: from above by the fine one, from below by the coarse.

Each verb is asked of both chains, as it is asked of any; what it finds from above of the one, and from below of the
other, is one answer, with one certificate (`certificate.views`). While the two differ and the question is open, twice
as many numbers are told apart (`Chain.sandwiches`). What is one answer of a measure stands in its folder, in
``between.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from ..beliefs.question import Question
from ..beliefs.workspace import Workspace
from ..cancel import Cancel
from ..certificate.claims import Evidence
from ..certificate.inspection import Inspection
from ..certificate.views import Views
from ..errors import Stopped
from ..model import Chain
from ..model.sandwich import Sandwich

Found = TypeVar("Found")
Both = TypeVar("Both")

NARROW = Fraction(1, 10**6)
"""A band is narrow enough where δ is known so closely, and divergences relative to themselves."""
MOST_STATES = 20_000
"""Numbers are told apart up to about so many states."""


@dataclass(frozen=True)
class Side:
    """A question about one of the two chains, and what is known of that chain already."""

    question: Question

    @cached_property
    def work(self) -> Workspace:
        """Where beliefs of it are kept from one answer to the next."""
        return Workspace.of(self.question)


@dataclass(frozen=True)
class Sides:
    """One of ever narrower sandwiches, and a question about each of its chains."""

    sandwich: Sandwich
    fine: Side
    coarse: Side

    @classmethod
    def of(cls, question: Question, sandwich: Sandwich) -> Sides:
        """The same question about both."""
        return cls(sandwich, *(Side(replace(question, chain=chain)) for chain in (sandwich.fine, sandwich.coarse)))

    def views(self, above: Evidence | None, below: Evidence | None) -> Views | None:
        """The evidence of both sides; None where one side has none."""
        return None if above is None or below is None else Views(self.sandwich, above, below)


Ask = Callable[[Side, "Inspection | None"], Found]
"""A verb, asked of one chain; with an inspection, what it says is checked."""


def narrow(
    chain: Chain,
    cancel: Cancel,
    inspection: Inspection | None,
    both: Callable[[Sandwich], Both],
    answer: Callable[[Both, Inspection | None], Found],
    settled: Callable[[Found], bool],
) -> Found:
    """The answer about the first of a chain's sandwiches that settles a question, or about the last of all.

    ``both`` is what an answer is made from: it keeps what need not be found twice.
    It ends also where the next one would have too many states, or time is up. Only this last answer is checked.
    """
    last: tuple[Sandwich, Both, Found] | None = None
    for sandwich in _in_time(chain):
        if last is not None and cancel.is_stopped():
            break
        sides = both(sandwich)
        last = sandwich, sides, answer(sides, None)
        if settled(last[2]) or cancel.is_stopped() or 2 * len(sandwich.fine) > MOST_STATES:
            break
    if last is None:
        raise ValueError("no sandwich")
    sandwich, sides, found = last
    if inspection is None or cancel.is_stopped():
        return found
    return answer(sides, inspection.about(sandwich.fine))


def _in_time(chain: Chain) -> Iterator[Sandwich]:
    """The chain's sandwiches, as long as there is time to make them; the first is there already."""
    made = iter(()) if chain.sandwiches is None else chain.sandwiches()
    while True:
        try:
            found = next(made, None)
        except Stopped:
            return
        if found is None:
            return
        yield found
