"""The files of sentences belong to tests that there are."""

from __future__ import annotations

import ast

import pytest

from tests.source_trees import tree_of
from tests.words import HERE, TESTS, read, says


def test_each_file_of_sentences_belongs_to_tests() -> None:
    files = sorted(HERE.rglob("*.txt"))
    assert files
    for path in files:
        module = (TESTS / path.relative_to(HERE)).with_suffix(".py")
        functions = {node.name for node in ast.walk(tree_of(module)) if isinstance(node, ast.FunctionDef)}
        assert read(path).keys() <= functions, path


def test_what_is_not_pinned_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DELTACHAIN_WORDS", raising=False)
    assert not says("one line", "another")
    with pytest.raises(AssertionError, match="make words"):
        says("no file has this line", "this")
