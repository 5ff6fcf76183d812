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

from deltachain_checker_v1.claims import Claim, name_of
from deltachain_checker_v1.errors import CertificateRejected
from deltachain_checker_v1.functions import FunctionOfE, Polynomial, bits, sign, stretched
from deltachain_checker_v1.read import (
    Belief,
    LimitedRow,
    Model,
    Row,
    bounds,
    irrational,
    lists,
    merged,
    need,
    number,
    refusing_what_is_malformed,
)
from deltachain_checker_v1.recipes import LARGEST_DENOMINATOR, MOST_BITS, MOST_STEPS, tokens
from deltachain_checker_v1.rules import OTHERS, SIDES, Checker, opened
from deltachain_checker_v1.splits import split_chains

from .rejection import ours

PLACES = [128, 512, 4096]
"""In how many bits the proved checker encloses e^(1/k), one after the other; what none of them tells is rejected."""
MOST_DEGREE, MOST_SIZE = 1000, 1 << 16
"""The largest degree in e^(1/k) of a number, and all coefficients of one of its polynomials, in bits."""
KINDS = {"bd": 0, "ld": 1, "sd": 2}
RULES = {"mass": 0, "same": 1, "gap": 2, "flow": 3, "step": 4}
NOT_PROVED = "this rule is not in the proved checker; verify it without --formal"
PARTS = {
    1: "exp_epsilon", 2: "state", 3: "merge", 4: "basis", 5: "distances entry", 6: "prices entry", 7: "node",
    8: "upper entry", 9: "lower entry", 10: "recipe", 11: "claim", 12: "group",
}  # fmt: skip
"""What formal/Certificate.v calls the parts that it checks, one after the other."""


@ours()
def kernel(model: Model, data: Any) -> tuple[list[list[int]], list[Claim]]:
    """The files, and the claims that they prove if the checker accepts all of them."""
    with refusing_what_is_malformed():
        checker, first = opened(model, data)
        claims = data["claims"]
        for claim in claims:
            need(claim["claim"] not in OTHERS, claim["claim"], f"a claim that is not about one ε: {NOT_PROVED}")
        by_recipes = [claim for claim in claims if _is_by_recipes(checker, first, claim)]
        by_splits = [claim for claim in claims if _is_by_split(checker, first, claim)]
        if "base" not in data and not model.boxed and not (by_recipes and _has_roots_or_bits(data)):
            # One file, whose proof is about exact models; else claims by recipes and claims by nodes go into a file
            # each.
            writers: list[_Writer] = [(_Splits if by_splits else _Writer)(model, checker, first, claims)]
        else:
            others = [claim for claim in claims if claim not in by_recipes]
            for part in ("distances", "prices", "basis"):
                need(part not in data, part, f"beside functions of e^(1/k), boxes or second roots: {NOT_PROVED}")
            writers = [_Recipes(model, checker, first, by_recipes)] if by_recipes else []
            if others or any(checker.node_claims(*SIDES)):
                writers.append(_Functions(model, checker, first, others))
        return [writer.written() for writer in writers], [checker.stated(claim) for claim in claims]


def _named(checker: Checker, claim: Any) -> tuple[str, str, str, str]:
    """What a claim is about, its two states, and the name of the number that it bounds."""
    stated = checker.stated(claim)
    s, t = stated.subject
    return claim["claim"], s, t, name_of(stated)


def _is_by_recipes(checker: Checker, first: Mapping[str, str], claim: Any) -> bool:
    """Whether it is about δ of two states that are not told apart at once, without a node or a split."""
    what, s, t, _ = _named(checker, claim)
    label = checker.model.label
    return what == "delta" and label[first[s]] == label[first[t]] and not {"node", "split"} & claim.keys()


def _is_by_split(checker: Checker, first: Mapping[str, str], claim: Any) -> bool:
    """Whether it is about δ of two states that are not told apart at once, by a split."""
    what, s, t, _ = _named(checker, claim)
    label = checker.model.label
    return what == "delta" and label[first[s]] == label[first[t]] and "split" in claim


def _has_roots_or_bits(data: Any) -> bool:
    """Whether the recipes are of kinds, or rounded in ways, that are only proved where rows may be boxes."""
    kinds = {kind for _, _, kind, *_ in lists(data.get("recipes", []), 4, more=True) if isinstance(kind, str)}
    return "row_bits" in data or not kinds <= {"tree", "levels", "grid"}


class _Writer:
    """Exact models, version 1. Appends integers: lists with their lengths, rationals as numerator and denominator."""

    version = 1

    def __init__(self, model: Model, checker: Checker, first: Mapping[str, str], claims: list[Any]) -> None:
        self.model, self.checker, self.data, self.first, self.claims = model, checker, checker.data, first, claims
        self.out: list[int] = []
        labels = sorted({*model.label.values()})
        # From 2 on: 1 is the label of states that are not there (formal/Model.v).
        self.label = {label: k for k, label in enumerate(labels, 2)}
        # Sorted by label, so that parts of one label are neighbours.
        self.state = {i: k for k, i in enumerate(sorted(model.label, key=lambda i: (model.label[i], i)), 1)}
        self.inputs = {label: sorted(model.given[states[0]], key=str) for label, states in model.by_label.items()}

    def written(self) -> list[int]:
        """The file."""
        self.write()
        return self.out

    def write(self) -> None:
        """The whole file, in the order of formal/Kernel.v."""
        self.out.append(self.version)
        self.list(self.state, self.place)
        self.certificate()

    def certificate(self) -> None:
        """All but the model."""
        for side in ("upper", "lower"):
            self.rational(self.checker.alpha[side])
        # The proved checker finds the pair (s, t) by the number s·base + t (formal/Distances.v), and this is the base.
        self.out += [KINDS[self.data.get("kind", "ld")], len(self.state) + 1]
        self.merges()
        entries = lists(self.data.get("distances", []), 4, more=True)
        shifted = not self.model.interactive and any(len(flow) > 3 and flow[3] for _, _, _, *flow in entries)
        self.basis(shifted)
        self.list(entries, self.distance)
        self.prices()
        used = any(self.checker.node_claims(*SIDES)) or self.has_node_claims()
        self.list([*self.checker.nodes] if used else [], self.node)
        for side in ("upper", "lower"):
            self.side(side)
        self.recipes()
        self.list(self.claims, self.claim)

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

    def merges(self) -> None:
        self.list([i for i, name in self.first.items() if i != name], lambda i: self.states(i, self.first[i]))

    def basis(self, shifted: bool) -> None:
        """The basis where it is used, on the states that beliefs can reach, or on all if flows balance up to traces."""
        # A basis that no rule uses is not written: the proved checker would have to check it all the same.
        used = "basis" in self.data and any(
            rule == "same" or (rule == "step" and any(child is not None for child in more[0].values()))
            for *_, rule, more in self.checker.node_claims(*SIDES)
        )
        self.out.append(int(used or shifted))
        if not (used or shifted):
            return
        rows, label, basis = self.checker.model.row, self.checker.model.label, self.data["basis"]
        reached: set[str] = set()
        waiting = [*rows] if shifted else [i for x, y in self.checker.nodes.values() for i in (*x.tops, *y.tops)]
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
        if entries and self.checker.single_arcs:
            self.checker.check_prices()
            try:
                self.checker.check_prices(everywhere=True)
            except CertificateRejected:
                raise CertificateRejected("prices", f"single arcs at e^ε = 1: {NOT_PROVED}") from None
        # Only the order of ranks matters, and the proved checker counts them in whole numbers.
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
        x, y = (belief.exact() for belief in self.checker.nodes[n])

        def one(i: str) -> None:
            self.states(i)
            self.rational(x.get(i, Fraction(0)))
            self.rational(y.get(i, Fraction(0)))

        # Numbers of Coq's type positive begin at 1; so do all names here.
        self.out.append(int(n) + 1)
        self.list({**x, **y}, one)

    def side(self, side: str) -> None:
        """The upper or lower entries; ranks become 1, 2, … in their order."""
        value, rank = self.checker.known[side], self.checker.rank
        ranks = {each for way in rank.values() for each in way.values()} if side == "lower" else {Fraction(0)}
        order = {each: k for k, each in enumerate(sorted(ranks), 1)}
        fields = {"mass": 0, "same": 0, "flow": 2, "step": 1} if side == "upper" else {"gap": 0, "step": 2}

        def one(entry: Any) -> None:
            _, n, way, _, rule, more = entry
            name, (x, y) = f"{side} {n}/{way}", self.checker.node(n, way)
            least = fields.get(rule)
            fits = len(more) == least or (side == "lower" and rule == "step" and len(more) > 2)
            need(fits, name, "a rule with its fields", rule)
            state, asked = min({*x.tops, *y.tops}), 0
            if rule == "step":
                for i in {*x.tops, *y.tops}:
                    self.checker.model.moves[i]  # refused, where a row is not for nodes
            if rule == "step" and side == "lower":
                asked = self.input(state, self.checker.one_input(name, state, more[2:]))
            self.out += (int(n) + 1, int(way))
            self.rational(value[way][n])
            self.out += (order[rank[way][n] if side == "lower" else Fraction(0)], asked, RULES[rule])
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

        self.list(self.checker.node_claims(side), one)

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
        if "recipes" not in self.data or not any(_is_by_recipes(self.checker, self.first, c) for c in self.claims):
            # No bits, no vectors, no recipes.
            self.out += (0, 0, 0)
            return
        length = int(number(self.data["bits"]))
        need(0 <= length <= MOST_BITS, "recipes", f"bits from 0 to {MOST_BITS}", length)
        self.out.append(length)
        vectors = lists(self.data.get("vectors", []), 2, more=True)
        # Vectors 0 and 1, never and at once, are for every label.
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
            inputs, asked = self.inputs[label], more[0] if len(more) == 1 else None
            fits = (asked is None or isinstance(asked, str)) and asked in inputs and len(more) == (None not in inputs)
            need(fits, "vector", "one input of the label, if it has any", more)
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
        need(kind == "tree" or not self.model.interactive, "recipe", "a tree, where there are inputs", kind)
        need(len(more) == {"tree": 1, "levels": 2, "grid": 2}.get(kind), "recipe", "tree, levels or grid", kind)
        self.states(s, t)
        self.out.append({"tree": 0, "levels": 1, "grid": 2}[kind])
        self.steps(kind, more)

    def steps(self, kind: str, more: Any) -> None:
        """What a recipe is to do: a tree, or two numbers."""
        if kind == "tree":
            need(isinstance(more[0], str), "tree", "text")
            self.list([*tokens(more[0])], lambda token: self.out.append(token_number(token)))
            return
        first, second = (int(number(value)) for value in more)
        steps = first if kind == "levels" else second
        need(0 <= steps <= MOST_STEPS, kind, "a depth", steps)
        need(second >= 0 if kind == "levels" else 2 <= first <= MOST_STEPS, kind, "a dust or a size", more)
        self.out += (first, second)

    def has_node_claims(self) -> bool:
        return any("node" in claim for claim in self.claims)

    def claim(self, claim: Any) -> None:
        what, s, t, _ = _named(self.checker, claim)
        alike = self.checker.model.label[self.first[s]] == self.checker.model.label[self.first[t]]
        node = 0
        if what == "delta" and alike and "node" in claim:
            self.checker.node(claim["node"], "0")
            node = int(claim["node"]) + 1
        self.out += (0 if what == "distance" else 2 if node else 1, node)
        self.states(s, t)
        for bound in bounds(claim):
            self.rational(bound)


class _Splits(_Writer):
    """Splits of exact models, version 4: as version 1, and a harmonic function and a certificate for each group."""

    version = 4

    def __init__(self, model: Model, checker: Checker, first: Mapping[str, str], claims: list[Any]) -> None:
        self.split = [claim for claim in claims if _is_by_split(checker, first, claim)]
        super().__init__(model, checker, first, [claim for claim in claims if claim not in self.split])

    def write(self) -> None:
        """The whole file, in the order of formal/Splits.v."""
        super().write()
        groups: list[Any] = []
        for harmonic, chain, data in split_chains(self.checker.model, self.data["splits"]):
            quotient, first = merged(chain, data.get("merge", []))
            inside = Checker(quotient, data, self.checker.alpha, self.checker.alpha)
            groups.append((harmonic, _Writer(chain, inside, first, [])))
        self.list(groups, self.group)
        self.list(self.split, lambda claim: self.claim_by_split(claim, [writer.checker for _, writer in groups]))

    def group(self, entry: tuple[Belief, _Writer]) -> None:
        harmonic, writer = entry
        self.belief(harmonic)
        # The states and labels have the numbers that they have outside.
        writer.out, writer.state, writer.label = self.out, self.state, self.label
        writer.certificate()

    def claim_by_split(self, claim: Any, groups: Any) -> None:
        _, s, t, name = _named(self.checker, claim)
        lower, upper = bounds(claim)
        # R7 alone is proved there: told the group, the observer gains no less.
        need(lower <= 0, name, f"L3, the lower side of splits: {NOT_PROVED}")
        listed = claim["split"]
        known = isinstance(listed, dict) and {*listed} <= {*map(str, range(len(groups)))}
        need(known, name, "known groups")
        self.states(s, t)
        self.rational(lower)
        self.rational(upper)

        def node(entry: tuple[int, Checker]) -> None:
            k, inside = entry
            n = listed.get(str(k))
            if n is not None:
                inside.node(n, "0")
            self.out.append(0 if n is None else int(n) + 1)

        self.list(enumerate(groups), node)


class _Functions(_Writer):
    """Models over functions of X = e^(1/k), by nodes, version 2: a number is a quotient of polynomials in X."""

    version = 2

    def __init__(self, model: Model, checker: Checker, first: Mapping[str, str], claims: list[Any]) -> None:
        base = checker.model.base or 1
        super().__init__(replace(model, base=base), checker, first, claims)
        self.k = math.lcm(base, *_roots(model))

    def write(self) -> None:
        """The whole file, in the order of formal/functions/Kernel.v."""
        boxes = any(isinstance(row, LimitedRow) for rows in self.model.given.values() for row in rows.values())
        need(not boxes, "model", f"nodes beside boxes: {NOT_PROVED}")
        self.header()
        self.list(self.state, self.place)
        for side in ("upper", "lower"):
            self.rational(self.checker.alpha[side])
        self.merges()
        self.list([*self.checker.nodes], self.node)
        for side in ("upper", "lower"):
            self.side(side)
        self.list(self.claims, self.claim)

    def header(self) -> None:
        self.out += (self.version, self.k)
        self.list(PLACES, self.out.append)

    def rational(self, value: Fraction | FunctionOfE) -> None:
        """The number as a quotient of polynomials in X."""
        top, bottom = _quotient(value, self.k)
        for p in (top, bottom):
            size = max(bits(p), 1) * len(p)
            small = len(p) <= MOST_DEGREE + 1 and size <= MOST_SIZE
            need(small, "number", f"a degree above {MOST_DEGREE}, or {MOST_SIZE} bits: {NOT_PROVED}", len(p) - 1, size)
            self.list(p, self.out.append)

    def claim(self, claim: Any) -> None:
        what, s, t, name = _named(self.checker, claim)
        need(what == "delta" and "split" not in claim, name, f"beside functions of e^(1/k) or boxes: {NOT_PROVED}")
        self.out.append(1)
        if self.checker.model.label[self.first[s]] == self.checker.model.label[self.first[t]]:
            self.checker.node(claim["node"], "0")
            self.out[-1] = int(claim["node"]) + 1
        self.states(s, t)
        for bound in bounds(claim):
            self.rational(bound)


class _Recipes(_Functions):
    """Recipes over boxes and functions of X = e^(1/k), version 3: rows are exact, or have two ends for each target."""

    version = 3

    def write(self) -> None:
        """The whole file, in the order of formal/boxes/Kernel.v."""
        self.header()
        self.list(self.state, self.place)
        for alphas in (self.checker.alpha, self.checker.around):
            for side in ("upper", "lower"):
                self.rational(alphas[side])
        self.merges()
        self.out.append(bool(self.checker.model.boxed))
        self.recipes()
        self.list(self.claims, self.claim)

    def place(self, state: str) -> None:
        self.states(state)
        label = self.model.label[state]
        self.out.append(self.label[label])
        self.list(self.inputs[label], lambda asked: self.row(self.model.given[state][asked]))
        merged = self.checker.model.given.get(state)
        self.list(self.inputs[label], lambda asked: self.out.append(self.unit(merged[asked]) if merged else 1))

    def row(self, row: Row) -> None:
        self.out.append(isinstance(row, LimitedRow))
        if not isinstance(row, LimitedRow):
            self.belief(dict(row))
            return

        def ends(j: str) -> None:
            self.states(j)
            for end in row.ends[j]:
                self.rational(end)

        self.list(row.ends, ends)
        self.rational(row.rest)

    def unit(self, row: Row) -> int:
        """The denominator of a row in integers, as `recipes` has it."""
        row_bits = int(number(self.data.get("row_bits", "30")))
        need(0 <= row_bits <= MOST_BITS, "recipes", f"row_bits from 0 to {MOST_BITS}", row_bits)
        if not isinstance(row, LimitedRow) and irrational(row):
            return 1 << row_bits
        ends = [*row.ends.values(), (row.rest,)] if isinstance(row, LimitedRow) else [(p,) for p in row.values()]
        shared = math.lcm(*(end.denominator for pair in ends for end in pair))
        return shared if shared <= LARGEST_DENOMINATOR else 1 << row_bits

    def recipe(self, entry: Any) -> None:
        s, t, kind, *more = entry
        self.checker.one_label("recipe", s, t)
        need(kind not in ("grid", "corners"), f"recipe {kind}", NOT_PROVED)
        need(kind in ("tree", "-tree", "levels", "-levels", "first"), "recipe", "a known kind", kind)
        steps = kind.removeprefix("-")
        need(steps == "tree" or not self.model.interactive, "recipe", "a tree, where there are inputs", kind)
        need(len(more) == {"tree": 1, "levels": 2, "first": 1}[steps], "recipe", "the fields of its kind", kind)
        need(steps != "levels" or self.meets_box(s, t), f"recipe {kind}", f"exact rows beside boxes: {NOT_PROVED}")
        self.states(s, t)
        self.out.append({"tree": 0, "levels": 1, "first": 2}[steps])
        if kind == "first":
            need(isinstance(more[0], str) and not {*more[0]} - {*"x."}, "first", "text of x and .")
            self.list(more[0], lambda token: self.out.append(token_number(token)))
            return
        self.out.append(kind.startswith("-"))
        self.steps(steps, more)

    def meets_box(self, *states: str) -> bool:
        """Whether one of the states leads to a box: then joining beliefs costs on both sides."""
        model = self.checker.model
        reached: set[str] = set()
        waiting = [*states]
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                for row in model.given[state].values():
                    waiting += row.ends if isinstance(row, LimitedRow) else row
        return not reached.isdisjoint(model.boxed)

    def claim(self, claim: Any) -> None:
        _, s, t, _ = _named(self.checker, claim)
        self.states(s, t)
        for bound in bounds(claim):
            self.rational(bound)


def _roots(model: Model) -> set[int]:
    """The k of all functions of e^(1/k) in its rows."""
    rows = (row for rows in model.given.values() for row in rows.values() if not isinstance(row, LimitedRow))
    numbers: Iterable[object] = (p for row in rows for p in row.values())  # functions stand in for Fractions
    return {p.k for p in numbers if isinstance(p, FunctionOfE)}


def _quotient(value: Fraction | FunctionOfE, k: int) -> tuple[Polynomial, Polynomial]:
    """The number as top(X)/bottom(X), X = e^(1/k), with a bottom that is positive there."""
    if not isinstance(value, FunctionOfE):
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
