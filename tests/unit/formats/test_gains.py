"""Priors and gains: read exactly, from a file or from Python, with every defect at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain.errors import InputError
from deltachain.formats.gains import read_gains, read_prior

SECRETS = ("a", "b", "c")


def test_nothing_given_is_uniform() -> None:
    assert read_prior(None, SECRETS) == (Fraction(1, 3),) * 3


def test_a_file_and_a_dict_are_read_alike_in_the_order_of_the_secrets(tmp_path: Path) -> None:
    path = tmp_path / "prior.csv"
    path.write_text("c,0.1\n\n a , 2/5 \nb,1/2\n")
    want = (Fraction(2, 5), Fraction(1, 2), Fraction(1, 10))
    assert read_prior(path, SECRETS) == read_prior({"b": "1/2", "c": "0.1", "a": "2/5"}, SECRETS) == want
    table = tmp_path / "gain.csv"
    table.write_text("guess,b,a,c\nfirst,0,1,0\nany,1/2,1/2,0.5\n")
    half = Fraction(1, 2)
    assert read_gains(table, SECRETS) == (("first", "any"), ((1, 0, 0), (half, half, half)))
    given = {"first": {"a": 1, "b": 0, "c": 0}, "any": dict.fromkeys("cba", half)}
    assert read_gains(given, SECRETS) == read_gains(table, SECRETS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,1/2\nb,1/2\n", ["no probability for c"]),
        ("a,1/2\nb,1/2\nc,1/2\n", ["the probabilities sum to 3/2"]),
        ("a,1/2\nb,x\nd,0\na,-1\n", [":2: 'x' is not a number", ":3: 'd' is not one of the secrets", ":4: -1 is neg"]),
        ("a,1/2,0\n", [":1: 3 cells"]),
        ("a,1\na,0\nb,0\nc,0\n", [":2: 'a' is given twice"]),
    ],
)
def test_every_defect_of_a_prior_is_named_with_its_line(text: str, said: list[str], tmp_path: Path) -> None:
    path = tmp_path / "prior.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_prior(path, SECRETS)
    lines = list(map(str, caught.value.defects))
    assert all(any(part in line for line in lines) for part in said), lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no guess"),
        ("guess\n", "not the header"),
        ("guess,a,a,b\n", "'a' is given twice"),
        ("guess,a,b\nx,1,0\n", "no gain for c"),
        ("guess,a,b,c\nx,1,0,0\nx,0,1,0\n", "the guess 'x' is given twice"),
        ("guess,a,b,c\nx,1,0\n", "3 cells"),
    ],
)
def test_gains_that_cannot_be_used_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "gain.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_gains(path, SECRETS)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read it"):
        read_prior(tmp_path / "none.csv", SECRETS)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_prior(tmp_path / "bytes.csv", SECRETS)
