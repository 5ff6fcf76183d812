"""Two distributions as columns of CSV: what is read, and what is refused, line by line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import Chain, delta, from_distributions, load
from deltachain.errors import FormatError, InputError, ModelError
from deltachain.formats import load_with_notes, save
from deltachain.settings import Settings
from tests.words import refuses

COIN = Chain.from_distributions({"heads": "2/5", "tails": "3/5"}, {"heads": "3/5", "tails": "2/5"})


def written(folder: Path, text: str) -> Path:
    path = folder / "m.csv"
    path.write_text(text, "utf-8")
    return path


def test_names_headers_and_neither(tmp_path: Path) -> None:
    assert load(written(tmp_path, "heads,2/5,3/5\n\ntails,0.6,0.4\n")) == COIN
    named = load(written(tmp_path, "outcome,with, without\r\nheads,2/5,3/5\r\ntails,6e-1,0.4\r\n"))
    assert named.states == ("with", "without", "heads", "tails")
    assert named.pairs == (("with", "without"),)
    assert named.moves == COIN.moves
    assert load(written(tmp_path, "2/5,3/5\n3/5,2/5")) == from_distributions(["2/5", "3/5"], [0.6, 0.4])
    quoted = load(written(tmp_path, '"a, b",1,1/2\n"p",0,1/2\n'))
    assert quoted.states == ("p", "q", "a, b", "outcome p")
    assert quoted.labels == ("start", "start", "a, b", "p")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("1/2,x\n1/2,1\n", 1, "expected a probability: not a number: 'x'"),
        ("a,1/2,1/2\nb,1/2\n", 2, "expected 3 cells, found 2"),
        ("1,2,3,4\n", 1, "expected two or three cells, found 4"),
        ("a,1/2,1/2\nb,-1/2,1/2\n", 2, "negative probability -0.5"),
        ("a,1/2,1/2\na,1/2,1/2\n", 2, "outcome 'a' is given twice, first in line 1"),
        ("outcome,p,p\na,1,1\n", 1, "the first line does not name two distributions"),
        ("a,1/2,1/2\rb,1/2,1/2\r", 1, "a carriage return within a line"),
        ("a,1/2,1/2\nb,1/4,1/4\rc,1/4,1/4\n", 2, "a carriage return within a line"),
        (f"a,1/2,1/2\n{'b' * 140_000},1/2,1/2\n", 2, "a cell has more than 131,072 characters"),
        ('a,1/2,1/2\n"b,1/2,1/2\n' + "x,0,0\n" * 30_000, 2, "a cell has more than 131,072 characters"),
        ('"a\nb",1/2,1/2\nc,1/2,x\n', 3, "expected a probability: not a number: 'x'"),
    ],
)
def test_wrong_lines_are_named(text: str, line: int, part: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        load(path)
    assert caught.value.defects[0].where == f"{path}:{line}"
    assert part in caught.value.defects[0].what


def test_every_defect_at_once_and_sums(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        load(written(tmp_path, "1/2,x\n1,2,3\ny,1\n"))
    assert [defect.where.rpartition(":")[2] for defect in caught.value.defects] == ["1", "2", "3"]
    path = written(tmp_path, "1/2,1/3\n1/2,1/3\n0,1/3333\n")
    with refuses(ModelError, "csv: column of"):
        load(path)
    rounded = load_with_notes(written(tmp_path, "0.333,1\n0.667,0\n0.0001,0\n"), Settings(normalise=True))
    assert sum((p for _, p in rounded.chain.rows[0]), Fraction(0)) == 1
    assert rounded.notes == ("normalised 1 row whose sum was not 1 (state 'p', sum 1.0001)",)


def test_no_outcomes_and_no_writing(tmp_path: Path) -> None:
    for text in ("", "\n\n", "p,q\n"):
        with refuses(FormatError, "has no outcomes"):
            load(written(tmp_path, text))
    with refuses(InputError, "read, not written"):
        save(COIN, tmp_path / "n.csv")


def test_delta_is_that_of_the_distributions() -> None:
    n, alpha = 300, Fraction(11, 10)
    p = [Fraction(2 * (i + 1), n * (n + 1)) for i in range(n)]
    q = p[::-1]
    found = delta(from_distributions(p, q), exp_epsilon=alpha)
    wanted = sum(max(x - alpha * y, Fraction(0)) for x, y in zip(p, q, strict=True))
    assert (found.lower, found.upper) == (wanted, wanted)


@pytest.mark.parametrize(
    ("p", "q", "part"),
    [
        ([1], [1, 0], "1 probabilities in one, 2 in the other"),
        ({"a": 1}, [1], "one is a mapping, the other is not"),
        ([], [], "there are no outcomes"),
        ([1], ["1/2"], "state 'q': row sums to 1/2"),
        ([1], ["x"], "not a number: 'x'"),
    ],
)
def test_lists_that_are_no_distributions(p: object, q: object, part: str) -> None:
    with pytest.raises(ModelError, match=part):
        from_distributions(p, q)  # type: ignore[arg-type]


def test_outcomes_that_one_leaves_out_have_probability_zero() -> None:
    chain = from_distributions({"a": 1}, {"a": "1/2", "b": "1/2"})
    assert chain.probability("p", "b") == 0
    assert delta(chain, exp_epsilon=1).upper == Fraction(1, 2)
    assert from_distributions([1, 3], [1, 1], normalise="any").probability("p", "1") == Fraction(3, 4)
