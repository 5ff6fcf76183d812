"""Random bytes of the system, and who takes them: they cannot be followed, and a rare coin is not met by trying.

The functions that hand them out are replaced, wherever a module holds them, by some that say so first. What else is
written in C and asks the operating system itself is not seen; opening ``/dev/urandom`` is, by an audit hook
(`processes`).
"""

from __future__ import annotations

import _random
import importlib
import os
import random
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Self

NOTICED: list[Callable[[str], None]] = []
"""Called with the name of what is asked for random bytes."""

ALLOWED_CALLERS = ("deltachain.draws.source", "tempfile")
"""Modules that may ask: what they make of the bytes is shown to nobody, or drawn in earnest."""


def _says_so(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def ask(*arguments: Any, **given: Any) -> Any:
        if NOTICED and sys._getframe(1).f_globals.get("__name__") not in ALLOWED_CALLERS:
            for notice in NOTICED:
                notice(name)
        return function(*arguments, **given)

    return ask


def _seed_says_so(original: Callable[..., Any]) -> Callable[..., Any]:
    def seed(self: random.Random, a: Any = None, version: int = 2) -> Any:
        # Random() calls seed(None) from its __init__, and that is called by whoever makes a generator.
        if a is None and NOTICED:
            frame = sys._getframe(1)
            if frame.f_code.co_name == "__init__" and frame.f_back is not None:
                frame = frame.f_back
            if frame.f_globals.get("__name__") not in ALLOWED_CALLERS:
                for notice in NOTICED:
                    notice("random.Random()")
        return original(self, a, version)

    return seed


class SaysWhenUnseeded(_random.Random):
    """The generator in C below `random.Random`, which seeds itself where it is given nothing."""

    def __new__(cls, *seeds: Any) -> Self:
        """Make one."""
        _note_unseeded(seeds)
        return super().__new__(cls, *seeds)

    def seed(self, *seeds: Any) -> None:
        """Begin anew."""
        _note_unseeded(seeds)
        super().seed(*seeds)


def _note_unseeded(seeds: tuple[Any, ...]) -> None:
    if seeds in ((), (None,)):
        for notice in NOTICED:
            notice("_random.Random()")


def _sources() -> dict[str, Any]:
    """The functions and types that hand out random bytes, by their names."""
    found: dict[str, Any] = {"os.urandom": os.urandom, "_random.Random()": _random.Random}
    if hasattr(os, "getrandom"):
        found["os.getrandom"] = os.getrandom
    with suppress(ImportError):  # loaded here, so that who imports `ssl` later is given what is watched
        found["ssl.RAND_bytes"] = importlib.import_module("_ssl").RAND_bytes
    return found


def find_holders() -> list[dict[str, Any]]:
    """The names of all modules that hold what hands out random bytes.

    For `watch` in a process that is forked then: to look at every object there would copy every page that holds one.
    """
    sought = set(map(id, _sources().values()))
    namespaces = [getattr(module, "__dict__", None) for module in list(sys.modules.values())]
    held = [names for names in namespaces if type(names) is dict]
    return [names for names in held if not sought.isdisjoint(map(id, list(names.values())))]


def watch(holders: Iterable[dict[str, Any]]) -> Callable[[], None]:
    """Replace what hands out random bytes under the names that hold it; returns what puts all of it back."""
    watching: dict[int, object] = {
        id(source): SaysWhenUnseeded if source is _random.Random else _says_so(name, source)
        for name, source in _sources().items()
    }
    replaced: list[tuple[dict[str, Any], str, Any]] = []
    for names in holders:
        for name, value in list(names.items()):
            if id(value) in watching:
                replaced.append((names, name, value))
                names[name] = watching[id(value)]
    seed = random.Random.seed
    random.Random.seed = _seed_says_so(seed)  # type: ignore[method-assign]

    def put_back() -> None:
        random.Random.seed = seed  # type: ignore[method-assign]
        for names, name, value in replaced:
            names[name] = value

    return put_back
