"""The exception tree as drawn, and messages that carry every defect."""

from __future__ import annotations

import pytest

import deltachain_checker
import deltachain_checker_v1
from deltachain import errors
from deltachain.errors import (
    BackendMissing,
    CertificateRejected,
    Defect,
    DeltachainError,
    FormatError,
    ImpossibleBound,
    InputError,
    InteractiveChain,
    InternalError,
    MissingFile,
    ModelError,
    NotConverged,
    RejectedAnswer,
    SolverError,
    SolverUnknown,
    Stopped,
    UncertainChain,
    UnknownState,
    WorkersLost,
)
from tests.words import says

PARENTS = {
    InputError: (DeltachainError, ValueError),
    FormatError: (InputError,),
    ModelError: (InputError,),
    UnknownState: (InputError, KeyError),
    InteractiveChain: (InputError,),
    UncertainChain: (InputError,),
    MissingFile: (InputError, FileNotFoundError),
    SolverError: (DeltachainError, RuntimeError),
    SolverUnknown: (SolverError,),
    NotConverged: (SolverError,),
    Stopped: (SolverError,),
    WorkersLost: (SolverError,),
    BackendMissing: (SolverError, ImportError),
    CertificateRejected: (
        DeltachainError,
        deltachain_checker.CertificateRejected,
        deltachain_checker_v1.CertificateRejected,
    ),
    InternalError: (DeltachainError, RuntimeError),
    ImpossibleBound: (InternalError,),
    RejectedAnswer: (InternalError,),
}


def test_every_exception_is_in_the_tree() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, DeltachainError)}
    assert kinds - {DeltachainError} == set(PARENTS)


@pytest.mark.parametrize("kind", PARENTS, ids=lambda kind: kind.__name__)
def test_each_kind_has_its_parents_and_is_drawn(kind: type[DeltachainError]) -> None:
    assert kind.__bases__ == PARENTS[kind]
    assert kind.__name__ in (errors.__doc__ or "")


def test_a_defect_names_place_fault_and_fix() -> None:
    assert says(str(Defect("state 's'", "row sums to 9/10", "add 1/10")))
    assert str(Defect("", "empty")) == "empty"


def test_all_defects_are_kept_and_the_first_ones_shown() -> None:
    many = [Defect(f"line {i}", "bad") for i in range(50)]
    error = InputError(many)
    assert error.defects == tuple(many)
    lines = str(error).splitlines()
    assert lines[:2] == ["line 0: bad", "line 1: bad"]
    assert lines[-1] == f"… and {50 - errors.SHOWN_DEFECTS} more"
    assert len(lines) == errors.SHOWN_DEFECTS + 1


def test_one_defect_or_text_is_enough() -> None:
    assert InputError("bad").defects == (Defect("", "bad"),)
    assert str(InputError(Defect("x", "bad"))) == "x: bad"
    assert InputError(d for d in [Defect("x", "bad")]).defects == (Defect("x", "bad"),)


def test_unknown_state_prints_plainly() -> None:
    """KeyError would print the repr of its argument."""
    assert str(UnknownState("no state 'x'")) == "no state 'x'"


def test_solver_errors_carry_what_is_known() -> None:
    assert NotConverged("out of time", upper=3).upper == 3
    assert NotConverged("out of time").upper is None
    missing = BackendMissing("z3", "smt")
    assert "pip install 'deltachain[smt]'" in str(missing)
    assert missing.extra == "smt"


def test_a_rejection_names_claim_rule_and_sides() -> None:
    error = CertificateRejected("D(s,t)", "R1", 2, 1)
    assert (error.claim, error.rule, error.left, error.right) == ("D(s,t)", "R1", 2, 1)
    assert str(error) == "D(s,t): R1: 2 against 1"
    assert str(CertificateRejected("D(s,t)", "R0")) == "D(s,t): R0"
