"""``verify``: check a proof against a model."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...certificate.claims import Claim
from ...certificate.families import is_about_integers, open_parameter, require_claimed_everywhere, verify_everywhere
from ...certificate.formal import verify_formally
from ...certificate.record import claims_of
from ...certificate.verification import OURS, Seen, claimed_pairs, parse_document, require_claimed
from ...certificate.views import require_sides, sandwich_of
from ...cli import question as q
from ...cli.command import BRIEF, JSON, VERBOSE, Exit, Reply, Session, Shown, Verb
from ...cli.options import Asked, positional, switch
from ...errors import CertificateRejected, Defect, InputError, MissingFile
from ...results.claims import rounded_claim
from ...results.scope import Scope
from ...results.text import printable
from .. import integers
from ..parametric.verb import loaded_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...cancel import Cancel
    from ...model import Loaded
    from ...model.sandwich import Sandwich
    from ...numbers.parameter import OpenParameter

CERT = positional("CERT", "the certificate, as --certificate wrote it")
BETWEEN = (
    "the chain reveals at least as much as the program, and seen through its coarser labels at most as much: upper "
    "bounds of the one, and lower bounds of the other, are the program's"
)
FORMAL = switch(
    "--formal",
    explained="use the checker extracted from the Coq proofs (make formal builds it); it refuses what they leave out",
)


def _verify(asked: Asked, session: Session) -> Reply:
    """What is proved; 4 when the certificate is rejected."""
    path: str = asked[CERT]
    _refuse_other_than_files(Path(path))
    document, unreadable = _read(path)
    if is_about_integers(document):
        return integers.reply_to_verify(asked, session, document, formal=asked[FORMAL], side=_side)
    hides = any(asked[option] for option in q.SILENT)
    interval, sandwich = open_parameter(document), None
    with session.work() as cancel:
        if interval is None:
            model, sandwich = _load(asked, session, cancel, document, _claimed_states(document) if hides else ())
        else:
            model = _load_open(asked, interval, cancel)
    compared = any(asked.is_given(option) for option in (q.SECRETS, *q.PAIR_OPTIONS))
    if asked[q.PAIR]:
        chain = model.chain.with_relation(q.pairs_of(asked, model.chain))
        model = replace(model, chain=chain)
    # A program that names all of its inputs has a domain without options: it is compared with, and not demanded.
    own = model.own_domain and not compared
    every = False
    rejection: dict[str, Any] = {}
    claims: list[Claim] = []
    try:
        if unreadable is not None:
            raise unreadable
        if interval is None:
            claims = (verify_formally if asked[FORMAL] else OURS)(Seen(model.chain), document)
            if sandwich is not None:
                require_sides(sandwich, document, claims)
        else:
            claims = verify_everywhere(model.chain, document, interval, formal=asked[FORMAL])
        with suppress(CertificateRejected) if own else nullcontext():
            if not (compared or own):
                pass
            elif interval is None:
                every = require_claimed(model.chain, claims)
            else:
                every = require_claimed_everywhere(model.chain, claims, interval)
    except CertificateRejected as reason:
        if not asked[JSON]:
            if reason.claim == "model":
                session.note("it was made for another model, or for other values of --constants or --secret")
            raise
        sides = {"left": _side(reason.left), "right": _side(reason.right)}
        rejection = {"rejection": {"claim": reason.claim, "rule": reason.rule, **sides}}
    checker = "formal" if asked[FORMAL] else "python"
    body = {"accepted": not rejection, "checker": checker, "claims": [*map(str, claims)], **rejection}
    proved = "proved, says the checker extracted from Coq" if asked[FORMAL] else "proved"
    chain = model.chain
    scope = Scope.of(chain)
    body |= scope.keys()
    pairs = 0 if rejection else len(claimed_pairs(claims))
    # Pairs that were drawn, or named, are not the domain.
    some = "drawn" if asked[q.SAMPLE] is not None else "given" if asked[q.PAIR] or asked.is_given(q.FROM) else ""
    body["domain"] = {"pairs": pairs, "compared": every and not some}
    proved += scope.trust + (f",{scope.everywhere}" if scope.everywhere else "")
    told = map(str if asked[VERBOSE] else rounded_claim, claims)
    lines = [f"{proved}: {printable(claim)}" for claim in told] or ["accepted; it claims nothing"]
    which, count = some or "of the domain", len(chain.relation)
    if every and model.copies:
        lines.append(f"of the pairs {which}, {count:,} claimed, and {model.copies:,} more are translates of these")
    elif every:
        lines.append(f"all {count:,} pairs {which} are claimed" if count > 1 else f"the one pair {which} is claimed")
    elif compared:
        lines.append(f"it only refutes: it claims {pairs:,} of the {count:,} pairs {which}")
    elif own and pairs:
        some_claimed = len(claimed_pairs(claims) & {frozenset(pair) for pair in chain.pairs})
        values = "" if some_claimed < count else ", not all by the same bounds at the same values"
        lines.append(f"it claims {some_claimed:,} of the {count:,} pairs of the domain that the program names{values}")
    elif model.secrets is not None and pairs > 1:
        lines.append(f"{pairs:,} pairs claimed; domain not compared (give --secrets and --neighbours)")
    if sandwich is not None:
        lines.append(BETWEEN)
    line = f"accepted; it proves {len(claims)} claims" if asked[BRIEF] and len(lines) > 1 else "\n".join(lines)
    code = Exit.REJECTED if rejection else Exit.DONE
    return Reply(result=Shown(line, body), code=code, model=model)


def _load(
    asked: Asked, session: Session, cancel: Cancel, document: Any, starts: Sequence[str], *, every_pair: bool = False
) -> tuple[Loaded, Sandwich | None]:
    """The model; of a program that lies between two labellings of a chain, the chain that the certificate is about.

    Pairs that are translates of others are left out, unless the certificate is about the chain with all of them.
    """
    found = q.read_model(asked, cancel, starts, sandwiched=True, every_pair=every_pair)
    sandwich = sandwich_of(found.chain, document)
    if sandwich is None and found.chain.sandwiches is not None:
        found = q.read_model(asked, cancel, starts, every_pair=every_pair)
    about = document.get("model") if isinstance(document, dict) else None
    if sandwich is None and found.copies and about not in (None, found.chain.sha256):
        return _load(asked, session, cancel, document, starts, every_pair=True)
    for note in found.notes if sandwich is None else sandwich.notes:
        session.note(note)
    if sandwich is None:
        return found, None
    return replace(found, chain=q.relate_chain(asked, sandwich.fine)), sandwich


def _load_open(asked: Asked, interval: OpenParameter, cancel: Cancel) -> Loaded:
    """The model with the parameter of the certificate left open."""
    loaded = loaded_open(asked[q.MODEL], interval, q.settings_of(asked, cancel))
    return replace(loaded, chain=q.relate_chain(asked, loaded.chain))


def _read(path: str) -> tuple[Any, CertificateRejected | None]:
    """The certificate; or why it cannot be read, which is said once the model is there."""
    try:
        return parse_document(path), None
    except CertificateRejected as reason:
        return None, reason


def _claimed_states(document: Any) -> list[str]:
    """The states that the claims are about, which stay when others are hidden; what is malformed is rejected later."""
    try:
        claims = [claim for claim in claims_of(document) if "pairs" not in claim]  # of all pairs of the chain, none
        pairs = [claim["secrets"] if "secrets" in claim else claim["pair"] for claim in claims]
        views = [document, *document.get("views", {}).values()]
        shared = [outcomes["states"] for view in views for outcomes in view.get("outcomes", ())]
        return [name for names in (*pairs, *shared) for name in names if type(name) is str]
    except (KeyError, TypeError, AttributeError):
        return []


def _refuse_other_than_files(path: Path) -> None:
    """InputError unless there is a file to read: a device or a pipe could keep the checker waiting for ever."""
    if path.is_file():
        return
    if not path.exists():
        raise MissingFile(str(path), "give the file that --certificate wrote")
    what = "it is a directory" if path.is_dir() else "it is not a file"
    raise InputError(Defect(str(path), what, "give the file that --certificate wrote"))


def _side(side: object) -> str | None:
    """One side of the comparison that fails; long ones are cut."""
    if side is None:
        return None
    try:
        shown = str(side)
    except ValueError:  # an integer beyond the interpreter's limit on digits
        return "a number of thousands of digits"
    return shown if len(shown) <= 1000 else f"{shown[:997]}…"


VERIFY = Verb(
    "verify",
    """
deltachain delta example:coin --exp-epsilon 1 --certificate proof.json
deltachain verify example:coin proof.json
deltachain verify model.tra proof.json --json
""",
    (q.MODEL, CERT, *q.READ, *q.PAIR_OPTIONS, q.SAMPLE, q.SEED, FORMAL),
    _verify,
    (q.refuse_execute, q.check_pairs),
)
