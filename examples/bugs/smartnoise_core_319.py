"""SmartNoise Core, issues 319 and 358 (2020 and 2021): noise of bounded range around a count that is not.

The noise is drawn in constant time, so it lies within ±(high − low); whatever would lie outside is moved to the ends.
First the noisy sum was not clamped to [low, high], then it was and the true count was not.
"""

from deltachain import announce, discrete_laplace, program


@program
def result_not_clamped(count, low=0, high=4):
    reach = high - low
    announce(count + max(-reach, min(reach, discrete_laplace(1))))


@program
def count_not_clamped(count, low=0, high=4):
    reach = high - low
    announce(max(low, min(high, count + max(-reach, min(reach, discrete_laplace(1))))))


@program
def fixed(count, low=0, high=4):
    reach = high - low
    inside = max(low, min(high, count))
    announce(max(low, min(high, inside + max(-reach, min(reach, discrete_laplace(1))))))
