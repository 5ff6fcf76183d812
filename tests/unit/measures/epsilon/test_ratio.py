"""Words of a large ratio: every smaller e^ε is refuted, and the searches begin there."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.beliefs.question import Terms
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.measures.epsilon.ratio import RatioWord, ratio_word
from deltachain.model.words import word_probability
from tests.reference.random_chains import random_chain, random_system
from tests.reference.word_ratios import largest_word_ratio
from tests.words import says

LETTERS = 6


def workspace(chain: Chain, pairs: list[tuple[int, int]], alpha: Fraction | int = 1) -> Workspace:
    return Workspace.of(Terms.read(exp_epsilon=alpha, allowed=0).about(chain, pairs))


def pairs_of(seeds: range) -> list[tuple[Chain, tuple[int, int], Fraction]]:
    """Small chains with ties, zeros, deterministic rows and cycles; a pair of one label, its largest short ratio."""
    found = []
    for seed in seeds:
        draw = random.Random(seed)
        chain = random_chain(draw, most_states=5, most_letters=2, parts=draw.choice((3, 6, 12)))
        alike = [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]]
        if alike:
            pair = draw.choice(alike)
            largest = largest_word_ratio(chain, *pair, LETTERS)
            if largest is not None:
                found.append((chain, pair, largest))
    return found


def test_a_word_has_the_ratio_that_is_said_and_no_short_one_has_a_larger() -> None:
    ratios = []
    for chain, pair, largest in pairs_of(range(600)):
        found = ratio_word(workspace(chain, [pair]), Cancel())
        if found is None:
            assert largest == 1
            continue
        s, t = pair if found.direction == 0 else pair[::-1]
        assert word_probability(chain, s, found.word) == found.ratio * word_probability(chain, t, found.word) > 0
        # A little less at most: a longer word must be worth its letters.
        assert found.pair == pair
        assert found.ratio * (1 + Fraction(1, 10**8)) >= largest
        ratios.append(found.ratio > largest)
    assert len(ratios) > 40
    assert set(ratios) == {False, True}


@pytest.mark.seeds(1, 5)
def test_no_bound_is_below_the_ratio_of_a_word_and_both_ends_are_checked(seed: int) -> None:
    kinds = set()
    for chain, (s, t), largest in pairs_of(range(600 + 80 * seed, 680 + 80 * seed)):
        bound = dc.epsilon(chain, s, t, delta=0, max_nodes=2000)
        if bound.exp_epsilon_proved is None:
            kinds.add("none")
            continue
        assert bound.refuted <= bound.exp_epsilon_proved >= largest
        assert bound.checked_proved.accepted
        assert bound.refuted == 1 or bound.checked_refuted.accepted
        kinds.add("exact" if bound.exact else "interval")
    assert "exact" in kinds


@pytest.mark.parametrize(("seed", "least"), [(7, "87/31"), (8, "30/11"), (28, "45/4")])
def test_the_ratio_of_a_short_word_is_the_least_where_a_search_there_proves_it(seed: int, least: str) -> None:
    chain = dc.examples.build(f"random,n=6,labels=2,degree=3,seed={seed}")
    bound = dc.epsilon(chain, delta=0, certificate=True)
    assert bound.exact
    assert bound.exp_epsilon_proved == bound.refuted == Fraction(least) == largest_word_ratio(chain, 0, 1, 5)
    assert bound.checked_proved.accepted
    assert bound.checked_refuted.accepted
    assert bound.certificate is not None
    assert dc.verify(chain, bound.certificate)


def test_the_word_is_that_of_the_worst_pair() -> None:
    chain = dc.examples.build("random,n=6,labels=2,degree=3,seed=8")
    pairs = [(s, t) for s in range(6) for t in range(s) if chain.labels[s] == chain.labels[t]]
    alone = [found for pair in pairs if (found := ratio_word(workspace(chain, [pair]), Cancel())) is not None]
    together = ratio_word(workspace(chain, pairs), Cancel())
    assert together is not None
    assert len(alone) > 2
    assert float(together.ratio) == pytest.approx(float(max(found.ratio for found in alone)), rel=1e-7)


def test_a_circle_is_what_a_word_repeats() -> None:
    def circle(letters: str) -> tuple[str, str] | None:
        found = RatioWord((0, 1), 0, tuple(letters), Fraction(2)).circle()
        return None if found is None else ("".join(found[0]), "".join(found[1]))

    assert circle("sabababab") == ("s", "ab")
    assert circle("sxyaaaaa") == ("sxy", "a")
    assert circle("sxabcabcabcy") == ("sx", "abc")
    assert circle("saaab") == ("s", "a")
    assert circle("sabab") is None
    assert circle("ssssss") == ("s", "s")  # the first letter is that of the state itself
    assert circle("s") is None


def test_nothing_is_said_where_words_have_no_ratio_or_observers_choose() -> None:
    one_label = Chain.from_rows([{0: Fraction(1, 2), 1: Fraction(1, 2)}, {1: 1}], ["a", "a"])
    assert ratio_word(workspace(one_label, [(0, 1)]), Cancel()) is None
    system = random_system(random.Random(0))
    alike = [(s, t) for s in range(len(system)) for t in range(s) if system.labels[s] == system.labels[t]]
    assert alike
    assert ratio_word(workspace(system, alike), Cancel()) is None
    apart = Chain.from_rows([{0: 1}, {1: 1}], ["a", "b"])
    assert ratio_word(workspace(apart, [(0, 1)]), Cancel()) is None


def test_a_ratio_says_nothing_of_a_positive_delta() -> None:
    chain = dc.examples.build("random,n=6,labels=2,degree=3,seed=8")
    bound = dc.epsilon(chain, delta="1/20")
    assert bound.exp_epsilon_proved is not None
    assert bound.refuted <= bound.exp_epsilon_proved < Fraction(30, 11)


@pytest.mark.sample(3)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bits", [70, 900, 1060, 1200])
def test_ratios_that_no_float_holds_are_no_obstacle(bits: int) -> None:
    tiny, half, quarter = Fraction(1, 2**bits), Fraction(1, 2), Fraction(1, 4)
    chain = Chain.from_dicts(
        {
            "s": {"xa": 1 - tiny, "xb": tiny},
            "t": {"xa": tiny, "ya": half - tiny, "xb": half},
            "xa": {"xa": half, "xb": quarter, "yb": quarter},
            "xb": {"xa": half, "ya": quarter, "xb": quarter},
            "ya": {"xa": tiny, "ya": half, "xb": half - tiny},
            "yb": {"ya": half, "yb": half},
        },
        {"s": "s", "t": "s", "xa": "a", "ya": "a", "xb": "b", "yb": "b"},
    )
    bound = dc.epsilon(chain, "s", "t", delta=0)
    # t shows (s, b) with probability 1/2, and s with 2^-bits.
    assert bound.exp_epsilon_proved is None
    assert bound.refuted >= 2**60
    assert bound.checked_refuted.accepted
    assert says(str(bound), "refuted for every")
    assert json.dumps(bound.to_dict())
