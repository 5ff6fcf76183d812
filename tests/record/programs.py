"""Programs with real noise whose answers are recorded: functions of e, enclosed numbers, noise that is cut off, inputs.

They draw and announce; nothing else of the tree is used.
"""

from deltachain import (
    announce,
    ask,
    choose,
    discrete_gaussian,
    discrete_laplace,
    exp,
    flip,
    geometric,
    log,
    program,
    randomised_response,
    sqrt,
)


@program
def laplace(x, scale=1):
    announce(x + discrete_laplace(scale))


@program
def laplace_twice(x):
    announce(x + discrete_laplace(1))
    announce(x + discrete_laplace(1))


@program
def clamped(x, rounds=1):
    for _ in range(rounds):
        announce(x + geometric(exp("-1/10"), -x, 4 - x))


@program
def response(x, rounds=1):
    for _ in range(rounds):
        announce(randomised_response(x, range(3), epsilon="1/2"))


@program
def exponential(x):
    announce(choose(range(3), weights=tuple(exp(score / 4) for score in (x, 1, 2 - x))))


@program
def one_hot(x):
    announce(tuple((i == x) != flip(1 / (1 + exp("1/2"))) for i in range(2)))


@program
def sparse(x, epsilon=1):
    bar = discrete_laplace(2, tail="1e-12")
    for answer in (x, 1 - x):
        if answer + discrete_laplace(4 / epsilon) >= bar:
            announce("above")
            return
        announce("below")


@program
def parity(x):
    announce((x + discrete_laplace(2)) % 2)
    announce(flip("1/3") != (x == 1))


@program
def gaussian(x, sigma=1):
    announce(x + discrete_gaussian(sigma))


@program
def gaussian_twice(x):
    first = max(-2, min(3, x + discrete_gaussian(1)))
    announce(first)
    announce(max(-2, min(3, x + discrete_gaussian(2))))


@program
def cut_off(x):
    noisy = x + discrete_laplace(1, tail="1e-6")
    announce(noisy * noisy)


@program
def cut_off_short(x):
    noisy = x + discrete_laplace(1, tail="1/50")
    announce(noisy * noisy)


@program
def gaussian_cut_off(x):
    noisy = x + discrete_gaussian(1, tail="1e-4")
    announce(noisy * noisy)


@program
def roots(x):
    announce(flip(sqrt("1/2")) != (x == 1))
    announce(flip(log(2)) != (x == 1))


@program
def waiting(x):
    while flip(exp("-1/2")):
        announce("wait")
    announce(flip(exp("-1")) != (x == 1))


@program
def asked(x):
    if ask("number", "sign") == "number":
        announce(max(-1, min(2, x + discrete_laplace(1))))
    else:
        announce("up" if x + discrete_laplace(2) > 0 else "down")


@program
def asked_twice(x):
    for _ in range(2):
        if ask("often", "seldom") == "often":
            announce(flip(1 / (1 + exp("1/2"))) != (x == 1))
        else:
            announce("nothing" if flip("2/3") else x)


@program
def asked_about_roots(x):
    if ask("root", "coin") == "root":
        announce(flip(sqrt("1/2")) != (x == 1))
    else:
        announce(flip("1/3") != (x == 1))


@program
def open_coin(x, p="3/4"):
    announce(x if flip(p) else 1 - x)


@program
def open_svt(x, u="1/2"):
    bar = geometric(u**2, -8, 8)
    for answer in x:
        if answer + geometric(u, -8, 8) >= bar:
            announce("above")
            return
        announce("below")


@program
def open_dining(x, n=3, p="1/2"):
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == x else previous != this)
        previous = this
