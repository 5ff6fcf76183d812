"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `question` (what is asked), `formula` (formulas as data), `faithful` and `reduced` with `reduction` and
`bounds` (the formulas), `smtlib` (printing), `solvers`, `prefixed`, `proof` (from models to proofs), `threshold` (all
of it), `search` (bisection, continued fractions), `integers`, `bitblast` (bounded integers, SAT).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

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
_NAMES = {
    "bitblast": ["Cnf", "bit_blast", "solve_cnf", "to_dimacs"],
    "integers": ["IntegerProgram", "complete_bits", "integer_program", "read_model", "to_bitvectors"],
    "prefixed": ["prefixed_point_from_model"],
    "proof": ["Flow", "PrefixedPoint"],
    "question": ["Query", "Question", "ask"],
    "search": ["Bisection", "ExactValue", "bisect", "denominator_bound", "exact_value", "oracle"],
    "smtlib": ["to_smtlib"],
    "solvers": ["Answer", "run"],
    "threshold": ["Decider", "Decision", "decide"],
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)

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
