"""Google's differential-privacy library for Go, pull request 101 (2022): a threshold of 3.32 that became 3.

A count is released if it reaches a threshold that is computed, as a float, from ε and δ; converting it to an integer
cut its fraction off. The noise is Laplace noise rounded to integers: 0 with probability 1 − e^(−ε/2), and otherwise, on
either side, 1 and one more as long as a coin with probability e^(−ε) allows. Here e^ε = 4.

Once the threshold is reached, nothing is left to decide, so the loop ends there.
"""

from deltachain import announce, flip, program


@program
def thresholded(count, threshold=3):
    noise = 0
    if flip("1/2"):  # e^(-ε/2)
        size = 1
        while count + size < threshold and flip("1/4"):  # e^(-ε)
            size += 1
        noise = size if flip("1/2") else -size
    announce("released" if count and count + noise >= threshold else "nothing")
