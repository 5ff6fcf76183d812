"""PRISM's explicit files: transitions ``.tra``, labels ``.lab`` beside them, and states ``.sta`` if any.

``.tra`` has a first line ``states transitions`` and then one line ``from to probability`` per transition.
Storm's dialect may begin with a line ``dtmc`` and may leave the counts out; then the states are 0 to the
largest number that occurs. A fourth word on a line, PRISM's action name, is skipped. States are numbered
from 0 and named by their numbers, unless ``.sta`` names them. The three files share one stem; ``.lab`` must exist.

``.lab`` says which label names each state has. PRISM numbers the names in a header and lists numbers; Storm declares
the names and lists names. States that are not listed have no labels::

    0="init" 1="deadlock" 2="heads"        #DECLARATION
    0: 0                                   init deadlock heads
    3: 2                                   #END
                                           0 init
                                           3 heads

``.sta`` has the values of variables in each state and, as an extension, names of states. PRISM lists the variables,
and then the values of each state::

    (coin,done)
    0:(0,false)
    1:(1,true)

Values are integers, ``true``, ``false``, or text: bare text as it stands (when it has no comma, parenthesis
or double quote), or a JSON string. An empty value means that the state does not have the variable. The
first column may be ``@name``, which no variable can be called in PRISM; it gives the states' names. Without
it states are named by their numbers. A header cell that is a JSON string is always a variable.

Written in PRISM's dialect: exact decimals where short, else fractions; a label name may contain anything but a double
quote and a line break; ``.sta`` when the chain has names or valuations, or when there is one already, which would
otherwise speak of another chain. The files cannot hold a relation. A chain has no initial state, so none is marked
``init`` unless a label says so; labels named ``init`` or ``deadlock`` come back when they are kept on reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..errors import Defect, FormatError, InputError, MissingFile
from ..files import write_all_atomically
from ..model import Chain, Loaded, Valuation
from ..numbers.fraction import format_fraction, parse_fraction
from ..settings import Settings
from .format import (
    Faults,
    Format,
    ProbabilityReader,
    assemble_loaded,
    probability_texts,
    read_lines,
    refuse_names,
    refuse_values,
    tokens,
)
from .observation import DROPPED, dropped_notes, join_names, label_names

Labelling = dict[int, tuple[str, ...]]
"""The names of each listed state."""

NAME_COLUMN = "@name"

MDP_FIX = "an MDP, whose actions are inputs, is read from .drn, .umb, .prism and .jani"
OTHER_MODELS = dict.fromkeys(("ctmc", "ma", "pomdp", "smg", "pta", "lts"), "give a discrete-time Markov chain")
OTHER_MODELS["mdp"] = MDP_FIX

_TRANSITION = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([^ \t]+)(?:[ \t]+([^ \t]+))?[ \t]*")
_COUNTS = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*")
_DECLARED = re.compile(r'[ \t]*([0-9]{1,18})[ \t]*=[ \t]*"([^"]*)"(?=[ \t]|$)')
_LISTED = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:(.*)")
_HEADER = re.compile(r"[ \t]*\((.*)\)[ \t]*")
_STATE_LINE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:[ \t]*\((.*)\)[ \t]*")
_CELL = re.compile(r'[ \t]*("(?:[^"\\]|\\.)*"|[^,()"]*?)[ \t]*(,|$)')
_BARE_NAME = re.compile(r"[A-Za-z0-9_.|@/+-]+")
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"[-+]?[0-9][0-9.eE/+-]*")


def load_explicit(path: Path, settings: Settings) -> Loaded:
    """The chain of a ``.tra`` file and those beside it; FormatError or ModelError with every defect."""
    lab, sta = _beside(path)
    transitions = _Transitions(Faults(str(path)))
    transitions.read(read_lines(path, settings.cancel))
    if not lab.exists():
        raise MissingFile(str(lab), f"{path.name} needs its labels beside it")
    lab_faults, sta_faults = Faults(str(lab)), Faults(str(sta))
    size = transitions.size
    labelling = read_lab(read_lines(lab, settings.cancel), lab_faults, size)
    states = (
        read_sta(read_lines(sta, settings.cancel), sta_faults, size)
        if sta.exists() and transitions.sound
        else StateFile()
    )
    labels, problems = _labels(labelling, size if transitions.sound else 0, settings.keep_labels)
    found = transitions.faults.found + lab_faults.found + sta_faults.found
    found += [Defect(f"{lab}: state '{state}'", reason, "rename the label") for state, reason in problems]
    if found:
        raise FormatError(found)
    names = states.names or [str(state) for state in range(size)]
    return assemble_loaded(
        str(path),
        settings,
        names,
        labels,
        [transitions.rows.get(state, {}).items() for state in range(size)],
        place=lambda state: transitions.place(state, names[state]),
        valuations=states.valuations,
        notes=(*dropped_notes(labelling.values(), keep=settings.keep_labels), *transitions.notes),
    )


def _beside(path: Path) -> tuple[Path, Path]:
    if not path.name or path.suffix in (".lab", ".sta"):
        raise InputError(Defect(str(path), "it cannot be the file of transitions", "name it with the suffix .tra"))
    return path.with_suffix(".lab"), path.with_suffix(".sta")


def _labels(labelling: dict[int, tuple[str, ...]], size: int, keep: bool) -> tuple[list[str], list[tuple[int, str]]]:
    labels = [""] * size
    problems = []
    for state, names in labelling.items():
        try:
            label = join_names(names, keep=keep)
        except ValueError as reason:
            problems.append((state, str(reason)))
            continue
        if state < size:
            labels[state] = label
    return labels, problems


class _Transitions:
    """The content of a ``.tra`` file."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.probability = ProbabilityReader()
        self.rows: dict[int, dict[str | int, Fraction]] = {}
        self.lines: dict[int, int] = {}  # where each state's row begins
        self.stated: tuple[int, int] | None = None
        self.size = 0
        self.actions = False

    @property
    def sound(self) -> bool:
        return not self.faults.found

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"skipped the action names in {self.faults.source}",) if self.actions else ()

    def place(self, state: int, name: str) -> str:
        line = self.lines.get(state)
        return f"{self.faults.source}{'' if line is None else f':{line}'}: state {name!r}"

    def read(self, lines: Iterable[str]) -> None:
        """Read all lines, and compare with what the first announced."""
        numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        number, line = next(numbered, (1, ""))
        kind = line.strip().lower()
        if kind == "dtmc":
            number, line = next(numbered, (number + 1, ""))
        elif kind in OTHER_MODELS:
            what = f"the model is of type {kind}; read are .tra files of a DTMC"
            self.faults.add(number, 1, what, OTHER_MODELS[kind])
            self.size = 10**18  # unknown: nothing can be said of the label file's states
            return
        self._first(number, line)
        count = 0 if self.stated else 1
        for number, line in numbered:
            count += 1
            match = _TRANSITION.fullmatch(line)
            if match is None:
                self._strange(number, line)
            else:
                self._transition(number, match)
        self._compare(number, count)

    def _first(self, number: int, line: str) -> None:
        counts, transition = _COUNTS.fullmatch(line), _TRANSITION.fullmatch(line)
        if counts is not None:
            self.stated = (int(counts[1]), int(counts[2]))
        elif transition is not None and re.fullmatch("[0-9]{1,18}", transition[3]) and int(transition[3]) > 1:
            what = "three counts, as an MDP has; expected 'states transitions'"
            self.faults.add(number, transition.start(3) + 1, what, MDP_FIX)
            self.stated = (10**18, -1)
        elif transition is not None:
            self._transition(number, transition)
        else:
            found = repr(line.strip()[:40]) if line.strip() else "nothing"
            self.faults.add(number, 1, f"expected the counts 'states transitions', found {found}")

    def _transition(self, number: int, match: re.Match[str]) -> None:
        source, target, text, action = int(match[1]), int(match[2]), match[3], match[4]
        if self.stated is not None:
            for group, state in ((1, source), (2, target)):
                if state >= self.stated[0]:
                    what = f"unknown state {state}"
                    fix = f"the first line says that states are 0 to {self.stated[0] - 1}"
                    self.faults.add(number, match.start(group) + 1, what, fix)
        row = self.rows.get(source)
        if row is None:
            row = self.rows[source] = {}
            self.lines[source] = number
        elif target in row:
            what = f"the transition from {source} to {target} is given twice"
            self.faults.add(number, match.start(2) + 1, what, "add the two probabilities")
        if action is not None and _NUMBER.fullmatch(action):
            what = "four numbers, as a line of an MDP has; expected 'from to probability'"
            self.faults.add(number, match.start(4) + 1, what, MDP_FIX)
        self.actions = self.actions or action is not None
        self.size = max(self.size, source + 1, target + 1)
        try:
            row[target] = self.probability(text)
        except ValueError as reason:
            self.faults.add(number, match.start(3) + 1, f"expected a probability: {reason}", "write '0.25' or '1/3'")

    def _strange(self, number: int, line: str) -> None:
        words = tokens(line)
        for expected, (column, word) in zip(("a state number", "a state number"), words, strict=False):
            if re.fullmatch("[0-9]{1,18}", word) is None:
                self.faults.add(
                    number, column, f"expected {expected}, found {word[:40]!r}", "write 'from to probability'"
                )
                return
        column = words[4][0] if len(words) > 4 else len(line.rstrip()) + 1
        what = f"expected 'from to probability', found {len(words)} words"
        self.faults.add(number, column, what, "one transition per line")

    def _compare(self, last: int, count: int) -> None:
        """Check the counts; without them, that the states are not far more than the transitions."""
        if self.stated is not None:
            self.size = self.stated[0]
            if self.stated[1] != count and self.sound:
                what = f"the first line says {self.stated[1]} transitions, but {count} follow"
                self.faults.add(last + 1, 1, what, "is the file complete?")
        if self.size > count and self.sound:
            what = f"{self.size} states, but only {count} transitions"
            self.faults.add(last + 1, 1, what, "every state needs one; give an absorbing state a loop of probability 1")


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
            faults.add(number, _first_column(line), f"expected 'state: label numbers', found {line.strip()[:40]!r}")
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
            faults.add(number, start + _first_column(line[start:]), what)
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


def _first_column(line: str) -> int:
    return len(line) - len(line.lstrip(" \t")) + 1


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
    variables = [_cell_text(cell) for cell in cells[1 if named else 0 :]]
    for variable in sorted({variable for variable in variables if variables.count(variable) > 1}):
        faults.add(number, 1, f"variable {variable!r} is given twice", "rename one")
    found: dict[int, list[str]] = {}
    for number, line in numbered:
        _sta_line(number, line, len(cells), size, found, faults)
    if not faults.found and len(found) < size:
        missing = next(state for state in range(size) if state not in found)
        what = f"state {missing} is missing, and {size - len(found) - 1} more"
        faults.add(number + 1, 1, what.removesuffix(", and 0 more"), f"list every state from 0 to {size - 1}")
    if faults.found:
        return StateFile()
    rows = [found[state] for state in range(size)]
    names = [_cell_text(row[0]) for row in rows] if named else None
    valuations: list[Valuation] = [_valuation(variables, row[1:] if named else row) for row in rows]
    return StateFile(names, valuations if any(valuations) else None)


def _sta_line(number: int, line: str, width: int, size: int, found: dict[int, list[str]], faults: Faults) -> None:
    match = _STATE_LINE.fullmatch(line)
    if match is None:
        faults.add(number, 1, f"expected 'state:(value,…)', found {line.strip()[:40]!r}")
        return
    state = int(match[1])
    if state >= size:
        fix = f"the transitions have states 0 to {size - 1}"
        faults.add(number, match.start(1) + 1, f"unknown state {state}", fix)
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
    return {variable: _cell_value(cell) for variable, cell in zip(variables, cells, strict=True) if cell}


def _is_json_text(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), str)
    except ValueError:
        return False


def _cell_text(cell: str) -> str:
    return str(json.loads(cell)) if cell.startswith('"') else cell


def _cell_value(cell: str) -> object:
    if cell in ("true", "false"):
        return cell == "true"
    # Text longer than any number that is read stays text, as other bare text does.
    try:
        return parse_fraction(cell).numerator if _INTEGER.fullmatch(cell) else _cell_text(cell)
    except ValueError:
        return cell


def save_explicit(chain: Chain, path: Path) -> None:
    """Write ``.tra``, ``.lab`` and, if needed, ``.sta``: all or none; InputError if they cannot hold it."""
    lab, sta = _beside(path)
    chain.need("no inputs", str(path), ".tra files here are of chains without inputs", "write .json, .drn or .umb")
    texts = probability_texts(chain)
    files: dict[Path, Iterable[str]] = {lab: lab_text(chain)}
    if needs_sta(chain) or sta.exists():
        files[sta] = sta_text(chain)
    lines = (f"{state} {target} {texts[p]}\n" for state, row in enumerate(chain.rows) for target, p in row)
    files[path] = _after(f"{len(chain)} {chain.transitions}\n", lines)
    write_all_atomically(files)


def _after(first: str, rest: Iterable[str]) -> Iterable[str]:
    yield first
    yield from rest


def lab_text(chain: Chain) -> Iterator[str]:
    """The label file of a chain, in pieces. InputError, before the first, for states it cannot express."""
    refuse_names(chain, '"\n\r', ".lab")
    return _lab_pieces(chain)


def _lab_pieces(chain: Chain) -> Iterator[str]:
    used = {name for label in chain.alphabet for name in label_names(label)}
    order = [*sorted(DROPPED, reverse=True), *sorted(used - DROPPED)]  # PRISM's files begin with 0="init" 1="deadlock"
    number = {name: i for i, name in enumerate(order)}
    numbers = {label: " ".join(str(number[name]) for name in label_names(label)) for label in chain.alphabet}
    yield " ".join(f'{i}="{name}"' for i, name in enumerate(order)) + "\n"
    for state, label in enumerate(chain.labels):
        if label:
            yield f"{state}: {numbers[label]}\n"


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
    return _sta_pieces(chain, variables)


def _sta_pieces(chain: Chain, variables: list[str]) -> Iterator[str]:
    named = _has_names(chain) or not variables
    header = ([NAME_COLUMN] if named else []) + [
        _name_cell(v) if v != NAME_COLUMN else json.dumps(v) for v in variables
    ]
    yield f"({','.join(header)})\n"
    for state, name in enumerate(chain.states):
        cells = [_name_cell(name)] if named else []
        if chain.valuations is not None:
            cells += [_cell(chain.valuations[state], variable) for variable in variables]
        yield f"{state}:({','.join(cells)})\n"


def _name_cell(name: str) -> str:
    return name if _BARE_NAME.fullmatch(name) else json.dumps(name)


def _cell(valuation: Mapping[str, object], variable: str) -> str:
    if variable not in valuation:
        return ""
    value = valuation[variable]
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_fraction(value) if isinstance(value, int) else json.dumps(value)


TRA = Format(title="PRISM's and Storm's .tra with .lab (and .sta)", read=load_explicit, write=save_explicit)
