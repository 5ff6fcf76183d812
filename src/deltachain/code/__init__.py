"""Chains from ordinary Python: the code that runs is the code that is proved."""

from .recorder import CodeRefused
from .replay import from_code

__all__ = ["CodeRefused", "from_code"]
