"""Protocols written as Python functions, compiled to chains: the paper's Fig. 3, made real [CMP18]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .domains import Domain as Domain
    from .domains import domain as domain
    from .domains import parse_domain as parse_domain
    from .primitives import announce as announce
    from .primitives import ask as ask
    from .primitives import choose as choose
    from .primitives import discrete_gaussian as discrete_gaussian
    from .primitives import discrete_laplace as discrete_laplace
    from .primitives import exp as exp
    from .primitives import flip as flip
    from .primitives import geometric as geometric
    from .primitives import log as log
    from .primitives import randomised_response as randomised_response
    from .primitives import sqrt as sqrt
    from .primitives import uniform as uniform
    from .protocol import Program as Program
    from .protocol import load_program as load_program
    from .protocol import program as program
    from .protocol import program_names as program_names
    from .relation import MAX_PAIRS as MAX_PAIRS
    from .relation import drawn_pairs as drawn_pairs
    from .relation import neighbouring as neighbouring
    from .relation import ordered_neighbours as ordered_neighbours
    from .relation import states_where as states_where
    from .relation import with_neighbours as with_neighbours
    from .source import ProgramError as ProgramError
    from .valuations import parse_assignments as parse_assignments
    from .valuations import parse_value as parse_value

# A file with a model needs none of this, and a production program that only draws needs the primitives alone.
_HOMES = {
    "domains": "Domain domain parse_domain",
    "primitives": "announce ask choose discrete_gaussian discrete_laplace exp flip geometric log randomised_response "
    "sqrt uniform",
    "protocol": "Program load_program program program_names",
    "relation": "MAX_PAIRS drawn_pairs neighbouring ordered_neighbours states_where with_neighbours",
    "source": "ProgramError",
    "valuations": "parse_assignments parse_value",
}
__getattr__, __all__ = lazily(__name__, _HOMES)
