"""The largest likelihood ratio of two states, which is the least e^ε with δ = 0 (docs/certificate.md, "Ratios").

From above by a matrix of ratios (R9), from below by a word (L6), by the limit that words u, uv, uvv, … come to (L7), or
by such words along which the ratio grows without end (L8). None of it is about one ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .claims import Claim, name_of
from .meter import spend
from .read import Belief, LimitedRow, lists, mass, need, number

if TYPE_CHECKING:
    from .rules import Checker

ZERO, ONE = Fraction(0), Fraction(1)
STEP, LONG = 40, 10_000
"""Steps of the meter for an entry of a row where a belief takes a step; numbers of n bits take n²/LONG more."""
KEYS = {"claim", "pair", "lower", "upper", "first", "word", "limit", "pump", "delta"}
"""What a claim may have."""
PROOFS = ("word", "limit", "pump")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Ratios:
    """The entries of ``ratios``, and words of the merged chain."""

    checker: Checker

    @cached_property
    def bounds(self) -> dict[Pair, Fraction]:
        """R9: no ratio of i to j is above R_ij, once every entry is checked."""
        entries = lists(self.checker.data.get("ratios", []), 4)
        found = {(i, j): number(bound) for i, j, bound, _ in entries}
        need(len(found) == len(entries), "ratios", "each pair once")
        for (i, j), bound in found.items():
            self.checker.one_label(f"R({i}, {j})", i, j)
            need(bound >= 1, f"R({i}, {j})", "R9: a bound of at least 1", bound, 1)
        for i, j, _, tree in entries:
            self.check_tree(f"R({i}, {j})", (i, j), found, tree)
        return found

    def check_tree(self, name: str, pair: Pair, bounds: Mapping[Pair, Fraction], tree: Any) -> None:
        """R9: a tree of words, of one letter at least; a letter that is not listed is a leaf without arcs."""
        bound, row = bounds[pair], self.checker.model.row
        waiting = [({pair[0]: ONE}, {pair[1]: ONE}, tree)]
        while waiting:
            x, y, inner = waiting.pop()
            need(isinstance(inner, dict), name, "R9: a tree, by letter")
            left, right = mass(x), bound * mass(y)
            need(left <= right, name, "R9: the words themselves", left, right)
            after_x, after_y = (self.step({i: row[i] for i in belief}, belief) for belief in (x, y))
            need(inner.keys() <= after_x.keys(), name, "R9: letters that may follow", [*inner][:9])
            for letter, there in after_x.items():
                node, other = inner.get(letter, []), after_y.get(letter, {})
                if isinstance(node, dict):
                    waiting.append((there, other, node))
                else:
                    self.check_leaf(name, bound, bounds, there, other, node)

    def check_leaf(
        self, name: str, bound: Fraction, bounds: Mapping[Pair, Fraction], x: Belief, y: Belief, arcs: Any
    ) -> None:
        """R9: x − R y ≤ Σ_l ω_kl − Σ_l R_lk ω_lk, so that x·f ≤ R y·f wherever f_k ≤ R_kl f_l for all entries."""
        spare: Belief = {}
        spend(2 * STEP * (len(arcs) + len(x)))
        for k, m, value in lists(arcs, 3):
            amount = number(value)
            known = (k, m) in bounds and amount >= 0
            need(known, name, "R9: an arc of a pair that has an entry, ω ≥ 0", (k, m), amount)
            spare[k] = spare.get(k, ZERO) + amount
            spare[m] = spare.get(m, ZERO) - bounds[k, m] * amount
        # Elsewhere x is 0 and nothing leaves or arrives.
        for k in {**spare, **x}:
            left, right = x.get(k, ZERO) - bound * y.get(k, ZERO), spare.get(k, ZERO)
            need(left <= right, name, f"R9: what leaves {k} covers x − Ry", left, right)

    def step(self, rows: Mapping[str, Mapping[str, Fraction]], belief: Belief) -> dict[str, Belief]:
        """One step of a belief by these rows, split by label."""
        split: dict[str, Belief] = {}
        for i, share in belief.items():
            spend(STEP * len(rows[i]))
            bits = share.denominator.bit_length() if isinstance(share, Fraction) else 0
            spend(bits * bits // LONG)
            for j, p in rows[i].items():
                part = split.setdefault(self.checker.model.label[j], {})
                part[j] = part.get(j, ZERO) + share * p
        return split

    def follow(self, name: str, state: str, word: Any) -> Belief:
        """What a state leads to with a word, the label of the state first; with inputs where labels have them."""
        known = isinstance(word, list) and word and all(isinstance(each, str) for each in word)
        need(known, name, "a word: a list of letters, not empty")
        model = self.checker.model
        belief: Belief = {state: ONE} if word[0] == model.label[state] else {}
        letters = iter(word[1:])
        for letter in letters:
            asked, here = None, letter
            if belief and None not in model.given[min(belief)]:
                asked, here = letter, next(letters, None)
                need(asked in model.given[min(belief)], name, "a word with an input of the label", asked)
                need(here is not None, name, "a word that ends with a label", asked)
            rows = {i: model.given[i][asked] for i in belief}
            need(not any(isinstance(each, LimitedRow) for each in rows.values()), name, "exact rows along a word")
            belief = self.step(rows, belief).get(here, {}) if belief else {}  # type: ignore[arg-type]  # exact rows
        return belief

    def along(self, name: str, beliefs: list[Belief], cycle: Any) -> dict[str, Belief]:
        """The rows of P_v, v the cycle, at all states that the beliefs come to with v, vv, …"""
        known = isinstance(cycle, list) and cycle and all(isinstance(each, str) for each in cycle)
        need(known, name, "a cycle: a list of letters, not empty")
        model = self.checker.model
        found: dict[str, Belief] = {}
        waiting = [state for belief in beliefs for state in belief]
        while waiting:
            state = waiting.pop()
            if state in found:
                continue
            belief: Belief = {state: ONE}
            for letter in cycle:
                belief = self.step({i: model.row[i] for i in belief}, belief).get(letter, {})
            found[state] = belief
            waiting.extend(belief)
        return found

    def limit(self, name: str, x: Belief, y: Belief, data: Any) -> Fraction | None:
        """L7: what |x P_v^n|/|y P_v^n| comes to; None if it grows without end.

        On the states K that x and y come to, P_v r = λr, r ≥ 0. A class C has r > 0, is primitive, and leads only to
        itself and to states with r = 0; elsewhere P_v g ≤ μg with g > 0 and μ < λ. Then λ is a simple eigenvalue, and
        all others are smaller (Perron, Frobenius): P_v^n·1/λ^n comes to a positive multiple of r.
        """
        rows = self.along(name, [x, y], data["cycle"])
        r, g = self.checker.masses(data["vector"]), self.checker.masses(data["rest"])
        factor, rate, inside = number(data["factor"]), number(data["rate"]), data["class"]
        need(isinstance(inside, list) and inside and {*inside} <= rows.keys(), name, "L7: a class of states reached")
        need(factor > rate >= 0, name, "L7: a factor above the rate of the rest", factor, rate)
        chosen = {*inside}
        for i, row in rows.items():
            spend(STEP * len(row))
            left, right = mass({k: p * r.get(k, ZERO) for k, p in row.items()}), factor * r.get(i, ZERO)
            need(left == right, name, f"L7: P r = λr at {i}", left, right)
            if i in chosen:
                need(i in r, name, f"L7: a positive number at {i}, of the class")
                need(not any(k in r for k in row.keys() - chosen), name, f"L7: no way out of the class at {i}")
            else:
                need(i in g, name, f"L7: a positive number at {i}, of the rest")
                left, right = mass({k: p * g[k] for k, p in row.items() if k not in chosen}), rate * g[i]
                need(left <= right, name, f"L7: P g ≤ μg at {i}", left, right)
        need(primitive({i: {*rows[i]} & chosen for i in chosen}), name, "L7: a class that is primitive")
        of_x, of_y = (mass({i: share * r.get(i, ZERO) for i, share in belief.items()}) for belief in (x, y))
        need(of_x > 0, name, "L7: a way to the class")
        return of_x / of_y if of_y else None

    def pump(self, name: str, x: Belief, y: Belief, data: Any) -> None:
        """L8: |x P_v^n|/|y P_v^n| grows without end.

        Some multiple of b is at most x P_v^m, and b P_v ≥ λb; y ≤ c, and c P_v ≤ μc; λ > μ. Or λ ≥ μ > 0, and there is
        a ≥ 0, a multiple of which is at most x P_v^m, with a P_v ≥ λa + b: then a P_v^n ≥ n λ^(n−1) b.
        """
        rows = self.along(name, [x, y], data["cycle"])
        b, c = (self.checker.masses(data[key]) for key in ("more", "less"))
        a = self.checker.masses(data["feeds"]) if "feeds" in data else None
        growth, decay, times = number(data["growth"]), number(data["decay"]), number(data["times"])
        need(b, name, "L8: some mass that grows")
        need(times.denominator == 1 and 0 <= times <= len(rows) ** 2, name, "L8: a number of rounds, not too large")
        need(growth > decay >= 0 or (a is not None and growth >= decay > 0), name, "L8: growth", growth, decay)
        need({*b, *c, *(a or {})} <= rows.keys(), name, "L8: states that the words come to")
        reached = {*x}
        for _ in range(times.numerator):
            spend(STEP * len(rows))
            reached = {k for i in reached for k in rows[i]}
        need({*(b if a is None else a)} <= reached, name, "L8: states that are reached after so many rounds")
        for belief, plus in ((b, {}), *([(a, b)] if a is not None else [])):
            after = self.round(rows, belief)
            for k in {**belief, **plus}:
                left, right = after.get(k, ZERO), growth * belief.get(k, ZERO) + plus.get(k, ZERO)
                need(left >= right, name, f"L8: growth at {k}", left, right)
        for k, share in y.items():
            need(c.get(k, ZERO) >= share, name, f"L8: at least the belief at {k}", c.get(k, ZERO), share)
        for k, share in self.round(rows, c).items():
            need(share <= decay * c.get(k, ZERO), name, f"L8: decay at {k}", share, decay * c.get(k, ZERO))

    def round(self, rows: Mapping[str, Belief], belief: Belief) -> Belief:
        """The belief times P_v."""
        found: Belief = {}
        for i, share in belief.items():
            spend(STEP * len(rows[i]))
            for k, p in rows[i].items():
                found[k] = found.get(k, ZERO) + share * p
        return found


def ratios_of(checker: Checker) -> Ratios:
    """The entries of the certificate, which are checked once for all claims."""
    found: Ratios = checker.kept.setdefault("ratios", Ratios(checker))
    return found


def primitive(moves: Mapping[str, set[str]]) -> bool:
    """Whether some number of steps leads from every state to every state: then any number from (n − 1)² + 1 on does."""
    steps, every = 1, {*moves}
    while steps < (len(moves) - 1) ** 2 + 1:
        spend(sum(map(len, moves.values())) * len(moves))
        moves = {i: {k for j in reached for k in moves[j]} for i, reached in moves.items()}
        steps *= 2
    return all(reached == every for reached in moves.values())


# Claims.


def stated(checker: Checker, claim: Any) -> Claim:  # noqa: ARG001  # as that of other claims
    """A claim as it is written, its keys known and its numbers read; nothing of it is shown yet."""
    ((s, t),) = lists([claim["pair"]], 2)
    said = Claim(measure="ratio", subject=(s, t), terms={"delta": number(claim["delta"])} if "delta" in claim else {})
    name = name_of(said)
    need(claim.keys() <= KEYS, name, "known keys", [*claim][:9])
    given = [key for key in PROOFS if key in claim]
    need(len(given) == (1 if "first" in claim else 0), name, "a word, a limit or a pump, and first, whose it is", given)
    if claim.get("lower") == "infinity":
        return replace(said, infinite=True)
    lower = number(claim.get("lower", "1"))
    return replace(said, lower=lower, upper=number(claim["upper"]) if "upper" in claim else None)


def conclude(checker: Checker, claim: Any, first: Mapping[str, str]) -> Claim:
    """A claim about a ratio, if it follows from the entries, and from the proof that it has."""
    said = stated(checker, claim)
    (s, t), name = said.subject, name_of(said)
    pair, label = (first[s], first[t]), checker.model.label
    high: Fraction | None = None
    if "upper" in claim:
        need(label[pair[0]] == label[pair[1]], name, "two states of one label, where there is an upper bound")
        for way in (pair, pair[::-1]):
            listed = {way: ONE} if way[0] == way[1] else ratios_of(checker).bounds
            need(way in listed, name, "an entry for each direction", way)
            need(said.infinite or listed[way] <= said.upper, name, "the upper bound", listed[way], said.upper)
            high = max(high or ONE, listed[way])
    low = proved(checker, claim, first, name)
    if said.infinite:
        need(low is None and "upper" not in claim, name, "the lower bound: it is not shown to be infinite", low)
        return said
    need("delta" not in claim, name, "an infinite ratio, where δ is claimed for every ε")
    need(low is None or said.lower <= low, name, "the lower bound", said.lower, low)
    return replace(said, value=low if low == high else None)


def proved(checker: Checker, claim: Any, first: Mapping[str, str], name: str) -> Fraction | None:
    """A ratio that words reach or come to; None if they have none, or it grows without end."""
    if "first" not in claim:
        return ONE
    states = claim["pair"]
    need(claim["first"] in states, name, "first: one of the two states", claim["first"])
    order = states if claim["first"] == states[0] else states[::-1]
    kind = next(key for key in PROOFS if key in claim)
    data, ratios = claim[kind], ratios_of(checker)
    x, y = (ratios.follow(name, first[state], data if kind == "word" else data["prefix"]) for state in order)
    need(x, name, "a word that the first state shows", claim["first"])
    if kind == "word":
        if "delta" in claim:
            need(not y and number(claim["delta"]) <= mass(x), name, "δ at every ε: that of a word of one state alone")
        return mass(x) / mass(y) if y else None
    need("delta" not in claim, name, "a word, where δ is claimed for every ε")
    if kind == "limit":
        return ratios.limit(name, x, y, data)
    ratios.pump(name, x, y, data)
    return None
