"""A permanent noisy answer, reported with noise for ever.

Randomised response with a memoised answer, as in RAPPOR [Erlingsson, Pihur, Korolova 2014].
Protocol: a device draws one permanent noisy answer, equal to the true one with probability p, and keeps it.
Every report then shows the permanent answer with probability q and its opposite otherwise, with fresh noise:
one report is very private, and however many there are, they only give the permanent answer away.
Secret: the true answer: no in s0, yes in s1.
Labels: ``start``; then the reports ``yes`` and ``no`` for ever. The chain is cyclic.

Known exactly: let q ≠ 1/2. By the strong law of large numbers the share of ``yes`` among the reports tells
the permanent answer with probability one, and given the permanent answer the reports do not depend on the
truth. So an event is worth no more than the best one about the permanent answer, and δ = max(m − α(1 − m),
0) with m = max(p, 1 − p). At p = 3/4: δ = 1/4 for α = 2 and δ = 0 from α = 3 on. No finite depth reaches 1/4
at α = 2.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability


def memoised_survey(p: Number = "3/4", q: Number = "3/4") -> Chain:
    """Endless reports, each faithful with probability ``q``, of a permanent answer that is true with ``p``.

    >>> memoised_survey()
    <Chain: 6 states, 16 transitions, 3 labels, 1 pair>
    """
    honest, faithful = probability(p, "p"), probability(q, "q")
    answers = ("no", "yes")
    rows: dict[str, dict[str, Number]] = {}
    labels: dict[str, str] = {}
    report: list[dict[str, Number]] = [
        {f"{kept}.{answers[kept]}": faithful, f"{kept}.{answers[1 - kept]}": 1 - faithful} for kept in (0, 1)
    ]
    for truth in (0, 1):
        kept_chance = {truth: honest, 1 - truth: 1 - honest}
        rows[f"s{truth}"] = {
            f"{kept}.{answers[said]}": kept_chance[kept] * (faithful if said == kept else 1 - faithful)
            for kept in (0, 1)
            for said in (0, 1)
        }
        labels[f"s{truth}"] = "start"
    for kept in (0, 1):
        for answer in answers:
            rows[f"{kept}.{answer}"] = report[kept]
            labels[f"{kept}.{answer}"] = answer
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
