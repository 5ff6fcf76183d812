"""OpenDP, issue 2922 (2026): a threshold that keeps one count more than its δ accounts for.

A key that occurs ``count`` times is released with a noisy count; a key that does not occur is never released. So δ has
to cover the chance that a key with a single owner is released. The code keeps noisy counts that are at least the
threshold; δ is computed as the chance to be above it.
"""

from deltachain import announce, discrete_laplace, program


@program
def laplace_threshold(count, threshold=5, scale=1):
    noisy = count + discrete_laplace(scale)
    announce(noisy if count and noisy >= threshold else "nothing")


@program
def as_accounted(count, threshold=5, scale=1):
    noisy = count + discrete_laplace(scale)
    announce(noisy if count and noisy > threshold else "nothing")
