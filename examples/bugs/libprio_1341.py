"""libprio-rs, issue 1341 (2025): noise of scale 2(2^b − 1)/ε on every coordinate of a sum of bounded L1 norm.

A measurement is a vector whose entries add up to at most 2^b − 1. Replacing one measurement by another moves the sum by
at most 2(2^b − 1).
"""

from deltachain import announce, discrete_laplace, program


@program
def noisy_sum(measurement, bits=2, epsilon=1):
    for entry in measurement:
        announce(entry + discrete_laplace(2 * (2**bits - 1) / epsilon))
