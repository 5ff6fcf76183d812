"""The mechanisms of DiPC (Barthe, Chadha, Jagannath, Sistla, Viswanathan, LICS 2020), by the names of its inputs.

Where the original draws Laplace noise of a scale that ε decides, these draw discrete Laplace noise of the same scale:
noise of scale k/ε has the ratio e^(-ε/k). In sparse vectors and noisy maxima u is e^(-ε/4), in histograms e^(-ε); so
each program is about every ε. Thresholds are 0, one answer may be above them, and numbers are shown as one of three
intervals, as there. The second sparse vector technique draws its threshold anew after an answer above it; as one is
allowed, it is the first one.
"""

from fractions import Fraction

from deltachain import announce, discrete_laplace, flip, geometric, program


@program
def svt1(q: tuple[int, int, int], u=Fraction(1, 2)):
    bar = geometric(u**2)
    for answer in q:
        if answer + geometric(u) >= bar:
            announce("above")
            return
        announce("below")


@program
def svt3(q: tuple[int, int, int], u=Fraction(1, 2)):
    bar = geometric(u**2)
    for answer in q:
        noisy = answer + geometric(u)
        if noisy >= bar:
            announce("-1" if noisy <= -1 else "0" if noisy <= 0 else "1")
            return
        announce("below")


@program
def svt3_01(q: tuple[int, int, int, int, int], u=Fraction(1, 2)):
    bar = geometric(u**2)
    for answer in q:
        noisy = answer + geometric(u)
        if noisy >= bar:
            announce("0" if noisy <= 0 else "1")
            return
        announce("below")


@program
def svt4(q: tuple[int, int], u=Fraction(1, 2)):
    bar = geometric(u)
    for answer in q:
        if answer + geometric(u**3) >= bar:
            announce("above")
            return
        announce("below")


@program
def svt5(q: tuple[int, int], u=Fraction(1, 2)):
    bar = geometric(u**2)
    for answer in q:
        announce("above" if answer >= bar else "below")


@program
def svt6(q: tuple[int, int, int], u=Fraction(1, 2)):
    bar = geometric(u**2)
    for answer in q:
        announce("above" if answer + geometric(u**2) >= bar else "below")


@program
def nmax5(q: tuple[int, int, int], u=Fraction(1, 2)):
    best = q[0] + geometric(u**2)
    which = 0
    for i in range(1, 3):
        noisy = q[i] + geometric(u**2)
        if noisy > best:
            best = noisy
            which = i
    announce(which)


@program
def nmax7(q: tuple[int, int, int], u=Fraction(1, 2)):
    best = q[0] + geometric(u**2)
    for i in range(1, 3):
        best = max(best, q[i] + geometric(u**2))
    announce("-1" if best <= -1 else "0" if best <= 0 else "1")


@program
def nmax9(q: tuple[int, int, int], u=Fraction(1, 2)):
    for i in range(3):
        noisy = q[i] + geometric(u)
        announce("-1" if noisy <= -1 else "0" if noisy <= 0 else "1")


@program
def nmax10(q: tuple[int, int, int], epsilon=Fraction(1, 2)):
    for i in range(3):
        noisy = q[i] + discrete_laplace(epsilon)
        announce("-1" if noisy <= -1 else "0" if noisy <= 0 else "1")


@program
def rr(q: tuple[bool, bool, bool], e=Fraction(1, 2)):
    for answer in q:
        announce((not answer) if flip((1 - e) / 2) else answer)


@program
def rr_correct(q: tuple[bool, bool, bool], u=Fraction(1, 2)):
    for answer in q:
        announce((not answer) if flip(u / (1 + u)) else answer)
