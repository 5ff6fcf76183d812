"""``deltachain distance``: bd and ld, of a chain and of its quotient, exact or from above."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import distance, examples, quotient
from deltachain.cli.command import main
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.fraction import alpha_below
from tests.cli.command import run, run_json
from tests.words import says

DINERS = "example:dining-cryptographers,n=2,p=49/100"


def exact(number: dict[str, str]) -> Fraction:
    return Fraction(number["exact"])


def test_two_diners() -> None:
    done = run("distance", DINERS, "--exp-epsilon", "1.0002", "--exact")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == "bd(s0, s1) = 1/2500 = 0.0004, exact\n\ne^ε    1.0002 (5001/5000)\nε      ≈ 0.00019998\nproof  checked\n"
    )


def test_json_of_two_diners() -> None:
    found = run_json("distance", DINERS, "--exp-epsilon", "1.0002", "--kind", "ld")
    assert found["schema"] == "deltachain.distance/2"
    assert (found["kind"], found["quotient"]) == ("ld", False)
    (result,) = found["results"]
    assert (result["pair"], result["side"]) == (["s0", "s1"], "exact")
    assert (
        exact(result["value"])
        == distance(examples.dining_cryptographers(n=2, p="49/100"), exp_epsilon="1.0002", kind="ld")["s0", "s1"]
    )


def test_an_epsilon_is_measured_at_a_rational_below_and_said_so() -> None:
    found = run_json("distance", DINERS, "--epsilon", "0.0002")
    (result,) = found["results"]
    chain = examples.dining_cryptographers(n=2, p="49/100")
    below = alpha_below("0.0002")
    assert result["side"] == "exact"
    assert exact(found["exp_epsilon_below"]) == below
    assert exact(result["value"]) == distance(chain, exp_epsilon=below)["s0", "s1"]
    shown = run("distance", DINERS, "--epsilon", "0.0002").stdout
    assert says(shown, "just below e^ε")


def test_all_pairs_are_in_the_json_and_the_largest_in_the_text() -> None:
    arguments = ["distance", "example:random,n=22,seed=1", "--exp-epsilon", "6/5", "--all"]
    found = run_json(*arguments)
    values = {tuple(result["pair"]): exact(result["value"]) for result in found["results"]}
    every = distance(examples.build("random,n=22,seed=1"), pairs="all", exp_epsilon="6/5")
    expected = {result.pair: result.value for result in every.results}
    assert values == expected
    assert len(values) > 100
    text = run(*arguments).stdout
    ones = sum(value == 1 for value in values.values())
    which = f"the 40 largest below 1 of {len(values)} pairs; --json or --out lists all; {ones} have distance 1"
    assert text.endswith(f"\n… {which}\n")
    first = text.splitlines()[8]
    largest = max(value for value in values.values() if value < 1)
    assert any(f"({s}, {t})" in first for (s, t), value in values.items() if value == largest)


def test_the_quotient_is_measured_when_asked_and_said_so(tmp_path: Path) -> None:
    model, proof = "example:split-coin", tmp_path / "proof.json"
    chain = examples.build("split-coin")
    merged = quotient(chain)
    whole = run_json("distance", model, "--exp-epsilon", "5/4")
    found = run_json("distance", model, "--exp-epsilon", "5/4", "--quotient")
    assert found["quotient"] is True
    assert found["states_measured"] == len(merged.chain) < len(chain)
    assert exact(found["results"][0]["value"]) < exact(whole["results"][0]["value"])
    done = run("distance", model, "--exp-epsilon", "5/4", "--quotient", "--certificate", str(proof))
    assert says(done.stdout, "the bisimulation quotient")
    checked = run("verify", model, str(proof))
    assert checked.returncode == 0
    assert says(checked.stdout, "the merged chain")


def test_pairs_of_merged_states_keep_their_names(tmp_path: Path) -> None:
    chain = examples.build("split-coin")
    twins = next(block for block in quotient(chain).members if len(block) > 1)
    names = [chain.states[state] for state in twins[:2]]
    proof = tmp_path / "proof.json"
    ask = ["distance", "example:split-coin", "--exp-epsilon", "1", "--pair", *names, "--quotient"]
    zero = {"exact": "0", "approx": 0.0}
    assert run_json(*ask)["results"] == [{"pair": names, "value": zero, "lower": zero, "side": "exact"}]
    assert run(*ask, "--certificate", str(proof)).returncode == 0
    assert run("verify", "example:split-coin", str(proof)).returncode == 0


@pytest.mark.parametrize("extra", [[], ["--quotient"], ["--kind", "ld"], ["--all"], ["--epsilon"]], ids=" ".join)
def test_certificates_are_accepted(extra: list[str], tmp_path: Path) -> None:
    proof, model = tmp_path / "proof.json", "example:random,n=12,seed=5"
    parameter = ["--epsilon", "0.1"] if extra == ["--epsilon"] else ["--exp-epsilon", "11/10", *extra]
    pair = [] if "--all" in extra else ["--pair", "s0", "s2", "--pair", "s1", "s3"]
    done = run("distance", model, *parameter, *pair, "--certificate", str(proof))
    assert done.returncode == 0, done.stderr
    checked = run("verify", model, str(proof))
    assert checked.returncode == 0, checked.stderr


def test_different_labels_are_at_distance_one_and_said_why(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    ask = ["distance", "example:coin", "--pair", "s0", "heads", "--epsilon", "1"]
    done = run(*ask, "--certificate", str(proof))
    assert done.returncode == 0
    assert says(done.stdout, "bd(s0, heads) =")
    assert "different labels" in done.stdout
    assert run_json(*ask)["results"][0]["side"] == "exact"
    assert run("verify", "example:coin", str(proof)).returncode == 0
    both = run(*ask, "--pair", "s0", "s1")
    assert "exact (different labels)" in both.stdout


def test_beyond_the_budget_both_sides_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The engine's refusal carries certified bounds, which are printed; the exit code says that they are not exact."""
    model, proof = "example:random,n=14,seed=1", tmp_path / "proof.json"
    ask = ["distance", model, "--pair", "s0", "s2", "--exp-epsilon", "6/5", "--exact"]
    chain = examples.build("random,n=14,seed=1")
    value = distance(chain, "s0", "s2", exp_epsilon="6/5", exact=True)["s0", "s2"]
    assert main([*ask, "--max-equations", "1", "--json", "--certificate", str(proof)]) == 3
    shown = capsys.readouterr()
    (result,) = json.loads(shown.out)["results"]
    assert result["side"] == "upper"
    assert exact(result["lower"]) < value < exact(result["value"])
    assert says(shown.err, "but certified bounds")
    assert "raise --max-equations" in shown.err
    assert main(["verify", model, str(proof)]) == 0
    verified = capsys.readouterr().out
    assert says(verified, "bd(s0")
    assert main([*ask, "--max-equations", "1"]) == 3
    text = capsys.readouterr().out
    assert says(text, "bd(s0")
    assert ", certified" in text
    assert "δ ≥" not in text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--exp-epsilon", "1/2"], "below 1"),
        (["--exp-epsilon", "x"], "not a number"),
        (["--epsilon", "-1"], "negative"),
        ([], "no privacy parameter"),
        (["--epsilon", "1", "--kind", "tv"], "invalid choice"),
        (["--epsilon", "1", "--pair", "nobody", "noone"], "noone"),
        (["--epsilon", "1", "--all", "--pair", "s0", "s1"], "--all"),
        (["--epsilon", "1", "--certificate", "no/such/folder/proof.json"], "no such folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_requests(arguments: list[str], text: str) -> None:
    done = run("distance", DINERS, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr


def test_an_empty_relation_asks_for_a_pair_or_all(tmp_path: Path) -> None:
    path = tmp_path / "free.json"
    states = '{"lone": {"label": "a", "to": {"lone": 1}}, "other": {"label": "b", "to": {"other": 1}}}'
    path.write_text(f'{{"format": "deltachain.chain/1", "states": {states}}}', "utf-8")
    done = run("distance", str(path), "--epsilon", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lone, other" in done.stderr
    every = run("distance", str(path), "--epsilon", "1", "--all")
    assert (every.returncode, every.stdout.splitlines()[0]) == (0, "bd: no two states have one label")
    assert run_json("distance", str(path), "--epsilon", "1", "--all")["results"] == []


def test_all_pairs_go_to_a_file(tmp_path: Path) -> None:
    import numpy as np

    lines, arrays = tmp_path / "d.jsonl", tmp_path / "d.npz"
    asked = ["distance", "example:random,n=12,seed=3", "--exp-epsilon", "6/5", "--kind", "sd", "--all"]
    found = run_json(*asked)
    summary = run_json(*asked, "--out", str(lines))
    done = run(*asked, "--out", str(arrays))
    assert done.stdout.splitlines() == [run(*asked, "--brief").stdout.strip()], "one line"
    assert summary["results"] == []
    assert summary["pairs"] == len(found["results"])
    assert summary["largest"] == found["largest"]
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [(row["pair"], row["value"]) for row in rows] == [(r["pair"], r["value"]["exact"]) for r in found["results"]]
    with np.load(arrays) as loaded:
        table = dict(loaded)
    for at, result in enumerate(found["results"]):
        assert [str(table["states"][k]) for k in table["pair"][at]] == result["pair"]
        over = Fraction(int(table["value"][at, 0]), int(table["denominator"])) - exact(result["value"])
        assert 0 <= over < Fraction(1, 2**61)


def test_functions_of_e_as_text_and_in_files(tmp_path: Path) -> None:
    bug = str(Path(__file__).parents[2] / "examples" / "bugs" / "opendp_2922.py") + ":laplace_threshold"
    asked = ["distance", bug, "--secret", "count=0", "--secret", "count=1", "--epsilon", "1"]
    lines, arrays = tmp_path / "d.jsonl", tmp_path / "d.npz"
    done = run(*asked)
    assert says(done.stdout, "bd(count=0, count=1) =")
    assert "Not certified" not in done.stdout
    found = run_json(*asked, "--out", str(lines))
    assert (found["certified"], found["measured_at"]["exact"]) == (True, "exp(1)")
    assert found["largest"] == {"exact": "1/(exp(3)+exp(4))", "approx": 0.013389804932698451}
    assert json.loads(lines.read_text())["value"] == "1/(exp(3)+exp(4))"
    run(*asked, "--out", str(arrays))
    import numpy as np

    with np.load(arrays) as loaded:
        table = dict(loaded)
    exactly = 1 / (exp_of(Fraction(3)) + exp_of(Fraction(4)))
    over = Fraction(int(table["value"][0, 0]), int(table["denominator"])) - exactly
    assert 0 < over < Fraction(1, 2**61)
    proof = str(tmp_path / "c.json")
    assert run(*asked, "--certificate", proof).returncode == 0
    checked = run("verify", *asked[1:-2], proof)
    assert checked.stdout == "proved: bd(count=0, count=1) = 1/(exp(3)+exp(4)) ≈ 0.0133898 at e^ε = exp(1)\n"
    lines.write_text(Path(proof).read_text().replace('"base": 1', '"base": 2'))
    rejected = run("verify", *asked[1:-2], str(lines))
    assert rejected.returncode == 4
    assert says(rejected.stderr, "certificate rejected: d(count=1")


def test_a_table_of_another_kind_is_refused_before_the_work(tmp_path: Path) -> None:
    done = run("distance", "example:coin", "--exp-epsilon", "2", "--out", str(tmp_path / "d.xls"))
    assert done.returncode == 2
    assert "jsonl" in done.stderr


def test_one_application_of_the_operator(tmp_path: Path) -> None:
    model, at, image = "example:split-coin", ("--exp-epsilon", "6/5"), tmp_path / "image.jsonl"
    start = tmp_path / "d.json"
    start.write_text(json.dumps([["s0", "s1", "1"], ["heads0", "heads1", 0.5], ["tails0", "tails1", "1/3"]]))
    found = run_json("distance", model, "--all", *at, "--step", str(start))
    assert found["step"] == {"of": str(start), "prefixed": True, "fixed": False}
    assert [exact(row["value"]) for row in found["results"]] == [Fraction(13, 24), Fraction(1, 2), Fraction(1, 3)]
    assert run("distance", model, "--all", *at, "--step", str(start), "--out", str(image)).returncode == 0
    done = run("distance", model, *at, "--step", str(image))
    assert says(done.stdout, "exact")
    assert says(done.stdout, "a fixed point")
    directed = run("distance", model, "--all", *at, "--step", str(start), "--kind", "ld")
    assert says(directed.stdout, "everywhere, so that")
    zero = tmp_path / "zero.json"
    zero.write_text(json.dumps([["s0", "s1", 0], ["heads0", "heads1", 0], ["tails0", "tails1", 0]]))
    risen = run("distance", model, "--all", *at, "--step", str(zero))
    assert says(risen.stdout, "ordered pairs")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[[", "it is not JSON"),
        ("3", "not a list of pairs"),
        ('[["s0", "s1"]]', "does not name two states"),
        ('[["s0", "s1", null]]', "is not a number"),
        ('[["s0", "s1", "x"]]', "'x'"),
        ('[["s0", "s1", 1]]', "no value for"),
        ('[["s0", "s1", 1], ["s0", "s1", 0]]', "has another value above"),
        ("[" * 100_000, "it is not JSON"),
        ("\udcff", "it is not JSON"),
    ],
)
def test_a_file_that_is_not_a_function_of_pairs_is_refused(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    done = run("distance", "example:split-coin", "--exp-epsilon", "2", "--step", str(path))
    assert done.returncode == 2
    assert said in done.stderr


def test_an_explanation_adds_up(tmp_path: Path) -> None:
    picture = tmp_path / "why.dot"
    found = run_json("distance", DINERS, "--exp-epsilon", "1.0002", "--explain", "--picture", str(picture))
    why = found["explanation"]
    assert exact(why["total"]) == sum(exact(part["amount"]) for part in why["contributions"]) == Fraction(1, 2500)
    assert exact(why["delta"]["upper"]) == Fraction(7501, 25000000)
    assert exact(why["gap"]["lower"]) == Fraction(1, 2500) - Fraction(7501, 25000000)
    assert picture.read_text().startswith("digraph explanation")
    done = run("distance", "example:split-coin", "--exp-epsilon", "6/5", "--explain", "--depth", "1", "--kind", "sd")
    assert says(done.stdout, "by telling")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--all", "--explain"], "--explain: it is about one pair"),
        (["--depth", "2"], "--depth: it is about an explanation"),
        (["--explain", "--picture", "why.png"], "use .dot, .tex"),
        (["--explain", "--step", "d.json"], "--explain is about the distance"),
        (["--explain", "--pair", "s0", "s1", "--pair", "heads0", "heads1"], "it is about one pair, not 2"),
    ],
)
def test_what_an_explanation_is_not_about(options: list[str], said: str) -> None:
    done = run("distance", "example:split-coin", "--exp-epsilon", "2", *options)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_distance_over_an_interval(tmp_path: Path) -> None:
    plot = tmp_path / "bd.svg"
    found = run_json("distance", "example:coin", "--alphas", "1:2", "--plot", str(plot))
    assert [piece["numerator"] for piece in found["curve"]["pieces"]] == [["3", "-2"], ["0"]]
    assert [exact(value["value"]) for value in found["curve"]["values"]] == [Fraction(1, 5), 0, 0]
    assert not found["curve"]["rises"]
    assert plot.read_text().startswith("<?xml")
    done = run("distance", "example:coin", "--alphas", "1:2", "--kind", "ld")
    assert says(done.stdout, "pieces, exact")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--alphas", "1:2", "--exp-epsilon", "2"], "--alphas: it is about every e^ε of an interval"),
        (["--alphas", "2"], "is not an interval"),
        (["--alphas", "1/2:2"], "at least 1"),
        (["--plot", "x.svg", "--exp-epsilon", "2"], "--plot: it is about a function of e^ε"),
        ([], "no privacy parameter"),
    ],
)
def test_what_an_interval_is_not(options: list[str], said: str) -> None:
    done = run("distance", "example:coin", *options)
    assert done.returncode == 2
    assert said in done.stderr


def test_an_interval_that_cannot_be_read_is_the_only_complaint() -> None:
    done = run("distance", "example:split-coin", "--alphas", "1:x")
    assert done.returncode == 2
    assert done.stderr == "deltachain: error: --alphas: not a number: 'x'\n"
