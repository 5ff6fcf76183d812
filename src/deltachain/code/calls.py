"""The function with each secret: what is called, what its start state is named, and what a chain records of it."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from ..errors import Defect, InputError
from ..model import Valuation
from ..parameters import AS_SECRETS, NamedSecrets, Secret
from ..programs.language.source import Problem
from ..programs.language.values import Value, as_value
from ..programs.protocol import Program
from ..programs.secrets.valuations import NOT_HELD, record_values
from ..version import __version__
from .letters import NoLetter, write_value
from .watching import Stop

LONGEST_NAME = 40
"""A secret's value with a longer text is not part of its state's name."""


@runtime_checkable
class Listable(Protocol):
    """What lists its numbers, as arrays do."""

    def tolist(self) -> object:
        """Its numbers, in lists of lists."""


class Called(NamedTuple):
    """The function with one secret."""

    name: str
    arguments: dict[str, object]
    function: Callable[..., object]

    def __call__(self) -> object:
        """Run it."""
        return self.function(**self.arguments)


def calls_of(
    function: Callable[..., object], secrets: Sequence[Secret], constants: Mapping[str, object]
) -> list[Called]:
    """The function with each secret; InputError with everything that does not fit."""
    if isinstance(function, Program):
        fix = f"use {function.name}.chain(secrets=…), or give its plain function"
        raise InputError(Defect(function.name, "it is a program: it is compiled, not run", fix))
    if not callable(function):
        raise InputError(Defect("function", f"{type(function).__name__} is not callable", "give a function"))
    if inspect.iscoroutinefunction(function):
        fix = "give a plain function that runs it: lambda **given: asyncio.run(f(**given))"
        raise InputError(Defect(name_of(function), "it is a coroutine", fix))
    listed = not isinstance(secrets, Mapping | str) and all(isinstance(secret, Mapping) for secret in secrets)
    if not listed or not secrets:
        what = "there are none" if listed else "not a list of dicts"
        raise InputError(Defect("secrets", what, AS_SECRETS))
    if not isinstance(constants, Mapping):
        raise InputError(Defect("constants", f"{type(constants).__name__} is not a mapping", "give a dict"))
    defects: list[Defect] = []
    calls: list[Called] = []
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables of C have none
        signature = None
    names = secrets.names if isinstance(secrets, NamedSecrets) else _names(secrets)
    for number, (secret, name) in enumerate(zip(secrets, names, strict=True), start=1):
        where = f"secret {number}"
        defects += [Defect(where, f"{key!r} is also a constant", "give it once") for key in secret if key in constants]
        arguments = {str(key): value for key, value in (*constants.items(), *secret.items())}
        for key, value in arguments.items():
            if hasattr(value, "__next__"):
                what = f"{key}: an iterator ({type(value).__name__}) can be read only once, and the code is run often"
                defects.append(Defect(where, what, "give a list"))
        try:
            if signature is not None:
                signature.bind(**arguments)
        except TypeError as reason:
            defects.append(Defect(where, f"{name_of(function)}() cannot be called: {reason}", "name its parameters"))
        calls.append(Called(name, arguments, function))
    if defects:
        raise InputError(defects)
    return calls


def name_of(function: Callable[..., object]) -> str:
    """What the function is called, for people."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def _text(value: object) -> str | None:
    """A short text of a value; None if it has none."""
    try:
        text = write_value(value)
    except (NoLetter, Stop):
        return None
    return text if len(text) <= LONGEST_NAME else None


def _names(secrets: Sequence[Secret]) -> list[str]:
    """``truth=True``; where the text of a value is long, or that of another secret, ``records #2``."""
    names: list[str] = []
    for secret in secrets:
        parts = [(key, _text(value)) for key, value in secret.items()]
        name = ", ".join(str(key) if text is None else f"{key}={text}" for key, text in parts) or "start"
        names.append(name)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if names.count(name) == 1 else f"{name} #{seen[name]}")
    return found


def records_of(arguments: Mapping[str, object], secret: Secret) -> Valuation:
    """Arguments as a chain records them; of those of a secret that it cannot hold, what they are."""
    found: dict[str, Value] = {}
    left_out: dict[str, str] = {}
    for name, argument in arguments.items():
        try:
            found[name] = _value(argument)
        except Problem as problem:
            if (text := _text(argument)) is not None:
                found[name] = text
            elif name in secret:  # what all secrets share tells none of them apart
                left_out[name] = f"{NOT_HELD}{problem.what}"
    return {**record_values(found), **left_out}


def _value(argument: object) -> Value:
    """An argument as a value of programs: lists and arrays are tuples there. Problem if it is none."""
    if type(argument).__module__ == "numpy" and isinstance(argument, Listable):
        return _value(argument.tolist())
    if isinstance(argument, list | tuple):
        return as_value(tuple(map(_value, argument)))
    if isinstance(argument, dict):
        return as_value({_value(key): _value(value) for key, value in argument.items()})
    return as_value(argument)


def origin(function: Callable[..., object]) -> str:
    """The file of a function with the hash of its content, and the versions of what ran it, for a report."""
    versions = f"Python {platform.python_version()}, deltachain {__version__}"
    try:
        file = inspect.getsourcefile(function)
        content = Path(file or "").read_bytes()
    except (TypeError, OSError):
        return f"{name_of(function)}, {versions}"
    digest = hashlib.sha256(content).hexdigest()
    return f"{Path(str(file)).name}:{name_of(function)} (sha256 {digest}), {versions}"
