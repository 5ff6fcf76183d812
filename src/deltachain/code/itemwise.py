"""`each`: a function of every item of a collection, whose results are parts of what is shown.

Where code is recorded, every item is explored by itself, since draws are independent and a part touches nothing but its
own: n parts of k outcomes are n·k runs and not kⁿ (docs/theory/parts.md). What code is given is not a list or a dict
but a `Parts`, which it may pass on, put into containers and return. Whatever looks into it ends the run, and all is
recorded again with the draws of this call as any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence
from typing import Any, NoReturn, Protocol

from ..draws.source import Site, in_force


def each(items: Iterable[Any] | Mapping[Any, Any], function: Callable[..., Any], *, skip_none: bool = False) -> Any:
    """The list of ``function(item)`` for each item; of a mapping, the dict of ``function(key, value)`` by key.

    In production that is all. `from_code` explores each item by itself, so that the function may depend on its item, on
    what it draws itself, and on what does not change, but not on what is drawn for other items, or before.

    Args:
        items: an iterable, or a mapping.
        function: what is done with each.
        skip_none: leave out results that are None, such as counts below a threshold.

    >>> import deltachain as dc
    >>> with dc.using(dc.seeded(1)):
    ...     dc.each({"a": 3, "b": 40}, lambda key, count: count + dc.discrete_laplace(1))
    {'a': 3, 'b': 39}
    """
    return in_force().each(items, function, skip_none)


class MakesParts(Protocol):
    """The run that parts belong to."""

    def look_into(self, parts: Parts, why: str) -> NoReturn:
        """The code looks into the parts: they are told apart."""


class Parts:
    """The results of one call of `each`, as a list; a subclass is the same as a dict."""

    __slots__ = ("_number", "_roots", "_run", "_site", "_skips")
    # What `isinstance` asks; it is no list, since C code would read the list itself.
    __class__ = property(lambda _: list)

    def __init__(self, run: MakesParts, site: Site, number: int, roots: tuple[int, ...], *, skips: bool) -> None:
        self._run, self._site, self._number, self._roots, self._skips = run, site, number, roots, skips

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _look(self)

    def __copy__(self) -> Any:
        return _look(self)

    def __deepcopy__(self, _: object) -> Any:
        return _look(self)

    def __reduce_ex__(self, _: object) -> Any:
        return _look(self)


class PartsByKey(Parts):
    """The results of one call of `each` for a mapping."""

    __slots__ = ()
    __class__ = property(lambda _: dict)


def run_of(parts: Parts) -> MakesParts:
    """The run that made the parts."""
    return object.__getattribute__(parts, "_run")  # type: ignore[no-any-return]


def block_of(parts: Parts) -> tuple[int, tuple[int, ...], bool]:
    """Which call of the run the parts are of, what each of them leads to, and whether some may show nothing."""
    number, roots, skips = (object.__getattribute__(parts, name) for name in ("_number", "_roots", "_skips"))
    return number, roots, skips


def site_of(parts: Parts) -> Site:
    """The line that calls `each`."""
    return object.__getattribute__(parts, "_site")  # type: ignore[no-any-return]


def _look(parts: Any, *_: object) -> Any:
    run_of(parts).look_into(parts, "the code looks into what dc.each gives")


_LOOKS = (
    "bool contains delitem eq format ge getitem gt hash iter le len lt ne repr reversed setitem sizeof str "
    "add iadd imul mul radd rmul or ior ror"
)
for _name in _LOOKS.split():
    setattr(Parts, f"__{_name}__", _look)
# Structural matching asks for these flags, and then looks.
MutableSequence.register(Parts)
MutableMapping.register(PartsByKey)
