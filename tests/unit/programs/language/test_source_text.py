"""Programs that are given as text: typed at a prompt that keeps no source, or taken from a form."""

from __future__ import annotations

import subprocess
import sys

import pytest

import deltachain as dc
from deltachain.programs import ProgramError, program
from tests.words import refuses, says

SURVEY = """
def survey(truth: bool, honest="3/4"):
    announce(truth if flip(honest) else not truth)
"""


def test_a_text_is_the_program_of_its_last_function() -> None:
    survey = program(SURVEY)
    assert survey.name == "survey"
    assert survey.chain([{"truth": True}, {"truth": False}]).labels == ("start", "start", "True", "False", "end")


def test_a_text_may_hold_helpers_constants_and_indentation() -> None:
    text = """
        from deltachain import announce, flip, program
        N = 3

        @program
        def helper(v):
            return v + N

        @program
        def main(x):
            announce(helper(x))
    """
    assert program(text).chain([{"x": 1}]).labels[1] == "4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<text>: it defines no function"),
        ("x = 1", "<text>: it defines no function"),
        ("def f(:", r"<text>:1:\d+: not Python"),
        ("def f(x):\n    import os", "<text>:2:5: `import` is not in the language"),
        ("def f(x):\n    return f(x)", "<text>:2:12: f calls itself"),
        ("def f(x):\n    announce('\ud800')", r"<text>:2: not Unicode text: half of a surrogate pair, U\+D800"),
        ("def f(x):\n    announce('\\ud800')", r"<text>:2:14: text with half of a surrogate pair, U\+D800"),
        ("@elsewhere\n@program\ndef f(x):\n    pass", "one decorator"),
    ],
)
def test_what_is_wrong_with_a_text_is_said(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        program(text)


def test_a_secret_that_is_no_unicode_text_is_refused() -> None:
    with refuses(ProgramError, "a surrogate pair"):
        program("def f(x): announce(x)").chain([{"x": "\udfff"}])


def test_the_repr_is_the_declaration() -> None:
    assert repr(program("def f(x, n=3, p='1/2', *, t=(1, 0.5)): announce(x)")) == (
        "<program f(x, n=3, p='1/2', t=(1, 1/2))>"
    )


@pytest.mark.parametrize(
    ("annotation", "good", "bad"),
    [
        ("bool", True, 7),
        ("bool", False, 0),
        ("int", 7, "7"),
        ("int", True, 0.5),
        ("str", "a", 1),
        ("tuple", (1,), 1),
        ("dict", {1: 2}, (1, 2)),
        ("Fraction", 0.5, "1/2"),
        ("Fraction", 1, (1,)),
        ("range", range(2), (0, 1)),
    ],
)
def test_an_annotated_parameter_takes_values_of_its_type(annotation: str, good: object, bad: object) -> None:
    written = program(f"def f(x: {annotation}, y: object = 1, z: 'whatever' = 2): announce(str(x))")
    assert len(written.chain([{"x": good}])) == 3
    with refuses(ProgramError, "is declared as"):
        written.chain([{"x": bad}])
    with refuses(ProgramError, "is declared as"):
        written.chain([{"y": 1}], constants={"x": bad})


def test_annotations_of_a_decorated_function_are_read_too() -> None:
    @dc.program
    def survey(truth: bool):
        dc.announce(truth)

    with refuses(ProgramError, "truth' is declared"):
        survey.chain([{"truth": 7}])


def test_a_program_can_be_typed_into_the_plain_interpreter() -> None:
    typed = f'''import deltachain as dc
survey = dc.program("""{SURVEY}""")
survey
@dc.program
def typed(x):
    dc.announce(x)

print("still here")
'''
    done = subprocess.run([sys.executable, "-i", "-q"], input=typed, capture_output=True, text=True, check=True)
    assert "<program survey(truth, honest='3/4')>" in done.stdout
    assert "still here" in done.stdout
    if sys.version_info < (3, 13):  # from then on the prompt keeps what is typed
        assert says(done.stderr, "is not available")
        assert "program('def typed(" in done.stderr
