"""Sources of draws, the laws that they are asked to draw from, and the exact sampler."""

from .laws import DrawnLaw, GaussianNoise, TwoSidedNoise, Uniform, Weighted
from .source import BitSource, DrawSource, Run, Seeded, Site, SystemEntropy, call_site, in_force, seeded, using

__all__ = [
    "BitSource",
    "DrawSource",
    "DrawnLaw",
    "GaussianNoise",
    "Run",
    "Seeded",
    "Site",
    "SystemEntropy",
    "TwoSidedNoise",
    "Uniform",
    "Weighted",
    "call_site",
    "in_force",
    "seeded",
    "using",
]
