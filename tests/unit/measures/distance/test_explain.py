"""An explanation adds up to the distance, and what is lost adds up to its difference from δ."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.model.words import total
from deltachain.numbers.exponential import exp_of
from deltachain.results.sections import as_text
from tests.reference.random_chains import random_chain
from tests.unit.distances.test_unfolding import ALPHAS, CIRCLES
from tests.words import says

DINERS = dc.examples.dining_cryptographers(n=2, p="49/100")


def test_two_diners_of_the_paper() -> None:
    found = dc.explain(dc.distance(DINERS, "s0", "s1", exp_epsilon="1.0002"))
    assert found.total == found.value == Fraction(1, 2500)
    delta = Fraction(7501, 25000000)
    assert found.delta == (delta, delta)
    (loss,) = found.losses
    assert loss.pair == ("s0", "s1")
    assert loss.share == found.gap == (Fraction(1, 2500) - delta,) * 2
    assert found.direction == ("s0", "s1")
    text = as_text(found.headline, found.sections())
    assert says(text, "pays at once")
    assert says(text, "bd − δ")
    assert pickle.loads(pickle.dumps(found))  # noqa: S301 == found


@pytest.mark.seeds(12, 300)
def test_losses_add_up_to_the_distance_less_delta(seed: int) -> None:
    chain, alpha = random_chain(Random(f"explain {seed}"), most_states=6), ALPHAS[seed % 5]
    distance = dc.distance(chain, pairs="all", exp_epsilon=alpha, kind=("bd", "ld", "sd")[seed % 3], exact=True)
    for row in distance.results:
        for most in (2, 60):
            found = dc.explain(distance, *row.pair, max_pairs=most)
            if not found.steps:
                continue
            assert found.gap is not None
            assert found.delta is not None
            shares = [total(loss.share[end] for loss in found.losses) for end in (0, 1)]
            assert found.gap[1] >= 0
            if found.kind == "bd" and found.delta[0] == found.delta[1]:
                assert found.delta[0] == dc.delta(chain, *row.pair, exp_epsilon=alpha).lower
            if found.kind != "bd":
                assert all(loss.share[1] >= 0 for loss in found.losses)
            if all(loss.gains[0] == loss.gains[1] and loss.pays[0] == loss.pays[1] for loss in found.losses):
                assert tuple(shares) == found.gap
            assert shares[0] <= found.gap[1]
            assert found.gap[0] <= shares[1]


def test_over_functions_of_e() -> None:
    chain = dc.examples.coin()
    found = dc.explain(dc.distance(chain, "s0", "s1", epsilon="1/10", exact=True))
    assert found.total == found.value
    rows = {
        "s": {"a": "exp(-1)", "b": "1-exp(-1)"},
        "t": {"b": "exp(-1)", "a": "1-exp(-1)"},
        "a": {"a": 1},
        "b": {"b": 1},
    }
    system = dc.Chain.from_dicts(rows, {"s": "s", "t": "s", "a": "a", "b": "b"})
    exact = dc.explain(dc.distance(system, "s", "t", epsilon="1/2", exact=True))
    assert exact.total == exact.value == 1 - exp_of(Fraction(-1)) - exp_of(Fraction(-1, 2))
    assert exact.gap == (0, 0)
    assert exact.test is not None
    assert exact.test.of_letters


def test_what_labels_tell_needs_no_flow() -> None:
    distance = dc.distance(CIRCLES, pairs=[("0", "h"), ("0", "0"), ("0", "1")], exp_epsilon=2, exact=True)
    apart = dc.explain(distance, "0", "h")
    assert apart.headline == "bd(0, h) = 1: the states show different outputs, 'a' and 'h'"
    assert apart.steps == ()
    assert apart.to_dict()["test"] is None
    assert "every event" in dc.explain(distance, "0", "0").headline


def test_the_quotient_is_explained_by_its_own_states() -> None:
    distance = dc.distance(DINERS, "s0", "s1", exp_epsilon="1.0002", quotient=True)
    found = dc.explain(distance)
    assert found.total == found.value == distance.value
    assert len(found.chain) < len(DINERS)


def test_pictures(tmp_path: Path) -> None:
    found = dc.explain(dc.distance(CIRCLES, "0", "2", exp_epsilon=2, exact=True))
    for name, start in (("why.dot", "digraph explanation {"), ("why.tex", "\\begin{tikzpicture}")):
        found.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    assert says("".join(found.to_dot()), "style=bold")
    with pytest.raises(InputError, match="no such picture"):
        found.save(tmp_path / "why.png")


def test_what_cannot_be_explained() -> None:
    with pytest.raises(InputError, match="not exact"):
        dc.explain(dc.distance(dc.examples.split_coin(), "s0", "s1", exp_epsilon=2, exact=False))
    several = dc.distance(CIRCLES, pairs="all", exp_epsilon=2, exact=True)
    with pytest.raises(InputError, match="3 pairs"):
        dc.explain(several)
    with pytest.raises(InputError, match="not exact"):
        dc.explain(pickle.loads(pickle.dumps(dc.distance(CIRCLES, "0", "2", exp_epsilon=2))))  # noqa: S301


def test_long_numbers_are_shortened_for_people_and_exact_in_json() -> None:
    chain = dc.examples.random(n=24, labels=2, seed=3)
    t = next(state for state in chain.by_label[chain.labels[0]] if state)
    found = dc.explain(dc.distance(chain, 0, t, epsilon="1/10", exact=True))
    assert len(str(found.value)) > 100
    text = as_text(found.headline, found.sections())
    assert max(map(len, text.splitlines())) < 150
    assert "= ≈" not in text
    assert found.to_dict()["value"]["exact"] == str(found.value)
    assert max(map(len, found.to_dot())) < 150
