"""WFA, evaluation framework for cardinality estimation, pull request 97 (2020): geometric noise by rounding Laplace.

Rounded Laplace noise is not geometric noise, as the pull request says. It is private all the same. Rounding makes 0 of
probability 1 − e^(−ε/2), and on either side 1, and one more as long as a coin with probability e^(−ε) allows; ε = 1.

Beyond the ends every value has the same ratio from all counts, so that clamping to them loses nothing.
"""

from deltachain import announce, discrete_laplace, exp, flip, program


@program
def rounded_laplace(count, low=-1, high=3):
    noise = 0
    if flip(exp(-1 / 2)):
        size = 1
        while size < high - low and flip(exp(-1)):
            size += 1
        noise = size if flip("1/2") else -size
    announce(max(low, min(high, count + noise)))


@program
def geometric_noise(count):
    announce(count + discrete_laplace(1))
