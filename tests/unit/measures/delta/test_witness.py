"""Words of a witness for people: short, different from each other, and with what they have in common."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import Chain, delta, examples
from deltachain.beliefs.witness import Witness, WitnessWord
from deltachain.measures.delta.witness import LONGEST_WORD, account_for, alike, shown_words, written_path
from tests.words import says


def witness(*words: list[str], inputs: tuple[str | None, ...] = ()) -> Witness:
    """One with these words, each with some gain."""
    listed = tuple(WitnessWord(tuple(word), Fraction(1, 8), Fraction(1, 100), inputs) for word in words)
    return Witness("s", "t", Fraction(1), Fraction(1), listed)


def answers(*places: int, length: int = 13) -> list[str]:
    """A run in which all answers are True but those at these places."""
    return ["start", *("False" if i in places else "True" for i in range(length))]


def test_long_words_that_differ_look_different() -> None:
    found = witness(answers(), answers(5), answers(6), answers(7), answers(5, 7))
    shown = shown_words(found, LONGEST_WORD)
    assert len(set(shown)) == 5
    assert shown[:2] == ["start True×13 (14 outputs)", "start True×5 False True×7 (14 outputs)"]
    assert all(len(text) <= LONGEST_WORD + 20 for text in shown)


def test_what_all_words_share_is_left_out_before_what_tells_them_apart() -> None:
    middle = [f"value-{i}" for i in range(20)]
    found = witness(*([*middle[:10], letter, *middle[10:]] for letter in "abc"))
    assert shown_words(found, LONGEST_WORD) == [f"value-0 … {letter} … (21 outputs)" for letter in "abc"]


@pytest.mark.parametrize("seed", range(10))
def test_words_are_never_shown_alike(seed: int) -> None:
    words = [[f"{seed}-{(i * 7 + j * (j + seed)) % 11}" for j in range(30 + i % 3)] for i in range(10)]
    assert len(set(shown_words(witness(*words), LONGEST_WORD))) == len({tuple(word) for word in words})


def test_short_words_are_whole() -> None:
    assert shown_words(witness(["start", "yes"], ["start", "no"]), LONGEST_WORD) == ["start yes", "start no"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([answers(), answers(1), answers(1, 2), answers(3, 4, 5, 6)], "at least 9 of 13 outputs are True"),
        ([answers(0), answers(1), answers(2)], "exactly 12 of 13 outputs are True"),
        ([[*answers(0, length=6), "end"], [*answers(1, length=6), "end"]], "exactly 5 of 6 outputs are True"),
        ([answers(0, length=3), answers(1, length=3)], ""),  # seen at a glance
        ([answers(0), answers(1, length=9)], ""),  # of different lengths
        ([answers(0)], ""),
        ([list("abcdef"), list("fedcba")], ""),  # nothing is frequent
    ],
)
def test_what_words_have_in_common_is_said_where_a_count_tells_it(words: list[list[str]], said: str) -> None:
    assert alike(witness(*words)) == (f"In each of them, {said}." if said else "")


def test_a_long_survey_says_what_its_words_have_in_common() -> None:
    found = delta("example:survey,rounds=13", epsilon=5)._repr_html_()
    assert says(found, "outputs are no")


def test_labels_with_blanks_are_quoted() -> None:
    assert written_path(["start", "(1, True)", "", "it's", "a×3"], []) == "start '(1, True)' '' \"it's\" 'a×3'"
    assert written_path(["menu", "all heads"], ["ask twice"]) == "menu ['ask twice'] 'all heads'"
    assert "[" not in written_path(["start", "above 3"], [])


@pytest.mark.slow
def test_that_the_advantage_is_spread_over_words_is_computed() -> None:
    found = delta("example:survey,rounds=40", epsilon=5).witness
    assert found is not None
    assert found.words == ()
    said = account_for(found)
    assert said.startswith(
        "No single output sequence reveals much: the advantage is spread over many, none of which gains more than "
    )
    assert found.most is not None
    assert Fraction(3, 4) ** 40 <= found.most < Fraction(1, 10), "the most telling word says no forty times"


def asked_within_limits() -> Chain:
    """One question, one letter, and all is told; but its probability is known within limits."""
    states = {
        "s": {"ask": {"y": ("9/10", 1), "n": (0, "1/10")}},
        "t": {"ask": {"n": ("9/10", 1), "y": (0, "1/10")}},
        "y": {"y": 1},
        "n": {"n": 1},
    }
    labels = {"s": "menu", "t": "menu", "y": "yes", "n": "no"}
    return Chain.from_dicts(states, labels=labels, relation=[("s", "t")])


def test_nothing_is_said_about_words_that_were_not_looked_for() -> None:
    """It read "No single output sequence reveals much", where one question and one letter bring everything."""
    found = delta(asked_within_limits(), epsilon=0)
    assert found.lower > Fraction(1, 2)
    assert found.witness is not None
    assert not found.witness.searched
    assert "spread" not in found._repr_html_()
    assert says(found._repr_html_(), "listed: the probabilities")


def test_the_most_that_other_words_gain_holds_beside_words() -> None:
    found = delta(examples.build("survey,rounds=6"), epsilon=1).witness
    assert found is not None
    assert found.words
    assert found.most is not None
    assert all(word.gain(found.exp_epsilon) >= found.most * Fraction(999, 1000) for word in found.words)
