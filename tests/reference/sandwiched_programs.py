"""Programs whose announced noise has tails of several ratios: sums, gaps, hidden scales, numbers compared later."""

from deltachain import announce, discrete_laplace, flip, program


@program
def summed(x: int, first=10, second=10):
    """Two aggregators, each with its own noise."""
    announce(x + discrete_laplace(first) + discrete_laplace(second))


@program
def thrice(x: int):
    """Three of them."""
    announce(x + sum(discrete_laplace(10) for _ in range(3)))


@program
def summed_and_rounded(x: int):
    """A sum of noises, rounded."""
    announce((x + discrete_laplace(10) + discrete_laplace(10)) // 8)


@program
def hidden_scale(x: int):
    """Nobody sees which scale it is."""
    announce(x + discrete_laplace(1 if flip("1/2") else 2))


@program
def repeated(x: int):
    """Two announcements without end."""
    announce(x + discrete_laplace(2) + discrete_laplace(2))
    announce(x + discrete_laplace(2) + discrete_laplace(2))


@program
def gap(answers: tuple):
    """The sparse vector technique that shows the gap."""
    bar = discrete_laplace(4)
    for answer in answers:
        noisy = answer + discrete_laplace(8)
        if noisy >= bar:
            announce(noisy - bar)
            return
        announce("below")


@program
def gap_with_a_fixed_bar(answers: tuple):
    """Broken: the bar is not noisy."""
    for answer in answers:
        noisy = answer + discrete_laplace(8)
        if noisy >= 0:
            announce(noisy)
            return
        announce("below")


@program
def value_for_the_gap(answers: tuple):
    """Broken: the noisy value is shown in place of the gap."""
    bar = discrete_laplace(4)
    for answer in answers:
        noisy = answer + discrete_laplace(8)
        if noisy >= bar:
            announce(noisy)
            return
        announce("below")


@program
def gap_of_exact_answers(answers: tuple):
    """Broken: answers are not noisy."""
    bar = discrete_laplace(4)
    for answer in answers:
        if answer >= bar:
            announce(answer - bar)
            return
        announce("below")


@program
def reused(count: int, other: int):
    """A number that was announced is compared later."""
    noisy = count + discrete_laplace(4)
    announce(noisy)
    announce("above" if other + discrete_laplace(8) >= noisy else "below")


@program
def largest(answers: tuple):
    """Index and value of the largest."""
    best = answers[0] + discrete_laplace(8)
    which = 0
    for i in range(1, len(answers)):
        noisy = answers[i] + discrete_laplace(8)
        if noisy > best:
            best = noisy
            which = i
    announce(which)
    announce(best)


@program
def counter(events: tuple):
    """Each total is the one before, and a noisy event."""
    total = 0
    for event in events:
        total += event + discrete_laplace(2)
        announce(total)
