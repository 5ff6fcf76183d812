"""A model of which nothing is seen says so in every headline: there every δ and every distance is 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.loading import load_with_notes
from deltachain.settings import Settings
from tests.cli.command import run
from tests.words import says

ASKED: dict[str, Callable[[dc.Chain], Any]] = {
    "check": lambda chain: dc.check(chain, exp_epsilon=2, delta="1/10"),
    "delta": lambda chain: dc.delta(chain, exp_epsilon=2),
    "distance": lambda chain: dc.distance(chain, exp_epsilon=2),
    "directed distance": lambda chain: dc.distance(chain, exp_epsilon=2, kind="ld"),
    "epsilon": lambda chain: dc.epsilon(chain, delta=0),
    "estimate": lambda chain: dc.estimate(chain, exp_epsilon=2),
    "guess": lambda chain: dc.guess(chain, ["0", "1"]),
    "profile": dc.profile,
    "threshold": lambda chain: dc.threshold(chain, theta="1/10", exp_epsilon=2, solver="engine"),
}
WARNING = "; warning: no state has a label, so nothing is seen (init and deadlock count only with `keep_labels`)"


@pytest.fixture
def tra(tmp_path: Path) -> str:
    """A model whose only labels are init and deadlock, as PRISM exports brp and crowds."""
    path = tmp_path / "model.tra"
    path.write_text("4 5\n0 2 1/2\n0 3 1/2\n1 2 1\n2 2 1\n3 0 1\n")
    path.with_suffix(".lab").write_text('0="init" 1="deadlock"\n0: 0\n2: 1\n')
    return str(path)


@pytest.mark.parametrize("verb", ASKED)
def test_every_headline_warns_where_all_labels_were_dropped(verb: str, tra: str) -> None:
    def headline(**settings: Any) -> str:
        chain = dc.load(tra, **settings).with_relation([("0", "1"), ("1", "3")])
        return str(ASKED[verb](chain).headline)

    assert headline().endswith(WARNING)
    assert "warning" not in headline(keep_labels=True)


def test_one_label_for_all_states_is_as_bad() -> None:
    chain = dc.Chain.from_rows([["1/2", "1/2"], [0, 1]], ["a", "a"])
    found = dc.delta(chain, 0, 1, exp_epsilon=2)
    assert says(found.headline)
    seen = dc.Chain.from_rows([["1/2", "1/2"], [0, 1]], ["a", "b"])
    assert "warning" not in dc.delta(seen, 0, 1, exp_epsilon=2).headline


def test_the_command_names_its_option(tra: str) -> None:
    found = run("delta", tra, "--exp-epsilon", "2", "--pair", "0", "1", "-q")
    assert found.stdout.splitlines()[0] == "δ(0, 1) = 0, exact" + WARNING.replace("`keep_labels`", "--keep-labels")
    kept = run("delta", tra, "--exp-epsilon", "2", "--pair", "0", "1", "-q", "--keep-labels")
    assert says(kept.stdout, "exact")


def test_the_note_says_that_no_label_is_left(tra: str) -> None:
    (note,) = load_with_notes(tra, Settings()).notes
    assert says(note, "dropped the labels")
    Path(tra).with_suffix(".lab").write_text('0="init" 1="deadlock" 2="heads"\n0: 0\n2: 1 2\n')
    (note,) = load_with_notes(tra, Settings()).notes
    assert says(note)
