"""The reductions in dp-recorder's tests (Cebere, Erb, Desfontaines, Bellet, Fitzsimons, 2026), as ordinary code.

Each takes what one test takes, claims ε = 1, and is run by `--execute`. Noise is on the integers: where the original
draws Laplace noise of a scale, these draw discrete Laplace noise of the same scale.
"""

import math

import deltachain as dc


def clipped(value, limit):
    """As `numpy.clip`: what is not a number stays what it is."""
    return value if math.isnan(value) else max(-limit, min(limit, value))


def count(data):
    return sum(1 for x in data if x == 1) + dc.discrete_laplace(1)


def private_mean(data):
    total = sum(clipped(x, 1) for x in data) + dc.discrete_laplace(1)
    return total / len(data)


def inferred_domain(data):
    classes = sorted(set(data))
    return [sum(1 for x in data if x == c) + dc.discrete_laplace(len(classes)) for c in classes]


def double_spending(data):
    return sum(data) + dc.discrete_laplace(1), len(data) + dc.discrete_laplace(1)


def not_a_number(x):
    return clipped(x, 5) + dc.discrete_laplace(5)


def no_noise(data, features=5, k=5):
    scale = features - k
    return sum(data) + (dc.discrete_laplace(scale) if scale else 0)


def not_clipped(data, limit=5):
    tuple(clipped(x, limit) for x in data)  # is not what is summed up
    return sum(data) + dc.discrete_laplace(limit)
