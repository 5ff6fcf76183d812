"""Distances where the observer chooses inputs: the largest step over all of them, by one linear program for each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from bench.value_iteration import iterate_from_below
from deltachain import Chain, distance, verify
from deltachain.certificate.record import Certificate
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.kinds.ld import LD
from deltachain.distances.upper_side import Certified
from deltachain.errors import CertificateRejected
from tests.amounts import fewer_or_all
from tests.reference.naive_zero_set import apply_exactly, naive_zero_set
from tests.reference.random_chains import random_chain, random_system
from tests.reference.sharp import sharp_operator
from tests.reference.strategies import Kind

KINDS: list[Kind] = ["bd", "ld", "sd"]
ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3)]
GAP = Fraction(1, 10**9)

Matrix = list[list[Fraction]]


def matrix(found: FixedPoint) -> Matrix:
    states = range(len(found.chain))
    return [[found[s, t] for t in states] for s in states]


def operator(chain: Chain, alpha: Fraction, kind: Kind, d: Matrix) -> Matrix:
    return sharp_operator(chain, alpha, d) if kind == "sd" else apply_exactly(chain, alpha, kind, d)


def from_below(chain: Chain, alpha: Fraction, kind: Kind, rounds: int) -> Matrix:
    """So many applications of the operator to 0, each rounded down: below the least fixed point."""
    d = [[Fraction(int(a != b)) for b in chain.labels] for a in chain.labels]
    for _ in range(rounds):
        d = [[Fraction(int(v * 10**6), 10**6) for v in row] for row in operator(chain, alpha, kind, d)]
    return d


def check(chain: Chain, alpha: Fraction, kind: Kind) -> None:
    """Certified values are upper ones; exact ones a fixed point that is zero where the definition says.

    With inputs there are other fixed points, so leastness is also compared with iteration from below.
    """
    upper = matrix(solve(chain, alpha, kind=kind, exact=False))
    below = from_below(chain, alpha, kind, 8)
    pairs = list(product(range(len(chain)), repeat=2))
    assert all(upper[s][t] >= below[s][t] for s, t in pairs), chain.summary()
    after = operator(chain, alpha, kind, upper)
    assert all(after[s][t] <= upper[s][t] for s, t in pairs), chain.summary()
    zero = naive_zero_set(chain, alpha, "bd" if kind == "bd" else "ld")
    assert {(s, t) for s, t in pairs if upper[s][t] == 0} == zero, chain.summary()
    d = matrix(solve(chain, alpha, kind=kind, exact=True))
    assert operator(chain, alpha, kind, d) == d, chain.summary()
    assert all(d[s][t] <= upper[s][t] <= d[s][t] * (1 + GAP) for s, t in pairs), chain.summary()


def check_many(seed: int, kind: Kind, count: int) -> None:
    random = Random(seed)
    for _ in range(count):
        check(random_system(random), random.choice(ALPHAS), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(1, 5)
def test_against_one_linear_program_a_pair_and_input(seed: int, kind: Kind) -> None:
    check_many(seed, kind, 10)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(100, 110))
def test_on_many_more_systems(seed: int, kind: Kind) -> None:
    check_many(seed, kind, 100)


def with_one_input(chain: Chain, name: str = "go") -> Chain:
    """The same chain, whose observer must say ``name`` at every step."""
    moves = {s: {name: {chain.states[j]: p for j, p in row}} for s, row in zip(chain.states, chain.rows, strict=True)}
    return Chain.from_dicts(moves, dict(zip(chain.states, chain.labels, strict=True)))


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exact", [True, False])
def test_one_input_everywhere_is_no_input(kind: Kind, exact: bool) -> None:
    random = Random(5)
    for _ in range(40):
        chain, alpha = random_chain(random, most_states=6, most_letters=2), random.choice(ALPHAS)
        plain = solve(chain, alpha, kind=kind, exact=exact)
        asked = solve(with_one_input(chain), alpha, kind=kind, exact=exact)
        assert asked.chain.interactive
        assert matrix(asked) == matrix(plain)


@pytest.mark.parametrize("kind", KINDS)
@fewer_or_all("number, least", (20, 1), (60, 11))
def test_another_input_never_lowers(kind: Kind, number: int, least: int) -> None:
    """Without its last inputs, a system lies below; a copy of an input changes nothing."""
    random = Random(6)
    lower = 0
    for _ in range(number):
        chain, alpha = random_system(random), random.choice(ALPHAS)
        fewer = edited(chain, lambda rows: dict(list(rows.items())[:1]))
        copied = edited(chain, lambda rows: rows | {"once more": next(iter(rows.values()))})
        more, less, same = (matrix(solve(c, alpha, kind=kind, exact=True)) for c in (chain, fewer, copied))
        assert same == more
        pairs = list(product(range(len(chain)), repeat=2))
        assert all(less[s][t] <= more[s][t] for s, t in pairs)
        lower += any(less[s][t] < more[s][t] for s, t in pairs)
    assert lower >= least


def edited(chain: Chain, change: object) -> Chain:
    """The system with the rows by input of every state changed."""
    assert callable(change)
    moves = {}
    for s, rows in enumerate(chain.moves):
        by_name = zip(chain.offered(s), rows, strict=True)
        moves[chain.states[s]] = change({name: {chain.states[j]: p for j, p in row} for name, row in by_name})
    return Chain.from_dicts(moves, dict(zip(chain.states, chain.labels, strict=True)))


def value_of_asking(chain: Chain, w: dict[int, Fraction], depth: int) -> Fraction:
    """V_h(w) of a signed belief on one label: (w·1)^+, or the best input's sum over labels of V_{h−1}."""
    best = max(Fraction(0), sum(w.values(), Fraction(0)))
    if depth == 0 or not w:
        return best
    for k in range(len(chain.moves[next(iter(w))])):
        after: dict[str, dict[int, Fraction]] = {}
        for state, share in w.items():
            for j, p in chain.moves[state][k]:
                part = after.setdefault(chain.labels[j], {})
                part[j] = part.get(j, Fraction(0)) + share * p
        best = max(best, sum((value_of_asking(chain, part, depth - 1) for part in after.values()), Fraction(0)))
    return best


def test_every_strategy_is_bounded() -> None:
    random = Random(7)
    for _ in range(40):
        chain, alpha = random_system(random), random.choice(ALPHAS)
        sharp, one_way, both = (solve(chain, alpha, kind=kind, exact=True) for kind in ("sd", "ld", "bd"))
        for (s, t), value in sharp.items():
            a, b = chain.number(s), chain.number(t)
            delta = value_of_asking(chain, {a: Fraction(1), b: -alpha}, 4)
            assert delta <= value <= one_way[s, t] <= both[s, t]


def probe() -> Chain:
    """A bit, and a mode drawn at random. A probe shows the mode; q1 tells the bit with 3/4 in mode 1, q2 in mode 2."""
    rows: dict[str, object] = {"yes": {"yes": 1}, "no": {"no": 1}}
    labels = {"yes": "yes", "no": "no"}
    for bit in (0, 1):
        labels[f"s{bit}"] = "start"
        rows[f"s{bit}"] = {f"c{bit}{mode}": "1/2" for mode in (1, 2)}
        for mode in (1, 2):
            truth = {q: Fraction(3 if q == mode else 2, 4) for q in (1, 2)}
            says = {q: p if bit == 0 else 1 - p for q, p in truth.items()}
            questions = {f"q{q}": {"yes": p, "no": 1 - p} for q, p in says.items()}
            labels[f"c{bit}{mode}"], labels[f"p{bit}{mode}"] = "menu", f"mode {mode}"
            rows[f"c{bit}{mode}"] = questions | {"probe": {f"p{bit}{mode}": 1}}
            rows[f"p{bit}{mode}"] = questions
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("alpha", "value"), [("1", "1/2"), ("3/2", "3/8"), ("2", "1/4")])
def test_the_probe(alpha: str, value: str, kind: Kind) -> None:
    found = distance(probe(), exp_epsilon=alpha, kind=kind)
    assert (found.side, found["s0", "s1"], found["s1", "s0"]) == ("exact", Fraction(value), Fraction(value))
    merged = distance(probe(), exp_epsilon=alpha, kind=kind, quotient=True)
    assert merged.value == Fraction(value)
    document = found.certificate.document
    assert {entry[-1] for entry in document["distances"]["prices"] if entry[0][0] == "c"} <= {"q1", "q2", "probe"}
    covers = {(s, t): cover for (s, t), _, _, cover in document["claims"]}
    assert set(covers["c01", "c11"]) == {"q1", "q2", "probe"}
    assert isinstance(covers["s0", "s1"], list)


def test_larger_systems_are_certified_in_machine_integers() -> None:
    """Sixty states, three inputs: more flows than are rational ones; each input alone lies below."""
    random = Random(8)
    size = 60

    def rows(*inputs: int) -> dict[str, dict[str, dict[str, Fraction]]]:
        return {s: {f"input {k}": {t: Fraction(1, 2) for t in drawn[s][k]} for k in inputs} for s in drawn}

    drawn = {str(s): [random.sample([str(t) for t in range(size)], 2) for _ in range(3)] for s in range(size)}
    labels = {s: random.choice("abc") for s in drawn}
    chain = Chain.from_dicts(rows(0, 1, 2), labels)
    found = solve(chain, Fraction(11, 10), kind="ld", exact=False)
    assert isinstance(found.proof, Certified)
    assert found.proof.whole is not None
    below, _ = iterate_from_below(found.proof.space, LD, rounds=200, change=1e-13)
    values = [float(found.value(pair)) for pair in range(len(found.proof.space))]
    assert values == pytest.approx(below, rel=1e-8)
    for k in range(3):
        alone = solve(Chain.from_dicts(rows(k), labels), Fraction(11, 10), kind="ld", exact=False)
        assert all(value <= found[pair] * (1 + GAP) for pair, value in alone.items())


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_accepted(kind: Kind) -> None:
    """Exact and upper values, of systems as given and merged, as the independent checker sees them."""
    random = Random(9)
    for _ in range(25):
        chain, alpha = random_system(random, most_states=5), random.choice(ALPHAS)
        for exact in (True, False):
            found = distance(chain, pairs="all", exp_epsilon=alpha, kind=kind, exact=exact)
            said = verify(chain, found.certificate) if found.results else []
            assert len(said) == len(found.results) * (1 if kind == "bd" else 2)
    merged = distance(probe(), exp_epsilon="3/2", kind=kind, quotient=True)
    assert "3/8" in str(verify(probe(), merged.certificate)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_tampered_certificates_are_rejected(kind: Kind) -> None:
    """A cover under another input's name, an input left out, prices for another input, a lower value."""
    chain = probe()
    document = distance(chain, exp_epsilon="3/2", kind=kind).certificate.document
    entry = next(i for i, e in enumerate(document["claims"]) if e[0] == ["c01", "c11"])
    prices = document["distances"]["prices"]
    priced = next(i for i, e in enumerate(prices) if e[:2] in (["c01", "c11"], ["c11", "c01"]))
    asked = prices[priced][-1]

    def rejected(change: Callable[[dict[str, Any]], object]) -> None:
        altered = copy.deepcopy(document)
        change(altered)
        with pytest.raises(CertificateRejected):
            verify(chain, Certificate(altered))

    covers = document["claims"][entry][3]
    rejected(lambda d: d["claims"][entry].__setitem__(3, {"q0" if a == "q1" else a: covers[a] for a in covers}))
    rejected(lambda d: d["claims"][entry][3].pop("probe"))
    rejected(lambda d: d["claims"][entry].__setitem__(1, "1/3"))
    rejected(lambda d: d["distances"]["prices"][priced].__setitem__(-1, "q2" if asked != "q2" else "q1"))
    rejected(lambda d: d["distances"]["prices"][priced].pop())
