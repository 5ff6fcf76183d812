"""The entries of a split: words, classes, tests, and for each group h_G and the proof within its own chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..beliefs.splits import Group, Split, SplitSolved
from .nodes import node_claims
from .record import exact_text, merge_of

Pair = tuple[int, int]


def split_claims(proofs: Mapping[Pair, SplitSolved]) -> tuple[dict[str, Any], dict[Pair, dict[str, int]]]:
    """The entry ``splits`` of pairs of one chain, and for each pair the node of its part in each group."""
    if not proofs:
        return {}, {}
    split = next(iter(proofs.values())).split
    places: dict[Pair, dict[str, int]] = {pair: {} for pair in proofs}
    groups = []
    for number, group in enumerate(split.groups):
        inside = {
            pair: (part, solved)
            for pair, proof in proofs.items()
            for part, solved in proof.parts
            if part.group == number
        }
        claims, numbers = node_claims([solved for _, solved in inside.values()])
        groups.append(_group_entry(split, group) | {key: value for key, value in claims.items() if value})
        for pair, (part, solved) in inside.items():
            places[pair][str(number)] = numbers[id(solved), part.root]
    return _split_entry(split) | {"groups": groups}, places


def _split_entry(split: Split) -> dict[str, Any]:
    """What tells the classes apart, with the words that are used."""
    names = split.chain.states
    used = {0}
    waiting = [k for test in split.tests for k, _ in test.weights]
    while waiting:
        k = waiting.pop()
        if k not in used:
            used.add(k)
            waiting.append(split.words[k][1])
    number = {k: n for n, k in enumerate(sorted(used))}
    return {
        "words": [[split.words[k][0], number[split.words[k][1]]] for k in sorted(used) if k],
        "classes": [[names[i] for i in states] for states in split.classes],
        "tests": [
            [test.first, test.second, test.label, [[number[k], exact_text(weight)] for k, weight in test.weights]]
            for test in split.tests
        ],
    }


def _group_entry(split: Split, group: Group) -> dict[str, Any]:
    harmonic = [[split.chain.states[i], exact_text(h)] for i, h in enumerate(group.harmonic) if h]
    merge = merge_of(group.chain, group.quotient)
    return {"classes": list(group.classes), "harmonic": harmonic} | ({"merge": merge} if merge else {})
