"""Questions about all integers on the command line: `check`, `epsilon` and `parametric` ask here first."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...beliefs.question import Terms
from ...cancel import interruptible
from ...cli import question as q
from ...cli.command import JSON, Exit, File, Reply, Session, Shown
from ...cli.options import Asked, Option
from ...errors import CertificateRejected
from ...results.text import printable
from ..delta.verb import check_all, delta_all
from ..epsilon.verb import epsilon_all
from .find import is_about_all_integers
from .verb import refuse_beside, verify_integers

if TYPE_CHECKING:
    from ...cancel import Cancel
    from ...certificate.claims import Claim
    from ...settings import Settings

CODES = {"private": Exit.DONE, "violated": Exit.VIOLATED, "undecided": Exit.UNDECIDED}
Answered = TypeVar("Answered")


def reply_to_check(asked: Asked, session: Session, allowed: Any, **beside: object) -> Reply | None:
    """What `check` says of a program at all integers; None where it is not asked about at all of them."""

    def answer(settings: Settings, cancel: Cancel) -> Any:
        refuse_beside(settings, compose=asked[q.COMPOSE], **beside)
        terms = Terms(at=q.at_of(asked), allowed=allowed, runs=asked[q.REPEAT] or 1)
        return check_all(asked[q.MODEL], settings, terms, cancel, check=not asked[q.NO_CHECK])

    found = _asked_of_all(asked, session, answer)
    if found is None:
        return None
    pairs = () if found.inputs.everything else [result.pair for result in found.results]
    files = files_of(asked, found, q.CERTIFICATE, pairs)
    return Reply(result=found, code=CODES[found.verdict], at=q.at_of(asked), body=_body_of(asked, found), files=files)


def reply_to_delta(asked: Asked, session: Session, **beside: object) -> Reply | None:
    """What `delta` says of a program at all integers; None where it is not asked about at all of them."""

    def answer(settings: Settings, cancel: Cancel) -> Any:
        refuse_beside(settings, repeat=asked[q.REPEAT], compose=asked[q.COMPOSE], **beside)
        return delta_all(asked[q.MODEL], settings, Terms(at=q.at_of(asked)), cancel)

    found = _asked_of_all(asked, session, answer)
    return None if found is None else Reply(result=found, at=q.at_of(asked), body=_body_of(asked, found))


def reply_to_epsilon(
    asked: Asked, session: Session, allowed: Any, width: Any, kept: Option[Path | None]
) -> Reply | None:
    """What `epsilon` says of a program at all integers; None where it is not asked about at all of them."""

    def answer(settings: Settings, cancel: Cancel) -> Any:
        refuse_beside(settings, repeat=asked[q.REPEAT], compose=asked[q.COMPOSE])
        terms = Terms.read(exp_epsilon=1, allowed=allowed)
        return epsilon_all(asked[q.MODEL], settings, terms, width, cancel, check=not asked[q.NO_CHECK])

    found = _asked_of_all(asked, session, answer)
    if found is None:
        return None
    code = Exit.DONE if found.exp_epsilon_proved is not None or found.impossible else Exit.UNDECIDED
    pairs = () if found.inputs.everything else found.pairs
    files = files_of(asked, found, kept, pairs) if found.has_certificate else []
    return Reply(result=found, code=code, body=_body_of(asked, found), files=files)


def reply_to_verify(
    asked: Asked, session: Session, document: Any, *, formal: bool, side: Callable[[object], str | None]
) -> Reply:
    """What a certificate proves for all integers; 4 when it is rejected."""
    claims: list[Claim] = []
    rejection: dict[str, Any] = {}
    with session.work() as cancel:
        try:
            claims = verify_integers(asked[q.MODEL], q.settings_of(asked, cancel), document, formal=formal)
        except CertificateRejected as reason:
            if not asked[JSON]:
                raise
            sides = {"left": side(reason.left), "right": side(reason.right)}
            rejection = {"rejection": {"claim": reason.claim, "rule": reason.rule, **sides}}
    body = {"accepted": not rejection, "checker": "python", "claims": [*map(str, claims)], **rejection}
    body |= {"domain": {"pairs": 0, "compared": False}, "model": model_stub(asked[q.MODEL], document)}
    line = "\n".join(f"proved: {printable(str(claim))}" for claim in claims)
    return Reply(result=Shown(line, body), code=Exit.REJECTED if rejection else Exit.DONE)


def _asked_of_all(
    asked: Asked, session: Session, answer: Callable[[Settings, Cancel], Answered | None]
) -> Answered | None:
    with session.work(asked[q.TIMEOUT]) as cancel:
        settings = q.settings_of(asked, cancel)
        if not is_about_all_integers(asked[q.MODEL], settings):
            return None
        with interruptible(cancel):
            return answer(settings, cancel)


def model_stub(source: str, certificate: Mapping[str, Any] | None) -> dict[str, Any]:
    """The key ``model`` of JSON where there is no chain: the hash is that of the mechanism, and nothing is counted."""
    digest = (certificate or {}).get("model", "")
    known = isinstance(digest, str) and len(digest) == 64
    return {"source": source, "sha256": digest if known else "0" * 64, "states": 0, "transitions": 0, "labels": 0}


def _body_of(asked: Asked, found: Any) -> dict[str, Any]:
    """The keys of JSON that a chain would give."""
    return {"model": model_stub(asked[q.MODEL], found.certificate.document if found.has_certificate else None)}


def files_of(asked: Asked, found: Any, option: Option[Path | None], pairs: Any) -> list[File]:
    """``--certificate``: of all integers, or of the pairs that were found, whose secrets `verify` has to be told."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    secrets = "".join(f" --secret {shlex.quote(name)}" for name in names)

    def write(path: Path) -> str:
        found.certificate.save(path)
        return f"certificate: {path} (check it: {q.verify_line(asked, str(path))}{secrets})"

    return [(asked[option], write)]
