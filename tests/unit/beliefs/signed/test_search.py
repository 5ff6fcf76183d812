"""Signed beliefs in integers against brute force: every recipe, both directions, at the edges of machine words."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain import Chain, delta, examples
from deltachain.beliefs.signed import grid as grid
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.grid import on_grid, supports_of
from deltachain.beliefs.signed.levels import Machine, walk
from deltachain.beliefs.signed.search import LEVELS_IF_ACYCLIC, _write_recipes
from deltachain.beliefs.signed.tables import LARGEST_DENOMINATOR, integer_row, tables_of
from deltachain.cancel import Cancel
from deltachain.certificate.record import Writer
from deltachain.certificate.verification import model_of
from deltachain.model import PointRow
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker import recipes
from tests.certificates.test_recipes import replayed
from tests.reference.enumerate_events import lv_at_depth
from tests.reference.random_chains import random_chain

ALPHAS = [Fraction(1), Fraction("1.0002"), Fraction(6, 5), Fraction(5, 2), Fraction(1000), Fraction(10**6)]
DEPTH = 5


def _pairs(chain: Chain, most: int = 2) -> list[tuple[int, int]]:
    """Some ordered pairs of different states of one label."""
    return [
        (i, j) for i in range(len(chain)) for j in range(len(chain)) if i != j and chain.labels[i] == chain.labels[j]
    ][:most]


def _grown(chain: Chain, pairs: list[tuple[int, int]], alpha: Fraction, expansions: int) -> Forest:
    forest = Forest(chain, pairs, ExpEpsilon.exactly(alpha))
    forest.grow(dict.fromkeys(pairs, expansions), Cancel())
    forest.raise_lower(pairs, Cancel())
    return forest


def test_trees_contain_what_enumeration_finds() -> None:
    random, compared, raised = Random(1), 0, 0
    for _ in range(150):
        chain, alpha = random_chain(random), random.choice(ALPHAS)
        pairs = _pairs(chain)
        forest = _grown(chain, pairs, alpha, random.choice([1, 3, 40])) if pairs else None
        for pair in pairs:
            lower, upper = forest.bounds(pair)  # type: ignore[union-attr]
            assert lower <= upper
            assert lv_at_depth(chain, *pair, alpha, DEPTH) <= upper
            compared += 1
            raised += lower > lv_at_depth(chain, *pair, alpha, 2)
    assert compared > 100
    assert raised > 0


def test_lower_bounds_are_reached_by_deep_enumeration() -> None:
    """On chains that end within the depth, lv is known exactly: no lower bound may exceed it, by a vector either."""
    random, compared = Random(2), 0
    while compared < 60:
        size = random.randint(4, 7)
        rows = [_towards_the_end(random, i, size) for i in range(size)]
        chain = Chain.from_rows(rows, [random.choice("ab") for _ in range(size)])
        alpha = random.choice(ALPHAS)
        for pair in _pairs(chain, 1):
            truth = lv_at_depth(chain, *pair, alpha, size)
            forest = _grown(chain, [pair], alpha, random.choice([1, 2, 8]))
            lower, upper = forest.bounds(pair)
            assert lower <= truth <= upper
            compared += 1


def _towards_the_end(random: Random, i: int, size: int) -> list[Fraction]:
    """A row that leads to later states only; the last two are absorbing."""
    row = [Fraction(0)] * size
    if i >= size - 2:
        row[i] = Fraction(1)
        return row
    weights = [random.randint(0, 3) for _ in range(i + 1, size)]
    weights[random.randrange(len(weights))] += 1
    for j, weight in enumerate(weights, i + 1):
        row[j] = Fraction(weight, sum(weights))
    return row


@pytest.mark.sample(3)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_levels_and_grid_agree_with_the_checker_to_the_unit(alpha: Fraction) -> None:
    for chain in (examples.survey(rounds=12, p="11/20"), examples.memoised_survey(), examples.sticky_sensor()):
        tables, order = tables_of(chain)
        place = {state: i for i, state in enumerate(order)}
        forest = Forest(chain, [chain.relation[0]], ExpEpsilon.exactly(alpha))
        s, t = chain.relation[0]
        entries = forest.known[s, t].entries
        walked = walk(Machine(tables, forest.bits), entries, 300, False, Cancel())
        data = {"units": [forest.bits, 30], "recipes": [[chain.states[s], chain.states[t], *walked.recipe()]]}
        checked = proved_by(chain, data, alpha)[chain.states[s], chain.states[t]]
        assert checked == bounds_of(walked.below, walked.above, forest, alpha)
        supports = supports_of(tables, place[s], place[t])
        if supports is not None:
            gridded = on_grid(tables, supports, (entries[0][1], entries[1][1]), 64, 1 << 20, Cancel())
            assert gridded is not None
            data["recipes"] = [[chain.states[s], chain.states[t], *gridded.recipe()]]
            checked = proved_by(chain, data, alpha)[chain.states[s], chain.states[t]]
            assert checked == bounds_of(gridded.below, gridded.above, forest, alpha)


def test_rows_too_long_for_words_are_rounded_both_ways() -> None:
    long = 10**5000 + 1
    bottom, row, _ = integer_row(PointRow(((0, Fraction(1, long)), (1, Fraction(long - 1, long)))))
    assert bottom <= LARGEST_DENOMINATOR
    for (low, high), p in zip(row, (Fraction(1, long), Fraction(long - 1, long)), strict=True):
        assert Fraction(low, bottom) <= p <= Fraction(high, bottom)
        assert high - low == 1
    assert integer_row(PointRow(((0, Fraction(1, 3)), (1, Fraction(2, 3))))) == (3, [(1, 1), (2, 2)], 0)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("digits", [12, 400])
def test_bounds_hold_with_denominators_beyond_words(alpha: Fraction, digits: int) -> None:
    """Probabilities of many digits, and masses near 2^-60 and below."""
    odd = 10**digits + 7
    tiny = Fraction(1, 2**58 + 1)
    rows = {
        "s": {"x": Fraction(odd // 3, odd), "y": 1 - Fraction(odd // 3, odd)},
        "t": {"x": Fraction(odd // 5, odd), "y": 1 - Fraction(odd // 5, odd) - tiny, "z": tiny},
        "x": {"s": 1},
        "y": {"t": Fraction(odd // 7, odd), "y": 1 - Fraction(odd // 7, odd)},
        "z": {"z": 1},
    }
    chain = Chain.from_dicts(rows, {"s": "a", "t": "a", "x": "b", "y": "b", "z": "c"})
    forest = _grown(chain, [(0, 1), (1, 0)], alpha, 200)
    for pair in ((0, 1), (1, 0)):
        lower, upper = forest.bounds(pair)
        assert lower <= upper
        assert lv_at_depth(chain, *pair, alpha, 4) <= upper
        if pair == (1, 0):
            assert upper >= tiny  # z shows itself from t alone


@pytest.mark.parametrize("alpha", [Fraction(2**44 - 2), Fraction(2**44), Fraction(3 * 2**43), Fraction(2**45 - 2)])
def test_the_root_stays_below_the_truth_up_to_the_largest_alpha(alpha: Fraction) -> None:
    chain = examples.sticky_sensor()
    forest = Forest(chain, [chain.relation[0]], ExpEpsilon.exactly(alpha))
    assert forest.usable
    (_, _), (_, least) = sorted(forest.known[chain.relation[0]].entries, key=lambda entry: -entry[1])
    assert least <= -alpha * 2**forest.bits


def test_nothing_is_said_where_words_are_too_short() -> None:
    chain = examples.sticky_sensor()
    assert not Forest(chain, [chain.relation[0]], ExpEpsilon.exactly(Fraction(2**64))).usable


def test_the_checker_does_what_the_engine_may_do() -> None:
    assert grid.MOST_STEPS <= recipes.MOST_STEPS
    assert 2 * LEVELS_IF_ACYCLIC <= recipes.MOST_STEPS, "a level counts as one more, and has at least one belief"


def test_a_grid_that_takes_too_long_ends_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = examples.sticky_sensor(stay="9999/10000")
    tables, _ = tables_of(chain)
    s, t = chain.relation[0]
    forest = Forest(chain, [(s, t)], ExpEpsilon.exactly(Fraction(11, 10)))
    (i, a), (j, b) = forest.known[s, t].entries
    supports = supports_of(tables, i, j)
    assert supports is not None
    free = on_grid(tables, supports, (a, b), 64, 1 << 20, Cancel())
    monkeypatch.setattr(grid, "MOST_STEPS", 2000)
    cut = on_grid(tables, supports, (a, b), 64, 1 << 20, Cancel())
    assert free is not None
    assert cut is not None
    assert 0 < cut.levels < free.levels
    monkeypatch.setattr(recipes, "MOST_STEPS", 2000)
    names = chain.states[s], chain.states[t]
    data = {"units": [forest.bits, 30], "recipes": [[*names, *cut.recipe()]]}
    alpha = Fraction(11, 10)
    assert proved_by(chain, data, alpha)[names] == bounds_of(cut.below, cut.above, forest, alpha)


def test_lower_bounds_raised_again_and_again_are_those_of_the_checker() -> None:
    """Vectors are added, and leaves keep the better one; a pass that is stopped at once takes nothing back."""
    alpha = Fraction(11, 10)
    chain = examples.build("random,n=30,labels=2,degree=3,seed=3")
    pairs = _pairs(chain)
    forest = Forest(chain, pairs, ExpEpsilon.exactly(alpha))
    stopped = Cancel()
    stopped.interrupt()
    known = dict.fromkeys(pairs, Fraction(0))
    for grown, cancel in ((60, Cancel()), (400, Cancel()), (50, stopped), (50, Cancel())):
        forest.grow(dict.fromkeys(pairs, grown), Cancel())
        forest.raise_lower(pairs, cancel)
        for pair in pairs:
            lower, upper = forest.bounds(pair)
            assert lower <= upper
            assert cancel is stopped or lower >= known[pair]
            known[pair] = lower
        proved = proved_by(chain, _written(forest), alpha)
        for s, t in pairs:
            tree = forest.known[s, t].tree
            wanted = bounds_of(tree.below[0], tree.above[0], forest, alpha)
            assert proved[chain.states[s], chain.states[t]] == wanted
    assert any(known.chosen.any() for known in forest.known.values())


def proved_by(chain: Chain, data: object, alpha: Fraction) -> dict[tuple[str, str], tuple[Fraction, Fraction]]:
    """What the checker computes from recipes, at one e^ε."""
    return replayed(model_of(chain), data, alpha)


def bounds_of(below: int, above: int, forest: Forest, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """The bounds on V(w) that integers m ≤ w give, within [0, 1]."""
    unit = 1 << forest.bits
    return max(Fraction(below, unit), Fraction(0)), min(1 - alpha + Fraction(above, unit), Fraction(1))


def _written(forest: Forest) -> dict[str, object]:
    """The parts of a certificate that the forest writes."""
    writer = Writer()
    _write_recipes(writer, forest)
    return writer.certificate("", [], []).document


@pytest.mark.parametrize("inputs", [False, True])
@pytest.mark.parametrize("row", ["long", "box"])
def test_a_state_that_no_pair_reaches_does_not_upset_event_vectors(row: str, inputs: bool) -> None:
    """The checker rounds its row, too, and the height of a vector is that of all states of the label."""
    rows: dict[str, Any] = {
        "e": {"u": "2/3", "s": "1/3"},
        "u": {"s": 1},
        "s": {"u": "2000/2001", "t": "1/2001"},
        "t": {"e": "3/5", "s": "3/10", "t": "1/10"},
    }
    far: Any = (
        {"far": 1 - Fraction(1, 3**40), "s": Fraction(1, 3**40)}
        if row == "long"
        else {"far": ("1/4", "1/2"), "s": ("1/2", "3/4")}
    )
    rows["far"] = far
    if inputs:
        rows = {state: {"go": entries, "wait": {state: 1}} for state, entries in rows.items()}
    chain = Chain.from_dicts(rows, {"e": "a", "u": "b", "s": "b", "t": "b", "far": "b"})
    found = delta(chain, "s", "t", exp_epsilon=1, max_nodes=200)
    assert found.checked.accepted
    assert found.lower > Fraction(1, 2)
