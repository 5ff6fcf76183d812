"""Extension "distances": bd, ld and sd (docs/theory/proof-system.md).

A distance is the least fixed point of a step, d(s, t) = the most that prices f gain on rows x − αy, where prices must
satisfy f_i − α·f_j ≤ d(i, j). From above: covers of w = e_s − α·e_t that cite distances alone, each at most 1, are a
pre-fixed point of that step. From below: prices f, and ranks with prices g, which show that the claim rests on no
circle. What has to be believed in addition: that the least fixed point is at most any pre-fixed one, and at least what
prices reach once it is known where it is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .covers import Covers, is_pair
from .document import keys, lists
from .errors import CertificateRejected, need
from .meter import spend
from .model import Model, Vector
from .numbers import ONE, ZERO, Quotient, divided

ARC = 15
"""Steps of the meter for two prices that are compared."""
PLACES, FULL = 64, 1 << 64
"""In these units numbers are compared first; so many of them are 1."""
KINDS = ("bd", "ld", "sd")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Distances:
    """``{"kind", "claims": [claim, …], "prices": [[s, t, v, f, rank, g, input?], …]}``."""

    covers: Covers
    data: Any
    alpha: Any

    @property
    def model(self) -> Model:
        """The chain after merging."""
        return self.covers.model

    @cached_property
    def kind(self) -> str:
        """Which of the distances."""
        keys(self.data, "distances", "kind", "claims", "prices")
        need(self.data["kind"] in KINDS, "distances", "a kind, bd, ld or sd", self.data["kind"])
        return str(self.data["kind"])

    @cached_property
    def above(self) -> dict[Pair, Any]:
        """d(s, t) ≤ v, by claims of the certificate, which are checked as such; here, that they are of this shape."""
        field, kind, chosen = self.model.field, self.kind, self.data.get("claims", [])
        need(isinstance(chosen, list) and all(type(n) is int for n in chosen), "distances", "claims by their places")
        inside, found = {*chosen}, {}
        need(inside <= self.covers.steps, "distances", "step claims", sorted(inside - self.covers.steps)[:9])
        for n in chosen:
            claim, (w, _, _, given), name = self.covers.claims[n], self.covers.data[n], f"claim {n}"
            need(is_pair(w), name, "a pair, in a distance")
            pair = w[0], w[1]
            need(pair not in found and field.reaches(ONE, claim.v), name, "each pair once, and v ≤ 1", claim.v)
            found[pair] = claim.v
            for cover in self.model.by_input(name, w[0], given).values():
                cited = [place for place, _ in lists(cover, 2)]
                if kind == "sd":  # up to traces, unseen vectors as well
                    cited = [place for place in cited if not (isinstance(place, list) and place[:1] == ["unseen"])]
                own = {*map(type, cited)} <= {int} and inside.issuperset(cited)
                need(own, name, "covers of distances alone", cited)
                plain = kind == "sd" or all(map(field.nonneg, [field.read(c) for _, c in cover]))
                need(plain, name, f"no complements in {kind}", cover)
        for s, t in found if kind == "bd" else ():
            both = (t, s) in found and found[t, s] == found[s, t]
            need(both, f"d({s}, {t})", "bd is symmetric", found[s, t], found.get((t, s)))
        return found

    @property
    def traces(self) -> bool:
        """Whether what is claimed is the distance up to what no event sees."""
        return self.kind == "sd" and bool(self.covers.unseen.vectors)

    @cached_property
    def known(self) -> dict[Pair, tuple[Any, int]]:
        """Value and rank of the entries of prices, in both orders for bd; not yet checked."""
        found: dict[Pair, tuple[Any, int]] = {}
        for s, t, v, _, rank, *_ in lists(self.data.get("prices", []), 6, more=1):
            name, label = f"d({s}, {t})", self.model.label
            need(s != t and {s, t} <= label.keys() and label[s] == label[t], name, "two states of one label")
            need(type(rank) is int, name, "a rank that is an integer", rank)
            for pair in {(s, t), (t, s) if self.kind == "bd" else (s, t)}:
                need(pair not in found, name, "each pair once")
                found[pair] = self.model.field.read(v), rank
        return found

    @cached_property
    def below(self) -> Mapping[Pair, tuple[Any, int]]:
        """d(s, t) ≥ v, once every entry is checked."""
        field, known = self.model.field, self.known
        need(not (known and self.traces), "prices", "no claims up to traces: the distance may be smaller")
        for s, t, _, f, _, g, *more in self.data.get("prices", []):
            name, (value, own) = f"d({s}, {t})", known[s, t]
            inputs = self.model.inputs(s)
            need([*more, None][0] in inputs, name, "one input of the label, if it has any", more)
            x, y = (self.model.rows[state][[*more, None][0]] for state in (s, t))
            reached = self.priced(name, x, y, f, lambda v, _: v, self.rounded)
            need(
                field.positive(value) and field.nonneg(reached - value), name, "prices: a value reached", reached, value
            )
            # Cost 1 where a pair has a smaller rank, else 0: a pair of least rank in the zero set would have a flow of
            # cost 0 along pairs of no smaller rank, against g (docs/theory/zero-set.md).
            positive = self.priced(name, x, y, g, lambda _, r, own=own: ONE if r < own else ZERO)
            need(field.positive(positive), name, "ranks: Σ g (x − αy) is positive", positive, 0)
        return known

    @cached_property
    def single_arcs(self) -> bool:
        """Whether prices are compared along single arcs alone: at α = 1 with inputs, where distances are metrics."""
        return bool(self.alpha == 1 and self.model.interactive)

    @cached_property
    def rounded(self) -> Mapping[Pair, int] | None:
        """The values of prices in units of 2^-PLACES, rounded down; None where some are functions."""
        values = {pair: value for pair, (value, _) in self.known.items()}
        if any(isinstance(value, Quotient) for value in (self.alpha, *values.values())):
            return None
        return {pair: (value.numerator << PLACES) // value.denominator for pair, value in values.items()}

    def priced(
        self,
        name: str,
        x: Vector,
        y: Vector,
        entries: Any,
        bound: Callable[..., Any],
        rounded: Mapping[Pair, int] | None = None,
    ) -> Any:
        """Σ f (x − αy), once 0 ≤ f ≤ 1 and f_i − α·f_j ≤ bound(claim of i, j) for all i ≠ j of one label.

        For sd also (1−f_j) − α(1−f_i) ≤ bound(claim of j, i). Along single arcs, from i with x_i > y_i to j with
        x_j < y_j alone. Where numbers rounded to the unsafe side by 2^-PLACES show it, long ones are not compared.
        """
        field, single, known = self.model.field, self.single_arcs, self.known
        sharp, exact = self.kind == "sd" and not single, self.model.vector(entries, field.read)
        # Prices are over `one`, and what is compared over `unit`: integers, where all is rational.
        one, f = field.over_integer(exact)
        rounded = None if any(isinstance(f_i, Quotient) for f_i in exact.values()) else rounded
        below, alpha = field.over_integer({None: self.alpha})
        unit, step = one * below, alpha[None]
        plain = not any(isinstance(number, Quotient) for number in (step, *f.values()))
        near = {i: ((f_i << PLACES) // one, -((-f_i << PLACES) // one)) for i, f_i in f.items()} if rounded else {}
        # Where nothing is named f_i is 0, and what is compared below holds by itself: −αf_j ≤ 0, and (1−f_j) − α ≤ 0.
        for i, f_i in f.items():
            alike = self.by_label[self.model.label[i]]
            spend(ARC * len(alike))
            need(field.nonneg(f_i) and field.nonneg(one - f_i), name, f"price of {i}: from 0 to 1", exact[i])
            for j in alike:
                if i == j or (single and not self.apart(x, y, i, j)):
                    continue
                if rounded:
                    high, low = near[i][1], near[j][0] if j in near else 0
                    shown = below * high - step * low
                    if shown <= 0 or shown <= below * rounded.get((i, j), 0):
                        back = below * (FULL - low) - step * (FULL - high)
                        if not sharp or back <= below * rounded.get((j, i), 0):
                            continue
                f_j = f.get(j, 0)
                left = below * f_i - step * f_j
                if plain and left <= 0 and not sharp:  # no bound is negative
                    continue
                most = bound(*known[i, j]) if (i, j) in known else ZERO
                if not (plain and most is ONE) and not field.reaches(most, left, unit):  # f_i ≤ 1
                    raise CertificateRejected(name, f"price of {i} against {j}", divided(left, unit), most)
                if sharp:
                    left = below * (one - f_j) - step * (one - f_i)
                    most = bound(*known[j, i]) if (j, i) in known else ZERO
                    if not field.reaches(most, left, unit):
                        raise CertificateRejected(name, f"complement of {j} against {i}", divided(left, unit), most)
        pairs = [(f_i, x.get(i, ZERO) - self.alpha * y.get(i, ZERO)) for i, f_i in exact.items() if i in x or i in y]
        return field.summed(pairs)

    def apart(self, x: Vector, y: Vector, i: str, j: str) -> bool:
        """Whether more leaves i than arrives there, and j the other way round; over Q(u), at some u for all we know."""
        nonneg = self.model.field.nonneg
        return not (nonneg(y.get(i, ZERO) - x.get(i, ZERO)) or nonneg(x.get(j, ZERO) - y.get(j, ZERO)))

    @cached_property
    def by_label(self) -> Mapping[str, Sequence[str]]:
        """The states of each label."""
        groups: dict[str, list[str]] = {}
        for state, label in self.model.label.items():
            groups.setdefault(label, []).append(state)
        return groups
