"""FLEDGE's k-anonymity server (2023): above-threshold, started anew in every window, with truncated noise.

At each step the server says whether at least k users have joined within the last w steps, with noise on the count and
on the threshold, and once it has said yes it says so until the window ends. A join that counts in the last steps of one
window also counts in the first steps of the next: two windows see it.

The scale 4/3 of the noise follows from the note of 2023 (ε = 3 in all, two windows, two noises in each); its reach of
25 is inferred, as docs/bugs.md says.
"""

from deltachain import announce, choose, exp, program


@program
def server(join, w=4, late=2, k=50, first=51, second=52, after=48, reach=25):
    for window in range(2):
        noises = range(-reach, reach + 1)
        weights = tuple(exp(-3 * abs(z) / 4) for z in noises)
        threshold = k + choose(noises, weights=weights)
        above = False
        for step in range(w):
            if window == 0:
                count = 20 if step < w - late else first + join
            else:
                count = second + join if step < w - late else after
            if not above:
                above = count + choose(noises, weights=weights) >= threshold
            announce(above)
