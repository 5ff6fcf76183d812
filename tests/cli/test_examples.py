"""``deltachain examples``: the catalogue, each entry of which can be built as it is printed."""

from __future__ import annotations

from deltachain.examples import catalogue
from tests.cli.command import run, run_json


def test_text_has_a_line_for_each() -> None:
    done = run("examples")
    assert done.returncode == 0
    assert done.stderr == ""
    header, rule, *lines = done.stdout.splitlines()
    assert header.startswith("example")
    assert set(rule) == {"-", " "}
    assert [line.split()[0] for line in lines] == [example.name for example in catalogue()]


def test_json_names_parameters_with_defaults_that_build() -> None:
    found = run_json("examples")
    assert found["schema"] == "deltachain.examples/2"
    coin = next(example for example in found["examples"] if example["name"] == "coin")
    settings = ",".join(f"{key}={value}" for key, value in coin["parameters"].items())
    assert settings
    assert coin["summary"]
    assert run_json("info", f"example:coin,{settings}")["model"]["states"] == 4
