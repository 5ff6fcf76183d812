"""Partial sum and smart sum [Chan, Shi, Song 2011].

Protocol: bits arrive. Partial sum publishes their sum once. Smart sum publishes after every bit: inside a
block, the last published number plus the bit plus noise; at the end of a block, the block's sum plus noise.
Secret: one of the bits.
Labels: ``start``; the published numbers; ``end``.

Known: with Laplace noise of scale 1/ε, partial sum is ε-private and smart sum 2ε-private; ``ratio`` is e^(-ε).
What changes with clamped geometric noise: partial sum truncates its output and stays exactly ε-private; smart
sum adds to what it has published, so its noise is cut, and the cut's mass is a δ: 1 - (1 - t)^2 at e^(2ε), t =
a^clamp/(1 + a), for a ≤ 1/2.

deltachain delta examples/mechanisms/sums.py:smart_sum --secret "bits=(0,0,0)" --secret "bits=(1,0,0)" --exp-epsilon 4
"""

from deltachain import announce, geometric, program


@program
def partial_sum(bits, ratio="1/2"):
    """The sum with noise, moved to 0 … n."""
    total = sum(bits)
    announce(total + geometric(ratio, -total, len(bits) - total))


@program
def smart_sum(bits, block=2, ratio="1/2", clamp=8):
    """A noisy sum after every bit."""
    published = 0
    inside = 0
    for i in range(len(bits)):
        if (i + 1) % block == 0:
            published = inside + bits[i] + geometric(ratio, -clamp, clamp)
            inside = 0
        else:
            published = published + bits[i] + geometric(ratio, -clamp, clamp)
            inside += bits[i]
        announce(published)
