"""The page about certificates names every key that the checker reads, and the schema allows these and no others."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from deltachain_checker import growth, measures, numbers
from deltachain_checker.certificate import CLAIMS, EXTENSIONS, FORMAT, HEADER, PARTS
from deltachain_checker.document import MAX_BYTES
from tests.docs.pages import ROOT
from tests.words import says

PAGE = (ROOT / "docs" / "certificate.md").read_text("utf-8")
DEFINED: dict[str, Any] = json.loads((ROOT / "docs" / "schemas" / "certificate.json").read_text("utf-8"))["$defs"]
PROVED = {**CLAIMS, **{what: ("visits", "split", *known) for what, known in measures.KEYS.items()}}
KEYS = {*HEADER, *PARTS, *EXTENSIONS, *PROVED, *(key for known in PROVED.values() for key in known)}
ALLOWED = {
    name: branch
    for branch in DEFINED["proved"]["oneOf"]
    if "pairs" not in branch["properties"]  # all of a kind at once
    for kind in [branch["properties"]["claim"]]
    for name in kind.get("enum", [kind.get("const")])
}
"""What the schema says of each claim."""


@pytest.mark.parametrize("key", sorted({*KEYS, *growth.LIMIT, *growth.PUMP, "start", "from", "kind", "prices", "eta"}))
def test_the_page_names_every_key(key: str) -> None:
    assert re.search(rf'[`"]{key}[`"]', PAGE)


def test_the_schema_allows_the_keys_of_the_checker() -> None:
    whole = DEFINED["format-2"]["properties"]
    assert whole["format"]["const"] == FORMAT
    assert whole.keys() == {*HEADER, *PARTS} - {"labels"}
    assert whole["views"]["additionalProperties"]["properties"].keys() == {*PARTS}
    assert whole["extensions"]["items"]["enum"] == [*EXTENSIONS]
    limit, pump = ALLOWED["ratio"]["properties"]["words"]["anyOf"][1:]
    assert (limit["properties"].keys(), pump["properties"].keys()) == ({*growth.LIMIT}, {*growth.PUMP})


@pytest.mark.parametrize("what", PROVED)
def test_the_schema_allows_the_keys_of_each_claim(what: str) -> None:
    assert ALLOWED[what]["properties"].keys() == {"claim", "view", *PROVED[what]}


def test_claims_of_the_schema_are_those_of_the_checker() -> None:
    assert ALLOWED.keys() == PROVED.keys()


def test_the_limits_are_those_of_the_checker() -> None:
    said = PAGE.partition("## Limits")[2]
    assert f"files above {MAX_BYTES >> 20} MB" in said
    assert f"numbers above {numbers.MOST_DIGITS:,} characters" in said
    assert f"degree above {numbers.MOST_DEGREE:,}" in said
    assert f"formulas above {numbers.LONGEST:,} characters" in said
    assert f"{numbers.MOST_NESTED} nested parentheses" in said
    assert says(said, "an interval halved")
    assert (numbers.MOST_BITS, numbers.MOST_SIZE) == (2**20, 2**21)
    assert says(said, "bits in all")
    assert says(PAGE, "p ≤")
    assert f"units of 2^-{measures.PLACES}" in PAGE
