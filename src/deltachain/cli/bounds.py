"""``delta``, ``check``, ``epsilon``, ``estimate``, ``profile`` and ``report``: the verbs about δ and ε."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Defect, InputError
from ..numbers.fraction import as_probability
from ..parameters import as_prior, as_questions, as_width
from . import question as q
from .command import Exit, File, Reply, Session, Verb
from .options import Asked, Option, orders_of, switch, text, value

if TYPE_CHECKING:
    from ..model import Loaded
    from ..reports.view import FrontMatter
    from ..results.delta import Delta

CODES = {"private": Exit.DONE, "violated": Exit.VIOLATED, "undecided": Exit.UNDECIDED}
CODES["violated by some"] = Exit.VIOLATED
OF_MODEL = (*q.MODEL_OPTIONS, *q.PAIR_OPTIONS)

# delta and check

TELLING = "write the event that tells the states apart to FILE, as JSON"
WITNESS = value("--witness", "FILE", q.output_file, TELLING, q.PROOFS)
PLANNED = "if the observer asks questions: also find the best N questions decided in advance"
SOME_CHAIN = "if rows are known only within limits: write a chain inside that violates (ε, δ) to FILE, as native JSON"
COUNTEREXAMPLE = value("--counterexample", "FILE", q.output_file, SOME_CHAIN, q.PROOFS)
FIXED = value("--fixed", "N", as_questions, PLANNED)
ALLOWED = value("--delta", "D", as_probability, "the δ that is allowed, in [0, 1], exact: 1e-3, 1/1000").required(
    "no δ to check against", "give --delta D"
)


def _delta(asked: Asked, session: Session) -> Reply:
    """The interval; 3 when it is wider than asked, or was cut off."""
    from ..verbs.delta import delta_of

    terms = q.terms_of(asked)
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        beside = q.beside(asked, session, cancel)
        inspection = q.inspection(asked, model.chain, cancel)
        found = delta_of(
            terms,
            model.chain,
            pairs,
            cancel,
            asked[FIXED],
            asked[q.REPEAT] or 1,
            beside,
            inspection,
            q.inputs(asked, model),
        )
    code, notes = Exit.DONE, []
    if terms.gap is not None and found.upper - found.lower > terms.gap:
        code, notes = Exit.UNDECIDED, [f"the interval is certified, but wider than --gap {asked.raw[q.GAP.dest]}"]
    elif terms.gap is None and found.interrupted and not found.exact:
        code, notes = Exit.UNDECIDED, ["the search was cut off; the interval is certified, and more time may narrow it"]
    return Reply(result=found, code=code, model=model, at=terms.at, files=_proofs(asked, found, model), notes=notes)


def _check(asked: Asked, session: Session) -> Reply:
    """The verdict, which is the exit code too."""
    from ..verbs.delta import delta_of

    terms = q.terms_of(asked, allowed=asked[ALLOWED])
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        beside = q.beside(asked, session, cancel)
        inspection = q.inspection(asked, model.chain, cancel)
        found = delta_of(
            terms, model.chain, pairs, cancel, None, asked[q.REPEAT] or 1, beside, inspection, q.inputs(asked, model)
        )
    files = [*_proofs(asked, found, model), (asked[COUNTEREXAMPLE], lambda path: _write_counterexample(found, path))]
    return Reply(result=found, code=_code(found), model=model, at=terms.at, files=files)


def _write_counterexample(found: Delta, path: Path) -> str:
    """The chain within the limits that violates what is allowed, if one was found."""
    from ..formats import save

    chain = getattr(found, "counterexample", None)
    if chain is None:
        return "counterexample: none was found"
    save(chain, path, format="json")
    return f"counterexample: {path} (a chain within the limits; check it by itself)"


def _code(found: Delta) -> Exit:
    """The exit code of a verdict; without one, whether the search was cut off."""
    verdict = getattr(found, "verdict", None)
    return CODES[verdict] if verdict is not None else Exit.UNDECIDED if found.interrupted else Exit.DONE


def _proofs(asked: Asked, found: Delta, model: Loaded) -> list[File]:
    """``--certificate`` and ``--witness``, each all or nothing."""

    def write_witness(path: Path) -> str:
        from ..files import write_atomically
        from ..results.document import document, rendered
        from ..results.witness import witness_body

        body = {"witness": witness_body(found.witness)}
        whole = document("deltachain.witness/2", body, model=model, exp_epsilon=found.exp_epsilon, seconds=0.0)
        write_atomically(path, [rendered(whole), "\n"])
        return f"witness: {path}" + ("" if found.witness else " (nothing tells the states apart)")

    return [q.certificate_file(asked, found, asked[q.CERTIFICATE]), (asked[WITNESS], write_witness)]


CHECKS = (q.check_pairs, q.check_epsilon)

DELTA = Verb(
    "delta",
    "Bound, with a proof, the smallest δ at which the pairs are (ε, δ)-private.",
    """
deltachain delta example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain delta model.json --pair s0 s1 --epsilon 0.1 --gap 1e-4 --timeout 60
deltachain delta model.json --epsilon 0.1 --certificate proof.json --witness event.json --json
deltachain delta device.json --epsilon 0.1 --fixed 3
deltachain delta example:survey,p=51/100 --repeat 1000 --epsilon 1
deltachain delta example:survey --compose example:coin example:geometric --epsilon 1
""",
    (*q.QUESTION, *q.TOGETHER, *q.LIMITS, q.CERTIFICATE, q.NO_CHECK, WITNESS, FIXED),
    _delta,
    (*CHECKS, q.check_files(q.CERTIFICATE, WITNESS), q.check_together(q.CERTIFICATE, WITNESS, FIXED)),
)

CHECK = Verb(
    "check",
    "Decide whether the pairs are (ε, δ)-private: proved, refuted with a witness, or undecided.",
    """
deltachain check example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --delta 3e-4
deltachain check model.json --pair s0 s1 --epsilon 0.1 --delta 1e-3 --timeout 60 --json
deltachain check model.json --epsilon 0 --delta 0.01 --certificate proof.json
deltachain check example:survey,p=51/100 --repeat 1000 --epsilon 3 --delta 1e-3
deltachain check learnt.json --epsilon 1 --delta 0.01 --counterexample chain.json
deltachain check svt.py:above --secrets 'q=[(a, b) for a in range(4) for b in range(4)]' --neighbours 'linf 1' \\
    --epsilon 1 --delta 0
""",
    (
        *q.QUESTION,
        *q.TOGETHER,
        *q.LIMITS,
        q.CERTIFICATE,
        q.NO_CHECK,
        WITNESS,
        COUNTEREXAMPLE,
        ALLOWED,
        q.SAMPLE,
        q.SEED,
    ),
    _check,
    (
        *CHECKS,
        q.check_files(q.CERTIFICATE, WITNESS, COUNTEREXAMPLE),
        q.check_together(q.CERTIFICATE, WITNESS, COUNTEREXAMPLE),
    ),
)

# epsilon

AT_DELTA = value("--delta", "D", as_probability, "the δ that is allowed; 0 asks for pure ε-privacy").required(
    "no δ given", "give --delta D; 0 asks for pure ε-privacy"
)
ENDS = "how precisely to find e^ε, as a relative width (default: 1e-6)"
PRECISION = value("--precision", "P", as_width, ENDS).default("1e-6")
AT_LEAST = q.proof_file("", "write the proof that δ is allowed at the ε proved (or not, at the refuted)")
NODES_EACH = q.max_nodes(" for each ε")


def _epsilon(asked: Asked, session: Session) -> Reply:
    """The interval for ε; 3 if none was proved."""
    from ..verbs.epsilon import epsilon

    path = asked[AT_LEAST]
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        found = epsilon(
            model.chain,
            pairs=pairs,
            delta=asked[AT_DELTA],
            precision=asked[PRECISION],
            certificate=path is not None,
            max_nodes=asked[NODES_EACH],
            repeat=asked[q.REPEAT] or 1,
            compose=q.beside(asked, session, cancel),
            check=not asked[q.NO_CHECK],
            cancel=cancel,
        )
    files, notes = [q.certificate_file(asked, found, path)], []
    if path is not None and found.certificate is None:
        files, notes = [], [f"{path} was not written: the search at this ε was cut off or too short to prove it"]
    # What was cut may have been the check alone: then the ends are as close as asked.
    unsettled = not found.impossible and (found.proved is None or found.proved > found.refuted * (1 + asked[PRECISION]))
    if cancel.reason is not None and unsettled:
        notes.append("the search was cut off; what it proved and refuted stands, and more time may narrow it")
    code = Exit.DONE if found.proved is not None or found.impossible else Exit.UNDECIDED
    return Reply(result=found, code=code, model=model, files=files, notes=notes)


EPSILON = Verb(
    "epsilon",
    "Find the least ε at which (ε, δ)-privacy is proved.",
    """
deltachain epsilon example:survey --delta 0
deltachain epsilon example:dining-cryptographers,n=3 --delta 1e-4 --json
deltachain epsilon example:sticky-sensor --delta 0.05 --precision 1e-3 --timeout 60
deltachain epsilon example:survey --delta 0.1 --certificate proof.json
deltachain epsilon example:survey,p=51/100 --repeat 1000 --delta 1e-6
""",
    (*OF_MODEL, *q.TOGETHER, AT_DELTA, PRECISION, AT_LEAST, q.NO_CHECK, q.TIMEOUT, NODES_EACH),
    _epsilon,
    (q.check_pairs, q.check_files(AT_LEAST), q.check_together(AT_LEAST)),
)

# estimate

THREADS = q.jobs("threads on all cores")


def _estimate(asked: Asked, session: Session) -> Reply:
    """Both intervals; 3 when the one by sampling is wider than asked. It never says that a system is private."""
    from ..verbs.estimate import estimate_of, sampling_for

    terms = q.terms_of(asked)
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        drawing = sampling_for(asked[q.CONFIDENCE], asked[q.SAMPLES], asked[q.HORIZON], asked[q.SEED], cancel)
        with q.workers_of(asked, THREADS, here=True) as executor:
            found = estimate_of(terms, model.chain, pairs, drawing, executor, cancel)
    code, notes = Exit.DONE, []
    if terms.gap is not None and found.upper - found.lower > terms.gap:
        code, notes = Exit.UNDECIDED, [f"the interval is wider than --gap {asked.raw[q.GAP.dest]}"]
    elif found.interrupted:
        notes = ["cut off: the intervals hold; more samples would narrow the estimated one"]
    return Reply(result=found, code=code, model=model, at=terms.at, notes=notes)


ESTIMATE = Verb(
    "estimate",
    "Estimate δ by sampling, with a stated confidence. It is evidence, not a proof: no certificate, no verdict.",
    """
deltachain estimate example:sticky-sensor --exp-epsilon 1.1 --max-nodes 2000
deltachain estimate example:random,n=400,labels=3,degree=4 --exp-epsilon 1.1 --gap 0.003
deltachain estimate model.prism --epsilon 0.1 --confidence 0.99 --samples 20000 --seed 7 --json
""",
    (*q.QUESTION, *q.DRAWN, *q.LIMITS, THREADS, q.CLUSTER),
    _estimate,
    (*CHECKS, q.check_workers(THREADS)),
)

# profile

PLOT = value("--plot", "FILE", q.plot_file, "draw the band to an .svg, .png or .pdf file")
TRADEOFF = value("--tradeoff", "FILE", q.plot_file, "draw the trade-off (ROC) curve to such a file")
CSV = value("--csv", "FILE", q.output_file, "write the points as CSV")
LOSSES = value("--losses", "FILE", q.output_file, "write the exact privacy-loss distribution as CSV")
CORNERS = "write the corners of the trade-off function of each pair, both ways, as CSV"
TRADEOFF_POINTS = value("--tradeoff-points", "FILE", q.output_file, CORNERS)
ORDERS = value("--orders", "A,B", orders_of, "Rényi orders above 1 to show beside it: 2,4,8 or 3/2").default("")
KL = switch("--kl", explained="show the Kullback–Leibler divergence, in both directions")
ZCDP = switch("--zcdp", explained="show the least ρ of zCDP, in both directions")
DIVERGENCES = value("--divergences", "FILE", q.output_file, "write what --orders, --kl and --zcdp show as CSV")
SAMPLED = switch(
    "--estimate",
    explained="add a band estimated by sampling, with a stated confidence; not proved",
)
EACH_POINT = "write the proof of each point to this folder (each point is then proved on its own)"
CERTIFICATES = value("--certificates", "DIR", q.output_folder, EACH_POINT)
NODES_PER_POINT = q.max_nodes(" for each point")


def _profile(asked: Asked, session: Session) -> Reply:
    """The band; 3 if it was cut off."""
    from ..files import write_atomically
    from ..results.divergence import tradeoffs_csv
    from ..verbs.profile import profile

    folder = asked[CERTIFICATES]
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        curve = profile(
            model.chain,
            pairs=pairs,
            epsilons=asked[q.EPSILONS],
            repeat=asked[q.REPEAT] or 1,
            compose=q.beside(asked, session, cancel),
            certificates=folder,
            gap=asked[q.GAP],
            max_nodes=asked[NODES_PER_POINT],
            estimate=asked[SAMPLED],
            confidence=asked[q.CONFIDENCE],
            samples=asked[q.SAMPLES],
            horizon=asked[q.HORIZON],
            seed=asked[q.SEED],
            orders=asked[ORDERS],
            kl=asked[KL],
            zcdp=asked[ZCDP],
            check=not asked[q.NO_CHECK],
            cancel=cancel,
        )
    notes = [f"wrote {folder}"] if folder else []
    if curve.interrupted:
        notes.append("stopped early: points that were not reached show only what their neighbors prove")
    files: list[File] = [
        (asked[CSV], lambda path: write_atomically(path, [curve.csv()])),
        (asked[LOSSES], lambda path: write_atomically(path, [curve.losses_csv()])),
        (asked[PLOT], curve.plot),
        (asked[TRADEOFF], curve.plot_tradeoff),
        (asked[TRADEOFF_POINTS], lambda path: write_atomically(path, [tradeoffs_csv(curve.tradeoff())])),
        (asked[DIVERGENCES], lambda path: write_atomically(path, [curve.divergences_csv()])),
    ]
    code = Exit.UNDECIDED if curve.interrupted else Exit.DONE
    return Reply(result=curve, code=code, model=model, files=files, notes=notes)


def _check_measures(asked: Asked) -> Iterator[Defect]:
    if asked[DIVERGENCES] and not any(map(asked.given, (ORDERS, KL, ZCDP))):
        yield Defect("--divergences", "no measure to write", "give --orders, --kl or --zcdp")


MEASURES = (ORDERS, KL, ZCDP, DIVERGENCES, TRADEOFF_POINTS)
OF_CURVE = (q.EPSILONS, PLOT, TRADEOFF, CSV, LOSSES, *MEASURES, SAMPLED, *q.DRAWN, *q.TOGETHER, CERTIFICATES)

PROFILE = Verb(
    "profile",
    "Compute the band δ(ε) over a range of ε.",
    """
deltachain profile example:dining-cryptographers,n=4 --epsilons 0:0.1:0.01
deltachain profile example:survey --plot survey.svg --csv survey.csv
deltachain profile example:survey,p=51/100 --repeat 25000 --epsilons 0:40:10
deltachain profile example:dining-cryptographers,n=3 --orders 2,4,8 --zcdp --tradeoff-points corners.csv
deltachain profile example:sticky-sensor --epsilons 0,0.5,1 --max-nodes 500 --json
""",
    (*OF_MODEL, *OF_CURVE, q.GAP, q.TIMEOUT, NODES_PER_POINT, q.NO_CHECK),
    _profile,
    (
        q.check_pairs,
        q.check_files(PLOT, TRADEOFF, CSV, LOSSES, TRADEOFF_POINTS, DIVERGENCES),
        q.check_together(LOSSES, CERTIFICATES, SAMPLED),
        _check_measures,
    ),
)

# report

REPORT_DELTA = value("--delta", "D", as_probability, "the δ that is allowed, for a verdict (default: none)")
OUT = value("--out", "FILE.html", q.output_file, "the file to write").required(
    "no file to write", "give --out report.html"
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
    q.EPSILONS,
    q.GAP,
    NODES_PER_POINT,
    PRIOR,
    *FRONT,
)


def _front_matter(asked: Asked) -> FrontMatter:
    """What the author says, read; InputError with every defect."""
    from ..reports.markdown import LONGEST
    from ..reports.report import front_matter

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
    from ..reports.report import model_text, report_of

    front = _front_matter(asked)
    terms = q.terms_of(asked, NODES_PER_POINT, asked[REPORT_DELTA])
    command = ["deltachain", "report", asked[q.MODEL], *asked.typed(q.READ), *asked.typed(REPEATED)]
    with q.asking(asked, session, asked[q.TIMEOUT]) as (model, pairs, cancel):
        page = report_of(
            terms.about(model.chain, pairs),
            asked[q.EPSILONS],
            asked[PRIOR],
            model.source,
            cancel,
            command=shlex.join([*command, "--out", "report.html"]),
            verify=q.verify_line(asked, "certificate.json"),
            notes=model.notes,
            front=front,
            text=model_text(asked[q.MODEL]),
            inspection=q.inspection(asked, model.chain, cancel),
            inputs=q.inputs(asked, model),
        )
    return Reply(result=page, code=_code(page.found), model=model, at=terms.at, files=[(asked[OUT], page.save)])


REPORT = Verb(
    "report",
    "Write everything about a model to one HTML file.",
    """
deltachain report example:dining-cryptographers,n=2,p=49/100 --epsilon 0.1 --delta 1e-3 --out report.html
deltachain report model.json --pair s0 s1 --exp-epsilon 3/2 --out report.html
deltachain report example:sticky-sensor --epsilon 1 --delta 0.1 --epsilons 0:2:0.1 --max-nodes 500 --out report.html
""",
    (*q.QUESTION, REPORT_DELTA, OUT, q.EPSILONS, PRIOR, q.GAP, q.TIMEOUT, NODES_PER_POINT, q.NO_CHECK, *FRONT),
    _report,
    (*CHECKS, q.check_files(OUT)),
)
