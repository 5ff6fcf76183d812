"""Direct or indirect questions, chosen by the answers: what is the true answer?

Protocol: a respondent has a true answer, yes or no, and is ``frank`` with this probability, which nobody sees. In each
of ``rounds`` rounds the interviewer asks ``direct`` or ``indirect``. Asked directly, a frank respondent answers
truthfully with probability ``direct``, and another one says ``no-comment``. Asked indirectly, everybody answers
truthfully with probability ``indirect``. Answers are independent. Whatever is asked after the last round shows ``end``.
Secret: the true answer, no in s0 and yes in s1.
Labels: ``start``, ``yes``, ``no``, ``no-comment``, where both inputs are offered; ``end``.

Known exactly, for two rounds, with a = direct ≥ b = indirect ≥ 1/2 and f = frank. Let g(u) = max(u, 0). Ask directly
first: an answer is followed by the same question, since an indirect answer is a coarser one; after no comment, which
says nothing about the secret, an indirect one is all there is. That is worth

    f · g(a² − α(1−a)²) + (1−f) · g(b − α(1−b)).

Ask indirectly first: after the answer that speaks for the claim, go on with the better of the two, worth g(b² −
α(1−b)²) or f · (g(ab − α(1−a)(1−b)) + g((1−a)b − αa(1−b))) + (1−f) · g(b − α(1−b)); after the other one only a direct
question may help, worth f · g(a(1−b) − α(1−a)b). δ is the larger of the two, in both directions. At the defaults and α
= 3/2: 61/192 and 5/18, so δ = 61/192, while the best plan that is decided in advance is worth 5/18.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_ROUNDS = 10_000
ONE = Fraction(1)


def adaptive_survey(rounds: int = 2, direct: Number = "3/4", indirect: Number = "2/3", frank: Number = "1/2") -> Chain:
    """``rounds`` questions, direct or indirect, to a respondent whose true answer is no (s0) or yes (s1).

    >>> adaptive_survey()
    <Chain: 16 states, 55 transitions, 5 labels, 2 inputs, 1 pair>
    """
    rounds = whole(rounds, "rounds", 1, MAX_ROUNDS)
    outright, guarded = probability(direct, "direct"), probability(indirect, "indirect")
    opened = probability(frank, "frank")
    limit_transitions(40 * rounds, "lower rounds")
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {}
    labels = {"s0": "start", "s1": "start"}
    for truth in (0, 1):
        for asked in range(rounds):
            # The last answer need not remember who gave it.
            here = f"s{truth}.{asked + 1}." if asked < rounds - 1 else ""
            kinds = {"frank": _answers(truth, here, outright, guarded), "shy": _answers(truth, here, None, guarded)}
            if asked == 0:
                rows[f"s{truth}"] = _mix(kinds["frank"], kinds["shy"], opened)
                continue
            for kind, row in kinds.items():
                for shown in ("yes", "no", "no-comment"):
                    source = f"s{truth}.{asked}.{kind}.{shown}"
                    if kind == "shy" or shown != "no-comment":
                        rows[source], labels[source] = row, shown
    for shown in ("yes", "no", "no-comment"):
        rows[shown], labels[shown] = {name: {"end": ONE} for name in ("direct", "indirect")}, shown
    rows["end"], labels["end"] = {"end": ONE}, "end"
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def _answers(truth: int, here: str, direct: Fraction | None, indirect: Fraction) -> dict[str, dict[str, Fraction]]:
    """What a respondent says to each question; one who is not frank has no answer to a direct one."""
    kind = "" if not here else "shy." if direct is None else "frank."

    def answer(right: Fraction) -> dict[str, Fraction]:
        yes = right if truth else 1 - right
        return {f"{here}{kind}yes": yes, f"{here}{kind}no": 1 - yes}

    silent = {f"{here}{kind}no-comment": ONE}
    return {"direct": silent if direct is None else answer(direct), "indirect": answer(indirect)}


def _mix(
    left: dict[str, dict[str, Fraction]], right: dict[str, dict[str, Fraction]], weight: Fraction
) -> dict[str, dict[str, Fraction]]:
    """The rows of a draw between two, by input."""
    zero = Fraction(0)
    return {
        name: {
            target: weight * left[name].get(target, zero) + (1 - weight) * right[name].get(target, zero)
            for target in left[name] | right[name]
        }
        for name in left
    }
