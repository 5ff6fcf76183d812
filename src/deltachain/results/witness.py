"""The event that tells two states apart, or the strategy where the observer asks, as sections and as JSON.

A watcher who guesses "state" whenever a word of the event E is seen gains ν_state(E) − e^ε·ν_other(E) over what ε
allows; δ is the most that any event gains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from ..model.words import written_word
from ..rational import format_fraction, round_down
from .numbers import decimal, exactly, json_bounds, json_number, outward
from .sections import Paragraph, Section, Table
from .text import printable, shortened, shown_name

if TYPE_CHECKING:
    from ..beliefs.plans import FixedPlan
    from ..beliefs.strategy import StrategyStep
    from ..beliefs.witness import Witness, WitnessWord  # brings flint, which the help does without

SHORT = 12
"""The longest fraction, in characters, that is shown beside a word's probability."""
SHOWN_STEPS = 40
"""Steps of a strategy that are shown; the JSON has more."""
LONGEST_WORD = 60
"""Longer words are shown by their two ends."""


def witness_sections(witness: Witness, *, exact: bool) -> list[Section]:
    """The most telling words as a table, what they account for, and what an attacker gains; ``exact``: by no more."""
    state, other = shown_name(witness.state), shown_name(witness.other)
    columns = (f"from {state}", f"from {other}")
    if witness.bounded:
        columns = (f"at least, from {state}", f"at most, from {other}")
    if witness.strategy is not None:
        shown = witness.strategy.pruned(witness.exp_epsilon, SHOWN_STEPS)
        title = f"What to ask, to tell {state} from {other}:"
        more = f"{_brings(witness, shown.gain(witness.exp_epsilon))}\n{_gain(witness, exact)}"
        return [Table(("what is seen, what to ask", *columns, ""), strategy_rows(shown, state, chance), title, more)]
    title = f"How {state} gives itself away against {other}:"
    more = f"{_accounted(witness)}\n{_gain(witness, exact)}"
    if not witness.words:
        return [Paragraph(f"{title}\n{more}")]
    least, most = (_sided("lower"), _sided("upper")) if witness.bounded else (chance, chance)
    rows = [
        (_short(word.word), least(word.probability), most(word.other), ratio_of(word, witness.bounded))
        for word in witness.words
    ]
    return [Table(("word", *columns, ratio_name(witness)), rows, title, more)]


def ratio_name(witness: Witness) -> str:
    """What the likelihood ratios of a witness are called."""
    return "ratio, at least" if witness.bounded else "ratio"


def _sided(side: Literal["lower", "upper"]) -> Callable[[Fraction], str]:
    """A bound of a probability in a narrow column."""
    return lambda value: outward(value, side, 5)


def ratio_of(word: WitnessWord, bounded: bool) -> str:
    """The likelihood ratio of a word, rounded down where its probabilities are ``bounded``; ∞ where the other is 0."""
    if word.ratio is None:
        return "∞"
    return outward(word.ratio, "lower", 5) if bounded else decimal(word.ratio, 5)


def strategy_rows(
    root: StrategyStep, state: str, written: Callable[[Fraction], str]
) -> list[tuple[str, str, str, str]]:
    """The strategy as a tree: what is seen and asked then, both probabilities, and where to guess."""
    return [
        (
            branches + shortened(printable(step.label), LONGEST_WORD) + asking(step),
            written(step.probability),
            written(step.other),
            guessing(step, state),
        )
        for step, branches in strategy_lines(root)
    ]


def strategy_lines(root: StrategyStep) -> Iterator[tuple[StrategyStep, str]]:
    """Every step, each after the one that it follows, with the branches to draw before it."""
    stack = [(root, "", "")]
    while stack:
        step, before, below = stack.pop()
        yield step, before
        for i, child in reversed(list(enumerate(step.after))):
            last = i == len(step.after) - 1
            stack.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))


def asking(step: StrategyStep) -> str:
    """What to do there, after a colon; nothing at an end or where there is no choice."""
    return f": ask {shortened(printable(step.asked), 40)}" if step.asked is not None else ""


def guessing(step: StrategyStep, state: str) -> str:
    """What to say at an end."""
    return {None: "", True: f"say {state}", False: "say nothing"}[step.guess]


def written_path(word: Sequence[str], inputs: Sequence[str | None]) -> str:
    """A word with what is asked between its letters; without inputs, the word.

    >>> written_path(["menu", "mode1", "no"], ["probe", "q1"])
    'menu [probe] mode1 [q1] no'
    """
    if not any(inputs):
        return written_word(word)
    asked = ["" if name is None else f" [{name}]" for name in (*inputs, None)]
    return " ".join(letter + question for letter, question in zip(word, asked, strict=True))


def chance(value: Fraction) -> str:
    """A probability in a narrow column: long fractions are left to the JSON."""
    return exactly(value) if len(format_fraction(value)) <= SHORT else decimal(value, 5)


def _brings(witness: Witness, shown: Fraction) -> str:
    if shown == witness.advantage:
        return "This strategy brings the whole advantage."
    share = round_down(100 * shown / witness.advantage, 1)
    return f"This much of the strategy brings at least {decimal(share)} % of the advantage; what follows it, the rest."


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


def witness_body(witness: Witness | None) -> dict[str, object] | None:
    """The witness as JSON; None when nothing was found that tells the states apart."""
    if witness is None:
        return None
    body: dict[str, object] = {
        "state": witness.state,
        "other": witness.other,
        "exp_epsilon": json_number(witness.exp_epsilon),
        "advantage": json_number(witness.advantage, "lower"),
        "listed": json_number(witness.listed, "lower"),
        "words": [
            {
                "word": list(word.word),
                "probability": json_number(word.probability, "lower" if witness.bounded else None),
                "other": json_number(word.other, "upper" if witness.bounded else None),
                "ratio": None if word.ratio is None else json_number(word.ratio, "lower" if witness.bounded else None),
            }
            | ({} if witness.strategy is None else {"inputs": list(word.inputs)})
            for word in witness.words
        ],
    }
    if witness.bounded:
        body["bounded"] = True
    if witness.strategy is not None:
        body["strategy"] = _strategy_body(witness.strategy)
    return body


def _strategy_body(step: StrategyStep) -> dict[str, object]:
    return {
        "label": step.label,
        "probability": json_number(step.probability),
        "other": json_number(step.other),
        "ask": step.asked,
        "guess": step.guess,
        "after": [_strategy_body(child) for child in step.after],
    }


def plan_body(plan: FixedPlan) -> dict[str, object]:
    """The best plan of questions decided in advance, and what as many gain that are not, as JSON."""
    return {
        "questions": plan.questions,
        "inputs": list(plan.inputs),
        **json_bounds(plan.lower, plan.upper),
        "exact": plan.exact,
        "adaptive": json_bounds(plan.adaptive_lower, plan.adaptive_upper),
    }
