"""Every verb × every kind of row × inputs: an answer, or a refusal that says what is in the way, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import deltachain as dc
from tests.contract.cells import CELLS, COLUMNS, chain_of

ALPHA = "11/10"
Ask = Callable[[dc.Chain, Path], object]
ASKED: Mapping[str, Ask] = {
    "delta": lambda chain, _: dc.delta(chain, exp_epsilon=ALPHA, max_nodes=200),
    "check": lambda chain, _: dc.check(chain, exp_epsilon=ALPHA, delta="1/2", max_nodes=200),
    "delta, repeat": lambda chain, _: dc.delta(chain, exp_epsilon=ALPHA, repeat=2),
    "delta, compose": lambda chain, _: dc.delta(chain, exp_epsilon=ALPHA, compose=["example:survey"]),
    "delta, fixed": lambda chain, _: dc.delta(chain, exp_epsilon=ALPHA, fixed=1, max_nodes=200),
    "epsilon": lambda chain, _: dc.epsilon(chain, delta="1/4", precision="1/10", max_nodes=60),
    "epsilon, pure": lambda chain, _: dc.epsilon(chain, delta=0, precision="1/10", max_nodes=60),
    "profile": lambda chain, _: dc.profile(chain, epsilons=["0", "1/2"], max_nodes=60),
    "profile, repeat": lambda chain, _: dc.profile(chain, epsilons=["0", "1/2"], repeat=2),
    "estimate": lambda chain, _: dc.estimate(chain, exp_epsilon=ALPHA, samples=50, horizon=4, max_nodes=20),
    "distance, bd": lambda chain, _: dc.distance(chain, exp_epsilon=ALPHA, kind="bd"),
    "distance, ld": lambda chain, _: dc.distance(chain, exp_epsilon=ALPHA, kind="ld"),
    "distance, sd": lambda chain, _: dc.distance(chain, exp_epsilon=ALPHA, kind="sd"),
    "threshold": lambda chain, _: dc.threshold(chain, theta="1/2", exp_epsilon=ALPHA, solver="engine"),
    "trace": lambda chain, _: dc.trace(chain, ["s", "t"], ["start", *["ask"] * chain.interactive, "first yes"]),
    "report": lambda chain, _: dc.report(chain, epsilon=1, epsilons=["0"], max_nodes=20),
    "sweep": lambda chain, _: dc.sweep(chain, epsilons=["0"], max_nodes=20),
    "quotient": lambda chain, _: dc.quotient(chain),
    "save .json": lambda chain, folder: dc.save(chain, folder / "model.json"),
    "save .drn": lambda chain, folder: dc.save(chain, folder / "model.drn"),
    "save .tra": lambda chain, folder: dc.save(chain, folder / "model.tra"),
}
EVERYWHERE = frozenset(CELLS)
WITHOUT_INPUTS = frozenset((column, False) for column in COLUMNS)
FRACTIONS = frozenset({("fractions", False), ("fractions", True)})
FUNCTIONS = frozenset({("functions", False), ("functions", True)})
EXACT = FRACTIONS | {("functions", False)}
NO_INPUTS_EXACT = EXACT & WITHOUT_INPUTS
COMPOSED = NO_INPUTS_EXACT | {("enclosed", False), ("cut off", False)}
ANSWERED: Mapping[str, frozenset[tuple[str, bool]]] = {
    **dict.fromkeys(("delta", "check", "epsilon", "epsilon, pure", "profile", "report", "sweep"), EVERYWHERE),
    **dict.fromkeys(("quotient", "save .json"), EVERYWHERE),
    **dict.fromkeys(("delta, repeat", "delta, compose", "profile, repeat"), COMPOSED),
    "delta, fixed": frozenset({("fractions", True), ("functions", True)}),
    "estimate": NO_INPUTS_EXACT,
    **dict.fromkeys(("threshold", "save .tra"), FRACTIONS & WITHOUT_INPUTS),
    **dict.fromkeys(("distance, bd", "distance, ld", "distance, sd"), FRACTIONS | FUNCTIONS),
    "trace": FRACTIONS | FUNCTIONS,
    "save .drn": EXACT | {("enclosed", False), ("limits", False)},
}
"""Cells that must be answered; the others may be, and else are refused by name."""
EXACTLY: Mapping[str, frozenset[tuple[str, bool]]] = {
    **dict.fromkeys(("delta", "check"), FRACTIONS | FUNCTIONS),
    "epsilon": EXACT,
    "profile": FRACTIONS | FUNCTIONS,
    **dict.fromkeys(("delta, repeat", "delta, compose", "epsilon, pure"), NO_INPUTS_EXACT),
    "delta, fixed": frozenset({("fractions", True), ("functions", True)}),
}
"""Cells whose answer says that it is exact."""
NAMED = re.compile(
    r"(inputs|probabilities of state 's' are|interval MDP|outside the model).*\(.+\)|there is nothing to ask", re.DOTALL
)
"""What is in the way, and what to do instead."""


def test_every_verb_has_its_cells() -> None:
    assert ASKED.keys() == ANSWERED.keys()
    assert EXACTLY.keys() <= ASKED.keys()
    assert all(EXACTLY[verb] <= ANSWERED[verb] for verb in EXACTLY)


@pytest.mark.parametrize(("column", "inputs"), CELLS)
@pytest.mark.parametrize("verb", ASKED)
def test_a_verb_answers_or_says_why_not(verb: str, column: str, inputs: bool, tmp_path: Path) -> None:
    chain = chain_of("ending", column, inputs)
    if (column, inputs) in ANSWERED[verb]:
        found = ASKED[verb](chain, tmp_path)
        assert (column, inputs) not in EXACTLY.get(verb, ()) or getattr(found, "exact", None) is True
        return
    why = refusal(lambda: ASKED[verb](chain, tmp_path))
    assert why is None or NAMED.search(why), why


def refusal(ask: Callable[[], object]) -> str | None:
    """Why something cannot be asked; None if it is answered."""
    try:
        ask()
    except dc.errors.InputError as reason:
        return str(reason)
    return None
