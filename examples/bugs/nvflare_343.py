"""NVFlare, issue 343 (2022): weights that were selected, but not drawn, were sent as they are.

Of the weights that pass a noisy threshold, some are drawn, and get noise; all others should be sent as 0. Those that
passed and were not drawn kept their value. Here two weights have passed, and one of them is drawn.
"""

from deltachain import announce, discrete_laplace, flip, program


@program
def sparse_vector(weight):
    if flip("1/2"):
        announce(weight + discrete_laplace(1))
    else:
        announce(f"{weight}, as it is")


@program
def fixed(weight):
    if flip("1/2"):
        announce(weight + discrete_laplace(1))
    else:
        announce(0)
