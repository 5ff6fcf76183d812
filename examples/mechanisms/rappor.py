"""RAPPOR [Erlingsson, Pihur, Korolova 2014]: one-time, and with permanent and instantaneous noise.

Protocol: for each bit of a Bloom filter a device draws a permanent bit: 1 or 0 with probability f/2 each, the
true bit otherwise. One-time RAPPOR shows it. RAPPOR shows, in every report, 1 with probability q if the
permanent bit is 1 and with probability p if it is 0.
Secret: which of two values; ``bits`` are the places in which their filters differ (others tell nothing).
Labels: ``start``; the shown bits, report after report; ``end``.

Known exactly: one-time e^ε = ((2 - f)/f)^bits; one report has (q*/p*)^bits if p + q = 1, with q* = f/2 + (1 -
f)q and p* = 1 - q*; no number of reports exceeds the one-time value. The coins are rational as published:
nothing is replaced. DP-Sniper's pair differs in six bits: f = 3/4, p = 9/20, q = 11/20 give (41/39)^6, ε =
0.300062524 rounded up; one-time, f = 19/20, (21/19)^6, ε = 0.600500752 rounded up.

deltachain epsilon examples/mechanisms/rappor.py:rappor \
    --secret "bits=(0,0,0,1,1,1)" --secret "bits=(1,1,1,0,0,0)" --delta 0
"""

from fractions import Fraction

from deltachain import announce, flip, program


@program
def permanent(bit, f):
    """The permanent bit: the true one with probability 1 - f, a fair coin otherwise."""
    if flip(f):
        return 1 if flip("1/2") else 0
    return bit


@program
def one_time(bits, f="19/20"):
    """The permanent bits themselves, once."""
    for bit in bits:
        announce(permanent(bit, Fraction(f)))


@program
def rappor(bits, f="3/4", p="9/20", q="11/20"):
    """One report of all bits: a permanent bit need not be remembered beyond its turn."""
    for bit in bits:
        kept = permanent(bit, Fraction(f))
        announce(1 if flip(q if kept == 1 else p) else 0)


@program
def longitudinal(bits, f="3/4", p="9/20", q="11/20", reports=2):
    """``reports`` reports of the same permanent bits."""
    kept = ()
    for bit in bits:
        kept = kept + (permanent(bit, Fraction(f)),)  # noqa: RUF005 - the language has no starred values
    for _ in range(reports):
        for bit in kept:
            announce(1 if flip(q if bit == 1 else p) else 0)


@program
def for_ever(bit, f="3/4", p="9/20", q="11/20"):
    """Reports of one bit without end: what they give away is the permanent bit."""
    kept = permanent(bit, Fraction(f))
    while True:
        announce(1 if flip(q if kept == 1 else p) else 0)
