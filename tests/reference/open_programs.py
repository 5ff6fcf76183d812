"""Programs with one constant left open, for `parametric`: in tests and in the benchmarks.

The sparse vectors are those of Lyu, Su and Li, 2017, with the ratio u of their noise open.
"""

SVT = """
def svt(q, u=0, c=1, threshold=2, clamp=8):
    t = geometric(u ** (threshold * c), -clamp, clamp)
    hits = 0
    for a in q:
        if a + geometric(u, -clamp, clamp) >= t:
            announce("above")
            hits = hits + 1
            if hits == c:
                return
        else:
            announce("below")
"""
DINING = """
def dining(paying, n=3, p=0):
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == paying else previous != this)
        previous = this
"""
MEMOISED = """
def memoised(truth, reports=40, p=0, q=Fraction(3, 4)):
    kept = truth if flip(p) else not truth
    for i in range(reports):
        announce(kept if flip(q) else not kept)
"""
UNBOUNDED = """
def svt(q, u=0, c=1, variant=1):
    v = u ** c if variant == 4 else u ** 2 if variant == 2 else u ** (2 * c)
    t = geometric(v)
    hits = 0
    for a in q:
        z = 0
        if variant != 5:
            z = geometric(u if variant <= 2 else u ** (3 * c) if variant == 4 else u ** (2 * c))
        if a + z >= t:
            announce("above")
            if variant == 2:
                t = geometric(v)
            if variant <= 4:
                hits = hits + 1
                if hits == c:
                    return
        else:
            announce("below")
"""
