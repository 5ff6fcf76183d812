"""A distance as a function of α is the distance at every α, for all kinds."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.distances import along_alpha
from deltachain.distances.along_alpha import AlphaPiece, breakpoints, pieces_of
from deltachain.distances.fixed_point import solve
from deltachain.distances.kinds import kind_named
from deltachain.distances.kinds.bd import BD
from deltachain.errors import InputError, NotConverged, UncertainChain
from tests.reference.functions import chain_of, random_functions
from tests.reference.random_chains import random_chain, random_system
from tests.words import refuses, says

ROWS = {
    "0": {"b": "1/3", "c": "2/3"}, "1": {"2": "1/5", "b": "1/5", "c": "3/5"}, "2": {"3": "1/2", "b": "1/2"},
    "3": {"b": "1/4", "c": "3/4"}, "b": {"b": 1}, "c": {"c": 1},
}  # fmt: skip
SIX = Chain.from_dicts(ROWS, labels={s: s if s in "bc" else "a" for s in ROWS})
"""The six states of docs/theory/open-questions.md, whose bd rises."""


def value_of(pieces: list[AlphaPiece], alpha: Fraction) -> Fraction | None:
    """What the pieces say at α; None at a breakpoint where they say nothing."""
    for piece in pieces:
        if piece.start.high < alpha < piece.end.low:
            return piece.formula.at(alpha)
        for end, holds in ((piece.start, piece.at_start), (piece.end, piece.at_end)):
            if holds and end.low == end.high == alpha:
                return piece.formula.at(alpha)
    return None


def test_the_six_states_from_1_to_4() -> None:
    pieces = pieces_of(SIX, (1, 2), Fraction(1), Fraction(4), BD)
    assert [piece.formula.text("α") for piece in pieces] == [
        "(−3α^2 + 4α + 44)/60",
        "11/15",
        "(30α − 31)/(40α − 40)",
    ]
    assert [(place.low, place.high) for place in breakpoints(pieces)] == [(Fraction(4, 3),) * 2, (Fraction(5, 2),) * 2]
    assert value_of(pieces, Fraction(2)) == Fraction(11, 15)
    assert value_of(pieces, Fraction(3)) == Fraction(59, 80)
    random = Random("six")
    for _ in range(200):
        alpha = Fraction(random.randint(1001, 3999), 1000)
        assert value_of(pieces, alpha) == solve(SIX, alpha, pairs=[(1, 2)], exact=True)[1, 2]


def compare(chain: Chain, kind: str, random: Random, points: int) -> None:
    """The pieces of every pair lie side by side, and agree with the distance at random points and breakpoints."""
    low, high = Fraction(1), Fraction(4)
    for block in chain.by_label.values():
        for s, t in [(s, t) for s in block for t in block if s < t][:3]:
            pieces = pieces_of(chain, (s, t), low, high, kind_named(kind))
            assert pieces[0].start == (low, low)
            assert pieces[-1].end == (high, high)
            assert all(one.end == two.start for one, two in pairwise(pieces))
            assert all(one.formula != two.formula or not (one.at_end or two.at_start) for one, two in pairwise(pieces))
            alphas = [low + (high - low) * Fraction(random.randint(0, 10**4), 10**4) for _ in range(points)]
            for place in breakpoints(pieces):
                alphas += [place.low, place.high] if place.low == place.high else []
                beside = Fraction(1, 1000)
                alphas += [place.low - beside, place.high + beside]
            for alpha in alphas:
                if low <= alpha <= high and (found := value_of(pieces, alpha)) is not None:
                    assert found == solve(chain, alpha, kind=kind, pairs=[(s, t)], exact=True)[s, t], (s, t, alpha)


@pytest.mark.seeds(8, 60)
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_random_chains(kind: str, seed: int) -> None:
    random = Random(f"along alpha {seed}")
    chain = random_system(random, most_states=3) if seed % 4 == 3 else random_chain(random, most_states=5)
    compare(chain, kind, random, 3)


def test_the_chain_with_many_fixed_points() -> None:
    """At α = 2 bd is not the only fixed point of Γ (docs/theory/fixed-points.md); it is followed all the same."""
    rows = {"0": {"0": "1/2", "2": "1/4", "h": "1/4"}, "1": {"0": "1/12", "2": "19/24", "h": "1/8"},
            "2": {"0": "1/4", "1": "11/16", "h": "1/16"}, "h": {"h": 1}}  # fmt: skip
    chain = Chain.from_dicts(rows, labels={s: "h" if s == "h" else "a" for s in rows})
    compare(chain, "bd", Random("fixed points"), 20)


def test_what_cannot_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="not an interval"):
        pieces_of(SIX, (1, 2), Fraction(1, 2), Fraction(4), BD)
    with refuses(NotConverged, "more than"):
        pieces_of(SIX, (1, 2), Fraction(1), Fraction(4), BD, max_pieces=2)
    rows, labels = random_functions(Random("not fractions"))
    chain = chain_of(rows, labels)
    with refuses(UncertainChain, "rational function of"):
        pieces_of(chain, (0, 1), Fraction(1), Fraction(2), BD)
    monkeypatch.setattr(along_alpha, "MAX_EQUATIONS", 0)
    with pytest.raises(NotConverged, match="linear system"):
        pieces_of(SIX, (1, 2), Fraction(1), Fraction(4), BD)


def test_a_curve_as_a_value() -> None:
    found = dc.distance_curve(SIX, "1", "2", alphas=(1, 4))
    assert says(found.headline)
    assert dict(found.values)[Fraction(5, 2)] == found.at("5/2") == Fraction(11, 15)
    assert (found.at(3), found.at(1)) == (Fraction(59, 80), dict(found.values)[Fraction(1)])
    coin = dc.distance_curve(dc.examples.coin(), alphas=("1", "2"), kind="ld")
    assert "rises" not in coin.headline
    with refuses(InputError, "is not in"):
        found.at(5)
    for pair, alphas, said in (
        (("1", "b"), (1, 2), "same for every"),
        (("1", "2"), (2, 2), "empty"),
        ((), (1, 2), "pair"),
    ):
        with pytest.raises(InputError, match=said):
            dc.distance_curve(SIX, *pair, alphas=alphas)
