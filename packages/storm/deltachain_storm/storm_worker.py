"""Storm in a process of its own: ``python -m deltachain_storm.storm_worker FOLDER``.

The folder holds ``request.json`` and the model; what was found is written to ``result.jsonl``: a first line
``{"labels", "variables", "initial", "states", "observations"}`` or ``{"error", "defects"}``, then a line ``[labels,
values, choices, observation]`` for each state, a choice being ``[names, row]`` with numbers as exact text, or two of
them, then ``"end"``. Of a Markov chain in numbers the first line has all states, by label and by variable (``members``,
``columns``), and in how many of them several commands are enabled (``uniform``); Storm writes its matrix to
``matrix.drn``: no object is made for a transition. A result without its end is a process that did not live to write it.
Limits on memory, time and output are set before Storm is loaded; see `prism`, which starts this.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any  # for JSON, and for objects of stormpy: bindings of C++ without types

from deltachain.errors import BackendMissing, Defect, FormatError, InputError, ModelError
from deltachain.formats.observation import ExploredModel
from deltachain.model.build import RawBox
from deltachain.numbers.fraction import as_fraction, format_fraction

from .stormpy_models import (
    KINDS,
    NO_INTERVAL_MDP,
    ONLY,
    described_model,
    explored_model,
    has_plain_rows,
    load_stormpy,
    quiet,
)

PLACES = (
    re.compile(r"Parsing error at (?P<line>\d+):(?P<column>\d+):\s*"),
    re.compile(r"parse error at line (?P<line>\d+), column (?P<column>\d+):?\s*"),
    re.compile(r"(?P<prefix>.*?)\s*\([^()]*, line (?P<line>\d+)\)", re.DOTALL),
)
"""The ways in which Storm names a line."""

MATRIX = "matrix.drn"
"""The file of the matrix of a Markov chain, beside the result."""

INTERVALS = "contains interval updates"
"""What Storm says of a model with intervals that it was to build in numbers."""


def main() -> None:
    """Answer the request in the folder named first."""
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text("utf-8"))
    _limit(request)
    _silence()
    with (folder / "result.jsonl").open("w", encoding="ascii") as result:
        try:
            stormpy, built = _explore(folder / request["file"], request)
            if has_plain_rows(built):
                lines = _blocks(stormpy, built, request, folder / MATRIX)
            else:
                lines = _lines(explored_model(built, request["source"]))
            result.writelines(f"{line}\n" for line in lines)
        except BackendMissing as error:
            result.write(json.dumps({"error": "BackendMissing", "defects": [["stormpy 2", error.extra, ""]]}))
        except InputError as error:
            defects = [[defect.where, defect.what, defect.fix] for defect in error.defects]
            result.write(json.dumps({"error": type(error).__name__, "defects": defects}))
        except MemoryError:
            result.write(json.dumps({"error": "MemoryError", "defects": []}))


def _limit(request: Mapping[str, Any]) -> None:
    """Limits of the system on this process; whoever started it may be gone before it ends."""
    with contextlib.suppress(ImportError):
        import resource

        for kind, wanted in (
            (resource.RLIMIT_AS, request["memory"]),
            (resource.RLIMIT_CPU, request["seconds"]),
            (resource.RLIMIT_FSIZE, request["output"]),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(kind, (most, hard))
    if hasattr(signal, "alarm"):
        signal.alarm(request["seconds"])


def _silence() -> None:
    """Storm writes to standard output from C++; nobody is to read that."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _blocks(stormpy: Any, built: Any, request: Mapping[str, Any], matrix: Path) -> Iterator[str]:
    """The result of a Markov chain: its states in columns, and its matrix as Storm itself writes it, in a DRN file."""
    described, initial = described_model(built, request["source"], uniform_choice=request["uniform_choice"])
    members: dict[str, list[int]] = {name: [] for name in described.label_names}
    for state, names in enumerate(described.label_sets):
        for name in names:
            members[name].append(state)
    head = {
        "labels": described.label_names,
        "variables": list(described.variables),
        "initial": initial,
        "states": built.nr_states,
        "transitions": built.nr_transitions,
        "members": [members[name] for name in described.label_names],
        "columns": list(described.variables.values()),
        "uniform": described.uniform,
    }
    options = stormpy.developer.DirectEncodingExporterOptions()
    options.allow_placeholders = False
    with quiet(stormpy):
        stormpy.developer.export_sparse_model_as_drn(built, str(matrix), options)
    yield json.dumps(head, separators=(",", ":"))
    yield '"end"'


def _lines(found: ExploredModel) -> Iterator[str]:
    """The result, a line at a time."""
    names, variables = found.states.label_names, found.states.variables
    numbers = {name: i for i, name in enumerate(names)}
    seen = found.states.observations
    texts = None if seen is None else {text: i for i, text in enumerate(dict.fromkeys(seen))}
    head = {
        "labels": names,
        "variables": list(variables),
        "initial": found.initial,
        "states": len(found.choices),
        "observations": None if texts is None else list(texts),
    }
    yield json.dumps(head)
    columns = list(variables.values())
    for state, rows in enumerate(found.choices):
        choices = [(names, [*(row.entries if isinstance(row, RawBox) else row)]) for names, row in rows]
        labels = sorted(numbers[name] for name in found.states.label_sets[state])
        observed = None if seen is None or texts is None else texts[seen[state]]
        yield json.dumps([labels, [column[state] for column in columns], choices, observed], separators=(",", ":"))
    yield '"end"'


def _explore(path: Path, request: Mapping[str, Any]) -> tuple[Any, Any]:
    """Storm, and the model that it has explored; InputError for what is wrong with it."""
    source, budget = request["source"], request["max_states"]
    stormpy = load_stormpy()
    with quiet(stormpy):
        model = _parse(stormpy, path, request)
        _refuse_too_many(_count(stormpy, model, budget), budget, source)
        # Building a POMDP leaves variables behind that a second build trips over: each has a model of its own.
        model = _parse(stormpy, path, request)
        options = stormpy.BuilderOptions()
        options.set_build_all_labels().set_build_state_valuations()
        options.set_exploration_checks().set_add_overlapping_guards_label()
        if model.model_type.name != "DTMC":
            options.set_build_choice_labels(True)
        with _storm_errors(source, ModelError):
            built = _build(stormpy, model, options, source)
        _refuse_too_many(built.nr_states, budget, source)
        return stormpy, built


def _build(stormpy: Any, model: Any, options: Any, source: str) -> Any:
    """The sparse model in exact numbers, or in exact intervals where there are any."""
    try:
        return stormpy.build_model[stormpy.Rational](model, options=options)
    except RuntimeError as error:
        if INTERVALS not in str(error):
            raise
    if model.model_type.name != "DTMC":
        raise InputError(Defect(source, NO_INTERVAL_MDP, "give exact probabilities"))
    return stormpy.build_model[stormpy.RationalInterval](model, options=options)


def _parse(stormpy: Any, path: Path, request: Mapping[str, Any]) -> Any:
    """The model of the file, of a kind that is read, with every constant defined."""
    source, jani = request["source"], request["jani"]
    with _storm_errors(source, FormatError):
        parse = stormpy.parse_jani_model if jani else stormpy.parse_prism_program
        model = parse(str(path))[0] if jani else parse(str(path), simplify=False)
    kind = model.model_type.name
    if kind not in KINDS:
        raise InputError(Defect(source, f"the model is of type {kind}", ONLY))
    return _with_constants(stormpy, model, request["constants"], source)


def _count(stormpy: Any, model: Any, budget: int) -> int:
    """How many states there are, counted up to just above the budget; 0 where it could not be counted.

    stormpy's builder takes a limit only in doubles. There a probability may vanish and states with it: so this
    count refuses early what is far too large, and the exact model is counted again.
    """
    developer = stormpy.developer
    for kind in (float, stormpy.Interval):
        limits = developer.ExplicitModelBuilderOptions[kind]()
        limits.exploration_state_limit = budget + 1
        try:
            description = developer.SymbolicModelDescription(model)
            make = developer.make_explicit_model_builder[kind]
            return int(make(description, developer.BuilderOptions(), exploration_options=limits).build().nr_states)
        except (RuntimeError, ValueError, TypeError) as error:
            if INTERVALS not in str(error):
                break  # said better by the exact builder
    return 0


def _refuse_too_many(states: int, budget: int, source: str) -> None:
    if states > budget:
        what = f"it has more than {budget} states"
        raise ModelError(Defect(source, what, "make it smaller, or raise `max_states`"))


@contextmanager
def _storm_errors(source: str, kind: type[InputError]) -> Iterator[None]:
    """What Storm raises, as an error of ours with the place that its message names."""
    try:
        yield
    except InputError:
        raise
    except (RuntimeError, ValueError, TypeError) as error:
        raise kind(locate(source, str(error))) from None


def locate(source: str, message: str) -> Defect:
    """Storm's message as a defect of the file, the exception's name left out and the place put in front.

    >>> str(locate("m.prism", "WrongFormatException: Parsing error at 2:7:  expecting ';', here:"))
    "m.prism:2:7: expecting ';'"
    """
    text = re.sub(r"^\w+(?:Exception|Error): ", "", message.strip())
    text = re.sub(r"^\[json\.exception\.[\w.]+\] ", "", text)
    for pattern in PLACES:
        match = pattern.match(text)
        if match:
            known = match.groupdict()
            where = ":".join([source, known["line"], *([known["column"]] if known.get("column") else [])])
            rest = f"{known.get('prefix') or ''} {text[match.end() :].removeprefix(':').strip()}".strip()
            return Defect(where, _first_line(rest))
    return Defect(source, _first_line(text) or "Storm cannot read it")


def _first_line(text: str) -> str:
    """One line that says what is wrong; Storm draws the place below it, which `locate` has put in front."""
    return " ".join(text.split("here:\n")[0].split()).removesuffix(", here:").rstrip(".,")


def _with_constants(stormpy: Any, model: Any, given: Mapping[str, object], source: str) -> Any:
    """The model with every constant defined; InputError with everything that does not fit."""
    declared = {constant.name: constant for constant in model.constants}
    missing = [name for name, constant in declared.items() if not constant.defined and name not in given]
    defects = [
        Defect(source, f"the constant {name!r} has no value", f"give one, `constants` {name}=…") for name in missing
    ]
    values: dict[str, Any] = {}
    for name, value in given.items():
        constant = declared.get(name)
        if constant is None:
            near = get_close_matches(name, declared, n=1)
            listed = f"did you mean {near[0]!r}?" if near else f"its constants are {', '.join(declared) or 'none'}"
            defects.append(Defect(source, f"there is no constant {name!r}", listed))
        elif constant.defined:  # in PRISM the definition was taken out before, see `prism`
            fix = "leave it out, or take the value out of the file"
            defects.append(Defect(source, f"the constant {name!r} has a value in the file", fix))
        else:
            try:
                values[name] = _value(stormpy, constant.type, value)
            except ValueError as reason:
                defects.append(Defect(source, f"the constant {name!r}: {reason}", "correct its value"))
    if defects:
        raise InputError(defects)
    with _storm_errors(source, ModelError):
        return stormpy.instantiate_constants(model, values)[0]


def _value(stormpy: Any, kind: Any, value: object) -> Any:
    """The value as Storm takes it, exactly; ValueError when it is not of the constant's type."""
    if kind.is_boolean:
        texts = {"true": True, "false": False}
        if isinstance(value, bool) or value in texts:
            return value if isinstance(value, bool) else texts[str(value)]
        raise ValueError(f"{value!r} is not true or false")
    number = as_fraction(value, "value")  # type: ignore[arg-type]  # checked there
    if not kind.is_integer:
        return stormpy.Rational(format_fraction(number))
    if number.denominator != 1:
        raise ValueError(f"{format_fraction(number)} is not an integer")
    if not -(2**63) <= number.numerator < 2**63:
        raise ValueError(f"{number.numerator} does not fit into Storm's 64 bits")
    return number.numerator


if __name__ == "__main__":
    main()
