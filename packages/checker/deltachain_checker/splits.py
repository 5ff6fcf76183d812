"""Extension "splits": groups of states that the letters tell apart in the long run (docs/theory/splits.md).

A belief that is a sum of beliefs x^G, up to what no event sees, gains at most the sum of what these gain: a cover by
nodes, and by unseen vectors. Where each x^G surely ends in closed classes of group G, and letters tell classes of
different groups apart with probability one, it gains as much: take in each group the event that is best there, as far
as the run ends in it. The same holds of every divergence, trade-off and guess. What has to be believed in addition is
that a *test* tells two classes apart, by a law of large numbers: a letter that the first shows again and again, and a
combination φ of probabilities of words that is positive where the first shows it, and negative where the second does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .covers import Unseen
from .document import keys, lists
from .errors import need
from .graph import WAYS, Belief, Graph, Values, Visits
from .meter import spend
from .model import Model, mass, reached, unit
from .numbers import ONE, ZERO

ENTRY = 50
"""Steps of the meter for an entry of a row, or of a test."""
Parts = list[tuple[int, Any, int]]
"""What a claim cites in each group that it comes to: a place, a positive number, and the group."""
Part = tuple[Any, Sequence[Mapping[str, Any]]]
"""A positive number, and the beliefs that it is a multiple of."""


@dataclass(frozen=True)
class Split:
    """``{"classes": [[state, …], …], "groups": [[class, …], …], "words": [[letter, k], …], "tests": […]}``.

    Word 0 is empty, and word n the letter and then word k < n. A test [c, d, letter, [[word, weight], …]] tells class c
    from class d.
    """

    model: Model
    data: Any
    unseen: Unseen

    @cached_property
    def classes(self) -> list[set[str]]:
        """Sets of states that no step leaves."""
        keys(self.data, "split", "classes", "groups", "words", "tests")
        found = [{*states} for states in lists(self.data["classes"], 1, more=len(self.model.label))]
        for k, states in enumerate(found):
            need(states <= self.model.label.keys(), f"class {k}", "known states", sorted(states)[:9])
            need(reached(self.model, states) == states, f"class {k}", "no step leaves it")
        return found

    @cached_property
    def groups(self) -> list[set[str]]:
        """The states of the classes of each group, once any two classes of different groups are told apart."""
        need(not self.model.interactive, "split", "no inputs: who must choose cannot wait until the group is known")
        members = lists(self.data["groups"], 1, more=len(self.classes))
        every = [c for listed in members for c in listed]
        once = all(type(c) is int for c in every) and sorted(every) == [*range(len(self.classes))]
        need(once, "split", "each class in one group", every)
        group = {c: g for g, listed in enumerate(members) for c in listed}
        told = {frozenset(pair) for pair in self.tested()}
        for c in group:
            for d in range(c):
                need(group[c] == group[d] or {c, d} in told, f"classes {c} and {d}", "a test that tells them apart")
        return [{i for c in listed for i in self.classes[c]} for listed in members]

    def words(self) -> list[dict[str, Any]]:
        """The probability of each word from each state of the classes."""
        known: list[dict[str, Any]] = [dict.fromkeys({i for states in self.classes for i in states}, ONE)]
        label, rows = self.model.label, self.model.rows
        for letter, k in lists(self.data.get("words", []), 2):
            need(type(k) is int and 0 <= k < len(known), "words", "only words before it", k)
            spend(ENTRY * sum(len(rows[i][None]) for i in known[0]))
            later = known[k]
            known.append(
                {i: mass({j: p * later[j] for j, p in rows[i][None].items() if label[j] == letter}) for i in later}
            )
        return known

    def tested(self) -> Iterator[tuple[int, int]]:
        """The classes that tests tell apart, once each is checked."""
        words, field, label = self.words(), self.model.field, self.model.label
        for c, d, letter, entries in lists(self.data.get("tests", []), 4):
            known = all(type(k) is int and 0 <= k < len(self.classes) for k in (c, d))
            need(known and c != d, "test", "two known classes", c, d)
            weights = [(k, field.read(weight)) for k, weight in lists(entries, 2)]
            need(all(type(k) is int and 0 <= k < len(words) for k, _ in weights), "test", "known words", entries)
            for one, sign in ((c, 1), (d, -1)):
                spend(ENTRY * len(self.classes[one]) * (1 + len(weights)))
                for i in self.classes[one]:
                    phi = sum((weight * words[k][i] for k, weight in weights), ZERO)
                    need(label[i] != letter or field.positive(sign * phi), f"test of {c} and {d}", f"φ at {i}", phi)
            # The second need not show it: if it does so only finitely often, that tells as well.
            shown = {i for i in self.classes[c] if label[i] == letter}
            need(self.lead(self.classes[c], shown), f"test of {c} and {d}", "a letter that is shown again and again")
            yield c, d

    def lead(self, states: set[str], goal: set[str]) -> bool:
        """Whether every one of the states, which no step leaves, can come to the goal; so that it does, in the end."""
        before: dict[str, list[str]] = {}
        for i in states:
            for j in self.model.rows[i][None]:
                before.setdefault(j, []).append(i)
        found, waiting = {*goal}, [*goal]
        while waiting:
            new = [i for i in before.get(waiting.pop(), ()) if i not in found]
            found |= {*new}
            waiting += new
        return states <= found

    def parts(self, name: str, cited: Any) -> Parts:
        """What a claim cites: for each group a place and a number, or null."""
        need(isinstance(cited, list) and len(cited) == len(self.groups), name, "a part, or null, for each group", cited)
        found = [(k, self.model.field.read(c), g) for g, each in enumerate(cited) if each for k, c in lists([each], 2)]
        need(all(type(k) is int and self.model.field.positive(c) for k, c, _ in found), name, "places, and numbers > 0")
        return found

    def check_part(self, name: str, beliefs: Sequence[Belief], group: int) -> None:
        """Whether runs from these beliefs surely end in the classes of the group."""
        states = reached(self.model, (i for belief in beliefs for i in belief.tops))
        need(self.lead(states, self.groups[group]), name, f"beliefs that end in group {group}")

    def adds_up(self, state: str, place: int, parts: Sequence[Part]) -> bool:
        """Whether the beliefs in a place add up to the state, up to what no event sees."""
        rest = unit(state)
        for c, beliefs in parts:
            for i, x in beliefs[place].items() if place < len(beliefs) else ():
                rest[i] = rest.get(i, ZERO) - c * x
        return self.unseen.covers(rest)

    def bounds(self, name: str, pair: tuple[str, str], values: Values, cited: Any) -> tuple[list[Any], list[Any]]:
        """What V is at least, and at most, in both directions: the sum over groups of what it is at nodes."""
        graph: Graph = values.graph
        parts = [(graph.node(name, n).beliefs, c, n, group) for n, c, group in self.parts(name, cited)]
        for beliefs, _, _, group in parts:
            self.check_part(name, beliefs, group)
        exact = [(c, [belief.exact() for belief in beliefs]) for beliefs, c, _, _ in parts]
        fits = all(self.adds_up(state, place, exact) for place, state in enumerate(pair))
        need(fits, name, "parts that add up to its states, in their order", [*pair])
        least, most = [ZERO, ZERO], [ZERO, ZERO]
        for _, c, n, _ in parts:
            for way in WAYS:
                there = values.known.get((n, way))
                need(there and there.most is not None, name, f"bounds from above at node {n}")
                least[way] = least[way] + c * (there.least or ZERO)  # type: ignore[union-attr]
                most[way] = most[way] + c * there.most  # type: ignore[union-attr]
        return least, most

    def endings(
        self, name: str, states: Sequence[str], visits: Sequence[Visits], cited: Any
    ) -> list[tuple[Any, tuple[Any, ...]]]:
        """Where runs end, of all groups: the endings of visits that start from one node in each."""
        parts = self.parts(name, cited)
        need(parts and all(0 <= v < len(visits) for v, _, _ in parts), name, "known visits", cited)
        for v, _, group in parts:
            need(len(visits[v].starts) == 1, name, "visits from one node", visits[v].starts)
            self.check_part(name, visits[v].graph.nodes[visits[v].starts[0]].beliefs, group)
        exact, columns = [(c, visits[v].origin) for v, c, _ in parts], range(len(visits[parts[0][0]].origin))
        fitting = [[place for place in columns if self.adds_up(state, place, exact)] for state in states]
        need(all(fitting), name, "parts that add up to its states", [*states])
        places = [each[0] for each in fitting]
        found = [(c * h, tuple(masses[k] for k in places)) for v, c, _ in parts for h, masses in visits[v].endings]
        return [(h, masses) for h, masses in found if any(masses)]
