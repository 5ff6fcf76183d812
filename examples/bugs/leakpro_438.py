"""LeakPro, pull request 438 (2026): the best of forty tries, with the ε of one.

Each try shows whether it did well, with ε = 1/10; the best one is kept. With a number of tries that is fixed, the ε of
all of them counts; with one that is drawn, about twice that of one is enough.
"""

from deltachain import announce, flip, program, randomised_response


@program
def best_of_forty(secret: bool, tries=40, epsilon="1/10"):
    best = False
    for _ in range(tries):
        good = randomised_response(secret, (True, False), epsilon)
        best = best or good
    announce(best)


@program
def stopped_at_random(secret: bool, stop="1/40", epsilon="1/10"):
    best = False
    stopped = False
    while not stopped:
        good = randomised_response(secret, (True, False), epsilon)
        best = best or good
        stopped = flip(stop)
    announce(best)
