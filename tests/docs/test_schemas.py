"""What the verbs print with ``--json``, model files and certificates fit the schemas in docs/schemas."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from deltachain.errors import ModelError
from deltachain.formats.native import chain_from_json
from deltachain.registry import verbs
from deltachain_checker import CertificateRejected, ModelFile, verify
from deltachain_checker.numbers import OnInterval
from tests.certificates.fixtures import ROOT as CERTIFICATES
from tests.cli.command import run
from tests.docs.pages import ROOT

FILES = sorted((ROOT / "docs" / "schemas").glob("*.json"))
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in FILES}
REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)

PROTOCOL = """
from deltachain import announce, flip, program

@program
def survey(truth):
    announce(truth if flip("3/4") else not truth)

@program
def answer(truth: bool, p="3/4"):
    announce(truth if flip(p) else not truth)
"""
DINERS = "example:dining-cryptographers,n=2,p=49/100"
COMMANDS: dict[str, list[list[str]]] = {
    "delta": [
        ["functions.json", "--epsilon", "1/3"],
        ["asked.json", "--epsilon", "1/2", "--fixed", "2"],
        ["functions.json", "--epsilon", "1/2", "--repeat", "2"],
        ["limits.json", "--exp-epsilon", "1.1"],
        [DINERS, "--exp-epsilon", "1.0002"],
        [DINERS, "--epsilon", "1/10"],
        ["example:sticky-sensor", "--exp-epsilon", "2", "--max-nodes", "50"],
        ["example:coin", "--exp-epsilon", "1", "--pair", "s0", "heads"],
        ["example:split-coin", "--exp-epsilon", "6/5", "--pair", "heads0", "heads1"],
    ],
    "check": [
        ["functions.json", "--epsilon", "1/3", "--delta", "0.1"],
        ["asked.json", "--epsilon", "1/3", "--delta", "0.3"],
        [DINERS, "--exp-epsilon", "1.0002", "--delta", "1e-3"],
        [DINERS, "--exp-epsilon", "1.0002", "--delta", "1e-4"],
        ["example:sticky-sensor", "--exp-epsilon", "2", "--delta", "0.05", "--max-nodes", "20"],
        ["example:coin", "--epsilon", "0.1", "--delta", "1", "--pair", "s0", "heads"],
    ],
    "calibrate": [
        ["example:survey", "--parameter", "p=0.6:0.9:0.1", "--exp-epsilon", "3", "--delta", "1/20"],
        ["example:survey", "--parameter", "p=0.6,0.7", "--epsilon", "1", "--delta", "1"],
        [
            *("protocol.py:answer", "--parameter", "p=0.6:0.9:0.1", "--exp-epsilon", "3", "--delta", "1/20"),
            *("--accuracy", "output == truth"),
        ],
    ],
    "parametric": [
        ["formulas.json", "--parameter", "x=0:1/2", "--exp-epsilon", "2", "--delta", "1/10"],
        ["formulas.json", "--parameter", "x=0:1/2", "--exp-epsilon", "(1-x)/x", "--maximum"],
    ],
    "estimate": [
        ["functions.json", "--epsilon", "1/3"],
        ["restless.json", "--epsilon", "0", "--max-nodes", "5", "--samples", "100"],
        [DINERS, "--exp-epsilon", "1.0002"],
        ["example:sticky-sensor", "--epsilon", "1/10", "--max-nodes", "50", "--samples", "200"],
    ],
    "guess": [
        ["functions.json"],
        [DINERS],
        ["example:lockout"],
    ],
    "run": [
        ["example:coin", "--start", "s0", "--count", "2"],
        ["protocol.py:survey", "--secret", "truth=1", "--count", "3", "--seed", "1"],
        ["example:sticky-sensor", "--start", "s0", "--steps", "5"],
    ],
    "sweep": [
        ["functions.json", "--epsilons", "0,1", "--jobs", "1"],
        ["example:survey", "--set", "p=3/4,7", "--epsilons", "0,1", "--jobs", "1"],
        ["example:survey", "--verb", "epsilon", "--delta", "0", "--jobs", "1"],
    ],
    "distance": [
        ["functions.json", "--epsilon", "1/3", "--kind", "ld", "--exact"],
        [DINERS, "--exp-epsilon", "1.0002"],
        ["example:split-coin", "--epsilon", "0.1", "--kind", "ld", "--all", "--quotient"],
    ],
    "threshold": [
        [DINERS, "--exp-epsilon", "1.0002", "--theta", "1/2500"],
        [DINERS, "--exp-epsilon", "1.0002", "--theta", "1/2501", "--solver", "cvc5"],
        ["example:coin", "--epsilon", "0.1", "--theta", "0.2", "--strict", "--solver", "engine"],
        ["example:random,n=9", "--exp-epsilon", "6/5", "--theta", "0.5", "--faithful", "--timeout", "0.2"],
    ],
    "verify": [["example:coin", "proof.json"], ["example:survey", "proof.json"]],
    "epsilon": [
        ["functions.json", "--delta", "0"],
        ["functions.json", "--delta", "1/10"],
        ["example:survey", "--delta", "0"],
        ["example:sticky-sensor", "--delta", "0.2", "--precision", "0.1", "--max-nodes", "50"],
        ["example:coin", "--delta", "0", "--pair", "s0", "heads"],
        ["example:random,n=6,labels=2,degree=3,seed=1", "--delta", "0"],
    ],
    "profile": [
        ["functions.json", "--epsilons", "0:1:0.5", "--orders", "2", "--kl", "--zcdp"],
        ["asked.json", "--epsilons", "0:1:0.5"],
        ["example:survey", "--epsilons", "0:1:0.5"],
        ["example:sticky-sensor", "--epsilons", "0:1:1", "--max-nodes", "50"],
        ["example:sticky-sensor", "--epsilons", "0:1:1", "--max-nodes", "50", "--estimate", "--samples", "100"],
        ["example:crowds", "--epsilons", "0:1:1"],
        ["example:survey", "--epsilons", "0:1:1", "--orders", "2,3/2", "--kl", "--zcdp"],
        ["example:coin,p=0", "--epsilons", "0:1:1", "--orders", "2"],
        ["limits.json", "--epsilons", "0:1:1"],
    ],
    "report": [
        ["functions.json", "--epsilon", "1/3", "--out", "report.html"],
        ["limits.json", "--epsilon", "1/10", "--out", "report.html"],
        ["example:survey", "--epsilon", "1", "--delta", "0.1", "--out", "report.html"],
        ["example:coin", "--exp-epsilon", "1", "--out", "report.html"],
    ],
    "trace": [
        ["functions.json", "--word", "go heads", "--epsilon", "1/3"],
        ["example:coin", "--word", "start heads", "--exp-epsilon", "3/2"],
        ["example:coin", "--length", "2"],
        ["example:coin", "--word", "start nothing", "--epsilon", "1"],
    ],
    "info": [["example:coin"], ["example:probe"], ["example:random,n=30"], ["model.json"]],
    "convert": [["example:coin", "coin.drn", "--force"]],
    "counts": [
        ["log.csv", "--secrets", "a,b", "--outputs", "x,y", "--out", "counted.json"],
        [
            "log.csv",
            *[
                "--secrets",
                "a,b",
                "--outputs",
                "x,y",
                "--output-column",
                "output",
                "--depth",
                "2",
                "--end",
                "stop",
                "--out",
                "tree.json",
            ],
        ],
    ],
    "examples": [[]],
}
LIMITS = """{"format": "deltachain.chain/1", "relation": [["s", "u"]],
"states": {"s": {"label": "go", "to": {"h": ["2/5", "1/2"], "t": ["1/2", "3/5"]}},
           "u": {"label": "go", "to": {"h": ["1/2", "3/5"], "t": ["2/5", "1/2"]}},
           "h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}}"""
FORMULAS = """{"format": "deltachain.chain/1", "relation": [["s", "u"]], "parameter": {"x": ["0", "1/2"]},
"states": {"s": {"label": "go", "to": {"h": "x", "t": "1-x"}},
           "u": {"label": "go", "to": {"h": "1 - x", "t": "x"}},
           "h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}}"""
FUNCTIONS = """{"format": "deltachain.chain/1", "relation": [["s", "u"]],
"states": {"s": {"label": "go", "to": {"h": "1/(1+exp(1/2))", "t": "exp(1/2)/(1+exp(1/2))"}},
           "u": {"label": "go", "to": {"h": "exp(1/2)/(1+exp(1/2))", "t": "1/(1+exp(1/2))"}},
           "h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}}"""
ASKED = re.sub(r'"label": "go", "to": (\{.*?\})', r'"label": "go", "on": {"ask": \1, "skip": {"h": 1}}', FUNCTIONS)
RESTLESS = FUNCTIONS.replace('"to": {"h": 1}', '"to": {"s": "3/4", "u": "1/4"}').replace(
    '"to": {"t": 1}', '"to": {"s": "1/4", "u": "3/4"}'
)
CASES = [(verb, arguments) for verb, many in COMMANDS.items() for arguments in many]
SERVES = {"explore"}
"""Verbs that print no result."""
NOT_VERBS = {"error", "common", "chain", "certificate", "witness"}


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a model, a certificate and a witness; the current one meanwhile."""
    path, before = tmp_path_factory.mktemp("schemas"), Path.cwd()
    os.chdir(path)
    assert run("convert", DINERS, "model.json").returncode == 0
    Path("limits.json").write_text(LIMITS, "utf-8")
    Path("log.csv").write_text("secret,output\na,x\nb,y\nc,x\nb,z\n", "utf-8")
    Path("protocol.py").write_text(PROTOCOL, "utf-8")
    Path("formulas.json").write_text(FORMULAS, "utf-8")
    for name, text in (("functions", FUNCTIONS), ("asked", ASKED), ("restless", RESTLESS)):
        Path(f"{name}.json").write_text(text, "utf-8")
    wanted = ["--exp-epsilon", "1", "--certificate", "proof.json", "--witness", "event.json"]
    assert run("delta", "example:coin", *wanted).returncode == 0
    yield path
    os.chdir(before)


def test_the_schemas_are_schemas() -> None:
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
    assert set(SCHEMAS) - NOT_VERBS == set(verbs()) - SERVES, "each verb has its schema"
    assert set(COMMANDS) == set(verbs()) - SERVES, "each verb is tried"


@pytest.mark.parametrize(("verb", "arguments"), CASES, ids=[" ".join([verb, *rest]) for verb, rest in CASES])
def test_what_a_verb_prints_fits_its_schema(verb: str, arguments: list[str], folder: Path) -> None:
    done = run(verb, *arguments, "--json")
    document = json.loads(done.stdout)
    validator(verb).validate(document)
    # The schema must bite: an unknown key, or a missing one, is found.
    with pytest.raises(ValidationError):
        validator(verb).validate(document | {"nonsense": 1})
    for key in SCHEMAS[verb]["required"]:
        with pytest.raises(ValidationError):
            validator(verb).validate({k: v for k, v in document.items() if k != key})


def test_files_fit_their_schemas(folder: Path) -> None:
    validator("chain").validate(json.loads((folder / "model.json").read_text("utf-8")))
    validator("witness").validate(json.loads((folder / "event.json").read_text("utf-8")))
    validator("certificate").validate(json.loads((folder / "proof.json").read_text("utf-8")))


def test_models_on_the_page_of_formats_fit_the_schema_and_load() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    models = [block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "deltachain.chain/1" in block]
    assert len(models) == 3
    for model in models:
        validator("chain").validate(json.loads(model))
        chain_from_json(model, "formats.md")


@pytest.mark.parametrize(
    "state",
    [
        {"label": "a", "to": {"s": ["0", "1/2", "1"]}},
        {"label": "a", "to": {"s": 1}, "counts": {"s": 1}},
        {"label": "a", "rest": 1},
        {"label": "a", "on": {"ask": {"to": {"s": 1}, "also": 1}}},
    ],
)
def test_the_schema_of_models_refuses_what_the_reader_refuses(state: dict[str, object]) -> None:
    model = {"format": "deltachain.chain/1", "states": {"s": state}}
    assert not validator("chain").is_valid(model)
    with pytest.raises(ModelError):
        chain_from_json(json.dumps(model), "model")


KEPT = {
    str(listing.parent.relative_to(CERTIFICATES) / listing.stem / name): listing.parent / listing.stem / f"{name}.json"
    for listing in (CERTIFICATES / "accept.json", CERTIFICATES / "families" / "accept.json")
    for name in json.loads(listing.read_text("utf-8"))
}


@pytest.mark.parametrize("name", KEPT)
def test_certificates_that_are_accepted_fit_their_schema(name: str) -> None:
    validator("certificate").validate(json.loads(KEPT[name].read_text("utf-8")))


MODELS = CERTIFICATES / "models"
CERTIFIED = [
    ("delta example:split-coin --exp-epsilon 6/5", {"merge", "graph", "values"}),
    ("delta example:lockout --exp-epsilon 2", {"graph", "values"}),
    (f"delta {MODELS}/sensor.json --exp-epsilon 4 --pair s0 s1", {"claims", "values"}),
    (f"delta {MODELS}/traces.json --exp-epsilon 2 --pair s u", {"unseen", "values"}),
    ("delta functions.json --epsilon 1/3", {"field", "values"}),
    ("delta example:sticky-sensor --exp-epsilon 2 --max-nodes 50", {"recipes", "units"}),
    ("delta example:memoised-survey --exp-epsilon 2", {"split", "states"}),
    ("delta limits.json --exp-epsilon 2", {"recipes", "extensions"}),
    ("delta example:random,n=30,inputs=2,seed=3 --exp-epsilon 2 --max-nodes 300", {"recipes", "vectors"}),
    ("parametric formulas.json --parameter x=0:1/2 --exp-epsilon 2", {"visits", "extensions", "field"}),
    ("distance example:probe --exp-epsilon 2 --exact", {"distances", "extensions"}),
    ("distance example:probe --exp-epsilon 1 --exact --kind sd", {"distances"}),
    ("distance functions.json --epsilon 1/3 --exact", {"distances", "field"}),
    ("distance example:split-coin --exp-epsilon 6/5 --exact", {"distances"}),
    ("distance example:split-coin --exp-epsilon 6/5 --kind ld --quotient", {"distances", "merge"}),
    ("epsilon example:coin,p=0 --delta 0", {"proves"}),
    ("epsilon example:sticky-sensor --delta 0", {"claims"}),
    (f"epsilon {MODELS}/lengths.json --delta 0 --pair s t", {"proves"}),
    (f"epsilon {MODELS}/ladder.json --delta 0 --pair s0 s1", {"proves"}),
    ("guess example:crowds,paths=2 --guesses 2", {"visits", "extensions"}),
]
"""Commands that certify, and some parts of what they write: each kind of evidence is there."""


@pytest.mark.parametrize(("command", "parts"), CERTIFIED, ids=[command for command, _ in CERTIFIED])
def test_certificates_fit_their_schema(command: str, parts: set[str], folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert run(*command.split(), "--certificate", str(path)).returncode == 0
    document = json.loads(path.read_text("utf-8"))
    assert document["format"] == "deltachain.certificate/2"
    assert parts <= document.keys()
    schema = validator("certificate")
    schema.validate(document)
    # The schema must bite: nothing unknown, nothing missing, and no part of the other format.
    assert not schema.is_valid(document | {"bits": 60})
    assert not schema.is_valid(document | {"format": "deltachain.certificate/1"})
    for key in ("format", "model", "proves"):
        assert not schema.is_valid({k: v for k, v in document.items() if k != key})


FAMILY = {
    "format": "deltachain.chain/1",
    "parameter": {"u": ["0", "1"]},
    "states": {
        "s": {"label": "go", "to": {"h": "u", "e": "1-u"}},
        "t": {"label": "go", "to": {"h": "1/2", "e": "1/2"}},
        "h": {"label": "heads", "to": {"h": "1"}},
        "e": {"label": "tails", "to": {"e": "1"}},
    },
}
BEYOND = {
    "format": "deltachain.certificate/2",
    "model": "",
    "field": {"parameter": {"u": ["0", "1/2"]}, "closed": [False, True]},
    "alpha": "1/0 0 1",
    "states": {"u": ["go", [["h", "0 1"], ["e", "1 -1"]]]},
    "claims": [
        [[["s", 1], ["u", -1]], 0, "step", []],
        [["s", "t"], "0", "step", {"of": [], "eta": []}],
        [["t", "s"], "0", "now", [[[0, 1], "1"]]],
    ],
    "beliefs": [[["s", "1"]], [["t", "1"]], [["h", "0 2"]], [["h", "1"]], [["e", "2 -2"]], [["e", "1"]]],
    "graph": [[[0, 1], {"heads": 1, "tails": 2}], [[2, 3]], [[4, 5]]],
    "values": [[0, "0", "0"], [1, [None, "0"], "0"], [2, "0", "0", [[], {"of": [], "eta": []}]]],
    "views": {"blind": {"labels": {"heads": "shown", "tails": "shown"}, "merge": [["h", "e"], ["s", "t"]]}},
    "proves": [
        {"claim": "delta", "pair": ["s", "t"], "node": 0, "upper": "0"},
        {"claim": "delta", "pair": ["s", "t"], "covers": [[[1, "1"]], [[2, "1"]]], "upper": "0"},
        {"claim": "delta", "pair": ["s", "t"], "view": "blind", "upper": "0"},
    ],
}
"""What the specification allows and no command writes: a parameter, views, states that are added, η by hand."""


def test_what_the_specification_allows_fits_the_schema_and_is_accepted() -> None:
    model = ModelFile(FAMILY)
    document = BEYOND | {"model": model.over(OnInterval("u", Fraction(0), Fraction(1))).sha256()}
    every = "for every u in (0, 1/2], at exp_epsilon 1/u^2"
    assert [*map(str, verify(model, document))] == [
        f"delta of (s, t) ≤ 0 {every}",
        f"delta of (s, t) ≤ 0 {every}",
        f"delta of (s, t) of the chain seen through blind ≤ 0 {every}",
    ]
    validator("certificate").validate(document)


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": "1.5"},
        {"alpha": "1  2"},
        {"alpha": {"upper": "1"}},
        {"field": {"base": 2, "parameter": {"u": ["0", "1"]}}},
        {"field": {"closed": [True, True]}},
        {"claims": [[["s", "t"], "0", "later", []]]},
        {"claims": [[["s", "t"], "0", "now", [[["seen", 0], "1"]]]]},
        {"graph": [[[0]]]},
        {"graph": [[[0, 1], {}, "closed"]]},
        {"values": [[0, "0"]]},
        {
            "visits": [{"start": [], "from": 0, "visits": ["1"]}],
            "extensions": ["measures"],
            "proves": [{"claim": "kl", "pair": ["s", "t"], "visits": 0}],
        },
        {"extensions": ["core"]},
        {"views": {"blind": {"proves": []}}},
        {"labels": {"heads": "shown"}},
        {"proves": []},
        {"proves": [{"claim": "renyi", "pair": ["s", "t"], "visits": 0}]},
        {"proves": [{"claim": "delta", "pair": ["s", "t"], "ending": 0}]},
        {"proves": [{"claim": "guess", "secrets": ["s", "t"], "visits": 0, "prior": ["1", "0"]}]},
    ],
    ids=str,
)
def test_the_schema_of_certificates_refuses_what_the_checker_refuses(changed: dict[str, Any]) -> None:
    model = ModelFile(FAMILY)
    document = BEYOND | {"model": model.over(OnInterval("u", Fraction(0), Fraction(1))).sha256()} | changed
    assert not validator("certificate").is_valid(document)
    with pytest.raises(CertificateRejected):
        verify(model, document)


@pytest.mark.parametrize("model", ["example:coin,p=0", "example:memoised-survey"])
def test_certificates_of_measures_fit_their_schema(model: str, tmp_path: Path) -> None:
    asked = ["--epsilons", "0", "--orders", "2,3/2", "--kl", "--tradeoff-points", str(tmp_path / "corners.csv")]
    assert run("profile", model, *asked, "--certificates", str(tmp_path / "proofs")).returncode == 0
    validator("certificate").validate(json.loads((tmp_path / "proofs" / "measures.json").read_text("utf-8")))
