"""UMB, the unified Markov binary: a tar archive of an index and vectors of numbers; needs the extra ``umb``.

Files are decoded by umbi's low-level reader (``umbi.umb``). Its high-level one keeps only the last label of a
model and refuses bounded variables. What is read: a discrete-time system without players and observations, with
one choice a state and a probability on each branch; labels are the annotations of group ``aps`` on states, by
their alias; variables are the valuations of states, with the offset that the decoder leaves out. Rational
probabilities are exact. Doubles are read as their shortest decimals, and rows that then do not sum to one are
refused unless normalised. Several initial states are related, all pairs.

What is written: exact rationals, labels, and those variables whose values are integers of 64 bits, or truth
values that every state has. State names, other variables and the relation are not; but when the relation is all
pairs of some states, those are the initial ones, and it comes back.
"""

from __future__ import annotations

import gzip
import importlib
import io
import logging
import re
import tarfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from ..chain import Chain
from ..chain.build import assemble
from ..errors import BackendMissing, Defect, FormatError, InputError
from ..files import write_atomically
from ..rational import Number
from ..version import __version__
from .label_sets import label_names
from .notes import Loaded, dropped_notes, normalised_notes
from .reading import MAX_BYTES, check_readable
from .settings import Settings
from .visible import MAX_INITIAL, Described, initial_pairs, state_names, visible_labels

__all__ = ["holds_relation", "load_umb", "save_umb"]

APS = "aps"
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
KINDS = {("discrete", 1): "an MDP", ("stochastic", 0): "a CTMC", ("stochastic", 1): "a CTMDP"}


def _umbi() -> Any:
    """The package umbi; BackendMissing with the pip line otherwise."""
    try:
        umbi = importlib.import_module("umbi.umb")
        importlib.import_module("umbi.tar")
        importlib.import_module("umbi.binary")
    except ImportError:
        raise BackendMissing("umbi", "umb") from None
    logger = logging.getLogger("umbi")
    if not logger.handlers:  # what umbi logs is raised as well; keep it off standard error
        logger.addHandler(logging.NullHandler())
    return umbi


def load_umb(path: Path, settings: Settings) -> Loaded:
    """The chain of a UMB file.

    Raises FormatError for what cannot be decoded, InputError for another kind of model and unknown names,
    ModelError for rows that do not sum to one; BackendMissing without umbi.
    """
    umbi = _umbi()
    source = str(path)
    check_readable(path)
    decoded = _decoded(umbi, path)
    _refuse_other_kinds(decoded, source)
    states = _described(decoded, source)
    labels = visible_labels(states, settings.observation)
    initial = [state for state, is_initial in enumerate(decoded.state_is_initial) if is_initial]
    names = state_names(len(labels), states.variables, initial)
    pairs, notes = initial_pairs(initial)
    changed: list[tuple[int, Fraction]] = []
    chain = assemble(
        names,
        labels,
        _rows(decoded),
        relation=[(names[s], names[t]) for s, t in pairs],
        valuations=_valuations(states.variables, len(names)),
        normalise=settings.normalise,
        place=lambda state: f"{source}: state {names[state]!r}",
        on_normalised=lambda state, total: changed.append((state, total)),
    )
    if not settings.observe and not settings.observe_labels:
        notes = (*dropped_notes(states.label_sets, keep=settings.keep_labels), *notes)
    return Loaded(chain, (*normalised_notes(names, changed), *notes))


def _decoded(umbi: Any, path: Path) -> Any:
    """The vectors of the file, their lengths checked against the index before anything large is made."""
    try:
        with tarfile.open(path, "r:*") as archive:
            size = sum(member.size for member in archive.getmembers())
        if size > MAX_BYTES:
            raise InputError(Defect(str(path), f"its content is larger than {MAX_BYTES} bytes", "split the model"))
        decoder = umbi.umb_to_tar.UmbDecoder(path)
        counts = decoder.read_json("index.json")["transition-system"]
        states, choices, branches = (int(counts[key]) for key in ("#states", "#choices", "#branches"))
        expected = {"choice-to-branches.bin": 8 * (choices + 1), "branch-to-target.bin": 8 * branches}
        wrong = [name for name, length in expected.items() if len(decoder.get(name, b"")) != length]
        if wrong or states > choices:
            raise ValueError(
                f"the index and {', '.join(wrong) or 'its counts'} do not fit: there must be one choice a state"
            )
        return decoder.decode()
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a foreign decoder on foreign bytes: whatever it raises, the file is at fault
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise FormatError(Defect(str(path), f"not a UMB model: {reason[:300]}", "write the file anew")) from None


def _refuse_other_kinds(decoded: Any, source: str) -> None:
    system = decoded.index.transition_system
    kind = (system.time, system.num_players)
    if kind != ("discrete", 0):
        named = KINDS.get(kind, f"of time {system.time!r} with {system.num_players} players")
        what = f"the model is {named}"
    elif system.num_observations:
        what = "the model is partially observable"
    elif system.branch_probability_type is None or decoded.branch_to_probability is None:
        what = "the model has no probabilities"
    elif not {type(p) for p in decoded.branch_to_probability} <= {float, Fraction, int}:
        what = "the model's probabilities are intervals"
    elif system.num_choices != system.num_states or decoded.state_to_choices not in (
        None,
        list(range(system.num_states + 1)),
    ):
        what = "the model has states with several choices or none"
    else:
        return
    raise InputError(Defect(source, what, "only discrete-time Markov chains are read"))


def _described(decoded: Any, source: str) -> Described:
    size = decoded.index.transition_system.num_states
    columns: dict[str, Sequence[bool]] = {}
    for name, description in ((decoded.index.annotations or {}).get(APS) or {}).items():
        values = decoded.annotations[APS][name]
        if "states" in values:
            columns[description.alias or name] = values["states"]
    sets = [[name for name, column in columns.items() if column[state]] for state in range(size)]
    return Described(source, tuple(sorted(columns)), sets, _variables(decoded))


def _variables(decoded: Any) -> dict[str, list[object]]:
    if not decoded.valuations or "states" not in decoded.valuations:
        return {}
    found: dict[str, list[object]] = {}
    for field in decoded.index.valuations["states"].classes[0].attributes:
        values = [row[field.name] for row in decoded.valuations["states"]]
        offset = field.offset or 0
        found[field.name] = [v + offset if type(v) is int else v for v in values] if offset else values
    return found


def _valuations(variables: Mapping[str, Sequence[object]], size: int) -> list[dict[str, object]] | None:
    """Variable → value in each state; an optional variable that a state does not have is left out."""
    if not variables:
        return None
    return [
        {
            n: c[state] if isinstance(c[state], bool | int | str) else str(c[state])
            for n, c in variables.items()
            if c[state] is not None
        }
        for state in range(size)
    ]


def _rows(decoded: Any) -> list[list[tuple[str | int, Number]]]:
    starts, targets, numbers = decoded.choice_to_branches, decoded.branch_to_target, decoded.branch_to_probability
    return [
        [(targets[branch], numbers[branch]) for branch in range(starts[state], starts[state + 1])]
        for state in range(len(starts) - 1)
    ]


def save_umb(chain: Chain, path: Path) -> None:
    """Write a chain as UMB, gzipped, all or nothing; the same chain always gives the same bytes."""
    umbi = _umbi()
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
    starts = [0]
    for row in chain.rows:
        starts.append(starts[-1] + len(row))
    made = umbi.ExplicitUmb()
    made.index = index.UmbIndex(
        format_version=version.__format_version__,
        format_revision=version.__format_revision__,
        file_data=index.FileData(tool="deltachain", tool_version=__version__),
        transition_system=index.TransitionSystem(
            num_states=len(chain),
            num_initial_states=len(initial),
            num_choices=len(chain),
            num_branches=chain.transitions,
            branch_probability_type=binary.SizedType(types.NumericPrimitiveType.RATIONAL, _bits(chain)),
        ),
    )
    made.state_is_initial = [state in initial for state in range(len(chain))]
    made.choice_to_branches = starts
    made.branch_to_target = [target for row in chain.rows for target, _ in row]
    made.branch_to_probability = [p for row in chain.rows for _, p in row]
    _add_labels(made, chain, index, binary)
    _add_valuations(made, chain, index, binary, types)
    return made


def _bits(chain: Chain) -> int:
    """The size of a rational, numerator (signed) and denominator, in whole words of 64 bits each."""
    longest = max(p.denominator.bit_length() for row in chain.rows for _, p in row)
    return 128 * (longest // 64 + 1)


def holds_relation(chain: Chain) -> bool:
    """Whether the chain's relation comes back from a file: it is all pairs of some states."""
    related = sorted({state for pair in chain.relation for state in pair})
    return len(related) <= MAX_INITIAL and list(chain.relation) == list(combinations(related, 2))


def _initial(chain: Chain) -> set[int]:
    """The states of the relation if it comes back that way; else the first state alone."""
    related = {state for pair in chain.relation for state in pair}
    return related if related and holds_relation(chain) else {0}


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
