"""The extension "integers": files that are accepted and rejected, and no condition that is there in vain."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import deltachain_checker
from deltachain_checker import CertificateRejected, Meter, ModelFile, Unfinished, describe, read_file, verify
from deltachain_checker import integers as extension

FOLDER = Path(__file__).parent / "integers"
LISTED: dict[str, dict[str, dict[str, Any]]] = {
    kind: json.loads((FOLDER / f"{kind}.json").read_text("utf-8")) for kind in ("accept", "reject")
}
COUNTS = {"accept": 18, "reject": 59}
MOST_STEPS = 4_000_000
UNREACHED = {
    "a denominator of one sign": "an α of at least 1 has no pole",
    "a polynomial": "values have no denominators",
    "an object of format": "asked before by the certificate",
    "a sum that ends": "of each star it is asked when it is read",
    "a base that is a multiple": "it is asked once for each reason",
}


def judged(kind: str, name: str) -> list[str]:
    """What a file proves."""
    model = read_file(str(FOLDER / "models" / f"{LISTED[kind][name]['model']}.json"))
    certificate = read_file(str(FOLDER / kind / f"{name}.json"))
    return [*map(describe, verify(ModelFile(model), certificate, Meter(MOST_STEPS)))]


@pytest.mark.parametrize("kind", COUNTS)
def test_every_file_is_listed_and_none_is_missing(kind: str) -> None:
    assert {path.stem for path in (FOLDER / kind).glob("*.json")} == LISTED[kind].keys()
    assert len(LISTED[kind]) == COUNTS[kind]
    used = {entry["model"] for listed in LISTED.values() for entry in listed.values()}
    assert {path.stem for path in (FOLDER / "models").glob("*.json")} == used


@pytest.mark.parametrize("name", LISTED["accept"])
def test_accepted_and_proves(name: str) -> None:
    assert judged("accept", name) == LISTED["accept"][name]["proves"]


@pytest.mark.parametrize("name", LISTED["reject"])
def test_rejected_for_its_reason(name: str) -> None:
    with pytest.raises(CertificateRejected) as caught:
        judged("reject", name)
    assert LISTED["reject"][name]["says"] in str(caught.value)


def conditions() -> list[tuple[int, str]]:
    """The line of each ``need`` of the extension, and the words of its rule."""
    tree = ast.parse(Path(extension.__file__).read_text("utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "need":
                words = [part.value for part in ast.walk(call.args[2]) if isinstance(part, ast.Constant)]
                found.append((node.lineno, " ".join(str(word) for word in words)))
    return found


@contextmanager
def without(line: int) -> Iterator[None]:
    """The extension without the condition on that line, in place of the one that is there."""
    tree = ast.parse(Path(extension.__file__).read_text("utf-8"))

    class Removed(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            return ast.copy_location(ast.Pass(), node) if node.lineno == line else node

    mutant = ModuleType("deltachain_checker.integers")
    mutant.__package__ = "deltachain_checker"
    name = "deltachain_checker.integers"
    sys.modules[name] = mutant
    try:
        code = compile(ast.fix_missing_locations(Removed().visit(tree)), extension.__file__, "exec")
        exec(code, mutant.__dict__)  # noqa: S102 - the checker's own source, but for one line
        deltachain_checker.integers = mutant  # type: ignore[attr-defined]
        yield
    finally:
        sys.modules[name] = extension
        deltachain_checker.integers = extension  # type: ignore[attr-defined]


@pytest.mark.parametrize(("line", "words"), conditions())
def test_no_condition_is_there_in_vain(line: int, words: str) -> None:
    """Without it some rejected file is accepted, rejected in other words, or never ends."""
    if any(known in words for known in UNREACHED):
        return
    changed = 0
    for name, entry in LISTED["reject"].items():
        rule = entry["says"].split(": ", 1)[1]
        if not all(part in rule for part in words.split() if len(part) > 3):
            continue
        with without(line):
            try:
                judged("reject", name)
            except CertificateRejected as reason:
                changed += entry["says"] not in str(reason)
            except Unfinished:
                changed += 1
            else:
                changed += 1
    assert changed, words


def test_tampering_with_any_number_of_the_claim_is_rejected() -> None:
    model = read_file(str(FOLDER / "models" / "index.json"))
    certificate = read_file(str(FOLDER / "accept" / "index-delta.json"))
    assert verify(ModelFile(model), certificate)
    for alpha in ("399/100", "3", "2", "1"):
        with pytest.raises(CertificateRejected):
            verify(ModelFile(model), certificate | {"alpha": alpha})
    for most in (2, 3):
        claim = {"claim": "delta", "neighbours": ["linf", most], "upper": "0"}
        with pytest.raises(CertificateRejected):
            verify(ModelFile(model), certificate | {"proves": [claim]})


def test_tampering_with_the_mechanism_changes_its_hash() -> None:
    model = read_file(str(FOLDER / "models" / "index.json"))
    certificate = read_file(str(FOLDER / "accept" / "index-delta.json"))
    text = json.dumps(model)
    for old, new in (('"1/2"', '"1/4"'), ('"above"', '"below"'), ('"below"', '"above"'), ("1]", "2]")):
        if old in text:
            with pytest.raises(CertificateRejected, match="model"):
                verify(ModelFile(json.loads(text.replace(old, new, 1))), certificate)


def test_a_meter_ends_a_check() -> None:
    model = read_file(str(FOLDER / "models" / "svt.json"))
    certificate = read_file(str(FOLDER / "accept" / "svt-every-u.json"))
    with pytest.raises(Unfinished):
        verify(ModelFile(model), certificate, Meter(1_000))
