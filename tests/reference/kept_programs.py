"""Mechanisms that keep noise: a threshold that is drawn once, the largest so far, and what is done with them.

``unit`` is X: the fraction 1/2, or e^(−1/8). Ratios of noise are powers of it, as in the zoo's sparse vector.
"""

from __future__ import annotations

from fractions import Fraction

from deltachain import announce, ask, choose, discrete_laplace, exp, flip, geometric, program


@program
def unit(real=False):
    return exp("-1/8") if real else Fraction(1, 2)


@program
def svt(answers, bar_power=2, answer_power=1, c=1, anew=False, stops=True, real=False):
    """SVT 1 (Lyu, Su, Li), 2 (anew), 4; without ``stops`` 6."""
    x = unit(real)
    bar = geometric(x**bar_power)
    hits = 0
    for answer in answers:
        if answer + geometric(x**answer_power) >= bar:
            announce("above")
            hits += 1
            if stops and hits == c:
                return
            if anew:
                bar = geometric(x**bar_power)
        else:
            announce("below")


@program
def without_answer_noise(answers, bar_power=2, real=False):
    """SVT 5."""
    bar = geometric(unit(real) ** bar_power)
    for answer in answers:
        announce("above" if answer >= bar else "below")


@program
def without_threshold_noise(answers, answer_power=1, real=False):
    for answer in answers:
        if answer + geometric(unit(real) ** answer_power) >= 0:
            announce("above")
            return
        announce("below")


@program
def noisy_max(answers, power=1, real=False):
    x = unit(real)
    best = 0
    top = answers[0] + geometric(x**power)
    for i in range(1, len(answers)):
        value = answers[i] + geometric(x**power)
        if value > top:
            top = value
            best = i
    announce(best)


@program
def windows(answers, w, bar_power=2, answer_power=1, real=False):
    """A threshold for w answers, or until one is above; then another."""
    x = unit(real)
    i = 0
    while i < len(answers):
        bar = geometric(x**bar_power)
        used = 0
        while used < w and i < len(answers):
            above = answers[i] + geometric(x**answer_power) >= bar
            i += 1
            used += 1
            announce("above" if above else "below")
            if above:
                break


@program
def first_above(answers, bar_scale="4", answer_scale="8"):
    bar = discrete_laplace(bar_scale)
    for answer in answers:
        if answer + discrete_laplace(answer_scale) >= bar:
            announce("above")
            return
        announce("below")


@program
def of_ratios(answers, bar="1/2", noise="2/3"):
    level = geometric(bar)
    for answer in answers:
        if answer + geometric(noise) >= level:
            announce("above")
            return
        announce("below")


@program
def server(join, w=4, late=1, k=50, before=20, first=49, second=49, third=50):
    """A k-anonymity server: two windows of w steps, each with a threshold of its own; a join counts in both.

    It counts in the last ``late`` steps of the first window, and in the first w − late of the second.
    """
    for window in range(2):
        bar = k + discrete_laplace("4/3")
        above = False
        for t in range(w):
            if window == 0:
                count = before if t < w - late else first + join
            else:
                count = second + join if t < w - late else third
            if not above:
                above = count + discrete_laplace("4/3") >= bar
            announce(above)


@program
def restarted(answers, w, bar_scale="1", answer_scale="2"):
    """The same for ever; after the last answer all are 0."""
    i = 0
    while True:
        bar = discrete_laplace(bar_scale)
        used = 0
        while used < w:
            answer = answers[i] if i < len(answers) else 0
            i = min(i + 1, len(answers))
            used += 1
            if answer + discrete_laplace(answer_scale) >= bar:
                announce("above")
                break
            announce("below")


@program
def post(answers, real=False):
    """A comparison, then another with a shifted threshold, or the least of a clamped one and a noisy answer."""
    x = unit(real)
    bar = geometric(x**2)
    if answers[0] + geometric(x) >= bar:
        announce("a")
        bar = bar - 1
        announce("X" if answers[1] + geometric(x**2) >= bar else "Y")
    else:
        announce("b")
        bar = max(-2, min(2, bar))
        value = answers[1] + geometric(x)
        if value < bar:
            bar = value
            announce("X")
        else:
            announce("Y")
    announce("P" if bar >= 0 else "N")


# Random instances of these are compared with the chains of noise that is cut off.


@program
def sparse(answers, bar="1", noise="2", c=1, anew=False):
    level = discrete_laplace(bar)
    hits = 0
    for answer in answers:
        if answer + discrete_laplace(noise) >= level:
            announce("above")
            hits += 1
            if hits == c:
                return
            if anew:
                level = discrete_laplace(bar)
        else:
            announce("below")


@program
def unlimited(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        announce(level - discrete_laplace(noise) <= answer)


@program
def plain(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        if answer >= level:
            announce("above")
        else:
            announce("below")


@program
def index_of_max(answers, bar="1", noise="1", lazy=False):
    best = 0
    top = answers[0] + discrete_laplace(noise)
    for i in range(1, len(answers)):
        value = answers[i] + discrete_laplace(noise)
        if value > top:
            top = value
            best = i
    if lazy:
        announce(best if top >= 1 else "none")
    else:
        announce(best)


@program
def index_of_min(answers, bar="1", noise="1"):
    best = 0
    low = answers[0] - discrete_laplace(noise)
    for i in range(1, len(answers)):
        value = answers[i] - discrete_laplace(noise)
        if not value >= low:
            low = value
            best = i
    announce(best)


@program
def records(answers, bar="1", noise="1"):
    top = answers[0] + discrete_laplace(noise)
    for i in range(1, len(answers)):
        value = answers[i] + discrete_laplace(noise)
        if value > top:
            top = value
            announce("record")
        else:
            announce("no")
    announce("high" if top >= 2 else "low")


@program
def coin(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    up = flip("1/3")
    if up:
        level = level + 1
    for answer in answers:
        if answer + discrete_laplace(noise) >= level:
            announce("above")
        else:
            announce("below")
            level = 1 - level


@program
def irrational_coin(answers, bar="1", noise="1"):
    """A finite draw with irrational probabilities, never announced, beside the kept integer."""
    level = discrete_laplace(bar)
    lazy = flip(exp("-1/3") / 2)
    for answer in answers:
        shift = choose(weights={0: 1, 1: exp("-1/2")})
        announce("above" if answer + shift + discrete_laplace(noise) >= level and not lazy else "below")


@program
def band(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        value = answer + discrete_laplace(noise)
        if value > level + 1:
            announce("high")
        elif value < level - 1:
            announce("low")
        else:
            announce("mid")


@program
def equal(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        announce(answer + discrete_laplace(noise) == level)


@program
def close(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        announce(abs(answer + discrete_laplace(noise) - level) <= 1)


@program
def kept_max(answers, bar="1", noise="1"):
    top = discrete_laplace(bar)
    for answer in answers:
        top = max(top, answer + discrete_laplace(noise))
        announce("yes" if top >= 1 else "no")


@program
def mixed(answers, bar="1", noise="1"):
    level = discrete_laplace(bar)
    for answer in answers:
        value = answer + discrete_laplace(noise)
        if value >= 0 and value >= level and value <= 3 - level:
            announce("in")
        else:
            announce("out")
    announce("top" if max(-1, min(1, level)) == 1 else "done")


@program
def hidden_flag(answers, bar="1", noise="1"):
    """What was found at the first answer is not announced before the last."""
    level = discrete_laplace(bar)
    high = answers[0] + discrete_laplace(noise) >= level
    for answer in answers:
        announce("above" if answer + discrete_laplace(noise) > level else "below")
    announce("was high" if high else "was low")


@program
def reaches(value, level):
    if value >= level:
        return "above"
    return "below" if value >= level - 4 else "far below"


@program
def halves(answers, bar="1", noise="1"):
    """Fractions, multiples, and a helper that compares."""
    level = discrete_laplace(bar) + Fraction(1, 3)
    for answer in answers:
        announce(reaches(2 * answer + 2 * discrete_laplace(noise), 2 * level))


@program
def best_of(answers, bar="1", noise="1"):
    top = max(answer + discrete_laplace(noise) for answer in answers)
    announce(top >= discrete_laplace(bar))
    announce(top >= 0)


@program
def numeric(answers, bar="1", noise="1"):
    """An answer above the threshold is announced with noise of its own."""
    level = discrete_laplace(bar)
    for answer in answers:
        if answer + discrete_laplace(noise) >= level:
            announce(answer + discrete_laplace(noise))
            return
        announce("below")


@program
def asked(answers, bar="1", noise="1"):
    """The observer chooses which answer is compared next."""
    level = discrete_laplace(bar)
    for _ in answers:
        which = ask("first", "last")
        answer = answers[0] if which == "first" else answers[-1]
        announce("above" if answer + discrete_laplace(noise) >= level else "below")


KINDS = (
    sparse,
    unlimited,
    plain,
    index_of_max,
    index_of_min,
    records,
    coin,
    irrational_coin,
    band,
    equal,
    close,
    kept_max,
    mixed,
    hidden_flag,
    halves,
    best_of,
    numeric,
)
"""Programs of answers, two scales and little else."""
