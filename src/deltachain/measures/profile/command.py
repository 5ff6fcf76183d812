"""``profile``: δ over a range of ε, and the measures that follow from it."""

from __future__ import annotations

from collections.abc import Iterator

from ...cli import question as q
from ...cli.command import Exit, File, Reply, Session, Verb
from ...cli.options import Asked, orders_of, switch, value
from ...errors import Defect
from ...files import write_atomically
from ..divergences.show import tradeoffs_csv
from .verb import profile

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
EACH_POINT = "write the proof of each point to this folder (each is then proved on its own), and of exact measures"
CERTIFICATES = value("--certificates", "DIR", q.output_folder, EACH_POINT)


def _profile(asked: Asked, session: Session) -> Reply:
    """The band; 3 if it was cut off."""
    folder = asked[CERTIFICATES]
    tradeoff = asked[TRADEOFF_POINTS] is not None or asked[TRADEOFF] is not None
    with q.open_inquiry(asked, session, asked[q.TIMEOUT], sandwiched=not asked[SAMPLED]) as (inquiry, cancel):
        curve = q.answer(profile, inquiry, asked, session, cancel, tradeoff=tradeoff)
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
    return Reply(result=curve, code=code, model=inquiry.model, files=files, notes=notes)


def _check_measures(asked: Asked) -> Iterator[Defect]:
    if asked[DIVERGENCES] and not any(map(asked.is_given, (ORDERS, KL, ZCDP))):
        yield Defect("--divergences", "no measure to write", "give --orders, --kl or --zcdp")


MEASURES = (ORDERS, KL, ZCDP, DIVERGENCES, TRADEOFF_POINTS)
OF_CURVE = (q.EPSILONS, PLOT, TRADEOFF, CSV, LOSSES, *MEASURES, SAMPLED, *q.DRAWN, *q.TOGETHER, CERTIFICATES)

PROFILE = Verb(
    "profile",
    """
deltachain profile example:dining-cryptographers,n=4 --epsilons 0:0.1:0.01
deltachain profile example:survey --plot survey.svg --csv survey.csv
deltachain profile example:survey,p=51/100 --repeat 25000 --epsilons 0:40:10
deltachain profile example:dining-cryptographers,n=3 --orders 2,4,8 --zcdp --tradeoff-points corners.csv
deltachain profile example:sticky-sensor --epsilons 0,0.5,1 --max-nodes 500 --json
""",
    (*q.OF_PAIRS, *OF_CURVE, q.GAP, q.TIMEOUT, q.NODES_PER_POINT, q.NO_CHECK),
    _profile,
    (
        q.check_pairs,
        q.check_files(PLOT, TRADEOFF, CSV, LOSSES, TRADEOFF_POINTS, DIVERGENCES),
        q.check_together(LOSSES, CERTIFICATES, SAMPLED),
        _check_measures,
    ),
)
