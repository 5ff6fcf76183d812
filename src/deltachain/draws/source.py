"""Whom a draw asks: a source is handed the law and returns an outcome.

`SystemEntropy` draws from the random bytes of the operating system and is in force unless something else is; `seeded`
draws from bits that a seed determines, for tests; `Run` keeps what is announced. A recorder, which follows one outcome
after the other, is a source too. Which source is in force is a context variable: threads start without one, tasks of
asyncio inherit it.

System entropy is read anew for every draw. A buffer would be copied by a fork, and parent and child would add the same
noise.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, NamedTuple, TypeVar

from ..errors import InputError
from .laws import DrawnLaw

S = TypeVar("S", bound="DrawSource")
V = TypeVar("V")


class DrawSource:
    """What draws ask."""

    def draw(self, law: DrawnLaw) -> Any:
        """An outcome of the law."""
        raise NotImplementedError

    def announce(self, value: object) -> None:
        """``announce(value)`` was called; a source that keeps no letters lets them pass."""

    def each(self, items: Iterable[Any] | Mapping[Any, Any], function: Callable[..., Any], skip_none: bool) -> Any:
        """What `each` gives: a plain map, unless a recorder explores the items one by one."""
        if isinstance(items, Mapping):
            by_key = {key: function(key, value) for key, value in items.items()}
            return {key: found for key, found in by_key.items() if not (skip_none and found is None)}
        results = [function(item) for item in items]
        return [found for found in results if not (skip_none and found is None)]

    def yields_to(self, other: DrawSource) -> None:
        """Another source is to be in force for a while, inside of what this one serves; a source may refuse."""


class BitSource(DrawSource):
    """A source of random bits: outcomes are drawn from them, exactly."""

    def bits(self, count: int) -> int:
        """That many independent fair bits, as a number from 0 to 2^count − 1."""
        raise NotImplementedError

    def draw(self, law: DrawnLaw) -> Any:
        """An outcome, with exactly the probability that the law says."""
        return law.sampler.draw(self.bits)


class SystemEntropy(BitSource):
    """The random bytes of the operating system."""

    def bits(self, count: int) -> int:
        """Fresh bits, as many as asked for; none are kept."""
        if count == 64:
            return int.from_bytes(os.urandom(8), "little")
        return int.from_bytes(os.urandom((count + 7) >> 3), "little") >> (-count & 7)

    def __repr__(self) -> str:
        return "<source: system entropy>"


class Seeded(BitSource):
    """Bits that a seed determines: SHA-256 of the seed with a counter. For tests; whoever knows the seed knows all."""

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InputError(f"seeded: {seed!r} is not a whole number")
        self.seed = seed
        self._prefix = f"deltachain:{seed:x}:".encode()
        self._blocks = self._left = self._held = 0

    def bits(self, count: int) -> int:
        """The next bits of the stream."""
        while self._left < count:
            block = hashlib.sha256(self._prefix + b"%d" % self._blocks).digest()
            self._held = self._held << 256 | int.from_bytes(block, "big")
            self._blocks += 1
            self._left += 256
        self._left -= count
        found = self._held >> self._left
        self._held &= (1 << self._left) - 1
        return found

    def __repr__(self) -> str:
        return f"<source: seed {self.seed}>"


def seeded(seed: int) -> Seeded:
    """A source whose draws the seed determines; the same on every machine.

    >>> from deltachain import flip
    >>> with using(seeded(1)):
    ...     first = [flip("1/2") for _ in range(20)]
    >>> with using(seeded(1)):
    ...     first == [flip("1/2") for _ in range(20)]
    True
    """
    return Seeded(seed)


class Run(DrawSource):
    """A source that draws from another one and keeps what is announced.

    >>> from deltachain import announce
    >>> with using(Run()) as run:
    ...     announce("done")
    >>> run.letters
    ['done']
    """

    def __init__(self, source: DrawSource | None = None) -> None:
        self.source = SYSTEM if source is None else source
        self.letters: list[object] = []

    def draw(self, law: DrawnLaw) -> Any:
        """What the other source draws."""
        return self.source.draw(law)

    def announce(self, value: object) -> None:
        """One letter more."""
        self.letters.append(value)


SYSTEM = SystemEntropy()

_SOURCE: ContextVar[DrawSource | None] = ContextVar("deltachain source of draws", default=None)

STRAY: list[Callable[[], None]] = []
"""Called before a draw or an announcement where no source is in force. A recorder adds itself for as long as it
records: threads do not inherit its context, and what they draw would escape it."""


RECORDING = "DELTACHAIN_RECORDING"
"""Set in the environment while code is recorded: a process that it starts then would draw unseen, and refuses to."""


def _refuse_in_child() -> None:
    what = "this process was started by code that is being recorded: what it draws could not be followed"
    raise InputError(f"{what}; draw in the process that calls the function")


if os.environ.get(RECORDING):
    STRAY.append(_refuse_in_child)


def in_force() -> DrawSource:
    """The source that draws ask here."""
    found = _SOURCE.get()
    if found is None:
        for notice in STRAY:
            notice()
        return SYSTEM
    return found


def current_source() -> DrawSource | None:
    """The source that `using` has put in force here; None where draws ask the system."""
    return _SOURCE.get()


def without_source(function: Callable[[], V]) -> V:
    """What a function returns where no source is in force."""

    def run() -> V:
        _SOURCE.set(None)
        return function()

    return copy_context().run(run)


@contextmanager
def using(source: S) -> Iterator[S]:
    """Within the block, draws of this thread or task ask this source.

    >>> from deltachain import uniform
    >>> with using(seeded(7)):
    ...     1 <= uniform(1, 6) <= 6
    True
    """
    if not isinstance(source, DrawSource):
        raise InputError(f"using: {type(source).__name__} is not a source; give seeded(1) or SystemEntropy()")
    (_SOURCE.get() or SYSTEM).yields_to(source)
    token = _SOURCE.set(source)
    try:
        yield source
    finally:
        _SOURCE.reset(token)


class Site(NamedTuple):
    """The line of a file that draws."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


_INSIDE = ("deltachain.draws.", "deltachain.programs.language.primitives", "deltachain.code.")


def call_site() -> Site:
    """The line of the code that is drawing or announcing: whoever called the primitive. For a source that is asked."""
    frame = sys._getframe(1)
    # The source itself may be anybody's: first down to the primitive that asks it, then out of ours.
    for ours in (False, True):
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INSIDE) is ours:
            frame = frame.f_back
    return Site(frame.f_code.co_filename, frame.f_lineno)
