"""Rényi divergences, KL, zCDP and the trade-off function: functionals of where runs end."""
