"""mbi, issue 65 (2025): an exponential mechanism that is told 2 where scores move by 4.

A candidate is drawn with weight exp(ε·score/(2Δ)). A score is the difference of two errors; each moves by up to 2 when
one person changes, and they may move in opposite directions, so that Δ is 4.
"""

from deltachain import announce, choose, exp, program


@program
def select(scores, epsilon=1, sensitivity=2):
    weights = tuple(exp(epsilon * score / (2 * sensitivity)) for score in scores)
    announce(choose(range(len(scores)), weights=weights))
