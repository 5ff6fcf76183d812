"""Values as a chain records them of its states, in ints, bools and text, and back.

Model files hold no other types, so that a tuple or a fraction is recorded as it is written, ``(1, 1/2)``. A text that
would be read back as something else is recorded in quotes: ``"1.0"`` and ``"1"`` are two texts, and one number. So what
is read is what was recorded. An argument of Python code may be a value of no program; then the record says so, and
rules that would need it are refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from ...errors import Defect, InputError
from ...model import Valuation
from ..language.lower import evaluate_constant
from ..language.source import ProgramError, parse
from ..language.values import Value, show

NOT_HELD = "… "
"""How the record of a value begins that it does not hold."""
_WRITTEN = re.compile(rf"""[-({{\d'"]|range\(|{NOT_HELD}""")
"""How records begin that are not the text that they look like."""


class NotHeld(str):
    """A value that is not in the record; its text says what it is."""

    __slots__ = ()


def record_values(values: Mapping[str, Value]) -> Valuation:
    """Values as a chain records them: ints, bools and text.

    >>> record_values({"q": (1, 2), "who": "alice", "digits": "1.0"})
    {'q': '(1, 2)', 'who': 'alice', 'digits': "'1.0'"}
    """
    return {name: _is_recorded(value) for name, value in values.items()}


def _is_recorded(value: Value) -> bool | int | str:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, str) and not _WRITTEN.match(value):
        return value
    return show(value)


def read_value(record: object) -> Value:
    """The value that was recorded; a `NotHeld` if the record does not hold it.

    >>> read_value("(1, 1/2)"), read_value("'1.0'"), read_value("alice")
    ((1, Fraction(1, 2)), '1.0', 'alice')
    """
    if not isinstance(record, str):
        return record  # type: ignore[return-value]  # ints and bools are values as they are
    if record.startswith(NOT_HELD):
        return NotHeld(record.removeprefix(NOT_HELD))
    if not _WRITTEN.match(record):
        return record
    try:
        return parse_value(record)
    except InputError:
        return record  # a file may hold any text


# As they are typed.


def parse_value(text: str, what: str = "value") -> Value:
    """A value as it is typed: ``0``, ``True``, ``1/3``, ``0.49``, ``(1, 2)``, ``{0: 1/2}``, ``'text'``, or
    a bare word.

    Read by the language's own expressions, without names: nothing else can be reached.

    >>> parse_value("1/3"), parse_value("(1, True)"), parse_value("alice")
    (Fraction(1, 3), (1, True), 'alice')
    """
    return parse_assignments(f"value={text}", what)["value"]


def parse_assignments(text: str, what: str = "assignment") -> dict[str, Value]:
    """The values of ``paying=0`` or ``a=1, b=(2, 3)``; ProgramError naming ``what``.

    >>> parse_assignments("paying=0, p=49/100")
    {'paying': 0, 'p': Fraction(49, 100)}
    """
    fix = "write name=value, several with commas; quote text that is not a single word"
    shown = repr(text if len(text) <= 60 else f"{text[:57]}…")
    unread = ProgramError(Defect(what, f"{shown} cannot be read", fix))
    try:
        source = parse(f"_({text})", what)
    except ProgramError:
        raise unread from None
    match source.module.body:
        case [ast.Expr(ast.Call(ast.Name(), [], keywords))]:
            pass
        case _:
            raise unread
    values: dict[str, Value] = {}
    for keyword in keywords:
        if keyword.arg is None or keyword.arg in values:
            raise unread
        if isinstance(keyword.value, ast.Name):
            values[keyword.arg] = _bare_word(keyword.value.id, what, shown)
            continue
        try:
            values[keyword.arg] = evaluate_constant(keyword.value, source)
        except ProgramError as error:
            raise ProgramError(Defect(what, f"{shown}: {error.defects[0].what}", error.defects[0].fix)) from None
    return values


def _bare_word(word: str, what: str, shown: str) -> str:
    """The word as text; not ``true`` or ``false``, which as texts would both count as true, and look alike."""
    truth = word.capitalize()
    if truth in ("True", "False"):
        fix = f"write {truth}, or {word!r} in quotes for the text"
        raise ProgramError(Defect(what, f"{shown}: {word} is not a truth value", fix))
    return word
