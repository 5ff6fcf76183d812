"""MODEL as a program, a PRISM, JANI or UMB file; pairs by predicates; and every refusal, with exit code 2."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

ROOT = Path(__file__).parents[2]
DINING_PROGRAM = f"{ROOT / 'examples' / 'dining.py'}:dining"
DINING_PRISM = str(ROOT / "examples" / "dining.prism")
CROWDS_PRISM = str(ROOT / "examples" / "crowds.prism")
SECRETS = ("--secret", "paying=0", "--secret", "paying=1")
EXACT = {"exact": "7501/25000000", "approx": 0.00030004}


def storm() -> None:
    pytest.importorskip("stormpy", reason="needs the extra storm")


def refused(*arguments: str) -> list[str]:
    """The lines of the refusal: on standard error alone, exit code 2."""
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    return [line.removeprefix("deltachain: error: ") for line in done.stderr.splitlines()]


# Programs.


def test_a_program_with_secrets_and_constants() -> None:
    found = run_json("delta", DINING_PROGRAM, *SECRETS, "--constants", "n=2,p=49/100", "--exp-epsilon", "1.0002")
    assert found["upper"] == EXACT
    assert found["exact"] is True
    assert found["results"][0]["pair"] == ["paying=0", "paying=1"]
    assert found["model"]["source"] == DINING_PROGRAM


def test_three_secrets_give_all_pairs_and_predicates_choose_among_them() -> None:
    secrets = (*SECRETS, "--secret", "paying=2")
    assert len(run_json("info", DINING_PROGRAM, *secrets)["relation"]) == 3
    found = run_json(
        "distance", DINING_PROGRAM, *secrets, "--from", "paying=0", "--to", "paying > 1", "--exp-epsilon", "1"
    )
    assert [result["pair"] for result in found["results"]] == [["paying=0", "paying=2"]]


def test_the_file_is_parsed_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "bomb.py"
    path.write_text(
        "from deltachain import announce, program\nraise SystemExit(99)\n@program\ndef quiet(x):\n    announce(x)\n"
    )
    done = run("info", f"{path}:quiet", "--secret", "x=0", "--secret", "x=1")
    assert done.returncode == 0, done.stderr


def test_what_is_not_in_the_language_is_refused_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("@program\ndef p(x):\n    import os\n    y = [x]\n")
    lines = refused("info", f"{path}:p", "--secret", "x=0")
    assert [line.startswith(f"{path}:{place}: ") for line, place in zip(lines, ("3:5", "4:9"), strict=True)] == [
        True, True
    ]  # fmt: skip


def test_constants_may_follow_the_name_of_a_program() -> None:
    named = run_json("delta", f"{DINING_PROGRAM},n=2,p=49/100", *SECRETS, "--exp-epsilon", "1.0002")
    beside = run_json("delta", DINING_PROGRAM, *SECRETS, "--constants", "n=2,p=49/100", "--exp-epsilon", "1.0002")
    assert named["results"] == beside["results"]
    assert named["model"]["sha256"] == beside["model"]["sha256"]
    both = run_json("delta", f"{DINING_PROGRAM},n=2", *SECRETS, "--constants", "p=49/100", "--exp-epsilon", "1.0002")
    assert both["results"] == beside["results"]
    (twice,) = refused("delta", f"{DINING_PROGRAM},n=2", *SECRETS, "--constants", "n=2", "--exp-epsilon", "1")
    assert says(twice, "is also given")
    (unknown,) = refused("delta", f"{DINING_PROGRAM},m=2", *SECRETS, "--exp-epsilon", "1")
    assert says(unknown, "is no parameter")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((DINING_PROGRAM,), "--secret: dining has no secrets to start from"),
        ((DINING_PROGRAM, "--secret", "payer=0"), "there is no parameter 'payer'"),
        ((DINING_PROGRAM, "--secret", "paying"), "--secret: 'paying' cannot be read"),
        ((DINING_PROGRAM, *SECRETS, "--secret", "paying=0"), "the same as secret 1"),
        ((DINING_PROGRAM, *SECRETS, "--constants", "n"), "--constants: 'n' cannot be read"),
        ((DINING_PROGRAM, *SECRETS, "--constants", "m=2"), "there is no parameter 'm'"),
        ((DINING_PROGRAM, *SECRETS, "--constants", "n=0/0"), "--constants"),
        ((DINING_PROGRAM, *SECRETS, "--constants", "p=3/2"), "examples/dining.py:12:"),
        ((DINING_PROGRAM, *SECRETS, "--max-states", "3"), "3"),
        ((DINING_PROGRAM, *SECRETS, "--max-states", "none"), "--max-states: not a number: 'none'"),
        ((DINING_PROGRAM, *SECRETS, "--normalise"), "--normalise: not used with this kind of model"),
        ((DINING_PROGRAM, *SECRETS, "--observe", "x"), "--observe: not used with this kind of model"),
        ((f"{ROOT / 'examples' / 'dining.py'}:dinning", *SECRETS), "did you mean 'dining'?"),
        ((f"{ROOT / 'examples' / 'dining.py'}",), "needs the name of a program; it defines dining"),
        (("none.py:p", "--secret", "x=0"), "none.py: there is no such file"),
        (("example:coin", "--secret", "x=0"), "--secret: not used with this kind of model"),
        (("example:coin", "--constants", "x=0"), "--constants: not used with this kind of model"),
        (("example:coin", "--observe-labels", "x"), "--observe-labels: not used with this kind of model"),
    ],
)
def test_program_refusals(arguments: tuple[str, ...], part: str) -> None:
    assert part in "\n".join(refused("info", *arguments))


def test_one_secret_alone_cannot_be_compared() -> None:
    (line,) = refused("delta", DINING_PROGRAM, "--secret", "paying=0", "--epsilon", "1")
    assert says(line, "alone has nothing")


def test_the_command_that_checks_a_certificate_reads_the_same_model(tmp_path: Path) -> None:
    proof = str(tmp_path / "a proof.json")
    options = ("--constants", "n=2,p=49/100", *SECRETS, "--max-states", "500")
    done = run("delta", DINING_PROGRAM, *options, "--exp-epsilon", "1.0002", "--certificate", proof)
    line = done.stderr.partition("(check it: deltachain ")[2].removesuffix(")\n")
    checked = run(*shlex.split(line))
    assert checked.returncode == 0, checked.stderr
    assert "= 7501/25000000 = 0.00030004 at" in checked.stdout
    other = run("verify", DINING_PROGRAM, proof, *SECRETS)
    assert other.returncode == 4
    assert says(other.stderr, "values of --constants")


def test_a_program_that_announces_nothing_is_remarked_on(tmp_path: Path) -> None:
    path = tmp_path / "mute.py"
    path.write_text("from deltachain import program\n@program\ndef mute(x):\n    return x\n")
    done = run("delta", f"{path}:mute", "--secret", "x=0", "--secret", "x=1", "--epsilon", "0")
    assert says(done.stderr)


# PRISM and JANI.


def test_the_two_diners_in_prism() -> None:
    storm()
    found = run_json("delta", DINING_PRISM, "--exp-epsilon", "1.0002")
    assert found["upper"] == EXACT
    assert found["exact"] is True
    assert found["results"][0]["pair"] == ["payer=0", "payer=1"]
    done = run("delta", DINING_PRISM, "--exp-epsilon", "1.0002")
    assert says(done.stdout, "δ(payer=0, payer=1) =")
    assert done.stderr == ""


def test_pairs_by_predicate_from_the_initial_states() -> None:
    storm()
    found = run_json("delta", DINING_PRISM, "--exp-epsilon", "1.0002", "--from", "payer=0", "--to", "payer=1")
    assert found["upper"] == EXACT
    crowds = (CROWDS_PRISM, "--constants", "corrupt=1,forward=3/4,runs=1", "--exp-epsilon", "2")
    found = run_json("delta", *crowds, "--from", "sender=0", "--to", "sender=2 | sender=4")
    assert [result["pair"] for result in found["results"]] == [["sender=0", "sender=2"], ["sender=0", "sender=4"]]


def test_with_one_initial_state_predicates_choose_among_all(tmp_path: Path) -> None:
    storm()
    path = tmp_path / "m.prism"
    path.write_text(
        "dtmc\nmodule m\n  s : [0..4] init 0;\n"
        "  [] s=0 -> 1/2:(s'=1) + 1/2:(s'=2);\n"
        "  [] s=1 -> 1/3:(s'=3) + 2/3:(s'=4);\n"
        "  [] s=2 -> 2/3:(s'=3) + 1/3:(s'=4);\n"
        'endmodule\nlabel "won" = s=3;\n'
    )
    found = run_json("delta", str(path), "--from", "s=1", "--to", "s=2", "--exp-epsilon", "1")
    assert found["upper"]["exact"] == "1/3"
    assert "carries no relation" in refused("delta", str(path), "--exp-epsilon", "1", "-q")[0]
    loud = run("info", str(path))
    assert says(loud.stderr)


def test_json_is_not_spoiled_by_storms_log(tmp_path: Path) -> None:
    storm()
    path = tmp_path / "m.prism"
    path.write_text("dtmc\nmodule m\n  s : [0..1] init 0;\n  [] s=0 -> (s'=7);\nendmodule\n")
    done = run("info", str(path), "--observe", "s", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["kind"] == "input"
    assert done.stderr.startswith(f"deltachain: error: {path}: The update")
    done = run("info", DINING_PRISM, "--observe", "said,turn", "--json", "-q")
    assert json.loads(done.stdout)["alphabet"]["said=0,turn=0"] == 2


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((CROWDS_PRISM,), "the constant 'corrupt' has no value (give one, --constants corrupt=…)"),
        ((CROWDS_PRISM, "--constants", "corrupt"), "--constants: 'corrupt' is not name=value"),
        ((DINING_PRISM, "--max-states", "3"), "it has more than 3 states"),
        ((DINING_PRISM, "--max-states", "0"), "--max-states: 0 is not a whole number from 1 to"),
        ((DINING_PRISM, "--observe", "x"), "it has no variable 'x' (its variables are first, payer"),
        ((DINING_PRISM, "--observe", "said,"), "--observe: 'said,' is not a list of names"),
        ((DINING_PRISM, "--observe-labels", "onne"), "did you mean 'one'?"),
        ((DINING_PRISM, "--observe", "said", "--observe-labels", "one"), "both variables and labels"),
        ((DINING_PRISM, "--secret", "payer=0"), "--secret: not used with this kind of model"),
        ((DINING_PRISM, "--normalise"), "--normalise"),
    ],
)
def test_prism_refusals(arguments: tuple[str, ...], part: str) -> None:
    storm()
    assert part in "\n".join(refused("info", *arguments))


def test_a_syntax_error_has_its_line_and_column(tmp_path: Path) -> None:
    storm()
    path = tmp_path / "m.prism"
    path.write_text("dtmc\nmodule m\n  s : [0..1] init 0\nendmodule\n")
    assert refused("info", str(path))[0].startswith(f"{path}:4:1: ")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--from", "payer=0"), "--from: it needs --to as well"),
        (("--to", "payer=0"), "--to: it needs --from as well"),
        (("--from", "payer=0", "--to", "payer=1", "--pair", "s0", "s1"), "--pair: pairs are also given by --from"),
        (("--from", "payer=7", "--to", "payer=1"), "--from 'payer=7': no state satisfies it (its start states are s0"),
        (("--from", "payer=0", "--to", "payer=0"), "the same as --to"),
        (("--from", "payee=0", "--to", "payer=1"), "the model has no variable 'payee'"),
        (("--from", "payer=", "--to", "payer=1"), "--from 'payer=': not Python: invalid syntax"),
        (("--from", "payer=true", "--to", "payer=1"), "is compared with a bool"),
    ],
)
def test_predicate_refusals(arguments: tuple[str, ...], part: str) -> None:
    lines = refused("delta", "example:dining-cryptographers,n=2", "--exp-epsilon", "2", *arguments)
    assert part in "\n".join(lines)


def test_predicates_work_for_any_model_with_valuations(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    run("convert", "example:dining-cryptographers,n=2", str(path))
    found = run_json("delta", str(path), "--from", "payer=0", "--to", "not payer=0", "--exp-epsilon", "1.0002")
    assert found["upper"] == EXACT
    assert "no variables" in refused("delta", "example:coin", "--epsilon", "1", "--from", "x=0", "--to", "x=1")[0]


def test_too_many_pairs_are_refused(tmp_path: Path) -> None:
    states = {str(i): {"label": "a", "to": {str(i): 1}, "valuation": {"x": i % 2}} for i in range(1000)}
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}))
    lines = refused("distance", str(path), "--from", "x=0", "--to", "x=1", "--exp-epsilon", "1")
    assert says(lines[0], "pairs are too")


# UMB, and what is not installed.


def test_umb_there_and_back(tmp_path: Path) -> None:
    pytest.importorskip("umbi", reason="needs the extra umb")
    path = str(tmp_path / "m.umb")
    done = run("convert", "example:dining-cryptographers,n=2", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert run_json("delta", path, "--exp-epsilon", "1.0002")["upper"] == EXACT
    assert "read, not written" in refused("convert", path, str(tmp_path / "m.prism"))[0]


@pytest.mark.parametrize(("module", "model", "extra"), [("stormpy", "m.prism", "storm"), ("umbi", "m.umb", "umb")])
def test_a_missing_extra_is_named_with_its_pip_line(module: str, model: str, extra: str, tmp_path: Path) -> None:
    (tmp_path / model).write_text("dtmc\n")
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{module!r}] = None\n")
    done = run("info", str(tmp_path / model), environment={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 6
    assert says(done.stderr)
    assert sys.modules.get(module, True) is not None
