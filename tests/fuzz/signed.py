"""Signed beliefs in machine integers, by every recipe, against the exact engine, listing words, and the checker.

Chains have ties, zeros, tiny and huge masses, rows of many digits, cycles, one label or several; α runs from 1 past
what words hold.
"""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.search import _write_recipes
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.record import Writer
from deltachain.certificate.verification import model_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker import parse
from deltachain_checker.recipes import Recipes
from tests.fuzz.driver import FuzzClass
from tests.fuzz.intervals import Case, _one_way, chain_of
from tests.reference.enumerate_events import lv_at_depth

ALPHAS = ["1", "1000000001/1000000000", "11/10", "3/2", "10", "1000000", str(2**44 - 2), str(2**44 + 2**20), str(2**50)]
WEIGHTS = ([1, 1, 2, 3], [1, 2**58, 2**60 + 1], [1, 10**30 + 7], [1, 10**300 + 9], [10**9 + 7, 998_244_353, 1])
DEPTH = 5


def signed_case(random: Random) -> Case:
    """A chain of two states of one label and some more, with rows from one family of weights, and an α."""
    size = random.randint(2, 6)
    weights, rows = random.choice(WEIGHTS), []
    for state in range(size):
        targets = range(size) if random.random() < 0.5 else range(min(state + 1, size - 1), size)
        row = {random.choice(targets): random.choice(weights) for _ in range(random.randint(1, 3))}
        rows.append({target: str(Fraction(weight, sum(row.values()))) for target, weight in row.items()})
    letters = "abc"[: random.randint(1, 3)]
    labels = [random.choice(letters) for _ in range(size)]
    labels[1] = labels[0]
    return {"rows": rows, "labels": labels, "alpha": random.choice(ALPHAS), "grown": random.choice([1, 7, 60])}


def check_signed(case: Case) -> str:
    """Each direction's bounds contain what is known of it, and the checker computes the same from the recipes."""
    chain, alpha, pairs = chain_of(case), Fraction(case["alpha"]), [(0, 1), (1, 0)]
    forest = Forest(chain, pairs, ExpEpsilon.exactly(alpha))
    if not forest.usable:
        assert all(forest.bounds(pair) == (0, 1) for pair in pairs)
        return "nothing to say"
    if case["grown"] > 1:
        forest.add_levels(pairs, case["grown"], acyclic=False, cancel=Cancel())
        forest.add_grid(pairs, 64, Cancel())
    forest.grow(dict.fromkeys(pairs, case["grown"]), Cancel())
    forest.raise_lower(pairs, Cancel())
    losses = find_losses(Workspace(chain, pairs), pairs[0], Budget(300), Cancel())
    for pair in pairs:
        lower, upper = forest.bounds(pair)
        assert 0 <= lower <= upper
        assert lv_at_depth(chain, *pair, alpha, DEPTH) <= upper
        assert lower <= _one_way(chain, *pair, alpha, DEPTH)
        if losses is not None:
            exact = [(o.first, o.second) if pair == (0, 1) else (o.second, o.first) for o in losses.outcomes]
            assert lower <= sum(max(x - alpha * y, Fraction(0)) for x, y in exact) <= upper
    writer = Writer()
    places = _write_recipes(writer, forest)
    document = parse(json.dumps(writer.certificate(chain.sha256, [case["alpha"]] * 2, []).document))
    checked = Recipes(model_of(chain), lambda part: document.get(part, []), (alpha, alpha))
    unit = 1 << checked.bits
    for (one, other), cited in places.items():
        s, t = chain.states[one], chain.states[other]
        known = forest.known[one, other]
        lower, upper = Fraction(int(known.below), unit), 1 - alpha + Fraction(int(known.above), unit)
        bounds = checked.bounds("recipes", s, t, cited)
        assert bounds == (max(lower, 0), min(upper, 1)), "the checker computes other bounds"
    return "exact" if losses is not None else "endless"


CASES = [FuzzClass("signed beliefs", signed_case, check_signed)]
