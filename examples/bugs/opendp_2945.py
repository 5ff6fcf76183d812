"""OpenDP, issue 2945 (2026): a group of at most k rows is taken to change by at most k rows.

Where rows are added and removed, a group of k rows can lose all of them and gain k others: 2k.
"""

from deltachain import announce, discrete_laplace, program


@program
def grouped_sum(total, rows=3, bound=10, epsilon=1):
    announce(total + discrete_laplace(rows * bound / epsilon))


@program
def both_ways(total, rows=3, bound=10, epsilon=1):
    announce(total + discrete_laplace(2 * rows * bound / epsilon))
