"""``python -m deltachain_checker MODEL.json CERT.json``: what the certificate proves about the model."""

from __future__ import annotations

import os
import sys
from typing import Any

from .certificate import verify
from .claims import describe
from .document import read_file, say, shown
from .errors import CertificateRejected, need
from .model import ModelFile
from .numbers import rational, text

OLDER = "deltachain.certificate/1"


def main(paths: list[str]) -> int:
    """Check the certificate in the second file against the model in the first.

    0: proved, and every sentence was written. 4: rejected. 2: what is proved could not be written.
    """
    try:
        model, certificate = (read_file(path) for path in paths)
        older = isinstance(certificate, dict) and certificate.get("format") == OLDER
        need(not older, "file", f"a certificate of this format; {OLDER} is checked by python -m deltachain_checker_v1")
        proved = f"proved{premise(model)}"
        for claim in verify(ModelFile(model), certificate):
            inside = ", for every chain within the limits given" * ("limits" in claim.extensions)
            say(f"{proved}{inside}: {describe(claim)}{beside(claim.extensions)}", sys.stdout)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CertificateRejected as reason:
        complain(f"rejected: {shown(str(reason))}")
        return 4
    except OSError as error:
        complain(f"the result could not be written: {error.strerror or error}")
        return 2
    return 0


def premise(model: Any) -> str:
    """What a proof about the model rests on, as the end of "proved": the confidence of counts."""
    if not isinstance(model, dict) or "confidence" not in model:
        return ""
    confidence = rational(model["confidence"], decimals=True)
    need(0 < confidence < 1, "model", "a confidence between 0 and 1", confidence)
    return f" at confidence {text(confidence)}, given the counts"


def beside(extensions: tuple[str, ...]) -> str:
    """What has to be believed beside the core."""
    return f" (by the core, and {', '.join(extensions)})" if extensions else ""


def complain(line: str) -> None:
    """Say it on standard error, if anybody is there; the exit code says it too."""
    try:
        say(line, sys.stderr)
        sys.stderr.flush()
    except (OSError, AttributeError):
        return


def end(code: int) -> None:
    """Leave with the code; what is still buffered for a full disk or a closed pipe is dropped without a word."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            os._exit(code)
    sys.exit(code)


def run() -> None:
    """The command, with the arguments of the process."""
    if len(sys.argv) != 3:
        complain("usage: python -m deltachain_checker MODEL.json CERT.json")
        end(2)
    end(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
