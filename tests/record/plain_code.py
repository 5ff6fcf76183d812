"""Ordinary functions that are run, for the record."""

from __future__ import annotations

from deltachain import discrete_laplace, flip


def told(x):  # type: ignore[no-untyped-def]
    """Randomised response, as code."""
    return x if flip("3/4") else 1 - x


def counted(x):  # type: ignore[no-untyped-def]
    """A count with noise, moved into a range."""
    return max(-2, min(3, x + discrete_laplace(1)))
