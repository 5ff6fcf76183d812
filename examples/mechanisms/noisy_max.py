"""Report noisy max [Dwork, Roth 2014], and two of its errors.

Protocol: answers of sensitivity 1 get independent noise of ratio e^(-ε/2); the index of the largest is
published. ``value`` publishes the largest noisy answer instead; ``half_noise`` the index, with noise of ratio
e^(-ε).
Secret: the answers, each of which may differ by 1 between neighbours.
Labels: ``start``; the published number; ``end``.

Known: ``index`` is ε-private, ``value`` is nε/2-private for n answers and no better, ``half_noise`` is
2ε-private. ``ratio`` is e^(-ε/2): at 1/2, e^ε = 4. What changes with clamped geometric noise: noisy answers are
moved to -clamp and clamp, which is post-processing for ``value``; ties occur and go to the lowest index, and
the index of a noisy maximum at the clamp is decided by them.

deltachain check examples/mechanisms/noisy_max.py:value --secret "answers=(0,0,0)" --secret "answers=(1,1,1)" \
    --exp-epsilon 4 --delta 0
"""

from fractions import Fraction

from deltachain import announce, geometric, program


@program
def noisy(answer, ratio, clamp):
    """The answer with noise, moved to -clamp … clamp."""
    return answer + geometric(ratio, -clamp - answer, clamp - answer)


@program
def index(answers, ratio="1/2", clamp=8):
    """Where the largest noisy answer is. Private."""
    best = -clamp - 1
    where = 0
    for i in range(len(answers)):
        this = noisy(answers[i], ratio, clamp)
        if this > best:
            best = this
            where = i
    announce(where)


@program
def value(answers, ratio="1/2", clamp=8):
    """The largest noisy answer itself. Not ε-private from three answers on."""
    best = -clamp
    for answer in answers:
        best = max(best, noisy(answer, ratio, clamp))
    announce(best)


@program
def half_noise(answers, ratio="1/2", clamp=8):
    """The index again, with noise e^(-ε), as if one answer alone could change. Not ε-private."""
    best = -clamp - 1
    where = 0
    for i in range(len(answers)):
        this = noisy(answers[i], Fraction(ratio) ** 2, clamp)
        if this > best:
            best = this
            where = i
    announce(where)
