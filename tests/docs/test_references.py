"""Every path and dotted name in docs, README, CONTRIBUTING and docstrings exists."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator

import pytest

from tests.docs.pages import ROOT
from tests.docs.references import Text, Tree, missing, texts
from tests.source_trees import let_go


@pytest.fixture(scope="module")
def tree() -> Iterator[Tree]:
    yield Tree()
    let_go()


def test_every_reference_leads_somewhere(tree: Tree) -> None:
    found = list(texts())
    assert len(found) > 2000
    wrong = [line for text in found for line in missing(text, tree)]
    assert not wrong, f"{len(wrong)} references; correct the text, or the name:\n" + "\n".join(wrong)


def test_every_object_of_the_reference_exists() -> None:
    """The site shows their docstrings: what is not there breaks its build."""
    pages = (ROOT / "docs").rglob("*.md")
    named = {name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.MULTILINE)}
    assert len(named) > 20
    for name in named:
        assert pkgutil.resolve_name(name) is not None


def test_links_beside_the_docs_lead_somewhere() -> None:
    """Those of the docs are checked by the strict build."""
    for page in (*ROOT.glob("*.md"), *(ROOT / "formal").glob("*.md")):
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize(
    "wrong",
    [
        "`beliefs/no_such_file.py`",
        "`no_such_file.py`",
        "docs/no-such-page.md",
        "`tests/nowhere/`",
        "`deltachain.nothing`",
        "`dc.nothing(x)`",
        "`deltachain.model.nothing`",
        "`Chain.nothing`",
        "`chain.nothing`",
        "`errors.nothing`",
        "`somebody.nothing_of_ours`",
        "`errors.py`'s `NOTHING`",
        "(THEORY: uniqueness)",
    ],
)
def test_what_is_not_there_is_found(wrong: str, tree: Tree) -> None:
    (line,) = missing(Text(ROOT / "README.md", 7, f"One line.\nSee {wrong}.\n"), tree)
    assert line.startswith("README.md:8: ")


@pytest.mark.parametrize(
    "right",
    [
        "`errors.py`",
        "`model/chain.py`",
        "`packages/checker-v1/deltachain_checker_v1`",
        "docs/formats.md",
        "`deltachain.errors.InputError`",
        "`dc.delta(chain, epsilon=1)`",
        "`Chain.labels`",
        "`chain.labels`",
        "`concurrent.futures.Executor`",
        "`errors.py`'s `InputError`",
        "`49/100`",
        "`deltachain.delta/2`",
        "`cli/VERB.py`",
        "`model.json`",
    ],
)
def test_what_is_there_is_accepted(right: str, tree: Tree) -> None:
    assert list(missing(Text(ROOT / "README.md", 1, f"See {right}."), tree)) == []


def test_the_nearest_name_is_suggested(tree: Tree) -> None:
    (line,) = missing(Text(ROOT / "README.md", 1, "`model/bisimulations.py`"), tree)
    assert "near: model/bisimulation.py" in line
