"""Runs of a chain, drawn exactly: from state to state along the rows, and what is seen is a word.

A word is that of `model.words`: the label of the start state first, after a label with inputs the input that was given.
A state that is never left shows its label for ever; its run is over when that has been seen once.

A row is one law only where it is exact: rows that are limits, or of which noise was cut off, say what probabilities may
be, and there is nothing to draw from. A chain that was compiled from a program is better run as the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..errors import Defect, InputError, UncertainChain
from ..model import AnyRow, Chain
from ..numbers.real import make_number
from .laws import Weighted
from .source import DrawSource

Observer = Callable[[tuple[str, ...], tuple[str, ...]], object]
"""The observer: from the inputs or options that are offered, and the word so far, to one of them."""


class Walker:
    """Runs of one chain; the laws of its rows are kept."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._laws: dict[tuple[int, int], Weighted] = {}

    def word(self, start: str | int, source: DrawSource, answer: Observer | None = None) -> Iterator[str]:
        """The word of one run, letter by letter; without end, unless a state is met that is never left.

        Raises UncertainChain: a row on the way is not exact. InputError: nobody answers where there are inputs.
        """
        chain = self.chain
        state = chain.number(start)
        seen: list[str] = []
        while True:
            label = chain.labels[state]
            letters, given = [label], 0
            if label in chain.inputs:
                inputs = chain.inputs[label]
                given = self._choose_input(label, inputs, answer, (*seen, label))
                letters.append(inputs[given])
            yield from letters
            if answer is not None:
                seen.extend(letters)
            law = self._law(state, given)
            if law.values == (state,) and label not in chain.inputs:
                return
            state = source.draw(law)

    def _choose_input(self, label: str, inputs: tuple[str, ...], answer: Observer | None, seen: tuple[str, ...]) -> int:
        """Which input the observer gives."""
        if answer is None:
            raise InputError(Defect("", f"the observer is asked at {label!r}, and nobody answers", "give `answer`"))
        given = answer(inputs, seen)
        if given not in inputs:
            offered = ", ".join(map(repr, inputs[:8]))
            raise InputError(Defect("", f"{label!r} offers no input {given!r:.60}", f"it offers {offered}"))
        return inputs.index(given)

    def _law(self, state: int, given: int) -> Weighted:
        law = self._laws.get((state, given))
        if law is None:
            entries = _exact_entries(self.chain, state, self.chain.given[state][given])
            targets, weights = (tuple(part) for part in zip(*entries, strict=True))
            law = self._laws[state, given] = Weighted("row", targets, weights)
        return law


def _exact_entries(chain: Chain, state: int, row: AnyRow) -> list[tuple[int, Any]]:
    """Targets and their probabilities; UncertainChain where they are not known exactly."""
    if row.exactly is None:
        what = "its probabilities are not known exactly, so there is nothing to draw from"
        fix = "run the program that the chain was made from, or settle its probabilities"
        raise UncertainChain(Defect(f"state {chain.states[state]!r}", what, fix))
    return [(target, p if isinstance(p, Fraction) else make_number(p)) for target, p in row.exactly]
