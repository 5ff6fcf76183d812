"""A command asks the function that Python users call: its options are its parameters, by name and default."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import deltachain as dc
from deltachain import registry
from deltachain.cli import question as q
from deltachain.cli.command import verb_named
from deltachain.cli.options import Option
from deltachain.errors import InputError

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(dc, name) for name in ("delta", "check", "epsilon", "profile", "guess", "estimate", "distance")
}
if "threshold" in registry.verbs():
    FUNCTIONS["threshold"] = dc.threshold

OF_PYTHON = {"model", "s", "t", "pairs", "secrets", "neighbours", "check", "progress", "interruptible", "cancel"}
"""What a command has otherwise: the model and its pairs, the token of the work, and --no-check."""
OTHERWISE = {
    "check": {"sample", "seed"},  # read with the model
    "epsilon": {"certificate"},  # asked for by a file
    "profile": {"certificates", "tradeoff", "executor"},
    "guess": {"certificate", "channel"},
    "estimate": {"executor"},  # --jobs and --cluster
    "distance": {"exact"},  # --exact asks for it; without, it is tried
    "threshold": {"encoding", "solver", "timeout"},  # three switches; and defaults that the help tells
}


def options(verb: str) -> dict[str, Option[Any]]:
    return {option.dest: option for option in verb_named(verb).all_options}


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_every_parameter_is_an_option(verb: str) -> None:
    known = set(inspect.signature(FUNCTIONS[verb]).parameters) - OF_PYTHON - OTHERWISE.get(verb, set())
    assert known <= set(options(verb)), "an option bears the name of its parameter"


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_defaults_are_the_same(verb: str) -> None:
    parameters, known = inspect.signature(FUNCTIONS[verb]).parameters, options(verb)
    shared = set(parameters) & set(known) - {option.dest for option in q.ELSEWHERE} - OTHERWISE.get(verb, set())
    assert shared, "they share some"
    for name in shared:
        option, default = known[name], parameters[name].default
        try:
            left_out = option.read(None, option.name)
        except InputError:
            assert default is inspect.Parameter.empty, f"{name}: both need it"
            continue
        if left_out is not None:  # else the function's own default holds
            same = option.read(default, option.name) if isinstance(default, str) else default
            assert left_out == (list(same) if isinstance(same, tuple) else same), name
