"""Every public function has an example that is run: in its docstring, or below its name on the API page."""

from __future__ import annotations

import inspect
import re
from types import FunctionType

import pytest

import deltachain as dc
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
NAMES = [name for name in dc.__all__ if isinstance(getattr(dc, name), FunctionType)] + ["Program", "Chain"]


def test_there_are_functions() -> None:
    assert {"delta", "check", "flip", "save"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_shown_in_use(name: str) -> None:
    documented = inspect.getdoc(getattr(dc, name)) or ""
    below = PAGE.partition(f"::: deltachain.{name}\n")[2].partition("\n:::")[0]
    sessions = "\n".join(re.findall(r"^\s*(?:>>>|\.\.\.) (.*)$", f"{documented}\n{below}", re.MULTILINE))
    used = "dc.program(" if name == "Program" else name
    assert re.search(rf"\b{re.escape(used)}", sessions), f"no example of {name}"
