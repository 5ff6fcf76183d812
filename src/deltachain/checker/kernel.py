"""Kernel files: a model and a certificate as lists of integers, for the checker that is extracted from formal/.

Names become numbers, beliefs lists of numbered entries. There is a version of the file for each kind of model, which
the Kernel.v of formal/ and of its folders read back. Nothing is judged here beyond what `read` and the first lines of
`rules` judge: that the file is a certificate about this model, and is shaped like one. The model and the claims must be
written as they are, so this is part of the trusted base of that checker. The rest need not be believed: whatever flows,
nodes or ranks are written, the claims are proved from them or rejected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import CertificateRejected
from .functions import Function, Polynomial, bits, sign, stretched
from .read import Belief, Box, Model, bounds, lists, need, number, refusing_what_is_malformed
from .recipes import MOST_BITS, MOST_STEPS, tokens
from .rules import Checker, opened

PLACES = [128, 512, 4096]
"""In how many bits the proved checker encloses e^(1/k), one after the other; what none of them tells is rejected."""
MOST_DEGREE, MOST_SIZE = 1000, 1 << 16
"""The largest degree in e^(1/k) of a number, and all coefficients of one of its polynomials, in bits."""
KINDS = {"bd": 0, "ld": 1, "sd": 2}
RULES = {"mass": 0, "same": 1, "gap": 2, "flow": 3, "step": 4}
NOT_PROVED = "this rule is not in the proved checker; verify it without --formal"
PARTS = {
    1: "exp_epsilon", 2: "state", 3: "merge", 4: "basis", 5: "distances entry", 6: "prices entry", 7: "node",
    8: "upper entry", 9: "lower entry", 10: "recipe", 11: "claim",
}  # fmt: skip
"""What formal/Certificate.v calls the parts that it checks, one after the other."""


def kernel(model: Model, data: Any) -> tuple[list[int], list[str]]:
    """The integers, and the sentences that they prove if the checker accepts them."""
    with refusing_what_is_malformed():
        rows = [row for rows in model.given.values() for row in rows.values()]
        need(not any(isinstance(row, Box) for row in rows), "model", f"boxes: {NOT_PROVED}")
        checker, first = opened(model, data)
        over_functions = "base" in data or bool(model.boxed)
        writer = (_Functions if over_functions else _Writer)(model, checker, first)
        writer.write()
        return writer.out, [checker.sentence(claim) for claim in data["claims"]]


class _Writer:
    """Exact models, version 1. Appends integers: lists with their lengths, rationals as numerator and denominator."""

    version = 1

    def __init__(self, model: Model, checker: Checker, first: Mapping[str, str]) -> None:
        self.model, self.checker, self.data, self.first = model, checker, checker.data, first
        self.out: list[int] = []
        labels = sorted({*model.label.values()})
        self.label = {label: k for k, label in enumerate(labels, 2)}
        # Sorted by label, so that parts of one label are neighbours.
        self.state = {i: k for k, i in enumerate(sorted(model.label, key=lambda i: (model.label[i], i)), 1)}
        self.inputs = {label: sorted(model.moves[states[0]], key=str) for label, states in model.by_label.items()}

    def write(self) -> None:
        """The whole file, in the order of formal/Kernel.v."""
        self.out.append(self.version)
        self.list(self.state, self.place)
        for side in ("upper", "lower"):
            self.rational(self.checker.alpha[side])
        self.out += [KINDS[self.data.get("kind", "ld")], len(self.state) + 1]
        self.list([i for i, name in self.first.items() if i != name], lambda i: self.states(i, self.first[i]))
        entries = lists(self.data.get("distances", []), 4, more=True)
        shifted = not self.model.interactive and any(len(flow) > 3 and flow[3] for _, _, _, *flow in entries)
        self.basis(shifted)
        self.list(entries, self.distance)
        self.prices()
        used = any(self.checker.node_claims.values()) or self.has_node_claims()
        self.list([*self.checker.nodes] if used else [], self.node)
        for side in ("upper", "lower"):
            self.side(side)
        self.recipes()
        self.list(self.data["claims"], self.claim)

    # The alphabet

    def list(self, entries: Iterable[Any], write: Callable[[Any], None]) -> None:
        listed = [*entries]
        self.out.append(len(listed))
        for entry in listed:
            write(entry)

    def rational(self, value: Fraction) -> None:
        self.out += (value.numerator, value.denominator)

    def states(self, *names: Any) -> None:
        self.out += (self.state[name] for name in names)

    def input(self, state: str, asked: str | None) -> int:
        return self.inputs[self.model.label[state]].index(asked)

    def belief(self, entries: Belief) -> None:
        def one(i: str) -> None:
            self.states(i)
            self.rational(entries[i])

        self.list(entries, one)

    # The parts

    def place(self, state: str) -> None:
        self.states(state)
        label = self.model.label[state]
        self.out.append(self.label[label])
        self.list(self.inputs[label], lambda asked: self.belief(dict(self.model.moves[state][asked])))

    def basis(self, shifted: bool) -> None:
        """The basis where it is used, on the states that beliefs can reach, or on all if flows balance up to traces."""
        ways = [entry for entries in self.checker.node_claims.values() for entry in entries]
        used = "basis" in self.data and any(
            rule == "same" or (rule == "step" and any(child is not None for child in more[0].values()))
            for _, _, _, rule, *more in ways
        )
        self.out.append(int(used or shifted))
        if not (used or shifted):
            return
        rows, label, basis = self.checker.model.row, self.checker.model.label, self.data["basis"]
        reached: set[str] = set()
        waiting = [*rows] if shifted else [i for x, y in self.checker.nodes.values() for i in (*x, *y)]
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                waiting.extend(rows[state])
        columns = [{i: number(v) for i, v in lists(vector, 2)} for vector in basis["vectors"]]
        self.list(sorted(reached), self.states)
        self.list(columns, lambda column: self.belief({i: v for i, v in column.items() if i in self.state and v}))
        self.list(basis["one"], lambda v: self.rational(number(v)))

        def image(a: str) -> None:
            self.out.append(self.label[a])
            self.list(basis["step"][a], lambda row: self.list(row, lambda v: self.rational(number(v))))

        self.list(sorted({label[i] for i in reached}), image)

    def flow(self, arcs: Any, eta: Any, complement: Any = (), shift: Any = ()) -> None:
        def arc(entry: Any) -> None:
            i, j, amount = entry
            need({i, j} <= self.checker.model.label.keys(), "arc", "known states", (i, j))
            self.states(i, j)
            self.rational(number(amount))

        self.list(lists(arcs, 3), arc)
        self.belief(self.checker.masses(eta))
        self.list(lists([*complement], 3), arc)
        found = {i: number(value) for i, value in lists([*shift], 2)}
        need(
            len(found) == len([*shift]) and found.keys() <= self.checker.model.label.keys(),
            "shift",
            "known states, each once",
        )
        self.belief(found)

    def distance(self, entry: Any) -> None:
        s, t, value, *fields = entry
        name, kind = f"D({s}, {t})", self.data["kind"]
        self.checker.one_label(name, s, t)
        need((s, t) in self.checker.distance, name, "each pair once")
        self.states(s, t)
        self.rational(number(value))
        one = None in self.model.moves[s]
        need(one or len(fields) == 1, name, "R1: one object of flows by input")
        flows = self.checker.by_input(name, s, fields if one else fields[0])

        def flow(asked: str | None) -> None:
            given = flows[asked]
            need(isinstance(given, list) and len(given) >= 2, name, "malformed: a flow of arcs and eta")
            need(len(given) <= (4 if kind == "sd" else 2), name, "R1: a flow of the kind's own arcs", kind)
            self.flow(*given)

        self.list(self.inputs[self.model.label[s]], flow)

    def prices(self) -> None:
        entries = lists(self.data.get("prices", []), 6, more=True)
        need(not entries or "basis" not in self.data, "prices", "no basis: up to traces the distance may be smaller")
        ranks = {number(rank) for _, _, _, _, rank, *_ in entries}
        order = {value: k for k, value in enumerate(sorted(ranks), 1)}

        def one(entry: Any) -> None:
            s, t, value, f, rank, g, *more = entry
            name = f"d({s}, {t})"
            self.checker.one_label(name, s, t)
            need((s, t) in self.checker.price, name, "each pair once")
            self.states(s, t)
            self.rational(number(value))
            self.out += (order[number(rank)], self.input(s, self.checker.one_input(name, s, more)))
            self.belief(self.checker.masses(f))
            self.belief(self.checker.masses(g))

        self.list(entries, one)

    def node(self, n: str) -> None:
        x, y = self.checker.nodes[n]

        def one(i: str) -> None:
            self.states(i)
            self.rational(x.get(i, Fraction(0)))
            self.rational(y.get(i, Fraction(0)))

        self.out.append(int(n) + 1)
        self.list({**x, **y}, one)

    def side(self, side: str) -> None:
        """The upper or lower entries; ranks become 1, 2, … in their order."""
        self.checker.values(side)
        entries = self.checker.node_claims[side]
        rank = {}
        for n, way, _, rule, *more in entries:
            self.checker.node(n, way)
            rank[n, way] = number(more[1]) if side == "lower" and rule == "step" else Fraction(0)
        order = {value: k for k, value in enumerate(sorted({*rank.values()}), 1)}
        fields = {"mass": 0, "same": 0, "flow": 2, "step": 1} if side == "upper" else {"gap": 0, "step": 2}

        def one(entry: Any) -> None:
            n, way, value, rule, *more = entry
            name, (x, y) = f"{side} {n}/{way}", self.checker.node(n, way)
            least = fields.get(rule)
            fits = len(more) == least or (side == "lower" and rule == "step" and len(more) > 2)
            need(fits, name, "a rule with its fields", rule)
            state, asked = min({*x, *y}), 0
            if rule == "step":
                for i in {*x, *y}:
                    self.checker.model.moves[i]  # refused, where a row is not for nodes
            if rule == "step" and side == "lower":
                asked = self.input(state, self.checker.one_input(name, state, more[2:]))
            self.out += (int(n) + 1, int(way))
            self.rational(self.checker.number(value))
            self.out += (order[rank[n, way]], asked, RULES[rule])
            if rule == "flow":
                need(self.checker.model.base is None, name, "a rule other than flow beside a base")
                self.flow(*more)
            elif rule == "step" and side == "upper":
                by_input = self.checker.by_input(name, state, more[0])
                self.list(
                    self.inputs[self.model.label[state]] if None not in by_input else [None],
                    lambda asked: self.children(by_input[asked]),
                )
            elif rule == "step":
                self.list(more[:1], self.children)

        self.list(entries, one)

    def children(self, listed: Any) -> None:
        """Label → node; a node that is not there is given a number that is not there."""
        nodes = self.checker.nodes
        known = {self.label[a]: n for a, n in listed.items() if a in self.label and n is not None}
        self.list(
            known.items(),
            lambda pair: self.out.extend((pair[0], (int(pair[1]) if pair[1] in nodes else len(nodes)) + 1)),
        )

    def recipes(self) -> None:
        """Bits, event vectors and recipes, where a claim needs them."""
        if "recipes" not in self.data or not any(self.needs_recipes(claim) for claim in self.data["claims"]):
            self.out += (0, 0, 0)
            return
        bits = int(number(self.data["bits"]))
        need(0 <= bits <= MOST_BITS, "recipes", f"bits from 0 to {MOST_BITS}", bits)
        need("row_bits" not in self.data, "row_bits", f"rows rounded otherwise: {NOT_PROVED}")
        self.out.append(bits)
        vectors = lists(self.data.get("vectors", []), 2, more=True)
        shown: list[Any] = [None, None]

        def vector(entry: Any) -> None:
            label, after, *more = entry
            need(
                label in self.checker.model.by_label and isinstance(after, dict),
                "vector",
                "a label and an object",
                label,
            )
            numbers = {b: int(number(which)) for b, which in after.items()}
            for b, k in numbers.items():
                need(0 <= k < len(shown), "vector", "only vectors before it", k)
                need(shown[k] in (None, b), "vector", "a vector of that label", k, b)
            asked = self.checker.one_input("vector", self.checker.model.by_label[label][0], more)
            shown.append(label)
            self.out.append(self.label[label])
            self.list(
                [b for b in numbers if b in self.label], lambda b: self.out.extend((self.label[b], numbers[b] + 1))
            )
            self.out.append(self.inputs[label].index(asked))

        self.list(vectors, vector)
        self.list(lists(self.data["recipes"], 4, more=True), self.recipe)

    def recipe(self, entry: Any) -> None:
        s, t, kind, *more = entry
        self.checker.one_label("recipe", s, t)
        need(kind not in ("-tree", "-levels", "first", "corners"), f"recipe {kind}", NOT_PROVED)
        need(kind == "tree" or not self.model.interactive, "recipe", "a tree, where there are inputs", kind)
        need(len(more) == {"tree": 1, "levels": 2, "grid": 2}.get(kind), "recipe", "tree, levels or grid", kind)
        self.states(s, t)
        if kind == "tree":
            need(isinstance(more[0], str), "tree", "text")
            self.out.append(0)
            self.list([*tokens(more[0])], lambda token: self.out.append(token_number(token)))
            return
        first, second = (int(number(value)) for value in more)
        steps = first if kind == "levels" else second
        need(0 <= steps <= MOST_STEPS, kind, "a depth", steps)
        need(second >= 0 if kind == "levels" else 2 <= first <= MOST_STEPS, kind, "a dust or a size", more)
        self.out += (1 if kind == "levels" else 2, first, second)

    def needs_recipes(self, claim: Any) -> bool:
        what, s, t, _ = self.checker.named(claim)
        label = self.checker.model.label
        alike = label[self.first[s]] == label[self.first[t]]
        return what == "delta" and alike and "node" not in claim and "split" not in claim

    def has_node_claims(self) -> bool:
        return any("node" in claim for claim in self.data["claims"])

    def claim(self, claim: Any) -> None:
        what, s, t, name = self.checker.named(claim)
        alike = self.checker.model.label[self.first[s]] == self.checker.model.label[self.first[t]]
        if what == "delta" and alike and "split" in claim:
            raise CertificateRejected(name, f"R7, L3: {NOT_PROVED}")
        node = 0
        if what == "delta" and alike and "node" in claim:
            self.checker.node(claim["node"], "0")
            node = int(claim["node"]) + 1
        self.out += (0 if what == "distance" else 2 if node else 1, node)
        self.states(s, t)
        for bound in bounds(claim):
            self.rational(bound)


class _Functions(_Writer):
    """Models over functions of X = e^(1/k), by nodes, version 2: a number is a quotient of polynomials in X."""

    version = 2

    def __init__(self, model: Model, checker: Checker, first: Mapping[str, str]) -> None:
        base = checker.model.base or 1
        super().__init__(replace(model, base=base), checker, first)
        self.k = math.lcm(base, *_roots(model))

    def write(self) -> None:
        """The whole file, in the order of formal/functions/Kernel.v."""
        self.out += (self.version, self.k)
        self.list(PLACES, self.out.append)
        self.list(self.state, self.place)
        for side in ("upper", "lower"):
            self.rational(self.checker.alpha[side])
        self.list([i for i, name in self.first.items() if i != name], lambda i: self.states(i, self.first[i]))
        self.list([*self.checker.nodes], self.node)
        for side in ("upper", "lower"):
            self.side(side)
        self.list(self.data["claims"], self.claim)

    def rational(self, value: Fraction | Function) -> None:
        """The number as a quotient of polynomials in X."""
        top, bottom = _quotient(value, self.k)
        for p in (top, bottom):
            size = max(bits(p), 1) * len(p)
            small = len(p) <= MOST_DEGREE + 1 and size <= MOST_SIZE
            need(small, "number", f"a degree above {MOST_DEGREE}, or {MOST_SIZE} bits: {NOT_PROVED}", len(p) - 1, size)
            self.list(p, self.out.append)

    def claim(self, claim: Any) -> None:
        what, s, t, name = self.checker.named(claim)
        need(what == "delta" and "split" not in claim, name, "a claim about delta, over functions of e^(1/k)")
        alike = self.checker.model.label[self.first[s]] == self.checker.model.label[self.first[t]]
        need("node" in claim or not alike, name, f"recipes over functions of e^(1/k): {NOT_PROVED}")
        if alike:
            self.checker.node(claim["node"], "0")
        self.out.append(int(claim["node"]) + 1 if alike else 1)
        self.states(s, t)
        for bound in bounds(claim):
            self.rational(bound)


def _roots(model: Model) -> set[int]:
    """The k of all functions of e^(1/k) in its rows."""
    rows = (row for rows in model.given.values() for row in rows.values() if not isinstance(row, Box))
    numbers: Iterable[object] = (p for row in rows for p in row.values())  # functions stand in for Fractions
    return {p.k for p in numbers if isinstance(p, Function)}


def _quotient(value: Fraction | Function, k: int) -> tuple[Polynomial, Polynomial]:
    """The number as top(X)/bottom(X), X = e^(1/k), with a bottom that is positive there."""
    if not isinstance(value, Function):
        return ((value.numerator,) if value else ()), (value.denominator,)
    top, bottom = (stretched(p, k // value.k) for p in (value.top, value.bottom))
    if sign(k, bottom) > 0:
        return top, bottom
    return tuple(-c for c in top), tuple(-c for c in bottom)


def token_number(node: str) -> int:
    """A node of a tree: -1 expands, -2 is a leaf, others are event vectors."""
    if node in ("x", "."):
        return -1 if node == "x" else -2
    need(node.isdigit() and len(node) < 9, "tree", "x, . or the number of a vector", node[:9])
    return int(node)
