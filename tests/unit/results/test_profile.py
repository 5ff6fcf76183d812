"""δ(ε) as a band, exact where the belief graph is finite."""

from __future__ import annotations

import csv
import io
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain import Profile, delta, profile
from deltachain.errors import InputError
from deltachain.rational import alpha_above, alpha_below
from tests.reference.endless_chains import between

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


def test_the_worst_of_several_pairs() -> None:
    chain = dc.examples.dining_cryptographers(n=3)
    together = profile(chain, epsilons=["0", "1/10000"])
    alone = [profile(chain, s, t, epsilons=["0", "1/10000"]) for s, t in chain.pairs]
    for i, point in enumerate(together.points):
        assert point.upper == max(curve.points[i].upper for curve in alone)
    with pytest.raises(InputError, match="ask for the profile of one"):
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


def _accountant(curve: Profile) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dp-accounting's dependencies deprecate things at import
        return curve.to_dp_accounting()


def test_three_runs_composed_by_an_accountant_agree_with_a_chain_that_runs_three_times() -> None:
    pytest.importorskip("dp_accounting", reason="needs the extra accounting")
    once = profile(dc.examples.survey(rounds=1), "s0", "s1")
    thrice = profile(dc.examples.survey(rounds=3), "s0", "s1")
    composed = _accountant(once).self_compose(3)  # type: ignore[attr-defined]
    for at in ("0", "1/2", "1", "2", "3"):
        truth = float(thrice.delta(epsilon=at).upper)
        accounted = composed.get_delta_for_epsilon(float(Fraction(at)))
        assert truth - 1e-9 <= accounted <= truth + 2e-3


def test_what_is_no_epsilon_is_refused_by_bands_and_exact_curves() -> None:
    for chain in (dc.examples.coin(), dc.examples.sticky_sensor()):
        curve = profile(chain, epsilons=["0", "1/2"], max_nodes=30)
        for wrong in (-1, 2000):
            with pytest.raises(InputError):
                curve.delta(epsilon=wrong)


def test_a_plot_draws_zero_as_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """δ = 0 from ln 3 on was drawn as 1."""
    from deltachain.results import plots

    drawn: list[tuple[float, float, float]] = []
    monkeypatch.setattr(plots, "draw_band", lambda _target, points, *_: drawn.extend(points))
    curve = dc.profile(dc.examples.survey(), epsilons=["0", "1", "2"])
    curve.plot()
    assert [epsilon for epsilon, _, _ in drawn] == [0.0, 1.0, 2.0]
    assert drawn[2] == (2.0, 0.0, 0.0)
    for (_, low, high), point in zip(drawn, curve.points, strict=True):
        assert Fraction(low) <= point.lower
        assert Fraction(high) >= point.upper
