"""Beliefs that a flow into a distance closes: exact where it says so, on chains whose beliefs go on for ever."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain.beliefs.graph import flows
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.distances.fixed_point import solve
from tests.asking import question_at
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.reference.random_chains import random_chain


@pytest.mark.parametrize("alpha", [Fraction(6, 5), Fraction(2)])
def test_what_is_closed_is_exact_and_no_event_shows_more(alpha: Fraction) -> None:
    random, settled = Random(4), 0
    for _ in range(25):
        chain = random_chain(random, most_states=5)
        pairs = [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]][:2]
        if not pairs:
            continue
        question = question_at(alpha, chain, pairs)
        work = Workspace.of(question)
        distance = solve(work.quotient.chain, alpha, kind="ld", exact=True)
        for pair, proof in flows.attempt(question, work, pairs, distance, Cancel()).items():
            assert proof.interval.lower == proof.interval.upper
            shown = max(tv_alpha_at_depth(chain, *way, alpha, 4) for way in (pair, pair[::-1]))
            assert shown <= proof.interval.upper
            dc.verify(chain, Answer(question_at(alpha, chain, [pair]), work, (proof,)).certificate())
            settled += 1
    assert settled > 5
