"""Names of states: the letter, then where the program goes on, then a number, each only where it is needed."""

from __future__ import annotations

from deltachain.programs import announce, flip, program
from deltachain.programs.run.states import NAME_LENGTH, NamedMoment, state_names


def test_a_letter_alone_where_it_is_enough() -> None:
    assert state_names([NamedMoment("a", "3"), NamedMoment("b", "3"), NamedMoment("end", "")], ()) == ["a", "b", "end"]


def test_the_line_where_letters_are_the_same() -> None:
    assert state_names([NamedMoment("a", "3"), NamedMoment("a", "4"), NamedMoment("a", "end")], ()) == [
        "a@3",
        "a@4",
        "a@end",
    ]


def test_a_number_where_lines_are_the_same_too() -> None:
    found = state_names([NamedMoment("a", "3"), NamedMoment("a", "4"), NamedMoment("a", "3")], ())
    assert found == ["a@3#1", "a@4", "a@3#2"]
    assert state_names([NamedMoment("a", "3"), NamedMoment("a", "3")], ["a@3#1"]) == ["a@3#2", "a@3#3"]


def test_names_differ_from_those_that_are_taken() -> None:
    assert state_names([NamedMoment("start", "")], ["start"]) == ["start#1"]
    # A letter may look like the name of another state.
    found = state_names([NamedMoment("a", "3"), NamedMoment("a", "4"), NamedMoment("a@3", "5")], ())
    assert len(set(found)) == 3


def test_long_letters_are_cut() -> None:
    found = state_names([NamedMoment("x" * 100 + str(n), "3") for n in range(3)], ())
    assert len(set(found)) == 3
    assert max(map(len, found)) <= NAME_LENGTH + 5


@program
def loops(x, n=3):
    for i in range(n):
        kept = flip("1/2")
        for _ in range(2):
            announce("tick")
        announce((i, kept == x))


def test_names_of_a_program_can_be_typed() -> None:
    chain = loops.chain([{"x": True}, {"x": False}])
    assert max(map(len, chain.states)) <= 15
    assert len(set(chain.states)) == len(chain)
    assert "tick@" in chain.states[2]
