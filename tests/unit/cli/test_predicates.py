"""Predicates over valuations: what is chosen, and every refusal with its place."""

from __future__ import annotations

import pytest

from deltachain.cli.predicates import MAX_DEPTH, parse_predicate, states_where
from deltachain.errors import FormatError, InputError
from deltachain.model import Chain

VALUES: list[dict[str, object]] = [
    {"x": 0, "done": False, "who": "alice"},
    {"x": 1, "done": False, "who": "bob"},
    {"x": -2, "done": True, "who": "alice"},
    {"x": 1, "done": True, "who": "carol"},
    {},
    {"x": 7},
]
CHAIN = Chain.from_dicts(
    {str(i): {str(i): 1} for i in range(len(VALUES))},
    {str(i): "a" for i in range(len(VALUES))},
    valuations={str(i): values for i, values in enumerate(VALUES)},
)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("x=0", (0,)),
        ("x == 1", (1, 3)),
        ("x!=1", (0, 2, 5)),
        ("x<0", (2,)),
        ("x<=0", (0, 2)),
        ("x>0", (1, 3, 5)),
        ("x>=1", (1, 3, 5)),
        ("0 < x", (1, 3, 5)),
        ("x = -2", (2,)),
        ("x = x", (0, 1, 2, 3, 5)),
        ("done", (2, 3)),
        ("!done", (0, 1)),
        ("not not done", (2, 3)),
        ("done = false", (0, 1)),
        ("true", (0, 1, 2, 3, 4, 5)),
        ("false | x=7", (5,)),
        ("done & x=1", (3,)),
        ("done and x=1 or x=0", (0, 3)),
        ("done | x=0 & who='bob'", (2, 3)),  # & binds closer than |
        ("(done | x=0) & who='alice'", (0, 2)),
        ('who = "alice"', (0, 2)),
        ("who != 'alice'", (1, 3)),
        ("not (x=0 or x=1)", (2, 5)),
        ("!x=0", (1, 2, 3, 5)),  # negation is of the comparison
    ],
)
def test_states_are_chosen(text: str, chosen: tuple[int, ...]) -> None:
    assert states_where(CHAIN, text) == chosen


def test_states_without_the_variable_are_not_chosen_by_a_negation() -> None:
    assert states_where(CHAIN, "not who='alice'") == (1, 3)


def test_the_choice_can_be_limited() -> None:
    assert states_where(CHAIN, "x=1", within=[0, 3]) == (3,)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "found the end"),
        ("x=", 3, "found the end"),
        ("x=1 y", 5, "expected the end, 'and' or 'or', found 'y'"),
        ("0<x<3", 4, "found '<'"),
        ("(x=1", 5, "expected ')', found the end"),
        ("x=1)", 4, "found ')'"),
        ("and x", 1, "found 'and'"),
        ("x=not", 3, "found 'not'"),
        ("x=1.5", 4, "'.' is not part of the language"),
        ("x+1=2", 2, "'+' is not part of the language"),
        ("__import__('os')", 11, "found '('"),
        ("x=1;", 4, "';' is not part"),
        ("who='alice", 5, '"\'" is not part'),
        ("=1", 1, "found '='"),
        ("x=" + "9" * 2000, 3, "more than 1000 digits"),
    ],
)
def test_what_is_not_a_predicate_is_refused_with_its_column(text: str, column: int, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_predicate(text, "--from")
    defect = caught.value.defects[0]
    assert defect.where == f"--from {text!r}, column {column}"
    assert problem in defect.what


@pytest.mark.parametrize("opening", ["(", "!"])
def test_nesting_is_limited(opening: str) -> None:
    closing = ")" if opening == "(" else ""
    assert parse_predicate(opening * MAX_DEPTH + "x=1" + closing * MAX_DEPTH).variables == {"x"}
    with pytest.raises(FormatError, match="nested more than"):
        parse_predicate(opening * 5000 + "x=1" + closing * 5000)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x", "0 is not a truth value"),
        ("x & done", "0 is not a truth value"),
        ("x = true", "number 0 is compared with truth value True"),
        ("done = 1", "truth value False is compared with number 1"),
        ("who = 1", "text 'alice' is compared with number 1"),
        ("done < true", "has no order"),
        ("who < 'b'", "has no order"),
        ("done | x", "0 is not a truth value"),
        ("false & x", "0 is not a truth value"),  # an earlier part hides nothing
    ],
)
def test_comparisons_that_make_no_sense_are_refused_with_the_state(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        states_where(CHAIN, text, what="--to")
    assert problem in caught.value.defects[0].what
    assert "in state '0'" in caught.value.defects[0].where


def test_unknown_variables_are_all_named_with_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        states_where(CHAIN, "y=1 & z=2 & x=0")
    assert ["'y'" in d.what or "'z'" in d.what for d in caught.value.defects] == [True, True]
    assert "done, who, x" in caught.value.defects[0].fix


def test_a_chain_without_valuations_says_so() -> None:
    with pytest.raises(InputError, match="no variables: name states"):
        states_where(Chain.from_rows([[1]], ["a"]), "x=1")
