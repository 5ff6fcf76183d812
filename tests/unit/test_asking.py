"""What every verb reads first: the model, its pairs, the token of the call."""

from __future__ import annotations

from typing import Any

import pytest

import deltachain as dc
from deltachain.asking import (
    cancel_scope,
    load_chain,
    load_composed,
    load_inquiry,
    make_inspection,
    names_of,
    reject_renamed_arguments,
)
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.settings import Settings
from tests.words import refuses

SURVEY = dc.program("def survey(x, p='3/4'): announce(x if flip(p) else not x)")
BOTH = [{"x": True}, {"x": False}]


def test_pairs_by_number_or_those_of_the_model() -> None:
    chain = dc.examples.coin()
    whole = load_inquiry(chain, Settings())
    assert (whole.chain, whole.pairs) == (chain, tuple(chain.relation))
    assert load_inquiry(chain, Settings(), "s1", "s0").pairs == ((1, 0),)
    assert load_inquiry(chain, Settings(), pairs=[("s0", 1)]).pairs == ((0, 1),)


def test_what_is_read_is_not_read_again() -> None:
    inquiry = load_inquiry(dc.examples.coin(), Settings())
    assert load_inquiry(inquiry, Settings()) is inquiry
    assert load_chain(inquiry, None, Cancel()) is inquiry.chain
    assert dc.delta(inquiry, exp_epsilon=1) == dc.delta(inquiry.chain, exp_epsilon=1)


def test_what_an_answer_covers() -> None:
    many = dc.program("def shown(x): announce(x > 1)")
    secrets = [{"x": x} for x in range(3)]
    inquiry = load_inquiry(many, Settings(secrets=secrets, neighbours="linf 1"))
    assert inquiry.pairs == ((0, 1), (1, 2))
    covers = inquiry.covers
    assert (covers.secrets, covers.by_rule, covers.drawn) == (3, True, False)
    covers = load_inquiry(SURVEY, Settings(secrets=BOTH)).covers
    assert covers.secrets is None, "one pair is named, not covered"
    named = load_inquiry(many, Settings(secrets=secrets), 0, 2)
    assert (named.pairs, named.covers.secrets) == (((0, 2),), None)


@pytest.mark.parametrize("way", [{"neighbours": "all"}, {"sample": (3, 1)}])
def test_pairs_are_given_in_one_way(way: dict[str, Any]) -> None:
    with refuses(InputError, "pairs are named"):
        load_inquiry(SURVEY, Settings(secrets=BOTH, **way), 0, 1)


def test_a_token_of_the_caller_is_given_alone() -> None:
    mine = Cancel()
    with cancel_scope(mine, None, None, False) as token:
        assert token is mine
    with pytest.raises(InputError, match="give it alone"), cancel_scope(mine, 1.0, None, False):
        pass
    with cancel_scope(None, 1.0, None, True) as token:
        assert not token.is_stopped()


def test_a_name_of_the_papers_is_told_ours() -> None:
    @reject_renamed_arguments
    def verb(*, exp_epsilon: int = 1, **more: int) -> int:
        return exp_epsilon + sum(more.values())

    assert verb(exp_epsilon=2, other=3) == 5
    with pytest.raises(InputError, match="called exp_epsilon here"):
        verb(alpha=2)


def test_models_beside_and_checks() -> None:
    chain = dc.examples.coin()
    with pytest.raises(InputError, match="is one model"):
        load_composed("example:coin", Cancel())
    (loaded,) = load_composed(["example:coin"], Cancel())
    assert loaded.chain.sha256 == chain.sha256
    assert names_of(Workspace(chain, [(0, 1)])) == (("s0", "s1"),)
    assert make_inspection(chain, Cancel(), False) is None
    assert make_inspection(chain, Cancel(), True) is not None
