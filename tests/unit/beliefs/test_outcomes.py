"""δ of many pairs from the words that they show: the same as from the graph of each pair, and checked."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

import deltachain as dc
from deltachain.beliefs import outcomes, search
from deltachain.beliefs.graph import finite
from deltachain.beliefs.question import Question, Terms
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.model import Chain

SVT = """
def svt(q, u=Fraction(1, 2), clamp=2):
    t = geometric(u * u, -clamp, clamp)
    for a in q:
        if a + geometric(u, -clamp, clamp) >= t:
            announce("above")
            return
        announce("below")
"""
REAL = """
def svt(q, scale=2):
    t = discrete_laplace(scale)
    for a in q:
        if a + discrete_laplace(2 * scale) >= t:
            announce("above")
            return
        announce("below")
"""
ROUNDED = """
def rounded(q):
    announce("high" if 4 * q[0] + q[1] + geometric("1/3", -20, 20) > 7 else "low")
"""


def question(chain: Chain, **terms: Any) -> Question:
    return Terms.read(**terms).about(chain, chain.relation)


def domain(text: str, size: int = 4) -> Chain:
    secrets = dc.domain(q=list(product(range(size), repeat=2)))
    return dc.load(dc.program(text), secrets=secrets, neighbours="linf 3")


@pytest.mark.parametrize("text", [SVT, REAL, ROUNDED])
@pytest.mark.parametrize("terms", [{"exp_epsilon": 2}, {"epsilon": "1/4"}])
def test_the_same_as_by_the_graph_of_each_pair(text: str, terms: dict[str, Any]) -> None:
    asked = question(domain(text), **terms)
    work, cancel = Workspace.of(asked), Cancel()
    pairs = [pair for pair in asked.pairs if len({*work.merge(pair)}) == 2]
    assert len(pairs) >= 50
    found = outcomes.attempt(asked, work, pairs, cancel)
    known = finite.attempt(asked, work, pairs, cancel)
    assert {pair: proof.interval for pair, proof in found.items()} == {p: proof.interval for p, proof in known.items()}
    for pair in pairs[::20]:
        by_words, by_graph = found[pair].witness(), known[pair].witness()
        assert (by_words is None) == (by_graph is None)
        if by_words is not None and by_graph is not None:
            assert by_words.listed == by_graph.listed
            assert {word.word for word in by_words.words} == {word.word for word in by_graph.words}


@pytest.mark.parametrize("text", [SVT, REAL, ROUNDED])
def test_many_pairs_are_one_claim_that_the_checker_accepts(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LEAST_PAIRS", {"outcomes": 50})
    chain = domain(text)
    found = dc.delta(chain, epsilon="1/4")
    assert {result.method for result in found.results} <= {"words that all pairs show", "bisimilar states"}
    assert found.checked.accepted
    assert found.certificate is not None
    document = found.certificate.document
    assert document["extensions"] == ["outcomes"]
    cited = [claim for claim in document["proves"] if "outcomes" in claim]
    assert len({(claim["lower"], claim["upper"]) for claim in cited}) == len(cited)  # one for each value
    assert len(dc.verify(chain, found.certificate)) == len(found.results)
    for result in found.results:
        assert result.upper - result.lower < Fraction(1, 10**9)


def test_few_pairs_and_many_words_are_left_to_others() -> None:
    chain = dc.examples.build("dining-cryptographers,n=12")
    asked = question(chain, exp_epsilon="1.0002")
    assert len(asked.pairs) == 66
    assert outcomes.attempt(asked, Workspace.of(asked), asked.pairs, Cancel()) == {}
    few = dc.delta(domain(SVT, 2), exp_epsilon=2)
    assert {result.method for result in few.results} == {"beliefs of the quotient"}


def test_runs_that_never_end_are_left_to_others() -> None:
    rows = {f"s{n}": {f"s{n}": Fraction(1, 2), "h": Fraction(n, 40), "e": Fraction(20 - n, 40)} for n in range(1, 13)}
    labels = dict.fromkeys(rows, "go") | {"h": "heads", "e": "tails"}
    chain = Chain.from_dicts(rows | {"h": {"h": 1}, "e": {"e": 1}}, labels, relation=combinations(rows, 2))
    asked = question(chain, exp_epsilon=2)
    assert len(asked.pairs) == 66
    assert outcomes.attempt(asked, Workspace.of(asked), asked.pairs, Cancel()) == {}


def test_no_more_words_than_are_allowed() -> None:
    asked = question(domain(SVT), exp_epsilon=2, max_nodes=2)
    work = Workspace.of(asked)
    pairs = [pair for pair in asked.pairs if len({*work.merge(pair)}) == 2]
    assert outcomes.attempt(asked, work, pairs, Cancel()) == {}
