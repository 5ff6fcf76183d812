"""δ(ε) as a band, exact where the belief graph is finite."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain import Profile, delta, profile
from deltachain.beliefs.question import Terms
from deltachain.beliefs.workspace import Workspace
from deltachain.certificate.checked import NOT_ASKED
from deltachain.errors import InputError
from deltachain.measures.divergences.show import Divergence, worst
from deltachain.measures.epsilon.least import least_of
from deltachain.measures.epsilon.show import Reason
from deltachain.measures.epsilon.verb import as_bound
from deltachain.measures.profile.show import ProfilePoint
from deltachain.numbers.fraction import alpha_above, alpha_below
from tests.reference.endless_chains import between
from tests.words import refuses, says

GRID = [Fraction(i, 10) for i in range(12)]


@pytest.mark.parametrize("name", ["coin", "survey", "geometric", "crowds", "mix", "dining-cryptographers"])
def test_a_finite_profile_agrees_with_delta_at_every_point(name: str) -> None:
    chain = dc.examples.build(name)
    s, t = chain.pairs[0]
    curve = profile(chain, s, t, epsilons=GRID)
    assert curve.distributions is not None
    for point in curve.points:
        alone = delta(chain, s, t, epsilon=point.epsilon)
        assert (point.lower, point.upper) == (alone.lower, alone.upper)


def test_losses_are_two_distributions() -> None:
    chain = dc.examples.dining_cryptographers(n=4)
    losses = profile(chain, "s0", "s1").losses
    assert sum(o.first for o in losses) == sum(o.second for o in losses) == 1
    ratios = [o.first / (o.first + o.second) for o in losses]
    assert ratios == sorted(set(ratios))


def test_the_band_of_a_cyclic_chain_falls_and_holds_the_truth() -> None:
    chain = dc.examples.sticky_sensor()
    curve = profile(chain, epsilons=GRID, max_nodes=80)
    assert curve.distributions is None
    for one, two in zip(curve.points, curve.points[1:], strict=False):
        assert one.upper >= two.upper
        assert one.lower >= two.lower
    for point in curve.points:
        # δ at α = e^ε, bracketed; s0 and s1 are each other's mirror image.
        assert point.lower <= between(chain, "s0", "s1", alpha_below(point.epsilon), 7)[1]
        assert point.upper >= between(chain, "s0", "s1", alpha_above(point.epsilon), 7)[0]
    amid = curve.delta(epsilon="0.25")
    assert amid.upper < curve.points[2].upper, "a chord is below the point on its left"
    assert amid.upper >= between(chain, "s0", "s1", alpha_above("0.25"), 7)[0]
    assert amid.lower >= curve.points[3].lower


def test_the_bounds_of_the_worst_divergence_are_said_of_whom_they_are() -> None:
    wide = Divergence("kl", ("s", "t"), Fraction(0), Fraction(5))
    high = Divergence("kl", ("u", "v"), Fraction(3), Fraction(4))
    for found in ([wide, high], [high, wide]):
        one = worst(found)
        assert (one.lower, one.upper, one.pair, one.lower_pair) == (3, 5, ("s", "t"), ("u", "v"))
        said = "3 ≤ KL ≤ 5 of the worst direction, at least as of (u, v) and at most as of (s, t), first against second"
        assert one.headline.startswith(said)
        assert one.to_dict()["lower_pair"] == ["u", "v"]
    assert worst([high, high]) == high


def test_the_worst_of_several_pairs() -> None:
    chain = dc.examples.dining_cryptographers(n=3)
    together = profile(chain, epsilons=["0", "1/10000"])
    alone = [profile(chain, s, t, epsilons=["0", "1/10000"]) for s, t in chain.pairs]
    for i, point in enumerate(together.points):
        assert point.upper == max(curve.points[i].upper for curve in alone)
    with refuses(InputError, "for the profile"):
        _ = together.losses


def test_epsilon_from_the_profile_is_exact() -> None:
    curve = profile(dc.examples.survey(), "s0", "s1")
    proved, refuted = curve.epsilon(delta="1/20")
    assert proved is not None
    assert refuted <= proved <= refuted + Fraction(2, 10**12)
    assert curve.delta(epsilon=proved).upper <= Fraction(1, 20)


def test_csv_holds_exact_numbers() -> None:
    curve = profile(dc.examples.survey(), "s0", "s1", epsilons=["0", "1"])
    rows = list(csv.DictReader(io.StringIO(curve.csv())))
    assert rows[0]["upper_exact"] == "1/2"
    assert Fraction(float(rows[1]["upper"])) >= Fraction(rows[1]["upper_exact"])
    assert Fraction(float(rows[1]["lower"])) <= Fraction(rows[1]["lower_exact"])
    losses = list(csv.DictReader(io.StringIO(curve.losses_csv())))
    assert [row["first"] for row in losses] == ["1/4", "3/4"]


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_plots_are_written(tmp_path: Path, suffix: str) -> None:
    exact = profile(dc.examples.survey(), "s0", "s1", epsilons=["0", "1/2", "1"])
    band = profile(dc.examples.sticky_sensor(), epsilons=["0", "1/2"], max_nodes=30)
    for i, curve in enumerate((exact, band)):
        curve.plot(tmp_path / f"band{i}{suffix}")
        curve.plot_tradeoff(tmp_path / f"tradeoff{i}{suffix}")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        f"{kind}{i}{suffix}" for kind in ("band", "tradeoff") for i in (0, 1)
    )
    assert all(p.stat().st_size > 1000 for p in tmp_path.iterdir())


def test_a_plot_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.svg"):
        profile(dc.examples.survey(), epsilons=[0]).plot(tmp_path / "x.gif")


@pytest.mark.parametrize("bad", [[], ["-1"], ["x"]])
def test_bad_grids_are_refused(bad: list[str]) -> None:
    with pytest.raises(InputError):
        profile(dc.examples.survey(), epsilons=bad)


def _accountant(curve: Profile, **settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dp-accounting's dependencies deprecate things at import
        return curve.to_dp_accounting(**settings)


def test_three_runs_composed_by_an_accountant_agree_with_a_chain_that_runs_three_times() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    once = profile(dc.examples.survey(rounds=1), "s0", "s1")
    thrice = profile(dc.examples.survey(rounds=3), "s0", "s1")
    composed = _accountant(once).self_compose(3)
    for at in ("0", "1/2", "1", "2", "3"):
        truth = float(thrice.delta(epsilon=at).upper)
        accounted = composed.get_delta_for_epsilon(float(Fraction(at)))
        assert truth - 1e-9 <= accounted <= truth + 2e-3


@pytest.mark.parametrize("example", ["survey", "survey,p=1", "dining-cryptographers,n=3,p=2/5", "coin,p=1/5"])
@pytest.mark.parametrize("interval", [1e-4, 0.3])
def test_an_accountant_is_given_bounds_on_the_side_asked_for(example: str, interval: float) -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    curve = profile(dc.examples.build(example), "s0", "s1")
    above = _accountant(curve, interval=interval)
    below = _accountant(curve, pessimistic=False, interval=interval)
    for at in ("0", "1/3", "1", "2"):
        truth = float(curve.delta(epsilon=at).upper)
        high, low = (found.get_delta_for_epsilon(float(Fraction(at))) for found in (above, below))
        assert low - 1e-12 <= truth <= high + 1e-12
        assert high - low <= 2.1 * interval


def test_an_accountant_is_given_both_directions() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    chain = dc.from_distributions({"a": "1/2", "b": "1/2"}, {"a": "1/10", "b": "2/5", "c": "1/2"})
    for pair in (chain.pairs[0], chain.pairs[0][::-1]):
        curve = profile(chain, *pair, epsilons=[0])
        truth = float(curve.delta(epsilon=1).upper)
        assert truth == 0.5, "c is seen from one of them only"
        assert _accountant(curve).get_delta_for_epsilon(1) == pytest.approx(truth, abs=1e-9)


def test_an_rdp_accountant_is_given_upper_bounds() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting import rdp
    curve = profile(dc.examples.survey(p="51/100"), epsilons=[0])
    orders, bounds = curve.rdp([2, 4, 8, 16, 1.5])
    assert all(Fraction(bound) >= (curve.renyi(order).lower or 0) for order, bound in zip(orders, bounds, strict=True))
    epsilon, _ = rdp.compute_epsilon(orders, [100 * bound for bound in bounds], 1e-5)
    composed = profile(dc.examples.survey(p="51/100"), repeat=100, epsilons=[str(round(epsilon, 6))])
    assert composed.points[0].upper <= Fraction(1, 10**5), "what the accountant says is enough, is"
    assert profile(dc.examples.coin(p=0), epsilons=[0]).rdp([2])[1] == [float("inf")]
    for wrong in (1, "4/3"):
        with pytest.raises(InputError, match="order"):
            curve.rdp([wrong])


def test_an_interval_is_above_zero() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="interval"):
            _accountant(profile(dc.examples.survey()), interval=wrong)


@pytest.mark.parametrize("pessimistic", [True, False])
def test_losses_and_masses_are_on_the_side_asked_for(pessimistic: bool) -> None:
    chain = dc.from_distributions({"a": "1/3", "b": "2/3"}, {"a": "1/7", "b": "5/7", "c": "1/7"})
    curve = profile(chain, epsilons=[0])
    rows = list(csv.DictReader(curve.loss_masses_csv(pessimistic=pessimistic).splitlines()))
    assert Counter(row["direction"] for row in rows) == {"forward": 2, "backward": 3}
    assert [row["mass_exact"] for row in rows if row["loss"] == "inf"] == ["1/7"]
    ratio = {"1/3": Fraction(7, 3), "2/3": Fraction(14, 15), "5/7": Fraction(15, 14)}
    for row in rows:
        mass, exact = Fraction(row["mass"]), Fraction(row["mass_exact"])
        assert mass >= exact if pessimistic else mass <= exact
        assert abs(mass - exact) < Fraction(1, 10**15)
        if row["loss"] != "inf":
            known = ratio.get(row["mass_exact"], Fraction(3, 7))
            with localcontext(Context(prec=50)) as context:
                loss = context.ln(Decimal(known.numerator) / known.denominator)
                assert (Decimal(row["loss"]) >= loss) is pessimistic
                assert abs(Decimal(row["loss"]) - loss) < Decimal("1e-14")


def test_what_is_no_epsilon_is_refused_by_bands_and_exact_curves() -> None:
    for chain in (dc.examples.coin(), dc.examples.sticky_sensor()):
        curve = profile(chain, epsilons=["0", "1/2"], max_nodes=30)
        for wrong in (-1, 2000):
            with pytest.raises(InputError):
                curve.delta(epsilon=wrong)


def test_a_plot_draws_zero_as_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """δ = 0 from ln 3 on was drawn as 1."""
    drawn: list[tuple[float, float, float]] = []
    monkeypatch.setattr(
        "deltachain.measures.profile.show.draw_band", lambda _target, points, *_, **__: drawn.extend(points)
    )
    curve = dc.profile(dc.examples.survey(), epsilons=["0", "1", "2"])
    curve.plot()
    assert [epsilon for epsilon, _, _ in drawn] == [0.0, 1.0, 2.0]
    assert drawn[2] == (2.0, 0.0, 0.0)
    for (_, low, high), point in zip(drawn, curve.points, strict=True):
        assert Fraction(low) <= point.lower
        assert Fraction(high) >= point.upper


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_row_of_the_csv_is_true(n: int) -> None:
    """The ε of a corner was rounded down beside an upper bound that holds at the corner and not before it."""
    curve = dc.profile(f"example:survey,rounds={n},p=7/10", epsilons=["1/3", "2/3", 1, "10/7"])
    assert curve.corners is not None
    assert len(curve.corners) > 2
    rows = list(csv.DictReader(io.StringIO(curve.csv())))
    assert len(rows) == 4 + sum(piece.begin > 1 for piece in curve.corners)
    for row in rows:
        there = curve.delta(epsilon=row["epsilon"])  # the decimal that is printed
        assert Fraction(row["lower"]) <= there.lower
        assert there.upper <= Fraction(row["upper"])


def test_only_the_exact_trade_off_is_that_of_the_best_attacker() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    exact = dc.profile("example:survey", epsilons=[0, 1])
    several = dc.profile("example:dining-cryptographers,n=3", epsilons=[0, 1])
    assert len(several.pairs) > 1
    for curve, label in ((exact, "best attacker"), (several, "bound: no attacker is below")):
        axes = curve.plot_tradeoff()
        assert axes is not None
        assert axes.lines[0].get_label() == label
    pyplot.close("all")


def test_the_least_epsilon_of_a_curve_is_exact_and_as_sure_as_the_curve(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text(
        '{"format": "deltachain.chain/1", "confidence": "0.95", "relation": [["s", "t"]], "states": {'
        '"s": {"label": "a", "on": {"p": {"to": {"x": "exp(-1)/3", "y": "1-exp(-1)/3"}}, '
        '"q": {"counts": {"x": 5}, "rest": "0"}}}, '
        '"t": {"label": "a", "on": {"p": {"to": {"x": "exp(-2)", "y": "1-exp(-2)"}}, "q": {"to": {"x": "1"}}}}, '
        '"x": {"label": "x", "to": {"x": "1"}}, "y": {"label": "y", "to": {"y": "1"}}}}'
    )
    curve = profile(file)
    assert curve.pieces is not None
    chain, allowed = dc.load(file), Fraction(1, 100)
    question = Terms.read(exp_epsilon=1, allowed=allowed).about(chain, chain.relation)
    said = NOT_ASKED, NOT_ASKED
    found = as_bound(question, Workspace.of(question), least_of(curve.curves, allowed), said, None)
    assert found.exact
    assert found.value is not None
    assert found.exp_epsilon_proved is not None
    assert found.refuted < found.value < found.exp_epsilon_proved  # no fraction is the least e^ε
    assert "rounded up) on" not in found.headline
    assert says(found.headline, "confidence, given the")


def test_a_band_that_is_narrow_at_its_points_alone_is_drawn_as_a_band() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    points = (
        ProfilePoint(Fraction(0), Fraction(1, 2), Fraction(1, 2)),
        ProfilePoint(Fraction(2), Fraction(0), Fraction(0)),
    )
    band = Profile((("s", "t"),), points, None)
    low, high = band.band(Fraction(1))
    assert low < high
    labels = [line.get_label() for line in band.plot().lines]  # type: ignore[union-attr]
    assert labels[:2] == ["upper bound (proved)", "lower bound (witnessed)"]
    (line,) = profile("example:survey").plot().lines  # type: ignore[union-attr]
    assert line.get_label() == "δ(ε)"
    pyplot.close("all")


def test_a_rounded_number_is_marked_whatever_stands_before_it() -> None:
    assert says(Divergence("kl", ("s", "t"), Fraction(1, 3), Fraction(1, 3)).headline, "of (s, t")
    assert says(Reason("s", "t", ("a",), Fraction(1, 3)).sentence())
    long = Fraction(10**40, 3 * 10**40 + 1)
    assert says(Reason("s", "t", ("a",), long).sentence(), "with probability ≈")
