"""Protocols written as Python functions, compiled to chains: the paper's Fig. 3, made real [CMP18]."""

from .domains import Domain, domain
from .primitives import (
    announce,
    ask,
    choose,
    discrete_gaussian,
    discrete_laplace,
    exp,
    flip,
    geometric,
    log,
    randomised_response,
    sqrt,
    uniform,
)
from .protocol import Program, load_program, parse_assignments, parse_value, program, program_names
from .source import ProgramError

__all__ = [
    "Domain",
    "Program",
    "ProgramError",
    "announce",
    "ask",
    "choose",
    "discrete_gaussian",
    "discrete_laplace",
    "domain",
    "exp",
    "flip",
    "geometric",
    "load_program",
    "log",
    "parse_assignments",
    "parse_value",
    "program",
    "program_names",
    "randomised_response",
    "sqrt",
    "uniform",
]
