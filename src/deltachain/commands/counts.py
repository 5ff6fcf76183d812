"""``counts``: an event log as a model of counts, with a confidence that is honest if what it rests on is true."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import parameters
from ..cli.command import Reply, Session, Shown, Verb
from ..cli.options import Asked, choice, positional, switch, text, value
from ..errors import Defect, InputError
from ..files import STANDARD, STANDARD_INPUT, write_atomically
from ..formats.distributions import csv_records
from ..formats.native import chain_from_json
from ..model.event_log import CountedLog, LogDeclaration, count_log
from ..numbers.fraction import format_fraction
from ..results.numbers import at_confidence, json_number
from ..results.sections import Fields, Paragraph, Section
from ..results.text import list_first, printable

DECLARE = "what you knew before you saw the log"
NEEDED = "rows and targets must be declared before the data are seen, or the confidence is false"


def _names(given: Any, place: str) -> tuple[str, ...]:
    """Names separated by commas, quoted as in a line of CSV where a name has one."""
    try:
        cells = next(csv.reader([str(given)], strict=True), [])
    except csv.Error:
        raise InputError(Defect(place, f"{given!r} is not a list of names", "write a,b,c")) from None
    return tuple(cell.strip() for cell in cells)


LOG = positional("LOG", "a CSV file (- for standard input) whose first line names the columns; one run per line")
OUT = (
    text("--out", "FILE", "the model to write (.json)")
    .abbreviate("-o")
    .require("no file is named", "add --out model.json")
)
SECRETS = value("--secrets", "A,B,…", _names, "the secrets that are compared", DECLARE).require(
    NEEDED, "name the secrets that are possible: --secrets a,b"
)
OUTPUTS = value("--outputs", "X,Y,…", _names, "what may come out; anything else counts as rest", DECLARE).require(
    NEEDED, "name the outputs that are possible: --outputs x,y,z"
)
COMPLETE = switch("--complete", explained="nothing but these outputs is possible", group=DECLARE)
TOTALS = choice(
    "--totals",
    ("random", "fixed"),
    "fixed: the number of rows per secret was decided in advance (default: random)",
    DECLARE,
)
CONFIDENCE = value("--confidence", "C", parameters.as_confidence, "of all limits together (default: 0.99)").default(
    "0.99"
)
MOST_STEPS = 1000
DEPTH = value("--depth", "D", parameters.whole("depth", 1, MOST_STEPS), "rows are traces: keep their first D outputs")
END = text("--end", "LETTER", "a trace that ends before D ends with this output; otherwise it is cut off there")
SECRET_COLUMN = text("--secret-column", "NAME", "the column of the secret (default: secret)").default("secret")
OUTPUT_COLUMN = text("--output-column", "NAME", "the column of the output (default: output, or trace with --depth)")
USER = text("--user", "COLUMN", "the column that names the user; one who occurs twice is refused")
FIRST = switch("--first-run", explained="of a user who occurs twice, count the first row")


def _checks(asked: Asked) -> Iterator[Defect]:
    """What can be wrong with several options together."""
    if asked[FIRST] and not asked.is_given(USER):
        yield Defect("--first-run", "it is about users", "name their column: --user COLUMN")
    if asked[TOTALS] == "fixed" and (asked[DEPTH] or 0) > 1:
        what = "how often a prefix occurs is never decided in advance"
        yield Defect("--totals", what, "drop it: the limits hold for random totals")
    if asked.is_given(END) and not asked.is_given(DEPTH):
        yield Defect("--end", "a run of one output has no end", "add --depth D, or drop it")


def _counts(asked: Asked, session: Session) -> Reply:
    """Count, write the model, and say what it rests on."""
    declared = LogDeclaration(
        asked[SECRETS],
        asked[OUTPUTS],
        asked[DEPTH],
        asked[END],
        complete=asked[COMPLETE],
        first_run=asked[FIRST],
        totals="fixed" if asked[TOTALS] == "fixed" else "random",
    )
    columns = (asked[SECRET_COLUMN], asked[OUTPUT_COLUMN] or ("output" if asked[DEPTH] is None else "trace"))
    out = Path(asked[OUT])
    if out.suffix.lower() != ".json":
        raise InputError(Defect("--out", f"{asked[OUT]!r} is not a native model", "end its name with .json"))
    with session.work() as cancel:
        records = csv_records(Path(asked[LOG]), cancel)
        source = STANDARD_INPUT if asked[LOG] == STANDARD else asked[LOG]
        log = count_log(records, declared, source=source, secret=columns[0], output=columns[1], user=asked[USER])
        made = log.document(format_fraction(asked[CONFIDENCE]), columns)
        written = json.dumps(made, indent=1, ensure_ascii=False)
        chain = chain_from_json(written, str(out))
        write_atomically(out, [written, "\n"])
    line = printable(f"{asked[OUT]}: {len(chain)} states from {log.counted:,} of {log.runs:,} rows")
    body = _body(log) | {
        "output": asked[OUT],
        "confidence": json_number(asked[CONFIDENCE]),
        "written": {"states": len(chain), "transitions": chain.transitions, "sha256": chain.sha256},
    }
    return Reply(result=Shown(line, body, lambda: _sections(log, at_confidence(asked[CONFIDENCE]))))


def _body(log: CountedLog) -> dict[str, Any]:
    declared = log.declared
    return {
        "secrets": list(declared.secrets),
        "outputs": list(declared.outputs),
        "depth": declared.depth,
        "end": declared.end,
        "totals": declared.totals,
        "rows": {
            "read": log.runs,
            "counted": log.counted,
            "other_secrets": log.other_secrets,
            "later_runs": log.later_runs,
            "other_outputs": log.other_outputs,
            "cut_off": log.cut_off,
        },
        "assumes": log.assumptions(),
    }


def _sections(log: CountedLog, confidence: str) -> list[Section]:
    """The figures, and what the confidence rests on."""
    declared = log.declared
    rows = [
        ("secrets", list_first(list(declared.secrets))),
        ("outputs", list_first(list(declared.outputs)) + (", nothing else" if declared.complete else ", or others")),
        ("rows counted", f"{log.counted:,} of {log.runs:,}"),
    ]
    if declared.depth is not None:
        rows.insert(2, ("traces", f"the first {declared.depth} outputs; {declared.rows:,} prefixes have a row"))
    for number, thing, fate in (
        (log.other_secrets, "row", "with a secret that was not declared, left out"),
        (log.later_runs, "later row", "of users who had one before, left out"),
        (log.other_outputs, "output", "not declared, counted as rest"),
        (log.cut_off, "trace", f"shorter than {declared.depth}, cut off there"),
    ):
        if number:
            rows.append(("besides", f"{number:,} {thing}{'' if number == 1 else 's'} {fate}"))
    if missing := log.list_missing():
        rows.append(("besides", f"no row has the secret {list_first(missing)}: nothing is known of it"))
    believed = "\n".join(f"- {line}" for line in log.assumptions())
    return [Fields(rows), Paragraph(f"Its limits hold {confidence}, if\n{believed}")]


COUNTS = Verb(
    "counts",
    """
deltachain counts log.csv --secrets a,b --outputs yes,no --out model.json
deltachain counts log.csv --secrets a,b --outputs yes,no --user person --first-run --out model.json
deltachain counts traces.csv --secrets a,b --outputs x,y --depth 3 --end stop --out model.json
""",
    (
        LOG,
        OUT,
        SECRETS,
        OUTPUTS,
        COMPLETE,
        TOTALS,
        CONFIDENCE,
        DEPTH,
        END,
        SECRET_COLUMN,
        OUTPUT_COLUMN,
        USER,
        FIRST,
    ),
    _counts,
    checks=(_checks,),
)
