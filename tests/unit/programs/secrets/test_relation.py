"""Predicates over variables and rules about two states: what is chosen, and every refusal with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deltachain as dc
from deltachain import load
from deltachain import program as as_program
from deltachain.errors import FormatError, InputError
from deltachain.model import Chain
from deltachain.programs.language.values import Value
from deltachain.programs.secrets import relation
from deltachain.programs.secrets.domains import parse_domain
from deltachain.programs.secrets.relation import (
    drawn_pairs,
    neighbouring,
    ordered_neighbours,
    states_where,
    with_neighbours,
)
from tests.words import refuses

Values = Mapping[str, Value]

VALUES: list[dict[str, object]] = [
    {"x": 0, "done": False, "who": "alice"},
    {"x": 1, "done": False, "who": "bob"},
    {"x": -2, "done": True, "who": "alice"},
    {"x": 1, "done": True, "who": "carol"},
    {},
    {"x": 7},
]
CHAIN = Chain.from_dicts(
    {str(i): {str(i): 1} for i in range(len(VALUES))},
    {str(i): "a" for i in range(len(VALUES))},
    valuations={str(i): values for i, values in enumerate(VALUES)},
)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("x=0", (0,)),
        ("x == 1", (1, 3)),
        ("x!=1", (0, 2, 5)),
        ("x<0", (2,)),
        ("x<=0", (0, 2)),
        ("x>0", (1, 3, 5)),
        ("x>=1", (1, 3, 5)),
        ("0 < x", (1, 3, 5)),
        ("x = -2", (2,)),
        ("x = x", (0, 1, 2, 3, 5)),
        ("done", (2, 3)),
        ("!done", (0, 1)),
        ("not not done", (2, 3)),
        ("done = false", (0, 1)),
        ("true", (0, 1, 2, 3, 4, 5)),
        ("false | x=7", (5,)),
        ("done & x=1", (3,)),
        ("done and x=1 or x=0", (0, 3)),
        ("done | x=0 & who='bob'", (2, 3)),  # & binds closer than |
        ("(done | x=0) & who='alice'", (0, 2)),
        ('who = "alice"', (0, 2)),
        ("who != 'alice'", (1, 3)),
        ("not (x=0 or x=1)", (2, 5)),
        ("!x=0", (1, 2, 3, 5)),  # negation is of the comparison
    ],
)
def test_states_are_chosen(text: str, chosen: tuple[int, ...]) -> None:
    assert states_where(CHAIN, text) == chosen


def test_states_without_the_variable_are_not_chosen_by_a_negation() -> None:
    assert states_where(CHAIN, "not who='alice'") == (1, 3)


def test_the_choice_can_be_limited() -> None:
    assert states_where(CHAIN, "x=1", within=[0, 3]) == (3,)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("x == 1 and not done", (1,)),
        ("0 <= x < 2", (0, 1, 3)),
        ("abs(x) == 2", (2,)),
        ("x in (1, 7)", (1, 3, 5)),
        ("done && x==1 || x=7", (3,)),
        ("who = 'a=b' | x=0 & true", (0,)),  # what is quoted stays as it is
    ],
)
def test_the_language_of_programs_is_read(text: str, chosen: tuple[int, ...]) -> None:
    assert states_where(CHAIN, text) == chosen


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("", "--from ''", "not one expression"),
        ("x=", "--from 'x='", "not Python"),
        ("x == 1 y", "--from 'x == 1 y', column 8", "not Python"),
        ("(x==1", "--from '(x==1', column 1", "never closed"),
        ("x==1; done", "--from 'x==1; done'", "not one expression"),
        ("__import__('os')", "--from \"__import__('os')\", column 1", "cannot reach outside"),
        ("flip(1/2)", "--from 'flip(1/2)', column 1", "a random value"),
        ("x < [1]", "--from 'x < [1]', column 5", "list"),
    ],
)
def test_what_is_not_a_predicate_is_refused_with_its_column(text: str, where: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        states_where(CHAIN, text, what="--from")
    defect = caught.value.defects[0]
    assert defect.where == where
    assert problem in defect.what


def test_nesting_is_limited() -> None:
    with pytest.raises(FormatError, match="nest"):
        states_where(CHAIN, "(" * 5000 + "x=1" + ")" * 5000)
    with pytest.raises(FormatError, match="nested more than"):
        states_where(CHAIN, "!" * 70 + "done")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x", "0 is not a truth value"),
        ("x + 1", "1 is not a truth value"),
        ("who < 1", "have no order"),
        ("x / 0 == 1", "division by zero"),
        ("who & done", "used as a condition"),
        ("x = true", "a number, 0, is compared with a bool, True"),
        ("who = 1", "text, 'alice', is compared with a number, 1"),
        ("10**10**10 == x", "bits"),
    ],
)
def test_values_that_do_not_go_together_are_refused_with_the_state(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        states_where(CHAIN, text, what="--to")
    assert problem in caught.value.defects[0].what
    assert "in state '0'" in caught.value.defects[0].where


def test_unknown_variables_are_all_named_with_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        states_where(CHAIN, "y=1 & z=2 & x=0")
    assert ["'y'" in d.what or "'z'" in d.what for d in caught.value.defects] == [True, True]
    assert "done, who, x" in caught.value.defects[0].fix


def test_a_chain_without_valuations_says_so() -> None:
    with refuses(InputError, "variables: name states"):
        states_where(Chain.from_rows([[1]], ["a"]), "x=1")


SUM = as_program("def total(data, p='3/4'): announce(sum(x if flip(p) else 1 - x for x in data))")
DATA = [(0, 1), (1, 1), (0, 0), (1,), (0, 1, 1)]
SECRETS = [{"data": data} for data in DATA]


def _compared(rule: str) -> set[tuple[int, int]]:
    return set(ordered_neighbours(load(SUM, secrets=SECRETS, neighbours=rule), rule))


@pytest.mark.parametrize(
    ("rule", "pairs"),
    [
        ("one-entry", {(0, 1), (0, 2)}),
        ("add-remove", {(0, 4), (1, 4), (3, 0), (3, 1)}),  # ordered: the second has one entry more
        ("all", {(i, j) for i in range(5) for j in range(i + 1, 5)}),
        ("abs(sum(a.data) - sum(b.data)) == 1", {(0, 1), (0, 2), (0, 4), (1, 3), (2, 3), (3, 4)}),  # sums 1 2 0 1 2
        ("len(a.data) < len(b.data)", {(0, 4), (1, 4), (2, 4), (3, 0), (3, 1), (3, 2), (3, 4)}),
        ("Fraction(a.p) == 3/4 and a.data[0] == b.data[0] == 1", {(1, 3)}),
    ],
)
def test_neighbours_are_those_of_the_rule(rule: str, pairs: set[tuple[int, int]]) -> None:
    assert _compared(rule) == pairs


def test_one_entry_of_several_parameters_is_one_of_them() -> None:
    both = as_program("def both(a, b): announce((flip(1/2), a, b))")
    secrets = [{"a": 0, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 1}]
    assert set(load(both, secrets=secrets, neighbours="one-entry").relation) == {(0, 1), (1, 2)}


def test_one_entry_of_a_dict_and_one_more() -> None:
    counts = as_program("def counts(h): announce(flip(1/2))")
    secrets = [{"h": {"x": 1}}, {"h": {"x": 2}}, {"h": {"x": 2, "y": 1}}]
    assert load(counts, secrets=secrets, neighbours="one-entry").relation == ((0, 1),)
    assert load(counts, secrets=secrets, neighbours="add-remove").relation == ((1, 2),)


@pytest.mark.parametrize(
    ("rule", "problems"),
    [
        ("a.dta == b.q", ["no variable 'dta'", "no variable 'q'"]),
        ("data == 1", ["of which state is 'data'?"]),
        ("c.data == a.data", ["unknown name 'c'"]),
        ("a == b", ["unknown name 'a'", "unknown name 'b'"]),
        ("a.data", ["is not a truth value"]),
        ("one-entry-more", ["unknown name 'one'", "unknown name 'entry'", "unknown name 'more'"]),
        ("a.data == 'no'", ["a tuple, (0, 1), is compared with text, 'no'"]),
        ("len(a.data) > 9", ["no two start states are neighbours"]),
    ],
)
def test_rules_that_cannot_be_asked_say_everything(rule: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        _compared(rule)
    found = caught.value.defects
    assert [problem in defect.what for problem, defect in zip(problems, found, strict=True)] == [True] * len(problems)
    assert all(rule in defect.where for defect in found)


def test_too_many_states_are_refused_before_the_work() -> None:
    names = [str(i) for i in range(5000)]
    chain = Chain.from_dicts(
        {n: {n: 1} for n in names}, dict.fromkeys(names, "a"), valuations={n: {"x": 1} for n in names}
    )
    with pytest.raises(InputError, match="ordered pairs"):
        with_neighbours(chain, "all")


VECTORS = [{"q": (a, b), "name": "x"} for a in range(3) for b in range(3)]


@pytest.mark.parametrize(
    ("rule", "related"),
    [
        ("linf 1", lambda x, y: max(abs(x[0] - y[0]), abs(x[1] - y[1])) <= 1),
        ("l1 1", lambda x, y: abs(x[0] - y[0]) + abs(x[1] - y[1]) <= 1),
        ("l1 3/2", lambda x, y: abs(x[0] - y[0]) + abs(x[1] - y[1]) <= 1),
        ("linf 2", lambda _x, _y: True),
        ("all(abs(x - y) <= 1 for x, y in zip(a.q, b.q))", lambda x, y: all(abs(i - j) < 2 for i, j in zip(x, y))),  # noqa: B905
        ("sum(x for x in a.q) < sum(x for x in b.q)", lambda x, y: sum(x) != sum(y)),
        ("any(x == y for x in a.q for y in b.q if x > 0)", lambda x, y: bool({*x} & {*y} & {1, 2})),
        ("a.q[0] in tuple(y for y in b.q)", lambda x, y: x[0] in y or y[0] in x),
    ],
)
def test_rules_with_comprehensions_and_norms(rule: str, related: Callable[[Any, Any], bool]) -> None:
    names = [str(values["q"]) for values in VECTORS]
    found = {frozenset(pair) for pair in neighbouring(VECTORS, names, rule)}  # type: ignore[arg-type]
    wanted = {frozenset((i, j)) for i, j in combinations(range(9), 2) if related(VECTORS[i]["q"], VECTORS[j]["q"])}
    assert found == wanted


def apart(x: Any, y: Any) -> list[Fraction] | None:
    """By definition: how far values are from each other, number by number; None if they differ in anything else."""
    if isinstance(x, int | Fraction) and isinstance(y, int | Fraction):
        return [abs(Fraction(x) - Fraction(y))]
    if isinstance(x, tuple) and isinstance(y, tuple):
        parts = [apart(i, j) for i, j in zip(x, y, strict=False)] if len(x) == len(y) else [None]
    elif isinstance(x, dict) and isinstance(y, dict):
        parts = [apart(x[key], y[key]) for key in x] if x.keys() == y.keys() else [None]
    else:
        return [] if x == y else None
    return None if None in parts else [number for part in parts for number in part or []]


NUMBERS = st.one_of(st.integers(-2, 2), st.booleans(), st.sampled_from([Fraction(1, 2), Fraction(-3, 2)]))
PARTS = st.one_of(NUMBERS, st.sampled_from(["u", "v"]), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS))
SOME_SECRETS = st.lists(
    st.fixed_dictionaries({"x": PARTS, "y": PARTS}, optional={"z": NUMBERS}), min_size=2, max_size=12
)


@given(SOME_SECRETS, st.sampled_from(["linf", "l1"]), st.sampled_from(["1/2", "1", "2", "5/2"]))
def test_near_secrets_are_those_of_the_definition(secrets: list[Any], norm: str, most: str) -> None:
    wanted = []
    for i, j in combinations(range(len(secrets)), 2):
        numbers = apart(secrets[i], secrets[j])
        together: Callable[[list[Fraction]], Fraction] = max if norm == "linf" else sum  # type: ignore[assignment]
        if numbers is not None and together([Fraction(0), *numbers]) <= Fraction(most):
            wanted.append((i, j))
    names = [str(i) for i in range(len(secrets))]
    if wanted:
        assert neighbouring(secrets, names, f"{norm} {most}") == wanted
    else:
        with pytest.raises(InputError, match="no two start states are neighbours"):
            neighbouring(secrets, names, f"{norm} {most}")


def test_near_secrets_of_a_large_domain_are_found_without_comparing_all() -> None:
    line = [{"x": x} for x in range(20_000)]
    found = neighbouring(line, [str(x) for x in range(20_000)], "linf 1")
    assert found == [(x, x + 1) for x in range(19_999)]
    same = [{"x": x % 2} for x in range(5000)]
    with refuses(InputError, "pairs are too"):
        neighbouring(same, [str(x) for x in range(5000)], "l1 1")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("linf x", "not a number"),
        ("l1 0", "no two secrets differ by at most 0"),
        ("all(z <= 1 for x in a.q)", "unknown name 'z'"),
        ("[x for x in a.q]", "a list is not a value of programs"),
        ("flip(1/2)", "a random value"),
        ("sum(x for x in a.q)", "is not a truth value"),
        ("all(x == 'a' for x in a.q)", "is compared with"),
        ("all(True for x in range(100000) for y in range(100000))", "more than 1,000,000 steps"),
    ],
)
def test_rules_that_cannot_be_computed_are_refused(rule: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        neighbouring(VECTORS, [str(values["q"]) for values in VECTORS], rule)  # type: ignore[arg-type]


def test_drawn_pairs_are_neighbours_of_the_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relation, "DRAWN_BATCHES", 4)
    domain = parse_domain("q=[(a, b, c) for a in range(5) for b in range(5) for c in range(5)], flag=(True, False)")
    for rule in ("linf 1", "l1 1", "one-entry", "sum(a.q) + 1 == sum(b.q) and a.flag == b.flag"):
        secrets, pairs, every = drawn_pairs(domain, rule, 40, 7, ("sample", "neighbours"))
        assert (secrets, pairs, every) == drawn_pairs(domain, rule, 40, 7, ("sample", "neighbours"))
        assert not every
        assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 40
        assert all(secret in domain for secret in secrets)
        names = [str(secret) for secret in secrets]
        allowed = {tuple(pair) for pair in neighbouring(secrets, names, rule)}
        assert all(pair in allowed or pair[::-1] in allowed for pair in pairs)


def test_a_domain_with_few_pairs_is_listed_and_not_drawn_from_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0

    def counted(domain: Sequence[Values], random: Random) -> tuple[Values, Values]:
        nonlocal tried
        tried += 1
        return two_drawn(domain, random)

    two_drawn = relation._two_drawn
    monkeypatch.setattr(relation, "_two_drawn", counted)
    places = ("sample", "neighbours")
    tiny = parse_domain("x=range(3)")
    assert drawn_pairs(tiny, "all", 100, 1, places) == (list(tiny), [(0, 1), (0, 2), (1, 2)], True)
    few = drawn_pairs(tiny, "all", 2, 1, places)
    assert (len(set(few.pairs)), few.every) == (2, False)
    assert drawn_pairs(tiny, "b.x == a.x + 1", 2, 1, places).every  # exactly as many as there are
    assert tried == 0
    with refuses(InputError, "neighbours were found"):
        drawn_pairs(tiny, "a.x > 5", 2, 1, places)
    # 1,225 pairs are drawn from first; what is then missing comes from the list, each pair once.
    line = parse_domain("x=range(50)")
    secrets, pairs, every = drawn_pairs(line, "linf 1", 100, 1, places)
    assert every
    assert {frozenset(int(secrets[k]["x"]) for k in pair) for pair in pairs} == {  # type: ignore[call-overload]
        frozenset((x, x + 1)) for x in range(49)
    }
    assert len(pairs) == 49
    assert tried == 2 * relation.DRAWN_BATCH


@pytest.mark.parametrize("values", [(1, Fraction(1, 2)), ("1", "a"), (True, 1), (0, "none")])
def test_one_entry_differs_whatever_the_types_of_its_values(values: tuple[Value, Value]) -> None:
    secrets = [{"x": value, "y": 0} for value in values]
    assert neighbouring(secrets, ["a", "b"], "one-entry") == [(0, 1)]
    in_tuples = [{"x": (value, 0), "y": 0} for value in values]
    assert neighbouring(in_tuples, ["a", "b"], "one-entry") == [(0, 1)]


LOOKS = """
def looks(q):
    announce(flip("3/10" if q == "1" else "7/10" if q == "1.0" else "1/2"))
"""


@pytest.mark.parametrize("rule", ["one-entry", "a.q != b.q", "all", None])
def test_texts_that_look_like_one_number_are_two_secrets(rule: str | None) -> None:
    # Read as numbers, "1" and "1.0" did not differ, and the one pair that violates it was not compared.
    secrets = dc.domain(q=["1", "1.0", "x"])
    found = dc.check(as_program(LOOKS), secrets=secrets, neighbours=rule, epsilon=0, delta="1/5")
    assert (found.verdict, len(found.results), found.worst.pair) == ("violated", 3, ("q=1", "q=1.0"))


def test_a_text_is_not_a_number_to_a_rule() -> None:
    secrets = dc.domain(q=["1", "2", "x"])
    asked = {"secrets": secrets, "epsilon": 0, "delta": 1}
    assert len(dc.check(as_program(LOOKS), neighbours='a.q == "1"', **asked).results) == 2
    with refuses(InputError, "states are neighbours"):
        dc.check(as_program(LOOKS), neighbours="linf 1", **asked)
    with refuses(InputError, "is compared with"):
        dc.check(as_program(LOOKS), neighbours="a.q == 1", **asked)


def test_texts_that_look_like_numbers_survive_a_file(tmp_path: Path) -> None:
    texts = ["1", "1.0", "'1'", "(1, 2)", "range(2)", "-", "… 3", "plain", ""]
    chain = as_program("def shown(q, n=0): announce(n)").chain([*({"q": text} for text in texts), {"q": "1", "n": 1}])
    dc.save(chain, tmp_path / "chain.json")
    for found in (chain, dc.load(tmp_path / "chain.json")):
        for text in texts:
            (state, *_) = states_where(found, f"q == {text!r}", within=range(10))
            assert state == texts.index(text)
