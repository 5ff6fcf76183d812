"""``guess``: the best chance of naming the secret, before and after watching."""

from __future__ import annotations

from ...cli import question as q
from ...cli.command import Exit, File, Reply, Session, Verb
from ...cli.options import Asked, text, value
from ...errors import Defect, InputError
from ...files import write_atomically
from ...parameters import as_guesses, as_questions
from .verb import guess


def _names(given: str, place: str) -> list[str]:
    names = [name.strip() for name in given.split(",")]
    if not all(names):
        raise InputError(Defect(place, f"{given!r} is not a list of states", "write s0,s1,s2"))
    return names


STATES = value("--states", "S0,S1", _names, "the secrets: start states (default: those of the model's relation)")
PRIOR = text("--prior", "FILE", "the probability of each secret, as CSV: secret,probability (default: all equal)")
GAIN = text("--gain", "FILE", "what each guess gains, as CSV: guess,s0,s1,… (default: 1 for the right name)")
COUNT = value("--guesses", "K", as_guesses, "how many secrets may be named").default("1")
CHANNEL = value("--channel", "FILE", q.output_file, "write the reduced channel as CSV: outcomes by secrets")
PROOF = "write the proof to this file, where the search ends and nothing is asked"
CERTIFICATE = value("--certificate", "FILE", q.output_file, PROOF)
PLANNED = "also find the best N questions to decide in advance, where the observer asks"
FIXED = value("--fixed", "N", as_questions, PLANNED)
NODES = q.max_nodes()


def _guess(asked: Asked, session: Session) -> Reply:
    """The value; 3 if it is only bounded because the work was cut off."""
    path, proof = asked[CHANNEL], asked[CERTIFICATE]
    sandwiched = path is None and asked[FIXED] is None
    with q.open_inquiry(asked, session, asked[q.TIMEOUT], every=True, sandwiched=sandwiched) as (inquiry, cancel):
        found = q.answer(guess, inquiry, asked, session, cancel, channel=path is not None)
    files: list[File] = [(path, lambda path: write_atomically(path, [found.channel_csv()]))]
    code = Exit.DONE if found.exact or cancel.reason is None else Exit.UNDECIDED
    notes = [] if code == Exit.DONE else ["the search was cut off; the bounds hold, and more time may narrow them"]
    if proof is not None and not found.has_certificate:
        notes.append(f"{proof} was not written: {found.checked.why or 'the proof is too long'}")
    elif proof is not None:
        files.append((proof, found.certificate.save))
    return Reply(result=found, code=code, model=inquiry.model, files=files, notes=notes)


GUESS = Verb(
    "guess",
    """
deltachain guess example:dining-cryptographers,n=4
deltachain guess example:crowds,paths=2 --states s0,s1,s2 --prior prior.csv --json
deltachain guess model.json --states s0,s1,s2 --gain gain.csv --channel channel.csv --certificate proof.json
deltachain guess example:adaptive-survey --fixed 2
""",
    (*q.MODEL_OPTIONS, STATES, PRIOR, GAIN, COUNT, CHANNEL, FIXED, CERTIFICATE, q.NO_CHECK, q.TIMEOUT, NODES),
    _guess,
    (q.check_files(CHANNEL, CERTIFICATE),),
)
