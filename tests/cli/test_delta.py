"""``deltachain delta``: intervals, reasons, witnesses, proofs, and how a search ends early."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import delta, examples
from deltachain.model.words import event_probability
from tests.cli.command import COMMAND, run, run_json, started
from tests.words import says

DINERS = "example:dining-cryptographers,n=2,p=49/100"

GOLDEN = """\
δ(s0, s1) = 7501/25000000 = 0.00030004, exact

e^ε     1.0002 (5001/5000)
ε       ≈ 0.00019998
method  beliefs of the quotient (3 belief pairs)
proof   checked

Outputs that tell s0 from s1:
outputs  from s0             from s1             ratio
-------  ------------------  ------------------  --------
start 1  0.5002 (2501/5000)  0.4998 (2499/5000)  ≈ 1.0008
This output sequence accounts for the whole advantage.
An attacker who guesses optimally gains 0.00030004 over what ε allows: the event's probability from s0, less e^ε \
times that from s1.
"""


def exact(number: dict[str, str]) -> Fraction:
    return Fraction(number["exact"])


def test_two_diners() -> None:
    done = run("delta", DINERS, "--exp-epsilon", "1.0002")
    assert (done.returncode, done.stdout, done.stderr) == (0, GOLDEN, "")


def test_json_of_two_diners() -> None:
    found = run_json("delta", DINERS, "--exp-epsilon", "1.0002")
    assert found["schema"] == "deltachain.delta/2"
    assert found["exp_epsilon"] == {"exact": "5001/5000", "approx": 1.0002}
    assert exact(found["lower"]) == exact(found["upper"]) == Fraction(7501, 25_000_000)
    assert Fraction(found["lower"]["approx"]) <= exact(found["lower"]) <= Fraction(found["upper"]["approx"])
    assert (found["exact"], found["results"][0]["stopped"]) == (True, "finished")
    (result,) = found["results"]
    assert list(result) == ["pair", "lower", "upper", "exact", "nodes", "method", "stopped"]
    assert (result["pair"], result["exact"], result["nodes"]) == (["s0", "s1"], True, 3)
    witness = found["witness"]
    assert (witness["state"], witness["other"]) == ("s0", "s1")
    assert [word["word"] for word in witness["words"]] == [["start", "1"]]
    assert exact(witness["listed"]) == exact(witness["advantage"]) == Fraction(7501, 25_000_000)


def test_an_epsilon_is_enclosed() -> None:
    found = run_json("delta", DINERS, "--epsilon", "0.0002")
    chain = examples.dining_cryptographers(n=2, p="49/100")
    below, above = exact(found["exp_epsilon_below"]), exact(found["exp_epsilon_above"])
    assert exact(found["upper"]) == delta(chain, exp_epsilon=below).upper
    assert exact(found["lower"]) == delta(chain, exp_epsilon=above).lower
    assert exact(found["lower"]) < exact(found["upper"])
    text = run("delta", DINERS, "--epsilon", "0.0002").stdout
    assert says(text, "certified")


def test_every_pair_is_reported_and_the_worst_named() -> None:
    arguments = ["delta", "example:dining-cryptographers,n=4", "--exp-epsilon", "1"]
    found = run_json(*arguments)
    assert len(found["results"]) == 6
    assert exact(found["upper"]) == max(exact(result["upper"]) for result in found["results"])
    text = run(*arguments).stdout
    assert says(text, "pairs, exact")
    assert says(text, "worst pair")
    assert "(s0, s2)  1/2500 = 0.0004 " in text


def test_the_printed_witness_is_what_a_trace_measures() -> None:
    found = run_json("delta", "example:mix", "--exp-epsilon", "11/10")
    witness, chain = found["witness"], examples.build("mix")
    event = [tuple(word["word"]) for word in witness["words"]]
    x, y = (event_probability(chain, witness[who], event) for who in ("state", "other"))
    assert x - Fraction(11, 10) * y == exact(witness["listed"]) <= exact(witness["advantage"])


@pytest.mark.parametrize(
    ("model", "pair", "value", "method", "reason"),
    [
        ("example:coin", ("s0", "heads"), "1", "different labels", "s0 shows 'start' and heads shows 'heads'"),
        ("example:split-coin,p=1/3,q=1/3", ("s0", "s1"), "0", "bisimilar states", "s0 and s1 are bisimilar"),
        ("example:coin", ("s0", "s0"), "0", "bisimilar states", "s0 and s0 are one state"),
    ],
)
def test_answers_that_need_no_search_say_why(
    model: str, pair: tuple[str, str], value: str, method: str, reason: str
) -> None:
    arguments = ["delta", model, "--pair", *pair, "--epsilon", "0.3"]
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"δ({pair[0]}, {pair[1]}) = {value}, exact\n")
    assert reason in done.stdout
    found = run_json(*arguments)
    assert (found["results"][0]["method"], found["results"][0]["exact"]) == (method, True)
    assert exact(found["lower"]) == exact(found["upper"]) == int(value)


def test_proofs_are_written_and_verified(tmp_path: Path) -> None:
    proof, event = tmp_path / "proof.json", tmp_path / "event.json"
    files = ["--certificate", str(proof), "--witness", str(event)]
    done = run("delta", "example:sticky-sensor", "--epsilon", "0.1", "--max-nodes", "100", *files)
    assert done.returncode == 0
    assert f"deltachain verify example:sticky-sensor {proof}" in done.stderr
    written = json.loads(event.read_text("utf-8"))
    assert written["schema"] == "deltachain.witness/2"
    assert (
        written["witness"]
        == run_json("delta", "example:sticky-sensor", "--epsilon", "0.1", "--max-nodes", "100")["witness"]
    )
    checked = run("verify", "example:sticky-sensor", str(proof))
    assert checked.returncode == 0
    assert checked.stdout.startswith("proved: ")
    assert sorted(tmp_path.iterdir()) == [event, proof], "no temporary files are left"


def test_no_witness_is_said_in_its_file(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    done = run("delta", "example:coin", "--pair", "s0", "s0", "--exp-epsilon", "1", "--witness", str(event))
    assert done.returncode == 0
    assert says(done.stderr, "nothing tells the")
    assert json.loads(event.read_text("utf-8"))["witness"] is None


def test_a_gap_that_is_not_reached_is_undecided() -> None:
    arguments = ["delta", "example:sticky-sensor", "--exp-epsilon", "1.01", "--max-nodes", "50"]
    content = run(*arguments)
    assert (content.returncode, content.stderr) == (0, "")
    wide = run(*arguments, "--gap", "1e-9")
    assert wide.returncode == 3
    assert wide.stdout == content.stdout
    assert says(wide.stderr, "wider than --gap")
    assert run(*arguments, "--gap", "0.9").returncode == 0


def test_a_millisecond_still_gives_an_interval() -> None:
    done = run("delta", "example:sticky-sensor", "--exp-epsilon", "1.01", "--timeout", "0.001", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["results"][0]["stopped"]) == (3, "time")
    best = run_json("delta", "example:sticky-sensor", "--exp-epsilon", "1.01", "--max-nodes", "2000")
    assert 0 <= exact(found["lower"]) <= exact(best["lower"]) <= exact(best["upper"]) <= exact(found["upper"]) <= 1


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("checked", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_interrupt_still_gives_a_certified_interval(tmp_path: Path, checked: bool) -> None:
    """Checking the proof takes longer than finding it."""
    proof = tmp_path / "proof.json"
    arguments = [
        "delta",
        "example:sticky-sensor",
        "--exp-epsilon",
        "1.01",
        "--gap",
        "1e-30",
        "--max-nodes",
        "999999999",
    ]
    with started(*arguments, "--json", "-v", "--certificate", str(proof)) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        while first and "reading" in first:
            first = process.stderr.readline()  # progress: the search is surely under way
        process.send_signal(signal.SIGINT)
        output, rest = process.communicate(timeout=300)
    assert re.match(r"deltachain: (?!error|note)", first), first + rest
    assert process.returncode == 3, rest
    assert "Traceback" not in rest
    found = json.loads(output)
    assert found["results"][0]["stopped"] == "interrupted"
    assert 0 < exact(found["lower"]) < exact(found["upper"]) < 1
    (claim,) = json.loads(proof.read_text("utf-8"))["proves"]
    assert (claim["lower"], claim["upper"]) == (found["lower"]["exact"], found["upper"]["exact"])
    if checked:
        assert run("verify", "example:sticky-sensor", str(proof)).returncode == 0


def test_a_path_is_refused_before_the_work(tmp_path: Path) -> None:
    endless = ["delta", "example:sticky-sensor", "--exp-epsilon", "1.01", "--gap", "1e-30", "--max-nodes", "999999999"]
    done = run(*endless, "--certificate", str(tmp_path / "missing" / "proof.json"), "--witness", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert says(done.stderr, "no such folder")
    assert says(done.stderr, "is a directory")
    assert list(tmp_path.iterdir()) == []


def test_the_model_and_the_other_file_are_not_overwritten(tmp_path: Path) -> None:
    model, other = tmp_path / "coin.json", tmp_path / "other.json"
    assert run("convert", "example:coin", str(model)).returncode == 0
    before = model.read_bytes()
    ask = ["delta", str(model), "--exp-epsilon", "1"]
    assert "is the model" in run(*ask, "--certificate", str(model)).stderr
    assert "the same file" in run(*ask, "--certificate", str(other), "--witness", str(other)).stderr
    assert model.read_bytes() == before
    assert not other.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_keeps_the_result() -> None:
    done = run("delta", DINERS, "--exp-epsilon", "1.0002", "--certificate", "/dev/full")
    assert (done.returncode, done.stdout) == (2, GOLDEN)
    assert says(done.stderr, "cannot be written")


BAD = [
    ([DINERS], "--epsilon: no privacy parameter"),
    ([DINERS, "--epsilon", "-1"], "negative"),
    ([DINERS, "--epsilon", "nan"], "not a number"),
    ([DINERS, "--exp-epsilon", "0.99"], "below 1"),
    ([DINERS, "--exp-epsilon", "one"], "not a number"),
    ([DINERS, "--epsilon", "1", "--exp-epsilon", "2"], "not allowed with"),
    ([DINERS, "--epsilon", "1", "--gap", "0"], "--gap: 0 is not above 0"),
    ([DINERS, "--epsilon", "1", "--gap", "-1e-3"], "--gap: -1e-3 is not above 0"),
    ([DINERS, "--epsilon", "1", "--gap", "wide"], "--gap"),
    ([DINERS, "--epsilon", "1", "--timeout", "0"], "--timeout: 0 seconds"),
    ([DINERS, "--epsilon", "1", "--timeout", "inf"], "--timeout"),
    ([DINERS, "--epsilon", "1", "--timeout", "1e12"], "at most"),
    ([DINERS, "--epsilon", "1", "--max-nodes", "0"], "--max-nodes"),
    ([DINERS, "--epsilon", "1", "--max-nodes", "many"], "--max-nodes"),
    ([DINERS, "--epsilon", "1", "--pair", "s0", "nobody"], "nobody"),
    ([DINERS, "--epsilon", "1", "--pair", "s0"], "expected 2 arguments"),
    ([DINERS, "--epsilon", "1", "--certificate", ""], "--certificate"),
    ([DINERS, "--epsilon", "1", "--certificate", "x" * 5000], "--certificate"),
    (["example:nothing", "--epsilon", "1"], "nothing"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD, ids=[" ".join(arguments)[-40:] for arguments, _ in BAD])
def test_bad_requests(arguments: list[str], text: str) -> None:
    done = run("delta", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "deltachain: error: " in done.stderr
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_every_bad_option_is_told_at_once() -> None:
    done = run("delta", DINERS, "--epsilon", "-1", "--gap", "0", "--timeout", "x", "--max-nodes", "1.5")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 4


def test_a_model_without_relation_says_which_states_there_are(tmp_path: Path) -> None:
    path = tmp_path / "free.json"
    states = '{"lone": {"label": "a", "to": {"lone": 1}}, "other": {"label": "a", "to": {"other": 1}}}'
    path.write_text(f'{{"format": "deltachain.chain/1", "states": {states}, "relation": []}}', "utf-8")
    done = run("delta", str(path), "--epsilon", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lone, other" in done.stderr
    assert run("delta", str(path), "--epsilon", "1", "--pair", "lone", "other").returncode == 0


def test_probabilities_of_thousands_of_digits(tmp_path: Path) -> None:
    path, big = tmp_path / "big.json", 10**6000 + 1
    rows = {"s": Fraction(1, big), "t": Fraction(2, big)}
    states = {name: {"label": "a", "to": {"u": _text(p), "v": _text(1 - p)}} for name, p in rows.items()} | {
        name: {"label": name, "to": {name: 1}} for name in "uv"
    }
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}), "utf-8")
    done = run("delta", str(path), "--exp-epsilon", "1", "--pair", "s", "t")
    assert done.returncode == 0, done.stderr
    assert says(done.stdout, "exact")


def _text(p: Fraction) -> str:
    from deltachain.numbers.fraction import format_fraction

    return format_fraction(p)


def test_the_answer_needs_no_numpy() -> None:
    """What a cold command costs is mostly imports: a closed belief graph must not bring the distance engine."""
    code = (
        "import sys; from deltachain.cli.command import main; "
        f"code = main(['delta', '{DINERS}', '--exp-epsilon', '1.0002', '--certificate', '/dev/null', '-q']); "
        "print(code, sorted({'numpy', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([COMMAND[0], "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n0 []\n")


ASKED = """\
What to ask, to tell s0 from s1:
what is seen, what to ask  from s0      from s1
-------------------------  -----------  -----------  -----------
start: ask probe           1            1
├─ mode-1: ask q1          0.5 (1/2)    0.5 (1/2)
│  ├─ no                   0.375 (3/8)  0.125 (1/8)  say s0
│  └─ yes                  0.125 (1/8)  0.375 (3/8)  say nothing
└─ mode-2: ask q2          0.5 (1/2)    0.5 (1/2)
   ├─ no                   0.375 (3/8)  0.125 (1/8)  say s0
   └─ yes                  0.125 (1/8)  0.375 (3/8)  say nothing
This strategy accounts for the whole advantage.
"""


def test_a_witness_that_asks_is_a_tree() -> None:
    done = run("delta", "example:probe", "--exp-epsilon", "3/2", "--fixed", "2")
    assert done.returncode == 0
    assert ASKED in done.stdout
    assert says(done.stdout, "decided in advance")
    assert says(done.stdout, "asked adaptively")
    assert says(done.stdout, "adaptivity buys")
    assert says(done.stdout, "checked: the bounds")


def test_a_strategy_as_json_adds_up() -> None:
    found = run_json("delta", "example:lockout", "--exp-epsilon", "3/2", "--fixed", "1")
    ends, stack = [], [found["witness"]["strategy"]]
    while stack:
        step = stack.pop()
        stack += step["after"]
        assert (step["guess"] is None) == bool(step["after"])
        ends += [step] if step["guess"] else []
    gained = sum(exact(end["probability"]) - Fraction(3, 2) * exact(end["other"]) for end in ends)
    assert gained == exact(found["witness"]["listed"]) == exact(found["lower"])
    (plan,) = found["fixed"]
    assert exact(plan["upper"]) <= exact(plan["adaptive"]["upper"]) <= exact(found["upper"])


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "many", "1001"])
def test_numbers_of_questions_are_checked_first(count: str) -> None:
    done = run("delta", "nowhere.json", "--epsilon", "1", f"--fixed={count}")
    assert done.returncode == 2
    assert "--fixed: " in done.stderr
    assert says(done.stderr, "whole number from") or "not a number" in done.stderr


def test_there_is_nothing_to_plan_without_inputs() -> None:
    done = run("delta", DINERS, "--epsilon", "1", "--fixed", "2")
    assert done.returncode == 2
    assert says(done.stderr, "this chain has")
