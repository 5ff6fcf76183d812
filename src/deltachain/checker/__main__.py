"""``python -m deltachain.checker MODEL.json CERT.json``: the trusted checker alone, without the rest of deltachain."""

from __future__ import annotations

import sys

from ..errors import CertificateRejected
from .read import read_file, read_model, say, shown
from .rules import verify

__all__ = ["main"]


def main(paths: list[str]) -> int:
    """Check the certificate in the second file against the model in the first."""
    try:
        for sentence in verify(read_model(read_file(paths[0])), read_file(paths[1])):
            say(f"proved: {sentence}", sys.stdout)
    except CertificateRejected as reason:
        say(f"rejected: {shown(str(reason))}", sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) == 3 else "usage: python -m deltachain.checker MODEL.json CERT.json")
