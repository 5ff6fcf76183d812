from __future__ import annotations

import json
from fractions import Fraction

import pytest

from deltachain.errors import FormatError, ModelError
from deltachain.formats.native import JsonPlaces, chain_from_json, chain_to_json
from deltachain.model import Chain
from deltachain_checker_v1 import CertificateRejected
from deltachain_checker_v1.read import parse, read_model
from tests.words import refuses, says

TWO = Chain.of_rows(
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


@pytest.mark.parametrize(
    "number", ["0.1", "1e-1", "10E-2", '"0.1"', '"1/10"', '"1e-1"', '"0.1e0"', '"0.2/2"', '"0001/10"']
)
def test_numbers_are_numbers_or_texts_and_exact(number: str) -> None:
    text = TEXT.replace('"1/3"', number).replace('"2/3"', "0.9").replace('"t": 1', '"t": 1, "s": 0')
    chain = chain_from_json(text, "x")
    assert chain.rows == (((0, Fraction(1, 10)), (1, Fraction(9, 10))), ((1, Fraction(1)),))


@pytest.mark.parametrize(
    "number",
    ["0.1", "1E-1", "1e-00001", "1e-000001", "-0", "1.", *map(json.dumps, (
        "0.1", "1/10", "-0/7", "0.2/2", "1e-1", "10e-2/1", "1E+0/10", " 1/10", "1/10 ", "1 /10", "1/ 10", ".1", "1.",
        "+0.1", "+1/10", "1/+10", "1/-10", "-1/-10", "1/10.0", "1/1e1", "1_0/100", "\u0661/10", "1/0", "0x1", "", "/",
        "1e", "1e99999", "1e-99999", "1e-50000", "1e-50001", "NaN", "inf", "1/10\n", "--1", "1//10", "0" * 50_000,
        "0" * 50_001,
    )), "NaN", "Infinity", "true", "null", "[]"],
)  # fmt: skip
def test_the_checker_and_this_reader_accept_the_same_numbers(number: str) -> None:
    states = f'"s": {{"label": "a", "to": {{"t": {number}, "s": 1}}}}, "t": {{"label": "a", "to": {{"t": 1}}}}'
    text = f'{{"format": "deltachain.chain/1", "states": {{{states}}}}}'
    read = checked = True  # as a number; that the row does not sum to one then is another matter
    try:
        chain_from_json(text, "x")
    except ModelError as error:
        read = all(defect.what.startswith(("row sums to", "negative")) for defect in error.defects)
    except FormatError:
        read = False
    try:
        read_model(parse(text))
    except CertificateRejected as error:
        checked = error.rule.startswith(("a row that sums", "probabilities that"))
    assert read == checked


def test_a_number_in_a_spelling_of_other_formats_is_told_how_to_be_written() -> None:
    with pytest.raises(ModelError) as caught:
        chain_from_json(TEXT.replace('"1/3"', '" +1/3"'), "x")
    assert says(str(caught.value))


def test_numbers_longer_than_the_interpreter_prints() -> None:
    nines = "9" * 10_000
    text = TEXT.replace('"1/3"', f"0.{nines}").replace('"2/3"', f'"1/1{"0" * 10_000}"').replace("-1", nines)
    chain = chain_from_json(text, "x")
    assert chain.rows[0] == ((0, 1 - Fraction(1, 10**10_000)), (1, Fraction(1, 10**10_000)))
    assert chain.valuations is not None
    assert chain.valuations[0]["x"] == 10**10_000 - 1
    assert chain_from_json("".join(chain_to_json(chain)), "x") == chain


def test_numbers_beyond_the_limit_are_refused() -> None:
    with refuses(ModelError, "the limit is"):
        chain_from_json(TEXT.replace('"1/3"', "0." + "3" * 60_000), "x")


def test_keys_that_look_like_structure_do_not_mislead_the_places() -> None:
    text = '{"a{": [{"b\\"]": 1}, {"c": "x:{"}],\n "d": {"e": 2, "e": 3}}'
    places = JsonPlaces(text, "t")
    assert [(outer, key) for outer, _, key, _ in places.walk()] == [
        ((), "a{"), (("a{", "a{"), 'b"]'), (("a{", "a{"), "c"), ((), "d"), (("d",), "e"), (("d",), "e"),
    ]  # fmt: skip
    assert [(key, places.place(one), places.place(two)) for _, key, one, two in places.repeat()] == [
        ("e", "t:2:8", "t:2:16")
    ]


def test_equal_keys_of_different_objects_are_not_repeated() -> None:
    assert list(JsonPlaces('[{"a": 1}, {"a": {"a": 2}}]', "t").repeat()) == []


def test_a_certificate_is_called_one() -> None:
    with pytest.raises(FormatError) as caught:
        chain_from_json('{"format": "deltachain.certificate/1", "model": "0", "claims": []}', "proof.json")
    (defect,) = caught.value.defects
    assert says(defect.what)


def test_a_million_open_brackets() -> None:
    for text in ("[" * 1_000_000, '{"states":' * 1_000_000):
        with pytest.raises(FormatError):
            chain_from_json(text, "x")


def test_it_says_where_after_a_long_file() -> None:
    states = ",\n".join(f'"s{i}": {{"label": "", "to": {{"s{i}": {1 if i != 4321 else 2}}}}}' for i in range(5000))
    with pytest.raises(ModelError) as caught:
        chain_from_json('{"format": "deltachain.chain/1", "states": {\n' + states + "}}", "big")
    assert [defect.where for defect in caught.value.defects] == ["big:4323:1: state 's4321'"]
