"""Requests passed around a crowd with corrupt members: who sent?

Crowds: anonymous requests through a group of members, some of them corrupt [Reiter, Rubin 1998].
Protocol: a sender passes its request to a member drawn uniformly from all, itself included. Each honest
member that gets it passes it on, again to a uniform member, with the forward probability, and else delivers
it. A corrupt member looks who handed it the request and delivers it; later hops tell nothing new. The path
is built anew, ``paths`` times in all, for the same sender, and the corrupt members know that the paths
belong together.
Secret: who the sender is: honest member i in s_i. The relation is all pairs of honest members.
Labels: ``start``; for each path ``from-i`` if honest member i was the first to hand it to a corrupt one, or
``unseen``; ``end`` after the last path. The corrupt members have no clock: how many hops a request has made
does not show, so the hops of a path are summed up in one step.

Known exactly: let n be the members, c the corrupt ones, h = n − c, f the forward probability. The first hop
goes to a corrupt member with probability c/n. Else the request is at a uniform honest member, whoever sent
it, and from there every honest member is as likely as any other to be the one seen. With g the probability
that a given honest member is seen once the request is at a uniform one of them, g = f (c/n · 1/h + h/n · g),
so g = f c / (h (n − f h)). Hence P(from-j) = u for j ≠ i and P(from-i) = c/n + u, where u = h/n · g = f c /
(n (n − f h)), and for one path δ = max(c/n − (α − 1) u, 0). At n = 5, c = 1, f = 3/4: u = 3/40, δ = 1/5 −
3/40 = 1/8 at α = 2, and δ = 0 exactly from α = 11/3 on.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_MEMBERS = 500
MAX_PATHS = 10_000


def crowds(members: int = 5, corrupt: int = 1, forward: Number = "3/4", paths: int = 1) -> Chain:
    """What ``corrupt`` of the ``members`` see of ``paths`` requests of one honest sender, si.

    >>> crowds().probability("s0", "from-0"), crowds().probability("s0", "from-1")
    (Fraction(11, 40), Fraction(3, 40))
    """
    members = whole(members, "members", 3, MAX_MEMBERS)
    corrupt = whole(corrupt, "corrupt", 1, members - 2)
    forwards, paths = probability(forward, "forward"), whole(paths, "paths", 1, MAX_PATHS)
    honest = members - corrupt
    limit_transitions(honest * (1 + (paths - 1) * (honest + 1)) * (honest + 1), "lower members or paths")
    starts = [f"s{i}" for i in range(honest)]
    rows: dict[str, dict[str, Fraction]] = {}
    labels = dict.fromkeys(starts, "start")
    for sender, start in enumerate(starts):
        seen = _observations(sender, members, corrupt, forwards)
        for path in range(paths):
            # What is seen of the last path need not remember the sender.
            prefix = "" if path == paths - 1 else f"{start}.{path + 1}."
            sources = [start] if path == 0 else [f"{start}.{path}.{label}" for label in seen]
            row = {f"{prefix}{label}": p for label, p in seen.items()}
            rows |= dict.fromkeys(sources, row)
            labels |= {f"{prefix}{label}": label for label in seen}
    rows |= {state: {"end": Fraction(1)} for state in [*seen, "end"]}
    labels["end"] = "end"
    return Chain.from_dicts(rows, labels, relation=combinations(starts, 2))


def _observations(sender: int, members: int, corrupt: int, forward: Fraction) -> dict[str, Fraction]:
    """What the corrupt members see of one path, with probabilities; see the module's derivation."""
    honest = members - corrupt
    other = forward * corrupt / (members * (members - forward * honest))
    seen = {f"from-{i}": other for i in range(honest)}
    seen[f"from-{sender}"] += Fraction(corrupt, members)
    seen["unseen"] = 1 - sum(seen.values(), Fraction(0))
    return seen
