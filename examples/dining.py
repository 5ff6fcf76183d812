"""The dining cryptographers with biased coins, as a program.

deltachain delta examples/dining.py:dining --secret paying=0 --secret paying=1 --constants n=2 --exp-epsilon 1.0002
"""

from deltachain import announce, flip, program


@program
def dining(paying, n=3, p="49/100"):
    """One of n diners in a ring has paid; each two neighbours share a coin, and each diner speaks in turn."""
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == paying else previous != this)
        previous = this
