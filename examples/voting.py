"""A vote with randomised ballots as a program, beside voting.prism.

Protocol: three voters put a ballot in the urn one after the other, each true with probability ``honest`` and
inverted otherwise; only the number of yes-ballots is published.
Secret: the first voter's vote; the second votes yes, the third no. Labels: ``start``; ``count0`` … ``count3``;
``end``. Ballots are cast in secret: in the PRISM model these are transitions labelled ``casting``, which --hide
casting takes away.

Known exactly: with honest = 2/3 the count 3 is twice as likely from yes, the count 0 twice as likely from no,
and e^ε = 2 is least.

deltachain epsilon examples/voting.py:vote --secret mine=1 --secret mine=0 --delta 0
deltachain epsilon examples/voting.prism --hide casting --delta 0
"""

from deltachain import announce, flip, program


@program
def vote(mine, honest="2/3"):
    """Three ballots, one number."""
    count = 0
    for truth in (mine, 1, 0):
        count += truth if flip(honest) else 1 - truth
    announce(f"count{count}")
