"""Secrets, constants, relations, names, valuations, and budgets."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import load, save
from deltachain.errors import InputError
from deltachain.programs import ProgramError, announce, choose, flip, load_program, program, uniform
from deltachain.programs.language.values import as_value
from deltachain.programs.run import explore as explore_module
from tests.words import refuses, says


@program
def noisy(secret, other=0, p="3/4"):
    announce(secret if flip(p) else other)


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize("p", [0.75, "3/4", "0.75", Fraction(3, 4), Decimal("0.75")])
def test_probabilities_come_in_every_exact_form(p: object) -> None:
    chain = noisy.chain([{"secret": 1}], constants={"p": p})
    assert chain.rows[0] == ((1, Fraction(3, 4)), (2, Fraction(1, 4)))


def test_secrets_name_the_start_states() -> None:
    chain = noisy.chain([{"secret": 1}, {"secret": "a", "other": Fraction(1, 2)}, {"secret": (1, True)}])
    assert chain.states[:3] == ("secret=1", "secret=a, other=1/2", "secret=(1, True)")
    assert chain.labels[:3] == ("start",) * 3
    assert len(chain.pairs) == 3


def test_equal_texts_of_different_secrets_are_told_apart() -> None:
    chain = noisy.chain([{"secret": 1}, {"secret": "1"}, {"secret": True}])
    assert chain.states[:3] == ("secret=1", "secret=1 #2", "secret=True")
    assert len(set(chain.states)) == len(chain.states)


def test_one_secret_gives_no_pairs() -> None:
    assert noisy.chain([{"secret": 1}]).pairs == ()


def test_neighbours_choose_the_pairs_in_either_order() -> None:
    secrets = [{"secret": n} for n in (2, 1, 3)]
    chain = noisy.chain(secrets, neighbours=lambda a, b: b["secret"] - a["secret"] == 1)
    assert set(chain.pairs) == {("secret=2", "secret=1"), ("secret=2", "secret=3")}


def test_values_are_plain() -> None:
    chain = noisy.chain([{"secret": Level.LOW}], constants={"p": 1})
    assert chain.labels[1] == "1"


def test_everything_wrong_with_the_values_at_once() -> None:
    with pytest.raises(ProgramError) as caught:
        noisy.chain([{"secrte": 1}, {"secret": [1]}, {"secret": 1, "p": 1}], constants={"p": 1, "q": float("nan")})
    assert says([str(d) for d in caught.value.defects])


@pytest.mark.parametrize("secrets", [[], {"secret": 1}, "secret", [1]])
def test_secrets_that_are_no_list_of_dicts(secrets: object) -> None:
    with pytest.raises(ProgramError, match=r"^secrets: "):
        noisy.chain(secrets)  # type: ignore[arg-type]


def test_a_secret_given_twice_is_refused() -> None:
    with refuses(ProgramError, "same as secret"):
        noisy.chain([{"secret": 1}, {"secret": Fraction(1)}])


def test_constants_must_be_a_mapping() -> None:
    with refuses(ProgramError, "constants: list is"):
        noisy.chain([{"secret": 1}], constants=[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0, -1, True, 1.5, "9"])
def test_max_states_must_be_a_positive_int(bad: object) -> None:
    with pytest.raises(InputError, match="max_states"):
        noisy.chain([{"secret": 1}], max_states=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("thing", [float("inf"), float("nan"), None, object(), b"x", {1}, 10**2000, "a" * 2000])
def test_objects_that_are_no_values(thing: object) -> None:
    with pytest.raises(ProgramError, match="secret"):
        noisy.chain([{"secret": thing}])


def test_a_default_that_is_no_value_is_refused() -> None:
    with refuses(ProgramError, "test_protocol"):

        @program
        def bad(x=[]):  # noqa: B006
            announce(x)


# Names and valuations.


def test_names_are_unique_and_not_endless() -> None:
    @program
    def wide(x):
        announce("go")
        many = tuple(range(200))
        which = uniform(0, 3)
        announce("then")
        announce((x, which, len(many)))

    chain = wide.chain([{"x": n} for n in range(3)])
    assert len(set(chain.states)) == len(chain.states)
    assert max(map(len, chain.states)) < 20


def test_valuations_keep_the_variables_of_each_state() -> None:
    @program
    def two(x):
        y = uniform(0, 1)
        announce("first")
        announce(x + y)

    chain = two.chain([{"x": 5}])
    assert chain.valuations == ({"x": 5}, {"x": 5, "y": 0}, {"x": 5, "y": 1}, {}, {}, {})
    line = two.line + 3
    assert chain.states[1:] == (f"first@{line}#1", f"first@{line}#2", "5", "6", "end")


def test_a_program_chain_survives_its_file(tmp_path: Path) -> None:
    @program
    def rich(x):
        share = uniform(1, 2) / 3
        pair = (share, {"k": x})
        announce("go")
        for part in (pair, pair):
            announce(part[0])
            announce(part[1]["k"])

    chain = rich.chain([{"x": 0}, {"x": True}])
    save(chain, tmp_path / "rich.json")
    again = load(tmp_path / "rich.json")
    assert again == chain
    assert again.pairs == chain.pairs
    assert again.valuations == chain.valuations


def test_dead_variables_do_not_split_states() -> None:
    @program
    def forgetful(x):
        coin = uniform(0, 99)
        announce(coin % 2)
        announce(x)

    # 100 values of the coin, but after the first letter only x is live.
    assert len(forgetful.chain([{"x": 0}, {"x": 1}])) == 2 + 2 * 2 + 2 + 1


def test_what_a_loop_has_done_does_not_split_states() -> None:
    @program
    def turns(x):
        for _ in (1, 2) if x else (7, 2):
            announce("turn")

    # After the first turn both secrets have the same turn ahead.
    assert len(turns.chain([{"x": False}, {"x": True}])) == 2 + 2 + 1


# Budgets.


def test_the_state_budget_names_the_line_and_the_variable() -> None:
    @program
    def counter(x):
        count = 0
        while True:
            count += 1
            announce(x if count else -1)

    with pytest.raises(ProgramError) as caught:
        counter.chain([{"x": 0}], max_states=50)
    (defect,) = caught.value.defects
    assert says(defect.what, "stand here, where")
    assert says(defect.fix, "raise `max_states` to")
    assert __file__ in defect.where


def test_the_step_budget_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "FREE_STEPS", 1000)

    @program
    def endless(x):
        while x >= 0:
            x += 1

    with refuses(ProgramError, "test_protocol"):
        endless.chain([{"x": 0}], max_states=1)


def test_what_is_hidden_is_counted_apart_and_the_message_says_what_it_would_cost() -> None:
    @program
    def hidden(x):
        total = 0
        for _ in range(50):
            total += uniform(0, 1)
        announce(total > x)

    assert len(hidden.chain([{"x": 0}], max_states=150)) == 4
    with pytest.raises(ProgramError) as caught:
        hidden.chain([{"x": 0}], max_states=20)
    (defect,) = caught.value.defects
    assert re.search(r"more than 200 configurations between announcements; \d+ of them stand here", defect.what)
    assert says(defect.what, "where '_ in")
    assert says(defect.fix, "raise `max_states` to")


def test_operations_on_long_values_cost_more_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "FREE_STEPS", 5000)

    @program
    def short(x):
        for i in range(100):
            x = i
        announce(x)

    @program
    def long(x):
        for i in range(100):
            x = i + sum(range(1000 + i - i))
        announce(x)

    assert short.chain([{"x": 0}], max_states=9).labels[1] == "99"
    with refuses(ProgramError, "more than"):
        long.chain([{"x": 0}], max_states=9)


def test_the_transition_budget_names_the_line() -> None:
    @program
    def broad(x):
        while True:
            x = uniform(0, 39)
            announce(x)

    with refuses(ProgramError, "test_protocol"):
        broad.chain([{"x": 0}], max_states=50)


@pytest.mark.parametrize(
    "body",
    ["x = x * x + 2", "x = 3 ** x", "x = (x, x)", "x = (1, 2) * 10 ** 9", "x = range(10 ** 9)",
     "x = x * 10 ** 1300", "x = x + (1,) * 600 if x else (1,)", "x = (x,)", "x = {1: x}",
     "x = str(x) + str(x)", "x = x / 3 ** 99", "x = uniform(0, 9 ** 9)", "x = sum(range(99999))",
     "x = tuple(range(99999))", "x = 2 ** -(10 ** 9)"],
)  # fmt: skip
def test_no_value_grows_without_end(tmp_path_factory: pytest.TempPathFactory, body: str) -> None:
    file = tmp_path_factory.mktemp("grow") / "grow.py"
    file.write_text(f"@program\ndef main(x):\n    while x != 1/2:\n        {body}\n")
    with pytest.raises(ProgramError, match=r"grow\.py:4:"):
        load_program(file, "main").chain([{"x": 3}])


def test_small_powers_of_units_are_free() -> None:
    @program
    def units(x):
        announce((1**10**100, (-1) ** (10**100 + x), 0**10**100))

    assert units.chain([{"x": 1}]).labels[1] == "(1, -1, 0)"


def test_choosing_among_values_that_are_equal_but_not_the_same() -> None:
    @program
    def kinds(x):
        announce(choose({(True,): 1 / 2, (0,): 1 / 2}))
        announce(x)

    assert set(kinds.chain([{"x": 1}]).labels) == {"start", "(True,)", "(0,)", "1", "end"}


def test_as_value_is_exact() -> None:
    assert as_value(0.1) == Fraction(1, 10)
    assert as_value(Decimal("1e-30")) == Fraction(1, 10**30)
    assert type(as_value(Fraction(4, 2))) is int
    assert as_value({"k": (1.5,)}) == {"k": (Fraction(3, 2),)}
