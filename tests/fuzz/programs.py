"""Programs as whole files: refused, or with the law that running the file as Python gives, letter for letter.

A case is the text of a file and two secrets. Its top level binds names plainly, binds some again in every way that
Python has, and defines helpers and decoys; the program announces what it reads. The file is loaded without running
it, really imported, and run by `enumerate_file_paths`, path by path: a file that is loaded means what it does when it
is run, an imported one what it does with the values that names have when functions are decorated.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import warnings
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from deltachain.model import Chain
from deltachain.model.words import words
from deltachain.programs import Program, ProgramError, load_program
from deltachain.programs.run import explore
from tests.fuzz.driver import FuzzClass
from tests.reference.enumerate_file_paths import file_letter_law
from tests.reference.enumerate_program_paths import TooManyPaths
from tests.reference.interactive import answered_words

Case = dict[str, Any]

CONSTANTS = ("N", "M", "K", "max", "HELP")
LITERALS = [
    *("0", "1", "2", "True", "False", "-1", "'a'", "(1, 2)", "(True, 1)", "()", "{1: 2, 3: 4}", "{3: 4, 1: 2}", "{}"),
    *("'1'", "({1: 2},)", "{1: {2: 3}}", "((1, 2), (3, 'b'))", "-True"),
]
VALUES = [
    *LITERALS,
    *("range(0, 3, 2)", "range(0, 4, 2)", "range(0)", "range(1, 1)", "range(2, 0, -1)"),
    *("2 ** 3 - 1", "len((1, 2))", "'b' + str((1, 'c'))", "f'{1}{True}'"),
]
# Numbers that are not whole have other texts in Python, so they are kept apart and announced as they are.
RATIONALS = [
    "Fraction(1, 3)",
    "0.5",
    "0.1",
    "1 / 3",
    "1 / 2",
    "0.1 + 0.2",
    "1 - Fraction(1, 4)",
    "'2/5'",
    "2 ** -1",
    "1",
]
# Ways to bind {n} again, to change what it stands for, or to look as if: {v} is a value, {o} another constant.
AGAIN = [
    "{n} = {v}", "{n}, {o} = {v}, {v}", "{o} = ({n} := {v})", "({n} := {v})", "def f_(a=({n} := {v})):\n    pass",
    "def f_():\n    global {n}\n    {n} = {v}\nf_()", "def f_():\n    global {n}\n    {n} = {v}", "del {n}",
    "for {n} in ({v}, {v}):\n    pass", "for i_, {n} in ((1, {v}),):\n    pass", "{n} = {o} = {v}",
    "try:\n    1 // 0\nexcept ZeroDivisionError as {n}:\n    pass", "try:\n    {n} = {v}\nfinally:\n    pass",
    "from contextlib import nullcontext\nwith nullcontext({v}) as {n}:\n    pass", "{n} += 1", "{n} |= {{5: 6}}",
    "if len('ab') == 2:\n    {n} = {v}", "if len('ab') == 3:\n    {n} = {v}", "L_ = [{n} := k_ for k_ in range(2)]",
    "class C_:\n    {n} = {v}", "class C_:\n    global {n}\n    {n} = {v}", "class {n}:\n    pass",
    "import math as {n}", "from math import *", "from math import inf as {n}", "def {n}(*a):\n    return 7",
    "match {v}:\n    case {n}:\n        pass", "match (1, {v}):\n    case [_, *{n}]:\n        pass",
    "globals()['{n}'] = {v}", "exec('{n} = {v}', {{'Fraction': Fraction}})", "exec('''{n} = {v}''')",
    "vars()['{n}'] = {v}", "def f_():\n    globals().update({n}={v})\nf_()", "[{n} for {n} in range(3)]",
    "def f_():\n    {n} = {v}\n    return {n}\nf_()", "(lambda {n}: {n})(3)", "(lambda: ({n} := {v}))()",
    "{n}[5] = {v}", "{o} = {n}", "{n}.update({{5: 6}})", "{o} = {n}\n{o}[5] = 6", "{n}[1].update({{5: 6}})",
    "def f_(d):\n    d[5] = 6\n    return d\n{o} = f_({n})", "{o} = {n} | {{5: 6}}\n{o}[1] = 7", "{o} = len({n})",
    "while True:\n    {n} = {v}\n    break", "{n}: int = {v}", "{n}: int", "{o} = max(1, 2)", "max = min",
    "@(lambda f: ({n} := {v}))\ndef f_():\n    pass", "def f_(a: ({n} := {v}) = 1):\n    pass", "len = max",
    "from fractions import Fraction as {n}", "announce = lambda value: None", "def program(f):\n    return f",
    "from deltachain import *", "import deltachain as dc\ndc.announce = lambda value: None", "import deltachain as {n}",
    "from deltachain import announce as announce", "{o}, *{n} = {v}, 1, 2", "[{n}, {o}] = [{v}, {v}]",
]  # fmt: skip
HEADS = [
    "from deltachain import announce, ask, choose, flip, program, uniform\n",
    "import deltachain as dc\nfrom deltachain import announce, ask, choose, flip, program, uniform\n",
    "from deltachain import *\n",
    (
        "from deltachain.programs import announce, ask, choose, flip, uniform\n"
        "import deltachain as dc\nprogram = dc.program\n"
    ),
    "from deltachain import announce, ask, choose, flip, uniform, program, program as protocol\n",
]
ANSWERS = ((0,), (1,), (2, 0))
"""How questions are answered: by the number of the option, over and over."""

SECRETS: list[Any] = [0, 1, True, (), (1, 2), {1: 2, 3: 4}, {3: 4, 1: 2}, range(0, 3, 2), range(0, 4, 2), "a"]


class _Writer:
    """Random text of a program; every expression that it writes is likely, not sure, to have a value."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def value(self) -> str:
        return self.pick(*VALUES)

    def literal(self) -> str:
        """Mostly what a constant of a file may be."""
        return self.pick(*LITERALS) if self.random.random() < 0.9 else self.value()

    def name(self) -> str:
        return self.pick("x", "x", "a", "b", "b", "N", "M", "K")

    def comprehension(self, depth: int) -> str:
        """``element for … in … if …``, whose variables may have the names of others."""
        own = self.pick("a", "b", "x", "k_")
        over = self.pick(
            "range(2)", "range(3)", "(1, True, 'a')", f"tuple({self.sized(0)})", "[1, 2]", "sorted((2, 1))"
        )
        clauses = f"for {own} in {over}"
        element = self.pick(own, f"({own}, {self.name()})", f"len(str({own}))", f"({own} == {self.expression(depth)})",
                            f"({own}, {self.expression(depth)})", f"(uniform(0, 1) if {own} else 2)")  # fmt: skip
        if self.random.random() < 0.3:
            clauses += self.pick(f" if {own} != 1", f" if flip('1/2') or {own} == 1", f" if len(str({own})) > 1")
        if self.random.random() < 0.2:
            clauses += f" for m_ in range(len(str({own})))"
            element = self.pick("m_", f"({own}, m_)", "flip('1/3')")
        if self.random.random() < 0.2:
            clauses = (
                f"for m_, {own} in {self.pick(f'enumerate({over})', f'zip({over}, {over})', f'enumerate({over}, 2)')}"
            )
            element = self.pick(element, f"({own}, m_)", "m_")
        return f"{element} {clauses}"

    def at_once(self, depth: int) -> str:
        """Comprehensions, lists and iterators, which are consumed where they stand."""
        c, n, m = self.comprehension(depth - 1), self.number(depth - 1), self.number(depth - 1)
        e, t = self.expression(depth - 1), self.sized(depth - 1)
        return self.pick(
            f"tuple({c})", f"tuple([{c}])", f"sum({n} for k_ in range(2))", f"sum(len(str(x)) for x in {t})",
            f"any({c})", f"all({c})", f"any([{c}])", f"max({c})", f"min({c})", f"len([{c}])", f"tuple(sorted({c}))",
            f"sum({c})", f"sum([{n}, {m}])", f"max([{n}, {m}])", f"[{e}, {n}][{m}]", f"({e} in [{e}, {n}])",
            f"tuple(enumerate({t}))", f"tuple(zip({t}, {t}))", f"tuple(zip(range(2), ({n}, {m}), strict=True))",
            f"tuple(enumerate([{e}], start={n}))", f"all(len(str(a)) < 3 for a in {t})",
            "sum(flip(P) for _ in range(2))",
            f"max(uniform(0, 1) + a for a in range({n}))", "tuple(helper(a) for a in range(2))",
        )  # fmt: skip

    def sized(self, depth: int) -> str:
        """Probably a tuple, a dict or a range."""
        e = self.expression(depth - 1) if depth > 0 else self.name()
        return self.pick(
            "(1, True)", "{1: 2, 3: 4}", "range(0, 3, 2)", self.name(), f"({e}, 1)", f"{{1: {e}}}", f"({e},)[:1]"
        )

    def number(self, depth: int) -> str:
        """Surely a small int or bool."""
        e = self.expression(depth - 1) if depth > 0 else self.name()
        return self.pick(
            "0", "1", "2", "True", f"(len(str({e})) % 3)", f"({e} == 1)", f"bool({e})", "uniform(0, 1)", "flip(P)"
        )

    def expression(self, depth: int) -> str:
        """An expression over the variables, the constants, draws and helpers."""
        if depth <= 0:
            return self.pick(self.name(), self.name(), f"({self.value()})")
        if self.random.random() < 0.15:
            return self.at_once(depth)
        e, f = self.expression(depth - 1), self.expression(depth - 1)
        n, m, t = self.number(depth - 1), self.number(depth - 1), self.sized(depth - 1)
        return self.pick(
            f"({e}, {f})", f"({e} == {f})", f"str({e})", f"f'{{{self.name()}}}'", f"tuple({t})", f"len({t})",
            f"{{{n}: {f}}}", f"({{1: {e}}} | {{{n}: 2}})",
            f"({n} + {m})", f"({e} if {self.condition(depth - 1)} else {f})",
            f"({n} and {f})", f"({t} or {f})", f"(not {n})", f"{t}[{n}]", f"{t}[1:]", f"range(3)[::-{m}]",
            f"max({n}, {m})",
            f"({e} in {t})", f"(0 <= len(str({e})) < 3)", f"tuple(sorted(({n}, {m})))", f"sorted({t})",
            f"sum(({n}, {m}))", f"bool({e})", f"int({n})",
            f"range({n})", f"range(0, {n}, 2)", "uniform(0, 1)", "flip('1/3')", "choose({'a': '1/4', 2: '3/4'})",
            f"ask({n}, {e})", f"ask(*{t}, 'q')", "ask('a', 1, (2, 3))", f"ask({n}, 7, 'b')",
            f"helper({e})", f"helper(v={e}, w={f})", f"({e} | {f})", f"min({e}, {f})", f"({t} * 2)", f"({e} + {f})",
            f"({n} <= uniform(0, 2) < {m} + flip(P))", f"({n} < {m} <= uniform(0, 1) == {n})",
            f"({n} - {m})", f"any({t})", f"all(({n}, {m}))", f"(-{n})", f"abs({n} - 2)", f"(('a', {e}) + ({f},))",
        )  # fmt: skip

    def condition(self, depth: int) -> str:
        return self.pick(
            f"{self.expression(depth)} == {self.expression(depth)}", "flip('1/2')", f"len(str({self.name()})) < 3"
        )

    def statements(self, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            e = self.expression(self.random.randint(0, 2))
            if self.random.random() < 0.04:
                lines.append(f"{indent}assert {self.condition(1)}")
            elif self.random.random() < 0.04:
                condition = self.pick("str(x) != '2'", "N == N", "len(str(x)) < 30", "M != 7")
                lines.append(f"{indent}assert {condition}")
            kind = self.random.randrange(11 if depth else 6)
            if kind < 2:
                lines.append(f"{indent}announce({self.pick('str', '', '', 'bool')}({e}))")
            elif kind < 4:
                lines.append(f"{indent}{self.pick('a', 'b')} = {e}")
            elif kind == 4:
                lines.append(f"{indent}a, b = {e}, {self.expression(1)}")
            elif kind == 5:
                lines.append(f"{indent}{self.pick('a', 'b')} = {self.pick('b', '0')}")
                lines.append(f"{indent}announce(P)" if depth else f"{indent}announce((a, b))")
            elif kind == 6:
                lines += [f"{indent}if {self.condition(1)}:", *self.statements(depth - 1, indent + "    ")]
                lines += [f"{indent}else:", *self.statements(depth - 1, indent + "    ")] if len(lines) % 2 else []
            elif kind == 7:
                over = self.pick("range(2)", "(1, True)", f"tuple({self.sized(0)})", f"range({self.number(0)})", "()")
                target = self.pick("a", "b")
                if self.random.random() < 0.2:
                    target = self.pick("a, b", "b, a")
                    over = self.pick(
                        f"enumerate({over})", f"zip({over}, {over})", "enumerate([1, 'b'], 1)", "[(1, 2), (b, a)]"
                    )
                lines += [f"{indent}for {target} in {over}:", *self.statements(depth - 1, indent + "    ")]
                if self.random.random() < 0.3:
                    lines += [
                        f"{indent}    if {self.condition(0)}:",
                        f"{indent}        {self.pick('break', 'continue')}",
                    ]
            elif kind == 8:
                lines += self.loop(depth, indent)
            elif kind == 9:
                for word in ("if", "elif", "elif"):
                    lines += [f"{indent}{word} {self.condition(1)}:", *self.statements(depth - 1, indent + "    ")]
                lines += [f"{indent}else:", f"{indent}    a = {e}"] if self.random.random() < 0.5 else []
            else:
                # What main returns is not evaluated, since nobody sees it.
                lines += [f"{indent}if {self.condition(0)}:", f"{indent}    return"]
        return lines

    def loop(self, depth: int, indent: str) -> list[str]:
        """A loop that may be left early, or begun anew, or gone on after by ``else``."""
        counter, inner = f"w{depth}_", indent + "    "
        heads = [f"{indent}{counter} = 0", f"{indent}while {counter} < 2:", f"{inner}{counter} = {counter} + 1"]
        lines = self.random.choice((heads, [f"{indent}for {counter} in (1, 2):"])).copy()
        for _ in range(2):
            lines += self.statements(depth - 1, inner)
            if self.random.random() < 0.5:
                left = self.pick("break", "continue", "return")
                lines += [f"{inner}if {self.condition(0)}:", f"{inner}    {left}"]
        if self.random.random() < 0.5:
            lines += [f"{indent}else:", *self.statements(depth - 1, inner)]
        return lines

    def top_level(self) -> list[str]:
        """Constants, and things that may bind them again."""
        lines = [f"{name} = {self.literal()}" for name in ("N", "M", "K") if self.random.random() < 0.97]
        lines.append(f"P = {self.pick('Fraction(1, 3)', '0.5', '0.125', *RATIONALS)}")
        if self.random.random() < 0.3:
            lines.append("N, M = -6, 6") if not lines else lines.append("LO, HI = -6, 6")
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            pattern = self.pick(*AGAIN)
            lines.append(pattern.format(n=self.pick("N", "M", "K"), o=self.pick("N", "M", "K", "J_"), v=self.value()))
        self.random.shuffle(lines) if self.random.random() < 0.2 else None
        return lines


def file_case(random: Random) -> Case:
    """The text of a file with a program ``main``, and two secrets."""
    writer = _Writer(random)
    above, below = writer.top_level(), writer.top_level() if random.random() < 0.15 else []
    decorator = (
        writer.pick("program", "program", "program", "dc.program", "protocol") if random.random() < 0.3 else "program"
    )
    helper = ["@program", f"def helper(v, w={writer.pick('1', 'N', writer.value())}):"]
    helper += writer.pick(
        "    if flip('1/3'):\n        announce((w, 'h'))\n        return v\n    return w",
        "    return (v, w)",
        "    for u in range(2):\n        v = (v, u)\n    return v",
        "    announce(N)\n    return choose({v: '1/2', 'n': '1/2'})",
    ).split("\n")
    default = f", y={writer.pick('1', 'N', 'M', writer.value())}" if random.random() < 0.5 else ""
    main = [f"@{decorator}", f"def main(x{default}):", "    a = b = 0", *writer.statements(2, "    ")]
    main.append(f"    announce(({writer.name()}, {'y' if default else 'N'}))")
    if random.random() < 0.7:
        read = writer.pick("N", "M", "K")
        main += [
            "    announce('w')",
            f"    announce({writer.pick('str', 'bool', 'tuple')}({writer.pick('x', 'a', 'b', read)}))",
        ]
    head = writer.pick(*HEADS) + "from fractions import Fraction"
    parts = [[head], above, helper, main, below]
    if random.random() < 0.05:
        parts[2], parts[3] = parts[3], parts[2]
    text = "\n".join(line for part in parts for line in part) + "\n"
    return {"text": text, "secrets": random.sample(SECRETS, 2)}


def check_file(case: Case) -> str:
    """Loaded, imported and run: whoever accepts the file says what Python does."""
    text, secrets = case["text"], [{"x": x} for x in case["secrets"]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "protocol.py"
        path.write_text(text)
        loaded, imported = _chain(lambda: load_program(path, "main"), secrets), _imported(path, secrets)
        if isinstance(loaded, Chain) and isinstance(imported, str):
            # An import needs all the programs of the file, main only those that it calls.
            other = _chain(lambda: load_program(path, "helper"), [{"v": 1}])
            assert isinstance(other, str), f"the file is accepted, and its import is not: {imported}"
        if isinstance(loaded, Chain):
            with mock.patch.object(explore, "MANY_OUTCOMES", 1):
                again = _chain(lambda: load_program(path, "main"), secrets)
            assert again == loaded, "preparing what follows a draw changes the chain"
    if imported is CANNOT_BE_IMPORTED:
        return "not Python"
    if isinstance(loaded, Chain) and isinstance(imported, Chain):
        assert loaded == imported, "the file and its import have different chains"
    found = loaded if isinstance(loaded, Chain) else imported
    if not isinstance(found, Chain):
        return "refused"
    live = not isinstance(loaded, Chain)
    for number, secret in enumerate(secrets):
        for answers in ANSWERS if found.interactive else ANSWERS[:1]:
            try:
                law = file_letter_law(text, "main", secret, answers=answers, live=live)
            except TooManyPaths:
                return "too many paths"
            except Exception as error:
                raise AssertionError(f"accepted, and Python fails: {type(error).__name__}: {error}") from error
            _compare(found, number, law, answers)
    asked = ", and asks" if found.interactive else ""
    return f"agreed{asked}, as imported" if live else f"agreed{asked}"


def _compare(chain: Chain, start: int, expected: dict[tuple[str, ...], Fraction], answers: Sequence[int]) -> None:
    longest = max(map(len, expected)) + 2
    padded = {("start", *word, *["end"] * (longest - 1 - len(word))): p for word, p in expected.items()}
    found = answered_words(chain, start, longest, answers) if chain.interactive else dict(words(chain, start, longest))
    assert found == padded, f"secret {start + 1}: found {found}, and Python says {padded}"


def _chain(make: Any, secrets: list[dict[str, Any]]) -> Chain | str:
    try:
        program: Program = make()
        return program.chain(secrets, max_states=5_000)
    except ProgramError as error:
        if not all(defect.what and ("protocol.py" in defect.where) for defect in error.defects):
            raise ValueError("a refusal without its place") from error
        return str(error)


CANNOT_BE_IMPORTED = object()


def _imported(path: Path, secrets: list[dict[str, Any]]) -> object:
    """The chain of the file when it is really imported, why it is refused, or None if main is then no program."""
    before = dict(sys.modules["deltachain"].__dict__)
    name = "protocol_of_the_fuzzer"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks on odd text
            spec.loader.exec_module(module)
        main = module.main
    except ProgramError as error:
        return str(error)
    except Exception:
        return CANNOT_BE_IMPORTED
    finally:
        del sys.modules[name]
        # The file may have replaced a function of ours.
        deltachain = sys.modules["deltachain"].__dict__
        for key in deltachain.keys() - before.keys():
            del deltachain[key]
        deltachain.update(before)
    return _chain(lambda: main, secrets) if isinstance(main, Program) else None


CASES = [FuzzClass("programs as whole files", file_case, check_file)]
