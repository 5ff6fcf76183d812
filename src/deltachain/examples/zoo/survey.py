"""Randomised response, once or often: what is the true answer?

Source: [Warner 1965].
Protocol: a respondent knows the true answer to a yes/no question and reports it with probability p, its
opposite with probability 1 − p, so that no single report can be held against anyone. With ``rounds`` above 1
the same question is asked again, each time with fresh noise.
Secret: the true answer: no in s0, yes in s1.
Labels: ``start``; the report ``yes`` or ``no``, once per round; ``end``.

Known exactly: a word with j true reports out of k has probability p^j (1−p)^(k−j) from the one side and
(1−p)^j p^(k−j) from the other, and there are C(k, j) of them, so δ = Σ_j C(k, j) max(p^j (1−p)^(k−j) − α
(1−p)^j p^(k−j), 0), the same in both directions. At p = 3/4: one round at α = 3 gives δ = 3/4 − 3/4 = 0 (and
bd = 0); two rounds at α = 3 give 9/16 − 3/16 = 3/8.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability, whole

MAX_ROUNDS = 25_000


def survey(rounds: int = 1, p: Number = "3/4") -> Chain:
    """``rounds`` reports of a yes/no secret (s0: no, s1: yes), each true with probability ``p``.

    >>> survey()
    <Chain: 5 states, 7 transitions, 4 labels, 1 pair>
    """
    rounds = whole(rounds, "rounds", 1, MAX_ROUNDS)
    honest = probability(p, "p")
    rows: dict[str, dict[str, Number]] = {}
    labels: dict[str, str] = {"s0": "start", "s1": "start"}
    answers = ("no", "yes")
    for truth in (0, 1):
        for turn in range(rounds):
            # The last report need not remember the truth, so both sides share it.
            prefix = "" if turn == rounds - 1 else f"s{truth}.{turn + 1}."
            labels |= {f"{prefix}{answer}": answer for answer in answers}
            row: dict[str, Number] = {f"{prefix}{answers[truth]}": honest, f"{prefix}{answers[1 - truth]}": 1 - honest}
            sources = [f"s{truth}"] if turn == 0 else [f"s{truth}.{turn}.{answer}" for answer in answers]
            rows |= dict.fromkeys(sources, row)
    rows |= {"no": {"end": 1}, "yes": {"end": 1}, "end": {"end": 1}}
    labels["end"] = "end"
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
