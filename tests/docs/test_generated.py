"""The pages that are made from the program are the ones that it would make now."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

import deltachain
from deltachain.registry import verbs
from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["docs/reference/cli.md", "docs/reference/measurements.md"])
def test_the_page_is_up_to_date(generate: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", generate.WIDTH)
    path = ROOT / name
    assert len(generate.PAGES) == 2
    # Python versions break usage lines at different places: words are compared.
    assert path.read_text("utf-8").split() == generate.PAGES[path]().split(), "run `make docs`"


def test_every_public_name_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    described = {line.rpartition(".")[2] for line in text.splitlines() if line.startswith("::: ")}
    assert set(deltachain.__all__) - {"__version__", "examples"} <= described


def test_every_schema_is_listed() -> None:
    text = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
    schemas = sorted((ROOT / "docs" / "schemas").glob("*.json"))
    assert len(schemas) > 10
    for path in schemas:
        assert f"(../schemas/{path.name})" in text


def test_every_verb_has_its_section() -> None:
    text = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    for verb in verbs():
        assert f"\n## {verb}\n" in text
