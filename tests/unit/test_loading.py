"""Every verb takes what `load` takes: a chain, a program with its secrets, a path, an example by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError, MissingFile
from tests.words import refuses, says

PROGRAM = """
from deltachain import announce, flip, program

@program
def respond(truth, p="3/4"):
    announce(truth if flip(p) else 1 - truth)
"""
SECRETS = [{"truth": 0}, {"truth": 1}]

VERBS: dict[str, Callable[..., Any]] = {
    "delta": lambda model, **more: dc.delta(model, exp_epsilon=2, **more),
    "check": lambda model, **more: dc.check(model, exp_epsilon=2, delta="1/3", **more),
    "epsilon": lambda model, **more: dc.epsilon(model, delta=0, **more),
    "profile": lambda model, **more: dc.profile(model, epsilons=[0, 1], **more),
    "estimate": lambda model, **more: dc.estimate(model, exp_epsilon=2, **more),
    "distance": lambda model, **more: dc.distance(model, exp_epsilon=2, **more),
    "threshold": lambda model, **more: dc.threshold(model, exp_epsilon=2, theta="1/2", solver="engine", **more),
    "report": lambda model, **more: (
        dc.report(model, exp_epsilon=2, epsilons=[0], **more).found
    ),  # the page shows the file
    "trace": lambda model, **more: dc.trace(model, 0, "start", **more),
}


@pytest.fixture
def protocol(tmp_path: Path) -> Path:
    path = tmp_path / "protocol.py"
    path.write_text(PROGRAM, "utf-8")
    return path


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_chain_an_example_a_file_and_a_program(verb: str, protocol: Path, tmp_path: Path) -> None:
    ask = VERBS[verb]
    chain = dc.examples.survey()
    dc.save(chain, tmp_path / "model.json")
    for model in ("example:survey", tmp_path / "model.json", str(tmp_path / "model.json")):
        assert ask(model) == ask(chain), model
    program = dc.load_program(protocol, "respond")
    compiled = ask(program.chain(SECRETS))
    assert ask(program, secrets=SECRETS) == compiled
    assert ask(f"{protocol}:respond", secrets=SECRETS) == compiled


def test_a_certificate_is_checked_against_any_of_them(tmp_path: Path) -> None:
    found = dc.delta("example:coin", exp_epsilon=1)
    dc.save(dc.load("example:coin"), tmp_path / "model.json")
    assert dc.verify("example:coin", found.certificate) == dc.verify(tmp_path / "model.json", found.certificate)


def test_what_is_loaded_is_the_chain() -> None:
    chain = dc.examples.survey(p="2/3")
    assert dc.load(chain) is chain
    assert dc.load("example:survey,p=2/3") == chain


def test_what_is_no_model_is_said(protocol: Path, tmp_path: Path) -> None:
    program = dc.load_program(protocol, "respond")
    for wrong, text in (
        (lambda: dc.delta(program, epsilon=1), "respond has no secrets to start from"),
        (lambda: dc.delta(5, epsilon=1), "int is not a model"),  # type: ignore[arg-type]
        (lambda: dc.delta("example:coin", epsilon=1, secrets=SECRETS), "secrets: not used with this kind of model"),
        (lambda: dc.load("example:coin", format="json"), "format: not used with this kind of model"),
        (lambda: dc.load(str(protocol)), "a Python file needs the name of a program; it defines respond"),
        (lambda: dc.load(program, secrets=SECRETS, normalise=True), "normalise: not used"),
    ):
        with pytest.raises(InputError, match=text):
            wrong()
    with refuses(MissingFile, "name give example:survey"):
        dc.delta("survey", epsilon=1)
    with pytest.raises(MissingFile):
        dc.delta(tmp_path / "none.json", epsilon=1)


def test_a_sweep_of_a_program_needs_its_secrets(protocol: Path) -> None:
    program = dc.load_program(protocol, "respond")
    (row,) = dc.sweep(program, parameters={"p": ["1/2"]}, epsilons=[0])
    assert says(str(row.error), "secrets to start")
    (row,) = dc.sweep(program, parameters={"p": ["3/4"]}, epsilons=[0], secrets=SECRETS)
    assert row.result is not None
    assert row.result["upper"]["exact"] == "1/2"
    with refuses(InputError, "secrets: they are"):
        dc.sweep("example:survey", epsilons=[0], secrets=SECRETS)
    with refuses(InputError, "not a function"):
        dc.sweep(5, epsilons=[0])  # type: ignore[arg-type]
    assert len(dc.sweep("example:survey", epsilons=[0])) == 1
