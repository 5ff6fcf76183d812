"""A counting stream: the running count of events, published with noise after every step.

Protocol: in each step an event happens or not; the number of events so far is published with fresh geometric
noise, moved to 0 … m.
Secret: whether an event happened in the first step.
Labels: ``start``; one number a step; ``end``.

Known exactly: the event of the first step is in every published number, so k steps have e^ε = a^-k and no less:
the claim "ε for a count" is wrong by a factor of k, and this is what smart sum repairs. What changes with
clamped geometric noise: outputs are clamped, not the noise, so nothing is lost.

deltachain epsilon examples/mechanisms/counting_stream.py:stream \
    --secret "events=(0,0,0)" --secret "events=(1,0,0)" --delta 0
"""

from deltachain import announce, geometric, program


@program
def stream(events, m=3, ratio="1/2"):
    """The running count with noise, step by step."""
    count = 0
    for event in events:
        count += event
        announce(count + geometric(ratio, -count, m - count))
