"""Claims for every value of a parameter: rows in Q(u), u in an open interval (docs/certificate.md, a parameter).

A family is one chain for each u. What the rules ask for is an identity of polynomials, which is checked by
coefficients, or a sign on an interval (`open_numbers`). Each rule holds at each u by itself: none compares two values
of u. Part of the trusted base: standard library only, and no code shared with the solvers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from .claims import Claim
from .functions import UNIT, Polynomial, digits, over_one, plus, times
from .meter import spend
from .open_numbers import (
    NOTHING,
    ONE,
    OpenFormula,
    OpenNumber,
    by_one,
    holds,
    minus,
    negative,
    on_unit,
    open_number,
    primitive,
    read_open,
    read_polynomial,
    total,
    without_squares,
)
from .read import FORMULA, Model, lists, merged, need, number, read_model, refusing_what_is_malformed, text

FORMAT = "deltachain.certificate/1"
NAME = re.compile(r"[^\W\d]\w*\Z")
MOST_MIXED = 6
"""Outcomes whose sign is not settled on the part of a claim, at most: they are counted and left out in every way."""


# The model


class Segment(NamedTuple):
    """The u with low ≤ u ≤ high, without the ends that are left out."""

    low: Fraction
    high: Fraction
    open: tuple[bool, bool]


@dataclass(frozen=True)
class ChainFamily:
    """A chain for each u with low < u < high: labels, and rows of rational functions of u. No inputs, no boxes."""

    name: str
    low: Fraction
    high: Fraction
    chain: Model

    def sha256(self) -> str:
        """The content hash of docs/certificate.md."""
        digest = hashlib.sha256(json.dumps({"parameter": self.name}, separators=(",", ":")).encode() + b"\n")
        for state in sorted(self.chain.given):
            row: Any = self.chain.given[state][None]
            spend(60 * (1 + len(row)))
            said = [state, self.chain.label[state], sorted(written(j, p) for j, p in row.items())]
            digest.update(json.dumps(said, separators=(",", ":")).encode() + b"\n")
        return digest.hexdigest()

    def verified(self, data: Any) -> list[Claim]:
        """The claims of a certificate about it, all of them proved."""
        return verify_family(self, data)

    def part(self, low: Fraction, high: Fraction) -> ChainFamily:
        """The same chains for a part of the interval."""
        inside = self.low <= low < high <= self.high
        need(inside, "parameter", "an interval inside the model's", f"({low}, {high})", f"({self.low}, {self.high})")
        return replace(self, low=low, high=high)

    def positive(self, p: Polynomial) -> bool:
        """Whether p > 0 on the whole open interval."""
        known = self._positive.get(p)
        if known is None:
            plain = self.low >= 0 and bool(p) and min(p) >= 0
            known = self._positive[p] = plain or holds(p, self.low, self.high, strict=True, outer=(True, True))
        return known

    @cached_property
    def _positive(self) -> dict[Polynomial, bool]:
        return {}

    def at_least(self, left: OpenNumber, right: OpenNumber, part: Segment, strict: bool = False) -> bool:
        """Whether left ≥ right at each u of a part; strictly: left > right."""
        difference = left - right
        for top, bottom in (
            (difference.top, difference.bottom),
            (negative(difference.top), negative(difference.bottom)),
        ):
            if holds(bottom, part.low, part.high, True, part.open):  # no pole there
                if strict:
                    return holds(top, part.low, part.high, True, part.open)
                return self.not_negative(top, part.low, part.high)
        return False

    def not_negative(self, p: Polynomial, low: Fraction, high: Fraction) -> bool:
        """Whether p ≥ 0 for low ≤ u ≤ high; where p may touch 0 inside, its squares are taken out first."""
        key = p, low, high
        if key not in self._not_negative:
            found = on_unit(p, low, high) if p else []
            told = not p or min(by_one(found[::-1])) >= 0
            ends = told or (found[0] >= 0 and sum(found) >= 0)
            self._not_negative[key] = told or (ends and holds(without_squares(p), low, high))
        return self._not_negative[key]

    @cached_property
    def _not_negative(self) -> dict[tuple[Polynomial, Fraction, Fraction], bool]:
        return {}


def written(target: str, p: OpenNumber) -> list[Any]:
    """An entry of a row as it counts in the hash."""
    if len(p.top) <= 1 and len(p.bottom) == 1:
        return [target, text(Fraction(p.top[0] if p.top else 0, p.bottom[0]))]
    return [target, [*map(digits, p.top)], [*map(digits, p.bottom)]]


def read_family(data: Any) -> ChainFamily:
    """A native file with a ``parameter``: its interval, and formulas in it."""
    given = data["parameter"]
    need(isinstance(given, dict) and len(given) == 1, "parameter", "an object of one name and its interval")
    ((name, ends),) = given.items()
    need(NAME.match(name) and name != "exp", "parameter", "a name", name)
    need(isinstance(ends, list) and len(ends) == 2, "parameter", "the two ends of an interval")
    low, high = (number(end, decimals=True) for end in ends)
    need(low < high, "parameter", "an interval that is not empty", low, high)
    label: dict[str, str] = {}
    rows: dict[str, dict[str, OpenNumber]] = {}
    for state, entry in data["states"].items():
        place = f"state {state}"
        fits = (
            isinstance(entry, dict)
            and isinstance(entry.get("to"), dict)
            and not entry.keys() & {"on", "rest", "counts"}
        )
        need(fits, place, "an object with label and to: a parameter is for rows without inputs and limits")
        need(type(entry.get("label")) is str, place, "a label that is text")
        need(entry["to"].keys() <= data["states"].keys(), place, "known targets")
        label[state] = entry["label"]
        rows[state] = {j: read_entry(value, name) for j, value in entry["to"].items()}
    return family(name, low, high, label, rows)


def read_entry(value: Any, name: str) -> OpenNumber:
    """A probability: a number, or a formula in the parameter."""
    if isinstance(value, str) and (FORMULA.search(value) or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", value)):
        found: OpenNumber = OpenFormula(value, name).read()  # type: ignore[assignment]  # of OpenNumbers alone
        return found
    return open_number(number(value, decimals=True))


def family(
    name: str, low: Fraction, high: Fraction, label: Mapping[str, str], rows: Mapping[str, Mapping[str, OpenNumber]]
) -> ChainFamily:
    """The family, once every row sums to 1 by identity; zeros are left out. Signs are asked of a part."""
    given = {state: {None: {j: p for j, p in row.items() if p.top}} for state, row in rows.items()}
    for state, row in given.items():
        total = sum(row[None].values(), NOTHING)
        need(total == ONE, f"state {state}", "a row that sums to one", total.text(name), 1)
    return ChainFamily(name, low, high, Model(dict(label), given))  # type: ignore[arg-type]  # functions stand in for Fractions


# The rules

Edge = tuple[int, tuple[Polynomial, Polynomial, Polynomial]]
"""After a letter: the node, and c as (a, b, d), c = a/(bd). In lowest terms only where weights are asked for."""


@dataclass(frozen=True)
class FamilyChecker:
    """The family after merging, the certificate, and the rules for every value of a parameter as methods."""

    family: ChainFamily
    data: Mapping[str, Any]
    alpha: OpenNumber

    @property
    def chain(self) -> Model:
        """The merged chain."""
        return self.family.chain

    def check_rows(self) -> None:
        """Every probability is positive on the whole interval: the chains have the same transitions."""
        for state, rows in self.chain.given.items():
            for target, p in rows[None].items():  # type: ignore[union-attr]  # no boxes
                fits = self.positive(p)  # type: ignore[arg-type]
                need(fits, f"state {state}", f"a probability of {target} that is positive on the whole interval")

    def positive(self, value: OpenNumber) -> bool:
        """Whether a number is finite and above 0 on the whole interval."""
        above = self.family.positive
        return (above(value.top) and above(value.bottom)) or (
            above(negative(value.top)) and above(negative(value.bottom))
        )

    @cached_property
    def nodes(self) -> list[tuple[dict[str, Polynomial], dict[str, Polynomial]]]:
        """Pairs of beliefs, whole polynomials, positive on the interval."""

        def belief(entries: Any) -> dict[str, Polynomial]:
            found = {state: read_polynomial(value) for state, value in lists(entries, 2)}
            need(
                len(found) == len(entries) and found.keys() <= self.chain.label.keys(),
                "nodes",
                "known states, each once",
            )
            need(
                all(map(self.family.positive, found.values())),
                "nodes",
                "masses that are positive on the whole interval",
            )
            return found

        found = [(belief(x), belief(y)) for x, y in lists(self.data.get("nodes", []), 2)]
        need(all(x or y for x, y in found), "nodes", "some mass in each")
        return found

    @cached_property
    def masses(self) -> list[tuple[Polynomial, Polynomial]]:
        """|x| and |y| of each node."""
        return [(total(x.values()), total(y.values())) for x, y in self.nodes]

    def node(self, n: Any) -> int:
        """The number of a node."""
        found = number(n)
        need(found.denominator == 1 and 0 <= found < len(self.nodes), f"node {n}", "a known node")
        return found.numerator

    @cached_property
    def steps(self) -> dict[int, list[Edge]]:
        """Where each node that takes a step leads: after each letter, c times a node (R4)."""
        found: dict[int, list[Edge]] = {}
        for n, children in lists(self.data.get("steps", []), 2):
            at = self.node(n)
            need(
                at not in found and isinstance(children, dict), f"step {n}", "each node once, with an object of labels"
            )
            found[at] = [*self.after(at, {label: self.node(child) for label, child in children.items()})]
        return found

    def after(self, n: int, children: Mapping[str, int]) -> Iterator[Edge]:
        """The beliefs after each letter, checked to be c times the node that is listed for it; all letters are."""
        beliefs = self.nodes[n]
        below, rows = self.whole_rows(frozenset((*beliefs[0], *beliefs[1])))
        after_x, after_y = (self.stepped(belief, rows) for belief in beliefs)
        need(
            children.keys() == {*after_x, *after_y}, f"step {n}", "a node for each letter that may follow, and no other"
        )
        for label, child in children.items():
            parts = after_x.get(label, {}), after_y.get(label, {})
            mine, other = total([p for part in parts for p in part.values()]), plus(*self.masses[child])
            for part, goal in zip(parts, self.nodes[child], strict=True):
                same = part.keys() == goal.keys() and all(times(part[i], other) == times(goal[i], mine) for i in part)
                need(same, f"step {n}", f"R4: after {label}, a multiple of node {child}")
            yield child, (mine, other, below)

    def whole_rows(self, states: frozenset[str]) -> tuple[Polynomial, dict[str, list[tuple[str, Polynomial]]]]:
        """The rows of some states over one denominator: that, and the numerators."""
        known = self._whole.get(states)
        if known is None:
            rows: dict[str, dict[str, OpenNumber]] = {i: self.chain.given[i][None] for i in states}  # type: ignore[misc]
            common, factors = over_one(p.bottom for row in rows.values() for p in row.values())
            known = (
                common,
                {i: [(j, times(p.top, factors[p.bottom])) for j, p in row.items()] for i, row in rows.items()},
            )
            self._whole[states] = known
        return known

    @cached_property
    def _whole(self) -> dict[frozenset[str], tuple[Polynomial, dict[str, list[tuple[str, Polynomial]]]]]:
        return {}

    def stepped(
        self, belief: Mapping[str, Polynomial], rows: Mapping[str, list[tuple[str, Polynomial]]]
    ) -> dict[str, dict[str, Polynomial]]:
        """One step of a belief by these rows, split by label."""
        split: dict[str, dict[str, Polynomial]] = {}
        for state, p in belief.items():
            for target, share in rows[state]:
                part = split.setdefault(self.chain.label[target], {})
                part[target] = plus(part.get(target, ()), times(p, share))
        return split

    @cached_property
    def ends(self) -> set[int]:
        """Nodes whose V is max(|x| − α|y|, 0): y is a multiple of x, or no step from there changes |x| : |y|."""
        settled = {self.node(n) for n in self.data.get("settled", [])}
        for n in settled:
            x, y = self.masses[n]
            for child, _ in self.steps.get(n, ()):
                inside = child in settled and times(x, self.masses[child][1]) == times(y, self.masses[child][0])
                need(inside, f"settled {n}", "a step to settled nodes of the same share alone")
            need(n in self.steps, f"settled {n}", "a node with a step")
        for n in {*range(len(self.nodes))} - self.steps.keys():
            (x, y), (of_x, of_y) = self.nodes[n], self.masses[n]
            # One of the two may be nothing, which is a multiple of any belief.
            same = not (x and y) or (x.keys() == y.keys() and all(times(x[i], of_y) == times(y[i], of_x) for i in x))
            need(same, f"node {n}", "a step, or y a multiple of x")
            settled.add(n)
        return settled

    def check_endings(self) -> None:
        """Every node leads to an end, so that all mass arrives at ends."""
        before: dict[int, list[int]] = {}
        for n, children in self.steps.items():
            for child, _ in children:
                before.setdefault(child, []).append(n)
        waiting, arriving = [*self.ends], {*self.ends}
        while waiting:
            new = {*before.get(waiting.pop(), ())} - arriving
            arriving |= new
            waiting += new
        need(len(arriving) == len(self.nodes), "steps", "every node leads to an end", len(arriving), len(self.nodes))

    def reached(self, root: int) -> list[int]:
        """The nodes that the root leads to, itself included, without what follows an end."""
        met, known = [root], {root}
        for n in met:
            for child, _ in () if n in self.ends else self.steps[n]:
                if child not in known:
                    known.add(child)
                    met.append(child)
        return met

    def weights(self, root: int) -> dict[int, OpenNumber]:
        """How much of each end, and of what lies between, arrives from the root: the flow w = e_root + w·c (P1).

        Node after node; around a loop a number is given, and is what arrives there. All nodes lead to ends, so the
        equations have one solution.
        """
        if root in self._weights:
            return self._weights[root]
        met = self.reached(root)
        given = {self.node(n): read_open(w) for n, w in lists(self.loops.get(str(root), []), 2)}
        into: dict[int, list[tuple[int, OpenNumber]]] = {n: [] for n in met}
        for n in met:
            for child, (mine, other, below) in () if n in self.ends else self.steps[n]:
                into[child].append((n, OpenNumber.of(mine, times(other, below))))
        found: dict[int, OpenNumber] = {n: w for n, w in given.items() if n in into}
        open_before = {n: len({m for m, _ in into[n]} - found.keys()) for n in met}

        def arrives(n: int) -> OpenNumber:
            return sum((found[m] * c for m, c in into[n]), ONE if n == root else NOTHING)

        ready = [n for n in met if n not in found and not open_before[n]]
        done: set[int] = set()
        while ready:
            n = ready.pop()
            done.add(n)
            found[n] = arrives(n)
            for child in {child for child, _ in (() if n in self.ends else self.steps[n])}:
                open_before[child] -= 1
                if not open_before[child] and child not in found:
                    ready.append(child)
        need(len(found) == len(met), f"weights from {root}", "P1: a number for some node of every loop")
        for n in given.keys() & found.keys():
            need(found[n] == arrives(n), f"weights from {root}", f"P1: what arrives at node {n}")
        self._weights[root] = found
        return found

    @cached_property
    def _weights(self) -> dict[int, dict[int, OpenNumber]]:
        return {}

    @cached_property
    def loops(self) -> dict[str, Any]:
        """The numbers that are given around loops, by root."""
        given = self.data.get("weights", {})
        need(isinstance(given, dict), "weights", "an object of lists, by root")
        return dict(given)

    def outcomes(self, root: int, way: int) -> dict[Polynomial, list[int]]:
        """The ends that the root leads to, by p = |x|·b − a·|y| for α = a/b, up to a positive number."""
        key = root, way
        if key not in self._outcomes:
            found: dict[Polynomial, list[int]] = {}
            for n in self.reached(root):
                if n in self.ends:
                    x, y = self.masses[n] if way == 0 else self.masses[n][::-1]
                    found.setdefault(
                        primitive(minus(times(x, self.alpha.bottom), times(self.alpha.top, y))), []
                    ).append(n)
            found.pop((), None)
            self._outcomes[key] = found
        return self._outcomes[key]

    @cached_property
    def _outcomes(self) -> dict[tuple[int, int], dict[Polynomial, list[int]]]:
        return {}

    def advantage(self, root: int, way: int, ends: list[int]) -> OpenNumber:
        """Σ w(|x| − α|y|) over some ends."""
        gain = NOTHING
        for n in ends:
            w = self.weights(root)
            x, y = self.masses[n] if way == 0 else self.masses[n][::-1]
            gain = gain + w[n] * (OpenNumber(x) - self.alpha * OpenNumber(y))
        return gain

    # Claims

    def bounded(self, root: int, part: Segment, most: OpenNumber, strict: bool) -> bool:
        """P2: V ≤ most in both directions: positive outcomes count, those of no settled sign in every way."""
        for way in (0, 1):
            counted: list[int] = []
            mixed: list[list[int]] = []
            for p, ends in self.outcomes(root, way).items():
                if self.family.not_negative(negative(p), part.low, part.high):
                    continue
                if self.family.not_negative(p, part.low, part.high):
                    counted += ends
                else:
                    mixed.append(ends)
            few = len(mixed) <= MOST_MIXED
            need(few, "delta", f"at most {MOST_MIXED} outcomes that change sign on one part", len(mixed))
            base = self.advantage(root, way, counted) if counted else NOTHING
            gains = [self.advantage(root, way, ends) for ends in mixed]
            for size in range(len(mixed) + 1):
                for some in combinations(gains, size):
                    if not self.family.at_least(most, sum(some, base), part, strict):
                        return False
        return True

    def reaches(self, root: int, part: Segment, least: OpenNumber, strict: bool) -> bool:
        """P3: V ≥ least in one direction, by the event of the outcomes that are positive in the middle."""
        middle = (part.low + part.high) / 2
        chosen = [
            {p: ends for p, ends in self.outcomes(root, way).items() if holds(p, middle, middle, strict=True)}
            for way in (0, 1)
        ]
        if not least.top and any(holds(p, *part[:2], True, part.open) for way in chosen for p in way):
            return True  # the weight of an outcome is positive, so that none is needed
        gains = (self.advantage(root, way, [n for ends in chosen[way].values() for n in ends]) for way in (0, 1))
        return any(self.family.at_least(gain, least, part, strict) for gain in gains)

    def part(self, name: str, claim: Any) -> Segment:
        """The values of the parameter that a claim is about."""
        ends = []
        for closed, opened in (("from", "after"), ("to", "before")):
            need((closed in claim) != (opened in claim), name, f"one of {closed} and {opened}")
            ends.append((number(claim[closed if closed in claim else opened]), opened in claim))
        (low, after), (high, before) = ends
        whole = self.family
        after, before = after or low == whole.low, before or high == whole.high
        inside = whole.low <= low <= high <= whole.high and (low < high or not (after or before))
        need(inside, name, "a part of the interval, not empty", f"({low}, {high})", f"({whole.low}, {whole.high})")
        return Segment(low, high, (after, before))

    def conclude(self, claim: Any, first: Mapping[str, str]) -> Claim:
        """One claim, once each of its bounds is shown."""
        keys = {"claim", "pair", "node", "from", "after", "to", "before", *SIDES}
        need(isinstance(claim, dict) and claim.keys() <= keys, "claim", "known keys")
        ((s, t),) = lists([claim["pair"]], 2)
        name = f"delta of ({s}, {t})"
        need(claim["claim"] == "delta", name, "a claim: delta, where there is a parameter")
        need(claim.keys() & SIDES.keys(), name, "a bound: upper, below, lower or above")
        part, whole = self.part(name, claim), self.family
        states, label = (first[s], first[t]), self.chain.label
        root = None
        if label[states[0]] == label[states[1]]:
            root = self.node(claim["node"])
            need(self.nodes[root] == ({states[0]: UNIT}, {states[1]: UNIT}), name, "the pair's node")
        bounds = {side: read_open(claim[side]) for side in SIDES if side in claim}
        for side, bound in bounds.items():
            strict, above = SIDES[side]
            if root is not None:
                proved = (self.bounded if above else self.reaches)(root, part, bound, strict)
            else:  # labels differ, so that δ = 1
                proved = whole.at_least(*((bound, ONE) if above else (ONE, bound)), part, strict)
            where = f"for every {whole.name} from {text(part.low)} to {text(part.high)}"
            need(proved, name, f"the {side} bound, {bound.text(whole.name)}, {where}")
        upper, lower = bounds.pop("upper", None), bounds.pop("lower", None)
        terms = {"parameter": whole.name, "part": part, **bounds}
        return Claim(measure="delta", subject=(s, t), lower=lower, upper=upper, at=(self.alpha,), terms=terms)


SIDES = {"upper": (False, True), "below": (True, True), "lower": (False, False), "above": (True, False)}
"""The bounds of a claim: whether each is strict, and whether it is from above."""


def verify_family(model: ChainFamily, data: Any) -> list[Claim]:
    """The claims of the certificate, all of them proved about the family."""
    need(isinstance(data, dict) and data.get("format") == FORMAT, "file", f"an object of format {FORMAT}")
    need(data.get("model") == (ours := model.sha256()), "model", "the certificate's model", data.get("model"), ours)
    known = {"format", "model", "parameter", "alpha", "merge", "nodes", "steps", "settled", "weights", "claims"}
    need("parameter" in data, "parameter", "a certificate about every value of the model's parameter")
    need(data.keys() <= known, "certificate", "no other rules beside a parameter", sorted(data.keys() - known)[:9])
    ((name, low, high),) = lists([data["parameter"]], 3)
    need(name == model.name, "parameter", "the model's parameter", name, model.name)
    need(isinstance(data["claims"], list) and data["claims"], "claims", "a list, not empty")
    part = model.part(number(low), number(high))
    quotient, first = merged(part.chain, data.get("merge", []))
    alpha = read_open(data["alpha"])
    if part.positive(negative(alpha.bottom)):
        alpha = OpenNumber(negative(alpha.top), negative(alpha.bottom))
    checker = FamilyChecker(replace(part, chain=quotient), data, alpha)
    FamilyChecker(part, data, alpha).check_rows()
    above = part.positive(alpha.bottom) and part.not_negative(minus(alpha.top, alpha.bottom), part.low, part.high)
    need(above, "alpha", "e^ε ≥ 1 on the whole interval", alpha.text(name))
    checker.check_endings()
    return [checker.conclude(claim, first) for claim in data["claims"]]


def model_in(data: Any) -> Model | ChainFamily:
    """What a native file holds: a chain, or a family of them where it has a parameter."""
    fits = isinstance(data, dict) and data.get("format") == "deltachain.chain/1"
    if not (fits and "parameter" in data):
        return read_model(data)
    with refusing_what_is_malformed():
        need(isinstance(data.get("states"), dict) and data["states"], "model", "an object of states")
        return read_family(data)
