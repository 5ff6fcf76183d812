"""`trace`: exact probabilities of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...asking import StateName
from ...cancel import Cancel
from ...errors import Defect, InputError
from ...loading import load_with_notes
from ...model import Chain
from ...model.outputs import letters_of
from ...model.sandwich import shown_by
from ...model.words import Word, event_probability, parse_word, program_outputs
from ...parameters import Secrets
from ...results.scope import Scope
from ...settings import Settings
from .show import Trace

if TYPE_CHECKING:
    from ...loading import AnyModel


_NUMBER = re.compile("-?[0-9]+")


def trace(
    model: AnyModel,
    states: StateName | Iterable[StateName],
    event: str | Sequence[str] | Iterable[Sequence[str]],
    *,
    secrets: Secrets | None = None,
    cancel: Cancel | None = None,
) -> Trace:
    """The exact probability that what is seen from each state starts with the word, or with a word of the event.

    Args:
        model: a chain, or what `load` takes.
        states: a state, or several, by name or number.
        event: a word (text with blanks between its letters, or a sequence of letters), or an iterable of words.
        secrets: the inputs of a program.
        cancel: a deadline.

    Raises:
        InputError: an unknown state, or no event.

    >>> import deltachain as dc
    >>> trace(dc.examples.coin(), "s0", "start heads").probability
    Fraction(2, 5)
    """
    words = _event(event)
    chain = load_with_notes(model, Settings(secrets=secrets, sandwiched=True, cancel=cancel)).chain
    several = list(states) if isinstance(states, Iterable) and not isinstance(states, str) else [states]
    chain = shown_by(chain, words)
    numbers = list(dict.fromkeys(chain.number(state) for state in several))
    return trace_of(chain, numbers, words, cancel)


def trace_of(chain: Chain, states: Sequence[int], words: Sequence[Word], cancel: Cancel | None = None) -> Trace:
    """`trace` on a chain that has the numbers and tails of the words for letters (`shown_by`)."""
    chances = []
    for number in states:
        if cancel is not None:
            cancel.check()
        chances.append(event_probability(chain, number, [chain_letters(chain, number, word) for word in words]))
    return Trace(tuple(words), tuple(chain.states[number] for number in states), tuple(chances), Scope.of(chain))


def chain_letters(chain: Chain, state: int, word: Word) -> Word:
    """The letters of the chain for what the program announced; InputError for a number that is one of a tail."""
    if not chain.outputs:
        return word
    letters = letters_of(chain, state, word)
    for output, stands_for in zip(word, program_outputs(chain, letters), strict=False):
        if stands_for != output and _NUMBER.fullmatch(output):
            what = f"{output} is one of the numbers that {stands_for!r} stands for, and has no probability of its own"
            raise InputError(Defect("event", what, f"write {stands_for!r}, which is any of them"))
    return letters


def _event(event: str | Sequence[str] | Iterable[Sequence[str]]) -> tuple[Word, ...]:

    try:
        if isinstance(event, str):
            return (parse_word(event),)
        given = list(event)
        if all(isinstance(letter, str) for letter in given):
            return (tuple(given),)  # type: ignore[arg-type]
        return tuple(parse_word(word) if isinstance(word, str) else tuple(word) for word in given)
    except (TypeError, ValueError) as reason:
        raise InputError(f"event: {reason}") from None
