"""The event that tells two states apart, or the strategy where the observer asks, for people and as JSON.

A watcher who guesses "state" whenever a word of the event E is seen gains ν_state(E) − e^ε·ν_other(E) over what ε
allows; δ is the most that any event gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..model.words import written_word
from ..rational import format_fraction, round_down
from ..render.intervals import outward
from ..render.numbers import decimal, exactly
from ..render.results import shown_name
from ..render.strategy import asking, guessing, strategy_lines
from ..render.table import printable, shortened, table

if TYPE_CHECKING:
    from ..beliefs.strategy import StrategyStep
    from ..beliefs.witness import Witness  # brings flint, which the help does without

SHORT = 12
"""The longest fraction, in characters, that is shown beside a word's probability."""

SHOWN_STEPS = 40
"""Steps of a strategy that are printed; the JSON has more."""

LONGEST_WORD = 60
"""Longer words are shown by their two ends."""


def witness_text(witness: Witness, *, exact: bool) -> str:
    """The most telling words as a table, what they account for, and what an attacker gains; ``exact``: by no more."""
    state, other = shown_name(witness.state), shown_name(witness.other)
    lines = [f"How {state} gives itself away against {other}:"]
    if witness.strategy is not None:
        shown = witness.strategy.pruned(witness.exp_epsilon, SHOWN_STEPS)
        lines[0] = f"What to ask, to tell {state} from {other}:"
        lines.append(strategy_table(shown, state, other))
        lines += [_brings(witness, shown.gain(witness.exp_epsilon)), _gain(witness, exact)]
        return "\n".join(lines)
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
    return "\n".join(lines)


def strategy_table(root: StrategyStep, state: str, other: str) -> str:
    """The strategy as a tree: what is seen, what to ask then, and where to guess."""
    rows = []
    for step, branches in strategy_lines(root):
        seen = branches + shortened(printable(step.label), LONGEST_WORD) + asking(step)
        rows.append([seen, _chance(step.probability), _chance(step.other), guessing(step, state)])
    return table(["what is seen, what to ask", f"from {state}", f"from {other}", ""], rows)


def _brings(witness: Witness, shown: Fraction) -> str:
    if shown == witness.advantage:
        return "This strategy brings the whole advantage."
    share = round_down(100 * shown / witness.advantage, 1)
    return f"This much of the strategy brings at least {decimal(share)} % of the advantage; what follows it, the rest."


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
        f"{shown_name(witness.state)}, less e^ε times that from {shown_name(witness.other)}."
    )


def _short(word: Sequence[str]) -> str:
    text = written_word(word)
    return text if len(text) <= LONGEST_WORD else f"{shortened(text, LONGEST_WORD)} ({len(word)} letters)"
