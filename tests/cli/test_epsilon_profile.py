"""``epsilon`` and ``profile`` as commands."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.certificate.tradeoff import curve_of_tests
from tests.cli.command import run, run_json
from tests.words import says


def exact(number: dict[str, str]) -> Fraction:
    return Fraction(number["exact"])


def test_epsilon_of_the_survey_is_exact() -> None:
    done = run("epsilon", "example:survey", "--delta", "0")
    assert done.returncode == 0
    assert says(done.stdout)
    found = json.loads(run("epsilon", "example:survey", "--delta", "0", "--json").stdout)
    assert found["schema"] == "deltachain.epsilon/2"
    assert found["exp_epsilon"]["exact"] == "3"
    assert found["pure"] is True
    assert found["delta"] == {"exact": "0", "approx": 0.0}
    assert Fraction(found["epsilon"]["exact"]) >= Fraction("1.0986122886")


def test_epsilon_zero_is_said_without_a_bound() -> None:
    done = run("epsilon", "example:coin,p=1/2", "--delta", "0")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "pure ε-privacy holds for every ε ≥ 0; checked")


def test_epsilon_by_bisection_says_what_is_refuted() -> None:
    ask = ["epsilon", "example:sticky-sensor", "--delta", "1/20", "--precision", "1/20", "--max-nodes", "100"]
    done = run(*ask)
    assert done.returncode == 0
    assert says(done.stdout, "is proved from")
    assert says(done.stdout, "refuted for every")


def test_a_search_for_epsilon_that_is_cut_off_says_so() -> None:
    asked = ("epsilon", "example:sticky-sensor", "--delta", "1/100")
    cut = run(*asked, "--timeout", "1e-9")
    assert cut.returncode == 3
    assert says(cut.stderr, "proved and refuted")
    assert "cut off" not in run(*asked, "--precision", "1/10").stderr


def test_no_epsilon_is_enough_when_the_labels_differ() -> None:
    done = run("epsilon", "example:coin", "--pair", "s0", "heads", "--delta", "1/2")
    assert done.returncode == 0
    assert says(done.stdout, "ε is enough")
    assert says(done.stdout.splitlines()[0], "checked up to")
    found = json.loads(run("epsilon", "example:coin,p=0", "--delta", "0", "--json").stdout)
    assert (found["impossible"], found["delta_least"]["exact"]) == (True, "1")


def test_a_short_timeout_is_undecided_and_says_so() -> None:
    done = run("epsilon", "example:sticky-sensor", "--delta", "1/20", "--timeout", "0.001")
    assert done.returncode == 3
    assert says(done.stdout, "not proved for")


def test_profile_prints_a_table_and_writes_files(tmp_path: Path) -> None:
    plot, points, losses, tradeoff = (tmp_path / name for name in ("p.svg", "p.csv", "l.csv", "t.png"))
    files = ["--plot", str(plot), "--csv", str(points), "--losses", str(losses), "--tradeoff", str(tradeoff)]
    done = run("profile", "example:survey", "--epsilons", "0:1.2:0.3", *files)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert says(lines[0], "known exactly for")
    assert lines[6].split() == ["0", "0.5", "0.5"]
    assert len(lines) == 11
    assert plot.read_text().startswith("<?xml")
    assert tradeoff.read_bytes().startswith(b"\x89PNG")
    assert points.read_text().splitlines()[1].endswith(",1/2,1/2,True,True")
    assert losses.read_text().splitlines()[0] == "first,second,loss"


def test_profile_as_json_is_monotone_and_outward() -> None:
    done = run("profile", "example:sticky-sensor", "--epsilons", "0:1:1/4", "--max-nodes", "100", "--json")
    found = json.loads(done.stdout)
    assert found["schema"] == "deltachain.profile/2"
    assert found["exact"] is False
    uppers = [Fraction(p["upper"]["exact"]) for p in found["points"]]
    lowers = [Fraction(p["lower"]["exact"]) for p in found["points"]]
    assert uppers == sorted(uppers, reverse=True)
    assert lowers == sorted(lowers, reverse=True)
    assert all(low <= high for low, high in zip(lowers, uppers, strict=True))
    assert all(Fraction(p["upper"]["approx"]) >= Fraction(p["upper"]["exact"]) for p in found["points"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["epsilon", "example:coin", "--delta", "2"], "outside [0, 1]"),
        (["epsilon", "example:coin", "--delta", "x"], "not a number"),
        (["epsilon", "example:coin", "--delta", "0", "--timeout", "0"], "--timeout"),
        (["epsilon", "example:coin", "--delta", "0", "--precision", "0"], "precision"),
        (["epsilon", "example:coin"], "--delta"),
        (["profile", "example:coin", "--epsilons", "0:1"], "A:B:STEP"),
        (["profile", "example:coin", "--epsilons", "1:0:0.1"], "is an empty range"),
        (["profile", "example:coin", "--epsilons", "0:1:1e-9"], "1,000,000,001 values"),
        (["profile", "example:coin", "--epsilons", "-1:1:1"], "negative"),
        (["profile", "example:coin", "--epsilons", "0:2000:500"], "above 1000"),
        (["profile", "example:coin", "--plot", "p.gif"], ".svg"),
        (["profile", "example:coin", "--csv", "no/such/folder/p.csv"], "no/such/folder"),
        (["profile", "example:coin", "--gap", "0"], "--gap"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_losses_that_cannot_be_had_do_not_lose_the_band(tmp_path: Path) -> None:
    arguments = ["--losses", "l.csv", "--max-nodes", "50", "--epsilons", "0:1:1"]
    done = run("profile", "example:sticky-sensor", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "not finite" in done.stderr
    assert says(done.stdout, "a certified band")
    assert list(tmp_path.iterdir()) == []


def test_repeated_runs_are_composed() -> None:
    asked = ("profile", "example:survey,p=51/100", "--epsilons", "0:2:1")
    many = run_json(*asked, "--repeat", "60")
    whole = run_json("profile", "example:survey,rounds=60,p=51/100", "--epsilons", "0:2:1")
    assert (many["repeat"], whole["repeat"], many["exact"]) == (60, 1, False)
    for one, other in zip(many["points"], whole["points"], strict=True):
        assert exact(one["lower"]) <= exact(other["upper"])
        assert exact(other["lower"]) <= exact(one["upper"])
        assert exact(one["upper"]) - exact(one["lower"]) < Fraction(1, 10**12)
    assert "60 independent runs" in run(*asked, "--repeat", "60").stdout


@pytest.mark.parametrize("text", ["0", "x", "1.5", "-3", "99999999999"])
def test_odd_numbers_of_runs_are_refused(text: str) -> None:
    done = run("profile", "example:survey", f"--repeat={text}")
    assert done.returncode == 2
    assert "--repeat" in done.stderr


def test_runs_whose_beliefs_do_not_end_are_not_composed() -> None:
    done = run("profile", "example:sticky-sensor", "--repeat", "3")
    assert done.returncode == 2
    assert "do not end" in done.stderr


def test_every_point_has_its_certificate(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    asked = ("profile", "example:sticky-sensor", "--epsilons", "0:1:0.5", "--certificates", str(folder))
    assert run(*asked, "--max-nodes", "300").returncode == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["epsilon-0.json", "epsilon-1.json", "epsilon-1_2.json"]
    for name in names:
        assert run("verify", "example:sticky-sensor", str(folder / name)).returncode == 0


def test_certificates_need_a_folder(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    done = run("profile", "example:survey", "--certificates", str(place))
    assert done.returncode == 2
    assert "not a folder" in done.stderr


@pytest.mark.parametrize(("model", "delta"), [("survey", "1/10"), ("survey", "0"), ("sticky-sensor", "1/20")])
def test_the_epsilon_found_has_a_certificate(model: str, delta: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    asked = ("epsilon", f"example:{model}", "--delta", delta, "--precision", "1/100", "--certificate", str(proof))
    found = run_json(*asked)
    (claim,) = dc.verify(f"example:{model}", proof)
    at = exact(found["exp_epsilon"])
    if claim.measure == "delta":
        assert set(claim.at) == {at}
        assert claim.upper <= Fraction(delta)
    elif claim.measure == "ratio":
        assert claim.upper == at
    else:
        assert curve_of_tests(claim.terms["corners"]).delta(at) == Fraction(delta)
    assert run("verify", f"example:{model}", str(proof)).returncode == 0


def test_a_profile_takes_a_list_of_values_like_a_sweep() -> None:
    listed, ranged = (
        run_json("profile", "example:survey", "--epsilons", values)["points"] for values in ("0,1,1/2", "0:1:0.5")
    )
    assert [point["epsilon"]["exact"] for point in ranged] == ["0", "1/2", "1"]
    assert listed == ranged
    done = run("profile", "example:survey", "--epsilons", "0,,1")
    assert done.returncode == 2
    assert says(done.stderr, "list of values")


def test_epsilon_up_to_1000_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = ("--plot", str(tmp_path / "p.svg"), "--tradeoff", str(tmp_path / "t.svg"))
    assert run("profile", "example:survey", "--epsilons", "0,710,1000", *files).returncode == 0


def test_profile_shows_and_writes_other_measures(tmp_path: Path) -> None:
    corners, orders = tmp_path / "c.csv", tmp_path / "o.csv"
    files = ["--tradeoff-points", str(corners), "--divergences", str(orders)]
    asked = ["--epsilons", "0", "--orders", "2,3/2", "--kl", "--zcdp"]
    done = run("profile", "example:survey", *asked, *files)
    assert done.returncode == 0, done.stderr
    assert says(done.stdout, "e^D_2 =")
    assert corners.read_text().splitlines()[2] == "s0,s1,0.25,0.25,exact,1/4,1/4"
    assert [line.split(",")[:2] for line in orders.read_text().splitlines()[1::2]] == [
        ["kl", "1"],
        ["renyi", "3/2"],
        ["renyi", "2"],
        ["zcdp", ""],
    ]
    found = json.loads(run("profile", "example:survey", *asked, "--json").stdout)
    order, moment = found["renyi"][1]["order"]["exact"], found["renyi"][1]["moment"]["exact"]
    assert (order, moment, found["renyi"][1]["infinite"]) == ("2", "7/3", False)
    assert [each["pair"] for each in found["renyi"][1]["directions"]] == [["s0", "s1"], ["s1", "s0"]]
    assert Fraction(found["kl"]["lower"]["exact"]) <= Fraction(found["zcdp"]["upper"]["exact"])


def test_an_infinite_divergence_says_what_makes_it_so() -> None:
    done = run("profile", "example:coin,p=0", "--epsilons", "0", "--orders", "2", "--json")
    found = json.loads(done.stdout)["renyi"][0]
    assert (found["infinite"], found["lower"], found["upper"]) == (True, None, None)
    assert found["outcome"]["first"]["exact"] == "1"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--orders", "1"], "above 1"),
        (["--orders", "2,x"], "not a number"),
        (["--orders", "1e9"], "at most 1,000,000"),
        (["--divergences", "d.csv"], "no measure to write"),
    ],
)
def test_bad_orders_are_refused(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    done = run("profile", "example:survey", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_all_orders_that_are_none_are_named_at_once() -> None:
    done = run("profile", "example:coin", "--orders", "2,0,1,abc")
    assert done.returncode == 2
    assert says([line.removeprefix("deltachain: error: --orders: ") for line in done.stderr.splitlines()])
