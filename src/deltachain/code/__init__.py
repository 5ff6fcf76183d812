"""Chains from ordinary Python: the code that runs is the code that is proved."""

from .generators import Random, numpy_generator
from .recorder import CodeRefused
from .replay import from_code

__all__ = ["CodeRefused", "Random", "from_code", "numpy_generator"]
