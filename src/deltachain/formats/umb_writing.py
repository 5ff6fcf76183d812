"""UMB out: the unified Markov binary, a tar archive of an index and vectors of numbers; needs the extra ``umb``.

What is written: exact rationals, labels, inputs as actions of one player's choices, and those variables whose values
are integers of 64 bits, or truth values that every state has. State names, other variables and the relation are not;
but when the relation is all pairs of some states, those are the initial ones, and it comes back.
"""

from __future__ import annotations

import gzip
import importlib
import io
import re
import tarfile
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

from ..errors import Defect, InputError
from ..files import write_atomically
from ..model import Chain
from ..version import __version__
from .label_sets import label_names
from .labels import why_not
from .umb import APS, load_umbi
from .visible import MAX_INITIAL

NO_NAME = ""
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


def save_umb(chain: Chain, path: Path) -> None:
    """Write a chain as UMB, gzipped, all or nothing; the same chain always gives the same bytes."""
    umbi = load_umbi()
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
    rows = [row for moves in chain.moves for row in moves]
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
            branch_probability_type=binary.SizedType(types.NumericPrimitiveType.RATIONAL, _bits(chain)),
        ),
    )
    made.state_is_initial = [state in initial for state in range(len(chain))]
    made.choice_to_branches = list(accumulate(map(len, rows), initial=0))
    made.branch_to_target = [target for row in rows for target, _ in row]
    made.branch_to_probability = [p for row in rows for _, p in row]
    if chain.interactive:
        _add_actions(made, chain)
    _add_labels(made, chain, index, binary)
    _add_valuations(made, chain, index, binary, types)
    return made


def _bits(chain: Chain) -> int:
    """The size of a rational, numerator (signed) and denominator, in whole words of 64 bits each."""
    longest = max(p.denominator.bit_length() for rows in chain.moves for row in rows for _, p in row)
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
    made.state_to_choices = list(accumulate(map(len, chain.moves), initial=0))
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
