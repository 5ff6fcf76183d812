"""``sweep``: one verb over the product of parameters, ε and pairs, here or on a cluster.

MODEL is a family: the parameters of an example are its own; those of a program, and of a PRISM or JANI model, are its
constants. A model file travels with its content, so that workers on other machines need no copy of it.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...cancel import Cancel, interruptible
from ...cli import question as q
from ...cli.command import Exit, Reply, Session, Verb, option_name
from ...cli.options import Asked, Option, choice, epsilons_of, read, repeat_option, switch, text, value, values_of
from ...distances.kinds import NAMES
from ...errors import Defect, InputError
from ...examples import catalogue
from ...files import STANDARD, open_regular
from ...loading import EXAMPLE, program_of, split_program
from ...model import Chain
from ...numbers.fraction import as_probability
from ...parameters import as_seconds, as_width
from .verb import VERBS, sweep

if TYPE_CHECKING:
    from ...programs.run.events import Accuracy

Made = TypeVar("Made")
LARGEST_FILE = 200_000_000
LONGEST_WHOLE = 18
"""Digits of a number that is written as a number into rows: other programs read them."""
WITH_CONSTANTS = (".prism", ".pm", ".nm", ".sm", ".jani")
"""Suffixes of models that have constants."""
OVER, ROWS = "what to run over", "rows"

VERB = text("--verb", "VERB", "delta (default), epsilon, distance or estimate", OVER)
VALUES = "values of a parameter: 2,3,4 or A:B:STEP, ends included; repeatable, all combinations are run"
SET = repeat_option("--set", "NAME=VALUES", VALUES, OVER)
EPSILONS = value("--epsilons", "VALUES", epsilons_of, "values of ε: 0,0.1,1 or A:B:STEP (not for epsilon)", OVER)
LIMIT = "the allowed δ, for the verb epsilon; with other verbs, a line in the plot"
DELTA = value("--delta", "D", as_probability, LIMIT, OVER)
PRECISION = value("--precision", "R", as_width, "how precisely to find e^ε, as a relative width (verb epsilon)", OVER)
KIND = choice("--kind", NAMES, f"the distance: {', '.join(NAMES[:-1])} or {NAMES[-1]}", OVER)
LINES = "write each row to FILE as soon as it is done"
OUT = value("--out", "FILE.jsonl", q.output_file, LINES, ROWS).abbreviate("-o")
AGAIN = "continue FILE if it answers the same question: skip its rows, and rerun those that failed"
RESUME = switch("--resume", explained=AGAIN, group=ROWS)
PLOT = value("--plot", "FILE", q.plot_file, "draw lines over one parameter, a heat map over two or three", ROWS)
NO_CHECK = switch(
    "--no-check",
    explained="write rows without checking their certificates; believe the workers of a cluster",
    group=ROWS,
)
NODES = q.max_nodes(" for each row")
EACH = "stop each row after S seconds, with the interval reached"
TIMEOUT = value("--timeout", "S", as_seconds, EACH, q.SEARCH)
WHOLE = "stop the whole sweep after S seconds: rows that are done stay, --resume completes the others"
TOTAL = value("--total-timeout", "S", as_seconds, WHOLE, q.SEARCH)
PROCESSES = q.jobs("all cores")
DRAWN = (q.MAYBE_CONFIDENCE, q.SAMPLES, q.HORIZON, q.MAYBE_SEED)
OF_VERBS: tuple[Option[Any], ...] = (q.GAP, NODES, DELTA, PRECISION, KIND, *DRAWN)
"""Options that belong to some verbs."""
SEVERITY = (Exit.INTERNAL, Exit.MISSING, Exit.REJECTED, Exit.BAD_INPUT, Exit.UNDECIDED)
"""The worst first: what is returned if rows failed in several ways."""


def _sweep(asked: Asked, session: Session) -> Reply:
    """The rows; the worst exit code of those that failed, 3 if some are missing."""
    settings = settings_of(asked[SET])
    build = family_of(asked, list(settings), travels=asked[q.CLUSTER] is not None)
    verb, limit = asked[VERB] or "delta", asked[DELTA]
    drawn = limit if verb != "epsilon" else None
    of_verb = {option.dest: asked[option] for option in OF_VERBS if asked[option] is not None}
    if drawn is not None:
        del of_verb[DELTA.dest]
    with session.work(asked[TOTAL]) as cancel, interruptible(cancel), q.workers_of(asked, PROCESSES) as executor:
        found = sweep(
            build,
            parameters=settings,
            verb=verb,
            epsilons=asked[EPSILONS],
            pairs=[(s, t) for s, t in asked[q.PAIR]] or None,
            executor=executor,
            check=False if asked[NO_CHECK] else None,
            out=asked[OUT],
            resume=asked[RESUME],
            accuracy=asked[q.ACCURACY],
            job_timeout=asked[TIMEOUT],
            cancel=cancel,
            **of_verb,
        )
    notes = [f"wrote {asked[OUT]}"] if asked[OUT] else []
    if found.missing:
        whole = "the rows in the file are whole; " if found.lost else ""
        again = f"{whole}--resume completes the sweep" if asked[OUT] else "with --out it could be resumed"
        late = "the limit of --total-timeout was reached: " if cancel.reason == "time" else ""
        why = f"{found.lost}: " if found.lost else late
        jobs = "1 job was" if found.missing == 1 else f"{found.missing:,} jobs were"
        notes.append(f"stopped early: {why}{jobs} not run; {again}")
    notes += [f"failed: {dict(row.parameters)}: {row.error}" for row in found.failed[:3]]
    codes = {row.code for row in found.failed} | ({Exit.UNDECIDED} if found.missing else set())
    code = next((code for code in SEVERITY if code in codes), Exit.DONE)
    # With --out the rows are in that file, and only their number is in the document.
    body = {"source": asked[q.MODEL], "out": None if asked[OUT] is None else str(asked[OUT])}
    left_out = () if asked[OUT] is None else ("rows",)
    files = [(asked[PLOT], partial(found.plot, delta=drawn))]
    return Reply(result=found, code=code, body=body, left_out=left_out, files=files, notes=notes)


def _check(asked: Asked) -> Iterator[Defect]:
    """Everything that can be wrong with the verb and its options before the work begins."""
    verb = asked[VERB] or "delta"
    try:
        settings_of(asked[SET])
    except InputError as error:
        yield from error.defects
    if verb not in VERBS:
        yield Defect("--verb", f"no verb {verb!r} to sweep", f"give one of {', '.join(VERBS)}")
    given = {option.dest: option for option in OF_VERBS if asked.is_given(option)}
    for name, option in given.items():
        if option is DELTA and verb != "epsilon":
            if not asked.is_given(PLOT):
                yield Defect(option.name, f"with --verb {verb} it is a line of a plot", "give --plot FILE, or drop it")
        elif name not in VERBS.get(verb, given):
            yield Defect(option.name, f"not used with --verb {verb}", "drop it")
    if verb == "epsilon" and asked[EPSILONS] is not None:
        yield Defect("--epsilons", "the verb epsilon searches ε", "drop it; give --delta D")
    if verb == "epsilon" and "delta" not in given:
        yield Defect("--delta", "the verb epsilon needs it", "give --delta 0 for pure ε")
    if verb != "epsilon" and not asked.is_given(EPSILONS):
        yield Defect("--epsilons", "no privacy parameter", "give values of ε: 0,0.1,1 or A:B:STEP")
    if asked[RESUME] and not asked.is_given(OUT):
        yield Defect("--resume", "there is no file to resume", "give --out FILE.jsonl")


OF_ROWS = (VERB, SET, EPSILONS, DELTA, PRECISION, KIND, q.ACCURACY, OUT, RESUME, PLOT, NO_CHECK)

SWEEP = Verb(
    "sweep",
    """
deltachain sweep example:dining-cryptographers --set n=2,3,4 --set p=0.40:0.50:0.01 --epsilons 0:1:0.05 --out rows.jsonl
deltachain sweep example:survey --set p=0.5:1:0.05 --epsilons 0:2:0.1 --delta 0.1 --plot private.svg
deltachain sweep example:survey --set p=0.5:1:0.05 --verb epsilon --delta 0 --plot epsilon.svg
deltachain sweep protocol.py:respond --secret truth=0 --secret truth=1 --set p=1/2,2/3 --epsilons 0,1 --cluster local
""",
    (*q.MODEL_OPTIONS, *q.PAIR_OPTIONS, *OF_ROWS, *DRAWN, q.GAP, TIMEOUT, TOTAL, NODES, PROCESSES, q.CLUSTER),
    _sweep,
    (q.check_pairs, _check, q.check_workers(PROCESSES), q.check_files(OUT, PLOT)),
)

READ_AGAIN = (*q.MODEL_OPTIONS, *q.PAIR_OPTIONS)


@dataclass(frozen=True)
class ModelFamily:
    """The chain of MODEL with some parameters set.

    Attributes:
        raw: the options that say how the model is read, as they were typed.
        files: the model's files, as they were where the command was given: path and content.
    """

    raw: tuple[tuple[str, Any], ...]
    files: tuple[tuple[str, bytes], ...] = ()

    @property
    def identity(self) -> dict[str, Any]:
        """MODEL, the content of its files, and how it is read: what the journal of a sweep says of it."""
        asked = read(READ_AGAIN, dict(self.raw))
        model: str = asked[q.MODEL]
        file, colon, name = split_program(model)
        example = model.startswith(EXAMPLE)
        contents = self.files or (() if example else tuple(_contents(Path(file))))
        return {
            "model": model if example else f"{Path(file).name}{colon}{name}",
            "files": [hashlib.sha256(content).hexdigest() for _, content in contents],
            "read": asked.list_typed((*q.READ, q.FROM, q.TO, q.NEIGHBOURS)),
        }

    def __call__(self, **parameters: Any) -> Chain:
        """Read the model; InputError as ever."""
        return self._with(parameters, lambda asked: q.read_model(asked, Cancel()).chain)

    def accuracy(self, event: str, **parameters: Any) -> Accuracy:
        """How likely the event is at least; InputError where MODEL is not a program."""
        return self._with(parameters, lambda asked: q.accuracy_of(asked, event, Cancel()))

    def _with(self, parameters: dict[str, Any], use: Callable[[Asked], Made]) -> Made:
        """What is made of the options with which the model is read, its files being where they name them."""
        if not self.files or all(_same(Path(path), content) for path, content in self.files):
            return use(_asked_with(dict(self.raw), parameters))
        with tempfile.TemporaryDirectory(prefix="deltachain-") as folder:
            for path, content in self.files:
                (Path(folder) / Path(path).name).write_bytes(content)
            raw = dict(self.raw)
            file, colon, name = split_program(raw[q.MODEL.dest])
            raw[q.MODEL.dest] = f"{Path(folder) / Path(file).name}{colon}{name}"
            return use(_asked_with(raw, parameters))


def _asked_with(raw: dict[str, Any], parameters: dict[str, Any]) -> Asked:
    """The options with the parameters among the constants, or those of an example."""
    place, start = (q.MODEL.dest, 1) if raw[q.MODEL.dest].startswith(EXAMPLE) else (q.CONSTANTS.dest, 0)
    if parameters:
        given = [] if raw[place] is None else raw[place].split(",")
        kept = [each for each in given[start:] if each.partition("=")[0].strip() not in parameters]
        raw[place] = ",".join([*given[:start], *kept, *(f"{key}={chosen}" for key, chosen in parameters.items())])
    return read(READ_AGAIN, raw)


def _same(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def family_of(asked: Asked, names: Sequence[str], *, travels: bool) -> ModelFamily:
    """MODEL as a family; InputError for parameters that it cannot have. ``travels``: take the files along."""
    source: str = asked[q.MODEL]
    if source == STANDARD:
        raise InputError(Defect("MODEL", "standard input can be read once only", "save it to a file"))
    raw = tuple((option.dest, asked.raw.get(option.dest)) for option in READ_AGAIN)
    if asked[q.ACCURACY] is not None:
        program_of(source, {}, option_name)
    if source.startswith(EXAMPLE):
        _refuse_unknown(source, names)
        return ModelFamily(raw)
    file, colon, _ = split_program(source)
    if names and not colon and not file.lower().endswith(WITH_CONSTANTS):
        what = f"{source} has no parameters to set"
        raise InputError(Defect("--set", what, "give an example, a program, or a PRISM or JANI model"))
    return ModelFamily(raw, tuple(_contents(Path(file))) if travels else ())


def _refuse_unknown(source: str, names: Sequence[str]) -> None:
    wanted = source.removeprefix(EXAMPLE).partition(",")[0].strip()
    known = {example.name: [key for key, _ in example.parameters] for example in catalogue()}
    defects = [
        Defect("--set", f"{wanted} has no parameter {name!r}", f"parameters are {', '.join(known[wanted])}")
        for name in names
        if wanted in known and name not in known[wanted]
    ]
    if defects:
        raise InputError(defects)


def _contents(path: Path) -> list[tuple[str, bytes]]:
    """The file, and those that share its stem where a format has several."""
    paths = [path]
    if path.suffix == ".tra":
        paths += [other for suffix in (".lab", ".sta") if (other := path.with_suffix(suffix)).exists()]
    found = []
    for each in paths:
        with open_regular(each, LARGEST_FILE) as file:
            found.append((str(each), file.read(LARGEST_FILE)))
    return found


def settings_of(texts: Sequence[str]) -> dict[str, list[str | int]]:
    """``--set NAME=VALUES``, each name once; InputError with every defect."""
    found: dict[str, list[str | int]] = {}
    defects: list[Defect] = []
    for each in texts:
        name, equals, values = (part.strip() for part in each.partition("="))
        if not equals or not name.isidentifier():
            defects.append(Defect("--set", f"{each!r} is not a setting", "write NAME=1,2,3 or NAME=0.4:0.5:0.01"))
        elif name in found:
            defects.append(Defect("--set", f"{name} is given twice", "give all its values at once"))
        else:
            found[name] = []
            try:
                found[name] = [_whole_or_text(chosen) for chosen in values_of(values, f"--set {name}")]
            except InputError as error:
                defects += error.defects
    if defects:
        raise InputError(defects)
    return found


def _whole_or_text(chosen: str) -> str | int:
    """Whole numbers as such, for who reads the rows; all else as it was typed."""
    short = len(chosen) <= LONGEST_WHOLE and chosen.isascii() and chosen.isdecimal()
    return int(chosen) if short and str(int(chosen)) == chosen else chosen
