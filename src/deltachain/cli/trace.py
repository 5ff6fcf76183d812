"""``deltachain trace``: exact probabilities ν_s of words and events, and Δ_α of pairs of states on them.

With ``--exp-epsilon`` Δ_α is exact. With ``--epsilon`` it lies between its values at the two rational bounds
of e^ε; the text shows the upper one, the JSON both.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Chain
from ..model.words import Word, event_probability, letters_seen, parse_word, skewed_difference, words, written_word
from ..rational import ExpEpsilon
from ..render.document import document
from ..render.numbers import bound, exactly, json_number
from ..render.results import shown_name
from ..render.table import listed, printable, shortened, table
from .exits import Exit
from .options import (
    add_epsilon,
    add_model,
    add_pairs,
    exp_epsilon_of,
    load_model,
    pairs_of,
    states_named,
)
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .words import read_events

USAGE = """
deltachain trace example:coin --word "start heads" --word "start tails"
deltachain trace example:coin --length 3 --exp-epsilon 3/2
deltachain trace model.json --state s0 --state s1 --events events.txt --json
"""

FEW_STATES = 8
"""A model without a relation and with at most so many states is shown from all of them."""


@dataclass(frozen=True, slots=True)
class Question:
    """From which states probabilities are asked for, and Δ_α of which pairs."""

    chain: Chain
    states: list[int]
    pairs: list[tuple[int, int]]
    exp_epsilon: ExpEpsilon | None

    @property
    def needed(self) -> list[int]:
        """Every state whose probabilities enter the answer, once."""
        return list(dict.fromkeys([*self.states, *(state for pair in self.pairs for state in pair)]))


@dataclass(frozen=True, slots=True)
class Measured:
    """One event, and its probability from each state that the question needs."""

    kind: str
    event: tuple[Word, ...]
    probabilities: dict[int, Fraction]


LONGEST_SHOWN = 60
"""Characters of a word in a table; the JSON has it whole."""

LONGEST_WORD = 10_000
"""Letters of --length: listing words takes time quadratic in their length."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "trace", "Exact probabilities of words and events from each state.", USAGE)
    add_model(parser)
    parser.add_argument(
        "--word",
        action="append",
        default=[],
        metavar="W",
        help='letters separated by blanks, "a b c"; after a label with inputs, the input that is given; repeatable',
    )
    parser.add_argument("--events", metavar="FILE", help="one word a line; blank lines separate events")
    parser.add_argument("--length", type=_natural, metavar="H", help="all words of H letters that are possible")
    parser.add_argument(
        "--limit",
        type=_natural,
        default=1000,
        metavar="N",
        help="at most N words of --length (default: 1000)",
    )
    text = "a state to start from; repeatable (default: those of --pair or of the relation, else all if few)"
    parser.add_argument("--state", action="append", default=[], metavar="S", help=text)
    add_pairs(parser)
    add_epsilon(parser)
    add_output(parser)
    parser.set_defaults(execute=execute)


def _natural(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of this kind: 0, 1, 2, …")
    return int(text)


def execute(args: argparse.Namespace) -> int:
    """Print the probabilities."""
    started = time.perf_counter()
    asked = _asked(args)
    with work_of(args) as cancel:
        model = load_model(args, cancel)
        chain, question = model.chain, _question(args, model.chain)
        seen = {letter for _, event in asked for word in event for letter in letters_seen(chain, word)}
        strangers = sorted(seen - set(chain.alphabet))
        if strangers:
            note(args, f"no state of the model shows {listed(strangers)}: words with it have probability 0")
        results = [
            Measured(kind, event, {s: event_probability(chain, s, event) for s in question.needed})
            for kind, event in asked
        ]
        complete = True
        if args.length is not None:
            found, complete = _words_of_length(chain, question.needed, args.length, args.limit, cancel)
            results += found
    if not complete:
        note(args, f"only the first {args.limit} words of length {args.length} are shown; see --limit")
    seconds = time.perf_counter() - started
    body = {"complete": complete, "unknown_letters": strangers}

    def whole() -> dict[str, object]:
        entries = {"results": [_entry(question, measured) for measured in results]}
        exp_epsilon = question.exp_epsilon
        return document("deltachain.trace/1", entries | body, model=model, exp_epsilon=exp_epsilon, seconds=seconds)

    text = _text(question, results)
    deliver(args, whole, text if len(results) > 1 or not args.brief else _line(question, results[0]), lambda: "")
    return Exit.DONE


def _asked(args: argparse.Namespace) -> list[tuple[str, tuple[Word, ...]]]:
    """The words and events that were written out, in order, with their kind."""
    if args.length is not None and args.length > LONGEST_WORD:
        raise InputError(Defect("--length", f"{args.length} letters", f"words of at most {LONGEST_WORD} are listed"))
    if not args.word and args.events is None and args.length is None:
        raise InputError(Defect("trace", "nothing to measure", "give --word, --events or --length"))
    asked: list[tuple[str, tuple[Word, ...]]] = []
    defects = []
    for text in args.word:
        try:
            asked.append(("word", (parse_word(text),)))
        except ValueError as reason:
            defects.append(Defect(f"--word {text!r}", str(reason)))
    if defects:
        raise InputError(defects)
    if args.events is not None:
        asked += [("event", tuple(event)) for event in read_events(args.events)]
    return asked


def _question(args: argparse.Namespace, chain: Chain) -> Question:
    exp_epsilon = None if args.epsilon is None and args.exp_epsilon is None else exp_epsilon_of(args)
    pairs = pairs_of(args, chain) if args.pair or exp_epsilon is not None else []
    return Question(chain, _states(args, chain, pairs), pairs if exp_epsilon is not None else [], exp_epsilon)


def _states(args: argparse.Namespace, chain: Chain, pairs: list[tuple[int, int]]) -> list[int]:
    """The states to start from, each once."""
    if args.state:
        return states_named(chain, args.state, "--state")
    related = dict.fromkeys(state for pair in pairs or chain.relation for state in pair)
    if related:
        return list(related)
    if len(chain) <= FEW_STATES:
        return list(range(len(chain)))
    what = f"the model has {len(chain)} states and carries no relation"
    raise InputError(Defect("--state", what, f"name some of them: {listed(chain.states, 20)}"))


def _words_of_length(
    chain: Chain, states: list[int], length: int, limit: int, cancel: Cancel
) -> tuple[list[Measured], bool]:
    """The first ``limit`` words in lexical order that some of the states can show; whether these are all."""

    def tagged(state: int) -> Iterator[tuple[Word, int, Fraction]]:
        return ((word, state, p) for word, p in words(chain, state, length))

    merged = heapq.merge(*map(tagged, states), key=itemgetter(0))
    found: list[Measured] = []
    for word, group in groupby(merged, key=itemgetter(0)):
        if len(found) == limit:
            return found, False
        probabilities = dict.fromkeys(states, Fraction(0)) | {state: p for _, state, p in group}
        found.append(Measured("word", (word,), probabilities))
        cancel.report(f"{len(found)} words of length {length}")
    return found, True


def _difference(measured: Measured, pair: tuple[int, int], exp_epsilon: ExpEpsilon) -> tuple[Fraction, Fraction]:
    """Bounds (lower, upper) of Δ at e^ε, equal when e^ε was given exactly: Δ_α falls as α grows."""
    x, y = measured.probabilities[pair[0]], measured.probabilities[pair[1]]
    return skewed_difference(x, y, exp_epsilon.above), skewed_difference(x, y, exp_epsilon.below)


def _entry(question: Question, measured: Measured) -> dict[str, object]:
    names = question.chain.states
    entry: dict[str, object] = {
        "kind": measured.kind,
        "words": [list(word) for word in measured.event],
        "probabilities": {names[s]: json_number(measured.probabilities[s]) for s in question.states},
    }
    if question.exp_epsilon is not None:
        differences = []
        for s, t in question.pairs:
            lower, upper = _difference(measured, (s, t), question.exp_epsilon)
            bounds = {"lower": json_number(lower, "lower"), "upper": json_number(upper, "upper")}
            differences.append({"pair": [names[s], names[t]], **bounds})
        entry["differences"] = differences
    return entry


def _text(question: Question, results: list[Measured]) -> str:
    names, exp_epsilon = question.chain.states, question.exp_epsilon
    header = ["word or event", *(names[s] for s in question.states)]
    header += [f"Δ({names[s]}, {names[t]})" for s, t in question.pairs]
    rows = []
    for measured in results:
        cells = [_title(measured), *(exactly(measured.probabilities[s]) for s in question.states)]
        if exp_epsilon is not None:
            differences = [_difference(measured, pair, exp_epsilon) for pair in question.pairs]
            cells += [exactly(upper) if lower == upper else bound(upper, "upper") for lower, upper in differences]
        rows.append(cells)
    return table(header, rows)


def _title(measured: Measured) -> str:
    """The word, or the first of the event's; a long one by its two ends, so that a row fits a terminal."""
    first, *others = map(written_word, measured.event)
    letters = f" ({len(measured.event[0])} letters)" if len(first) > LONGEST_SHOWN else ""
    shown = shortened(first, LONGEST_SHOWN) + letters
    return shown if not others else f"{{{shown}, …}} ({len(measured.event)} words)"


def _line(question: Question, measured: Measured) -> str:
    """One event in one line."""
    names = question.chain.states
    chances = [f"{exactly(measured.probabilities[s])} from {shown_name(names[s])}" for s in question.states]
    return f"{printable(_title(measured))}: {', '.join(chances)}"
