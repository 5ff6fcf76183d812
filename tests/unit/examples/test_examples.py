"""What every example has in common, whatever it models."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from deltachain import examples
from deltachain.errors import InputError
from deltachain.examples import Example
from deltachain.examples.mechanism import MAX_DIGITS, MAX_TRANSITIONS
from deltachain.model import Chain, reachable
from deltachain.model.validate import find_defects

ZOO = examples.catalogue()


def test_the_zoo_is_complete() -> None:
    assert [example.name for example in ZOO] == [
        "adaptive-survey",
        "clamped-geometric",
        "coin",
        "crowds",
        "dining-cryptographers",
        "epoch-budget",
        "geometric",
        "geometric-counter",
        "histogram",
        "lockout",
        "memoised-survey",
        "mix",
        "noisy-max",
        "partial-sum",
        "pin-checker",
        "probe",
        "query-budget",
        "random",
        "rappor",
        "shared-budget",
        "smart-sum",
        "sparse-vector",
        "split-coin",
        "sticky-sensor",
        "survey",
        "waiting-room",
        "window-budget",
    ]
    assert list(examples.names()) == [example.name for example in ZOO]
    tools = {"Example", "build", "catalogue", "names"}
    assert {example.build.__name__ for example in ZOO} | tools == set(dir(examples))


@pytest.mark.parametrize("example", ZOO, ids=lambda example: example.name)
def test_defaults_build_into_a_valid_chain_with_a_relation(example: Example) -> None:
    chain = example.build()
    assert not find_defects(chain.states, chain.labels, chain.moves, chain.relation, chain.valuations, chain.inputs)
    assert chain.relation
    for s, t in chain.pairs:
        assert s != t
        assert chain.labels[chain.number(s)] == chain.labels[chain.number(t)]
    # A label is one word, so that a word of labels can be written with spaces.
    assert all(label and not any(letter.isspace() for letter in label) for label in chain.labels)


@pytest.mark.parametrize("example", [e for e in ZOO if e.name != "random"], ids=lambda example: example.name)
def test_every_state_can_be_reached_from_a_start(example: Example) -> None:
    chain = example.build()
    assert len(reachable(chain, {s for pair in chain.pairs for s in pair})) == len(chain)


@pytest.mark.parametrize("example", ZOO, ids=lambda example: example.name)
def test_module_docstring_says_protocol_secret_labels_and_value(example: Example) -> None:
    text = sys.modules[example.build.__module__].__doc__ or ""
    assert all(part in text for part in ("Protocol:", "Secret:", "Labels:", "Known exactly"))
    assert example.build.__doc__


Call = Callable[[], Chain]

BAD: list[tuple[Call, str, str]] = [
    (lambda: examples.coin(p="3/2"), "p", "outside [0, 1]"),
    (lambda: examples.coin(p=-0.1), "p", "-1/10"),
    (lambda: examples.coin(p="half"), "p", "half"),
    (lambda: examples.rappor(bits=20, reports=2), "size", "lower bits or reports"),
    (lambda: examples.noisy_max(variant=4), "variant", "4 is outside 1 to 3"),
    (lambda: examples.sparse_vector(variant=0), "variant", "0 is outside 1 to 6"),
    (lambda: examples.sparse_vector(n=3, ones=4), "ones", "4 is outside 0 to 3"),
    (lambda: examples.sparse_vector(unit=2), "unit", "outside [0, 1]"),
    (lambda: examples.smart_sum(block=0), "block", "0 is outside 1 to 20"),
    (lambda: examples.histogram(moved=2), "moved", "2 is outside 0 to 1"),
    (lambda: examples.clamped_geometric(clamp=0), "clamp", "0 is outside 1 to 1000"),
    (lambda: examples.split_coin(q=2), "q", "outside [0, 1]"),
    (lambda: examples.dining_cryptographers(n=1), "n", "1 is outside 2 to 120"),
    (lambda: examples.dining_cryptographers(n=10**9), "n", "outside 2 to 120"),
    (lambda: examples.dining_cryptographers(n=2.0), "n", "2.0 is not a whole number"),  # type: ignore[arg-type]
    (lambda: examples.dining_cryptographers(n=True), "n", "True is not a whole number"),
    (lambda: examples.dining_cryptographers(n="3"), "n", "'3' is not a whole number"),  # type: ignore[arg-type]
    (lambda: examples.dining_cryptographers(p="1.5"), "p", "outside [0, 1]"),
    (lambda: examples.survey(rounds=0), "rounds", "0 is outside 1 to"),
    (lambda: examples.survey(p="2"), "p", "outside [0, 1]"),
    (lambda: examples.memoised_survey(q="-1"), "q", "outside [0, 1]"),
    (lambda: examples.waiting_room(favour="5/4"), "favour", "5/4"),
    (lambda: examples.waiting_room(decide=-1), "decide", "-1"),
    (lambda: examples.waiting_room(accuracy="inf"), "accuracy", "inf"),
    (lambda: examples.geometric(m=0), "m", "0 is outside 1 to 100"),
    (lambda: examples.geometric(ratio="1.01"), "ratio", "outside [0, 1]"),
    (lambda: examples.geometric_counter(steps=0), "steps", "0 is outside"),
    (lambda: examples.geometric_counter(rate=7), "rate", "outside [0, 1]"),
    (lambda: examples.geometric_counter(steps=100, m=100), "size", f"the limit is {MAX_TRANSITIONS}"),
    (lambda: examples.crowds(members=2), "members", "2 is outside 3 to"),
    (lambda: examples.crowds(members=5, corrupt=4), "corrupt", "4 is outside 1 to 3"),
    (lambda: examples.crowds(corrupt=0), "corrupt", "0 is outside 1 to 3"),
    (lambda: examples.crowds(forward="9/8"), "forward", "9/8"),
    (lambda: examples.crowds(members=500, paths=10_000), "size", "lower members or paths"),
    (lambda: examples.pin_checker(pins=1), "pins", "1 is outside 2 to"),
    (lambda: examples.pin_checker(guesses=-3), "guesses", "-3 is outside 1 to"),
    (lambda: examples.pin_checker(pins=10_000, guesses=10_000), "size", "lower pins or guesses"),
    (lambda: examples.sticky_sensor(stay="1e3"), "stay", "1000"),
    (lambda: examples.sticky_sensor(accuracy=float("nan")), "accuracy", "nan"),
    (lambda: examples.mix(messages=1), "messages", "1 is outside 2 to"),
    (lambda: examples.mix(mixes=0), "mixes", "0 is outside 1 to"),
    (lambda: examples.mix(leak="5/4"), "leak", "5/4"),
    (lambda: examples.mix(messages=500, mixes=10_000), "size", "lower messages or mixes"),
    (lambda: examples.random(n=1), "n", "1 is outside 2 to"),
    (lambda: examples.random(n=4, labels=5), "labels", "5 is outside 1 to 4"),
    (lambda: examples.random(n=4, degree=5), "degree", "5 is outside 1 to 4"),
    (lambda: examples.random(degree=3, denominators=2), "denominators", "2 is below the degree, 3"),
    (lambda: examples.random(seed=-1), "seed", "-1 is outside 0 to"),
    (lambda: examples.random(n=200_000, degree=1000, denominators=1000), "size", "lower n, degree or inputs"),
    (lambda: examples.random(inputs=-1), "inputs", "-1 is outside 0 to 1000"),
    (lambda: examples.probe(moves=0), "moves", "0 is outside 1 to"),
    (lambda: examples.probe(accuracy=2), "accuracy", "2 is outside [0, 1]"),
    (lambda: examples.lockout(pins=1), "pins", "1 is outside 2 to"),
    (lambda: examples.lockout(attempts=30), "size", "lower pins, attempts or backoff"),
    (lambda: examples.query_budget(people=9), "people", "9 is outside 1 to 8"),
    (lambda: examples.query_budget(people=8, questions=1000), "size", "lower people or questions"),
    (lambda: examples.query_budget(people=2, differ=3), "differ", "3 is outside 1 to 2"),
    (lambda: examples.adaptive_survey(frank="3/2"), "frank", "3/2 is outside [0, 1]"),
    (lambda: examples.coin(p=Fraction(1, 10**MAX_DIGITS + 1)), "p", f"at most {MAX_DIGITS} digits"),
]


@pytest.mark.parametrize(("call", "where", "what"), BAD)
def test_bad_parameters_are_named_with_their_value_and_range(call: Call, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(f"{where}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize("p", ["0", "1", 0, 1.0, Fraction(1)])
def test_extreme_probabilities_build(p: str | int | float | Fraction) -> None:
    for chain in (
        examples.coin(p),
        examples.split_coin(p, p),
        examples.dining_cryptographers(3, p),
        examples.survey(3, p),
        examples.memoised_survey(p, p),
        examples.waiting_room(p, p, p),
        examples.geometric(4, p),
        examples.geometric_counter(2, 2, p, p),
        examples.crowds(5, 2, p, 2),
        examples.pin_checker(3, 2, p),
        examples.sticky_sensor(p, p),
        examples.mix(3, 2, p),
    ):
        assert chain.relation


def test_numbers_of_every_kind_mean_the_same() -> None:
    wanted = examples.dining_cryptographers(2, Fraction(49, 100))
    assert all(examples.dining_cryptographers(2, p) == wanted for p in ("49/100", "0.49", 0.49))


def test_importing_the_package_imports_no_family_and_nothing_heavy() -> None:
    code = (
        "import sys, deltachain.examples\n"
        "heavy = {'numpy', 'scipy', 'networkx', 'random'} & set(sys.modules)\n"
        "families = [name for name in sys.modules if '.zoo.' in name or name.endswith('.parameters')]\n"
        "print(sorted(heavy), families, len(deltachain.examples.dining_cryptographers(n=3)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] [] 52\n"
    assert done.stderr == ""


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'roulette'"):
        examples.roulette  # noqa: B018
    assert {"coin", "build"} <= set(dir(examples))
