"""State files ``.sta``: the values of variables in each state and, as an extension, names of states.

PRISM lists the variables, and then the values of each state::

    (coin,done)
    0:(0,false)
    1:(1,true)

Values are integers, ``true``, ``false``, or text: bare text as it stands (when it has no comma, parenthesis
or double quote), or a JSON string. An empty value means that the state does not have the variable. The
first column may be ``@name``, which no variable can be called in PRISM; it gives the states' names. Without
it states are named by their numbers. A header cell that is a JSON string is always a variable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..model import Chain, Valuation
from ..rational import format_fraction, parse_fraction
from .reading import Faults
from .valuations import refuse_values

NAME_COLUMN = "@name"

_HEADER = re.compile(r"[ \t]*\((.*)\)[ \t]*")
_LINE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:[ \t]*\((.*)\)[ \t]*")
_CELL = re.compile(r'[ \t]*("(?:[^"\\]|\\.)*"|[^,()"]*?)[ \t]*(,|$)')
_BARE_NAME = re.compile(r"[A-Za-z0-9_.|@/+-]+")
_INTEGER = re.compile(r"-?[0-9]+")


@dataclass(frozen=True)
class StateFile:
    """What a ``.sta`` file says; ``names`` or ``valuations`` is None when it says nothing of them."""

    names: list[str] | None = None
    valuations: list[Valuation] | None = None


def read_sta(lines: Iterable[str], faults: Faults, size: int) -> StateFile:
    """The names and valuations of ``size`` states. What is wrong is added to ``faults``."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    number, first = next(numbered, (1, ""))
    header = _HEADER.fullmatch(first)
    if header is None:
        faults.add(number, 1, f"expected the variables '(x,y,…)', found {first.strip()[:40]!r}")
        return StateFile()
    cells = _cells(header[1], faults, number, header.start(1)) if header[1].strip() else []
    named = cells[:1] == [NAME_COLUMN]
    variables = [_text(cell) for cell in cells[1 if named else 0 :]]
    for variable in sorted({variable for variable in variables if variables.count(variable) > 1}):
        faults.add(number, 1, f"variable {variable!r} is given twice", "rename one")
    found: dict[int, list[str]] = {}
    for number, line in numbered:
        _read_line(number, line, len(cells), size, found, faults)
    if not faults.found and len(found) < size:
        missing = next(state for state in range(size) if state not in found)
        what = f"state {missing} is missing, and {size - len(found) - 1} more"
        faults.add(number + 1, 1, what.removesuffix(", and 0 more"), f"list every state from 0 to {size - 1}")
    if faults.found:
        return StateFile()
    rows = [found[state] for state in range(size)]
    names = [_text(row[0]) for row in rows] if named else None
    valuations: list[Valuation] = [_valuation(variables, row[1:] if named else row) for row in rows]
    return StateFile(names, valuations if any(valuations) else None)


def _read_line(number: int, line: str, width: int, size: int, found: dict[int, list[str]], faults: Faults) -> None:
    match = _LINE.fullmatch(line)
    if match is None:
        faults.add(number, 1, f"expected 'state:(value,…)', found {line.strip()[:40]!r}")
        return
    state = int(match[1])
    if state >= size:
        faults.add(
            number,
            match.start(1) + 1,
            f"unknown state {state}",
            f"the transitions have states 0 to {size - 1}",
        )
    elif state in found:
        faults.add(number, match.start(1) + 1, f"state {state} is listed twice", "keep one line")
    cells = _cells(match[2], faults, number, match.start(2)) if width or match[2].strip() else []
    if len(cells) != width:
        what = f"expected {width} values, found {len(cells)}"
        faults.add(number, match.start(2) + 1, what, "give one value for each variable of the first line")
    found[state] = cells


def _cells(text: str, faults: Faults, line: int, offset: int) -> list[str]:
    cells: list[str] = []
    start = 0
    while True:
        match = _CELL.match(text, start)
        if match is None or (match[1].startswith('"') and not _is_json_text(match[1])):
            what = f"expected values separated by commas, found {text[start:][:40]!r}"
            faults.add(line, offset + start + 1, what, "write text with other characters as a JSON string")
            return cells
        cells.append(match[1])
        start = match.end()
        if not match[2]:
            return cells


def _valuation(variables: list[str], cells: list[str]) -> Valuation:
    return {variable: _value(cell) for variable, cell in zip(variables, cells, strict=True) if cell}


def _is_json_text(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), str)
    except ValueError:
        return False


def _text(cell: str) -> str:
    return str(json.loads(cell)) if cell.startswith('"') else cell


def _value(cell: str) -> object:
    if cell in ("true", "false"):
        return cell == "true"
    # Text longer than any number that is read stays text, as other bare text does.
    try:
        return parse_fraction(cell).numerator if _INTEGER.fullmatch(cell) else _text(cell)
    except ValueError:
        return cell


def needs_sta(chain: Chain) -> bool:
    """Whether the chain has names or valuations that ``.tra`` and ``.lab`` cannot hold."""
    return _has_names(chain) or (chain.valuations is not None and any(chain.valuations))


def _has_names(chain: Chain) -> bool:
    return any(name != str(i) for i, name in enumerate(chain.states))


def sta_text(chain: Chain) -> Iterator[str]:
    """The state file of a chain, in pieces. InputError, before the first, for values that it cannot hold."""
    refuse_values(chain)
    valuations = chain.valuations or ()
    variables = list(dict.fromkeys(variable for valuation in valuations for variable in valuation))
    return _pieces(chain, variables)


def _pieces(chain: Chain, variables: list[str]) -> Iterator[str]:
    named = _has_names(chain) or not variables
    header = ([NAME_COLUMN] if named else []) + [
        _written_name(v) if v != NAME_COLUMN else json.dumps(v) for v in variables
    ]
    yield f"({','.join(header)})\n"
    for state, name in enumerate(chain.states):
        cells = [_written_name(name)] if named else []
        if chain.valuations is not None:
            cells += [_written(chain.valuations[state], variable) for variable in variables]
        yield f"{state}:({','.join(cells)})\n"


def _written_name(name: str) -> str:
    return name if _BARE_NAME.fullmatch(name) else json.dumps(name)


def _written(valuation: Mapping[str, object], variable: str) -> str:
    if variable not in valuation:
        return ""
    value = valuation[variable]
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_fraction(value) if isinstance(value, int) else json.dumps(value)
