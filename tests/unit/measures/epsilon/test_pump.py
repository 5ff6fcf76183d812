"""Pumps: each inequality again, by hand, and the ratios of the words that they are about."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import deltachain as dc
from deltachain import Chain
from deltachain.measures.epsilon.pump import Pump, PumpMasses, after, eigenvector, find_pump, powers
from deltachain.model.words import word_probability
from tests.words import says

ZERO = Fraction(0)


def times(belief: PumpMasses, rows: dict[int, PumpMasses]) -> PumpMasses:
    found: PumpMasses = {}
    for i, mass in belief.items():
        for k, p in rows[i].items():
            found[k] = found.get(k, ZERO) + mass * p
    return found


def check(chain: Chain, s: int, t: int, u: tuple[str, ...], v: tuple[str, ...], pump: Pump) -> None:
    """Every inequality that makes the ratio grow."""
    x, y = (after({state: Fraction(1)}, chain, u) for state in (s, t))
    rows = powers(chain, {**x, **y}, v)
    assert pump.more
    assert pump.growth > pump.decay > 0 or (pump.feeds and pump.growth >= pump.decay > 0)
    grown = times(pump.more, rows)
    assert all(grown.get(k, ZERO) >= pump.growth * mass for k, mass in pump.more.items())
    if pump.feeds:
        fed = times(pump.feeds, rows)
        for k in {*pump.feeds, *pump.more}:
            assert fed.get(k, ZERO) >= pump.growth * pump.feeds.get(k, ZERO) + pump.more.get(k, ZERO)
    for _ in range(pump.times):
        x = times(x, rows)
    assert set(pump.feeds or pump.more) <= set(x)
    assert all(pump.less.get(k, ZERO) >= mass for k, mass in y.items())
    assert all(mass <= pump.decay * pump.less.get(k, ZERO) for k, mass in times(pump.less, rows).items())


def ratio(chain: Chain, s: int, t: int, word: tuple[str, ...]) -> Fraction:
    first, second = (Fraction(word_probability(chain, state, word)) for state in (s, t))  # type: ignore[arg-type]
    return first / second


def test_what_is_pumped_grows() -> None:
    seen = 0
    for seed in range(40):
        chain = dc.examples.random(n=5, labels=2, degree=3, seed=seed)
        alike = [(i, j) for states in chain.by_label.values() for i in states for j in states if i != j]
        draw, letters = random.Random(seed), sorted(chain.alphabet)
        s, t = draw.choice(alike)
        for u, v in product([(), *product(letters)], [*product(letters), *product(letters, repeat=2)]):
            pump = find_pump(chain, s, t, u, v)
            if pump is None:
                continue
            seen += 1
            check(chain, s, t, u, v, pump)
            word = (chain.labels[s], *u)
            if word_probability(chain, t, word + v * 60):
                assert ratio(chain, s, t, word + v * 60) > ratio(chain, s, t, word + v * 20)
    assert seen > 20


def ladder() -> Chain:
    """s stays with 1/3 and goes on to b with 1/3, which stays with 1/3, as t does: s has n ways to show n letters."""
    return Chain.from_dicts(
        {
            "s": {"s": "1/3", "b": "1/3", "z": "1/3"},
            "t": {"t": "1/3", "z": "2/3"},
            "b": {"b": "1/3", "z": "2/3"},
            "z": {"z": 1},
        },
        {"s": "on", "t": "on", "b": "on", "z": "end"},
    )


def test_a_class_that_feeds_another_grows_with_the_number_of_rounds() -> None:
    chain = ladder()
    s, t = chain.number("s"), chain.number("t")
    pump = find_pump(chain, s, t, (), ("on",))
    assert pump is not None
    assert (pump.growth, pump.decay) == (Fraction(1, 3), Fraction(1, 3))
    check(chain, s, t, (), ("on",), pump)
    assert ratio(chain, s, t, ("on",) * 10) == 10
    assert find_pump(chain, t, s, (), ("on",)) is None
    bound = dc.epsilon(chain, "s", "t", delta=0, certificate=True)
    assert bound.impossible
    assert bound.reason is not None
    assert says(bound.reason.sentence(), "number of rounds")
    assert bound.certificate is not None
    assert says([*map(str, dc.verify(chain, bound.certificate))])


def test_a_state_that_is_fed_as_much_is_not_outgrown() -> None:
    """Both climb: the ratio is bounded, and no proof is found."""
    chain = Chain.from_dicts(
        {
            "s": {"s": "1/3", "b": "1/3", "z": "1/3"},
            "t": {"t": "1/3", "b": "1/4", "z": "5/12"},
            "b": {"b": "1/3", "z": "2/3"},
            "z": {"z": 1},
        },
        {"s": "on", "t": "on", "b": "on", "z": "end"},
    )
    for one, other in (("s", "t"), ("t", "s")):
        assert find_pump(chain, chain.number(one), chain.number(other), (), ("on",)) is None
    assert not dc.epsilon(chain, "s", "t", delta=0).impossible


def test_eigenvectors_of_a_number_that_is_none_or_has_many_are_not_given() -> None:
    half = Fraction(1, 2)
    assert eigenvector({0: {0: half, 1: half}, 1: {1: Fraction(1, 3)}}, half) == {0: Fraction(1)}
    assert eigenvector({0: {0: half}, 1: {1: half}}, half) is None
    assert eigenvector({0: {0: half}}, Fraction(1, 3)) is None
    assert eigenvector({0: {1: half}, 1: {0: half}}, -half) is None  # its vector has both signs
