"""Chains whose observer chooses inputs: what is checked, what refuses, and what the special case without inputs is."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from deltachain import Chain
from deltachain.errors import InputError, InteractiveChain, ModelError
from deltachain.formats.native import chain_from_json, chain_to_json
from deltachain.model import bisimilarity, disjoint_union, is_bisimulation, quotient, reachable, restrict
from tests.words import refuses, says

ROWS = {
    "s": {"look": {"h": "1/2", "t": "1/2"}, "wait": {"s": 1}},
    "r": {"look": {"h": "1/4", "t": "3/4"}, "wait": {"r": 1}},
    "h": {"h": 1},
    "t": {"t": 1},
    "far": {"far": 1},
}
LABELS = {"s": "closed", "r": "closed", "h": "heads", "t": "tails", "far": "far"}
BOX = Chain.from_dicts(ROWS, LABELS, relation=[("s", "r")])


def random_system(seed: int, *, inputs: int = 2) -> Chain:
    rng = random.Random(seed)
    n = rng.randint(2, 8)
    labels = [rng.choice("ab") for _ in range(n)]
    count = {label: rng.randint(1, inputs) for label in "ab"}

    def row() -> dict[str, Fraction]:
        weights = [rng.choice((0, 0, 1, 1, 2)) for _ in range(n)]
        weights[rng.randrange(n)] += 1
        return {str(i): Fraction(w, sum(weights)) for i, w in enumerate(weights) if w}

    rows = {str(s): {f"i{k}": row() for k in range(count[labels[s]])} for s in range(n)}
    return Chain.from_dicts(rows, {str(s): labels[s] for s in range(n)})


def test_inputs_are_sorted_and_rows_follow_them() -> None:
    assert BOX.inputs == {"closed": ("look", "wait")}
    assert BOX.offered(0) == ("look", "wait")
    assert BOX.offered(2) == (None,)
    assert BOX.moves[0] == (((2, Fraction(1, 2)), (3, Fraction(1, 2))), ((0, Fraction(1)),))
    assert (BOX.layers, BOX.layer(1)[2]) == (2, ((2, Fraction(1)),))
    assert repr(BOX) == "<Chain: 5 states, 9 transitions, 4 labels, 2 inputs, 1 pair>"


def test_what_was_written_for_one_row_refuses() -> None:
    with refuses(InteractiveChain, "chooses inputs at"):
        BOX.rows  # noqa: B018 - asking for it is the test


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"r": {"look": {"h": 1}}}, "it offers 'look', but 's', of the same label, offers 'look', 'wait'"),
        ({"r": {"h": 1}}, "it offers no input, but 's', of the same label"),
        ({"r": {"look": {"h": "1/2"}, "wait": {"r": 1}}}, "state 'r', input 'look': row sums to 1/2"),
        ({"r": {"look": {"nowhere": 1}, "wait": {"r": 1}}}, "state 'r', input 'look': unknown target 'nowhere'"),
    ],
)
def test_defects_name_the_state_and_the_input(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        Chain.from_dicts({**ROWS, **change}, LABELS)  # type: ignore[dict-item]
    assert message in str(caught.value)
    assert len(caught.value.defects) == 1


def test_all_defects_at_once() -> None:
    broken = {
        "s": ROWS["s"],
        "r": {"look": {"h": 2}, "wait": {"nowhere": 1}},
        "h": {"h": "1/2"},
        "t": {"ask": {"t": 1}},
    }
    with pytest.raises(ModelError) as caught:
        Chain.from_dicts(broken, {s: LABELS[s] for s in broken} | {"t": "heads"})  # type: ignore[arg-type]
    assert len(caught.value.defects) == 4


def test_the_native_file_gives_it_back() -> None:
    text = "".join(chain_to_json(BOX))
    assert json.loads(text)["states"]["s"]["on"]["wait"] == {"s": 1}
    again = chain_from_json(text, "box.json")
    assert (again, again.sha256) == (BOX, BOX.sha256)


def test_the_native_file_refuses_both_to_and_on() -> None:
    text = "".join(chain_to_json(BOX)).replace('"on": {"look"', '"to": {"h": 1}, "on": {"look"', 1)
    with refuses(ModelError, 'has "to" and'):
        chain_from_json(text, "box.json")


def test_parts_and_unions_keep_inputs() -> None:
    assert reachable(BOX, ["s"]) == (0, 2, 3)
    assert restrict(BOX, ["h"]).inputs == {}
    assert restrict(BOX, ["r"]).inputs == BOX.inputs
    assert disjoint_union(BOX, BOX).inputs == BOX.inputs
    other = Chain.from_dicts({"x": {"x": 1}}, {"x": "closed"})
    with refuses(ModelError, "chains offer different"):
        disjoint_union(BOX, other)


@pytest.mark.seeds(60, 300)
def test_bisimilarity_is_the_coarsest_that_respects_every_input(seed: int) -> None:
    chain = random_system(seed, inputs=3)
    found = bisimilarity(chain)
    assert is_bisimulation(chain, found)
    # The slow, obvious refinement from labels, all inputs at once.
    block = [chain.labels[s] for s in range(len(chain))]
    while True:
        seen: dict[object, int] = {}
        fresh = []
        for s in range(len(chain)):
            sent = []
            for row in chain.moves[s]:
                into: dict[object, Fraction] = {}
                for t, p in row:
                    into[block[t]] = into.get(block[t], Fraction(0)) + p
                sent.append(frozenset(into.items()))
            fresh.append(seen.setdefault((block[s], tuple(sent)), len(seen)))
        if len(set(fresh)) == len(set(block)):
            break
        block = fresh  # type: ignore[assignment]
    assert len(set(block)) == len(set(found))
    merged = quotient(chain)
    assert len(set(bisimilarity(merged.chain))) == len(merged.chain)


def test_one_input_everywhere_is_not_the_chain_without() -> None:
    one = Chain.from_dicts({"s": {"go": {"s": 1}}}, {"s": "a"})
    none = Chain.from_dicts({"s": {"s": 1}}, {"s": "a"})
    assert one != none
    assert one.sha256 != none.sha256


def test_the_summary_stays_short() -> None:
    assert BOX.summary(5).splitlines()[1:3] == [
        "  s [closed] look → h: 1/2, t: 1/2",
        "  s [closed] wait → s: 1",
    ]
    assert len(BOX.summary(5).splitlines()) == 1 + 5 + 1
    assert says(BOX.summary(5), "more states")
    assert len(BOX.summary(1).splitlines()) == 1 + 2 + 1, "at least one state"


def test_settled_inputs_are_a_chain_without() -> None:
    settled = BOX.choosing({"closed": "wait"})
    assert (settled.inputs, settled.relation) == ({}, BOX.relation)
    assert settled.rows[0] == ((0, Fraction(1)),)
    assert settled.rows[2:] == tuple(rows[0] for rows in BOX.moves[2:])
    assert BOX.choosing({}) == BOX


@pytest.mark.parametrize(
    ("choices", "parts"),
    [
        ({"closed": "lok"}, ["label 'closed': it offers no input 'lok' (did you mean 'look'?)"]),
        ({"heads": "x", "nowhere": "y"}, ["label 'heads': it offers no inputs", "label 'nowhere': no state has this"]),
    ],
)
def test_settling_what_is_not_offered_is_refused(choices: dict[str, str], parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        BOX.choosing(choices)
    for part in parts:
        assert part in str(caught.value)
