"""The zoo: small protocols as chains, one file of `zoo` each, and each with a value that is known exactly.

An example is a function of keyword parameters, with a default for each, that returns a `Chain`; the chain carries the
pairs of start states which must look alike. ``examples.coin`` is the function `coin` of ``zoo/coin.py``, imported when
it is first used; a file in that folder is all that a new example needs. `catalogue` lists them, and `build` reads
``NAME,key=value,…``, as the command line writes it: a parameter whose default is an int takes a whole number, any other
one an exact number such as ``49/100``.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from ..errors import Defect, InputError
from ..model import Chain
from . import zoo


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its name, its parameters with their defaults as text, its first line, and how to build it."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    summary: str
    build: Callable[..., Chain]


@cache
def names() -> tuple[str, ...]:
    """The names of all examples, in alphabetical order; none of them is imported for this.

    >>> names()[:3]
    ('adaptive-survey', 'clamped-geometric', 'coin')
    """
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(zoo.__path__)))


def catalogue() -> tuple[Example, ...]:
    """All examples, in alphabetical order.

    >>> [example.summary for example in catalogue() if example.name == "coin"]
    ['One toss of one of two biased coins: which coin was it?']
    """
    return tuple(_example(name) for name in names())


def build(spec: str) -> Chain:
    """The chain that ``"NAME"`` or ``"NAME,key=value,…"`` describes; InputError with every defect otherwise.

    >>> build("dining-cryptographers,n=2,p=49/100")
    <Chain: 19 states, 25 transitions, 4 labels, 1 pair>
    """
    name, *settings = (piece.strip() for piece in spec.split(","))
    if name not in names():
        what = f"no example {name!r}" if name else "no example is named"
        raise InputError(Defect("", what, _list_known(name.replace("_", "-"), names(), "examples")))
    function = _function(name)
    return function(**_arguments(name, settings, _defaults(function)))


def __getattr__(name: str) -> Callable[..., Chain]:
    public = name.replace("_", "-")
    if "-" not in name and public in names():
        return _function(public)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(["Example", "build", "catalogue", "names", *(name.replace("-", "_") for name in names())])


def _example(name: str) -> Example:
    function = _function(name)
    described = sys.modules[function.__module__].__doc__ or ""
    parameters = tuple((key, str(default)) for key, default in _defaults(function).items())
    return Example(name, parameters, described.partition("\n")[0].removesuffix("."), function)


def _function(name: str) -> Callable[..., Chain]:
    """An example's function, by its public name."""
    own = name.replace("-", "_")
    found: Callable[..., Chain] = getattr(importlib.import_module(f".zoo.{own}", __package__), own)
    return found


def _arguments(name: str, settings: list[str], defaults: dict[str, int | str]) -> dict[str, int | str]:
    """The keyword arguments that the settings give; every defect at once."""
    arguments: dict[str, int | str] = {}
    defects = []
    where = f"example {name}"
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not equals:
            defects.append(Defect(where, f"{setting!r} is not a setting", "write key=value, separated by commas"))
        elif key not in defaults:
            defects.append(Defect(where, f"no parameter {key!r}", _list_known(key, defaults, "parameters")))
        elif key in arguments:
            defects.append(Defect(where, f"{key} is given twice", "keep one of the two"))
        elif not isinstance(defaults[key], int):
            arguments[key] = text
        elif _is_whole(text):
            arguments[key] = int(text)
        else:
            arguments[key] = 0  # so that giving it again is found too; the defect below is raised anyway
            defects.append(Defect(where, f"{key}={text} is not a whole number", f"such as {key}={defaults[key]}"))
    if defects:
        raise InputError(defects)
    return arguments


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 100


def _defaults(function: Callable[..., Chain]) -> dict[str, int | str]:
    return {key: parameter.default for key, parameter in inspect.signature(function).parameters.items()}


def _list_known(wrong: str, listed: Iterable[str], what: str) -> str:
    """A near miss, if there is one, and all the names there are."""
    known = list(listed)
    near = difflib.get_close_matches(wrong, known, n=1)
    return (f"did you mean {near[0]}? " if near else "") + f"{what} are {', '.join(known)}"
