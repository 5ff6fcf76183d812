"""Sources of draws, the laws that they are asked to draw from, and the exact sampler."""

from .laws import DrawnLaw, GaussianNoise, TwoSidedNoise, Uniform, Weighted
from .source import BitSource, Run, Seeded, Site, Source, SystemEntropy, call_site, in_force, seeded, using

__all__ = [
    "BitSource",
    "DrawnLaw",
    "GaussianNoise",
    "Run",
    "Seeded",
    "Site",
    "Source",
    "SystemEntropy",
    "TwoSidedNoise",
    "Uniform",
    "Weighted",
    "call_site",
    "in_force",
    "seeded",
    "using",
]
