"""Tampering: no number of a tight certificate can be bent towards a false statement.

A certificate is *tight* when each bound in it equals the true value. Then a smaller value of a distance, an unequal
value of a node, a larger value of prices, or a claim beyond the truth is false, and must be rejected, wherever it is.
Any other number (an amount, a price, a mass, a rank, a node that is named, α itself) may be changed by any amount:
either the certificate is rejected, or what it still claims is compared with the truth, which is known exactly.
"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain import Chain, delta, distance
from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.distances import DistanceEvidence
from deltachain.certificate.verification import Seen
from tests.reference.random_chains import random_chain
from tests.reference.systems import lively_system, probe_system, waiting_device

from .live import accepted, at, changed, judged, numbers, references, text, written

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Tight:
    """A certificate whose every bound is exact, and the true value of its claim at any α."""

    seen: Seen
    document: Any
    truth: Callable[[Fraction], Fraction]

    @property
    def distance(self) -> bool:
        """Whether it is about a distance, whose claims bound it and not V alone."""
        return "distances" in self.document

    def __repr__(self) -> str:
        return f"<{self.document['proves'][0]['claim']}, {len(self.seen.chain)} states>"


def tight_delta(chain: Chain, s: int, t: int, alpha: Fraction) -> Tight | None:
    """δ of a pair whose belief graph is finite: every node's two bounds are its value."""
    losses = find_losses(Workspace(chain, [(s, t)]), (s, t), Budget(300), Cancel())
    found = delta(chain, pairs=[(s, t)], exp_epsilon=alpha, max_nodes=300)
    if losses is None or not found.exact:
        return None
    return Tight(Seen(chain), written(found.certificate), losses.curve.delta)


def tight_distance(chain: Chain, s: int, t: int, alpha: Fraction, kind: Any) -> Tight:
    def truth(at: Fraction) -> Fraction:
        return distance(chain, s, t, exp_epsilon=at, kind=kind, exact=True)[s, t]

    solved = distance(chain, s, t, exp_epsilon=alpha, kind=kind, exact=True)._proof.solution
    return Tight(Seen(chain), written(DistanceEvidence(solved.chain, solved, asked=[(s, t)]).certificate()), truth)


def tight_asking(chain: Chain, s: int, t: int, alpha: Fraction) -> Tight | None:
    """δ of a pair of a system with inputs, whose belief graph is finite at every α."""
    found = delta(chain, s, t, exp_epsilon=alpha, max_nodes=300)
    document = written(found.certificate)
    if not found.exact or "graph" not in document or "claims" in document:
        return None

    def truth(at: Fraction) -> Fraction:
        return delta(chain, s, t, exp_epsilon=at, max_nodes=300).lower

    return Tight(Seen(chain), document, truth)


@cache
def split_certificates() -> tuple[Tight, ...]:
    """Of chains that are split by where they end."""
    chains = dc.examples.memoised_survey(), dc.examples.waiting_room()
    found = [tight_delta(chain, *chain.relation[0], Fraction(11, 10)) for chain in chains]
    return tuple(each for each in found if each is not None)


@cache
def tight_certificates() -> tuple[Tight, ...]:
    diners, coin = dc.examples.dining_cryptographers(n=2, p="49/100"), dc.examples.split_coin()
    found: list[Tight | None] = [
        tight_delta(diners, *diners.relation[0], Fraction("1.0002")),
        tight_delta(coin, *coin.relation[0], Fraction(6, 5)),
        tight_distance(diners, *diners.relation[0], Fraction("1.0002"), "bd"),
        tight_distance(coin, *coin.relation[0], Fraction(6, 5), "bd"),
        tight_distance(coin, *coin.relation[0], Fraction(6, 5), "ld"),
        tight_distance(diners, *diners.relation[0], Fraction("1.0002"), "sd"),
    ]
    systems = [probe_system(), waiting_device(), *(lively_system(Random(seed), loops=False) for seed in range(12))]
    found += [tight_asking(system, *system.relation[0], Fraction(11, 10)) for system in systems]
    random = Random(5)
    while len(found) < 54:
        chain = random_chain(random, most_states=6, most_letters=2)
        alphas = [Fraction(1), Fraction(11, 10), Fraction(2)]
        pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
        if pairs:
            pair, alpha = random.choice(pairs), random.choice(alphas)
            tight = tight_delta(chain, *pair, alpha)
            if tight is not None and Fraction(tight.document["proves"][0]["upper"]):
                found.append(tight)
                found.append(tight_distance(chain, *pair, alpha, random.choice(["bd", "ld", "sd"])))
    return tuple(tight for tight in found if tight is not None)


def every_certificate() -> tuple[Tight, ...]:
    """Both."""
    return (*tight_certificates(), *split_certificates())


def bent_at(document: Any, path: Path, value: Fraction) -> Any:
    return changed(document, path, text(value))


def false_ways(tight: Tight, path: Path) -> set[int]:
    """−1 where a smaller number is a false claim (upper sides), +1 where a larger one is; both where it is a value."""
    if path[0] == "proves":
        return {"upper": {-1}, "lower": {1}}.get(path[2], set())
    if path[0] == "values" and len(path) == 3:
        return {-1, 1}
    if path[0] == "values" and len(path) == 4:
        return {1} if path[3] == 0 else {-1}
    if path[0] == "claims" and len(path) == 3 and path[2] == 1 and tight.distance:
        return {-1}
    return {1} if path[:2] == ("distances", "prices") and len(path) == 4 else set()


def still_true(tight: Tight, document: Any) -> bool:
    """Whether what a document claims of its (unchanged) pair is true."""
    claim, alpha = document["proves"][0], document["alpha"]
    sides = alpha if isinstance(alpha, dict) else {"upper": alpha, "lower": alpha}
    lower, upper = Fraction(str(claim.get("lower", 0))), Fraction(str(claim.get("upper", 1)))
    low, high = Fraction(str(sides["lower"])), Fraction(str(sides["upper"]))
    return lower <= tight.truth(low) and tight.truth(high) <= upper


def test_the_certificates_are_tight_and_have_every_part() -> None:
    parts: set[str] = set()
    for tight in every_certificate():
        judged(tight.seen, tight.document)
        assert tight.document["format"] == "deltachain.certificate/2"
        (claim, *_), alpha = tight.document["proves"], Fraction(tight.document["alpha"])
        assert Fraction(claim["lower"]) == Fraction(claim["upper"]) == tight.truth(alpha)
        for _, *values in tight.document.get("values", []):
            assert all(len({*value[:2]}) == 1 for value in values if isinstance(value, list))
        parts |= tight.document.keys()
    assert len(every_certificate()) >= 48
    assert sum(tight.seen.chain.interactive for tight in every_certificate()) >= 8
    assert {"merge", "claims", "beliefs", "graph", "values", "distances", "proves", "extensions"} <= parts


@pytest.mark.parametrize("share", [Fraction(1, 10**30), Fraction(1, 1000), Fraction(1, 2)])
def test_no_bound_can_be_sharpened(share: Fraction) -> None:
    """Every bound of every tight certificate, one by one."""
    bounds = Counter[str]()
    for tight in every_certificate():
        for path in numbers(tight.document):
            for way in false_ways(tight, path):
                value = Fraction(str(at(tight.document, path)))
                assert not accepted(tight.seen, bent_at(tight.document, path, value + way * share)), (tight, path)
                bounds[path[0]] += 1
    assert min(bounds[part] for part in ("values", "claims", "distances", "proves")) > 80, bounds


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_no_change_of_any_number_proves_a_falsehood(data: st.DataObject) -> None:
    tight = data.draw(st.sampled_from(every_certificate()))
    path = data.draw(st.sampled_from([*numbers(tight.document)]))
    old = Fraction(str(at(tight.document, path)))
    small = st.fractions(min_value=-2, max_value=2, max_denominator=60)
    close = st.sampled_from([Fraction(sign, 10**k) for sign in (-1, 1) for k in (3, 9, 40)])
    new = data.draw(
        st.one_of(small, small.map(lambda x: old + x), small.map(lambda x: old * x), close.map(old.__add__))
    )
    bent = bent_at(tight.document, path, new)
    if not accepted(tight.seen, bent):
        event("rejected")
        return
    event(f"accepted: {path[0]}")
    assert all((new - old) * way <= 0 for way in false_ways(tight, path))
    assert still_true(tight, bent)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_other_node_or_rank_proves_a_falsehood(data: st.DataObject) -> None:
    tight = data.draw(st.sampled_from(every_certificate()))
    path = data.draw(st.sampled_from([*references(tight.document)]))
    bent = changed(tight.document, path, data.draw(st.integers(-1, 12)))
    if accepted(tight.seen, bent):
        assert still_true(tight, bent)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_swap_of_two_entries_proves_a_falsehood(data: st.DataObject) -> None:
    """Names, rules, children and whole entries too: two values of one list change places."""
    tight = data.draw(st.sampled_from(every_certificate()))
    bent = copy.deepcopy(tight.document)
    parts = [value for key, value in bent.items() if isinstance(value, list) and key not in ("proves", "extensions")]
    place = data.draw(st.sampled_from([*parts, *([bent["distances"]["prices"]] if tight.distance else [])]))
    while any(isinstance(inner, list) and len(inner) > 1 for inner in place) and data.draw(st.booleans()):
        place = data.draw(st.sampled_from([inner for inner in place if isinstance(inner, list) and len(inner) > 1]))
    if not place:
        return
    i, j = (data.draw(st.integers(0, len(place) - 1)) for _ in range(2))
    place[i], place[j] = place[j], place[i]
    if not accepted(tight.seen, bent):
        event("rejected")
        return
    event("accepted")
    assert still_true(tight, bent)


def test_covers_that_are_not_enough_are_rejected() -> None:
    """Every coefficient of every cover, halved: rejected exactly if what is left then costs too much."""
    rejected = 0
    for tight in every_certificate():
        for path in numbers(tight.document):
            if path[0] == "claims" and len(path) > 3:
                bent = bent_at(tight.document, path, Fraction(at(tight.document, path)) / 2)
                fits = costs_at_most(tight, bent, path[1])
                assert accepted(tight.seen, bent) is fits, path
                rejected += not fits
    assert rejected > 60


def costs_at_most(tight: Tight, document: Any, n: int) -> bool:
    """The definition, input by input: Σ_{c>0} c·v + Σ_{c<0} |c|·(v − w·1) + what is left, above 0, of wP."""
    model, alpha, claims = tight.seen.model, Fraction(document["alpha"]), document["claims"]
    first = {name: block[0] for block in document.get("merge", []) for name in block}
    (s, t), most, _, given = claims[n]
    for asked, cover in given.items() if isinstance(given, dict) else [(None, given)]:
        left: dict[str, Fraction] = defaultdict(Fraction)
        for state, share in ((s, Fraction(1)), (t, -alpha)):
            for target, p in model.rows[state][asked].items():
                left[first.get(target, target)] += share * p
        cost = Fraction(0)
        for cited, amount in cover:
            (i, j), value, *_ = claims[cited]
            c = Fraction(amount)
            cost += c * Fraction(value) if c >= 0 else -c * (Fraction(value) - (1 - alpha))
            left[i] -= c
            left[j] += c * alpha
        if cost + sum(x for x in left.values() if x > 0) > Fraction(most):
            return False
    return True
