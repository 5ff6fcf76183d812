"""W3C Attribution (draft of 2025), issue 75: budget that is taken from the attributed epoch only.

Two epochs, one impression in the older one, and, this is the secret, perhaps one in the newer. A query credits the
newest impression that matches, and adds noise. The first query matches both epochs, the second one the older only. An
epoch has budget for one query.
"""

from deltachain import announce, discrete_laplace, program


@program
def attributed_epoch_pays(newer):
    credited_newer = newer
    credited_older = not newer
    older_has_budget = not credited_older
    announce(credited_older + discrete_laplace(2))
    announce(credited_newer + discrete_laplace(2))
    announce((1 if older_has_budget else 0) + discrete_laplace(2))


@program
def every_matching_epoch_pays(newer):
    credited_newer = newer
    credited_older = not newer
    announce(credited_older + discrete_laplace(2))
    announce(credited_newer + discrete_laplace(2))
    announce(discrete_laplace(2))  # the older epoch has paid for the first query: nothing is left
