"""The trusted checker: reads a model and a certificate, and says what is proved (docs/certificate.md).

It uses the standard library, and shares no code with the solvers; whoever believes these files and the rules they
follow need believe nothing else of deltachain. Read them in this order: model, numbers, covers, graph, growth and
certificate, the core; then distances, measures, parts, outcomes, splits, recipes with sums, and limits, which
certificates name where they use them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import CertificateRejected

if TYPE_CHECKING:
    from .certificate import verify
    from .claims import Claim, describe
    from .document import parse, read_file
    from .meter import Meter, Unfinished
    from .model import Model, ModelFile

__all__ = [
    "CertificateRejected",
    "Claim",
    "Meter",
    "Model",
    "ModelFile",
    "Unfinished",
    "describe",
    "parse",
    "read_file",
    "verify",
]

HOMES = {
    "certificate": "verify",
    "claims": "Claim describe",
    "document": "parse read_file",
    "meter": "Meter Unfinished",
    "model": "Model ModelFile",
}
"""Imported when they are asked for: who only catches `CertificateRejected` does not wait for the rules."""


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names.split():
            return getattr(import_module(f".{home}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
