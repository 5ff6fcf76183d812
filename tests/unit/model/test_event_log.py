"""Event logs as counts: compared with a slow count by hand, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from deltachain.errors import FormatError, InputError
from deltachain.formats.native import chain_from_json
from deltachain.model.event_log import OTHER, CountedLog, LogDeclaration, count_log
from tests.words import refuses, says

COIN = LogDeclaration(("a", "b"), ("heads", "tails"))


def records(*lines: str) -> Iterator[tuple[int, list[str]]]:
    return ((number, line.split(",")) for number, line in enumerate(lines, 1))


def counted(declared: LogDeclaration, *lines: str, **columns: str) -> CountedLog:
    return count_log(records(*lines), declared, source="log.csv", **columns)  # type: ignore[arg-type]


def test_rows_are_counted_by_secret_and_what_is_not_declared_is_rest() -> None:
    log = counted(COIN, "output,secret", "heads,a", " tails , a", "", "heads,b", "edge,a", "heads,c")
    assert log.counts == {("a", ()): {"heads": 1, "tails": 1, OTHER: 1}, ("b", ()): {"heads": 1}}
    assert (log.runs, log.counted, log.other_secrets, log.other_outputs) == (5, 4, 1, 1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("end", [None, "stop"])
def test_traces_become_a_tree_of_prefixes(seed: int, end: str | None) -> None:
    draw = random.Random(seed)
    depth = draw.randint(1, 3)
    traces = [
        (draw.choice("abc"), [draw.choice("xyz") for _ in range(draw.randint(0, 4))])
        for _ in range(draw.randint(1, 40))
    ]
    declared = LogDeclaration(("a", "b"), ("x", "y"), depth, end)
    log = counted(declared, "secret,trace", *(f"{secret},{' '.join(word)}" for secret, word in traces), output="trace")
    # The obvious way: for each prefix, look at every trace that goes through it.
    for secret, length in product("ab", range(depth)):
        for prefix in product("xy", repeat=length):
            mine = [word for given, word in traces if given == secret and tuple(word[:length]) == prefix]
            after = [word[length] for word in mine if len(word) > length]
            found = log.counts.get((secret, prefix), {})
            for letter in "xy":
                assert found.get(letter, 0) == after.count(letter)
            assert found.get(OTHER, 0) == after.count("z")
            assert found.get("stop", 0) == (len(mine) - len(after) if end else 0)
    short = [w for s, w in traces if s != "c" and len(w) < depth and "z" not in w]
    assert log.cut_off == (0 if end else len(short))
    chain = chain_from_json(json.dumps(log.document("0.9", ("secret", "trace"))), "tree.json")
    assert len(chain) == 2 * (2**depth - 1) + 2 + (end is not None)
    assert chain.pairs == (("secret=a", "secret=b"),)


def test_every_declared_row_shares_the_error_seen_or_not() -> None:
    """Of 14 rows with 2 targets each, 12 were never seen: they are in the model all the same."""
    declared = LogDeclaration(("a", "b"), ("x", "y"), 3)
    log = counted(declared, "secret,trace", *["a,x"] * 30, *["b,y"] * 30, output="trace")
    states = log.document("0.9", ("secret", "trace"))["states"]
    rows = [state for state in states.values() if "counts" in state]
    assert len(rows) == declared.rows == 14
    assert all(len(row["targets"]) == 2 and set(row["targets"]) == set(row["counts"]) for row in rows)
    assert sum(sum(row["counts"].values()) == 0 for row in rows) == 12


def test_users_who_occur_twice_are_refused_or_count_once() -> None:
    lines = ("who,secret,output", "ann,a,heads", "bob,b,heads", "ann,b,tails", "ann,a,tails")
    with pytest.raises(FormatError) as refused:
        counted(COIN, *lines, user="who")
    assert [defect.where for defect in refused.value.defects] == ["log.csv:4", "log.csv:5"]
    assert "--first-run" in str(refused.value)
    once = counted(LogDeclaration(("a", "b"), ("heads", "tails"), first_run=True), *lines, user="who")
    assert once.counts == {("a", ()): {"heads": 1}, ("b", ()): {"heads": 1}}
    assert once.later_runs == 2
    assert once.assumptions()[0].startswith("users are independent")
    assert says(counted(COIN, *lines).assumptions()[0], "log are independent")


def test_the_first_run_of_a_user_counts_whatever_its_secret_is() -> None:
    """Choosing among a user's runs by what they show would be a choice after the fact."""
    lines = ("who,secret,output", "ann,c,heads", "ann,a,heads")
    found = counted(LogDeclaration(("a", "b"), ("heads", "tails"), first_run=True), *lines, user="who")
    assert (found.counted, found.other_secrets, found.later_runs) == (0, 1, 1)


@pytest.mark.parametrize(
    ("declared", "places"),
    [
        (LogDeclaration(("a",), ()), ["--secrets", "--outputs"]),
        (LogDeclaration(("a", "a"), ("x", "")), ["--secrets", "--outputs"]),
        (LogDeclaration(("a", "b"), ("x", "y"), 20), ["--depth"]),
        (LogDeclaration(("a", "b"), ("x y",), 2, "x y"), ["--end", "--outputs", "--outputs"]),
        (LogDeclaration(("a", "b"), ("x",), None, "stop"), ["--end"]),
        (LogDeclaration(("a", "b"), ("x",), 2, " "), ["--end"]),
    ],
)
def test_declarations_that_cannot_be(declared: LogDeclaration, places: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        counted(declared, "secret,output", "a,x")
    assert [defect.where for defect in refused.value.defects] == places


@pytest.mark.parametrize(
    ("lines", "where", "what"),
    [
        ((), "log.csv", "it is empty"),
        (("secret,output",), "log.csv", "it has no rows"),
        (("a,heads", "b,tails"), "log.csv:1", "there is no column 'secret'"),
        (("secret,secret,output", "a,a,heads"), "log.csv:1", "there are several columns 'secret'"),
        (("secret,output", "a,heads,1"), "log.csv:2", "expected 2 cells, found 3"),
        (("secret,output", "a,"), "log.csv:2", "it has no output"),
        (("secret,output", "a,heads", "a,edge"), "log.csv", "1 output was not declared, the first in line 3"),
        (("secret,output", "a,edge", "a,edge"), "log.csv", "2 outputs were not declared, the first in line 2"),
    ],
)
def test_logs_that_cannot_be_counted(lines: tuple[str, ...], where: str, what: str) -> None:
    with pytest.raises(FormatError) as refused:
        counted(replace(COIN, complete=True), *lines)
    assert (refused.value.defects[0].where, refused.value.defects[0].what) == (where, what)


def test_what_is_said_to_be_complete_must_be() -> None:
    complete = LogDeclaration(("a", "b"), ("heads", "tails"), complete=True)
    made = counted(complete, "secret,output", "a,heads", "b,tails").document("0.9", ("secret", "output"))
    assert made["states"]["secret=a"]["rest"] == 0


def test_an_end_that_occurs_in_a_trace_and_names_that_collide_are_refused() -> None:
    with refuses(FormatError, "stands for its"):
        counted(LogDeclaration(("a", "b"), ("x",), 3, "stop"), "secret,trace", "a,x stop x", output="trace")
    odd = LogDeclaration(("s", "s2 after secret=s"), ("secret=s2", "y"), 2)
    log = counted(odd, "secret,trace", "s,y", output="trace")
    with refuses(InputError, "two states would"):
        log.document("0.9", ("secret", "trace"))


def test_a_row_without_a_user_is_refused() -> None:
    """Rows that name nobody may be of one person, or of many."""
    with pytest.raises(FormatError) as refused:
        counted(replace(COIN, first_run=True), "who,secret,output", ",a,heads", "ann,b,heads", " ,a,tails", user="who")
    assert [(defect.where, defect.what) for defect in refused.value.defects] == [
        ("log.csv:2", "it names no user"),
        ("log.csv:4", "it names no user"),
    ]


def test_a_column_has_one_use() -> None:
    with refuses(FormatError, "column 'secret' is"):
        counted(COIN, "secret,output", "a,heads", output="secret")


def test_states_of_one_name_are_refused() -> None:
    """A row would be lost: the secret b=c of column a, and the output c of column a=b."""
    columns = {"secret": "a", "output": "a=b"}
    log = counted(LogDeclaration(("b=c", "d"), ("c",)), "a,a=b", "b=c,c", **columns)
    with refuses(InputError, "two states would"):
        log.document("0.9", ("a", "a=b"))


def test_what_is_rested_on_and_what_is_missing_is_said() -> None:
    fixed = counted(replace(COIN, totals="fixed"), "secret,output", "a,heads")
    assert says(fixed.assumptions()[-1])
    assert fixed.document("0.9", ("secret", "output"))["totals"] == "fixed"
    assert not any("in advance" in line for line in counted(COIN, "secret,output", "a,heads").assumptions())
    assert fixed.list_missing() == ["b"]
