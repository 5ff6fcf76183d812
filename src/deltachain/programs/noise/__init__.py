"""Draws from all integers, followed exactly: outcomes that lead to the same, sums, laws, phase letters."""
