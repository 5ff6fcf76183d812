"""``trace``: exact probabilities ν_s of words and events, and Δ of pairs of states on them.

With ``--exp-epsilon`` Δ is exact. With ``--epsilon`` it lies between its values at the two rational bounds of e^ε; the
text shows the upper one, the JSON both. A file of events has one word per line, blank lines between events, and
comments after ``#``.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ...cancel import Cancel
from ...cli import question as q
from ...cli.command import BRIEF, Reply, Session, Shown, Verb
from ...cli.options import Asked, repeat_option, text, value
from ...errors import Defect, FormatError, InputError
from ...model import Chain
from ...model.sandwich import shown_by
from ...model.words import Word, letters_seen, parse_word, program_outputs, words
from ...parameters import whole
from ...results.scope import Scope
from ...results.text import list_first
from .show import Trace, Traces
from .verb import chain_letters, trace_of

if TYPE_CHECKING:
    from ...numbers.field import Exact

FEW_STATES = 8
"""A model without a relation and with at most so many states is shown from all of them."""
LONGEST_WORD = 10_000
"""Letters of --length: listing words takes time quadratic in their length."""
MOST_LISTED = 10**9

WRITTEN = 'outputs separated by blanks, "a b c"; after a label with inputs, the input that is given; repeatable'
WORD = repeat_option("--word", "W", WRITTEN)
EVENTS = text("--events", "FILE", "one output sequence per line; blank lines separate events")
LENGTH = value("--length", "H", whole("length", 0, LONGEST_WORD), "all possible sequences of H outputs")
AT_MOST = "at most N sequences of --length (default: 1000)"
LIMIT = value("--limit", "N", whole("limit", 0, MOST_LISTED), AT_MOST).default("1000")
START = "a state to start from; repeatable (default: those of --pair or of the relation, else all if few)"
STATE = repeat_option("--state", "S", START)

AskedEvent = tuple[str, tuple[Word, ...]]
"""Its kind, word or event, and its words."""


def _trace(asked: Asked, session: Session) -> Reply:
    """The probabilities."""
    events = _events(asked)
    at = q.at_of(asked) if any(map(asked.is_given, q.AT)) else None
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel, sandwiched=True)
        # Each event is asked of a chain that has its numbers and tails for letters.
        chains = [shown_by(model.chain, event) for _, event in events]
        chain = shown_by(model.chain, ())
        model = replace(model, chain=chain)
        pairs = q.pairs_of(asked, chain) if asked[q.PAIR] or at is not None else []
        states = _states(asked, chain, pairs)
        pairs = pairs if at is not None else []
        needed = list(dict.fromkeys([*states, *(state for pair in pairs for state in pair)]))
        strangers = _strangers(session, chains, needed, events)
        results = [trace_of(shown, needed, event, cancel) for shown, (_, event) in zip(chains, events, strict=True)]
        complete = True
        length = asked[LENGTH]
        if length is not None:
            found, complete = _words_of_length(chain, needed, length, asked[LIMIT], cancel)
            results += found
    notes = []
    if not complete:
        notes.append(f"only the first {asked[LIMIT]} words of length {asked[LENGTH]} are shown; see --limit")
    kinds = [kind for kind, _ in events]
    traces = Traces(
        results=tuple(results),
        kinds=(*kinds, *("word" for _ in results[len(kinds) :])),
        states=tuple(chain.states[s] for s in states),
        pairs=tuple((chain.states[s], chain.states[t]) for s, t in pairs),
        exp_epsilon=at,
        complete=complete,
        unknown_letters=tuple(strangers),
        scope=Scope.of(chain),
    )
    if asked[BRIEF]:
        shown = (replace(r, states=traces.states, chances=tuple(r[s] for s in traces.states)) for r in results)
        lines = "\n".join(each.headline for each in shown)
        return Reply(result=Shown(lines, {}), model=model, at=at, notes=notes)
    return Reply(result=traces, model=model, at=at, notes=notes)


def _strangers(
    session: Session, chains: Sequence[Chain], states: Sequence[int], events: Sequence[AskedEvent]
) -> list[str]:
    """Letters of the events that no state shows, each of the chain of its event; says so, and also which words cannot
    begin as they do.
    """
    if not events:
        return []
    strangers = sorted(
        {
            letter
            for chain, (_, event) in zip(chains, events, strict=True)
            for state in states
            for word in event
            for letter in letters_seen(chain, chain_letters(chain, state, word))
            if letter not in chain.by_label
        }
    )
    chain = chains[0]
    if strangers:
        session.note(f"no state of the model shows {list_first(strangers)}: words with it have probability 0")
    begins = {chain.labels[state] for state in states}
    other = sorted(
        {word[0] for _, event in events for word in event if word and word[0] not in begins} - set(strangers)
    )
    if other:
        labels = list_first(sorted(begins), 3)
        session.note(
            f"a word begins with the label of its start state, here {labels}; none begins with {list_first(other)}, "
            "so such words have probability 0"
        )
    return strangers


def _events(asked: Asked) -> list[AskedEvent]:
    """The words and events that were written out, in order."""
    events: list[AskedEvent] = []
    defects = []
    for given in asked[WORD]:
        try:
            events.append(("word", (parse_word(given),)))
        except ValueError as reason:
            defects.append(Defect(f"--word {given!r}", str(reason)))
    if defects:
        raise InputError(defects)
    path = asked[EVENTS]
    if path is not None:
        events += [("event", tuple(event)) for event in read_events(path)]
    return events


def read_events(path: str) -> list[list[Word]]:
    """The events of a file, in order; FormatError with every bad line, InputError if it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(Defect(path, f"cannot read the events: {reason}")) from None
    events: list[list[Word]] = [[]]
    defects: list[Defect] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped:
            events.append([])
        elif not stripped.startswith("#"):
            try:
                events[-1].append(parse_word(stripped))
            except ValueError as reason:
                defects.append(Defect(f"{path}:{number}", str(reason)))
    found = [event for event in events if event]
    if not found and not defects:
        fix = "write one output sequence per line, and a blank line between events"
        defects.append(Defect(path, "it holds no event", fix))
    if defects:
        raise FormatError(defects)
    return found


def _states(asked: Asked, chain: Chain, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The states to start from, each once."""
    if asked[STATE]:
        return q.states_named(chain, asked[STATE], "--state")
    related = dict.fromkeys(state for pair in pairs or chain.relation for state in pair)
    if related:
        return list(related)
    if len(chain) <= FEW_STATES:
        return list(range(len(chain)))
    what = f"the model has {len(chain)} states and carries no relation"
    raise InputError(Defect("--state", what, f"name some of them: {list_first(chain.states, 20)}"))


def _words_of_length(
    chain: Chain, states: Sequence[int], length: int, limit: int, cancel: Cancel
) -> tuple[list[Trace], bool]:
    """The first ``limit`` words in lexical order that some of the states can show; whether these are all."""

    def tag(state: int) -> Iterator[tuple[Word, int, Exact]]:
        return ((word, state, p) for word, p in words(chain, state, length))

    merged = heapq.merge(*map(tag, states), key=itemgetter(0))
    names, scope = tuple(chain.states[state] for state in states), Scope.of(chain)
    found: list[Trace] = []
    for word, group in groupby(merged, key=itemgetter(0)):
        if len(found) == limit:
            return found, False
        chances = dict.fromkeys(states, Fraction(0)) | {state: p for _, state, p in group}
        found.append(Trace((program_outputs(chain, word),), names, tuple(chances[state] for state in states), scope))
        cancel.report(f"{len(found)} words of length {length}")
    return found, True


def _check(asked: Asked) -> Iterator[Defect]:
    if any(map(asked.is_given, q.AT)):
        yield from q.check_epsilon(asked)
    if not any(map(asked.is_given, (WORD, EVENTS, LENGTH))):
        yield Defect("trace", "nothing to measure", "give --word, --events or --length")


TRACE = Verb(
    "trace",
    """
deltachain trace example:coin --word "start heads" --word "start tails"
deltachain trace example:coin --length 3 --exp-epsilon 3/2
deltachain trace model.json --state s0 --state s1 --events events.txt --json
""",
    (*q.MODEL_OPTIONS, WORD, EVENTS, LENGTH, LIMIT, STATE, *q.PAIR_OPTIONS, *q.AT),
    _trace,
    (q.check_pairs, _check),
)
