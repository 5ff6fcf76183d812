"""How likely an event of a run is: by formulas, and beside the words of the chain, each asked by Python itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain.errors import InputError
from deltachain.programs import parse_value
from deltachain.programs.run.events import Accuracy
from tests.amounts import part_of
from tests.words import refuses

COUNTS = [{"count": 0}, {"count": 5}]
NOISY = dc.program("def noisy(count, ratio): announce(count + geometric(ratio))")


@given(st.integers(0, 40), st.integers(1, 9), st.integers(0, 6))
def test_two_sided_geometric_noise(far: int, tenths: int, shift: int) -> None:
    ratio = Fraction(tenths, 10)
    found = NOISY.accuracy(f"abs(output - count - {shift}) <= {far}", COUNTS, constants={"ratio": ratio})
    # P(z = k) = (1 − r)/(1 + r)·r^|k|, so that P(z > m) = r^(m+1)/(1 + r) for m ≥ −1.
    above = ratio ** (far + shift + 1) / (1 + ratio)
    low = shift - far
    below = ratio ** (1 - low) / (1 + ratio) if low <= 0 else 1 - ratio**low / (1 + ratio)
    assert (found.lower, found.upper) == (1 - above - below, 1 - above - below)


def test_tails_count_in_full() -> None:
    # "≥ 6" is one letter of the chain; the event splits the tail.
    found = NOISY.accuracy("output >= 100", COUNTS, constants={"ratio": "1/2"})
    assert found == Accuracy("output >= 100", Fraction(1, 2**99 * 3), Fraction(1, 2**99 * 3), "count=0", 2)
    parity = NOISY.accuracy("output % 2 == 0", COUNTS, constants={"ratio": "1/2"})
    assert parity.lower <= Fraction(4, 9) <= parity.upper < parity.lower + Fraction(1, 10**28)


def test_laplace_noise_to_its_last_bit() -> None:
    noisy = dc.program("def noisy(count): announce(count + discrete_laplace(1))")
    found = noisy.accuracy("abs(output - count) <= 3", COUNTS)
    truth = 1 - 2 * math.exp(-4) / (1 + math.exp(-1))
    assert found.lower < found.upper < found.lower + Fraction(1, 2**200)
    assert abs(float(found.lower) - truth) < 1e-14


def test_gaussian_noise() -> None:
    noisy = dc.program("def noisy(count, sigma): announce(count + discrete_gaussian(sigma))")
    found = noisy.accuracy("abs(output - count) <= 3", COUNTS, constants={"sigma": 2})
    weights = {k: math.exp(-k * k / 8) for k in range(-60, 61)}
    truth = sum(w for k, w in weights.items() if abs(k) <= 3) / sum(weights.values())
    assert abs(float(found.lower) - truth) < 1e-13
    assert found.upper - found.lower < Fraction(1, 2**200)


def test_what_is_cut_off_may_be_inside_or_outside() -> None:
    both = dc.program(
        """
        def both(a, b):
            a += geometric("1/2", tail="1e-9")
            announce(a)
            announce(b + geometric("1/2", tail="1e-9"))
        """
    )
    secrets = [{"a": 0, "b": 0}, {"a": 1, "b": 0}]
    near = both.accuracy("abs(outputs[0] - a) <= 1 and abs(outputs[1] - b) <= 1", secrets)
    assert near.lower == near.upper == Fraction(4, 9)
    even = "abs(outputs[0] - a) <= 1 and outputs[1] % 2 == b % 2"
    found = both.accuracy(even, secrets)
    assert Fraction(10, 27) - Fraction(1, 10**8) < found.lower < Fraction(10, 27) < found.upper
    assert found.upper < Fraction(10, 27) + Fraction(1, 10**8)
    found = both.accuracy(f"not ({even})", secrets)
    assert Fraction(17, 27) - Fraction(1, 10**8) < found.lower < Fraction(17, 27) < found.upper


def test_parameters_are_those_that_were_given() -> None:
    changing = dc.program("def changing(x):\n    x += flip('1/3')\n    announce(x)\n    x = 0")
    found = changing.accuracy("output == x", [{"x": 1}, {"x": 2}])
    assert (found.lower, found.upper) == (Fraction(2, 3), Fraction(2, 3))


def test_runs_that_announce_nothing_or_never_end() -> None:
    quiet = dc.program("def quiet(x):\n    if flip('1/3'):\n        announce(x)")
    assert quiet.accuracy("output == x", [{"x": 1}]).lower == Fraction(1, 3)
    endless = dc.program("def endless(x):\n    announce(x)\n    while flip('1/2') or x == 2:\n        announce(x)")
    found = endless.accuracy("output == x", [{"x": 1}, {"x": 2}])
    assert (found.lower, found.upper, found.secret) == (0, 0, "x=2")
    assert endless.accuracy("output == x", [{"x": 1}]).lower == 1


def words(chain: dc.Chain, state: int) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Every word from a state of a chain that ends, with its probability: the obvious way."""
    if chain.labels[state] == "end":
        yield (), Fraction(1)
        return
    for target, p in chain.given[state][0]:  # type: ignore[union-attr]
        for word, q in words(chain, target):
            shown = () if chain.labels[target] == "end" else (chain.labels[target],)
            yield (*shown, *word), p * q  # type: ignore[operator]


REPORTS = dc.program(
    """
    def reports(x, times, p):
        total = 0
        for i in range(times):
            here = uniform(0, 2) if flip(p) else x
            if here != i:
                announce(here)
            total += here
        if total % 2:
            announce(total)
    """
)
EVENTS = (
    "output == x",
    "abs(output - x) <= 1",
    "len(outputs) == times",
    "sum(outputs) > 2 * x",
    "all(y == x for y in outputs)",
    "outputs[0] <= outputs[-1] or output == x",
    "not any(y > x for y in outputs[1:]) and output < 3",
)


@settings(max_examples=part_of(60))
@given(st.sampled_from(EVENTS), st.integers(1, 3), st.integers(1, 5), st.integers(0, 2))
def test_beside_the_words_of_the_chain(event: str, times: int, sixths: int, first: int) -> None:
    constants = {"times": times, "p": Fraction(sixths, 6)}
    secrets = [{"x": first}, {"x": first + 1}]
    chain = REPORTS.chain(secrets, constants=constants)
    truths = []
    for start, secret in enumerate(secrets):
        inside = Fraction(0)
        for word, p in words(chain, start):
            outputs = tuple(map(parse_value, word))
            known = {"outputs": outputs, "output": outputs[-1] if outputs else None, **secret, **constants}
            inside += p if outputs and eval(event, known) else 0  # noqa: S307 - one of the above
        truths.append(inside)
    found = REPORTS.accuracy(event, secrets, constants=constants)
    assert (found.lower, found.upper) == (min(truths), min(truths))
    assert found.secret == f"x={first + truths.index(min(truths))}"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("output", "is not a truth value"),
        ("output -", "not Python"),
        ("uotput <= 3", "unknown name 'uotput' (did you mean 'output'?)"),
        ("z <= 3", "an event speaks of output, outputs, count, ratio"),
        ("count >= 0", "says nothing about output or outputs"),
        ("output == flip('1/2')", "a random value"),
        ("output = 3", "not one expression"),
        ("output + 'a' == 'b'", "+ needs numbers"),
        ("", "not one expression"),
    ],
)
def test_refusals(event: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        NOISY.accuracy(event, COUNTS, constants={"ratio": "1/2"})
    assert said in str(error.value)
    assert str(error.value).startswith("accuracy ")


def test_no_one_probability_where_the_observer_is_asked() -> None:
    asking = dc.program("def asking(x):\n    which = ask(('a', 'b'))\n    announce(x)")
    with refuses(InputError, "observer is asked"):
        asking.accuracy("output == x", [{"x": 1}])
    named = dc.program("def named(output): announce(output)")
    with pytest.raises(InputError, match="rename the parameter"):
        named.accuracy("output == 1", [{"output": 1}])
