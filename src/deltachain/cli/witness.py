"""The event that tells two states apart, for people and as JSON.

A watcher who guesses "state" whenever a word of the event E is seen gains ν_state(E) − e^ε·ν_other(E) over what ε
allows; δ is the most that any event gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..rational import format_fraction, round_down
from ..render.intervals import outward
from ..render.numbers import decimal, exactly, json_number
from ..render.table import printable, table
from .words import written_word

if TYPE_CHECKING:
    from ..beliefs.witness import Witness  # brings flint, which the help does without

__all__ = ["witness_body", "witness_text"]

SHORT = 12
"""The longest fraction, in characters, that is shown beside a word's probability."""

LONGEST_WORD = 60
"""Longer words are shown by their two ends."""


def witness_body(witness: Witness | None) -> dict[str, object] | None:
    """The witness as JSON; None when nothing was found that tells the states apart."""
    if witness is None:
        return None
    return {
        "state": witness.state,
        "other": witness.other,
        "exp_epsilon": json_number(witness.exp_epsilon),
        "advantage": json_number(witness.advantage, "lower"),
        "listed": json_number(witness.listed, "lower"),
        "words": [
            {
                "word": list(word.word),
                "probability": json_number(word.probability),
                "other": json_number(word.other),
                "ratio": None if word.ratio is None else json_number(word.ratio),
            }
            for word in witness.words
        ],
    }


def witness_text(witness: Witness, *, exact: bool) -> str:
    """The most telling words as a table, what they account for, and what an attacker gains; ``exact``: by no more."""
    state, other = witness.state, witness.other
    lines = [f"How {state} gives itself away against {other}:"]
    if witness.words:
        rows = [
            [
                _short(word.word),
                _chance(word.probability),
                _chance(word.other),
                "never there" if word.ratio is None else decimal(word.ratio, 5),
            ]
            for word in witness.words
        ]
        lines.append(table(["word", f"from {state}", f"from {other}", "ratio"], rows))
    lines += [_accounted(witness), _gain(witness, exact)]
    return "\n".join([printable(lines[0]), *lines[1:-2], *map(printable, lines[-2:])])


def _chance(value: Fraction) -> str:
    """A probability in a narrow column: long fractions are left to the JSON."""
    return exactly(value) if len(format_fraction(value)) <= SHORT else decimal(value, 5)


def _accounted(witness: Witness) -> str:
    count = len(witness.words)
    what = "This word accounts" if count == 1 else f"These {count} words account"
    if witness.listed == witness.advantage:
        return f"{what} for the whole advantage."
    if not count:
        return "No single word tells much: the advantage is spread over long ones."
    share = round_down(100 * witness.listed / witness.advantage, 1)
    return f"{what} for at least {decimal(share)} % of the advantage; other words bring the rest."


def _gain(witness: Witness, exact: bool) -> str:
    gain = outward(witness.advantage, "lower")
    amount = gain if exact and gain == decimal(witness.advantage) else f"at least {gain}"
    return (
        f"An attacker who guesses optimally gains {amount} over what ε allows: the event's probability from "
        f"{witness.state}, less e^ε times that from {witness.other}."
    )


def _short(word: Sequence[str]) -> str:
    text = written_word(word)
    if len(text) <= LONGEST_WORD:
        return text
    half = LONGEST_WORD // 2 - 2
    return f"{text[:half]} … {text[-half:]} ({len(word)} letters)"
