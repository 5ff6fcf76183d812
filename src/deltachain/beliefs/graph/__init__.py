"""Beliefs up to scale, as a graph: where it ends, δ is exact, at every ε."""
