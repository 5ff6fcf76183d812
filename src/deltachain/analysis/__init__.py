"""The public verbs: thin functions from a chain and a privacy parameter to an answer with its proof.

ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the chain carries.
"""

from .deltas import Delta, PairDelta, Verdict, check, delta
from .distances import distance, verify
from .epsilons import EpsilonBound, epsilon
from .profiles import Profile, ProfilePoint, profile

__all__ = [
    "Delta",
    "EpsilonBound",
    "PairDelta",
    "Profile",
    "ProfilePoint",
    "Verdict",
    "check",
    "delta",
    "distance",
    "epsilon",
    "profile",
    "verify",
]
