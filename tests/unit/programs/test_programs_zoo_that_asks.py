"""The examples whose observer asks, written as programs: the same δ, adaptively, from other states and prompts."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from deltachain import Program, announce, ask, examples, flip, geometric, program


@program
def probe(secret, moves=2, accuracy="3/4"):
    mode = 1 if flip("1/2") else 2
    for _ in range(moves):
        choice = ask("probe", "q1", "q2")
        if choice == "probe":
            announce(f"mode-{mode}")
        elif choice == f"q{mode}":
            announce("yes" if flip(accuracy) == secret else "no")
        else:
            announce("yes" if flip("1/2") else "no")


@program
def lockout(secret, pins=3, attempts=2, accuracy="3/4", backoff=1):
    for tried in range(attempts):
        if flip(accuracy) == (ask(*range(pins)) == secret):
            announce("open")
            return
        if tried < attempts - 1:
            for _ in range(backoff * 2**tried):
                announce("wait")
    announce("locked")


@program
def query_budget(database, people=2, questions=2, ratio="1/2"):
    for _ in range(questions):
        group = ask(*range(1, 2**people))  # as a number whose bits say who is counted
        count, size = 0, 0
        for person in range(people):
            size += group // 2**person % 2
            count += (group // 2**person % 2) * (database // 2**person % 2)
        announce(count + geometric(ratio, -count, size - count))


@program
def adaptive_survey(truth, rounds=2, direct="3/4", indirect="2/3", frank="1/2"):
    is_frank = flip(frank)
    for _ in range(rounds):
        if ask("direct", "indirect") == "indirect":
            announce("yes" if flip(indirect) == truth else "no")
        elif is_frank:
            announce("yes" if flip(direct) == truth else "no")
        else:
            announce("no-comment")


CASES = [
    (probe, "secret", [False, True], examples.probe, [{}, {"moves": 3}, {"accuracy": "9/10"}]),
    (lockout, "secret", [0, 1], examples.lockout, [{}, {"attempts": 3, "pins": 2, "backoff": 2}, {"accuracy": "1/3"}]),
    (query_budget, "database", [0, 1], examples.query_budget, [{}, {"questions": 3}, {"people": 3, "ratio": "1/3"}]),
    (adaptive_survey, "truth", [False, True], examples.adaptive_survey, [{}, {"rounds": 3}, {"frank": "1/5"}]),
]


@pytest.mark.sample(18)
@pytest.mark.parametrize("alpha", ["1", "3/2", "2"])
@pytest.mark.parametrize(
    ("written", "secret", "values", "built", "settings"),
    [(p, s, v, b, settings) for p, s, v, b, all_settings in CASES for settings in all_settings],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_program_and_the_example_have_one_delta(
    written: Program, secret: str, values: list[object], built: object, settings: dict[str, object], alpha: str
) -> None:
    program_chain = written.chain([{secret: value} for value in values], constants=settings)
    example_chain = built(**settings)  # type: ignore[operator]
    assert program_chain.interactive
    first = dc.delta(program_chain, exp_epsilon=Fraction(alpha))
    second = dc.delta(example_chain, "s0", "s1", exp_epsilon=Fraction(alpha))
    assert first.exact
    assert second.exact
    assert first.upper == second.upper
