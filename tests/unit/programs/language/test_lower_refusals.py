"""Everything outside the language is refused before anything runs, with file, line, column and the fix."""

from __future__ import annotations

import ast
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain.errors import FormatError, InputError
from deltachain.programs import (
    ProgramError,
    announce,
    flip,
    load_program,
    program,
)
from deltachain.programs.language import graph as graph_module
from deltachain.programs.language.source import refusal
from tests.words import refuses, says

# (body of the program, line:column within it, what the message says, what the fix says)
REFUSED = [
    ("import os", "1:1", "`import` is not in the language", "import outside"),
    ("from os import path", "1:1", "`import` is not in the language", "import outside"),
    ("class A:\n    pass", "1:1", "`class`", "tuples or dicts"),
    ("def inner():\n    pass", "1:1", "a function inside a program", "@program"),
    ("async def inner():\n    pass", "1:1", "`async`", "plain `def`"),
    ("y = lambda: 1", "1:5", "`lambda`", "helper function"),
    ("y = [i for i in (1, 2)]", "1:5", "a list is not a value", r"tuple\(… for …\)"),
    ("y = {i for i in (1, 2)}", "1:5", "a set is not a value", r"tuple\(… for …\)"),
    ("y = {i: i for i in (1, 2)}", "1:5", "a dict comprehension", "`for` loop"),
    ("y = (i for i in (1, 2))", "1:5", "a generator is not a value", "sum, tuple, any"),
    ("y = len(i for i in (1, 2))", "1:8", "a generator is not a value", "sum, tuple, any"),
    ("for y in (i for i in (1, 2)):\n    pass", "1:10", "a generator is not a value", "sum, tuple, any"),
    ("y = sum(i async for i in (1, 2))", "1:21", "`async`", "plain `for`"),
    ("y = enumerate((1, 2))", "1:5", "an iterator is not a value", r"tuple\(enumerate"),
    ("y = zip((1, 2), (3, 4))[0]", "1:5", "an iterator is not a value", r"tuple\(zip"),
    ("y = len(zip((1, 2), (3, 4)))", "1:9", "an iterator is not a value", r"tuple\(zip"),
    ("y = 1 in enumerate((1, 2))", "1:10", "an iterator is not a value", r"tuple\(enumerate"),
    ("y = tuple(enumerate((1, 2), begin=3))", "1:11", "takes no keywords", "plain arguments"),
    ("y = [1, 2] + x", "1:5", "a list is not a value", "write a tuple"),
    ("y = [1, 2][:1]", "1:5", "a list is not a value", "write a tuple"),
    ("y = [1] == (1,)", "1:5", "a list is not a value", "write a tuple"),
    ("y = str([1])", "1:9", "a list is not a value", "write a tuple"),
    ("y = ([1],)", "1:6", "a list is not a value", "write a tuple"),
    ("y = sum(i for i in (1, 2))\nannounce(i)", "2:10", "i is bound on line 18, and not", "parameter"),
    ("assert flip(1)", "1:1", "an `assert` that depends on a draw", "`if`"),
    ("y = flip(1)\nz = (x, y)\nassert z", "3:1", "an `assert` that depends on a draw", "`if`"),
    ("y = ask(1, 2)\nassert y == 1", "2:1", "an `assert` that depends on a draw or an answer", "`if`"),
    ("y = 0\nfor i in range(uniform(1, 2)):\n    y += i\nassert y", "4:1", "depends on a draw", "`if`"),
    ("assert helper(flip(1))", "1:1", "an `assert` that depends on a draw", "`if`"),
    ("assert x, x", "1:11", "the message of an `assert`", "write it out"),
    ("try:\n    pass\nexcept ValueError:\n    pass", "1:1", "`try`", "test with `if`"),
    ("with x:\n    pass", "1:1", "`with`", "drop it"),
    ("raise x", "1:1", "`raise`", "announce"),
    ("del x", "1:1", "`del`", "drop it"),
    ("global z", "1:1", "`global`", "parameter"),
    ("nonlocal z", "1:1", "`nonlocal`", "parameter"),
    ("match x:\n    case 1:\n        pass", "1:1", "`match`", "`elif`"),
    ("yield x", "1:1", "`yield`", "announce"),
    ("y = (yield from x)", "1:6", "`yield`", "announce"),
    ("y = await x", "1:5", "`await`", "drop it"),
    ("y = (z := 3)", "1:6", "`:=`", "a line of its own"),
    ("y = [1, 2]", "1:5", "a list is not a value", "write a tuple"),
    ("y = {1, 2}", "1:5", "a set is not a value", "write a tuple"),
    ("y = sorted((2, 1))", "1:5", "a list is not a value", "tuple"),
    ("y = str(sorted((2, 1)))", "1:9", "a list is not a value", "tuple"),
    ("y = sorted((2, 1)) == (1, 2)", "1:5", "a list is not a value", "tuple"),
    ("y = sorted((2, 1))[:1]", "1:5", "a list is not a value", "tuple"),
    ("y = (*x, 1)", "1:6", r"`\*`", "write the parts out"),
    ("a, *b = x", "1:4", r"`\*`", "write the parts out"),
    ("y = {**x}", "1:8", r"`\*\*`", r"join dicts with \|"),
    ("y = None", "1:5", "None is not a value", "ints, bools"),
    ("y = b'a'", "1:5", "a bytes literal", "ints, bools"),
    ("y = 1j", "1:5", "a complex number", "ints, bools"),
    ("y = ...", "1:5", r"\.\.\. is not a value", "ints, bools"),
    ("y = x.real", "1:5", "attribute access", "plain names"),
    ("y = x.get(1)", "1:5", "attribute access", "plain names"),
    ("y = foreign.flip(1)", "1:5", "imported from numpy", "define it in this file"),
    ("y = x.flip(1)", "1:5", "attribute access", "dc.flip"),
    ("y = N.numerator", "1:5", "attribute access", "dc.flip"),
    ("x.y = 1", "1:1", "attribute access", "plain names"),
    ("x[0] = 1", "1:1", "assigning to a part", r"d = d \| \{key: value\}"),
    ("x[0] += 1", "1:1", "assigning to a part", r"d = d \| \{key: value\}"),
    ("y = x is 1", "1:5", "`is` is not in the language", "write =="),
    ("y = x is not 1", "1:5", "`is not`", "write !="),
    ("y = ~x", "1:5", "`~`", "`not`"),
    ("y = x << 1", "1:5", "`<<`", "power of 2"),
    ("y = x >> 1", "1:5", "`>>`", "power of 2"),
    ("y = x @ x", "1:5", "`@`", "products"),
    ("x <<= 1", "1:1", "`<<`", "power of 2"),
    ("y: int", "1:1", "a declaration without a value", "assign"),
    ("x", "1:1", "the value of this line is not used", "assign it"),
    ("flip(x)", "1:1", "the value of this line is not used", "assign it"),
    ("len((1, 2))", "1:1", "the value of this line is not used", "assign it"),
    ("y = announce(x)", "1:5", r"announce\(…\) has no value", "line of its own"),
    ("announce()", "1:1", r"announce\(\) lacks value", r"announce\(value\)"),
    ("announce(1, 2)", "1:1", "takes 1 arguments, not 2", "correct the call"),
    ("y = flip()", "1:5", r"flip\(\) lacks p", r"write flip\(p\)"),
    ("y = flip(1, 2)", "1:5", "takes 1 arguments, not 2", "correct the call"),
    ("y = flip(q=1)", "1:10", "has no parameter 'q'", "it takes p"),
    ("y = flip(1, p=1)", "1:13", "gets 'p' twice", "once"),
    ("y = uniform(**x)", "1:15", r"`\*\*`", "write the arguments out"),
    ("y = geometric()", "1:5", "lacks ratio", r"geometric\(ratio, low, high, tail\)"),
    ("y = len()", "1:5", r"len\(\) takes 1 arguments, not 0", "correct the call"),
    ("y = range(1, 2, 3, 4)", "1:5", "takes 1 to 3 arguments, not 4", "correct the call"),
    ("y = max(x, key=1)", "1:5", "takes no keywords", "plain arguments"),
    ("y = flip", "1:5", "flip is a function, not a value", "call it"),
    ("y = max", "1:5", "max is a function, not a value", "call it"),
    ("y = x(1)", "1:5", "x is a variable here", "rename"),
    ("y = N(1)", "1:5", "N is a constant and cannot be called", "call a program"),
    ("y = eval('1')", "1:5", "a program cannot reach outside itself", "parameter"),
    ("exec('1')", "1:1", "a program cannot reach outside itself", "parameter"),
    ("y = open('f')", "1:5", "a program cannot reach outside itself", "parameter"),
    ("y = __import__('os')", "1:5", "a program cannot reach outside itself", "parameter"),
    ("y = float(x)", "1:5", "all numbers are exact", "Fraction"),
    ("y = round(x)", "1:5", "round", "int"),
    ("print(x)", "1:1", "print", "announce"),
    ("y = isinstance(x, int)", "1:5", "isinstance is not in the language", "the builtins are"),
    ("y = nothing", "1:5", "unknown name 'nothing'", "parameter"),
    ("y = nothing(1)", "1:5", "unknown name 'nothing'", "parameter"),
    ("y = plain(1)", "1:5", "plain is a Python function", "decorate it with @program"),
    ("y = foreign", "1:5", "imported from numpy", "define it in this file"),
    ("y = choice((1, 2))", "1:5", "random numbers from elsewhere", "flip, uniform, choose"),
    ("y = random.random()", "1:5", "random numbers from elsewhere", "flip, uniform, choose"),
    ("y = foreign.random.rand()", "1:5", "random numbers from elsewhere", "flip, uniform, choose"),
    ("y = TWICE", "1:5", "bound on line 5 and again on line 6: it is not constant", "once in the whole file"),
    ("y = LOOPED", "1:5", "bound on line 7, and not by a plain statement", "one value, once"),
    ("y = DRAWN", "1:5", "not a plain constant", "literal"),
    ("y = CIRCLE", "1:5", "not a plain constant", "literal"),
    ("y = main(x)", "1:5", "main calls itself", "write a loop"),
    ("y = helper()", "1:5", r"helper\(\) lacks value", "value"),
    ("y = helper(1, 2)", "1:5", "takes 1 arguments, not 2", "correct the call"),
    ("y = helper(other=2)", "1:12", "has no parameter 'other'", "it takes value"),
    ("y = f'{x!r}'", "1:5", "a format inside an f-string", "{value} alone"),
    ("y = f'{x:3}'", "1:5", "a format inside an f-string", "{value} alone"),
    ("break", "1:1", "`break` outside a loop", "return"),
    ("continue", "1:1", "`continue` outside a loop", "drop it"),
    (f"y = {'9' * 2000}", "1:5", "an integer of", "the limit is 4096 bits"),
    ("y = 1e-9999", "1:5", "a fraction of", "the limit is 4096 bits"),
    ("y = 1e999999", "1:5", "beyond the limits", "smaller exponent"),
    (f"y = '{'a' * 2000}'", "1:5", "text of 2000 characters", "1024"),
    ("y = " + "-" * 90 + "1", "1:65", "nested more than 60 deep", "variables"),
    ("ü = 'ü'; y = None", "1:14", "None is not a value", "ints, bools"),
]  # fmt: skip

TOP = """\
from random import choice; import random
import numpy as foreign
from deltachain import *
N = 3
TWICE = 1
TWICE = 2
for LOOPED in range(3):
    pass
DRAWN = flip(1)
CIRCLE = CIRCLE + 1
def plain(x):
    return x
@program
def helper(value):
    return value
@program
def main(x):
"""


def compiled(tmp_path: Path, body: str, top: str = TOP) -> ProgramError:
    file = tmp_path / "protocol.py"
    file.write_text(top + "".join(f"    {line}\n" for line in body.split("\n")), encoding="utf-8")
    with pytest.raises(ProgramError) as caught:
        load_program(file, "main")
    return caught.value


@pytest.mark.parametrize(("body", "place", "what", "fix"), REFUSED, ids=[body[:40] for body, *_ in REFUSED])
def test_refused_with_its_place_and_the_fix(tmp_path: Path, body: str, place: str, what: str, fix: str) -> None:
    (defect,) = compiled(tmp_path, body).defects
    line, column = map(int, place.split(":"))
    assert defect.where == f"{tmp_path / 'protocol.py'}:{TOP.count(chr(10)) + line}:{column + 4}"
    assert re.search(what, defect.what), defect.what
    assert re.search(fix, defect.fix), defect.fix


def test_all_defects_at_once_in_the_order_of_the_text(tmp_path: Path) -> None:
    error = compiled(tmp_path, "import os\ny = lambda: 1\nif x.a:\n    y = [1]\nannounce(unknown)")
    assert [defect.where.split(":")[-2:] for defect in error.defects] == [
        ["18", "5"], ["19", "9"], ["20", "8"], ["21", "13"], ["22", "14"]
    ]  # fmt: skip
    assert isinstance(error, FormatError)
    assert isinstance(error, InputError)


def test_defects_of_helpers_are_reported_with_ours(tmp_path: Path) -> None:
    top = "@program\ndef bad(v):\n    return [v]\n@program\ndef main(x):\n"
    error = compiled(tmp_path, "y = bad(x)\nz = None\nbad(y)", top)
    assert sorted(defect.where.split(":")[-2] for defect in error.defects) == ["3", "7"]


def test_parameters_that_are_refused(tmp_path: Path) -> None:
    top = "@program\ndef main(x, *rest, p=[1], q=flip(1), **more):\n"
    error = compiled(tmp_path, "pass", top)
    assert sorted((d.where.split(":")[-1], d.what) for d in error.defects) == sorted([
        ("14", "`*rest` is not in the language"),
        ("40", "`**more` is not in the language"),
        ("22", "a list is not a value of programs"),
        ("29", "this is not a literal"),
    ])  # fmt: skip


def test_two_decorators_are_refused(tmp_path: Path) -> None:
    error = compiled(tmp_path, "pass", "@cached\n@program\ndef main(x):\n")
    assert error.defects[0].where.endswith(":1:2")


def test_mutual_recursion_is_refused(tmp_path: Path) -> None:
    top = "@program\ndef other(v):\n    return main(v)\n@program\ndef main(x):\n"
    error = compiled(tmp_path, "return other(x)", top)
    assert says(str(error), "is bound below")


def test_too_many_copies_of_helpers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "MAX_POINTS", 500)
    levels = "".join(f"@program\ndef level{n + 1}(v):\n    return level{n}(v) + level{n}(v)\n" for n in range(12))
    top = f"@program\ndef level0(v):\n    return v\n{levels}@program\ndef main(x):\n"
    error = compiled(tmp_path, "y = level12(x)", top)
    assert says(str(error), "instructions")


def test_blocks_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    body = "\n".join(" " * n + "if x:" for n in range(80)) + "\n" + " " * 80 + "pass"
    assert says(str(compiled(tmp_path, body)), "blocks nested more")


def test_a_long_chain_of_elifs_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "protocol.py"
    arms = "".join(f"    elif x == {n}:\n        announce({n})\n" for n in range(400))
    file.write_text(f"@program\ndef main(x):\n    if x == -1:\n        pass\n{arms}")
    chain = load_program(file, "main").chain([{"x": 399}])
    assert chain.labels == ("start", "399", "end")


def test_every_refusal_says_what_to_do() -> None:
    for node in (ast.Try, ast.Lambda, ast.Is, ast.Slice):
        what, fix = refusal(node())
        assert what
        assert fix


# The same front end serves the decorator; here names are looked up in the real closure and module.

CONSTANT = Fraction(1, 3)
drawn_elsewhere = random.choice
LIST = [1, 2]
toss = flip


@program
def decorated_helper(x):
    return not x


def undecorated(x: object) -> object:
    return x


def test_decorated_functions_are_refused_with_the_line_of_this_file() -> None:
    with pytest.raises(ProgramError) as caught:

        @program
        def bad(x):
            import os

            announce(os.path)

    first, second = caught.value.defects
    here = Path(__file__).read_text().split("\n")
    assert first.where == f"{__file__}:{here.index('            import os') + 1}:13"
    assert second.where == f"{__file__}:{here.index('            announce(os.path)') + 1}:22"


def test_decorated_functions_see_closures_and_globals() -> None:
    inner = ("a", "b")

    @program
    def good(x):
        announce(inner[x])
        announce(CONSTANT if toss(1) else 0)
        announce(decorated_helper(x))

    chain = good.chain([{"x": 1}])
    assert chain.labels == ("start", "b", "1/3", "False", "end")


def test_variables_of_an_enclosing_function_have_their_values_of_that_moment() -> None:
    value = 1

    @program
    def early(x):
        announce(value + x)

    value = 2
    assert early.chain([{"x": 0}]).labels[1] == "1"
    assert value == 2


def test_variables_of_an_enclosing_function_that_were_bound_before_are_read_once() -> None:
    labels = []
    for value in (1, 2):

        @program
        def good(x):
            announce(value + x)  # noqa: B023  (read at once)

        labels.append(good.chain([{"x": 0}]).labels[1])
    assert labels == ["1", "2"]


@pytest.mark.parametrize("name", ["LIST", "undecorated", "random", "choice", "later", "recursive"])
def test_decorated_functions_cannot_use_what_is_not_constant(name: str) -> None:
    with pytest.raises(ProgramError) as caught:  # noqa: PT012  (one of several definitions)
        if name == "LIST":

            @program
            def bad(x):
                announce(LIST[x])
        elif name == "undecorated":

            @program
            def bad(x):
                announce(undecorated(x))
        elif name == "random":

            @program
            def bad(x):
                announce(random.randint(0, x))
        elif name == "choice":

            @program
            def bad(x):
                announce(drawn_elsewhere((0, x)))
        elif name == "later":

            @program
            def bad(x):
                announce(later)
        else:

            @program
            def recursive(x):
                recursive(x)

    later = 1
    assert later
    words = {
        "LIST": "make it a tuple",
        "undecorated": "@program",
        "random": "flip, uniform, choose or geometric",
        "choice": "flip, uniform, choose or geometric",
        "later": "above",
        "recursive": "write a loop",
    }
    assert words[name] in str(caught.value)  # fmt: skip


def test_things_that_are_not_functions_are_refused() -> None:
    for thing in (lambda x: x, print, 3, Fraction, b"def f(): pass"):
        with pytest.raises(ProgramError, match=r"`def`"):
            program(thing)  # type: ignore[arg-type]


def test_functions_without_source_are_refused() -> None:
    namespace: dict[str, object] = {}
    exec("def ghost(x):\n    pass\n", namespace)  # noqa: S102  (a function that has no file)
    with refuses(ProgramError, "is not available"):
        program(namespace["ghost"])  # type: ignore[arg-type]


def test_programs_are_not_called() -> None:
    with refuses(ProgramError, "called; use decorated_helper"):
        decorated_helper(1)
