"""`solve`: what it accepts, what it answers at the edges, and how it refuses."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from deltachain import distance, examples, verify
from deltachain.cancel import Cancel
from deltachain.distances import fixed_point
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.upper_side import Certified
from deltachain.errors import InputError, NotConverged, UnknownState
from deltachain.model import Chain
from tests.reference.strategies import Kind
from tests.words import refuses, says

COIN = Chain.from_dicts(
    {"s": {"h": "3/4", "t": "1/4"}, "u": {"h": "1/3", "t": "2/3"}, "h": {"h": 1}, "t": {"t": 1}},
    labels={"s": "start", "u": "start", "h": "heads", "t": "tails"},
)
KINDS: list[Kind] = ["bd", "ld"]


@pytest.mark.parametrize("exact", [True, False, None])
@pytest.mark.parametrize("kind", KINDS)
def test_the_edges(kind: Kind, exact: bool | None) -> None:
    found = solve(COIN, Fraction(3, 2), kind=kind, exact=exact)
    assert found["s", "h"] == found["h", "t"] == 1, "different labels"
    assert found["s", "s"] == found["h", "h"] == 0
    assert found["s", "u"] == found[0, 1]
    with pytest.raises(UnknownState):
        found["s", "nobody"]
    assert [pair for pair, _ in found.items()] == ([("s", "u")] if kind == "bd" else [("s", "u"), ("u", "s")])


def test_kinds_by_hand() -> None:
    alpha = Fraction(3, 2)
    ld = solve(COIN, alpha, kind="ld")
    assert (ld["s", "u"], ld["u", "s"]) == (Fraction(1, 4), Fraction(7, 24))
    assert solve(COIN, alpha)["u", "s"] == Fraction(7, 24)
    assert solve(COIN, alpha).side == "exact"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(5), Fraction(10**40)])
def test_a_single_state(kind: Kind, alpha: Fraction) -> None:
    chain = Chain.from_dicts({"s": {"s": 1}}, labels={"s": "a"})
    for exact in (True, False):
        found = solve(chain, alpha, kind=kind, exact=exact)
        assert found["s", "s"] == 0
        assert list(found.items()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_label_is_private(kind: Kind) -> None:
    chain = Chain.from_rows([{1: "1/3", 2: "2/3"}, {0: 1}, {0: "1/2", 2: "1/2"}], ["a", "a", "a"])
    assert {value for _, value in solve(chain, Fraction(1), kind=kind).items()} == {0}


@pytest.mark.parametrize("kind", KINDS)
def test_deterministic_rows_and_cycles(kind: Kind) -> None:
    """Two cycles of length 2 and 3 with one odd label each: they differ for sure, whatever α."""
    chain = Chain.from_rows([{1: 1}, {0: 1}, {3: 1}, {4: 1}, {2: 1}], list("abaab"))
    for alpha in (Fraction(1), Fraction(2), Fraction(10**6)):
        found = solve(chain, alpha, kind=kind, exact=True)
        assert found[0, 2] == found[1, 4] == 1
        assert found[2, 3] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_absorbing_starts(kind: Kind) -> None:
    chain = Chain.from_rows([{0: 1}, {1: 1}, {0: "1/2", 2: "1/2"}], ["a", "a", "a"])
    assert solve(chain, Fraction(1), kind=kind, pairs=[(0, 1)])[0, 1] == 0
    assert solve(chain, Fraction(1), kind=kind, pairs=[(2, 1)])[2, 1] == 0


def test_pairs_that_were_not_asked() -> None:
    chain = examples.dining_cryptographers(n=3)
    s0, s1 = chain.number("s0"), chain.number("s1")
    found = solve(chain, Fraction(2), pairs=[(s0, s1)])
    with pytest.raises(InputError, match="not computed"):
        found["s0", "s2"]
    assert found["s0", "s0"] == 0


def test_no_pairs_and_pairs_of_different_labels() -> None:
    assert list(solve(COIN, Fraction(2), pairs=[]).items()) == []
    assert solve(COIN, Fraction(2), pairs=[(0, 2)])["s", "h"] == 1
    assert solve(COIN, Fraction(2), pairs=[(0, 0)])["s", "s"] == 0


def test_alpha_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="below 1"):
        solve(COIN, Fraction(99, 100))


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_point, "MAX_PAIRS", 3)
    with refuses(InputError, "same-label pairs, above"):
        solve(COIN, Fraction(2))


SLOW = Chain.from_dicts(
    {
        "s": {"s2": "999999999999/1000000000000", "h": "1/1000000000000"},
        "s2": {"s": 1},
        "u": {"u2": "499999999999/500000000000", "h": "1/500000000000"},
        "u2": {"u": 1},
        "h": {"h": 1},
    },
    labels={"s": "a", "s2": "b", "u": "a", "u2": "b", "h": "h"},
)
"""A cycle that leaks 10^-12 a round: floats cannot see where it ends."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_runs_out_leaves_the_certified_value(kind: Kind) -> None:
    chain = examples.random(n=12, seed=3)
    alpha = Fraction(11, 10)
    exact = solve(chain, alpha, kind=kind, exact=True)
    with refuses(NotConverged, "above the limit") as caught:
        solve(chain, alpha, kind=kind, exact=True, max_equations=2)
    upper = caught.value.upper
    assert isinstance(upper, FixedPoint)
    assert upper.side == "upper"
    for (s, t), value in exact.items():
        assert value <= upper[s, t] <= value * (1 + Fraction(1, 10**9))
        lowers = upper.lowers((chain.number(s), chain.number(t)))
        assert lowers is not None
        assert value * (1 - Fraction(1, 10**9)) <= lowers[0] <= value
    # Not asked for exactly, the same budget gives that upper value without complaint.
    quiet = solve(chain, alpha, kind=kind, exact=None, max_equations=2)
    assert quiet.side == "upper"
    assert dict(quiet.items()) == dict(upper.items())


@pytest.mark.parametrize("kind", KINDS)
def test_where_floats_are_too_coarse_exact_arithmetic_steps_in(kind: Kind) -> None:
    exact = solve(SLOW, Fraction(3, 2), kind=kind, exact=True)
    assert solve(SLOW, Fraction(3, 2), kind=kind, exact=False)["s", "u"] == exact["s", "u"]
    assert exact.sharp
    # Without that either, there is a certified value, which says that it is not sharp.
    upper = solve(SLOW, Fraction(3, 2), kind=kind, exact=False, max_equations=1)
    assert isinstance(upper.proof, Certified)
    assert not upper.sharp
    for (s, t), value in exact.items():
        assert value <= upper[s, t] <= 1
    with refuses(NotConverged, "within a relative") as caught:
        solve(SLOW, Fraction(3, 2), kind=kind, exact=True, max_equations=1)
    both = caught.value.upper
    assert isinstance(both, FixedPoint)
    assert dict(both.items()) == dict(upper.items())
    for (s, t), value in exact.items():
        lowers = both.lowers((SLOW.number(s), SLOW.number(t)))
        assert lowers is not None
        assert 0 <= lowers[0] <= value


def test_an_upper_value_is_an_answer_unless_the_exact_one_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """`distance(…, exact=False)` and the command answer alike where neither floats nor exact arithmetic suffice."""
    real = fixed_point.solve

    def small(*given: object, **named: object) -> object:
        return real(*given, **(named | {"max_equations": 1}))  # type: ignore[arg-type]

    monkeypatch.setattr("deltachain.measures.distance.verb.solve", small)
    for exact in (False, None):
        found = distance(SLOW, "s", "u", kind="sd", exp_epsilon="3/2", exact=exact)
        assert found.side == "upper"
        assert not found.sharp
        assert verify(SLOW, found.certificate)


def test_progress_is_reported() -> None:
    lines: list[str] = []
    solve(examples.random(n=12, seed=3), Fraction(11, 10), exact=False, cancel=Cancel(report=lines.append))
    assert any(says(line, "pairs of distance") for line in lines)
    assert any(re.fullmatch(r"round 1: largest improvement \d+e[-+]\d+", line) for line in lines)
    assert any(line.startswith("checking") for line in lines)


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_pair_of_a_large_chain_is_bounded_by_what_it_reaches(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The states 0 to 3 lead to each other alone; the others, of the same labels, could be stepping stones."""
    few = [{1: "1/2", 2: "1/2"}, {0: "1/3", 3: "2/3"}, {3: 1}, {2: "1/4", 1: "3/4"}]
    many = [{(k + 1) % 12: "1/2", k: "1/2"} for k in range(4, 12)]
    chain = Chain.from_rows([*few, *many], list("aabb" * 3))
    alone = Chain.from_rows(few, list("aabb"))
    alpha = Fraction(6, 5)
    everywhere = solve(chain, alpha, kind=kind, pairs=[(0, 1)], exact=True)[0, 1]
    monkeypatch.setattr(fixed_point, "MANY_PAIRS", 20)
    nearby = solve(chain, alpha, kind=kind, pairs=[(0, 1)])
    assert nearby.side == "upper"
    assert nearby.proof.space.states == (0, 1, 2, 3)
    assert everywhere <= nearby[0, 1] == solve(alone, alpha, kind=kind)[0, 1]
    with refuses(NotConverged, "stepping stones, above") as refused:
        solve(chain, alpha, kind=kind, pairs=[(0, 1)], exact=True)
    assert isinstance(refused.value.upper, FixedPoint)
    assert refused.value.upper[0, 1] == nearby[0, 1]
    assert refused.value.upper.lower is None  # exact for the part alone, it says nothing from below about the whole
