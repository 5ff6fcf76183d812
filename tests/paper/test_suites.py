"""The suites of others on docs/reference/suites.md: every row is asked, and stands beside what they report."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

import deltachain as dc
from tests.docs.pages import ROOT, run_here

PAGE = ROOT / "docs" / "reference" / "suites.md"
SNIPER = "examples/suites/dp_sniper.py"
HALVES = "--secret 'answers=(0,0,0,0,0,1,1,1,1,1)' --secret 'answers=(1,1,1,1,1,0,0,0,0,0)'"


@dataclass(frozen=True)
class Search:
    """A mechanism, the question, the least ε that is proved, and what both classifiers of DP-Sniper report."""

    name: str
    question: str
    epsilon: str
    found: tuple[str, str]
    seconds: tuple[str, str]

    @property
    def row(self) -> str:
        """Its line of the table."""
        command = f"deltachain epsilon {SNIPER}:{self.question} --delta 0"
        return f"| {self.name} | `{command}` | {self.epsilon} | {' / '.join(self.found)} | {' / '.join(self.seconds)} |"


SEARCHES = [
    Search(
        "TruncatedGeometric",
        "truncated_geometric --secrets 'count=range(6)' --neighbours 'linf 1'",
        "0.117783036",
        ("0.1178", "0.1178"),
        ("18 s", "144 s"),
    ),
    Search(
        "OneTimeRAPPOR, their pair (0, 1): 6 bits",
        "one_time_rappor --secret 'bits=(0,11,18)' --secret 'bits=(3,10,13)'",
        "0.600500752",
        ("0.5998", "0.6019"),
        ("80 s", "369 s"),
    ),
    Search(
        "OneTimeRAPPOR, values with no bit in common",
        "one_time_rappor --secret 'bits=(0,1,2,3)' --secret 'bits=(4,5,6,7)'",
        "0.800667669",
        ("–", "–"),
        ("–", "–"),
    ),
    Search(
        "RAPPOR, their pair",
        "rappor --secret 'bits=(0,11,18)' --secret 'bits=(3,10,13)'",
        "0.300062524",
        ("0.2951", "0.3030"),
        ("131 s", "455 s"),
    ),
    Search(
        "RAPPOR, values with no bit in common",
        "rappor --secret 'bits=(0,1,2,3)' --secret 'bits=(4,5,6,7)'",
        "0.400083365",
        ("–", "–"),
        ("–", "–"),
    ),
    Search(
        "SparseVectorTechnique1",
        f"sparse_vector_1 {HALVES}",
        "0.087819278",
        ("0.0881", "0.0880"),
        ("118 s", "921 s"),
    ),
    Search(
        "SparseVectorTechnique4",
        f"sparse_vector_4 {HALVES}",
        "0.171950443",
        ("0.1709", "0.1718"),
        ("123 s", "774 s"),
    ),
    Search(
        "SparseVectorTechnique5",
        "sparse_vector_5 --secret 'answers=(2,2,2,2,2,0,0,0,0,0)' --secret 'answers=(1,1,1,1,1,1,1,1,1,1)'",
        "none is enough",
        ("1.7628", "1.7626"),
        ("56 s", "507 s"),
    ),
    Search(
        "SparseVectorTechnique6",
        f"sparse_vector_6 {HALVES}",
        "0.414940833",
        ("0.2742", "0.2720"),
        ("91 s", "549 s"),
    ),
    Search(
        "PrefixSum",
        "prefix_sum --secret 'answers=(1,1,1,1,1,1,1,1,1,1)' --secret 'answers=(0,0,0,0,0,0,0,0,0,0)'",
        "1",
        ("0.5061", "0.5795"),
        ("92 s", "950 s"),
    ),
    Search(
        "ReportNoisyMax1",
        "noisy_max --secret 'answers=(1,1,1,1,1)' --secret 'answers=(0,2,2,2,2)'",
        "0.094214253",
        ("0.0945", "0.0948"),
        ("59 s", "466 s"),
    ),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_the_least_epsilon_of_a_mechanism(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    assert search.row in PAGE.read_text("utf-8")
    monkeypatch.chdir(ROOT)
    command = shlex.split(f"deltachain epsilon {SNIPER}:{search.question} --delta 0 -q --brief")
    ((printed, code),) = run_here([shlex.join(command)])
    assert code == 0
    if search.epsilon == "none is enough":
        assert printed.startswith("no ε is enough for pure ε-privacy")
        return
    (least,) = re.findall(r" ε = ([\d.]+)", printed)
    assert Fraction(least) == Fraction(search.epsilon)
    assert "and for no smaller one" in printed
    for found in search.found:
        if found != "–":  # they sample, and their noise is continuous: nobody promises that they are below
            assert float(found) < float(search.epsilon) + 0.005


def test_the_formulas_of_rappor_and_of_truncated_noise() -> None:
    """Each bit that differs counts once, whichever way; the truncated mechanism has one ratio."""
    expected = {"TruncatedGeometric": math.log(9 / 8)}
    for name, per_bit in (("OneTimeRAPPOR", math.log(21 / 19)), ("RAPPOR", math.log(41 / 39))):
        for search in SEARCHES:
            if search.name.startswith(f"{name},"):
                expected[search.name] = per_bit * (6 if "their pair" in search.name else 8)
    assert len(expected) == 5
    for search in SEARCHES:
        if search.name in expected:
            assert 0 <= float(search.epsilon) - expected[search.name] < 1.1e-9, search.name


@dataclass(frozen=True)
class Sampled:
    """A row of dp-accounting's test of the sampled mechanism by "connect the dots": masses by whole losses."""

    parameter: str
    sensitivity: int
    rate: str
    add: Mapping[int, float]
    remove: Mapping[int, float] | None
    deltas: tuple[str, str]
    """δ at ε = 0 and ε = 1, as formulas."""

    @property
    def row(self) -> str:
        """Its line of the table."""
        at = f"{self.parameter} | {self.sensitivity} | {self.rate}"
        theirs = " | ".join(f"{self.theirs(epsilon):.8f}" for epsilon in (0, 1))
        return f"| {at} | {self.deltas[0]} | {self.deltas[1]} | {theirs} |"

    def theirs(self, epsilon: int) -> float:
        """δ of their distribution, the larger of both directions."""
        return max(
            sum(mass * (1 - math.exp(epsilon - loss)) for loss, mass in masses.items() if loss > epsilon)
            for masses in (self.add, self.remove or self.add)
        )


SAMPLED = [
    Sampled("1", 1, "1", {1: 0.731058579, -1: 0.268941421}, None, ("(-1+exp(1))/(1+exp(1))", "0")),
    Sampled(
        "1",
        2,
        "1",
        {2: 0.731058579, 0: 0.170003402, -2: 0.098938020},
        None,
        ("(-1+exp(1))/exp(1)", "(-1+exp(1))/(1+exp(1))"),
    ),
    Sampled(
        "4/5",
        2,
        "1",
        {2: 0.492482728, 1: 0.197491753, 0: 0.170722074, -1: 0.072653156, -2: 0.066650289},
        None,
        ("(-1+exp(4/5))/exp(4/5)", "(-exp(1/5)+exp(4/5))/(1+exp(4/5))"),
    ),
    Sampled(
        "4/5",
        3,
        "1",
        {
            3: 0.359853436,
            2: 0.330121045,
            1: 0.148724321,
            0: 0.043995505,
            -1: 0.054712620,
            -2: 0.044677025,
            -3: 0.017916048,
        },
        None,
        ("(-2+exp(4/5)+exp(8/5))/(exp(4/5)+exp(8/5))", "(-1+exp(7/5))/(exp(3/5)+exp(7/5))"),
    ),
    Sampled(
        "1",
        1,
        "4/5",
        {1: 0.584846863, 0: 0.2, -1: 0.215153137},
        None,
        ("(-4+4*exp(1))/(5+5*exp(1))", "0"),
    ),
    Sampled(
        "1",
        2,
        "1/2",
        {1: 0.5, 0: 0.401061980, -1: 0.067667642, -2: 0.031270378},
        {2: 0.231058579, 1: 0.183939721, 0: 0.401061980, -1: 0.183939721},
        ("(-1+exp(1))/(2*exp(1))", "(1-2*exp(1)+exp(2))/(2*exp(1)+2*exp(2))"),
    ),
    Sampled(
        "4/5",
        2,
        "3/10",
        {1: 0.261344626, 0: 0.642512060, -1: 0.096143315},
        None,
        ("(-3+3*exp(4/5))/(10*exp(4/5))", "0"),
    ),
    Sampled(
        "4/5",
        3,
        "1/5",
        {1: 0.228245419, 0: 0.698218984, -1: 0.069698173, -2: 0.003837424},
        {2: 0.028354943, 1: 0.189459276, 0: 0.698218984, -1: 0.083966797},
        ("(-2+exp(4/5)+exp(8/5))/(5*exp(4/5)+5*exp(8/5))", "(4-5*exp(1)+exp(12/5))/(5*exp(8/5)+5*exp(12/5))"),
    ),
]


@pytest.mark.parametrize("case", SAMPLED, ids=lambda case: f"{case.parameter} {case.sensitivity} {case.rate}")
def test_the_sampled_discrete_laplace_mechanism(case: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting the dots keeps δ at whole ε: there both agree to the digits of their test."""
    assert case.row in PAGE.read_text("utf-8")
    monkeypatch.chdir(ROOT)
    constants = f"parameter={case.parameter},sensitivity={case.sensitivity},rate={case.rate}"
    model = f"examples/suites/sampled_laplace.py:sampled,{constants}"
    found = dc.delta(dc.load(model), epsilon=0), dc.delta(dc.load(model), epsilon=1)
    printed = run_here([f"deltachain delta {model} --epsilon {epsilon} -q --brief" for epsilon in (0, 1)])
    for epsilon in (0, 1):
        assert re.search(rf" = {re.escape(case.deltas[epsilon])}(?: ≈ [\d.]+)?, exact$", printed[epsilon][0])
        assert found[epsilon].upper - found[epsilon].lower < Fraction(1, 10**12)
        assert abs(case.theirs(epsilon) - float(found[epsilon].upper)) < 3e-9


CHECKDP = "examples/suites/checkdp.py"
EXAMPLES = re.findall(
    rf"^\| (\w+)\.c \| `(deltachain check {CHECKDP}:[^`]*)` \| (\w+) \| ([^|]*) \|", PAGE.read_text("utf-8"), re.M
)


def test_every_example_of_checkdp_is_on_the_page() -> None:
    """All but the adaptive one that is broken at more answers than are asked about, which is told of in words."""
    assert len(EXAMPLES) == 16
    defined = set(re.findall(r"^def (\w+)\(", (ROOT / CHECKDP).read_text("utf-8"), re.M))
    assert {name for name, *_ in EXAMPLES} == defined - {"badadaptivesparsevector"}


@pytest.mark.parametrize(("name", "question", "verdict", "least"), EXAMPLES)
def test_examples_of_checkdp(name: str, question: str, verdict: str, least: str) -> None:
    assert name.startswith("bad") == (verdict == "violated")
    ((said, _),) = run_here([f"{question} --brief -q"])
    assert said.startswith(f"{verdict.upper()}: proved, checked")
    asked = re.sub(r"--epsilon \S+ ", "", question).replace("deltachain check", "deltachain epsilon")
    ((said, _),) = run_here([f"{asked} --brief -q"])
    if least == "none is enough":
        assert said.startswith("no ε is enough")
    else:
        assert re.search(rf"ε = {re.escape(least)}\b", said), said
        assert "for no smaller one" in said
