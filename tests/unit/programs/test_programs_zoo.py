"""Families of the zoo as programs: bisimilar, start state by start state, to the direct constructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from deltachain import examples
from deltachain.model import Chain, bisimilarity, disjoint_union
from deltachain.programs import Program, announce, choose, flip, geometric, program, uniform


@program
def dining(payer, n=3, p="49/100"):
    # The zoo's coins show 0 with probability p.
    first = 0 if flip(p) else 1
    previous = first
    for i in range(n):
        this = first if i == n - 1 else 0 if flip(p) else 1
        announce(previous ^ this ^ (1 if i == payer else 0))
        previous = this


@program
def survey(truth, rounds=1, p="3/4"):
    for _ in range(rounds):
        announce("yes" if truth == flip(p) else "no")


@program
def memoised_survey(truth, p="3/4", q="3/4"):
    kept = truth if flip(p) else not truth
    while True:
        announce("yes" if kept == flip(q) else "no")


@program
def published(count, m=5, ratio="1/2"):
    shown = count + geometric(ratio, -count, m - count)
    while True:
        announce(shown)


@program
def geometric_counter(count, steps=2, m=3, ratio="1/2", rate="1/2"):
    for _ in range(steps):
        if flip(rate):
            count += 1
        announce(count + geometric(ratio, -count, m - count))


@program
def first_seen(sender, honest, members, forward):
    """Who hands the request to a corrupt member first, or -1: the hops are a hidden loop."""
    holder = sender
    while True:
        target = uniform(0, members - 1)
        if target >= honest:
            return holder
        holder = target
        if not flip(forward):
            return -1


@program
def crowds(sender, members=5, corrupt=1, forward="3/4", paths=1):
    for _ in range(paths):
        seen = first_seen(sender, members - corrupt, members, forward)
        announce("unseen" if seen == -1 else f"from-{seen}")


@program
def pin_checker(pin, pins=4, guesses=1, accuracy="3/4"):
    for _ in range(guesses):
        guess = uniform(0, pins - 1)
        announce(f"guess-{guess}")
        announce("accept" if (guess == pin) == flip(accuracy) else "reject")


@program
def sticky_sensor(mode, stay="9/10", accuracy="9/16"):
    while True:
        announce("high" if mode == flip(accuracy) else "low")
        mode = choose({mode: stay, not mode: 1 - Fraction(stay)})  # noqa: F821  (a builtin of programs)


@program
def waiting_room(favoured, favour="3/5", decide="1/2", accuracy="3/4"):
    decided = False
    outcome = False
    while True:
        if not decided and flip(decide):
            decided = True
            outcome = favoured == flip(favour)
        if decided:
            announce("yes" if outcome == flip(accuracy) else "no")
        else:
            announce("yes" if flip("1/2") else "no")


CASES: list[tuple[Program, Chain, Sequence[Mapping[str, object]], Mapping[str, object]]] = [
    (dining, examples.dining_cryptographers(n=2), [{"payer": i} for i in range(2)], {"n": 2}),
    (
        dining,
        examples.dining_cryptographers(n=4, p="1/3"),
        [{"payer": i} for i in range(4)],
        {"n": 4, "p": "1/3"},
    ),
    (survey, examples.survey(), [{"truth": False}, {"truth": True}], {}),
    (
        survey,
        examples.survey(rounds=3, p="2/3"),
        [{"truth": False}, {"truth": True}],
        {"rounds": 3, "p": "2/3"},
    ),
    (memoised_survey, examples.memoised_survey(), [{"truth": False}, {"truth": True}], {}),
    (waiting_room, examples.waiting_room(), [{"favoured": True}, {"favoured": False}], {}),
    (published, examples.geometric(), [{"count": c} for c in range(6)], {}),
    (
        published,
        examples.geometric(m=3, ratio="2/7"),
        [{"count": c} for c in range(4)],
        {"m": 3, "ratio": "2/7"},
    ),
    (geometric_counter, examples.geometric_counter(steps=3), [{"count": 0}, {"count": 1}], {"steps": 3}),
    (crowds, examples.crowds(), [{"sender": i} for i in range(4)], {}),
    (
        crowds,
        examples.crowds(members=7, corrupt=2, forward="4/5", paths=2),
        [{"sender": i} for i in range(5)],
        {"members": 7, "corrupt": 2, "forward": "4/5", "paths": 2},
    ),
    (pin_checker, examples.pin_checker(guesses=2), [{"pin": 0}, {"pin": 1}], {"guesses": 2}),
    (sticky_sensor, examples.sticky_sensor(), [{"mode": False}, {"mode": True}], {}),
]


@pytest.mark.parametrize(("written", "direct", "secrets", "constants"), CASES)
def test_program_is_bisimilar_to_the_direct_construction(
    written: Program, direct: Chain, secrets: Sequence[Mapping[str, object]], constants: Mapping[str, object]
) -> None:
    chain = written.chain(secrets, constants=constants)
    both = disjoint_union(chain, direct)
    block = bisimilarity(both)
    for number, state in enumerate(chain.states[: len(secrets)]):
        assert block[both.number(f"left.{state}")] == block[both.number(f"right.s{number}")]
    # A check that can fail: different secrets are not all one block.
    assert len({block[both.number(f"left.{state}")] for state in chain.states[: len(secrets)]}) > 1


def test_a_wrong_program_is_not_bisimilar() -> None:
    chain = survey.chain([{"truth": True}], constants={"p": "2/3"})
    both = disjoint_union(chain, examples.survey())
    block = bisimilarity(both)
    assert block[both.number("left.truth=True")] != block[both.number("right.s1")]


def test_neighbours_can_follow_the_zoo() -> None:
    chain = published.chain([{"count": c} for c in range(6)], neighbours=lambda a, b: b["count"] == a["count"] + 1)
    assert chain.relation == examples.geometric().relation
