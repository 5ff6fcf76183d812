"""The proved checker: formal/ has the rules of certificates as theorems of Coq; this runs what is extracted from them.

It reads a model and a certificate by itself, so that nothing which is written here has to be believed but the model.
`make formal` builds it. It is looked for in the variable DELTACHAIN_FORMAL (the program, or its folder), in the folder
formal of a source tree, and on the search path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deltachain_checker import Claim
from deltachain_checker.certificate import EXTENSIONS, FORMAT, OF_A_PART, Certificate
from deltachain_checker.document import refusing_what_is_malformed
from deltachain_checker.errors import need
from deltachain_checker.measures import stated
from deltachain_checker.parts import part_of

from .. import formats
from ..errors import CertificateRejected, Defect, InputError, SolverError
from ..files import write_atomically
from .families import family_document
from .proved import OLDER_FORMAT, refuse_unproved
from .record import OLDER
from .rejection import ours
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
    if named is None:
        found = [Path(__file__).parents[3] / "formal" / PROGRAM, *map(Path, filter(None, [shutil.which(PROGRAM)]))]
    else:
        found = [Path(named), Path(named) / PROGRAM]
    for path in found:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise InputError(Defect("--formal", f"the proved checker {PROGRAM} is not built", BUILD))


@ours()
def verify_formally(seen: Seen, data: Any) -> list[Claim]:
    """The claims of the certificate, all proved about the chain, says the proved checker; or CertificateRejected."""
    if isinstance(data, dict) and data.get("format") == OLDER:
        raise CertificateRejected("format", OLDER_FORMAT)
    certificate = _read(seen, data)
    with tempfile.TemporaryDirectory() as folder:
        model, proof = Path(folder) / "model.json", Path(folder) / "certificate.json"
        if seen.interval is None:
            formats.save(seen.chain, model, format="json")
        else:
            write_atomically(model, [json.dumps(family_document(seen.chain, seen.interval))])
        write_atomically(proof, [json.dumps(data)])
        done = _run([str(formal_checker()), str(model), str(proof)])
    if done.returncode == 1 and done.stderr.strip() == "rejected":
        raise CertificateRejected("certificate", "the proved checker does not accept it")
    if done.returncode or not done.stdout.startswith("proved: "):
        said = (done.stdout + done.stderr).strip()[-200:]
        raise SolverError(f"the proved checker failed ({done.returncode}): {said}")
    return [said for claim in data["proves"] for said in _say(certificate, claim)]


def _read(seen: Seen, data: Any) -> Certificate:
    """The certificate, about this model, of rules that are proved; nothing of it is checked yet."""
    need(isinstance(data, dict) and data.get("format") == FORMAT, "file", f"an object of format {FORMAT}")
    with refusing_what_is_malformed():
        certificate, claims = Certificate.of(seen.model, data), data["proves"]
        need(isinstance(claims, list) and claims, "proves", "a list, not empty")
        need(all(isinstance(claim, dict) and "claim" in claim for claim in claims), "proves", "claims")
        refuse_unproved(data)
        return certificate


def _say(certificate: Certificate, claim: Any) -> list[Claim]:
    """What a claim of an accepted certificate says."""
    field, what, named = certificate.model.field, claim["claim"], claim.get("view")
    if what in EXTENSIONS["measures"]:
        said = stated(claim, field)
        view = {} if named is None else {"view": named}
        return [replace(said, terms={**said.terms, **view}, extensions=certificate.extensions)]
    terms = certificate.terms_of(what, named)
    if "pairs" in claim:
        return certificate.all_distances(what, certificate.views[named], terms)
    if claim.keys() & {*OF_A_PART}:
        part = part_of(what, claim, field)
        terms["part"] = part.low, part.high, tuple(not closed for closed in part.closed)
    return [certificate.stated(claim, terms)]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Our own program, and no shell.
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=DEEP, check=False)  # noqa: S603
