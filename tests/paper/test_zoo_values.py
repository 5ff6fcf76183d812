"""The value that each example states as known exactly, and reference values of the paper, by brute force.

δ is checked by listing words (exact; where a chain ends, some depth decides everything) and against the
closed form of the family. bd is checked with one full linear program a pair, in floats, hence `approx` there
and only there.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import pytest

from deltachain import examples
from deltachain.model import Chain, quotient
from deltachain.model.words import word_probability, words
from tests.reference.enumerate_events import lv_at_depth, tv_alpha_at_depth
from tests.reference.full_lp import bd_by_full_lp, ld_by_full_lp

ALPHAS = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(7)]
DINERS_ALPHA = Fraction(10002, 10000)


def two_outcomes(p: Fraction, alpha: Fraction) -> Fraction:
    """δ of one bit that is p, 1 − p against 1 − p, p."""
    most = max(p, 1 - p)
    return max(most - alpha * (1 - most), Fraction(0))


def bd(chain: Chain, alpha: Fraction, s: str = "s0", t: str = "s1", sweeps: int = 12) -> float:
    return float(bd_by_full_lp(chain, alpha, sweeps)[chain.number(s), chain.number(t)])


# coin, split-coin


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("p", ["2/5", "1/2", "9/10", "0", "1"])
def test_coin(p: str, alpha: Fraction) -> None:
    assert tv_alpha_at_depth(examples.coin(p), "s0", "s1", alpha, 3) == two_outcomes(Fraction(p), alpha)


def test_coin_of_the_paper_is_private() -> None:
    chain = examples.coin()
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(3, 2), 4) == 0
    assert bd(chain, Fraction(3, 2)) == 0
    assert bd(chain, Fraction(149, 100)) == pytest.approx(0.6 - 1.49 * 0.4)


def test_split_coin() -> None:
    alpha = Fraction(6, 5)
    chain = examples.split_coin()
    assert tv_alpha_at_depth(chain, "s0", "s1", alpha, 3) == Fraction(1, 5)
    assert lv_at_depth(chain, "s1", "s0", alpha, 3) == Fraction(3, 20)
    assert bd(chain, alpha) == pytest.approx(1 / 4)
    merged = quotient(chain).chain
    assert len(merged) == 4
    assert bd(merged, alpha) == pytest.approx(1 / 5)


# dining cryptographers


def diners_by_tossing(n: int, payer: int, p: Fraction) -> dict[tuple[str, ...], Fraction]:
    """The paper's program, run on every sequence of tosses: word → probability."""
    found: dict[tuple[str, ...], Fraction] = {}
    for tosses in itertools.product((0, 1), repeat=n):
        first_flip, *others = tosses
        previous_flip = first_flip
        announcements = []
        for cryptographer in range(n):
            this_flip = first_flip if cryptographer == n - 1 else others[cryptographer]
            if cryptographer == payer:
                announcements.append(previous_flip == this_flip)
            else:
                announcements.append(previous_flip != this_flip)
            previous_flip = this_flip
        zeros = tosses.count(0)
        word = ("start", *(str(int(said)) for said in announcements), "end")
        found[word] = found.get(word, Fraction(0)) + p**zeros * (1 - p) ** (n - zeros)
    return found


@pytest.mark.parametrize("p", ["49/100", "1/3", "1/2"])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_diners_run_the_program_of_the_paper(n: int, p: str) -> None:
    chain = examples.dining_cryptographers(n=n, p=p)
    for payer in range(n):
        assert dict(words(chain, f"s{payer}", n + 2)) == diners_by_tossing(n, payer, Fraction(p))


@pytest.mark.parametrize(("n", "delta"), [(2, "7501/25000000"), (3, "0.00035002"), (4, "0.000499979992")])
def test_delta_of_diners(n: int, delta: str) -> None:
    chain = examples.dining_cryptographers(n=n, p="49/100")
    assert tv_alpha_at_depth(chain, "s0", "s1", DINERS_ALPHA, n + 2) == Fraction(delta)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("p", ["49/100", "1/3", "9/10"])
def test_two_diners_closed_form(p: str, alpha: Fraction) -> None:
    differ = 2 * Fraction(p) * (1 - Fraction(p))
    chain = examples.dining_cryptographers(n=2, p=p)
    assert tv_alpha_at_depth(chain, "s0", "s1", alpha, 4) == two_outcomes(differ, alpha)


def test_bd_of_two_diners() -> None:
    chain = examples.dining_cryptographers(n=2, p="49/100")
    assert bd(chain, DINERS_ALPHA) == pytest.approx(1 / 2500, abs=1e-12)


def test_fair_diners_are_private() -> None:
    chain = examples.dining_cryptographers(n=3, p="1/2")
    for s, t in chain.pairs:
        assert tv_alpha_at_depth(chain, s, t, Fraction(1), 5) == 0


def test_three_diners() -> None:
    chain = examples.dining_cryptographers(n=3, p="49/100")
    assert len(chain) == 52
    merged = quotient(chain).chain
    assert bd(merged, DINERS_ALPHA) == pytest.approx(0.000692089, abs=5e-10)


@pytest.mark.slow
def test_bd_of_three_diners() -> None:
    chain = examples.dining_cryptographers(n=3, p="49/100")
    distances = bd_by_full_lp(chain, DINERS_ALPHA, 12)
    assert distances[0, 1] == pytest.approx(0.000792, abs=1e-12)
    assert distances[0, 2] == pytest.approx(0.000792, abs=1e-12)
    assert distances[1, 2] == pytest.approx(0.0004, abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_diners_have_the_stated_number_of_states(n: int) -> None:
    chain = examples.dining_cryptographers(n=n)
    assert len(chain) == 8 * n * (n - 1) + n + 1
    assert len(chain.relation) == comb(n, 2)


# surveys


def survey_closed_form(rounds: int, p: Fraction, alpha: Fraction) -> Fraction:
    """δ of ``rounds`` independent reports, by the number of true ones."""
    total = Fraction(0)
    for j in range(rounds + 1):
        here = p**j * (1 - p) ** (rounds - j)
        there = (1 - p) ** j * p ** (rounds - j)
        total += comb(rounds, j) * max(here - alpha * there, Fraction(0))
    return total


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("p", ["3/4", "1/3", "1"])
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_survey(rounds: int, p: str, alpha: Fraction) -> None:
    chain = examples.survey(rounds=rounds, p=p)
    wanted = survey_closed_form(rounds, Fraction(p), alpha)
    assert lv_at_depth(chain, "s0", "s1", alpha, rounds + 2) == wanted
    assert lv_at_depth(chain, "s1", "s0", alpha, rounds + 2) == wanted


def test_survey_values() -> None:
    assert bd(examples.survey(), Fraction(3)) == 0
    assert tv_alpha_at_depth(examples.survey(), "s0", "s1", Fraction(3), 3) == 0
    assert tv_alpha_at_depth(examples.survey(rounds=2), "s0", "s1", Fraction(3), 4) == Fraction(3, 8)


def memoised_at_depth(reports: int, p: Fraction, q: Fraction, alpha: Fraction) -> Fraction:
    """δ of the first reports: a mixture of two binomials against the same two with the weights exchanged."""
    total = Fraction(0)
    for j in range(reports + 1):
        kept_yes = q**j * (1 - q) ** (reports - j)
        kept_no = (1 - q) ** j * q ** (reports - j)
        here = p * kept_yes + (1 - p) * kept_no
        there = (1 - p) * kept_yes + p * kept_no
        total += comb(reports, j) * max(here - alpha * there, Fraction(0))
    return total


def test_memoised_survey_approaches_its_limit_from_below() -> None:
    alpha, p, q = Fraction(2), Fraction(3, 4), Fraction(3, 4)
    chain = examples.memoised_survey(p=p, q=q)
    found = [tv_alpha_at_depth(chain, "s0", "s1", alpha, reports + 1) for reports in range(9)]
    assert found == [memoised_at_depth(reports, p, q, alpha) for reports in range(9)]
    assert found == sorted(found)
    limit = two_outcomes(p, alpha)
    assert limit == Fraction(1, 4)
    later = memoised_at_depth(150, p, q, alpha)
    assert found[-1] < later < limit < later + Fraction(1, 10**6)


def test_memoised_survey_is_pure_from_three_on() -> None:
    chain = examples.memoised_survey()
    assert all(tv_alpha_at_depth(chain, "s0", "s1", Fraction(3), depth) == 0 for depth in range(1, 9))
    assert bd(chain, Fraction(3)) == 0


def test_waiting_room_approaches_its_limit_from_below() -> None:
    chain, alpha = examples.waiting_room(), Fraction(11, 10)
    found = [tv_alpha_at_depth(chain, "s0", "s1", alpha, depth) for depth in range(1, 10)]
    assert found == sorted(found)
    assert found[0] == 0 < found[-1] < two_outcomes(Fraction(3, 5), alpha) == Fraction(4, 25)


# geometric noise


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)])
@pytest.mark.parametrize(("m", "ratio"), [(5, "1/2"), (1, "1/3"), (7, "9/10"), (2, "0")])
def test_geometric(m: int, ratio: str, alpha: Fraction) -> None:
    chain = examples.geometric(m=m, ratio=ratio)
    a = Fraction(ratio)
    wanted = max((1 - alpha * a) / (1 + a), Fraction(0))
    assert len(chain.pairs) == m
    for s, t in chain.pairs:
        assert lv_at_depth(chain, s, t, alpha, 2) == wanted
        assert lv_at_depth(chain, t, s, alpha, 2) == wanted


@pytest.mark.parametrize(("alpha", "value"), [("2", "0"), ("3/2", "1/6"), ("1", "1/3")])
def test_bd_of_geometric(alpha: str, value: str) -> None:
    chain = examples.geometric()
    distances = bd_by_full_lp(chain, Fraction(alpha), 5)
    for i, j in chain.relation:
        assert distances[i, j] == pytest.approx(float(Fraction(value)), abs=1e-12)


@pytest.mark.parametrize(
    ("steps", "m", "ratio", "rate"), [(2, 3, "1/2", "1/2"), (3, 2, "1/3", "1/4"), (3, 1, "2/3", "1")]
)
def test_geometric_counter_has_exactly_this_pure_epsilon(steps: int, m: int, ratio: str, rate: str) -> None:
    chain = examples.geometric_counter(steps=steps, m=m, ratio=ratio, rate=rate)
    alpha = Fraction(ratio) ** -steps
    assert tv_alpha_at_depth(chain, "s0", "s1", alpha, steps + 2) == 0
    assert tv_alpha_at_depth(chain, "s0", "s1", alpha - Fraction(1, 10**9), steps + 2) > 0


def test_geometric_counter_value() -> None:
    chain = examples.geometric_counter()
    assert word_probability(chain, "s0", ["start", "0", "0"]) == Fraction(5, 24)
    assert lv_at_depth(chain, "s0", "s1", Fraction(7, 2), 4) == Fraction(5, 192)
    assert lv_at_depth(chain, "s1", "s0", Fraction(7, 2), 4) == Fraction(5, 192)


# crowds


def crowds_hop_by_hop(members: int, corrupt: int, forward: Fraction, hops: int) -> tuple[dict[int, Fraction], Fraction]:
    """Sender 0's request, followed for some hops: who was seen, and the mass that is still on its way."""
    honest = members - corrupt
    seen = dict.fromkeys(range(honest), Fraction(0))
    sending = {0: Fraction(1)}
    for _ in range(hops):
        for holder, mass in sending.items():
            seen[holder] += mass * Fraction(corrupt, members)
        total = sum(sending.values(), Fraction(0))
        sending = dict.fromkeys(range(honest), total * Fraction(1, members) * forward)
    return seen, sum(sending.values(), Fraction(0))


@pytest.mark.parametrize(("members", "corrupt", "forward"), [(5, 1, "3/4"), (6, 3, "1/2"), (4, 2, "1"), (3, 1, "0")])
def test_crowds_rows_are_those_of_the_protocol(members: int, corrupt: int, forward: str) -> None:
    chain = examples.crowds(members=members, corrupt=corrupt, forward=forward)
    seen, pending = crowds_hop_by_hop(members, corrupt, Fraction(forward), 80)
    assert pending < Fraction(1, 10**15)
    for holder, least in seen.items():
        assert least <= chain.probability("s0", f"from-{holder}") <= least + pending


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("members", "corrupt", "forward"), [(5, 1, "3/4"), (6, 3, "1/2"), (4, 2, "1"), (3, 1, "0")])
def test_crowds(members: int, corrupt: int, forward: str, alpha: Fraction) -> None:
    chain = examples.crowds(members=members, corrupt=corrupt, forward=forward)
    f, honest = Fraction(forward), members - corrupt
    elsewhere = f * corrupt / (members * (members - f * honest))
    wanted = max(Fraction(corrupt, members) - (alpha - 1) * elsewhere, Fraction(0))
    assert len(chain.pairs) == comb(honest, 2)
    for s, t in chain.pairs:
        assert tv_alpha_at_depth(chain, s, t, alpha, 3) == wanted


def test_crowds_values() -> None:
    chain = examples.crowds()
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(2), 3) == Fraction(1, 8)
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(11, 3), 3) == 0
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(11, 3) - Fraction(1, 10**9), 3) > 0


def test_more_paths_of_a_crowd_are_independent_and_leak_more() -> None:
    one, two = examples.crowds(paths=1), examples.crowds(paths=2)
    for first, second in itertools.product(["from-0", "from-1", "unseen"], repeat=2):
        alone = [word_probability(one, "s0", ["start", label]) for label in (first, second)]
        assert word_probability(two, "s0", ["start", first, second, "end"]) == alone[0] * alone[1]
    alpha = Fraction(2)
    assert tv_alpha_at_depth(two, "s0", "s1", alpha, 4) > tv_alpha_at_depth(one, "s0", "s1", alpha, 3)


# pin checker, mix, sensor, random


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("pins", "accuracy"), [(4, "3/4"), (2, "9/10"), (5, "1/3")])
def test_pin_checker(pins: int, accuracy: str, alpha: Fraction) -> None:
    chain = examples.pin_checker(pins=pins, guesses=1, accuracy=accuracy)
    wanted = Fraction(2, pins) * two_outcomes(Fraction(accuracy), alpha)
    assert lv_at_depth(chain, "s0", "s1", alpha, 4) == wanted
    assert lv_at_depth(chain, "s1", "s0", alpha, 4) == wanted


def test_pin_checker_values() -> None:
    assert tv_alpha_at_depth(examples.pin_checker(), "s0", "s1", Fraction(2), 4) == Fraction(1, 8)
    twice = examples.pin_checker(guesses=2)
    word = ["start", "guess-0", "accept", "guess-3", "reject", "end"]
    assert word_probability(twice, "s0", word) == Fraction(1, 4) ** 2 * Fraction(3, 4) ** 2
    assert word_probability(twice, "s1", word) == Fraction(1, 4) ** 3 * Fraction(3, 4)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("messages", "mixes", "leak"), [(4, 2, "1/5"), (3, 1, "1/2"), (2, 3, "9/10"), (3, 2, "0")])
def test_mix(messages: int, mixes: int, leak: str, alpha: Fraction) -> None:
    chain = examples.mix(messages=messages, mixes=mixes, leak=leak)
    kept = Fraction(leak) ** mixes
    wanted = max(kept - (alpha - 1) * (1 - kept) / messages, Fraction(0))
    assert len(chain.pairs) == comb(messages, 2)
    for s, t in chain.pairs:
        assert tv_alpha_at_depth(chain, s, t, alpha, mixes + 1) == wanted


def test_mix_values() -> None:
    chain = examples.mix()
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(13, 12), 3) == Fraction(1, 50)
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(7, 6), 3) == 0
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(7, 6) - Fraction(1, 10**9), 3) > 0


def test_sticky_sensor_has_pure_epsilon_ln_3() -> None:
    chain = examples.sticky_sensor()
    r, stay = Fraction(9, 7), Fraction(9, 10)
    ratio = r
    for readings in range(1, 9):
        from_empty, from_used = (dict(words(chain, s, readings + 1)) for s in ("s0", "s1"))
        assert max(from_used[word] / from_empty[word] for word in from_empty) == ratio < 3
        assert tv_alpha_at_depth(chain, "s0", "s1", ratio, readings + 1) == 0
        ratio = r * (stay * ratio + 1 - stay) / (stay + (1 - stay) * ratio)
    assert (1 - stay) * 3**2 + stay * (1 - r) * 3 - r * (1 - stay) == 0
    long = ["start", *["high"] * 40]
    ratio = word_probability(chain, "s1", long) / word_probability(chain, "s0", long)
    assert Fraction(299, 100) < ratio < 3


def test_random_chain_with_one_label_leaks_nothing() -> None:
    chain = examples.random(n=6, labels=1, seed=3)
    assert tv_alpha_at_depth(chain, "s0", "s1", Fraction(1), 6) == 0


@pytest.mark.parametrize("seed", range(12))
def test_random_chain_of_degree_one_leaks_all_or_nothing(seed: int) -> None:
    chain = examples.random(n=5, degree=1, seed=seed)
    # Two runs over five states that agree for 25 letters have met the same pair twice, and agree for ever.
    ((left, p),), ((right, q),) = (list(words(chain, s, 26)) for s in ("s0", "s1"))
    assert p == q == 1
    for alpha in ALPHAS:
        assert tv_alpha_at_depth(chain, "s0", "s1", alpha, 26) == (0 if left == right else 1)


# The three quantities against each other.


@pytest.mark.sample(3)
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2), Fraction(2)])
@pytest.mark.parametrize(
    "spec", ["split-coin", "survey,rounds=2", "dining-cryptographers,n=2,p=1/3", "random,n=6,seed=5"]
)
def test_delta_is_below_ld_is_below_bd(spec: str, alpha: Fraction) -> None:
    chain = examples.build(spec)
    s, t = chain.relation[0]
    sweeps, rounding = 6, 1e-9
    two_way, one_way = bd_by_full_lp(chain, alpha, sweeps), ld_by_full_lp(chain, alpha, sweeps)
    # The first sweep decides by label alone, as depth 1 does: a sweep sees no less than a letter.
    assert float(lv_at_depth(chain, s, t, alpha, 6)) <= one_way[s, t] + rounding
    assert max(one_way[s, t], one_way[t, s]) <= two_way[s, t] + rounding
