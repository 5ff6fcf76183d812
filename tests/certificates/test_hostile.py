"""Hostile files: refused as CertificateRejected, soon, and without evaluating or trusting anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltachain_checker_v1 import CertificateRejected, verify
from deltachain_checker_v1 import read as plain
from deltachain_checker_v1.__main__ import main
from deltachain_checker_v1.families import model_in
from deltachain_checker_v1.read import number, parse, read_file, read_model, shown
from tests.words import says

from .fixtures import KEPT, document_of, model_named, proved

MODEL = {"format": "deltachain.chain/1", "states": {"a": {"label": "x", "to": {"a": 1}}}}


def refused(check: Callable[[], object], words: str) -> None:
    """Raises CertificateRejected with these words."""
    with pytest.raises(CertificateRejected) as caught:
        check()
    assert words in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("depth", [*range(960, 1000, 3), 5_000, 200_000])
@pytest.mark.parametrize("place", ["claims", "upper", "model", "nodes", "exp_epsilon"])
def test_deep_nesting(depth: int, place: str) -> None:
    document = document_of("accept", "coin-delta") | {place: "DEEP"}
    source = json.dumps(document).replace('"DEEP"', "[" * depth + "]" * depth)
    refused(lambda: verify(model_named("coin"), parse(source)), "")


@pytest.mark.parametrize("key", ["label", "to"])
def test_deep_nesting_in_a_model(key: str) -> None:
    for depth in range(960, 1000, 3):
        state = json.dumps({"label": "x", "to": {"a": 1}} | {key: "DEEP"})
        source = '{"format": "deltachain.chain/1", "states": {"a": %s}}' % state  # noqa: UP031
        source = source.replace('"DEEP"', "[" * depth + "]" * depth)
        refused(lambda source=source: read_model(parse(source)), "")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1" * 10**6, "at most 50000 characters"),
        ('"1/' + "7" * 10**6 + '"', "at most 50000 characters"),
        ("1e999999999", "an integer or text"),
        ('"1e-50001"', "an integer or text"),
        ("1" + "0" * 5000 + ".5", "an integer or text"),
    ],
)
def test_long_numbers_in_a_certificate(digits: str, words: str) -> None:
    document = document_of("accept", "coin-delta")
    document["claims"][0]["upper"] = "NUMBER"
    source = json.dumps(document).replace('"NUMBER"', digits)
    refused(lambda: verify(model_named("coin"), parse(source)), words)


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1" * 10**6, "at most 50000 characters"),
        ("1e-999999999", "an integer or text"),
        ("1e99999", "an exponent of at most 50000"),
        ("1e-50000", "a row that sums to one"),
        ("1e50000", "a row that sums to one"),
        ("0." + "3" * 40000, "a row that sums to one"),
        ("NaN", "an integer or text"),
        ("Infinity", "an integer or text"),
        ("-1", "probabilities that are not negative"),
        ('"1/0"', "a denominator above zero"),
        ('" 1"', "an integer or text"),
        ('"exp"', "a formula: a number, exp(…) or (…) where one is due"),
        ("true", "an integer or text"),
        ("null", "an integer or text"),
    ],
)
def test_numbers_in_a_model(digits: str, words: str) -> None:
    source = json.dumps(MODEL).replace('{"a": 1}', '{"a": %s}' % digits)  # noqa: UP031
    refused(lambda: read_model(parse(source)), words)


def test_a_long_number_that_is_one_is_one() -> None:
    source = json.dumps(MODEL).replace('{"a": 1}', '{"a": "%s/%s"}' % ("7" * 20000, "7" * 20000))  # noqa: UP031
    assert read_model(parse(source)).row == {"a": {"a": 1}}


@pytest.mark.parametrize("text", ["-0", "0/5", "-0/7", "00"])
def test_odd_zeros_are_zero(text: str) -> None:
    assert number(text) == 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('{"format": "deltachain.certificate/1", "claims": [], "claims": [1]}', "each key once"),
        ('{"claims": [{"upper": 1, "upper": 0}]}', "each key once"),
        ("", "not JSON"),
        ("{", "not JSON"),
        ("\ufeff{}", "not JSON"),
        ("{'a': 1}", "not JSON"),
    ],
)
def test_text_that_is_not_strict_json(source: str, words: str) -> None:
    refused(lambda: verify(model_named("coin"), parse(source)), words)


@pytest.mark.parametrize("name", ["a\nproved: bd(s, u) = 0", "a\x1b[2K", "a\u2028b", "\ud800", "\u202eb"])
def test_names_cannot_forge_a_line(name: str) -> None:
    model = read_model(parse(json.dumps(MODEL | {"states": {name: {"label": "x", "to": {name: 1}}}})))
    header = {"format": "deltachain.certificate/1", "model": model.sha256()}
    header |= {"exp_epsilon": {"upper": 1, "lower": 1}, "kind": "bd"}
    (sentence,) = proved(model, header | {"claims": [{"claim": "distance", "pair": [name, name], "upper": 0}]})
    assert sentence.isprintable()
    assert sentence == shown(f"bd({name}, {name}) = 0 at exp_epsilon 1 (lower side) and 1 (upper side)")


def test_names_and_labels_that_look_alike_do_not_share_a_hash() -> None:
    def digest(state: str, label: str, to: dict[str, Any], other: str) -> str:
        rows = {state: {"label": label, "to": to}, other: {"label": "x", "to": {other: 1}}}
        return read_model(parse(json.dumps({"format": "deltachain.chain/1", "states": rows}))).sha256()

    digests = [
        digest("a", "b", {"a": 1}, "c"),
        digest('a","b', "", {'a","b': 1}, "c"),
        digest("a", 'b",[["a","1"]]]\n["z', {"a": 1}, "c"),
        digest("a\u0301", "b", {"a\u0301": 1}, "c"),
        digest("\u00e1", "b", {"\u00e1": 1}, "c"),
        digest("a", "b", {"a": "1/2", "c": "1/2"}, "c"),
        digest("a", "b", {"c": 1}, "c"),
    ]
    assert len(set(digests)) == len(digests)
    assert digest("a", "b", {"a": "0.50", "c": "5e-1"}, "c") == digests[5]
    assert digest("a", "b", {"a": 0, "c": "2/2"}, "c") == digests[6]


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ({}, "an object of states"),
        ([], "an object of states"),
        ({"a": 1}, "an object with label, and to or on"),
        ({"a": {"label": "x", "to": {"a": 1}, "on": {"ask": {"a": 1}}}}, "an object with label, and to or on"),
        ({"a": {"label": "x", "on": {}}}, "a row for each input, at least one"),
        ({"a": {"label": "x", "on": [["ask", {"a": 1}]]}}, "a row for each input, at least one"),
        ({"a": {"label": "x", "on": {"ask": [["a", 1]]}}}, "an object of probabilities"),
        ({"a": {"label": "x", "on": {"ask": {"a": "1/2"}}}}, "a row that sums to one"),
        (
            {"a": {"label": "x", "on": {"ask": {"a": 1}}}, "b": {"label": "x", "to": {"b": 1}}},
            "the inputs of its label",
        ),
        (
            {"a": {"label": "x", "on": {"p": {"a": 1}, "q": {"a": 1}}}, "b": {"label": "x", "on": {"p": {"a": 1}}}},
            "the inputs of its label",
        ),
        ({"a": {"label": 1, "to": {"a": 1}}}, "a label that is text"),
        ({"a": {"label": "x", "to": [["a", 1]]}}, "an object of probabilities"),
        ({"a": {"label": "x", "to": {}}}, "a row that sums to one"),
        ({"a": {"label": "x", "to": {"a": 1, "ghost": 0}}}, "known targets"),
        ({"a": {"label": "x", "to": {"a": "0.3333", "b": "0.6666"}}, "b": {"label": "x", "to": {"b": 1}}}, "sums to"),
        ({"a": {"label": "x", "to": {"a": 2, "b": -1}}, "b": {"label": "x", "to": {"b": 1}}}, "not negative"),
    ],
)
def test_models_that_are_none(states: Any, words: str) -> None:
    refused(lambda: read_model(parse(json.dumps(MODEL | {"states": states}))), words)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    refused(lambda: read_file(str(tmp_path / "latin.json")), "a readable UTF-8 file")
    refused(lambda: read_file(str(tmp_path)), "a readable UTF-8 file")
    refused(lambda: read_file(str(tmp_path / "none.json")), "a readable UTF-8 file")
    monkeypatch.setattr(plain, "MAX_BYTES", 3)
    refused(lambda: read_file(str(tmp_path / "latin.json")), "a file of at most 3 bytes")


def test_many_wrong_entries_are_refused_soon() -> None:
    document = document_of("accept", "coin-delta")
    document["upper"] += [[1, 0, 1, "mass"]] * 30_000
    refused(lambda: proved(model_named("coin"), document), "each node and direction once")


def test_main_reports_and_does_not_raise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL), "utf-8")
    (tmp_path / "deep.json").write_text("[" * 10**6, "utf-8")
    assert main([str(tmp_path / "model.json"), str(tmp_path / "deep.json")]) == 4
    assert says(capsys.readouterr().err, "rejected: file: not")


def test_long_names_and_numbers_make_no_long_message() -> None:
    long = "1/" + "3" * 40_000
    ending = document_of("accept", "ending-coin")
    ending["claims"][0]["pair"][0] = long
    refused(lambda: proved(model_named(KEPT["accept"]["ending-coin"]["model"]), ending), "known states")
    folder = Path(__file__).parent / "families"
    family = json.loads((folder / "accept" / "loop.json").read_text("utf-8"))
    family["steps"][0][0] = long
    kept = json.loads((folder / "accept.json").read_text("utf-8"))["loop"]["model"]
    model = model_in(read_file(str(folder / "models" / f"{kept}.json")))
    refused(lambda: verify(model, parse(json.dumps(family))), "a known node")
