"""PRISM and JANI models, explored by Storm in exact rationals; needs the extra ``storm``.

The model must be a dtmc. Storm explores every reachable state with its checks on (values within bounds,
probabilities between 0 and 1 that sum to one for each command); what it only labels or logs is refused or
noted here, see `chain.stormpy_models`. Every row's sum is checked again, exactly, when the chain is made.
Integers are 64 bits wide in Storm's arithmetic on constants, which is said in docs/prism.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import Defect, FormatError, InputError, ModelError
from ..rational import as_fraction, format_fraction
from .notes import Loaded
from .reading import read_text
from .settings import Settings
from .stormpy_models import chain_with_notes, load_stormpy, quiet

__all__ = ["load_symbolic", "parse_constants"]

OTHER_KINDS = ("ctmc", "ctmdp", "ma", "mdp", "nondeterministic", "pomdp", "popta", "pta", "smg", "stochastic", "tsg")
"""The words that begin a PRISM model of another kind."""

FIRST_WORD = re.compile(r"(?:\s|//[^\n]*(?:\n|$))*([A-Za-z_]\w*)")
PLACES = (
    re.compile(r"Parsing error at (?P<line>\d+):(?P<column>\d+):\s*"),
    re.compile(r"parse error at line (?P<line>\d+), column (?P<column>\d+):?\s*"),
    re.compile(r"(?P<prefix>.*?)\s*\([^()]*, line (?P<line>\d+)\)", re.DOTALL),
)
"""The ways in which Storm names a line."""


def load_symbolic(path: Path, settings: Settings, *, jani: bool) -> Loaded:
    """The chain of a PRISM file, or of a JANI file.

    Raises FormatError for text that Storm cannot parse, InputError for another kind of model, constants that
    do not fit and unknown names, ModelError for what goes wrong when it is explored; BackendMissing without
    stormpy.
    """
    text = read_text(path)
    source = str(path)
    if not jani:
        _refuse_other_kinds(text, source)
    stormpy = load_stormpy()
    with quiet(stormpy):
        with _storm_errors(source, FormatError):
            model = stormpy.parse_jani_model(source)[0] if jani else stormpy.parse_prism_program(source, simplify=False)
        kind = model.model_type.name
        if kind != "DTMC":
            raise InputError(_other_kind(source, kind))
        model = _with_constants(stormpy, model, settings.constants, source)
        options = stormpy.BuilderOptions()
        options.set_build_all_labels().set_build_state_valuations()
        options.set_exploration_checks().set_add_overlapping_guards_label()
        with _storm_errors(source, ModelError):
            built = stormpy.build_model[stormpy.Rational](model, options=options)
        chain, notes = chain_with_notes(built, settings.observation, source)
    return Loaded(chain, tuple(f"{source}: {note}" for note in notes))


def _refuse_other_kinds(text: str, source: str) -> None:
    found = FIRST_WORD.match(text)
    if found and found.group(1) in OTHER_KINDS:
        line = text.count("\n", 0, found.start(1)) + 1
        raise InputError(_other_kind(f"{source}:{line}", found.group(1)))


def _other_kind(where: str, kind: str) -> Defect:
    return Defect(where, f"the model is of type {kind}", "only discrete-time Markov chains (dtmc) are read")


@contextmanager
def _storm_errors(source: str, kind: type[InputError]) -> Iterator[None]:
    """What Storm raises, as an error of ours with the place that its message names."""
    try:
        yield
    except InputError:
        raise
    except (RuntimeError, ValueError, TypeError) as error:
        raise kind(located(source, str(error))) from None


def located(source: str, message: str) -> Defect:
    """Storm's message as a defect of the file, the exception's name left out and the place put in front.

    >>> str(located("m.prism", "WrongFormatException: Parsing error at 2:7:  expecting ';', here:"))
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
    """One line that says what is wrong; Storm draws the place below it, which `located` has put in front."""
    return " ".join(text.split("here:\n")[0].split()).removesuffix(", here:").rstrip(".,")


def parse_constants(text: str, what: str = "--constants") -> dict[str, str]:
    """The texts of ``N=3,p=49/100``, by name; InputError naming every piece that is not name=value.

    >>> parse_constants("N=3, p=49/100")
    {'N': '3', 'p': '49/100'}
    """
    found: dict[str, str] = {}
    defects = []
    for piece in text.split(","):
        name, sign, value = (part.strip() for part in piece.partition("="))
        if not (name and sign and value):
            defects.append(Defect(what, f"{piece.strip()!r} is not name=value", "write N=3,p=49/100"))
        elif name in found:
            defects.append(Defect(what, f"{name!r} is given twice", "give it once"))
        else:
            found[name] = value
    if defects:
        raise InputError(defects)
    return found


def _with_constants(stormpy: Any, model: Any, given: Mapping[str, object], source: str) -> Any:
    """The model with every constant defined; InputError with everything that does not fit."""
    declared = {constant.name: constant for constant in model.constants}
    missing = [name for name, constant in declared.items() if not constant.defined and name not in given]
    defects = [
        Defect(source, f"the constant {name!r} has no value", f"give one, --constants {name}=…") for name in missing
    ]
    values: dict[str, Any] = {}
    for name, value in given.items():
        constant = declared.get(name)
        if constant is None:
            near = get_close_matches(name, declared, n=1)
            listed = f"did you mean {near[0]!r}?" if near else f"its constants are {', '.join(declared) or 'none'}"
            defects.append(Defect(source, f"there is no constant {name!r}", listed))
        elif constant.defined:
            fix = f"write `const … {name};` there to choose it here"
            defects.append(Defect(source, f"the constant {name!r} has a value in the file", fix))
        else:
            try:
                values[name] = _value(stormpy, constant.type, value)
            except ValueError as reason:
                defects.append(Defect(source, f"the constant {name!r}: {reason}", "mend --constants"))
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
