"""``epsilon``: the least ε for a δ."""

from __future__ import annotations

from ...cli import question as q
from ...cli.command import Exit, Reply, Session, Verb
from ...cli.options import Asked, value
from ...numbers.fraction import as_probability
from ...parameters import as_width
from .. import integers
from .verb import epsilon

AT_DELTA = value("--delta", "D", as_probability, "the δ that is allowed; 0 asks for pure ε-privacy").require(
    "no δ given", "give --delta D; 0 asks for pure ε-privacy"
)
ENDS = "how precisely to find e^ε, as a relative width (default: 1e-6)"
PRECISION = value("--precision", "P", as_width, ENDS).default("1e-6")
AT_LEAST = q.proof_file(
    "", "write the proof that δ is allowed at the ε proved (or not, at the refuted); with δ = 0, often of both at once"
)
NODES_EACH = q.max_nodes(" for each ε")


def _epsilon(asked: Asked, session: Session) -> Reply:
    """The interval for ε; 3 if none was proved."""
    path = asked[AT_LEAST]
    if q.names_program_alone(asked):
        reply = integers.reply_to_epsilon(asked, session, asked[AT_DELTA], asked[PRECISION], AT_LEAST)
        if reply is not None:
            return reply
    with q.open_inquiry(asked, session, asked[q.TIMEOUT], sandwiched=True) as (inquiry, cancel):
        found = q.answer(epsilon, inquiry, asked, session, cancel, certificate=path is not None)
    files, notes = [q.certificate_file(asked, found, path)], []
    if path is not None and not found.has_certificate:
        files, notes = [], [f"{path} was not written: the search at this ε was cut off or too short to prove it"]
    # What was cut may have been the check alone: then the ends are as close as asked.
    unsettled = not found.impossible and (
        found.exp_epsilon_proved is None or found.exp_epsilon_proved > found.refuted * (1 + asked[PRECISION])
    )
    if cancel.reason is not None and unsettled:
        notes.append("the search was cut off; what it proved and refuted stands, and more time may narrow it")
    code = Exit.DONE if found.exp_epsilon_proved is not None or found.impossible else Exit.UNDECIDED
    return Reply(result=found, code=code, model=inquiry.model, files=files, notes=notes)


EPSILON = Verb(
    "epsilon",
    """
deltachain epsilon example:survey --delta 0
deltachain epsilon example:dining-cryptographers,n=3 --delta 1e-4 --json
deltachain epsilon example:sticky-sensor --delta 0.05 --precision 1e-3 --timeout 60
deltachain epsilon example:survey --delta 0.1 --certificate proof.json
deltachain epsilon example:survey,p=51/100 --repeat 1000 --delta 1e-6
""",
    (*q.OF_PAIRS, *q.TOGETHER, AT_DELTA, PRECISION, AT_LEAST, q.NO_CHECK, q.TIMEOUT, NODES_EACH),
    _epsilon,
    (q.check_pairs, q.check_files(AT_LEAST), q.check_together(AT_LEAST)),
)
