"""The public verbs: thin functions from a chain and a privacy parameter to an answer with its proof.

ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the chain carries. What comes back is
a value: it prints shortly, compares, hashes, pickles, and has `to_dict`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from ..distances.pair_table import PairDistance
    from .certificates import verify
    from .deltas import Delta, PairDelta, Verdict, check, delta
    from .distances import Distance, distance
    from .epsilons import EpsilonBound, epsilon
    from .estimates import Estimate, PairEstimate, estimate
    from .profiles import Profile, ProfilePoint, profile
    from .reports import Report, report
    from .rows import Row, Sweep
    from .sweeps import sweep
    from .thresholds import PairThreshold, Threshold, threshold
    from .traces import Trace, trace

# Names are imported when first used: a verb must not cost the import of the others.
_NAMES = {
    "certificates": ["verify"],
    "deltas": ["Delta", "PairDelta", "Verdict", "check", "delta"],
    "distances": ["Distance", "PairDistance", "distance"],
    "epsilons": ["EpsilonBound", "epsilon"],
    "estimates": ["Estimate", "PairEstimate", "estimate"],
    "profiles": ["Profile", "ProfilePoint", "profile"],
    "reports": ["Report", "report"],
    "rows": ["Row", "Sweep"],
    "sweeps": ["sweep"],
    "thresholds": ["PairThreshold", "Threshold", "threshold"],
    "traces": ["Trace", "trace"],
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)

__all__ = [
    "Delta",
    "Distance",
    "EpsilonBound",
    "Estimate",
    "PairDelta",
    "PairDistance",
    "PairEstimate",
    "PairThreshold",
    "Profile",
    "ProfilePoint",
    "Report",
    "Row",
    "Sweep",
    "Threshold",
    "Trace",
    "Verdict",
    "check",
    "delta",
    "distance",
    "epsilon",
    "estimate",
    "profile",
    "report",
    "sweep",
    "threshold",
    "trace",
    "verify",
]
