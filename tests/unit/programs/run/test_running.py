"""Programs run: what a run shows, where it ends, who answers, and what goes wrong on the way."""

from __future__ import annotations

import pickle
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, settings

from deltachain.cancel import Cancel
from deltachain.draws import DrawnLaw, DrawSource, TwoSidedNoise, seeded, using
from deltachain.errors import InputError, Stopped
from deltachain.model.words import letters_seen
from deltachain.programs import ProgramError, load_program, program
from deltachain.programs.language.numbers import Law
from deltachain.programs.language.primitives import law_to_explore
from deltachain.programs.run import running
from deltachain.programs.run.running import Runner
from tests.amounts import part_of
from tests.reference.every_draw import every_way
from tests.reference.interactive import answered_words
from tests.unit.programs.language.test_lower_against_python import HELPERS, RANDOM_PROGRAM
from tests.words import refuses

SURVEY = program("def survey(truth, p='3/4'): announce(truth if flip(p) else not truth)")
ENDLESS = program("""
def endless(x):
    while True:
        x = x + uniform(1, 3)
        announce(x % 5)
""")
ASKS = program("""
def asks(secret, rounds=2):
    for _ in range(rounds):
        if ask('direct', 7) == 7:
            announce(secret if flip('3/4') else not secret)
        else:
            announce('no comment')
""")


def test_a_run_is_what_is_announced() -> None:
    letters = Counter(SURVEY.run(truth=True) for _ in range(200))
    assert set(letters) == {("True",), ("False",)}
    assert SURVEY.run(truth=True, p=1) == ("True",)
    assert SURVEY.run({"truth": False, "p": 1}) == ("False",)
    assert program("def nothing(x): pass").run(x=1) == ()


def test_a_seed_makes_the_same_run() -> None:
    noisy = program("def noisy(x):\n  for _ in range(20):\n    announce(x + discrete_laplace(5))")
    assert noisy.run(x=0, source=seeded(1)) == noisy.run(x=0, source=seeded(1)) != noisy.run(x=0, source=seeded(2))
    with using(seeded(1)):
        assert noisy.run(x=0) == noisy.run(x=0, source=seeded(1))


def test_a_program_without_end_gives_a_generator() -> None:
    letters = ENDLESS.run(x=0, source=seeded(1))
    assert not isinstance(letters, tuple)
    first = tuple(islice(letters, 40))
    assert len(first) == 40
    assert set(first) == set("01234")
    assert ENDLESS.run(x=0, source=seeded(1), steps=40) == first
    assert ENDLESS.run(x=0, steps=0) == ()


def test_a_way_out_makes_a_run_that_is_returned() -> None:
    leaves = program("def leaves(x):\n  while True:\n    announce(x)\n    if flip('1/2'):\n      return")
    assert isinstance(leaves.run(x=1), tuple)
    constant = program("def constant(x, on=True):\n  while on:\n    announce(x)")
    assert not isinstance(constant.run(x=1), tuple)
    assert constant.run(x=1, on=False) == ()


@pytest.mark.parametrize(
    "body",
    ["while True:\n    x = x", "while True:\n    x = flip('1/2')", "while flip('1/2') or True:\n    x = (x + 1) % 7"],
)
def test_a_run_that_shows_nothing_any_more_diverges(body: str) -> None:
    silent = program(f"def silent(x):\n  announce('on')\n  {body}")
    assert tuple(silent.run(x=1, source=seeded(1))) == ("on", "diverges")
    chain = silent.chain([{"x": 1}])
    assert chain.labels.count("diverges") == 1


def test_a_long_wait_is_not_divergence() -> None:
    waits = program("def waits(x):\n  while not flip('1/1500'):\n    x = x + 1\n  announce(x > 1000)")
    found = Counter(waits.run(x=0, source=seeded(seed)) for seed in range(8))
    assert set(found) == {("True",), ("False",)}


class FewDraws(DrawSource):
    """Answers with the outcomes that it was given, in their order, and with no other."""

    def __init__(self, *outcomes: object) -> None:
        self.outcomes = list(outcomes)

    def draw(self, law: DrawnLaw) -> Any:  # noqa: ARG002
        return self.outcomes.pop(0)


def test_where_a_run_stands_is_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a draw its outcome is known: no second draw is needed to see that the way out is closed."""
    monkeypatch.setattr(running, "FIRST_LOOK", 1)
    stays = program("""
def stays(x):
    x = flip('1/2')
    while x:
        x = flip(1 if x else 0)
    announce('out')
""")
    assert stays.run(x=0, source=FewDraws(False)) == ("out",)
    assert stays.run(x=0, source=FewDraws(True)) == ("diverges",)
    leaves = program("""
def leaves(x):
    while True:
        x = uniform(0 if x == 0 else 5, 1 if x == 0 else 5)
        if x == 1:
            announce('out')
            return
""")
    assert leaves.run(x=0, source=FewDraws(0, 0, 1)) == ("out",)
    assert leaves.run(x=2, source=FewDraws(5)) == ("diverges",)


def test_a_law_that_cannot_be_drawn_from_names_its_place() -> None:
    far = program("def far(x): announce(x + discrete_laplace(exp(4000)) > 0)")
    with refuses(ProgramError, "a scale above"):
        far.run(x=1)


def test_a_run_without_letters_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_STEPS", 10_000)
    waits = program("def waits(x):\n  while x < 10**9:\n    x = x + uniform(0, 1)\n  announce(x)")
    with pytest.raises(ProgramError, match=r"more than 10,000 steps without a letter.*announce more often"):
        waits.run(x=0)


def test_a_run_that_is_too_long_to_be_returned_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_LETTERS", 100)
    long = program("def long(x):\n  while not flip('1e-30'):\n    announce(x)")
    with refuses(ProgramError, "letters and more"):
        long.run(x=1)
    assert len(long.run(x=1, steps=1000)) == 1000


def test_the_observer_answers() -> None:
    seen: list[tuple[tuple[str, ...], tuple[str, ...]]] = []

    def observer(options: tuple[str, ...], word: tuple[str, ...]) -> object:
        seen.append((options, word))
        return 7 if len(seen) == 1 else "direct"

    letters = ASKS.run(secret=True, answer=observer, source=seeded(1))
    assert letters == ("7|direct?", "7", "True", "7|direct?", "direct", "no comment")
    assert seen == [
        (("7", "direct"), ("start", "7|direct?")),
        (("7", "direct"), ("start", "7|direct?", "7", "True", "7|direct?")),
    ]


@pytest.mark.parametrize("given", ["8", 8, None, True, ("7",), "Direct"])
def test_an_answer_is_one_of_the_options(given: Any) -> None:
    with pytest.raises(ProgramError, match=r":4:12: .* is not an answer to '7\|direct\?'"):
        ASKS.run(secret=True, answer=lambda *_: given)


def test_nobody_answers() -> None:
    with pytest.raises(ProgramError, match=r"asked '7\|direct\?', and nobody answers, when .* \(give `answer`, a func"):
        ASKS.run(secret=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "survey needs 'truth'"),
        ({"truth": 1, "q": 2}, "there is no parameter 'q'"),
        ({"truth": [1]}, "list is not a value of programs"),
        ({"truth": 1, "steps": -1}, "steps is -1"),
        ({"truth": 1, "steps": True}, "steps is True"),
        ({"truth": 1, "p": 2}, r"flip: 2 is outside \[0, 1\]"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        SURVEY.run(**arguments)


def test_what_goes_wrong_names_the_place_and_the_values() -> None:
    wrong = program("def wrong(x):\n  y = uniform(1, 3) - 1\n  announce(x // (y - y))")
    with pytest.raises(ProgramError, match=r"<text>:3:12: division by zero, when x=4, y="):
        wrong.run(x=4)


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    named = program("def named(source, steps): announce(source + steps)")
    assert named.run({"source": 1, "steps": 2}) == ("3",)


class Enclosed(DrawSource):
    """Hands out noise as something that is only like an integer, as a recorder may."""

    class Like:
        def __index__(self) -> int:
            return 3

    def draw(self, law: DrawnLaw) -> Any:
        return self.Like() if isinstance(law, TwoSidedNoise) else law.values[0]  # type: ignore[union-attr]


def test_noise_is_a_number_before_it_is_computed_with() -> None:
    noisy = program("def noisy(x): announce(x + discrete_laplace(1))")
    assert noisy.run(x=1, source=Enclosed()) == ("4",)


def test_no_tail_is_cut_off() -> None:
    noisy = program("def noisy(x): announce((x + discrete_laplace(10, tail='1/2')) % 1000)")
    runner, values = noisy.runner({"x": 0})
    source = seeded(1)
    assert len({tuple(runner.word(values, source)) for _ in range(300)}) > 40


def test_a_run_can_be_cancelled() -> None:
    cancel = Cancel()
    cancel.interrupt()
    letters = ENDLESS.run(x=0, cancel=cancel)
    with pytest.raises(Stopped):
        list(letters)


def test_a_pickled_program_runs() -> None:
    again = pickle.loads(pickle.dumps(SURVEY))  # noqa: S301  (our own)
    assert again.run(truth=True, source=seeded(3)) == SURVEY.run(truth=True, source=seeded(3))


def test_an_endless_run_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are never met again are forgotten."""
    monkeypatch.setattr(running, "MOST_KEPT", 500)
    counts = program("""
def counts(x):
    while True:
        x = x + 1
        seen = (x, x + 1)
        for i in seen:
            announce(i if flip(Fraction(1, x + 1)) else 'no')
""")
    runner, values = counts.runner({"x": 0})
    word = runner.word(values, seeded(1))
    sum(1 for _ in islice(word, 1_500))
    tracemalloc.start()
    sum(1 for _ in islice(word, 4_000))
    assert tracemalloc.get_traced_memory()[0] < 1_500_000
    tracemalloc.stop()
    assert isinstance(runner, Runner)


def test_runs_are_the_same_whether_values_are_forgotten_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = program("""
def loops(x):
    while True:
        for (a, b) in zip(range(x % 4), (x, x + 1, x + 2)):
            x = x + a + uniform(0, b % 5)
            announce((a, x % 9))
""")
    whole = loops.run(x=3, steps=400, source=seeded(2))
    monkeypatch.setattr(running, "MOST_KEPT", 3)
    assert loops.run(x=3, steps=400, source=seeded(2)) == whole


class Followed(DrawSource):
    """Follows a choice among the exact weights of a finite law."""

    def __init__(self, choose: Callable[[list[Fraction]], int]) -> None:
        self._choose = choose

    def draw(self, law: DrawnLaw) -> Any:
        found = law_to_explore(law)
        assert isinstance(found, Law)
        return found.values[self._choose([Fraction(weight, found.total) for weight in found.weights])]


def check_every_run(lines: list[str], x: object) -> None:
    """All runs of a random program together have the law of its chain, as exact numbers."""
    body = "".join(f"    {line}\n" for line in ["a = b = 0", *lines])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_program.py"
        file.write_text(f"{HELPERS}@program\ndef main(x):\n{body}")
        main = load_program(file, "main")
    chain = main.chain([{"x": x}])
    runner, values = main.runner({"x": x})
    for answers in ((0,), (1,), (2, 0, 1)) if chain.interactive else ((0,),):
        ways = 0

        def run(choose: Callable[[list[Fraction]], int], answers: tuple[int, ...] = answers) -> tuple[str, ...]:
            nonlocal ways
            ways += 1
            assume(ways < 2_000)
            turn = iter(range(10**6))
            observer = lambda options, _: options[answers[next(turn) % len(answers)] % len(options)]  # noqa: E731
            return tuple(runner.word(values, Followed(choose), observer))

        found = every_way(run, longest=200)
        assert sum(found.values()) == 1
        law = {letters_seen(chain, word): p for word, p in found.items()}  # type: ignore[arg-type]
        longest = max(map(len, law))
        padded = {(*word, *["end"] * (longest - len(word))): p for word, p in law.items()}
        assert answered_words(chain, 0, longest, answers) == padded


@settings(max_examples=part_of(15), deadline=None)
@RANDOM_PROGRAM
def test_all_runs_of_a_random_program_have_the_law_of_its_chain(lines: list[str], x: object) -> None:
    check_every_run(lines, x)


@pytest.mark.slow
@settings(max_examples=part_of(150), deadline=None)
@RANDOM_PROGRAM
def test_all_runs_of_many_random_programs_have_the_law_of_their_chains(lines: list[str], x: object) -> None:
    check_every_run(lines, x)
