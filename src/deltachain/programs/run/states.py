"""The states of a program's chain, in the order in which runs meet them, with their rows and names.

A state is a letter with the configuration after it, a question, the end, or divergence. First everything is explored,
state by state and from each along the draws, first outcomes first; then hidden steps are folded into rows: from where a
run stands after a letter straight to the next thing that is seen, exactly.

The configurations that draw make a graph with integer weights; its leaves are the things that can be seen next. The law
of what follows a configuration c is the least solution of ``law(c) = Σ w(c, c')·law(c') / total(c)``. Only the *roots*
matter: the configurations in which a run stands when something has just been seen.

1. *Loops are left.* A strongly connected component C with a cycle gets, in place of its moves, the law of where it is
   left: ``(I − P_CC)⁻¹·(what leaves C)``. If nothing leaves C, a run in it never announces again and never ends: its
   whole mass is divergence. Otherwise every configuration of C leaves it with probability one, I − P_CC is invertible,
   and the system is solved in rationals, as for silent states of any chain (`model.elimination`). What remains is
   acyclic.
2. *Backwards, where that is cheaper.* A part of the graph with R > 1 roots would be walked R times. A configuration
   from which at most R things can be seen gets its law from its successors, once. Laws only get longer towards the
   roots, so the configurations that have one are closed under moves.
3. *Forwards.* From each root, mass one moves in topological order, and stops at leaves and at configurations with a
   law. A sum of n draws costs n², where laws of all configurations would cost n³.

Mass is a numerator over a denominator, in the arithmetic that the program's draws need (`numbers`): integers,
polynomials in e^(1/k), or intervals. Dividing integers by common factors at each step would cost more than the steps,
and never doing so would let the integers of some programs grow for ever: it is done whenever the denominator has
doubled in length. Mass that was cut off from unbounded noise is one more thing that is "seen next": the ``rest`` of a
row.

*Noise that is announced*, shifted by something known, multiplied or rounded down, and then forgotten, is not cut off
where that can be avoided. Announced is a·⌊(±Z + s)/q⌋ + b, with 0 ≤ b < a. Let the number of letters seen so far tell
a, b, q and the ratio r of the noise that is announced next, if any, and let T be more than any whole number that is
announced otherwise, and so far out that from T on ±Z ≥ 0. From every state, an announced value from T on is T' + a·G,
where T' is the first that may be announced, P(G = g) ∝ r^(q·g) whatever the state, and the run goes on in the same way
whatever G is. So the label ``≥ T`` says as much as the value: who sees it can draw G. The same holds below. The chain
is then finite, and δ is exactly that of the unbounded noise. If one state announced 2·Z and another Z, or 2·Z + 1, the
value would tell more than the label: who sees an odd number knows which it was not.

*Relative letters.* Let an announced integer be o = v + Σ f·(earlier outputs), where the letters seen so far tell Σ. Who
sees o computes v, and the other way round: a bijection of words, letter by letter, under which all probabilities stay
what they are, also those of an observer who asks. So v is the letter, which is independent of the earlier ones where o
is not. If one state announced a + b where another announced b, the difference would hide it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import count, product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...cancel import Cancel
from ...errors import Defect
from ...model.components import components
from ...model.elimination import solve
from ...model.outputs import MARK, NAMED, SEVERAL, Output, label_of
from ...model.rows import AnyRow, PointRow, Quotients
from ...numbers.fraction import round_up
from ..language.graph import Instruction, Kind
from ..language.numbers import (
    FIRST_REDUCTION,
    MAX_OUTCOMES,
    MOST_TOLD_APART,
    Integers,
    Intervals,
    Moves,
    Numbers,
    TooLong,
    Total,
    Weight,
    numbers_for,
)
from ..language.source import Problem, ProgramError
from ..language.unbounded import Normal, Span
from ..language.values import Value
from ..noise.noisy import COMPARED, NotDeferred, NotFollowed
from ..noise.phases import Phase
from ..noise.spread import beyond, reachable
from .explore import DIVERGES, END, START, Explorer, prompt_of
from .gaussians import Concentration, NotConcentrated

if TYPE_CHECKING:
    from ...model.outputs import Multiples
    from ..language.unbounded import Unbounded
    from ..noise.phases import Phases
    from ..noise.pieces import Stairs
    from ..noise.spread import Announced, ShownNoise

TRANSITIONS_PER_STATE = 20
"""A chain may have so many transitions for each state that it may have."""

BYTES_PER_STATE, BYTES_PER_TRANSITION = 1_000, 150
"""What one takes, about."""

NAME_LENGTH = 40
"""How much of a letter is kept in a name, in characters."""

_DRAWS, _UNSEEN = -1, -2
"""In place of what a configuration shows: it draws; it has not been looked at."""

NO_MOVES = Moves((), (), 1)

MAX_STEPS_TOGETHER = 10_000_000
"""How many configurations are followed to tell which noise is announced at which step."""


class State(NamedTuple):
    """What has just been seen, and the configuration in which the run stands: it asks, or goes on from there."""

    letter: str
    configuration: int
    asks: bool = False


class Explored(Protocol):
    """Configurations by number, and what each does next: those of a program, or of code that was recorded."""

    max_states: int
    cancel: Cancel
    enclosed: dict[str, None]
    """Why probabilities are enclosed that have no exact form."""

    @property
    def outputs(self) -> Mapping[str, Output]:
        """What letters stand for that are known beside earlier outputs."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done with noise, in words."""

    @property
    def points(self) -> Sequence[int]:
        """Where each configuration stands."""

    def values(self, configuration: int) -> Mapping[str, Value]:
        """The variables that have a value there."""

    def instruction(self, configuration: int) -> Instruction:
        """What the configuration stands before: its kind and place."""

    def stands_before(self, configuration: int) -> Kind:
        """The kind of what the configuration stands before."""

    def letter(self, configuration: int) -> tuple[str, int]:
        """What an announcing configuration shows, and the configuration after that."""

    def question(self, configuration: int) -> tuple[tuple[str, Value], ...]:
        """The options of an asking configuration."""

    def answer(self, configuration: int, value: Value) -> int:
        """The configuration after the observer has chosen an option."""

    def draws(self, configuration: int) -> Moves | Announced:
        """Where a drawing configuration goes; of noise that is announced, what is left to settle."""

    def spread_over(
        self, noise: Unbounded, spans: Sequence[Any], targets: Sequence[int], lost: Sequence[Span]
    ) -> Moves:
        """The moves to targets, span by span; lost spans are cut off."""

    def add_beside(self, configuration: int) -> int:
        """The number of one more configuration at the same point."""

    def look_up(self, steps: int, doing: str = ...) -> None:
        """Look at the deadline once in so many steps."""

    def advise_limit(self, taken: int) -> str:
        """What to raise, and what it would cost where all that is allowed now takes so many bytes."""

    def too_many(self, what: str, here: Sequence[int], fix: str) -> ProgramError:
        """Say where configurations pile up."""


class States:
    """The states that an explorer's entries reach, ``rows`` and all; ProgramError when a budget runs out."""

    def __init__(
        self, explorer: Explored, entries: Sequence[int], cut_because: str = "", phases: Phases | None = None
    ) -> None:
        """``cut_because`` is why the law of kept noise is not followed, if it was tried.

        With ``phases``, a tail may be several letters, which tell more than the numbers: `coarse` is what tells less.
        """
        self._explorer, self._phases = explorer, phases
        self.coarse: dict[str, str] = {}
        """Letters of a tail that is more than one → the letter that stands for all of them."""
        self.inner: set[str] = set()
        """Those of them that are neither a number, up to a factor, nor the limit of ever larger ones."""
        self.states = [State(START, entry) for entry in entries]
        self._starts = len(entries)
        self._numbers: dict[State, int] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        """The options of each prompt."""
        self._answers: dict[int, list[int]] = {}
        self._moves: list[Moves] = []
        self._seen: list[int] = []
        self._announced: dict[int, Announced] = {}
        """The draws some of whose outcomes are announced, by configuration, until all else is known."""
        self.step_by_step = False
        """Whether labels stand for tails of different ratios at different steps."""
        self.notes: list[str] = []
        """What was done with noise, in words."""
        self._cut_because = cut_because
        self._shows: dict[int, int] = {}
        """A configuration for each state that announced noise leads to."""
        explored = 0
        while explored < len(self.states):
            for root in self._roots(explored):
                self._explore(root)
            explored += 1
        self.outputs = dict(explorer.outputs)
        """What letters stand for that are not themselves what is announced."""
        if self._announced:
            self._settle_announced()
        self._refuse_announced_prompts()

    @property
    def cut_off(self) -> bool:
        """Whether announced noise, or kept noise, is cut off."""
        return bool(self._cut_because)

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
            found = [self._explorer.answer(state.configuration, value) for _, value in options]
            self._answers[state.configuration] = found
        return self._answers[state.configuration]

    def _explore(self, root: int) -> None:
        """Look at all configurations that the root leads to without anything being seen, first outcomes first."""
        explorer, stack = self._explorer, [root]
        while stack:
            c = stack.pop()
            if c < 0:
                if c == Explorer.DEAD_END:
                    self._number(State(DIVERGES, c))
                continue
            if c >= len(self._seen):
                self._make_room()
            if self._seen[c] != _UNSEEN:
                continue
            kind = explorer.stands_before(c)
            if kind is Kind.DRAW:
                self._seen[c] = _DRAWS
                moves = explorer.draws(c)
                if isinstance(moves, Moves):
                    self._moves[c] = moves
                    # Reversed, for a stack gives back the last first: states are numbered in the order of outcomes.
                    stack.extend(reversed(moves.targets))
                else:
                    self._announced[c] = moves
                    stack.extend(reversed([*moves.targets, *(shown.after for shown in moves.shown)]))
            elif kind is Kind.ANNOUNCE:
                self._seen[c] = self._number(State(*explorer.letter(c)))
            elif kind is Kind.ASK:
                prompt = prompt_of(name for name, _ in explorer.question(c))
                self._seen[c] = self._number(State(prompt, c, asks=True))
            else:
                self._seen[c] = self._number(State(END, Explorer.DEAD_END))

    def _make_room(self) -> None:
        new = len(self._explorer.points) - len(self._seen)
        self._seen.extend([_UNSEEN] * new)
        self._moves.extend([NO_MOVES] * new)

    # Noise that is announced.

    def concentration(self, pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Fraction]:
        """ρ of those of the pairs of start states whose losses are known to be concentrated (`gaussians`)."""
        found: dict[tuple[int, int], Fraction] = {}
        if not any(isinstance(of.noise, Normal) for of in self._announced.values()):
            return found
        costs = Concentration(self._explorer, lambda c: self._announced.get(c) or self._moves[c])
        for one, other in pairs:
            with suppress(NotConcentrated):
                found[min(one, other), max(one, other)] = costs.of(
                    (self.states[one].configuration, self.states[other].configuration)
                )
        return found

    def _settle_announced(self) -> None:
        """Give the draws that are announced their outcomes: letters for each tail, or a tail that is cut off."""
        all_shown = [(of.noise, shown) for of in self._announced.values() for shown in of.shown]
        relations = {*(one.relative for _, one in all_shown), *(known.relative for known in self.outputs.values())}
        # Letters that name a mark look like no others.
        sums = relations - {(), NAMED}
        kinds = {kind for noise, shown in all_shown for kind in _kinds(noise, shown)}
        geometric = all(kind.roots is not None for kind in kinds)
        together = geometric and self._are_alike(kinds) and not sums
        sides = {(kind.upper, kind.relative == NAMED) for kind in kinds}
        one_law = len({(kind.upper, kind.relative == NAMED, kind.roots) for kind in kinds}) == len(sides)
        steps = self._kinds_by_step() if geometric and not (together and one_law) else None
        # Where each step has ratios of its own, tails need fewer letters.
        together = together and steps is None
        steps = [kinds] if together else steps
        shared = steps is not None and not any(_FAR.fullmatch(s.letter) for s in self.states)
        self._tail_roots = self._roots_by_kind(steps or [])
        tails = {relative: self._tails(relative, all_shown) for relative in relations | {()}}
        near = all(_may_be_told_apart(noise, tails[shown.relative].size(shown)) for noise, shown in all_shown)
        # One label for a whole tail takes one geometric law beyond it, whatever the state: see the top of this module.
        shared &= near
        if sums:
            self._refuse_relative(near=near, alike=steps is not None)
        if not shared:
            self._say_why_cut(all_shown, alike=steps is not None)
            if self._phases is not None:
                raise NotFollowed(self._cut_because.partition(";")[0])
        for c, of in self._announced.items():
            letters: dict[tuple[Span | Phase, str], int] = {}
            lost = list(of.lost)
            try:
                for shown in of.shown:
                    parts = self._parts(of.noise, shown, tails) if shared else _cut_off(shown, of, lost)
                    letters.update(((span, letter), shown.after) for span, letter in parts)
            except Problem as problem:
                place = self._explorer.instruction(c).place
                raise ProgramError(problem.at(place).defect()) from None
            shows = [self._show(c, State(letter, after)) for (_, letter), after in letters.items()]
            targets = [*of.targets, *shows]
            self._explorer.look_up(len(targets), "compiling the program: announced noise")
            spans = [*of.spans, *(span for span, _ in letters)]
            self._moves[c] = self._explorer.spread_over(of.noise, spans, targets, lost)
        if shared:
            self.step_by_step = not together or NAMED in relations
            for noise, shown in all_shown:
                for letter, output in tails[shown.relative].outputs(noise, shown):
                    known = self.outputs.setdefault(letter, output)
                    if known.law != output.law:
                        self.outputs[letter] = output._replace(law=SEVERAL)
            self.outputs |= {letter: self.outputs[whole] for letter, whole in self.coarse.items()}
            if NAMED in relations:
                self._refuse_untimely()
            self.notes.append(self._note_of_tails(tails, {shown.relative for _, shown in all_shown}))
            if NAMED in relations:
                later = f"{MARK!r} stands for an output that is compared later, and letters such as"
                self.notes.append(f"{later} {label_of(NAMED, '3')!r} name it: whole words tell the same")

    def _say_why_cut(self, all_shown: Sequence[tuple[Unbounded, ShownNoise]], *, alike: bool) -> None:
        kinds = {kind for noise, shown in all_shown for kind in _kinds(noise, shown)}
        roots = {kind.roots for kind in kinds}
        if None in roots:
            self._cut(lambda of: of.noise.ratio is None, "announced noise has no geometric tails", "discrete_laplace")
        elif not alike and all(_is_plain(shown.stairs) for _, shown in all_shown):
            self._cut(lambda _: True, "announced noise has tails of different ratios", "one scale for all of it")
        elif not alike and len(roots) > 1:
            why = "announced noise has tails of different ratios, or is multiplied or rounded differently"
            self._cut(lambda _: True, why, "one scale and one form for all of it")
        elif not alike:
            why = "announced noise is multiplied or rounded differently, or shifted to other remainders"
            self._cut(lambda of: any(not _is_plain(shown.stairs) for shown in of.shown), why, "one form for all of it")
        else:
            self._cut(lambda _: True, f"announced noise is shifted by more than {MAX_OUTCOMES}", "smaller shifts")

    def _parts(
        self, noise: Unbounded, shown: ShownNoise, tails: Mapping[Multiples, _Tails]
    ) -> Iterator[tuple[Span | Phase, str]]:
        """The outcomes that each letter stands for; of several letters for a tail, which of them."""
        roots = {kind.upper: self._tail_roots[kind] for kind in _kinds(noise, shown)}
        own = tails[shown.relative]
        for span, letter in own.parts(shown):
            several = roots[letter == own.above] if letter in (own.above, own.below) else ()
            if len(several) < 2:
                yield span, letter
                continue
            for number in range(len(several)):
                part = own.phase(upper=letter == own.above, number=number + 1)
                self.coarse[part] = letter
                if 0 < number < len(several) - 1:
                    self.inner.add(part)
                yield Phase(span, several, number), part

    def _roots_by_kind(self, steps: Sequence[Set[_Kind]]) -> dict[_Kind, Any]:
        """The roots of each kind of tail, with those of all that may be announced at the same step."""
        # Kinds that share a step have one recurrence, and so have all that are joined by several steps.
        groups: list[set[_Kind]] = []
        for kinds, upper, named in product(steps, (False, True), (False, True)):
            here = {kind for kind in kinds if kind.upper is upper and (kind.relative == NAMED) is named}
            if not here:
                continue
            apart = [group for group in groups if group.isdisjoint(here)]
            groups = [*apart, here.union(*(group for group in groups if not group.isdisjoint(here)))]
        found: dict[_Kind, Any] = {}
        for group in groups:
            each: set[Any] = {kind.roots for kind in group}
            union = each.pop() if self._phases is None else self._phases.union(each)
            found.update(dict.fromkeys(group, union))
        return found

    def _refuse_untimely(self) -> None:
        """NotDeferred unless each mark is named in the end, and the letters so far tell where.

        They tell, if then either all runs show it or none does, or if the end is all that follows: it then comes right
        before the end. And no other run may show a number at once where one shows a mark.
        """
        named = {letter for letter, output in self.outputs.items() if output.relative == NAMED}
        following = [self._follow(state) for state in range(len(self.states))]
        marks = [number for number, state in enumerate(self.states) if state.letter == MARK]
        pending = {number for number in self._reach(marks, following) if self.states[number].letter not in named}
        successors = [sorted(following[n] & pending) if n in pending else [] for n in range(len(self.states))]
        if any(len(part) > 1 or part[0] in successors[part[0]] for part in components(successors)):
            raise NotDeferred(f"{COMPARED}, and a run may go on for ever before it is shown")
        here = frozenset(range(self._starts))
        met, stack, work = {here}, [here], 0
        while stack:
            here = stack.pop()
            # By the coarse letters, which tell least.
            groups: dict[str, set[int]] = {}
            for target in frozenset[int]().union(*(following[state] for state in here)):
                letter = self.states[target].letter
                groups.setdefault(self.coarse.get(letter, letter), set()).add(target)
            letters = groups.keys()
            names = [number for group in groups.values() for number in group if self.states[number].letter in named]
            last = all(self.states[after].letter == END for number in names for after in following[number])
            if names and not last and any(self.states[n].letter not in named for g in groups.values() for n in g):
                raise NotDeferred(f"{COMPARED}, and the letters do not tell for how long")
            if MARK in letters and any(_WHOLE.fullmatch(each) or each in self.outputs for each in letters):
                raise NotDeferred(f"{COMPARED} in some runs, where others announce a number that is not")
            for group in map(frozenset, groups.values()):
                work += len(group)
                if group not in met:
                    met.add(group)
                    stack.append(group)
            if work > MAX_STEPS_TOGETHER:
                raise NotDeferred(f"{COMPARED}, and too many words lead there")

    def _follow(self, state: int) -> Set[int]:
        """The states that may be seen next."""
        found: set[int] = set()
        stack = [root for root in self._roots(state) if root >= 0]
        met = set(stack)
        while stack:
            c = stack.pop()
            if self._seen[c] >= 0:
                found.add(self._seen[c])
                continue
            new = {target for target in self._moves[c].targets if target >= 0} - met
            met |= new
            stack.extend(new)
        return found

    def _reach(self, starts: Iterable[int], following: Sequence[Set[int]]) -> set[int]:
        """The states that a run may come to, from any of these, which are among them."""
        met = set(starts)
        stack = list(met)
        while stack:
            new = following[stack.pop()] - met
            met |= new
            stack.extend(new)
        return met

    def _are_alike(self, kinds: Collection[_Kind]) -> bool:
        """Whether numbers in tails mean the same, upper and lower ones each: of one form, and with one ratio.

        With phases, ratios may be several.
        """
        if self._phases is not None:
            kinds = {kind._replace(roots=()) for kind in kinds}
        elif any(len(kind.roots or ()) != 1 for kind in kinds):
            return False
        return len(kinds) == len({(kind.upper, kind.relative == NAMED) for kind in kinds})

    def _tails(self, relative: Multiples, all_shown: Iterable[tuple[Unbounded, ShownNoise]]) -> _Tails:
        """The tails of what is announced beside these multiples of earlier outputs."""
        if relative:
            known = [output for output in self.outputs.values() if output.relative == relative]
            taken = [output.low for output in known if output.low is not None]
            texts: Set[str] = frozenset()
        else:
            texts = {state.letter for state in self.states} - self.outputs.keys()
            taken = [int(text) for text in texts if _WHOLE.fullmatch(text) and not _FAR.fullmatch(text)]
        own = [(noise, shown) for noise, shown in all_shown if shown.relative == relative]
        tails = _Tails.of(relative, own, taken, texts)
        if self._phases is None or not any(len(roots) > 1 for roots in self._tail_roots.values()):
            return tails
        # Further out, until no corner is negative, and so many letters are told apart.
        low, high = tails.low - self._phases.apart, tails.high + self._phases.apart
        for noise, shown in own:
            bottom, top = shown.steps
            for kind in _kinds(noise, shown):
                roots = self._tail_roots[kind]
                if len(roots) < 2 or (top if kind.upper else bottom) is not None:
                    continue
                first, last = tails.between(shown)
                span = shown.span(last + 1, None) if kind.upper else shown.span(None, first - 1)
                begins = shown.stairs.value(shown.stairs.step(self._phases.first(noise, span, roots)))
                low, high = (low, max(high, begins)) if kind.upper else (min(low, begins), high)
        return _Tails.of(relative, own, [*taken, low + 1, high - 1], texts)

    def _refuse_relative(self, *, near: bool, alike: bool) -> None:
        """NotFollowed if letters may not be relative to others: differences alone would tell less than the numbers."""
        alone = "announced noise is added to another announcement"
        if not near:
            raise NotFollowed(f"{alone}, and shifted by more than {MAX_OUTCOMES}")
        if not alike:
            raise NotFollowed(f"{alone}, and the number of letters does not tell how, or with which noise")

    def _note_of_tails(self, tails: Mapping[Multiples, _Tails], used: Set[Multiples]) -> str:
        own = tails[NAMED if used == {NAMED} else ()]
        if self.coarse:
            whole = next((each for each in self.coarse.values() if each.startswith("≥")), min(self.coarse.values()))
            parts = [repr(letter) for letter, of in self.coarse.items() if of == whole]
            named = f"{', '.join(parts[:-1])} and {parts[-1]}"
            tail = f"the tail from {whole[2:]} on" if re.fullmatch("≥ -?[0-9]+", whole) else f"the tail {whole!r}"
            told = "they reveal at least as much as the numbers do"
            return f"{named} stand for {tail}: {told}; where that matters, more numbers get labels of their own"
        labels = f"{own.below!r} and {own.above!r} represent the whole tails of the noise"
        seen = " for runs from their start states, every letter of which is seen" if self.step_by_step else ""
        relative = next((relative for relative in sorted(tails) if relative not in ((), NAMED)), None)
        if relative is None:
            return f"{labels}; this is exact{seen}"
        example = label_of(relative, "3")
        return f"{labels}, and letters such as {example!r} are relative to earlier outputs; this is exact{seen}"

    def _cut(self, concerned: Callable[[Announced], bool], why: str, instead: str) -> None:
        """Remember why announced noise is cut off, where, and what would not be; unless kept noise is why."""
        lines = sorted({self._explorer.instruction(c).place.line for c, of in self._announced.items() if concerned(of)})
        at = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
        self._cut_because = self._cut_because or f"{why} ({at}); a smaller tail= leaves less out, {instead} nothing"

    def _kinds_by_step(self) -> list[set[_Kind]] | None:
        """The kinds of noise that are announced, by the number of letters seen so far.

        None if that number does not tell of what form noise is, or beside what earlier outputs. Follows all runs
        together, letter by letter, until the configurations in which they may stand have been met before: from then on
        they repeat.
        """
        here = frozenset(state.configuration for state in self.states[: self._starts])
        seen: set[frozenset[int]] = set()
        found: list[set[_Kind]] = []
        work = 0
        while here and here not in seen:
            seen.add(here)
            kinds, relations, following = self._announced_next(here)
            work += len(self._moves)
            if not self._are_alike(kinds) or len(relations) > 1 or work > MAX_STEPS_TOGETHER:
                return None
            found.append(kinds)
            here = following
        return found

    def _announced_next(self, roots: frozenset[int]) -> tuple[set[_Kind], set[Multiples], frozenset[int]]:
        """What is announced next: the kinds of noise, and what numbers are relative to; and where runs go on then."""
        kinds: set[_Kind] = set()
        relations: set[Multiples] = set()
        following: set[int] = set()
        met, stack = set(roots), list(roots)
        while stack:
            c = stack.pop()
            targets: Sequence[int] = ()
            if c in self._announced:
                of = self._announced[c]
                kinds.update(kind for shown in of.shown for kind in _kinds(of.noise, shown))
                relations.update(shown.relative for shown in of.shown if shown.relative != NAMED)
                targets = of.targets
                following.update(shown.after for shown in of.shown)
            elif c >= 0 and self._seen[c] >= 0:
                following.update(self._roots(self._seen[c]))
                letter = self.states[self._seen[c]].letter
                if letter in self.outputs and self.outputs[letter].relative != NAMED:
                    relations.add(self.outputs[letter].relative)
                elif _WHOLE.fullmatch(letter):
                    relations.add(())
            elif c >= 0:
                targets = self._moves[c].targets
            new = set(targets) - met
            met |= new
            stack.extend(new)
        return kinds, relations, frozenset(following)

    def _show(self, c: int, state: State) -> int:
        """A configuration that shows the letter, and goes on as the state says."""
        explorer, known = self._explorer, self._numbers.get(state)
        if known is not None and known in self._shows:
            return self._shows[known]
        configuration = explorer.add_beside(c)
        self._make_room()
        number = self._seen[configuration] = self._number(state)
        self._shows[number] = configuration
        return configuration

    def _number(self, state: State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
            limit = self._explorer.max_states
            if number >= limit and state.configuration != Explorer.DEAD_END:
                points = self._explorer.points
                all_here = [s.configuration for s in self.states if s.configuration != Explorer.DEAD_END]
                ((point, _),) = Counter(points[c] for c in all_here).most_common(1)
                here = [c for c in all_here if points[c] == point]
                what, cost = f"more than {limit:,} states", limit * BYTES_PER_STATE
                raise self._explorer.too_many(what, here, self._explorer.advise_limit(cost))
        return number

    def _refuse_announced_prompts(self) -> None:
        """A letter that looks like a prompt would let the observer ask where the program does not."""
        for letter, _, asks in self.states:
            if letter in self.inputs and not asks:
                asking = next(state for state in self.states if state.asks and state.letter == letter)
                place = str(self._explorer.instruction(asking.configuration).place)
                what = f"this question looks like {letter!r}, which is also announced"
                raise ProgramError(Defect(place, what, "announce another word"))

    def rows(self) -> tuple[tuple[AnyRow, ...], ...]:
        """The rows of every state, one for each input."""
        roots = [self._roots(state) for state in range(len(self.states))]
        # The number that divergence has, or gets below if only folding finds a loop without a way out.
        diverges = self._numbers.get(State(DIVERGES, Explorer.DEAD_END), len(self.states))
        flat = [root for some in roots for root in some]
        try:
            found = self._fold(flat, diverges, numbers_for(self._moves))
        # Exact numbers have grown too long: all rows are made again as intervals.
        except TooLong:
            found = self._fold(flat, diverges, Intervals())
        if diverges == len(self.states) and any(entry[0] == diverges for row in found.values() for entry in row):
            self._number(State(DIVERGES, Explorer.DEAD_END))
            roots.append(())
        self._note_rows(found.values())
        stay = [PointRow(((state, Fraction(1)),)) for state in range(len(self.states))]
        return tuple(tuple(found[root] for root in some) or (stay[state],) for state, some in enumerate(roots))

    def _fold(self, roots: Sequence[int], diverges: int, numbers: Numbers) -> dict[int, AnyRow]:
        lost = len(self.states) + 1
        folding = Folding(self._explorer, self._moves, self._seen, roots, (lost, diverges), numbers)
        found: dict[int, AnyRow] = {}
        transitions = 0
        for root in roots:
            if root not in found:
                law = folding.law(root)
                self._explorer.look_up(ROW_STEPS + len(law), f"compiling the program: {len(found):,} rows")
                found[root] = numbers.row(law, lost)
            transitions += len(found[root])
            self._check_transitions(transitions, root)
        return found

    def _note_rows(self, rows: Iterable[AnyRow]) -> None:
        """Say what is exact, what is enclosed, and what was cut off."""
        self.notes += self._explorer.notes
        rows = list(rows)
        rest = max((row.missing for row in rows), default=Fraction(0))
        if rest:
            self.notes.append(f"noise is cut off, at most {_brief_above(rest)} of a row: {self._cut_because}")
        bases = {row.numbers.k for row in rows if isinstance(row, PointRow) and isinstance(row.numbers, Quotients)}
        if bases:
            k = math.lcm(*bases)
            where = ", where nothing is cut off" if rest else ""
            self.notes.append(f"probabilities are exact, as functions of {'e' if k == 1 else f'e^(1/{k})'}{where}")
        elif any(row.kind == "enclosed" for row in rows):
            why = "; ".join([*self._explorer.enclosed, *(["noise is cut off"] if rest else [])])
            self.notes.append(f"probabilities are enclosed: {why or 'powers of e are too long'}")

    def _check_transitions(self, transitions: int, root: int) -> None:
        limit = TRANSITIONS_PER_STATE * self._explorer.max_states
        if transitions > limit:
            place = str(self._explorer.instruction(root).place)
            what = f"more than {limit:,} transitions: too many different announcements follow from hidden draws here"
            fix = f"announce in smaller parts, or {self._explorer.advise_limit(limit * BYTES_PER_TRANSITION)}"
            raise ProgramError(Defect(place, what, fix))

    def names(self, taken: Iterable[str], first: int) -> list[str]:
        """Names of the states from number ``first`` on, all different, and different from those ``taken``."""
        return state_names([NamedMoment(state.letter, self._where(state)) for state in self.states[first:]], taken)

    def _where(self, state: State) -> str:
        if state.configuration == Explorer.DEAD_END:
            return ""
        upcoming = self._explorer.instruction(state.configuration)
        return "end" if upcoming.kind is Kind.RETURN else str(upcoming.place.line)


_WHOLE, _FAR = re.compile(r"-?[0-9]+"), re.compile(r"-?[0-9]{1000,}")
"""Whole numbers; those that no tail may begin behind, nor hide."""


class _Kind(NamedTuple):
    """What tells the law of a number in a tail, beside where the tail begins."""

    upper: bool
    roots: tuple[Hashable, ...] | None
    run: int
    rise: int
    base: int
    relative: Multiples


def _kinds(noise: Unbounded, shown: ShownNoise) -> Iterator[_Kind]:
    """The kinds of the tails of what is shown."""
    stairs, (first, last) = shown.stairs, shown.steps
    for upper, end in ((False, first), (True, last)):
        if end is None:
            # Stairs that fall announce the lower tail of the noise as the upper one.
            roots = noise.roots(upper=upper is (stairs.sign > 0))
            yield _Kind(upper, roots, stairs.run, stairs.rise, stairs.base, shown.relative)


def _is_plain(stairs: Stairs) -> bool:
    """Whether every whole number is announced, by one outcome."""
    return stairs.run == stairs.rise == 1


class _Tails(NamedTuple):
    """Whole numbers from ``high`` on, and from ``low`` down, have one label each; beside some earlier outputs."""

    relative: Multiples
    low: int
    high: int

    @classmethod
    def of(
        cls,
        relative: Multiples,
        shown: Sequence[tuple[Unbounded, ShownNoise]],
        taken: Iterable[int],
        texts: Set[str],
    ) -> _Tails:
        """The longest tails that are geometric from every state, without a number that is announced otherwise."""
        taken = list(taken)
        lows, highs = [number - 1 for number in taken], [number + 1 for number in taken]
        for noise, one in shown:
            stairs, (bottom, top) = one.stairs, one.steps
            # The steps without an outcome outside the tail.
            below, above = noise.core if stairs.sign > 0 else (-noise.core[1], -noise.core[0])
            highs.append(stairs.value(-(-(stairs.shift + above) // stairs.run)))
            lows.append(stairs.value((stairs.shift + below + 1 - stairs.run) // stairs.run))
            # Outcomes that end on one side have no tail there: their last must not be taken for one. They may end amid
            # a step, which then belongs to neither tail.
            amid = stairs.run > 1
            if bottom is not None:
                lows.append(stairs.value(bottom) - 1)
                highs.append(stairs.value(bottom) + amid)
            if top is not None:
                highs.append(stairs.value(top) + 1)
                lows.append(stairs.value(top) - amid)
        low, high, pitch = min(lows, default=-1), max(highs, default=1), 1
        forms = {(one.stairs.rise, one.stairs.base) for _, one in shown}
        if len(forms) == 1:
            # The labels name numbers that are announced.
            ((pitch, base),) = forms
            low, high = low - (low - base) % pitch, high + (base - high) % pitch
        high = max(low + pitch, high)
        # A letter that somebody announces as text must not look like one of these.
        while f"≥ {high}" in texts:
            high += pitch
        while f"≤ {low}" in texts:
            low -= pitch
        return cls(relative, low, high)

    def size(self, shown: ShownNoise) -> int:
        """How many labels one draw has at most."""
        first, last = self.between(shown)
        return last - first + 3

    @property
    def below(self) -> str:
        """The label of the lower tail."""
        return label_of(self.relative, f"≤ {self.low}")

    @property
    def above(self) -> str:
        """The label of the upper tail."""
        return label_of(self.relative, f"≥ {self.high}")

    def phase(self, *, upper: bool, number: int) -> str:
        """One of several letters of a tail."""
        return label_of(self.relative, f"≥ {self.high}·{number}" if upper else f"≤ {self.low}·{number}")

    def outputs(self, noise: Unbounded, shown: ShownNoise) -> Iterator[tuple[str, Output]]:
        """What the letters of a draw stand for that are tails, or relative."""
        stairs, (bottom, top) = shown.stairs, shown.steps
        for upper, end, letter in ((False, bottom, self.below), (True, top, self.above)):
            if end is None:
                side = upper is (stairs.sign > 0)
                # With several ratios, the law of the number depends on the state.
                several = len(noise.roots(upper=side) or ()) != 1
                tail = noise.tail_named(upper=side)
                law = SEVERAL if several else f"{tail}, {stairs.rise} for {stairs.run} from {stairs.base}"
                low, high = (self.high, None) if upper else (None, self.low)
                yield letter, Output(self.relative, low, high, law)
        if self.relative:
            first, last = self.between(shown)
            for number in map(stairs.value, range(first, last + 1)):
                yield label_of(self.relative, str(number)), Output(self.relative, number, number)

    def between(self, shown: ShownNoise) -> tuple[int, int]:
        """The first and the last step that belong to no tail."""
        stairs, (bottom, top) = shown.stairs, shown.steps
        first = (self.low - stairs.base) // stairs.rise + 1 if bottom is None else bottom
        last = -((stairs.base - self.high) // stairs.rise) - 1 if top is None else top
        return first, last

    def parts(self, shown: ShownNoise) -> Iterator[tuple[Span, str]]:
        """The outcomes that each letter stands for."""
        (bottom, top), (first, last) = shown.steps, self.between(shown)
        if bottom is None:
            yield shown.span(None, first - 1), self.below
        for step in range(first, last + 1):
            yield shown.span(step, step), label_of(self.relative, str(shown.stairs.value(step)))
        if top is None:
            yield shown.span(last + 1, None), self.above


def _may_be_told_apart(noise: Unbounded, numbers: int) -> bool:
    """Whether so many numbers may be letters between tails: of wide noise, as many as if it were cut off."""
    if numbers <= MAX_OUTCOMES:
        return True
    with suppress(NotFollowed):
        return numbers <= min(MOST_TOLD_APART, 2 * noise.reach + 1)
    return False


def _brief_above(value: Fraction) -> str:
    """Two digits of a number below 1, rounded up."""
    places = 2
    while value * 10**places < 10:
        places += 1
    digits = round_up(value, places) * 10**places
    return f"{int(digits) / 10:.1f}e-{places - 1:02d}"


def _cut_off(shown: ShownNoise, of: Announced, lost: list[Span]) -> Iterator[tuple[Span, str]]:
    """Each outcome up to the reach of the noise, with its letter; what is beyond is added to ``lost``."""
    reach = reachable(of.noise)
    low = -reach if shown.low is None else max(shown.low, -reach)
    high = reach if shown.high is None else min(shown.high, reach)
    for z in range(low, high + 1):
        yield Span(z, z), str(shown.stairs.value(shown.stairs.step(z)))
    lost += beyond(shown.low, shown.high, reach)


class NamedMoment(NamedTuple):
    """What a state's name is made from: the letter, and where the program goes on (``12``, ``end``; empty: nowhere)."""

    letter: str
    where: str


def state_names(moments: Sequence[NamedMoment], taken: Iterable[str]) -> list[str]:
    """One name per moment, all different, and different from those ``taken``."""
    short = [NamedMoment(m.letter if len(m.letter) <= NAME_LENGTH else f"{m.letter[: NAME_LENGTH - 1]}…", m.where)
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


# Hidden steps.

MAX_SOLVE = 1_000_000
"""The most row entries that may be touched to solve one component of hidden steps."""

ROW_STEPS = 100
"""What making a row takes at least, in steps."""

DEAD_END = Explorer.DEAD_END

SeenWeights = dict[int, dict[Total, Weight]]
"""What is seen next → denominator → numerators, which add up to its probability."""


class Folding:
    """The hidden graph of a program that has been explored: ``moves`` of those that draw, ``seen`` at the others.

    ``seen[c]`` is the number of what configuration c shows, and negative where it draws; ``ends`` are the numbers of
    mass that was cut off, and of divergence. Raises ProgramError when a hidden loop is too large, and Stopped when the
    explorer's cancel says so.
    """

    def __init__(
        self,
        explorer: Explored,
        moves: Sequence[Moves],
        seen: Sequence[int],
        roots: Sequence[int],
        ends: tuple[int, int],
        numbers: Numbers,
    ) -> None:
        self._explorer, self._numbers = explorer, numbers
        self._seen = [*seen, *ends]  # the last two: seen[CUT_OFF], seen[DEAD_END]
        self._nodes = 0
        self._moves = list(moves) if isinstance(numbers, Integers) else [self._adapt(of) for of in moves]
        self._order = self._arrange()
        self._position = [0] * len(moves)
        for number, c in enumerate(self._order):
            self._position[c] = number
        self._laws: dict[int, tuple[dict[int, Weight], Total]] = {}
        """Weights of what is seen, and their sum, where laws are known backwards."""
        self._fold_backwards(roots)

    def _adapt(self, of: Moves) -> Moves:
        self._look_up(len(of.targets))
        return self._numbers.adapt(of)

    def law(self, root: int) -> SeenWeights:
        """What is seen next, from a configuration."""
        numbers = self._numbers
        if self._seen[root] >= 0:
            return {self._seen[root]: {numbers.one: 1}}
        moves, seen, position, order, laws = self._moves, self._seen, self._position, self._order, self._laws
        length = numbers.length
        mass: dict[int, tuple[Weight, Total, int]] = {root: (1, numbers.one, FIRST_REDUCTION)}
        """Where mass stands: numerator, denominator, and the length of denominator at which to reduce."""
        found: SeenWeights = {}
        heap = [position[root]]
        while heap:
            # In topological order: all mass that will ever arrive here has arrived.
            c = order[heappop(heap)]
            self._look_up(len(moves[c].targets))
            numerator, denominator, limit = mass.pop(c)
            if length(denominator) > limit:
                numerator, denominator = numbers.reduce(numerator, denominator)
                limit = max(FIRST_REDUCTION, 2 * length(denominator))
            if c in laws:
                law, total = laws[c]
                for event, weight in law.items():
                    sums = found.setdefault(event, {})
                    sums[denominator * total] = sums.get(denominator * total, 0) + numerator * weight
                continue
            targets, weights, total, _ = moves[c]
            denominator *= total
            for target, weight in zip(targets, weights, strict=True):
                share = numerator * weight
                event = seen[target]
                if event >= 0:
                    sums = found.setdefault(event, {})
                    sums[denominator] = sums.get(denominator, 0) + share
                    continue
                there = mass.get(target)
                if there is None:
                    mass[target] = share, denominator, limit
                    heappush(heap, position[target])
                elif there[1] == denominator:
                    mass[target] = there[0] + share, denominator, min(there[2], limit)
                else:
                    theirs, ours, common = numbers.cofactors(there[1], denominator)
                    mass[target] = there[0] * theirs + share * ours, common, min(there[2], limit)
        return found

    def _look_up(self, moves: int) -> None:
        """Look at the deadline now and then; so many moves are next."""
        self._nodes += 1
        self._explorer.look_up(1 + moves, "compiling the program: folding hidden steps")

    # Loops.

    def _arrange(self) -> list[int]:
        """The drawing configurations in topological order; those in loops get the moves that leave them."""
        drawing = [c for c in range(len(self._moves)) if self._seen[c] < 0]
        order = list(self._without_entry(drawing))
        if len(order) == len(drawing):
            return order
        successors = [[t for t in moves.targets if t >= 0] for moves in self._moves]
        order = []
        for component in components(successors):
            first = component[0]
            if len(component) > 1 or first in successors[first]:
                self._leave(component)
            order.extend(c for c in component if self._seen[c] < 0)
        order.reverse()
        return order

    def _without_entry(self, drawing: Sequence[int]) -> Iterator[int]:
        """Drawing configurations, each after all that lead to it: all of them, unless there are loops."""
        entries = [0] * (len(self._moves) + 2)  # the last two: those of CUT_OFF and DEAD_END
        for c in drawing:
            for target in self._moves[c].targets:
                entries[target] += 1
        ready = [c for c in drawing if not entries[c]]
        while ready:
            c = ready.pop()
            yield c
            for target in self._moves[c].targets:
                entries[target] -= 1
                if not entries[target] and self._seen[target] < 0:
                    ready.append(target)

    def _leave(self, component: Sequence[int]) -> None:
        """Replace the moves of a component with loops by where it is left."""
        moves = {c: self._moves[c] for c in component}
        inside = moves.keys()
        if not any(target not in inside for of in moves.values() for target in of.targets):
            rows: dict[int, Moves] | None = {c: Moves((DEAD_END,), (1,), self._numbers.one) for c in component}
        else:
            rows = self._numbers.leave(moves, partial(solve, most_work=MAX_SOLVE, cancel=self._explorer.cancel))
        if rows is None:
            place = str(self._explorer.instruction(component[0]).place)
            what = f"a hidden loop of {len(component)} configurations is too large to be summed exactly"
            raise ProgramError(Defect(place, what, "announce inside the loop, or keep less in its variables"))
        for c, of in rows.items():
            self._moves[c] = of

    # Backwards.

    def _fold_backwards(self, roots: Sequence[int]) -> None:
        """Find the laws of configurations with no more to be seen than there are roots in their part of the graph."""
        part = self._parts()
        count: dict[int, int] = {}
        for root in set(roots):
            if self._seen[root] < 0:
                count[part[root]] = count.get(part[root], 0) + 1
        if max(count.values(), default=1) == 1:
            return
        for c in reversed(self._order):
            limit = count.get(part[c], 0)
            if limit > 1:
                self._look_up(len(self._moves[c].targets) * limit)
                law = self._from_successors(c, limit)
                if law is not None:
                    self._laws[c] = law

    def _from_successors(self, c: int, limit: int) -> tuple[dict[int, Weight], Total] | None:
        numbers = self._numbers
        parts: list[tuple[Weight, dict[int, Weight], Total]] = []
        targets, weights, total, _ = self._moves[c]
        for target, weight in zip(targets, weights, strict=True):
            event = self._seen[target]
            law = ({event: 1}, numbers.one) if event >= 0 else self._laws.get(target)
            if law is None:
                return None
            parts.append((weight, *law))
        common = numbers.multiple(its_total for _, _, its_total in parts)
        summed: dict[int, Weight] = {}
        for weight, its_law, its_total in parts:
            factor = weight * numbers.quotient(common, its_total)
            for event, its_weight in its_law.items():
                share = factor * its_weight
                summed[event] = summed[event] + share if event in summed else share
            if len(summed) > limit:
                return None
        return numbers.shorten(summed, common * total)

    def _parts(self) -> list[int]:
        """Configuration → one that stands for the weakly connected part of the drawing ones that it is in."""
        parent = list(range(len(self._moves)))

        def top(c: int) -> int:
            # Union–find: each step halves the way that is left.
            while parent[c] != c:
                parent[c] = c = parent[parent[c]]
            return c

        for c in self._order:
            here = top(c)
            for target in self._moves[c].targets:
                if self._seen[target] < 0:
                    parent[top(target)] = here
        return [top(c) for c in range(len(parent))]
