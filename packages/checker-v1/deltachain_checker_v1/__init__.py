"""The trusted checker: reads a model and a certificate, and says what is proved (docs/certificate.md).

It uses the standard library, and shares no code with the solvers; whoever believes these files and the rules they
follow need believe nothing else of deltachain.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import CertificateRejected

if TYPE_CHECKING:
    from .claims import Claim, describe
    from .meter import Meter, Unfinished
    from .read import Model, parse, read_file, read_model
    from .rules import verify

__all__ = [
    "CertificateRejected",
    "Claim",
    "Meter",
    "Model",
    "Unfinished",
    "describe",
    "parse",
    "read_file",
    "read_model",
    "verify",
]

HOMES = {
    "claims": "Claim describe",
    "meter": "Meter Unfinished",
    "read": "Model parse read_file read_model",
    "rules": "verify",
}
"""Imported when they are asked for: who only catches `CertificateRejected` does not wait for the rules."""


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names.split():
            return getattr(import_module(f".{home}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
