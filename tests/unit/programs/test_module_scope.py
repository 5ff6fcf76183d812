"""What a program may read from its file: names that nothing binds again. A file and its import agree."""

from __future__ import annotations

import importlib.util
import sys
from itertools import count
from pathlib import Path

import pytest

from deltachain.model import Chain
from deltachain.programs import Program, ProgramError, load_program, program_names

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


# (what the file does around the program, the line that the error names). `N` is bound on line 3.
BOUND_AGAIN = {
    "a second assignment": ("N = 1\n", "N = 2\n", "again on line 7"),
    "a star import": ("N = 1\nfrom math import *\n", "", "`from math import \\*` on line 4"),
    "a star import below": ("N = 1\n", "from math import *\n", "`from math import \\*` on line 7"),
    "a walrus in an assignment": ("N = 1\nM = (N := 5)\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in a default": ("N = 1\ndef f(a=(N := 5)):\n    pass\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in a decorator": ("N = 1\n@(N := 5, lambda f: f)[1]\ndef f(a):\n    pass\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in an annotation": ("N = 1\ndef f(a: (N := 5)):\n    pass\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in a base class": ("N = 1\nclass C((N := 5, object)[1]):\n    pass\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in a comprehension": ("N = 1\nL = [N := k for k in range(3)]\n", "", "line 4 \\(`:=`\\)"),
    "a walrus on a line of its own": ("N = 1\n(N := 5)\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in a condition": ("N = 1\nif (N := 5):\n    pass\n", "", "line 4 \\(`:=`\\)"),
    "a walrus in the default of a lambda": ("N = 1\nf = lambda a=(N := 5): a\n", "", "line 4 \\(`:=`\\)"),
    "global in a function that is called": (
        "N = 1\ndef f():\n    global N\n    N = 5\nf()\n", "", "line 5 \\(`global`\\)"),
    "global in a nested function": (
        "N = 1\ndef f():\n    def g():\n        global N\n        N = 5\n    g()\nf()\n", "", "line 6 \\(`global`\\)"),
    "global in a class body": ("N = 1\nclass C:\n    global N\n    N = 5\n", "", "line 5 \\(`global`\\)"),
    "global in a method": (
        "N = 1\nclass C:\n    def f(self):\n        global N\n        N = 5\nC().f()\n", "", "line 6 \\(`global`\\)"),
    "del": ("N = 1\nM = N\ndel N\nN = M\n", "", "line 5 \\(`del`\\)"),
    "del below": ("N = 1\n", "del N\n", "line 7 \\(`del`\\)"),
    "a for target": ("N = 1\nfor N in range(3):\n    pass\n", "", "line 4 \\(a `for` loop\\)"),
    "a for target that unpacks": ("N = 1\nfor M, (N, *K) in ():\n    pass\n", "", "line 4 \\(a `for` loop\\)"),
    "a with target": (
        "N = 1\nfrom contextlib import nullcontext\nwith nullcontext(5) as N:\n    pass\n", "", "line 5 \\(a `with`"),
    "an except target": (
        "N = 1\ntry:\n    1 / 0\nexcept ZeroDivisionError as N:\n    pass\nN = 3\n", "", "line 6 \\(a `try` statement"),
    "an augmented assignment": ("N = 1\nN += 1\n", "", "line 4 \\(an augmented assignment"),
    "a tuple target": ("N = 1\nM, N = 2, 3\n", "", "again on line 4"),
    "a tuple target that takes a value apart": ("T = (1, 2)\nM, N = T\n", "", "line 4 \\(an assignment that takes"),
    "a starred target": ("M, *N = 1, 2\n", "", "line 3 \\(an assignment that takes"),
    "a conditional assignment": ("N = 1\nif len('ab') == 2:\n    N = 2\n", "", "line 5 \\(a conditional assignment"),
    "an assignment in a while loop": (
        "N = 1\nwhile N == 1:\n    N = 2\n", "", "line 5 \\(a conditional assignment"),
    "an assignment in a try block": (
        "N = 1\ntry:\n    N = 2\nfinally:\n    pass\n", "", "line 5 \\(a conditional assignment"),
    "an import under that name": ("N = 1\nimport math as N\nN = 3\n", "", "again on line 4"),
    "an import from under that name": ("N = 1\nfrom math import pi as N\n", "", "again on line 4"),
    "an import of a package": ("N = 1\nimport os.path as N\nN = 3\n", "", "again on line 4"),
    "a def under that name": ("N = 1\ndef N():\n    pass\nN = 2\n", "", "again on line 4"),
    "an async def under that name": ("N = 1\nasync def N():\n    pass\nN = 2\n", "", "line 4 \\(an `async def`"),
    "a class under that name": ("N = 1\nclass N:\n    pass\nN = 2\n", "", "line 4 \\(a class"),
    "a conditional def": ("N = 1\nif N:\n    def N():\n        pass\nN = 2\n", "", "line 5 \\(a conditional def"),
    "a match capture": ("N = 1\nmatch 5:\n    case N:\n        pass\n", "", "line 5 \\(a `match` statement"),
    "a match as": ("N = 1\nmatch 5:\n    case int() as N:\n        pass\n", "", "line 5 \\(a `match` statement"),
    "a match star": ("N = 1\nmatch (5, 6):\n    case [_, *N]:\n        pass\n", "", "line 5 \\(a `match` statement"),
    "a match mapping": ("N = 1\nmatch {1: 2}:\n    case {**N}:\n        pass\n", "", "line 5 \\(a `match` statement"),
    "globals": ("N = 1\nglobals()['N'] = 5\n", "", "`globals` on line 4 may bind any name"),
    "globals in a function": ("N = 1\ndef f():\n    globals()['N'] = 5\nf()\n", "", "`globals` on line 5"),
    "vars": ("N = 1\nvars()['N'] = 5\n", "", "`vars` on line 4"),
    "locals": ("N = 1\nlocals()['N'] = 5\n", "", "`locals` on line 4"),
    "exec": ("N = 1\nexec('N = 5')\n", "", "`exec` on line 4"),
    "exec under another name": ("N = 1\nrun = exec\nrun('N = 5')\n", "", "`exec` on line 4"),
    "eval": ("N = 1\neval('(N := 5)')\n", "", "`eval` on line 4"),
    "the module's own dict": (
        "N = 1\nimport sys\nsys.modules[__name__].__dict__['N'] = 5\n", "", "`.__dict__` on line 5"),
    "setattr of the module": ("N = 1\nimport sys\nsetattr(sys.modules[__name__], 'N', 5)\n", "", "`setattr` on line 5"),
    "a function's globals": ("N = 1\ndef f():\n    pass\nf.__globals__['N'] = 5\n", "", "`.__globals__` on line 6"),
    "a constant below": ("", "N = 1\n", "N has no value yet: it is bound below, on line 6"),
    "a dict that is changed by a method": (
        "N = {1: 2}\nN.update({3: 4})\n", "", "N is a dict that line 4 may change"),
    "a dict that is changed in place": ("N = {1: 2}\nN[3] = 4\n", "", "line 4 \\(a part of it"),
    "a dict that is changed below": ("N = {1: 2}\n", "N[3] = 4\n", "line 7 \\(a part of it"),
    "a dict that is changed under another name": ("N = {1: 2}\nM = N\nM[3] = 4\n", "", "a dict that line 4 may change"),
    "a dict in a tuple": ("N = ({1: 2},)\nM = N[0]\nM[3] = 4\n", "", "a dict that line 4 may change"),
    "a dict in a dict": ("N = {1: {2: 3}}\nM = N | {}\nM[1][3] = 4\n", "", "a dict that line 4 may change"),
    "a dict that a function gets": (
        "N = {1: 2}\ndef f(d):\n    d[3] = 4\nf(N)\n", "", "a dict that line 6 may change"),
    "a dict that a comprehension changes": ("N = {1: 2}\nL = [0 for N[3] in (4,)]\n", "", "line 4 \\(a part of it"),
    "a dict that a function changes": (
        "N = {1: 2}\ndef f():\n    N[3] = 4\nf()\n", "", "line 5 \\(a part of it"),
    "a float": ("N = 1 / 3\n", "", "N is not exact: it is 1/3, and outside of programs Python makes it 33333333333333"),
    "a sum of floats": ("N = 0.1 + 0.2\n", "", "N is not exact: it is 3/10"),
    "a fraction of a float": ("N = Fraction(0.1)\n", "", "N is not exact: it is 1/10"),
    "the text of a float": ("N = str(0.5)\n", "", "N is not exact: it is '1/2', and .* '0.5'"),
    "the text of a tuple of fractions": ("N = str((Fraction(1, 2),))\n", "", "N is not exact"),
    "a float through a name": ("M = 0.1\nN = M * 3\n", "", "N is not exact: it is 3/10"),
}  # fmt: skip


@pytest.mark.parametrize(("above", "below", "message"), BOUND_AGAIN.values(), ids=BOUND_AGAIN.keys())
def test_what_may_be_bound_again_is_refused_in_a_file_and_in_its_import(
    tmp_path: Path, above: str, below: str, message: str
) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + above + MAIN.format(read="N") + below)
    # What may bind any name is reported at the first name that is read, the program's own in a file.
    line = r"\d+:\d+" if "import \\*" in message or "`" in message[:2] else f"{(HEAD + above).count(chr(10)) + 3}:15"
    place = rf"protocol\.py:{line}: "
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match=f"{place}.*{message}") as caught:
            read()
        assert all(defect.fix for defect in caught.value.defects)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="`type` is a statement from Python 3.12 on")
def test_a_type_alias_binds_its_name(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + "N = 1\ntype N = int\nN = 2\n" + MAIN.format(read="N"))
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match=r"line 4 \(a `type` statement"):
            read()


CONSTANT = {
    "a tuple target, once": ("LO, HI = -6, 6\nN = (LO, HI)\n", "((-6, 6), 0)"),
    "a nested target": ("(A, (N, B)), C = (1, (2, 3)), 4\n", "(2, 0)"),
    "two targets": ("M = N = 2\n", "(2, 0)"),
    "an annotation": ("N: int = 2\n", "(2, 0)"),
    "an annotation without a value": ("N: int\nN = 2\n", "(2, 0)"),
    "a function's own variable": ("N = 2\ndef f():\n    N = 5\n    return N\nf()\n", "(2, 0)"),
    "a walrus in a function": ("N = 2\ndef f():\n    return (N := 5)\nf()\n", "(2, 0)"),
    "a walrus in a lambda": ("N = 2\n(lambda: (N := 5))()\n", "(2, 0)"),
    "a class's own name": ("N = 2\nclass C:\n    N = 5\n    def f(self, N=3):\n        N = 4\n", "(2, 0)"),
    "a comprehension's variable": ("N = 2\nL = [N for N in range(5)]\n", "(2, 0)"),
    "an attribute of that name": ("N = 2\nclass C:\n    pass\nC.N = 5\n", "(2, 0)"),
    "a keyword of that name": ("N = 2\nD = dict(N=5)\n", "(2, 0)"),
    "a name that another loop binds": ("N = 2\nfor M in range(3):\n    pass\n", "(2, 0)"),
    "exec elsewhere": ("N = 2\nexec('N = 5', {})\n", "(2, 0)"),
    "setattr elsewhere": ("N = 2\nclass C:\n    pass\nsetattr(C, 'N', 5)\n", "(2, 0)"),
    "a dict that is only looked at": ("N = {1: 2}\nM = len(N)\nK = N | {3: 4}\nassert 1 in N\n", "({1: 2}, 0)"),
    "exact fractions": ("N = 1 - Fraction(1, 3) * 2\n", "(1/3, 0)"),
    "decimals": ("N = (0.5, -0.25, 1e-3)\n", "((1/2, -1/4, 1/1000), 0)"),
    "a half": ("N = 1 / 2\n", "(1/2, 0)"),
    "a whole number": ("N = Fraction(4, 2)\n", "(2, 0)"),
    "a constant of constants": ("A = 3\nN = max(A, 2) if A in (3, 4) and not A < 1 < 2 else f'{A}'\n", "(3, 0)"),
    "text": (
        "A = 'a'\nN = f'{A}{1}{True}' + str((A, range(3), {1: 2}))\n", "(\"a1True('a', range(0, 3), {1: 2})\", 0)"),
    "parts": ("A = (1, 2, 3)\nN = A[1:] + A[::-1] + (A[0],)\n", "((2, 3, 3, 2, 1, 1), 0)"),
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


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("def program(f):\n    return f\n", "not a program"),
        ("from deltachain import program\ndef program(f):\n    return f\n", "program is bound on line 1 and again on"),
        ("from deltachain import program\nprogram = print\n", "program is bound on line 1 and again on line 2"),
        ("program = print\n", "program is not deltachain's"),
        ("class deltachain:\n    program = print\n", "deltachain may be bound or changed on line 1"),
        ("from elsewhere import program\n", "imported from elsewhere.program"),
        ("from .deltachain import program\n", "imported from .deltachain.program"),
        ("import elsewhere as deltachain\n", "imported from elsewhere"),
        ("import deltachain\ndeltachain.program = print\n", "deltachain may be bound or changed on line 2"),
        ("import deltachain\nsetattr(deltachain, 'program', print)\n", "deltachain may be bound or changed on line 2"),
        ("if 1:\n    from deltachain import program\n", r"line 2 \(a conditional import\)"),
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
        ("import deltachain\nimport deltachain.programs", "deltachain.programs."),
        ("import deltachain.programs as p", "p."),
        ("from deltachain import programs as p", "p."),
        ("from deltachain import *", ""),
        ("from deltachain import announce, flip, program\nfrom deltachain import flip", ""),
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
        ("dc.announce = 3", "dc may be bound or changed on line 4|attribute access"),
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
        ("", "1 / 3", "1/3"),
        ("", "0.1 * 3", "3/10"),
        ("N = 1\nN = 2\n", "N", "N is bound on line 3 and again on line 4"),
        ("D = {1: 2}\nD.clear()\n", "D", "D is a dict that line 4 may change"),
    ],
)
def test_defaults_agree_too(tmp_path: Path, above: str, default: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(f"{HEAD}{above}@program\ndef main(x, p={default}):\n    announce(p)\n")
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match=message):
            read()


def test_a_helper_below_is_refused_in_both(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(HEAD + MAIN.format(read="helper(x)") + "@program\ndef helper(v):\n    return v\n")
    for read in (lambda: load_program(path, "main"), lambda: imported(path)):
        with pytest.raises(ProgramError, match="helper has no value yet: it is bound below, on line 7"):
            read()


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
