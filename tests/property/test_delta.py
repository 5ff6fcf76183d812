"""Certified δ intervals against what h letters can show, on thousands of random chains.

δ restricted to events of h letters is below δ and grows with h, so it can never pass the upper bound. From above, a
observer who is shown the hidden state after h letters sees at least as much: Σ_w Σ_i max(x_w(i) − α y_w(i), 0) is at
least δ, so the lower bound can never pass it. Every certificate is checked by the trusted checker.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, delta, verify
from deltachain.measures.delta.show import Delta
from deltachain.model.words import advance, initial_belief, word_probability
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.reference.random_chains import random_chain, with_twins

ALPHAS = [Fraction(1), 1 + Fraction(1, 10**9), Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(7), 10**6]
DEPTHS = (1, 2, 3, 5)


def acyclic_chain(random: Random) -> Chain:
    """States in order, each leading to later ones; the last ones absorb."""
    size = random.randint(2, 9)
    rows: list[dict[int, Fraction]] = []
    for i in range(size):
        later = range(i + 1, size)
        parts = random.randint(1, 4) if len(later) > 0 and i < size - 2 else 0
        row: dict[int, Fraction] = {} if parts else {i: Fraction(1)}
        for _ in range(parts):
            target = random.choice(later)
            row[target] = row.get(target, Fraction(0)) + Fraction(1, parts)
        rows.append(row)
    return Chain.from_rows(rows, [random.choice("ab") if i > 1 else "s" for i in range(size)])


def pairs_of(random: Random, chain: Chain, most: int) -> list[tuple[int, int]]:
    """Some pairs of different states, mostly of one label."""
    alike = [(i, j) for i in range(len(chain)) for j in range(len(chain)) if i != j]
    alike = [(i, j) for i, j in alike if chain.labels[i] == chain.labels[j] or random.random() < 0.05]
    return random.sample(alike, min(most, len(alike)))


def shown_the_state(chain: Chain, s: int, t: int, alpha: Fraction, depth: int) -> Fraction:
    """What an observer gains who sees ``depth`` letters and then the hidden state: an upper bound of lv(s, t)."""
    if chain.labels[s] != chain.labels[t]:
        return Fraction(1)
    level = [(initial_belief(s), initial_belief(t))]
    for _ in range(depth - 1):
        following = []
        for x, y in level:
            after_x, after_y = advance(chain, x), advance(chain, y)
            following += [(after_x.get(a, {}), after_y.get(a, {})) for a in {*after_x, *after_y}]
        level = following
    gains = (max(p - alpha * y.get(i, 0), Fraction(0)) for x, y in level for i, p in x.items())
    return sum(gains, Fraction(0))


def assert_sound(chain: Chain, pairs: list[tuple[int, int]], alpha: Fraction, found: Delta) -> None:
    """Both sides of every pair against the enumeration, the certificate, and the witness."""
    assert len(verify(chain, found.certificate)) == len(pairs)
    for result, (s, t) in zip(found.results, pairs, strict=True):
        assert 0 <= result.lower <= result.upper <= 1
        for depth in DEPTHS:
            assert tv_alpha_at_depth(chain, s, t, alpha, depth) <= result.upper
            shown = max(shown_the_state(chain, s, t, alpha, depth), shown_the_state(chain, t, s, alpha, depth))
            assert result.lower <= shown
    assert_witnessed(chain, found)


def assert_witnessed(chain: Chain, found: Delta) -> None:
    """The words of the witness have the probabilities it says, exclude each other, and gain at most the lower bound."""
    witness = found.witness
    if witness is None:
        assert found.lower == 0
        return
    assert witness.advantage >= found.lower > 0
    words = [word.word for word in witness.words]
    for word in witness.words:
        assert word.probability == word_probability(chain, witness.state, word.word)
        assert word.other == word_probability(chain, witness.other, word.word)
        assert word.probability > witness.exp_epsilon * word.other
        assert not any(word.word[: len(other)] == other for other in words if other != word.word)
    assert 0 <= witness.listed <= witness.advantage


@pytest.mark.seeds(1, 13)
def test_intervals_on_random_chains(seed: int) -> None:
    random = Random(seed)
    exact = 0
    for _ in range(80):
        chain = random_chain(random, most_states=7)
        if random.random() < 0.3:
            chain = with_twins(random, chain, 1)
        pairs = pairs_of(random, chain, 2)
        if pairs:
            alpha = Fraction(random.choice(ALPHAS))
            found = delta(chain, pairs=pairs, exp_epsilon=alpha, max_nodes=random.choice([1, 2, 10, 60]))
            assert_sound(chain, pairs, alpha, found)
            exact += found.exact
    assert exact >= 16


@pytest.mark.seeds(2, 6)
def test_acyclic_chains_are_exact(seed: int) -> None:
    """As deep as the longest path, events of h letters are all events."""
    random = Random(1000 + seed)
    positive = 0
    for _ in range(50):
        chain = acyclic_chain(random)
        alpha = Fraction(random.choice(ALPHAS))
        found = delta(chain, pairs=[(0, 1)], exp_epsilon=alpha)
        assert found.exact
        assert found.lower == tv_alpha_at_depth(chain, 0, 1, alpha, len(chain))
        assert_sound(chain, [(0, 1)], alpha, found)
        positive += found.lower > 0
    assert positive > 10


@pytest.mark.parametrize("block", range(3))
def test_epsilon_is_bracketed(block: int) -> None:
    """For ε the interval holds at both rationals around e^ε, so at e^ε."""
    random = Random(2000 + block)
    for _ in range(20):
        chain = random_chain(random, most_states=5)
        pairs = pairs_of(random, chain, 1)
        if pairs:
            found = delta(chain, pairs=pairs, epsilon=random.choice(["0", "1e-9", "0.1", "2.5"]), max_nodes=30)
            below, above = found.exp_epsilon.below, found.exp_epsilon.above
            assert below <= above
            verify(chain, found.certificate)
            (s, t), (result,) = pairs[0], found.results
            for depth in DEPTHS:
                assert tv_alpha_at_depth(chain, s, t, below, depth) <= result.upper
                assert result.lower <= max(shown_the_state(chain, *p, above, depth) for p in ((s, t), (t, s)))


def test_delta_falls_with_alpha_and_is_symmetric() -> None:
    random = Random(7)
    for _ in range(60):
        chain = acyclic_chain(random)
        values = [delta(chain, 0, 1, exp_epsilon=alpha).upper for alpha in sorted(map(Fraction, ALPHAS))]
        assert values == sorted(values, reverse=True)
        assert values == [delta(chain, 1, 0, exp_epsilon=alpha).upper for alpha in sorted(map(Fraction, ALPHAS))]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_intervals_on_many_random_chains(block: int) -> None:
    random = Random(10_000 + block)
    for _ in range(400):
        chain = random_chain(random, most_states=8)
        pairs = pairs_of(random, chain, 3)
        if pairs:
            alpha = Fraction(random.choice(ALPHAS))
            found = delta(chain, pairs=pairs, exp_epsilon=alpha, max_nodes=random.choice([5, 40, 200]))
            assert_sound(chain, pairs, alpha, found)
