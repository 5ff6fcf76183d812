"""Random chains whose rows are exact in machine integers, and others that are rounded."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from deltachain import Chain


def some_chain(seed: int, inputs: int = 0) -> Chain:
    """A chain of up to 12 states; its probabilities have small or large denominators, its arcs many or few ends."""
    random = Random(seed)
    states = [f"s{i}" for i in range(random.randint(2, 12))]
    largest = random.choice([3, 1000, 10**7, 10**13])
    ends = states if random.random() < 0.7 else states[: len(states) // 2 + 1]

    def row() -> dict[str, Fraction]:
        targets = random.sample(ends, random.randint(1, min(5, len(ends))))
        weights = [random.randint(1, largest) for _ in targets]
        return {target: Fraction(weight, sum(weights)) for target, weight in zip(targets, weights, strict=True)}

    labels_used = random.randint(1, 3)
    labels = {state: f"l{random.randrange(labels_used)}" for state in states}
    labels[states[1]] = labels[states[0]]
    if not inputs:
        return Chain.from_dicts({state: row() for state in states}, labels)
    asked = [f"i{k}" for k in range(inputs)]
    return Chain.from_dicts({state: {name: row() for name in asked} for state in states}, labels)
