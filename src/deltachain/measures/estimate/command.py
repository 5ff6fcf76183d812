"""``estimate``: δ by sampling."""

from __future__ import annotations

from ...cli import question as q
from ...cli.command import Exit, Reply, Session, Verb
from ...cli.options import Asked
from .verb import estimate_of, sampling_for

THREADS = q.jobs("threads on all cores")


def _estimate(asked: Asked, session: Session) -> Reply:
    """Both intervals; 3 when the one by sampling is wider than asked. It never says that a system is private."""
    terms = q.terms_of(asked)
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        drawing = sampling_for(asked[q.CONFIDENCE], asked[q.SAMPLES], asked[q.HORIZON], asked[q.SEED], cancel)
        with q.workers_of(asked, THREADS, here=True) as executor:
            found = estimate_of(terms, model.chain, pairs, drawing, executor, cancel, q.inputs(asked, model))
    code, notes = Exit.DONE, []
    if terms.gap is not None and found.upper - found.lower > terms.gap:
        code, notes = Exit.UNDECIDED, [f"the interval is wider than --gap {asked.raw[q.GAP.dest]}"]
    elif found.interrupted:
        notes = ["cut off: the intervals hold; more samples would narrow the estimated one"]
    return Reply(result=found, code=code, model=model, at=terms.at, notes=notes)


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
