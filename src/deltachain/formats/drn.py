"""DRN, Storm's explicit format, for discrete-time Markov chains and, with inputs, for MDPs and POMDPs.

::

    @type: DTMC
    @parameters

    @reward_models

    @nr_states
    2
    @nr_choices
    2
    @model
    state 0 init "two words"
        action 0
            0 : 1/3
            1 : 0.6666
    …

Read: fractions and decimals, placeholders (``@placeholders``, then ``$name : number`` lines), labels bare
or in double quotes, comment lines (``//``). Rewards are skipped, and so are the action names of a DTMC. In an MDP
(``@type: MDP``) the names of a state's actions are the inputs that the observer chooses from; a number, or
``__NOLABEL__``, is Storm's way to write an action without a name, and only a state's one action may have none: then
there is nothing to choose. In a POMDP a state has the number of an observation, ``state 0 {2} init``, and that is what
is seen of it, with the label ``observation=2``; its label names are not visible. States are numbered 0, 1, … in order
and named by their numbers. A DTMC may have intervals, ``1 : [1/10, 1/5]``: limits that were given.
Interval MDPs, other model types and parameters are refused by name.

Written: the same, without rewards; input names that would not read as names stand in double quotes. DRN holds neither
state names nor a relation nor valuations. It cannot express labels and inputs with a double quote or a line break. A
chain has no initial state, so no state is marked
``init`` unless a label says so; labels named ``init`` or ``deadlock`` come back when they are kept on
reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from ..model import Chain, Loaded
from ..model.build import AnyRawRow, RawBox, RawEntry
from ..settings import Settings
from .format import (
    Faults,
    Format,
    ProbabilityReader,
    assemble_loaded,
    in_intervals,
    probability_texts,
    read_lines,
    refuse_more_than_intervals,
    refuse_names,
)
from .observation import Described, dropped_notes, hidden_label_notes, join_names, label_names, observation_texts

SECTIONS = (
    "@type: DTMC, MDP or POMDP",
    "@value_type",
    "@parameters",
    "@placeholders",
    "@reward_models",
    "@nr_states",
    "@nr_choices",
    "@model",
)
VALUE_TYPES = ("double", "rational", "double-interval", "rational-interval")
UNNAMED = "__NOLABEL__"

_STATE = re.compile(r"state[ \t]+([0-9]{1,18})(?=[ \t{]|$)")
_ACTION = re.compile(r"action(?:[ \t]|$)")
_NAMED = re.compile(r'action[ \t]*(?:"([^"]*)"|([^ \t"\[][^ \t]*))?[ \t]*(?:\[[^\]]*\])?[ \t\r]*')
_TRANSITION = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:[ \t]*([^ \t].*?)[ \t]*")
_LABEL = re.compile(r'[ \t\v\f]*(?:"([^"]+)"(?=[ \t\v\f"]|$)|([^ \t\v\f"]+)(?=[ \t\v\f]|$))')
_OBSERVATION = re.compile(r"[ \t]*\{[ \t]*([0-9]{1,18})[ \t]*\}")
_REWARDS = re.compile(r"[ \t]*\[[^\]]*\]")
_INTERVAL = re.compile(r"\[[ \t]*([^ \t,]+)[ \t]*,[ \t]*([^ \t,\]]+)[ \t]*\]")
NO_INTERVAL_MDP = "interval MDPs are not read"


def loaded_from_drn(lines: Iterable[str], source: str, settings: Settings = Settings()) -> Loaded:  # noqa: B008 - frozen
    """The chain of a DRN text, with notes on what was changed; ``source`` names it in messages.

    Raises FormatError with every syntax error, or ModelError with every defect of the chain.
    """
    faults = Faults(source)
    numbered = enumerate(lines, 1)
    header = _Header(faults)
    header.read(numbered)
    if header.foreign:
        faults.check()  # what follows would be measured by the wrong rules
    model = _Model(header, faults, settings.keep_labels)
    if header.model_line:
        model.read(numbered)
    faults.check()
    names = [str(state) for state in range(len(model.rows))]
    described = Described(
        source,
        tuple(sorted({name for found in model.label_names for name in found})),
        model.label_names,
        {},
        observation_texts(model.observed, {}) if header.partial else None,
    )
    notes = hidden_label_notes(described, settings)
    if not header.partial:
        notes += dropped_notes(model.label_names, keep=settings.keep_labels)
    return assemble_loaded(
        source,
        settings,
        names,
        model.labels if described.observations is None else described.observations,
        model.moves(),
        place=lambda state: f"{source}:{model.state_lines[state]}: state {names[state]!r}",
        notes=notes,
    )


class _Header:
    """The sections before ``@model``."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.counts: dict[str, int] = {}
        self.placeholders: dict[str, str] = {}
        self.model_line = 0
        self.last_line = 0
        self.values = ""  # the value type, where it is given
        self.mdp = False
        self.partial = False  # whether it is a POMDP
        self.foreign = False  # whether it is another kind of model

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read up to and with ``@model``, and note what is missing."""
        seen: dict[str, int] = {}
        section = ""  # the section whose content the next line may be
        for number, line in lines:
            self.last_line = number
            text = line.strip()
            if text.startswith("@"):
                section = text.split(":")[0].split()[0]
                if section in seen:
                    self.faults.add(
                        number, 1, f"section {section} is given twice, first in line {seen[section]}", "keep one"
                    )
                seen[section] = number
                self._start(number, text, section)
                if section == "@model":
                    self.model_line = number
                    break
            elif text and not text.startswith("//"):
                section = self._content(number, line, section)
        if not self.model_line:
            self.faults.add(
                self.last_line + 1, 1, "expected @model, found the end of the file", "is the file complete?"
            )
            return
        if self.mdp and self.values.endswith("-interval"):
            what = f"an MDP with values of type {self.values}; {NO_INTERVAL_MDP}"
            self.faults.add(seen["@value_type"], 1, what, "give an interval DTMC, or exact probabilities")
            self.foreign = True
        for needed, name in (
            ("@type", "@type: DTMC, MDP or POMDP"),
            ("@nr_states", "@nr_states and the number of states"),
        ):
            if needed not in seen:
                self.faults.add(self.model_line, 1, f"expected {name} before @model", "add it")

    def _start(self, number: int, text: str, section: str) -> None:
        value = text[len(section) :].lstrip(": \t")
        column = len(text) - len(value) + 1
        if section == "@type":
            self.partial = value.lower() == "pomdp"
            self.mdp = self.partial or value.lower() == "mdp"
            if value.lower() not in ("dtmc", "mdp", "pomdp"):
                what = f"the model type is {value or 'missing'}; read are DTMC, MDP and POMDP"
                self.faults.add(number, column, what, "give a discrete-time Markov chain, or one with inputs")
                self.foreign = True
        elif section == "@value_type":
            if value.lower() not in VALUE_TYPES:
                what = f"the value type is {value or 'missing'}; read are {', '.join(VALUE_TYPES)}"
                self.faults.add(number, column, what, "give exact or decimal numbers")
                self.foreign = True
            self.values = value.lower()
        elif section not in SECTIONS:
            self.faults.add(number, 1, f"unknown section {section}", f"the sections are {', '.join(SECTIONS)}")

    def _content(self, number: int, line: str, section: str) -> str:
        """Take a line that belongs to ``section``; the section that the next line may belong to."""
        text, column = line.strip(), len(line) - len(line.lstrip()) + 1
        if section == "@parameters":
            what = f"the model has parameters ({text[:40]})"
            self.faults.add(number, column, what, "put numbers in their place")
            self.foreign = True
        elif section == "@placeholders":
            match = re.fullmatch(r"(\$[^\s:]+)[ \t]*:[ \t]*(\S.*)", text)
            if match is None:
                self.faults.add(number, column, f"expected '$name : number', found {text[:40]!r}")
            elif match[1] in self.placeholders:
                self.faults.add(number, column, f"placeholder {match[1]} is given twice", "keep one")
            else:
                self.placeholders[match[1]] = match[2]
            return section
        elif section in ("@nr_states", "@nr_choices"):
            if re.fullmatch("[0-9]{1,18}", text) is None:
                self.faults.add(number, column, f"expected the number after {section}, found {text[:40]!r}")
            else:
                self.counts[section] = int(text)
        elif section != "@reward_models":
            self.faults.add(
                number, column, f"expected a section, found {text[:40]!r}", f"the sections are {', '.join(SECTIONS)}"
            )
        return ""


class _Model:
    """The states after ``@model``."""

    def __init__(self, header: _Header, faults: Faults, keep_labels: bool) -> None:
        self.header = header
        self.faults = faults
        self.keep_labels = keep_labels
        self.size = header.counts.get("@nr_states")
        self.probability = ProbabilityReader()
        self.state_lines: list[int] = []
        self.rows: list[list[dict[str | int, RawEntry]]] = []  # for each state, for each action
        self.boxed = False  # whether some probability is an interval
        self.names: list[list[str | None]] = []  # of the actions; None where there is none
        self.labels: list[str] = []
        self.label_names: list[tuple[str, ...]] = []
        self.observed: list[int] = []  # of a POMDP: the observation of each state

    def moves(self) -> Iterator[AnyRawRow | Mapping[str, AnyRawRow]]:
        """What `assemble` takes: the row of each state, or its rows by input."""
        for rows, names in zip(self.rows, self.names, strict=True):
            raw: list[AnyRawRow] = [RawBox(row.items()) if self.boxed else row.items() for row in rows]  # type: ignore[misc]
            named = {name: row for name, row in zip(names, raw, strict=True) if name is not None}
            yield named or (raw[0] if raw else ())

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read all states, and compare with what the header announced."""
        number = self.header.last_line
        for number, line in lines:
            match = _TRANSITION.fullmatch(line)
            if match is not None:
                self._transition(number, match)
                continue
            text = line.lstrip(" \t")
            column = len(line) - len(text) + 1
            if _ACTION.match(text):
                self._action(number, column, text)
            elif text.startswith("state"):
                self._state(number, column, text)
            elif text and not text.startswith("//"):
                self._strange(number, column, text)
        choices = sum(max(len(rows), 1) for rows in self.rows)
        for section, stated in self.header.counts.items():
            found = choices if section == "@nr_choices" and self.header.mdp else len(self.rows)
            if stated != found:
                what = (
                    f"{section} says {stated}, but {found} {'choices' if found != len(self.rows) else 'states'} follow"
                )
                fix = "" if self.header.mdp else "a chain has one choice per state; "
                self.faults.add(number + 1, 1, what, f"{fix}is the file complete?")

    def _state(self, number: int, column: int, text: str) -> None:
        match = _STATE.match(text)
        expected = len(self.rows)
        if match is None:
            self.faults.add(number, column, f"expected 'state {expected}' and labels, found {text[:40]!r}")
            names: tuple[str, ...] = ()
        else:
            if int(match[1]) != expected:
                what = f"expected state {expected}, found state {match[1]}"
                self.faults.add(number, column + match.start(1), what, "states are numbered 0, 1, … in order")
            start = self._observation(number, column, text, match.end()) if self.header.partial else match.end()
            names = self._names(number, column, text, start)
        self.rows.append([])
        self.names.append([])
        self.state_lines.append(number)
        self.label_names.append(names)
        try:
            self.labels.append(join_names(names, keep=self.keep_labels))
        except ValueError as reason:
            self.labels.append("")
            self.faults.add(number, column, str(reason), "rename the label")

    def _observation(self, number: int, column: int, text: str, start: int) -> int:
        """Take the observation of a state; where the labels begin."""
        match = _OBSERVATION.match(text, start)
        if match is None:
            what = f"expected the observation of state {len(self.rows)}, found {text[start:].strip()[:40]!r}"
            self.faults.add(number, column + start, what, f"write 'state {len(self.rows)} {{0}}' and labels")
            return start
        self.observed.append(int(match[1]))
        return match.end()

    def _names(self, number: int, column: int, text: str, start: int) -> tuple[str, ...]:
        rewards = _REWARDS.match(text, start)
        if rewards is not None:
            start = rewards.end()
        names = []
        end = len(text.rstrip(" \t\v\f\r"))
        while start < end:
            match = _LABEL.match(text, start, end)
            if match is None:
                what = f"expected labels, bare or in double quotes, found {text[start:].strip()[:40]!r}"
                self.faults.add(number, column + start + 1, what)
                break
            names.append(match[1] or match[2])
            start = match.end()
        return tuple(names)

    def _action(self, number: int, column: int, text: str) -> None:
        if not self.rows:
            self.faults.add(number, column, "expected 'state 0', found an action", "an action belongs to a state")
            return
        state, names = len(self.rows) - 1, self.names[-1]
        name = self._input(number, column, text) if self.header.mdp else None
        if names and not self.header.mdp:
            what = f"state {state} has a second action"
            self.faults.add(number, column, what, "a DTMC has one action per state; an MDP has inputs to choose from")
        elif names and (name is None or names[0] is None):
            what = f"state {state} has several actions, and one without a name"
            self.faults.add(
                number, column, what, "name them: the observer chooses by name (Storm: build choice labels)"
            )
        elif name is not None and name in names:
            what = f"state {state} has two actions named {name!r}"
            self.faults.add(number, column, what, "rename one: the observer could not choose between them")
        names.append(name)
        self.rows[-1].append({})

    def _input(self, number: int, column: int, text: str) -> str | None:
        """The name on an action's line; None where it has none."""
        match = _NAMED.fullmatch(text)
        if match is None:
            what = f"expected 'action' and one name, bare or in double quotes, found {text.strip()[:40]!r}"
            self.faults.add(number, column, what)
            return f"line {number}"  # a stand-in, so that nothing else is said of it
        bare: str | None = match[2]
        if bare is not None and (bare == UNNAMED or bare.isdecimal()):
            return None
        return bare if match[1] is None else match[1]

    def _transition(self, number: int, match: re.Match[str]) -> None:
        target, text = int(match[1]), match[2]
        column = match.start(2) + 1
        if not self.rows:
            self.faults.add(number, 1, "expected 'state 0', found a transition", "a transition belongs to a state")
            return
        if not self.rows[-1]:  # no line said 'action': there is one, without a name
            self.rows[-1].append({})
            self.names[-1].append(None)
        row = self.rows[-1][-1]
        if self.size is not None and target >= self.size:
            what = f"unknown target {target}"
            self.faults.add(number, match.start(1) + 1, what, f"@nr_states says that states are 0 to {self.size - 1}")
        elif target in row:
            self.faults.add(number, match.start(1) + 1, f"target {target} is given twice", "add the two probabilities")
        try:
            row[target] = self._probability(self._resolve(text))
        except ValueError as reason:
            self.faults.add(number, column, f"expected a probability: {reason}", "write '1/3', '0.25' or '[1/4, 1/3]'")

    def _probability(self, text: str) -> RawEntry:
        """The number, or the two ends of an interval; ValueError where there may be none."""
        match = _INTERVAL.fullmatch(text)
        if match is None:
            return self.probability(text)
        if self.header.mdp:
            raise ValueError(NO_INTERVAL_MDP)
        if self.header.values in ("double", "rational"):
            raise ValueError(f"an interval, where @value_type says {self.header.values}")
        self.boxed = True
        return self.probability(match[1]), self.probability(match[2])

    def _resolve(self, text: str) -> str:
        if not text.startswith("$"):
            return text
        if text not in self.header.placeholders:
            raise ValueError(f"placeholder {text[:40]} is not declared")
        return self.header.placeholders[text]

    def _strange(self, number: int, column: int, text: str) -> None:
        expected = "'state', 'action' or 'target : probability'" if self.rows else "'state 0'"
        self.faults.add(number, column, f"expected {expected}, found {text[:40]!r}")


def chain_to_drn(chain: Chain) -> Iterator[str]:
    """The DRN text of a chain, in pieces. InputError, before the first, listing states it cannot express."""
    refuse_more_than_intervals(chain, "DRN")
    refuse_names(chain, '"\n\r', "DRN")
    return _pieces(chain, probability_texts(chain))


def _pieces(chain: Chain, texts: dict[Fraction, str]) -> Iterator[str]:
    labels = {label: "".join(f" {_write(name)}" for name in label_names(label)) for label in chain.alphabet}
    inputs = {label: [_written_input(name) for name in names] for label, names in chain.inputs.items()}
    kind, going_on = ("MDP", [UNNAMED]) if chain.interactive else ("DTMC", ["0"])
    boxed = in_intervals(chain)
    values = "@value_type: rational-interval\n" if boxed else ""
    yield f"// Written by deltachain\n@type: {kind}\n{values}@parameters\n\n@reward_models\n\n"
    yield f"@nr_states\n{len(chain)}\n@nr_choices\n{sum(map(len, chain.given))}\n@model\n"
    for state, rows in enumerate(chain.given):
        label = chain.labels[state]
        yield f"state {state}{labels[label]}\n"
        for name, row in zip(inputs.get(label, going_on), rows, strict=True):
            if boxed:
                ends = [(target, f"[{texts[lo]}, {texts[hi]}]") for target, lo, hi in row.box]
            else:
                ends = [(target, texts[lo]) for target, lo, _ in row.box]
            transitions = "".join([f"\t\t{target} : {text}\n" for target, text in ends])
            yield f"\taction {name}\n{transitions}"


def _write(name: str) -> str:
    # A bare name that begins with a bracket would read as rewards.
    return f'"{name}"' if name.startswith("[") or any(character.isspace() for character in name) else name


def _written_input(name: str) -> str:
    # Bare, nothing, a number and Storm's word would read as no name.
    return f'"{name}"' if not name or name.isdecimal() or name == UNNAMED else _write(name)


def _read(path: Path, settings: Settings) -> Loaded:
    return loaded_from_drn(read_lines(path, settings.cancel), str(path), settings)


DRN = Format(title="Storm's DRN", read=_read, pieces=chain_to_drn, holds="intervals")
