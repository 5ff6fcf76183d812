"""Strategy improvement ends at the distance: against brute force over all strategies, and on chains made of ties."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from deltachain import Chain, examples, verify
from deltachain.cancel import Cancel
from deltachain.certificate.distances import DistanceEvidence
from deltachain.distances.closure import close
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.improvement import attain, solve_exactly
from deltachain.distances.kinds.bd import BD
from deltachain.distances.lower_side import certify_lower, find_ranks
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import FloatPoint, find_policy, nodes_of
from deltachain.distances.upper_side import certify
from deltachain.distances.zero_set import ZeroSet, zero_set
from deltachain.errors import NotConverged
from tests.amounts import fewer_or_all
from tests.reference.strategies import Kind, largest_of_strategies
from tests.words import refuses

F = Fraction
ALPHAS = [F(5, 4), F(4, 3), F(3, 2), F(2), F(3)]


def chain_of(rows: list[list[Fraction]], labels: str) -> Chain:
    """A chain from full rows; states beyond them are absorbing, with labels of their own."""
    absorbing = [{i: F(1)} for i in range(len(rows), len(labels))]
    return Chain.from_rows([*({j: p for j, p in enumerate(row) if p} for row in rows), *absorbing], list(labels))


FOUR = [[F(1, 2), F(0), F(1, 4), F(1, 4)], [F(1, 12), F(0), F(19, 24), F(1, 8)], [F(1, 4), F(11, 16), F(0), F(1, 16)]]
"""Γ has other fixed points than bd: (M, 1/8 + M/4, M) for every M from 1/30 to 1/22 (docs/theory/fixed-points.md)."""

GOLDEN = [
    (FOUR, F(2), (F(1, 30), F(2, 15), F(1, 30))),
    (
        [
            [F(77, 150), F(0), F(43, 150), F(1, 5)],
            [F(9, 100), F(0), F(81, 100), F(1, 10)],
            [F(47, 200), F(143, 200), F(0), F(1, 20)],
        ],
        F(2),
        (F(10, 1067), F(10, 97), F(10, 1067)),
    ),
    (
        [
            [F(11, 20), F(0), F(3, 10), F(3, 20)],
            [F(1, 10), F(0), F(4, 5), F(1, 10)],
            [F(4, 15), F(2, 3), F(0), F(1, 15)],
        ],
        F(3, 2),
        (F(1, 51), F(1, 17), F(1, 51)),
    ),
]


@pytest.mark.parametrize(("rows", "alpha", "wanted"), GOLDEN, ids=["four", "tuned", "three-halves"])
def test_chains_on_which_iteration_from_above_sticks(
    rows: list[list[Fraction]], alpha: Fraction, wanted: tuple[Fraction, ...]
) -> None:
    chain = chain_of(rows, "aaah")
    found = solve(chain, alpha, exact=True)
    assert found.side == "exact"
    assert (found[0, 1], found[0, 2], found[1, 2]) == wanted
    assert verify(chain, DistanceEvidence(found.chain, found, asked=[(0, 1), (0, 2), (1, 2)]).certificate())
    # Upper values too are near bd, and not near another fixed point.
    upper = solve(chain, alpha, exact=False)
    assert upper.sharp
    for pair, value in zip([(0, 1), (0, 2), (1, 2)], wanted, strict=True):
        assert value <= upper[pair] <= value * (1 + F(1, 10**9))


def agree(chain: Chain, alpha: Fraction, kind: Kind) -> FixedPoint:
    """The exact distance, once brute force says the same and the checker accepts its proof."""
    wanted = largest_of_strategies(chain, alpha, kind)
    found = solve(chain, alpha, kind=kind, exact=True)
    assert found.side == "exact"
    got = {pair: found[pair] for pair in wanted}
    assert got == wanted, (chain.summary(), alpha, kind)
    assert verify(chain, DistanceEvidence(found.chain, found, asked=list(wanted)).certificate())
    return found


def family(alpha: Fraction, u: Fraction, xi: Fraction) -> list[list[Fraction]] | None:
    """The four-state chain of docs/theory/fixed-points.md for any α > 1; None where some probability is negative."""
    v = (alpha**2 + alpha + 1) / (1 + alpha) ** 2 + alpha * u / (alpha**2 - 1) - xi
    a, q = 1 - v - alpha * u, ((1 + alpha) * v - 1) / alpha
    rows = [
        [alpha * a + 1 / (1 + alpha), F(0), alpha * v - alpha**2 / (1 + alpha), alpha**2 * u],
        [a, F(0), v, alpha * u],
        [1 - u - q, q, F(0), u],
    ]
    return rows if min(map(min, rows)) >= 0 else None


def members(alpha: Fraction, count: int) -> list[list[list[Fraction]]]:
    """The first so many chains of the family at α, from large u to small, two ξ each."""
    found: list[list[list[Fraction]]] = []
    for k in range(2, 60):
        u = F(1, 2**k)
        for part in (16, 64):
            rows = family(alpha, u, u * u * (alpha - 1) / (part * alpha**4))
            if rows is not None:
                found.append(rows)
    return found[:count]


FAMILY_ALPHAS = [F(101, 100), F(11, 10), F(6, 5), F(4, 3), F(3, 2), F(5, 3), F(2), F(5, 2), F(4), F(10)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("alpha", FAMILY_ALPHAS, ids=str)
@fewer_or_all("number", 2, 10)
def test_the_family_for_every_alpha(alpha: Fraction, number: int) -> None:
    chains = members(alpha, number)
    assert len(chains) == number
    for rows in chains:
        agree(chain_of(rows, "aaah"), alpha, "bd")


def spread(random: Random, count: int, parts: int) -> list[Fraction]:
    """A distribution whose probabilities are multiples of one share."""
    targets = random.sample(range(count), random.randint(2, count))
    numbers = [0] * count
    for _ in range(parts):
        numbers[random.choice(targets)] += 1
    return [F(number, parts) for number in numbers]


def tied_chain(seed: int) -> tuple[Chain, Fraction]:
    """A small chain of multiples of 1/(1 + α), where sides of balances are equal more often than not."""
    random = Random(seed)
    alpha = random.choice(ALPHAS)
    labels = random.choice(["aaah", "aaahi", "aaah", "aabbh"])
    parts = (1 + alpha).numerator * random.choice([1, 1, 2, 3])
    inner = sum(label in "ab" for label in labels)
    return chain_of([spread(random, len(labels), parts) for _ in range(inner)], labels), alpha


def system_of(seed: int, inputs: int, alpha_one: bool = False) -> tuple[Chain, Fraction]:
    """Three states of one label with some inputs, and one or two absorbing ones."""
    random = Random(seed)
    alpha = F(1) if alpha_one else random.choice(ALPHAS)
    labels = random.choice(["aaah", "aaahi"])
    parts = random.choice([2, 2, 3, 4]) if alpha_one else (1 + alpha).numerator * random.choice([1, 1, 2])
    layers = [[spread(random, len(labels), parts) for _ in range(3)] for _ in range(inputs)]
    if inputs == 2 and random.random() < 0.3:
        layers[1] = random.sample(layers[0], 3)
    names = "pqr"[:inputs]
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {
        str(i): {
            name: {str(j): p for j, p in enumerate(layer[i]) if p} for name, layer in zip(names, layers, strict=True)
        }
        for i in range(3)
    }
    rows |= {str(i): {str(i): F(1)} for i in range(3, len(labels))}
    chain = Chain.from_dicts(rows, labels={str(i): label for i, label in enumerate(labels)})
    return chain, alpha


def test_tied_chains() -> None:
    for seed in range(60):
        chain, alpha = tied_chain(seed)
        agree(chain, alpha, "bd")


@pytest.mark.slow
@pytest.mark.parametrize("share", range(10))
def test_three_thousand_tied_chains(share: int) -> None:
    for seed in range(300 * share, 300 * (share + 1)):
        chain, alpha = tied_chain(seed)
        agree(chain, alpha, "bd")


WAYS: list[tuple[Kind, int, bool]] = [
    ("bd", 2, False), ("ld", 2, False), ("sd", 2, False), ("sd", 1, False),
    ("bd", 2, True), ("ld", 2, True), ("sd", 2, True),
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize(("kind", "inputs", "alpha_one"), WAYS)
def test_systems(kind: Kind, inputs: int, alpha_one: bool) -> None:
    for seed in range(2):
        chain, alpha = system_of(seed, inputs, alpha_one)
        agree(chain, alpha, kind)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "inputs", "alpha_one"), WAYS)
def test_five_hundred_systems(kind: Kind, inputs: int, alpha_one: bool) -> None:
    for seed in range(500):
        chain, alpha = system_of(seed, inputs, alpha_one)
        agree(chain, alpha, kind)


# From any strategy, and from flows that are no good.


def guided(rows: list[list[Fraction]], alpha: Fraction) -> tuple[PairSpace, ZeroSet, FloatPoint]:
    space = PairSpace.of(chain_of(rows, "aaah"), alpha)
    zero = zero_set(space, BD)
    return space, zero, find_policy(space, BD, zero.member)


@pytest.mark.parametrize("choice", list(product((0, 1), repeat=3)), ids=str)
@pytest.mark.parametrize("from_scratch", [False, True])
def test_every_strategy_leads_to_bd(choice: tuple[int, ...], from_scratch: bool) -> None:
    """From each of the eight strategies of the four-state chain, some of which vanish on two of its three pairs."""
    space, zero, guide = guided(FOUR, F(2))
    nodes = nodes_of(space, BD, guide.policy.todo)
    active = np.array([nodes.place[nodes.head[node] + way] for node, way in enumerate(choice)], np.int32)
    if from_scratch:  # steps at no costs at all: flows that gain on cycles, which have no finite value
        guide = replace(guide, closure=close(space, np.zeros(len(space))))
    found = solve_exactly(space, BD, replace(guide, active=active), zero, max_equations=3)
    u, v = space.ends
    values = {(int(a), int(b)): found.value(p) for p, (a, b) in enumerate(zip(u, v, strict=True)) if a < b}
    assert [values[pair] for pair in [(0, 1), (0, 2), (1, 2)]] == [F(1, 30), F(2, 15), F(1, 30)]
    assert not found.lower.ranks.missing


def test_a_tie_keeps_its_direction() -> None:
    """Both directions of (1, 2) attain 1/30, but with (0, 1) forward only the reverse one proves it."""
    space, zero, guide = guided(FOUR, F(2))
    assert guide.d.max() > 0.136  # iteration from above is stuck at 3/22
    assert abs(attain(space, BD, zero, guide).d.max() - 2 / 15) < 1e-12
    forward = [space.pair(0, 1), space.pair(0, 2), space.pair(1, 2)]
    assert find_ranks(space, BD, forward).missing == [space.pair(0, 1), space.pair(1, 2)]
    reverse = [*forward[:2], space.pair(2, 1)]
    assert find_ranks(space, BD, reverse).rank == {forward[1]: 0, reverse[2]: 1, forward[0]: 2}


# α = 1 with inputs.


def asked_twice() -> Chain:
    """All distances are 1 at α = 1, which no strategy attains with stepping stones; single arcs do."""
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {
        "0": {"A": {"0": F(1, 2), "1": F(1, 2)}, "B": {"2": F(1)}},
        "1": {"A": {"2": F(1)}, "B": {"1": F(1)}},
        "2": {"A": {"1": F(1, 2), "h": F(1, 2)}, "B": {"1": F(1)}},
        "h": {"h": F(1)},
    }
    return Chain.from_dicts(rows, labels={"0": "a", "1": "a", "2": "a", "h": "h"})


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_single_arcs_at_alpha_one(kind: Kind) -> None:
    found = agree(asked_twice(), F(1), kind)
    assert {value for _, value in found.items()} == {F(1)}


# Budgets.


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_beyond_the_limit_both_sides_are_certified(kind: Kind) -> None:
    refused = 0
    for seed in range(30):
        chain, alpha = system_of(seed, 1 + seed % 2)
        wanted = solve(chain, alpha, kind=kind, exact=True)
        try:
            both = solve(chain, alpha, kind=kind, exact=True, max_equations=1)
        except NotConverged as reason:
            if not isinstance(reason.upper, FixedPoint):
                raise
            both, refused = reason.upper, refused + 1
        for s, t in [(0, 1), (0, 2), (1, 2)]:
            lowers = both.lowers((s, t))
            assert lowers is not None
            near = 1 - F(1, 10**9)
            assert wanted[s, t] * near <= lowers[0] <= wanted[s, t] <= both[s, t] <= wanted[s, t] / near
        assert verify(chain, DistanceEvidence(both.chain, both, asked=[(0, 1), (0, 2), (1, 2)]).certificate())
    assert refused > 5


def test_values_that_floats_misjudge_are_lowered_until_they_hold() -> None:
    """A guide whose values are above the distance has a lower side all the same, at worst zeros."""
    for seed in range(20):
        chain, alpha = tied_chain(seed)
        space = PairSpace.of(chain, alpha)
        zero = zero_set(space, BD)
        guide = attain(space, BD, zero, find_policy(space, BD, zero.member))
        wanted = solve(chain, alpha, exact=True)
        below = certify_lower(space, BD, replace(guide, d=np.where(guide.d > 0, np.minimum(guide.d * 2, 1.0), 0.0)))
        for number, (a, b) in enumerate(zip(*space.ends, strict=True)):
            value = wanted[space.states[a], space.states[b]]
            assert 0 <= below.value(number) <= value
        found = FixedPoint(chain, BD, alpha, "upper", certify(space, BD, guide, zero), below)
        pairs = [(s, t) for s in range(3) for t in range(s)]
        assert verify(chain, DistanceEvidence(found.chain, found, asked=pairs).certificate())


@pytest.mark.parametrize("stage", ["exact: strategy", "lower side"])
def test_an_interrupt_ends_exact_work_and_leaves_what_was_certified(stage: str) -> None:
    chain = examples.random(n=20, seed=1)
    cancel = Cancel(report=lambda text: cancel.interrupt() if text.startswith(stage) else None)
    with refuses(NotConverged, "certified upper value") as caught:
        solve(chain, F(6, 5), exact=True, max_equations=1, cancel=cancel)
    assert isinstance(caught.value.upper, FixedPoint)
    assert caught.value.upper.lower is None


def out_of_time(stage: str) -> Cancel:
    """A cancel whose time is up when a stage begins, whatever the clock says."""

    def report(text: str) -> None:
        if text.startswith(stage):
            cancel.reason = "time"

    cancel = Cancel(report=report)
    return cancel


def test_where_time_is_up_the_certified_value_is_the_answer() -> None:
    chain = examples.random(n=20, seed=1)
    with refuses(NotConverged, "certified upper value") as caught:
        solve(chain, F(6, 5), exact=True, cancel=out_of_time("exact: strategy"))
    assert isinstance(caught.value.upper, FixedPoint)
    assert caught.value.upper.lower is None
    with refuses(NotConverged, "max_equations`; a certified") as caught:
        solve(chain, F(6, 5), exact=True, max_equations=1, cancel=out_of_time("lower side"))
    assert isinstance(caught.value.upper, FixedPoint)
    assert caught.value.upper.lower is None
