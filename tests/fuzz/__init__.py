"""Differential fuzzers, run by ``make fuzz MINUTES=10``: whatever we answer is compared with a slow, obvious answer.

A module of this package that defines ``CASES`` takes part: a list of `FuzzClass`.
"""
