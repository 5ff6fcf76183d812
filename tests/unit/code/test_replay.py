"""Chains from ordinary code: what they must reach, and the bugs of glue code that they must find."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain import announce, choose, discrete_gaussian, discrete_laplace, exp, flip, randomised_response, uniform
from deltachain.code import Random, from_code
from deltachain.errors import InputError
from tests.amounts import part_of
from tests.paper.test_bugs import R, tail
from tests.reference.runs import words_of
from tests.words import refuses, says

pytestmark = pytest.mark.usefixtures("one_process")


@dataclass(frozen=True)
class Record:
    key: str


def release(records: list[Record], threshold: int = 5, scale: int = 1) -> dict[str, int]:
    counts = Counter(record.key for record in records)
    return {key: n for key, count in sorted(counts.items()) if (n := count + discrete_laplace(scale)) >= threshold}


A = [Record("a"), Record("a"), Record("a"), Record("b")]


def test_a_threshold_on_counts_is_refuted_and_proved_from_the_code_itself() -> None:
    chain = from_code(release, secrets=[{"records": A}, {"records": A[:3]}])
    found = dc.delta(chain, epsilon=1)
    assert found.exact
    assert found.value == (exp(-4) / (1 + exp(-1))).exact
    assert abs(found.lower - Fraction(tail(R, 4))) < Fraction(1, 10**11)  # the same, in decimals
    assert dc.check(chain, epsilon=1, delta="0.0134").verdict == "private"
    wrong = dc.check(chain, epsilon=1, delta="0.0133")
    assert wrong.verdict == "violated"
    assert "returns {'b': #1}" in wrong.witness.words[0].word


def test_the_chain_has_one_start_for_each_secret_and_names_them() -> None:
    secrets = [{"records": A}, {"records": A[:1]}, {"records": A[:2]}]
    chain = from_code(release, secrets, constants={"threshold": 3}, neighbours=lambda a, _: len(a["records"]) == 1)
    assert chain.states[:3] == ("records #1", "records #2", "records #3")
    assert chain.relation == ((0, 1), (1, 2))
    named = from_code(
        lambda truth, of: (flip("1/3"), truth, of), [{"truth": True}, {"truth": False}], constants={"of": "all"}
    )
    assert named.states[:2] == ("truth=True", "truth=False")
    assert named.valuations is not None
    assert dict(named.valuations[0]) == {"of": "all", "truth": True}


def test_a_shuffle_is_uniform() -> None:
    def shuffled(records: tuple[int, ...], rng: random.Random) -> list[int]:
        found = list(records)
        rng.shuffle(found)
        return found

    secrets = [{"records": (1, 2, 3, 4, 5, 6)}, {"records": (6, 1, 5, 2, 4, 3)}]
    chain = from_code(shuffled, secrets, constants={"rng": Random()})
    found = dc.delta(chain, epsilon=0)
    assert found.upper == 0
    assert found.exact
    with pytest.raises(dc.errors.InputError, match="global generator"):
        from_code(shuffled, secrets, constants={"rng": random})


def test_equal_runs_are_one() -> None:
    def coins() -> None:
        for _ in range(10):
            announce(flip("1/3"))

    chain = from_code(coins, [{}])
    assert len(chain.states) == 22


@pytest.mark.slow
def test_sixteen_coins_are_two_states_each() -> None:
    def coins() -> None:
        for _ in range(16):
            announce(flip("1/3"))

    chain = from_code(coins, [{}])
    assert len(chain.states) == 34


# Bugs of glue code, each of a kind that was found in a library.


def giveaway(chain: dc.Chain, **asked: Any) -> str:
    """The first word of the event that gives the secret away, of a chain that is not private."""
    found = dc.check(chain, **asked)
    assert found.verdict == "violated"
    assert found.witness is not None
    return " ".join(found.witness.words[0].word)


def test_noise_that_is_forgotten_on_one_branch() -> None:
    def mean(values: tuple[int, ...]) -> Any:
        if len(values) < 2:
            return sum(values)  # too few to matter
        return sum(values) + discrete_laplace(1)

    chain = from_code(mean, [{"values": (3,)}, {"values": (4,)}])
    assert giveaway(chain, epsilon=1, delta="1/2") in (
        "start returns #1 3 end",
        "start returns #1 4 end",
        "start returns #1 3",
    )
    fine = from_code(mean, [{"values": (3, 1)}, {"values": (4, 1)}])
    assert dc.check(fine, epsilon=1, delta=0).verdict == "private"


def test_one_cached_noise_that_is_added_to_two_answers() -> None:
    def answers(counts: tuple[int, int]) -> tuple[int, int]:
        @cache
        def noise() -> int:
            return discrete_laplace("1/2")

        return counts[0] + noise(), counts[1] + noise()

    def fixed(counts: tuple[int, int]) -> tuple[int, int]:
        return counts[0] + discrete_laplace("1/2"), counts[1] + discrete_laplace("1/2")

    secrets = [{"counts": (3, 3)}, {"counts": (3, 4)}]
    # The difference of the answers is that of the counts.
    assert "returns (#1, #2)" in giveaway(from_code(answers, secrets), epsilon=2, delta="1/2")
    assert dc.check(from_code(fixed, secrets), epsilon=2, delta=0).verdict == "private"


def test_sensitivity_two_that_is_charged_as_one() -> None:
    def histogram(values: Mapping[str, int], scale: int = 1) -> dict[str, int]:
        return {key: count + discrete_laplace(scale) for key, count in values.items()}

    # A record is changed, not added: two counts differ.
    secrets = [{"values": {"a": 2, "b": 1}}, {"values": {"a": 1, "b": 2}}]
    assert says(giveaway(from_code(histogram, secrets), epsilon=1, delta="1/10"), "returns {'a")
    assert dc.check(from_code(histogram, secrets, constants={"scale": 2}), epsilon=1, delta=0).verdict == "private"


def test_retrying_until_the_answer_is_positive() -> None:
    def count_of(count: int) -> int:
        while True:
            noisy = count + discrete_laplace(1)
            if noisy > 0:
                return noisy

    chain = from_code(count_of, [{"count": 1}, {"count": 2}])
    found = dc.delta(chain, epsilon=1)
    # P(1 + Z = 1 | 1 + Z ≥ 1) = 1 − r; P(2 + Z = 1 | 2 + Z ≥ 1) = (1 − r)r/(1 + r − r²).
    known = Fraction((1 - R) - (1 - R) * R / (1 + R - R * R) / R)
    assert abs(known - Fraction("0.119262212327")) < Fraction(1, 10**12)
    assert found.lower <= known + Fraction(1, 10**20)
    assert known - Fraction(1, 10**20) <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**9)
    assert says(giveaway(chain, epsilon=1, delta="0.11"), "start returns")


# Other laws and shapes.


def test_irrational_weights_and_gaussian_noise() -> None:
    def response(truth: bool) -> bool:
        return randomised_response(truth, (True, False), epsilon=1)

    assert dc.check(from_code(response, [{"truth": True}, {"truth": False}]), epsilon=1, delta=0).verdict == "private"

    def coin(truth: bool) -> bool:
        return flip(exp("-1/2")) == truth

    found = dc.delta(from_code(coin, [{"truth": True}, {"truth": False}]), epsilon=0)
    known = 2 * Fraction(Decimal("-0.5").exp()) - 1
    assert abs(found.lower - known) < Fraction(1, 10**10)

    def noisy(count: int) -> bool:
        return count + discrete_gaussian(2) >= 3

    chain = from_code(noisy, [{"count": 0}, {"count": 1}])
    compiled = dc.program("def noisy(count): announce(count + discrete_gaussian(2) >= 3)")
    one, other = (dc.delta(c, epsilon="1/4") for c in (chain, compiled.chain([{"count": 0}, {"count": 1}])))
    assert abs(one.lower - other.lower) < Fraction(1, 10**12)


def test_noise_of_several_scales_is_shown_step_by_step() -> None:
    def both(count: int) -> tuple[int, int]:
        return count + discrete_laplace(1), discrete_laplace(2)

    chain = from_code(both, [{"count": 0}, {"count": 1}])
    assert chain.step_by_step
    found = dc.delta(chain, epsilon=1)
    assert found.lower == 0
    assert found.upper < Fraction(1, 10**12)


@pytest.mark.slow
def test_a_sparse_vector_needs_hundreds_of_runs_and_not_millions() -> None:
    def sparse(answers: tuple[int, ...]) -> list[str]:
        bar = discrete_laplace(2)
        said = []
        for answer in answers:
            said.append("above" if answer + discrete_laplace(4) >= bar else "below")
            if said[-1] == "above":
                break
        return said

    chain = from_code(sparse, [{"answers": (0, 0, 1)}, {"answers": (1, 1, 0)}])
    assert dc.check(chain, epsilon=1, delta="1e-20").verdict == "private"
    assert dc.check(chain, epsilon="1/5", delta="1e-3").verdict == "violated"
    assert int(chain.confirmation.split()[3].replace(",", "")) < 5_000


def test_generators_recursion_and_any_data_structure() -> None:
    def walk(depth: int) -> Any:
        if depth == 0 or flip("1/3"):
            return {"leaf": (depth,), "seen": {1, 2}}
        return [walk(depth - 1), *(uniform(0, 1) for _ in range(1))]

    chain = from_code(walk, [{"depth": 2}])
    assert len({label for label in chain.labels if label.startswith("returns")}) == 3


def test_a_certificate_of_code_is_accepted() -> None:
    chain = from_code(release, secrets=[{"records": A}, {"records": A[:3]}])
    found = dc.delta(chain, epsilon=1)
    assert dc.verify(chain, found.certificate)


# Any mixture of draws, letters and branches.

STEP = st.one_of(
    st.tuples(st.just("flip"), st.sampled_from(["1/2", "1/3", "9/10"])),
    st.tuples(st.just("uniform"), st.integers(0, 3)),
    st.tuples(st.just("choose"), st.integers(1, 3)),
    st.tuples(st.just("show"), st.integers(1, 3)),
    st.tuples(st.just("leave"), st.integers(2, 4)),
    st.tuples(st.just("skip"), st.integers(2, 3)),
)


@settings(max_examples=part_of(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, max_size=6), st.integers(0, 2))
def test_words_are_as_likely_as_those_that_are_followed_one_by_one(steps: list[tuple[str, Any]], start: int) -> None:
    def code(x: int) -> Any:
        coming = iter(steps)
        for kind, value in coming:
            if kind == "flip":
                x = 2 * x + flip(value)
            elif kind == "uniform":
                x = 3 * x + uniform(0, value)
            elif kind == "choose":
                x += choose({0: "1/4", value: "3/4"})
            elif kind == "show":
                announce(x % value)
            elif kind == "leave" and x % value == 0:
                return {"left": x % 5}
            elif kind == "skip" and x % value == 0:
                next(coming, None)
        return x % 4 or None

    known = words_of(code, 0, x=start)
    chain = from_code(code, [{"x": start}])
    for word, chance in known.items():
        found = dc.trace(chain, chain.states[0], ["start", *word, "end"]).probabilities
        assert found[chain.states[0]] == chance
    assert sum(known.values()) == 1


LONG = tuple(range(60))


def first_or_half(records: tuple[int, ...], counted: int) -> bool:
    return flip("1/2" if counted else "3/10" if records[0] else "7/10")


def test_rules_compare_what_has_no_short_text() -> None:
    # The texts of these are too long for a name. A rule that did not see them took the first two for equal.
    other = (1, *LONG[1:])
    secrets = [{"records": records, "counted": counted} for records, counted in ((LONG, 0), (other, 0), (LONG, 1))]
    found = dc.check(first_or_half, secrets=secrets, neighbours="one-entry", epsilon=0, delta="1/5")
    assert found.verdict == "violated"
    assert [result.upper for result in found.results] == [Fraction(2, 5), Fraction(1, 5)]


@pytest.mark.parametrize("given", [list, np.array, tuple], ids=["lists", "arrays", "tuples"])
def test_rules_see_numbers_inside_lists_and_arrays(given: Any) -> None:
    secrets = [{"records": given([x, 5]), "counted": 1} for x in (0, 1, 3)]
    chain = dc.load(first_or_half, secrets=secrets, neighbours="linf 1")
    assert chain.relation == ((0, 1),)


def test_a_rule_about_what_no_record_holds_is_refused() -> None:
    def known(person: object, counted: int) -> bool:
        return flip("1/2") == (person is None or counted > 0)

    secrets = [{"person": object(), "counted": counted} for counted in (0, 0, 1)]
    for rule in ("one-entry", "linf 1", "a.person == b.person"):
        with refuses(InputError, "cannot compare person"):
            dc.load(known, secrets=secrets, neighbours=rule)
    assert dc.load(known, secrets=secrets, neighbours="a.counted != b.counted").relation == ((0, 2), (1, 2))
    assert len(dc.load(known, secrets=secrets, neighbours="all").relation) == 3


def test_the_example_of_from_code() -> None:
    # Not run as a doctest: that would fork a process in which thousands of tests have left threads.
    def answer(truth: bool) -> bool:
        return truth if dc.flip("1/2") else dc.flip("1/2")

    chain = dc.from_code(answer, secrets=[{"truth": True}, {"truth": False}])
    assert dc.check(chain, exp_epsilon=3, delta=0).verdict == "private"
