"""Randomised response [Warner 1965].

Protocol: a respondent tells the truth with probability ``honest`` and the opposite otherwise, ``rounds`` times
afresh.
Secret: the true answer.
Labels: ``start``; ``True`` or ``False``, once a round; ``end``.

Known exactly: one round has e^ε = honest/(1 - honest), which is 3 at 3/4; k rounds have 3^k. There is no
Laplace noise to replace: the coin is rational as published.

deltachain epsilon examples/mechanisms/randomised_response.py:respond \
    --secret truth=True --secret truth=False --delta 0
"""

from deltachain import announce, flip, program


@program
def respond(truth, honest="3/4", rounds=1):
    """A yes or no that may be a lie, ``rounds`` times."""
    for _ in range(rounds):
        announce(truth if flip(honest) else not truth)
