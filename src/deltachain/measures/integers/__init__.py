"""Answers about all integer inputs of a program: check, delta, epsilon and parametric hand such programs here."""
