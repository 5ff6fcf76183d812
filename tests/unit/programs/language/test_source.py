"""Programs from files that are parsed and never run; values from text."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain.programs import ProgramError, load_program, parse_assignments, parse_value, program_names
from deltachain.programs.language.source import MAX_FILE_BYTES
from deltachain.programs.language.values import FrozenTable
from tests.words import refuses

DINING = """\
import deltachain
from deltachain import flip as toss, announce

raise SystemExit("the file is run")
P: str = "49/100"

@deltachain.program
def dining(paying, n=3, *, p=P):
    first = toss(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else toss(p)
        announce(previous == this if i == paying else previous != this)
        previous = this

def plain():
    pass
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "protocol.py"
    path.write_text(DINING)
    return path


def test_a_program_is_read_from_a_file(file: Path) -> None:
    dining = load_program(file, "dining")
    assert dining.name == "dining"
    assert [(p.name, p.default) for p in dining.parameters] == [("paying", None), ("n", 3), ("p", "49/100")]
    assert (dining.file, dining.line) == (str(file), 8)
    assert dining.source.startswith("@deltachain.program\ndef dining(")
    assert dining.source.endswith("previous = this")
    chain = dining.chain([{"paying": 0}, {"paying": 1}], constants={"n": 2})
    assert chain.pairs == (("paying=0", "paying=1"),)
    assert program_names(file) == ("dining",)


def test_nothing_in_the_file_runs(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    path = tmp_path / "evil.py"
    path.write_text(
        f"import os\nopen({str(sign)!r}, 'w').close()\nos.abort()\n"
        f"X = __import__('pathlib').Path({str(sign)!r}).touch()\n"
        f"def boom(f):\n    open({str(sign)!r}, 'w')\n    return f\n"
        f"@program\ndef main(x=open({str(sign)!r}, 'w')):\n    announce(x)\n"
        "@program\ndef good(x):\n    announce(x)\n"
    )
    code = (
        f"from deltachain.programs import load_program; p = load_program({str(path)!r}, 'good');"
        "print(p.chain([dict(x=1)]).labels); import sys; print('evil' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "('start', '1', 'end')\nFalse\n"
    with refuses(ProgramError, "not a literal"):
        load_program(path, "main")
    assert not sign.exists()


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (DINING, "dinning", r"no program 'dinning' at its top level \(did you mean 'dining'\?\)"),
        (DINING, "zzz", "its programs are dining"),
        (DINING, "plain", "16:1: plain is a Python function, not a program"),
        (DINING, "P", "no program 'P'"),
        ("", "main", "its programs are none"),
        ("def f(:\n", "f", r":1:7: not Python"),
        ("x = 1\n  y = 2\n", "f", r":2:\d+: not Python"),
        ("@program\ndef main():\n    return '\0'\n", "main", "not Python"),
        ("class A:\n    @program\n    def main(x):\n        pass\n", "main", "no program 'main'"),
        (
            "@program\ndef main(x):\n    pass\n@program\ndef main(x):\n    pass\n",
            "main",
            "main is bound on line 2 and again on line 5",
        ),
        ("(" * 300 + ")" * 300, "f", "not Python|nested too deeply"),
        ("x = " + "-" * 200_000 + "1", "f", "not Python|nested too deeply"),
        ("x = " + "1+" * 100_000 + "1", "f", "not Python|nested too deeply|no program"),
        ("#" * (MAX_FILE_BYTES + 1), "f", "longer than 1000000 bytes"),
    ],
    ids=range(14),
)
def test_files_that_do_not_hold_the_program(tmp_path: Path, text: str, name: str, message: str) -> None:
    path = tmp_path / "protocol.py"
    path.write_text(text)
    with pytest.raises(ProgramError, match=message):
        load_program(path, name)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with refuses(ProgramError, "no such file"):
        load_program(tmp_path / "missing.py", "main")
    with refuses(ProgramError, "is a directory"):
        load_program(tmp_path, "main")
    latin = tmp_path / "latin.py"
    latin.write_bytes(b"x = '\xe9'\n")
    with refuses(ProgramError, "text, at byte"):
        load_program(latin, "main")


def test_byte_order_marks_and_windows_lines_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "windows.py"
    path.write_bytes(b"\xef\xbb\xbf@program\r\ndef main(x):\r\n    announce(x)\r\n")
    assert load_program(path, "main").chain([{"x": 1}]).labels == ("start", "1", "end")


def test_no_warning_for_doubtful_escapes(tmp_path: Path) -> None:
    path = tmp_path / "escape.py"
    path.write_text("PATTERN = '\\d'\n@program\ndef main(x):\n    announce(PATTERN)\n")
    assert load_program(path, "main").chain([{"x": 1}]).labels[1] == "\\d"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-3", -3),
        ("True", True),
        ("1/3", Fraction(1, 3)),
        ("0.49", Fraction(49, 100)),
        ("1e-3", Fraction(1, 1000)),
        ("(1, 2)", (1, 2)),
        ("(1, (True, 'a'))", (1, (True, "a"))),
        ("()", ()),
        ("{0: 1/2, 1: 0.5}", FrozenTable([(0, Fraction(1, 2)), (1, Fraction(1, 2))])),
        ("'two words'", "two words"),
        ("alice", "alice"),
    ],
)
def test_values_from_text(text: str, value: object) -> None:
    read = parse_value(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    ["", "(1", "1)", "1; 2", "__import__('os')", "open('f')", "a.b", "a b", "flip(1/2)", "1, 2", "[1]",
     "1\n2", "x=2", "0) + (1", "1/0", "None", "2 ** 99999", "(lambda: 1)()", "**{}", "1 # 2)", "\0", "*a"],
)  # fmt: skip
def test_text_that_is_no_value(text: str) -> None:
    with pytest.raises(ProgramError, match=r"^--secret: "):
        parse_value(text, "--secret")


def test_assignments_from_text() -> None:
    assert parse_assignments("a=1, b=(2, 3), who=alice") == {"a": 1, "b": (2, 3), "who": "alice"}
    assert parse_assignments("") == {}
    assert parse_assignments("a=True, b='true'") == {"a": True, "b": "true"}
    for text in ("a", "a=1 b=2", "a=true", "a=FALSE", "a=1, a=2", "1=2", "a==1", "=1", "a=1, 2"):
        with pytest.raises(ProgramError, match=r"^--secret: "):
            parse_assignments(text, "--secret")
