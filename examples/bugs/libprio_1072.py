"""libprio-rs, pull request 1072 (2024): does noise stay private when it wraps around in a finite field?

A reviewer asked whether noise should be bounded by half the modulus. The field has 11 elements here.
"""

from deltachain import announce, discrete_laplace, program


@program
def wrapped(total, modulus=11):
    announce((total + discrete_laplace(1)) % modulus)


@program
def bounded(total, modulus=11):
    most = modulus // 2
    announce((total + max(-most, min(most, discrete_laplace(1)))) % modulus)
