"""Small random chains, seeded, with coarse probabilities, so that symmetries are common."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from deltachain import Chain

LETTERS = "abc"


def random_chain(random: Random, *, most_states: int = 8, most_letters: int = 3, parts: int = 4) -> Chain:
    """A chain whose rows are at most ``parts`` equal shares, thrown onto states at random."""
    size = random.randint(1, most_states)
    letters = LETTERS[: random.randint(1, most_letters)]
    rows = []
    for _ in range(size):
        shares = random.randint(1, parts)
        row: dict[int, Fraction] = {}
        for _ in range(shares):
            target = random.randrange(size)
            row[target] = row.get(target, Fraction(0)) + Fraction(1, shares)
        rows.append(row)
    return Chain.from_rows(rows, [random.choice(letters) for _ in range(size)])


def with_twins(random: Random, chain: Chain, twins: int) -> Chain:
    """The chain with some states doubled: a twin has the same row, and takes a share of what enters."""
    rows = [dict(row) for row in chain.rows]
    labels = list(chain.labels)
    for _ in range(twins):
        original = random.randrange(len(rows))
        twin = len(rows)
        rows.append(dict(rows[original]))
        labels.append(labels[original])
        for row in rows:
            if original in row:
                moved = row[original] * Fraction(random.randint(0, 3), 3)
                row[original] -= moved
                row[twin] = row.get(twin, Fraction(0)) + moved
    return Chain.from_rows(rows, labels)


def random_system(random: Random, *, most_states: int = 4, most_inputs: int = 3, parts: int = 4) -> Chain:
    """A chain of two letters whose observer chooses among up to ``most_inputs`` inputs at each of them."""
    size = random.randint(2, most_states)
    count = {letter: random.randint(1, most_inputs) for letter in "ab"}
    labels = {str(s): random.choice("ab") for s in range(size)}

    def row() -> dict[str, Fraction]:
        thrown = [str(random.randrange(size)) for _ in range(random.randint(1, parts))]
        return {target: Fraction(thrown.count(target), len(thrown)) for target in thrown}

    rows = {s: {f"input {k}": row() for k in range(count[label])} for s, label in labels.items()}
    return Chain.from_dicts(rows, labels)
