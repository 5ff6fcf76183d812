"""Exact probabilities of words and events."""
