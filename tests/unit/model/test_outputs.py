"""What letters stand for: words of a program's own outputs, and chains side by side."""

from __future__ import annotations

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.errors import InputError
from deltachain.model.outputs import Output, label_of, letters_of, translate_word
from tests.words import refuses

SUMS = """def sums(x, scale=10):
    a = x + discrete_laplace(scale)
    announce(a)
    announce(2 * a - discrete_laplace(scale))
"""


def of(text: str, scale: int = 10) -> Chain:
    return program(text).chain([{"x": 0}, {"x": 2}], constants={"scale": scale})


def test_the_label_of_a_relative_letter() -> None:
    assert label_of((), "≥ 3") == "≥ 3"
    assert label_of(((1, 1),), "0") == "[-1]+0"
    assert label_of(((1, -1), (4, 3)), "-2") == "-[-1]+3[-4]-2"
    assert label_of(((2, -2),), "≤ -1") == "-2[-2]+(≤ -1)"


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (("start", "1", "2[-1]+(≥ 1)", "end"), ("start", "1", "≥ 3", "end")),
        (("start", "≥ 2", "2[-1]+(≤ 0)", "end"), ("start", "n≥2", "≤ 2n", "end")),
        (("start", "≤ 0", "end"), ("start", "≤ 0", "end")),
        (("start", "≤ 0"), ("start", "≤ 0")),
        (("start",), ("start",)),
    ],
)
def test_words_of_outputs(word: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert translate_word(of(SUMS).outputs, word) == shown


def test_outputs_that_are_relative_to_relative_ones() -> None:
    outputs = {
        "≥ 3": Output((), 3, None),
        "[-1]+(≤ 0)": Output(((1, 1),), None, 0),
        "[-1]-[-2]+5": Output(((1, 1), (2, -1)), 5, 5),
    }
    word = ("start", "≥ 3", "[-1]+(≤ 0)", "[-1]-[-2]+5")
    assert translate_word(outputs, word) == ("start", "n≥3", "m≤n", "-n+m+5")
    assert translate_word(outputs, ("start", "[-1]+(≤ 0)")) == ("start", "[-1]+(≤ 0)")


def test_letters_for_outputs() -> None:
    chain = of(SUMS)
    assert letters_of(chain, 0, ("start", "1", "5", "end")) == ("start", "1", "2[-1]+(≥ 1)", "end")
    assert letters_of(chain, 0, ("start", "-7", "-14")) == ("start", "≤ 0", "2[-1]+(≤ 0)")
    assert letters_of(chain, 0, ("start", "no", "5")) == ("start", "no", "5")
    assert letters_of(chain, 0, ()) == ()


# Side by side.

ONE = "def one(x, scale=10):\n    announce(x + discrete_laplace(scale))\n"


def test_one_law_for_a_tail_is_one_letter() -> None:
    both = dc.disjoint_union(of(ONE), of(ONE))
    same = both.with_relation([("left.x=0", "right.x=0"), ("left.x=0", "right.x=2")])
    assert dc.delta(same, epsilon="1/5").upper == 0
    assert same.outputs == of(ONE).outputs


@pytest.mark.parametrize(
    "other",
    [
        of(ONE, 5),  # its tails fall faster, and 0.19 tells the two apart where the letters alone say 0.025
        of(ONE.replace("x +", "2 * x +")),  # tails elsewhere
        of("def one(x, scale):\n    announce(x)\n"),  # numbers in the tail
        of(SUMS),
    ],
)
def test_letters_that_may_be_two_things_are_refused(other: Chain) -> None:
    for left, right in ((of(ONE), other), (other, of(ONE))):
        with refuses(InputError, "announce in different"):
            dc.disjoint_union(left, right)


def test_differences_are_refused_side_by_side() -> None:
    with pytest.raises(InputError, match="in different ways"):
        dc.disjoint_union(of(SUMS), of(SUMS))


def test_what_announces_no_number_may_stand_beside_tails() -> None:
    words = Chain.from_dicts(
        {"s": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}}, {"s": "start", "h": "a", "t": "b"}
    )
    assert dc.disjoint_union(of(ONE), words).outputs == of(ONE).outputs
