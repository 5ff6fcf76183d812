"""deltachain: how private is a probabilistic system, and can you prove it?

A system is a labelled Markov chain: hidden states, visible labels, exact probabilities. deltachain bounds, with
certificates, how well a watcher can tell which of two start states it ran from.

>>> import deltachain as dc
>>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
>>> found = dc.delta(chain, "s0", "s1", exp_epsilon="1.0002")
>>> found.lower, found.exact
(Fraction(7501, 25000000), True)
>>> dc.check(chain, exp_epsilon="1.0002", delta="1e-3").verdict
'private'
>>> dc.distance(chain, exp_epsilon="1.0002")["s0", "s1"]
Fraction(1, 2500)
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from inspect import Signature

    from . import examples
    from .analysis import Delta, EpsilonBound, Profile, Verdict, check, delta, distance, epsilon, profile, verify
    from .chain import Chain, disjoint_union, quotient, reachable, restrict
    from .distance.fixed_point import Distance
    from .formats import load, save
    from .programs import Program, announce, choose, flip, geometric, load_program, program, uniform

# Names are imported when first used, so that `import deltachain` and the command line start at once.
_HOME = {
    "Chain": "chain",
    "Delta": "analysis",
    "Distance": "distance.fixed_point",
    "EpsilonBound": "analysis",
    "Profile": "analysis",
    "Program": "programs",
    "Verdict": "analysis",
    "announce": "programs",
    "choose": "programs",
    "delta": "analysis",
    "disjoint_union": "chain",
    "epsilon": "analysis",
    "flip": "programs",
    "geometric": "programs",
    "load": "formats",
    "load_program": "programs",
    "profile": "analysis",
    "program": "programs",
    "quotient": "chain",
    "reachable": "chain",
    "restrict": "chain",
    "save": "formats",
    "uniform": "programs",
    "verify": "analysis",
}
_VERBS = ("check", "distance")
"""Verbs whose name a module of this package bears too: `_VerbModule` makes the module callable."""
_MODULES = ("errors", "examples", *_VERBS)

__all__ = [
    "Chain",
    "Delta",
    "Distance",
    "EpsilonBound",
    "Profile",
    "Program",
    "Verdict",
    "__version__",
    "announce",
    "check",
    "choose",
    "delta",
    "disjoint_union",
    "distance",
    "epsilon",
    "examples",
    "flip",
    "geometric",
    "load",
    "load_program",
    "profile",
    "program",
    "quotient",
    "reachable",
    "restrict",
    "save",
    "uniform",
    "verify",
]


class _VerbModule(ModuleType):
    """A module that can be called, and then is the verb of the same name: ``dc.check(chain, …)``."""

    def _verb(self) -> Any:
        return getattr(importlib.import_module(f"{__name__}.analysis"), self.__name__.rpartition(".")[2])

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._verb()(*given, **named)

    @property
    def __signature__(self) -> Signature:
        import inspect

        return inspect.signature(self._verb())


class _Package(ModuleType):
    """This package: a module of `_VERBS` becomes callable when the import system hands it over, in whatever order."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _VERBS and isinstance(value, ModuleType):
            value.__class__ = _VerbModule
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
