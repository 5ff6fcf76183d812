"""`dc.each` against the product of the laws of its parts, and against code that calls the function itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain.code.recorded import _slots
from deltachain.model.silent import without_silent
from tests.amounts import fewer_or_all
from tests.words import refuses, says

Law = dict[Any, Fraction]
"""Outcome → probability; None is left out where that is asked for."""


def _law(random: Random, *, skips: bool) -> Law:
    outcomes = random.sample([0, 1, 7, "x", (1, 2), 2.5], random.randint(1, 3))
    outcomes += [None] * (skips and random.random() < 0.8)
    weights = [random.randint(1, 5) for _ in outcomes]
    return {outcome: Fraction(weight, sum(weights)) for outcome, weight in zip(outcomes, weights, strict=True)}


def _delta(one: Law, other: Law, alpha: Fraction) -> Fraction:
    words = one.keys() | other.keys()
    return max(
        sum((max(a.get(w, Fraction(0)) - alpha * b.get(w, Fraction(0)), Fraction(0)) for w in words), Fraction(0))
        for a, b in ((one, other), (other, one))
    )


def _whole(laws: Mapping[str, Law], *, by_key: bool, skips: bool) -> Law:
    """The law of what is returned, by all combinations."""
    found: Law = {}
    for outcomes in product(*(law.items() for law in laws.values())):
        shown = [(key, value) for key, (value, _) in zip(laws, outcomes, strict=True) if not (skips and value is None)]
        word = tuple((key if by_key else "", value) for key, value in shown)
        mass = Fraction(1)
        for _, share in outcomes:
            mass *= share
        found[word] = found.get(word, Fraction(0)) + mass
    return found


def _release(laws: Mapping[str, Law], *, by_key: bool, skips: bool) -> Any:
    def draw(law: Law) -> Any:
        return dc.choose(list(law), list(law.values()))

    if by_key:
        return dc.each(laws, lambda _, law: draw(law), skip_none=skips)
    return dc.each(list(laws.values()), draw, skip_none=skips)


@pytest.mark.usefixtures("one_process")
@fewer_or_all("number", 12, 150)
def test_parts_are_independent(number: int) -> None:
    random, left_out, shared = Random(3), 0, 0
    for _ in range(number):
        skips, by_key = random.random() < 0.7, random.random() < 0.7
        known = {key: _law(random, skips=skips) for key in "abcd"}
        data: list[dict[str, Law]] = []
        for _ in range(2):
            chosen = {key: law for key, law in known.items() if random.random() < 0.8}
            if chosen and random.random() < 0.7:
                chosen[random.choice(list(chosen))] = _law(random, skips=skips)
            data.append(chosen)
        constants: dict[str, Any] = {"by_key": by_key, "skips": skips}
        secrets = [{"laws": each} for each in data]
        chain = dc.from_code(_release, secrets, constants=constants, isolate=False)
        words = [_whole(each, by_key=by_key, skips=skips) for each in data]
        for alpha in (Fraction(1), Fraction(3, 2), Fraction(4)):
            found = dc.delta(chain, exp_epsilon=alpha, check=False)
            assert found.lower == _delta(words[0], words[1], alpha) == found.upper
        left_out += any("left out" in note for note in chain.notes)
        shared += any(data[0][key] == data[1][key] for key in data[0].keys() & data[1].keys())
    assert left_out
    assert shared > left_out


def _histogram(counts: Mapping[str, int], threshold: int) -> dict[str, int]:
    def noisy(_: str, count: int) -> int | None:
        found = count + dc.discrete_laplace(1)
        return found if found >= threshold else None

    return dc.each(counts, noisy, skip_none=True)  # type: ignore[no-any-return]


def _plain_histogram(counts: Mapping[str, int], threshold: int) -> dict[str, int]:
    return {key: found for key, count in counts.items() if (found := count + dc.discrete_laplace(1)) >= threshold}


def _both(size: int) -> list[dict[str, object]]:
    counts = {f"key {n:03}": n % 9 for n in range(size)}
    more = dict(sorted({**counts, "key 001, too": 1}.items()))
    return [{"counts": counts}, {"counts": more}]


@pytest.mark.parametrize("size", [2, 60])
def test_a_histogram_with_a_threshold_needs_a_run_per_outcome_of_each_key(size: int) -> None:
    chain = dc.from_code(_histogram, _both(size), constants={"threshold": 4})
    plain = dc.from_code(_plain_histogram, _both(2), constants={"threshold": 4})
    assert f"{size:,} parts of dc.each that all secrets have in common change no δ" in "".join(chain.notes)
    assert any("on nothing that another part changes" in each for each in chain.assumes)
    found = dc.delta(chain, epsilon=1)
    assert found.exact
    assert found.value == dc.delta(plain, epsilon=1).value


def test_every_part_that_differs_stays() -> None:
    def counted(by: int) -> Any:
        return dc.each({"a": 1, "b": 1 + by, "c": 1, "d": 1 + by}, lambda _, count: count + dc.discrete_laplace(1))

    chain = dc.from_code(counted, [{"by": 0}, {"by": 1}], isolate=False)
    assert dc.delta(chain, epsilon=2).value == 0
    assert dc.epsilon(chain, delta=0).least == 2


def test_what_is_told_apart_says_why() -> None:
    def looks(secret: int) -> bool:
        return bool(dc.each([secret], lambda _: dc.flip("1/2") or None, skip_none=True))

    chain = dc.from_code(looks, [{"secret": 0}, {"secret": 1}])
    (note,) = [note for note in chain.notes if "told apart" in note]
    assert says(note, "what dc.each gives")


def test_why_parts_are_told_apart_stands_beside_too_many_runs() -> None:
    def sums(secret: int) -> int:
        return sum(dc.each([secret] * 12, lambda count: count + dc.uniform(0, 9)))

    with refuses(dc.errors.InputError, "code looks into"):
        dc.from_code(sums, [{"secret": 0}, {"secret": 1}], max_runs=2_000)


def test_noise_of_outside_is_refused_by_name() -> None:
    def release(secret: int) -> Any:
        noise = dc.discrete_laplace(1)
        return dc.each([secret, 1], lambda count: count + noise >= 1)

    with refuses(dc.errors.InputError, "another part than"):
        dc.from_code(release, [{"secret": 0}, {"secret": 1}])


def test_noise_that_a_shared_list_keeps_is_followed_as_any_other() -> None:
    def release(secret: int) -> bool:
        box: list[int] = []
        dc.each([secret, 1], lambda count: box.append(count + dc.discrete_laplace(1)))
        return box[0] >= 1

    chain = dc.from_code(release, [{"secret": 0}, {"secret": 1}])
    assert says(" ".join(chain.notes), "another value after")
    assert dc.epsilon(chain, delta=0).least == 1


def test_nothing_is_hidden_beside_parts_that_are_left_out() -> None:
    chain = dc.from_code(_histogram, _both(3), constants={"threshold": 4}, isolate=False)
    with refuses(dc.errors.InputError, "chain, which needs"):
        without_silent(chain, ["'key 001, too':"])


def test_in_production_it_is_a_plain_map() -> None:
    assert dc.each(range(3), lambda n: n * n) == [0, 1, 4]
    assert dc.each(range(3), lambda n: n or None, skip_none=True) == [1, 2]
    assert dc.each({"a": 1, "b": 2}, lambda key, n: f"{key}{n}") == {"a": "a1", "b": "b2"}
    assert dc.each({"a": 1, "b": None}, lambda _, n: n, skip_none=True) == {"a": 1}
    assert dc.each([], lambda n: n) == []


@fewer_or_all("number", 50, 500)
def test_slots_are_what_is_left_of_a_call(number: int) -> None:
    random: Callable[..., Any] = Random(4).sample
    for _ in range(number):
        roots = random(range(9), 6)
        common = [root for root in roots if root % 2]
        slots = _slots(roots, common)
        assert len(slots) == len(common) + 1
        joined = [root for n, slot in enumerate(slots) for root in (*slot, *common[n : n + 1])]
        assert joined == roots
