"""``python -m deltachain_checker_v1 MODEL.json CERT.json``: what the certificate proves about the model."""

from __future__ import annotations

import os
import sys

from .claims import describe
from .errors import CertificateRejected
from .families import model_in
from .read import Model, premise, read_file, say, shown
from .rules import verify


def main(paths: list[str]) -> int:
    """Check the certificate in the second file against the model in the first.

    0: proved, and every sentence was written. 4: rejected. 2: what is proved could not be written.
    """
    try:
        given = read_file(paths[0])
        model = model_in(given)
        proved = f"proved{premise(given, model)}" if isinstance(model, Model) else "proved"
        for claim in verify(model, read_file(paths[1])):
            say(f"{proved}: {describe(claim)}", sys.stdout)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CertificateRejected as reason:
        complain(f"rejected: {shown(str(reason))}")
        return 4
    except OSError as error:
        complain(f"the result could not be written: {error.strerror or error}")
        return 2
    return 0


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
        complain("usage: python -m deltachain_checker_v1 MODEL.json CERT.json")
        end(2)
    end(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
