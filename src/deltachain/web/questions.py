"""What a tab may ask: a model (an example, native JSON, a program) and the parameters of a report; read and limited."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..errors import Defect, InputError
from ..version import __version__

LONGEST_TEXT = 1_000_000
"""Bytes of a request."""
LONGEST_FIELD = 2_000
KINDS = ("example", "model", "program")
ACTIONS = ("report", "show")


@dataclass(frozen=True, slots=True)
class Question:
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

    @property
    def key(self) -> str:
        """The hash of the question and of the version that answers it."""
        text = json.dumps([__version__, asdict(self)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def question_of(content: bytes) -> Question:
    """The question in a request; InputError for what is none."""
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    if not isinstance(given, dict):
        raise InputError("the request is not a JSON object")
    known = {field.name for field in fields(Question)}
    defects = [_defect(key, value) for key, value in given.items() if key not in known or not _fits(key, value)]
    if defects:
        raise InputError(defects)
    return Question(**given)


def _fits(key: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    allowed = {"action": ACTIONS, "kind": KINDS}.get(key)
    if allowed is not None:
        return value in allowed
    return key == "text" or len(value) <= LONGEST_FIELD


def _defect(key: Any, value: Any) -> Defect:
    shown = str(key)[:40]
    return Defect(shown, f"{type(value).__name__} that is not wanted there", "ask from the page itself")
