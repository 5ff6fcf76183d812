"""Hidden steps folded away: from each configuration straight to the next announcement or question, exactly.

Let c range over configurations that draw. The law of what c shows next is the least solution of
``law(c) = Σ p(c, c')·law(c')``, where an announcing configuration's law is its letter, and an asking one's the prompt
that shows its options. The configurations are
taken by strongly connected components of the draw graph, successors first. Inside one component C,
``law_C = (I − P_CC)⁻¹·(what leaves C)``. If nothing leaves C, a run in it never announces again and
never ends: its whole mass is divergence. Otherwise every configuration of C leaves it with probability
one, I − P_CC is invertible, and the system is solved in rationals, as for silent states of any chain
(`model.elimination`).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ..errors import Defect
from ..model.components import reached_components
from ..model.elimination import solve
from .explore import Explorer, prompt_of
from .graph import Announce, Ask, Draw
from .problems import ProgramError

Law = dict[int, Fraction]
"""Number of an event (or, inside a hidden loop, of a configuration) → its probability."""

MAX_SOLVE = 1_000_000
"""The most row entries that may be touched to solve one component of hidden steps."""

LAWS_PER_CHECK = 100
"""How many configurations are settled between two looks at the deadline."""


class Event(NamedTuple):
    """Something that is seen: a letter, and the configuration after it, which asks if the letter is a prompt."""

    letter: str
    configuration: int
    asks: bool = False


class Folding:
    """The laws of an explorer's configurations, each computed once.

    Events are numbered as they are met: ``events[0]`` is the end of the run, ``events[1]`` divergence.
    """

    END, DIVERGENCE = 0, 1

    def __init__(self, explorer: Explorer, max_entries: int) -> None:
        self.explorer = explorer
        self.events = [Event("", Explorer.DEAD_END), Event("", Explorer.DEAD_END)]
        self._numbers: dict[Event, int] = {}
        self._laws: dict[int, Law] = {Explorer.DEAD_END: {self.DIVERGENCE: Fraction(1)}}
        self._entries_left = max_entries

    def law(self, configuration: int) -> Law:
        """What happens next, from a configuration: exact."""
        if configuration not in self._laws:
            moves: dict[int, dict[int, Fraction]] = {}

            def following(met: int) -> Iterable[int]:
                moves[met] = self._moves(met)
                return moves[met]

            for component in reached_components([configuration], following, self._laws):
                self._settle(component, {member: moves.pop(member) for member in component})
        return self._laws[configuration]

    def _moves(self, configuration: int) -> dict[int, Fraction]:
        """Hidden moves; a configuration that ends, announces or asks has none, and its law is noted."""
        instruction = self.explorer.instruction(configuration)
        if isinstance(instruction, Draw):
            return self.explorer.draws(configuration)
        event = self.END
        if isinstance(instruction, Announce):
            event = self._numbered(Event(*self.explorer.letter(configuration)))
        elif isinstance(instruction, Ask):
            prompt = prompt_of(name for name, _ in self.explorer.question(configuration))
            event = self._numbered(Event(prompt, configuration, asks=True))
        self._note(configuration, {event: Fraction(1)})
        return {}

    def _numbered(self, shown: Event) -> int:
        event = self._numbers.get(shown, len(self.events))
        if event == len(self.events):
            self._numbers[shown] = event
            self.events.append(shown)
        return event

    def _note(self, configuration: int, law: Law) -> None:
        self._entries_left -= len(law)
        if not len(self._laws) % LAWS_PER_CHECK:
            self.explorer.cancel.check()
        if self._entries_left < 0:
            place = str(self.explorer.instruction(configuration).place)
            what = "too many transitions: too many different announcements follow from hidden draws here"
            raise ProgramError(Defect(place, what, "announce in smaller parts, or raise `max_states`"))
        self._laws[configuration] = law

    def _settle(self, component: list[int], moves: dict[int, dict[int, Fraction]]) -> None:
        inside = set(component)
        inner: dict[int, Law] = {}
        outer: dict[int, Law] = {}
        for configuration in component:
            if configuration in self._laws:  # it announces or ends: a component of its own
                return
            inner[configuration] = {c: p for c, p in moves[configuration].items() if c in inside}
            law: Law = {}
            for target, probability in moves[configuration].items():
                if target not in inside:
                    _accumulate(law, self._laws[target], probability)
            outer[configuration] = law
        if not any(outer.values()):
            for configuration in component:
                self._note(configuration, {self.DIVERGENCE: Fraction(1)})
            return
        solved = solve(inner, outer, most_work=MAX_SOLVE, cancel=self.explorer.cancel)
        if solved is None:
            place = str(self.explorer.instruction(component[0]).place)
            what = f"a hidden loop of {len(component)} configurations is too large to be summed exactly"
            raise ProgramError(Defect(place, what, "announce inside the loop, or keep less in its variables"))
        for configuration, law in solved.items():
            self._note(configuration, law)


def _accumulate(law: Law, other: dict[int, Fraction], weight: Fraction) -> None:
    for key, probability in other.items():
        law[key] = law.get(key, Fraction(0)) + weight * probability
