"""Label files ``.lab``: which label names each state has, in PRISM's dialect and in Storm's.

PRISM numbers the names in a header and lists numbers; Storm declares the names and lists names::

    0="init" 1="deadlock" 2="heads"        #DECLARATION
    0: 0                                   init deadlock heads
    3: 2                                   #END
                                           0 init
                                           3 heads

States that are not listed have no labels. Written in PRISM's dialect, where a name may contain anything but
a double quote and a line break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..model import Chain
from .label_sets import DROPPED, label_names
from .labels import refuse_names
from .reading import Faults, tokens

Labelling = dict[int, tuple[str, ...]]

_DECLARED = re.compile(r'[ \t]*([0-9]{1,18})[ \t]*=[ \t]*"([^"]*)"(?=[ \t]|$)')
_LISTED = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:(.*)")


def read_lab(lines: Iterable[str], faults: Faults, size: int) -> Labelling:
    """The names of each listed state, of ``size`` states. What is wrong is added to ``faults``."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    number, first = next(numbered, (1, ""))
    if first.strip() == "#DECLARATION":
        return _read_storm(numbered, faults, size, number)
    names = _prism_header(number, first, faults)
    labelling: Labelling = {}
    for number, line in numbered:
        match = _LISTED.fullmatch(line)
        if match is None:
            faults.add(number, _start(line), f"expected 'state: label numbers', found {line.strip()[:40]!r}")
            continue
        _known_state(labelling, int(match[1]), size, faults, number, match.start(1) + 1)
        found = []
        for column, text in tokens(match[2]):
            name = names.get(int(text)) if re.fullmatch("[0-9]{1,18}", text) else None
            if name is None:
                what = f"expected the number of a declared label, found {text[:40]!r}"
                faults.add(number, match.start(2) + column, what, "declare it in the first line")
            else:
                found.append(name)
        labelling[int(match[1])] = tuple(found)
    return labelling


def _prism_header(number: int, line: str, faults: Faults) -> dict[int, str]:
    names: dict[int, str] = {}
    start, end = 0, len(line.rstrip(" \t"))
    while start < end:
        match = _DECLARED.match(line, start, end)
        if match is None:
            what = f"expected '0=\"name\" 1=\"name\" …' or '#DECLARATION', found {line[start:].strip()[:40]!r}"
            faults.add(number, start + _start(line[start:]), what)
            break
        column, start = match.start(1) + 1, match.end()
        if int(match[1]) in names:
            faults.add(number, column, f"label number {match[1]} is declared twice", "renumber one")
        elif match[2] in names.values():
            faults.add(number, column, f"label name {match[2]!r} is declared twice", "rename one")
        elif not match[2]:
            faults.add(number, column, "an empty label name", "give it a name")
        names[int(match[1])] = match[2]
    return names


def _read_storm(lines: Iterator[tuple[int, str]], faults: Faults, size: int, number: int) -> Labelling:
    names: set[str] = set()
    for number, line in lines:
        if line.strip() == "#END":
            break
        for column, name in tokens(line):
            if name in names:
                faults.add(number, column, f"label name {name!r} is declared twice", "keep one")
            names.add(name)
    else:
        faults.add(number + 1, 1, "expected #END after the declared labels, found the end of the file")
    labelling: Labelling = {}
    for number, line in lines:
        (column, state), *found = tokens(line)
        if re.fullmatch("[0-9]{1,18}", state) is None:
            faults.add(number, column, f"expected a state number and labels, found {line.strip()[:40]!r}")
            continue
        _known_state(labelling, int(state), size, faults, number, column)
        for column, name in found:
            if name not in names:
                faults.add(number, column, f"label name {name[:40]!r} is not declared", "declare it before #END")
        labelling[int(state)] = tuple(name for _, name in found)
    return labelling


def _known_state(labelling: Labelling, state: int, size: int, faults: Faults, line: int, column: int) -> None:
    if state >= size:
        faults.add(line, column, f"unknown state {state}", f"the transitions have states 0 to {size - 1}")
    elif state in labelling:
        faults.add(line, column, f"state {state} is listed twice", "join the two lines")


def _start(line: str) -> int:
    return len(line) - len(line.lstrip(" \t")) + 1


def lab_text(chain: Chain) -> Iterator[str]:
    """The label file of a chain, in pieces. InputError, before the first, for states it cannot express."""
    refuse_names(chain, '"\n\r', ".lab")
    return _pieces(chain)


def _pieces(chain: Chain) -> Iterator[str]:
    used = {name for label in chain.alphabet for name in label_names(label)}
    order = [
        *sorted(DROPPED, reverse=True),
        *sorted(used - DROPPED),
    ]  # PRISM's files begin with 0="init" 1="deadlock"
    number = {name: i for i, name in enumerate(order)}
    numbers = {label: " ".join(str(number[name]) for name in label_names(label)) for label in chain.alphabet}
    yield " ".join(f'{i}="{name}"' for i, name in enumerate(order)) + "\n"
    for state, label in enumerate(chain.labels):
        if label:
            yield f"{state}: {numbers[label]}\n"
