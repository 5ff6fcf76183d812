"""Names of states show what differs between states of one letter and line, and no more."""

from __future__ import annotations

from deltachain.programs import announce, flip, program
from deltachain.programs.state_names import NAME_LENGTH, Moment, describe, state_names


def names(*values: dict[str, object], where: str = "line 3") -> list[str]:
    return [name.partition(": ")[2] for name in state_names([Moment("a", where, v) for v in values], ())]  # type: ignore[arg-type]


def test_variables_that_agree_everywhere_are_left_out() -> None:
    assert names({"x": 1, "y": 2}, {"x": 1, "y": 3}) == ["y=2", "y=3"]
    assert names({"x": 1, "y": 2}) == [""]


def test_variables_that_follow_from_others_are_left_out() -> None:
    # What a loop has still to do follows from its variable, and is the harder to read.
    assert names({"i": 0, "i in": range(1, 3)}, {"i": 1, "i in": range(2, 3)}) == ["i=0", "i=1"]
    assert names({"i in": range(1, 3)}, {"i in": ()}) == ["i in range(1, 3)", "i in ()"]
    assert names({"v": 1, "help@3:4.v": 1}, {"v": 2, "help@3:4.v": 2}) == ["v=1", "v=2"]


def test_all_variables_that_are_needed_are_there() -> None:
    four = [{"x": x, "y": y, "z": x} for x in (0, 1) for y in (True, 1)]
    assert names(*four) == ["x=0, y=True", "x=0, y=1", "x=1, y=True", "x=1, y=1"]
    assert names({"x": 1}, {}) == ["x=1", ""]


def test_names_are_short_and_different() -> None:
    long = [{"t": (0,) * 100 + (n,)} for n in range(3)]
    found = state_names([Moment("a", "line 3", v) for v in long], ["start"])
    assert len(set(found)) == 3
    assert [len(name) for name in found] == [NAME_LENGTH, NAME_LENGTH + 3, NAME_LENGTH + 3]
    assert state_names([Moment("start", "", {})], ["start"]) == ["start #2"]


def test_a_variable_is_named_as_its_author_would() -> None:
    assert describe("i", 3) == "i=3"
    assert describe("i in#2", range(2)) == "i in range(0, 2)"
    assert describe("helper@18:13.v", "a") == "helper@18.v='a'"
    assert describe("outer@3:4.helper@18:13#2.k in", ()) == "outer@3.k in ()"


@program
def loops(x, n=3):
    for i in range(n):
        kept = flip("1/2")
        for _ in range(2):
            announce("tick")
        announce((i, kept == x))


def test_loops_that_are_over_do_not_fill_the_names() -> None:
    chain = loops.chain([{"x": True}, {"x": False}])
    assert max(map(len, chain.states)) <= 45
    assert len(set(chain.states)) == len(chain)
