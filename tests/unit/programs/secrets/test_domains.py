"""Domains of secrets: written in the language of programs, given from Python, or named by annotations."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError, Stopped
from deltachain.programs.language.source import ProgramError
from deltachain.programs.secrets import domains
from deltachain.programs.secrets.domains import Domain, domain, parse_domain
from deltachain.programs.secrets.relation import drawn_pairs
from tests.words import refuses, says


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("x=range(3)", {"x": (0, 1, 2)}),
        ("x=[5]", {"x": (5,)}),
        ("x=('a', 'b')", {"x": ("a", "b")}),
        ("q=[(a, b) for a in range(2) for b in range(a + 1)]", {"q": ((0, 0), (1, 0), (1, 1))}),
        ("q=[a for a in range(9) if a % 2 == 1 if a > 1]", {"q": (3, 5, 7)}),
        ("q=((a, -a) for a in (1, 2))", {"q": ((1, -1), (2, -2))}),
        ("q=[tuple(x + y for y in range(2)) for x in range(2)]", {"q": ((0, 1), (1, 2))}),
        ("x=[1, 1, True, 1/2]", {"x": (1, True, Fraction(1, 2))}),
        ("a=range(2), b=sorted((3, 1))", {"a": (0, 1), "b": (1, 3)}),
    ],
)
def test_a_domain_is_read(text: str, columns: dict[str, object]) -> None:
    found = parse_domain(text)
    assert {name: tuple(values) for name, values in found.columns.items()} == columns
    assert list(found) == [
        dict(zip(columns, values, strict=True))
        for values in itertools.product(*columns.values())  # type: ignore[call-overload]
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x=5", "5 is an int, not a list of values"),
        ("x=[]", "it has no values"),
        ("x=[flip(1/2)]", "a random value"),
        ("x=[1,2", "cannot be read"),
        ("", "cannot be read"),
        ("x=range(3), x=range(2)", "cannot be read"),
        ("x=__import__('os')", "cannot reach outside"),
        ("x=[1 / 0]", "division by zero"),
        ("x=[y for y in range(3) if z]", "unknown name 'z'"),
    ],
)
def test_what_is_no_domain_is_refused(text: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        parse_domain(text)


def test_a_comprehension_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "MOST_STEPS", 20_000)
    with refuses(ProgramError, "more than"):
        parse_domain("x=[a for a in range(100000) for b in range(100000)]")


def test_a_long_comprehension_is_not_one_value() -> None:
    # A tuple of the language has at most 1,024 entries; a domain may be longer.
    assert len(parse_domain("q=[(a, b) for a in range(60) for b in range(60)]")) == 3600


def test_a_domain_from_python() -> None:
    found = domain(q=itertools.product(range(2), repeat=2), flag=[False, True])
    assert len(found) == 8
    assert found[3] == {"q": (0, 1), "flag": True}
    assert found[-1] == {"q": (1, 1), "flag": True}
    assert found[:2] == [{"q": (0, 0), "flag": False}, {"q": (0, 0), "flag": True}]
    assert {"q": (1, 0), "flag": False} in found
    assert {"q": (1, 2), "flag": False} not in found
    assert {"q": (1, 0)} not in found
    with pytest.raises(IndexError):
        found[8]
    huge = Domain({name: tuple(range(1000)) for name in "abcdef"})
    assert len(huge) == 10**18
    assert huge[10**18 - 1] == dict.fromkeys("abcdef", 999)


def test_what_is_no_value_is_refused() -> None:
    with refuses(InputError, "list of values"):
        domain(q=5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no parameters"):
        domain()
    with pytest.raises(InputError, match="domain, q"):
        domain(q=[object()])


TEXT = """
def survey(truth: bool, who: Literal["a", "b"], p=Fraction(1, 3), sure: bool = False):
    announce(truth if flip(p) else who == "a")
"""


def test_annotations_that_list_all_values_are_a_domain() -> None:
    survey = dc.program(TEXT)
    assert survey.chain().states[:4] == (
        "truth=False, who=a",
        "truth=False, who=b",
        "truth=True, who=a",
        "truth=True, who=b",
    )
    assert survey.chain(constants={"who": "b"}).states[:2] == ("truth=False", "truth=True")
    assert survey.chain(dc.domain(p=["1/3", "1/4"]), constants={"who": "a"}).states[:2] == (
        "p=1/3, truth=False",
        "p=1/3, truth=True",
    )
    with refuses(ProgramError, "of the values"):
        survey.chain([{"truth": True, "who": "c"}, {"truth": False, "who": "a"}])
    # Secrets one by one are what they are.
    with pytest.raises(ProgramError, match="survey needs 'who'"):
        survey.chain([{"truth": True}, {"truth": False}])


def test_secrets_may_be_any_iterable() -> None:
    coin = dc.program("def coin(x): announce(flip(1/2) if x else x)")
    found = dc.check(coin, secrets=({"x": x} for x in range(2)), epsilon=1, delta=1)
    assert found.results[0].pair == ("x=0", "x=1")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"x": range(4000), "y": range(4000)},
            "16,000,000 secrets are 16,000,000 start states, and the limit is 100,000",
        ),
        ({"x": range(2000)}, "2,000 secrets are 1,999,000 pairs, and the limit is 1,000,000"),
    ],
)
def test_domains_that_are_too_large_to_list_are_refused_at_once(values: dict[str, range], said: str) -> None:
    noisy = dc.program("def noisy(x, y=0): announce(x + geometric('1/2'))")
    with pytest.raises(dc.errors.InputError, match=said):
        dc.check(noisy, secrets=dc.domain(**values), epsilon=1, delta=0)
    coin = dc.program("def coin(x): announce(flip('1/2'))")
    assert len(dc.load(coin, secrets=dc.domain(x=range(2000)), neighbours="linf 1").relation) == 1999


def test_an_event_is_not_asked_of_secrets_too_many_to_list() -> None:
    noisy = dc.program("def noisy(x, y=0): announce(x + geometric('1/2'))")
    with refuses(dc.errors.InputError, "start states, and"):
        noisy.accuracy("output == x", dc.domain(x=range(4000), y=range(4000)))


def test_one_value_is_one() -> None:
    assert repr(domain(q=[1], r=[1, 2])) == "<Domain: q (1 value), r (2 values): 2 secrets>"
    assert repr(domain(q=[1])) == "<Domain: q (1 value): 1 secret>"


def test_listing_a_domain_can_be_ended() -> None:
    cancel = Cancel()
    cancel.interrupt()
    with refuses(Stopped, "interrupted while listing"):
        parse_domain("x=[i * j for i in range(9000) for j in range(9000)]", cancel=cancel.during("listing the secrets"))
    assert len(parse_domain("x=range(1000)", cancel=cancel)) == 1000  # too few steps for a look at the deadline


@pytest.mark.parametrize(
    ("given", "said"), [("5", "5 is an int"), ("'ab'", "'ab' is text"), ("{1: 2}", "{1: 2} is a dict")]
)
def test_one_value_is_not_a_list_of_values(given: str, said: str) -> None:
    with pytest.raises(ProgramError) as refused:
        parse_domain(f"x={given}")
    assert says(str(refused.value))


def test_tuples_of_loop_variables_are_not_written_out() -> None:
    large = parse_domain("q=[(a, b, c, a) for a in range(1000) for b in [5, 5, True] for c in range(-500, 500)]")
    assert len(large) == 1000 * 2 * 1000
    assert large[1_234_567]["q"] == (617, 5, 67, 617)
    assert {"q": (3, 5, -500, 3)} in large
    for other in (
        (3, 5, -500, 4),
        (3, 1, -500, 3),
        (3, 5, 500, 3),
        (3, 5, -500),
        [3, 5, -500, 3],
        3,
        (True, 5, 0, True),
    ):
        assert {"q": other} not in large
    huge = parse_domain(
        "q=[(a, b, c, d) for a in range(100) for b in range(100) for c in range(100) for d in range(100)]"
    )
    assert len(huge) == 10**8
    drawn = drawn_pairs(huge, "linf 1", 40, 1, ("sample", "neighbours"))
    assert len(drawn.pairs) == 40
    assert not drawn.every
    for a, b in drawn.pairs:
        one, other = drawn.secrets[a]["q"], drawn.secrets[b]["q"]
        assert {"q": one} in huge
        assert {"q": other} in huge
        assert max(abs(x - y) for x, y in zip(one, other, strict=True)) == 1  # type: ignore[arg-type, operator]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("q=[(a, b) for a in range(2) for b in range(2)]", [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ("q=((b, a) for a in range(2) for b in (7, 8))", [(7, 0), (8, 0), (7, 1), (8, 1)]),
        ("q=[(a,) for a in (1, True, 1)]", [(1,), (True,)]),
        # The next ones are listed: a value may come twice, be left out, or depend on another.
        ("q=[(a, a) for a in range(2) for b in range(3)]", [(0, 0), (1, 1)]),
        ("q=[(a, b) for a in range(3) for b in range(a)]", [(1, 0), (2, 0), (2, 1)]),
        ("q=[(a, b) for a in range(2) for b in range(2) if a != b]", [(0, 1), (1, 0)]),
        ("q=[(a, 1) for a in range(2)]", [(0, 1), (1, 1)]),
        ("q=[(a // 2, a % 2) for a in range(4)]", [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ("q=[(a, b) for a in range(2) for a in range(3) for b in range(1)]", [(0, 0), (1, 0), (2, 0)]),
    ],
)
def test_both_ways_to_list_tuples_agree(text: str, values: list[tuple[object, ...]]) -> None:
    found = parse_domain(text)
    assert [repr(secret["q"]) for secret in found] == [repr(value) for value in values]
    assert len(found) == len(values)
    assert all({"q": value} in found for value in values)
    assert {"q": (9, 9)} not in found


@pytest.mark.parametrize(
    "text", ["q=[(a, b) for a in range(0) for b in range(2)]", "q=[(a, b) for a in 5 for b in (1, 2)]"]
)
def test_lists_of_loop_variables_are_checked(text: str) -> None:
    with pytest.raises(ProgramError, match="secrets, q"):
        parse_domain(text)


def test_more_secrets_than_can_be_counted_are_refused() -> None:
    names = [f"x{i}" for i in range(10)]
    loops = " ".join(f"for {name} in range(100)" for name in names)
    for text in (f"q=[({', '.join(names)}) {loops}]", ", ".join(f"{name}=range(100)" for name in names)):
        with pytest.raises(ProgramError, match="more than 1,000,000,000,000,000,000"):
            parse_domain(text)
    with refuses(InputError, "more than"):
        domain(**{name: range(100) for name in names})
