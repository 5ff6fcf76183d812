"""A noisy histogram [Dwork, McSherry, Nissim, Smith 2006].

Protocol: the count of each bin is published with geometric noise, outputs moved to 0 … m.
Secret: one person, who may be in one bin, in another, or nowhere.
Labels: ``start``; one number a bin; ``end``.

Known exactly: ``ratio`` a = e^(-ε): ε if she may be missing, 2ε if she may be in another bin, which is where
the claim ε is wrong. What changes with clamped geometric noise: outputs are clamped, not the noise, so nothing
is lost.

deltachain epsilon examples/mechanisms/histogram.py:histogram --secret "counts=(1,0)" --secret "counts=(0,1)" --delta 0
"""

from deltachain import announce, geometric, program


@program
def histogram(counts, m=3, ratio="1/2"):
    """The counts, each with noise of its own."""
    for count in counts:
        announce(count + geometric(ratio, -count, m - count))
