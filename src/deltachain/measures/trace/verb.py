"""`trace`: exact probabilities of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...asking import StateName
from ...cancel import Cancel
from ...errors import Defect, InputError
from ...loading import load_with_notes
from ...model import Chain
from ...model.outputs import letters_of
from ...model.sandwich import shown_by
from ...model.words import Word, event_probability, parse_word
from ...parameters import Secrets
from ...results.scope import Scope
from ...settings import Settings
from .show import Trace

if TYPE_CHECKING:
    from ...loading import AnyModel


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
        secrets: what a program starts from.
        cancel: a deadline.

    Raises:
        InputError: an unknown state, or no event.

    >>> import deltachain as dc
    >>> trace(dc.examples.coin(), "s0", "start heads").probability
    Fraction(2, 5)
    """
    words = _event(event)
    chain = load_with_notes(model, Settings(secrets=secrets, sandwiched=True, cancel=cancel)).chain
    chain = shown_by(chain, words)
    several = list(states) if isinstance(states, Iterable) and not isinstance(states, str) else [states]
    numbers = list(dict.fromkeys(chain.number(state) for state in several))
    chances = []
    for number in numbers:
        if cancel is not None:
            cancel.check()
        chances.append(event_probability(chain, number, [_letters(chain, number, word) for word in words]))
    names = tuple(chain.states[number] for number in numbers)
    return Trace(words, names, tuple(chances), Scope.of(chain))


def _letters(chain: Chain, state: int, word: Word) -> Word:
    """The letters of the chain for what the program announced; InputError for a number that is one of a tail."""
    if not chain.outputs:
        return word
    letters = letters_of(chain, state, word)
    for output, letter in zip(word, letters, strict=False):
        stands = chain.outputs.get(letter)
        if letter != output and stands is not None and stands.low != stands.high:
            what = f"{output} is one of the numbers that {letter!r} stands for, and has no probability of its own"
            raise InputError(Defect("event", what, f"write {letter!r}, which is any of them"))
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
