"""A distance is one object: names, refusals, and the one of docs/add-a-distance.md, against brute force."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain.distances import kinds
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.kind import COMPLEMENT, PLAIN, DistanceKind
from deltachain.distances.kinds import KINDS, NAMES, kind_named
from deltachain.distances.kinds.bd import BD
from deltachain.distances.operators import apply_operator
from deltachain.distances.pair_function import read_pair_function
from deltachain.errors import InputError, NotConverged
from deltachain.model import Chain
from tests.amounts import fewer_or_all
from tests.reference.random_chains import random_chain, random_system
from tests.reference.strategies import largest_of_strategies
from tests.words import refuses, says

BSD = DistanceKind(
    "bsd",
    brief="symmetric, at most bd",
    about="sd made symmetric",
    constraints=(PLAIN, COMPLEMENT),
    directions="both",
    checked=False,
)


def test_every_kind_is_found_by_its_name() -> None:
    assert NAMES == ("bd", "ld", "sd")
    assert [kind_named(kind.name) for kind in KINDS] == list(KINDS)
    assert kind_named(BSD) is BSD


@pytest.mark.parametrize(
    ("kind", "words"),
    [("tv", "δ at ε = 0: ask for delta"), ("TV", "ask for delta"), ("delta", "ask for delta"), ("xx", "bd, ld, sd$")],
)
def test_what_is_no_distance_here(kind: str, words: str) -> None:
    with refuses(InputError, "is not one"):
        dc.distance(dc.examples.coin(), exp_epsilon=2, kind=kind)


def small_chain(random: Random, alpha: Fraction) -> Chain:
    """Four states, three of one label, of multiples of 1/(1 + α): ties are frequent."""
    whole = (1 + alpha).numerator
    rows = []
    for _ in range(3):
        row: dict[int, Fraction] = {}
        for _ in range(whole):
            target = random.randrange(4)
            row[target] = row.get(target, Fraction(0)) + Fraction(1, whole)
        rows.append(row)
    return Chain.from_rows([*rows, {3: Fraction(1)}], ["a", "a", "a", "h"])


@pytest.mark.sample(3)
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)], ids=str)
@fewer_or_all("number", 4, 25)
def test_another_distance_needs_nothing_else(alpha: Fraction, number: int) -> None:
    """Exact, certified on both sides, and between sd and bd."""
    random = Random(str(alpha))
    for _ in range(number):
        chain = small_chain(random, alpha)
        wanted = largest_of_strategies(chain, alpha, "bsd")
        found = solve(chain, alpha, kind=BSD, exact=True)
        assert {pair: found[pair] for pair in wanted} == wanted, (chain.summary(), alpha)
        bd, sd = (solve(chain, alpha, kind=name, exact=True) for name in ("bd", "sd"))
        upper = solve(chain, alpha, kind=BSD, exact=False)
        for pair, value in wanted.items():
            assert max(sd[pair], sd[pair[::-1]]) <= value <= bd[pair]
            assert value <= upper[pair] <= value * (1 + Fraction(1, 10**9))
        if not any(value > 0 for value in wanted.values()):
            continue
        with pytest.raises(NotConverged) as reason:
            solve(chain, alpha, kind=BSD, exact=True, max_equations=0)
        both = reason.value.upper
        assert isinstance(both, FixedPoint)
        for pair, value in wanted.items():
            lowers = both.lowers(pair)
            assert lowers is not None
            assert lowers[0] <= value <= both[pair]


def test_one_line_makes_it_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, BSD))
    found = dc.distance(dc.examples.build("split-coin"), exp_epsilon="6/5", kind="bsd")
    assert (found.kind, found.directed, found.value) == ("bsd", False, Fraction(1, 5))
    assert says(found.headline, "bsd(s0")
    assert not found.certified
    with refuses(InputError, "none: the checker"):
        found.certificate  # noqa: B018


@pytest.mark.seeds(12, 200)
@pytest.mark.parametrize("kind", [*KINDS, BSD], ids=lambda kind: kind.name)
def test_a_discount_is_that_of_a_chain_that_ends(kind: DistanceKind, seed: int) -> None:
    """As a kind, and as a chain that goes to one common end with probability 1 − β at every step."""
    random = Random(f"discount {seed}")
    alpha, discount = (
        random.choice([Fraction(1), Fraction(6, 5), Fraction(2)]),
        random.choice([Fraction(9, 10), Fraction(1, 2)]),
    )
    chain = random_system(random) if seed % 4 == 3 else random_chain(random, most_states=6)
    less = kind.at_discount(discount)
    found = solve(chain, alpha, kind=less, exact=True)
    ending = solve(dc.with_discount(chain, discount), alpha, kind=kind, exact=True)
    whole = solve(chain, alpha, kind=kind, exact=True)
    for pair, value in found.items():
        assert value == ending[pair]
        assert value <= whole[pair]
        assert (value == 0) == (whole[pair] == 0)
    image = apply_operator(chain, read_pair_function(chain, dict(found.items())), alpha, less)
    assert dict(image.items()) == {pair: found[pair] for pair, _ in image.items()}
    upper = solve(chain, alpha, kind=less, exact=False)
    assert all(value <= upper[pair] <= value * (1 + Fraction(1, 10**9)) for pair, value in found.items())


def test_discounts_that_there_are_not() -> None:
    for wrong in (Fraction(0), Fraction(2)):
        with refuses(ValueError, "and at most"):
            BD.at_discount(wrong)
    with refuses(ValueError, "rules for discounted"):
        DistanceKind("x", "x", "x", discount=Fraction(1, 2))
