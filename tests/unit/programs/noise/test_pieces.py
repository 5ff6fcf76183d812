"""Expressions piece by piece, against evaluating them at every integer of a window."""

from __future__ import annotations

import ast
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deltachain.programs.language.graph import SPENT, Variable, evaluation
from deltachain.programs.language.lower import lower_function
from deltachain.programs.language.names import unbound
from deltachain.programs.language.source import Problem, parse
from deltachain.programs.language.values import identity, truth
from deltachain.programs.noise.pieces import OPAQUE, FormPiece, Line, Periodic, Same, Stairs, pieces_of, truths
from tests.amounts import part_of

WINDOW = range(-40, 41)


def lowered(text: str) -> object:
    """The expression of ``announce(text)`` in a program with the parameter z."""
    source = parse(f"def f(z):\n    announce({text})\n", "<test>")
    (node,) = source.module.body
    assert isinstance(node, ast.FunctionDef)
    graph = lower_function(node, source, unbound)
    return graph.instructions[graph.entry].reads[0]


def value_at(expression: object, z: int) -> object:
    """The value, or Problem where it has none."""
    try:
        return identity(evaluation(expression, {"z": SPENT + 1})([0, z]))  # type: ignore[arg-type]
    except Problem:
        return Problem


def said(piece: FormPiece, z: int) -> object:
    """What a piece says of z."""
    form = piece.form
    if isinstance(form, Line):
        value = form.slope * z + form.shift
        return identity(int(value) if value.denominator == 1 else value)
    if isinstance(form, Stairs):
        assert form.sign in (1, -1)
        assert 0 <= form.base < form.rise
        return identity(form.value(form.step(z)))
    if isinstance(form, Periodic):
        return identity(form.values[z % len(form.values)])
    assert isinstance(form, Same)
    return identity(form.value)


def check(text: str) -> list[FormPiece]:
    expression = lowered(text)
    pieces = pieces_of(expression, {"z": [FormPiece(None, None, Line(1, 0))]})  # type: ignore[arg-type]
    assert pieces[0].low is None
    assert pieces[-1].high is None
    for before, after in pairwise(pieces):
        assert before.high is not None
        assert before.high + 1 == after.low
    for z in WINDOW:
        (piece,) = [p for p in pieces if (p.low is None or p.low <= z) and (p.high is None or z <= p.high)]
        if piece.form is not OPAQUE:
            assert said(piece, z) == value_at(expression, z), (text, z)
        (told,) = [p for p in truths(pieces) if (p.low is None or p.low <= z) and (p.high is None or z <= p.high)]
        if told.form is not OPAQUE:
            value = evaluation(expression, {"z": SPENT + 1})([0, z])  # type: ignore[arg-type]
            assert said(told, z) == identity(truth(value))
    return pieces


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("3 + z >= 7", 2),
        ("z == 5", 3),
        ("2 * z == 5", 1),
        ("-z / 3 < 1", 2),
        ("max(0, min(10, z - 2))", 3),
        ("abs(z - 3)", 2),
        ("0 < z <= 4", 3),
        ("'a' if z > 3 else 'b' if z > 1 else z", 3),
        ("(z + 4) % 11", 1),
        ("not z", 3),
        ("z and 7", 3),
        ("z > 1 or z < -1", 3),
        ("(z % 3) + 1", 1),
        ("(2 * z + 1) % -5", 1),
        ("int(z) + True", 1),
        ("min(z, 3, -z)", 2),
        ("(3 - z) // 4", 1),
        ("(z + 3) // -4", 1),
        ("(2 * z + 1) // 6", 1),
        ("(6 * z + 5) // 3", 1),
        ("(z / 2) // 3 + 1", 1),
        ("5 - 8 * ((z + 3) // 8)", 1),
        ("-((z - 1) // 3 * -2)", 1),
        ("(6 * (z // 2) + 4) // 3", 1),
        ("(3 * (z // 2) + 4) // 12", 1),
        ("(3 * (z // 2) + 4) // -12", 1),
        ("0 * (z // 3)", 1),
        ("(z + 2) - (z + 2) % 5", 1),
        ("(2 - z) - (2 - z) % 5", 1),
        ("z // 2 if z > 0 else 'small'", 2),
        ("(z + 1) // 3 >= 2", 2),
        ("2 < 5 - (z + 1) // 3", 2),
        ("4 * (z // 4) <= 7.5", 2),
        ("4 * (z // 4) < 8", 2),
        ("max(0, min(3, (z - 2) // 4))", 3),
        ("min(7, 1 - (z // -2) * 3)", 2),
    ],
)
def test_what_is_seen_through(text: str, size: int) -> None:
    pieces = check(text)
    assert all(piece.form is not OPAQUE for piece in pieces)
    assert len(pieces) == size


@pytest.mark.parametrize(
    "text",
    [
        "2 * z // 3",
        "3 // z",
        "(z // 2) // 1.5",
        "(3 * (z // 2)) // 2",
        "z - (z + 1) % 5",
        "z + z // 2",
        "1 / z",
        "(z, 1)",
        "f'{z}'",
        "z * z",
        "z ** 2",
        "(1, 2)[z]",
        "str(z)",
    ],
)
def test_what_is_not(text: str) -> None:
    assert any(piece.form is OPAQUE for piece in check(text))


NUMBERS = st.one_of(st.integers(-6, 6).map(str), st.just("z"), st.just("z"), st.just("1/2"))
OPERATORS = st.sampled_from(["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or"])
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, OPERATORS, inner).map(" ".join).map("({})".format),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
        st.tuples(st.sampled_from(["abs", "not ", "-", "int", "bool"]), inner).map(lambda p: f"({p[0]}({p[1]}))"),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=part_of(300))
@example("((z - 3) % 5 if z > 0 else (1 / 2))")
@given(EXPRESSIONS)
def test_random_expressions(text: str) -> None:
    check(text)


def test_variables_that_are_known_piece_by_piece() -> None:
    known = {"x": [FormPiece(None, 3, Same(1)), FormPiece(4, None, Line(1, 0))]}
    place = None
    (low, high) = pieces_of(Variable("x", place), known)  # type: ignore[arg-type]
    assert (low.form, high.form) == (Same(1), Line(1, 0))
    (unknown,) = pieces_of(Variable("y", place), known)  # type: ignore[arg-type]
    assert unknown.form is OPAQUE
