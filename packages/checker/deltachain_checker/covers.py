"""Covers, the rule for upper bounds (docs/theory/proof-system.md).

For a signed vector w of states of one label, V(w) is the most that an event gains on w: the supremum of w·ν(E) over
events E of the letters to come and, where the observer asks, over strategies. V is monotone and sublinear, V(η) ≤ |η|
for η ≥ 0, and V(−w) = V(w) − w·1, since the complement of an event is one. For vectors on several labels, V is the sum.

A claim says V(w) ≤ v. A *cover* of z is a list of claims l with coefficients c, such that z ≤ Σ c·w_l + η, η ≥ 0. So
V(z) is at most its cost, Σ_{c>0} c·v_l + Σ_{c<0} |c|·(v_l − w_l·1) + |η|.

    step   (w·1)^+ ≤ v, and for every input a cover of wP, the vector a step later, costs at most v. It may cite any
           claim, in circles too: by induction on the horizon, claims hold at h + 1 if those cited hold at h.
    now    a cover of w itself costs at most v. It may cite step claims, and now claims before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from .document import lists
from .errors import CertificateRejected, need
from .meter import spend
from .model import Model, Vector, mass
from .numbers import ONE, ZERO, Over, Terms, divided

CITED = 30
"""Steps of the meter for a claim that is cited, or an entry of a vector that is covered."""
NO_NODES = -1
"""As ``before``: step claims alone may be cited, as at the leaves of a graph, which other claims rest on."""


@dataclass(frozen=True)
class Bound:
    """V(w) ≤ v, as a claim of the certificate or at a node of its graph."""

    w: Vector
    v: Any
    whole: Over
    """w over a positive integer."""

    @cached_property
    def of_complement(self) -> Any:
        """V(−w) is at most this."""
        return self.v - mass(self.w)


@dataclass(frozen=True)
class Unseen:
    """Vectors that no event sees: V(n) = V(−n) = 0.

    They are claims of value 0, whose covers need not be written: n·1 = 0, and after each letter nP is a sum of them.
    """

    model: Model
    vectors: Sequence[Vector]

    def check(self) -> None:
        """Every vector."""
        for n, vector in enumerate(self.vectors):
            name = f"unseen {n}"
            need(vector and len({self.model.label[i] for i in vector}) == 1, name, "states of one label, one at least")
            need(not mass(vector), name, "n·1 = 0", mass(vector))
        for n, vector in enumerate(self.vectors):
            name = f"unseen {n}"
            for asked in self.model.inputs(min(vector)):
                for letter, part in self.model.after(vector, asked).items():
                    need(self.covers(part), name, f"after {letter}, a sum of unseen vectors")

    def covers(self, vector: Mapping[str, Any]) -> bool:
        """Whether the vector is a sum of unseen ones, each of which takes away the first of its own states."""
        left = {i: x for i, x in vector.items() if x}
        for unseen in self.vectors if left else ():
            pivot = next(iter(unseen))
            if left.get(pivot):
                c = left[pivot] / unseen[pivot]
                spend(CITED * len(unseen))
                left = {i: left.get(i, ZERO) - c * unseen.get(i, ZERO) for i in {*left, *unseen}}
        return not any(left.values())


@dataclass(frozen=True)
class Covers:
    """The claims of a certificate, ``[w, v, "step" | "now", cover]``: covers by input, where the label has inputs.

    A pair [s, t] as w stands for e_s − α·e_t.
    """

    model: Model
    data: Sequence[Any]
    alpha: Any
    unseen: Unseen
    at_node: Callable[[Any], Bound]
    """What the graph says of [node, direction], which takes a step, or rests on step claims."""

    @cached_property
    def claims(self) -> list[Bound]:
        """Not yet checked."""
        found, label, read = [], self.model.label, self.model.field.read
        for n, (w, v, rule, _) in enumerate(lists(self.data, 4)):
            name = f"claim {n}"
            need(rule in ("step", "now"), name, "a rule, step or now", rule)
            claim = self.bound_of_pair(w, read(v)) if is_pair(w) else self.bound(self.model.vector(w, read), read(v))
            need(len({label[i] for i in claim.w}) == 1, name, "states of one label, one at least")
            found.append(claim)
        return found

    def bound(self, w: Vector, v: Any) -> Bound:
        """V(w) ≤ v, as claims cite it."""
        return Bound(w, v, self.model.field.over_integer(w))

    def bound_of_pair(self, pair: Sequence[str], v: Any) -> Bound:
        """V(e_s − α·e_t) ≤ v."""
        s, t = pair
        need(s != t and {s, t} <= self.model.label.keys(), "claim", "a pair of two known states", s, t)
        bottom, (one, alpha) = self._pair_over
        return Bound({s: ONE, t: self._less_alpha}, v, (bottom, {s: one, t: alpha}))

    @cached_property
    def _less_alpha(self) -> Any:
        return -self.alpha

    @cached_property
    def _pair_over(self) -> tuple[Any, tuple[Any, Any]]:
        bottom, tops = self.model.field.over_integer({0: ONE, 1: self._less_alpha})
        return bottom, (tops[0], tops[1])

    @cached_property
    def steps(self) -> frozenset[int]:
        """The claims that take a step."""
        return frozenset(n for n, (_, _, rule, _) in enumerate(self.data) if rule == "step")

    def check(self) -> None:
        """Every claim by its rule."""
        field = self.model.field
        for n, ((_, _, rule, given), claim) in enumerate(zip(self.data, self.claims, strict=True)):
            name = f"claim {n}"
            if rule == "now":
                self.check_cost(name, [(ONE, claim.whole)], given, claim.v, before=n)
                continue
            # V_0 of the induction. Without it, claims that cite each other in circles could all be too small.
            need(field.nonneg(claim.v), name, "step: v ≥ 0", claim.v)
            bottom, w = claim.whole
            if not field.reaches(claim.v, sum(w.values()), bottom):
                raise CertificateRejected(name, "step: the base case, w·1 ≤ v", mass(claim.w), claim.v)
            # V is the most over inputs, so every one of them must stay below the claim.
            for asked, cover in self.model.by_input(name, min(claim.w), given).items():
                later = self.model.a_step_later(claim.w, asked)
                self.check_cost(name, later, cover, claim.v, before=len(self.claims))

    def check_cost(self, name: str, z: Terms, cover: Any, most: Any, before: int = NO_NODES) -> None:
        """Whether the cover of z costs at most so much; it may cite step claims, and now claims before this one."""
        field, parts = self.model.field, self.parts(name, z, cover, before)
        if not field.at_most(parts, most):
            raise CertificateRejected(name, "what the cover costs", field.summed(parts), most)

    def cost(self, name: str, z: Terms, cover: Any, before: int) -> Any:
        """What a cover of z costs."""
        return self.model.field.summed(self.parts(name, z, cover, before))

    def parts(self, name: str, z: Terms, cover: Any, before: int) -> list[tuple[Any, Any]]:
        """The cost of a cover of z, as a sum of products.

        A cover is ``[[claim, c], …]``, and η what is left; or an object, ``of`` and ``eta``.
        """
        field, given = self.model.field, isinstance(cover, dict)
        need(not given or cover.keys() == {"of", "eta"}, name, "a cover: a list, or an object of of and eta")
        costs, terms, size = list[tuple[Any, Any]](), list[tuple[Any, Over]](), 0
        for cited, coefficient in lists(cover["of"] if given else cover, 2):
            claim, c = self.cited(name, cited, before), field.read(coefficient)
            size += len(claim.w)
            if field.nonneg(c):
                costs.append((c, claim.v))
            else:
                need(field.nonneg(-c), name, "a coefficient of one sign", c)
                costs.append((-c, claim.of_complement))
            terms.append((c, claim.whole))
        if given:
            eta = self.model.vector(cover["eta"], field.read)
            for x in eta.values():
                need(field.nonneg(x), name, "η ≥ 0", x)
                costs.append((x, ONE))
            terms.append((ONE, field.over_integer(eta)))
        bottom, room = field.combined(terms, less=z)  # no entry may be below 0
        spend(CITED * (size + len(room)))
        left = 0
        for i, x in room.items():
            if field.nonneg(x):
                continue
            if given or not field.nonneg(-x):
                raise CertificateRejected(name, f"η covers what is left at {i} (or is written)", divided(-x, bottom))
            left = left - x
        costs += [(left, Fraction(1, bottom))] if left else []
        return costs

    def cited(self, name: str, cited: Any, before: int) -> Bound:
        """A claim by its place; ["unseen", k]; or what the graph says of [node, direction]."""
        if type(cited) is int and 0 <= cited < len(self.claims) and (cited < before or cited in self.steps):
            claim: Bound = self.claims[cited]
            return claim
        if isinstance(cited, list) and cited[:1] == ["unseen"]:
            _, k = cited
            need(type(k) is int and 0 <= k < len(self.unseen.vectors), name, "a known unseen vector", k)
            return self.bound(self.unseen.vectors[k], ZERO)
        if isinstance(cited, list) and before != NO_NODES:
            return self.at_node(cited)
        raise CertificateRejected(name, "a claim that may be cited: a step claim, or one before", cited)


def is_pair(entries: Any) -> bool:
    """Whether a vector is written as a pair of states, which stands for e_s − α·e_t."""
    return type(entries) is list and len(entries) == 2 and type(entries[0]) is type(entries[1]) is str
