"""The options that verbs share, each with its reader: MODEL, its pairs, ε, limits, files, and where the work runs.

MODEL is ``example:NAME,key=value,…``, ``protocol.py:NAME,key=value,…`` with ``--secret`` and ``--constants``, ``-`` for
native JSON on standard input, or a file whose suffix names its format. An option that is not used with the kind of
MODEL is refused, not ignored; a file that could not be written after the work is refused before it.
"""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import code, parameters, programs
from ..asking import Inquiry, inputs_of, make_inspection
from ..beliefs.question import Budget, Terms
from ..cancel import Cancel, interruptible
from ..errors import Defect, InputError, ModelError, SolverError
from ..files import require_plot
from ..loading import EXAMPLE, load_with_notes, program_of, split_program
from ..model import Chain, Loaded
from ..model.validate import NORMALISE as NORMALISE_FIX
from ..numbers.fraction import ExpEpsilon, as_probability
from ..results.scope import ONLY_THESE
from ..results.text import list_first
from ..settings import FOR_FILES, Settings
from .command import File, Session, option_name
from .options import Asked, Check, Option, choice, epsilons_of, positional, repeat_option, several, switch, text, value

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..certificate.inspection import Inspection
    from ..programs.run.events import Accuracy
    from ..results.scope import Covered

Answered = TypeVar("Answered")

READING, SEARCH, PROOFS = "reading the model", "how far to search", "proofs"
SAMPLING, RUNS = "sampling", "where it runs"
MOST_STATES = 10**11

# How MODEL is read.


def _names(given: str, place: str) -> list[str]:
    names = [piece.strip() for piece in given.split(",")]
    if not all(names):
        raise InputError(Defect(place, f"{given!r} is not a list of names", "write x,y"))
    return names


MODEL = positional("MODEL", "a model file, -, protocol.py:NAME,key=value,… or example:NAME,key=value,…")
FORMAT = text("--format", "NAME", "the file's format, if its suffix does not say", READING)
NORMALISE = switch(
    "--normalise", explained="rescale rows that sum to 1 within 1e-3 so that they sum to exactly 1", group=READING
)
NORMALISE_ANY = switch("--normalise-any", explained="rescale every row to sum to 1, whatever its sum", group=READING)
KEEP_LABELS = switch(
    "--keep-labels", explained="keep the labels init and deadlock of PRISM and Storm files", group=READING
)
OBSERVE = value("--observe", "X,Y", _names, "the variables that are visible (PRISM, JANI, UMB)", READING)
OBSERVE_LABELS = value("--observe-labels", "A,B", _names, "the labels that are visible (PRISM, JANI, UMB)", READING)
UNIFORM_CHOICE = switch(
    "--uniform-choice",
    explained="where several commands of a PRISM or JANI dtmc are enabled, take each equally likely (default: refuse)",
    group=READING,
)
CONSTANTS = text(
    "--constants", "N=3,p=49/100", "values of the constants of a PRISM or JANI model or a program", READING
)
EXPLORED = "how many states (PRISM, JANI) or configurations (programs) to explore at most"
MAX_STATES = value("--max-states", "N", parameters.whole("max_states", 1, MOST_STATES), EXPLORED, READING)
SECRET = repeat_option(
    "--secret", "X=0", "a secret: values that a program starts from; repeat for each secret", READING
)
RUN = "run the code of file.py:FUNCTION, once per sequence of its draws; without this, no file is ever run"
EXECUTE = switch("--execute", explained=RUN, group=READING)
WHERE = (
    "where that code runs: forks of this process, fresh interpreters that import it, or this process, where nothing "
    "is confirmed; auto: the first of these that works"
)
ISOLATE = choice("--isolate", ("auto", "fork", "spawn", "off"), WHERE, READING)
NUMBERS = (
    "give that code whole numbers for noise from the start, cut off where they are unlikely (default: when it asks)"
)
INTEGERS = switch("--integers", explained=NUMBERS, group=READING)
DOMAIN = "all secrets at once: every value of each parameter, such as 'q=[(a, b) for a in range(4) for b in range(4)]'"
SECRETS = text("--secrets", "X=VALUES", DOMAIN, READING)
REMOVED = "hide these labels: the observer does not see these states (removed exactly); repeatable"
HIDE = repeat_option("--hide", "A,B", REMOVED, READING)
HIDE_UNLABELLED = switch("--hide-unlabelled", explained="also hide the states whose label is empty", group=READING)

SILENT = (HIDE, HIDE_UNLABELLED)
OF_FILES = (FORMAT, NORMALISE, NORMALISE_ANY, KEEP_LABELS, OBSERVE, OBSERVE_LABELS, UNIFORM_CHOICE)
READ = (*OF_FILES, CONSTANTS, MAX_STATES, SECRET, SECRETS, EXECUTE, ISOLATE, INTEGERS, *SILENT)
"""How MODEL is read: what a command that reads it again must repeat."""
MODEL_OPTIONS = (MODEL, *READ)

# Which pairs are compared.

PAIR = repeat_option(
    "--pair", ("S", "T"), "a pair of states to compare; repeatable (default: the relation that the model carries)"
)
FROM = text("--from", "P", "compare the start states where P holds, such as 'payer=0' …")
TO = text("--to", "Q", "… with those where Q holds, such as 'payer=1'")
RULE = (
    "which start states a, b to compare: a rule such as 'abs(a.count - b.count) == 1', "
    "or one-entry, add-remove, linf K, l1 K, all"
)
NEIGHBOURS = replace(text("--neighbours", "RULE", RULE), flags=("--neighbours", "--neighbors"))
PAIR_OPTIONS = (PAIR, FROM, TO, NEIGHBOURS)

FEW = "draw N pairs of secrets where these are too many to list: finds violations, proves no privacy"
SAMPLE = value("--sample", "N", parameters.as_drawn_pairs, FEW)

EVENT = "how likely this is at least, whatever the secret: 'abs(output - count) <= 3' (programs; no certificate)"
ACCURACY = text("--accuracy", "CONDITION", EVENT)

# At which ε, and how far.

EPSILON = text(
    "--epsilon", "E", 'the privacy parameter ε ≥ 0, exact: 0.1, 1/10, 1e-1; "ln 3" is --exp-epsilon 3', "", "epsilon"
)
EXP_EPSILON = text("--exp-epsilon", "A", "e^ε ≥ 1 itself, exact: 1.0002, 3/2", "", "epsilon")
AT = (EPSILON, EXP_EPSILON)
VALUES = "values of ε: 0,0.1,1 or A:B:STEP, ends included (default: chosen to show the curve)"
EPSILONS = value("--epsilons", "VALUES", epsilons_of, VALUES)
OF_PAIRS = (*MODEL_OPTIONS, *PAIR_OPTIONS)
QUESTION = (*OF_PAIRS, *AT)
ALLOWED = value("--delta", "D", as_probability, "the δ that is allowed, in [0, 1], exact: 1e-3, 1/1000").require(
    "no δ to check against", "give --delta D"
)

GAP = value("--gap", "G", parameters.as_gap, "stop when the interval is at most G wide, such as 1e-4", SEARCH)
TIMEOUT = value(
    "--timeout", "S", parameters.as_seconds, "stop after S seconds, with the interval proved so far", SEARCH
)


TIMES = "ask about K independent runs of the model"
REPEAT = value("--repeat", "K", parameters.as_runs, TIMES)
BESIDE = "other models that run independently alongside MODEL, each with its own pairs"
COMPOSE = several("--compose", "MODEL", BESIDE)
TOGETHER = (REPEAT, COMPOSE)


def max_nodes(each: str = "") -> Option[int | None]:
    """``--max-nodes``; ``each`` says what it counts for, if not for all."""
    what = f"stop after N search nodes{each}, with the interval proved so far"
    return value("--max-nodes", "N", parameters.as_nodes, what, SEARCH)


MAX_NODES = max_nodes()
NODES_PER_POINT = max_nodes(" for each point")
LIMITS = (GAP, TIMEOUT, MAX_NODES)

LEVEL = "how likely every interval is to be right, at least (default: 0.999)"
MAYBE_CONFIDENCE = value("--confidence", "C", parameters.as_confidence, LEVEL, SAMPLING)
CONFIDENCE = MAYBE_CONFIDENCE.default(parameters.DEFAULT_CONFIDENCE)
SAMPLES = value("--samples", "N", parameters.as_samples, "output sequences to draw per direction of a pair", SAMPLING)
HORIZON = value(
    "--horizon", "H", parameters.as_horizon, "maximum length of these (default: chosen by a pilot run)", SAMPLING
)
MAYBE_SEED = value("--seed", "S", parameters.as_seed, "the same seed and samples give the same answer", SAMPLING)
SEED = MAYBE_SEED.default("0")
DRAWN = (CONFIDENCE, SAMPLES, HORIZON, SEED)

# Files.


def output_file(given: str, place: str) -> Path:
    """A file that can be written; InputError now: hours of work must not end in a lost result."""
    path = Path(given)
    where = f"{place} {path}"
    with _correct(where):
        if path.is_dir():
            raise InputError(Defect(where, "it is a directory", "give a file name"))
        folder = path.resolve().parent
        if not folder.is_dir():
            raise InputError(Defect(where, "there is no such folder", f"make {folder} first"))
        # A device or pipe is written straight; a file is replaced, which needs its folder.
        _refuse_unwritable(where, path if path.exists() and not path.is_file() else folder, "check its permissions")
    return path


def plot_file(given: str, place: str) -> Path:
    """A file that a plot can be written to."""
    require_plot(Path(given))
    return output_file(given, place)


def output_folder(given: str, place: str) -> Path:
    """A folder that files can be written to, or that can be made."""
    folder = Path(given)
    where = f"{place} {folder}"
    with _correct(where):
        if folder.exists() and not folder.is_dir():
            raise InputError(Defect(where, "it is not a folder", "give the name of one"))
        _refuse_unwritable(where, folder if folder.exists() else folder.resolve().parent, "make it first")
    return folder


@contextmanager
def _correct(where: str) -> Iterator[None]:
    """A name too long, a null byte, a loop of links: as a defect."""
    try:
        yield
    except InputError:  # a ValueError itself
        raise
    except (OSError, ValueError, RuntimeError) as error:
        what = f"it cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(Defect(where.replace("\0", "\\0"), what, "correct the path")) from None


def _refuse_unwritable(where: str, place: Path, fix: str) -> None:
    if not place.exists() or not os.access(place, os.W_OK):
        raise InputError(Defect(where, f"{place} cannot be written", fix))


def proof_file(group: str, explained: str = "write the proof here; deltachain verify checks it") -> Option[Path | None]:
    """``--certificate``."""
    return value("--certificate", "FILE", output_file, explained, group)


CERTIFICATE = proof_file(PROOFS)
NO_CHECK = switch("--no-check", explained="print the answer without checking its certificate first", group=PROOFS)


def inspection(asked: Asked, chain: Chain, cancel: Cancel) -> Inspection | None:
    """What checks the answers of this command before they are printed; None with ``--no-check``."""
    return make_inspection(chain, cancel, not asked[NO_CHECK])


def check_files(*options: Option[Path | None]) -> Check:
    """Refuses two outputs into one file, or one over the model."""

    def check(asked: Asked) -> Iterator[Defect]:
        given = {option.name: path for option in options if (path := asked[option]) is not None}
        places = {name: path.resolve() for name, path in given.items()}
        files = [place for place in places.values() if place.is_file() or not place.exists()]
        if len(set(files)) < len(files):
            yield Defect(" and ".join(given), "the same file", "give each a name of its own")
        try:
            model = Path(asked[MODEL]).resolve()
        except (OSError, ValueError, RuntimeError):
            return
        for name, place in places.items():
            if place == model and place.is_file():
                yield Defect(name, f"{given[name]} is the model", "give another name")

    return check


def verify_line(asked: Asked, certificate: str) -> str:
    """The command that checks a certificate; it reads the model as this one did, or a chain of code."""
    whole = [NEIGHBOURS] if asked.get(NEIGHBOURS) is not None else []
    # Of a whole domain every pair must be claimed, unless some of them are named.
    some = [option for option in (PAIR, FROM, TO) if asked.get(option)] if asked.get(SECRETS) is not None else []
    drawn = [SAMPLE, SEED] if asked.get(SAMPLE) is not None else []
    if asked.get(EXECUTE):
        return verify_command(asked, asked[MODEL], certificate, READ)
    return verify_command(asked, asked[MODEL], certificate, [*READ, *whole, *some, *drawn])


def verify_command(asked: Asked, model: str, certificate: str, options: Iterable[Option[Any]]) -> str:
    """The command that checks a certificate about a model, read by some of the options; or about a chain of code."""
    typed = asked.list_typed(options)
    if asked.get(EXECUTE):
        made = shlex.join(["deltachain", "convert", model, "chain.json", *typed])
        return f"{made} && {shlex.join(['deltachain', 'verify', 'chain.json', certificate])}"
    return shlex.join(["deltachain", "verify", model, certificate, *typed])


def certificate_file(asked: Asked, result: Any, path: Path | None) -> File:
    """The certificate of a result, if it was asked for."""

    def write(path: Path) -> str:
        try:
            result.certificate.save(path)
        except KeyboardInterrupt:
            what = "interrupted while the certificate was made: it was not written; the result above stands"
            raise SolverError(what) from None
        return f"certificate: {path} (check it: {verify_line(asked, str(path))})"

    return path, write


# ε and the terms of the search.


def check_epsilon(asked: Asked) -> Iterator[Defect]:
    """No ε, or one that cannot be read."""
    if not any(asked.is_given(option) for option in AT):
        yield Defect("--epsilon", "no privacy parameter", "give --epsilon E, or e^E as --exp-epsilon A")
        return
    try:
        at_of(asked)
    except InputError as error:
        yield from error.defects


def at_of(asked: Asked) -> ExpEpsilon:
    """e^ε, exactly or between two rationals."""
    return ExpEpsilon.read(asked[EPSILON], asked[EXP_EPSILON])


def terms_of(
    asked: Asked, nodes: Option[int | None] = MAX_NODES, allowed: Any = None, fixed: int | None = None
) -> Terms:
    """ε, gap, allowed δ and budget; each was read by its option already."""
    budget, runs = Budget(asked.get(nodes)), asked.get(REPEAT) or 1
    return Terms(at=at_of(asked), gap=asked.get(GAP), allowed=allowed, budget=budget, runs=runs, fixed=fixed)


def check_together(*single: Option[Any]) -> Check:
    """Refuses what is about one run beside several."""

    def check(asked: Asked) -> Iterator[Defect]:
        together = [option.name for option in TOGETHER if asked[option] not in (None, 1, [])]
        for option in single:
            if together and asked.is_given(option):
                fix = f"ask for it without {' and '.join(together)}: of several, δ, ε and their curve are found"
                yield Defect(together[0], f"{option.name} is about one run", fix)

    return check


def beside(asked: Asked, session: Session, cancel: Cancel) -> list[Loaded]:
    """The models of ``--compose``, read as MODEL is as far as that is used with their kind."""
    found = []
    for source in asked[COMPOSE]:
        program, example = bool(split_program(source)[1]), source.startswith(EXAMPLE)
        names = () if example else ("secrets", "max_states") if program else FOR_FILES
        found.append(load_with_notes(source, settings_of(asked, cancel).only(names)))
        for note in found[-1].notes:
            session.note(f"{source}: {note}")
    return found


# Where it runs.

ADDRESS = "run on a Dask cluster: the address of its scheduler, such as tcp://host:8786, or local to start one"
CLUSTER = text("--cluster", "ADDRESS", ADDRESS, RUNS)


def jobs(default: str) -> Option[int | None]:
    """``--jobs``; ``default`` says where it runs otherwise."""
    what = f"processes of this machine to work in (default: {default})"
    return value("--jobs", "N", parameters.as_processes, what, RUNS)


def check_workers(processes: Option[int | None]) -> Check:
    """Refuses ``--jobs`` beside a cluster that has workers of its own."""

    def check(asked: Asked) -> Iterator[Defect]:
        if asked[processes] is not None and asked[CLUSTER] not in (None, "local"):
            yield Defect("--jobs", "the workers of a cluster are its own", "leave it out, or give --cluster local")

    return check


@contextmanager
def workers_of(asked: Asked, processes: Option[int | None], *, here: bool = False) -> Iterator[Executor | None]:
    """The executor asked for; None for this process, which is also the default if ``here``."""
    if here and asked[processes] is None and asked[CLUSTER] is None:
        yield None
        return
    from ..executors import workers

    with workers(asked[processes], asked[CLUSTER]) as executor:
        yield executor


# The model and its pairs.


ELSEWHERE = (*MODEL_OPTIONS, *PAIR_OPTIONS, SAMPLE, COMPOSE, TIMEOUT, CERTIFICATE)
"""What is read into the inquiry, the token of the work, or a file that is written after it."""


def names_program_alone(asked: Asked) -> bool:
    """Whether MODEL is a program, and nothing says which inputs are compared: it may be about all integers."""
    said = (asked.get(option) for option in (PAIR, FROM, TO, SECRET, SECRETS, SAMPLE))
    return bool(split_program(asked[MODEL])[1]) and not asked.get(EXECUTE) and all(not each for each in said)


@contextmanager
def open_inquiry(
    asked: Asked, session: Session, timeout: float | None = None, *, every: bool = False, sandwiched: bool = False
) -> Iterator[tuple[Inquiry, Cancel]]:
    """What is asked about, without pairs if that is ``every`` one, and the token of the work, which Ctrl-C ends.

    ``sandwiched`` as in `Settings`.
    """
    with session.work(timeout) as cancel:
        model = load_model(asked, session, cancel, sandwiched=sandwiched)
        pairs = [] if every else pairs_of(asked, model.chain)
        with interruptible(cancel):
            yield Inquiry(model, tuple(pairs), ONLY_THESE if every else inputs(asked, model)), cancel


def answer(
    verb: Callable[..., Answered], inquiry: Inquiry, asked: Asked, session: Session, cancel: Cancel, **more: Any
) -> Answered:
    """What the function that Python users call answers to the inquiry.

    Its arguments are the command's options of the same names, as far as they are given, and ``more``, which has what
    the two call otherwise. What says how the model is read is in the inquiry already.
    """
    known = {*inspect.signature(verb).parameters} - {option.dest for option in ELSEWHERE}
    given = {option.dest: each for option, each in asked.items() if option.dest in known and each is not None}
    if NO_CHECK in asked:
        given["check"] = not asked[NO_CHECK]
    if COMPOSE in asked:
        given["compose"] = beside(asked, session, cancel)
    return verb(inquiry, **given | more, cancel=cancel)


def load_model(
    asked: Asked, session: Session, cancel: Cancel, starts: Iterable[str] = (), *, sandwiched: bool = False
) -> Loaded:
    """The chain that MODEL names, without its silent states; what there is to say goes to standard error.

    ``starts`` are start states beside those of the relation and of ``--pair``; they stay when they are silent.
    """
    loaded = read_model(asked, cancel, starts, sandwiched=sandwiched)
    for note in loaded.notes:
        session.note(note)
    return loaded


def read_model(
    asked: Asked,
    cancel: Cancel,
    starts: Iterable[str] = (),
    *,
    sandwiched: bool = False,
    every_pair: bool = False,
) -> Loaded:
    """As `load_model`, with the notes in the result."""
    source: str = asked[MODEL]
    cancel.report(f"reading {source}")
    try:
        if asked[EXECUTE]:
            loaded = _execute(asked, source, cancel)
        else:
            refuse_without_execute(asked)
            # Steps that nobody sees are taken out of the program's own chain; pairs that are named are looked up in it.
            sandwiched = sandwiched and not any(asked[option] for option in SILENT)
            every_pair = every_pair or bool(asked.get(PAIR)) or asked.get(FROM) is not None
            settings = replace(settings_of(asked, cancel), sandwiched=sandwiched, every_pair=every_pair)
            loaded = load_with_notes(source, settings)
    except ModelError as error:
        raise ModelError([_with_option(defect) for defect in error.defects]) from None
    chain = relate_chain(asked, loaded.chain)
    paired = states_named(chain, (name for pair in asked.get(PAIR) or () for name in pair), "--pair")
    first = {*paired, *(chain.number(name) for name in starts if name in chain.index)}
    first.update(state for pair in loaded.chain.relation for state in pair)
    return _hide(asked, replace(loaded, chain=chain), first, cancel)


def _execute(asked: Asked, source: str, cancel: Cancel) -> Loaded:
    """The chain of code that is run, on purpose."""
    unused = (*OF_FILES, SECRETS, *([SAMPLE] if asked.get(SAMPLE) else []))
    defects = [Defect(option.name, "not used with --execute", "drop it") for option in unused if asked[option]]
    if asked.get(CLUSTER) is not None:
        defects.append(Defect("--execute", "code is run on this machine alone", "drop --cluster, or convert the chain"))
    if defects:
        raise InputError(defects)
    given: dict[str, Any] = {} if asked[MAX_STATES] is None else {"max_states": asked[MAX_STATES]}
    given |= how_code_is_run(asked)
    loaded = code.executed(source, asked[SECRET], asked[CONSTANTS] or "", cancel=cancel, **given)
    rule = asked.get(NEIGHBOURS)
    if rule is None:
        return loaded
    return replace(loaded, chain=programs.with_neighbours(loaded.chain, rule, what="--neighbours", cancel=cancel))


def how_code_is_run(asked: Asked) -> dict[str, Any]:
    """Settings of `from_code`, as they were given."""
    isolate = asked[ISOLATE]
    given: dict[str, Any] = {} if isolate is None else {"isolate": False if isolate == "off" else isolate}
    return given | ({"noise": "integers"} if asked[INTEGERS] else {})


def refuse_without_execute(asked: Asked) -> None:
    """How code is run, where none is."""
    defects = [
        Defect(option.name, "it is about code that is run", "add --execute")
        for option in (ISOLATE, INTEGERS)
        if asked[option]
    ]
    if defects:
        raise InputError(defects)


def refuse_execute(asked: Asked) -> Iterator[Defect]:
    """``--execute`` where nothing may be run."""
    if asked[EXECUTE]:
        fix = "make the chain first: deltachain convert file.py:FUNCTION chain.json --execute --secret …"
        yield Defect("--execute", "this command runs no code", fix)


def settings_of(asked: Asked, cancel: Cancel) -> Settings:
    """How MODEL is read."""
    seen, labels, drawn = asked[OBSERVE], asked[OBSERVE_LABELS], asked.get(SAMPLE)
    return Settings(
        secrets=read_secrets(asked, cancel),
        constants=read_constants(asked[MODEL], asked[CONSTANTS]) or {},
        format=asked[FORMAT],
        normalise="any" if asked[NORMALISE_ANY] else asked[NORMALISE],
        keep_labels=asked[KEEP_LABELS],
        observe=tuple(seen or ()),
        observe_labels=tuple(labels or ()),
        uniform_choice=asked[UNIFORM_CHOICE],
        max_states=asked[MAX_STATES],
        neighbours=asked.get(NEIGHBOURS),
        sample=None if drawn is None else (drawn, asked[SEED]),
        cancel=cancel,
        place=option_name,
    )


def inputs(asked: Asked, model: Loaded) -> Covered:
    """What an answer about the pairs of the command covers."""
    chosen = not asked.get(PAIR) and asked.get(FROM) is None
    return inputs_of(model, chosen, asked.get(NEIGHBOURS) is not None, asked.get(SAMPLE) is not None)


def accuracy_of(asked: Asked, event: str, cancel: Cancel) -> Accuracy:
    """How likely the event is at least, of the program that MODEL is."""
    if asked[EXECUTE]:
        raise InputError(Defect("--accuracy", "it is found from the program, which --execute runs", "drop one of them"))
    program, constants = program_of(asked[MODEL], read_constants(asked[MODEL], asked[CONSTANTS]) or {}, option_name)
    given: dict[str, Any] = {"constants": constants, "cancel": cancel}
    if asked[MAX_STATES] is not None:
        given["max_states"] = asked[MAX_STATES]
    return program.accuracy(event, read_secrets(asked, cancel), **given)


def read_constants(source: str, given: str | None) -> dict[str, Any] | None:
    """The values of ``--constants``, as the kind of MODEL reads them; None if it is not given."""
    if given is None:
        return None
    if ".py:" in source:
        return dict(programs.parse_assignments(given, "--constants"))
    from ..formats.constants import parse_constants

    return dict(parse_constants(given))


def read_secrets(asked: Asked, cancel: Cancel) -> Iterable[Any] | None:
    """The secrets of ``--secret``, one each, or the domain of ``--secrets``; None if there are neither."""
    listed_one_by_one, whole = asked[SECRET], asked[SECRETS]
    if whole is not None:
        if listed_one_by_one:
            raise InputError(Defect("--secrets", "secrets are also given by --secret", "give them in one way"))
        return programs.parse_domain(whole, "--secrets", cancel.during("listing the secrets"))
    if not listed_one_by_one:
        return None
    return [programs.parse_assignments(each, "--secret") for each in listed_one_by_one]


def _with_option(defect: Defect) -> Defect:
    """The defect of a row's sum, with the option that divides rows by it."""
    options = "--normalise, or --normalise-any if it is off by more than 1e-3"
    return Defect(defect.where, defect.what, defect.fix.replace(NORMALISE_FIX, options))


def _hide(asked: Asked, model: Loaded, starts: Iterable[int], cancel: Cancel) -> Loaded:
    """The model without the states that are to be hidden; its notes say what was."""
    if not any(asked[option] for option in SILENT):
        return model
    from ..model.silent import without_silent

    # A text that is a label as it stands is that one; else it is a list of labels.
    known = model.chain.by_label
    labels = [
        label for given in asked[HIDE] for label in ([given] if given in known else map(str.strip, given.split(",")))
    ]
    try:
        part = cancel.during("summing hidden steps")
        silenced = without_silent(model.chain, labels, unlabelled=asked[HIDE_UNLABELLED], starts=starts, cancel=part)
    except InputError as error:
        option = "--hide" if asked[HIDE] else "--hide-unlabelled"
        raise InputError(Defect(option, defect.what, defect.fix) for defect in error.defects) from None
    return replace(model, chain=silenced.chain, notes=(*model.notes, *silenced.notes))


def states_named(chain: Chain, names: Iterable[str], option: str) -> list[int]:
    """The numbers of the states, each once, in the order given; InputError with every unknown name."""
    numbers: dict[int, None] = {}
    defects: list[Defect] = []
    for name in names:
        try:
            numbers[_number(chain, name)] = None
        except InputError as error:
            defects += [Defect(option, str(defect)) for defect in error.defects]
    if defects:
        raise InputError(list(dict.fromkeys(defects)))
    return list(numbers)


def _number(chain: Chain, name: str) -> int:
    """The state of this name; where there is none, the one whose name differs in blanks alone."""
    if name not in chain.index:
        bare = "".join(name.split())
        alike = [number for number, state in enumerate(chain.states) if "".join(state.split()) == bare]
        if len(alike) == 1:
            return alike[0]
    return chain.number(name)


def pairs_of(asked: Asked, chain: Chain) -> list[tuple[int, int]]:
    """The pairs to compare, each once: those of ``--pair``, else the relation that the model carries."""
    given = asked[PAIR]
    if given:
        states_named(chain, (name for pair in given for name in pair), "--pair")
        return list(dict.fromkeys((_number(chain, s), _number(chain, t)) for s, t in given))
    rule = asked[NEIGHBOURS]
    if rule is not None:
        return programs.ordered_neighbours(chain, rule, what="--neighbours")
    if chain.relation:
        return list(chain.relation)
    if len(asked[SECRET]) == 1:
        what = "one secret alone has nothing to be compared with"
        raise InputError(Defect("--secret", what, "give a second one, or two states with --pair"))
    what = "no pairs to compare: the model carries no relation"
    raise InputError(Defect("", what, f"name two of its states with --pair S T: {list_first(chain.states, 20)}"))


def check_pairs(asked: Asked) -> Iterator[Defect]:
    """What is wrong with ``--pair``, ``--from`` and ``--to`` together."""
    first, second = asked[FROM], asked[TO]
    if (first is None) != (second is None):
        option, other = ("--to", "--from") if first is None else ("--from", "--to")
        yield Defect(option, f"it needs {other} as well", f"give {other} P")
    drawn = asked.get(SAMPLE) is not None
    ways = {"--pair": bool(asked[PAIR]), "--from and --to": first is not None}
    ways |= {"--neighbours": asked.is_given(NEIGHBOURS) or drawn}
    given = [name for name, there in ways.items() if there]
    if len(given) > 1:
        yield Defect(given[0], f"pairs are also given by {' and by '.join(given[1:])}", "give them in one way")


def relate_chain(asked: Asked, chain: Chain) -> Chain:
    """The chain with the pairs of ``--from`` and ``--to`` for its relation, where they are given.

    They choose among the states that the model's own relation names (several initial states, secrets), and
    among all states where it has none.
    """
    first, second = asked.get(FROM), asked.get(TO)
    if first is None or second is None:
        return chain
    starts = sorted({state for pair in chain.relation for state in pair}) or range(len(chain))
    chosen: list[tuple[str, str, tuple[int, ...]]] = []
    defects: list[Defect] = []
    for option, given in (("--from", first), ("--to", second)):
        try:
            chosen.append((option, given, programs.states_where(chain, given, within=starts, what=option)))
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)
    where = (
        f"its start states are {list_first([chain.states[s] for s in starts], 8)}" if chain.relation else "correct it"
    )
    defects = [
        Defect(f"{option} {given!r}", "no state satisfies it", where) for option, given, states in chosen if not states
    ]
    if defects:
        raise InputError(defects)
    pairs = [(s, t) for s in chosen[0][2] for t in chosen[1][2] if s != t]
    if not pairs:
        raise InputError(Defect("--from", "it chooses one state, the same as --to", "choose two different states"))
    if len(pairs) > programs.MAX_PAIRS:
        what = f"{len(chosen[0][2])} times {len(chosen[1][2])} pairs are too many"
        raise InputError(Defect("--from", what, f"choose at most {programs.MAX_PAIRS} pairs"))
    return chain.with_relation(pairs)


CHECKS = (check_pairs, check_epsilon)
"""What can be wrong with the options of a question about pairs at an ε."""
