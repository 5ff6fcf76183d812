"""Packages that import a name when it is first used."""

from __future__ import annotations

import json
import subprocess
import sys

from deltachain.lazy import lazily
from tests.words import refuses


def test_names_are_found_in_their_modules() -> None:
    find, names = lazily("json", {"decoder": "JSONDecoder JSONDecodeError", "": "encoder"})
    assert names == ["JSONDecodeError", "JSONDecoder", "encoder"]
    assert find("JSONDecoder") is json.JSONDecoder
    assert find("encoder") is sys.modules["json.encoder"]
    with refuses(AttributeError, "no attribute 'nothing"):
        find("nothing")


def test_what_is_not_used_is_not_imported() -> None:
    code = "import sys, deltachain; before = 'deltachain.measures.delta.verb' in sys.modules; deltachain.delta"
    code += "; print(before, 'deltachain.measures.delta.verb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
