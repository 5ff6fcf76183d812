"""jax_privacy, issue 121 (2026): is a batch of binomial size, drawn without replacement, a Poisson sample?

The issue doubts it. The secret here is which of the two samplers draws the batch.
"""

from deltachain import announce, flip, program, uniform


@program
def batch(binomial: bool, n=5, rate="1/3"):
    chosen = tuple(False for _ in range(n))
    if binomial:
        size = 0
        for _ in range(n):
            size += flip(rate)
        left = tuple(range(n))
        for _ in range(size):
            at = uniform(0, len(left) - 1)
            chosen = chosen[: left[at]] + (True,) + chosen[left[at] + 1 :]
            left = left[:at] + left[at + 1 :]
    else:
        chosen = tuple(flip(rate) for _ in range(n))
    announce(chosen)
