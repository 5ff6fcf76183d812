"""Values are one exactly when no operation of the language tells them apart; every operation is tried on every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from deltachain import delta
from deltachain.programs import ProgramError, load_program
from deltachain.programs.language import values
from deltachain.programs.language.primitives import DRAWS
from deltachain.programs.language.source import Problem
from deltachain.programs.language.values import FrozenTable, Value, as_value, identity
from deltachain.programs.run.explore import letter_of
from tests.words import refuses

FLAT: list[Value] = [
    *(0, 1, 2, -1, True, False, Fraction(1, 2), Fraction(-1, 2), "", "1", "True", "a", "1/2"),
    *((), (1,), (True,), (1, 2), (2, 1), (Fraction(1, 2),), ("1",), ("a",)),
    *(
        FrozenTable([]),
        FrozenTable([(1, 2)]),
        FrozenTable([(True, 2)]),
        FrozenTable([(1, True)]),
        FrozenTable([("1", 2)]),
    ),
    *(FrozenTable([(1, 2), (3, 4)]), FrozenTable([(3, 4), (1, 2)]), FrozenTable([(0, "1/2"), (1, "1/2")])),
    *(range(0), range(1, 1), range(0, 0, 2), range(2), range(0, 2, 1), range(0, 3, 2), range(0, 4, 2), range(2, 3)),
    *(range(2, 4, 5), range(1, -1, -1)),
]
NESTED: list[Value] = [
    *((value,) for value in FLAT),
    *(FrozenTable([(0, value)]) for value in FLAT),
    *(FrozenTable([(value, 0)]) for value in FLAT if not isinstance(value, FrozenTable)),
]
# The same values by other ways: here `identity` must merge.
ALSO: list[Value] = [
    as_value(2.0),
    as_value(-0.0),
    as_value(Fraction(4, 2)),
    as_value(0.5),
    values.BINARY["Div"](6, 3),
    values.BINARY["Div"](1, 2),
    values.COMPARE["Eq"](1, True),
    values.BUILTINS["int"][0](True),
    values.BUILTINS["abs"][0](True),
    values.BUILTINS["range"][0](0, 2),
    values.BINARY["BitOr"](FrozenTable([(1, 2)]), FrozenTable([(3, 4)])),
    values.BINARY["BitOr"](FrozenTable([(1, 0), (3, 4)]), FrozenTable([(True, 2)])),
    values.build_text(1),
    values.slice_of(range(0, 3, 2), None, None, None),
    values.slice_of((1, 2, 3), 0, 2),
]
VALUES = FLAT + NESTED + ALSO
OPERANDS: list[Value] = [0, 1, True, Fraction(1, 2), "1", (1,), FrozenTable([(3, 4), (1, 2)]), range(0, 4, 2)]


def observations() -> Iterator[tuple[str, Callable[[Value], object]]]:
    """Everything that a program can do with one value, all other operands being fixed."""
    for name, function in {**values.BINARY, **values.COMPARE, "subscript": values.subscript}.items():
        for other in OPERANDS:
            yield f"x {name} {other!r}", lambda value, f=function, o=other: f(value, o)
            yield f"{other!r} {name} x", lambda value, f=function, o=other: f(o, value)
    for name, function in values.UNARY.items():
        yield name, function
    for name, (function, least, most) in values.BUILTINS.items():
        if least == 1:
            yield f"{name}(x)", function
        if most > 1:
            yield f"{name}(x, 1)", lambda value, f=function: f(value, 1)
            yield f"{name}(1, x)", lambda value, f=function: f(1, value)
        if name == "range":
            yield "range(0, 9, x)", lambda value, f=function: f(0, 9, value)
    yield from (
        ("if x", values.truth),
        ("announce(x)", letter_of),
        ("(x, 1)", lambda value: values.build_tuple(value, 1)),
        ("str((x,))", lambda value: values.BUILTINS["str"][0]((value,))),
        ("{x: 1}", lambda value: values.build_table(value, 1)),
        ("{1: x}", lambda value: values.build_table(1, value)),
        ("{1: 2, x: 3}", lambda value: values.build_table(1, 2, value, 3)),
        ("f'{x}'", values.build_text),
        ("x[0:1]", lambda value: values.slice_of(value, 0, 1, None)),
        ("x[::-1]", lambda value: values.slice_of(value, None, None, -1)),
        ("t[x:]", lambda value: values.slice_of((7, 8, 9), value, None, None)),
        ("for y in x", turns),
        ("a, = x", lambda value: values.subscript(values.unpack(value, 1), 0)),
    )
    plain: dict[str, list[Value]] = {
        "flip": [0],
        "uniform": [0, 3],
        "choose": [(1, 2), (3, 4)],
        "randomised_response": [1, (0, 1), 1],
        "geometric": [Fraction(1, 2), 0, 3, "1e-3"],
        "discrete_laplace": [1, "1e-3"],
        "discrete_gaussian": [1, "1e-3"],
    }
    for name, (distribution, parameters, _) in DRAWS.items():
        for at in range(len(parameters)):
            fixed = plain[name]
            yield (
                f"{name}, argument {at}",
                lambda value, d=distribution, n=at, f=fixed, p=parameters: d(
                    *(value if k == n else f[k] for k in range(len(p)))
                ),
            )


def turns(value: Value) -> object:
    left = values.iterate(value)
    seen: list[Value] = []
    while left:
        assert isinstance(left, tuple | range)
        seen.append(left[0])
        left = values.rest(left)
    return seen


def outcome(observe: Callable[[Value], object], value: Value) -> str:
    # `repr` shows all of a Python object: type, order, ends. An error ends the exploration with a message.
    try:
        return repr(observe(value))
    except Problem:
        return "error"


def test_identity_merges_exactly_what_no_operation_separates() -> None:
    tried = list(observations())
    assert len(tried) >= 350
    seen = [[outcome(observe, value) for _, observe in tried] for value in VALUES]
    merged = 0
    for (left, view), (right, other) in combinations_with_replacement(list(zip(VALUES, seen, strict=True)), 2):
        separated_by = [name for (name, _), a, b in zip(tried, view, other, strict=True) if a != b]
        assert (identity(left) == identity(right)) == (not separated_by), (left, right, separated_by[:3])
        merged += not separated_by and left is not right
    assert merged >= len(ALSO)


@pytest.mark.parametrize("value", [(FrozenTable([]),), FrozenTable([(1, 2)])])
def test_a_dict_is_not_a_key_as_in_python(value: Value) -> None:
    for use in (
        lambda: values.build_table(value, 1),
        lambda: values.COMPARE["In"](value, FrozenTable([(1, 2)])),
        lambda: values.subscript(FrozenTable([(1, 2)]), value),
    ):
        with refuses(Problem, "dict cannot be"):
            use()


SEEN_IN_TEXT = {
    "a queue announces the order of its keys": (
        "order = {0: 1, 1: 1} if x else {1: 1, 0: 1}\nannounce('wait')\nannounce(tuple(order))"
    ),
    "a queue that is filled by insertion": (
        "order = {}\nif x:\n    order = order | {0: 1}\norder = order | {1: 1}\nif not x:\n    order = order | {0: 1}\n"
        "announce('wait')\nannounce(tuple(order))"
    ),
    "the text of a dict": "d = {1: 2, 3: 4} if x else {3: 4, 1: 2}\nannounce('wait')\nannounce(str(d))",
    "an f-string of a dict": "d = {1: 2, 3: 4} if x else {3: 4, 1: 2}\nannounce('wait')\nannounce(f'{d}')",
    "a tuple of dicts": "d = ({1: 2, 3: 4} if x else {3: 4, 1: 2},)\nannounce('wait')\nannounce(d)",
    "the text of a range": "r = range(0, 3, 2) if x else range(0, 4, 2)\nannounce('wait')\nannounce(str(r))",
    "the text of an empty range": "r = range(0, 0) if x else range(1, 1)\nannounce('wait')\nannounce(str(r))",
    "True and 1": "r = True if x else 1\nannounce('wait')\nannounce((r,))",
    "a key that is True or 1": "d = {True: 2} if x else {1: 2}\nannounce('wait')\nannounce(tuple(d))",
}


@pytest.mark.parametrize("body", SEEN_IN_TEXT.values(), ids=SEEN_IN_TEXT.keys())
def test_what_a_text_shows_is_in_the_state(tmp_path: Path, body: str) -> None:
    file = tmp_path / "protocol.py"
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    file.write_text(f"from deltachain import announce, program\n\n@program\ndef main(x):\n{lines}")
    chain = load_program(file, "main").chain([{"x": False}, {"x": True}])
    result = delta(chain, "x=False", "x=True", exp_epsilon=3)
    assert (result.lower, result.upper) == (1, 1)


def test_secrets_that_differ_only_in_text_are_different_secrets(tmp_path: Path) -> None:
    file = tmp_path / "protocol.py"
    file.write_text("from deltachain import announce, program\n\n@program\ndef main(x):\n    announce(str(x))\n")
    program = load_program(file, "main")
    for left, right in (
        ({1: 2, 3: 4}, {3: 4, 1: 2}),
        (range(0, 3, 2), range(0, 4, 2)),
        (1, True),
        (({1: 2, 3: 4},), ({3: 4, 1: 2},)),
    ):
        chain = program.chain([{"x": left}, {"x": right}])
        assert delta(chain, 0, 1, exp_epsilon=3).lower == 1
    for left, right in ((2, 2.0), (0, -0.0), ({1: 2}, {1: 2}), (0.5, Fraction(1, 2))):
        with refuses(ProgramError, "same as secret"):
            program.chain([{"x": left}, {"x": right}])


def test_loops_forget_where_their_ranges_would_have_stopped(tmp_path: Path) -> None:
    file = tmp_path / "protocol.py"
    body = "for i in r:\n        announce(i)\n    announce('done')\n"
    file.write_text(f"from deltachain import announce, program\n\n@program\ndef main(r):\n    {body}")
    ranges = [range(0, 3, 2), range(0, 4, 2), range(2, 3), range(2, 9, 8), range(0), range(5, 5)]
    chain = load_program(file, "main").chain([{"r": r} for r in ranges])
    assert len(chain) == len(ranges) + 4  # 0, 2, done, end: the starts differ, all that follows is shared
