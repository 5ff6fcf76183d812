"""Hidden steps folded away: from each configuration straight to the next announcement, exactly.

Let c range over configurations that draw. The law of what c announces next is the least solution of
``law(c) = Σ p(c, c')·law(c')``, where an announcing configuration's law is its letter. The configurations are
taken by strongly connected components of the draw graph, successors first. Inside one component C,
``law_C = (I − P_CC)⁻¹·(what leaves C)``. If nothing leaves C, a run in it never announces again and
never ends: its whole mass is divergence. Otherwise every configuration of C leaves it with probability
one, I − P_CC is invertible, and the system is solved by eliminating one configuration after the other, in
rationals.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Iterator
from fractions import Fraction

from ..errors import Defect
from ..watch import Watch
from .explore import Explorer
from .graph import Announce, Draw
from .problems import ProgramError

__all__ = ["Folding", "Law"]

Law = dict[int, Fraction]
"""Number of an event (or, inside a hidden loop, of a configuration) → its probability."""

MAX_SOLVE = 1_000_000
"""The most row entries that may be touched to solve one component of hidden steps."""

LAWS_PER_CHECK = 100
"""How many configurations are settled between two looks at the watch."""


class Folding:
    """The laws of an explorer's configurations, each computed once.

    Events are numbered as they are met: ``events[0]`` is the end of the run, ``events[1]`` divergence, and
    all others are (letter, configuration after it).
    """

    END, DIVERGENCE = 0, 1

    def __init__(self, explorer: Explorer, max_entries: int) -> None:
        self.explorer = explorer
        self.events: list[tuple[str, int]] = [("", -1), ("", -1)]
        self._numbers: dict[tuple[str, int], int] = {}
        self._laws: dict[int, Law] = {Explorer.DEAD_END: {self.DIVERGENCE: Fraction(1)}}
        self._entries_left = max_entries

    def law(self, configuration: int) -> Law:
        """What happens next, from a configuration: exact."""
        if configuration not in self._laws:
            for component, moves in _components(configuration, self._moves, self._laws):
                self._settle(component, moves)
        return self._laws[configuration]

    def _moves(self, configuration: int) -> dict[int, Fraction]:
        """Hidden moves; a configuration that ends or announces has none, and its law is noted."""
        instruction = self.explorer.instruction(configuration)
        if isinstance(instruction, Draw):
            return self.explorer.draws(configuration)
        event = self.END
        if isinstance(instruction, Announce):
            shown = self.explorer.letter(configuration)
            event = self._numbers.get(shown, len(self.events))
            if event == len(self.events):
                self._numbers[shown] = event
                self.events.append(shown)
        self._note(configuration, {event: Fraction(1)})
        return {}

    def _note(self, configuration: int, law: Law) -> None:
        self._entries_left -= len(law)
        if not len(self._laws) % LAWS_PER_CHECK:
            self.explorer.watch.check()
        if self._entries_left < 0:
            place = str(self.explorer.instruction(configuration).place)
            what = "too many transitions: too many different announcements follow from hidden draws here"
            raise ProgramError(Defect(place, what, "announce in smaller parts, or raise max_states (--max-states)"))
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
        place = str(self.explorer.instruction(component[0]).place)
        for configuration, law in _solved(inner, outer, place, self.explorer.watch).items():
            self._note(configuration, law)


def _accumulate(law: Law, other: dict[int, Fraction], weight: Fraction) -> None:
    for key, probability in other.items():
        law[key] = law.get(key, Fraction(0)) + weight * probability


def _solved(inner: dict[int, Law], outer: dict[int, Law], place: str, watch: Watch) -> dict[int, Law]:
    """The x with x = inner·x + outer, for an irreducible ``inner`` that mass leaves; changes its arguments.

    Configurations are eliminated cheapest first, by the number of row entries that it takes; then each is
    read off from those eliminated after it. Raises ProgramError when that is too much work, Stopped when the
    watch says so.
    """
    before: dict[int, set[int]] = {c: set() for c in inner}
    for c, row in inner.items():
        for target in row:
            before[target].add(c)
    work, size = 0, len(inner)
    order: list[int] = []
    queue = [(len(before[c]) * len(inner[c]), c) for c in inner]
    heapq.heapify(queue)
    while queue:
        cost, c = heapq.heappop(queue)
        actual = len(before[c]) * len(inner[c])
        if actual > cost:  # rows grew since: look again later
            heapq.heappush(queue, (actual, c))
            continue
        # Both passes: c is put into the rows before it, and later read off from the rows after it.
        work += (len(before[c]) + len(inner[c])) * (len(inner[c]) + len(outer[c]))
        if work > MAX_SOLVE:
            what = f"a hidden loop of {size} configurations is too large to be summed exactly"
            raise ProgramError(Defect(place, what, "announce inside the loop, or keep less in its variables"))
        watch.check()
        _eliminate(c, inner, outer, before)
        order.append(c)
        if not len(order) % LAWS_PER_CHECK:
            watch.report(f"summing a hidden loop: {len(order)} of {size} configurations")
    for c in reversed(order):
        watch.check()
        for target, probability in inner[c].items():
            _accumulate(outer[c], outer[target], probability)
    return outer


def _eliminate(c: int, inner: dict[int, Law], outer: dict[int, Law], before: dict[int, set[int]]) -> None:
    """Put c's row, over 1 − inner(c, c), in place of c wherever it occurs.

    The divisor is positive because no set of configurations inside the component is closed.
    """
    scale = 1 / (1 - inner[c].pop(c, Fraction(0)))
    before[c].discard(c)
    inner[c] = {target: p * scale for target, p in inner[c].items()}
    outer[c] = {event: p * scale for event, p in outer[c].items()}
    for target in inner[c]:
        before[target].discard(c)
    for earlier in before[c]:
        weight = inner[earlier].pop(c)
        _accumulate(inner[earlier], inner[c], weight)
        _accumulate(outer[earlier], outer[c], weight)
        for target in inner[c]:
            before[target].add(earlier)


def _components(
    root: int, moves_of: Callable[[int], dict[int, Fraction]], done: Container[int]
) -> Iterator[tuple[list[int], dict[int, dict[int, Fraction]]]]:
    """The strongly connected components that ``root`` reaches outside ``done``, successors first, with
    their moves.

    Tarjan's algorithm with its own stack: chains of hidden draws may be long. Moves are asked for once each.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    moves: dict[int, dict[int, Fraction]] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    calls: list[tuple[int, Iterator[int]]] = []

    def visit(node: int) -> None:
        index[node] = low[node] = len(index)
        open_nodes.append(node)
        is_open.add(node)
        moves[node] = moves_of(node)
        calls.append((node, iter(moves[node])))

    visit(root)
    while calls:
        node, targets = calls[-1]
        for target in targets:
            if target not in index:
                if target in done:
                    continue
                visit(target)
                break
            if target in is_open:
                low[node] = min(low[node], index[target])
        else:
            calls.pop()
            if calls:
                low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
            if low[node] == index[node]:
                component = [open_nodes.pop()]
                while component[-1] != node:
                    component.append(open_nodes.pop())
                is_open.difference_update(component)
                yield component, {member: moves.pop(member) for member in component}
