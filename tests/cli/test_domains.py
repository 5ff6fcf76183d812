"""Whole domains on the command line: every pair in one question, what the verdict covers, and pairs that are drawn."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.programs.secrets import relation
from deltachain.testing import assert_private
from tests.amounts import fewer_or_all
from tests.cli.command import run
from tests.words import refuses, says

PROGRAMS = """
from fractions import Fraction
from deltachain import announce, discrete_laplace, geometric, program

@program
def svt1(q, c=1, u=Fraction(1, 2), clamp=8):
    t = geometric(u ** (2 * c), -clamp, clamp)
    hits = 0
    for a in q:
        if a + geometric(u, -clamp, clamp) >= t:
            announce("above")
            hits = hits + 1
            if hits == c:
                return
        else:
            announce("below")

@program
def no_threshold_noise(q, threshold=5, scale=2):
    for a in q:
        if a + discrete_laplace(scale) >= threshold:
            announce("above")
            return
        announce("below")

@program
def truthful(x: bool):
    announce(x)
"""


def as_json(*arguments: str, code: int = 0) -> dict[str, Any]:
    """The JSON document of a command with this exit code."""
    done = run(*arguments, "--json")
    assert done.returncode == code, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


VECTORS = "q=[(a, b) for a in range(3) for b in range(3)]"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("domains") / "mechanisms.py"
    path.write_text(PROGRAMS)
    return str(path)


def test_the_verdict_says_what_it_covers(programs: str) -> None:
    asked = (f"{programs}:svt1", "--secrets", VECTORS, "--neighbours", "linf 1", "--exp-epsilon", "16", "--delta", "0")
    done = run("check", *asked)
    assert done.returncode == 0
    assert says(done.stdout, "PRIVATE: proved, checked")
    body = as_json("check", *asked)
    assert body["covers"] == {"pairs": 20, "secrets": 9, "drawn": False, "searches": 20}
    rule = "all(abs(x - y) <= 1 for x, y in zip(a.q, b.q))"
    assert as_json("check", *asked[:4], rule, *asked[5:])["covers"] == body["covers"]
    assert says(run("check", *asked[:3], *asked[5:-1], "1").stdout, "secrets given")
    pair = run("check", f"{programs}:truthful", "--epsilon", "1", "--delta", "1")
    assert says(pair.stdout, "inputs were examined")


def test_a_certificate_claims_every_pair(programs: str, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    model, domain = f"{programs}:svt1", ("--secrets", VECTORS)
    done = run(
        *("check", model, *domain, "--neighbours", "linf 1", "--exp-epsilon", "16", "--delta", "0"),
        *("--certificate", proof),
    )
    assert says(done.stderr, "--neighbours 'linf")
    whole = run("verify", model, proof, *domain, "--neighbours", "linf 1")
    assert whole.returncode == 0
    assert says(whole.stdout, "domain are claimed")
    fewer = run("verify", model, proof, *domain, "--neighbours", "l1 1")
    assert says(fewer.stdout, "domain are claimed")
    more = run("verify", model, proof, *domain, "--neighbours", "linf 2")
    assert more.returncode == 4
    assert says(more.stderr, "domain is claimed")
    every = as_json("verify", model, proof, *domain, "--neighbours", "all", code=4)
    assert every["accepted"] is False
    assert every["domain"]["compared"] is False
    listed = [word for a in range(3) for b in range(3) for word in ("--secret", f"q=({a}, {b})")]
    bare = run("verify", model, proof, *listed)
    assert says(bare.stdout, "pairs claimed; domain")
    program = dc.load_program(programs, "svt1")
    secrets = dc.domain(q=[(a, b) for a in range(3) for b in range(3)])
    assert len(dc.verify(program, proof, secrets=secrets, neighbours="linf 1")) == 20
    with refuses(dc.errors.CertificateRejected, "domain is claimed"):
        dc.verify(program, proof, secrets=secrets)


OWN = """
from typing import Literal

from deltachain import announce, flip, program, uniform


@program
def reported(x: Literal[0, 1, 2, 3], p="1/2"):
    announce(x if flip(p) else uniform(0, 3))
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    """A program that names all of its inputs."""
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return f"{path}:reported"


def test_the_domain_that_a_program_names_is_compared_with(own: str, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    asked = ("--exp-epsilon", "2", "--certificate", proof)
    assert run("delta", own, *asked).returncode == 0
    whole = run("verify", own, proof)
    assert (whole.returncode, whole.stdout.splitlines()[-1]) == (0, "all 6 pairs of the domain are claimed")
    assert as_json("verify", own, proof)["domain"] == {"pairs": 6, "compared": True}
    listed = run("verify", own, proof, *(word for x in range(4) for word in ("--secret", f"x={x}")))
    assert says(listed.stdout.splitlines()[-1], "pairs claimed; domain")
    # What it claims is proved: that it leaves pairs out is said, and rejected where the domain is given.
    for named, count in ((("--pair", "x=0", "x=1"), 1), (("--neighbours", "abs(a.x - b.x) == 1"), 3)):
        assert run("delta", own, *named, *asked).returncode == 0
        some = run("verify", own, proof)
        said = f"it claims {count} of the 6 pairs of the domain that the program names"
        assert (some.returncode, some.stdout.splitlines()[-1]) == (0, said)
        assert as_json("verify", own, proof)["domain"] == {"pairs": count, "compared": False}
        assert run("verify", own, proof, "--secrets", "x=range(4)").returncode == 4
    assert run("guess", own, "--certificate", proof).returncode == 0
    assert "pairs" not in run("verify", own, proof).stdout


def test_a_certificate_of_distances_claims_the_pairs_of_a_domain(programs: str, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    asked = ("distance", f"{programs}:truthful", "--secrets", "x=(False, True)", "--exp-epsilon", "2")
    line = run(*asked, "--certificate", proof).stderr.partition("(check it: deltachain ")[2].rstrip().removesuffix(")")
    again = run(*shlex.split(line))
    assert again.returncode == 0, again.stderr
    assert says(again.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("epsilon", ("--delta", "1/10")),
        ("profile", ("--epsilons", "0,1")),
        ("estimate", ("--exp-epsilon", "2", "--samples", "10")),
    ],
)
def test_every_answer_says_what_it_covers(own: str, verb: str, more: tuple[str, ...]) -> None:
    for options, said, body in (
        ((), "for all 6 pairs of the 4 secrets given", (6, 4)),
        (
            ("--secrets", "x=range(3)", "--neighbours", "abs(a.x - b.x) == 1"),
            "for all 2 neighbouring pairs of the 3 secrets given",
            (2, 3),
        ),
        (("--pair", "x=0", "x=2"), "for the pair (x=0, x=2); no other inputs were examined", (1, 2)),
    ):
        lines = run(verb, own, *options, *more).stdout.splitlines()
        assert [line.partition("covers  ")[2] for line in lines if line.startswith("covers  ")] == [said]
        found = as_json(verb, own, *options, *more)["covers"]
        assert found == {"pairs": body[0], "secrets": body[1], "drawn": False}


@pytest.mark.parametrize(
    "named", [("--pair", "q=(0, 0)", "q=(0, 1)"), ("--from", "q[1] == 0 & q[0] == 0", "--to", "q[1] == 1")]
)
def test_the_line_that_verifies_named_pairs_of_a_domain_does_so(
    programs: str, tmp_path: Path, named: tuple[str, ...]
) -> None:
    proof = str(tmp_path / "proof.json")
    asked = ("check", f"{programs}:svt1", "--secrets", VECTORS, *named, "--exp-epsilon", "16", "--delta", "0")
    done = run(*asked, "--certificate", proof)
    line = done.stderr.partition("(check it: deltachain ")[2].rstrip().removesuffix(")")
    again = run(*shlex.split(line))
    assert again.returncode == 0, again.stderr
    which = "the one pair given is claimed" if named[0] == "--pair" else "all 3 pairs given are claimed"
    assert again.stdout.splitlines()[-1] == which
    assert as_json(*shlex.split(line))["domain"]["compared"] is False
    other = run(*shlex.split(line)[:5], "--pair", "q=(0, 0)", "q=(2, 2)")
    assert other.returncode == 4


def test_the_worst_pair_is_found_without_naming_it(programs: str) -> None:
    domain = "q=[(a, b, c) for a in range(4, 6) for b in range(4, 6) for c in range(4, 6)]"
    asked = ("--secrets", domain, "--neighbours", "linf 1", "--epsilon", "1", "--delta", "0")
    done = run("check", f"{programs}:no_threshold_noise", *asked)
    assert done.returncode == 1
    assert says(done.stdout, "is allowed")
    # What gives it away comes first, then the pairs.
    assert 0 < done.stdout.index("start below below below") < done.stdout.index("\npair ")
    many = run("check", f"{programs}:no_threshold_noise", "--secrets", domain.replace("4, 6", "3, 6"), *asked[2:])
    listed = many.stdout.partition("\npair ")[2].splitlines()[2:]
    assert says(listed[0], "q=(4")
    assert says(listed[10], "worst of")
    assert says(many.stdout, "verdicts")


@fewer_or_all("number", 15, 60)
def test_drawn_pairs_find_violations_and_prove_nothing(programs: str, tmp_path: Path, number: int) -> None:
    model = f"{programs}:no_threshold_noise"
    domain = ("--secrets", "q=[(a, b, c) for a in range(11) for b in range(11) for c in range(11)]")
    drawn = (*domain, "--neighbours", "linf 1", "--sample", str(number), "--seed", "1")
    quiet = as_json("check", model, *drawn, "--epsilon", "2", "--delta", "0", code=3)
    assert quiet["verdict"] == "undecided"
    assert quiet["upper"] is None
    assert quiet["covers"] | {"searches": 0} == {"pairs": number, "secrets": 1331, "drawn": True, "searches": 0}
    said = run("check", model, *drawn, "--epsilon", "2", "--delta", "0").stdout
    assert says(said, "UNDECIDED: no violation")
    proof = str(tmp_path / "proof.json")
    loud = run("check", model, *drawn, "--epsilon", "1/2", "--delta", "0", "--certificate", proof)
    assert loud.returncode == 1
    assert loud.stdout.startswith("VIOLATED: proved")
    again = run("check", model, *drawn, "--epsilon", "1/2", "--delta", "0")
    assert again.stdout == loud.stdout
    assert says(run("verify", model, proof, *drawn).stdout, "drawn are claimed")
    assert as_json("verify", model, proof, *drawn)["domain"] == {"pairs": number, "compared": False}
    assert (quiet["upper"], quiet["exact"]) == (None, False)
    secrets = dc.domain(q=[(a, b) for a in range(4) for b in range(4)])
    program = dc.load_program(programs, "no_threshold_noise")
    with refuses(AssertionError, "UNDECIDED: no violation"):
        assert_private(program, secrets=secrets, neighbours="linf 1", sample=5, epsilon=3, delta=0)
    assert assert_private(program, secrets=secrets, neighbours="linf 1", epsilon=3, delta=0).inputs.secrets == 16


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--secrets", "q=5"), "--secrets, q: 5 is an int, not a list of values"),
        (("--secrets", "q=[(0, 1)]", "--secret", "q=(0, 1)"), "secrets are also given by --secret"),
        (("--secrets", "r=range(2)"), "there is no parameter 'r'"),
        (("--secrets", VECTORS, "--neighbours", "linf -1"), "no two secrets differ by at most -1"),
        (("--secrets", VECTORS, "--neighbours", "a.q == b.q"), "no two start states are neighbours"),
        (("--secrets", VECTORS, "--sample", "3", "--pair", "a", "b"), "pairs are also given by --neighbours"),
        (("--secret", "q=(0, 1)", "--secret", "q=(1, 1)", "--sample", "3"), "pairs are drawn from a domain"),
        (("--secrets", VECTORS, "--neighbours", "a.q == (9, 9)", "--sample", "3"), "no two neighbours were found"),
    ],
)
def test_refusals(programs: str, options: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relation, "DRAWN_BATCHES", 2)
    done = run("check", f"{programs}:svt1", *options, "--epsilon", "1", "--delta", "0")
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.slow
def test_a_report_says_what_it_covers(programs: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(
        *("report", f"{programs}:svt1", "--secrets", VECTORS, "--neighbours", "linf 1", "--exp-epsilon", "16"),
        *("--delta", "0", "--out", str(page)),
    )
    text = page.read_text()
    assert "for all 20 neighbouring pairs of the 9 secrets given" in text
    assert "no other inputs were examined" in text


@pytest.mark.slow
def test_thousands_of_pairs(programs: str, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    four = "q=[(a, b, c, d) for a in range(4) for b in range(4) for c in range(4) for d in range(4)]"
    domain = (f"{programs}:svt1", "--secrets", four, "--neighbours", "linf 1")
    done = run("check", *domain, "--exp-epsilon", "16", "--delta", "0", "--certificate", proof)
    assert done.stdout.startswith(
        "PRIVATE: proved, checked, δ ≤ 0 for all 4,872 neighbouring pairs of the 256 secrets given"
    )
    checked = run("verify", domain[0], proof, *domain[1:], "--brief")
    assert checked.returncode == 0
    three = "q=[(a, b, c) for a in range(11) for b in range(11) for c in range(11)]"
    model = f"{programs}:no_threshold_noise"
    broken = run("check", model, "--secrets", three, "--neighbours", "linf 1", "--epsilon", "1", "--delta", "0")
    assert broken.returncode == 1
    assert "for ('q=(4, 4, 4)', 'q=(5, 5, 5)'); only 0 is allowed" in broken.stdout
