"""OpenDP, issue 2911 (2026): report noisy max, and the zCDP that is stated for it.

Both mechanisms propose a candidate at random and take it with probability e^((score − best)/scale). Permute-and-flip
does not propose a candidate again; the exponential mechanism does, until one is taken.
"""

from deltachain import announce, choose, exp, flip, program, uniform


@program
def permute_and_flip(scores, scale=1):
    best = max(scores)
    left = tuple(range(len(scores)))
    taken = False
    while not taken:
        at = uniform(0, len(left) - 1)
        taken = flip(exp((scores[left[at]] - best) / scale))
        if taken:
            announce(left[at])
        left = left[:at] + left[at + 1 :]


@program
def exponential_mechanism(scores, scale=1):
    announce(choose(range(len(scores)), weights=tuple(exp(score / scale) for score in scores)))
