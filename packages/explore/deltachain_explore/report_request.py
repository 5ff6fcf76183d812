"""What a tab may ask: a model (an example, native JSON, a program) and the parameters of a report; read and limited."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import PurePath

from deltachain.errors import Defect, InputError
from deltachain.version import __version__

LONGEST_TEXT = 1_000_000
"""Bytes of a request."""
LONGEST_FIELD = 2_000
"""Characters of a field other than the model."""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "action": ("report", "show"),
    "kind": ("example", "model", "program"),
}


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """One computation. ``action`` is "report", or "show": the model as native JSON, to be edited."""

    action: str = "report"
    kind: str = "example"
    text: str = ""
    """``NAME,key=value,…``, native JSON, or the Python text of programs."""
    name: str = ""
    """The program, of those in the text."""
    secrets: str = ""
    """One line for each value that the program starts from."""
    constants: str = ""
    pair: str = ""
    """Two states, a blank between them; empty: the model's relation."""
    epsilon: str = "1"
    delta: str = ""
    max_nodes: str = ""
    live: str = ""
    """Not empty: asked while somebody types, and to be answered within seconds, with what is proved by then."""

    @property
    def key(self) -> str:
        """The hash of the request and of the version that answers it."""
        text = json.dumps([__version__, asdict(self)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def read_request(content: bytes) -> ReportRequest:
    """The request in the body of an HTTP request; InputError with every defect. All its texts are valid Unicode."""
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    if not isinstance(given, dict):
        raise InputError("the request is not a JSON object")
    known = {field.name for field in fields(ReportRequest)}
    defects = [Defect(key[:40], "unknown field") for key in given if key not in known]
    defects += [defect for key in given if key in known and (defect := _defect(key, given[key]))]
    if defects:
        raise InputError(defects)
    return ReportRequest(**given)


def _defect(key: str, value: object) -> Defect | None:
    """What is wrong with a field, if anything."""
    if not isinstance(value, str):
        return Defect(key, f"expected text, got {type(value).__name__}")
    if key in CHOICES and value not in CHOICES[key]:
        return Defect(key, f"expected one of {', '.join(CHOICES[key])}")
    if key != "text" and len(value) > LONGEST_FIELD:
        return Defect(key, f"too long: at most {LONGEST_FIELD:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError as error:  # JSON can spell half of a surrogate pair, which no file can hold
        place = f"{key}, line {value.count(chr(10), 0, error.start) + 1}"
        return Defect(place, f"not valid Unicode: \\u{ord(value[error.start]):04x} is half of a surrogate pair")
    return None


def defect_message(defect: Defect) -> dict[str, str | int | None]:
    """A defect as the page reads it: file names without their folder, and the line that it names, or None."""
    line = re.search(r"(?:line |:)(\d+)", defect.where)
    return {
        "where": PurePath(defect.where).name if "/" in defect.where else defect.where,
        "what": defect.what,
        "fix": defect.fix,
        "line": int(line[1]) if line else None,
    }
