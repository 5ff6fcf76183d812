"""What answers about a chain assume goes wherever the chain goes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.beliefs.workspace import Workspace
from deltachain.errors import InputError
from deltachain.formats.native import chain_from_json, chain_to_json
from deltachain.model import Chain, disjoint_union, quotient, restrict
from deltachain.model.silent import without_silent
from tests.words import says

SENTENCES = ("The function depends on its arguments alone.", "Each run did the same again.")


def observed() -> Chain:
    """A chain as code that was run gives one: a hidden step, bisimilar ends, an input, and a state nobody reaches."""
    rows = {
        "s": {"x": "1/3", "y": "2/3"},
        "t": {"h": {"x": 1}, "k": {"y": 1}},
        "u": {"h": {"y": 1}, "k": {"x": 1}},
        "x": {"x": 1},
        "y": {"y": 1},
        "hush": {"x": 1},
        "alone": {"hush": "1/2", "y": "1/2"},
    }
    labels = {"s": "a", "t": "ask", "u": "ask", "x": "end", "y": "end", "hush": "", "alone": "a"}
    chain = Chain.from_dicts(rows, labels, relation=[("s", "alone"), ("t", "u")])
    return replace(chain, notes=("made by hand",), assumes=SENTENCES, confirmation="code: 3 of 4 runs confirmed")


DERIVED: dict[str, Callable[[Chain], Chain]] = {
    "restrict": lambda chain: restrict(chain, ["s"]),
    "quotient": lambda chain: quotient(chain).chain,
    "hide": lambda chain: without_silent(chain, unlabelled=True).chain,
    "choose": lambda chain: chain.choosing({"ask": "h"}),
    "relate": lambda chain: chain.with_relation([("t", "u")]),
    "union": lambda chain: disjoint_union(chain, Chain.from_dicts({"a": {"a": 1}}, {"a": "y"})),
    "union, second": lambda chain: disjoint_union(Chain.from_dicts({"a": {"a": 1}}, {"a": "y"}), chain),
    "union with itself": lambda chain: disjoint_union(chain, chain),
    "pickle": lambda chain: pickle.loads(pickle.dumps(chain)),  # noqa: S301 - our own
    "native JSON": lambda chain: chain_from_json("".join(chain_to_json(chain)), "chain.json"),
    "workspace": lambda chain: Workspace(chain, [(0, 6)]).quotient.chain,
    "load": lambda chain: dc.load(chain, neighbours="all"),
}


@pytest.mark.parametrize("way", DERIVED)
def test_what_is_assumed_is_carried(way: str) -> None:
    derived = DERIVED[way](observed())
    assert derived.assumes == SENTENCES
    assert derived.confirmation == "code: 3 of 4 runs confirmed"


def test_a_union_assumes_what_both_sides_assume() -> None:
    other = replace(observed(), assumes=(SENTENCES[0], "Something else."), confirmation="code: 9 of 9 runs confirmed")
    both = disjoint_union(observed(), other)
    assert both.assumes == (*SENTENCES, "Something else.")
    assert says(both.confirmation)


def test_a_model_assumes_nothing() -> None:
    chain = Chain.from_dicts({"a": {"a": Fraction(1)}}, {"a": "x"})
    assert (chain.assumes, chain.confirmation) == ((), "")
    assert "assumes" not in "".join(chain_to_json(chain))


def test_it_is_neither_compared_nor_hashed() -> None:
    bare = replace(observed(), assumes=(), confirmation="")
    assert bare == observed()
    assert bare.sha256 == observed().sha256


@pytest.mark.parametrize(
    "written", ['"assumes": "one"', '"assumes": [1]', '"assumes": {}', '"confirmation": 1', '"confirmation": []']
)
def test_files_that_say_it_wrongly(written: str) -> None:
    text = f'{{"format": "deltachain.chain/1", {written}, "states": {{"a": {{"label": "x", "to": {{"a": 1}}}}}}}}'
    with pytest.raises(InputError, match=written.partition(":")[0]):
        chain_from_json(text, "chain.json")
