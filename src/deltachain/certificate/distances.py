"""The certificate of a `FixedPoint`: flows for its upper side; prices and ranks for the lower one, if it has one.

Only the claims that the asked pairs rest on, directly or through others, are written. Where the chain's probabilities
are functions of e^(1/k), so are the numbers of flows and prices and, where they are exact, the claims themselves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from ..cancel import spend
from ..distances.fixed_point import FixedPoint
from ..distances.step_exact import option_imbalance
from ..model import Chain, Quotient
from ..model.chain import Pair
from ..numbers.exponential import as_exponential
from ..numbers.field import Exact, as_text
from .checked import TooLarge
from .claims import Claim, write_claim
from .record import Certificate, Writer, exact_text, merge_of

CLAIM = 38
"""Bytes of a claim, beside its value and its cover."""
CITED = 12
"""Bytes of a claim that a cover cites, beside its coefficient."""
SAMPLED = 100
"""Pairs by which a certificate's length is estimated."""


@dataclass(frozen=True, eq=False)
class DistanceEvidence:
    """The engine's solution, on the chain or its quotient.

    Attributes:
        chain: the chain as given; claims are about states of the one that was measured on.
        solution: the distances, with their flows, and their prices where they are bounded from below.
        quotient: of the chain, where it was measured on that.
        asked: the pairs, as states of the chain that was measured on; None for every pair of one label.
    """

    chain: Chain
    solution: FixedPoint
    quotient: Quotient | None = None
    asked: Sequence[Pair] | None = None

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        """The pairs that are claimed, both ways where the two may differ."""
        pairs = self.asked
        if pairs is None:
            number = self.solution.chain.number
            pairs = [(number(s), number(t)) for s, t in (row.pair for row in self.solution.table())]
        return list(dict.fromkeys([*pairs, *((t, s) for s, t in pairs)])) if self.solution.kind.directed else pairs

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The distance of every pair: what it is, or at most, and at least where that is known."""
        solution, names = self.solution, self.solution.chain.states
        merged = {"merged": True} if self._merged else {}
        found = []
        for s, t in self.pairs:
            value, lower = solution[s, t], self._lower((s, t))
            claim = Claim(
                measure=solution.kind.name,
                subject=(names[s], names[t]),
                lower=lower,
                upper=value,
                value=value if lower == value or self.is_told((s, t)) else None,
                at=(solution.exp_epsilon,),
                terms=merged,
            )
            found.append(claim)
        return found

    def is_told(self, pair: Pair) -> bool:
        """Whether the distance is 0 or 1 at once: of a state to itself, and of states of different labels."""
        labels = self.solution.chain.labels
        return pair[0] == pair[1] or labels[pair[0]] != labels[pair[1]]

    def _lower(self, pair: Pair) -> Exact | None:
        if self.solution.side == "exact":
            return self.solution[pair]
        lowers = None if self.is_told(pair) else self.solution.lowers(pair)
        return None if lowers is None else lowers[0]

    @property
    def _merged(self) -> list[list[str]]:
        return [] if self.quotient is None else merge_of(self.chain, self.quotient)

    @property
    def missing(self) -> str:
        """Why there is no certificate."""
        if not self.pairs:
            return "there is no pair"
        kind = self.solution.kind
        return "" if kind.checked else f"the checker has no rules for {kind.name}"

    @cached_property
    def expected_bytes(self) -> int:
        """About how long the flows of all pairs are, by those of some; prices of exact values come beside."""
        solution, space, proof = self.solution, self.solution.proof.space, self.solution.proof
        base, sizes = base_of(solution), list[int]()
        for s, t in self.pairs[:: max(1, len(self.pairs) // SAMPLED)]:
            number = None if s == t else space.pair_of_states(s, t)
            if number is None or (value := solution.value(number)) == 1:
                sizes.append(0)
                continue
            flows = [proof.move(option) for option in space.options_of_pair(number)]
            moved = [amount for flow in flows for pair, amount in flow.items() if solution.value(pair) != 1]
            sizes.append(CLAIM + sum(CITED + len(as_certified(number, base)) for number in [value, *moved]))
        return sum(sizes) * len(self.pairs) * (2 if solution.kind.symmetric else 1) // max(1, len(sizes))

    def is_beyond(self, most_bytes: int) -> bool:
        """Whether it is clearly longer than so many bytes, so that it need not be written to know."""
        return 4 * self.expected_bytes > 5 * most_bytes

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of the distances at the number they were measured at; `TooLarge` if it would be longer than asked."""
        solution, asked = self.solution, self.pairs
        if most_bytes is not None and self.is_beyond(most_bytes):
            raise TooLarge
        space, base = solution.proof.space, base_of(solution)
        numbers = [number for s, t in asked if s != t and (number := space.pair_of_states(s, t)) is not None]
        writer = Writer(most_bytes, base=base)
        writer.add("merge", self._merged)
        listed = DistanceClaims(writer, solution, mirrored=solution.kind.symmetric)
        listed.write(numbers)
        prices = price_claims(solution, numbers, listed.text)
        writer.put_distances({"kind": solution.kind.name, "claims": [*listed.places.values()], "prices": prices})
        alpha = listed.text(solution.exp_epsilon)
        proves: Iterable[Mapping[str, object]] = (write_claim(claim, base) for claim in self.claims)
        if self.asked is None:
            # Of all pairs, what is proved stands in the claims: only those that have none are said one by one.
            known = listed.pairs | {(s, t) for s, t, *_ in prices}
            known |= {pair[::-1] for pair in known} if solution.kind.symmetric else set()
            others = (write_claim(claim, base) for claim in self.claims if claim.subject not in known)
            proves = chain([{"claim": solution.kind.name, "pairs": "all"}] if known else [], others)
        return writer.certificate(self.chain.sha256, [alpha, alpha], proves)


def base_of(distance: FixedPoint) -> int | None:
    """The k of one e^(1/k) for the chain's rows and for e^ε; None if all of its numbers are rational."""
    if distance.chain.rational:
        return None
    return math.lcm(distance.chain.base or 1, as_exponential(distance.exp_epsilon).k)


def as_certified(number: Any, base: int | None) -> str:
    """A number as the certificate has it."""
    return exact_text(number) if base is None else as_text(number, base)


class DistanceClaims:
    """Claims D(s, t) ≤ v of a distance, each written with all that its cover cites, once. Of a pair of value 1 none.

    With ``mirrored``, both orders of a pair are written where the distance is symmetric.
    """

    def __init__(self, writer: Writer, distance: FixedPoint, *, mirrored: bool = False) -> None:
        self._writer, self.distance, self._mirrored = writer, distance, mirrored
        self._space = distance.proof.space
        self._names = [distance.chain.states[s] for s in self._space.states]
        self.places: dict[int, int] = {}
        """By the number of a pair, its claim."""

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """Those that claims are about, by name."""
        u, v = self._ends
        return {(self._names[u[pair]], self._names[v[pair]]) for pair in self.places}

    def text(self, number: Any) -> str:
        """A number as the certificate has it."""
        return as_certified(number, self._writer.base)

    def write(self, numbers: Iterable[int]) -> None:
        """Write the claims of these pairs, by their numbers, and of those that they rest on, directly or not."""
        # Claims cite each other in circles, so that each has its place before the first of them is written.
        space, proof, known = self._space, self.distance.proof, self.places
        waiting, new = [*numbers], list[tuple[int, Exact, list[tuple[int, Mapping[int, Any]]]]]()
        following = self._writer.next("claims")
        while waiting:
            pair = waiting.pop()
            if pair in known or (value := self.distance.value(pair)) == 1:
                continue
            known[pair] = following + len(new)
            moved = [(option, proof.move(option)) for option in space.options_of_pair(pair)]
            new.append((pair, value, moved))
            if self._mirrored:
                waiting.append(self._swapped[pair])
            for _, each in moved:
                waiting += each
        for pair, value, moved in new:
            names = f"[{self._quoted[self._ends[0][pair]]}, {self._quoted[self._ends[1][pair]]}]"
            covers = {space.input_of(option): self._cover_text(each) for option, each in moved}
            cover = covers[None] if None in covers else _object(covers)
            self._writer.add_line("claims", f'[{names}, "{self.text(value)}", "step", {cover}]')

    @cached_property
    def _quoted(self) -> list[str]:
        return [json.dumps(name) for name in self._names]

    @cached_property
    def _ends(self) -> tuple[list[int], list[int]]:
        u, v = self._space.ends
        return u.tolist(), v.tolist()

    @cached_property
    def _swapped(self) -> list[int]:
        found: list[int] = self._space.swapped.tolist()
        return found

    def _cover_text(self, moved: Mapping[int, Any]) -> str:
        """The same as JSON text."""
        places = self.places
        cited = [f'[{places[pair]}, "{self.text(c)}"]' for pair, c in sorted(moved.items()) if pair in places]
        return f"[{', '.join(cited)}]"

    def cover(self, arcs: Iterable[tuple[int, Any]]) -> list[list[object]]:
        """Amounts along pairs, whose claims are written: what is left, arcs that cost 1 among it, is η."""
        return [[self.places[pair], self.text(amount)] for pair, amount in arcs if pair in self.places]


def _object(texts: Mapping[str | None, str]) -> str:
    """A JSON object, of values that are text of JSON already."""
    return "{" + ", ".join(f"{json.dumps(key)}: {text}" for key, text in texts.items()) + "}"


def price_claims(distance: FixedPoint, numbers: Iterable[int], write: Callable[[Any], str]) -> list[list[Any]]:
    """Price claims for the pair numbers and all that their prices and ranks rest on."""
    lower = distance.lower
    if lower is None:
        return []
    space = lower.space
    names = [distance.chain.states[s] for s in space.states]
    ends_u, ends_v = space.ends
    active = {int(space.pairs_of(option)): option for option in lower.active}
    if distance.kind.symmetric:
        # One option stands for both orders: its claim is read in both.
        active |= {int(space.swapped[pair]): option for pair, option in active.items()}
    stack = [pair for pair in numbers if lower.values[pair]]
    missing = {*active.values()} - {active[pair] for pair in stack}
    seen: set[int] = set()
    entries = []
    while stack:
        option = active[stack.pop()]
        if option in seen:
            continue
        seen.add(option)
        pair = int(space.pairs_of(option))
        lists = []
        for prices in (lower.prices(option), lower.ranks.prices(option)):
            if missing:
                stack.extend(found := [*_compare(distance, option, prices)])
                missing -= {active[pair] for pair in found}
            lists.append([[names[i], write(f)] for i, f in sorted(prices.items()) if f])
        value = write(lower.values[pair])
        head = [names[ends_u[pair]], names[ends_v[pair]], value]
        asked = space.input_of(option)
        entry = [*head, lists[0], lower.ranks.rank[option], lists[1]]
        entries.append(entry if asked is None else [*entry, asked])
    return sorted(entries, key=lambda entry: (entry[0], entry[1]))


def _compare(distance: FixedPoint, option: int, prices: dict[int, Any]) -> Iterator[int]:
    """The pairs whose claims make room for the prices of an option."""
    space = distance.proof.space
    alpha = space.exact_alpha
    need = option_imbalance(space, option)
    for i, f in prices.items():
        # Along single arcs, prices are compared from sources to sinks alone.
        if space.single_arcs and i not in need.excess:
            continue
        places = need.room if space.single_arcs else space.block_positions(i)
        spend(20 * len(places))
        for j in places:
            if i == j or space.block[i] != space.block[j]:
                continue
            # f_i − αf_j ≤ 0 needs no claim; any other comparison cites the claim of its pair.
            if f > alpha * prices.get(j, 0):
                yield space.pair(i, j)
            if distance.kind.complement and alpha * f - prices.get(j, 0) > alpha - 1 and not space.single_arcs:
                yield space.pair(j, i)


# Format 1
