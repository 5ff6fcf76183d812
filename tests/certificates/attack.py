"""Random attacks on certificates of today: whatever is changed, what is still accepted is true.

Chains end after a few letters, so that words give the truth exactly: of δ, of ratios, of divergences, trade-offs and
guesses. Distances, and δ of chains with circles, are compared with what the engine finds, which other tests compare
with linear programs.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf, log
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc
from deltachain import Chain
from deltachain.certificate.verification import Seen, parsed_text
from deltachain.errors import CertificateRejected, DeltachainError
from deltachain_checker import Claim
from deltachain_checker.certificate import FORMAT
from tests.fuzz.driver import FuzzClass
from tests.reference.enumerate_events import word_probabilities
from tests.reference.interactive import lv_of_system
from tests.reference.random_chains import random_chain

from .live import Path, at, changed, numbers, references, text, written

ZERO = Fraction(0)
DEPTH = 4
"""Letters after the first until all runs have ended."""
NEAR = 1e-9
"""Of logarithms, in floating point."""
ABOUT = (
    "delta",
    "delta",
    "circles",
    "circles",
    "asking",
    "bd",
    "ld",
    "sd",
    "profile",
    "profile",
    "guess",
    "ratio",
    "ratio",
)
CHANGES = 20
"""Attacks on each certificate."""


def ending_chain(random: Random) -> Chain:
    """Layers of states, each of which leads to later ones; the last stay where they are."""
    sizes = [random.randint(2, 3), *(random.randint(1, 4) for _ in range(DEPTH - 2)), random.randint(1, 3)]
    starts = [sum(sizes[:layer]) for layer in range(len(sizes) + 1)]
    rows: list[dict[int, Fraction]] = []
    labels: list[str] = []
    for layer, size in enumerate(sizes):
        for state in range(starts[layer], starts[layer] + size):
            last = layer + 1 == len(sizes)
            later = [state] if last else [*range(starts[layer + 1], starts[-1])]
            thrown = [random.choice(later) for _ in range(random.randint(1, 5))]
            rows.append({j: Fraction(thrown.count(j), len(thrown)) for j in {*thrown}})
            labels.append(random.choice("ab") if layer else "a")
    return Chain.from_rows(rows, labels)


def asking_chain(random: Random) -> Chain:
    """The same, of an observer who asks."""
    plain = [ending_chain(random) for _ in range(2)]
    first = plain[0]
    size, count = len(first), {letter: random.randint(1, 2) for letter in "ab"}
    rows: dict[str, dict[str, dict[str, Fraction]]] = {}
    for s in range(size):
        stays = dict(first.rows[s]) == {s: 1}
        later = [s] if stays else [*range(min(j for j, _ in first.rows[s]), size)]
        rows[str(s)] = {}
        for k in range(count[first.labels[s]]):
            thrown = [random.choice(later) for _ in range(random.randint(1, 3))]
            rows[str(s)][f"ask {k}"] = {str(j): Fraction(thrown.count(j), len(thrown)) for j in {*thrown}}
    return Chain.from_dicts(rows, {str(s): first.labels[s] for s in range(size)})


def pair_of(chain: Chain, random: Random) -> tuple[int, int]:
    """Two states of one label, of the first layer most often."""
    alike = [(s, t) for s, t in product(range(len(chain)), repeat=2) if s != t and chain.labels[s] == chain.labels[t]]
    return random.choice([pair for pair in alike if max(pair) < 3] or alike)


def proof_about(chain: Chain, about: str, random: Random) -> Any:
    """A certificate of the engine."""
    s, t = pair_of(chain, random)
    alpha = random.choice([Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2)])
    if about in ("delta", "asking", "circles"):
        return dc.delta(chain, s, t, exp_epsilon=alpha, max_nodes=random.choice([1000, 1000, 6, 3])).certificate
    if about in ("bd", "ld", "sd"):
        return dc.distance(chain, s, t, exp_epsilon=alpha, kind=about, exact=True).certificate  # type: ignore[arg-type]
    if about == "profile":
        with TemporaryDirectory() as folder:
            return dc.profile(
                chain, s, t, epsilons=[0], orders=["2", "5/2"], kl=True, tradeoff=True, certificates=folder
            ).certificate
    if about == "guess":
        return dc.guess(chain, [s, t]).certificate
    return dc.epsilon(chain, s, t, delta=0, certificate=True).certificate


# The truth


class Unknown(Exception):
    """Nothing finds the number exactly."""


@dataclass(frozen=True)
class Truth:
    """What words say of a chain that ends; of δ of a chain with circles, what another search finds."""

    chain: Chain
    circles: bool = False

    @cached_property
    def known(self) -> dict[Any, Any]:
        return {}

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        if key not in self.known:
            self.known[key] = find()
        return self.known[key]

    def outcomes(self, states: Sequence[str]) -> list[tuple[Fraction, ...]]:
        """The masses of all whole words from each of these states."""
        each = [
            self.once(state, lambda state=state: word_probabilities(self.chain, state, DEPTH + 1)) for state in states
        ]
        return [tuple(masses.get(word, Fraction(0)) for masses in each) for word in {*each[0]}.union(*each[1:])]

    def delta(self, s: str, t: str, alpha: Fraction) -> Fraction:
        if s == t:
            return ZERO
        if self.chain.labels[self.chain.number(s)] != self.chain.labels[self.chain.number(t)]:
            return Fraction(1)
        if self.circles:
            return self.once((s, t, alpha), lambda: self.found(s, t, alpha))  # type: ignore[no-any-return]
        if self.chain.interactive:
            known = (self.once((*way, alpha), lambda way=way: self.gain(*way, alpha)) for way in ((s, t), (t, s)))
            return max(known)  # type: ignore[no-any-return]
        both = self.outcomes((s, t))
        return max(sum((max(x - alpha * y, ZERO) for x, y in way), ZERO) for way in (both, [(y, x) for x, y in both]))

    def found(self, s: str, t: str, alpha: Fraction) -> Fraction:
        """By a search of its own, which must be exact."""
        bound = dc.delta(self.chain, s, t, exp_epsilon=alpha, max_nodes=2000, check=False)
        if not bound.exact:
            raise Unknown
        return bound.lower

    def gain(self, s: str, t: str, alpha: Fraction) -> Fraction:
        """Of who asks, from s against t."""
        return lv_of_system(self.chain, s, t, alpha, DEPTH + 1)

    def distance(self, s: str, t: str, alpha: Fraction, kind: Any) -> Fraction:
        if s == t:
            return ZERO
        if self.chain.labels[self.chain.number(s)] != self.chain.labels[self.chain.number(t)]:
            return Fraction(1)

        def find() -> Any:
            return dc.distance(self.chain, s, t, exp_epsilon=alpha, kind=kind, exact=True, check=False)[s, t]

        return self.once((s, t, kind, alpha), find)  # type: ignore[no-any-return]

    def require(self, claim: Claim) -> None:
        """AssertionError where a claim is false."""
        s, t = claim.subject[:2]
        if claim.measure in ("delta", "bd", "ld", "sd"):
            for side, bound in (("lower", claim.lower), ("upper", claim.upper)):
                alpha = claim.at[0] if side == "upper" else claim.at[-1]
                true = (
                    self.delta(s, t, alpha) if claim.measure == "delta" else self.distance(s, t, alpha, claim.measure)
                )
                assert bound is None or (bound <= true if side == "lower" else true <= bound), (claim, true)
        elif claim.measure == "ratio":
            self.require_ratio(claim)
        else:
            self.require_measure(claim)

    def require_ratio(self, claim: Claim) -> None:
        s, t = claim.subject
        alike = self.chain.labels[self.chain.number(s)] == self.chain.labels[self.chain.number(t)]
        both = self.outcomes((s, t))
        alone = max(sum((x for x, y in way if not y), Fraction(0)) for way in (both, [(y, x) for x, y in both]))
        if claim.infinite:
            assert alone > 0
            assert claim.terms.get("delta", 0) <= alone, (claim, alone)
            return
        assert "delta" not in claim.terms
        most = None if alone else max(max(x / y, y / x) for x, y in both)
        assert claim.upper is None or (alike and most is not None and most <= claim.upper), (claim, most)
        assert claim.lower is None or most is None or claim.lower <= most, (claim, most)

    def require_measure(self, claim: Claim) -> None:
        outcomes = self.outcomes(claim.subject)
        if claim.measure == "guess":
            true = sum((self.worth(claim, each) for each in outcomes), Fraction(0))
            assert claim.lower <= true
            assert claim.upper is None or true <= claim.upper, (claim, true)
            return
        live = [(x, y) for x, y in outcomes if x]
        if claim.measure == "tradeoff":
            assert claim.terms["corners"] == corners(outcomes), claim
            return
        if not all(y for _, y in live):
            assert claim.upper is None, claim
            return
        assert not claim.infinite
        if claim.measure == "kl":
            near = sum(float(x) * log(x / y) for x, y in live)
        else:
            order = claim.terms["order"]
            near = log(sum(float(y) * float(x / y) ** float(order) for x, y in live)) / (float(order) - 1)
            moment = claim.terms.get("moment")
            assert moment is None or moment == sum(x**order / y ** (order - 1) for x, y in live), claim
        assert float(claim.lower) <= near + NEAR, (claim, near)
        assert (inf if claim.upper is None else float(claim.upper)) >= near - NEAR, (claim, near)

    def worth(self, claim: Claim, outcome: tuple[Fraction, ...]) -> Fraction:
        """Of the best guess after a word."""
        weighted = [p * x for p, x in zip(claim.terms["prior"], outcome, strict=True)]
        if "gains" in claim.terms:
            return max(
                sum((g * w for g, w in zip(row, weighted, strict=True)), Fraction(0)) for row in claim.terms["gains"]
            )
        return sum(sorted(weighted)[-claim.terms["guesses"] :], Fraction(0))


def corners(outcomes: Sequence[tuple[Fraction, ...]]) -> list[tuple[Fraction, Fraction]]:
    """Of the best tests: what is given away for all words with x/y up to a ratio, by rising ratios."""
    found = [(Fraction(0), Fraction(1))]
    ratios = sorted({inf if not y else x / y for x, y in outcomes if x or y})
    for ratio in ratios:
        here = [(x, y) for x, y in outcomes if (x or y) and (inf if not y else x / y) == ratio]
        a, b = found[-1]
        found.append((a + sum((x for x, _ in here), Fraction(0)), b - sum((y for _, y in here), Fraction(0))))
    return found


# Attacks


def attacked(document: Any, random: Random) -> Any:
    """The document after one change: of a number, a reference, a name, an entry, or of all numbers of a part."""
    how = random.choice(
        ["number", "number", "number", "reference", "bound", "bound", "scaled", "entry", "entry", "name"]
    )
    every = [*numbers(document)]
    if how == "scaled":
        part = random.choice(sorted({path[0] for path in every} | {"values"}))
        factor = random.choice([Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), Fraction(2), Fraction(0)])
        document = copy.deepcopy(document)
        for path in every:
            if path[0] == part or (path[0] == "proves" and path[-1] in ("lower", "upper") and random.random() < 0.8):
                at(document, path[:-1])[path[-1]] = text(Fraction(at(document, path)) * factor)
        return document
    if how in ("number", "bound"):
        chosen = [path for path in every if how == "number" or path[-1] in ("lower", "upper") or path[0] == "values"]
        return moved(document, random.choice(chosen or every), random) if every else document
    if how == "reference":
        chosen = [*references(document)]
        if not chosen:
            return document
        path = random.choice(chosen)
        return changed(document, path, random.choice([0, 1, 2, at(document, path) + 1, at(document, path) - 1]))
    return rearranged(copy.deepcopy(document), random, names=how == "name")


def moved(document: Any, path: Path, random: Random) -> Any:
    """Another number there."""
    if path[0] == "alpha":  # of longer numbers, exact distances take long
        return changed(document, path, random.choice(["1", "11/10", "6/5", "3/2", "2", "3", "1/2", "0", "-1"]))
    old = Fraction(at(document, path))
    tiny = Fraction(random.choice([-1, 1]), 10 ** random.choice([2, 9, 40]))
    new = [old + tiny, old + tiny, old / 2, 2 * old, old + 1, old - 1, -old, 1 - old, Fraction(0), Fraction(1)]
    return changed(document, path, text(random.choice(new)))


def rearranged(document: Any, random: Random, *, names: bool) -> Any:
    """An entry is left out, comes twice, changes places with another, or becomes another; or one name another."""
    spots: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        top = waiting.pop()
        inside = top.items() if isinstance(top, dict) else enumerate(top) if isinstance(top, list) else ()
        for key, value in inside:
            if not (top is document and key in ("format", "model")):
                spots.append((top, key))
                waiting.append(value)
    if names:
        spots = [(top, key) for top, key in spots if isinstance(top[key], str)]
    if not spots:
        return document
    top, key = random.choice(spots)
    like = [(other, k) for other, k in spots if type(other[k]) is type(top[key])]
    other, k = random.choice(like)
    choice = random.randrange(4)
    if names or choice == 0:
        top[key] = copy.deepcopy(other[k])
    elif choice == 1:
        del top[key]
    elif choice == 2 and isinstance(top, list):
        top.append(copy.deepcopy(top[key]))
    elif isinstance(top, list) and len(top) > 1:
        j = random.randrange(len(top))
        top[key], top[j] = top[j], top[key]
    return document


def random_case(random: Random) -> dict[str, Any]:
    """What a case is drawn from."""
    return {"seed": random.randrange(2**40), "about": random.choice(ABOUT)}


def drawn(case: dict[str, Any]) -> tuple[Chain, Any]:
    """The chain, and the engine's certificate of today, as plain JSON values."""
    random = Random(case["seed"])
    while True:
        if case["about"] == "circles":
            chain = random_chain(random, most_states=6, most_letters=2)
        else:
            chain = (asking_chain if case["about"] == "asking" else ending_chain)(random)
        try:
            proof = proof_about(chain, case["about"], random)
        except (DeltachainError, IndexError):
            continue
        if proof is not None and (document := written(proof))["format"] == FORMAT:
            return chain, document


def attack(case: dict[str, Any]) -> dict[str, int]:
    """How many changed certificates were rejected, and how many were accepted and are true."""
    chain, document = drawn(case)
    random, seen, truth = Random(f"{case['seed']} attacks"), Seen(chain), Truth(chain, case["about"] == "circles")
    try:
        for claim in seen.verify(parsed_text(json.dumps(document))):
            truth.require(claim)
    except Unknown:
        return {"unknown": 1}
    ended = {"rejected": 0, "true": 0}
    for _ in range(CHANGES):
        bent = document
        for _ in range(random.choice([1, 1, 2, 3])):
            try:
                bent = attacked(bent, random)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError):
                break  # what was changed before is no certificate any more, so that no numbers are found in it
        try:
            claims = seen.verify(parsed_text(json.dumps(bent)))
        except CertificateRejected:
            ended["rejected"] += 1
            continue
        try:
            for claim in claims:
                truth.require(claim)
        except Unknown:
            continue
        ended["true"] += bent != document
    return ended


def check_case(case: dict[str, Any]) -> str:
    """AssertionError if something false is accepted."""
    ended = attack(case)
    return f"{case['about']}, {'some' if ended.get('true') else 'none'} accepted"


CASES = [FuzzClass("attacks on certificates", random_case, check_case)]
