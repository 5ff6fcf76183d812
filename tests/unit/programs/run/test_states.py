"""Forwards, backwards, reduced or not, prepared or run one by one: one chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb

import pytest

from deltachain.model import Chain
from deltachain.model.words import words
from deltachain.programs import Program, ProgramError, program
from deltachain.programs.run import explore as explore_module
from deltachain.programs.run import states as states_module

# (program, secrets): hidden sums, many roots over one hidden part, loops, noise, dead and failing assignments.
PROGRAMS: dict[str, tuple[str, Sequence[Mapping[str, object]]]] = {
    "a sum": (
        """
def f(x):
    n = x
    for _ in range(12):
        n += flip('1/3')
    announce(n)
""",
        [{"x": 0}, {"x": 1}],
    ),
    "many roots": (
        """
def f(x):
    for i in range(3):
        n = uniform(0, 9)
        announce((n, x))
        m = 0
        for _ in range(4):
            m = (m + n + uniform(0, 2)) % 3
        announce(m)
""",
        [{"x": 0}, {"x": 1}],
    ),
    "a hidden walk": (
        """
def f(x):
    while 0 < x < 6:
        x = x + 1 if flip('1/3') else x - uniform(0, 2)
        if x == 5 and flip('1/7'):
            announce(x)
    announce(x > 0)
""",
        [{"x": 2}, {"x": 4}],
    ),
    "parity": (
        """
def f(x):
    for _ in range(40):
        x = x ^ flip('2/5')
    announce(x)
    while x:
        x = flip('1/2')
""",
        [{"x": False}, {"x": True}],
    ),
    "noise": (
        """
def f(x):
    bar = geometric('2/3', -6, 6)
    for q in (x, 1 - x, x):
        if q + geometric('2/3', -6, 6) >= bar:
            announce('above')
            return
        announce('below')
""",
        [{"x": 0}, {"x": 1}],
    ),
    "what depends on an outcome": (
        """
def f(x):
    z = uniform(0, 11)
    t = (z, x)
    w = z
    w = 3
    k = 0
    for i in range(z % 4):
        k += i + w
    if z > 5 and k or x:
        y = t[0] % 3 == 1
    else:
        y = 7
    announce((y, k if y else w))
    announce(helper(z % 2))
""",
        [{"x": 0}, {"x": 1}],
    ),
    "draws upon draws": (
        """
def f(x):
    z = uniform(0, 9)
    y = uniform(0, z)
    w = choose({z: '1/2', y: '1/2'}) if z != y else x
    announce(w)
""",
        [{"x": 0}, {"x": 1}],
    ),
    "for ever": (
        """
def f(x):
    z = uniform(0, 9)
    while z < 3:
        z = (z + 1) % 3
    announce(z + x)
""",
        [{"x": 0}, {"x": 1}],
    ),
}
HELPER = "@program\ndef helper(v):\n    if v:\n        u = v + uniform(0, 8)\n        return u % 3\n    return 'no'\n"


def compiled(text: str) -> Program:
    return program(f"{HELPER}{text}\n")


@pytest.fixture(params=PROGRAMS, ids=PROGRAMS.keys())
def usual(request: pytest.FixtureRequest) -> tuple[Program, Sequence[Mapping[str, object]], Chain]:
    text, secrets = PROGRAMS[request.param]
    return compiled(text), secrets, compiled(text).chain(secrets)


Usual = tuple[Program, Sequence[Mapping[str, object]], Chain]


def test_without_backwards(usual: Usual, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states_module.Folding, "_fold_backwards", lambda self, roots: None)  # noqa: ARG005
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


def test_backwards_whatever_it_costs(usual: Usual, monkeypatch: pytest.MonkeyPatch) -> None:
    real = states_module.Folding._from_successors
    monkeypatch.setattr(states_module.Folding, "_from_successors", lambda self, c, _: real(self, c, 10**9))
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


def test_reduced_at_each_step(usual: Usual, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states_module, "FIRST_REDUCTION", 1)
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


@pytest.mark.sample(12)
@pytest.mark.parametrize("many", [1, 3, 10**9])
def test_outcomes_prepared_or_one_by_one(usual: Usual, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "MANY_OUTCOMES", many)
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


@pytest.mark.parametrize("turns", [0, 3])
def test_loops_are_asked_earlier_whether_they_repeat(usual: Usual, turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "UNCHECKED_TURNS", turns)
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


def test_laws_are_dropped_when_there_are_too_many(usual: Usual, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "MAX_LAWS", 5)
    written, secrets, chain = usual
    assert written.chain(secrets) == chain


def test_rows_sum_to_one(usual: Usual) -> None:
    assert all(sum(p for _, p in row) == 1 for rows in usual[2].moves for row in rows)


def test_a_sum_is_binomial() -> None:
    text, secrets = PROGRAMS["a sum"]
    found = dict(words(compiled(text).chain(secrets), 1, 2))
    assert found == {("start", str(1 + k)): Fraction(comb(12, k) * 2 ** (12 - k), 3**12) for k in range(13)}


@pytest.mark.parametrize("many", [1, 10**9])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("z = uniform(0, 9)\n    y = 1 // (z - 4)\n    announce(z)", r"<text>:8:9: division by zero, when .*z=4"),
        ("z = uniform(0, 9)\n    y = 1 // x\n    announce(z)", "<text>:8:9: division by zero"),
        ("z = uniform(0, 9)\n    if z == 4:\n        y = 1 // x\n    announce(z)", "<text>:9:13: division by zero"),
        ("z = uniform(0, 9)\n    if str(z):\n        pass\n    announce(z)", "<text>:8:5: the text '0' is used as"),
        ("z = uniform(0, 9)\n    y = not ('a' if z == 4 else z)\n    announce(y)", "<text>:8:9: the text 'a' is used"),
        ("z = uniform(0, 9)\n    if z > 3:\n        y = 1\n    announce(y)", "<text>:10:14: 'y' has no value here"),
        ("z = uniform(0, 9)\n    for i in z:\n        pass\n    announce(z)", "<text>:8:14: `for` runs over"),
    ],
)
def test_what_goes_wrong_for_one_outcome_still_does(
    body: str, message: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore_module, "MANY_OUTCOMES", many)
    with pytest.raises(ProgramError, match=message):
        program(f"\n\n\n\n\ndef f(x):\n    {body}\n").chain([{"x": 0}])


def test_an_arm_that_no_outcome_reaches_cannot_go_wrong() -> None:
    text = "def f(x):\n    z = uniform(0, 9)\n    if z > 20:\n        y = 1 // x\n    announce(z)\n"
    assert len(program(text).chain([{"x": 0}])) == 12
