"""PRISM's explicit files: transitions ``.tra``, labels ``.lab`` beside them, and states ``.sta`` if any.

``.tra`` has a first line ``states transitions`` and then one line ``from to probability`` a transition.
Storm's dialect may begin with a line ``dtmc`` and may leave the counts out; then the states are 0 to the
largest number that occurs. A fourth word on a line, PRISM's action name, is skipped. States are numbered
from 0 and named by their numbers, unless ``.sta`` names them (see `sta`). The three files share one stem;
``.lab`` must exist.

Written in PRISM's dialect: exact decimals where short, else fractions; ``.sta`` when the chain has names or
valuations, or when there is one already, which would otherwise speak of another chain. The files cannot
hold a relation. A chain has no initial state, so none is marked ``init`` unless a label says so; labels
named ``init`` or ``deadlock`` come back when they are kept on reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from ..errors import Defect, FormatError, InputError, MissingFile
from ..files import write_all_atomically
from ..model import Chain
from ..model.build import assemble
from ..model.inputs import refuse_inputs
from .lab import lab_text, read_lab
from .label_sets import joined
from .notes import Loaded, dropped_notes, normalised_notes
from .numbers import ProbabilityReader, probability_texts
from .reading import Faults, read_lines, tokens
from .settings import Settings
from .sta import StateFile, needs_sta, read_sta, sta_text

MDP_FIX = "an MDP, whose actions are inputs, is read from .drn, .umb, .prism and .jani"
OTHER_MODELS = dict.fromkeys(("ctmc", "ma", "pomdp", "smg", "pta", "lts"), "give a discrete-time Markov chain")
OTHER_MODELS["mdp"] = MDP_FIX

_TRANSITION = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([^ \t]+)(?:[ \t]+([^ \t]+))?[ \t]*")
_COUNTS = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*")


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
    changed: list[tuple[int, Fraction]] = []
    chain = assemble(
        names,
        labels,
        [transitions.rows.get(state, {}).items() for state in range(size)],
        valuations=states.valuations,
        normalise=settings.normalise,
        place=lambda state: transitions.place(state, names[state]),
        on_normalised=lambda state, total: changed.append((state, total)),
        cancel=settings.cancel,
    )
    notes = normalised_notes(names, changed) + dropped_notes(labelling.values(), keep=settings.keep_labels)
    return Loaded(chain, str(path), notes + transitions.notes)


def _beside(path: Path) -> tuple[Path, Path]:
    if not path.name or path.suffix in (".lab", ".sta"):
        raise InputError(Defect(str(path), "it cannot be the file of transitions", "name it with the suffix .tra"))
    return path.with_suffix(".lab"), path.with_suffix(".sta")


def _labels(labelling: dict[int, tuple[str, ...]], size: int, keep: bool) -> tuple[list[str], list[tuple[int, str]]]:
    labels = [""] * size
    problems = []
    for state, names in labelling.items():
        try:
            label = joined(names, keep=keep)
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
        self.faults.add(number, column, what, "one transition a line")

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


def save_explicit(chain: Chain, path: Path) -> None:
    """Write ``.tra``, ``.lab`` and, if needed, ``.sta``: all or none; InputError if they cannot hold it."""
    lab, sta = _beside(path)
    refuse_inputs(chain, str(path), ".tra files here are of chains without inputs", "write .json, .drn or .umb")
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
