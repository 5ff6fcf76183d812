"""What the explorer's editor starts from says the same as the zoo."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltachain as dc
from deltachain.programs import load_program, parse_assignments, program_names
from deltachain_explore.starters import MODEL, PROGRAMS

OTHER = {"p": "2/3", "ratio": "2/5", "forward": "1/2", "unit": "1/3", "rounds": "2", "clamp": "3", "m": "3", "c": "2"}
"""Values that are no defaults, for those parameters whose values the secrets do not depend on."""


def test_the_model_is_the_survey(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(MODEL, "utf-8")
    assert dc.load(tmp_path / "model.json") == dc.examples.survey()


@pytest.mark.parametrize("changed", [False, True], ids=["as it comes", "with other values"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_delta_of_its_example(name: str, changed: bool, tmp_path: Path) -> None:
    starter = PROGRAMS[name]
    (tmp_path / "protocol.py").write_text(starter.text, "utf-8")
    (only,) = program_names(tmp_path / "protocol.py")
    values = [f"{key}={OTHER[key]}" for key in starter.constants if key in OTHER] if changed else []
    assert bool(values) is changed
    constants = parse_assignments(", ".join(values), "constants") if values else {}
    secrets = [parse_assignments(line, "secrets") for line in starter.secrets.splitlines()]
    chain = load_program(tmp_path / "protocol.py", only).chain(secrets, constants=constants)
    twin = dc.examples.build(",".join([name, *values]))
    for alpha in ("1", "6/5", "2"):
        found, known = dc.delta(chain, exp_epsilon=alpha), dc.delta(twin, exp_epsilon=alpha)
        assert found.exact
        assert (found.lower, found.upper) == (known.lower, known.upper)


def test_every_constant_is_a_parameter_of_the_example() -> None:
    zoo = {example.name: dict(example.parameters) for example in dc.examples.catalogue()}
    for name, starter in PROGRAMS.items():
        assert set(starter.constants) <= set(zoo[name])
        for key in starter.constants:
            default = zoo[name][key]
            assert f'{key}="{default}"' in starter.text or f"{key}={default}" in starter.text, (name, key)
