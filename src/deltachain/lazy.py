"""Packages that import a name of theirs when it is first used: what starts does not wait for what it will not use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType


def lazily(
    package: str, homes: Mapping[str, str], others: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], object], list[str]]:
    """The ``__getattr__`` and ``__all__`` of a package.

    Args:
        package: its name.
        homes: a module of the package → the names that it has, with spaces between; ``""``: modules themselves.
        others: modules of other packages, by their whole names, likewise.
    """
    module_of = {name: f".{module}" if module else "" for module, names in homes.items() for name in names.split()}
    module_of |= {name: module for module, names in others.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(module_of[name] or f".{name}", package)
        return getattr(found, name) if module_of[name] else found

    return find, sorted(module_of)
