"""One pair for all of its translates: which programs carry a parameter along, and that nothing else is changed."""

from __future__ import annotations

from random import Random

import pytest

import deltachain as dc
from deltachain.loading import load_with_notes
from deltachain.programs.secrets import translates
from deltachain.programs.secrets.translates import is_carried_along
from deltachain.settings import Settings
from tests.words import says

CARRIED = {
    "announced": "announce(c + geometric('1/2', -2, 2))",
    "by way of variables": "x = c - 1\n    y = x + geometric('1/2', -2, 2)\n    announce(y)\n    announce(y + 1)",
    "times a number": "announce(2 * c + geometric('1/2', -2, 2))\n    announce(c * 2)",
    "its opposite": "announce(3 - c)\n    announce(-c)",
    "beside text": "announce('start')\n    announce(c + geometric('1/2', -2, 2))",
    "in a loop": "for i in range(3):\n        announce(c + i + geometric('1/2', -1, 1))",
    "on either way": "x = c\n    if flip('1/3'):\n        x = c + 1\n    announce(x)",
    "not at all": "announce(geometric('1/2', -2, 2))",
}
NOT_CARRIED = {
    "compared": "announce(c + geometric('1/2', -2, 2) >= 2)",
    "branched on": "x = c\n    if x > 2:\n        announce(1)\n    announce(c)",
    "beside a number without it": "announce(c + geometric('1/2', -2, 2))\n    announce(geometric('1/2', -2, 2))",
    "two multiples": "announce(c)\n    announce(2 * c)",
    "on one way alone": "x = 0\n    if flip('1/3'):\n        x = c\n    announce(x)",
    "multiplied by itself": "announce(c * c)",
    "divided": "announce(c // 2)",
    "drawn with": "announce(c + geometric('1/2', -c, c))",
    "looped over": "for i in range(c):\n        announce(c + i)",
    "a text that looks like a number": "announce('7')\n    announce(c)",
    "in a text": "announce((c, 1))",
    "where it may go wrong": "x = 1 // c\n    announce(c)",
    "counted on": "x = 0\n    for i in range(3):\n        x = x + c\n    announce(x)",
    "asked": "x = ask(c, 1)\n    announce(c)",
}


def program_of(body: str) -> dc.Program:
    return dc.program(f"def released(c):\n    {body}\n")


@pytest.mark.parametrize("name", CARRIED)
def test_what_is_carried_along(name: str) -> None:
    assert is_carried_along(program_of(CARRIED[name]).graph, "c")


@pytest.mark.parametrize("name", NOT_CARRIED)
def test_what_is_not(name: str) -> None:
    assert not is_carried_along(program_of(NOT_CARRIED[name]).graph, "c")


def random_body(random: Random) -> str:
    """A few statements, most of which carry c along."""
    lines, known = [], ["c"]
    for n in range(random.randint(1, 4)):
        more = random.choice(["1", "-1", "geometric('1/2', -1, 1)", "geometric('1/3', 0, 2)"])
        value = f"{random.choice(known)} + {more}"
        value = random.choice([value, value, value, f"2 * {random.choice(known)}", f"{random.choice(known)} // 2"])
        match random.choice(["assign", "announce", "announce", "branch", "text"]):
            case "assign":
                lines.append(f"x{n} = {value}")
                known.append(f"x{n}")
            case "announce":
                lines.append(f"announce({value})")
            case "branch":
                test = random.choice(["flip('1/3')", "flip('1/3')", f"{random.choice(known)} > 3"])
                lines.append(f"if {test}:\n        announce({value})")
            case "text":
                lines.append(f"announce('{random.choice(['a', 'b', '4'])}')")
    return "\n    ".join([*lines, f"announce({random.choice(known)})"])


def test_translates_have_the_same_delta() -> None:
    random, carried = Random(7), 0
    for _ in range(150):
        program = program_of(random_body(random))
        if is_carried_along(program.graph, "c"):
            carried += 1
            chain = program.chain([{"c": c} for c in (1, 2, 3, 4, 7, 8)])
            pairs = [("c=1", "c=2"), ("c=2", "c=3"), ("c=3", "c=4"), ("c=7", "c=8")]
            found = dc.delta(chain, pairs=pairs, exp_epsilon="3/2")
            assert len({(result.lower, result.upper) for result in found.results}) == 1, program.source
    assert carried > 30


def test_a_domain_is_answered_by_one_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    program = dc.program("def released(c, u):\n    announce(c + geometric(u, -2, 2))\n")
    asked = {"secrets": dc.domain(c=range(40), u=["1/2", "1/3"]), "neighbours": "linf 1", "exp_epsilon": 2, "delta": 0}
    found = dc.check(program, **asked)
    monkeypatch.setattr("deltachain.programs.protocol.MANY_PAIRS", 10**9)
    alone = dc.check(program, **asked)
    assert (found.verdict, found.lower, found.upper) == (alone.verdict, alone.lower, alone.upper)
    assert {result.upper for result in found.results} == {result.upper for result in alone.results}
    assert len(found.results) + found.inputs.copies == len(alone.results) == found.covered["pairs"]
    assert (found.covered["secrets"], found.covered["copies"]) == (80, found.inputs.copies)
    assert found.covers == alone.covers


def test_certificates_with_and_without_translates_are_verified() -> None:
    program, domain = program_of(CARRIED["announced"]), dc.domain(c=range(30))
    one = dc.check(program, secrets=domain, neighbours="linf 1", exp_epsilon=2, delta=0).certificate
    chain = dc.load(program, secrets=domain, neighbours="linf 1")
    every = dc.check(chain, exp_epsilon=2, delta=0).certificate
    assert len(dc.verify(program, one, secrets=domain, neighbours="linf 1")) == 1
    assert len(dc.verify(program, every, secrets=domain, neighbours="linf 1")) == len(chain.relation) == 29


def test_few_pairs_are_listed_one_by_one() -> None:
    program = program_of(CARRIED["announced"])
    few = Settings(secrets=dc.domain(c=range(translates.MANY_PAIRS + 1)), neighbours="linf 1")
    many = Settings(secrets=dc.domain(c=range(translates.MANY_PAIRS + 2)), neighbours="linf 1")
    assert load_with_notes(program, few).copies == 0
    loaded = load_with_notes(program, many)
    assert (loaded.copies, loaded.secrets, len(loaded.chain.relation)) == (translates.MANY_PAIRS, 22, 1)
    assert says(loaded.notes[-1], "pairs are translates")
