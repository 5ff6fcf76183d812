"""δ as a function of ε."""
