"""A distance is one object: names, refusals, and the one of docs/add-a-distance.md, against brute force."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain.distances import kinds
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.kind import DistanceKind
from deltachain.distances.kinds import KINDS, NAMES, kind_named
from deltachain.errors import InputError, NotConverged
from deltachain.model import Chain
from tests.amounts import fewer_or_all
from tests.reference.strategies import largest_of_strategies

BSD = DistanceKind(
    "bsd",
    symmetric=True,
    complement=True,
    brief="symmetric, at most bd",
    about="sd made symmetric",
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
    with pytest.raises(InputError, match=f"kind: '{kind}' is not one of bd, ld, sd.*{words}|{words}"):
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
    assert "bsd(s0, s1) = 1/5" in found.headline
    assert not found.certified
    with pytest.raises(InputError, match="there is none: the checker has no rules for bsd"):
        found.certificate  # noqa: B018
