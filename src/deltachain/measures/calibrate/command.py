"""``calibrate``: the best value of a parameter that is proved private, and its neighbour that is refuted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cancel import Cancel, interruptible
from ...cli import question as q
from ...cli.command import Exit, File, Reply, Session, Verb
from ...cli.options import Asked, switch, text, value
from ...code import importing
from ...errors import Defect, InputError
from ...files import make_folder
from ...numbers.fraction import format_fraction
from ...parameters import as_width
from .verb import calibrate

if TYPE_CHECKING:
    from ..delta.show import Verdict
    from ..parametric.show import Parametric
    from .show import Calibration

VALUES = "the parameter and its values: scale=1:100 (with --step), or a list, scale=1,2,5"
PARAMETER = text("--parameter", "NAME=VALUES", VALUES).require("no parameter", "give --parameter scale=1:100")
STEP = value("--step", "S", as_width, "the step of the values A:B, exact: 1/10 (default: 1)")
MAXIMISE = switch(
    "--maximise", explained="the largest value is the best (default: seen from the ends)", exclusive="goal"
)
MINIMISE = switch("--minimise", explained="the smallest value is the best", exclusive="goal")
EVERY = switch("--all", explained="examine every value, and assume nothing about those between")
PROOFS = (
    "write the proofs to this folder: proved.json, refuted.json and, where no better value is private, beyond.json; "
    "files of these names from an earlier run are removed"
)
CERTIFICATES = value("--certificates", "DIR", q.output_folder, PROOFS, q.PROOFS)
PLOT = value("--plot", "FILE", q.plot_file, "draw δ over the values that were tried to an .svg, .png or .pdf file")
NODES_EACH = q.max_nodes(" for each value")


def _calibrate(asked: Asked, session: Session) -> Reply:
    """Both values; 1 if no value is private, 3 if one stayed open, or if the search was cut off."""
    with session.work(asked[q.TIMEOUT]) as cancel, interruptible(cancel), _model(asked, cancel) as model:
        source, secrets, constants = model
        found = calibrate(
            source,
            parameter=asked[PARAMETER],
            step=asked[STEP],
            goal="largest" if asked[MAXIMISE] else "smallest" if asked[MINIMISE] else None,
            every=asked[EVERY],
            accuracy=asked[q.ACCURACY],
            secrets=secrets,
            neighbours=asked[q.NEIGHBOURS],
            constants=constants,
            **q.how_code_is_run(asked),
            epsilon=asked[q.EPSILON],
            exp_epsilon=asked[q.EXP_EPSILON],
            delta=asked[q.ALLOWED],
            max_nodes=asked[NODES_EACH],
            check=not asked[q.NO_CHECK],
            cancel=cancel,
        )
    verdicts = {tried.verdict for tried in found.tried}
    code = Exit.DONE
    if found.best is None and "private" not in verdicts:
        code = Exit.VIOLATED
    if found.stopped != "finished" or (found.undecided and not found.whole):
        code = Exit.UNDECIDED
    files = [*_certificates(asked, found), (asked[PLOT], found.plot)]
    return Reply(result=found, code=code, at=q.at_of(asked), files=files)


@contextmanager
def _model(asked: Asked, cancel: Cancel) -> Iterator[tuple[Any, Any, Mapping[str, object] | None]]:
    """MODEL, or the function of a file that is run on purpose; its secrets; values of its constants."""
    source, constants = asked[q.MODEL], asked[q.CONSTANTS]
    if not asked[q.EXECUTE]:
        q.refuse_without_execute(asked)
        yield source, q.read_secrets(asked, cancel), q.read_constants(source, constants)
        return
    if asked[q.SECRETS] is not None:
        raise InputError(Defect(q.SECRETS.name, "not used with --execute", "give each by --secret"))
    with importing(source, asked[q.SECRET], constants or "", cancel) as found:
        yield found


def _certificates(asked: Asked, found: Calibration) -> Iterator[File]:
    """The certificates of both values, and that no better one is private, each with the command that checks it.

    Files of these names are this run's: those of an earlier run that it has no proof for are removed, and it says so.
    """
    folder, model = asked[CERTIFICATES], asked[q.MODEL]
    if folder is None:
        return
    proofs: list[tuple[str, str, Verdict | Parametric]] = [
        (name, f"{model},{found.parameter}={format_fraction(at)}", verdict)
        for name, at, verdict in (
            ("proved", found.best, found.proof),
            ("refuted", found.refuted, found.refutation),
        )
        if at is not None and verdict is not None
    ]
    if found.beyond_proof is not None and found.beyond_proof.checked.accepted is not None:
        proofs.append(("beyond", model, found.beyond_proof))
    options = (
        [q.CONSTANTS, q.SECRET, q.EXECUTE, q.ISOLATE, q.INTEGERS]
        if asked[q.EXECUTE]
        else [q.CONSTANTS, q.SECRET, q.SECRETS, q.NEIGHBOURS]
    )
    for name, of, proof in proofs:

        def write(path: Path, of: str = of, proof: Verdict | Parametric = proof) -> str:
            make_folder(path.parent)
            proof.certificate.save(path)
            return f"certificate: {path} (check it: {q.verify_command(asked, of, str(path), options)})"

        yield folder / f"{name}.json", write

    def remove(path: Path) -> str:
        path.unlink()
        return f"removed {path}, which an earlier run wrote: this one has no such proof"

    written = {name for name, *_ in proofs}
    for name in ("proved", "refuted", "beyond"):
        old = folder / f"{name}.json"
        if name not in written and old.is_file():
            yield old, remove


def _refuse_files(asked: Asked) -> Iterator[Defect]:
    """Models that have no constants."""
    source = asked[q.MODEL]
    if source == "-" or (source.endswith(".json") and ":" not in source):
        yield Defect("MODEL", "a model file of numbers has no parameters", "give protocol.py:NAME, or example:NAME")


CALIBRATE = Verb(
    "calibrate",
    """
deltachain calibrate noise.py:published --parameter scale=1:100 --step 1/10 --secret count=0 --secret count=1 \\
    --epsilon 1 --delta 1e-6 --accuracy 'abs(output - count) <= 3'
deltachain calibrate glue.py:release --parameter scale=1:10 --execute --secret count=0 --secret count=1 \\
    --epsilon 1/2 --delta 0
deltachain calibrate example:survey --parameter p=51/100:99/100 --step 1/100 --exp-epsilon 3 --delta 1/20 --all
""",
    (
        *(
            q.MODEL,
            q.CONSTANTS,
            q.SECRET,
            q.SECRETS,
            q.EXECUTE,
            q.ISOLATE,
            q.INTEGERS,
            q.NEIGHBOURS,
            PARAMETER,
            STEP,
            MAXIMISE,
            MINIMISE,
            EVERY,
        ),
        q.ACCURACY,
        PLOT,
        *(*q.AT, q.ALLOWED, q.TIMEOUT, NODES_EACH, CERTIFICATES, q.NO_CHECK),
    ),
    _calibrate,
    (q.check_epsilon, _refuse_files, q.check_files(PLOT)),
)
