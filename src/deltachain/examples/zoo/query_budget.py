"""Noisy counts of chosen groups: what is in the database?

Protocol: a database holds one bit for each of ``people``. The analyst names a group of them, such as ``0+2``, and gets
the number of ones in it, with two-sided geometric noise of this ratio, moved back into 0 … size of the group (the
truncated geometric mechanism); then the next group, in the light of the answers, until the budget of ``questions``
is spent. Whatever is asked then shows ``end``.
Secret: the database. Start state s3 holds the bits of the number 3: people 0 and 1 have a one, the others a zero. Pairs
are databases that differ in at most ``differ`` people: with 1, neighbours; with ``differ=people``, all pairs.
Labels: ``start``, ``count-0``, ``count-1``, …, where every group may be asked; ``end``.

Known exactly, for neighbours: let r be the ratio. A group without the one who differs tells nothing. For every other
group the true counts are c and c + 1, and an answer z has likelihood ratio 1/r if z ≤ c and r if z > c; the first
happens with probability p = 1/(1 + r) from c and with r/(1 + r) from c + 1. So every such question is a randomised
response of accuracy p, whatever the group and whatever was answered before: no choice is better than another, and with
q = 1 − p

    δ = Σ_j C(questions, j) · max(p^j q^(questions−j) − α q^j p^(questions−j), 0),

in both directions. At ratio 1/2 and two questions, α = 2: δ = 4/9 − 2/9 = 2/9.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, truncated_geometric, whole

MAX_PEOPLE = 8
MAX_QUESTIONS = 1_000
ONE = Fraction(1)


def query_budget(people: int = 2, questions: int = 2, ratio: Number = "1/2", differ: int = 1) -> Chain:
    """Databases of ``people`` bits, and ``questions`` noisy counts of groups that the analyst chooses.

    >>> query_budget()
    <Chain: 20 states, 122 transitions, 5 labels, 3 inputs, 4 pairs>
    """
    people = whole(people, "people", 1, MAX_PEOPLE)
    questions = whole(questions, "questions", 1, MAX_QUESTIONS)
    differ = whole(differ, "differ", 1, people)
    noise = probability(ratio, "ratio")
    groups = [group for size in range(1, people + 1) for group in combinations(range(people), size)]
    limit_transitions(2**people * (people + 1) ** 2 * questions * len(groups), "lower people or questions")
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {}
    labels: dict[str, str] = {}
    for database in range(2**people):
        answers = {_name(group): _publish(database, group, noise) for group in groups}
        for asked in range(questions):
            # The last answer need not remember the database.
            here = f"s{database}.{asked + 1}." if asked < questions - 1 else ""
            row = {name: {f"{here}count-{z}": p for z, p in enumerate(law)} for name, law in answers.items()}
            sources = (
                [f"s{database}.{asked}.count-{count}" for count in range(people + 1)] if asked else [f"s{database}"]
            )
            rows |= dict.fromkeys(sources, row)
            labels |= {source: source.rpartition(".")[2] if asked else "start" for source in sources}
    for count in range(people + 1):
        rows[f"count-{count}"] = {_name(group): {"end": ONE} for group in groups}
        labels[f"count-{count}"] = f"count-{count}"
    rows["end"], labels["end"] = {"end": ONE}, "end"
    pairs = [(s, t) for s, t in combinations(range(2**people), 2) if (s ^ t).bit_count() <= differ]
    return Chain.from_dicts(rows, labels, relation=[(f"s{s}", f"s{t}") for s, t in pairs])


def _name(group: tuple[int, ...]) -> str:
    return "+".join(map(str, group))


def _publish(database: int, group: tuple[int, ...], noise: Fraction) -> tuple[Fraction, ...]:
    """The law of the noisy count of a group."""
    ones = sum(database >> person & 1 for person in group)
    return truncated_geometric(ones, len(group), noise)
