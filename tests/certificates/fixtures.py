"""The certificates that are kept as files: what each is about, and what the checker must say of it.

``accept``, ``reject`` and ``malformed`` are folders of certificates, each with a list (``accept.json``, …) that names
the model of every file, and the sentences that it proves or the words of its rejection.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deltachain_checker_v1 import describe, verify
from deltachain_checker_v1.read import Model, parse, read_file, read_model

ROOT = Path(__file__).parent
KEPT: dict[str, dict[str, dict[str, Any]]] = {
    kind: json.loads((ROOT / f"{kind}.json").read_text("utf-8")) for kind in ("accept", "reject", "malformed")
}


def certificate_path(kind: str, name: str) -> Path:
    return ROOT / kind / f"{name}.json"


def model_path(kind: str, name: str) -> Path:
    return ROOT / "models" / f"{KEPT[kind][name]['model']}.json"


def model_named(name: str) -> Model:
    return read_model(read_file(str(ROOT / "models" / f"{name}.json")))


def document_of(kind: str, name: str) -> Any:
    """The certificate as plain JSON values, for tests that change it."""
    return json.loads(certificate_path(kind, name).read_text("utf-8"))


def proved(model: Model, document: Any) -> list[str]:
    """What the checker says of a document, read as from a file."""
    return [*map(describe, verify(model, parse(json.dumps(document))))]
