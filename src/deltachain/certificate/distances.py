"""The certificate of a `FixedPoint`: flows for its upper side; prices and ranks for the lower one, if it has one.

Only the claims that the asked pairs rest on, directly or through others, are written. Where the chain's probabilities
are functions of e^(1/k), so are the numbers of flows and prices and, where they are exact, the claims themselves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from ..cancel import spend
from ..distances.fixed_point import FixedPoint
from ..distances.kind import DistanceKind
from ..distances.step_exact import Flow, option_imbalance
from ..model import Chain, Quotient
from ..numbers.exponential import as_exponential
from ..numbers.field import Exact, ends, in_powers
from ..numbers.fraction import ExpEpsilon
from .checked import TooLarge
from .claims import Claim, written
from .record import Certificate, document_of, exact_text, merge_of

Pair = tuple[int, int]
SHORTEST_CLAIM = 50
"""Bytes of a claim, at least."""
Write: TypeAlias = Callable[[Any], object]
"""How the certificate has a number of the chain's kind."""


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
                value=value if lower == value or self.told((s, t)) else None,
                at=(solution.exp_epsilon,),
                terms=merged,
            )
            found.append(claim)
        return found

    def told(self, pair: Pair) -> bool:
        """Whether the distance is 0 or 1 at once: of a state to itself, and of states of different labels."""
        labels = self.solution.chain.labels
        return pair[0] == pair[1] or labels[pair[0]] != labels[pair[1]]

    def _lower(self, pair: Pair) -> Exact | None:
        if self.solution.side == "exact":
            return self.solution[pair]
        lowers = None if self.told(pair) else self.solution.lowers(pair)
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

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of the distances at the number they were measured at; `TooLarge` if it would be longer than asked."""
        solution, asked = self.solution, self.pairs
        if most_bytes is not None and SHORTEST_CLAIM * len(asked) > most_bytes:
            raise TooLarge
        space = solution.proof.space
        numbers = [number for s, t in asked if s != t and (number := space.pair_of_states(s, t)) is not None]
        header, write = notation(solution)
        base = None if solution.chain.rational else int(str(header["base"]))
        claims = [written(claim, base) for claim in self.claims]
        document = document_of(
            self.chain,
            between(solution.exp_epsilon),
            claims,
            merge=self._merged,
            **header,
            kind=solution.kind.name,
            distances=flow_claims(solution, numbers, write, most_bytes),
            prices=price_claims(solution, numbers, write),
        )
        return Certificate(document)


def notation(distance: FixedPoint) -> tuple[dict[str, object], Write]:
    """What a certificate says of its numbers, once, and how it writes each of them.

    Of a chain of functions that is the base of one e^(1/k) for its rows and for e^ε, and e^ε where it is irrational.
    """
    if distance.chain.rational:
        return {}, exact_text
    alpha = distance.exp_epsilon
    k = math.lcm(distance.chain.base or 1, as_exponential(alpha).k)
    header: dict[str, object] = {"base": str(k)}
    if not isinstance(alpha, Fraction):
        header["alpha"] = in_powers(alpha, k)
    return header, lambda number: in_powers(number, k)


def between(alpha: Exact) -> ExpEpsilon:
    """The e^ε of the certificate: rationals around it, where it is irrational; e^ε ≥ 1."""
    low, high = ends(alpha)
    return ExpEpsilon(max(low, Fraction(1)), high)


def flow_claims(
    distance: FixedPoint, numbers: Iterable[int], write: Write = exact_text, most_bytes: int | None = None
) -> list[list[Any]]:
    """D claims (rule R1) for the pair numbers and all that their flows cite. Pairs of value 1 need none (R0).

    A claim has one flow; where the label offers inputs, one for each of them, by its name. `TooLarge` as soon as they
    are longer than ``most_bytes``.
    """
    room = math.inf if most_bytes is None else most_bytes
    space = distance.proof.space
    names = [distance.chain.states[s] for s in space.states]
    ends_u, ends_v = space.ends
    stack = list(numbers)
    seen: set[int] = set()
    entries = []
    while stack:
        pair = stack.pop()
        if pair in seen or distance.value(pair) == 1:
            continue
        seen.add(pair)
        if distance.kind.symmetric:
            # R1 asks bd for the mirror claim, with flows of its own.
            stack.append(int(space.swapped[pair]))
        entry: list[Any] = [names[ends_u[pair]], names[ends_v[pair]], write(distance.value(pair))]
        by_input: dict[str, list[Any]] = {}
        for option in space.options_of_pair(pair):
            flow = distance.proof.flow(option)
            stack.extend(space.pair(u, v) for u, v, _ in flow.cited)
            asked = space.input_of(option)
            if asked is None:
                entry += _flow_fields(flow, names, distance.kind, write)
            else:
                by_input[asked] = _flow_fields(flow, names, distance.kind, write)
        entries.append([*entry, by_input] if by_input else entry)
        if most_bytes is not None:
            room -= len(json.dumps(entries[-1]))
            if room < 0:
                raise TooLarge
    return sorted(entries, key=lambda entry: (entry[0], entry[1]))


def _flow_fields(flow: Flow[Any], names: Sequence[str], kind: DistanceKind, write: Write) -> list[Any]:
    """Arcs and η; complement arcs for sd."""
    fields: list[Any] = [
        [[names[u], names[v], write(amount)] for u, v, amount in flow.arcs],
        [[names[u], write(amount)] for u, amount in flow.eta],
    ]
    if kind.complement:
        fields.append([[names[u], names[v], write(amount)] for u, v, amount in flow.complement])
    return fields


def price_claims(distance: FixedPoint, numbers: Iterable[int], write: Write) -> list[list[Any]]:
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
            stack.extend(_compared(distance, option, prices))
            lists.append([[names[i], write(f)] for i, f in sorted(prices.items()) if f])
        value = write(lower.values[pair])
        head = [names[ends_u[pair]], names[ends_v[pair]], value]
        asked = space.input_of(option)
        entry = [*head, lists[0], lower.ranks.rank[option], lists[1]]
        entries.append(entry if asked is None else [*entry, asked])
    return sorted(entries, key=lambda entry: (entry[0], entry[1]))


def _compared(distance: FixedPoint, option: int, prices: dict[int, Any]) -> Iterator[int]:
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
