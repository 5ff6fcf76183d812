"""Two labellings of one chain, between which a mechanism lies.

A chain may show letters that tell an observer *at least* as much as a mechanism does, the fine ones, where a second
labelling of the same states and rows, a function of the first, tells *at most* as much: the coarse one. Whatever an
observer gains by watching, δ at any ε, a divergence, a guess, only falls where less is seen. So

    value(coarse) ≤ value(mechanism) ≤ value(fine):

a bound from above of the fine chain, and one from below of the coarse chain, are bounds of the mechanism; a proof of
either is one about an ordinary chain. A bound from below of the fine chain, or from above of the coarse one, says
nothing. This is why a `Sandwich` is not a `Chain`: who asks must say for which side.

*Ratios.* Probabilities of words of the fine chain may be, up to a common factor, those of words of the mechanism, or
limits of such. Where this is so of every letter that is not `inner`, the ratio of a word without inner letters is one
that the mechanism's words come arbitrarily close to. So such a word bounds the least pure ε from below, and without
inner letters the least pure ε of the fine chain is that of the mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

from ..errors import Defect, InputError
from .chain import Chain
from .outputs import NAMED, label_of

NUMBER = re.compile(r"(?:[≤≥] )?-?[0-9]+")


@dataclass(frozen=True)
class Sandwich:
    """A chain that tells at least as much as a mechanism, and which of its letters to merge to tell at most as much.

    >>> fine = Chain.from_dicts({"s": {"a": "1/2", "b": "1/2"}, "a": {"a": 1}, "b": {"b": 1}},
    ...                         labels={"s": "start", "a": "≥ 1·1", "b": "≥ 1·2"})
    >>> Sandwich(fine, {"≥ 1·1": "≥ 1", "≥ 1·2": "≥ 1"}).coarse.labels
    ('start', '≥ 1', '≥ 1')
    """

    fine: Chain
    merged: Mapping[str, str] = field(default_factory=dict)
    """Letter of the fine chain → what the coarse one shows; all others are the same in both."""
    inner: frozenset[str] = frozenset()
    """Letters of the fine chain whose ratios need not be those of the mechanism, nor limits of them."""
    notes: tuple[str, ...] = ()
    """How it was made, in words."""

    def __post_init__(self) -> None:
        # A state that looks like a prompt would offer other inputs than it does.
        defects = [
            Defect(f"letter {fine!r}", f"it is merged into {coarse!r}, and the observer is asked there", "merge others")
            for fine, coarse in self.merged.items()
            if fine in self.fine.inputs or coarse in self.fine.inputs
        ]
        if defects:
            raise InputError(defects)

    @cached_property
    def coarse(self) -> Chain:
        """The chain with the coarse labelling: the same states, rows and relation."""
        if not self.merged:
            return self.fine
        labels = tuple(self.merged.get(label, label) for label in self.fine.labels)
        return replace(self.fine, labels=labels)

    @property
    def keeps_ratios(self) -> bool:
        """Whether the least pure ε of the fine chain is that of the mechanism."""
        return not self.inner

    @property
    def exact(self) -> bool:
        """Whether both are one chain, which tells as much as the mechanism does."""
        return not self.merged


def shown_by(chain: Chain, words: Iterable[Sequence[str]]) -> Chain:
    """What shows the words of a mechanism with their own probabilities: the coarse chain of a sandwich, or the chain.

    The coarse letters are a function of the mechanism's. Of ever narrower sandwiches it is the first that has all
    numbers and tails of the words for letters, or the last.
    """
    if chain.sandwiches is None:
        return chain
    wanted = {letter for word in words for letter in word if NUMBER.fullmatch(letter)}
    found = chain
    for sandwich in chain.sandwiches():
        found, known = sandwich.coarse, {*sandwich.coarse.labels}
        if all({letter, label_of(NAMED, letter)} & known for letter in wanted):
            break
    return found.with_relation(chain.relation)


Upper = TypeVar("Upper")
Lower = TypeVar("Lower")


@dataclass(frozen=True)
class Bounded(Generic[Upper, Lower]):
    """What was found of a mechanism: from above by the fine chain, from below by the coarse one."""

    sandwich: Sandwich
    upper: Upper
    lower: Lower
    settled: bool
    """Whether the two settle what was asked."""


def close(
    sandwiches: Iterator[Sandwich],
    upper: Callable[[Chain], Upper],
    lower: Callable[[Chain], Lower],
    settles: Callable[[Upper, Lower], bool],
) -> Bounded[Upper, Lower]:
    """Bounds of a mechanism by the first of its sandwiches that settles a question, or by the last of all.

    Args:
        sandwiches: of one mechanism, each narrower than the one before.
        upper: a bound from above of whatever is asked, of one chain.
        lower: a bound from below.
        settles: whether two bounds are an answer, such as two ends that are equal, or on one side of a limit.

    Raises:
        ValueError: there is no sandwich.
    """
    found: Bounded[Upper, Lower] | None = None
    for sandwich in sandwiches:
        above, below = upper(sandwich.fine), lower(sandwich.coarse)
        found = Bounded(sandwich, above, below, settles(above, below))
        # Of one chain there is nothing narrower.
        if found.settled or sandwich.exact:
            return found
    if found is None:
        raise ValueError("no sandwich")
    return found
