"""``convert``: a model in another format, or a part of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from ..certificate.families import family_document, open_hash
from ..cli import question as q
from ..cli.command import JSON, QUIET, Reply, Session, Shown, Verb
from ..cli.options import Asked, positional, several, switch, text
from ..errors import Defect, InputError
from ..files import STANDARD, to_standard_output, write_atomically
from ..formats import holds_assumptions, holds_relation, rows_enclosed, save
from ..measures.parametric.verb import loaded_open
from ..model import Chain, quotient, restrict
from ..numbers.parameter import OpenParameter
from ..results.text import printable

OUTPUT_FILE = positional("OUT", "the file to write; its suffix names the format; -: standard output")
FORMAT_TO = text("--to", "FORMAT", "the format to write, if the suffix of OUT does not tell")
REACHABLE = several("--reachable", "S", "keep only the states that these can reach")
CHOOSE = several("--choose", "LABEL=INPUT", "fix the input that is given at this label")
MERGE = switch("--quotient", explained="merge bisimilar states")
FORCE = switch("--force", explained="overwrite OUT")
OPEN = text(
    "--parameter", "NAME=A:B", "leave this constant of a program open, for the checker alone: u=0:1, to native JSON"
)


def _convert(asked: Asked, session: Session) -> Reply:
    """Write the model, and say what was written."""
    output: str = asked[OUTPUT_FILE]
    if output == STANDARD and asked[JSON]:
        raise InputError(Defect("--json", "the model itself goes to standard output", "give a file for OUT"))
    if not asked[FORCE]:
        _refuse_overwriting(asked)
    if (parameter := asked[OPEN]) is not None:
        return _convert_open(asked, session, parameter)
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel)
        chain = model.chain
        if asked[CHOOSE]:
            chain = chain.choosing(_choices(asked[CHOOSE], chain))
        if asked[REACHABLE]:
            chain = restrict(chain, q.states_named(chain, asked[REACHABLE], "--reachable"))
        if asked[MERGE]:
            chain = quotient(chain, cancel=cancel).chain
        save(chain, output, format=asked[FORMAT_TO])
    if chain.relation and not holds_relation(chain, output, asked[FORMAT_TO]):
        session.note(f"{output}: this format holds no relation; pairs left out: {len(chain.relation)}")
    if chain.assumes and not holds_assumptions(output, asked[FORMAT_TO]):
        session.note(f"{output}: this format does not keep what answers about this chain assume; .json does")
    if enclosed := rows_enclosed(chain, output, asked[FORMAT_TO]):
        what = f"{enclosed:,} rows are intervals around the numbers of the model, and are read back as limits"
        session.note(f"{output}: this format holds only fractions and intervals; {what}; .json holds every number")
    written = {"states": len(chain), "transitions": chain.transitions, "sha256": chain.sha256}
    body = {"output": output, "format": _format(asked), "written": written}
    line = printable(f"{output}: {len(chain)} states, {chain.transitions} transitions")
    silent = not asked[JSON] and (asked[QUIET] or output == STANDARD)
    return Reply(result=Shown(line, body), model=model, silent=silent)


def _convert_open(asked: Asked, session: Session, parameter: str) -> Reply:
    """Write the model with one constant left open: formulas in it."""
    defects = [
        Defect(option.name, "not used with --parameter", "drop it")
        for option in (CHOOSE, REACHABLE, MERGE)
        if asked[option]
    ]
    if _format(asked) != "json":
        defects.append(Defect(str(asked[OUTPUT_FILE]), "only native JSON has a parameter", "write to a .json file"))
    if defects:
        raise InputError(defects)
    interval = OpenParameter.read(parameter, "--parameter")
    with session.work() as cancel:
        model = loaded_open(asked[q.MODEL], interval, q.settings_of(asked, cancel))
        content = json.dumps(family_document(model.chain, interval), indent=1, ensure_ascii=False) + "\n"
        if asked[OUTPUT_FILE] == STANDARD:
            with to_standard_output():
                sys.stdout.write(content)
        else:
            write_atomically(Path(asked[OUTPUT_FILE]), [content])
    chain = model.chain
    sha256 = open_hash(chain, interval)
    written = {"states": len(chain), "transitions": chain.transitions, "sha256": sha256}
    line = printable(
        f"{asked[OUTPUT_FILE]}: {len(chain)} states, {chain.transitions} transitions, {interval.name} open"
    )
    silent = not asked[JSON] and (asked[QUIET] or asked[OUTPUT_FILE] == STANDARD)
    body = {"output": asked[OUTPUT_FILE], "format": "json", "written": written}
    return Reply(result=Shown(line, body), model=model, silent=silent)


def _choices(texts: Iterable[str], chain: Chain) -> dict[str, str]:
    """Label → input, from LABEL=INPUT; a label may have signs of equality in it. InputError with every defect."""
    found: dict[str, str] = {}
    defects = []
    for given in texts:
        splits = [(given[:i], given[i + 1 :]) for i, sign in enumerate(given) if sign == "="]
        label, name = next((s for s in splits if s[0] in chain.inputs), splits[0] if splits else ("", ""))
        if not splits:
            defects.append(Defect("--choose", f"{given!r} is not LABEL=INPUT", "write start=q1"))
        elif found.setdefault(label, name) != name:
            defects.append(Defect("--choose", f"two inputs for the label {label!r}", "keep one of them"))
    if defects:
        raise InputError(defects)
    return found


def _format(asked: Asked) -> str:
    chosen = asked[FORMAT_TO]
    return (Path(asked[OUTPUT_FILE]).suffix if chosen is None else chosen).removeprefix(".").lower()


def _refuse_overwriting(asked: Asked) -> None:
    """InputError naming every file of the output that exists; devices and pipes may be written."""
    output = Path(asked[OUTPUT_FILE])
    files = [output]
    if _format(asked) == "tra" and output.name:
        files += [output.with_suffix(".lab"), output.with_suffix(".sta")]
    defects = [Defect(str(path), "it exists", "overwrite it with --force") for path in files if path.is_file()]
    if defects:
        raise InputError(defects)


CONVERT = Verb(
    "convert",
    """
deltachain convert model.tra model.json --normalise
deltachain convert example:dining-cryptographers,n=3 diners.drn
deltachain convert model.json small.json --quotient --reachable s0 s1
deltachain convert example:coin - --to dot
deltachain convert svt.py:above svt.json --parameter u=0:1 --secret 'q=(0, 1)' --secret 'q=(1, 0)'
deltachain convert example:probe plan.json --choose start=q1 yes=q1 no=q1
""",
    (q.MODEL, OUTPUT_FILE, *q.READ, FORMAT_TO, REACHABLE, CHOOSE, MERGE, OPEN, FORCE),
    _convert,
)
