"""Modules as they are written, parsed once for all tests of a file; `let_go` at the end of it."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """A module as it is written.

    Meanwhile no garbage is collected: two thirds of the time would go into looking at trees that are not.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text("utf-8"))
    finally:
        if enabled:
            gc.enable()


def let_go() -> None:
    """Forget all trees: millions of nodes would slow whatever collects garbage."""
    tree_of.cache_clear()
