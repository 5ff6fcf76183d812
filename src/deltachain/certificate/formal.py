"""The proved checker: formal/ has many of the rules as theorems of Coq; this runs the program extracted from them.

`kernel` writes model and certificate as lists of integers, one for each kind of claims; the program, built by
`make formal`, accepts or rejects each.
It is looked for in the variable DELTACHAIN_FORMAL, in the folder formal of a source tree, and on the search path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from deltachain_checker import Claim
from deltachain_checker_v1 import Model
from deltachain_checker_v1.families import ChainFamily

from ..errors import CertificateRejected, Defect, InputError, SolverError
from .kernel import PARTS, kernel
from .older import of_today
from .older_form import NOT_PROVED, older_form
from .verification import Seen

PROGRAM = "deltachain-formal"
BUILD = (
    "`make formal` in a source tree builds it and needs Coq, OCaml and zarith (Debian: apt-get install coq ocaml-nox "
    "ocaml-findlib libzarith-ocaml-dev); or name the program in DELTACHAIN_FORMAL"
)


def _deep_stack() -> None:
    """Long lists are walked by recursion."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))


DEEP = _deep_stack if os.name == "posix" else None


def formal_checker() -> Path:
    """The program; an InputError that says how to build it where there is none."""
    named = os.environ.get("DELTACHAIN_FORMAL")
    here = Path(__file__).parents[3] / "formal" / PROGRAM
    found = [Path(named)] if named else [here, *map(Path, filter(None, [shutil.which(PROGRAM)]))]
    for path in found:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise InputError(Defect("--formal", "the proved checker is not built", BUILD))


def verify_formally(seen: Seen, data: Any) -> list[Claim]:
    """The claims of the certificate, all proved about the chain, says the proved checker; or CertificateRejected."""
    return proved_formally(seen.older, older_form(seen, data))


def proved_formally(model: Model | ChainFamily, data: Any) -> list[Claim]:
    """The same, about the chain as the checker of format 1 sees it."""
    program = formal_checker()
    if not isinstance(model, Model):
        raise CertificateRejected("parameter", NOT_PROVED)
    files, claims = kernel(model, data)
    for numbers in files:
        _judge(program, numbers)
    return [*map(of_today, claims)]


def _judge(program: Path, numbers: list[int]) -> None:
    """Nothing if the program accepts the kernel file; CertificateRejected if not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel"
        # In base 16: Python refuses to write more than 4,300 decimal digits.
        path.write_text(" ".join(f"{value:x}" for value in numbers), "ascii")
        command = [str(program), str(path)]  # our own program, and no shell
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=DEEP, check=False)  # noqa: S603
    match done.returncode, done.stdout.split():
        case 0, ["accepted"]:
            return
        case 1, ["rejected", part, entry]:
            raise CertificateRejected(f"{PARTS[int(part)]} {entry}", "the proved checker does not accept it")
    raise SolverError(f"the proved checker failed ({done.returncode}): {(done.stdout + done.stderr).strip()[-200:]}")
