"""UMB, the unified Markov binary, a tar archive of an index and vectors of numbers; needs the extra ``umb``.

Read: the index and single values are decoded by umbi's low-level reader (``umbi.umb``); its high-level one keeps only
the last label of a model and refuses bounded variables, and both read an archive whole, which `umb_bytes` does not. The
model is a discrete-time system with a probability on each branch, and one choice per state or one player, whose actions
are then the observer's inputs (`observation`; the empty name is none); labels are the annotations of group ``aps`` on
states, by their alias; observations are numbers of states, and what is seen where there are any; variables are the
valuations of states, with the offset that umbi leaves out. Every count and index is checked against the others before
it is used. Rational probabilities are exact. Doubles are read as their shortest decimals, and rows that then do not sum
to one are refused unless normalised. The probabilities of a chain without inputs may be intervals, which are limits.
Several initial states are related, all pairs.

Written: exact rationals, labels, inputs as actions of one player's choices, and those variables whose values
are integers of 64 bits, or truth values that every state has. State names, other variables and the relation are not;
but when the relation is all pairs of some states, those are the initial ones, and it comes back.

*The archive* is unpacked within limits that are known before anything is unpacked.

A UMB file is a tar archive, plain or compressed by gzip, bzip2 or xz. A megabyte can unpack to gigabytes, so:

- unpacking stops at `FLOOR` bytes or at `RATIO` times the size of the file, whichever is more;
- only members that are asked for are kept, and each only if its header states the length that the index makes it
  have; everything else is skipped without being held;
- nothing is written to disk, and no link, device or sparse member is looked at.

So time and memory are bounded by the size of the file itself.

*Bit vectors and valuations* are fields of any number of bits, packed from the least significant bit on. The fields of a
struct follow each other without gaps, first field in the lowest bits of the little-endian bytes. A field that may be
missing has one bit before its value (below it) that says whether it is there.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import logging
import lzma
import re
import sys
import tarfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO  # Any: for objects of umbi, an extra, imported late, whose types may not be there

from deltachain.errors import Defect, FormatError, InputError, require_extra
from deltachain.files import MAX_BYTES, open_regular, write_atomically
from deltachain.formats.format import (
    Format,
    check_readable,
    in_intervals,
    raw_row,
    refuse_more_than_intervals,
    why_not,
)
from deltachain.formats.observation import (
    MAX_INITIAL,
    Described,
    ExploredModel,
    InputChoice,
    chain_of,
    dropped_notes,
    label_names,
    observation_texts,
)
from deltachain.model import Box, Chain, Loaded
from deltachain.model.build import AnyRawRow, RawEntry
from deltachain.settings import Settings
from deltachain.version import __version__

APS = "aps"
KINDS = {("stochastic", 0): "a CTMC", ("stochastic", 1): "a CTMDP"}
ONLY = "only discrete-time Markov chains and, with inputs, MDPs are read"
HOW_TO_NAME = "give each its choice action, with a string"

INITIAL = "state-is-initial.bin"
CHOICES = "state-to-choices.bin"
BRANCHES = "choice-to-branches.bin"
TARGETS = "branch-to-target.bin"
PROBABILITIES = "branch-to-probability.bin"
VALUATIONS = "valuations/states/valuations.bin"
OBSERVATIONS = "observations/states/values.bin"
ACTIONS = "actions/choices/values.bin"
ACTION_ENDS = "actions/choices/string-mapping.bin"
ACTION_NAMES = "actions/choices/strings.bin"

MAX_NAME_BYTES = 100_000_000
"""The names of all actions together may be so long."""

NO_NAME = ""
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")

MAX_CELLS = 100_000_000
"""States times labels, and states times variables, may be so many."""


def load_umbi() -> Any:
    """The package umbi.umb; BackendMissing with the pip line otherwise."""
    with require_extra("umbi", "umb"):
        umbi = importlib.import_module("umbi.umb")
        importlib.import_module("umbi.tar")
        importlib.import_module("umbi.binary")
    logger = logging.getLogger("umbi")
    if not logger.handlers:  # what umbi logs is raised as well; keep it off standard error
        logger.addHandler(logging.NullHandler())
    return umbi


@dataclass(frozen=True)
class _Content:
    """What a file says, checked to fit together."""

    labels: Mapping[str, Sequence[int]]
    """Label → the states that have it, increasing."""
    variables: Mapping[str, Sequence[object]]
    initial: Sequence[int]
    choices: Sequence[int]
    """The choices of state s are those from choices[s] up to choices[s + 1]."""
    actions: Sequence[str] | None
    """The name of each choice, empty where it has none; None where no choice has one."""
    starts: Sequence[int]
    """The branches of choice c are those from starts[c] up to starts[c + 1]."""
    targets: Sequence[int]
    probabilities: Sequence[RawEntry]
    observed: Sequence[int] | None
    """The observation of each state; None where there are none."""

    def describe(self, source: str) -> Described:
        """The states as `visible_labels` takes them."""
        sets: list[list[str]] = [[] for _ in range(len(self.choices) - 1)]
        for name, states in self.labels.items():
            for state in states:
                sets[state].append(name)
        seen = None if self.observed is None else observation_texts(self.observed, {})
        return Described(source, tuple(sorted(self.labels)), sets, self.variables, seen)

    def state_choices(self) -> Iterator[list[InputChoice]]:
        """The choices of each state in turn."""
        for first, last in pairwise(self.choices):
            yield [(self._names(choice), self._row(choice)) for choice in range(first, last)]

    def _names(self, choice: int) -> tuple[str, ...]:
        return () if self.actions is None or not self.actions[choice] else (self.actions[choice],)

    def _row(self, choice: int) -> AnyRawRow:
        first, last = self.starts[choice], self.starts[choice + 1]
        return raw_row(list(zip(self.targets[first:last], self.probabilities[first:last], strict=True)))


def load_umb(path: Path, settings: Settings) -> Loaded:
    """The chain of a UMB file.

    Raises FormatError for what cannot be decoded, InputError for another kind of model and unknown names,
    ModelError for rows that do not sum to one; BackendMissing without umbi.
    """
    umbi = load_umbi()
    source = str(path)
    check_readable(path)
    content = _content(umbi, path)
    states, notes = content.describe(source), tuple[str, ...]()
    if not settings.observe and not settings.observe_labels and states.observations is None:
        notes = dropped_notes(states.label_sets, keep=settings.keep_labels)
    return chain_of(ExploredModel(states, content.initial, list(content.state_choices())), settings, HOW_TO_NAME, notes)


def _content(umbi: Any, path: Path) -> _Content:
    """The content of the file; whatever is wrong with it is an InputError."""
    try:
        index = umbi.index.UmbIndex.from_json(json.loads(read_index_bytes(path).decode()))
        index.validate()
        _refuse_other_kinds(index.transition_system, str(path))
        return _decode(index, path)
    except (InputError, MemoryError):
        raise
    except (Exception, RecursionError) as error:  # a foreign decoder on foreign bytes: the file is at fault
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise FormatError(Defect(str(path), f"not a UMB model: {reason[:300]}", "write the file anew")) from None


def _refuse_other_kinds(system: Any, source: str) -> None:
    kind = (system.time, system.num_players)
    if kind not in (("discrete", 0), ("discrete", 1)):
        named = KINDS.get(kind, f"of time {system.time!r} with {system.num_players} players")
        what = f"the model is {named}"
    elif system.num_observations and system.observations_apply_to != "states":
        what = f"the model's observations are of {system.observations_apply_to or 'nothing'}, not of states"
    elif system.num_observations and system.observation_probability_type is not None:
        what = "the model's observations are drawn"
    elif system.branch_probability_type is None:
        what = "the model has no probabilities"
    elif _is_interval(system.branch_probability_type) and system.num_players:
        what = "the model is an interval MDP: intervals are read in chains without inputs alone"
    elif system.num_players == 0 and system.num_choices != system.num_states:
        what = "the model has states with several choices or none"
    else:
        return
    raise InputError(Defect(source, what, ONLY))


def _decode(index: Any, path: Path) -> _Content:
    system = index.transition_system
    states, branches, kind = system.num_states, system.num_branches, system.branch_probability_type
    choices = system.num_choices
    labels = _label_members(index)
    structs = index.valuations["states"].classes if (index.valuations or {}).get("states") else []
    if len(structs) > 1 or (structs and index.valuations["states"].num_strings is not None):
        raise ValueError("valuations of several classes, or with texts, are not read")
    if states * max(len(labels), *(len(struct.attributes) for struct in structs), 1) > MAX_CELLS:
        raise ValueError(f"{states} states with {len(labels)} labels are more than is read")
    if kind.size_bits < 8 or kind.size_bits % 8:
        raise ValueError(f"probabilities of {kind.size_bits} bits")
    bits = range((states + 7) // 8, (states + 63) // 64 * 8 + 1)  # padded to whole words, or not
    lengths = dict.fromkeys(labels.values(), bits) | {CHOICES: _just(8 * (states + 1))}
    if system.num_players:
        lengths[ACTIONS] = _just(4 * choices)
        lengths[ACTION_ENDS] = _just(8 * (system.num_choice_actions + 1))
        lengths[ACTION_NAMES] = range(MAX_NAME_BYTES)
    needed = {
        BRANCHES: _just(8 * (choices + 1)),
        TARGETS: _just(8 * branches),
        PROBABILITIES: _just(kind.size_bits // 8 * branches),
    }
    if system.num_initial_states:
        needed[INITIAL] = bits
    if system.num_observations:
        needed[OBSERVATIONS] = _just(8 * states)
    if structs:
        needed[VALUATIONS] = _just(structs[0].size_bytes * states)
    found = read_members(path, lengths | needed)
    missing = [name for name in (*needed, *labels.values()) if name not in found]
    if missing:
        raise ValueError(f"there is no {', '.join(missing[:3])}")
    groups = _integers(found[CHOICES]) if CHOICES in found else array("Q", range(states + 1))
    if not system.num_players and groups != array("Q", range(states + 1)):
        raise InputError(Defect(str(path), "the model has states with several choices or none", ONLY))
    return _Content(
        {name: bits_set(found[member], states) for name, member in labels.items()},
        variables_of(found[VALUATIONS], structs[0]) if structs else {},
        bits_set(found[INITIAL], states) if system.num_initial_states else (),
        _checked_choices(groups, choices),
        _action_names(found, choices, system.num_choice_actions),
        _checked_starts(_integers(found[BRANCHES]), states, branches),
        _integers(found[TARGETS]),
        _numbers(found[PROBABILITIES], kind),
        _observations(_integers(found[OBSERVATIONS]), system.num_observations) if system.num_observations else None,
    )


def _observations(observed: array[int], count: int) -> array[int]:
    """The observation of each state, if each is one of those that there are."""
    if any(number >= count for number in observed):
        raise ValueError(f"{OBSERVATIONS} names an observation beyond the {count} that there are")
    return observed


def _just(length: int) -> range:
    return range(length, length + 1)


def _label_members(index: Any) -> dict[str, str]:
    """Label → the member that says which states have it."""
    found: dict[str, str] = {}
    for key, description in ((index.annotations or {}).get(APS) or {}).items():
        if "states" not in (description.applies_to or ()):
            continue
        name = description.alias or key
        if name in found:
            raise ValueError(f"two labels are called {name!r}")
        if description.type is None or description.type.type.name != "BOOL":
            raise ValueError(f"the label {name!r} is not of truth values")
        found[name] = f"annotations/{APS}/{key}/states/values.bin"
    return found


def _integers(data: bytes) -> array[int]:
    """Little-endian integers of 64 bits without sign."""
    found = array("Q")
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _checked_choices(groups: array[int], choices: int) -> array[int]:
    """``groups``, if it cuts the choices into at least one for each state."""
    if groups[0] != 0 or groups[-1] != choices:
        raise ValueError(f"{CHOICES} runs from {groups[0]} to {groups[-1]}; there are {choices} choices")
    for state, (first, last) in enumerate(pairwise(groups)):
        if last <= first:
            raise ValueError(f"{CHOICES} gives state {state} no choice")
    return groups


def _action_names(found: Mapping[str, bytes], choices: int, actions: int) -> list[str] | None:
    """The name of each choice's action; None where actions have no names. What is cut or points nowhere is refused."""
    if ACTION_ENDS not in found:
        return None
    text, ends = found.get(ACTION_NAMES, b""), _integers(found[ACTION_ENDS])
    if ends[0] != 0 or ends[-1] != len(text) or any(last < first for first, last in pairwise(ends)):
        raise ValueError(f"{ACTION_ENDS} does not cut {ACTION_NAMES} into {actions} names")
    names = [text[first:last].decode() for first, last in pairwise(ends)]
    numbers = memoryview(found.get(ACTIONS, bytes(4 * choices)))
    chosen = [int.from_bytes(numbers[4 * choice : 4 * choice + 4], "little") for choice in range(choices)]
    if any(number >= actions for number in chosen):
        raise ValueError(f"{ACTIONS} names an action beyond the {actions} that there are")
    return [names[number] for number in chosen]


def _checked_starts(starts: array[int], states: int, branches: int) -> array[int]:
    """``starts``, if it cuts the branches into one row per choice, of at most as many branches as there are states."""
    if starts[0] != 0 or starts[-1] != branches:
        raise ValueError(f"{BRANCHES} runs from {starts[0]} to {starts[-1]}; there are {branches} branches")
    for choice, (first, last) in enumerate(pairwise(starts)):
        if not 0 <= last - first <= states:
            raise ValueError(f"{BRANCHES} gives choice {choice} {last - first} branches; there are {states} targets")
    return starts


def _is_interval(kind: Any) -> bool:
    return type(kind.type).__name__ == "IntervalType"


def _numbers(data: bytes, kind: Any) -> list[RawEntry]:
    """The probabilities, or their two ends; each distinct one is decoded once, because models repeat few."""
    decode = importlib.import_module("umbi.binary").bytes_to_vector
    width = kind.size_bits // 8
    known: dict[bytes, RawEntry] = {}
    found: list[RawEntry] = []
    for start in range(0, len(data), width):
        piece = data[start : start + width]
        number = known.get(piece)
        if number is None:
            (value,) = decode(piece, kind)
            ends = (value.left, value.right) if _is_interval(kind) else (value,)
            if not all(isinstance(end, int | float | Fraction) for end in ends):
                raise ValueError(f"a probability of type {type(ends[0]).__name__}")
            number = known[piece] = ends if len(ends) == 2 else ends[0]
        found.append(number)
    return found


def save_umb(chain: Chain, path: Path) -> None:
    """Write a chain as UMB, gzipped, all or nothing; the same chain always gives the same bytes."""
    umbi = load_umbi()
    refuse_more_than_intervals(chain, "UMB")
    _refuse_inputs(chain)
    encoder = umbi.umb_to_tar.UmbEncoder()
    encoder.encode(_explicit(umbi, chain), insert_umbi_metadata=False)
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for name, content in encoder.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    write_atomically(path, [buffer.getvalue()])


def _explicit(umbi: Any, chain: Chain) -> Any:
    binary = importlib.import_module("umbi.binary")
    types = importlib.import_module("umbi.datatypes")
    index = importlib.import_module("umbi.umb.index")
    version = importlib.import_module("umbi.version")
    initial = _initial(chain)
    rows = [row.box for moves in chain.given for row in moves]
    size, number = _bits(rows), types.NumericPrimitiveType.RATIONAL
    boxed = in_intervals(chain)
    kind = binary.SizedType(types.IntervalType(number), 2 * size) if boxed else binary.SizedType(number, size)
    made = umbi.ExplicitUmb()
    made.index = index.UmbIndex(
        format_version=version.__format_version__,
        format_revision=version.__format_revision__,
        file_data=index.FileData(tool="deltachain", tool_version=__version__),
        transition_system=index.TransitionSystem(
            num_states=len(chain),
            num_initial_states=len(initial),
            num_players=int(chain.interactive),
            num_choices=len(rows),
            num_branches=chain.transitions,
            branch_probability_type=kind,
        ),
    )
    made.state_is_initial = [state in initial for state in range(len(chain))]
    made.choice_to_branches = list(accumulate(map(len, rows), initial=0))
    made.branch_to_target = [target for row in rows for target, _, _ in row]
    interval = types.Interval if boxed else lambda lo, _: lo
    made.branch_to_probability = [interval(lo, hi) for row in rows for _, lo, hi in row]
    if chain.interactive:
        _add_actions(made, chain)
    _add_labels(made, chain, index, binary)
    _add_valuations(made, chain, index, binary, types)
    return made


def _bits(rows: Sequence[Box]) -> int:
    """The size of a rational, numerator (signed) and denominator, in whole words of 64 bits each."""
    longest = max(end.denominator.bit_length() for row in rows for _, *ends in row for end in ends)
    return 128 * (longest // 64 + 1)


def holds_relation(chain: Chain) -> bool:
    """Whether the chain's relation comes back from a file: it is all pairs of some states."""
    related = sorted({state for pair in chain.relation for state in pair})
    return len(related) <= MAX_INITIAL and list(chain.relation) == list(combinations(related, 2))


def _initial(chain: Chain) -> set[int]:
    """The states of the relation if it comes back that way; else the first state alone."""
    related = {state for pair in chain.relation for state in pair}
    return related if related and holds_relation(chain) else {0}


def _add_actions(made: Any, chain: Chain) -> None:
    """Inputs as the actions of choices; one whose state offers none has the empty name, as Storm writes it."""
    offered = [name or NO_NAME for state in range(len(chain)) for name in chain.offered(state)]
    names = [NO_NAME, *sorted(set(offered) - {NO_NAME})]
    number = {name: i for i, name in enumerate(names)}
    made.index.transition_system.num_choice_actions = len(names)
    made.state_to_choices = list(accumulate(map(len, chain.given), initial=0))
    made.choice_to_choice_action = [number[name] for name in offered]
    made.choice_action_to_string = names


def _refuse_inputs(chain: Chain) -> None:
    """InputError for each state with an input that would read as none, or whose name is no UTF-8 text."""
    defects = [
        Defect(f"state {chain.states[state]!r}", f"UMB cannot express its input {name!r}: {why}", "rename it")
        for state in range(len(chain))
        for name in chain.offered(state)
        if name is not None and (why := "it would read as no name" if not name else why_not(name))
    ]
    if defects:
        raise InputError(defects)


def _add_labels(made: Any, chain: Chain, index: Any, binary: Any) -> None:
    sets = {label: label_names(label) for label in chain.alphabet}
    names = sorted({name for found in sets.values() for name in found})
    if not names:
        return
    # A key is part of a path in the archive; the alias is the label itself.
    keys = {name: name if PLAIN_NAME.fullmatch(name) else f"label.{i}" for i, name in enumerate(names)}
    made.index.annotations = {
        APS: {
            key: index.AnnotationDescription(alias=name, applies_to=["states"], type=binary.BOOL1)
            for name, key in keys.items()
        }
    }
    made.annotations = {
        APS: {key: {"states": [name in sets[label] for label in chain.labels]} for name, key in keys.items()}
    }


def _add_valuations(made: Any, chain: Chain, index: Any, binary: Any, types: Any) -> None:
    """The variables that the format holds: all values of one type, truth values or integers of 64 bits."""
    struct = binary.StructType()
    for name in sorted({name for valuation in chain.valuations or () for name in valuation}):
        values = [valuation.get(name) for valuation in chain.valuations or ()]
        kinds = {type(value) for value in values if value is not None}
        optional = None in values
        if kinds == {bool} and not optional:  # umbi cannot encode a truth value that is missing
            struct.add_attribute(name, binary.BOOL1)
        elif kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):  # type: ignore[operator]
            struct.add_attribute(name, binary.SizedType(types.NumericPrimitiveType.INT, 64), optional)
    if not struct.attributes:
        return
    struct.pad_to_byte()
    made.index.valuations = {"states": index.ValuationDescription(unique=False, classes=[struct])}
    made.valuations = {
        "states": [{field.name: v.get(field.name) for field in struct.attributes} for v in chain.valuations or ()]
    }


# Bytes.

FLOOR = 16 * 2**20
RATIO = 64
"""Models repeat themselves; measured ratios are 5 to 30. Those of files made to explode are 1,000 and more."""

INDEX = "index.json"
MAX_INDEX_BYTES = 2**20
MAX_MEMBERS = 10_000

_MAGIC: Mapping[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}


class _Limited(io.RawIOBase):
    """Bytes as they are unpacked, up to a limit; beyond it, InputError."""

    def __init__(self, inner: BinaryIO | io.BufferedIOBase, limit: int, source: str) -> None:
        self._inner, self._limit, self._left, self._source = inner, limit, limit, source

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes; tar asks for a number always."""
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        pieces, got = [], 0
        while got < wanted and (piece := self._inner.read(wanted - got)):
            pieces.append(piece)
            got += len(piece)
        self._left -= got
        if self._left < 0:
            what = f"its content is larger than {self._limit} bytes, far more than the file itself"
            raise InputError(Defect(self._source, what, "split the model, or write it as DRN"))
        return b"".join(pieces)


@contextmanager
def _members(path: Path) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes]]]]:
    """The plain files of the archive, in order, each readable until the next is asked for."""
    with open_regular(path, MAX_BYTES) as file:
        start = file.read(6)
        packed = file.seek(0, io.SEEK_END)
        file.seek(0)
        unpack = next((how for magic, how in _MAGIC.items() if start.startswith(magic)), None)
        inner = file if unpack is None else unpack(file)
        limit = min(MAX_BYTES, max(FLOOR, RATIO * packed))
        with tarfile.open(fileobj=_Limited(inner, limit, str(path)), mode="r|") as archive:
            yield _plain_files(archive)


def _plain_files(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    for count, member in enumerate(archive):
        if count >= MAX_MEMBERS:
            raise ValueError(f"more than {MAX_MEMBERS} members")
        archive.members = []  # type: ignore[attr-defined]  # a stream keeps every header that it has passed
        if member.isreg() and not member.issparse():
            opened = archive.extractfile(member)
            if opened is not None:
                yield member, opened


def read_index_bytes(path: Path) -> bytes:
    """The index of the archive; ValueError when there is none or it is too long."""
    with _members(path) as members:
        for member, content in members:
            if member.name == INDEX:
                if member.size > MAX_INDEX_BYTES:
                    raise ValueError(f"{INDEX} is longer than {MAX_INDEX_BYTES} bytes")
                return content.read(member.size)
    raise ValueError(f"there is no {INDEX}")


def read_members(path: Path, lengths: Mapping[str, range]) -> dict[str, bytes]:
    """The members named in ``lengths`` that exist; ValueError when a length is not among those it may have."""
    found: dict[str, bytes] = {}
    with _members(path) as members:
        for member, content in members:
            allowed = lengths.get(member.name)
            if allowed is None:
                continue
            if member.name in found:
                raise ValueError(f"{member.name} is there twice")
            if member.size not in allowed:
                raise ValueError(f"{member.name} has {member.size} bytes; by the index it has {allowed.start}")
            data = content.read(member.size)
            if len(data) != member.size:
                raise ValueError(f"{member.name} is cut short")
            found[member.name] = data
    return found


def bits_set(data: bytes, size: int) -> array[int]:
    r"""The positions below ``size`` of the bits that are set, least significant bit of each byte first.

    >>> list(bits_set(b"\x05\x80", 16))
    [0, 2, 15]
    """
    found = array("Q")
    for place, byte in enumerate(data):
        if byte:
            found.extend(8 * place + bit for bit in range(8) if byte >> bit & 1 and 8 * place + bit < size)
    return found


def variables_of(data: bytes, struct: Any) -> dict[str, list[object]]:
    """Variable → its value in each state, None where it is missing; ValueError for what cannot be read."""
    names = [field.name for field in struct.attributes]
    if len(set(names)) != len(names):
        raise ValueError("two variables have the same name")
    if not struct.is_byte_aligned or struct.contains_strings:
        raise ValueError("valuations that are not whole bytes, or have texts, are not read")
    found: dict[str, list[object]] = {name: [] for name in names}
    width = struct.size_bytes
    fields = _fields(struct)
    if not width:
        return {}
    for start in range(0, len(data), width):
        for field, shift in fields:
            first = start + shift // 8
            piece = data[first : start + (shift + field.size_bits + 7) // 8]
            found[field.name].append(_value(int.from_bytes(piece, "little") >> shift % 8, field))
    return found


def _fields(struct: Any) -> list[tuple[Any, int]]:
    """The attributes with the bit at which each begins."""
    placed, shift = [], 0
    for field in struct:
        if hasattr(field, "sized_type"):
            placed.append((field, shift))
        shift += field.size_bits
    return placed


def _value(bits: int, field: Any) -> object:
    if field.is_optional:
        if not bits & 1:
            return None
        bits >>= 1
    size = field.sized_type.size_bits
    bits &= (1 << size) - 1
    kind = field.sized_type.type.name
    if kind == "BOOL":
        return bits != 0
    if kind in ("INT", "UINT"):
        signed = kind == "INT" and size and bits >> (size - 1)
        return (bits - (1 << size) if signed else bits) + (field.offset or 0)
    binary, bitstring = importlib.import_module("umbi.binary.scalar"), importlib.import_module("bitstring")
    return binary.bits_to_scalar(bitstring.BitArray(uint=bits, length=size), field.sized_type.type)


UMB = Format(
    title="unified Markov binary",
    read=load_umb,
    write=save_umb,
    holds="intervals",
    understands=("normalise", "observe", "observe_labels"),
    holds_relation=holds_relation,
)
