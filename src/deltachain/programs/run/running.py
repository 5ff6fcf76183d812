"""One run of a program: the graph that `Program.chain` explores, executed along one outcome of each draw.

Deterministic steps, laws, letters and questions are the explorer's own; only what it does at a draw is another thing.
It asks a source (`draws`) for one outcome of the law, with no tail cut off, and goes on from there. So what runs is
what is proved, and not what Python would make of the same text.

A run is seen as a word (`model.words`): ``start``, then the letters, at a question its prompt and the answer, then
``end``, or ``diverges`` where nothing will come any more. The latter is found out: a loop without draws by the
explorer, as ever; one with draws when it has drawn long enough without a letter, and no letter can be reached from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from operator import index
from typing import Any

from ...cancel import Cancel
from ...draws.laws import DrawnLaw, Weighted
from ...draws.source import DrawSource
from ...draws.walks import Observer
from ...errors import Defect, InputError
from ..language.graph import ABSENT, SPENT, Constant, Environment, Graph, Instruction, Kind
from ..language.numbers import Moves
from ..language.source import Problem, ProgramError
from ..language.values import Value, identity, truth
from .explore import DIVERGES, END, START, Code, Explorer, letter_of, prompt_of

MOST_STEPS = 20_000_000
"""How many steps a run may take between two letters; long values count as more."""
MOST_LETTERS = 1_000_000
"""How many letters a run may have that is to be returned whole."""
FIRST_LOOK = 1_000
"""After so many draws without a letter, and then twice as many, …, it is asked whether one can come at all."""
MOST_LOOKED_AT = 20_000
"""How many configurations are looked at for that."""
MOST_KEPT = 100_000
"""How many values and laws are kept to be found again; a run may go on for ever."""


class Runner(Explorer):
    """Executes a graph, draw by draw; one run after the other."""

    def __init__(self, graph: Graph, numbers: frozenset[str], cancel: Cancel | None = None) -> None:
        super().__init__(graph, MOST_LOOKED_AT, cancel or Cancel(), numbers)
        self._drawn: dict[tuple[object, ...], DrawnLaw] = {}
        self._since_letter = 0

    @property
    def ends(self) -> bool:
        """Whether a run can come to an end: not in ``while True`` without a way out."""
        found, stack = set[int](), [self.graph.entry]
        while stack:
            point = stack.pop()
            if point in found:
                continue
            found.add(point)
            i = self.graph.instructions[point]
            if i.kind is Kind.RETURN:
                return True
            stack.extend(_followers(i))
        return False

    def word(self, values: Mapping[str, Value], source: DrawSource, answer: Observer | None = None) -> Iterator[str]:
        """The word of one run, letter by letter.

        Raises ProgramError: something goes wrong on the way, nobody answers, or too many steps make no letter.
        """
        yield START
        environment = self.make_environment(values)
        seen = [START]
        draws, next_look = 0, FIRST_LOOK
        self._since_letter = 0
        point = self.ahead(self.graph.entry, environment, self.steps, values)
        while point is not None:
            i = self.graph.instructions[point]
            if i.kind is Kind.RETURN:
                yield END
                return
            if draws == next_look:
                next_look *= 2
                if self._silent(point, environment):
                    break
            letters: tuple[str, ...] = ()
            try:
                if i.kind is Kind.DRAW:
                    draws += 1
                    environment[self.slots[i.writes[0]]] = self._outcome(point, i, environment, source)
                elif i.kind is Kind.ANNOUNCE:
                    letters = (letter_of(self.arguments(point, environment)[0]),)
                else:
                    letters = self._answer(point, i, environment, answer, seen)
            except Problem as problem:
                raise self.error(problem, i.place, environment) from None
            if letters:
                yield from letters
                if answer is not None:
                    seen.extend(letters)
                self._since_letter, draws, next_look = 0, 0, FIRST_LOOK
                if len(self._codes) > MOST_KEPT:
                    self._forget(environment)
            point = self.ahead(i.next, environment, self.steps)
        yield DIVERGES

    def charge(self, steps: int) -> None:
        """Count steps; Problem when there are too many without a letter."""
        self._since_letter += steps
        self.look_up(steps, "running the program")
        if self._since_letter > MOST_STEPS:
            what = f"more than {MOST_STEPS:,} steps without a letter: this part of the program may never end"
            raise Problem(what, "announce more often, or let the run end")

    def _outcome(self, point: int, i: Instruction, environment: Environment, source: DrawSource) -> Value:
        arguments = self.arguments(point, environment)
        key = (i.distribution, *(value if type(value) is int else self.code(value) for value in arguments))
        law = self._drawn.get(key)
        if law is None:
            if len(self._drawn) >= MOST_KEPT:
                self._drawn.clear()
            law = self._drawn[key] = i.distribution(*arguments)  # type: ignore[misc]  # a draw has one
        try:
            found: Any = source.draw(law)
        except InputError as error:  # a number that nobody can draw from
            raise Problem(error.defects[0].what, error.defects[0].fix) from None
        # A recorder may hand out noise that is not a number yet.
        return found if isinstance(law, Weighted) else index(found)

    def _answer(
        self, point: int, i: Instruction, environment: Environment, answer: Observer | None, seen: list[str]
    ) -> tuple[str, str]:
        """Ask the observer; the prompt, and what they say."""
        options = self.options(point, environment)
        prompt = prompt_of(name for name, _ in options)
        if answer is None:
            raise Problem(f"the observer is asked {prompt!r}, and nobody answers", "give `answer`, a function")
        given = answer(tuple(name for name, _ in options), (*seen, prompt))
        for name, value in options:
            if (isinstance(given, str) and given == name) or _same(given, value):
                environment[self.slots[i.writes[0]]] = value
                return prompt, name
        raise Problem(f"{given!r:.60} is not an answer to {prompt!r}", "answer with one of the options")

    def _silent(self, point: int, environment: Environment) -> bool:
        """Whether it is certain that no letter comes any more: no way from here leads to one, or to the end."""
        taken, self._since_letter = self._since_letter, 0
        try:
            here = self.number(point, self.key(point, environment))
            found, stack = {here}, [here]
            while stack:
                c = stack.pop()
                if c == self.DEAD_END:
                    continue
                moves = self.draws(c) if c >= 0 and self.instruction(c).kind is Kind.DRAW else None
                if not isinstance(moves, Moves) or len(found) > MOST_LOOKED_AT:
                    return False  # a letter, the end, noise that is cut off or announced, or too much to tell
                new = set(moves.targets) - found
                found |= new
                stack.extend(new)
        except ProgramError:
            return False  # a way that goes wrong: who gets there says so
        finally:
            self._since_letter = taken
        return True

    def _forget(self, environment: Environment) -> None:
        """Start anew with what is kept to be found again: only the values of the environment stay."""
        self._codes = {ABSENT: Code(ABSENT)}
        self._by_object = {id(ABSENT): self._codes[ABSENT]}
        self._numbers = [{} for _ in self._numbers]
        self.points, self.keys = [], []
        for kept in (self._results, self._drawn, self._laws, self._weighed):
            kept.clear()
        for slot, value in enumerate(environment):
            if slot != SPENT and type(value) is not int and value is not ABSENT:
                environment[slot] = self.code(value).value


def _followers(i: Instruction) -> tuple[int, ...]:
    """Where a run may go on; a test of something known leads one way."""
    if i.kind is Kind.BRANCH and isinstance(i.reads[0], Constant) and i.reads[0].value is not None:
        try:
            return (i.next if truth(i.reads[0].value) or i.otherwise is None else i.otherwise,)
        except Problem:
            return ()
    return i.successors


def _same(given: object, value: Value) -> bool:
    """Whether an answer is the value of an option."""
    return type(given) is type(value) and identity(given) == identity(value)


def whole_word(program: str, word: Iterator[str], steps: int | None) -> tuple[str, ...]:
    """The letters of a run after its start, at most ``steps``; ProgramError if they are too many without a limit."""
    found = tuple(islice(word, 1, (MOST_LETTERS if steps is None else steps) + 1))
    if steps is None and len(found) == MOST_LETTERS:
        what = f"a run of {program} has {MOST_LETTERS:,} letters and more"
        raise ProgramError(Defect("", what, "give `steps`, how many letters are wanted"))
    return found
