"""The pages that are made from the program are the ones that it would make now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from deltachain.cli.main import VERBS
from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["reference/cli.md", "zoo-results.md"])
def test_the_page_is_up_to_date(generate: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", generate.WIDTH)
    path = ROOT / "docs" / name
    # Python versions break usage lines at different places: words are compared.
    assert path.read_text("utf-8").split() == generate.PAGES[path]().split(), "run `make docs`"


def test_every_verb_has_its_section() -> None:
    text = Path(ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    for verb in VERBS:
        assert f"\n## {verb}\n" in text
