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

from typing import TYPE_CHECKING

from .lazy import lazy_names
from .version import __version__ as __version__

if TYPE_CHECKING:
    from . import errors as errors
    from . import examples as examples
    from .analysis import Delta as Delta
    from .analysis import Distance as Distance
    from .analysis import EpsilonBound as EpsilonBound
    from .analysis import Estimate as Estimate
    from .analysis import Profile as Profile
    from .analysis import Report as Report
    from .analysis import Sweep as Sweep
    from .analysis import Threshold as Threshold
    from .analysis import Trace as Trace
    from .analysis import Verdict as Verdict
    from .analysis import check as check
    from .analysis import delta as delta
    from .analysis import distance as distance
    from .analysis import epsilon as epsilon
    from .analysis import estimate as estimate
    from .analysis import profile as profile
    from .analysis import report as report
    from .analysis import sweep as sweep
    from .analysis import threshold as threshold
    from .analysis import trace as trace
    from .analysis import verify as verify
    from .formats import load as load
    from .formats import save as save
    from .model import Chain as Chain
    from .model import disjoint_union as disjoint_union
    from .model import from_distributions as from_distributions
    from .model import quotient as quotient
    from .model import reachable as reachable
    from .model import restrict as restrict
    from .programs import Program as Program
    from .programs import announce as announce
    from .programs import ask as ask
    from .programs import choose as choose
    from .programs import flip as flip
    from .programs import geometric as geometric
    from .programs import load_program as load_program
    from .programs import program as program
    from .programs import uniform as uniform

# Names are imported when first used, so that `import deltachain` and the command line start at once.
_PUBLIC = {
    "": ["errors", "examples"],
    "analysis": [
        *("Delta", "Distance", "EpsilonBound", "Estimate", "Profile", "Report", "Sweep", "Threshold", "Trace"),
        *("Verdict", "check", "delta", "distance", "epsilon", "estimate", "profile", "report", "sweep", "threshold"),
        *("trace", "verify"),
    ],
    "model": ["Chain", "disjoint_union", "from_distributions", "quotient", "reachable", "restrict"],
    "formats": ["load", "save"],
    "programs": ["Program", "announce", "ask", "choose", "flip", "geometric", "load_program", "program", "uniform"],
}
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
__all__ = sorted([*__dir__(), "__version__"])  # noqa: PLE0605 (a list, whatever ruff can see of it)
