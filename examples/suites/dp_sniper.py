"""Mechanisms of DP-Sniper's evaluation (Bichsel, Steffen, Bogunovic, Vechev, S&P 2021), as programs at ε = 1/10.

Where the original draws Laplace noise, these draw discrete Laplace noise of the same scale: losses are those of the
discrete mechanism. Bloom filters are given as the bits that a value sets.
"""

from deltachain import announce, choose, discrete_laplace, flip, program


@program
def truncated_geometric(count: int, n=5, k=3):
    half = 2**k
    whole = (2 * half + 1) * (half + 1) ** (n - 1)
    reached = tuple(
        half ** (count - z) * (half + 1) ** (n - count + z)
        if z < count
        else whole
        if z == n
        else whole - half ** (z - count + 1) * (half + 1) ** (n - 1 - z + count)
        for z in range(n + 1)
    )
    announce(choose(range(n + 1), weights=tuple(reached[z] - (reached[z - 1] if z else 0) for z in range(n + 1))))


@program
def one_time_rappor(bits, size=20, f="19/20"):
    for i in range(size):
        announce(flip("1/2") if flip(f) else i in bits)


@program
def rappor(bits, size=20, f="3/4"):
    for i in range(size):
        kept = flip("1/2") if flip(f) else i in bits
        announce(flip("11/20") if kept else flip("9/20"))


@program
def sparse_vector_1(answers, threshold=1):
    bar = threshold + discrete_laplace(20)
    for answer in answers:
        if answer + discrete_laplace(40) >= bar:
            announce(1)
            return
        announce(0)


@program
def sparse_vector_4(answers, threshold=1):
    bar = threshold + discrete_laplace(40)
    for answer in answers:
        if answer + discrete_laplace("40/3") >= bar:
            announce(1)
            return
        announce(0)


@program
def sparse_vector_5(answers, threshold=1):
    bar = threshold + discrete_laplace(20)
    for answer in answers:
        announce(1 if answer >= bar else 0)


@program
def sparse_vector_6(answers, threshold=1):
    bar = threshold + discrete_laplace(20)
    for answer in answers:
        announce(1 if answer + discrete_laplace(20) >= bar else 0)


@program
def prefix_sum(answers):
    total = 0
    for answer in answers:
        total += answer + discrete_laplace(10)
        announce(total)


@program
def noisy_max(answers):
    best = answers[0] + discrete_laplace(20)
    at = 0
    for i in range(1, len(answers)):
        score = answers[i] + discrete_laplace(20)
        if score > best:
            best = score
            at = i
    announce(at)


@program
def sparse_vector_3(answers, threshold=1):
    bar = threshold + discrete_laplace(20)
    for answer in answers:
        noisy = answer + discrete_laplace(20)
        if noisy >= bar:
            announce(noisy)
            return
        announce("below")


@program
def noisy_max_3(answers):
    best = answers[0] + discrete_laplace(20)
    for i in range(1, len(answers)):
        best = max(best, answers[i] + discrete_laplace(20))
    announce(best)


@program
def noisy_histogram(counts, scale=10):
    for count in counts:
        announce(count + discrete_laplace(scale))
