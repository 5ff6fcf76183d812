"""Splits: V(w) = Σ_G V_G(w) over groups G of closed sets that the letters tell apart in the long run (R7, L3).

docs/theory/splits.md has the proof. Checked here: the closed sets and the functions h_G are those of the chain, and
each two sets of different groups have a test, a letter and a combination φ of word probabilities that is positive on
the one set and negative on the other. Words are recomputed, letter by letter: a function that words do not span, though
it may lie in some space that contains all of them, tells nobody anything. Part of the trusted base.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from .meter import spend
from .read import Belief, Model, lists, mass, need, number

ZERO, ONE = Fraction(0), Fraction(1)
ENTRY = 50
"""Steps of the meter for an entry of a row, or of a test."""


def split_chains(model: Model, data: Any) -> list[tuple[Belief, Model, Any]]:
    """For each group: h_G where it is positive, the chain p_ij·h_G(j)/h_G(i) there, and the group's own entries."""
    need(not model.interactive, "splits", "no inputs: who must choose cannot wait until the group is known")
    classes = [set(_states(model, "splits", states)) for states in lists(data["classes"], 1, more=True)]
    for k, states in enumerate(classes):
        need(all(model.row[i].keys() <= states for i in states), f"class {k}", "R7: no step leaves it")
    groups = data["groups"]
    need(isinstance(groups, list) and groups, "splits", "a list of groups, not empty")
    members = [[int(number(c)) for c in group["classes"]] for group in groups]
    every = sorted(c for listed in members for c in listed)
    need(every == list(range(len(classes))), "splits", "each class in one group", every, len(classes))
    harmonics = [_harmonic(model, group["harmonic"]) for group in groups]
    _check_harmonics(model, harmonics, [set().union(*(classes[c] for c in listed)) for listed in members])
    _check_tests(model, data, classes, {c: g for g, listed in enumerate(members) for c in listed})
    return [(h, _conditioned(model, h), group) for h, group in zip(harmonics, groups, strict=True)]


def _states(model: Model, name: str, listed: Iterable[Any]) -> list[str]:
    states = [*listed]
    known = all(isinstance(i, str) for i in states) and set(states) <= model.label.keys()
    need(known and states and len(set(states)) == len(states), name, "known states, each once", states[:9])
    return states


def _harmonic(model: Model, entries: Any) -> Belief:
    """h_G as [[state, value], …]: positive numbers, 0 elsewhere."""
    states = _states(model, "harmonic", (state for state, _ in lists(entries, 2)))
    found = dict(zip(states, (number(value) for _, value in entries), strict=True))
    need(all(value > 0 for value in found.values()), "harmonic", "positive numbers")
    return found


def _check_harmonics(model: Model, harmonics: list[Belief], ends: list[set[str]]) -> None:
    """h_G is the probability of ending in the group: only one bounded h = Ph is 1 there and 0 at all other ends."""
    covered = set().union(*harmonics)
    for i in sorted(covered):
        need(model.row[i].keys() <= covered, "harmonic", f"R7: no step from {i} leaves the states that are covered")
        total = sum((h.get(i, ZERO) for h in harmonics), ZERO)
        need(total == 1, "harmonic", f"R7: a sum of one at {i}", total, 1)
    for k, (h, states) in enumerate(zip(harmonics, ends, strict=True)):
        spend(ENTRY * sum(len(model.row[i]) for i in covered))
        need(all(h.get(i) == 1 for i in states), f"group {k}", "R7: h is 1 on the group's classes")
        for i in sorted(covered):
            after = mass({j: p * h.get(j, ZERO) for j, p in model.row[i].items()})
            need(h.get(i, ZERO) == after, f"group {k}", f"R7: h = Ph at {i}", h.get(i, ZERO), after)
    # Else h = Ph has many solutions: on a closed set that is not listed, h may be any constant.
    need(_all_lead(model, covered, set().union(*ends)), "splits", "L3: every state leads to a class that is listed")


def _check_tests(model: Model, data: Any, classes: list[set[str]], group: Mapping[int, int]) -> None:
    """L3: each two classes of different groups have a test that holds."""
    words = [*_word_vectors(model, data.get("words", []), set().union(*classes))]
    told = set()
    for c, d, label, entries in lists(data.get("tests", []), 4):
        first, second = int(number(c)), int(number(d))
        name = f"test of classes {first} and {second}"
        need({first, second} <= group.keys(), name, "known classes")
        weights = [(int(number(k)), number(weight)) for k, weight in lists(entries, 2)]
        need(all(0 <= k < len(words) for k, _ in weights), name, "known words")
        for states, sign in ((classes[first], 1), (classes[second], -1)):
            spend(ENTRY * len(states) * (1 + len(weights)))
            for i in sorted(states):
                phi = sum((weight * words[k][i] for k, weight in weights), ZERO)
                need(model.label[i] != label or sign * phi > 0, name, f"L3: the sign of φ at {i}", phi)
        shown = {i for i in classes[first] if model.label[i] == label}
        # The second need not show it: then it is seen only finitely often there, which tells as well (Lemma 39).
        need(shown and _all_lead(model, classes[first], shown), name, "L3: the first shows the letter again and again")
        told.add(frozenset((first, second)))
    for c in group:
        for d in group:
            need(group[c] == group[d] or frozenset((c, d)) in told, f"classes {d} and {c}", "L3: a test of the two")


def _word_vectors(model: Model, entries: Any, states: set[str]) -> Iterator[Belief]:
    """The probability of each word from each state: word 0 is empty, word n is a letter and then an earlier word."""
    known: list[Belief] = [dict.fromkeys(states, ONE)]
    yield known[0]
    for label, rest in lists(entries, 2):
        k = int(number(rest))
        need(0 <= k < len(known), "words", "only words before it", k)
        spend(ENTRY * sum(len(model.row[i]) for i in states))
        rows = ((i, model.row[i].items()) for i in states)
        known.append({i: mass({j: p * known[k][j] for j, p in row if model.label[j] == label}) for i, row in rows})
        yield known[-1]


def _all_lead(model: Model, states: set[str], goal: set[str]) -> bool:
    """Whether every one of the states, which no step leaves, can reach the goal."""
    before: dict[str, list[str]] = {}
    for i in states:
        for j in model.row[i]:
            before.setdefault(j, []).append(i)
    reached, waiting = set(goal), [*goal]
    while waiting:
        for i in before.get(waiting.pop(), []):
            if i not in reached:
                reached.add(i)
                waiting.append(i)
    return states <= reached


def _conditioned(model: Model, h: Belief) -> Model:
    """The chain given that it ends in the group; its rows sum to one because h = Ph."""
    rows = {i: {j: p * h[j] / h[i] for j, p in model.row[i].items() if j in h} for i in h}
    return Model({i: model.label[i] for i in h}, {i: {None: row} for i, row in rows.items()})
