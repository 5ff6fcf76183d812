"""A decimal is the number that is written, never the float that Python made of it, beyond the limits too."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import delta, load
from deltachain.errors import InputError
from deltachain.numbers.exponential import read_exponential
from deltachain.programs import ProgramError, load_program, parse_assignments, program
from deltachain.programs.secrets.relation import states_where
from tests.unit.programs.language.test_names import imported
from tests.words import refuses

SECRETS = [{"x": 0}, {"x": 1}]
TINY = "1e-60000"
"""Above 0; as a float it is 0.0."""
ABOVE_HALF = f"0.5{'0' * 50_000}1"
NEARLY_ONE = f"0.{'9' * 60_000}"

# The number, and a program that shows x only if the number is not what a float makes of it.
PROGRAMS = {
    "a comparison": (TINY, "def main(x):\n    announce(x if {} > 0 else 0)\n"),
    "a comparison of two": (ABOVE_HALF, "def main(x):\n    announce(x if {} > 0.5 else 0)\n"),
    "a coin": (NEARLY_ONE, "def main(x):\n    announce(0 if flip({}) else x)\n"),
    "a weight": (TINY, "def main(x):\n    announce(choose((0, x + 1), weights=(1, {})))\n"),
    "a tuple": (TINY, "def main(x):\n    announce(x if (1, {})[1] > 0 else 0)\n"),
    "a negative number": (TINY, "def main(x):\n    announce(x if -{} < 0 else 0)\n"),
    "an f-string": (TINY, "def main(x):\n    announce(f'{{x * {}}}')\n"),
    "a test in an f-string": (TINY, "def main(x):\n    announce(f'{{x if {} > 0 else 0}} 0.0')\n"),
    "an f-string of two lines": (TINY, "def main(x):\n    announce(f'''0.0\n{{x if {} > 0 else 0}}''')\n"),
    "a default": (TINY, "def main(x, q={}):\n    announce(x if q > 0 else 0)\n"),
    "a default in a dict": (TINY, "def main(x, q={{0: {}}}):\n    announce(x if q[0] > 0 else 0)\n"),
    "a constant": (TINY, "Q = {}\ndef main(x):\n    announce(x if Q > 0 else 0)\n"),
    "a constant among others": (TINY, "P, Q = 0.5, (1, {})\ndef main(x):\n    announce(x if Q[1] > 0 else 0)\n"),
    "lines that end in CR": (TINY, "Q = 0.0\rdef main(x):\r    announce(x if {} > 0 else 0)\r"),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_decimal_beyond_the_limits_is_refused_where_it_stands(case: str) -> None:
    number, text = PROGRAMS[case]
    written = text.format(number)
    lines = written.replace("\r", "\n").split("\n")
    line = 1 + next(n for n, found in enumerate(lines) if number in found)
    with refuses(ProgramError, "number beyond the") as error:
        program(written).chain(SECRETS)
    (defect,) = error.value.defects
    places = (defect.where, defect.what)
    # An f-string is placed where it begins.
    assert any(f"<text>:{at}:" in place for place in places for at in (line, line - ("two lines" in case)))
    assert "fewer digits" in f"{defect.what} {defect.fix}"
    assert len(str(error.value)) < 300


def test_a_decimal_within_the_limits_is_exact_where_floats_are_not() -> None:
    exact = "def main(x):\n    announce(x if 1e-400 > 0 and 0.1000000000000000000001 > 0.1 and 1e400 < 1e401 else 0)\n"
    assert delta(program(exact).chain(SECRETS), epsilon=1).lower == 1


def test_decimals_in_f_strings_are_exact() -> None:
    text = "def main(x):\n    announce(f'{0.10000000000000000000001 + x} {0x1e-5.5} {2.5e-1_0}')\n"
    labels = program(text).chain(SECRETS).labels
    assert "10000000000000000000001/100000000000000000000000 49/2 1/4000000000" in labels


def test_live_defaults_and_constants_that_python_rounded_are_refused(tmp_path: Path) -> None:
    head = "from deltachain import announce, program\n"
    for number in (TINY, "1e-400", "0.50000000000000000000001"):
        for place, text in (
            ("default", f"@program\ndef main(x, q={number}):\n    announce(x if q > 0 else 0)\n"),
            ("constant", f"Q = {number}\n@program\ndef main(x):\n    announce(x if Q > 0 else 0)\n"),
            ("constant", f"Q = (1, {{-{number}: 1}})\n@program\ndef main(x):\n    announce(x if Q[0] > 0 else 0)\n"),
        ):
            path = tmp_path / "protocol.py"
            path.write_text(head + text)
            with pytest.raises(ProgramError, match="Python round"):
                imported(path)
            if number != TINY:
                with refuses(ProgramError, "Python rounds this"):
                    load_program(path, "main")
            assert place


def test_live_floats_that_are_what_is_written_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    text = "Q = (0.25, 1e-3, 0.0, -2.5e10)\n@program\ndef main(x, p=0.5):\n    announce((x, p, Q))\n"
    path.write_text("from deltachain import announce, program\n" + text)
    assert "(0, 1/2, (1/4, 1/1000, 0, -25000000000))" in imported(path).chain(SECRETS).labels


@pytest.mark.parametrize("given", [f"q={TINY}", f"q=(1, {TINY})", f"q=-{TINY}", f"q={ABOVE_HALF}", f"q={{1: {TINY}}}"])
def test_the_command_lines_numbers_are_refused_beyond_the_limits(given: str) -> None:
    with refuses(ProgramError, "number beyond the") as error:
        parse_assignments(given)
    assert len(str(error.value)) < 300


def test_constants_after_a_programs_name_are_refused_beyond_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    path.write_text("from deltachain import *\n@program\ndef main(x, q):\n    announce(x if q > 0 else 0)\n")
    with refuses(ProgramError, "number beyond the"):
        load(f"{path}:main,q={TINY}", secrets=SECRETS)


def test_a_predicates_numbers_are_refused_beyond_the_limits() -> None:
    chain = program("def main(x): announce(x)").chain(SECRETS)
    with refuses(InputError, "number beyond the"):
        states_where(chain, f"x > {TINY}")


@pytest.mark.parametrize(
    "text", [f"{TINY}*exp(0)", "1e-9999*exp(0)", f"0.{'0' * 5000}1*exp(0)", f"{'9' * 5000}*exp(0)"]
)
def test_a_formulas_numbers_are_exact_or_refused(text: str) -> None:
    if text.startswith(TINY):
        with refuses(InputError, "an exponent of"):
            read_exponential(text)
    else:
        found = read_exponential(text).rational
        assert found is not None
        assert found > 0
