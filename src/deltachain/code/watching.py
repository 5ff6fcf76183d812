"""A source for one call of the code, which notices what cannot be followed: the part that all such sources share.

A run may have to end before its time. It is left by `Stop`, which is no Exception. Code may swallow even that, in
``except:`` or ``finally``. So the reason is kept here, every later draw raises again, and what the code did in between
is thrown away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

from ..draws.laws import DrawnLaw, Uniform, Weighted
from ..draws.source import DrawSource, Site, call_site
from ..errors import Defect, InputError
from .itemwise import Parts
from .letters import RETURNS, NoLetter, Spelling, key_of_part, spell_announced, spell_error, spell_returned, stream

MOST_DRAWS = 100_000
"""The most draws of one run, and the most letters that it announces."""

MOST_RAISED = 1_000
"""How often a run that was stopped is told so, before it is given anything at all to come to an end with."""

NOT_A_FUNCTION = "the code is not a function of its arguments and draws"


class CodeRefused(InputError):
    """Code whose chain cannot be made honestly; it says where, and what to do."""


class Stop(BaseException):
    """Leaves code that is recorded."""


class Anew(NamedTuple):
    """All is to be recorded anew, with the parts of a line told apart, or, if there is none, with parts."""

    site: Site | None
    why: str


Ended = Literal["lost", "again", "suspect"] | Anew | CodeRefused
"""Why a run ended before its time: its path is not followed; it is done again in another way; noise that is not a
number yet may be the reason; what parts are must be decided otherwise; nothing is."""


class Watching(DrawSource):
    """A source for one thread and one call of the code, which notices what it cannot follow."""

    def __init__(self, letter: Callable[[Any], Any] | None, *, streams: bool = False) -> None:
        self.ended: Ended | None = None
        self.letter, self.streams = letter, streams
        self.whole: Watching | None = None
        """The source of the run that this one explores a part of."""
        self._thread = threading.get_ident()
        self._raised = self._announced = 0

    def stop(self, why: Ended) -> NoReturn:
        """End the run, for this reason if there was none before."""
        self.ended = self.ended or why
        raise Stop

    def refuse(self, what: str, fix: str = "", place: object = "") -> NoReturn:
        """End the run and everything: there is no chain."""
        self.stop(CodeRefused(Defect(str(place), what, fix)))

    def stray(self) -> None:
        """A draw or announcement where this source is not in force: in a thread, which does not inherit it."""
        what = "a draw or announcement in another thread while code is recorded: it could not be followed"
        error = CodeRefused(Defect(str(call_site()), what, "draw in the thread that calls the function"))
        self.ended = self.ended or error
        raise error

    def yields_to(self, other: DrawSource) -> None:
        """Refuse, but to a part: what the code would draw from another source would not be seen."""
        if isinstance(other, Watching) and other.whole is self:
            return
        self.refuse(f"the code draws from a source of its own, {other!r}", "let the caller choose it", call_site())

    def announce(self, value: object) -> None:
        """A letter."""
        if not self._goes_on():
            return
        self._announced += 1
        if self._announced > MOST_DRAWS:
            self.refuse(f"a run announces more than {MOST_DRAWS:,} letters", "let it end", call_site())
        self._spell(spell_announced, value)

    def record_return(self, value: object) -> None:
        """The run is over, and returned this."""
        if self.ended is None:
            self._spell(spell_returned, value) if not self.streams else self.returned_piecewise(value, RETURNS)

    def returned_piecewise(self, value: object, prefix: str = "") -> None:
        """The letters of a returned value, piece by piece: the same of a value whether it has parts or not."""
        value = self._see(value)
        try:
            for piece in stream(value, prefix):
                if isinstance(piece, Spelling):
                    self._emit(piece)
                else:
                    self._show(piece)
        except NoLetter as reason:
            self.cannot_show(str(reason))

    def cannot_show(self, reason: str) -> NoReturn:
        """A returned value cannot be shown as outputs."""
        self.refuse(reason, place=call_site())

    def emit_key(self, key: object) -> None:
        """The letter of a key, before the letters of its value."""
        self._emit(self._spell_value(key_of_part, key))

    def _show(self, parts: Parts) -> None:
        """The letters of parts."""
        raise NotImplementedError

    def record_error(self, error: BaseException) -> None:
        """The run is over, and raised this."""
        if self.ended is None:
            self._emit(self._spell_value(spell_error, error))

    def _goes_on(self) -> bool:
        """Whether the run has not ended; Stop if it has, as long as that may help."""
        if self._thread != threading.get_ident():
            self.stray()
        if self.ended is None:
            return True
        self._raised += 1
        if self._raised < MOST_RAISED:
            raise Stop
        return False

    def _anything(self, law: DrawnLaw) -> Any:
        """Some outcome for code that catches everything and draws again, so that it may come to an end."""
        if isinstance(law, Weighted):
            return law.values[self._raised % len(law.values)]
        if isinstance(law, Uniform):
            return law.low + self._raised % (law.high - law.low + 1)
        return self._raised % 7 - 3

    def _spell(self, how: Callable[[Any], Spelling], value: object) -> None:
        self._emit(self._spell_value(how, self._see(value)))

    def _see(self, value: Any) -> Any:
        """What is seen of a value."""
        if self.letter is None:
            return value
        try:
            return self.letter(value)
        except Exception as error:
            self.refuse(f"letter= raised {type(error).__name__}: {error}", "let it take every value that is shown")

    def _spell_value(self, how: Callable[[Any], Spelling], value: object) -> Spelling:
        try:
            return how(value)
        except NoLetter as reason:
            self.refuse(str(reason), place=call_site())

    def _emit(self, spelling: Spelling) -> None:
        """Take the letters of a value."""
        raise NotImplementedError
