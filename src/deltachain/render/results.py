"""Phrases that results share, in `repr`, tables and JSON: a pair, its value, the ε that was asked for, a witness."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..rational import ExpEpsilon
from .intervals import interval
from .numbers import decimal, exactly, json_number
from .table import printable, shortened

if TYPE_CHECKING:
    from ..beliefs.plans import FixedPlan
    from ..beliefs.strategy import StrategyStep
    from ..beliefs.witness import Witness  # brings flint, which the help does without

PLAIN_NAME = re.compile(r"[\w.:=+/#@|*^~-]+(?<!:)", re.ASCII)
"""Names that read as one word."""

LONGEST_NAME = 60
"""Longer names of states are cut in a sentence; tables and JSON have them whole."""


def shown_name(state: str) -> str:
    """A state's name in a sentence: on one line, and quoted if it could be taken for a part of the sentence.

    >>> print(shown_name("s0"), shown_name("s1) = 0, exact"))
    s0 's1) = 0, exact'
    """
    return state if PLAIN_NAME.fullmatch(state) else "'" + printable(state).replace("'", "\\'") + "'"


def named(pair: tuple[str, str]) -> str:
    """``(s, t)``, each name shown as `shown_name` does."""
    return f"({shown_name(pair[0])}, {shown_name(pair[1])})"


def pair_interval(name: str, pair: tuple[str, str], lower: Fraction, upper: Fraction) -> str:
    """``δ(s, t) = 1/3 ≈ 0.333333``, on one line whatever the names are."""
    s, t = (shortened(shown_name(state), LONGEST_NAME) for state in pair)
    return interval(f"{name}({s}, {t})", lower, upper)


def value_of(lower: Fraction, upper: Fraction) -> str:
    """The interval without a name: ``1/3 ≈ 0.333333``, or ``0.1 ≤ δ ≤ 0.2``."""
    return interval("δ", lower, upper).removeprefix("δ = ").replace("δ ≈", "≈")


def pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    """The pairs in a sentence: the one there is, or how many."""
    if len(pairs) != 1:
        return f"worst of {len(pairs)} pairs"
    s, t = (shortened(shown_name(state), LONGEST_NAME) for state in pairs[0])
    return f"{s} against {t}"


def exact_value(name: str, value: Fraction) -> str:
    """``name = value``, or ``name ≈ value`` where its decimal is rounded."""
    return interval(name, value, value)


def exp_epsilon_field(asked: ExpEpsilon) -> tuple[str, str]:
    """The privacy parameter as it was given: its name and its value."""
    if asked.epsilon is None:
        return "e^ε", exactly(asked.below)
    return "ε", exactly(asked.epsilon)


def asked_at(asked: ExpEpsilon) -> str:
    """The privacy parameter in a sentence: ``ε = 0.1``."""
    name, value = ("e^ε", asked.below) if asked.epsilon is None else ("ε", asked.epsilon)
    shown = decimal(value)
    return f"{name} {shown}" if shown.startswith("≈") else f"{name} = {shown}"


def plan_body(plan: FixedPlan) -> dict[str, object]:
    """The best plan of questions decided in advance, and what as many gain that are not, as JSON."""
    return {
        "questions": plan.questions,
        "inputs": list(plan.inputs),
        "lower": json_number(plan.lower, "lower"),
        "upper": json_number(plan.upper, "upper"),
        "exact": plan.exact,
        "adaptive": {
            "lower": json_number(plan.adaptive_lower, "lower"),
            "upper": json_number(plan.adaptive_upper, "upper"),
        },
    }


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
                "probability": json_number(word.probability),
                "other": json_number(word.other),
                "ratio": None if word.ratio is None else json_number(word.ratio),
            }
            | ({} if witness.strategy is None else {"inputs": list(word.inputs)})
            for word in witness.words
        ],
    }
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
