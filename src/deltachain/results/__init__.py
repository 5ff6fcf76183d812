"""What users hold: frozen values with names and Fractions that render themselves, as text, HTML, JSON and plots.

Each result has a ``headline`` and ``sections``; `sections` has the one renderer for text and the one for HTML. Every
number that a person reads, wherever it stands, is written by `numbers`, which rounds bounds outward.
"""
