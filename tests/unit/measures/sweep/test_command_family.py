"""MODEL as a family: values of parameters, and files that travel with it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.cli.command import build_parser
from deltachain.cli.options import Asked, read, values_of
from deltachain.errors import InputError
from deltachain.measures.sweep.command import SWEEP, family_of, settings_of


def arguments(model: str, *more: str) -> Asked:
    return read(SWEEP.options, vars(build_parser(["sweep"]).parse_args(["sweep", model, *more])))


def test_settings_of_an_example_replace_those_of_its_name() -> None:
    build = family_of(arguments("example:survey,p=1/2,rounds=2"), ["p"], travels=True)
    assert pickle.loads(pickle.dumps(build))(p="3/4") == dc.examples.survey(p="3/4", rounds=2)  # noqa: S301


def test_a_file_travels_with_its_content(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    dc.save(dc.examples.coin(), path)
    build = family_of(arguments(str(path)), [], travels=True)
    assert build() == dc.examples.coin()
    path.unlink()
    assert pickle.loads(pickle.dumps(build))() == dc.examples.coin()  # noqa: S301
    dc.save(dc.examples.survey(), path)
    assert build() == dc.examples.coin(), "another file of the same name is not taken for it"


def test_files_that_belong_together_travel_together(tmp_path: Path) -> None:
    path = tmp_path / "model.tra"
    dc.save(dc.examples.coin(), path)
    build = family_of(arguments(str(path), "--pair", "s0", "s1"), [], travels=True)
    wanted = build()
    for file in tmp_path.iterdir():
        file.unlink()
    assert build() == wanted


def test_values_are_lists_or_exact_ranges() -> None:
    assert values_of("1, 2/3,x", "--set p") == ["1", "2/3", "x"]
    assert values_of("0.1:0.3:0.1", "--set p") == ["0.1", "0.2", "0.3"]
    assert values_of("0:1:1/3", "--set p") == ["0", "1/3", "2/3", "1"]
    assert settings_of(["n=2,03", "p=0.5"]) == {"n": [2, "03"], "p": ["0.5"]}
    with pytest.raises(InputError) as caught:
        settings_of(["n", "p=1:2", "q=1,,", "r=0:1e9:1e-9"])
    assert len(caught.value.defects) == 4
