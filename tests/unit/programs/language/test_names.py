"""The one rule of names: what a program reads is bound in the text of its file exactly once, plainly, above it.

What a file that is read and not run gives a program is what its import gives; a function that Python decorates takes
the values that its names have at that moment.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import count
from pathlib import Path

import pytest

from deltachain.model import Chain
from deltachain.programs import Program, ProgramError, load_program, program_names
from tests.words import refuses

HEAD = "from deltachain import announce, program\nfrom fractions import Fraction\n"
MAIN = "@program\ndef main(x):\n    announce(({read}, x))\n"

_numbers = count()


def imported(path: Path, name: str = "main") -> Program:
    """The program of a file that is really imported."""
    module_name = f"protocol_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
        found = getattr(module, name)
        assert isinstance(found, Program)
        return found
    finally:
        del sys.modules[module_name]


# (what the file does above and below the program, what the error says). `N` is bound on line 3.
BOUND_AGAIN = {
    "a second assignment": ("N = 1\n", "N = 2\n", "again on line 7"),
    "a star import": ("N = 1\nfrom math import *\n", "", "`from math import \\*` on line 4"),
    "a star import below": ("N = 1\n", "from math import *\n", "`from math import \\*` on line 7"),
    "a walrus": ("N = 1\nM = (N := 5)\n", "", "again on line 4"),
    "a walrus in a default": ("N = 1\ndef f(a=(N := 5)):\n    pass\n", "", "again on line 4"),
    "a walrus in a comprehension": ("N = 1\nL = [N := k for k in range(3)]\n", "", "again on line 4"),
    "global": ("N = 1\ndef f():\n    global N\n    N = 5\nf()\n", "", "again on line 5"),
    "del": ("N = 1\n", "del N\n", "again on line 7"),
    "a for target": ("N = 1\nfor N in range(3):\n    pass\n", "", "again on line 4"),
    "a for target that unpacks": ("N = 1\nfor M, (N, *K) in ():\n    pass\n", "", "again on line 4"),
    "a with target": ("N = 1\nimport os\nwith os.scandir() as N:\n    pass\n", "", "on line 5"),
    "an except target": ("N = 1\ntry:\n    1 / 0\nexcept ZeroDivisionError as N:\n    pass\n", "", "again on line 6"),
    "an augmented assignment": ("N = 1\nN += 1\n", "", "again on line 4"),
    "a tuple target": ("N = 1\nM, N = 2, 3\n", "", "again on line 4"),
    "a conditional assignment": ("N = 1\nif len('ab') == 2:\n    N = 2\n", "", "again on line 5"),
    "an import": ("N = 1\nimport math as N\n", "", "again on line 4"),
    "an import from": ("N = 1\nfrom math import pi as N\n", "", "again on line 4"),
    "the same import": ("from math import pi as N\nfrom math import pi as N\n", "", "again on line 4"),
    "a def": ("N = 1\ndef N():\n    pass\n", "", "again on line 4"),
    "an async def": ("N = 1\nasync def N():\n    pass\n", "", "again on line 4"),
    "a class": ("N = 1\nclass N:\n    pass\n", "", "again on line 4"),
    "a match capture": ("N = 1\nmatch 5:\n    case N:\n        pass\n", "", "again on line 5"),
    "a match as": ("N = 1\nmatch 5:\n    case int() as N:\n        pass\n", "", "again on line 5"),
    "a match star": ("N = 1\nmatch (5, 6):\n    case [_, *N]:\n        pass\n", "", "again on line 5"),
    "a match mapping": ("N = 1\nmatch {1: 2}:\n    case {**N}:\n        pass\n", "", "again on line 5"),
    "an annotation without a value": ("N: int\nN = 2\n", "", "again on line 4"),
    # Any scope counts, so that no scoping rule of Python needs to be known.
    "a function's own variable": ("N = 2\ndef f():\n    N = 5\n", "", "again on line 5"),
    "a parameter": ("N = 2\ndef f(N):\n    pass\n", "", "again on line 4"),
    "a parameter of a lambda": ("N = 2\nf = lambda N: N\n", "", "again on line 4"),
    "a class's own name": ("N = 2\nclass C:\n    N = 5\n", "", "again on line 5"),
    "a comprehension's variable": ("N = 2\nL = [N for N in range(5)]\n", "", "again on line 4"),
    "nonlocal": ("N = 2\ndef f():\n    def g():\n        nonlocal N\n", "", "again on line 6"),
    # Code that binds names which it does not spell.
    "globals": ("N = 1\nglobals()['N'] = 5\n", "", "`globals` on line 4 may bind any name"),
    "vars": ("N = 1\nvars()['N'] = 5\n", "", "`vars` on line 4"),
    "locals": ("N = 1\nlocals()['N'] = 5\n", "", "`locals` on line 4"),
    "exec": ("N = 1\nexec('N = 5')\n", "", "`exec` on line 4"),
    "exec under another name": ("N = 1\nrun = exec\nrun('N = 5')\n", "", "`exec` on line 4"),
    "eval": ("N = 1\neval('(N := 5)')\n", "", "`eval` on line 4"),
    "the module's own dict": (
        "N = 1\nimport sys\nsys.modules[__name__].__dict__['N'] = 5\n", "", "`.(__dict__|modules)` on line 5"),
    "the module itself": ("N = 1\nimport sys\nsys.modules[__name__].N = 5\n", "", "`.modules` on line 5"),
    "setattr": ("N = 1\nimport sys\nsetattr(sys, 'N', 5)\n", "", "`setattr` on line 5"),
    "a function's globals": ("N = 1\ndef f():\n    pass\nf.__globals__['N'] = 5\n", "", "`.__globals__` on line 6"),
    # Not plainly, or not yet.
    "a constant below": ("", "N = 1\n", "N has no value yet: it is bound below, on line 6"),
    "in a block": ("if len('ab') == 2:\n    N = 2\n", "", "bound on line 4, and not by a plain statement"),
    "in a function": ("def f():\n    N = 2\n", "", "bound on line 4, and not by a plain statement"),
    "a value taken apart": ("T = (1, 2)\nM, N = T\n", "", "bound on line 4, and not by a plain statement"),
    "a starred target": ("M, *N = 1, 2\n", "", "bound on line 3, and not by a plain statement"),
    # Dicts that other code may change.
    "a dict and a method": ("N = {1: 2}\nN.update({3: 4})\n", "", "N is a dict that line 4 may change"),
    "a part of a dict": ("N = {1: 2}\nN[3] = 4\n", "", "again on line 4"),
    "a part of a dict, in a function": ("N = {1: 2}\ndef f():\n    N[3] = 4\n", "", "again on line 5"),
    "a dict under another name": ("N = {1: 2}\nM = N\nM[3] = 4\n", "", "a dict that line 4 may change"),
    "a dict in a tuple": ("N = ({1: 2},)\nM = N[0]\nM[3] = 4\n", "", "a dict that line 4 may change"),
    "a dict that is only looked at": ("N = {1: 2}\nM = len(N)\n", "", "a dict that line 4 may change"),
    # No literals.
    "a quotient": ("N = 1 / 3\n", "", "N is not a plain constant: .*:3:5: this is not a literal"),
    "a sum": ("M = 1\nN = M + 1\n", "", "N is not a plain constant: .*:4:5: this is not a literal"),
    "another constant": ("M = 1\nN = M\n", "", "N is not a plain constant: .*:4:5: this is not a literal"),
    "a fraction of a float": ("N = Fraction(0.1)\n", "", "this is not a literal"),
    "a number that Python rounds": ("N = 0.1000000000000000000001\n", "", "Python rounds this number"),
    "text with values": ("N = f'{1}'\n", "", "this is not a literal"),
    "a list": ("N = [1, 2]\n", "", "a list is not a value of programs .write a tuple"),
    "a call": ("N = len('ab')\n", "", "this is not a literal"),
    "None": ("N = None\n", "", "None is not a value of programs"),
}  # fmt: skip


@pytest.mark.parametrize(("above", "below", "message"), BOUND_AGAIN.values(), ids=BOUND_AGAIN.keys())
def test_what_breaks_the_rule_is_refused(tmp_path: Path, above: str, below: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + above + MAIN.format(read="N") + below)
    # What may bind any name is reported at the first name that is read, the program's own in a file.
    line = r"\d+:\d+" if message.startswith("`") else f"{(HEAD + above).count(chr(10)) + 3}:15"
    with pytest.raises(ProgramError, match=rf"protocol\.py:{line}: .*({message})") as caught:
        load_program(path, "main")
    assert all(defect.fix for defect in caught.value.defects)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="`type` is a statement from Python 3.12 on")
def test_a_type_alias_binds_its_name(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + "N = 1\ntype N = int\n" + MAIN.format(read="N"))
    with pytest.raises(ProgramError, match="again on line 4"):
        load_program(path, "main")


CONSTANT = {
    "a tuple target": ("LO, HI = -6, 6\nN = (0, 1)\n", "((0, 1), 0)"),
    "a nested target": ("(A, (N, B)), C = (1, (2, 3)), 4\n", "(2, 0)"),
    "two targets": ("M = N = 2\n", "(2, 0)"),
    "an annotation": ("N: int = 2\n", "(2, 0)"),
    "a negative number": ("N = -2\n", "(-2, 0)"),
    "an attribute of that name": ("N = 2\nclass C:\n    pass\nC.N = 5\n", "(2, 0)"),
    "a keyword of that name": ("N = 2\nD = dict(N=5)\n", "(2, 0)"),
    "a name that another loop binds": ("N = 2\nfor M in range(3):\n    pass\n", "(2, 0)"),
    "a dict that only programs read": ("N = {1: 2}\n", "({1: 2}, 0)"),
    "a fraction": ("N = Fraction(1, 3)\n", "(1/3, 0)"),
    "a fraction of text": ("N = Fraction('-2/6')\n", "(-1/3, 0)"),
    "a whole fraction": ("N = Fraction(4, 2)\n", "(2, 0)"),
    "decimals": ("N = (0.5, -0.25, 1e-3)\n", "((1/2, -1/4, 1/1000), 0)"),
    "text": ("N = 'a' 'b'\n", "('ab', 0)"),
    "a dict of tuples": ("N = {'a': (1, True)}\n", "({'a': (1, True)}, 0)"),
}  # fmt: skip


def shown(chain: Chain) -> str:
    return chain.labels[1]


@pytest.mark.parametrize(("above", "letter"), CONSTANT.values(), ids=CONSTANT.keys())
def test_a_file_and_its_import_agree_on_constants(tmp_path: Path, above: str, letter: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + above + MAIN.format(read="N"))
    chains = [read.chain([{"x": 0}]) for read in (load_program(path, "main"), imported(path))]
    assert chains[0] == chains[1]
    assert shown(chains[0]) == letter


LIVE = {
    "a second assignment below": ("N = 1\n", "N = 2\n", "(1, 0)"),
    "a second assignment above": ("N = 1\nN = 2\n", "", "(2, 0)"),
    "a loop": ("for N in range(3):\n    pass\n", "", "(2, 0)"),
    "a dict that is changed below": ("N = {1: 2}\n", "N[3] = 4\n", "({1: 2}, 0)"),
    "a computed constant": ("N = sum(range(4))\n", "", "(6, 0)"),
    "a decimal that is computed": ("N = 1 / 4\n", "", "(1/4, 0)"),
}


@pytest.mark.parametrize(("above", "below", "letter"), LIVE.values(), ids=LIVE.keys())
def test_a_decorated_function_takes_the_values_of_that_moment(
    tmp_path: Path, above: str, below: str, letter: str
) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + above + MAIN.format(read="N") + below)
    assert shown(imported(path).chain([{"x": 0}])) == letter


@pytest.mark.parametrize("value", ["1 / 3", "0.1 + 0.2", "(1, 2 / 3)", "{'a': -1e-7 / 3}"])
def test_a_float_that_python_has_rounded_is_no_constant(tmp_path: Path, value: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + f"N = {value}\n" + MAIN.format(read="N"))
    with refuses(ProgramError, "which Python rounded"):
        imported(path)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("def program(f):\n    return f\n", "not a program"),
        ("from deltachain import program\ndef program(f):\n    return f\n", "program is bound on line 1 and again on"),
        ("from deltachain import program\nprogram = print\n", "program is bound on line 1 and again on line 2"),
        ("program = print\n", "program is not deltachain's"),
        ("class deltachain:\n    program = print\n", "deltachain is bound on line 1, and not by a plain statement"),
        ("from elsewhere import program\n", "imported from elsewhere.program"),
        ("from .deltachain import program\n", "imported from .deltachain.program"),
        ("import elsewhere as deltachain\n", "imported from elsewhere"),
        ("import deltachain\ndeltachain.program = print\n", "deltachain is bound on line 1 and again on line 2"),
        ("if 1:\n    from deltachain import program\n", "program is bound on line 2, and not by a plain statement"),
    ],
)
def test_only_our_decorator_makes_a_program(tmp_path: Path, head: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    decorator = "deltachain.program" if "deltachain" in head and "import program" not in head else "program"
    path.write_text(f"{head}@{decorator}\ndef main(x):\n    announce(x)\n")
    with pytest.raises(ProgramError, match=message):
        load_program(path, "main")
    assert program_names(path) == ()


@pytest.mark.parametrize(
    ("head", "prefix"),
    [
        ("import deltachain as dc", "dc."),
        ("import deltachain", "deltachain."),
        ("import deltachain.programs", "deltachain.programs."),
        ("import deltachain.programs as p", "p."),
        ("from deltachain import programs as p", "p."),
        ("from deltachain import *", ""),
        ("from deltachain.programs import announce, flip, program", ""),
    ],
)
def test_primitives_through_a_module(tmp_path: Path, head: str, prefix: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(
        f"{head}\nimport fractions\nHALF = fractions.Fraction(1, 2)\n"
        f"@{prefix}program\ndef helper(v):\n    {prefix}announce(value=v)\n    return {prefix}flip(HALF)\n"
        f"@{prefix}program\ndef main(x):\n    {prefix}announce(helper(x) == {prefix}flip(p=fractions.Fraction(1, 3)))\n"
    )
    chains = [read.chain([{"x": 0}]) for read in (load_program(path, "main"), imported(path))]
    assert chains[0] == chains[1]
    assert sorted(chains[0].labels) == ["0", "False", "True", "end", "start"]
    assert program_names(path) == ("helper", "main")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("dc.announce = 3", "dc is bound on line 1 and again on line 4|attribute access"),
        ("dc.load('x')", "imported from deltachain.load|not a program"),
        ("announce = dc.announce", "dc.announce is a function, not a value"),
        ("y = dc", "dc is a module, not a value"),
        ("y = dc.announce(x)", "has no value"),
        ("dc.program(x)", "cannot be called"),
        ("dc.nothing(x)", "imported from deltachain.nothing|has no nothing"),
        ("dc.programs.flip.x(1)", "attribute access"),
    ],
)
def test_other_members_of_a_module_are_refused(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(f"import deltachain as dc\n@dc.program\ndef main(x):\n    {body}\n")
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match=rf"protocol\.py:\d:\d+: .*({message})"):
            read()


@pytest.mark.parametrize(
    ("above", "default", "message"),
    [
        ("", "1 / 3", "this is not a literal"),
        ("", "[1]", "a list is not a value of programs"),
        ("N = 1\nN = 2\n", "N", "N is bound on line 3 and again on line 4"),
        ("", "announce", "this is not a literal"),
        ("D = {1: 2}\nD.clear()\n", "D", "D is a dict that line 4 may change"),
    ],
)
def test_defaults_follow_the_rule_too(tmp_path: Path, above: str, default: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(f"{HEAD}{above}@program\ndef main(x, p={default}):\n    announce(p)\n")
    with pytest.raises(ProgramError, match=message):
        load_program(path, "main")


def test_live_defaults_are_not_rounded(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(f"{HEAD}@program\ndef main(x, p=1 / 3):\n    announce(p)\n")
    with refuses(ProgramError, "the default of"):
        imported(path)


def test_a_helper_below_is_refused_in_both(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + MAIN.format(read="helper(x)") + "@program\ndef helper(v):\n    return v\n")
    with refuses(ProgramError, "is bound below"):
        load_program(path, "main")
    with pytest.raises(ProgramError, match="unknown name 'helper'"):
        imported(path)


def test_a_builtin_that_the_file_rebinds_is_not_the_builtin(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    for above, below in (("max = min\n", ""), ("", "max = min\n"), ("def max(*a):\n    return 0\n", "")):
        path.write_text(HEAD + above + MAIN.format(read="max(1, 2)") + below)
        with pytest.raises(ProgramError):
            load_program(path, "main")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="functions have type parameters from Python 3.12 on")
def test_a_type_parameter_is_not_the_constant_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + "N = 1\n@program\ndef main[N](x):\n    announce((N, x))\n")
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match=r"protocol\.py:5:10: type parameters are not in the language"):
            read()
