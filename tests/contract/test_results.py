"""One suite that every result passes: it prints shortly, compares, hashes, pickles, and becomes plain data."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import deltachain as dc
from deltachain.errors import InputError
from tests.words import refuses

FORGED = "s1) = 0, exact\x1b[2J\u202e\n<Delta: δ = 0 & $x$>" + "x" * 500


def coin() -> dc.Chain:
    return dc.examples.split_coin()


def hostile() -> dc.Chain:
    """Two coins whose states have names that would rather be commands."""
    rows = {FORGED: {"h": "2/5", "t": "3/5"}, "'\"": {"h": "3/5", "t": "2/5"}, "h": {"h": 1}, "t": {"t": 1}}
    labels = {FORGED: "start", "'\"": "start", "h": "=cmd()", "t": "\x00"}
    return dc.Chain.from_dicts(rows, labels, relation=[(FORGED, "'\"")])


def large() -> dc.Chain:
    return dc.examples.build("random,n=21,seed=1,labels=7")  # more than a page draws, or a table lists


def word_of(chain: dc.Chain) -> list[str]:
    return [chain.labels[0], chain.labels[chain.rows[0][0][0]]]


MAKERS: dict[str, Callable[[dc.Chain], Any]] = {
    "delta": lambda chain: dc.delta(chain, 0, 1, exp_epsilon="6/5", max_nodes=60),
    "delta-at-epsilon": lambda chain: dc.delta(chain, 0, 1, epsilon="0.1", max_nodes=60),
    "check": lambda chain: dc.check(chain, 0, 1, exp_epsilon="6/5", delta="1/10", max_nodes=60),
    "estimate": lambda chain: dc.estimate(chain, 0, 1, exp_epsilon="6/5", max_nodes=60, samples=200, horizon=9),
    "distance": lambda chain: dc.distance(chain, 0, 1, exp_epsilon="6/5"),
    "distance-ld": lambda chain: dc.distance(chain, 0, 1, exp_epsilon="6/5", kind="ld"),
    "distance-all": lambda chain: dc.distance(chain, pairs="all", exp_epsilon="6/5"),
    "epsilon": lambda chain: dc.epsilon(chain, 0, 1, delta="1/10", precision="1/10", max_nodes=60),
    "profile": lambda chain: dc.profile(chain, 0, 1, epsilons=[0, "1/2", 1], max_nodes=60),
    "profile-estimated": lambda chain: dc.profile(
        chain, 0, 1, epsilons=[0, 1], max_nodes=60, estimate=True, samples=200, horizon=9
    ),
    "sweep": lambda chain: dc.sweep(chain, pairs=[(0, 1)], epsilons=[0, 1], max_nodes=60),
    "report": lambda chain: dc.report(chain, 0, 1, epsilon="0.1", epsilons=[0, "1/2"], max_nodes=60),
    "threshold": lambda chain: dc.threshold(chain, 0, 1, theta="1/2", exp_epsilon="6/5", solver="engine"),
    "trace": lambda chain: dc.trace(chain, [0, 1], word_of(chain)),
}
CHAINS = {"coin": coin, "hostile": hostile, "large": large}
CASES = [(maker, chain) for maker in MAKERS for chain in CHAINS]
PROVED = ("delta", "delta-at-epsilon", "check", "distance", "distance-ld", "distance-all")


def made(maker: str, chain: str) -> Any:
    return MAKERS[maker](CHAINS[chain]())


@pytest.fixture(params=CASES, ids=["-".join(case) for case in CASES], scope="module")
def case(request: pytest.FixtureRequest) -> tuple[str, str, Any]:
    maker, chain = request.param
    return maker, chain, made(maker, chain)


def test_repr_is_one_short_line(case: tuple[str, str, Any]) -> None:
    shown = repr(case[2])
    assert len(shown) < 400
    assert shown.isprintable()
    assert shown.startswith(f"<{type(case[2]).__name__}: ")


def test_html_is_well_formed_and_free_of_commands(case: tuple[str, str, Any]) -> None:
    shown = case[2]._repr_html_()
    root = ElementTree.fromstring(shown)  # noqa: S314 - our own text
    assert root.tag == "div"
    text = "".join(root.itertext())
    assert text.isprintable()
    assert len(shown) < 40_000


def test_equal_questions_have_equal_answers(case: tuple[str, str, Any]) -> None:
    maker, chain, result = case
    again = made(maker, chain)
    assert result == again
    assert hash(result) == hash(again)
    assert len({result, again}) == 1
    assert result != object()
    assert result != MAKERS["delta"](dc.examples.coin(p="1/7"))


def test_a_pickle_is_the_same_and_keeps_its_proof(case: tuple[str, str, Any]) -> None:
    maker, chain, result = case
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert copy == result
    assert hash(copy) == hash(result)
    assert repr(copy) == repr(result)
    assert copy.to_dict() == result.to_dict()
    if maker in PROVED:
        assert copy.certificate.document == result.certificate.document
    if maker in PROVED and not (chain == "large" and maker.startswith("distance")):  # whose numbers are long
        assert dc.verify(CHAINS[chain](), copy.certificate)


def test_a_dict_is_plain_data(case: tuple[str, str, Any]) -> None:
    plain = case[2].to_dict()
    assert json.loads(json.dumps(plain)) == plain


def test_results_cannot_be_changed(case: tuple[str, str, Any]) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(case[2], fields(case[2])[0].name, None)


def test_a_verdict_is_true_for_private_alone() -> None:
    chain = dc.examples.coin()
    private, violated = (dc.check(chain, exp_epsilon=1, delta=delta) for delta in ("1/2", "1/10"))
    undecided = dc.check(dc.examples.build("random,n=40,labels=3"), exp_epsilon="1.01", delta="0.9", max_nodes=2)
    assert [found.verdict for found in (private, violated, undecided)] == ["private", "violated", "undecided"]
    assert [bool(found) for found in (private, violated, undecided)] == [True, False, False]


def test_a_profile_goes_into_a_data_frame_as_it_is() -> None:
    columns = dc.profile(dc.examples.survey(), epsilons=[0, "1/3", 1]).to_dict()
    assert len({len(column) for column in columns.values()}) == 1
    assert Fraction(str(columns["lower_exact"][1])) <= Fraction(str(columns["upper_exact"][1]))
    assert isinstance(columns["lower"][1], float)


def test_a_profile_is_drawn_onto_axes() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    dc.profile(hostile(), epsilons=[0, 1]).plot(axes)
    assert len(axes.lines) >= 1
    figure.savefig(pytest.importorskip("io").BytesIO(), format="svg")
    with refuses(InputError, "neither a path"):
        dc.profile(hostile(), epsilons=[0, 1]).plot(5)  # type: ignore[arg-type]


def test_ld_has_both_directions_and_the_larger_bounds_delta() -> None:
    """From s the letter b is sure; from t it is one of two: ld(t, s) = 0 at α = 2, and δ is not."""
    rows = {"s": {"b": 1}, "t": {"b": "1/2", "c": "1/2"}, "b": {"b": 1}, "c": {"c": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "a", "t": "a", "b": "b", "c": "c"})
    found = dc.distance(chain, "s", "t", exp_epsilon=2, kind="ld")
    (result,) = found.results
    assert (result.value, result.reverse, result.largest) == (0, Fraction(1, 2), Fraction(1, 2))
    assert found.value == dc.delta(chain, "s", "t", exp_epsilon=2).upper
    assert (found["s", "t"], found["t", "s"]) == (0, Fraction(1, 2))
    assert len(dc.verify(chain, found.certificate)) == 2


def test_pairs_are_given_in_one_way_to_every_verb() -> None:
    chain = dc.examples.survey()
    s, t = chain.pairs[0]
    verbs: list[Callable[..., Any]] = [
        lambda *a, **k: dc.delta(chain, *a, exp_epsilon=2, **k),
        lambda *a, **k: dc.check(chain, *a, exp_epsilon=2, delta="1/2", **k),
        lambda *a, **k: dc.distance(chain, *a, exp_epsilon=2, **k),
        lambda *a, **k: dc.epsilon(chain, *a, delta=0, **k),
        lambda *a, **k: dc.estimate(chain, *a, exp_epsilon=2, **k),
        lambda *a, **k: dc.profile(chain, *a, epsilons=[0], **k),
        lambda *a, **k: dc.threshold(chain, *a, exp_epsilon=2, theta="1/2", solver="engine", **k),
    ]
    for verb in verbs:
        assert verb() == verb(s, t) == verb(pairs=[(s, t)]) == verb(np.int64(0), np.int32(1))
        for wrong in (lambda v: v(s), lambda v: v(s, t, pairs=[(s, t)]), lambda v: v(pairs=[]), lambda v: v(pairs="s")):
            with pytest.raises(InputError):
                wrong(verb)


@pytest.mark.parametrize("wrong", [0, -1, "1/2", 1.5, True, "many"])
def test_limits_are_checked(wrong: Any) -> None:
    with pytest.raises(InputError, match="max_nodes"):
        dc.delta(dc.examples.coin(), exp_epsilon=1, max_nodes=wrong)
    if wrong in (0, -1, "many") or wrong is True:
        with pytest.raises(InputError, match="timeout"):
            dc.delta(dc.examples.coin(), exp_epsilon=1, timeout=wrong)


def test_numpy_integers_are_numbers() -> None:
    chain = dc.examples.coin()
    assert dc.delta(chain, exp_epsilon=np.int64(2)) == dc.delta(chain, exp_epsilon=2)
    with pytest.raises(InputError, match="not a number"):
        dc.delta(chain, exp_epsilon=np.array([1, 2]))
    with pytest.raises(InputError, match="not a number"):
        dc.delta(chain, exp_epsilon=np.bool_(True))


def test_a_missing_certificate_is_a_missing_file_and_a_wrong_document_is_rejected() -> None:
    chain = dc.examples.coin()
    with pytest.raises(FileNotFoundError) as caught:
        dc.verify(chain, "no-such-certificate.json")
    assert isinstance(caught.value, InputError)
    assert pickle.loads(pickle.dumps(caught.value)).filename == "no-such-certificate.json"  # noqa: S301
    for document in ({}, {"claims": object()}):
        with pytest.raises(dc.errors.CertificateRejected):
            dc.verify(chain, document)
