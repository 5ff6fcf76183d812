"""Benchmarks: every row has its answer checked, and a baseline measured in the same run where there is one.

``make bench`` runs everything and writes bench/results; ``make bench-quick`` leaves out what takes minutes.
"""
