"""dp-accounting's sampled discrete Laplace mechanism: one member of a data set is drawn with some probability."""

from deltachain import announce, discrete_laplace, flip, program


@program
def sampled(member: bool, parameter=1, sensitivity=1, rate=1):
    drawn = member and flip(rate)
    announce((sensitivity if drawn else 0) + discrete_laplace(1 / parameter))
