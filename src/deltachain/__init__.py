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

from .lazy import lazily
from .version import __version__ as __version__

if TYPE_CHECKING:
    from . import errors as errors
    from . import examples as examples
    from .code import Random as Random
    from .code import from_code as from_code
    from .code import numpy_generator as numpy_generator
    from .distances.operators import Kantorovich as Kantorovich
    from .distances.operators import gamma as gamma
    from .distances.operators import iterate_gamma as iterate_gamma
    from .distances.operators import kantorovich as kantorovich
    from .distances.operators import skewed_difference as skewed_difference
    from .distances.operators import total_variation as total_variation
    from .distances.pair_function import PairFunction as PairFunction
    from .draws import seeded as seeded
    from .draws import using as using
    from .formats import save as save
    from .loading import load as load
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
    from .programs import discrete_gaussian as discrete_gaussian
    from .programs import discrete_laplace as discrete_laplace
    from .programs import domain as domain
    from .programs import exp as exp
    from .programs import flip as flip
    from .programs import geometric as geometric
    from .programs import load_program as load_program
    from .programs import log as log
    from .programs import program as program
    from .programs import randomised_response as randomised_response
    from .programs import sqrt as sqrt
    from .programs import uniform as uniform
    from .reports.report import Report as Report
    from .reports.report import report as report
    from .results.calibration import Calibration as Calibration
    from .results.delta import Delta as Delta
    from .results.delta import Verdict as Verdict
    from .results.distance import Distance as Distance
    from .results.epsilon_bound import EpsilonBound as EpsilonBound
    from .results.estimate import Estimate as Estimate
    from .results.explanation import Explanation as Explanation
    from .results.guess import Guess as Guess
    from .results.parametric import Parametric as Parametric
    from .results.profile import Profile as Profile
    from .results.sweep import Sweep as Sweep
    from .results.threshold import Threshold as Threshold
    from .results.trace import Trace as Trace
    from .sweeps import sweep as sweep
    from .verbs.calibrate import calibrate as calibrate
    from .verbs.delta import check as check
    from .verbs.delta import delta as delta
    from .verbs.distance import distance as distance
    from .verbs.epsilon import epsilon as epsilon
    from .verbs.estimate import estimate as estimate
    from .verbs.explain import explain as explain
    from .verbs.guess import guess as guess
    from .verbs.parametric import parametric as parametric
    from .verbs.profile import profile as profile
    from .verbs.threshold import threshold as threshold
    from .verbs.trace import trace as trace
    from .verbs.verify import verify as verify

# The public names and their modules. Each is imported when it is first used, so that `import deltachain` and the
# command line start at once; the imports above are for type checkers, and a test compares them with this table.
_HOMES = {
    "": "errors examples",
    "code": "Random from_code numpy_generator",
    "distances.operators": "Kantorovich gamma iterate_gamma kantorovich skewed_difference total_variation",
    "distances.pair_function": "PairFunction",
    "draws": "seeded using",
    "formats": "save",
    "loading": "load",
    "model": "Chain disjoint_union from_distributions quotient reachable restrict",
    "programs": "Program announce ask choose discrete_gaussian discrete_laplace domain exp flip geometric load_program "
    "log program randomised_response sqrt uniform",
    "reports.report": "Report report",
    "results.calibration": "Calibration",
    "results.delta": "Delta Verdict",
    "results.distance": "Distance",
    "results.epsilon_bound": "EpsilonBound",
    "results.estimate": "Estimate",
    "results.explanation": "Explanation",
    "results.guess": "Guess",
    "results.parametric": "Parametric",
    "results.profile": "Profile",
    "results.sweep": "Sweep",
    "results.threshold": "Threshold",
    "results.trace": "Trace",
    "sweeps": "sweep",
    "verbs.calibrate": "calibrate",
    "verbs.delta": "check delta",
    "verbs.distance": "distance",
    "verbs.epsilon": "epsilon",
    "verbs.estimate": "estimate",
    "verbs.explain": "explain",
    "verbs.guess": "guess",
    "verbs.parametric": "parametric",
    "verbs.profile": "profile",
    "verbs.threshold": "threshold",
    "verbs.trace": "trace",
    "verbs.verify": "verify",
}
__getattr__, _names = lazily(__name__, _HOMES)
__all__ = sorted([*_names, "__version__"])  # noqa: PLE0605 (a list, whatever ruff can see of it)


def __dir__() -> list[str]:
    return __all__
