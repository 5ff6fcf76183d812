"""``estimate``: δ by sampling."""

from __future__ import annotations

from ...cli import question as q
from ...cli.command import Exit, Reply, Session, Verb
from ...cli.options import Asked
from .verb import estimate

THREADS = q.jobs("threads on all cores")


def _estimate(asked: Asked, session: Session) -> Reply:
    """Both intervals; 3 when the one by sampling is wider than asked. It never says that a system is private."""
    gap = asked[q.GAP]
    with (
        q.open_inquiry(asked, session, asked[q.TIMEOUT]) as (inquiry, cancel),
        q.workers_of(asked, THREADS, here=True) as executor,
    ):
        found = q.answer(estimate, inquiry, asked, session, cancel, executor=executor)
    code, notes = Exit.DONE, []
    if gap is not None and found.upper - found.lower > gap:
        code, notes = Exit.UNDECIDED, [f"the interval is wider than --gap {asked.raw[q.GAP.dest]}"]
    elif found.interrupted:
        notes = ["cut off: the intervals hold; more samples would narrow the estimated one"]
    return Reply(result=found, code=code, model=inquiry.model, at=q.at_of(asked), notes=notes)


ESTIMATE = Verb(
    "estimate",
    """
deltachain estimate example:sticky-sensor --exp-epsilon 1.1 --max-nodes 2000
deltachain estimate example:random,n=400,labels=3,degree=4 --exp-epsilon 1.1 --gap 0.003
deltachain estimate model.prism --epsilon 0.1 --confidence 0.99 --samples 20000 --seed 7 --json
""",
    (*q.QUESTION, *q.DRAWN, *q.LIMITS, THREADS, q.CLUSTER),
    _estimate,
    (*q.CHECKS, q.check_workers(THREADS)),
)
