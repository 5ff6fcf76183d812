"""``report``: everything about a model on one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli import question as q
from ..cli.command import Reply, Session, Verb
from ..cli.options import Asked, Option, text, value
from ..errors import Defect, InputError
from ..measures.delta.command import verdict_code
from ..numbers.fraction import as_probability
from ..parameters import as_prior
from ..reports.markdown import LONGEST
from ..reports.report import front_matter, model_text, report_of

if TYPE_CHECKING:
    from ..reports.view import FrontMatter

REPORT_DELTA = value("--delta", "D", as_probability, "the δ that is allowed, for a verdict (default: none)")
OUT = (
    value("--out", "FILE.html", q.output_file, "the file to write")
    .abbreviate("-o")
    .require("no file to write", "give --out report.html")
)
BELIEF = "the observer's prior probability of the first state (default: 1/2)"
PRIOR = value("--prior", "P", as_prior, BELIEF).default("1/2")
TITLE = text("--title", "TEXT", "the title of the page (default: the model's name)")
AUTHOR = text("--author", "TEXT", "the author of the report")
ABOUT = text("--about", "FILE.md", "a description of the model: Markdown without HTML and images, up to 100 kB")
DATE = text("--date", "YYYY-MM-DD", "the date of the report (default: none, so the same input gives the same bytes)")
FRONT = (TITLE, AUTHOR, ABOUT, DATE)
REPEATED: tuple[Option[Any], ...] = (
    *q.PAIR_OPTIONS,
    *q.AT,
    REPORT_DELTA,
    q.ACCURACY,
    q.EPSILONS,
    q.GAP,
    q.NODES_PER_POINT,
    PRIOR,
    *FRONT,
)


def _front_matter(asked: Asked) -> FrontMatter:
    """What the author says, read; InputError with every defect."""
    said = None
    if (file := asked[ABOUT]) is not None:
        try:
            with Path(file).open("rb") as content:
                said = content.read(LONGEST + 1).decode()
        except OSError as error:
            raise InputError(Defect(f"--about {file}", error.strerror or str(error))) from None
        except UnicodeDecodeError:
            raise InputError(Defect(f"--about {file}", "it is not UTF-8 text, or too long")) from None
    return front_matter(title=asked[TITLE], author=asked[AUTHOR], about=said, date=asked[DATE])


def _report(asked: Asked, session: Session) -> Reply:
    """The page; with ``--delta``, the verdict is the exit code."""
    front = _front_matter(asked)
    terms = q.terms_of(asked, q.NODES_PER_POINT, asked[REPORT_DELTA])
    command = ["deltachain", "report", asked[q.MODEL], *asked.list_typed(q.READ), *asked.list_typed(REPEATED)]
    with q.open_inquiry(asked, session, asked[q.TIMEOUT]) as (inquiry, cancel):
        event = asked[q.ACCURACY]
        likely = None if event is None else q.accuracy_of(asked, event, cancel.during("now the accuracy"))
        page = report_of(
            terms.about(inquiry.chain, inquiry.pairs),
            asked[q.EPSILONS],
            asked[PRIOR],
            inquiry.model.source,
            cancel,
            command=shlex.join([*command, "--out", "report.html"]),
            verify=q.verify_line(asked, "certificate.json"),
            notes=inquiry.model.notes,
            front=front,
            text=model_text(asked[q.MODEL]),
            inspection=q.inspection(asked, inquiry.chain, cancel),
            inputs=inquiry.covers,
            accuracy=likely,
        )
    code, files = verdict_code(page.found), [(asked[OUT], page.save)]
    return Reply(result=page, code=code, model=inquiry.model, at=terms.at, files=files)


REPORT = Verb(
    "report",
    """
deltachain report example:dining-cryptographers,n=2,p=49/100 --epsilon 0.1 --delta 1e-3 --out report.html
deltachain report model.json --pair s0 s1 --exp-epsilon 3/2 --out report.html
deltachain report example:sticky-sensor --epsilon 1 --delta 0.1 --epsilons 0:2:0.1 --max-nodes 500 --out report.html
""",
    (
        *q.QUESTION,
        REPORT_DELTA,
        q.ACCURACY,
        OUT,
        q.EPSILONS,
        PRIOR,
        q.GAP,
        q.TIMEOUT,
        q.NODES_PER_POINT,
        q.NO_CHECK,
        *FRONT,
    ),
    _report,
    (*q.CHECKS, q.check_files(OUT)),
)
