"""OpenDP, issue 480 (2022, fixed in 0.5.0): randomised response whose lie may be the truth.

With probability p the truth is told; ε is computed as ln(p/(1 − p)), which is right if the lie is the other answer. The
lie was drawn from a coin with the same p.
"""

from deltachain import announce, flip, program


@program
def randomized_response(truth, p="3/4"):
    announce(truth if flip(p) else flip(p))


@program
def fixed(truth, p="3/4"):
    announce(truth if flip(p) else not truth)
