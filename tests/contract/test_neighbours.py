"""Which secrets are compared: one language of rules, functions, and both spellings, wherever neighbours are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.testing import assert_private
from tests.words import refuses

pytestmark = pytest.mark.usefixtures("one_process")

SECRETS = [{"x": x} for x in (0, 1, 2, 5)]
PAIRS = (("x=0", "x=1"), ("x=1", "x=2"))


def noisy(x: int) -> int:
    return x + dc.discrete_laplace(1)


PROGRAM = dc.program("def noisy(x): announce(x + discrete_laplace(1))")


def one_apart(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return abs(a["x"] - b["x"]) == 1


RULES: dict[str, Any] = {
    "named": "linf 1",
    "expression": "abs(a.x - b.x) == 1",
    "function": one_apart,
    "lambda of one order": lambda a, b: a["x"] + 1 == b["x"],
}
CHAINS: dict[str, Callable[..., dc.Chain]] = {
    "from_code": partial(dc.from_code, noisy, SECRETS),
    "program.chain": partial(PROGRAM.chain, SECRETS),
    "load, code": partial(dc.load, noisy, secrets=SECRETS),
    "load, program": partial(dc.load, PROGRAM, secrets=SECRETS),
    "load, chain": lambda **given: dc.load(PROGRAM.chain(SECRETS), **given),
}
VERBS: dict[str, Callable[..., Any]] = {
    "check": partial(dc.check, epsilon=1, delta=0),
    "delta": partial(dc.delta, epsilon=1),
    "epsilon": partial(dc.epsilon, delta=0),
    "profile": partial(dc.profile, epsilons=[1]),
    "estimate": partial(dc.estimate, epsilon=1, samples=10),
    "assert_private": partial(assert_private, epsilon=1, delta=0),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("way", CHAINS)
def test_every_maker_of_chains_takes_every_rule(way: str, rule: str) -> None:
    for spelled in ("neighbours", "neighbors"):
        assert CHAINS[way](**{spelled: RULES[rule]}).pairs == PAIRS


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("model", [noisy, PROGRAM], ids=["code", "program"])
def test_every_verb_takes_every_rule(verb: str, rule: str, model: Any) -> None:
    found = VERBS[verb](model, secrets=SECRETS, neighbors=RULES[rule])
    pairs = [each.pair for each in found.results] if hasattr(found, "results") else list(found.pairs)
    assert sorted(map(tuple, map(sorted, pairs))) == [tuple(pair) for pair in PAIRS]


def test_a_function_sees_secrets_that_a_chain_does_not_record() -> None:
    secrets = [{"rows": {"b": [1.5] * n}} for n in range(4)]

    def count(rows: dict[str, list[float]]) -> int:
        return len(rows["b"]) + dc.discrete_laplace(1)

    def longer(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return len(a["rows"]["b"]) + 1 == len(b["rows"]["b"])

    found = dc.check(count, secrets=secrets, neighbours=longer, epsilon=1, delta=0)
    assert (found.verdict, len(found.results)) == ("private", 3)
    assert len(assert_private(count, secrets=secrets, neighbors=longer, epsilon=1, delta=0).results) == 3


def test_add_remove_of_code() -> None:
    def size(rows: tuple[int, ...]) -> int:
        return len(rows) + dc.discrete_laplace(1)

    chain = dc.from_code(size, [{"rows": rows} for rows in ((), (1,), (1, 2), (2,))], neighbours="add-remove")
    assert len(chain.pairs) == 4
    assert dc.check(chain, epsilon=1, delta=0)


@pytest.mark.parametrize("way", CHAINS)
def test_what_is_no_rule_is_refused(way: str) -> None:
    for given in (5, "no such rule", "linf x"):
        with pytest.raises(InputError):
            CHAINS[way](neighbours=given)
    with refuses(InputError, "neighbours is given"):
        CHAINS[way](neighbours="linf 1", neighbors="linf 1")


@pytest.mark.slow
def test_a_checker_of_types_accepts_functions_programs_and_chains(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    source = tmp_path / "asks.py"
    source.write_text(
        """
import deltachain as dc
from deltachain.testing import assert_private

def noisy(x: int) -> int:
    return x + dc.discrete_laplace(1)

SECRETS = [{"x": 0}, {"x": 1}]
dc.check(noisy, secrets=SECRETS, epsilon=1, delta=0)
dc.check(noisy, secrets=SECRETS, epsilon=1, delta=0, neighbours=lambda a, b: bool(a["x"] < b["x"]))
dc.delta(noisy, secrets=SECRETS, epsilon=1)
dc.epsilon(noisy, secrets=SECRETS, delta=0)
dc.profile(noisy, secrets=SECRETS, epsilons=[1])
dc.check(dc.program("def survey(truth: bool): announce(truth)"), epsilon=1, delta=0)
dc.check(dc.from_code(noisy, SECRETS, neighbours="linf 1"), epsilon=1, delta=0)
assert_private(noisy, secrets=SECRETS, epsilon=1, delta=0)
"""
    )
    found, errors, code = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(source)])
    assert code == 0, found + errors
