"""The checker on boxes: what it proves from any recipe is true of every chain inside, whatever nature does.

Recipes are made here, from the specification alone: random shapes of trees and levels from both roots, first order,
and corners by iteration from above. Rows are points, boxes, ties, zeros and long numbers; mass leaves the model and
returns.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any
from unittest.mock import patch

from deltachain import Chain
from deltachain.certificate.verification import model_of
from deltachain_checker import parse, recipes
from deltachain_checker.recipes import Recipes
from tests.fuzz.driver import FuzzClass
from tests.reference.boxes import NATURES, World, extreme, random_boxes, vertices

ALPHAS = ["1", "1", "21/20", "11/10", "3/2", "3", "1000"]
ONE = 1 << 30
LETTERS = 4

Case = dict[str, Any]


def random_case(random: Random) -> Case:
    """What a case is drawn from; its chain and its recipes are drawn again from the same seed."""
    return {
        "seed": random.randrange(2**40),
        "inputs": random.random() < 0.2,
        "two_modes": random.random() < 0.3,
        "upper": (upper := random.choice(ALPHAS)),
        "lower": upper if random.random() < 0.7 else str(Fraction(upper) * Fraction(21, 20)),
        "bits": random.choice([0, 1, 8, 20, 61, 61, 90]),
        "row_bits": random.choice([30, 30, 0, 5, 30, 64, 256]),
        "coarse": random.random() < 0.7,
        "worlds": 3,
    }


def check_case(case: Case) -> str:
    """Each recipe by itself, and all together, contain the values of all worlds that are tried."""
    random = Random(case["seed"])
    chain = random_boxes(random, inputs=case["inputs"], two_modes=case["two_modes"])
    document = document_of(chain, case, random)
    known = [bounds_of(chain, {**document, "recipes": [recipe]}, case) for recipe in document["recipes"]]
    lower, upper = bounds_of(chain, document, case)
    assert (lower, upper) == (max(low for low, _ in known), min(high for _, high in known))
    for low, high in values(chain, case, random):
        for recipe, (below, above) in zip(document["recipes"], known, strict=True):
            assert below <= high, f"{recipe[2]}: {below} is above {high}"
            assert low <= above, f"{recipe[2]}: {above} is below {low}"
    return ("both" if upper < 1 else "lower") if lower else ("upper" if upper < 1 else "nothing")


def values(chain: Chain, case: Case, random: Random) -> list[tuple[Fraction, Fraction]]:
    """Of many worlds: V ≥ low at the smaller e^ε, which upper bounds are about, and V ≤ high at the larger."""
    smaller, larger = Fraction(case["upper"]), Fraction(case["lower"])
    found = []
    for nature in NATURES:
        for _ in range(case["worlds"]):
            world = World(chain, random, nature, ends=random.random() < 0.7)
            found.append((world.value(0, 1, smaller, LETTERS)[0], world.value(0, 1, larger, LETTERS)[1]))
    nature = random.choice(NATURES)
    for largest in (True, False):
        world = World(chain, random, nature, ends=True)
        extreme(world, 0, 1, smaller if largest else larger, LETTERS - 1, largest=largest, tries=1)
        found.append((world.value(0, 1, smaller, LETTERS)[0], world.value(0, 1, larger, LETTERS)[1]))
    return found


def bounds_of(chain: Chain, document: dict[str, Any], case: Case) -> tuple[Fraction, Fraction]:
    """What the checker proves of the direction from state 0 against state 1.

    Any way to group beliefs is sound: in the ``coarse`` way, levels join beliefs that differ.
    """
    with patch.object(recipes, "direction_of", by_sign if case["coarse"] else recipes.direction_of):
        return reader_of(chain, document, case).bounds("recipes", "0", "1", [*range(len(document["recipes"]))])


def reader_of(chain: Chain, document: dict[str, Any], case: Case) -> Recipes:
    """The recipes of a document, as the checker reads them."""
    parts = parse(json.dumps(document))
    return Recipes(
        model_of(chain), lambda part: parts.get(part, []), (Fraction(case["upper"]), Fraction(case["lower"]))
    )


def by_sign(m: dict[int, int], _total: int) -> object:
    """A group for each set of states with their signs."""
    return tuple((state, value < 0) for state, value in m.items())


# Recipes.


def document_of(chain: Chain, case: Case, random: Random) -> dict[str, Any]:
    """One recipe of each kind that the chain admits."""
    units = [case["bits"], case["row_bits"]]
    document: dict[str, Any] = {"units": units, "vectors": random_vectors(chain, random)}
    reader = reader_of(chain, document, case)
    unit = 1 << case["bits"]
    found = [tree_recipe(reader, "0", "1", kind, random) for kind in ("tree", "-tree")]
    if not chain.interactive:
        dust = random.choice([0, 0, min(unit // 100, 1 << 60)])
        found += [["0", "1", kind, random.randint(0, 6), dust] for kind in ("levels", "-levels")]
        found += [["0", "1", "first", first_of(chain, random)]] if reader.model.limited else []
        if case["two_modes"] and reader.model.limited:
            size = random.choice([2, 3, 8, 12])
            found.append(["0", "1", "corners", size, corners_of(chain, size, random.choice([0, 1, 4, 8]))])
    return document | {"recipes": found}


def tree_recipe(reader: Recipes, s: str, t: str, kind: str, random: Random) -> list[Any]:
    """A random tree from one of the two roots of a direction."""
    unit, (smaller, larger) = 1 << reader.bits, reader.alpha
    first, second = reader.state[s], reader.state[t]
    roots = {
        "tree": {first: unit, second: math.floor(-larger * unit)},
        "-tree": {first: -unit, second: math.floor(smaller * unit)},
    }
    return [s, t, kind, tree_of(reader, roots[kind], random)]


def random_vectors(chain: Chain, random: Random) -> list[Any]:
    """Events about a few letters, each made of earlier ones."""
    found: list[Any] = []
    label_of: list[str | None] = [None, None]
    for _ in range(random.randint(0, 6)):
        label = random.choice(chain.labels)
        after = {}
        for b in chain.alphabet:
            fitting = [k for k, known in enumerate(label_of) if known in (None, b)]
            if random.random() < 0.8:
                after[b] = random.choice(fitting)
        asked = [random.choice(chain.inputs[label])] if label in chain.inputs else []
        found.append([label, after, *asked])
        label_of.append(label)
    return found


def tree_of(reader: Recipes, root: dict[int, int], random: Random) -> str:
    """A tree whose beliefs are expanded at random; leaves are bounded by masses or by a vector of their label."""
    text, stack, left = [], [(root, 0)], random.choice([0, 1, 5, 40])
    while stack:
        m, depth = stack.pop()
        if left > 0 and depth < 6 and random.random() < 0.9:
            left -= 1
            text.append("x")
            for asked in reversed(reader.inputs(m)):
                after, _ = reader.step(m, asked)
                stack += [(after[label], depth + 1) for label in sorted(after, reverse=True)]
            continue
        label = reader.model.label[reader.names[next(iter(m))]]
        fitting = [k for k, (known, _, _) in enumerate(reader.vectors) if known in (None, label)]
        text.append(f"{random.choice(fitting)}," if random.random() < 0.5 else ".")
    return "".join(text)


def first_of(chain: Chain, random: Random) -> str:
    """A tree for the first-order rule: its shape depends on labels alone."""
    text, stack, left = [], [({0, 1}, 0)], random.choice([0, 1, 5, 30])
    while stack:
        states, depth = stack.pop()
        if left > 0 and depth < 5 and random.random() < 0.9:
            left -= 1
            text.append("x")
            targets = {j for i in states for j, _, _ in chain.given[i][0].box}
            shown = sorted({chain.labels[j] for j in targets}, reverse=True)
            stack += [({j for j in targets if chain.labels[j] == b}, depth + 1) for b in shown]
        else:
            text.append(".")
    return "".join(text)


def corners_of(chain: Chain, size: int, rounds: int) -> list[Any]:
    """Values of all directions, so many rounds down from k·2^30: each round gives upper bounds, by monotony."""
    pairs = [(i, j) for group in chain.by_label.values() for i, j in product(group, group) if i != j]
    corners = {i: [*vertices(scaled(chain, i))] for i in range(len(chain))}
    known = {pair: [k * ONE for k in range(size + 1)] for pair in pairs}
    for _ in range(rounds):
        known = {pair: one_round(chain, known, pair, corners, size) for pair in pairs}
    return [[chain.states[i], chain.states[j], values] for (i, j), values in known.items()]


def scaled(chain: Chain, state: int) -> Any:
    """The box with ends rounded outward to multiples of 2^-30."""
    box = chain.given[state][0].box
    entries = tuple((j, Fraction(math.floor(lo * ONE), ONE), Fraction(math.ceil(hi * ONE), ONE)) for j, lo, hi in box)
    return type(box)(entries, Fraction(math.ceil(box.rest * ONE), ONE)).tighten()


def one_round(
    chain: Chain, known: dict[tuple[int, int], list[int]], pair: tuple[int, int], corners: dict[int, Any], size: int
) -> list[int]:
    """The largest that may follow each direction, by the rule as it is written."""
    found = []
    for k in range(size + 1):
        most = Fraction(max(2 * k - size, 0) * ONE)
        for (p, out), (q, _) in product(corners[pair[0]], corners[pair[1]]):
            total = k * out * ONE
            for group in chain.by_label.values():
                z = {a: k * p.get(a, 0) - (size - k) * q.get(a, 0) for a in group}
                plus, minus = [a for a in z if z[a] > 0], [a for a in z if z[a] < 0]
                if plus and minus:
                    ((a,), (c,)) = plus, minus
                    total += worth(known[a, c], z[a], -z[c], size)
                else:
                    total += max(sum(z.values()), 0) * ONE
            most = max(most, Fraction(total))
        found.append(math.ceil(most))
    return found


def worth(values: list[int], x: Fraction, y: Fraction, size: int) -> Fraction:
    """The line between the two directions next to (x, −y); rounded up to the checker's unit."""
    place = x * size / (x + y)
    k = math.floor(place)
    line = (k + 1 - place) * values[k] + (place - k) * values[min(k + 1, size)]
    return Fraction(math.ceil((x + y) * line / size * ONE), ONE)


CASES = [FuzzClass("boxes", random_case, check_case)]
