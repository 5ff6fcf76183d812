"""Questions about all integers on the command line: `check`, `epsilon` and `parametric` ask here first."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cli import question as q
from ...cli.command import File, Session
from ...cli.options import Asked, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...cancel import Cancel
    from ...settings import Settings


def ask_all(
    asked: Asked, session: Session, timeout: float | None, answer: Callable[[Settings, Cancel], Any]
) -> tuple[Any, Cancel] | None:
    """What ``answer`` says, and the token of the work; None where MODEL is not asked about at all integers."""
    from ...cancel import interruptible
    from .find import is_about_all_integers  # few programs are

    named = asked.get(q.PAIR) or asked.get(q.FROM) is not None or asked.get(q.TO) is not None
    if named or asked[q.EXECUTE] or ".py:" not in asked[q.MODEL]:
        return None
    with session.work(timeout) as cancel:
        settings = q.settings_of(asked, cancel)
        if not is_about_all_integers(asked[q.MODEL], settings):
            return None
        with interruptible(cancel):
            return answer(settings, cancel), cancel


def model_stub(source: str, certificate: Mapping[str, Any] | None) -> dict[str, Any]:
    """The key ``model`` of JSON where there is no chain: the hash is that of the mechanism, and nothing is counted."""
    digest = (certificate or {}).get("model", "")
    known = isinstance(digest, str) and len(digest) == 64
    return {"source": source, "sha256": digest if known else "0" * 64, "states": 0, "transitions": 0, "labels": 0}


def body_of(asked: Asked, found: Any) -> dict[str, Any]:
    """The keys of JSON that a chain would give."""
    document = found.certificate.document if found.has_certificate else None
    return {"model": model_stub(asked[q.MODEL], document)}


def files_of(asked: Asked, found: Any, option: Option[Path | None]) -> list[File]:
    """``--certificate``: of all integers, or of the pair that was found, whose secrets `verify` then has to be told."""
    path = asked[option]
    if found.inputs.everything if hasattr(found, "inputs") else found.searched:
        return [q.certificate_file(asked, found, path)]
    pairs = found.against if hasattr(found, "against") else [result.pair for result in found.results]
    secrets = "".join(f" --secret {shlex.quote(name)}" for name in dict.fromkeys(n for pair in pairs for n in pair))

    def write(path: Path) -> str:
        found.certificate.save(path)
        return f"certificate: {path} (check it: {q.verify_line(asked, str(path))}{secrets})"

    return [(path, write)]
