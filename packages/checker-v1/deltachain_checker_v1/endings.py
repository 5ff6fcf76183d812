"""Where runs end, and what follows: divergences, trade-offs and guesses (docs/certificate.md, "Endings").

An ending is a graph of k beliefs at each node, with how often each node is *visited*, as a multiple of its beliefs.
Runs end at nodes where nothing more is learned. With X^1 … X^k the masses that end there, every convex, homogeneous φ
has the value Σ φ(X^1, …, X^k): one proof for all of them.

Logarithms and roots are enclosed in integers, in units of 2^-PLACES, every quotient rounded outward.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, cmp_to_key, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .claims import Claim, name_of
from .meter import spend
from .read import Belief, checked_basis, coordinates, divided, lists, mass, need, number, whole

if TYPE_CHECKING:
    from .rules import Checker

ZERO, ONE, THIRD = Fraction(0), Fraction(1), Fraction(1, 3)
STEP = 40
"""Steps of the meter for an entry of a row where its belief takes a step."""
PLACES = 256
KEPT = 2 * PLACES
"""How many binary digits are kept of a number of more than twice as many, where only ends are asked for."""
LONG, PRODUCT = 10_000, 2_000
"""Steps of the meter for long numbers: m·n/LONG for a quotient or a common divisor of numbers of m and n bits, and
n^(3/2)/PRODUCT for a product of n bits, for which there is a faster way."""
MOST_ORDER, MOST_ROOT = 4_096, 1_000
"""Of a Rényi order p/q, p and q."""
Ends = tuple[Fraction, Fraction]
Outcome = tuple[Any, ...]
"""The masses that end at one node, from each start; functions of e^(1/k) stand in for Fractions."""
KEYS = {
    "renyi": {"pair", "order", "lower", "upper", "moment"},
    "kl": {"pair", "lower", "upper"},
    "tradeoff": {"pair", "corners"},
    "guess": {"secrets", "prior", "guesses", "gains", "lower", "upper"},
}
"""What each claim may have beside ``claim``, and ``ending`` or ``split``."""


def index(value: Any) -> int:
    """A whole number that is not negative."""
    found = number(value)
    need(found.denominator == 1 and found >= 0, "number", "a whole number, not negative", found)
    return found.numerator


@dataclass(frozen=True)
class Ending:
    """One entry of ``endings``: its nodes, not yet checked."""

    checker: Checker
    name: str
    data: Any

    @cached_property
    def nodes(self) -> list[tuple[list[Belief], Fraction, str, Mapping[str, int]]]:
        """Beliefs, visits, rule and children of each node."""
        found: list[tuple[list[Belief], Fraction, str, Mapping[str, int]]] = []
        entries = lists(self.data["nodes"], 3, more=True)
        for beliefs, visits, rule, *more in entries:
            known = len(more) == {"same": 0, "step": 1, "class": 1}.get(rule)
            need(known, self.name, "a rule, same, step or class, with its fields", rule)
            children = {label: index(child) for label, child in more[0].items()} if more else {}
            inside = all(0 <= child < len(entries) for child in children.values())
            need(inside, self.name, "children that are nodes of the ending", [*children.values()][:9])
            found.append(([self.checker.masses(b) for b in beliefs], self.checker.number(visits), rule, children))
        widths = {len(beliefs) for beliefs, *_ in found}
        need(
            len(widths) == 1 and min(widths) > 1,
            self.name,
            "as many beliefs at every node, two or more",
            sorted(widths),
        )
        need(all(any(beliefs) for beliefs, *_ in found), self.name, "some mass at each node")
        need(all(visits >= 0 for _, visits, *_ in found), self.name, "visits that are not negative")
        return found

    @cached_property
    def starts(self) -> list[int]:
        """The nodes that runs start from: one for each first letter."""
        starts = [index(n) for n in self.data["start"]]
        need(starts and all(0 <= n < len(self.nodes) for n in starts), self.name, "nodes to start from", starts[:9])
        label = self.checker.model.label
        seen: list[str] = []
        for n in starts:
            letters = {label[state] for belief in self.nodes[n][0] for state in belief}
            need(len(letters) == 1, self.name, f"one letter at node {n}, which runs start from", sorted(letters))
            seen += letters
        need(len(set(seen)) == len(seen), self.name, "one node to start from for each letter", seen[:9])
        return starts

    @property
    def origin(self) -> list[Belief]:
        """What the runs start from, place by place."""
        places: list[Belief] = [{} for _ in self.nodes[0][0]]
        for n in self.starts:
            for place, belief in zip(places, self.nodes[n][0], strict=True):
                place |= belief  # of different letters: no state comes twice
        return places

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The masses that end at each node that ends runs, once every node is checked by its rule."""
        visits = [each[1] for each in self.nodes]
        arriving = [ONE if n in self.starts else ZERO for n in range(len(self.nodes))]
        found = []
        for n, (beliefs, passed, rule, children) in enumerate(self.nodes):
            name, masses = f"{self.name}, node {n}", [mass(belief) for belief in beliefs]
            if rule == "same":
                self.check_same(name, beliefs, masses)
            else:
                for child, scale in self.step(name, beliefs, children):
                    if rule == "class":
                        self.check_class(name, masses, child)
                    else:
                        arriving[child] = arriving[child] + passed * scale
            if rule != "step" and passed:
                found.append(tuple(passed * each for each in masses))
        for n, (left, right) in enumerate(zip(visits, arriving, strict=True)):
            need(
                left == right,
                f"{self.name}, node {n}",
                "visits: what arrives from the start and from steps",
                left,
                right,
            )
        return found

    def check_same(self, name: str, beliefs: Sequence[Belief], masses: Sequence[Fraction]) -> None:
        """R4, R5: all beliefs that are not empty are multiples of each other, so that nothing more is learned."""
        (x, of_x), *others = [(b, total) for b, total in zip(beliefs, masses, strict=True) if total]
        for y, of_y in others:
            rest = {i: x.get(i, ZERO) * of_y - y.get(i, ZERO) * of_x for i in {*x, *y}}
            need(not any(coordinates(rest, self.basis)), name, "same: beliefs that are multiples of each other")

    def check_class(self, name: str, masses: Sequence[Fraction], child: int) -> None:
        """A step of a class that is never left, and in which no letter changes the shares of the masses."""
        beliefs, _, rule, _ = self.nodes[child]
        need(rule == "class", name, f"class: a step to node {child} of a class")
        there = [mass(belief) for belief in beliefs]
        mine, other = sum(masses, ZERO), sum(there, ZERO)
        kept = all(a * other == b * mine for a, b in zip(masses, there, strict=True))
        need(kept, name, f"class: the shares of node {child}")

    def step(self, name: str, beliefs: Sequence[Belief], children: Mapping[str, int]) -> list[tuple[int, Any]]:
        """One step: every letter leads to a multiple of the node listed for it (R4); these, and the factors."""
        states = frozenset(state for belief in beliefs for state in belief)
        below, rows = self.checker.model.whole_rows(states, None)
        its, tops = whole({(k, i): value for k, belief in enumerate(beliefs) for i, value in belief.items()})
        parts = [{i: tops[k, i] for i in belief} for k, belief in enumerate(beliefs)]
        spend(STEP * sum(len(rows[state]) for belief in beliefs for state in belief))
        after = [self.checker.model.step(part, rows) for part in parts]
        bottom = its * below
        longest = bottom.bit_length() if isinstance(bottom, int) else 0  # functions spend by themselves
        found = []
        for a in sorted({letter for each in after for letter in each}):
            need(a in children, name, f"step: a node for the letter {a}")
            spend(STEP + longest * longest // LONG)
            goal = self.nodes[children[a]][0]
            there = [each.get(a, {}) for each in after]
            unit, goal_tops = whole({(k, i): value for k, belief in enumerate(goal) for i, value in belief.items()})
            mine = sum(value for each in there for value in each.values())
            other = sum(goal_tops.values())
            for k, each in enumerate(there):
                rest = {i: each.get(i, 0) * other - goal_tops.get((k, i), 0) * mine for i in {*each, *goal[k]}}
                need(not any(coordinates(rest, self.basis)), name, f"R4: after {a}, a multiple of node {children[a]}")
            found.append((children[a], divided(mine * unit, other * bottom)))
        return found

    @cached_property
    def basis(self) -> Any:
        """The columns of the basis, if there is one, checked where the beliefs can lead (R5)."""
        if "basis" not in self.checker.data:
            return None
        start = {state for beliefs, *_ in self.nodes for belief in beliefs for state in belief}
        return checked_basis(self.checker.model, self.checker.data["basis"], start)

    def from_starts(self, name: str, parts: Sequence[Belief]) -> list[Outcome]:
        """The outcomes of these beliefs, which are places of the origin, all by one factor, in some order."""
        origin = self.origin
        size = sum(map(mass, parts), ZERO)
        if len(origin) == 2:
            for order in permutations(range(2)):
                there = [origin[k] for k in order]
                scale = size / sum(map(mass, there), ZERO)
                if all(a == {i: scale * v for i, v in b.items()} for a, b in zip(parts, there, strict=True)):
                    return [tuple(scale * each[k] for k in order) for each in self.outcomes]
        need(all(part in origin for part in parts), name, "an ending that starts from its states")
        columns = [origin.index(part) for part in parts]
        chosen = [tuple(each[k] for k in columns) for each in self.outcomes]
        return [each for each in chosen if any(each)]


# What follows from outcomes.


def logarithm(value: Fraction) -> Ends:
    """Ends of ln(value), value > 0: with value = m·2^k and t = (m − 1)/(m + 1), 2·Σ t^(2n+1)/(2n + 1) + k·ln 2."""
    k = value.numerator.bit_length() - value.denominator.bit_length()
    spend(5_000)
    m = value / Fraction(2) ** k
    k, m = (k - 1, 2 * m) if m < 1 else (k, m)
    low, high = _series((m - 1) / (m + 1))
    two = _series(THIRD) if k else (0, 0)
    both = (low + k * two[0 if k > 0 else 1], high + k * two[1 if k > 0 else 0])
    return Fraction(both[0], 2**PLACES), Fraction(both[1], 2**PLACES)


@lru_cache(maxsize=32)
def _series(t: Fraction) -> tuple[int, int]:
    """Ends of 2·Σ t^(2n+1)/(2n + 1), 0 ≤ t ≤ 1/3, in units; what is left out is at most 9/8 of its first power."""
    square = t * t
    down, up = math.floor(square * 2**PLACES), math.ceil(square * 2**PLACES)
    least, most = math.floor(t * 2**PLACES), math.ceil(t * 2**PLACES)
    low = high = 0
    n = 1
    while least:
        low, high, n = low + least // n, high - (-most // n), n + 2
        least, most = least * down >> PLACES, -(-most * up >> PLACES)
    return 2 * low, 2 * (high + 2 * most)


def near(value: Any) -> Ends:
    """Ends of a number above 0: a Fraction itself unless it is long; else to half of PLACES binary digits at least."""
    if isinstance(value, Fraction):
        if bit_length(value) <= 2 * KEPT:
            return value, value
        top, bottom = value.numerator, value.denominator
        places = KEPT + bottom.bit_length() - top.bit_length()
        low = (top << places) // bottom if places >= 0 else top // (bottom << -places)
        return low / Fraction(2) ** places, (low + 1) / Fraction(2) ** places
    places = PLACES
    while (low := math.floor(value * 2**places)).bit_length() < PLACES // 2:
        places *= 2
    return Fraction(low, 2**places), Fraction(low + 1, 2**places)


def added(total: Any, term: Any) -> Any:
    """Their sum; functions of e^(1/k) count their steps by themselves."""
    if isinstance(total, Fraction) and isinstance(term, Fraction):
        spend(total.denominator.bit_length() * term.denominator.bit_length() // LONG)
    return total + term


def bit_length(value: Any) -> int:
    """The bits of a Fraction's longer part; functions of e^(1/k) count their steps by themselves."""
    return max(value.numerator, value.denominator).bit_length() if isinstance(value, Fraction) else 0


def powered(value: int, exponent: int) -> int:
    """The number to a whole power ≥ 0."""
    multiplied(exponent * value.bit_length())
    found: int = value**exponent
    return found


def multiplied(length: int) -> None:
    """Count the steps of a product of so many bits."""
    spend(length * math.isqrt(length) // PRODUCT)


def quotient(x: Fraction, y: Fraction, order: Fraction) -> tuple[int, int]:
    """x^p·y^(q−p) for an order p/q, as numerator and denominator; not in lowest terms, which would take the longest."""
    p, rest = order.numerator, order.numerator - order.denominator
    multiplied(2 * (p * bit_length(x) + rest * bit_length(y)))
    top = powered(x.numerator, p) * powered(y.denominator, rest)
    return top, powered(x.denominator, p) * powered(y.numerator, rest)


def rooted(top: int, bottom: int, q: int) -> Ends:
    """Ends of the q-th root of top/bottom ≥ 0, by whole roots in units of 2^-PLACES."""
    spend(500 + max(top.bit_length() - bottom.bit_length() + q * PLACES, 0) * bottom.bit_length() // LONG)
    shifted = (top << q * PLACES) // bottom
    spend(shifted.bit_length() ** 2 // 2_000 if q > 1 else 0)
    # Newton's rule, from above, falls until it is at the root, rounded down.
    root = 1 << shifted.bit_length() // q + 1 if shifted else 0
    while root and (lower := ((q - 1) * root + shifted // root ** (q - 1)) // q) < root:
        root = lower
    exact = root**q * bottom == top << q * PLACES
    return Fraction(root, 2**PLACES), Fraction(root if exact else root + 1, 2**PLACES)


def renyi(outcomes: Sequence[Outcome], order: Fraction) -> Ends | None:
    """Ends of D_a = ln(Σ X^a Y^(1−a))/(a − 1), a > 1, which is not negative; None if it is infinite."""
    p, q = order.numerator, order.denominator
    need(order > 1 and p <= MOST_ORDER and q <= MOST_ROOT, "order", f"p/q above 1, p ≤ {MOST_ORDER}, q ≤ {MOST_ROOT}")
    live = [(x, y) for x, y in outcomes if x]
    if not all(y for _, y in live):
        return None
    if all(x == y for x, y in outcomes):
        return ZERO, ZERO
    low = high = ZERO
    for x, y in live:
        (least_x, most_x), (least_y, most_y) = near(x), near(y)
        low += rooted(*quotient(least_x, most_y, order), q)[0]
        high += rooted(*quotient(most_x, least_y, order), q)[1]
    return max(logarithm(low)[0], ZERO) / (order - 1), logarithm(high)[1] / (order - 1)


def moment(outcomes: Sequence[Outcome], order: int) -> tuple[Any, Any]:
    """Σ X^a Y^(1−a) exactly, for a whole order at which it is finite: numerator and denominator."""
    live = [(x, y) for x, y in outcomes if x]
    if any(not isinstance(value, Fraction) for pair in live for value in pair):
        found: Any = ZERO
        for x, y in live:
            found = found + function_powered(x, order) / function_powered(y, order - 1)
        return found, 1
    # One denominator for all masses, so that the terms have only their own Y below them; then two by two.
    unit, tops = whole({(n, k): value for n, pair in enumerate(live) for k, value in enumerate(pair)})
    terms = [(powered(tops[n, 0], order), powered(tops[n, 1], order - 1)) for n in range(len(live))]
    while len(terms) > 1:
        terms = [joined(terms[n : n + 2]) for n in range(0, len(terms), 2)]
    top, bottom = terms[0] if terms else (0, 1)
    return top, bottom * unit


def check_moment(name: str, outcomes: Sequence[Outcome], order: int, claimed: Any) -> None:
    """Whether the moment is the one claimed: multiplied out, for lowest terms would take the longest."""
    top, bottom = moment(outcomes, order)
    if isinstance(top, int) and isinstance(claimed, Fraction):
        spend(bit_length(claimed) * bottom.bit_length() // LONG)
        if top * claimed.denominator == claimed.numerator * bottom:
            return
    need(divided(top, bottom) == claimed, name, "its moment, exactly", divided(top, bottom), claimed)


def joined(terms: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The sum of two quotients, or the one that is left; not in lowest terms."""
    if len(terms) == 1:
        return terms[0]
    (a, b), (c, d) = terms
    multiplied(2 * (max(a, b).bit_length() + max(c, d).bit_length()))
    return a * d + c * b, b * d


def function_powered(value: Any, exponent: int) -> Any:
    """A function of e^(1/k), or a Fraction beside one, to a whole power ≥ 0."""
    found: Any = ONE
    for bit in f"{exponent:b}":
        found = found * found * value if bit == "1" else found * found
    return found


def kullback_leibler(outcomes: Sequence[Outcome]) -> Ends | None:
    """Ends of Σ X ln(X/Y), which is not negative; None if it is infinite."""
    live = [(x, y) for x, y in outcomes if x]
    if not all(y for _, y in live):
        return None
    if all(x == y for x, y in outcomes):
        return ZERO, ZERO
    low = high = ZERO
    for x, y in live:
        spend(bit_length(x) * bit_length(y) // LONG)
        (least, most), ratio = near(x), near(x / y)
        down, up = logarithm(ratio[0])[0], logarithm(ratio[1])[1]
        low += min(least * down, most * down)
        high += max(least * up, most * up)
    return max(low, ZERO), high


def corners_of(outcomes: Sequence[Outcome]) -> list[tuple[Any, Any]]:
    """The corners (ΣX, 1 − ΣY) of the best tests, outcomes by rising X/Y, those of one ratio together."""
    longest = max((bit_length(value) for each in outcomes for value in each), default=0)

    def by_ratio(one: Outcome, other: Outcome) -> int:
        spend(longest * longest // LONG)
        left, right = one[0] * other[1], other[0] * one[1]
        return 0 if left == right else 1 if left > right else -1

    found: list[tuple[Any, Any]] = [(ZERO, ONE)]
    last: Outcome | None = None
    for x, y in sorted(outcomes, key=cmp_to_key(by_ratio)):
        a, b = found.pop() if last is not None and by_ratio(last, (x, y)) == 0 else found[-1]
        found.append((added(a, x), added(b, -y)))
        last = x, y
    return found


def guessed(outcomes: Sequence[Outcome], terms: Mapping[str, Any]) -> Any:
    """Σ over outcomes of what the best guess is worth there."""
    prior = terms["prior"]
    need(sum(prior, ZERO) == 1 and min(prior) >= 0, "prior", "probabilities that sum to one", sum(prior, ZERO))
    need(("gains" in terms) != ("guesses" in terms), "guess", "a table of gains, or a number of guesses")
    total: Any = ZERO
    if "guesses" in terms:
        count = terms["guesses"]
        need(1 <= count <= len(prior), "guesses", "from 1 to the number of secrets", count)
        for each in outcomes:
            for worth in sorted([p * x for p, x in zip(prior, each, strict=True)])[-count:]:
                total = added(total, worth)
        return total
    table = terms["gains"]
    need(table, "gains", "a row of gains at least")
    spend(STEP * len(table) * len(prior) * len(outcomes))
    for each in outcomes:
        weighted = [p * x for p, x in zip(prior, each, strict=True)]
        total = added(total, max(sum((g * w for g, w in zip(row, weighted, strict=True)), ZERO) for row in table))
    return total


# Claims.


def stated(checker: Checker, claim: Any) -> Claim:
    """A claim as it is written, its keys known and its numbers read; nothing of it is shown yet."""
    what = claim["claim"]
    others = {"claim", "ending", "split"}
    need(claim.keys() <= KEYS[what] | others, what, "known keys", [*claim][:9])
    need(("ending" in claim) != ("split" in claim), what, "an ending, or one for each group of a split")
    terms: dict[str, Any] = {}
    if what == "guess":
        states = claim["secrets"]
        known = isinstance(states, list) and all(isinstance(s, str) for s in states) and len({*states}) == len(states)
        need(known and len(states) > 1, what, "secrets, two or more, each once")
        if "gains" in claim:
            terms["gains"] = [[number(g) for g in row] for row in lists(claim["gains"], len(states))]
        if "guesses" in claim:
            terms["guesses"] = index(claim["guesses"])
        prior = terms["prior"] = [number(p) for p in claim["prior"]]
        need(len(prior) == len(states), "prior", "a probability for each secret", len(prior))
    else:
        ((s, t),) = lists([claim["pair"]], 2)
        states = [s, t]
    if what == "renyi":
        terms["order"] = number(claim["order"])
    if what == "tradeoff":
        terms["corners"] = [(checker.number(a), checker.number(b)) for a, b in lists(claim["corners"], 2)]
    if "moment" in claim:
        terms["moment"] = checker.number(claim["moment"])
    found = Claim(measure=what, subject=tuple(states), terms=terms)
    if what == "tradeoff":
        return found
    if claim.get("lower") == "infinity":
        need("upper" not in claim, what, "no upper bound beside an infinite lower one")
        return replace(found, infinite=True)
    lower = checker.number(claim.get("lower", "0"))
    return replace(found, lower=lower, upper=checker.number(claim["upper"]) if "upper" in claim else None)


def conclude(checker: Checker, claim: Any, first: Mapping[str, str]) -> Claim:
    """A claim about where runs end, if it follows from the ending that it cites."""
    said = stated(checker, claim)
    states, name, terms = said.subject, name_of(said), said.terms
    need(not checker.model.interactive, name, "no inputs: where runs end depends on what is asked")
    need({*states} <= first.keys(), name, "known states", [*states])
    outcomes = outcomes_of(checker, claim, name, [first[s] for s in states])
    if said.measure == "tradeoff":
        need(terms["corners"] == corners_of(outcomes), name, "the corners of the best tests")
        return said
    found: Any
    if said.measure == "guess":
        found = (guessed(outcomes, terms),) * 2
    elif said.measure == "kl":
        found = kullback_leibler(outcomes)
    else:
        order = terms["order"]
        found = renyi(outcomes, order)
        if "moment" in terms:
            need(order.denominator == 1, name, "a whole order, where the moment is claimed")
            need(found is not None, name, "no moment: it is infinite", terms["moment"])
            check_moment(name, outcomes, order.numerator, terms["moment"])
    if found is None:
        need(said.upper is None, name, "the upper bound: it is infinite", said.upper)
        return said
    need(not said.infinite, name, "the lower bound: it is finite", found[1])
    need(said.upper is None or found[1] <= said.upper, name, "the upper bound", found[1], said.upper)
    need(said.lower <= found[0], name, "the lower bound", said.lower, found[0])
    return replace(said, value=found[0] if found[0] == found[1] else None)


def outcomes_of(checker: Checker, claim: Any, name: str, states: Sequence[str]) -> list[Outcome]:
    """The outcomes of the states, by the ending cited; by a split, those of all groups (R7, L3)."""
    if "ending" in claim:
        return checker.ending(name, claim["ending"]).from_starts(name, [{state: ONE} for state in states])
    listed, found = claim["split"], []
    need(isinstance(listed, dict), name, "an ending for each group")
    need(all(any(i in h for h, *_ in checker.splits) for i in states), name, "states that the split covers")
    for k, (harmonic, inner, inside, *_) in enumerate(checker.splits):
        parts = [{inner[i]: harmonic[i]} if i in harmonic else {} for i in states]
        if any(parts):
            need(str(k) in listed, name, f"an ending for group {k}")
            group = f"{name}, group {k}"
            found += inside.ending(group, listed[str(k)]).from_starts(group, parts)
    return found
