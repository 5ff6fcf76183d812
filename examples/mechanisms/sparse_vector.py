"""The sparse vector technique in six published forms, SVT 1 to 6 [Lyu, Su, Li 2017, Algorithms 1 to 6].

Protocol: queries of sensitivity 1 are asked in turn about a database. Each is answered ``above`` or ``below``:
whether its noisy answer reaches a noisy threshold. Most forms stop after c times ``above``.
Secret: the database, that is, the vector of true answers. Any two vectors that differ by at most 1 in every
place are adjacent; in {0, 1}^n these are all pairs.
Labels: ``start``; ``above`` or ``below`` a query (``svt3``: the noisy answer in place of ``above``); ``end``.

Noise is two-sided geometric of ratio e^(-1/b) where the paper has Laplace noise of scale b: on all integers, or with
a clamp its tails moved to -clamp and clamp. ``unit`` is e^(-ε/(4c)), so that e^ε = unit^(-4c) is rational and every
ratio is a power of ``unit``.

Known: with Laplace noise SVT 1 and 2 are ε-private, SVT 4 is (1+6c)ε/4-private and not ε-private, SVT 3, 5 and
6 are private for no ε (3 and 6 as the queries grow in number). What changes with geometric noise: answers can tie
with the threshold. The proofs move the noise by one or two and carry over; but a noise that has reached a clamp
cannot be moved further, so that with one they no longer apply as they stand. Whether the bound holds is computed
for each pair of vectors. In SVT 3 the noisy answer is clamped where it is shown, at ±8 if the noise has no clamp:
with clamped noise the largest answer would give the secret away by itself.

deltachain check examples/mechanisms/sparse_vector.py:svt1 --secret "answers=(0,0,1)" --secret "answers=(1,1,0)" \
    --constants c=1 --exp-epsilon 16 --delta 0
"""

from fractions import Fraction

from deltachain import announce, geometric, program


@program
def noise(ratio, clamp):
    """Noise on all integers, or moved to -clamp … clamp."""
    if clamp == 0:
        return geometric(ratio)
    return geometric(ratio, -clamp, clamp)


@program
def shown(answer, ratio, clamp):
    """The answer with noise, or with noise that moves it no further than to -clamp and clamp."""
    if clamp == 0:
        return answer + geometric(ratio)
    return answer + geometric(ratio, -clamp - answer, clamp - answer)


@program
def svt1(answers, c=1, unit="1/2", clamp=0):
    """Lyu, Su, Li: threshold noise e^(-ε/2), answer noise e^(-ε/(4c)). Private."""
    u = Fraction(unit)
    threshold = noise(u ** (2 * c), clamp)
    count = 0
    while len(answers) > 0 and count < c:
        noisy = answers[0] + noise(u, clamp)
        answers = answers[1:]
        if noisy >= threshold:
            count += 1
            announce("above")
        else:
            announce("below")


@program
def svt2(answers, c=1, unit="1/2", clamp=0):
    """Dwork, Roth: threshold noise e^(-ε/(2c)), drawn anew after each ``above``; answer noise e^(-ε/(4c)). Private."""
    u = Fraction(unit)
    threshold = noise(u**2, clamp)
    count = 0
    while len(answers) > 0 and count < c:
        noisy = answers[0] + noise(u, clamp)
        answers = answers[1:]
        if noisy >= threshold:
            count += 1
            threshold = noise(u**2, clamp)
            announce("above")
        else:
            announce("below")


@program
def svt3(answers, c=1, unit="1/2", clamp=0):
    """Roth's notes: answer noise e^(-ε/(2c)), and ``above`` shows the very answer that was compared. Not private."""
    u = Fraction(unit)
    threshold = noise(u ** (2 * c), clamp)
    count = 0
    while len(answers) > 0 and count < c:
        noisy = shown(answers[0], u**2, clamp)
        answers = answers[1:]
        if noisy >= threshold:
            count += 1
            announce(max(-8, min(8, noisy)) if clamp == 0 else noisy)
        else:
            announce("below")


@program
def svt4(answers, c=1, unit="1/2", clamp=0):
    """Lee, Clifton: threshold noise e^(-ε/4), answer noise e^(-3ε/4), whatever c. Not ε-private."""
    u = Fraction(unit)
    threshold = noise(u**c, clamp)
    count = 0
    while len(answers) > 0 and count < c:
        noisy = answers[0] + noise(u ** (3 * c), clamp)
        answers = answers[1:]
        if noisy >= threshold:
            count += 1
            announce("above")
        else:
            announce("below")


@program
def svt5(answers, c=1, unit="1/2", clamp=0):
    """Stoddard, Chen, Machanavajjhala: threshold noise e^(-ε/2), no noise on answers, no limit. Not private."""
    threshold = noise(Fraction(unit) ** (2 * c), clamp)
    while len(answers) > 0:
        noisy = answers[0]
        answers = answers[1:]
        announce("above" if noisy >= threshold else "below")


@program
def svt6(answers, c=1, unit="1/2", clamp=0):
    """Chen and others: threshold and answer noise e^(-ε/2), no limit. Not private."""
    u = Fraction(unit) ** (2 * c)
    threshold = noise(u, clamp)
    while len(answers) > 0:
        noisy = answers[0] + noise(u, clamp)
        answers = answers[1:]
        announce("above" if noisy >= threshold else "below")
