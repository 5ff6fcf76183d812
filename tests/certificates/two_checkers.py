"""The checker in Python and the one that is extracted from the proofs, asked about the same two files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deltachain.certificate.formal import formal_checker
from deltachain.errors import InputError
from deltachain_checker import CertificateRejected, ModelFile, describe, parse, verify


def is_built() -> bool:
    try:
        formal_checker()
    except InputError:
        return False
    return True


needs_formal = pytest.mark.skipif(not is_built(), reason="the proved checker is not built: make formal")


def judged(tmp_path: Path, model: Any, document: Any) -> tuple[int, list[str]]:
    """The exit code of the proved checker, and what it says."""
    paths = tmp_path / "model.json", tmp_path / "certificate.json"
    for path, value in zip(paths, (model, document), strict=True):
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    done = subprocess.run([formal_checker(), *paths], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in (0, 1, 2), done.stderr
    return done.returncode, done.stdout.splitlines()


def accepted(model: Any, document: Any) -> list[str] | CertificateRejected:
    """What the checker in Python says of the same files."""
    try:
        claims = verify(ModelFile(parse(json.dumps(model))), parse(json.dumps(document)))
    except CertificateRejected as reason:
        return reason
    return [*map(describe, claims)]
