"""Crowds [Reiter, Rubin 1998] as a program, beside crowds-hops.prism.

Protocol: the sender hands its request to a member of the crowd, drawn from all; an honest member passes it on
in the same way with probability ``forward``, and else delivers it. A corrupt member sees who handed it over,
and nobody counts hops: the loop announces nothing. In the PRISM model every hop is a transition, which
--hide-unlabelled takes away.
Secret: the sender. Labels: ``start``; ``saw0``, … or ``delivered``; ``end``.

Known exactly: e^ε = 13/4 for four honest members, one corrupt one and forward = 4/5.

deltachain epsilon examples/crowds.py:crowds --secret sender=0 --secret sender=1 --delta 0
deltachain epsilon examples/crowds-hops.prism --hide-unlabelled --delta 0
"""

from deltachain import announce, flip, program, uniform


@program
def crowds(sender, honest=4, corrupt=1, forward="4/5"):
    """One request through the crowd."""
    holder = sender
    on_its_way = True
    while on_its_way:
        target = uniform(0, honest + corrupt - 1)
        if target >= honest:
            announce(f"saw{holder}")
            return
        holder = target
        on_its_way = flip(forward)
    announce("delivered")
