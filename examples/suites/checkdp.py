"""The mechanisms of CheckDP's examples (Wang, Ding, Kifer, Zhang, CCS 2020), by the names of its files, as programs.

Where the original draws Laplace noise, these draw discrete Laplace noise of the same scale. The threshold is 0, one
answer may be above it (NN = 1), and what is below it is announced as a word in place of the number 0 or −100. Without
secrets, three answers (two of the adaptive ones) are any integers; secrets may have more.
"""

from fractions import Fraction

from deltachain import announce, discrete_laplace, program


@program
def noisymax(answers: tuple[int, int, int], epsilon="1/2"):
    best = answers[0] + discrete_laplace(2 / Fraction(epsilon))
    which = 0
    for i in range(1, len(answers)):
        noisy = answers[i] + discrete_laplace(2 / Fraction(epsilon))
        if noisy > best:
            best = noisy
            which = i
    announce(which)


@program
def badnoisymax(answers: tuple[int, int, int], epsilon="1/2"):
    best = answers[0] + discrete_laplace(2 / Fraction(epsilon))
    for i in range(1, len(answers)):
        noisy = answers[i] + discrete_laplace(2 / Fraction(epsilon))
        best = max(best, noisy)
    announce(best)


@program
def sparsevector(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(4 / Fraction(epsilon)) >= bar:
            announce("above")
            return
        announce("below")


@program
def numsparsevector(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(3 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(6 / Fraction(epsilon)) >= bar:
            announce(answer + discrete_laplace(3 / Fraction(epsilon)))
            return
        announce("below")


@program
def gapsparsevector(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        noisy = answer + discrete_laplace(4 / Fraction(epsilon))
        if noisy >= bar:
            announce(noisy - bar)
            return
        announce("below")


@program
def badgapsparsevector(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        noisy = answer + discrete_laplace(4 / Fraction(epsilon))
        if noisy >= bar:
            announce(noisy)
            return
        announce("below")


@program
def adaptivesparsevector(answers: tuple[int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        rough = answer + discrete_laplace(8 / Fraction(epsilon))
        if rough - bar >= 16:
            announce(rough - bar)
            return
        noisy = answer + discrete_laplace(4 / Fraction(epsilon))
        if noisy - bar >= 0:
            announce(noisy - bar)
            return
        announce("below")


@program
def badadaptivesparsevector(answers: tuple[int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        rough = answer + discrete_laplace(8 / Fraction(epsilon))
        if rough - bar >= 16:
            announce(rough)
            return
        noisy = answer + discrete_laplace(4 / Fraction(epsilon))
        if noisy - bar >= 0:
            announce(noisy - bar)
            return
        announce("below")


@program
def badsparsevector1(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        announce("above" if answer >= bar else "below")


@program
def badsparsevector2(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        announce("above" if answer + discrete_laplace(2 / Fraction(epsilon)) >= bar else "below")


@program
def badsparsevector3(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(4 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(4 / (3 * Fraction(epsilon))) >= bar:
            announce("above")
            return
        announce("below")


@program
def partialsum(answers: tuple[int, int, int], epsilon="1/2"):
    announce(sum(answers) + discrete_laplace(1 / Fraction(epsilon)))


@program
def badpartialsum(answers: tuple[int, int, int], epsilon="1/2"):
    announce(sum(answers) + discrete_laplace(1 / (2 * Fraction(epsilon))))


@program
def smartsum(answers: tuple[int, int, int], block=2, epsilon="1/2"):
    shown = 0
    exact = 0
    for i in range(len(answers)):
        if (i + 1) % block == 0:
            shown = exact + answers[i] + discrete_laplace(1 / Fraction(epsilon))
            exact = 0
        else:
            shown = shown + answers[i] + discrete_laplace(1 / Fraction(epsilon))
            exact = exact + answers[i]
        announce(shown)


@program
def badsmartsum(answers: tuple[int, int, int], block=2, epsilon="1/2"):
    shown = 0
    exact = 0
    for i in range(len(answers)):
        if (i + 1) % block == 0:
            shown = exact + answers[i]
            exact = 0
        else:
            shown = shown + answers[i] + discrete_laplace(1 / Fraction(epsilon))
            exact = exact + answers[i]
        announce(shown)


@program
def svt_increasing(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(2 / Fraction(epsilon)) >= bar:
            announce("above")
            return
        announce("below")


@program
def svt_decreasing(answers: tuple[int, int, int], epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(2 / Fraction(epsilon)) >= bar:
            announce("above")
            return
        announce("below")
