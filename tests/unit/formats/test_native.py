from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.chain import Chain
from deltachain.errors import FormatError, ModelError
from deltachain.formats import chain_from_json, chain_to_json
from deltachain.formats.json_places import JsonPlaces

TWO = Chain(
    ("s", "t"),
    ("a", "λ"),
    (((0, Fraction(1, 3)), (1, Fraction(2, 3))), ((1, Fraction(1)),)),
    ((0, 1),),
    ({"x": -1, "on": True}, {}),
)
TEXT = """{"format": "deltachain.chain/1",
 "states": {
  "s": {"label": "a", "to": {"s": "1/3", "t": "2/3"}, "valuation": {"x": -1, "on": true}},
  "t": {"label": "λ", "to": {"t": 1}}
 },
 "relation": [["s", "t"]]}
"""


def test_the_text_is_readable() -> None:
    assert "".join(chain_to_json(TWO)) == TEXT
    assert chain_from_json(TEXT, "two") == TWO


@pytest.mark.parametrize("number", ["0.1", "1e-1", "10E-2", '"0.1"', '"1/10"', '" 1/10 "', '".1"'])
def test_numbers_are_numbers_or_texts_and_exact(number: str) -> None:
    text = TEXT.replace('"1/3"', number).replace('"2/3"', "0.9").replace('"t": 1', '"t": 1, "s": 0')
    chain = chain_from_json(text, "x")
    assert chain.rows == (((0, Fraction(1, 10)), (1, Fraction(9, 10))), ((1, Fraction(1)),))


def test_numbers_longer_than_the_interpreter_prints() -> None:
    nines = "9" * 10_000
    text = TEXT.replace('"1/3"', f"0.{nines}").replace('"2/3"', f'"1/1{"0" * 10_000}"').replace("-1", nines)
    chain = chain_from_json(text, "x")
    assert chain.rows[0] == ((0, 1 - Fraction(1, 10**10_000)), (1, Fraction(1, 10**10_000)))
    assert chain.valuations is not None
    assert chain.valuations[0]["x"] == 10**10_000 - 1
    assert chain_from_json("".join(chain_to_json(chain)), "x") == chain


def test_numbers_beyond_the_limit_are_refused() -> None:
    with pytest.raises(ModelError, match="the limit is 50000"):
        chain_from_json(TEXT.replace('"1/3"', "0." + "3" * 60_000), "x")


def test_keys_that_look_like_structure_do_not_mislead_the_places() -> None:
    text = '{"a{": [{"b\\"]": 1}, {"c": "x:{"}],\n "d": {"e": 2, "e": 3}}'
    places = JsonPlaces(text, "t")
    assert [(outer, key) for outer, _, key, _ in places.walk()] == [
        ((), "a{"), (("a{", "a{"), 'b"]'), (("a{", "a{"), "c"), ((), "d"), (("d",), "e"), (("d",), "e"),
    ]  # fmt: skip
    assert [(key, places.place(one), places.place(two)) for _, key, one, two in places.repeated()] == [
        ("e", "t:2:8", "t:2:16")
    ]


def test_equal_keys_of_different_objects_are_not_repeated() -> None:
    assert list(JsonPlaces('[{"a": 1}, {"a": {"a": 2}}]', "t").repeated()) == []


def test_a_certificate_is_called_one() -> None:
    with pytest.raises(FormatError) as caught:
        chain_from_json('{"format": "deltachain.certificate/1", "model": "0", "claims": []}', "proof.json")
    (defect,) = caught.value.defects
    assert defect.what == "it is a certificate, not a model"


def test_a_million_open_brackets() -> None:
    for text in ("[" * 1_000_000, '{"states":' * 1_000_000):
        with pytest.raises(FormatError):
            chain_from_json(text, "x")


def test_it_says_where_after_a_long_file() -> None:
    states = ",\n".join(f'"s{i}": {{"label": "", "to": {{"s{i}": {1 if i != 4321 else 2}}}}}' for i in range(5000))
    with pytest.raises(ModelError) as caught:
        chain_from_json('{"format": "deltachain.chain/1", "states": {\n' + states + "}}", "big")
    assert [defect.where for defect in caught.value.defects] == ["big:4323:1: state 's4321'"]
