"""One suite for every solver, formula and encoding: thresholds on small chains, against the exact engine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest

from deltachain import Chain, examples
from deltachain.distances.fixed_point import solve
from deltachain.errors import SolverUnknown
from deltachain_smt.decider import Decider
from deltachain_smt.solvers import is_installed, run
from tests.extras import skip_without
from tests.reference.random_chains import random_chain

NEAR = Fraction(1, 10**9)
ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2)]
SURE = [("z3", "np", "bounded"), ("z3", "sigma2", "bounded"), ("cvc5", "sigma2", "bounded")]
"""These decide every question on these chains, at once."""
HARDER = [
    ("z3", "np", "reduced"),
    ("z3", "sigma2", "reduced"),
    ("cvc5", "np", "reduced"),
    ("cvc5", "sigma2", "reduced"),
    ("cvc5", "np", "bounded"),
]
"""These take minutes on a few of these chains."""
CHAINS = 36


@dataclass(frozen=True)
class Case:
    """A pair of a chain, and its exact distance."""

    chain: Chain
    s: int
    t: int
    alpha: Fraction
    value: Fraction

    @property
    def questions(self) -> list[tuple[Fraction, bool, bool]]:
        """(θ, strict, holds): at the value, both ways, and just beside it."""
        beside = [(self.value - NEAR, False, False), (self.value + NEAR, True, True), (self.value + NEAR, False, True)]
        asked = [(self.value, False, True), (self.value, True, False), *beside]
        return [question for question in asked if 0 <= question[0] <= 1]


def chosen(number: int, most_states: int, seed: int) -> list[Case]:
    """Random chains, those whose distance is neither 0 nor 1 preferred."""
    random = Random(seed)
    found: list[Case] = []
    plain = 0
    while len(found) < number:
        chain = random_chain(random, most_states=most_states, most_letters=2)
        pairs = [(s, t) for group in chain.by_label.values() for s in group for t in group if s < t]
        if not pairs:
            continue
        (s, t), alpha = random.choice(pairs), random.choice(ALPHAS)
        value = solve(chain, alpha, kind="bd", pairs=[(s, t)], exact=True)[s, t]
        plain += value in (0, 1)
        if value not in (0, 1) or plain <= number // 3:
            found.append(Case(chain, s, t, alpha, value))
    return found


@cache
def cases() -> list[Case]:
    return chosen(CHAINS, most_states=5, seed=11)


@cache
def tiny_cases() -> list[Case]:
    return chosen(24, most_states=3, seed=5)


def test_the_cases_are_telling() -> None:
    values = [case.value for case in cases()]
    assert len(values) == CHAINS
    assert len(set(values)) >= 12
    assert sum(0 < value < 1 for value in values) >= 20


def decider_of(case: Case, solver: str, formula: str, encoding: str, timeout: float | None = None) -> Decider:
    return Decider(
        case.chain,
        case.s,
        case.t,
        exp_epsilon=case.alpha,
        solver=solver,
        formula=formula,
        encoding=encoding,
        timeout=timeout,
    )


def first(number: int) -> pytest.MarkDecorator:
    """Some cases, at once, and all the others in the slow suite."""
    return pytest.mark.parametrize(
        "part", [slice(number), pytest.param(slice(number, None), marks=pytest.mark.slow)], ids=["first", "others"]
    )


@pytest.mark.parametrize(("solver", "formula", "encoding"), SURE)
@first(6)
def test_thresholds_agree_with_the_engine(solver: str, formula: str, encoding: str, part: slice) -> None:
    if not is_installed(solver):
        skip_without("smt")
    for case in cases()[part]:
        decider = decider_of(case, solver, formula, encoding)
        for theta, strict, holds in case.questions:
            decision = decider.decide(theta, strict=strict)
            assert decision.holds is holds, (case, theta, strict)
            assert (decision.proof is not None) == holds
            if decision.proof is not None:
                assert decision.proof.proves(decision.question)


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "formula", "encoding"), HARDER)
@first(1)
def test_what_is_decided_within_seconds_agrees_with_the_engine(
    solver: str, formula: str, encoding: str, part: slice
) -> None:
    if not is_installed(solver):
        skip_without("smt")
    asked = decided = 0
    for case in cases()[:8][part]:
        decider = decider_of(case, solver, formula, encoding, timeout=8)
        for theta, strict, holds in case.questions[:2]:
            asked += 1
            try:
                assert decider.decide(theta, strict=strict).holds is holds, (case, theta, strict)
            except SolverUnknown:
                continue
            decided += 1
    assert 2 * decided >= asked


EVERY = [
    (solver, formula, encoding)
    for solver in ("z3", "cvc5")
    for formula, encoding in (
        *((formula, "faithful") for formula in ("np", "sigma2", "least")),
        *((formula, encoding) for formula in ("np", "sigma2") for encoding in ("reduced", "bounded")),
    )
]
NOT_ALWAYS = {("cvc5", "np", "faithful"), ("cvc5", "least", "faithful")}
"""These take more than a minute on some chains of three states."""


@pytest.mark.sample(7)
@pytest.mark.parametrize(("solver", "formula", "encoding"), EVERY)
@first(2)
def test_every_way_of_asking_agrees_on_tiny_chains(solver: str, formula: str, encoding: str, part: slice) -> None:
    """The paper's formulas to the letter included: two or three states are what those decide at once."""
    if not is_installed(solver):
        skip_without("smt")
    always = (solver, formula, encoding) not in NOT_ALWAYS
    asked = decided = 0
    for case in tiny_cases()[part]:
        decider = decider_of(case, solver, formula, encoding, timeout=None if always else 5)
        for theta, strict, holds in case.questions[:2]:
            asked += 1
            try:
                decision = decider.decide(theta, strict=strict)
            except SolverUnknown:
                continue
            decided += 1
            assert decision.holds is holds, (case, theta, strict)
            assert decision.proof is None or decision.proof.proves(decision.question)
    assert decided == asked if always else 2 * decided >= asked


@pytest.mark.sample(2)
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
def test_the_two_diners_are_decided_at_their_value(solver: str, encoding: str) -> None:
    if not is_installed(solver):
        skip_without("smt")
    chain = examples.build("dining-cryptographers,n=2,p=49/100")
    decider = Decider(chain, "s0", "s1", exp_epsilon="1.0002", solver=solver, encoding=encoding, timeout=60)
    value = Fraction(1, 2500)
    assert decider.decide(value).holds
    assert not decider.decide(value, strict=True).holds
    assert not decider.decide(value - NEAR).holds
    assert decider.decide(value + NEAR).holds


@pytest.mark.parametrize("formula", ["np", "sigma2", "least"])
@pytest.mark.parametrize("encoding", ["faithful", "reduced", "bounded"])
def test_both_solvers_accept_what_is_exported(formula: str, encoding: str) -> None:
    """Parsed and type-checked, whether or not they can decide it."""
    if formula == "least" and encoding != "faithful":
        pytest.skip("the paper's form only")
    chain = examples.build("random,n=4,seed=2")
    script = Decider(chain, 0, 1, exp_epsilon="6/5", formula=formula, encoding=encoding).script("1/3")
    only_parsed = script.replace("(check-sat)", "")
    for solver in filter(is_installed, ("z3", "cvc5")):
        if solver == "z3":
            assert run(solver, only_parsed + "(assert false)\n(check-sat)\n").verdict == "unsat"
        else:
            assert run(solver, script.replace("(check-sat)", "(assert false)\n(check-sat)")).verdict == "unsat"


def test_the_z3_command_line_reads_the_file(tmp_path: Path) -> None:
    command = shutil.which("z3") or shutil.which("z3", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("there is no z3 command")
    chain = examples.build("split-coin")
    decider = Decider(chain, "s0", "s1", exp_epsilon="6/5", encoding="reduced")
    for theta, said in (("1/4", "sat"), ("6/25", "unsat")):
        path = tmp_path / f"{said}.smt2"
        path.write_text(decider.script(theta), "utf-8")
        done = subprocess.run([command, "-T:60", str(path)], capture_output=True, text=True, check=False)
        assert done.stdout.strip() == said
