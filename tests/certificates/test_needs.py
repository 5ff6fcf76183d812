"""No condition of the checker is there in vain: without it, some kept certificate is not rejected as it should be.

Each ``need`` (and each ``raise`` or ``refuse`` of a rejection) is taken out of its module in memory, one at a time. The
files of ``two/reject`` that this very condition rejects are judged again: at least one must now be accepted, or be
rejected in other words, by a condition that stands further on.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType, TracebackType
from typing import Any

import pytest

import deltachain_checker

from .test_two import LISTED, paths_of

FOLDER = Path(deltachain_checker.__file__).parent
MODULES = (
    *("model", "numbers", "covers", "graph", "growth", "certificate", "distances", "measures", "parts", "document"),
    *("outcomes", "recipes", "sums", "splits", "limits"),
)
MUTANT = "deltachain_checker_mutant"
HELPERS = {"need", "refuse"}

MOST_STEPS = 300_000
"""Of a check: without a limit on numbers it might not end."""

Place = tuple[str, int]
"""A module, and the line at which a condition begins."""

UNREACHED = {
    ("model", "field / a multiple of the model's base "): "of a file, the model is read over the certificate's field",
    ("numbers", "number / a common denominator"): "holds, if what is divided is multiplied back",
    ("numbers", "number / numbers of one field"): "all numbers are read over one field",
    ("numbers", "field / an interval"): "who reads an interval asks that before",
    ("parts", "at most  /  outcomes that change sign on a part"): "the file would be a long one",
    ("numbers", "number / whole coefficients / / / / / "): "what is split at / has no other",
    ("numbers", "number / a formula of at most  /  characters"): "the file would be a long one",
    ("certificate", "file / an object of format  / , about a mechanism"): "no model here is one; see test_integers",
    ("recipes", "tree / at most  /  sums that are not complete"): "the file would be a long one; see test_recipes",
    ("recipes", "recipe / at most  /  steps of beliefs"): "the meter ends such a check before; see test_recipes",
    ("limits", "at most  /  corners"): "the meter ends such a check before; see test_boxes",
    ("limits", "first / at most  /  entries of rows"): "the meter ends such a check before; see test_boxes",
    ("limits", "first / a depth of at most "): "the file would be a long one; see test_boxes",
    ("numbers", "a sign that an enclosure of  /  bits tells"): "no known number takes so many",
    ("numbers", "a number that an enclosure of  /  bits tells"): "no known number takes so many",
    ("growth", "limit: entries of C of one sign"): "over Q and Q(e) every number has one sign",
    ("growth", "limit: y·r of one sign"): "over Q and Q(e) it has: it is a limit of masses",
    ("document", "a readable UTF-8 file, not a folder, a pipe or a device"): "of the path, not of what is in the file",
    ("document", "a file of at most  /  bytes"): "of the path, not of what is in the file",
    ("document", "a readable UTF-8 file: "): "of the path, not of what is in the file",
}
"""By module and the words of the rule: why no small file violates this condition alone."""


def conditions(module: str) -> dict[int, tuple[int, str]]:
    """By the first line of each statement that rejects: its last line, and the words of its rule."""
    found, tree = {}, ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    helpers = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in HELPERS]
    inside = {part for helper in helpers for part in ast.walk(helper)}
    for node in ast.walk(tree):
        if rejects(node) and node not in inside:
            parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            words = " / ".join(part for part in parts if isinstance(part, str))
            found[node.lineno] = (node.end_lineno or node.lineno, words)  # type: ignore[attr-defined]
    return found


def rejects(node: ast.AST) -> bool:
    """Whether it is a statement that rejects, by a call or by itself; not one of the helpers that all of them call."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
        return node.value.func.id in HELPERS
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
        return node.exc.func.id == "CertificateRejected"
    return False


class Without(ast.NodeTransformer):
    """The module with one statement left out."""

    def __init__(self, line: int) -> None:
        self.line = line

    def visit(self, node: ast.AST) -> Any:
        if rejects(node) and node.lineno == self.line:  # type: ignore[attr-defined]
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


@contextmanager
def checker_without(place: Place | None) -> Iterator[tuple[ModuleType, ModuleType]]:
    """A second copy of the checker, with one condition left out: its modules for documents and for certificates."""
    package = ModuleType(MUTANT)
    package.__path__ = [str(FOLDER)]
    sys.modules[MUTANT] = package
    try:
        if place is not None:
            module, line = place
            path = FOLDER / f"{module}.py"
            changed = ModuleType(f"{MUTANT}.{module}")
            changed.__package__ = MUTANT
            sys.modules[changed.__name__] = changed
            tree = ast.fix_missing_locations(Without(line).visit(ast.parse(path.read_text("utf-8"))))
            exec(compile(tree, str(path), "exec"), vars(changed))  # noqa: S102 - of our own source
            setattr(package, module, changed)
        yield importlib.import_module(f"{MUTANT}.document"), importlib.import_module(f"{MUTANT}.certificate")
    finally:
        for name in [name for name in sys.modules if name == MUTANT or name.startswith(f"{MUTANT}.")]:
            del sys.modules[name]


def said_of(checker: tuple[ModuleType, ModuleType], name: str) -> tuple[str, TracebackType | None]:
    """What a copy of the checker says of a file that is to be rejected, and where it says so."""
    document, certificate = checker
    model, proof = paths_of("reject", name)
    try:
        given = certificate.ModelFile(document.read_file(model))
        certificate.verify(given, document.read_file(proof), certificate.Meter(MOST_STEPS))
    except Exception as reason:  # whatever it is: without a condition anything may fail further on
        return f"{type(reason).__name__}: {reason}", reason.__traceback__
    return "accepted", None


def place_of(trace: TracebackType | None) -> Place | None:
    """The condition at which it was rejected: the last one that is not a helper, of what was called."""
    found = None
    while trace is not None:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        module = Path(code.co_filename).stem
        if module in MODULES and code.co_name not in HELPERS:
            for first, (last, _) in known_conditions(module).items():
                if first <= line <= last:
                    found = module, first
        trace = trace.tb_next
    return found


@cache
def known_conditions(module: str) -> dict[int, tuple[int, str]]:
    return conditions(module)


@cache
def violations() -> dict[Place, list[tuple[str, str]]]:
    """By condition: the files that it rejects, and with which words."""
    found = defaultdict(list)
    with checker_without(None) as checker:
        for name in LISTED["reject"]:
            said, trace = said_of(checker, name)
            place = place_of(trace)
            if place is not None:
                found[place].append((name, said))
    return dict(found)


def every_place() -> list[Place]:
    """All conditions that a small file can violate alone."""
    places = [(module, line) for module in MODULES for line in known_conditions(module)]
    return [place for place in places if (place[0], words_of(place)) not in UNREACHED]


def words_of(place: Place) -> str:
    """The words of the rule."""
    return known_conditions(place[0])[place[1]][1]


def left_out_in_vain(place: Place) -> bool:
    """Whether nothing changes for any file that it rejects when the condition is left out."""
    known = violations()[place]  # by the whole checker, so before a condition is left out
    with checker_without(place) as checker:
        return all(said_of(checker, name)[0] == said for name, said in known)


def test_every_condition_rejects_a_kept_file() -> None:
    assert [(place, words_of(place)) for place in every_place() if place not in violations()] == []
    assert len(every_place()) > 180
    assert sum(map(len, violations().values())) > 280


def test_what_is_said_to_be_out_of_reach_is_there() -> None:
    known = {(module, words) for module in MODULES for _, words in known_conditions(module).values()}
    assert UNREACHED.keys() <= known
    assert not any((module, words_of((module, line))) in UNREACHED for module, line in violations())


@pytest.mark.parametrize("place", Random(1).sample(every_place(), 30), ids=str)
def test_a_condition_that_is_left_out_is_missed(place: Place) -> None:
    assert not left_out_in_vain(place)


@pytest.mark.slow
def test_every_condition_that_is_left_out_is_missed() -> None:
    assert [(place, words_of(place)) for place in every_place() if left_out_in_vain(place)] == []
    accepting = 0
    for place in every_place():
        known = violations()[place]
        with checker_without(place) as checker:
            accepting += any(said_of(checker, name)[0] == "accepted" for name, _ in known)
    assert (
        accepting > 60
    )  # the others are what a later condition, or the reading of the file, would refuse in its words
