"""The inner loops of recipes: what is compiled says the same as the plain source, or that a number does not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from deltachain import delta, examples
from deltachain.certificate.record import OLDER
from deltachain.certificate.verification import model_of
from deltachain_checker import CertificateRejected, Meter, ModelFile, parse, read_file, sums, verify
from deltachain_checker.recipes import Recipes
from tests.amounts import part_of
from tests.reference.random_chains import random_chain
from tests.words import says

from .live import written
from .test_two import LISTED, paths_of

compiled = pytest.importorskip("deltachain_checker._sums", reason="the checker's loops are not compiled")

ROUNDS = 3_000
"""Calls of each loop."""


def integer(random: Random, *, least: int = -1) -> int:
    """Of any length up to beyond 64 bits, often next to a power of 2; negative half of the time, if allowed."""
    length = random.choice([random.randint(0, 30), random.randint(28, 68)])
    value = random.choice([random.getrandbits(length), (1 << length) + random.randint(-2, 2)])
    return max(value, least) if least >= 0 else random.choice([-1, 1]) * value


def shares(random: Random, bottom: int, targets: range) -> list[tuple[int, int]]:
    chosen = random.sample(targets, random.randint(1, len(targets)))
    return [(target, random.randint(0, bottom)) for target in chosen]


def bottom_of(random: Random) -> int:
    return random.choice([1, 2, random.randint(1, 2**31 - 1), 1 << random.randint(20, 66)])


def steps(random: Random) -> tuple[Any, ...]:
    rows = []
    for _ in range(5):
        bottom = bottom_of(random)
        low = shares(random, bottom, range(5))
        rest = random.choice([0, random.randint(0, bottom)])
        rows.append((bottom, low, [(j, random.randint(p, bottom)) for j, p in low], rest))
    label = [random.randint(0, 2) for _ in range(5)]
    return rows, label, {i: integer(random) for i in random.sample(range(5), random.randint(1, 5))}


def targets_of(random: Random, bottom: int, below: int) -> list[tuple[int, int, int]]:
    """Two states or more of one label; more than one of each sign is refused."""
    found = [(j, random.randint(0, bottom), random.randint(0, below)) for j in range(random.randint(1, 2))]
    return found + [(9, random.randint(0, bottom), 0)] * random.choice([0, 0, 1])


def two_rows(random: Random) -> Callable[[int, int], Any]:
    known: dict[tuple[int, int], Any] = {}

    def rows(i: int, j: int) -> Any:
        if (i, j) not in known:
            bottom, below = bottom_of(random), bottom_of(random)
            known[i, j] = bottom, below, [targets_of(random, bottom, below) for _ in range(2)]
        return known[i, j]

    for i in range(3):
        for j in range(3):
            rows(i, j)
    return rows


def cells(random: Random) -> list[tuple[int, int, int]]:
    return [(random.randint(0, 2), random.randint(0, 2), random.randint(1, 8)) for _ in range(3)]


def given_to(loop: str, random: Random) -> tuple[Any, ...]:
    """Arguments of a loop, as recipes would have them, and longer."""
    match loop:
        case "step":
            return steps(random)
        case "sides":
            return ({i: integer(random) for i in range(random.randint(0, 5))},)
        case "product_below":
            f = [random.randint(0, 1 << 30) for _ in range(5)]
            return {i: integer(random) for i in range(random.randint(0, 5))}, f
        case "position":
            return integer(random, least=1), integer(random, least=1), random.randint(2, 10**7)
        case "two_signs":
            bottom, below = bottom_of(random), bottom_of(random)
            targets = targets_of(random, bottom, below)
            return targets, integer(random, least=1), bottom, -integer(random, least=1), below
        case "level_below":
            found = {cell: [integer(random, least=1), -integer(random, least=1)] for cell in cells(random)}
            return two_rows(random), found, 9
        case "level_above":
            return two_rows(random), {cell: integer(random, least=1) for cell in cells(random)}, 9
    known = {(0, 1, k): integer(random, least=1) for k in (1, 2, 5)}
    return known, 0, 1, integer(random, least=1), integer(random, least=1), random.choice([9, random.randint(2, 10**7)])


def said(module: Any, loop: str, given: tuple[Any, ...]) -> Any:
    """What a loop returns, with all that it writes; a refusal and an overflow count as answers."""
    mine = [dict(value) if isinstance(value, dict) else value for value in given]
    if loop == "step":
        mine.append([0] * 5 if module is sums else array("q", bytes(40)))
    try:
        found = getattr(module, loop)(*mine)
    except OverflowError:
        return "overflow"
    except CertificateRejected as reason:
        return str(reason)
    if loop == "step":
        assert not any(mine[-1])
    return found, mine[0] if loop == "spread" else None


LOOPS = ("step", "sides", "product_below", "position", "two_signs", "level_below", "level_above", "spread")


@pytest.mark.parametrize("loop", LOOPS)
def test_a_compiled_loop_says_the_same_or_that_a_number_does_not_fit(loop: str) -> None:
    random, seen = Random(loop), Counter[str]()
    for _ in range(ROUNDS):
        given = given_to(loop, random)
        plain, fast = said(sums, loop, given), said(compiled, loop, given)
        assert plain != "overflow"
        assert fast in (plain, "overflow"), given
        seen["overflow" if fast == "overflow" else "refused" if isinstance(fast, str) else "equal"] += 1
    assert min(seen["overflow"], seen["equal"]) > ROUNDS // 20, seen


def test_every_loop_is_compared() -> None:
    assert {*LOOPS} == {name for name, value in vars(sums).items() if callable(value)} - {"Any", "need"}
    assert all(getattr(compiled, loop) is not getattr(sums, loop) for loop in LOOPS)


def kept(name: str) -> tuple[ModelFile, Any]:
    model, document = map(read_file, paths_of("accept", name))
    return ModelFile(model), document


@pytest.mark.parametrize("name", [name for name in LISTED["accept"] if name.startswith("recipe")])
def test_kept_recipes_take_the_same_steps_compiled_and_plain(name: str) -> None:
    model, data = kept(name)
    plain, fast = Meter(), Meter()
    assert verify(model, data, plain) == verify(model, data, fast, compiled)
    assert plain.steps == fast.steps > 0


@pytest.mark.parametrize("bits", [20, 59, 61, 62, 63, 64, 200])
@pytest.mark.parametrize("recipe", [["grid", 64, 9], ["tree", "x" * 7 + "." * 8], ["levels", 9, 3], ["-levels", 9, 3]])
def test_numbers_that_do_not_fit_go_on_in_plain_python(bits: int, recipe: list[Any]) -> None:
    chain = examples.sticky_sensor()
    s, t = (chain.states[s] for s in chain.relation[0])
    data: dict[str, Any] = {"units": [bits, 30], "recipes": [[s, t, *recipe]]}
    found = []
    for loops in (sums, compiled):
        recipes = Recipes(model_of(chain), lambda part: data.get(part, []), (Fraction(3), Fraction(3)), loops)
        found.append(recipes.bounds("recipes", s, t, [0]))
        assert bits not in (63, 64, 200) or recipes.loops is sums
        assert bits != 20 or recipes.loops is loops
    assert found[0] == found[1]


@pytest.mark.parametrize("rounds", [12, 25, pytest.param(60, marks=pytest.mark.slow)])
def test_found_recipes_take_the_same_steps_compiled_and_plain(rounds: int) -> None:
    chain = examples.survey(rounds=rounds)
    document = written(delta(chain, epsilon=1, max_nodes=5).certificate)
    assert "recipes" in document
    data = parse(json.dumps(document))
    plain, fast = Meter(), Meter()
    assert verify(model_of(chain), data, plain) == verify(model_of(chain), data, fast, compiled)
    assert plain.steps == fast.steps


@settings(max_examples=part_of(60), deadline=None)
@given(seed=st.integers(0, 10**9), epsilon=st.sampled_from(["0.1", "1", "3"]))
def test_steps_depend_on_model_and_certificate_alone(seed: int, epsilon: str) -> None:
    """Compiled or plain, again or for the first time."""
    chain = random_chain(Random(seed), most_states=7, most_letters=3)
    pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
    if not pairs:
        return
    found = delta(chain, pairs=[pairs[seed % len(pairs)]], epsilon=epsilon, max_nodes=[1, 300][seed % 2], gap="1/50")
    document = written(found.certificate)
    if document["format"] == OLDER:  # with a split
        return
    event("recipes" if "recipes" in document else "others")
    data = parse(json.dumps(document))
    meters = [Meter() for _ in range(3)]
    proved = [
        verify(model_of(chain), data, meter, loops) for meter, loops in zip(meters, (sums, compiled, sums), strict=True)
    ]
    assert proved[0] == proved[1] == proved[2]
    assert meters[0].steps == meters[1].steps == meters[2].steps > 0


def test_the_checker_alone_runs_from_its_source() -> None:
    """``python -m deltachain_checker`` does not load machine code, though it is there."""
    paths = paths_of("accept", "recipe-tree")
    script = (
        "import runpy, sys\n"
        f"sys.argv = ['checker', *{paths!r}]\n"
        "try:\n    runpy.run_module('deltachain_checker', run_name='__main__')\n"
        "except SystemExit as end:\n    assert end.code == 0, end.code\n"
        "from deltachain_checker import sums\n"
        "assert sums.__file__.endswith('sums.py'), sums.__file__\n"
        "machine = [name for name, module in sys.modules.items() if name.startswith('deltachain')\n"
        "           and not (module.__file__ or '').endswith('.py')]\n"
        "assert not machine, machine\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("proved: ")
    assert says(done.stdout, "core, and recipes")
