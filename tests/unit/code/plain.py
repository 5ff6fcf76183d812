"""Programs as plain Python: the functions of a file without their decorator, executed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import deltachain as dc


@cache
def plain_functions(path: Path) -> dict[str, Callable[..., Any]]:
    """The programs of a file as functions that run: what the language has without an import is there."""
    module = ast.parse(path.read_text("utf-8"), str(path))
    kept: list[ast.stmt] = []
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and any(_is_program(each) for each in node.decorator_list):
            node.decorator_list = []
            kept.append(node)
        elif isinstance(node, ast.ImportFrom) and node.module in ("fractions", "deltachain"):
            kept.append(node)
    names: dict[str, Any] = {"Fraction": Fraction, "__name__": f"plain.{path.stem}"}
    names |= {name: getattr(dc, name) for name in ("announce", "choose", "flip", "geometric", "uniform")}
    names |= {name: getattr(dc, name) for name in ("exp", "log", "sqrt")}
    exec(compile(ast.Module(kept, []), str(path), "exec"), names)  # noqa: S102 - our own examples
    return {node.name: names[node.name] for node in kept if isinstance(node, ast.FunctionDef)}


def _is_program(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "program"


def without_result(function: Callable[..., Any]) -> Callable[..., None]:
    """The function as a program: what it returns is not seen."""

    def run(**arguments: Any) -> None:
        function(**arguments)

    return run
