"""PRISM and JANI models, explored by Storm in exact rationals; needs the extra ``storm``.

The model must be a dtmc, or an mdp or pomdp, whose action names are the inputs that the observer chooses from; of a
pomdp, the observables are what is visible. Storm explores
every reachable state with its checks on (values within bounds, probabilities between 0 and 1 that sum to one for each
command); what it only labels or logs is refused or noted here, see `stormpy_models`. Every row's sum is checked again,
exactly, when the chain is made. Integers are 64 bits wide in Storm's arithmetic on constants, which is said in
docs/prism.md.

PRISM-Leak's keywords in front of a variable's declaration are read: ``observable x : [0..1]`` is visible, unless the
caller says what is, and ``secret y : bool`` restricts the pairs to initial states that differ in secret variables and
agree in all others. Storm does not know them: they are blanked out before it sees the text.

A constant of a PRISM model that has a value in the file may be given another: its definition is blanked out, lines
and columns kept, before Storm sees the text.

Storm is called in a child process: what kills it there is an error here, and it is never loaded into ours. A model file
is foreign input to a large C++ program: a probability ``1/0`` ends it with SIGFPE, parentheses nested thousands deep
with SIGSEGV, a billion states with all memory. The child (`storm_worker`) has limits on memory, time and output, set by
itself before it loads Storm; it answers with plain text in a temporary folder, read here line by line. Storm is under
the GPL; it stays in that process.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TextIO  # Any for JSON that the child wrote

from deltachain.cancel import Cancel
from deltachain.errors import BackendMissing, Defect, FormatError, InputError, ModelError
from deltachain.formats.format import Format, read_text
from deltachain.formats.observation import MAX_INITIAL, Described, ExploredModel, InputChoice, chain_of
from deltachain.model import Loaded
from deltachain.model.build import AnyRawRow, PlainRow, RawBox
from deltachain.numbers.fraction import format_fraction
from deltachain.settings import Settings

from .storm_worker import MATRIX
from .stormpy_models import HOW_TO_NAME, ONLY, storm_notes

OTHER_KINDS = ("ctmc", "ctmdp", "ma", "popta", "pta", "smg", "stochastic", "tsg")
"""The words that begin a PRISM model of another kind."""

FIRST_WORD = re.compile(r"(?:\s|//[^\n]*(?:\n|$))*([A-Za-z_]\w*)")
DEFINED = re.compile(
    r"""(?P<skipped>//[^\n]*|"[^"\n]*")"""
    r"""|(?P<head>\bconst\s+(?:(?:int|double|bool|rate|prob)\s+)?(?P<name>[A-Za-z_]\w*)\s*)"""
    r"""(?P<value>=(?:[^;/"]|/(?!/)|//[^\n]*)*)(?=;)"""
)
"""A constant's definition; comments and texts in quotes are stepped over."""

MAX_STATES = 2_000_000
"""How many states are explored unless the caller says otherwise."""

MEMORY = 16 * 2**30
"""The most bytes of address space that the child may take; less where the machine has less."""

BLOCK = 1 << 22
"""Characters of Storm's matrix that are read at once."""

SECONDS = 3600
OUTPUT = 8 * 2**30
POLL_SECONDS = 0.05

_KINDS: Mapping[str, type[InputError]] = {
    "InputError": InputError,
    "FormatError": FormatError,
    "ModelError": ModelError,
}
_CAUSES = {
    "SIGFPE": "is there a division by zero in it?",
    "SIGSEGV": "are its expressions nested thousands deep?",
    "SIGXCPU": f"it took more than {SECONDS} seconds",
    "SIGALRM": f"it took more than {SECONDS} seconds",
    "SIGKILL": "was there too little memory?",
}


DECLARED = re.compile(
    r"""(?P<skipped>//[^\n]*|"[^"\n]*")"""
    r"""|\b(?P<keyword>secret|observable)(?P<between>(?:\s|//[^\n]*\n)+)(?P<name>[A-Za-z_]\w*)(?=\s*:)"""
)
"""PRISM-Leak's declaration of a variable; a variable that is itself called ``secret`` has its colon right after it."""


def load_symbolic(path: Path, settings: Settings, *, jani: bool) -> Loaded:
    """The chain of a PRISM file, or of a JANI file.

    Raises FormatError for text that Storm cannot parse, InputError for another kind of model, constants that
    do not fit, unknown names and whatever Storm does not survive, ModelError for what goes wrong when it is
    explored; BackendMissing without stormpy, Stopped when it is cancelled.
    """
    text = read_text(path)
    source = str(path)
    secrets: tuple[str, ...] = ()
    observables: tuple[str, ...] = ()
    if not jani:
        _refuse_other_kinds(text, source)
        text = without_values(text, settings.constants)
        text, secrets, observables = without_keywords(text)
    found = explore(
        text,
        source,
        jani=jani,
        constants=settings.constants,
        uniform_choice=settings.uniform_choice,
        max_states=settings.max_states,
        cancel=settings.cancel,
    )
    if observables and not settings.observe and not settings.observe_labels:
        settings = replace(settings, observe=observables)
    loaded = chain_of(found, settings, HOW_TO_NAME, storm_notes(found.states))
    chain, notes = loaded.chain, list(loaded.notes)
    if len(chain) > 1 and len(chain.alphabet) == 1:
        notes.append(f"every state looks the same, {chain.labels[0]!r}: an observer sees nothing")
    if secrets:
        pairs, more = secret_pairs(found, secrets)
        chain = replace(chain, relation=tuple(pairs))
        notes += more
    return Loaded(chain, source, tuple(f"{source}: {note}" for note in notes))


def without_values(text: str, names: Collection[str]) -> str:
    """The PRISM text with the values of these constants blanked out, so that they can be given others.

    >>> without_values("const int T = 4; // const int T = 5;", {"T"})
    'const int T    ; // const int T = 5;'
    """

    def blank(match: re.Match[str]) -> str:
        if match["skipped"] is not None or match["name"] not in names:
            return match[0]
        return match["head"] + re.sub(r"[^\n]", " ", match["value"])

    return DEFINED.sub(blank, text) if names else text


def without_keywords(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The PRISM text without PRISM-Leak's keywords, and the variables that they declare: (text, secret, observable).

    >>> without_keywords("global secret pay : [1..3]; observable x : bool; secret : bool;")
    ('global        pay : [1..3];            x : bool; secret : bool;', ('pay',), ('x',))
    """
    found: dict[str, list[str]] = {"secret": [], "observable": []}

    def blank(match: re.Match[str]) -> str:
        if match["skipped"] is not None:
            return match[0]
        found[match["keyword"]].append(match["name"])
        return " " * len(match["keyword"]) + match["between"] + match["name"]

    plain = DECLARED.sub(blank, text)
    return plain, tuple(found["secret"]), tuple(found["observable"])


def secret_pairs(model: ExploredModel, secrets: Collection[str]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """The pairs of initial states that differ, and agree in every variable that is not secret; and what to say of them.

    All of them or none: a verdict about all pairs of the model must not leave out those of a large group.
    """
    others = [values for name, values in model.states.variables.items() if name not in secrets]
    groups: dict[tuple[object, ...], list[int]] = {}
    for state in model.initial:
        groups.setdefault(tuple(values[state] for values in others), []).append(state)
    differing = f"initial states that differ in {', '.join(secrets)} alone"
    largest = max(map(len, groups.values()), default=0)
    if largest > MAX_INITIAL:
        return [], (f"{largest} {differing} are too many to compare all: name the pairs to compare",)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    return pairs, (f"pairs are of {differing}: {len(pairs)}",)


def _refuse_other_kinds(text: str, source: str) -> None:
    found = FIRST_WORD.match(text)
    if found and found.group(1) in OTHER_KINDS:
        line = text.count("\n", 0, found.start(1)) + 1
        raise InputError(_other_kind(f"{source}:{line}", found.group(1)))


def _other_kind(where: str, kind: str) -> Defect:
    return Defect(where, f"the model is of type {kind}", ONLY)


def explore(
    text: str,
    source: str,
    *,
    jani: bool,
    constants: Mapping[str, object],
    uniform_choice: bool,
    max_states: int | None,
    cancel: Cancel | None,
) -> ExploredModel:
    """What Storm finds in the model text; ``source`` names it in messages.

    Raises InputError for whatever is wrong with it, a crash of Storm included; BackendMissing without stormpy;
    Stopped when it is cancelled.
    """
    _refuse_missing()
    name = "model.jani" if jani else "model.prism"
    request = {
        "file": name,
        "source": source,
        "jani": jani,
        "constants": {key: _plain(value) for key, value in constants.items()},
        "uniform_choice": uniform_choice,
        "max_states": max_states or MAX_STATES,
        "memory": _memory(),
        "seconds": SECONDS,
        "output": OUTPUT,
    }
    with tempfile.TemporaryDirectory(prefix="deltachain-storm-") as folder:
        place = Path(folder)
        (place / name).write_text(text, "utf-8", errors="surrogatepass", newline="")
        (place / "request.json").write_text(json.dumps(request), "utf-8")
        code = _run(place, cancel)
        return _answer(place / "result.jsonl", code, source, cancel)


def _plain(value: object) -> bool | str:
    """A constant's value as JSON holds it exactly; what is not a value is found by the child."""
    if isinstance(value, bool):
        return value
    return format_fraction(value) if isinstance(value, int | Fraction) else str(value)


def _refuse_missing() -> None:
    try:
        found = importlib.util.find_spec("stormpy") is not None
    except ValueError:  # a module without a specification
        found = "stormpy" in sys.modules and sys.modules["stormpy"] is not None
    if not found:
        raise BackendMissing("stormpy", "storm")


def _memory() -> int:
    try:
        return min(MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return MEMORY


def _run(folder: Path, cancel: Cancel | None) -> int:
    """The exit code of the child, which is ended when it is cancelled."""
    # -P: the folder that the user stands in is not searched for modules. A session of its own: Ctrl-C is ours.
    command = [sys.executable, "-P", "-m", "deltachain_storm.storm_worker", str(folder)]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
    ) as child:
        try:
            while True:
                if cancel is not None:
                    cancel.check()
                try:
                    return child.wait(None if cancel is None else POLL_SECONDS)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            child.kill()  # nothing happens to one that has ended


def _answer(result: Path, code: int, source: str, cancel: Cancel | None) -> ExploredModel:
    if not result.exists():
        raise InputError(_crash(code, source))
    with result.open(encoding="ascii") as file:
        first = file.readline()
        try:
            head = json.loads(first)
        except ValueError:
            raise InputError(_crash(code, source)) from None
        if "error" in head:
            raise _report(head, source)
        if "members" in head:
            complete = file.readline() == '"end"\n' and code == 0
            found = _read_blocks(head, result.with_name(MATRIX), source, cancel) if complete else None
        else:
            found = _read(head, file, source, cancel)
    if found is None or code != 0:
        raise InputError(_crash(code, source))
    return found


def _read_blocks(head: Mapping[str, Any], matrix: Path, source: str, cancel: Cancel | None) -> ExploredModel | None:
    """A Markov chain, whose matrix Storm has written; None if it is not what the head announces."""
    size = head["states"]
    masks = [0] * size
    for number, states in enumerate(head["members"]):
        for state in states:
            masks[state] |= 1 << number
    sets = {mask: frozenset(name for n, name in enumerate(head["labels"]) if mask >> n & 1) for mask in set(masks)}
    variables = dict(zip(head["variables"], head["columns"], strict=True))
    choices: list[list[InputChoice]] = []
    transitions = 0
    with matrix.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for targets, numbers in rows_of_drn(file):
            if cancel is not None and len(choices) % 4096 == 0:
                cancel.check()
            transitions += len(targets)
            choices.append([((), PlainRow(targets, numbers))])
    if len(choices) != size or transitions != head["transitions"]:
        return None
    label_sets = [sets[mask] for mask in masks]
    described = Described(source, tuple(head["labels"]), label_sets, variables, None, head["uniform"])
    return ExploredModel(described, head["initial"], choices)


def rows_of_drn(file: TextIO) -> Iterator[tuple[list[int], tuple[str, ...]]]:
    r"""The targets and the numbers of each row of a DTMC that Storm has written, read in blocks.

    Ends early where a state is not the next one.

    >>> text = "@model\nstate 0 init\n\taction 0\n\t\t0 : 1/2\n\t\t1 : 1/2\nstate 1\n\taction 0\n\t\t1 : 1\n"
    >>> from io import StringIO
    >>> list(rows_of_drn(StringIO(text)))
    [([0, 1], ('1/2', '1/2')), ([1], ('1',))]
    """
    left, expected = "", -1
    while True:
        block = file.read(BLOCK)
        *whole, left = (left + block).split("\nstate ")
        if not block:
            whole, left = [*whole, left], ""
        for text in whole:
            if expected >= 0:
                first, _, entries = text.partition("\n\taction 0\n")
                if first.split(None, 1)[0] != str(expected):
                    return
                words = entries.split()
                yield list(map(int, words[::3])), tuple(words[2::3])
            expected += 1
        if not block:
            return


def _read(head: Mapping[str, Any], lines: Iterator[str], source: str, cancel: Cancel | None) -> ExploredModel | None:
    """The states that follow the head; None if the end is missing."""
    names = tuple(head["labels"])
    sets: dict[tuple[int, ...], frozenset[str]] = {}  # few sets of labels, however many states
    label_sets: list[frozenset[str]] = []
    columns: list[list[object]] = [[] for _ in head["variables"]]
    choices: list[list[InputChoice]] = []
    texts: list[str] | None = head["observations"]
    seen: list[str] = []
    for number, line in enumerate(lines):
        if cancel is not None and number % 4096 == 0:
            cancel.check()
        if line == '"end"\n':
            variables = dict(zip(head["variables"], columns, strict=True))
            described = Described(source, names, label_sets, variables, None if texts is None else seen)
            return ExploredModel(described, head["initial"], choices)
        try:
            labels, values, found, observed = json.loads(line)
        except ValueError:  # cut short
            return None
        key = tuple(labels)
        label_sets.append(sets.setdefault(key, frozenset(names[i] for i in labels)))
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        if texts is not None:
            seen.append(texts[observed])
        choices.append([(tuple(names), _row(row)) for names, row in found])
    return None


def _row(entries: list[list[Any]]) -> AnyRawRow:
    """A row that the child wrote: numbers, or intervals as two of them."""
    if any(isinstance(number, list) for _, number in entries):
        return RawBox([(target, tuple(number)) for target, number in entries])
    return [(target, number) for target, number in entries]


def _report(head: Mapping[str, Any], source: str) -> Exception:
    """The error that the child wrote down."""
    if head["error"] == "BackendMissing":
        return BackendMissing("stormpy 2", "storm")
    if head["error"] == "MemoryError":
        return InputError(Defect(source, "Storm ran out of memory", "make the model smaller"))
    return _KINDS[head["error"]](Defect(*defect) for defect in head["defects"])


def _crash(code: int, source: str) -> Defect:
    """What to say of a child that ended without an answer."""
    try:
        name = signal.Signals(-code).name if code < 0 else ""
    except ValueError:
        name = f"signal {-code}"
    how = f"with {name}" if name else f"with exit code {code}"
    return Defect(source, f"Storm ended {how} while reading it", _CAUSES.get(name, "is the model too large for it?"))


SYMBOLIC = ("constants", "observe", "observe_labels", "uniform_choice", "max_states")
PRISM = Format(
    title="PRISM's language, also .pm, .nm, .sm; read only",
    read=partial(load_symbolic, jani=False),
    understands=SYMBOLIC,
)
JANI = Format(title="JANI, read only", read=partial(load_symbolic, jani=True), understands=SYMBOLIC)
