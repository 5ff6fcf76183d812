"""The trusted checker: does this certificate prove what it claims about this model?

Read it next to docs/certificate.md, whose rules it follows by name. Standard library only, exact, no code
shared with the solvers; `read` reads numbers, JSON and the model, and checks R5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import endings, sums
from .beliefs import EMPTY, STEP, BeliefSteps, WholeBelief, proportional
from .claims import Claim, name_of
from .errors import CertificateRejected
from .meter import Meter, metered, spend
from .read import (
    SHORT,
    Belief,
    Model,
    Vector,
    bounds,
    checked_basis,
    coordinates,
    lists,
    mass,
    merged,
    need,
    number,
    read_function,
    refusing_what_is_malformed,
)
from .recipes import Recipes
from .splits import split_chains

if TYPE_CHECKING:
    from .families import ChainFamily  # most certificates have no parameter

Pair = tuple[str, str]
Claims = dict[str, dict[str, Fraction]]
"""By direction and node."""
NodeClaim = tuple[str, str, str, Any, str, list[Any]]
"""Side, node, direction, value, rule, and the fields of the rule."""
Part = tuple[Fraction, Fraction, str | None, Fraction]
"""After a letter a: 0, 0, the node that (x'_a, y'_a) is c_a times, and c_a; or |x'_a|, |y'_a|, None and 0."""
NONE: list[Any] = []
ZERO, ONE, FORMAT = Fraction(0), Fraction(1), "deltachain.certificate/1"
SIDES, WAYS = ("upper", "lower"), ("0", "1")
CLAIM, ARC = 300, 90
"""Steps of the meter for a claim about a node, and for an arc of a flow or two prices that are compared."""
MOST_SHORT_NUMBERS = 10_000
"""How many numbers are kept beside their texts: those of a long certificate are near others like them."""
NO_EPSILON = {"upper": "1", "lower": "1"}
OTHERS = (*endings.KEYS, "ratio")
"""Claims that are not about one ε."""
OVER_FUNCTIONS = "over functions of e^(1/k) there are nodes, recipes, distances and prices alone"


@dataclass(frozen=True)
class Checker:
    """The chain after merging, the certificate, and the rules of docs/certificate.md as methods."""

    model: Model
    data: Mapping[str, Any]
    alpha: Mapping[str, Fraction]
    """e^ε for upper and for lower bounds; both are e^ε itself, if the certificate names that."""
    around: Mapping[str, Fraction]
    """Rationals at most and at least that, for recipes; the same two otherwise."""
    loops: ModuleType = sums
    """The inner loops of recipes: the plain ones, or their compiled twin."""

    def number(self, value: Any) -> Fraction:
        """A number of nodes, flows, prices and their claims: a function of e^(1/base), too, where there is a base."""
        return self.rational(value) if self.model.base is None else read_function(value, self.model.base)

    def rational(self, value: Any) -> Fraction:
        """A number that is the same object for equal texts, if they are short and near each other: most come again."""
        if not isinstance(value, str) or len(value) > SHORT:
            return number(value)
        found = self.short_numbers.get(value)
        if found is None:
            if len(self.short_numbers) >= MOST_SHORT_NUMBERS:
                self.short_numbers.clear()
            found = self.short_numbers[value] = number(value)
        return found

    @cached_property
    def short_numbers(self) -> dict[str, Fraction]:
        """What `rational` read."""
        return {}

    def masses(self, entries: Any) -> Belief:
        """[[state, value], …] as a dict of non-negative numbers over known states."""
        spend(STEP * len(entries))
        found = {state: self.number(value) for state, value in lists(entries, 2)}
        need(len(found) == len(entries), "entries", "each state once", entries)
        need(found.keys() <= self.model.label.keys(), "entries", "known states", entries)
        need(all(value >= 0 for value in found.values()), "entries", "no negative numbers", entries)
        return {state: value for state, value in found.items() if value}

    def one_label(self, name: str, s: str, t: str) -> None:
        """Distances are claimed for two different states of one label."""
        known = s != t and {s, t} <= self.model.label.keys()
        need(known and self.model.label[s] == self.model.label[t], name, "two states of one label")

    def by_input(self, name: str, state: str, given: Any) -> dict[str | None, Any]:
        """What is given for each input of the state's label: an object of exactly these, where it has inputs."""
        inputs = self.model.moves[state].keys()
        if None in inputs:
            return {None: given}
        need(isinstance(given, dict) and given.keys() == inputs, name, "an object with every input", [*inputs])
        return dict(given)

    def flow_cost(
        self, name: str, x: Vector, y: Vector, arcs: Any, eta: Any, complement: Any = NONE, shift: Any = NONE
    ) -> Fraction:
        """Σ ω D + Σ ω' (D + α − 1) + Σ η of a flow, once it is shown to be feasible for (x, y)."""
        alpha, spare = self.alpha["upper"], self.masses(eta)
        cost = mass(spare)
        spend(ARC * (len(arcs) + len(complement) + len(x) + len(y)))
        plain, back = [(1, *arc) for arc in lists(arcs, 3)], [(-1, *arc) for arc in lists(complement, 3)]
        for sign, i, j, value in plain + back:
            amount = self.number(value)
            need(amount >= 0 and {i, j} <= self.model.label.keys(), name, "an arc, ω ≥ 0", (i, j), amount)
            # What leaves i along a plain arc arrives at j α-fold; a complement arc has the signs turned
            # (docs/theory/step.md).
            spare[i] = spare.get(i, ZERO) + sign * amount
            spare[j] = spare.get(j, ZERO) - sign * alpha * amount
            # Any claim may be cited, in circles too: R1 takes a step, and the proof is by induction on the horizon.
            # What nothing is claimed about costs 1 (R0).
            cost += amount * (ZERO if i == j else self.distance.get((i, j), ONE))
            cost += amount * (alpha - 1) if sign < 0 else ZERO
        for i, value in self.unseen(name, shift).items():
            spare[i] = spare.get(i, ZERO) + value
        # Elsewhere x is 0 and nothing leaves or arrives: 0 ≥ −αy holds.
        for i in {*spare, *x}:
            left, right = spare.get(i, ZERO), x.get(i, ZERO) - alpha * y.get(i, ZERO)
            need(left >= right, name, f"flow: what leaves {i} covers x − αy", left, right)
        return cost

    def unseen(self, name: str, shift: Any) -> dict[str, Fraction]:
        """A signed vector that no trace can see: in each label orthogonal to the columns of the checked basis."""
        found = {i: number(value) for i, value in lists(shift, 2)}
        need(
            len(found) == len(shift) and found.keys() <= self.model.label.keys(), name, "shift: known states, each once"
        )
        for a in {self.model.label[i] for i in found}:
            inside = {i: value for i, value in found.items() if self.model.label[i] == a}
            need(not any(coordinates(inside, self.trace_basis)), name, f"shift: no trace from label {a} sees it")
        return found

    @cached_property
    def trace_basis(self) -> list[Vector]:
        """The columns of the basis, checked on all states (R5)."""
        need("basis" in self.data, "basis", "a basis, where flows balance up to traces")
        return checked_basis(self.model, self.data["basis"], self.model.label)

    @cached_property
    def distance(self) -> dict[Pair, Fraction]:
        """The D claims, not yet checked."""
        entries = lists(self.data.get("distances", []), 4, more=True)
        need(not entries or "kind" in self.data, "kind", "bd, ld or sd")
        found = {(s, t): self.number(v) for s, t, v, *_ in entries}
        need(len(found) == len(entries), "distances", "each pair once")
        return found

    def check_distances(self) -> None:
        """R0, R1: D(s, t) ≤ v by flows that cite D claims, one for each input."""
        kind = self.data.get("kind")
        for s, t, _, *fields in lists(self.data.get("distances", []), 4, more=True):
            name, value, mirror = f"D({s}, {t})", self.distance[s, t], self.distance.get((t, s))
            self.one_label(name, s, t)
            need(0 <= value <= 1, name, "R1: a value in [0, 1]", value)
            # The mirror claim has a flow of its own, so that the value is shown for both directions.
            need(kind != "bd" or mirror == value, name, "R1: bd is symmetric", mirror, value)
            one = None in self.model.moves[s]
            need(one or len(fields) == 1, name, "R1: one object of flows by input")
            for asked, flow in self.by_input(name, s, fields if one else fields[0]).items():
                need(isinstance(flow, list) and len(flow) >= 2, name, "malformed: a flow of arcs and eta")
                need(len(flow) <= (4 if kind == "sd" else 2), name, "R1: a flow of the kind's own arcs", kind)
                x, y = self.model.moves[s][asked], self.model.moves[t][asked]
                cost = self.flow_cost(name, x, y, *flow)
                need(cost <= value, name, "R1: the cost of the flow", cost, value)

    @cached_property
    def price(self) -> dict[Pair, tuple[Fraction, Fraction]]:
        """Value and rank of the price claims, in both orders for bd; not yet checked."""
        found: dict[Pair, tuple[Fraction, Fraction]] = {}
        for s, t, v, _, r, *_ in lists(self.data.get("prices", []), 6, more=True):
            for pair in {(s, t), (t, s) if self.data["kind"] == "bd" else (s, t)}:
                need(pair not in found, f"d({s}, {t})", "each pair once")
                found[pair] = self.number(v), number(r)
        return found

    def check_prices(self, everywhere: bool = False) -> None:
        """d(s, t) ≥ v by prices f; positive by prices g, in the order of ranks."""
        entries = lists(self.data.get("prices", []), 6, more=True)
        need(not entries or "basis" not in self.data, "prices", "no basis: up to traces the distance may be smaller")
        for s, t, _, f, _, g, *more in entries:
            name, (value, rank) = f"d({s}, {t})", self.price[s, t]
            self.one_label(name, s, t)
            asked = self.one_input(name, s, more)
            rows = self.model.moves[s][asked], self.model.moves[t][asked]
            reached = self.priced(name, *rows, f, lambda v, _: v, everywhere)
            need(reached >= value > 0, name, "prices: Σ f (x − αy) reaches a positive value", reached, value)
            # Cost 1 where a pair has a smaller rank, else 0: a pair of least rank in the zero set would have a flow of
            # cost 0 along pairs of no smaller rank, against g (docs/theory/zero-set.md).
            positive = self.priced(name, *rows, g, lambda _, r, rank=rank: ONE if r < rank else ZERO, everywhere)
            need(positive > 0, name, "ranks: Σ g (x − αy) is positive", positive, 0)

    def one_input(self, name: str, state: str, fields: list[Any]) -> str | None:
        """The input that a claim from below is about: its last field, where the label has inputs."""
        inputs = self.model.moves[state].keys()
        asked = fields[0] if len(fields) == 1 else None
        known = (asked is None or isinstance(asked, str)) and asked in inputs
        need(known and len(fields) == (None not in inputs), name, "one input of the label, if it has any", fields)
        return asked

    @property
    def single_arcs(self) -> bool:
        """Whether prices are compared along single arcs alone: at α = 1 with inputs, where distances are metrics."""
        return self.alpha["lower"] == 1 and self.model.interactive

    def priced(
        self, name: str, x: Vector, y: Vector, entries: Any, bound: Callable[..., Fraction], everywhere: bool = False
    ) -> Fraction:
        """Σ f (x − αy), once f ≤ 1 and f_i − α f_j ≤ bound(claim of i, j) for all i ≠ j of one label.

        For sd, of which the bound is one from below, also (1−f_i) − α(1−f_j) ≤ bound(claim of i, j). Along single arcs,
        unless it is asked for everywhere, the first rows alone, from i with x_i > y_i to j with x_j < y_j.
        """
        alpha, f = self.alpha["lower"], self.masses(entries)
        single = self.single_arcs and not everywhere
        sharp, listed = self.data["kind"] == "sd" and not single, self.price
        # Where nothing is named f_i is 0, and what is compared below holds by itself: −αf_j ≤ 0, and (1−f_j) − α ≤ 0.
        for i, f_i in f.items():
            spend(ARC * len(self.model.by_label[self.model.label[i]]))
            need(f_i <= 1, name, f"price of {i}: at most 1", f_i, 1)
            for j in self.model.by_label[self.model.label[i]]:
                if single and not (x.get(i, ZERO) > y.get(i, ZERO) and x.get(j, ZERO) < y.get(j, ZERO)):
                    continue
                left = f_i - alpha * f.get(j, ZERO)
                most = bound(*listed[i, j]) if (i, j) in listed else ZERO
                need(i == j or left <= most, name, f"price of {i} against {j}", left, most)
                left = (1 - f.get(j, ZERO)) - alpha * (1 - f_i)
                most = bound(*listed[j, i]) if (j, i) in listed else ZERO
                need(i == j or left <= most or not sharp, name, f"complement of {j} against {i}", left, most)
        return sum((f_i * (x.get(i, ZERO) - alpha * y.get(i, ZERO)) for i, f_i in f.items()), ZERO)

    @cached_property
    def nodes(self) -> dict[str, tuple[WholeBelief, WholeBelief]]:
        """The pairs of beliefs, by number as it is written."""
        known: dict[int, WholeBelief] = {}
        listed = self.data.get("beliefs", [])
        need(isinstance(listed, list), "beliefs", "a list")
        by_number = {str(n): entries for n, entries in enumerate(listed)}

        def read(part: Any) -> WholeBelief:
            if isinstance(part, str):  # a number of the list
                need(part in by_number, "nodes", "a belief, or the number of one that is listed", part)
            entries = by_number[part] if isinstance(part, str) else part
            # Of equal beliefs `parse` makes one list, which the document keeps: so it is known by its place in memory.
            if id(entries) not in known:
                known[id(entries)] = WholeBelief.of(self.masses(entries))
            return known[id(entries)]

        found = {str(n): (read(x), read(y)) for n, (x, y) in enumerate(lists(self.data.get("nodes", []), 2))}
        need(all(x.tops or y.tops for x, y in found.values()), "nodes", "some mass in each")
        # Inputs are those of a label: a belief on two labels could not be asked one question.
        for x, y in found.values() if self.model.interactive else NONE:
            labels = {self.model.label[i] for i in {*x.tops, *y.tops}}
            need(len(labels) == 1, "nodes", "one label, where there are inputs")
        return found

    def node(self, n: str, way: str) -> tuple[WholeBelief, WholeBelief]:
        """(x, y) of a node, in the direction asked for."""
        if n not in self.nodes or way not in WAYS:
            raise CertificateRejected(f"node {n}", "a known node and direction", way)
        x, y = self.nodes[n]
        return (x, y) if way == "0" else (y, x)

    @cached_property
    def steps(self) -> BeliefSteps:
        """Where the beliefs of nodes lead."""
        return BeliefSteps(self.model)

    @cached_property
    def basis(self) -> list[Vector] | None:
        """The columns of the basis, if there is one, checked where the beliefs can lead (R5)."""
        if "basis" not in self.data:
            return None
        start = {state for beliefs in self.nodes.values() for belief in beliefs for state in belief.tops}
        return checked_basis(self.model, self.data["basis"], start)

    def node_claims(self, *sides: str) -> Iterator[NodeClaim]:
        """The entries of upper, of lower or of both, and what those of ``values`` stand for there."""
        for side in sides:
            for n, way, value, rule, *more in lists(self.data.get(side, []), 4, more=True):
                yield side, n, way, value, rule, more
        for n, v, w, rule, *more in lists(self.data.get("values", []), 4, more=True):
            name = f"values {n}"
            need(len(more) == {"same": 0, "step": 2}.get(rule), name, "a rule, same or step, with its fields", rule)
            for way, value in (("0", v), ("1", w)):
                ends = value if isinstance(value, dict) else dict.fromkeys(SIDES, value)
                need(ends.keys() == {*SIDES}, name, "a number, or an object of upper and lower", [*ends])
                if "upper" in sides:
                    yield "upper", n, way, ends["upper"], rule, more[:1]
                if "lower" in sides:
                    yield "lower", n, way, ends["lower"], "gap" if rule == "same" else rule, more

    @cached_property
    def known(self) -> dict[str, Claims]:
        """The node claims of both sides, not yet checked."""
        found: dict[str, Claims] = {side: {way: {} for way in WAYS} for side in SIDES}
        for side, n, way, value, *_ in self.node_claims(*SIDES):
            spend(CLAIM)
            self.node(n, way)
            need(n not in found[side][way], side, "each node and direction once")
            found[side][way][n] = self.number(value)
        return found

    @cached_property
    def rank(self) -> Claims:
        """The ranks of claims from below, which are 0 for gaps."""
        found: Claims = {way: {} for way in WAYS}
        for _, n, way, _, rule, more in self.node_claims("lower"):
            found[way][n] = self.rational(more[1]) if rule == "step" else ZERO
        return found

    def parts(self, name: str, n: str, way: str, asked: str | None, children: Any) -> list[Part]:
        """One step under an input, by label, checked to be c_a times the node where one is listed (R4)."""
        key = asked, frozenset(children.items())
        # The two directions of a node are next to each other, and take the same step.
        if n not in self.last_parts:
            self.last_parts.clear()
            self.last_parts[n] = {}
        if key not in self.last_parts[n]:
            self.last_parts[n][key] = [*self.forward_parts(name, n, asked, children)]
        found = self.last_parts[n][key]
        return found if way == "0" else [(y, x, child, scale) for x, y, child, scale in found]

    @cached_property
    def last_parts(self) -> dict[str, dict[Any, list[Part]]]:
        """The steps of one node that were checked, in direction 0."""
        return {}

    def forward_parts(self, name: str, n: str, asked: str | None, children: Any) -> Iterator[Part]:
        """The parts of a step in direction 0."""
        after_x, after_y = (self.steps.after(belief, asked) for belief in self.nodes[n])
        for a in {*after_x, *after_y}:
            x, y, child = after_x.get(a, EMPTY), after_y.get(a, EMPTY), children.get(a)
            if child is None:
                yield x.mass, y.mass, None, ZERO
                continue
            scale = self.steps.multiple((x, y), self.node(child, "0"), self.basis)
            if scale is None:
                raise CertificateRejected(name, f"R4: after {a}, a multiple of node {child}")
            yield ZERO, ZERO, child, scale

    def gap(self, side: str, x: WholeBelief, y: WholeBelief) -> Fraction:
        """max(|x| − α|y|, 0)."""
        return max(x.mass - self.alpha[side] * y.mass, ZERO)

    def check_upper(self, n: str, way: str, rule: str, more: list[Any]) -> None:
        """R0, R2, R3: V(x, y) ≤ v."""
        name, (x, y), known = f"upper {n}/{way}", self.node(n, way), self.known["upper"][way]
        fields = {"mass": 0, "same": 0, "flow": 2, "step": 1}.get(rule)
        need(len(more) == fields, name, "a rule, mass, same, flow or step, with its fields", rule)
        bound, value = x.mass, known[n]
        if rule == "same":
            need(proportional(x, y, self.basis), name, "R4: y is a multiple of x")
            bound = self.gap("upper", x, y)
        elif rule == "flow":
            need(self.model.base is None, name, f"a rule other than flow beside a base: {OVER_FUNCTIONS}")
            bound = self.flow_cost(name, x.exact(), y.exact(), *more)
        elif rule == "step":
            # V_0 of the induction. Without it, claims that cite each other in circles could all be too small.
            bound = self.gap("upper", x, y)
            need(bound <= value, name, "R3: the base case", bound, value)
            for asked, children in self.by_input(name, min({*x.tops, *y.tops}), *more).items():
                total = ZERO
                for after, _, child, scale in self.parts(name, n, way, asked, children):
                    if child is None:
                        total += after
                    elif known[child]:  # many are 0, and products of fractions take time
                        total += scale * known[child]
                # V is the most over inputs, so every one of them must stay below the claim.
                bound = max(bound, total)
        need(bound <= value, name, f"the {rule} rule", bound, value)

    def check_lower(self, n: str, way: str, rule: str, more: list[Any]) -> None:
        """L1, L2 under one input: V(x, y) ≥ v; circles need ranks that fall towards a gap or an unlisted label."""
        name, (x, y), known, rank = f"lower {n}/{way}", self.node(n, way), self.known["lower"][way], self.rank[way]
        fits = len(more) == 0 if rule == "gap" else rule == "step" and len(more) >= 2
        need(fits, name, "a rule, gap or step, with its fields", rule)
        bound, falls = self.gap("lower", x, y) if rule == "gap" else ZERO, rule == "gap"
        if rule == "step":
            asked = self.one_input(name, min({*x.tops, *y.tops}), more[2:])
            for after_x, after_y, child, scale in self.parts(name, n, way, asked, more[0]):
                if child is None:
                    bound += max(after_x - self.alpha["lower"] * after_y, ZERO)
                elif known[child]:
                    bound += scale * known[child]
                # Ranks fall down to a gap or an unlisted label, so that every circle leaks (Theorem 31).
                falls = falls or child is None or rank[child] < rank[n]
        need(falls, name, "L2: a rank that falls", rank[n])
        need(known[n] <= bound, name, f"the {rule} rule", known[n], bound)

    @cached_property
    def known_endings(self) -> list[endings.Ending]:
        """Where runs end, each checked when a claim cites it."""
        entries = self.data.get("endings", [])
        need(isinstance(entries, list), "endings", "a list")
        need(not (entries and self.model.interactive), "endings", "no inputs: where runs end depends on what is asked")
        return [endings.Ending(self, f"ending {n}", data) for n, data in enumerate(entries)]

    def ending(self, name: str, n: str) -> endings.Ending:
        """The ending that a claim cites."""
        need(n in map(str, range(len(self.known_endings))), name, "a known ending", n)
        return self.known_endings[int(n)]

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What claims that are not about one ε share, once it is checked."""
        return {}

    @cached_property
    def recipes(self) -> dict[Pair, tuple[Fraction, Fraction]]:
        """For each direction with recipes, bounds on V: below at the larger e^ε, above at the smaller."""
        return Recipes(self.model, self.data, self.around, self.loops).proved() if "recipes" in self.data else {}

    @cached_property
    def splits(self) -> list[tuple[Belief, dict[str, str], Checker, Claims, Claims]]:
        """R7, L3: for each group h_G, and what is proved of the chain given that it ends there."""
        found = []
        for harmonic, chain, data in split_chains(self.model, self.data["splits"]):
            quotient, first = merged(chain, data.get("merge", []))
            inside = Checker(quotient, data, self.alpha, self.alpha)
            found.append((harmonic, first, inside, *inside.check()))
        return found

    def split_bounds(self, name: str, pair: Pair, listed: Any) -> tuple[Fraction, Fraction]:
        """Bounds on δ as sums over the groups; groups that are not listed are bounded by L1 and R0."""
        low, high = {"0": ZERO, "1": ZERO}, {"0": ZERO, "1": ZERO}
        need(isinstance(listed, dict) and {*listed} <= {*map(str, range(len(self.splits)))}, name, "known groups")
        need(all(any(i in h for h, *_ in self.splits) for i in pair), name, "states that the split covers")
        for k, (harmonic, first, inside, above, below) in enumerate(self.splits):
            ends = [harmonic.get(i, ZERO) for i in pair]
            for way, (x, y) in (("0", ends), ("1", ends[::-1])):
                least, most, n = max(x - self.alpha["lower"] * y, ZERO), x, listed.get(str(k))
                if n is not None:
                    # The pair's beliefs in this group: h_G(s) on s and h_G(t) on t, in the chain that ends there.
                    part = [{first[i]: h} if h else {} for i, h in zip(pair, ends, strict=True)]
                    scale = inside.multiple(f"{name}, group {k}", part, n)
                    least = max(least, scale * below[way].get(n, ZERO))
                    most = min(most, scale * above[way][n]) if n in above[way] else most
                low[way] += least
                high[way] += most
        return max(low.values()), max(high.values())

    def multiple(self, name: str, part: list[Belief], n: str) -> Fraction:
        """What multiple of node n the two beliefs are (R4)."""
        goal = [belief.exact() for belief in self.node(n, "0")]
        scale = sum(map(mass, part), ZERO) / sum(map(mass, goal), ZERO)
        for mine, other in zip(part, goal, strict=True):
            need(mine == {i: scale * value for i, value in other.items()}, name, "a multiple of its node", n)
        return scale

    def check(self) -> tuple[Claims, Claims]:
        """Every entry by its rule; what is proved of the nodes, above and below."""
        self.check_distances()
        self.check_prices()
        for _, n, way, _, rule, more in self.node_claims("upper"):
            self.check_upper(n, way, rule, more)
        for _, n, way, _, rule, more in self.node_claims("lower"):
            self.check_lower(n, way, rule, more)
        return self.known["upper"], self.known["lower"]

    def stated(self, claim: Any) -> Claim:
        """A claim as it is written, its keys known and its numbers read; nothing of it is shown yet."""
        if claim["claim"] in OTHERS:
            other: Claim = module_of(claim).stated(self, claim)
            return other
        what, ((s, t),) = claim["claim"], lists([claim["pair"]], 2)
        name = f"{what} of ({s}, {t})"
        need(claim.keys() <= {"claim", "pair", "node", "split", "lower", "upper"}, name, "known keys", [*claim][:9])
        need(what in ("distance", "delta"), name, f"a claim: distance, delta, {', '.join(OTHERS)}")
        # At e^ε itself, if the certificate names it.
        at = (self.alpha["upper"],) if "alpha" in self.data else (self.alpha["upper"], self.alpha["lower"])
        if what == "delta":
            lower, upper = bounds(claim)
            return Claim(measure=what, subject=(s, t), lower=lower, upper=upper, at=at)
        need(self.alpha["upper"] == self.alpha["lower"], name, "one exp_epsilon: only δ is sure to fall with it")
        return Claim(
            measure=self.data["kind"],
            subject=(s, t),
            lower=self.number(claim.get("lower", "0")),
            upper=self.number(claim.get("upper", "1")),
            at=at,
            terms={"merged": bool(self.data.get("merge")), "traces": "basis" in self.data},
        )

    def conclude(self, claim: Any, first: Any, above: Claims, below: Claims) -> Claim:
        """One claim, if it follows from what was checked."""
        if claim["claim"] in OTHERS:
            other: Claim = module_of(claim).conclude(self, claim, first)
            return other
        stated = self.stated(claim)
        (s, t), name = stated.subject, name_of(stated)
        pair, label = (first[s], first[t]), self.model.label
        if label[pair[0]] != label[pair[1]]:
            # The first letter tells: δ is 1, and so is every distance.
            low = high = ONE
        elif stated.measure != "delta":
            low = self.price.get(pair, (ZERO, ZERO))[0]
            high = ZERO if pair[0] == pair[1] else self.distance.get(pair, ONE)
        elif "split" in claim:
            low, high = self.split_bounds(name, pair, claim["split"])
        elif "node" not in claim:
            s, t = pair
            ways = {way: self.recipes.get(way, (ZERO, ONE)) for way in ((s, t), (t, s))}
            low = max(below for below, _ in ways.values())
            # δ is the larger direction: one of them is enough below, both must hold above.
            high = max(min(above, self.distance.get(way, ONE)) for way, (_, above) in ways.items())
            high = ZERO if s == t else high
        else:
            x, y = self.node(claim["node"], "0")
            need((x.exact(), y.exact()) == ({pair[0]: ONE}, {pair[1]: ONE}), name, "the pair's node")
            low = max(below[way].get(claim["node"], ZERO) for way in WAYS)
            high = max(above[way].get(claim["node"], ONE) for way in WAYS)
        need(high <= stated.upper, name, "the upper bound", high, stated.upper)
        need(stated.lower <= low, name, "the lower bound", stated.lower, low)
        return replace(stated, value=high if low == high else None)


def module_of(claim: Any) -> ModuleType:
    """Where a claim that is not about one ε is checked."""
    if claim["claim"] in endings.KEYS:
        return endings
    from . import ratios  # few certificates have any

    return ratios


def opened(model: Model, data: Any) -> tuple[Checker, dict[str, str]]:
    """The certificate, once it is one about this model, with its merged chain; nothing in it is checked yet but R5."""
    need(isinstance(data, dict) and data.get("format") == FORMAT, "file", f"an object of format {FORMAT}")
    need(
        "parameter" not in data,
        "parameter",
        "a model with a parameter, where a certificate is about every value of one",
    )
    need(data.get("model") == (ours := model.sha256()), "model", "the certificate's model", data.get("model"), ours)
    need(isinstance(data["claims"], list) and data["claims"], "claims", "a list, not empty")
    # Where runs end does not depend on ε, nor do ratios.
    about = [claim["claim"] for claim in data["claims"]]
    named = data.get("exp_epsilon", NO_EPSILON) if {*about} <= {*OTHERS} else data["exp_epsilon"]
    alpha = {side: number(named[side]) for side in ("upper", "lower")}
    # Named after the side that they serve: δ falls in e^ε, so that the smaller one is for upper bounds.
    need(1 <= alpha["upper"] <= alpha["lower"], "exp_epsilon", "1 ≤ upper ≤ lower", alpha["upper"], alpha["lower"])
    need(data.get("kind", "ld") in ("bd", "ld", "sd"), "kind", "bd, ld or sd")
    need(not (model.interactive and "basis" in data), "basis", "no inputs: a basis is for chains without")
    quotient, first = merged(model, data.get("merge", []))
    if not data.keys() & {"base", "alpha"}:
        return Checker(quotient, data, alpha, alpha), first
    for part in ("basis", "splits"):
        need(part not in data, part, f"not beside a base: {OVER_FUNCTIONS}")
    base = number(data["base"])
    need(base.denominator == 1 and base > 0, "base", "a positive integer", base)
    known = replace(quotient, base=base.numerator)
    if "alpha" not in data:
        return Checker(known, data, alpha, alpha), first
    itself = read_function(data["alpha"], base.numerator)
    # Recipes go on with the two rationals, and their bounds hold at what is between them.
    need(alpha["upper"] <= itself <= alpha["lower"], "alpha", "e^ε between exp_epsilon's upper and lower", itself)
    return Checker(known, data, dict.fromkeys(alpha, itself), alpha), first


def verify(model: Model | ChainFamily, data: Any, meter: Meter | None = None, loops: ModuleType = sums) -> list[Claim]:
    """The claims of the certificate, all of them proved about the model; CertificateRejected if one is not.

    With a meter, `Unfinished` if the check takes more steps than it allows, or is stopped. The checker runs from its
    source, and nothing else, unless it is given compiled ``loops`` for its recipes.
    """
    with metered(meter), refusing_what_is_malformed():
        if not isinstance(model, Model):
            return model.verified(data)
        checker, first = opened(model, data)
        checker = replace(checker, loops=loops)
        above, below = checker.check()
        return [checker.conclude(claim, first, above, below) for claim in data["claims"]]
