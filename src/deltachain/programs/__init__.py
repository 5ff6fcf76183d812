"""Protocols written as Python functions, compiled to chains: the paper's Fig. 3, made real [CMP18]."""

from .load import load_program, parse_assignments, parse_value, program_names
from .primitives import announce, ask, choose, flip, geometric, uniform
from .problems import ProgramError
from .program import Program, program

__all__ = [
    "Program",
    "ProgramError",
    "announce",
    "ask",
    "choose",
    "flip",
    "geometric",
    "load_program",
    "parse_assignments",
    "parse_value",
    "program",
    "program_names",
    "uniform",
]
