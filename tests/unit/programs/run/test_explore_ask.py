"""Programs that wait for the observer: what is shown, what may be chosen, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain import announce, ask, flip, program
from deltachain.programs import ProgramError, load_program
from deltachain.programs.run.explore import prompt_of
from tests.reference.interactive import answered_words, delta_of_system, fixed_of_system
from tests.words import refuses


@program
def once(secret):
    choice = ask("low", "high")
    announce(flip("3/4" if secret else "1/4") if choice == "high" else "nothing")


@program
def probing(secret, moves=2):
    mode = 1 if flip("1/2") else 2
    for _ in range(moves):
        question = ask("probe", *range(1, 3))
        if question == "probe":
            announce(("mode", mode))
        elif question == mode:
            announce(flip("3/4" if secret else "1/4"))
        else:
            announce(flip("1/2"))


@program
def until_done(secret, most=3):
    asked = 0
    while asked < most and dc.ask("toss", "stop") == "toss":
        announce(flip("2/3") == secret)
        asked += 1


def compiled(tmp_path: Path, body: str) -> dc.Program:
    text = "from deltachain import announce, ask, choose, flip, program\n\n@program\ndef main(x):\n"
    path = tmp_path / "main.py"
    path.write_text(text + "".join(f"    {line}\n" for line in body.split("\n")))
    return load_program(path, "main")


def test_a_question_is_a_state_that_shows_its_options() -> None:
    chain = once.chain([{"secret": False}, {"secret": True}])
    assert chain.inputs == {"high|low?": ("high", "low")}
    assert [chain.labels[s] for s in range(2)] == ["start", "start"]
    assert len(chain.by_label["high|low?"]) == 2
    words = answered_words(chain, "secret=True", 4, answers=[0])
    assert words == {
        ("start", "high|low?", "True", "end"): Fraction(3, 4),
        ("start", "high|low?", "False", "end"): Fraction(1, 4),
    }
    assert answered_words(chain, "secret=True", 4, [1]) == {("start", "high|low?", "nothing", "end"): Fraction(1)}


@pytest.mark.parametrize(
    ("alpha", "adaptive", "fixed"), [("1", "1/2", "1/4"), ("3/2", "3/8", "3/16"), ("2", "1/4", "1/8")]
)
def test_the_known_values_of_probing(alpha: str, adaptive: str, fixed: str) -> None:
    chain = probing.chain([{"secret": False}, {"secret": True}])
    assert delta_of_system(chain, 0, 1, Fraction(alpha), 6) == Fraction(adaptive)
    assert fixed_of_system(chain, 0, 1, Fraction(alpha), 5) == Fraction(fixed)


def test_loops_and_branches_on_answers() -> None:
    chain = until_done.chain([{"secret": False}, {"secret": True}])
    assert chain.inputs == {"stop|toss?": ("stop", "toss")}
    # Three tosses of 1/3 against 2/3: words with k heads differ by (2^k·1 − 2^(3−k)·1)/27.
    wanted = sum((Fraction(max(2**k - 2 ** (3 - k), 0) * (1, 3, 3, 1)[k], 27) for k in range(4)), Fraction(0))
    assert delta_of_system(chain, 0, 1, Fraction(1), 8) == wanted
    assert answered_words(chain, 0, 4, [0]) == {("start", "stop|toss?", "end", "end"): Fraction(1)}


def test_an_answer_is_the_value_that_was_offered(tmp_path: Path) -> None:
    chain = compiled(tmp_path, "k = ask(1, True, 'two', (3, 'a'))\nannounce((k, 'chosen'))").chain([{"x": 0}])
    (label,) = chain.inputs
    assert label == """"(3, 'a')"|1|True|two?"""
    assert chain.inputs[label] == ("(3, 'a')", "1", "True", "two")
    last = [next(iter(answered_words(chain, 0, 3, [number])))[-1] for number in range(4)]
    assert last == ["((3, 'a'), 'chosen')", "(1, 'chosen')", "(True, 'chosen')", "('two', 'chosen')"]


def test_the_order_of_options_is_not_seen_and_their_set_is(tmp_path: Path) -> None:
    swapped = compiled(tmp_path, "y = ask('a', 'b') if x else ask('b', 'a')\nannounce(y)")
    chain = swapped.chain([{"x": False}, {"x": True}])
    assert chain.inputs == {"a|b?": ("a", "b")}
    assert delta_of_system(chain, 0, 1, Fraction(1), 5) == 0
    more = compiled(tmp_path, "y = ask('a', 'b') if x else ask('b', 'a', 'c')\nannounce('done')")
    seen = more.chain([{"x": False}, {"x": True}])
    assert seen.inputs == {"a|b?": ("a", "b"), "a|b|c?": ("a", "b", "c")}
    assert delta_of_system(seen, 0, 1, Fraction(1), 5) == 1


def test_waiting_may_be_all_that_a_line_does(tmp_path: Path) -> None:
    chain = compiled(tmp_path, "ask('go')\nannounce(x)").chain([{"x": 0}])
    assert next(iter(answered_words(chain, 0, 3))) == ("start", "go?", "0")


def test_a_question_is_asked_only_when_its_turn_comes(tmp_path: Path) -> None:
    chain = compiled(tmp_path, "announce(flip('1/2') and ask(True, False))").chain([{"x": 0}])
    assert answered_words(chain, 0, 3, [1]) == {
        ("start", "False|True?", "True"): Fraction(1, 2),
        ("start", "False", "end"): Fraction(1, 2),
    }


def test_prompts_of_different_options_never_look_the_same() -> None:
    options = [["a", "b"], ["a|b"], ["a", "b?"], ["'a'"], ["a"], ["a b"], ["a", " b"], ["", "a"], ["'a'|b"], ['"']]
    assert len({prompt_of(sorted(names)) for names in options}) == len(options)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("y = ask()", "main.py:5:9: ask() has no options"),
        ("y = ask(a=1)", "main.py:5:9: ask() takes no keywords"),
        ("y = ask('a', **x)", "main.py:5:9: ask() takes no keywords"),
    ],
)
def test_what_is_refused_before_anything_runs(body: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as caught:
        compiled(tmp_path, body)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("announce(ask(1, '1'))", "two options of ask() look the same, '1'"),
        ("announce(ask('a', x, 'a'))", "two options of ask() look the same, 'a'"),
        ("announce(ask(*()))", "ask() has no options"),
        ("announce(ask('a', *'bc'))", "`*` spreads a range or a tuple, and 'bc' is text"),
        ("announce(ask('a', {1: 2}))", "a dict cannot be announced"),
        ("announce(ask('end', 'a'))", "the letter 'end' is reserved"),
        ("announce(ask('a', ''))", "an empty text cannot be announced"),
        ("announce('a|b?')\nannounce(ask('a', 'b'))", "this question looks like 'a|b?', which is also announced"),
    ],
)
def test_what_goes_wrong_is_said_with_its_line(body: str, what: str, tmp_path: Path) -> None:
    found = compiled(tmp_path, body)
    with pytest.raises(ProgramError) as caught:
        found.chain([{"x": 7}])
    assert what in str(caught.value)
    assert f"main.py:{4 + len(body.split(chr(10)))}:" in str(caught.value)


def test_outside_a_program_it_is_an_error() -> None:
    with refuses(ProgramError, "meaning only inside"):
        ask("a")
