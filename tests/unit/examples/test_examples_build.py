"""``NAME,key=value,…``: what is read, and what is refused."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest

from deltachain import examples
from deltachain.errors import InputError
from deltachain.examples import Example
from tests.words import says

ZOO = examples.catalogue()


@pytest.mark.parametrize("example", ZOO, ids=lambda example: example.name)
def test_catalogue_matches_the_signature(example: Example) -> None:
    signature = inspect.signature(example.build)
    assert [key for key, _ in example.parameters] == list(signature.parameters)
    assert example.parameters
    for key, text in example.parameters:
        default = signature.parameters[key].default
        # A whole number is an int by default and by annotation; anything else is exact text.
        assert (signature.parameters[key].annotation == "int") == isinstance(default, int)
        assert text == str(default)
    assert example.summary
    assert "\n" not in example.summary
    assert getattr(examples, example.build.__name__) is example.build


@pytest.mark.parametrize("example", ZOO, ids=lambda example: example.name)
def test_bare_name_and_spelled_out_defaults_build_the_default_chain(example: Example) -> None:
    wanted = example.build()
    assert examples.build(example.name) == wanted
    settings = ",".join(f"{key}={text}" for key, text in example.parameters)
    assert examples.build(f"{example.name},{settings}") == wanted


def test_settings_arrive() -> None:
    assert examples.build("coin,p=1/10").probability("s0", "heads") == Fraction(1, 10)
    assert examples.build("dining-cryptographers, p = 0.49 , n = 2") == examples.dining_cryptographers(2, "49/100")
    assert examples.build("random,seed=7") == examples.random(seed=7)
    assert examples.build("random,seed=7") != examples.random(seed=8)


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        (
            "dining-cryptografers",
            ["no example 'dining-cryptografers'", "did you mean dining-cryptographers?"],
        ),
        ("dining_cryptographers", ["did you mean dining-cryptographers?"]),
        ("roulette-wheel", ["no example 'roulette-wheel' (examples are adaptive-survey, ", ", window-budget)"]),
        ("", ["no example is named", "examples are adaptive-survey"]),
        ("coin,q=1/2", ["example coin: no parameter 'q'", "parameters are p"]),
        (
            "crowds,member=4",
            ["no parameter 'member'", "did you mean members?", "members, corrupt, forward, paths"],
        ),
        ("coin,p", ["example coin: 'p' is not a setting", "key=value"]),
        ("coin,", ["example coin: '' is not a setting", "key=value"]),
        ("coin,p=1/2,p=1/3", ["example coin: p is given twice"]),
        ("survey,rounds=two", ["rounds=two is not a whole number", "rounds=1"]),
        ("survey,rounds=2.0", ["rounds=2.0 is not a whole number"]),
        ("survey,rounds=", ["rounds= is not a whole number"]),
        ("survey,rounds=²", ["rounds=² is not a whole number"]),
        ("survey,rounds=-1", ["rounds: -1 is outside 1 to"]),
        ("survey,rounds=" + "9" * 5000, ["is not a whole number"]),
        ("coin,p=", ["p: not a number"]),
        ("coin,p=3/2", ["p: 3/2 is outside [0, 1]"]),
    ],
)
def test_what_is_wrong_is_named(spec: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        examples.build(spec)
    for part in parts:
        assert part in str(caught.value)


def test_every_defect_is_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        examples.build("survey,rounds=x,rounds=2,colour=red,p")
    assert says([defect.what for defect in caught.value.defects])
