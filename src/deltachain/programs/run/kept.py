"""Noise that is kept while letters are seen, without cutting anything off: configurations with the law of an integer.

A mechanism that draws a threshold from unbounded noise and compares with it again and again has a state for each value
of the threshold. Here a configuration is what is known, the *control* (a point and the live variables), together with
the law of one hidden integer K, given the letters and controls that led there. From such a configuration, a letter and
a new control arrive with a measure of K in the class of `laws`; its mass is the probability, and itself divided by the
mass is the law of the next configuration. So rows are probabilities that sum to 1, and the chain is an ordinary one:
its words have exactly the probabilities of the mechanism. *Proof.* Let λ_i be the measure of configuration i, and P_a
the mechanism's step with letter a. By construction ``λ_i·P_a = Σ_j p_a(i, j)·λ_j``, hence by induction the measure
after a word w is ``Σ_j (p_w)_j·λ_j``, whose mass is ``Σ_j (p_w)_j``: every λ_j has mass 1. ∎ Control stays hidden, and
only K is filtered: a flag that was computed from K, and that nobody has seen, keeps configurations apart.

Hidden steps are folded here, layer by layer, and what stands at the same point with the same values is added up: the
index of the largest of n noisy values takes n² steps, not 2^n. While a fresh draw Z is looked at there are two
integers, K and Z, with the comparisons of them that were decided (`noisy`); as soon as no live variable depends on one
of the two, it is projected out. A draw is made when something looks at it, and not before: it is independent of all
else, so that only what is looked at and still read counts, however many draws wait in variables.

*Compared later.* An announced integer that is compared with known numbers is told apart by them when it is announced:
its law is cut there, and each part leads to a configuration of its own. Which numbers these are is found by trying.

*Deferral.* An announced integer that is compared with what is hidden is not shown when it is announced: a mark stands
in its place, and it is a kept integer like any other until it is dead, that is, until nothing that may be read depends
on it. Then a letter names it. Let a run that makes such an announcement end, with probability one, and let every word
of the mechanism tell where the letter comes in. Then whole words of the mechanism and of the chain determine each
other, and as long as nobody chooses in between, what is seen in the end is all that counts: δ, divergences and guesses
stay what they are. *Where it comes in*: after a letter, either as soon as the integer is dead, if then all runs with
the same letters so far show it now or none does (`States` follows all words); or else right before the end. Refused by
name are: a question in between; a run that goes on for ever before; a second such announcement before the first is
named; and runs with the same letters so far of which some show a number at once.

What is outside the class raises `NotFollowed`, with the operation and its line; then the whole program is compiled
with noise that is cut off. Outside are: two integers that are both kept; a kept integer that is the parameter of a
draw, or is read again after it was announced and rounded; operations that `noisy` refuses; noise that is not two-sided
geometric, or whose ratio is only enclosed; loops that look at K without announcing, or whose law of K is another at
each turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeVar

from flint import fmpz_poly

from ...cancel import Cancel
from ...model.outputs import MARK, NAMED, Multiples, Output, label_of
from ...numbers.exponential import Rational, least_multiple
from ..language.graph import ABSENT, SPENT, Environment, Graph, Instruction, Kind, variables
from ..language.numbers import ENCLOSED, MOST_DEGREE, RATIONAL, Law, Moves, law_of
from ..language.source import Place, Problem, ProgramError
from ..language.unbounded import Span, TwoSided, Unbounded
from ..language.values import Value, iterate, rest
from ..noise.early import with_early_sums
from ..noise.laws import (
    NOTHING,
    ONE,
    Bound,
    Scale,
    Tailed,
    TailRatio,
    TooFar,
    noise_of,
    possible,
    project_law,
    with_bound,
)
from ..noise.noisy import (
    COMPARED,
    Condition,
    Looked,
    Noisy,
    NotDeferred,
    NotFollowed,
    NotSplit,
    ReadAgain,
    Said,
    Sight,
    Undecided,
    Unseen,
    combine,
    noise_in,
    replace_noisy,
)
from ..noise.phases import KeptLaw, Phase, weight_of
from ..noise.pieces import Line, Stairs
from ..noise.spread import Announced
from .explore import Explorer, Key, Steps, describe, letter_of

MOST_LAWS = 10_000
"""How many configurations there may be with a law of their own."""
MOST_TURNS = 12
"""How often a run may come back to the same control with a law that it has not had there before."""
MOST_AGE = 1_000
"""How many letters later announced noise is read again."""
MOST_APART = 255
"""How far apart the values of noise may be that are told one by one."""
MOST_WORK = 100_000_000
"""The sizes of all laws that are computed may add up to so much: a minute or so."""


class Plan(NamedTuple):
    """How announced integers that are compared later are shown."""

    thresholds: Mapping[int, Set[int]]
    """Instruction → with which numbers what it announces is compared: before and from each on, it is told apart."""
    deferred: Set[int]
    """The instructions whose announcements are shown later."""
    at_end: bool = False
    """Whether these are shown right before the end, and not as soon as they are dead."""


NO_PLAN = Plan({}, frozenset())


class OtherBase(Exception):
    """A number that is a function of e^(1/k) for another k."""

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.k = k


class Fresh(NamedTuple):
    """A draw beside the kept integer: its noise, and what is known of it by comparisons."""

    noise: TwoSided
    ratio: TailRatio
    bounds: frozenset[Bound] = frozenset()


@dataclass(frozen=True, slots=True)
class Here:
    """Where mass stands between two letters."""

    point: int
    environment: Environment
    law: Tailed
    """The measure of K: how likely it is to get here, with each value of it. K is 0 where nothing is kept."""
    fresh: Fresh | None = None
    decided: frozenset[tuple[Condition, bool]] = frozenset()
    """Comparisons that the instruction at the point has been told."""
    compared: int = 0
    """How often K was compared since it was drawn."""
    pending: Noisy | None = None
    """What was announced and is shown later: a multiple of K, or K + Z, plus something known."""
    said: tuple[Said | None, ...] = ()
    """What is known of the integers that were announced and are read again, the last letter first."""


class Says(NamedTuple):
    """Stands before an announcement of something known, and goes on at a configuration."""

    letter: str
    after: int


class ShownDraw(NamedTuple):
    """An integer that is announced as stairs say, beside multiples of earlier outputs, whatever it is."""

    noise: KeptLaw
    stairs: Stairs
    relative: Multiples


class Shows(NamedTuple):
    """Stands before noise that is announced, and not looked at otherwise."""

    shown: ShownDraw
    after: int


class Arrival(NamedTuple):
    """What is seen next, and the control after it: the point and its values, or the end, or nowhere (−1)."""

    letter: str | ShownDraw | None
    """A letter; announced noise; None for a question or the end, at the point itself, and for nothing."""
    point: int
    key: Key
    pending: Noisy | None = None
    """What was announced, and is not yet shown."""
    said: tuple[Said | None, ...] = ()


NOWHERE = -1


class KeptNoise(Explorer):
    """An explorer whose configurations have laws; NotFollowed, or OtherBase, when it comes to something else."""

    def __init__(
        self,
        graph: Graph,
        max_states: int,
        cancel: Cancel,
        numbers: frozenset[str] = frozenset(),
        *,
        base: int = 1,
        plan: Plan = NO_PLAN,
    ) -> None:
        """``base`` is k: numbers are functions of e^(1/k)."""
        super().__init__(with_early_sums(graph), max_states, cancel, numbers)
        self._base, self._plan = base, plan
        self._stands: dict[int, Says | Shows | Here] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._laws_kept = self._work = 0
        self._before: dict[int, int] = {}
        """Configuration → the one that led to it first."""
        self._beside: dict[frozenset[int], Steps] = {}
        self._relative = self._like_relative = False
        """Whether letters are relative to others, and whether texts look like it."""
        self._noises: dict[Hashable, Fresh] = {}
        """By the key of its ratio, noise that is drawn."""
        self.kept: dict[str, None] = {}
        """The variables that are kept noise in some configuration."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Which noise is kept."""
        names = ", ".join(sorted(repr(describe(name, 0).partition("=")[0]) for name in self.kept))
        if not names:
            return ("comparisons of noise are followed exactly",)
        whose = "their values" if len(self.kept) > 1 else "its value"
        return (f"states hold the law of {names}, given what was seen, in place of {whose}: noise is followed exactly",)

    # What configurations do.

    def enter(self, values: Mapping[str, Value]) -> int:
        """The configuration in which a run with these parameters starts."""
        environment = self._empty()
        for name, value in values.items():
            if name in self.slots:
                environment[self.slots[name]] = value
        arrived = self._arrive("", Here(self.graph.entry, environment, CERTAIN))
        return self.DEAD_END if arrived is None else self._number(*arrived, NOWHERE)

    def stands_before(self, configuration: int) -> Kind:
        """What is done next; hidden steps that lead to letters count as one draw."""
        stands = self._stands[configuration]
        if isinstance(stands, Says):
            return Kind.ANNOUNCE
        i = self.instruction(configuration)
        stops = (
            isinstance(stands, Here) and i.kind in (Kind.ASK, Kind.RETURN) and not self._looks(i, stands.environment)
        )
        return i.kind if stops else Kind.DRAW

    def values(self, configuration: int) -> dict[str, Value]:
        """The live variables that have a value; kept noise says how often it was compared."""
        found = super().values(configuration)
        stands = self._stands[configuration]
        times = stands.compared if isinstance(stands, Here) else 0
        law = f"law after {times} comparison{'s' if times > 1 else ''}" if times else "law as drawn"

        def brief(value: Value) -> Value:
            noisy = list(noise_in(value))
            if any(noise.hidden for noise in noisy):
                return law
            drawn = any(noise.unseen for noise in noisy)
            return "law as drawn" if drawn else "as announced" if noisy else value

        return {name: brief(value) for name, value in found.items()}

    def letter(self, configuration: int) -> tuple[str, int]:
        """What an announcing configuration shows, and the configuration after that."""
        stands = self._stands[configuration]
        if not isinstance(stands, Says):
            raise TypeError("this configuration announces nothing")
        return stands

    def answer(self, configuration: int, value: Value) -> int:
        """The configuration after the observer has chosen an option."""
        i, here = self.instruction(configuration), self._here(configuration)
        environment = [replace_noisy(each, _a_letter_later) for each in here.environment]
        environment[self.slots[i.writes[0]]] = value
        said = (None, *here.said)
        arrived = self._arrive("", replace(here, point=i.next, environment=environment, said=said))
        return self.DEAD_END if arrived is None else self._number(*arrived, configuration)

    def draws(self, configuration: int) -> Moves | Announced:
        """Where hidden steps lead; of noise that is announced, what is left to settle."""
        stands = self._stands[configuration]
        if isinstance(stands, Shows):
            noise, stairs, relative = stands.shown
            return Announced(noise, [], [], [], [noise.show(stairs, stands.after, relative)])
        found = self._follow(self._here(configuration))
        targets: dict[int, Scale] = {}
        for arrival, here in found.items():
            target, mass = self._target(arrival, here, configuration)
            targets[target] = mass  # arrivals that differ have targets that differ
        return self._moves(targets)

    def _here(self, configuration: int) -> Here:
        stands = self._stands[configuration]
        if not isinstance(stands, Here):
            raise TypeError("hidden steps start where something has been seen")
        return stands

    # Configurations.

    def _target(self, arrival: Arrival, here: Here, source: int) -> tuple[int, Scale]:
        """The configuration of an arrival, and its probability."""
        letter, point, key, *_ = arrival
        if point == NOWHERE:
            after, mass = self.DEAD_END, here.law.mass()
        else:
            after, mass = self._with_law(point, key, here, source)
        if letter is None:
            return after, mass
        stands = Says(letter, after) if isinstance(letter, str) else Shows(letter, after)
        place = self.points[source] if point == NOWHERE else point
        return self._configuration((stands,), place, () if point == NOWHERE else key, stands, source), mass

    def _number(self, arrival: Arrival, here: Here, source: int) -> int:
        return self._with_law(arrival.point, arrival.key, here, source)[0]

    def _with_law(self, point: int, key: Key, here: Here, source: int) -> tuple[int, Scale]:
        """The configuration with these values and the law that the measure has, and the measure's mass."""
        self._charge(here.law)
        law, mass = here.law.normalise()
        here = replace(here, law=law)
        if here.pending is not None:
            i = self.graph.instructions[point]
            if i.kind is Kind.RETURN or not (self._plan.at_end or _reads(here.environment)):
                return self._name(point, key, here, here.pending, source), mass
            if i.kind is Kind.ASK:
                raise NotDeferred(ASKED, i.place)
        return self._configuration((point, key, law.key, here.pending, here.said), point, key, here, source), mass

    def _name(self, point: int, key: Key, here: Here, pending: Noisy, source: int) -> int:
        """The configuration that shows what was announced, and goes on without it."""
        environment = [replace_noisy(value, _a_letter_later) for value in here.environment]
        without = Here(point, environment, CERTAIN, said=(None, *here.said) if here.said else ())
        after, _ = self._with_law(point, self.key(point, environment), without, source)
        shown = _show(pending, here.law, None, NotFollowed(COMPARED, self.graph.instructions[point].place), NAMED)
        stands = Shows(shown, after)
        return self._configuration((stands,), point, key, stands, source)

    def _configuration(
        self, known: tuple[object, ...], point: int, key: Key, stands: Says | Shows | Here, source: int
    ) -> int:
        number = self._known.get(known)
        if number is None:
            number = self._known[known] = len(self.points)
            self.points.append(point)
            self.keys.append(key)
            self._stands[number] = stands
            self._before[number] = source
            if isinstance(stands, Here):
                self._note_law(number)
        return number

    def _note_law(self, number: int) -> None:
        """Count the laws, and refuse those of a loop that has a new one at each turn."""
        pairs = zip(self.live[self.points[number]], self.keys[number], strict=True)
        kept = [
            name for name, code in pairs if not isinstance(code, int) and any(n.hidden for n in noise_in(code.value))
        ]
        if not kept:
            return
        self.kept.update(dict.fromkeys(kept))
        self._laws_kept += 1
        place = self.instruction(number).place
        if self._laws_kept > MOST_LAWS:
            raise NotFollowed(f"kept noise has more than {MOST_LAWS:,} laws", place)
        control, before, turns = (self.points[number], self.keys[number]), self._before[number], 0
        while before != NOWHERE:
            turns += control == (self.points[before], self.keys[before])
            before = self._before[before]
        if turns > MOST_TURNS:
            raise NotFollowed("a loop compares kept noise without end, and its law is never the same again", place)

    # Hidden steps.

    def _follow(self, start: Here) -> dict[Arrival, Here]:
        """All that may be seen next, with the measure of K there."""
        found: dict[Arrival, Here] = {}
        layer: dict[object, Here] = {self._control(start): start}
        met, layers = set(layer), 0
        while layer:
            following: dict[object, Here] = {}
            for here in layer.values():
                for after in self._after(here):
                    if isinstance(after, Here):
                        _put(following, self._control(after), after)
                    else:
                        _put(found, *after)
            layer = following
            met.update(layer)
            layers += 1
            # A way that is longer than there are places to be in comes to one of them twice.
            if layers > len(met):
                place = self.graph.instructions[next(iter(layer.values())).point].place
                raise NotFollowed("a loop around kept noise goes on without announcing", place)
        return found

    def _control(self, here: Here) -> object:
        # What was decided is part of it: after each answer the same instruction is evaluated once more.
        fresh = here.fresh and (here.fresh.ratio, here.fresh.bounds)
        return here.point, self.key(here.point, here.environment), fresh, here.decided, here.pending

    def _after(self, here: Here) -> Iterator[Here | tuple[Arrival, Here]]:
        """To the next comparison that is not decided, draw or letter, and past it."""
        point, environment, decided = here.point, here.environment.copy(), dict(here.decided)
        while True:
            stop = self.ahead(point, environment, self._steps_beside(environment))
            if stop is None:
                if here.pending is not None:
                    raise NotDeferred(ENDLESS, self.graph.instructions[point].place)
                yield Arrival(None, NOWHERE, ()), replace(here, law=_point(self._mass(here)))
                return
            point, i = stop, self.graph.instructions[stop]
            try:
                sight = Sight(self.slots, environment, decided, partial(_spans, here), here.said)
                values = [sight.value(expression) for expression in i.reads]
                if i.kind not in (Kind.ASSIGN, Kind.BRANCH, Kind.TURN):
                    values = [sight.tell(value) for value in values]
                branch = i.kind is Kind.BRANCH and sight.truth(values[0])
                known = self._known_of(point, sight, values[0]) if i.kind is Kind.ANNOUNCE else None
            except Looked as need:
                told = replace(here, point=point, environment=environment, decided=frozenset(decided.items()))
                yield self._make_draw(told, self._first_of(i, environment, need.draw), i.place)
                return
            except Undecided as question:
                yield from self._split(replace(here, point=point, environment=environment), decided, question.condition)
                return
            except NotFollowed as reason:
                reason.place = reason.place or i.place
                raise
            except Problem as problem:
                raise NotFollowed(problem.what, problem.place or i.place) from None
            # Answers belong to the instruction that asked: the next one asks for its own.
            decided = {}
            if i.kind is Kind.ASSIGN:
                turns = getattr(i.reads[0], "function", None) is iterate
                environment[self.slots[i.writes[0]]] = self._turns(values[0]) if turns else values[0]
                point = i.next
            elif i.kind is Kind.TURN:
                item, coming = (self.slots[name] for name in i.writes)
                if values[0]:
                    environment[item], environment[coming] = values[0][0], self._turns(rest(values[0]))
                point = i.next if values[0] or i.otherwise is None else i.otherwise
            elif i.kind is Kind.BRANCH:
                point = i.next if branch or i.otherwise is None else i.otherwise
            elif i.kind is Kind.DRAW and point != here.point:
                # Whoever else comes here with the same values is waited for.
                yield replace(here, point=point, environment=environment, decided=frozenset())
                return
            else:
                said = (known, *here.said) if i.kind is Kind.ANNOUNCE else here.said
                here = replace(here, point=point, environment=environment, said=said)
                yield from self._stop(i, here, values)
                return

    def _turns(self, turns: Any) -> Any:
        """What a loop runs over, as an explorer keeps it, unless it holds noise."""
        return turns if any(True for _ in noise_in(turns)) else self.code(turns).value

    def _known_of(self, point: int, sight: Sight, value: object) -> Said | None:
        """Between what an integer is that is being announced, as far as it is compared later; Undecided if it is."""
        if not isinstance(value, Noisy) or not value.hidden or value.outputs:
            return None
        low = None
        for threshold in sorted(self._plan.thresholds.get(point, ())):
            if not sight.at_least(value, threshold):
                return Said(point, low, threshold - 1)
            low = threshold
        return Said(point, low, None)

    def _looks(self, i: Instruction, environment: Environment) -> bool:
        """Whether an instruction reads noise."""
        read = (environment[self.slots[name]] for expression in i.reads for name in variables(expression))
        return any(True for value in read for _ in noise_in(value))

    def _steps_beside(self, environment: Environment) -> Steps:
        """The steps that look at no noise of the environment."""
        noisy = frozenset(slot for slot in range(1, len(environment)) if any(True for _ in noise_in(environment[slot])))
        found = self._beside.get(noisy)
        if found is None:
            found = self._beside[noisy] = [self._beside_at(point, noisy) for point in range(len(self.steps))]
        return found

    def _beside_at(self, point: int, noisy: frozenset[int]) -> Any:
        stretch = self.stretches.get(point)
        if stretch is not None and stretch.slots.isdisjoint(noisy):
            return self.steps[point]
        reads = self.graph.instructions[point].reads
        looks = any(self.slots[name] in noisy for expression in reads for name in variables(expression))
        return None if looks and point not in self.idle else self.plain_steps[point]

    def _split(self, here: Here, decided: Mapping[Condition, bool], condition: Condition) -> Iterator[Here]:
        """Where the condition holds, and where it does not; only what is possible."""
        for truth, held in ((True, condition), (False, condition.denied)):
            law, fresh, compared = here.law, here.fresh, here.compared
            if not held.fresh:
                law, compared = law.where(held.kept, held.shift), compared + 1
            elif fresh is not None:
                # ±Z ≥ −kept·K − shift
                lower = held.fresh > 0
                bound = Bound(lower, -held.kept if lower else held.kept, -held.shift if lower else held.shift)
                fresh = fresh._replace(bounds=with_bound(fresh.bounds, bound))
            if possible(law, () if fresh is None else fresh.bounds):
                told = frozenset((*decided.items(), (condition, truth)))
                yield replace(here, law=law, fresh=fresh, decided=told, compared=compared)

    def _stop(self, i: Instruction, here: Here, values: Sequence[Any]) -> Iterator[Here | tuple[Arrival, Here]]:
        """Past a draw, or at what is seen next."""
        noisy = [noise for value in values for noise in noise_in(value)]
        if i.kind is Kind.ANNOUNCE:
            yield self._announce(i, here, values[0], noisy)
        elif noisy:
            what = "the parameter of a draw" if i.kind is Kind.DRAW else "looked at"
            raise NotFollowed(f"noise is {what}", i.place)
        elif i.kind is Kind.DRAW:
            yield from self._draw(i, self._settle(here), values)
        elif i.kind is Kind.ASK:
            if self._looks(i, here.environment):
                raise NotFollowed("noise decides what may be asked", i.place)
            if here.pending is not None:
                raise NotDeferred(ASKED, i.place)
            here = self._settle(here)
            yield Arrival(None, here.point, self.key(here.point, here.environment)), here
        elif i.kind is Kind.RETURN and here.pending is not None:
            here = replace(self._settle(here), environment=self._empty(), said=())
            yield Arrival(None, here.point, (), here.pending), here
        elif i.kind is Kind.RETURN:
            yield Arrival(None, here.point, ()), Here(here.point, self._empty(), _point(self._mass(here)))
        else:
            raise NotFollowed("noise is looked at", i.place)

    def _draw(self, i: Instruction, here: Here, values: Sequence[Any]) -> Iterator[Here]:
        try:
            law = self._law(i, values)
        except Problem as problem:
            raise NotFollowed(problem.what, i.place) from None
        slot = self.slots[i.writes[0]]
        if isinstance(law, Law):
            if law.base == ENCLOSED:
                raise NotFollowed(f"probabilities are enclosed: {law.why}", i.place)
            self.charge(len(law.values))
            for value, weight in zip(law.values, law.weights, strict=True):
                environment = here.environment.copy()
                environment[slot] = value
                share = Scale.of(*self._in_y(weight, law.total, law.base))
                yield replace(here, point=i.next, environment=environment, law=here.law.scale_by(share))
            return
        if not isinstance(law, TwoSided) or law.exact_ratio is None:
            raise NotFollowed(f"{law.name} has no exact geometric tails", i.place)
        ratio = TailRatio(*self._in_y(*law.exact_ratio))
        self._noises.setdefault(ratio.key, Fresh(law, ratio))
        environment = here.environment.copy()
        number = 1 + max((draw.number for draw in _unseen(environment)), default=-1)
        environment[slot] = Noisy(0, 0, 0, unseen=((Unseen(number, ratio.key), 1),))
        yield replace(here, point=i.next, environment=environment)

    def _first_of(self, i: Instruction, environment: Environment, needed: Unseen) -> Unseen:
        """Which unseen draw to make first: what is missing of a sum that is known in part, so that it becomes one."""
        read = (environment[self.slots[name]] for expression in i.reads for name in variables(expression))
        sums = (noise for value in read for noise in noise_in(value) if noise.hidden)
        return next((draw for noise in sums for draw, _ in noise.unseen), needed)

    def _make_draw(self, here: Here, draw: Unseen, place: Place) -> Here:
        """Where an unseen draw becomes Z."""
        if here.fresh is not None:
            # What the instruction was told is about K and Z as they were: it asks again, and the laws know the answers.
            settled = self._settle(here)
            if settled.fresh is not None:
                raise NotFollowed("a third noise is needed while two are", place)
            return settled
        environment = [replace_noisy(value, partial(_with_draw, draw=draw)) for value in here.environment]
        return replace(here, environment=environment, fresh=self._noises[draw.ratio])

    def _announce(self, i: Instruction, here: Here, value: Any, noisy: Sequence[Noisy]) -> tuple[Arrival, Here]:
        letter: str | ShownDraw
        if noisy:
            letter, here = self._letter_of(i, here, value)
        else:
            letter = self._text_of(i, value)
        environment = [replace_noisy(value, _a_letter_later) for value in here.environment]
        arrived = self._arrive(letter, replace(here, point=i.next, environment=environment), i)
        if arrived is None and here.pending is not None:
            raise NotDeferred(ENDLESS, i.place)
        return arrived or (Arrival(letter, NOWHERE, ()), replace(here, law=_point(self._mass(here))))

    def _text_of(self, i: Instruction, value: Value) -> str:
        try:
            letter = letter_of(value)
        except Problem as problem:
            raise NotFollowed(problem.what, i.place) from None
        self._refuse_alike(i, like_relative="[-" in letter or MARK in letter)
        return letter

    def _refuse_alike(self, i: Instruction, *, relative: bool = False, like_relative: bool = False) -> None:
        """NotFollowed where some letters are relative to others, and a text looks as if it were."""
        self._relative |= relative
        self._like_relative |= like_relative
        if self._relative and self._like_relative:
            raise NotFollowed(f"announced noise is read again, and a text holds '[-' or {MARK!r}", i.place)

    def _letter_of(self, i: Instruction, here: Here, value: Any) -> tuple[str | ShownDraw, Here]:
        """The letter of a noisy value, and what is left when it is known.

        Announced is o = u + c + Σ f·(earlier outputs), with u made of K and Z. Who sees it computes o − Σ, and the
        other way round, so that the letter is u + c; and from then on u is o − c − Σ. Whether the sum is a function of
        the letters seen is checked by `States`.
        """
        if not isinstance(value, Noisy) or not value.integral:
            raise NotFollowed(_not_announced(value), i.place)
        relative = tuple((age, int(factor)) for age, factor in value.outputs)
        self._refuse_alike(i, relative=bool(relative))
        if not value.hidden:
            number = int(value.shift)
            letter = label_of(relative, str(number))
            self.outputs[letter] = Output(relative, number, number)
            return letter, here
        later = [noise for slot in self.live_slots[i.next] for noise in noise_in(here.environment[slot])]
        if here.point in self._plan.deferred and any(_share(noise, value) for noise in later):
            return self._defer(i, here, value)
        if here.pending is not None and value.kept:
            raise NotDeferred(f"{COMPARED}, and announced once more before", i.place)
        # Age 0 is the letter that is being announced.
        nothing = replace(value, outputs=combine(value.outputs, ((0, 1),), -1))
        live = frozenset(self.live_slots[i.next])
        environment: Environment = [ABSENT] * len(here.environment)
        environment[SPENT] = here.environment[SPENT]

        def know(noise: Noisy) -> Noisy | Rational:
            if value.run > 1 or noise.run > 1:
                if _share(noise, value):
                    raise ReadAgain("a part of what is announced is read again", i.place, {here.point})
                return noise
            return noise.plus(nothing, -_times(noise, value))

        for slot in live:
            environment[slot] = replace_noisy(here.environment[slot], know)
        left = [noise for slot in live for noise in noise_in(environment[slot]) if noise.hidden]
        left += [here.pending] if here.pending is not None else []
        here = replace(here, environment=environment)
        plain = here.fresh.noise if here.fresh is not None and not value.kept and not here.fresh.bounds else None
        measure, here = self._take(i, here, value, left)
        self._charge(measure)
        why = NotFollowed(_not_announced(value), i.place)
        return _show(value, measure.normalise()[0], plain if value.run == 1 else None, why, relative), here

    def _defer(self, i: Instruction, here: Here, value: Noisy) -> tuple[str, Here]:
        """The mark of an announcement that is shown later, and what is remembered of it."""
        if value.outputs:
            raise NotDeferred(f"{COMPARED}, and was added to another announcement", i.place)
        if here.pending is not None:
            raise NotDeferred("two announcements are compared later, the second before the first is done with", i.place)
        self._refuse_alike(i, relative=True)
        return MARK, replace(here, pending=value)

    def _take(self, i: Instruction, here: Here, value: Noisy, left: Sequence[Noisy]) -> tuple[Tailed, Here]:
        """The measure of the integer that a value shows, and what stays beside it: neither, K, or Z.

        The integer is K, Z, or ±K ± Z with the signs that they have in the value; ``left`` is what is read later.
        """
        law, fresh = here.law, here.fresh
        kept, drawn = any(noise.kept for noise in left), any(noise.fresh for noise in left)
        if (kept and value.kept) or (drawn and value.fresh):
            raise ReadAgain("a part of what is announced is read again", i.place, {here.point})
        if fresh is None:
            return law, replace(here, law=_point(law.mass()))
        if kept or drawn:
            if any(bound.slope for bound in fresh.bounds):
                raise NotFollowed("noise is announced that was compared with what is kept", i.place)
            if kept:
                measure = _within(fresh)
                return measure, replace(here, law=law.scale_by(measure.mass()), fresh=None)
            return law, replace(here, law=_point(law.mass()))
        if not value.fresh:
            measure = project_law(law, noise_of(fresh.ratio), fresh.bounds)
        elif not value.kept:
            measure = self._instead(law, fresh)
        else:
            if abs(value.kept) != abs(value.fresh):
                raise NotFollowed("different multiples of two noises are added up", i.place)
            found = _added_up(law, fresh, *_signs(value))
            if found is None:
                raise NotFollowed("noises that were compared are added up", i.place)
            measure = found
        return measure, replace(here, law=_point(measure.mass()), fresh=None)

    def _arrive(self, letter: str | ShownDraw, here: Here, i: Instruction | None = None) -> tuple[Arrival, Here] | None:
        """Where a run stands after a letter; None if it goes on for ever without another."""
        environment = here.environment.copy()
        point = self.ahead(here.point, environment, self._steps_beside(environment))
        if point is None:
            return None
        here = self._settle(replace(here, point=point, environment=environment, decided=frozenset()))
        if here.fresh is not None:
            place = (i or self.graph.instructions[here.point]).place
            raise NotFollowed("two noises are kept while something is announced", place)
        # Of what is not read again nothing need be known.
        ages = {age for value in here.environment for noise in noise_in(value) for age, _ in noise.outputs}
        if max(ages, default=0) > MOST_AGE:
            place = self.graph.instructions[point].place
            raise NotFollowed(f"noise that was announced is read again more than {MOST_AGE:,} letters later", place)
        kept = [said if age in ages else None for age, said in enumerate(here.said, start=1)]
        here = replace(here, said=tuple(kept[: max(ages, default=0)]))
        return Arrival(letter, point, self.key(point, here.environment), here.pending, here.said), here

    # Projections.

    def _mass(self, here: Here) -> Scale:
        """How likely it is to get here."""
        if here.fresh is None:
            return here.law.mass()
        return project_law(here.law, noise_of(here.fresh.ratio), here.fresh.bounds).mass()

    def _settle(self, here: Here) -> Here:
        """Without the integers that no live variable depends on; what is left is K, in its one form."""
        live = frozenset(self.live_slots[here.point])
        environment = _numbered([v if s in live or s == 0 else ABSENT for s, v in enumerate(here.environment)])
        pending = here.pending
        noisy = [noise for slot in sorted(live) for noise in noise_in(environment[slot]) if noise.hidden]
        noisy += [pending] if pending is not None else []
        law, fresh, compared = here.law, here.fresh, here.compared

        def change_all(change: Callable[[Noisy], Noisy]) -> None:
            nonlocal environment, pending
            environment = [replace_noisy(value, change) for value in environment]
            pending = None if pending is None else change(pending)

        # Z is forgotten: what its comparisons say is left in the measure of K.
        if fresh is not None and not any(noise.fresh for noise in noisy):
            compared += sum(bound.slope != 0 for bound in fresh.bounds)
            law, fresh = project_law(law, noise_of(fresh.ratio), fresh.bounds), None
            self._charge(law)
        # K is forgotten, and Z takes its place.
        elif fresh is not None and not any(noise.kept for noise in noisy):
            law, compared, fresh = self._instead(law, fresh), len(fresh.bounds), None
            change_all(_with_fresh_kept)
            self._charge(law)
        # Both are read as one sum alone: it takes their place.
        elif fresh is not None and noisy and len({_direction(noise) for noise in noisy}) == 1:
            signs = _signs(noisy[0])
            total = _added_up(law, fresh, *signs) if _direction(noisy[0]) else None
            if total is not None:
                law, compared, fresh = total, compared + len(fresh.bounds), None
                change_all(partial(_of_sum, sign=signs[0]))
                self._charge(law)
        if not noisy:
            return Here(here.point, environment, _point(law.mass()), said=here.said)
        if fresh is None:
            first = next(
                (noise for slot in sorted(live) for noise in noise_in(environment[slot]) if noise.kept), pending
            )
            if first is None:
                raise TypeError("what is read depends on no kept integer")
            law, change = _in_one_form(law, first)
            change_all(change)
        return Here(here.point, environment, law, fresh, frozenset(), compared, pending, here.said)

    def _instead(self, law: Tailed, fresh: Fresh) -> Tailed:
        """The measure of Z, which is kept from here on, where K is forgotten."""
        # z ≥ k + c if k ≤ z − c, and z ≥ −k + c if k ≥ −z + c
        lines = (bound for bound in fresh.bounds if bound.slope)
        bounds = [Bound(lower is (slope < 0), slope, -slope * shift) for lower, slope, shift in lines]
        return project_law(_within(fresh), law, bounds)

    # Numbers.

    def spread_over(
        self, noise: Unbounded, spans: Sequence[Span | Phase], targets: Sequence[int], lost: Sequence[Span]
    ) -> Moves:
        """The moves to targets, span by span; lost spans are cut off."""
        if not isinstance(noise, KeptLaw):
            raise TypeError("here every announced integer has a law")
        ordinary = [span for span in spans if isinstance(span, Span)]
        if noise.plain is not None and len(ordinary) == len(spans):
            return super().spread_over(noise.plain, ordinary, targets, lost)
        self._charge(noise.law)
        sums = iter(noise.law.between(span[:2] for span in ordinary))
        weights = (weight_of(noise.law, span) if isinstance(span, Phase) else next(sums) for span in spans)
        return self._moves({target: weight for target, weight in zip(targets, weights, strict=True) if weight.top})

    def _charge(self, law: Tailed) -> None:
        self._work += law.size
        self.look_up(1 + law.size // 100, "compiling the program: the laws of kept noise")
        if self._work > MOST_WORK:
            raise TooFar

    def _in_y(self, top: Any, bottom: Any, base: int) -> tuple[fmpz_poly, fmpz_poly]:
        """A quotient of whole numbers, or of polynomials in e^(1/base), as one of polynomials in Y."""
        if base == RATIONAL:
            return fmpz_poly([int(top)]), fmpz_poly([int(bottom)])
        if self._base % base:
            raise OtherBase(math.lcm(self._base, base))
        # Polynomials in X become ones in Y = 1/X; both gain the same power of X, which the quotient does not see.
        both = reversed_polynomials([top + NOTHING, bottom + NOTHING])
        one, other = (polynomial.inflate(self._base // base) for polynomial in both)
        return one, other

    def _moves(self, targets: Mapping[int, Scale]) -> Moves:
        """The probabilities over one total, as integers or as polynomials in X = e^(1/k)."""
        total = least_multiple(mass.bottom for mass in targets.values())
        tops = [mass.top * (total // mass.bottom) for mass in targets.values()]
        # An identity of polynomials, so it holds exactly or a case was lost.
        if sum(tops, NOTHING) != total:
            raise ArithmeticError("the laws of kept noise do not add up")
        if total.degree() == 0 and all(top.degree() <= 0 for top in tops):
            law = law_of((), [int(top[0]) for top in tops], int(total[0]))
            sign = -1 if law.total < 0 else 1
            return Moves(tuple(targets), tuple(sign * weight for weight in law.weights), sign * law.total)
        whole, *parts = reversed_polynomials([total, *tops])
        sign = -1 if whole[whole.degree()] < 0 else 1
        return Moves(tuple(targets), tuple(sign * part for part in parts), sign * whole, self._base)


Made = TypeVar("Made")


ASKED = f"{COMPARED}, and the observer is asked before that"
ENDLESS = f"{COMPARED}, and a run may go on for ever before that"


MOST_SPLITS = 24
"""With how many numbers announced integers are compared."""


def follow_kept(make: Callable[[int, Plan], Made]) -> Made:
    """What is made with numbers that are functions of e^(1/k), where announced integers are compared if need be.

    What is compared with known numbers alone is told apart when it is announced; otherwise, it is shown later.
    """
    thresholds: dict[int, set[int]] = {}
    deferred: set[int] = set()
    at_end, why = False, None
    while True:
        try:
            return in_some_base(partial(_plan, make, Plan(thresholds, deferred, at_end)))
        except NotSplit as split:
            thresholds.setdefault(split.point, set()).add(split.threshold)
            if sum(map(len, thresholds.values())) > MOST_SPLITS:
                raise NotFollowed(f"{COMPARED} with more than {MOST_SPLITS} numbers") from None
        except ReadAgain as reason:
            if reason.points <= deferred:
                raise why or reason from None
            deferred |= reason.points
        except NotDeferred as reason:
            if at_end:
                raise
            at_end, why = True, reason
        except NotFollowed as reason:
            # What is in the way of showing it when it is dead explains more than what is in the way at the end.
            raise why or reason from None


def _plan(make: Callable[[int, Plan], Made], plan: Plan, k: int) -> Made:
    return make(k, plan)


def in_some_base(make: Callable[[int], Made]) -> Made:
    """What is made with numbers that are functions of e^(1/k), for the least k that will do; NotFollowed if none does.

    An error of the program is one of these reasons: it is found again, with all values, where each has its state.
    """
    k = 1
    while k <= MOST_DEGREE:
        try:
            return make(k)
        except OtherBase as other:
            k = other.k
        except TooFar:
            raise NotFollowed("the law of kept noise takes too many numbers") from None
        except ProgramError as error:
            raise NotFollowed(error.defects[0].what) from None
    raise NotFollowed("the exponents of kept noise have too long a common denominator")


CERTAIN = Tailed(0, [ONE], {}, {})
"""K = 0."""


def _point(mass: Scale) -> Tailed:
    """The measure of K = 0 where nothing is kept."""
    return CERTAIN.scale_by(mass)


def _in_one_form(law: Tailed, first: Noisy) -> tuple[Tailed, Callable[[Noisy], Noisy]]:
    """The law of another K, such that a value rises with it, and is at K = 0 the least that is not negative."""
    # Any affine change of K says the same; with one form, equal situations have equal keys and are one configuration.
    sign = 1 if first.kept > 0 else -1
    by = math.floor(Fraction(first.shift) / abs(Fraction(first.kept)))

    def change(noise: Noisy) -> Noisy:
        # K' = sign·K + by
        return replace(noise, kept=sign * noise.kept, shift=noise.shift - sign * noise.kept * by)

    return (law if sign > 0 else law.reflect()).shift(by), change


def _show(value: Noisy, law: Tailed, plain: TwoSided | None, why: NotFollowed, relative: Multiples) -> ShownDraw:
    """How an integer with a law is announced: K, Z, or their sum with the signs that they have in the value."""
    size = max(abs(int(value.kept)), abs(int(value.fresh)))
    slope = int(value.kept or value.fresh) if not (value.kept and value.fresh) else size
    if value.run == 1:
        return ShownDraw(KeptLaw(law, plain, why), Stairs.of_line(Line(slope, value.shift)), relative)
    # ⌊(g·n + s)/(g·r)⌋ = ⌊(n + ⌊s/g⌋)/r⌋
    if value.run % abs(slope):
        raise NotFollowed("a multiple of noise is rounded to another multiple", why.place)
    law = (law if slope > 0 else law.reflect()).shift(math.floor(Fraction(value.shift) / abs(slope)))
    steps = law.floor(value.run // abs(slope)).normalise()[0]
    return ShownDraw(KeptLaw(steps, None, why), Stairs.of_line(Line(int(value.rise), value.base)), relative)


def _reads(environment: Environment) -> bool:
    """Whether what is hidden is read later."""
    return any(noise.hidden for value in environment for noise in noise_in(value))


def _share(noise: Noisy, value: Noisy) -> bool:
    """Whether two values depend on the same integer."""
    return bool((noise.kept and value.kept) or (noise.fresh and value.fresh))


def _times(noise: Noisy, value: Noisy) -> Fraction:
    """How many times a value that will be known is in another."""
    if value.kept and value.fresh and noise.kept * value.fresh != noise.fresh * value.kept:
        return Fraction(0)
    return Fraction(noise.kept, value.kept) if value.kept else Fraction(noise.fresh, value.fresh)


def _signs(noise: Noisy) -> tuple[int, int]:
    """The signs of K and Z."""
    return (1 if noise.kept > 0 else -1), (1 if noise.fresh > 0 else -1)


def _direction(noise: Noisy) -> int:
    """1 for multiples of K + Z, −1 for those of K − Z, 0 for others."""
    return 1 if noise.kept == noise.fresh else -1 if noise.kept == -noise.fresh else 0


def _of_sum(noise: Noisy, sign: int) -> Noisy:
    """The value where ±K ± Z, with this sign of K, takes the place of K."""
    return replace(noise, kept=sign * noise.kept, fresh=0)


def _within(fresh: Fresh) -> Tailed:
    """The measure of Z, as far as it was not compared with K."""
    measure = noise_of(fresh.ratio)
    for lower, slope, shift in fresh.bounds:
        if not slope:
            measure = measure.where(1, -shift) if lower else measure.where(-1, shift)
    return measure


def _added_up(law: Tailed, fresh: Fresh, kept: int, drawn: int) -> Tailed | None:
    """The measure of kept·K + drawn·Z, factors ±1; None if Z was compared with K along another line."""
    lines = [bound for bound in fresh.bounds if bound.slope]
    # Z − slope·K is drawn·(kept·K + drawn·Z) for this slope.
    if any(bound.slope != -kept * drawn for bound in lines):
        return None
    one = law if kept > 0 else law.reflect()
    if len(lines) == len(fresh.bounds):
        total = one.plus_noise(fresh.ratio)
    else:
        other = _within(fresh)
        total = one.plus_independent(other if drawn > 0 else other.reflect())
    for lower, _, shift in lines:
        total = total.where(drawn, -shift) if lower else total.where(-drawn, shift)
    return total


def _with_fresh_kept(noise: Noisy) -> Noisy:
    """The value where Z takes the place of K."""
    return replace(noise, kept=noise.fresh, fresh=0) if noise.fresh else noise


def _unseen(environment: Environment) -> Iterator[Unseen]:
    """The draws that are not looked at, as often as values depend on them."""
    return (draw for value in environment for noise in noise_in(value) for draw, _ in noise.unseen)


def _with_draw(noise: Noisy, draw: Unseen) -> Noisy:
    """The value where an unseen draw has become Z."""
    factor = dict(noise.unseen).get(draw)
    if factor is None:
        return noise
    return replace(noise, fresh=factor, unseen=tuple(term for term in noise.unseen if term[0] != draw))


def _numbered(environment: Environment) -> Environment:
    """The unseen draws by number from 0 on, in the order in which values depend on them."""
    # Equal situations have equal keys.
    numbers = {draw: place for place, draw in enumerate(dict.fromkeys(_unseen(environment)))}
    if all(draw.number == place for draw, place in numbers.items()):
        return environment

    def change(noise: Noisy) -> Noisy:
        terms = ((draw._replace(number=numbers[draw]), factor) for draw, factor in noise.unseen)
        return replace(noise, unseen=tuple(sorted(terms, key=lambda term: term[0].number)))

    return [replace_noisy(value, change) for value in environment]


def _a_letter_later(noise: Noisy) -> Noisy:
    """The value after one more letter."""
    return replace(noise, outputs=tuple((age + 1, factor) for age, factor in noise.outputs))


def _not_announced(value: Any) -> str:
    """Why a noisy value is not announced."""
    if not isinstance(value, Noisy):
        return "noise is announced together with something else"
    if value.kept and value.fresh:
        return "noises that are added up are announced"
    if value.kept:
        return "kept noise is announced"
    return "noise is announced after it was compared" if value.integral else "a fraction of noise is announced"


def _spans(here: Here) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The least and greatest values of K, and of the fresh draw beside it; None where they are many."""
    law, bounds = here.law, () if here.fresh is None else here.fresh.bounds
    low = max((shift for lower, slope, shift in bounds if lower and not slope), default=None)
    high = min((shift for lower, slope, shift in bounds if not lower and not slope), default=None)
    kept = None if law.up or law.down else (law.low, law.high)
    fresh = None if low is None or high is None else (low, high)
    return tuple(None if s is None or s[1] - s[0] > MOST_APART else s for s in (kept, fresh))  # type: ignore[return-value]


def _put(into: dict[Any, Here], key: object, here: Here) -> None:
    """Add the measure to what is there."""
    there = into.get(key)
    into[key] = here if there is None else replace(there, law=there.law.plus(here.law))


def reversed_polynomials(polynomials: Sequence[fmpz_poly]) -> list[fmpz_poly]:
    """The polynomials of 1/X, all times the same power of X."""
    length = max(polynomial.degree() for polynomial in polynomials) + 1
    found = []
    for polynomial in polynomials:
        coefficients = polynomial.coeffs()
        found.append(fmpz_poly([*[0] * (length - len(coefficients)), *coefficients[::-1]]))
    return found
