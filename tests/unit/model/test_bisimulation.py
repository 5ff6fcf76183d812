"""Bisimilarity on chains whose classes are known; partitions that are and are not bisimulations."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from deltachain import delta
from deltachain.errors import InputError
from deltachain.formats.native import chain_from_json
from deltachain.model import Chain, bisimilarity, is_bisimulation, quotient
from deltachain.model.bisimulation import _split
from tests.words import refuses


def diamond(left: str = "1/3") -> Chain:
    """s and t reach two bisimilar ends each, with the same total; u differs by ``left``."""
    rows = {
        "s": {"x": "1/3", "y": "2/3"},
        "t": {"x": "2/3", "y": "1/3"},
        "u": {"x": left, "z": str(1 - Fraction(left))},
        "x": {"x": 1},
        "y": {"y": "1/2", "x": "1/2"},
        "z": {"z": 1},
    }
    return Chain.from_dicts(
        rows, {"s": "a", "t": "a", "u": "a", "x": "b", "y": "b", "z": "c"}, relation=[("s", "t"), ("s", "u")]
    )


def test_known_classes() -> None:
    assert bisimilarity(diamond()) == (0, 0, 1, 2, 2, 3)


def test_quotient_maps_both_ways() -> None:
    merged = quotient(diamond())
    assert merged.chain.states == ("s", "u", "x", "z")
    assert merged.members == ((0, 1), (2,), (3, 4), (5,))
    assert merged.chain.probability("s", "x") == 1
    assert merged.chain.pairs == (("s", "s"), ("s", "u"))


def test_a_difference_of_one_part_in_a_googol_is_seen() -> None:
    hair = Fraction(1, 10**100)
    third = Fraction(1, 3)
    rows = [{2: third, 3: 1 - third}, {2: third + hair, 3: 1 - third - hair}, {2: 1}, {3: 1}]
    assert bisimilarity(Chain.from_rows(rows, ["a", "a", "b", "c"])) == (0, 1, 2, 3)


def test_long_chains_split_all_the_way() -> None:
    """A countdown: state k is k steps from the end, so no two states are bisimilar."""
    size = 2000
    rows = [{max(k - 1, 0): 1} for k in range(size)]
    blocks = bisimilarity(Chain.from_rows(rows, ["end"] + ["on"] * (size - 1)))
    assert blocks == tuple(range(size))


def test_a_ring_is_one_class() -> None:
    assert set(bisimilarity(Chain.from_rows([{(k + 1) % 500: 1} for k in range(500)], ["a"] * 500))) == {0}


@pytest.mark.seeds(60, 300)
def test_splitting_a_block_makes_its_parts_and_the_rest(seed: int) -> None:
    """The largest piece keeps the number and is not queued; all pieces come out whole."""
    random = Random(seed)
    states = random.sample(range(100), random.randint(1, 30))
    cuts = sorted(random.sample(range(len(states) + 1), random.randint(1, min(5, len(states)))))
    parts = [states[a:b] for a, b in pairwise([0, *cuts]) if a < b] or [states]
    rest = set(states).difference(*parts)
    wanted = {frozenset(part) for part in parts} | ({frozenset(rest)} if rest else set())
    blocks, block_of = [{100, 101}, set(states)], [0] * 102
    for state in states:
        block_of[state] = 1
    fresh = _split(blocks, block_of, 1, [list(part) for part in parts])
    assert {frozenset(block) for block in blocks[1:]} == wanted
    assert fresh == list(range(2, len(blocks)))
    assert len(blocks[1]) == max(map(len, wanted))
    assert all(block_of[state] == number for number, block in enumerate(blocks) for state in block)


def test_checking_a_partition() -> None:
    chain = diamond()
    assert is_bisimulation(chain, range(6))
    assert is_bisimulation(chain, [5, 5, 4, 3, 3, 2])
    assert not is_bisimulation(chain, [0, 0, 0, 2, 2, 3]), "u goes elsewhere"
    assert not is_bisimulation(chain, [0, 0, 1, 2, 2, 2]), "labels differ"
    assert not is_bisimulation(chain, [0, 0, 1, 2, 3, 4]), "s and t differ in what goes to x alone"
    with refuses(InputError, "a partition of"):
        is_bisimulation(chain, [0, 1])


def test_a_given_partition_is_checked() -> None:
    finer = quotient(diamond(), [0, 1, 2, 3, 3, 4])
    assert len(finer.chain) == 5
    with pytest.raises(InputError, match="not a bisimulation"):
        quotient(diamond(), [0, 0, 0, 1, 1, 2])


def test_inputs_that_send_nothing_into_a_block_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 300 inputs at each of 8 questions, a pass over all of them for each block took a minute."""
    from deltachain.model import bisimulation

    inputs, questions = 300, 8
    rows: dict[str, dict[str, dict[str, int]] | dict[str, int]] = {"end": {"end": 1}}
    labels = {"end": "end"}
    for secret in (0, 1):
        for k in range(questions):
            rows[f"q{secret}.{k}"] = {f"{c:03}": {f"a{secret}.{k}.{c * secret}": 1} for c in range(inputs)}
            labels[f"q{secret}.{k}"] = "?"
            for answer in {c * secret for c in range(inputs)}:
                name = f"a{secret}.{k}.{answer}"
                labels[name] = str(answer)
                rows[name] = {f"q{secret}.{k + 1}" if k + 1 < questions else "end": 1}
    chain = Chain.from_dicts(rows, labels)
    calls = 0
    split_by = bisimulation._split_by

    def counted(*given: object) -> list[int]:
        nonlocal calls
        calls += 1
        return split_by(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(bisimulation, "_split_by", counted)
    assert len(set(bisimilarity(chain))) > questions
    assert calls < 20 * chain.transitions


MIXED = """{"format": "deltachain.chain/1", "states": {
 "s": {"label": "go", "to": {"a": "exp(1)/(1+exp(1))", "b": "1/(1+exp(1))"}},
 "t": {"label": "go", "to": {"a": "1/(1+exp(1))", "b": "exp(1)/(1+exp(1))"}},
 "twin": {"label": "go", "to": {"c": "exp(1)/(1+exp(1))", "a": "1/(1+exp(1))"}},
 "half": {"label": "go", "to": {"a": "1/2", "b": "1/2"}},
 "a": {"label": "a", "to": %s},
 "b": {"label": "b", "to": {"b": 1}}, "c": {"label": "b", "to": {"c": 1}}}}"""
"""Functions of e beside another row."""


@pytest.mark.parametrize(
    "row", ['{"a": 1}', '{"a": ["9/10", "1"], "b": ["0", "1/10"]}', '{"a": "9/10"}, "rest": "1/10"']
)
def test_functions_are_compared_whatever_other_rows_are(row: str) -> None:
    chain = chain_from_json(MIXED % row, "mixed")
    assert bisimilarity(chain) == (0, 1, 1, 2, 3, 4, 4)
    assert is_bisimulation(chain, bisimilarity(chain))
    found = delta(chain, "s", "t", epsilon=0, check=False)
    assert found.lower > Fraction(46, 100)
    assert delta(chain, "t", "twin", epsilon=0, check=False).upper == 0
    assert delta(chain, "s", "half", epsilon=0).lower > Fraction(23, 100)
