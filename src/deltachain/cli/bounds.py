"""``delta``, ``check``, ``epsilon``, ``estimate``, ``profile`` and ``report``: the verbs about δ and ε."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cancel import interruptible
from ..errors import Defect
from ..parameters import as_prior, as_questions, as_runs, as_width
from ..rational import as_probability
from .model_argument import MODEL, MODEL_OPTIONS, PAIR_OPTIONS, READ, check_pairs, load_model, pairs_of
from .options import Asked, Option, defaulted, required, switch, value
from .search import (
    AT,
    CERTIFICATE,
    CLUSTER,
    CONFIDENCE,
    DRAWN,
    EPSILONS,
    GAP,
    HORIZON,
    MAX_NODES,
    SAMPLES,
    SEED,
    TIMEOUT,
    WITNESS,
    certificate_writer,
    check_epsilon,
    check_files,
    check_workers,
    jobs,
    max_nodes,
    output_file,
    output_folder,
    plot_file,
    terms_of,
    verify_line,
    workers_of,
)
from .session import Exit, Reply, Session, Verb

if TYPE_CHECKING:
    from ..model import Loaded
    from ..results.delta import Delta
    from ..results.profile import Profile

CODES = {"private": Exit.DONE, "violated": Exit.VIOLATED, "undecided": Exit.UNDECIDED}

LIMITS = (GAP, TIMEOUT, MAX_NODES)
QUESTION = (*MODEL_OPTIONS, *PAIR_OPTIONS, *AT)

# delta and check

FIXED = value(
    "--fixed",
    "N",
    as_questions,
    "where the observer asks: also the best plan of N questions that are decided in advance",
)
ALLOWED = required(
    "--delta",
    "D",
    as_probability,
    "the δ that is allowed, in [0, 1], exact: 1e-3, 1/1000",
    ("no δ to check against", "give --delta D"),
)


def _delta(asked: Asked, session: Session) -> Reply:
    """The interval; 3 when it is wider than asked, or was cut off."""
    terms = terms_of(asked)
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        from ..api import delta_of

        with interruptible(cancel):
            found = delta_of(terms, model.chain, pairs, cancel, asked[FIXED])
    code, notes = Exit.DONE, []
    if terms.gap is not None and found.upper - found.lower > terms.gap:
        code, notes = Exit.UNDECIDED, [f"the interval is certified, but wider than --gap {asked.raw[GAP.dest]}"]
    elif terms.gap is None and found.interrupted and not found.exact:
        code, notes = Exit.UNDECIDED, ["the search was cut off; the interval is certified, more time may narrow it"]
    files = _proofs(asked, found, model)
    return Reply(result=found, code=code, model=model, at=terms.at, files=files, notes=notes)


def _check(asked: Asked, session: Session) -> Reply:
    """The verdict, which is the exit code too."""
    terms = terms_of(asked, allowed=asked[ALLOWED])
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        from ..api import delta_of

        with interruptible(cancel):
            found = delta_of(terms, model.chain, pairs, cancel)
    from ..results.verdict import Verdict

    code = CODES[found.verdict] if isinstance(found, Verdict) else Exit.UNDECIDED
    return Reply(result=found, code=code, model=model, at=terms.at, files=_proofs(asked, found, model))


def _proofs(asked: Asked, found: Delta, model: Loaded) -> list[Callable[[], str]]:
    """Writers of ``--certificate`` and ``--witness``, each all or nothing."""
    files = certificate_writer(asked, found, asked[CERTIFICATE])
    path = asked[WITNESS]

    def write_witness() -> str:
        from ..files import write_atomically
        from ..results.document import document, rendered
        from ..results.witness import witness_body

        body = {"witness": witness_body(found.witness)}
        whole = document("deltachain.witness/1", body, model=model, exp_epsilon=found.exp_epsilon, seconds=0.0)
        write_atomically(str(path), [rendered(whole), "\n"])
        return f"witness: {path}" + ("" if found.witness else " (nothing tells the states apart)")

    return files if path is None else [*files, write_witness]


def _check_delta(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_epsilon(asked)
    yield from check_files(asked, CERTIFICATE, WITNESS)


DELTA = Verb(
    "delta",
    "Bound, with a proof, the smallest δ at which the pairs are (ε, δ)-private.",
    """
deltachain delta example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain delta model.json --pair s0 s1 --epsilon 0.1 --gap 1e-4 --timeout 60
deltachain delta model.json --epsilon 0.1 --certificate proof.json --witness event.json --json
deltachain delta device.json --epsilon 0.1 --fixed 3
""",
    (*QUESTION, *LIMITS, CERTIFICATE, WITNESS, FIXED),
    _delta,
    _check_delta,
)

CHECK = Verb(
    "check",
    "Decide whether the pairs are (ε, δ)-private: proved, refuted with a witness, or undecided.",
    """
deltachain check example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --delta 3e-4
deltachain check model.json --pair s0 s1 --epsilon 0.1 --delta 1e-3 --timeout 60 --json
deltachain check model.json --epsilon 0 --delta 0.01 --certificate proof.json
""",
    (*QUESTION, *LIMITS, CERTIFICATE, WITNESS, ALLOWED),
    _check,
    _check_delta,
)

# epsilon

AT_DELTA = required(
    "--delta",
    "D",
    as_probability,
    "the δ that is allowed; 0 asks for pure ε-privacy",
    ("no δ to search ε for", "give --delta D; 0 asks for pure ε-privacy"),
)
PRECISION = defaulted("--precision", "P", as_width, "where a bisection stops, relative in e^ε (default: 1e-6)", "1e-6")
EPSILON_CERTIFICATE = value(
    "--certificate", "FILE", output_file, "write the proof that δ is allowed at the ε proved (or not, at the refuted)"
)
NODES_EACH = max_nodes(" for each ε")


def _epsilon(asked: Asked, session: Session) -> Reply:
    """The interval for ε; 3 if none was proved."""
    path = asked[EPSILON_CERTIFICATE]
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        from ..api import epsilon

        with interruptible(cancel):
            found = epsilon(
                model.chain,
                pairs=pairs,
                delta=asked[AT_DELTA],
                precision=asked[PRECISION],
                certificate=path is not None,
                max_nodes=asked[NODES_EACH],
                cancel=cancel,
            )
    files = certificate_writer(asked, found, path if found.certificate is not None else None)
    notes = []
    if path is not None and found.certificate is None:
        notes = [f"{path} was not written: the search at this ε, cut off or too short, proves less"]
    code = Exit.DONE if found.proved is not None or found.impossible else Exit.UNDECIDED
    return Reply(result=found, code=code, model=model, files=files, notes=notes)


def _check_epsilon(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_files(asked, EPSILON_CERTIFICATE)


EPSILON = Verb(
    "epsilon",
    "Find the least ε at which (ε, δ)-privacy is proved.",
    """
deltachain epsilon example:survey --delta 0
deltachain epsilon example:dining-cryptographers,n=3 --delta 1e-4 --json
deltachain epsilon example:sticky-sensor --delta 0.05 --precision 1e-3 --timeout 60
deltachain epsilon example:survey --delta 0.1 --certificate proof.json
""",
    (*MODEL_OPTIONS, *PAIR_OPTIONS, AT_DELTA, PRECISION, EPSILON_CERTIFICATE, TIMEOUT, NODES_EACH),
    _epsilon,
    _check_epsilon,
)

# estimate

THREADS = jobs("threads on all cores")


def _estimate(asked: Asked, session: Session) -> Reply:
    """Both intervals; 3 when the one by sampling is wider than asked. It never says that a system is private."""
    terms = terms_of(asked)
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        from ..api import estimate_of, sampling_for

        drawing = sampling_for(asked[CONFIDENCE], asked[SAMPLES], asked[HORIZON], asked[SEED], cancel)
        with interruptible(cancel), workers_of(asked, THREADS, here=True) as executor:
            found = estimate_of(terms, model.chain, pairs, drawing, executor, cancel)
    code, notes = Exit.DONE, []
    if terms.gap is not None and found.upper - found.lower > terms.gap:
        code, notes = Exit.UNDECIDED, [f"the interval is wider than --gap {asked.raw[GAP.dest]}"]
    elif found.interrupted:
        notes = ["cut off: the intervals hold, more words would narrow the one by sampling"]
    return Reply(result=found, code=code, model=model, at=terms.at, notes=notes)


def _check_estimate(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_epsilon(asked)
    yield from check_workers(asked, THREADS)


ESTIMATE = Verb(
    "estimate",
    "Estimate δ by sampling, with a stated confidence. It is evidence, not a proof: no certificate, no verdict.",
    """
deltachain estimate example:sticky-sensor --exp-epsilon 1.1 --max-nodes 2000
deltachain estimate example:random,n=400,labels=3,degree=4 --exp-epsilon 1.1 --gap 0.003
deltachain estimate model.prism --epsilon 0.1 --confidence 0.99 --samples 20000 --seed 7 --json
""",
    (*QUESTION, *DRAWN, *LIMITS, THREADS, CLUSTER),
    _estimate,
    _check_estimate,
)

# profile

PLOT = value("--plot", "FILE", plot_file, "draw the band to an .svg, .png or .pdf file")
TRADEOFF = value("--tradeoff", "FILE", plot_file, "draw the trade-off (ROC) curve to such a file")
CSV = value("--csv", "FILE", output_file, "write the points as CSV")
LOSSES = value("--losses", "FILE", output_file, "write the exact privacy-loss distribution as CSV")
SAMPLED = switch(
    "--estimate", help="add a band by sampling, with a stated confidence: every ε from one set of words; not proved"
)
REPEAT = value("--repeat", "K", as_runs, "ask about K independent runs, composed from the exact losses of one")
CERTIFICATES = value(
    "--certificates", "DIR", output_folder, "write the proof of each point into this folder; no neighbour helps then"
)
NODES_PER_POINT = max_nodes(" for each point")


def _profile(asked: Asked, session: Session) -> Reply:
    """The band; 3 if it was cut off."""
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        from ..api import profile

        with interruptible(cancel):
            curve = profile(
                model.chain,
                pairs=pairs,
                epsilons=asked[EPSILONS],
                repeat=asked[REPEAT] or 1,
                certificates=asked[CERTIFICATES],
                gap=asked[GAP],
                max_nodes=asked[NODES_PER_POINT],
                estimate=asked[SAMPLED],
                confidence=asked[CONFIDENCE],
                samples=asked[SAMPLES],
                horizon=asked[HORIZON],
                seed=asked[SEED],
                cancel=cancel,
            )
    notes = [f"wrote {asked[CERTIFICATES]}"] if asked[CERTIFICATES] else []
    if curve.interrupted:
        notes.append("stopped early: points that were not reached say only what their neighbours prove")
    code = Exit.UNDECIDED if curve.interrupted else Exit.DONE
    return Reply(result=curve, code=code, model=model, files=list(_curves(asked, curve)), notes=notes)


def _curves(asked: Asked, curve: Profile) -> Iterator[Callable[[], str]]:
    from ..files import write_atomically

    writers: dict[Option[Path | None], Callable[[Path], object]] = {
        CSV: lambda path: write_atomically(path, [curve.csv()]),
        LOSSES: lambda path: write_atomically(path, [curve.losses_csv()]),
        PLOT: curve.plot,
        TRADEOFF: curve.plot_tradeoff,
    }

    def writer(write: Callable[[Path], object], path: Path) -> Callable[[], str]:
        def written() -> str:
            write(path)
            return f"wrote {path}"

        return written

    for option, write in writers.items():
        path = asked[option]
        if path is not None:
            yield writer(write, path)


def _check_profile(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_files(asked, PLOT, TRADEOFF, CSV, LOSSES)
    if (asked[REPEAT] or 1) > 1:
        for option in (LOSSES, CERTIFICATES):
            if asked.raw.get(option.dest) is not None:
                yield Defect("--repeat", f"{option.name} is about one run", "ask for it without --repeat")


PROFILE = Verb(
    "profile",
    "Compute the band δ(ε) over a range of ε.",
    """
deltachain profile example:dining-cryptographers,n=4 --epsilons 0:0.1:0.01
deltachain profile example:survey --plot survey.svg --csv survey.csv
deltachain profile example:survey,p=51/100 --repeat 25000 --epsilons 0:40:10
deltachain profile example:sticky-sensor --epsilons 0,0.5,1 --max-nodes 500 --json
""",
    (
        *MODEL_OPTIONS,
        *PAIR_OPTIONS,
        EPSILONS,
        PLOT,
        TRADEOFF,
        CSV,
        LOSSES,
        SAMPLED,
        *DRAWN,
        REPEAT,
        CERTIFICATES,
        GAP,
        TIMEOUT,
        NODES_PER_POINT,
    ),
    _profile,
    _check_profile,
)

# report

REPORT_DELTA = value("--delta", "D", as_probability, "the δ that is allowed, for a verdict (default: none)")
OUT = required("--out", "FILE.html", output_file, "the file to write", ("no file to write", "give --out report.html"))
PRIOR = defaulted("--prior", "P", as_prior, "a watcher's belief in the first state, before (default: 1/2)", "1/2")
REPEATED_OPTIONS: tuple[Option[Any], ...] = (*PAIR_OPTIONS, *AT, REPORT_DELTA, EPSILONS, GAP, NODES_PER_POINT, PRIOR)


def _report(asked: Asked, session: Session) -> Reply:
    """The page; with ``--delta``, the verdict is the exit code."""
    terms = terms_of(asked, NODES_PER_POINT, asked[REPORT_DELTA])
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        question = terms.about(model.chain, pairs_of(asked, model.chain))
        from ..reports.report import report_of

        command = ["deltachain", "report", asked[MODEL], *asked.typed(READ), *asked.typed(REPEATED_OPTIONS)]
        with interruptible(cancel):
            page = report_of(
                question,
                asked[EPSILONS],
                asked[PRIOR],
                model.source,
                cancel,
                command=shlex.join([*command, "--out", "report.html"]),
                verify=verify_line(asked, "certificate.json"),
                notes=model.notes,
            )
    verdict = getattr(page.found, "verdict", None)
    code = CODES[verdict] if verdict is not None else Exit.UNDECIDED if page.found.interrupted else Exit.DONE

    def write() -> str:
        page.save(asked[OUT])
        return f"wrote {asked[OUT]}"

    return Reply(result=page, code=code, model=model, at=terms.at, files=[write])


def _check_report(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_epsilon(asked)
    yield from check_files(asked, OUT)


REPORT = Verb(
    "report",
    "Write everything about a model to one HTML file.",
    """
deltachain report example:dining-cryptographers,n=2,p=49/100 --epsilon 0.1 --delta 1e-3 --out report.html
deltachain report model.json --pair s0 s1 --exp-epsilon 3/2 --out report.html
deltachain report example:sticky-sensor --epsilon 1 --delta 0.1 --epsilons 0:2:0.1 --max-nodes 500 --out report.html
""",
    (*QUESTION, REPORT_DELTA, OUT, EPSILONS, PRIOR, GAP, TIMEOUT, NODES_PER_POINT),
    _report,
    _check_report,
)
