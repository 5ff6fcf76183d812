"""Report noisy max [Dwork, Roth 2014], and two of its errors.

Protocol: answers of sensitivity 1 get independent noise of ratio e^(-ε/2); the index of the largest is
published. ``value`` publishes the largest noisy answer instead; ``half_noise`` the index, with noise of ratio
e^(-ε).
Secret: the answers, each of which may differ by 1 between neighbours.
Labels: ``start``; the published number; ``end``.

Known: ``index`` is ε-private, ``value`` is nε/2-private for n answers and no better, ``half_noise`` is
2ε-private. ``ratio`` is e^(-ε/2): at 1/2, e^ε = 4. Noise is on all integers, or with a clamp noisy answers are moved
to -clamp and clamp; ``value`` clamps what it shows at ±8 if there is none. What changes with geometric noise: ties
occur and go to the lowest index; a clamp is post-processing for ``value``, and makes more ties for the others.

deltachain check examples/mechanisms/noisy_max.py:value --secret "answers=(0,0,0)" --secret "answers=(1,1,1)" \
    --exp-epsilon 4 --delta 0
"""

from fractions import Fraction

from deltachain import announce, geometric, program


@program
def noisy(answer, ratio, clamp):
    """The answer with noise on all integers, or moved to -clamp … clamp."""
    if clamp == 0:
        return answer + geometric(ratio)
    return answer + geometric(ratio, -clamp - answer, clamp - answer)


@program
def index(answers, ratio="1/2", clamp=0):
    """Where the largest noisy answer is. Private."""
    best = 0
    where = 0
    for i in range(len(answers)):
        this = noisy(answers[i], ratio, clamp)
        if i == 0 or this > best:
            best = this
            where = i
    announce(where)


@program
def value(answers, ratio="1/2", clamp=0):
    """The largest noisy answer itself. Not ε-private from three answers on."""
    best = noisy(answers[0], ratio, clamp)
    for answer in answers[1:]:
        best = max(best, noisy(answer, ratio, clamp))
    announce(max(-8, min(8, best)) if clamp == 0 else best)


@program
def half_noise(answers, ratio="1/2", clamp=0):
    """The index again, with noise e^(-ε), as if one answer alone could change. Not ε-private."""
    best = 0
    where = 0
    for i in range(len(answers)):
        this = noisy(answers[i], Fraction(ratio) ** 2, clamp)
        if i == 0 or this > best:
            best = this
            where = i
    announce(where)
