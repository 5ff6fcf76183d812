"""Random programs mean here what they mean in Python, path by path."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deltachain.model.words import words
from deltachain.programs import load_program
from tests.amounts import part_of
from tests.reference.enumerate_program_paths import TooManyPaths, letter_law
from tests.reference.interactive import answered_words

HELPERS = """\
@program
def helper(v, w=1):
    if flip("1/3"):
        announce(("h", w))
        return v
    for u in range(2):
        w = (w + u) % 2
    return w

@program
def asking(v):
    while ask("more", "enough") == "more" and flip("1/2"):
        v = (v, ask(1, 2))
        if len(str(v)) > 12:
            break
    return ask("out") == v

@program
def quiet(v):
    return choose({2: "1/4", 3: "3/4"}) if v else 0

"""

VARIABLES = ("x", "a", "b")
leaves = st.sampled_from([*VARIABLES, "0", "1", "2", "True", "False"])


def grow(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    number = parts.map(lambda e: f"len(str({e}))")
    two = st.tuples(number, number)
    any_two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: f"(({p[0]} + {p[1]}) % 3)"),
        two.map(lambda p: f"max({p[0]}, {p[1]} - 1)"),
        two.map(lambda p: f"({p[0]} < {p[1]} <= 3)"),
        any_two.map(lambda p: f"({p[0]} == {p[1]})"),
        any_two.map(lambda p: f"({p[0]} and {p[1]})"),
        any_two.map(lambda p: f"({p[0]} or {p[1]})"),
        any_two.map(lambda p: f"({p[0]}, {p[1]})[bool({p[0]})]"),
        st.tuples(parts, parts, parts).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        parts.map(lambda e: f"(not {e})"),
        parts.map(lambda e: f"flip('1/4' if {e} else '2/3')"),
        st.just("uniform(0, 2)"),
        parts.map(lambda e: f"helper({e})"),
        any_two.map(lambda p: f"helper({p[0]}, w=1 if {p[1]} else 0)"),
        parts.map(lambda e: f"quiet({e})"),
        parts.map(lambda e: f"ask(0, ('b', {e}), 2)"),
        parts.map(lambda e: f"asking({e})"),
        st.just("ask(*range(2), ('x y',))"),
    )


expressions = st.recursive(leaves, grow, max_leaves=4)


def flat(parts: list[list[str]]) -> list[str]:
    return [line for part in parts for line in part]


def block(depth: int) -> st.SearchStrategy[list[str]]:
    """Lines of statements, at most ``depth`` deep."""
    names = st.sampled_from(VARIABLES)
    simple = st.one_of(
        st.tuples(names, expressions).map(lambda p: [f"{p[0]} = {p[1]}"]),
        st.tuples(expressions, expressions).map(lambda p: [f"a, b = {p[0]}, {p[1]}"]),
        expressions.map(lambda e: [f"a = b = {e}"]),
        expressions.map(lambda e: [f"announce({e})"]),
        expressions.map(lambda e: [f"announce(({e}, 'seen'))"]),
    )
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=2).map(flat)
    inner = block(depth - 1).map(lambda lines: [f"    {line}" for line in lines])
    compound = st.one_of(
        st.tuples(expressions, inner, inner).map(lambda p: [f"if {p[0]}:", *p[1], "else:", *p[2]]),
        st.tuples(st.sampled_from(["range(2)", "(True, x)", "()"]), inner).map(lambda p: [f"for b in {p[0]}:", *p[1]]),
        st.tuples(expressions, inner).map(
            lambda p: ["for a in range(2):", f"    if {p[0]}:", "        break", *p[1], "else:", "    b = 2"]
        ),
        expressions.map(lambda e: [f"if {e}:", "    return b"]),
    )
    return st.lists(st.one_of(simple, compound), min_size=1, max_size=3).map(flat)


RANDOM_PROGRAM = given(block(2), st.sampled_from([0, 1, True]))


@settings(max_examples=part_of(15), deadline=None)
@RANDOM_PROGRAM
def test_a_random_program_has_the_law_of_its_python_paths(lines: list[str], x: object) -> None:
    check_law(lines, x)


@pytest.mark.slow
@settings(max_examples=part_of(200), deadline=None)
@RANDOM_PROGRAM
def test_many_random_programs_have_the_law_of_their_python_paths(lines: list[str], x: object) -> None:
    check_law(lines, x)


def check_law(lines: list[str], x: object) -> None:
    body = "".join(f"    {line}\n" for line in ["a = b = 0", *lines])
    text = f"{HELPERS}@program\ndef main(x):\n{body}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_program.py"
        file.write_text(text)
        chain = load_program(file, "main").chain([{"x": x}])
    for answers in ((0,), (1,), (2, 0, 1)) if chain.interactive else ((0,),):
        try:
            expected = letter_law(text, "main", {"x": x}, answers=answers)
        except TooManyPaths:
            assume(False)
        longest = max(map(len, expected)) + 2
        padded = {("start", *word, *["end"] * (longest - 1 - len(word))): p for word, p in expected.items()}
        assert answered_words(chain, 0, longest, answers) == padded
        if not chain.interactive:
            assert dict(words(chain, 0, longest)) == padded


def test_the_reference_tries_every_path() -> None:
    text = "def main(x):\n    announce(flip('1/4') and uniform(0, 1))\n"
    assert letter_law(text, "main", {"x": 0}) == {
        ("False",): Fraction(3, 4),
        ("0",): Fraction(1, 8),
        ("1",): Fraction(1, 8),
    }
    with pytest.raises(TooManyPaths):
        letter_law("def main(x):\n    for _ in range(20):\n        flip('1/2')\n", "main", {"x": 0})
