"""deltachain: how private is a probabilistic system, and can you prove it?

A system is a labelled Markov chain: hidden states, visible labels, exact probabilities. deltachain bounds, with
certificates, how well a watcher can tell which of two start states it ran from.

>>> import deltachain as dc
>>> coin = dc.examples.coin()
>>> dc.words.word_probability(coin, "s0", ["start", "heads"])
Fraction(2, 5)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from . import examples
    from .chain import Chain, disjoint_union, quotient, reachable, restrict
    from .formats import load, save

# Names are imported when first used, so that `import deltachain` and the command line start at once.
_HOME = {
    "Chain": "chain",
    "disjoint_union": "chain",
    "load": "formats",
    "quotient": "chain",
    "reachable": "chain",
    "restrict": "chain",
    "save": "formats",
}
_MODULES = ("errors", "examples")

__all__ = ["Chain", "__version__", "disjoint_union", "examples", "load", "quotient", "reachable", "restrict", "save"]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
