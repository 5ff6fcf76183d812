"""Graphs of beliefs: visits, the rule for lower bounds and exact values (docs/theory/proof-system.md).

A node has k beliefs, vectors ≥ 0 of states of one label: what is known of k runs that showed the same letters. Under an
input, after each letter, all k of them become c times those of a *child*, or the letter leaves the graph. What a letter
leads to is a multiple of a node up to `Unseen` vectors, which no event sees.

For a convex φ with φ(cz) = c·φ(z), F(node) is the most that Σ φ(masses) over words can be: δ with (x − αy)^+, every
divergence, trade-off and guess. More letters say more, so that F(node) ≥ Σ c·F(child) + Σ φ(masses that leave), with
equality where no letter leaves and there is nothing to ask.

    values   numbers at nodes that such a sum holds for, from above or from below, bound V(x − αy). From below each node
             must lead, by letters of positive mass, to where there is no number to rely on: else circles hold any.
    visits   h ≥ 0 with h = start + Σ h·c: how much arrives where. Where beliefs are multiples of each other, or a class
             is never left and keeps their shares, nothing more is learned: there F is φ(masses), and in all Σ h·φ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from .covers import Bound, Covers, Unseen
from .document import lists
from .errors import CertificateRejected, need
from .meter import spend
from .model import Model, Vector
from .numbers import ONE, ZERO, divided, whole

STEP, LONG = 40, 10_000
"""Steps of the meter for an entry of a row where a belief takes a step, or for a letter after it. Numbers of n bits
take n²/LONG steps more, for their greatest common divisors."""
VALUE = 300
"""Steps of the meter for the values of a node."""
MOST_KNOWN = 10_000
"""Of so many beliefs it is kept what they lead to: a certificate may have any number."""
WAYS = (0, 1)


class Belief:
    """Numbers ≥ 0 by state, as ``tops`` over ``bottom``: integers, or polynomials in X. Equal only to itself."""

    __slots__ = ("_mass", "bottom", "tops", "total")

    def __init__(self, bottom: Any, tops: Mapping[str, Any]) -> None:
        self.bottom, self.tops, self.total = bottom, tops, sum(tops.values())
        self._mass: Any = None

    @property
    def mass(self) -> Any:
        """The sum of its entries."""
        if self._mass is None:
            self._mass = divided(self.total, self.bottom)
        return self._mass

    def exact(self) -> dict[str, Any]:
        """Its entries, as numbers."""
        return {state: divided(top, self.bottom) for state, top in self.tops.items()}


EMPTY = Belief(1, {})


class Node(NamedTuple):
    """``[beliefs]``, a leaf; ``[beliefs, children]``, by letter, under each input where there are any; or a class."""

    beliefs: tuple[Belief, ...]
    children: Any
    closed: bool
    """Whether it is in a class that is never left."""


class Edge(NamedTuple):
    """After a letter: the child and c, more than 0; or None, and the masses that leave the graph."""

    child: int | None
    factor: Any
    masses: tuple[Any, ...]


@dataclass(frozen=True)
class Graph:
    """The beliefs and nodes of a certificate."""

    model: Model
    beliefs: Sequence[Any]
    data: Sequence[Any]
    unseen: Unseen

    @cached_property
    def nodes(self) -> list[Node]:
        """Their steps are not yet checked."""
        known: list[Belief] = []
        for entries in self.beliefs:
            vector = self.model.vector(entries, self.model.field.read)
            need(all(map(self.model.field.positive, vector.values())), "beliefs", "no negative numbers", entries)
            known.append(Belief(*whole(vector)))
        found, label = [], self.model.label
        of = [frozenset([label[i] for i in belief.tops]) for belief in known]
        for n, (places, *more) in enumerate(lists(self.data, 1, more=2)):
            name = f"node {n}"
            need(isinstance(places, list) and len(places) > 1, name, "two beliefs, or more", places)
            sure = {*map(type, places)} == {int} and min(places) >= 0 and max(places) < len(known)
            need(sure, name, "known beliefs", places)
            need(more[1:] in ([], ["class"]), name, "beliefs, children and class, or less", more[1:])
            labels = of[places[0]].union(*[of[b] for b in places])
            need(len(labels) == 1, name, "some mass, on states of one label", sorted(labels)[:9])
            found.append(Node(tuple([known[b] for b in places]), more[0] if more else None, len(more) == 2))
        return found

    def node(self, name: str, n: Any) -> Node:
        """A node by its number."""
        if type(n) is not int or not 0 <= n < len(self.nodes):
            raise CertificateRejected(name, "a known node", n)
        return self.nodes[n]

    def state(self, n: int) -> str:
        """A state of the node, whose label tells its inputs."""
        return next(i for belief in self.nodes[n].beliefs for i in belief.tops)

    @cached_property
    def _after(self) -> dict[tuple[Belief, str | None], dict[str, Belief]]:
        return {}

    def after(self, belief: Belief, asked: str | None) -> Mapping[str, Belief]:
        """What is left of the belief after each letter that may come next, under an input."""
        found = self._after.get((belief, asked))
        if found is None:
            if len(self._after) >= MOST_KNOWN:
                self._after.clear()
                self._ratios.clear()
            below, rows = self.model.whole_rows(frozenset(belief.tops), asked)
            spend(STEP * sum(len(rows[state]) for state in belief.tops))
            bottom, label = belief.bottom * below, self.model.label
            split: dict[str, dict[str, Any]] = {}
            for state, x in belief.tops.items():
                for target, p in rows[state]:
                    part = split.setdefault(label[target], {})
                    part[target] = part[target] + x * p if target in part else x * p
            longest = bottom.bit_length() if isinstance(bottom, int) else 0  # functions spend by themselves
            spend((STEP + longest * longest // LONG) * len(split))
            found = self._after[belief, asked] = {a: Belief(bottom, tops) for a, tops in split.items()}
        return found

    @cached_property
    def _ratios(self) -> dict[tuple[Belief, Belief], Any]:
        return {}

    def ratio(self, part: Belief, goal: Belief) -> Any:
        """The c for which part is c times the goal, which is not empty; None if it is no multiple."""
        key = part, goal
        if key not in self._ratios:
            ratio = divided(part.total * goal.bottom, goal.total * part.bottom)
            self._ratios[key] = ratio if self.alike(part, goal) else None
        return self._ratios[key]

    def alike(self, one: Belief, other: Belief) -> bool:
        """Whether one·|other| = other·|one|, up to what no event sees."""
        if one.tops.keys() == other.tops.keys() and len(one.tops) == 1:
            return True
        mine, its = one.total, other.total
        rest = {i: one.tops.get(i, 0) * its - other.tops.get(i, 0) * mine for i in {*one.tops, *other.tops}}
        if not any(rest.values()):
            return True
        return bool(self.unseen.vectors) and self.unseen.covers({i: divided(x, 1) for i, x in rest.items()})

    @cached_property
    def _edges(self) -> dict[tuple[int, str | None], list[Edge]]:
        return {}

    def edges(self, n: int, asked: str | None) -> list[Edge]:
        """The steps of a node under an input, checked: by letter what they lead to."""
        if (n, asked) not in self._edges:
            name = f"node {n}"
            children = self.model.by_input(name, self.state(n), self.nodes[n].children)[asked]
            need(isinstance(children, dict), name, "an object of a node for each letter")
            self._edges[n, asked] = [*self.checked_edges(name, n, asked, children)]
        return self._edges[n, asked]

    def checked_edges(self, name: str, n: int, asked: str | None, children: Mapping[str, Any]) -> Iterator[Edge]:
        """The steps of a node under an input, once each is c times its child, with one c for all beliefs."""
        later = [self.after(belief, asked) for belief in self.nodes[n].beliefs]
        for letter in sorted({*later[0]}.union(*later)):
            parts = [each.get(letter, EMPTY) for each in later]
            if letter not in children:
                yield Edge(None, ZERO, tuple(part.mass for part in parts))
                continue
            goals = self.node(name, child := children[letter]).beliefs
            if len(goals) != len(parts):
                raise CertificateRejected(name, f"as many beliefs at node {child}")
            factor = None
            for part, goal in zip(parts, goals, strict=True):
                # Of an empty belief only an empty one is a multiple.
                ratio = self.ratio(part, goal) if goal.tops else None if part.tops else factor
                if (factor is not None and ratio != factor) or (ratio is None and (part.tops or goal.tops)):
                    raise CertificateRejected(name, f"after {letter}, a multiple of node {child}")
                factor = ratio
            yield Edge(child, factor, ())


# Values


class Value(NamedTuple):
    """least ≤ V(x − αy) ≤ most, at a node in a direction; None where nothing is said. ``asked`` is from below."""

    least: Any
    most: Any
    asked: str | None


@dataclass(frozen=True)
class Values:
    """``[node, value, value]`` for both directions; a value is a number, or ``[least, most]``, ``[…, input]``.

    A leaf may have covers of x − αy and y − αx as well, which cite step claims alone.
    """

    graph: Graph
    data: Sequence[Any]
    covers: Covers
    lower_alpha: Any

    @cached_property
    def known(self) -> dict[tuple[int, int], Value]:
        """By node and direction; not yet checked."""
        found: dict[tuple[int, int], Value] = {}
        for n, *both in lists(self.data, 3, more=1):
            node = self.graph.node("values", n)
            need(len(node.beliefs) == 2 and (n, 0) not in found, f"values {n}", "a node of two beliefs, once")
            for way in WAYS:
                found[n, way] = self.value(both[way])
        return found

    def value(self, given: Any) -> Value:
        """One of them."""
        read = self.graph.model.field.read
        if not isinstance(given, list):
            number = read(given)
            return self.value_of(number, number, None)
        need(len(given) in (2, 3), "values", "a number, or least and most, and perhaps an input", len(given))
        least, most = (None if end is None else read(end) for end in given[:2])
        return self.value_of(least, most, given[2] if len(given) == 3 else None)

    def value_of(self, least: Any, most: Any, asked: str | None) -> Value:
        """That V ≥ 0 needs no proof: a bound from below that says no more is none."""
        none = least is None or self.graph.model.field.nonneg(-least)
        return Value(None if none else least, most, asked)

    def bound(self, cited: Any) -> Bound:
        """V(x − αy) ≤ v at [node, direction]."""
        found = self.known.get(tuple(cited)) if len(cited) == 2 and all(type(k) is int for k in cited) else None
        if found is None or found.most is None:
            raise CertificateRejected(f"node {cited}", "a bound from above, where one is cited")
        x, y = self.graph.nodes[cited[0]].beliefs[:: -1 if cited[1] else 1]
        return self.covers.bound(difference(x.exact(), self.covers.alpha, y.exact()), found.most)

    def check(self) -> None:
        """Every value, from above and from below."""
        for n, *_, covers in (entry if len(entry) == 4 else [*entry, None] for entry in self.data):
            spend(VALUE)
            need(covers is None or self.graph.nodes[n].children is None, f"values {n}", "covers at leaves alone")
            need(covers is None or (isinstance(covers, list) and len(covers) == 2), f"values {n}", "two covers")
            for way in WAYS:
                name, value, totals = f"node {n}, direction {way}", self.known[n, way], dict[str | None, Any]()
                if value.most is not None:
                    totals = self.check_most(name, n, way, value.most, None if covers is None else covers[way])
                if (n, way) in self.open:
                    self.check_least(name, n, way, value, totals)
        self.check_leaks()

    def excess(self, n: int, way: int, alpha: Any) -> Any:
        """|x| − α|y| at a node."""
        key = n, way, alpha is self.lower_alpha
        if key not in self._excesses:
            x, y = self.graph.nodes[n].beliefs[:: -1 if way else 1]
            self._excesses[key] = x.mass - alpha * y.mass
        return self._excesses[key]

    @cached_property
    def _excesses(self) -> dict[tuple[int, int, bool], Any]:
        return {}

    def check_most(self, name: str, n: int, way: int, most: Any, cover: Any) -> dict[str | None, Any]:
        """V(x − αy) ≤ most; by input, what its letters lead to, where bounds from below say the same of all of them."""
        field, (beliefs, children, _) = self.graph.model.field, self.graph.nodes[n]
        x, y = beliefs[::-1] if way else beliefs
        # V_0 of the induction. Without it, values that rest on each other in circles could all be too small.
        gap = self.excess(n, way, self.covers.alpha)
        need(field.nonneg(most) and field.reaches(most, gap), name, "the base case", gap, most)
        if children is None:
            if cover is None and not (x.tops and y.tops and self.graph.alike(x, y)):
                cover = []
            if cover is not None:
                z = field.over_integer(difference(x.exact(), self.covers.alpha, y.exact()))
                self.covers.check_cost(name, [(ONE, z)], cover, most)
            return {}
        totals = {}
        # V is the most over inputs, so every one of them must stay below the bound.
        for asked in self.graph.model.inputs(self.graph.state(n)):
            led, both = [], True
            for child, factor, masses in self.graph.edges(n, asked):
                if child is None:
                    led.append((masses[way], ONE))
                    both = False
                    continue
                there = self.known.get((child, way))
                # A missing bound is not 0.
                if there is None or there.most is None:
                    raise CertificateRejected(name, f"a bound from above at node {child}")
                led.append((factor, there.most))
                both = both and (there.least is there.most or not there.most)
            total = field.summed(led)
            need(field.reaches(most, total), name, "from above, what its letters lead to", total, most)
            if both:
                totals[asked] = total
        return totals

    def check_least(self, name: str, n: int, way: int, value: Value, totals: Mapping[str | None, Any]) -> None:
        """V(x − αy) ≥ least, by what its letters lead to, if `check_leaks` finds no circle."""
        field, node = self.graph.model.field, self.graph.nodes[n]
        if value.asked in totals:
            total = totals[value.asked]
        else:
            led = []
            for child, factor, masses in self.edges_below(n, value) if node.children is not None else ():
                there = self.relied_on(child, way)
                if there is not None:
                    led.append((factor, there))
                elif child is None:
                    x, y = masses[way], masses[1 - way]
                    led.append((self.positive_part(x - self.lower_alpha * y), ONE))
            total = field.summed(led)
        need(field.reaches(total, value.least), name, "from below, what its letters lead to", value.least, total)

    def positive_part(self, gap: Any) -> Any:
        """max(gap, 0) from below: 0 where it has no one sign."""
        return gap if self.graph.model.field.positive(gap) else ZERO

    @cached_property
    def open(self) -> set[tuple[int, int]]:
        """The nodes and directions with a bound from below that their own gap, what all words gain, does not show."""
        reaches = self.graph.model.field.reaches
        return {
            place
            for place, value in self.known.items()
            if value.least is not None
            and not reaches(self.positive_part(self.excess(*place, self.lower_alpha)), value.least)
        }

    def edges_below(self, n: int, value: Value) -> list[Edge]:
        """The steps under the input that a bound from below is about."""
        inputs = self.graph.model.inputs(self.graph.state(n))
        need(value.asked in inputs, f"node {n}", "one input of the label, if it has any", value.asked)
        return self.graph.edges(n, value.asked)

    def relied_on(self, child: int | None, way: int) -> Any:
        """The bound from below at a child, if there is one."""
        there = None if child is None else self.known.get((child, way))
        return None if there is None else there.least

    def check_leaks(self) -> None:
        """Every open node leads, by letters of positive mass, to where none is: so no circle holds its bound.

        Take the nodes at which (bound − V)/mass is largest, and above 0: they are open, and all that such a node leads
        to would be one of them.
        """
        leads: dict[tuple[int | None, int], list[tuple[int, int]]] = {}
        closed: list[tuple[int | None, int]] = []
        for n, way in self.open:
            for child, _, _ in self.edges_below(n, self.known[n, way]):  # all of them have positive mass
                leads.setdefault((child, way), []).append((n, way))
        closed += [place for place in leads if place not in self.open]
        safe: set[tuple[int | None, int]] = {*closed}
        while closed:
            found = [place for place in leads.get(closed.pop(), ()) if place not in safe]
            safe |= {*found}
            closed += found
        for n, way in self.open:
            need((n, way) in safe, f"node {n}, direction {way}", "from below, a way to where no bound is relied on")


def difference(x: Vector, alpha: Any, y: Vector) -> dict[str, Any]:
    """The vector x − αy."""
    return {i: x.get(i, ZERO) - alpha * y[i] if i in y else x[i] for i in {**x, **y}}


# Visits


@dataclass(frozen=True)
class Visits:
    """``{"start": [node, …], "from": n, "visits": [h, …]}``: visits of the nodes from n on; or of all ``nodes``."""

    graph: Graph
    name: str
    data: Any

    @cached_property
    def starts(self) -> list[int]:
        """The nodes that runs start from, one for each first letter."""
        starts = self.data["start"]
        need(isinstance(starts, list) and starts, self.name, "nodes to start from")
        letters = [self.graph.model.label[self.graph.node(self.name, n) and self.graph.state(n)] for n in starts]
        need(len({*letters}) == len(letters), self.name, "one node to start from for each letter", letters[:9])
        return starts  # type: ignore[no-any-return]

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The nodes that there are visits of."""
        data, known = self.data, range(len(self.graph.nodes))
        need(("from" in data) != ("nodes" in data), self.name, "a first node, or all nodes")
        if "nodes" in data:
            need(isinstance(data["nodes"], list), self.name, "a list of nodes")
            listed = all(type(n) is int and n in known for n in data["nodes"])
            need(listed, self.name, "visits of known nodes", data["nodes"])
            return data["nodes"]  # type: ignore[no-any-return]
        self.graph.node(self.name, data["from"])
        found = range(data["from"], data["from"] + len(data["visits"]))
        need(found and found[-1] in known, self.name, "visits of known nodes", len(data["visits"]))
        return found

    @property
    def origin(self) -> list[dict[str, Any]]:
        """What the runs start from, place by place."""
        places: list[dict[str, Any]] = [{} for _ in self.graph.nodes[self.starts[0]].beliefs]
        for n in self.starts:
            for place, belief in zip(places, self.graph.nodes[n].beliefs, strict=True):
                place |= belief.exact()  # of different letters: no state comes twice
        return places

    @cached_property
    def endings(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """How much arrives where nothing more is learned, and the masses there, once every node is checked."""
        field = self.graph.model.field
        visits = [field.read(h) for h in self.data["visits"]]
        arriving = {n: ONE if n in self.starts else ZERO for n in self.numbers}
        need(len(arriving) == len(visits), self.name, "a number for each node, once", len(visits), len(arriving))
        need({*self.starts} <= arriving.keys(), self.name, "visits of the nodes that runs start from")
        found = []
        for n, h in zip(self.numbers, visits, strict=True):
            name = f"{self.name}, node {n}"
            need(field.nonneg(h), name, "visits that are not negative", h)
            node = self.graph.nodes[n]
            if node.children is None:
                x, *others = [belief for belief in node.beliefs if belief.tops]
                need(all(self.graph.alike(x, y) for y in others), name, "multiples of each other, where runs end")
            else:
                self.pass_on(name, n, h, arriving)
            if node.closed or node.children is None:
                found.append((h, tuple(belief.mass for belief in node.beliefs)))
        for n, h in zip(self.numbers, visits, strict=True):
            need(h == arriving[n], f"{self.name}, node {n}", "visits: what arrives", h, arriving[n])
        return [each for each in found if each[0]]

    def pass_on(self, name: str, n: int, h: Any, arriving: dict[int, Any]) -> None:
        """Add what a node leads to; of a class, check that it is never left, and keeps the shares of the masses."""
        node = self.graph.nodes[n]
        # Where the observer asks, what is learned depends on what is asked.
        need(
            self.graph.model.inputs(self.graph.state(n)) == [None], name, "no inputs, where exact values are concluded"
        )
        for child, factor, _ in self.graph.edges(n, None):
            if child is None or child not in arriving:
                raise CertificateRejected(name, "a node with visits after every letter")
            if not node.closed:
                arriving[child] = arriving[child] + h * factor
                continue
            there = self.graph.nodes[child]
            masses, own = ([belief.mass for belief in each.beliefs] for each in (there, node))
            kept = all(a * sum(own) == b * sum(masses) for a, b in zip(masses, own, strict=True))
            need(there.closed and kept, name, "a class that is never left, with the same shares after every letter")

    def of(self, name: str, states: Sequence[str]) -> list[tuple[Any, tuple[Any, ...]]]:
        """Endings of these states alone, each a place of the origin."""
        column = {tuple(part): k for k, part in enumerate(self.origin) if [*part.values()] == [ONE]}
        need(all((state,) in column for state in states), name, "visits that start from its states")
        columns = [column[(state,)] for state in states]
        found = ((h, tuple(masses[k] for k in columns)) for h, masses in self.endings)
        return [(h, masses) for h, masses in found if any(masses)]
