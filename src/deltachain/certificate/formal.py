"""The proved checkers: formal/ has rules of certificates as theorems of Coq; this runs what is extracted from them.

One reads a model and a certificate of format 2 by itself, so that nothing which is written here has to be believed but
the model. Distances, recipes and certificates of format 1 are judged by another one, for which `kernel` writes model
and certificate as lists of integers. `make formal` builds both. They are looked for in the variable DELTACHAIN_FORMAL
(a folder, or one of the two), in the folder formal of a source tree, and on the search path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deltachain_checker import Claim
from deltachain_checker.certificate import FORMAT, Certificate
from deltachain_checker.claims import DISTANCES
from deltachain_checker.document import refusing_what_is_malformed
from deltachain_checker.errors import need
from deltachain_checker.measures import stated
from deltachain_checker_v1 import Model
from deltachain_checker_v1.families import ChainFamily

from .. import formats
from ..errors import CertificateRejected, Defect, InputError, SolverError
from ..files import write_atomically
from .kernel import NOT_PROVED, PARTS, kernel
from .older import of_today, parse_older
from .older_form import older_form
from .rejection import ours
from .verification import Seen

OLDER_PROGRAM, PROGRAM = "deltachain-formal", "deltachain-formal2"
BUILD = (
    "`make formal` in a source tree builds it and needs Coq, OCaml and zarith (Debian: apt-get install coq ocaml-nox "
    "ocaml-findlib libzarith-ocaml-dev); or name the program in DELTACHAIN_FORMAL"
)
BEYOND = ("renyi", "kl", "tradeoff")
"""Claims for which there are no theorems."""


def _deep_stack() -> None:
    """Long lists are walked by recursion."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))


DEEP = _deep_stack if os.name == "posix" else None


def formal_checker(name: str = OLDER_PROGRAM) -> Path:
    """A program; an InputError that says how to build it where there is none."""
    named = os.environ.get("DELTACHAIN_FORMAL")
    if named is None:
        found = [Path(__file__).parents[3] / "formal" / name, *map(Path, filter(None, [shutil.which(name)]))]
    else:
        # The folder of both, or one of the two, beside which the other is; a program of another name is for both.
        known = Path(named).name in (OLDER_PROGRAM, PROGRAM)
        found = [Path(named) / name, Path(named).parent / name if known else Path(named)]
    for path in found:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise InputError(Defect("--formal", f"the proved checker {name} is not built", BUILD))


def verify_formally(seen: Seen, data: Any) -> list[Claim]:
    """The claims of the certificate, all proved about the chain, says a proved checker; or CertificateRejected."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return proved_formally(seen.older, data)
    certificate, claims = _read(seen, data)
    about = {str(claim["claim"]) for claim in claims}
    if about & {*DISTANCES} or "recipes" in data.get("extensions", []):
        return proved_formally(seen.older, parse_older(json.dumps(older_form(seen, data))))
    for what in (*BEYOND, "parts", "splits"):
        if what in about or what in data.get("extensions", []):
            raise CertificateRejected(what, NOT_PROVED)
    return _read_by_itself(seen, certificate, data)


@ours()
def _read(seen: Seen, data: Any) -> tuple[Certificate, list[Any]]:
    """The certificate, about this model, and what it claims; nothing of it is checked yet."""
    with refusing_what_is_malformed():
        certificate, claims = Certificate.of(seen.model, data), data["proves"]
        need(isinstance(claims, list) and claims, "proves", "a list, not empty")
        need(all(isinstance(claim, dict) and "claim" in claim for claim in claims), "proves", "claims")
        return certificate, claims


@ours()
def _read_by_itself(seen: Seen, certificate: Certificate, data: Any) -> list[Claim]:
    """By the program that reads both files."""
    with tempfile.TemporaryDirectory() as folder:
        model, proof = Path(folder) / "model.json", Path(folder) / "certificate.json"
        formats.save(seen.chain, model, format="json")
        write_atomically(proof, [json.dumps(data)])
        done = _run([str(formal_checker(PROGRAM)), str(model), str(proof)])
    if done.returncode == 1 and done.stderr.strip() == "rejected":
        raise CertificateRejected("certificate", "the proved checker does not accept it")
    if done.returncode or not done.stdout.startswith("proved: "):
        raise _failed(done)
    return [_said(certificate, claim) for claim in data["proves"]]


def _said(certificate: Certificate, claim: Any) -> Claim:
    """What a claim of an accepted certificate says."""
    if claim["claim"] == "guess":
        return stated(claim, certificate.model.field)
    return certificate.stated(claim, certificate.terms_of(claim["claim"], claim.get("view")))


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Our own program, and no shell.
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=DEEP, check=False)  # noqa: S603


def _failed(done: subprocess.CompletedProcess[str]) -> SolverError:
    said = (done.stdout + done.stderr).strip()[-200:]
    return SolverError(f"the proved checker failed ({done.returncode}): {said}")


def proved_formally(model: Model | ChainFamily, data: Any) -> list[Claim]:
    """The claims of a certificate of format 1, about the chain as its checker sees it."""
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
        done = _run([str(program), str(path)])
    match done.returncode, done.stdout.split():
        case 0, ["accepted"]:
            return
        case 1, ["rejected", part, entry]:
            raise CertificateRejected(f"{PARTS[int(part)]} {entry}", "the proved checker does not accept it")
    raise _failed(done)
