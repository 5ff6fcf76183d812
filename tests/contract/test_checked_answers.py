"""Every answer is checked before it is printed: a proof that does not hold never becomes a number."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.beliefs.graph import endings, losses
from deltachain.beliefs.graph import finite as finite_graph
from deltachain.beliefs.graph.losses import Loss, PrivacyLosses
from deltachain.beliefs.question import Interval
from deltachain.certificate import distances, inspection
from deltachain.certificate.tradeoff import ExactCurve
from deltachain.certificate.verification import Seen, verify_bytes
from deltachain.distances.fixed_point import FixedPoint
from deltachain.errors import RejectedAnswer
from deltachain.measures.divergences import find as divergences
from deltachain.measures.epsilon import least, matrix
from deltachain.measures.epsilon.least import LeastAlpha
from deltachain.measures.guess import verb as guess_verb
from deltachain.measures.parametric import verb as parametric_verb
from deltachain.numbers.parameter import Ratio
from deltachain.testing import assert_private
from deltachain_checker import Meter
from tests.cli.command import run, run_json
from tests.unit.beliefs.cancelling import StoppingAfter

HALF = Fraction(1, 2)
SENSOR = "example:sticky-sensor"
SURVEY = "example:survey"
"""δ is 1/2 at ε = 0, and 0 from e^ε = 3 on."""
FUNCTIONS = dc.Chain.from_dicts(
    {"s": {"h": "exp(-1)", "t": "1-exp(-1)"}, "u": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}},
    {"s": "a", "u": "a", "h": "h", "t": "t"},
    relation=[("s", "u")],
)


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A search that takes a tenth off every bound of δ; the folder where rejected proofs are kept."""
    right = finite_graph.interval_of

    def too_small(*parts: object) -> Interval:
        found = right(*parts)  # type: ignore[arg-type]
        return Interval(found.lower * Fraction(9, 10), found.upper * Fraction(9, 10), found.direction)

    monkeypatch.setattr(finite_graph, "interval_of", too_small)
    monkeypatch.setattr(inspection.tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "ask",
    [
        lambda **more: dc.delta(SURVEY, epsilon=0, **more),
        lambda **more: dc.check(SURVEY, epsilon=0, delta="0.46", **more),
        lambda **more: dc.report(SURVEY, epsilon=0, **more),
        lambda **more: assert_private(SURVEY, epsilon=0, delta="0.46", **more),
    ],
)
def test_a_wrong_bound_is_never_an_answer(wrong: Path, ask: Callable[..., object]) -> None:
    with pytest.raises(RejectedAnswer, match="no bound is printed") as caught:
        ask()
    assert caught.value.kept is not None
    assert Path(caught.value.kept).parent == wrong
    ask(check=False)  # who asks for it unchecked has it


def _tenth_off(right: Callable[..., Any]) -> Callable[..., Any]:
    """Where runs end, a tenth of one probability moved to another outcome."""

    def wrong(arrived: Any) -> PrivacyLosses:
        (one, other, *rest) = right(arrived).outcomes
        moved = one.first / 10
        return PrivacyLosses((Loss(one.first - moved, one.second), Loss(other.first + moved, other.second), *rest))

    return wrong


def _smaller(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **more: replace(right(*args, **more), lower=Fraction(1, 2), upper=Fraction(1, 2))


def _halved(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: tuple(end / 2 for end in right(*args))


def _half_pieces(right: Callable[..., Any]) -> Callable[..., Any]:
    def halved(curves: Any) -> list[Any]:
        return [replace(each, formula=Ratio(each.formula.top, 2 * each.formula.bottom)) for each in right(curves)]

    return halved


def _curve(**more: Any) -> dc.Parametric:
    coin = dc.program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    secrets = [{"truth": True}, {"truth": False}]
    return dc.parametric(coin, parameter="p=1/2:1", exp_epsilon=1, secrets=secrets, curve=True, **more)


def _renyi(**more: Any) -> dc.Profile:
    return dc.profile(SURVEY, epsilons=[0], orders=["5/2"], **more)


def _ratio(**more: Any) -> dc.EpsilonBound:
    return dc.epsilon(SENSOR, delta=0, **more)


def _little(**_more: Any) -> dc.EpsilonBound:
    return dc.epsilon(SURVEY, delta="0.01")


@pytest.mark.parametrize(
    ("owner", "what", "wrongly", "ask"),
    [
        (losses, "collect_losses", _tenth_off, lambda **more: dc.profile(SURVEY, epsilons=[0, "1/2"], **more)),
        (losses, "collect_losses", _tenth_off, lambda **more: dc.epsilon(SURVEY, delta="0.01", **more)),
        (losses, "collect_losses", _tenth_off, lambda **more: dc.report(SURVEY, epsilon=0, **more)),
        (
            divergences.Directed,
            "renyi",
            _halved,
            _renyi,
        ),
        (divergences.Directed, "kl", _halved, lambda **more: dc.profile(SURVEY, epsilons=[0], kl=True, **more)),
        (guess_verb, "guess_secret", _smaller, lambda **more: dc.guess(SURVEY, **more)),
        (
            matrix.RatioMatrix,
            "bound",
            lambda _: lambda *_: Fraction(1),
            _ratio,
        ),
        (parametric_verb, "pieces", _half_pieces, _curve),
    ],
)
def test_what_is_wrong_in_a_finder_is_never_an_answer(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    owner: object,
    what: str,
    wrongly: Callable[..., object],
    ask: Callable[..., object],
) -> None:
    ask()
    monkeypatch.setattr(owner, what, wrongly(getattr(owner, what)))
    monkeypatch.setattr(inspection.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(RejectedAnswer, match="the checker rejected the proof of this answer") as caught:
        ask()
    assert Path(caught.value.kept or "").parent == tmp_path
    ask(check=False)


@pytest.mark.parametrize(
    ("owner", "what", "value", "ask"),
    [
        (least, "_largest_ratio", lambda *_: Fraction(2), lambda: dc.epsilon(SURVEY, delta=0)),
        (least, "_from_losses", lambda *_: replace(LeastAlpha.exactly(Fraction(2)), by_losses=True), _little),
        (least, "_from_losses", lambda *_: LeastAlpha(None, Fraction(9), HALF, by_losses=True), _little),
    ],
)
def test_an_answer_is_made_of_accepted_claims_alone(
    monkeypatch: pytest.MonkeyPatch, owner: object, what: str, value: object, ask: Callable[[], object]
) -> None:
    """What is wrong where the search adds up its own numbers does not reach an answer at all."""
    right = ask()
    monkeypatch.setattr(owner, what, value)
    assert ask() == right


@pytest.mark.parametrize("planted", [Fraction(1, 9), Fraction(8, 9)])
def test_a_curve_that_searches_contradict_is_never_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, planted: Fraction
) -> None:
    """Of very many outcomes there is no proof as a whole, and each point has one of its own."""
    monkeypatch.setattr(endings, "MOST_OUTCOMES", 1)
    monkeypatch.setattr(inspection.tempfile, "tempdir", str(tmp_path))
    assert dc.profile(SURVEY, epsilons=[0, "1/2"]).points[0].checked
    monkeypatch.setattr(ExactCurve, "bounds", lambda *_: (planted, planted))
    with pytest.raises(RejectedAnswer, match="a search contradicts this answer, so that no bound") as caught:
        dc.profile(SURVEY, epsilons=[0, "1/2"])
    kept = Path(caught.value.kept or "")
    assert dc.verify(dc.load(kept / "model.json"), kept / "certificate.json")  # of the search, and right


def test_that_no_epsilon_is_enough_is_checked_as_far_as_a_certificate_goes() -> None:
    for delta, said in (("0", "; checked"), ("1/10", "; checked up to ε = 44.361419555")):
        found = dc.epsilon("example:clamped-geometric", delta=delta)
        assert found.impossible
        assert found.checked.accepted
        assert found.headline.endswith(said)  # a word is about every ε, a search about one


def test_the_command_line_prints_no_bound_and_keeps_the_proof(wrong: Path) -> None:
    for line in ("delta", "check --delta 0.46"):
        found = run(*line.split(), SURVEY, "--epsilon", "0")
        assert found.returncode == 5
        assert found.stdout == ""
        assert "δ" not in found.stderr
        assert "please report" in found.stderr.lower()
    for folder in wrong.iterdir():
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert str(folder) in found.stderr or len(list(wrong.iterdir())) > 1
        assert dc.load(folder / "model.json").sha256 == dc.load(SURVEY).sha256
        claims = json.loads((folder / "certificate.json").read_text())["proves"]
        assert claims[0]["upper"] == "9/20"


def test_a_rejected_row_is_an_error_and_the_sweep_goes_on(wrong: Path) -> None:
    found = dc.sweep(dc.examples.survey, parameters={"p": ["3/4", "1/2"]}, epsilons=[0])
    assert [row.error is None for row in found.rows] == [False, True]  # a fair coin tells nothing: δ = 0 stays 0
    assert found.rows[0].code == 5
    assert "rejected" in (found.rows[0].error or "")
    assert found.rows[1].checked is True
    unchecked = dc.sweep(dc.examples.survey, parameters={"p": ["3/4"]}, epsilons=[0], check=False)
    assert (unchecked.rows[0].error, unchecked.rows[0].checked) == (None, False)


@pytest.mark.parametrize("model", [SURVEY, FUNCTIONS])
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_wrong_distance_is_not_printed(
    model: str | dc.Chain, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(inspection.tempfile, "tempdir", str(tmp_path))
    assert dc.distance(model, epsilon=0, kind=kind).checked.accepted is True
    assert dc.distance(model, epsilon=0, kind=kind, check=False).checked.accepted is False
    right = FixedPoint.__getitem__
    with monkeypatch.context() as planted:
        # What the engine says, its claim included, is too small: the checker rejects the claim.
        planted.setattr(FixedPoint, "__getitem__", lambda self, pair: right(self, pair) / 2)
        with pytest.raises(RejectedAnswer, match="the upper bound"):
            dc.distance(model, epsilon=0, kind=kind)
    # What it says beside its claim does not reach an answer.
    right = dc.distance(model, epsilon=0, kind=kind)
    monkeypatch.setattr(FixedPoint, "table", lambda _: [])
    assert dc.distance(model, epsilon=0, kind=kind).value == right.value
    # A certificate of another number than the one that was found.
    written = distances.write_claim
    weaker = lambda claim, base: written(replace(claim, lower=None, upper=Fraction(1)), base)  # noqa: E731
    monkeypatch.setattr(distances, "write_claim", weaker)
    with pytest.raises(RejectedAnswer, match="its numbers are not those that its certificate proves"):
        dc.distance(model, epsilon=0, kind=kind)
    if isinstance(model, str):
        found = run("distance", model, "--epsilon", "0", "--kind", kind)
        assert (found.returncode, found.stdout) == (5, "")


def test_answers_say_that_they_are_checked() -> None:
    assert dc.check(SURVEY, epsilon=0, delta="1/2").headline.startswith("PRIVATE: proved, checked, δ ≤ 0.5")
    assert dc.check(SURVEY, epsilon=0, delta="1/3").headline.startswith("VIOLATED: proved, checked, δ ≥ 0.5")
    assert dc.delta(SURVEY, epsilon=0).to_dict()["checked"] is True
    assert dc.epsilon(SURVEY, delta=0).to_dict()["checked"] is True
    assert dc.epsilon(SURVEY, delta=0).headline.endswith("; checked")
    curve = dc.profile(SURVEY, epsilons=[0, 1])
    assert [point.checked for point in curve.points] == [True, True]
    assert [entry["checked"] for entry in curve.document()["points"]] == [True, True]
    assert "has accepted" in dc.report(SURVEY, epsilon=0).html


def test_points_that_follow_from_others_are_implied() -> None:
    curve = dc.profile("example:sticky-sensor", epsilons=[0, "1/2", "11/20", "3/5", 1], gap="1/10", max_nodes=3000)
    assert {point.checked for point in curve.points} == {True, None}
    assert "implied" in curve.headline


@pytest.mark.parametrize("limit", ["MOST_BYTES", "MOST_STEPS"])
def test_beyond_the_limits_it_is_not_checked_and_says_so(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(inspection, limit, 100)
    found = dc.check(SURVEY, epsilon=0, delta="1/2")
    assert "proved, not checked (certificate too large: run verify)" in found.headline
    assert found.to_dict()["checked"] is False
    assert dc.verify(dc.load(SURVEY), found.certificate)  # whole, all the same


@pytest.mark.parametrize("limit", ["MOST_BYTES", "MOST_STEPS"])
def test_one_pair_that_refutes_is_checked_where_all_are_too_much(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    chain = dc.examples.geometric()
    many = dc.check(chain, epsilon=0, delta=0)
    meter, data = Meter(), "".join(many.certificate.chunks()).encode()
    verify_bytes(Seen(chain), data, meter)
    monkeypatch.setattr(inspection, limit, {"MOST_BYTES": len(data), "MOST_STEPS": meter.steps}[limit] - 1)
    found = dc.check(chain, epsilon=0, delta=0)
    assert found.headline.startswith("VIOLATED: proved, checked for the worst pair alone, δ ≥ ")
    assert (found.checked.accepted, found.to_dict()["checked_pair"]) == (False, list(many.worst.pair))
    private = dc.check(chain, epsilon=0, delta=1)
    assert "proved, not checked (certificate too large: run verify)" in private.headline
    assert "checked_pair" not in private.to_dict()


def test_the_option_and_its_words() -> None:
    said = run("check", SURVEY, "--epsilon", "0", "--delta", "0.5", "--no-check", "--brief")
    assert said.returncode == 0
    assert "not checked (as asked: run verify)" in said.stdout
    assert run_json("delta", SURVEY, "--epsilon", "0", "--no-check")["checked"] is False
    assert run_json("delta", SURVEY, "--epsilon", "0", "--repeat", "2")["checked"] is None
    assert "not checked: composed runs have no certificate" in dc.check(SURVEY, epsilon=1, delta=1, repeat=2).headline


def test_what_a_cut_leaves_is_checked_if_that_is_soon_done() -> None:
    found = dc.delta(SURVEY, epsilon=0, cancel=StoppingAfter(0))
    assert found.checked.accepted
    found = dc.delta(SURVEY, epsilon=0, cancel=StoppingAfter(0, later=0))
    assert str(found.checked) == "not checked (interrupted: save the certificate, then run verify)"


def test_a_verdict_says_which_inputs_it_covers() -> None:
    one = dc.check(SURVEY, epsilon=0, delta=1)
    assert "for the pair (s0, s1); no other inputs were examined" in one.headline
    many = dc.check("example:dining-cryptographers,n=3", epsilon=0, delta=1)
    assert f"for all {len(many.results)} pairs given; no other inputs were examined" in many.headline
    assert many.to_dict()["covers"] == {"pairs": 3, "secrets": 3, "drawn": False, "searches": 3}
    assert "no other inputs were examined" in dc.report(SURVEY, epsilon=0).html
