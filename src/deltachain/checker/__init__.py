"""The trusted checker: reads a model and a certificate, and says what is proved (docs/certificate.md).

It uses the standard library and `CertificateRejected`, and shares no code with the solvers; whoever believes these
files and the rules they follow need believe nothing else of deltachain.
"""

from .meter import Meter, Unfinished
from .read import Model, parse, read_file, read_model
from .rules import verify

__all__ = ["Meter", "Model", "Unfinished", "parse", "read_file", "read_model", "verify"]
