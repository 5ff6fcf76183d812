"""Tor, ticket 23414 (2017): round to a bin and add noise, or add noise and round?

Relays publish how many onion services they saw: rounded up to a multiple of 8, with Laplace noise of scale 8/0.3. The
ticket asks for the other order. Both are private at ε = 0.3 where the count moves by up to 8.
"""

from deltachain import announce, discrete_laplace, program


@program
def bin_first(services, bins=8, scale="80/3"):
    announce((services + bins - 1) // bins * bins + discrete_laplace(scale))


@program
def noise_first(services, bins=8, scale="80/3"):
    announce((services + discrete_laplace(scale) + bins - 1) // bins * bins)
