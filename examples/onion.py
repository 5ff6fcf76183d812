"""Onion routing as a program, beside onion.prism.

Protocol: two users build circuits of three relays, each drawn from all; ``corrupt`` of them belong to a
observer. One user visits a site that the observer has an eye on, ``rounds`` times. When both ends of that user's
circuit are corrupt, the observer compares timings and says who it was, rightly with probability ``accuracy``.
Secret: which of the two users visits. Labels: ``start``; ``says0``, ``says1`` or ``unlinked``, once a round;
``end``. The relays are drawn in secret: in the PRISM model these are transitions labelled ``hop``, which --hide
hop takes away.

Known exactly: ``unlinked`` is as likely from both, ``says0`` has ratio accuracy/(1 - accuracy), so e^ε =
4^rounds at 4/5, whatever the number of corrupt relays; δ at ε = 0 for one round is (corrupt/relays)^2 (2
accuracy - 1): 12/125.

deltachain epsilon examples/onion.py:onion --secret visitor=0 --secret visitor=1 --delta 0
deltachain epsilon examples/onion.prism --hide hop --delta 0
"""

from deltachain import announce, flip, program, uniform


@program
def onion(visitor, relays=5, corrupt=2, accuracy="4/5", rounds=2):
    """``rounds`` visits, each through a circuit of its own."""
    for _ in range(rounds):
        entry = uniform(0, relays - 1)
        middle = uniform(0, relays - 1)  # drawn as in the protocol; nobody looks at it
        leave = uniform(0, relays - 1)
        if entry < corrupt and leave < corrupt:
            announce(f"says{visitor if flip(accuracy) else 1 - visitor}")
        else:
            announce("unlinked" if middle >= 0 else "never")
