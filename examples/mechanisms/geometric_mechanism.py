"""The geometric mechanism, truncated and clamped [Ghosh, Roughgarden, Sundararajan 2009].

Protocol: a count is published with two-sided geometric noise of ratio a. *Truncated*: outputs beyond 0 and m
are moved there. *Clamped*: the noise itself is moved to -clamp and clamp.
Secret: the count; neighbours differ by one.
Labels: ``start``; the published number; ``end``.

Known exactly: truncated, e^ε = 1/a, since moving outputs is post-processing; Balcer and Vadhan's sampler, which
DP-Sniper tests, is this one with a = 2^k/(2^k + 1), and 8/9 gives ε = ln(9/8) = 0.117783036 rounded up.
Clamped, no ε is pure: -clamp comes from the smaller count only, with probability a^clamp/(1 + a), which is δ
from e^ε = 1/a on (a ≤ 1/2).
What changes when Laplace noise is replaced by it: on integers nothing but the grid; a clamp on the noise costs
this δ, a clamp on the output nothing.

deltachain epsilon examples/mechanisms/geometric_mechanism.py:truncated --secret count=0 --secret count=1 --delta 0
"""

from deltachain import announce, geometric, program


@program
def truncated(count, m=5, ratio="8/9"):
    """The count with noise, outputs moved to 0 … m."""
    announce(count + geometric(ratio, -count, m - count))


@program
def clamped(count, clamp=8, ratio="1/2"):
    """The count with noise that is moved to -clamp … clamp."""
    announce(count + geometric(ratio, -clamp, clamp))
