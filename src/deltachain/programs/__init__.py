"""Protocols written as Python functions, compiled to chains: the paper's Fig. 3, made real [CMP18]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .language.primitives import announce as announce
    from .language.primitives import ask as ask
    from .language.primitives import choose as choose
    from .language.primitives import discrete_gaussian as discrete_gaussian
    from .language.primitives import discrete_laplace as discrete_laplace
    from .language.primitives import exp as exp
    from .language.primitives import flip as flip
    from .language.primitives import geometric as geometric
    from .language.primitives import log as log
    from .language.primitives import randomised_response as randomised_response
    from .language.primitives import sqrt as sqrt
    from .language.primitives import uniform as uniform
    from .language.source import ProgramError as ProgramError
    from .protocol import Program as Program
    from .protocol import load_program as load_program
    from .protocol import program as program
    from .protocol import program_names as program_names
    from .secrets.domains import Domain as Domain
    from .secrets.domains import domain as domain
    from .secrets.domains import parse_domain as parse_domain
    from .secrets.relation import MAX_PAIRS as MAX_PAIRS
    from .secrets.relation import drawn_pairs as drawn_pairs
    from .secrets.relation import neighbouring as neighbouring
    from .secrets.relation import ordered_neighbours as ordered_neighbours
    from .secrets.relation import states_where as states_where
    from .secrets.relation import with_neighbours as with_neighbours
    from .secrets.valuations import parse_assignments as parse_assignments
    from .secrets.valuations import parse_value as parse_value

# A file with a model needs none of this, and a production program that only draws needs the primitives alone.
_HOMES = {
    "secrets.domains": "Domain domain parse_domain",
    "language.primitives": "announce ask choose discrete_gaussian discrete_laplace exp flip geometric log "
    "randomised_response sqrt uniform",
    "protocol": "Program load_program program program_names",
    "secrets.relation": "MAX_PAIRS drawn_pairs neighbouring ordered_neighbours states_where with_neighbours",
    "language.source": "ProgramError",
    "secrets.valuations": "parse_assignments parse_value",
}
__getattr__, __all__ = lazily(__name__, _HOMES)
