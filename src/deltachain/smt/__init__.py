"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `question` (what is asked), `formula` (formulas as data), `faithful` and `reduced` with `reduction` and
`bounds` (the formulas), `smtlib` (printing), `solvers`, `prefixed`, `proof` (from models to proofs), `threshold` (all
of it), `search` (bisection, continued fractions), `integers`, `bitblast` (bounded integers, SAT).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bitblast import Cnf, bit_blast, solve_cnf, to_dimacs
    from .integers import IntegerProgram, complete_bits, integer_program, read_model, to_bitvectors
    from .prefixed import prefixed_point_from_model
    from .proof import Flow, PrefixedPoint
    from .question import Query, Question, ask
    from .search import Bisection, ExactValue, bisect, denominator_bound, exact_value, oracle
    from .smtlib import to_smtlib
    from .solvers import Answer, run
    from .threshold import Decider, Decision, decide

# Names are imported when first used: a solver's process needs none of the rest.
_HOME = {
    "Answer": "solvers",
    "Bisection": "search",
    "Cnf": "bitblast",
    "Decider": "threshold",
    "Decision": "threshold",
    "ExactValue": "search",
    "Flow": "proof",
    "IntegerProgram": "integers",
    "PrefixedPoint": "proof",
    "Query": "question",
    "Question": "question",
    "ask": "question",
    "bisect": "search",
    "bit_blast": "bitblast",
    "complete_bits": "integers",
    "decide": "threshold",
    "denominator_bound": "search",
    "exact_value": "search",
    "integer_program": "integers",
    "oracle": "search",
    "prefixed_point_from_model": "prefixed",
    "read_model": "integers",
    "run": "solvers",
    "solve_cnf": "bitblast",
    "to_bitvectors": "integers",
    "to_dimacs": "bitblast",
    "to_smtlib": "smtlib",
}

__all__ = [
    "Answer",
    "Bisection",
    "Cnf",
    "Decider",
    "Decision",
    "ExactValue",
    "Flow",
    "IntegerProgram",
    "PrefixedPoint",
    "Query",
    "Question",
    "ask",
    "bisect",
    "bit_blast",
    "complete_bits",
    "decide",
    "denominator_bound",
    "exact_value",
    "integer_program",
    "oracle",
    "prefixed_point_from_model",
    "read_model",
    "run",
    "solve_cnf",
    "to_bitvectors",
    "to_dimacs",
    "to_smtlib",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
