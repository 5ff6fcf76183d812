"""The event that tells two states apart, or the strategy where the observer asks, as sections and as JSON.

An observer who guesses "state" whenever a word of the event E is seen gains ν_state(E) − e^ε·ν_other(E) over what ε
allows; δ is the most that any event gains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from ...numbers.fraction import round_down
from ...results.numbers import decimal, exact_text, exactly, json_bounds, json_number, outward, round_to_side
from ...results.sections import Paragraph, Section, Table
from ...results.text import printable, shorten, shown_name

if TYPE_CHECKING:
    from ...beliefs.graph.plans import FixedPlan
    from ...beliefs.graph.strategy import StrategyStep
    from ...beliefs.witness import Witness, WitnessWord  # brings flint, which the help does without
    from ...numbers.field import Exact

SHORT, SHORT_FORMULA = 12, 20
"""The longest fraction, and formula of e, in characters, that is shown beside a word's probability."""
SHOWN_STEPS = 40
"""Steps of a strategy that are shown; the JSON has more."""
LONGEST_WORD = 60
"""Longer words are shortened, so that they still differ."""


def witness_sections(witness: Witness, *, exact: bool) -> list[Section]:
    """The most telling words as a table, what they account for, and what an attacker gains; ``exact``: by no more."""
    state, other = shown_name(witness.state), shown_name(witness.other)
    columns = (f"from {state}", f"from {other}")
    if witness.bounded:
        columns = (f"at least, from {state}", f"at most, from {other}")
    if witness.strategy is not None:
        shown = witness.strategy.prune(witness.exp_epsilon, SHOWN_STEPS)
        title = f"What to ask, to tell {state} from {other}:"
        more = f"{_brings(witness, shown.gain(witness.exp_epsilon))}\n{_gain(witness, exact)}"
        return [Table(("what is seen, what to ask", *columns, ""), strategy_rows(shown, state, chance), title, more)]
    title = f"Outputs that tell {state} from {other}:"
    more = "\n".join(filter(None, [alike(witness), account_for(witness), _gain(witness, exact)]))
    if not witness.words:
        return [Paragraph(f"{title}\n{more}")]
    least, most = (_round_to_side("lower"), _round_to_side("upper")) if witness.bounded else (chance, chance)
    rows = [
        (shown, least(word.probability), most(word.other), ratio_of(word, witness.bounded))
        for shown, word in zip(shown_words(witness, LONGEST_WORD), witness.words, strict=True)
    ]
    return [Table(("outputs", *columns, ratio_name(witness)), rows, title, more)]


def ratio_name(witness: Witness) -> str:
    """What the likelihood ratios of a witness are called."""
    return "ratio, at least" if witness.bounded else "ratio"


def _round_to_side(side: Literal["lower", "upper"]) -> Callable[[Exact], str]:
    """A bound of a probability in a narrow column."""
    return lambda value: outward(value, side, 5)


def ratio_of(word: WitnessWord, bounded: bool) -> str:
    """The likelihood ratio of a word, rounded down where its probabilities are ``bounded``; ∞ where the other is 0."""
    if word.ratio is None:
        return "∞"
    return outward(word.ratio, "lower", 5) if bounded else decimal(word.ratio, 5)


def strategy_rows(root: StrategyStep, state: str, written: Callable[[Exact], str]) -> list[tuple[str, str, str, str]]:
    """The strategy as a tree: what is seen and asked then, both probabilities, and where to guess."""
    return [
        (
            branches + shorten(printable(step.label), LONGEST_WORD) + describe_action(step),
            written(step.probability),
            written(step.other),
            describe_guess(step, state),
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


def describe_action(step: StrategyStep) -> str:
    """What to do there, after a colon; nothing at an end or where there is no choice."""
    return f": ask {shorten(printable(step.asked), 40)}" if step.asked is not None else ""


def describe_guess(step: StrategyStep, state: str) -> str:
    """What to say at an end."""
    return {None: "", True: f"say {state}", False: "say nothing"}[step.guess]


BLANK, ARROW = " ", " → "
"""What stands between the outputs of a sequence: a blank, with quotes around outputs where they are needed; on a page
an arrow, with every output as it is."""


def written_path(word: Sequence[str], inputs: Sequence[str | None], between: str = BLANK) -> str:
    """A word with what is asked between its letters; without inputs, the word.

    >>> written_path(["menu", "mode1", "no"], ["probe", "q1"])
    'menu [probe] mode1 [q1] no'
    >>> written_path(["start", "all heads"], [])
    "start 'all heads'"
    >>> written_path(["start", "all heads"], [], ARROW)
    'start → all heads'
    """
    return between.join(_steps(word, inputs, between))


PLAIN_LETTER = re.compile(r"[^\s'\[\]×…]+")
"""Labels that cannot be taken for something else in a word; others are quoted."""


def _steps(word: Sequence[str], inputs: Sequence[str | None], between: str = BLANK) -> list[str]:
    """The letters as they are shown, each with what is asked after it."""
    asked = (*inputs, None) if any(inputs) else (None,) * len(word)
    letters = zip(word, asked, strict=True)
    shown = _letter if between == BLANK else str
    return [shown(letter) + ("" if name is None else f" [{shown(name)}]") for letter, name in letters]


def _letter(label: str) -> str:
    if PLAIN_LETTER.fullmatch(label):
        return label
    if "'" in label and '"' not in label and "\\" not in label:
        return f'"{label}"'
    return "'" + label.replace("\\", "\\\\").replace("'", "\\'") + "'"


def shown_words(witness: Witness, longest: int, between: str = BLANK) -> list[str]:
    """The words of a witness, long ones shortened so that no two look alike.

    First what repeats is counted, ``True×9``; then what all words have in common is left out; and where that is not
    enough, they are cut in the middle, as late as it takes to tell them apart.
    """
    paths = [_steps(word.shown, word.inputs, between) for word in witness.words]
    whole = [printable(between.join(path)) for path in paths]
    if all(len(text) <= longest for text in whole):
        return whole
    lengths = [len(path) for path in paths]
    for texts in ([_count_letters(path, between) for path in paths], _elide_common(paths, between)):
        if len(set(texts)) == len(set(whole)) and all(len(text) <= longest for text in texts):
            return [_with_length(*each) for each in zip(texts, whole, lengths, strict=True)]
    limit = longest
    while len({shorten(text, limit) for text in whole}) < len(set(whole)):
        limit *= 2
    return [_with_length(shorten(text, limit), text, length) for text, length in zip(whole, lengths, strict=True)]


def _with_length(text: str, whole: str, length: int) -> str:
    return text if text == whole else f"{text} ({length} outputs)"


def _count_letters(path: Sequence[str], between: str) -> str:
    """The word with how often each letter comes in a row."""
    runs = ((letter, len(list(times))) for letter, times in groupby(path))
    return printable(between.join(letter if times == 1 else f"{letter}×{times}" for letter, times in runs))


def _elide_common(paths: Sequence[Sequence[str]], between: str) -> list[str]:
    """The words with … where all of them agree for several letters, but for the first; whole if lengths differ."""
    if len({len(path) for path in paths}) != 1:
        return [printable(between.join(path)) for path in paths]
    same = [False, *(len(set(letters)) == 1 for letters in list(zip(*paths, strict=True))[1:])]
    shown = []
    for path in paths:
        parts: list[str] = []
        for agreed, letters in groupby(zip(same, path, strict=True), key=lambda step: step[0]):
            run = [letter for _, letter in letters]
            parts += ["…"] if agreed and len(run) > 1 else run
        shown.append(printable(between.join(parts)))
    return shown


FEW_LETTERS = 5
"""Of fewer letters, what words have in common is seen at a glance."""


def alike(witness: Witness) -> str:
    """What the words have in common, where a count of letters tells it; empty otherwise.

    Letters before and behind what differs are not counted where they occur nowhere else: a start, an end.
    """
    words = [list(word.shown) for word in witness.words]
    if len(words) < 2 or witness.strategy is not None or len({len(word) for word in words}) != 1:
        return ""
    for end in (0, -1):
        while words[0] and len({word[end] for word in words}) == 1:
            if any(words[0][end] in rest for word in words for rest in [word[1:] if end == 0 else word[:-1]]):
                break
            for word in words:
                word.pop(end)
    if len(words[0]) < FEW_LETTERS:
        return ""
    counts = {letter: [word.count(letter) for word in words] for letter in set(words[0])}
    # The most frequent; of several the first by name, so that the same words give the same sentence.
    letter, times = max(sorted(counts.items()), key=lambda item: min(item[1]))
    if 2 * min(times) <= len(words[0]):
        return ""
    how = "exactly" if min(times) == max(times) else "at least"
    return f"In each of them, {how} {min(times)} of {len(words[0])} outputs are {printable(_letter(letter))}."


def chance(value: Exact) -> str:
    """A probability in a narrow column: long numbers are left to the JSON."""
    longest = SHORT if isinstance(value, Fraction) else SHORT_FORMULA
    return exactly(value) if len(exact_text(value)) <= longest else decimal(value, 5)


def _brings(witness: Witness, shown: Exact) -> str:
    if shown == witness.advantage:
        return "This strategy accounts for the whole advantage."
    share = round_down(round_to_side(100 * shown / witness.advantage, "lower"), 1)
    return f"The part shown accounts for at least {decimal(share)} % of the advantage; what follows, for the rest."


def account_for(witness: Witness) -> str:
    """How much of the advantage the words that are listed bring; where there are none, why."""
    count = len(witness.words)
    if not count and not witness.searched:
        return "No strategy is listed: the probabilities along it are known within limits only."
    if not count and witness.most is not None:
        most = outward(witness.most, "upper", 3)
        spread = f"the advantage is spread over many, none of which gains more than {most}"
        return f"No single output sequence reveals much: {spread}."
    if not count:
        where = " in every chain within the limits" if witness.bounded else ""
        return f"No single output sequence was found that distinguishes the states{where}."
    what = "This output sequence accounts" if count == 1 else f"These {count} output sequences account"
    if witness.listed == witness.advantage:
        return f"{what} for the whole advantage."
    share = round_down(round_to_side(100 * witness.listed / witness.advantage, "lower"), 1)
    return f"{what} for at least {decimal(share)} % of the advantage; others account for the rest."


def _gain(witness: Witness, exact: bool) -> str:
    gain = outward(witness.advantage, "lower")
    amount = gain if exact and gain == decimal(witness.advantage) else f"at least {gain}"
    return (
        f"An attacker who guesses optimally gains {amount} over what ε allows: the event's probability from "
        f"{shown_name(witness.state)}, less e^ε times that from {shown_name(witness.other)}."
    )


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
                "word": list(word.shown),
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
