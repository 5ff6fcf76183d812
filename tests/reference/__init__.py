"""Slow, obvious versions of what the package computes, written from the definitions alone."""
