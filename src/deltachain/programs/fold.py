"""Hidden steps folded away: from where a run stands after a letter straight to the next thing that is seen, exactly.

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

Mass is a pair of integers. Dividing by common factors at each step would cost more than the steps, and never doing so
would let the integers of some programs grow for ever: it is done whenever the denominator has doubled in length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from ..errors import Defect
from ..model.components import components
from ..model.elimination import solve
from .explore import Explorer, Moves
from .source import ProgramError

MAX_SOLVE = 1_000_000
"""The most row entries that may be touched to solve one component of hidden steps."""

FIRST_REDUCTION = 1024
"""Up to so many bits a denominator is left as it is."""

NODES_PER_CHECK = 2_000
"""How many configurations are folded between two looks at the deadline."""

DEAD_END = Explorer.DEAD_END

Seen = dict[int, Fraction]
"""What is seen next → its probability."""


class Folding:
    """The hidden graph of a program that has been explored: ``moves`` of those that draw, ``seen`` at the others.

    ``seen[c]`` is the number of what configuration c shows, and negative where it draws; ``diverges`` is the number of
    divergence. Raises ProgramError when a hidden loop is too large, and Stopped when the explorer's cancel says so.
    """

    def __init__(
        self, explorer: Explorer, moves: list[Moves], seen: Sequence[int], roots: Sequence[int], diverges: int
    ) -> None:
        self._explorer, self._moves, self._seen = explorer, moves, [*seen, diverges]  # the last: seen[DEAD_END]
        self._nodes = 0
        self._order = self._arranged()
        self._position = [0] * len(moves)
        for number, c in enumerate(self._order):
            self._position[c] = number
        self._laws: dict[int, tuple[dict[int, int], int]] = {}
        """Integer weights of what is seen, and their sum, where laws are known backwards."""
        self._fold_backwards(roots)

    def law(self, root: int) -> Seen:
        """What is seen next, from a configuration: exact."""
        if self._seen[root] >= 0:
            return {self._seen[root]: Fraction(1)}
        moves, seen, position, order, laws = self._moves, self._seen, self._position, self._order, self._laws
        mass: dict[int, tuple[int, int, int]] = {root: (1, 1, FIRST_REDUCTION)}
        """Where mass stands: numerator, denominator, and the length of denominator at which to reduce."""
        found: dict[int, dict[int, int]] = {}
        """What is seen → denominator → numerators summed."""
        heap = [position[root]]
        while heap:
            c = order[heappop(heap)]
            self._look_up()
            numerator, denominator, limit = mass.pop(c)
            if denominator.bit_length() > limit:
                common = math.gcd(numerator, denominator)
                numerator, denominator = numerator // common, denominator // common
                limit = max(FIRST_REDUCTION, 2 * denominator.bit_length())
            if c in laws:
                law, total = laws[c]
                for event, weight in law.items():
                    sums = found.setdefault(event, {})
                    sums[denominator * total] = sums.get(denominator * total, 0) + numerator * weight
                continue
            targets, weights, total = moves[c]
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
                    common = math.gcd(there[1], denominator)
                    total_share = there[0] * (denominator // common) + share * (there[1] // common)
                    mass[target] = total_share, there[1] // common * denominator, min(there[2], limit)
        return {event: _summed(sums) for event, sums in found.items()}

    def _look_up(self) -> None:
        self._nodes += 1
        if not self._nodes % NODES_PER_CHECK:
            self._explorer.cancel.check()
            self._explorer.cancel.report(f"folding hidden steps: {self._nodes} so far")

    # Loops.

    def _arranged(self) -> list[int]:
        """The drawing configurations in topological order; those in loops get the moves that leave them."""
        drawing = [c for c in range(len(self._moves)) if self._seen[c] < 0]
        order = list(self._without_entry(drawing))
        if len(order) == len(drawing):
            return order
        successors = [[t for t in moves.targets if t != DEAD_END] for moves in self._moves]
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
        entries = [0] * (len(self._moves) + 1)  # the last: those of DEAD_END
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
        inside = set(component)
        inner: dict[int, dict[int, Fraction]] = {}
        outer: dict[int, dict[int, Fraction]] = {}
        for c in component:
            targets, weights, total = self._moves[c]
            row = {target: Fraction(weight, total) for target, weight in zip(targets, weights, strict=True)}
            inner[c] = {target: p for target, p in row.items() if target in inside}
            outer[c] = {target: p for target, p in row.items() if target not in inside}
        if not any(outer.values()):
            rows: dict[int, dict[int, Fraction]] | None = {c: {DEAD_END: Fraction(1)} for c in component}
        else:
            rows = solve(inner, outer, most_work=MAX_SOLVE, cancel=self._explorer.cancel)
        if rows is None:
            place = str(self._explorer.instruction(component[0]).place)
            what = f"a hidden loop of {len(component)} configurations is too large to be summed exactly"
            raise ProgramError(Defect(place, what, "announce inside the loop, or keep less in its variables"))
        for c, row in rows.items():
            total = math.lcm(*(p.denominator for p in row.values()))
            weights = tuple(p.numerator * (total // p.denominator) for p in row.values())
            self._moves[c] = Moves(tuple(row), weights, total)

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
                self._look_up()
                law = self._from_successors(c, limit)
                if law is not None:
                    self._laws[c] = law

    def _from_successors(self, c: int, limit: int) -> tuple[dict[int, int], int] | None:
        parts: list[tuple[int, dict[int, int], int]] = []
        targets, weights, total = self._moves[c]
        for target, weight in zip(targets, weights, strict=True):
            event = self._seen[target]
            law = ({event: 1}, 1) if event >= 0 else self._laws.get(target)
            if law is None:
                return None
            parts.append((weight, *law))
        common = math.lcm(*(its_total for _, _, its_total in parts))
        summed: dict[int, int] = {}
        for weight, its_law, its_total in parts:
            factor = weight * (common // its_total)
            for event, its_weight in its_law.items():
                summed[event] = summed.get(event, 0) + factor * its_weight
            if len(summed) > limit:
                return None
        shared = math.gcd(*summed.values())
        return {event: weight // shared for event, weight in summed.items()}, common * total // shared

    def _parts(self) -> list[int]:
        """Configuration → one that stands for the weakly connected part of the drawing ones that it is in."""
        parent = list(range(len(self._moves)))

        def top(c: int) -> int:
            while parent[c] != c:
                parent[c] = c = parent[parent[c]]
            return c

        for c in self._order:
            here = top(c)
            for target in self._moves[c].targets:
                if self._seen[target] < 0:
                    parent[top(target)] = here
        return [top(c) for c in range(len(parent))]


def _summed(sums: dict[int, int]) -> Fraction:
    """Numerators over several denominators as one fraction."""
    common = math.lcm(*sums)
    return Fraction(sum(numerator * (common // denominator) for denominator, numerator in sums.items()), common)
