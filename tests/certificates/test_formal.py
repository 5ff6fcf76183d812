"""The checker extracted from the proofs judges as ours does: files, the zoo, commands, and changed certificates."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain.certificate.proved import NOT_PROVED, RULES, fill_page, list_unproved, refuse_unproved
from deltachain.certificate.record import OLDER
from deltachain.errors import CertificateRejected, DeltachainError, InputError
from deltachain.examples import build, catalogue
from deltachain_checker import CertificateRejected as Rejected
from deltachain_checker.certificate import CLAIMS, EXTENSIONS
from deltachain_checker.measures import KEYS
from tests.cli.command import run
from tests.docs.pages import ROOT

from .formal_core import changed
from .live import as_older, written
from .test_two import LISTED, paths_of
from .two_checkers import accepted, judged, needs_formal

TRUE_BUT_REFUSED = {
    "alpha-unknown-side", "file-unknown-key", "model-another", "node-unknown-word",
    "proves-unknown-key", "view-unknown-part", "measure-unknown-key",  # keys: read in Python
    "model-parameter-negative",  # of values that the certificate is not about
    "prices-pair-twice", "states-without-a-row",
}  # fmt: skip
"""Files that violate a condition which no claim of theirs needs, and the proved checker does not look at."""
TOO_LONG = {"model-formula-coefficients"}
"""Which our checker refuses by its meter."""


def files(kind: str, name: str) -> tuple[Any, Any]:
    model, certificate = (Path(path).read_text("utf-8") for path in paths_of(kind, name))
    return json.loads(model), json.loads(certificate)


@needs_formal
@pytest.mark.parametrize("name", LISTED["accept"])
def test_files_that_hold_are_proved_or_refused_by_name(name: str, tmp_path: Path) -> None:
    model, document = files("accept", name)
    code, said = judged(tmp_path, model, document)
    if [*list_unproved(document)]:
        assert (code, said) == (1, [])
    else:
        assert (code, bool(said)) == (0, True)


@needs_formal
@pytest.mark.parametrize("name", [name for name in LISTED["reject"] if name not in TOO_LONG])
def test_files_that_do_not_hold_are_rejected(name: str, tmp_path: Path) -> None:
    path = paths_of("reject", name)
    code, _ = judged(tmp_path, *(Path(each).read_text("utf-8") for each in path))
    assert (code == 0) is (name in TRUE_BUT_REFUSED)


def agreements(random: Random, tmp_path: Path, times: int) -> Counter[str]:
    """How changed files are judged, so many of each."""
    ends: Counter[str] = Counter()
    for name in LISTED["accept"]:
        model, document = files("accept", name)
        if [*list_unproved(document)]:
            continue
        for _ in range(times):
            other = changed(random, document)
            ours, (code, _) = accepted(model, other), judged(tmp_path, model, other)
            if isinstance(ours, list) is not (code == 0):
                ends["ours alone" if code else "proved alone"] += 1
                # What is refused although it is true: never the other way round but for what is written differently.
                assert known_difference(ours, other), (name, ours, code, other)
            else:
                ends["accepted" if code == 0 else "rejected"] += 1
    return ends


HARMLESS = (
    "known keys",
    "known extensions",
    "each pair once",
    "which is not named",
    "a multiple of node",
    "a rank that is",
)
"""Conditions of our checker that no claim needs, or which the proved one asks otherwise."""


def known_difference(ours: list[str] | Rejected, document: Any) -> bool:
    """Whether the proved checker may accept what ours refuses for this reason; or refuse a negative rank."""
    if isinstance(ours, Rejected):
        return any(words in str(ours) for words in HARMLESS)
    ranks = [entry[4] for entry in document.get("distances", {}).get("prices", [])]
    return min(ranks, default=0) < 0


@needs_formal
def test_changed_files_are_judged_alike(tmp_path: Path) -> None:
    ends = agreements(Random(19), tmp_path, 4)
    assert min(ends["accepted"], ends["rejected"]) > 10, ends
    assert ends["proved alone"] + ends["ours alone"] < 12, ends


@needs_formal
@pytest.mark.slow
def test_thousands_of_changed_files_are_judged_alike(tmp_path: Path) -> None:
    ends = agreements(Random(20), tmp_path, 350)
    assert ends.total() >= 20_000, ends
    assert min(ends["accepted"], ends["rejected"]) > 1_000, ends
    assert ends["proved alone"] + ends["ours alone"] < 500, ends


@needs_formal
@pytest.mark.parametrize("name", [example.name for example in catalogue()])
@pytest.mark.parametrize("kind", ["delta", "bd", "ld", "sd"])
def test_the_zoo_is_judged_alike(name: str, kind: str) -> None:
    chain = build(name)
    s, t = chain.relation[0] if chain.relation else (0, 1)
    asked: dict[str, Any] = {"exp_epsilon": "11/10"}
    found: Any = (
        dc.delta(chain, s, t, max_nodes=200, **asked)
        if kind == "delta"
        else dc.distance(chain, s, t, kind=kind, **asked)
    )
    document = written(found.certificate)
    if document["format"] == OLDER or [*list_unproved(document)]:
        with pytest.raises(CertificateRejected, match="verify it without --formal"):
            dc.verify(chain, document, formal=True)
        return
    ours, proved = dc.verify(chain, document), dc.verify(chain, document, formal=True)
    assert [*map(str, proved)] == [*map(str, ours)]


BUG = ["examples/bugs/opendp_2922.py:laplace_threshold", "--secret", "count=0", "--secret", "count=1"]
SVT = [
    "--secrets",
    "answers=[(a, b, c) for a in range(2) for b in range(2) for c in range(2)]",
    "--neighbours",
    "linf 1",
]
EVERY = ["--parameter", "unit=0:1", "--exp-epsilon", "unit^-4", "--delta", "0"]
SHOWN = {
    "README": ("check", *BUG, "--epsilon", "1", "--delta", "0.004926"),
    "a distance over e": ("distance", *BUG, "--epsilon", "1"),
    "the least ε": ("epsilon", "example:sticky-sensor", "--delta", "0"),
    "every value of a parameter": ("parametric", "examples/mechanisms/sparse_vector.py:svt1", *SVT, *EVERY),
    "a domain": (
        "check",
        "examples/mechanisms/sparse_vector.py:svt1,unit=1/2",
        *SVT,
        "--exp-epsilon",
        "16",
        "--delta",
        "0",
    ),
}


@needs_formal
@pytest.mark.parametrize("command", SHOWN.values(), ids=[*SHOWN])
def test_certificates_of_commands_are_proved(command: tuple[str, ...], tmp_path: Path) -> None:
    path = str(tmp_path / "certificate.json")
    assert run(*command, "--certificate", path, "-q").returncode in (0, 1)
    verb, model, *rest = command
    of_model = [each for k, each in enumerate(rest) if rest[k - k % 2].startswith(("--secret", "--neighbours"))]
    done = run("verify", model, path, *of_model, "--formal", "-q")
    assert done.returncode == 0, (verb, done.stderr)
    assert done.stdout.startswith("proved, says the checker extracted from Coq")


def test_every_claim_and_every_extension_is_in_the_table_once() -> None:
    uses = Counter(use for rule in RULES for use in rule.uses)
    assert {*CLAIMS, *KEYS, *EXTENSIONS} <= {*uses, "measures"}
    assert {*uses.values()} == {1}
    theorems = {file for rule in RULES for file in (rule.theorem, rule.lemmas) if file}
    assert all((ROOT / "formal" / file).is_file() for file in theorems)


@pytest.mark.parametrize("page", ["formal/README.md", "docs/trusted-base.md", "README.md"])
def test_pages_say_what_is_proved_as_the_table_does(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert text.count("<!-- proved -->\n") + text.count("<!-- refused -->") == 1
    assert fill_page(text) == text, "run `make docs`"


@pytest.mark.parametrize("what", sorted({use for rule in RULES if not rule.theorem for use in rule.uses}))
def test_what_is_not_proved_is_refused_by_name(what: str) -> None:
    """Before anything is run, so without Coq too."""
    for document in ({"proves": [{"claim": what}]}, {"extensions": [what], "proves": [{"claim": "delta"}]}):
        with pytest.raises(CertificateRejected, match=NOT_PROVED) as caught:
            refuse_unproved(document)
        assert str(caught.value).startswith(f"{what}: ")


def test_format_1_is_refused_by_name() -> None:
    chain = dc.examples.coin()
    older = as_older(chain, written(dc.delta(chain, exp_epsilon=1).certificate))
    assert dc.verify(chain, older)
    with pytest.raises(CertificateRejected, match="this is format 1: verify it without --formal"):
        dc.verify(chain, older, formal=True)


def test_a_checker_that_is_not_built_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACHAIN_FORMAL", "/no/such/program")
    chain = dc.examples.coin()
    certificate = dc.delta(chain, exp_epsilon=1).certificate
    with pytest.raises(InputError, match=r"make formal.*libzarith-ocaml-dev"):
        dc.verify(chain, certificate, formal=True)


def test_a_checker_that_fails_proves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chain = dc.examples.coin()
    certificate = dc.delta(chain, exp_epsilon=1).certificate
    program = tmp_path / "broken"
    monkeypatch.setenv("DELTACHAIN_FORMAL", str(program))
    for body in ("exit 0", "echo malformed; exit 2", "echo proved; exit 1", "kill -9 $$"):
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        with pytest.raises(DeltachainError, match="the proved checker failed"):
            dc.verify(chain, certificate, formal=True)
