"""Packages whose names are imported when they are first used: nobody waits for what nobody asks for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence


def lazy_names(
    package: str, names: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` for a package, from its modules and the names that each is asked for.

    Under ``""`` stand modules that are names themselves.

    >>> load, listed = lazy_names("deltachain", {"rational": ["ExpEpsilon"], "model": ["Chain", "quotient"]})
    >>> listed()
    ['Chain', 'ExpEpsilon', 'quotient']
    >>> load("ExpEpsilon").__module__
    'deltachain.rational'
    """
    homes = {name: module for module, found in names.items() for name in found}

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(f".{homes[name] or name}", package)
        return getattr(found, name) if homes[name] else found

    return load, lambda: sorted(homes)
