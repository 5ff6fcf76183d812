"""Whatever stands at any place of a certificate of format 2: it is refused as a certificate is, or proves something."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from deltachain_checker import CertificateRejected, Meter, ModelFile, parse, read_file, verify
from tests.words import refuses

from .test_two import LISTED, paths_of

JUNK: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "1/0",
        "1 2",
        [],
        {},
        [[]],
        [{}],
        [[[]]],
        [None],
        ["a", "b"],
        {"a": 1},
        [["a", 1]],
    ),
    *({"": []}, "9" * 700),
]
MOST_STEPS, MOST_CHARACTERS = 3_000_000, 1_000
"""Of a check, and of its message: it is refused soon, whatever it is."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places in a document."""
    if path:
        yield path
    for key, inside in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inside, (*path, key))


def judged_with(name: str, path: tuple[Any, ...], junk: Any) -> str:
    """How a kept certificate ends with something else in one place; anything but a rejection is raised."""
    model, certificate = paths_of("accept", name)
    document = copy.deepcopy(read_file(certificate))
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = junk
    try:
        verify(ModelFile(read_file(model)), parse(json.dumps(document)), Meter(MOST_STEPS))
    except CertificateRejected as reason:
        return "rejected" if len(str(reason)) < MOST_CHARACTERS else "rejected at length"
    return "accepted"


def cases() -> list[tuple[str, tuple[Any, ...], Any]]:
    """Every place of every kept certificate with everything; but for what `test_two` says of empty vectors."""
    found = []
    for name in LISTED["accept"]:
        for path in places(read_file(paths_of("accept", name)[1])):
            known = path[0] == "unseen" and len(path) == 2 and path[1] > 0
            found += [(name, path, junk) for junk in JUNK if not (known and junk == [])]
    return found


def test_junk_is_refused_as_a_certificate_is() -> None:
    ended = Counter(judged_with(*case) for case in Random(3).sample(cases(), 2_500))
    assert ended["rejected"] > 2_300
    assert not ended["rejected at length"]


@pytest.mark.slow
def test_junk_is_refused_as_a_certificate_is_everywhere() -> None:
    ended = Counter(judged_with(*case) for case in cases())
    assert ended["rejected"] > 50_000
    assert ended["accepted"] < 1_000
    assert not ended["rejected at length"]


@pytest.mark.parametrize("depth", [990, 5_000, 200_000])
@pytest.mark.parametrize("part", ["proves", "values", "graph", "model", "alpha", "distances", "views", "field"])
def test_deep_nesting(depth: int, part: str) -> None:
    model, certificate = paths_of("accept", "graph")
    source = json.dumps(read_file(certificate) | {part: "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
    with pytest.raises(CertificateRejected):
        verify(ModelFile(read_file(model)), parse(source))


@pytest.mark.parametrize(
    "digits", ["1" * 10**6, '"1/' + "7" * 10**6 + '"', "1e999999999", '"1e-50001"', '"0.5"', "NaN"]
)
def test_long_numbers_and_numbers_that_are_none(digits: str) -> None:
    model, certificate = paths_of("accept", "graph")
    document = read_file(certificate)
    document["proves"][0]["upper"] = "NUMBER"
    with refuses(CertificateRejected, "integer or text"):
        verify(ModelFile(read_file(model)), parse(json.dumps(document).replace('"NUMBER"', digits)))
