"""deltachain: how private is a probabilistic system, and can you prove it?

A system is a labelled Markov chain: hidden states, visible labels, exact probabilities. deltachain bounds, with
certificates, how well an observer can tell which of two start states it ran from.

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

from . import registry
from .lazy import lazily
from .version import __version__ as __version__

if TYPE_CHECKING:
    from deltachain_smt.exact import ExactThreshold as ExactThreshold
    from deltachain_smt.exact import exact_threshold as exact_threshold
    from deltachain_smt.show import Threshold as Threshold
    from deltachain_smt.verb import threshold as threshold

    from . import errors as errors
    from . import examples as examples
    from .code import Random as Random
    from .code import each as each
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
    from .measures.calibrate.show import Calibration as Calibration
    from .measures.calibrate.verb import calibrate as calibrate
    from .measures.delta.show import Delta as Delta
    from .measures.delta.show import Verdict as Verdict
    from .measures.delta.verb import check as check
    from .measures.delta.verb import delta as delta
    from .measures.distance.curve import DistanceCurve as DistanceCurve
    from .measures.distance.curve import distance_curve as distance_curve
    from .measures.distance.explain import explain as explain
    from .measures.distance.explanation import Explanation as Explanation
    from .measures.distance.show import Distance as Distance
    from .measures.distance.verb import distance as distance
    from .measures.epsilon.show import EpsilonBound as EpsilonBound
    from .measures.epsilon.verb import epsilon as epsilon
    from .measures.estimate.show import Estimate as Estimate
    from .measures.estimate.verb import estimate as estimate
    from .measures.guess.show import Guess as Guess
    from .measures.guess.verb import guess as guess
    from .measures.parametric.show import Parametric as Parametric
    from .measures.parametric.verb import parametric as parametric
    from .measures.profile.show import Profile as Profile
    from .measures.profile.verb import profile as profile
    from .measures.sweep.show import Sweep as Sweep
    from .measures.sweep.verb import sweep as sweep
    from .measures.trace.show import Trace as Trace
    from .measures.trace.verb import trace as trace
    from .measures.verify.verb import verify as verify
    from .model import Chain as Chain
    from .model import disjoint_union as disjoint_union
    from .model import from_distributions as from_distributions
    from .model import quotient as quotient
    from .model import reachable as reachable
    from .model import restrict as restrict
    from .model.metrics import with_discount as with_discount
    from .model.metrics import with_label_metric as with_label_metric
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

# The public names and their modules. Each is imported when it is first used, so that `import deltachain` and the
# command line start at once; the imports above are for type checkers, and a test compares them with this table.
_HOMES = {
    "": "errors examples",
    "code": "Random each from_code numpy_generator",
    "distances.operators": "Kantorovich gamma iterate_gamma kantorovich skewed_difference total_variation",
    "distances.pair_function": "PairFunction",
    "draws": "seeded using",
    "formats": "save",
    "loading": "load",
    "model": "Chain disjoint_union from_distributions quotient reachable restrict",
    "model.metrics": "with_discount with_label_metric",
    "programs": "Program announce ask choose discrete_gaussian discrete_laplace domain exp flip geometric load_program "
    "log program randomised_response sqrt uniform",
    "measures.calibrate.show": "Calibration",
    "measures.calibrate.verb": "calibrate",
    "measures.delta.show": "Delta Verdict",
    "measures.delta.verb": "check delta",
    "measures.distance.curve": "DistanceCurve distance_curve",
    "measures.distance.explain": "explain",
    "measures.distance.explanation": "Explanation",
    "measures.distance.show": "Distance",
    "measures.distance.verb": "distance",
    "measures.epsilon.show": "EpsilonBound",
    "measures.epsilon.verb": "epsilon",
    "measures.estimate.show": "Estimate",
    "measures.estimate.verb": "estimate",
    "measures.guess.show": "Guess",
    "measures.guess.verb": "guess",
    "measures.parametric.show": "Parametric",
    "measures.parametric.verb": "parametric",
    "measures.profile.show": "Profile",
    "measures.profile.verb": "profile",
    "measures.sweep.show": "Sweep",
    "measures.sweep.verb": "sweep",
    "measures.trace.show": "Trace",
    "measures.trace.verb": "trace",
    "measures.verify.verb": "verify",
    "reports.report": "Report report",
}
__getattr__, _names = lazily(__name__, _HOMES, registry.names())
__all__ = sorted([*_names, "__version__"])  # noqa: PLE0605 (a list, whatever ruff can see of it)


def __dir__() -> list[str]:
    return __all__
