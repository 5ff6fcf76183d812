"""``deltachain convert``: the same chain in other files; nothing overwritten unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import examples, load, quotient
from tests.cli.command import run, run_json
from tests.words import says


@pytest.mark.parametrize("suffix", ["json", "tra", "drn"])
def test_round_trip_keeps_the_chain(suffix: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / "b.json"
    assert run("convert", "example:coin", str(first)).returncode == 0
    assert run("convert", str(first), str(second)).returncode == 0
    coin, back = examples.coin(), load(second)
    assert back.rows == coin.rows
    assert back.labels == coin.labels


def test_native_files_keep_everything(tmp_path: Path) -> None:
    path = tmp_path / "coin.json"
    done = run("convert", "example:coin", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path}: 4 states, 6 transitions\n"
    assert load(path) == examples.coin()


def test_a_lost_relation_is_told(tmp_path: Path) -> None:
    done = run("convert", "example:coin", str(tmp_path / "coin.drn"))
    assert done.returncode == 0
    assert "holds no relation" in done.stderr


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    path = tmp_path / "coin.tra"
    beside = path.with_suffix(".lab")
    beside.write_text("precious", "utf-8")
    done = run("convert", "example:coin", str(path))
    assert done.returncode == 2
    assert str(beside) in done.stderr
    assert "--force" in done.stderr
    assert beside.read_text("utf-8") == "precious"
    assert not path.exists()
    assert run("convert", "example:coin", str(path), "--force").returncode == 0
    assert load(path).labels == examples.coin().labels


def test_merging_and_cutting(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    found = run_json("convert", "example:split-coin", str(path), "--quotient")
    whole = examples.split_coin()
    assert load(path) == quotient(whole).chain
    assert found["written"]["states"] == len(load(path)) < found["model"]["states"] == len(whole)
    start = whole.states[whole.relation[0][0]]
    assert run("convert", "example:split-coin", str(path), "--reachable", start, "--force").returncode == 0
    assert len(load(path)) < len(whole)
    assert load(path).states[0] == start


def test_bad_requests(tmp_path: Path) -> None:
    for arguments in (
        ["out.xyz"],
        ["out.json", "--to", "xyz"],
        ["out.json", "--reachable", "nobody"],
        ["no/such/folder/out.json"],
    ):
        done = run("convert", "example:coin", *arguments, cwd=tmp_path)
        assert done.returncode == 2, arguments
        assert done.stderr.startswith("deltachain: error: ")
    assert list(tmp_path.iterdir()) == []


def test_the_format_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "model"
    assert run("convert", "example:coin", str(path), "--to", "json").returncode == 0
    assert run_json("info", str(path), "--format", "json")["model"]["states"] == 4


def test_dot_holds_the_relation_and_nothing_else_is_said(tmp_path: Path) -> None:
    done = run("convert", "example:coin", str(tmp_path / "coin.dot"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "style=dashed" in (tmp_path / "coin.dot").read_text()


def test_standard_input_and_output() -> None:
    written = run("convert", "example:coin", "-")
    assert (written.returncode, written.stderr) == (0, "")
    again = run("convert", "-", "-", input=written.stdout)
    assert (again.returncode, again.stdout, again.stderr) == (0, written.stdout, "")
    assert run("info", "-", input=written.stdout).stdout.startswith("model                 -\n")
    assert run("convert", "-", "-", "--to", "dot", input=written.stdout).stdout.startswith("digraph chain {")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("convert", "-", "out.json"), "standard input:1:1: not JSON"),
        (("convert", "example:coin", "-", "--to", "tra"), "-: a model in .tra is not one text"),
        (("convert", "example:coin", "-", "--to", "umb"), "-: a model in .umb is not one text"),
        (("convert", "example:coin", "-", "--json"), "--json: the model itself goes to standard output"),
        (("info", "-", "--format", "drn"), "-: a model in .drn is not read from standard input"),
    ],
)
def test_what_standard_input_and_output_refuse(arguments: tuple[str, ...], part: str, tmp_path: Path) -> None:
    done = run(*arguments, input="x", cwd=tmp_path)
    assert done.returncode == 2
    assert "--json" in arguments or done.stdout == ""
    assert part in done.stderr
    assert not list(tmp_path.iterdir())


def test_limits_and_counts_are_kept_or_refused_by_name(tmp_path: Path) -> None:
    model, back, again = tmp_path / "counts.json", tmp_path / "boxes.json", tmp_path / "again.json"
    model.write_text(
        '{"format": "deltachain.chain/1", "confidence": "0.99", "states": {'
        '"s": {"label": "go", "counts": {"h": 4021, "t": 5979}}, "h": {"label": "heads", "to": {"h": 1}}, '
        '"t": {"label": "tails", "to": {"t": 1}}}}',
        "utf-8",
    )
    assert run("convert", str(model), str(back)).returncode == 0
    assert run("convert", str(back), str(again)).returncode == 0
    assert back.read_bytes() == again.read_bytes()
    assert load(back) == load(model)
    refused = run("convert", str(model), str(tmp_path / "m.tra"))
    assert refused.returncode == 2
    assert says(refused.stderr, "probabilities of state")
    refused = run("convert", str(model), str(tmp_path / "m.drn"))
    assert refused.returncode == 2
    assert says(refused.stderr, "at the confidence")


def test_intervals_around_exact_numbers_are_told(tmp_path: Path) -> None:
    model = tmp_path / "functions.json"
    model.write_text(
        '{"format": "deltachain.chain/1", "states": {"s": {"label": "go", '
        '"to": {"h": "1/(1+exp(1/2))", "t": "exp(1/2)/(1+exp(1/2))"}}, '
        '"h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}}',
        "utf-8",
    )
    done = run("convert", str(model), str(tmp_path / "m.drn"))
    assert done.returncode == 0
    assert says(done.stderr, "are intervals around")
    done = run("convert", str(model), str(tmp_path / "again.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert load(tmp_path / "again.json") == load(model)
