"""A deadline reaches reading and compiling, and says what was being done; no test here looks at a clock."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from deltachain import examples, load, threshold
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.distances import fixed_point
from deltachain.distances.closure import close
from deltachain.distances.pair_space import PairSpace
from deltachain.errors import InputError, Stopped
from deltachain.model import restrict
from deltachain.model.rows import PointRow, once_per_row
from deltachain.programs import program
from tests.amounts import fewer_or_all
from tests.words import refuses, says

SECRETS = [{"x": 0}, {"x": 1}]


class Counting(Cancel):
    """Stops after so many looks at the deadline, and keeps what was reported."""

    def __init__(self, most: int = 10**9) -> None:
        self.reports: list[str] = []
        super().__init__(report=self.reports.append)
        self.most, self.looks = most, 0

    def is_stopped(self) -> bool:
        self.looks += 1
        if self.looks > self.most:
            self.reason = self.reason or "time"
        return super().is_stopped()


PROGRAMS = {
    "exploring": "t = 0\nfor i in range(12):\n    t += uniform(0, 9)\n    announce(t % 7 + x)",
    "a walk over pairs": "a = discrete_laplace(2, tail='1e-6')\nannounce((x + a, discrete_laplace(3, tail='1e-6')))",
    "announced noise": "a = discrete_gaussian(4)\nannounce(a)\nannounce(x + a + discrete_gaussian(4))",
    "weights": "for i in range(200):\n    announce(choose((0, 1), weights=(exp(-i), exp(x - 3))))",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", PROGRAMS)
def test_compiling_obeys_the_token_wherever_it_is_cut(case: str, tmp_path: Path) -> None:
    path = tmp_path / "protocol.py"
    body = PROGRAMS[case].replace("\n", "\n    ")
    path.write_text(f"from deltachain import *\n@program\ndef main(x):\n    {body}\n")
    whole = Counting()
    chain = load(f"{path}:main", secrets=SECRETS, cancel=whole)
    # One look for at most so many transitions: none of the stages is silent for long.
    assert whole.looks >= chain.transitions // 20_000
    assert whole.looks >= 3
    assert any("compiling the program" in text for text in whole.reports)
    for most in sorted({0, 1, whole.looks // 2, whole.looks - 1}):
        with refuses(Stopped, "reached while compiling"):
            load(f"{path}:main", secrets=SECRETS, cancel=Counting(most))


def test_reading_formulas_obeys_the_token(tmp_path: Path) -> None:
    long = "(exp(-1)/(1+exp(-1)))^9"
    states = {f"s{i}": {"label": "a", "to": {"h": f"{long}{i:02d}", "t": f"1-{long}{i:02d}"}} for i in range(10, 16)}
    states |= {"h": {"label": "h", "to": {"h": 1}}, "t": {"label": "t", "to": {"t": 1}}}
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["s10", "s11"]]}))
    whole = Counting()
    load(path, cancel=whole)
    assert whole.looks >= 12  # one for each formula
    with refuses(Stopped, "reached while reading"):
        load(path, cancel=Counting(6))


@fewer_or_all("size, least", (15_000, 5), (30_000, 10))
def test_reading_a_table_of_outcomes_obeys_the_token(tmp_path: Path, size: int, least: int) -> None:
    path = tmp_path / "table.csv"
    path.write_text("outcome,p,q\n" + "".join(f"o{i},1/{size},1/{size}\n" for i in range(size)))
    whole = Counting()
    load(path, cancel=whole)
    assert whole.looks >= least
    with refuses(Stopped, "while reading the"):
        load(path, cancel=Counting(whole.looks - 1))


def test_an_interrupt_says_what_was_being_done() -> None:
    cancel = Cancel()
    cancel.interrupt()
    with refuses(Stopped, "interrupted while compiling"):
        cancel.during("compiling the program").check()
    with refuses(Stopped, "interrupted while reading"):
        cancel.during("reading the model").part("row 3").first(0.5).check()


def test_a_whole_sweep_has_a_limit_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from deltachain.cli.command import main

    out = tmp_path / "rows.jsonl"
    asked = ["sweep", "example:survey", "--set", "p=1/2,2/3,3/4", "--epsilons", "0,1", "--out", str(out), "--jobs", "1"]
    assert main([*asked, "--total-timeout", "1e-9"]) == 3
    assert says(capsys.readouterr().err, "limit of --total-timeout")
    assert main([*asked, "--resume"]) == 0
    assert len(out.read_text().splitlines()) == 1 + 6
    assert main(["sweep", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert says(text, "after S seconds")
    assert says(text, "whole sweep after")


def test_what_is_closed_between_two_looks_is_one_block() -> None:
    """All blocks of a large chain were closed, in seconds, before anybody looked at the deadline."""
    chain = examples.random(n=30, labels=3, degree=3)
    space = PairSpace.of(chain, Fraction(11, 10))
    cancel = Counting()
    close(space, np.ones(len(space)), cancel=cancel)
    assert cancel.looks >= len(space.first)
    with pytest.raises(Stopped):
        close(space, np.ones(len(space)), cancel=Counting(1))


def test_a_quotient_that_is_given_up_looks_at_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the states are their own quotient was checked row by row, which took longer than what had been given up."""
    chain = examples.survey()
    work = Workspace(chain, chain.relation)
    monkeypatch.setattr(PointRow, "merge", None)
    work.prepare(Counting(0))
    assert work.quotient.chain is work.part
    assert work.quotient.block == tuple(range(len(work.part)))


def test_a_row_that_states_share_is_made_once() -> None:
    chain = program("def f(x):\n    announce(uniform(0, 9) + x)\n    announce(discrete_gaussian(2))").chain(SECRETS)
    rows = [row for rows in chain.given for row in rows]
    made: list[int] = []
    seen = once_per_row(lambda row: made.append(len(row)))
    for row in rows:
        seen(row)
    assert len(made) == len({id(row) for row in rows}) < len(rows)
    part = restrict(chain, ["x=0"])
    assert len({id(row) for rows in part.given for row in rows}) < len(part)


def test_a_threshold_over_too_many_pairs_is_refused_before_it_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_point, "MAX_PAIRS", 3)
    with refuses(InputError, "same-label pairs, above"):
        threshold(examples.coin(), "s0", "s1", theta=0, exp_epsilon=2)


def test_preparing_a_formula_obeys_the_deadline() -> None:
    chain = examples.dining_cryptographers(n=3)
    found = threshold(chain, pairs=[chain.pairs[0]], theta="1/10", exp_epsilon=2, cancel=Counting(2))
    assert found.answer == "unknown"
    assert "time limit reached" in found.results[0].ground


def test_hiding_states_obeys_the_token(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from deltachain.cli.command import main

    begin = Cancel.during

    def interrupted(self: Cancel, stage: str) -> Cancel:
        if stage == "summing hidden steps":
            self.interrupt()
        return begin(self, stage)

    monkeypatch.setattr(Cancel, "during", interrupted)
    assert main(["delta", "example:random", "--hide", "a1", "--epsilon", "0"]) != 0
    assert says(capsys.readouterr().err, "interrupted while summing")
