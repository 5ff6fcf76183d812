"""Cases of what is compared without noise: they cover all integers, and each is what the stars are."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import pytest
from flint import fmpq

from deltachain import program
from deltachain.cancel import Cancel
from deltachain.integers.build import mechanism_of
from deltachain.integers.cases import Case, cases, moved_terms, step_of
from deltachain.integers.mechanism import Mechanism
from deltachain.integers.rings import Fractions
from deltachain.integers.search import Alpha, inputs_at, largest_ratio, private
from deltachain.integers.stars import Stars
from deltachain.numbers.flint import to_fraction

from .test_search import accepted, probability, shifts_of, star_value

HALF = "geometric('1/2')"
CLAMP = f"announce(min(max(q[0], 0), 3) + {HALF})"
CLAMPS = f"announce(sum(min(max(x, 0), 2) for x in q) + {HALF})"
LARGEST = f"announce(max(q) + {HALF})"
ABSOLUTE = f"announce(abs(q[0]) + {HALF})"
UNEVEN = f"announce((1 if 4 * q[0] - 6 * q[1] >= 3 else 0) + {HALF})"
SORTED = f"announce(min(q) + {HALF})\n    announce(max(q) + {HALF})"


def mechanism(body: str, n: int) -> Mechanism:
    return mechanism_of(program(f"def program(q):\n    {body}"), {"q": n}, {}, Cancel())


# The least e^ε at distance 1 in each input; none where it is infinite.
RATIOS = [
    (CLAMP, 1, 1, Fraction(2)),
    (CLAMP, 1, 5, Fraction(8)),
    (CLAMPS, 2, 1, Fraction(4)),
    (LARGEST, 2, 1, Fraction(2)),
    (LARGEST, 3, 1, Fraction(2)),
    (ABSOLUTE, 1, 1, Fraction(2)),
    (UNEVEN, 2, 1, Fraction(2)),
    (SORTED, 2, 1, Fraction(4)),
]


@pytest.mark.parametrize(("body", "n", "most", "ratio"), RATIOS)
def test_what_is_compared_without_noise_has_its_least_epsilon(body: str, n: int, most: int, ratio: Fraction) -> None:
    own = mechanism(body, n)
    reached, found = largest_ratio(
        own, Fractions(), shifts_of(own, most), Cancel(), lambda place: inputs_at(own, place) is not None
    )
    assert (found.violation, found.undecided) == (None, None)
    assert to_fraction(reached.top) / to_fraction(reached.bottom) == ratio
    assert reached.real
    assert accepted(own, ratio, most)
    assert not accepted(own, ratio * Fraction(99, 100), most)


def holds_at(case: Case, values: Mapping[str, int]) -> bool:
    """Whether integers are of a case: a last or first value of a step stands for all beyond it."""
    return all(sum(c * values[name] for name, c in parts) == value for parts, value in case.steps)


@pytest.mark.parametrize("body", [CLAMP, CLAMPS, LARGEST, ABSOLUTE, UNEVEN, SORTED])
@pytest.mark.parametrize("most", [1, 3])
def test_in_its_cases_a_word_has_its_probabilities_before_and_after(body: str, most: int) -> None:
    own, stars = mechanism(body, 2), Stars(Fractions())
    rng = random.Random(most)
    (word,) = own.words
    for shift in rng.sample(shifts_of(own, most), 5):
        listed = [*cases(moved_terms([word], shift), shift)]
        assert all(not step_of(star) for case in listed for term in case.terms for star in term.stars)
        seen = 0
        for _ in range(200):
            q = {name: rng.randint(-6, 6) for name in own.inputs}
            values = q | {name: rng.randint(-3, 3) for name in own.outputs}
            found = [case for case in listed if holds_at(case, values)]
            assert len(found) <= 1
            if not found:
                continue  # far out, or the word is impossible both times
            (case,) = found
            seen += 1
            beside = {name: value + shift.get(name, 0) for name, value in values.items()}
            found_here = []
            for way in (0, 1):
                total = Fraction(0)
                for term in case.terms:
                    value = term.after if way else term.before
                    for star in term.stars:
                        at = [sum(c * values[n] for n, c in a.parts) + a.offset + way * a.moved for a in star]
                        value *= star_value(stars, [(a.kind, a.ratio, k) for a, k in zip(star, at, strict=True)])
                    total += value
                found_here.append(total)
            # Stars that are factors both times are left out: the ratio is what counts.
            before, after = (probability(word, stars, env) for env in (values, beside))
            assert found_here[0] * after == found_here[1] * before
            assert [bool(total) for total in found_here] == [bool(before), bool(after)]
        assert seen


def test_a_clamp_that_leaks_is_refuted_by_integers() -> None:
    own = mechanism(f"announce(min(max(3 * q[0], 0), 3) + {HALF})", 1)
    at = Alpha(fmpq(4), fmpq(1))
    found = private(own, Fractions(), at, shifts_of(own, 1), Cancel(), lambda place: inputs_at(own, place) is not None)
    assert found.violation is not None
    values = inputs_at(own, found.violation)
    assert values is not None
    assert {values[0]["q[0]"], values[0]["q[0]"] + found.violation.case.shift["q[0]"]} == {0, 1}


def test_what_needs_announced_integers_far_out_is_found() -> None:
    body = f"z = q[0] + {HALF}\n    announce(z if q[0] > 0 and z >= 20 else 'none')"
    own = mechanism(body, 1)
    reached, _ = largest_ratio(
        own, Fractions(), shifts_of(own, 1), Cancel(), lambda place: inputs_at(own, place) is not None
    )
    assert reached.bottom == 0
    assert reached.real
    assert reached.place is not None
