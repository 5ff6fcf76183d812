"""W3C Attribution, issue 398 (2026): may impressions decide what a query costs?

Two epochs, with ε = 1 to spend in each; an impression in the older one and, this is the secret, perhaps one in the
newer. The first query looks at both epochs and credits the newest impression. A query of one epoch costs 1/2, a query
of two costs 1. The second and third query look at the older epoch only, and cost 1/2 each; without budget they count 0.
"""

from deltachain import announce, discrete_laplace, program


@program
def impressions_decide(newer):
    older_budget = 2 - (2 if newer else 1)  # in halves
    announce((0 if newer else 1) + discrete_laplace(2))
    announce((1 if newer else 0) + discrete_laplace(2))
    for _ in range(2):
        paid = older_budget >= 1
        older_budget -= 1 if paid else 0
        announce((1 if paid else 0) + discrete_laplace(2))


@program
def window_decides(newer):
    announce((0 if newer else 1) + discrete_laplace(2))
    announce((1 if newer else 0) + discrete_laplace(2))
    for _ in range(2):
        announce(discrete_laplace(2))  # the older epoch has paid 1 for the first query: nothing is left
