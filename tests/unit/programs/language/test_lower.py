"""What programs mean, construct by construct: the announced letters and their exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain.model.words import words
from deltachain.programs import ProgramError, load_program
from tests.words import refuses, says


def law(tmp_path: Path, body: str, letters: int = 1, **given: object) -> dict[str, Fraction]:
    """The law of the first letters of a program with this body, letters joined by spaces."""
    names = ", ".join(given)
    file = tmp_path / "protocol.py"
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    file.write_text(f"{HELPERS}\n@program\ndef main({names}):\n{lines}\n")
    chain = load_program(file, "main").chain([given])
    return {" ".join(word[1:]): p for word, p in words(chain, 0, letters + 1)}


HELPERS = """
from fractions import Fraction
from deltachain import program, flip, announce, uniform, choose, geometric
N = 3
HALF = Fraction(1, 2)
WEIGHTS = {"a": 0.25, "b": "3/4"}
ALSO, ONCE = 5, 1

@program
def noisy(value, p=HALF):
    if flip(p):
        return value
    announce("lied")
    return not value

@program
def twice(value):
    return noisy(value) and noisy(value, p=1)

@program
def forgets(value):
    if value:
        kept = 1
    return kept

@program
def says(letter):
    announce(letter)
"""

FIRST = HELPERS.count("\n") + 4
"""The line of the file where the body starts."""

H, Q = Fraction(1, 2), Fraction(1, 4)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Exact numbers.
        ("announce(1/3 + 1/6)", "1/2"),
        ("announce(0.1 + 0.2 == 0.3)", "True"),
        ("announce(6/3)", "2"),
        ("announce(7 // 2 + 7 % 4)", "6"),
        ("announce(-7 // 2)", "-4"),
        ("announce(2 ** 10)", "1024"),
        ("announce(2 ** -2)", "1/4"),
        ("announce(Fraction('1/3') * 3)", "1"),
        ("announce(Fraction(1, 3))", "1/3"),
        ("announce(True + True)", "2"),
        ("announce(abs(-1/2))", "1/2"),
        ("announce(int(7/2))", "3"),
        ("announce(+1 - -1)", "2"),
        ("announce(0.1000000000000000000001 > 0.1)", "True"),
        ("announce((True ^ False, 6 & 3, 6 | 1))", "(True, 2, 7)"),
        # Comparisons and logic.
        ("announce(1 < 2 < 3)", "True"),
        ("announce(1 < 2 > 3)", "False"),
        ("announce(0 or 'x')", "x"),
        ("announce(2 and 0)", "0"),
        ("announce(not ())", "True"),
        ("announce((1, 2) < (1, 3))", "True"),
        ("announce(2 in (1, 2) and 3 not in range(3))", "True"),
        ("announce('k' in {'k': 1})", "True"),
        ("announce(False and 1/0)", "False"),
        ("announce(1 if True else 1/0)", "1"),
        # Tuples, dicts, text.
        ("announce((1, 'a', 1/2, (True,)))", "(1, 'a', 1/2, (True,))"),
        ("announce((1, 2, 3, 4)[1:3])", "(2, 3)"),
        ("announce((1, 2, 3)[::-1])", "(3, 2, 1)"),
        ("announce((1, 2, 3)[-1])", "3"),
        ("announce((1,) * 2 + (3,))", "(1, 1, 3)"),
        ("announce({'a': 1}['a'])", "1"),
        ("d = {0: 'x'} | {1: 'y'}\nannounce(d[0] + d[1])", "xy"),
        ("announce(f'n{1 + 1}-{True}')", "n2-True"),
        ("announce(str(1/2) + '!')", "1/2!"),
        # Builtins.
        ("announce((len((1, 2)), min(3, 1), max((1, 5)), sum((1, 2, 3)), sum(range(4))))", "(2, 1, 5, 6, 6)"),
        ("announce((any((0, 1)), all((0, 1)), bool(2), tuple(sorted((3, 1, 2))), tuple(range(2))))",
         "(True, False, True, (1, 2, 3), (0, 1))"),
        # Assignments.
        ("a = b = 2\na += 1\nannounce((a, b))", "(3, 2)"),
        ("a, (b, c) = 1, (2, 3)\na, b = b, a\nannounce((a, b, c))", "(2, 1, 3)"),
        ("x: int = 4\nannounce(x)", "4"),
        ("x = 5\nx -= 1\nx *= 3\nx //= 2\nx **= 2\nx %= 7\nx /= 2\nannounce(x)", "1/2"),
        # Control.
        ("for i in (4, 5):\n    pass\nannounce(i)", "5"),
        ("n = 0\nfor a, b in ((1, 2), (3, 4)):\n    n += a * b\nannounce(n)", "14"),
        ("n = 0\nfor i in range(9):\n    if i == 2:\n        continue\n    n += i\nannounce(n)", "34"),
        ("for i in range(9):\n    if i == 4:\n        break\nelse:\n    i = 0\nannounce(i)", "4"),
        ("for i in range(2):\n    pass\nelse:\n    i = 9\nannounce(i)", "9"),
        ("n = 0\nwhile n < 5:\n    n += 2\nelse:\n    n += 100\nannounce(n)", "106"),
        ("if 0:\n    x = 1\nelif 1:\n    x = 2\nelse:\n    x = 3\nannounce(x)", "2"),
        ("for i in range(3):\n    for i in range(2):\n        pass\nannounce(i)", "1"),
        # Constants of the file.
        ("announce((N, HALF, ALSO))", "(3, 1/2, 5)"),
        # Comprehensions: variables of their own, conditions, several clauses.
        ("announce(sum(i * i for i in range(4)))", "14"),
        ("announce(sum(i for i in range(9) if i % 2 if i > 2))", "15"),
        ("announce(tuple((i, j) for i in range(3) for j in range(i)))", "((1, 0), (2, 0), (2, 1))"),
        ("i = 7\nt = tuple(i for i in (1, 2))\nannounce((i, t))", "(7, (1, 2))"),
        ("x = 1\nannounce(tuple(x for x in (x, x + 1)))", "(1, 2)"),
        ("announce(tuple(sum(j for j in range(i)) for i in (2, 3)))", "(1, 3)"),
        ("announce(tuple(a + b for a, b in ((1, 2), (3, 4))))", "(3, 7)"),
        ("announce((max(i % 3 for i in range(5)), min(-i for i in (1, 2))))", "(2, -2)"),
        ("announce((any(i > 1 for i in range(3)), all(i > 1 for i in range(3))))", "(True, False)"),
        ("announce((any(i for i in ()), all(i for i in ()), sum(i for i in ()), tuple(i for i in ())))",
         "(False, True, 0, ())"),
        ("announce(any(1 // (i - 2) for i in (1, 2)))", "True"),  # it stops before it would fail
        ("announce(all(1 // (i - 2) > -1 for i in (1, 2)))", "False"),
        ("announce(tuple(sorted(-i for i in range(3))))", "(-2, -1, 0)"),
        ("announce(len([i for i in range(9) if i % 4 == 0]))", "3"),
        ("for i in [2 * j for j in range(3)]:\n    pass\nannounce(i)", "4"),
        # Lists that are used at once.
        ("announce((sum([1, 2]), max([1, 3]), len([1]), [4, 5][1], 2 in [1, 2], tuple([1])))",
         "(3, 3, 1, 5, True, (1,))"),
        ("n = 0\nfor i in [1, 2]:\n    n += i\nannounce(n)", "3"),
        # Iterators that are used at once.
        ("announce(tuple(enumerate(('a', 'b'))))", "((0, 'a'), (1, 'b'))"),
        ("announce(tuple(enumerate(('a',), 3)) + tuple(enumerate(('b',), start=4)))", "((3, 'a'), (4, 'b'))"),
        ("n = 0\nfor i, v in enumerate((5, 6)):\n    n += i * v\nannounce(n)", "6"),
        ("announce(tuple(zip((1, 2), range(5), ('a', 'b', 'c'))))", "((1, 0, 'a'), (2, 1, 'b'))"),
        ("announce(sum(a * b for a, b in zip((1, 2), (3, 4), strict=True)))", "11"),
        ("announce(tuple(enumerate(zip((1,), (2,)))))", "((0, (1, 2)),)"),
        ("assert True\nassert N == 3, 'always'\nannounce(1)", "1"),
        # Draws that are sure.
        ("announce(flip(1))", "True"),
        ("announce(flip('0'))", "False"),
        ("announce(uniform(2, 2))", "2"),
        ("announce(choose({'z': 1, 'y': 0}))", "z"),
        ("announce(geometric(0, -3, 3))", "0"),
        ("announce(geometric(1/2, 4, 4))", "4"),
    ],
)  # fmt: skip
def test_a_sure_letter(tmp_path: Path, body: str, expected: str) -> None:
    assert law(tmp_path, body) == {expected: Fraction(1)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("announce(flip('1/4'))", {"True": Q, "False": 1 - Q}),
        ("announce(flip(0.25) == flip(p=1/4))", {"True": Fraction(10, 16), "False": Fraction(6, 16)}),
        ("a = b = flip(1/2)\nannounce(a == b)", {"True": Fraction(1)}),
        ("announce(uniform(-1, 1) + uniform(low=0, high=1))", {
            "-1": Fraction(1, 6), "0": Fraction(1, 3), "1": Fraction(1, 3), "2": Fraction(1, 6)}),
        ("announce(choose(WEIGHTS))", {"a": Q, "b": 1 - Q}),
        ("announce(geometric(1/2, -1, 1))", {"-1": Fraction(1, 3), "0": Fraction(1, 3), "1": Fraction(1, 3)}),
        ("announce(geometric(1/2, 1, 3))", {"1": Fraction(5, 6), "2": Fraction(1, 12), "3": Fraction(1, 12)}),
        # Draws under conditions happen only there.
        ("announce(x and flip(1/2))", {"True": H, "False": H}),
        ("announce(not x and flip(2))", {"False": Fraction(1)}),
        ("announce(x or flip(2))", {"True": Fraction(1)}),
        ("announce(flip(1/2) and flip(1/2) and flip(1/2))", {"True": H * Q, "False": 1 - H * Q}),
        ("announce(0 < uniform(0, 1) < uniform(1, 2))", {"True": Q, "False": 1 - Q}),
        ("announce(7 if x else flip(2))", {"7": Fraction(1)}),
        ("announce('a' if flip(1/4) else choose(WEIGHTS))", {"a": Q + 3 * Q * Q, "b": 9 * Q * Q}),
        ("announce((flip(1/2), 1)[0])", {"True": H, "False": H}),
        ("announce(f'{flip(1/2)}')", {"True": H, "False": H}),
        # One draw for each turn.
        ("announce(sum(flip(1/2) for _ in range(2)))", {"0": Q, "1": H, "2": Q}),
        ("announce(any(flip(1/2) for _ in range(2)))", {"True": 1 - Q, "False": Q}),
        ("announce(max(uniform(0, 1) for _ in range(2)))", {"1": 1 - Q, "0": Q}),
        ("announce(tuple(i for i in range(2) if flip(1/2)))", {"()": Q, "(0,)": Q, "(1,)": Q, "(0, 1)": Q}),
        ("announce(sum(1 for i in range(uniform(0, 3)) if i != 1))",
         {"0": Q, "1": H, "2": Q}),
        ("announce(len([flip(1/2) for _ in range(3)]))", {"3": Fraction(1)}),
        # True and 1 are different letters, although they are equal.
        ("v = choose({'b': 1/2, 'i': 1/2})\nw = True if v == 'b' else 1\nannounce(w)", {"True": H, "1": H}),
    ],
)  # fmt: skip
def test_a_random_letter(tmp_path: Path, body: str, expected: dict[str, Fraction]) -> None:
    assert law(tmp_path, body, x=True) == expected


def test_helpers_return_announce_and_keep_their_variables_apart(tmp_path: Path) -> None:
    body = "value = 1\nanswer = noisy(x)\nannounce((answer, value))"
    assert law(tmp_path, body, 2, x=True) == {"(True, 1) end": H, "lied (False, 1)": H}


def test_helpers_call_helpers(tmp_path: Path) -> None:
    assert law(tmp_path, "announce(twice(x))", 2, x=True) == {"True end": H, "lied False": H}


def test_a_helper_under_a_condition_announces_only_there(tmp_path: Path) -> None:
    assert law(tmp_path, "if x or noisy(x):\n    announce('yes')", x=True) == {"yes": Fraction(1)}
    assert law(tmp_path, "announce('no' if not noisy(True, p=0) else 'yes')", 2) == {"lied no": Fraction(1)}


def test_a_helper_may_stand_alone(tmp_path: Path) -> None:
    assert law(tmp_path, "says('a')\nsays(letter='b')", 3) == {"a b end": Fraction(1)}


def test_a_helper_starts_fresh_at_each_call(tmp_path: Path) -> None:
    with refuses(ProgramError, "no value here"):
        law(tmp_path, "for flag in (True, False):\n    announce(forgets(flag))", 2)


def test_a_helper_without_a_value_is_noticed_where_it_is_used(tmp_path: Path) -> None:
    with refuses(ProgramError, "ended without returning"):
        law(tmp_path, "announce(says('a'))", 2)


def test_return_ends_the_run_and_is_not_announced(tmp_path: Path) -> None:
    assert law(tmp_path, "announce('a')\nreturn x\nannounce('b')", 2, x=1) == {"a end": Fraction(1)}


def test_what_is_only_returned_makes_no_states(tmp_path: Path) -> None:
    file = tmp_path / "protocol.py"
    file.write_text("@program\ndef main(x):\n    y = uniform(0, 9)\n    announce(x)\n    return y\n")
    assert len(load_program(file, "main").chain([{"x": 1}])) == 3


def test_letters_are_texts(tmp_path: Path) -> None:
    assert law(tmp_path, "announce('1' if flip(1/2) else 1)") == {"1": Fraction(1)}


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        ("announce(1 // (x - 1))", "1:14", "division by zero, when x=1"),
        ("announce(1 % 0)", "1:14", "division by zero"),
        ("announce(0 ** -1)", "1:14", "division by zero"),
        ("announce(2 ** (1/2))", "1:14", "the exponent 1/2 is not whole"),
        ("announce('a' + 1)", "1:14", r"\+ needs numbers, and 'a' is text"),
        ("announce(1 - '1/2')", "1:14", r"Fraction\('1/2'\)"),
        ("announce((1, 2)[2])", "1:14", r"index 2 is outside \(1, 2\)"),
        ("announce((1, 2)['a'])", "1:14", "the index 'a' is text"),
        ("announce({1: 2}[3])", "1:14", "has no key 3"),
        ("announce({1: 2, True: 3})", "1:14", "one key twice"),
        ("announce({1: 2})", "1:5", "a dict cannot be announced"),
        ("announce(range(3))", "1:5", "a range cannot be announced"),
        ("announce('')", "1:5", "an empty text"),
        ("announce('end')", "1:5", "the letter 'end' is reserved"),
        ("announce('diverges')", "1:5", "the letter 'diverges' is reserved"),
        ("announce(1 < 'a')", "1:14", "have no order"),
        ("announce(1 in 2)", "1:14", "`in` looks into a tuple"),
        ("announce('a' * 3)", "1:14", r"\* needs numbers"),
        ("announce(1.5 & 1)", "1:14", "& needs two bools or ints"),
        ("announce((1, 2)[::0])", "1:14", "step 0"),
        ("announce(1[0])", "1:14", "has no parts"),
        ("announce(min(()))", "1:14", r"min\(\) of nothing"),
        ("announce(len(3))", "1:14", r"len\(\) takes"),
        ("announce(Fraction('a'))", "1:14", "not a number"),
        ("announce(range(1.5))", "1:14", r"range\(\) takes ints"),
        ("a, b = (1, 2, 3)\nannounce(a)", "1:5", "not a tuple of 2 parts"),
        ("for i in 3:\n    announce(i)", "1:14", "`for` runs over a range or a tuple"),
        ("d = {}\nd |= {1: 2}\nannounce(len(d))", "2:5", "would change a dict in place"),
        ("if x == 2:\n    y = 1\nannounce(y)", "3:14", "'y' has no value here"),
        ("announce(max(i for i in ()))", "1:17", r"max\(\) of nothing"),
        ("announce(sum('a' for i in (1,)))", "1:17", r"\+ needs numbers"),
        ("announce(any('a' for i in (1,)))", "1:17", "used as a condition"),
        ("announce(tuple(zip((1, 2), (3,), strict=True)))", "1:20", "of 2 and 1 items"),
        ("announce(tuple(enumerate((1,), 'a')))", "1:20", "starts from an int"),
        ("announce(tuple(a for a, b in ((1, 2), (3,))))", "1:26", "not a tuple of 2 parts"),
        ("assert x == 2", "1:5", r"assert x == 2 fails, when x=1"),
        ("assert x in (0, 2), 'a bit'", "1:5", r"assert x in \(0, 2\) fails: a bit, when x=1"),
        ("announce(flip(3/2))", "1:14", r"outside \[0, 1\]"),
        ("announce(flip('p'))", "1:14", "not a number"),
        ("announce(flip(True))", "1:14", "not a probability"),
        ("announce(uniform(3, 2))", "1:14", "above the high end"),
        ("announce(uniform(0, 1/2))", "1:14", "1/2 is a fraction"),
        ("announce(uniform(0, 10 ** 9))", "1:14", "the limit is 10000"),
        ("announce(choose({1: 1/2}))", "1:14", "sum to 1/2"),
        ("announce(choose(1))", "1:14", "give a dict"),
        ("announce(geometric(1, 0, 1))", "1:14", "ratio 1 has no distribution"),
        ("announce(geometric(1/3, 10 ** 9, 10 ** 9 + 1))", "1:14", "too long a number"),
    ],
)
def test_what_goes_wrong_in_a_run_is_placed(tmp_path: Path, body: str, place: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message) as caught:
        law(tmp_path, body, x=1)
    line, column = map(int, place.split(":"))
    assert caught.value.defects[0].where == f"{tmp_path / 'protocol.py'}:{line + FIRST - 1}:{column}"


def test_what_cannot_be_reached_cannot_go_wrong(tmp_path: Path) -> None:
    assert law(tmp_path, "if flip(0):\n    x = 1 // 0\nannounce('fine')") == {"fine": Fraction(1)}


def test_all_secrets_that_an_assert_refuses_are_named(tmp_path: Path) -> None:
    file = tmp_path / "protocol.py"
    file.write_text("@program\ndef main(x, n=1):\n    assert x in (0, n), 'a bit'\n    announce(x)\n")
    written = load_program(file, "main")
    assert len(written.chain([{"x": 0}, {"x": 1}])) == 5
    with pytest.raises(ProgramError) as caught:
        written.chain([{"x": 0}, {"x": 7}, {"x": 1}, {"x": True}, {"x": -1}])
    assert says([defect.what for defect in caught.value.defects])


def test_an_assert_after_a_draw_that_is_about_the_secret(tmp_path: Path) -> None:
    assert law(tmp_path, "y = flip(1/2)\nannounce(y)\nassert x > 0\nannounce(x)", 2, x=1) == {"True 1": H, "False 1": H}
    with refuses(ProgramError, "fails, when"):
        law(tmp_path, "y = flip(1/2)\nannounce(y)\nassert x > 0\nannounce(x)", 2, x=0)
