"""What carries the proofs: a checker without it accepts a forged certificate, which says something false.

`test_needs` leaves out one condition after the other. Here the conditions and computations that theorems rest on are
changed one at a time, as by a slip of the pen, and each changed checker must accept the file that is named.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import NamedTuple

import pytest

from .test_needs import FOLDER, MUTANT, said_of


class Change(NamedTuple):
    """A change of a module, and the file of ``two/reject`` that is then accepted."""

    what: str
    module: str
    old: str
    new: str
    accepts: str


NOTHING = "pass"
CHANGES = (
    # Covers
    Change(
        "the base case", "covers", "if not field.reaches(claim.v, sum(w.values()), bottom):", "if False:",
        "forged-circle-without-a-base-case",
    ),
    Change(
        "now claims in circles", "covers", "(cited < before or cited in self.steps)", "True", "forged-now-in-a-circle",
    ),
    Change(
        "one label", "covers", "need(len({label[i] for i in claim.w}) == 1, name,", "(lambda *_: None)(",
        "forged-vector-on-two-labels",
    ),
    Change(
        "every input", "model", "need(isinstance(given, dict) and given.keys() == inputs, name,", "(lambda *_: None)(",
        "step-every-input",
    ),
    Change(
        "a failed question is not its opposite", "covers", "need(field.nonneg(-c), name,", "(lambda *_: None)(",
        "forged-coefficient-of-two-signs",
    ),
    Change(
        "complements cost their mass", "covers", "return self.v - mass(self.w)", "return self.v",
        "forged-complement-without-its-mass",
    ),
    # Graphs
    Change(
        "a missing bound is not 0", "graph",
        'raise CertificateRejected(name, f"a bound from above at node {child}")', "continue",
        "forged-missing-bounds",
    ),
    Change(
        "circles from below leak", "graph", "need((n, way) in safe,", "(lambda *_: None)(", "value-of-another-input",
    ),
    Change("visits", "graph", "need(h == arriving[n],", "(lambda *_: None)(", "forged-visits"),
    Change(
        "of an empty belief only an empty one is a multiple", "graph", "(ratio is None and (part.tops or goal.tops))",
        "(ratio is None and goal.tops)", "forged-multiple-of-an-empty-belief",
    ),
    Change(
        "no inputs where exact values are concluded", "graph",
        "self.graph.edges(n, None)", "self.graph.edges(n, self.graph.model.inputs(self.graph.state(n))[0])",
        "forged-guess-under-one-input",
    ),
    # The chain, and what is concluded
    Change(
        "new names", "model", "need(state not in taken,", "(lambda *_: None)(",
        "states-named-as-one-that-is-merged",
    ),
    Change(
        "rows sum to one", "model", "need(sum(tops.values()) == bottom, name,", "(lambda *_: None)(",
        "states-row-sum",
    ),
    Change("one state", "certificate", "return ZERO, [ZERO]", "return ZERO, []", "forged-bound-on-one-state"),
    # Limits
    Change(
        "mass that leaves counts row by row", "limits", "k * p[-1] * WHOLE",
        "max(k * p[-1] - (self.size - k) * other[-1], 0) * WHOLE", "forged-mass-that-leaves-summed-over-rows",
    ),
    Change(
        "what leaves is lost below, in trees", "recipes", "below[its_sum] -= lost", NOTHING,
        "forged-lower-bound-of-what-leaves-tree",
    ),
    Change(
        "what leaves costs above, in trees", "recipes", "above[its_sum] += lost", NOTHING,
        "forged-upper-bound-of-what-leaves-tree",
    ),
    Change(
        "what leaves costs above, in levels", "recipes", "above += lost", NOTHING,
        "forged-upper-bound-of-what-leaves-levels",
    ),
    Change(
        "what leaves is lost below, in levels", "recipes", "below -= lost", NOTHING,
        "forged-lower-bound-of-what-leaves-levels",
    ),
    Change(
        "what leaves may be in the event", "recipes", "for _, share in low) + rest", "for _, share in low)",
        "forged-lower-bound-of-what-leaves-vector",
    ),
    Change(
        "what leaves is worth anything, to first order", "limits", "(0, WHOLE)]  # outside", "(0, 0)]  # outside",
        "forged-upper-bound-of-what-leaves-first",
    ),
)  # fmt: skip


@contextmanager
def changed_checker(change: Change) -> Iterator[tuple[ModuleType, ModuleType]]:
    """A second copy of the checker, changed: its modules for documents and for certificates."""
    package = ModuleType(MUTANT)
    package.__path__ = [str(FOLDER)]
    sys.modules[MUTANT] = package
    try:
        path = FOLDER / f"{change.module}.py"
        source = path.read_text("utf-8")
        assert source.count(change.old) == 1
        if change.what.startswith("no inputs"):  # asked twice: by a condition, and by what it reads
            source = source.replace("inputs(self.graph.state(n)) == [None]", "inputs(self.graph.state(n)) != []")
        changed = ModuleType(f"{MUTANT}.{change.module}")
        changed.__package__ = MUTANT
        sys.modules[changed.__name__] = changed
        exec(compile(source.replace(change.old, change.new), str(path), "exec"), vars(changed))  # noqa: S102
        setattr(package, change.module, changed)
        yield importlib.import_module(f"{MUTANT}.document"), importlib.import_module(f"{MUTANT}.certificate")
    finally:
        for name in [name for name in sys.modules if name == MUTANT or name.startswith(f"{MUTANT}.")]:
            del sys.modules[name]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.what)
def test_a_changed_checker_accepts_what_is_false(change: Change) -> None:
    with changed_checker(change) as checker:
        assert said_of(checker, change.accepts)[0] == "accepted"
