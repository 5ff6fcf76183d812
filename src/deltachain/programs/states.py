"""The states of a program's chain, in the order in which runs meet them, with their rows and names.

A state is a letter with the configuration after it, a question, the end, or divergence. First everything is explored,
state by state and from each along the draws, first outcomes first; then hidden steps are folded into rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from ..errors import Defect
from ..model import Moves as ChainMoves
from ..model import Row
from .explore import DIVERGES, END, START, Explorer, Moves, prompt_of
from .fold import Folding
from .graph import Kind
from .source import ProgramError
from .values import Value

TRANSITIONS_PER_STATE = 20
"""A chain may have so many transitions for each state that it may have."""

BYTES_PER_STATE, BYTES_PER_TRANSITION = 1_000, 150
"""What one takes, about."""

NAME_LENGTH = 40
"""How much of a letter is kept in a name, in characters."""

_DRAWS, _UNSEEN = -1, -2
"""In place of what a configuration shows: it draws; it has not been looked at."""

NO_MOVES = Moves((), (), 1)


class State(NamedTuple):
    """What has just been seen, and the configuration in which the run stands: it asks, or goes on from there."""

    letter: str
    configuration: int
    asks: bool = False


class States:
    """The states that an explorer's entries reach, ``rows`` and all; ProgramError when a budget runs out."""

    def __init__(self, explorer: Explorer, entries: Sequence[int]) -> None:
        self._explorer = explorer
        self.states = [State(START, entry) for entry in entries]
        self._numbers: dict[State, int] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        """The options of each prompt."""
        self._answers: dict[int, list[int]] = {}
        self._moves: list[Moves] = []
        self._seen: list[int] = []
        explored = 0
        while explored < len(self.states):
            for root in self._roots(explored):
                self._explore(root)
            explored += 1
        self._refuse_announced_prompts()

    @property
    def labels(self) -> tuple[str, ...]:
        """What is seen in each state."""
        return tuple(state.letter for state in self.states)

    def values(self, state: int) -> Mapping[str, Value]:
        """The variables in a state."""
        here = self.states[state].configuration
        return {} if here == Explorer.DEAD_END else self._explorer.values(here)

    def _roots(self, number: int) -> Sequence[int]:
        """Where runs go on from a state: after each answer, if it asks."""
        state = self.states[number]
        if state.letter in (END, DIVERGES):
            return ()
        if not state.asks:
            return (state.configuration,)
        if state.configuration not in self._answers:
            options = self._explorer.question(state.configuration)
            self.inputs[state.letter] = tuple(name for name, _ in options)
            found = [self._explorer.answered(state.configuration, value) for _, value in options]
            self._answers[state.configuration] = found
        return self._answers[state.configuration]

    def _explore(self, root: int) -> None:
        """Look at all configurations that the root leads to without anything being seen, first outcomes first."""
        explorer, stack = self._explorer, [root]
        while stack:
            c = stack.pop()
            if c == Explorer.DEAD_END:
                self._number(State(DIVERGES, c))
                continue
            if c >= len(self._seen):
                new = len(explorer.points) - len(self._seen)
                self._seen.extend([_UNSEEN] * new)
                self._moves.extend([NO_MOVES] * new)
            if self._seen[c] != _UNSEEN:
                continue
            kind = explorer.instruction(c).kind
            if kind is Kind.DRAW:
                self._seen[c] = _DRAWS
                self._moves[c] = explorer.draws(c)
                stack.extend(reversed(self._moves[c].targets))
            elif kind is Kind.ANNOUNCE:
                self._seen[c] = self._number(State(*explorer.letter(c)))
            elif kind is Kind.ASK:
                prompt = prompt_of(name for name, _ in explorer.question(c))
                self._seen[c] = self._number(State(prompt, c, asks=True))
            else:
                self._seen[c] = self._number(State(END, Explorer.DEAD_END))

    def _number(self, state: State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
            limit = self._explorer.max_states
            if number >= limit and state.configuration != Explorer.DEAD_END:
                point = self._explorer.points[state.configuration]
                here = [s.configuration for s in self.states if s.configuration != Explorer.DEAD_END]
                here = [c for c in here if self._explorer.points[c] == point]
                what, cost = f"more than {limit:,} states", limit * BYTES_PER_STATE
                raise self._explorer.too_many(what, here, self._explorer.raising(cost))
        return number

    def _refuse_announced_prompts(self) -> None:
        """A letter that looks like a prompt would let the observer ask where the program does not."""
        for letter, _, asks in self.states:
            if letter in self.inputs and not asks:
                asking = next(state for state in self.states if state.asks and state.letter == letter)
                place = str(self._explorer.instruction(asking.configuration).place)
                what = f"this question looks like {letter!r}, which is also announced"
                raise ProgramError(Defect(place, what, "announce another word"))

    def rows(self) -> tuple[ChainMoves, ...]:
        """The rows of every state, one for each input."""
        roots = [self._roots(state) for state in range(len(self.states))]
        diverges = self._numbers.get(State(DIVERGES, Explorer.DEAD_END), len(self.states))
        flat = [root for some in roots for root in some]
        folding = Folding(self._explorer, self._moves, self._seen, flat, diverges)
        found: dict[int, Row] = {}
        transitions = 0
        for root in flat:
            if root not in found:
                found[root] = tuple(sorted(folding.law(root).items()))
            transitions += len(found[root])
            self._check_transitions(transitions, root)
        if diverges == len(self.states) and any(target == diverges for row in found.values() for target, _ in row):
            self._number(State(DIVERGES, Explorer.DEAD_END))
            roots.append(())
        stay = [((state, Fraction(1)),) for state in range(len(self.states))]
        return tuple(tuple(found[root] for root in some) or (stay[state],) for state, some in enumerate(roots))

    def _check_transitions(self, transitions: int, root: int) -> None:
        limit = TRANSITIONS_PER_STATE * self._explorer.max_states
        if transitions > limit:
            place = str(self._explorer.instruction(root).place)
            what = f"more than {limit:,} transitions: too many different announcements follow from hidden draws here"
            fix = f"announce in smaller parts, or {self._explorer.raising(limit * BYTES_PER_TRANSITION)}"
            raise ProgramError(Defect(place, what, fix))

    def names(self, taken: Iterable[str], first: int) -> list[str]:
        """Names of the states from number ``first`` on, all different, and different from those ``taken``."""
        return state_names([Moment(state.letter, self._where(state)) for state in self.states[first:]], taken)

    def _where(self, state: State) -> str:
        if state.configuration == Explorer.DEAD_END:
            return ""
        upcoming = self._explorer.instruction(state.configuration)
        return "end" if upcoming.kind is Kind.RETURN else str(upcoming.place.line)


class Moment(NamedTuple):
    """What a state's name is made from: the letter, and where the program goes on (``12``, ``end``; empty: nowhere)."""

    letter: str
    where: str


def state_names(moments: Sequence[Moment], taken: Iterable[str]) -> list[str]:
    """One name per moment, all different, and different from those ``taken``."""
    short = [Moment(m.letter if len(m.letter) <= NAME_LENGTH else f"{m.letter[: NAME_LENGTH - 1]}…", m.where)
             for m in moments]  # fmt: skip
    letters, places = Counter(moment.letter for moment in short), Counter(short)
    used, numbers = set(taken), dict[str, "count[int]"]()
    names: list[str] = []
    for moment in short:
        name = moment.letter if letters[moment.letter] == 1 or not moment.where else f"{moment.letter}@{moment.where}"
        unique = name
        while unique in used or (unique == name and places[moment] > 1):
            unique = f"{name}#{next(numbers.setdefault(name, count(1)))}"
        used.add(unique)
        names.append(unique)
    return names
