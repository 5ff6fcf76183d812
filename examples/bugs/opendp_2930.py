"""OpenDP, issue 2930 (2026): randomised response on vectors of bits, whose length is not fixed.

Each bit is flipped with probability f/2. Vectors with at most one 1 differ in two bits, so ε is claimed as
2 ln((2 − f)/f), which is 2 ln 3 for f = 1/2. Vectors of different lengths are in the same domain.
"""

from deltachain import announce, flip, program


@program
def any_length(bits):
    for bit in bits:
        announce(1 - bit if flip("1/4") else bit)


@program
def fixed_length(bits, length=2):
    for i in range(length):
        bit = bits[i] if i < len(bits) else 0
        announce(1 - bit if flip("1/4") else bit)
