"""δ as an exact function of one parameter."""
