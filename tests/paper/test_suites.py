"""The suites of others on docs/reference/suites.md: every row is asked, and stands beside what they report."""

from __future__ import annotations

import math
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from bench.value_iteration import iterate_from_below
from deltachain.distances.kinds import kind_named
from deltachain.distances.pair_space import PairSpace
from tests.docs.pages import ROOT, run_here
from tests.words import says

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
        "SparseVectorTechnique2 (one answer allowed: the same law)",
        f"sparse_vector_1 {HALVES}",
        "0.087819278",
        ("0.0882", "0.0875"),
        ("148 s", "758 s"),
    ),
    Search(
        "SparseVectorTechnique3",
        "sparse_vector_3 --secret 'answers=(1,1,1,1,1,1,1,1,1,1)' --secret 'answers=(2,2,2,2,2,0,0,0,0,0)'",
        "0.3",
        ("0.1738", "0.1844"),
        ("150 s", "829 s"),
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
    Search(
        "ReportNoisyMax3",
        "noisy_max_3 --secret 'answers=(0,0,0,0,0)' --secret 'answers=(1,1,1,1,1)'",
        "0.25",
        ("0.2500", "0.2510"),
        ("59 s", "408 s"),
    ),
    Search(
        "NoisyHist1",
        "noisy_histogram --secret 'counts=(0,1,1,1,1)' --secret 'counts=(1,1,1,1,1)'",
        "0.1",
        ("0.1000", "0.1000"),
        ("35 s", "185 s"),
    ),
    Search(
        "NoisyHist2",
        "noisy_histogram,scale=1/10 --secret 'counts=(0,1,1,1,1)' --secret 'counts=(1,1,1,1,1)'",
        "10",
        ("4.6032", "4.6026"),
        ("38 s", "230 s"),
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
        assert says(printed, "for pure ε-privacy")
        return
    (least,) = re.findall(r" ε = ([\d.]+)", printed)
    assert Fraction(least) == Fraction(search.epsilon)
    assert says(printed, "for no smaller")
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
    rf"^\| (\w+)\.c \| `(deltachain check {CHECKDP}:[^`]*)` \| (\w+) \| ([^|]*) \| [^|]* \| ([^|]*) \|$",
    PAGE.read_text("utf-8"),
    re.M,
)


def test_every_example_of_checkdp_is_on_the_page() -> None:
    """All but the adaptive one that is broken at more answers than are asked about, which is told of in words."""
    assert len(EXAMPLES) == 16
    defined = set(re.findall(r"^def (\w+)\(", (ROOT / CHECKDP).read_text("utf-8"), re.M))
    assert {name for name, *_ in EXAMPLES} == defined - {"badadaptivesparsevector"}


@pytest.mark.parametrize(("name", "question", "verdict", "least"), [row[:4] for row in EXAMPLES])
def test_examples_of_checkdp(name: str, question: str, verdict: str, least: str) -> None:
    assert name.startswith("bad") == (verdict == "violated")
    ((said, _),) = run_here([f"{question} --brief -q"])
    assert said.startswith(f"{verdict.upper()}: proved, checked")
    asked = re.sub(r"--epsilon \S+ ", "", question).replace("deltachain check", "deltachain epsilon")
    ((said, _),) = run_here([f"{asked} --brief -q"])
    if least == "none is enough":
        assert says(said, "ε is enough")
    else:
        assert re.search(rf"ε = {re.escape(least)}\b", said), said
        assert says(said, "for no smaller")


QUICK = {"noisymax", "partialsum", "badsparsevector1", "badsmartsum", "nmax5", "nmax7", "svt5", "rr_correct"}
"""Mechanisms of which a question about all inputs takes less than a second."""
INTEGERS = [
    pytest.param(name, said, marks=() if name in QUICK else pytest.mark.slow)
    for name, *_, said in EXAMPLES
    if said != "–"
]


def test_all_but_the_monotone_ones_are_asked_for_all_integers() -> None:
    assert {name for name, *_, said in EXAMPLES if said == "–"} == {"svt_increasing", "svt_decreasing"}


@pytest.mark.parametrize(("name", "said"), INTEGERS)
def test_examples_of_checkdp_for_all_integers(name: str, said: str) -> None:
    neighbours = "l1 1" if name.endswith("sum") else "linf 1"
    verdict, _, least = said.partition(", ")
    asked = f"{CHECKDP}:{name} --delta 0 --neighbours '{neighbours}' --brief -q"
    ((found, _),) = run_here([f"deltachain check {asked} --epsilon {1 if name.endswith('smartsum') else '1/2'}"])
    assert found.startswith(f"{verdict.upper()}: proved")
    assert "for all integers" in found or verdict == "violated"
    if not least:
        return
    ((found, _),) = run_here([f"deltachain epsilon {asked}"])
    if least == "none is enough":
        assert says(found, "ε is enough")
    else:
        assert says(found, "for no smaller")
        value = re.search(r"ε (?:=|≈) ([\d.]+)(?: \((\d+/\d+)\))?", found)
        assert value is not None
        assert abs(Fraction(value[2] or value[1]) - Fraction(least)) < Fraction(1, 10**8)


DIPC = "examples/suites/dipc.py"
EVERY = re.findall(
    rf"^\| [^|]* \| `(deltachain parametric {DIPC}:(\w+) [^`]*)` \| (\w+) \| (\S+) \|$", PAGE.read_text("utf-8"), re.M
)


def test_every_mechanism_of_dipc_is_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    defined = re.findall(r"^def (\w+)\(", (ROOT / DIPC).read_text("utf-8"), re.M)
    assert {name for _, name, *_ in EVERY} == {*defined} - {"rr", "nmax10"}
    assert all(f"`{name}`" in text or f"{DIPC}:{name}" in text for name in defined)


@pytest.mark.parametrize(
    ("question", "name", "here", "everywhere"),
    [pytest.param(*row, marks=() if row[1] in QUICK else pytest.mark.slow) for row in EVERY],
)
def test_mechanisms_of_dipc_for_every_epsilon(question: str, name: str, here: str, everywhere: str) -> None:
    """What is broken of theirs is broken here for every u, and so for every ε."""
    ((found, _),) = run_here([f"{question} --brief -q"])
    assert found.startswith(f"{here.upper()} for every u in (0, 1): certified"), found
    if everywhere == "–":
        return
    integers = re.sub(r" --secrets? '[^']*'", "", question)
    if "--neighbours" not in integers:
        integers += " --neighbours 'linf 1'"
    ((found, code),) = run_here([f"{integers} --brief -q"])
    if everywhere == "refused":
        assert code == 2
        assert "there is not one kept integer" in found
    else:
        assert found.startswith(f"{everywhere.upper()} for every u in (0, 1): certified"), found


def test_two_mechanisms_of_dipc_whose_noise_is_not_of_a_scale() -> None:
    bits = "q=[(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)]"
    asked = [
        f"rr --neighbours one-entry --secrets '{bits}' --exp-epsilon 2.9",
        f"rr --neighbours one-entry --secrets '{bits}' --exp-epsilon 3",
        "nmax10 --secret 'q=(0,0,0)' --secret 'q=(1,0,0)' --epsilon 1.99",
        "nmax10 --secret 'q=(0,0,0)' --secret 'q=(1,0,0)' --epsilon 2",
    ]
    found = run_here([f"deltachain check {DIPC}:{question} --delta 0 --brief -q" for question in asked])
    assert [said.split(":")[0] for said, _ in found] == ["VIOLATED", "PRIVATE"] * 2


CHAINS = re.findall(
    r"^\| (\w+) \| ([\d,]+) \| `(deltachain distance \1\.lmc [^`]*)` \| (\S+) \| (\d+) \| ([\d.]+) \|$",
    PAGE.read_text("utf-8"),
    re.M,
)


def made(script: str, *arguments: str) -> str:
    """What a script of examples/suites prints."""
    command = [sys.executable, str(ROOT / "examples" / "suites" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_every_chain_of_bdsolver_is_on_the_page() -> None:
    names = runpy.run_path(str(ROOT / "examples" / "suites" / "bdsolver.py"))["CHAINS"]
    assert [name for name, *_ in CHAINS] == list(names)


@pytest.mark.parametrize(("name", "states", "question", "distance", "rounds", "iterated"), CHAINS)
def test_chains_of_bdsolver(
    name: str, states: str, question: str, distance: str, rounds: str, iterated: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """The exact distance, and an iteration that comes from below and stops."""
    (tmp_path / f"{name}.lmc").write_text(made("bdsolver.py", name))
    monkeypatch.chdir(tmp_path)
    ((found, _),) = run_here([f"{question} --brief -q"])
    assert re.search(rf" = {distance}(?: .*)?, exact$", found.strip()), found
    chain = dc.load(tmp_path / f"{name}.lmc")
    assert len(chain) == int(states.replace(",", ""))
    space = PairSpace.of(chain, Fraction(1))
    values, count = iterate_from_below(space, kind_named("bd"), rounds=1000, change=1e-9)
    first, second = (chain.index[state] for state in re.findall(r"--pair (\d+) (\d+)", question)[0])
    ends = [{space.states[a], space.states[b]} for a, b in zip(*space.ends, strict=True)]
    value = max((float(v) for v, both in zip(values, ends, strict=True) if both == {first, second}), default=1.0)
    assert count == int(rounds)
    assert f"{value:.9f}".startswith(iterated)
    assert -1e-12 < float(Fraction(distance)) - value < 1e-8


LEAKS = re.findall(
    r"^\| (\S+) \| ((?:dining|grades) [\w ]+) \| `(deltachain guess ([\w-]+\.prism)[^`]*)` \| (\S+) \| (\S+) \|",
    PAGE.read_text("utf-8"),
    re.M,
)


def test_the_table_of_leaks_is_read() -> None:
    assert len(LEAKS) == 7


@pytest.mark.parametrize(
    ("theirs", "ours", "question", "file", "guess", "before"),
    [pytest.param(*row, marks=() if row[1].count("3") + row[1].count("2") == 1 else pytest.mark.slow) for row in LEAKS],
)
def test_protocols_of_prism_leak(
    theirs: str, ours: str, question: str, file: str, guess: str, before: str, tmp_path: Path, monkeypatch: Any
) -> None:
    pytest.importorskip("stormpy")
    assert ("concurrent" in ours) == ("sequential" not in theirs) == ("--uniform-choice" in question)
    (tmp_path / file).write_text(made("prism_leak.py", *ours.split()))
    monkeypatch.chdir(tmp_path)
    ((found, _),) = run_here([f"{question} --brief -q"])
    chances = re.findall(r"(\d+/\d+)", found)
    assert chances == [guess, before]
    if "--uniform-choice" in question:
        ((found, code),) = run_here([f"{question.replace(' --uniform-choice', '')} --brief -q"])
        assert code == 2
        assert "--uniform-choice" in found


RECORDED = re.findall(
    r"^\| (\w+) \| `(deltachain check --execute [^`]*)` \| (?:≥ )?([\d.]+) \| ([^|]*) \| ([^|]*) \|$",
    PAGE.read_text("utf-8"),
    re.M,
)


def test_every_reduction_of_dp_recorder_is_on_the_page() -> None:
    defined = set(re.findall(r"^def (\w+)\(", (ROOT / "examples/suites/dp_recorder.py").read_text("utf-8"), re.M))
    assert {re.findall(r"\.py:(\w+)", question)[0] for _, question, *_ in RECORDED} == defined - {"clipped"}
    assert len(RECORDED) == 7


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("name", "question", "delta", "least", "library"),
    [pytest.param(*row, marks=pytest.mark.slow if row[0] == "domain_inference" else ()) for row in RECORDED],
)
def test_reductions_of_dp_recorder(name: str, question: str, delta: str, least: str, library: str) -> None:
    asked = question.replace("deltachain check", "deltachain epsilon").replace("--epsilon 1 ", "")
    (found, _), (bound, _) = run_here([f"{question} --brief -q", f"{asked} --brief -q"])
    if name == "correct_mechanism":
        assert library == "no bug"
        assert found.startswith("PRIVATE")
    else:
        assert found.startswith("VIOLATED")
        assert f"δ ≥ {delta} " in found
    if least == "none is proved":
        assert "not proved for any ε that was tried: noise is cut off" in bound
    elif least == "none is enough":
        assert bound.startswith("no ε is enough")
    else:
        assert re.search(rf"holds from ε = {re.escape(least)}\b", bound), bound
