"""NVFlare, issue 343 (2022): weights that passed the threshold, but were not drawn, were sent as they are.

Of the weights that pass a noisy threshold, some are drawn and get noise; all others should be sent as 0. Those that
passed and were not drawn kept their value (svt_privacy.py, lines 115–120). Here coins stand for passing and for being
drawn, one of two. The original's weights and noise are continuous, where noise hits a given value with probability 0:
a value that is sent as it is can be recognised, and so it has a label of its own.
"""

from deltachain import announce, discrete_laplace, flip, program


@program
def svt_privacy(weight, gamma=4):
    passed = flip("1/3")
    drawn = flip("1/2")
    if passed and drawn:
        announce(max(-gamma, min(gamma, weight + discrete_laplace(1))))
    elif passed:
        announce(f"{weight}, as it is")
    else:
        announce(0)


@program
def zeroed(weight, gamma=4):
    passed = flip("1/3")
    drawn = flip("1/2")
    if passed and drawn:
        announce(max(-gamma, min(gamma, weight + discrete_laplace(1))))
    else:
        announce(0)
