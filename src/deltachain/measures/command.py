"""The command of a `Measure`: its options are those of the question, and it answers as every verb does."""

from __future__ import annotations

from ..cli import question as q
from ..cli.command import Exit, Reply, Session, Verb
from ..cli.options import Asked
from .measure import Measure


def command_of(measure: Measure) -> Verb:
    """The verb of a measure; 3 if its bounds differ because the work was cut off."""

    def answer(asked: Asked, session: Session) -> Reply:
        with q.open_inquiry(asked, session, asked[q.TIMEOUT]) as (inquiry, cancel):
            found = q.answer(measure, inquiry, asked, session, cancel)
        code = Exit.DONE if found.exact or cancel.reason is None else Exit.UNDECIDED
        files = [q.certificate_file(asked, found, asked[q.CERTIFICATE])]
        return Reply(result=found, code=code, model=inquiry.model, at=found.exp_epsilon, files=files)

    pairs = q.OF_PAIRS if measure.at is not None else q.QUESTION
    checks = (q.check_pairs,) if measure.at is not None else q.CHECKS
    return Verb(
        measure.name,
        measure.examples,
        (*pairs, q.TIMEOUT, q.MAX_NODES, q.CERTIFICATE, q.NO_CHECK),
        answer,
        (*checks, q.check_files(q.CERTIFICATE)),
    )
