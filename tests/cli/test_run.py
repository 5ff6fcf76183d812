"""``deltachain run``: words of programs and of chains, seeds, limits, answers, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltachain as dc
from tests.cli.command import run, run_json
from tests.words import says

PROGRAMS = """
from deltachain import announce, ask, discrete_laplace, flip, program

@program
def survey(truth, p="3/4"):
    announce(truth if flip(p) else not truth)

@program
def noisy(count, scale=1000):
    announce(count + discrete_laplace(scale))

@program
def endless(x):
    while True:
        announce(flip("1/2"))

@program
def asks(secret):
    for _ in range(2):
        announce(secret if ask("a", "b c") == "a" else "no")

@program
def odd(x):
    announce("`steps`")
    announce("a b")
    announce("\\x1b[31m")

@program
def wrong(x):
    announce(1 // (x - x))
"""


@pytest.fixture
def protocol(tmp_path: Path) -> str:
    path = tmp_path / "protocol.py"
    path.write_text(PROGRAMS, "utf-8")
    return str(path)


def test_one_run_per_line(protocol: str) -> None:
    done = run("run", f"{protocol}:survey", "--secret", "truth=True", "--count", "40", "--seed", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.splitlines()) == {"start True end", "start False end"}
    assert len(done.stdout.splitlines()) == 40
    assert run("run", f"{protocol}:survey,p=1", "--secret", "truth=1").stdout == "start 1 end\n"
    assert run("run", f"{protocol}:survey", "--constants", "p=1,truth=1").stdout == "start 1 end\n"
    assert run("run", f"{protocol}:survey", "--secret", "truth=1", "--count", "0").stdout == ""


def test_a_seed_gives_the_same_runs(protocol: str) -> None:
    command = ("run", f"{protocol}:noisy", "--secret", "count=0", "--count", "3")
    first = run_json(*command, "--seed", "1")
    assert first["runs"] == run_json(*command, "--seed", "1")["runs"] != run_json(*command, "--seed", "2")["runs"]
    assert (first["seed"], first["cut"], first["start"], first["source"]) == (1, 0, None, f"{protocol}:noisy")
    assert run_json(*command)["seed"] is None
    assert run_json(*command)["runs"] != run_json(*command)["runs"]  # three numbers of a scale of 1,000
    assert "model" not in first


def test_words_are_those_of_trace(protocol: str) -> None:
    """What was drawn can be asked about; programs and chains write words alike."""
    (word,) = run("run", f"{protocol}:asks", "--secret", "secret=1", "--answer", "b c").stdout.splitlines()
    assert word == """["start", "a|'b c'?", "b c", "no", "a|'b c'?", "b c", "no", "end"]"""
    traced = run("trace", f"{protocol}:asks", "--secret", "secret=1", "--state", "secret=1", "--word", word, "--brief")
    assert says(traced.stdout.rstrip(), "from secret=1")
    (word,) = run("run", "example:coin", "--start", "s0").stdout.splitlines()
    assert word in ("start heads", "start tails")


def test_runs_are_left_at_the_limit(protocol: str) -> None:
    done = run("run", f"{protocol}:endless", "--secret", "x=1", "--steps", "7", "--count", "2")
    assert [len(line.split()) for line in done.stdout.splitlines()] == [7, 7]
    assert done.stderr == "deltachain: note: 2 of 2 runs were left after 7 outputs; see --steps\n"
    found = run_json("run", f"{protocol}:survey", "--secret", "truth=1", "--steps", "3")
    assert found["cut"] == 0
    assert len(found["runs"][0]) == 3
    assert run_json("run", f"{protocol}:survey", "--secret", "truth=1", "--steps", "2")["cut"] == 1


def test_a_chain_runs_from_a_state(tmp_path: Path) -> None:
    found = run_json("run", "example:dining-cryptographers", "--start", "s0", "--count", "20", "--seed", "3")
    chain = dc.examples.dining_cryptographers()
    assert found["model"]["sha256"] == chain.sha256
    assert found["start"] == "s0"
    assert all(dc.trace(chain, "s0", word).probability > 0 for word in found["runs"])
    dc.save(dc.restrict(dc.examples.coin(), ["heads"]), tmp_path / "one.json")
    assert run("run", str(tmp_path / "one.json")).stdout == "heads\n"


def test_the_observer_answers_in_order(protocol: str) -> None:
    done = run_json("run", f"{protocol}:asks", "--secret", "secret=1", "--answer", "b c", "--answer", "a")
    assert done["runs"] == [["start", "a|'b c'?", "b c", "no", "a|'b c'?", "a", "1", "end"]]
    done = run_json("run", "example:probe", "--start", "s0", "--answer", "probe", "--count", "5")
    assert {word[1] for word in done["runs"]} == {"probe"}


def test_letters_are_printed_as_they_are(protocol: str) -> None:
    done = run("run", f"{protocol}:odd", "--secret", "x=1")
    assert "`steps`" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("example:coin",), "--start: there is more than one state that runs may start from (give one of s0, s1)"),
        (("example:coin", "--start", "x"), "--start: no state 'x': states are s0, s1, heads, tails"),
        (("example:coin", "--start", "s0", "--count", "-1"), "--count: -1 is not a whole number from 0"),
        (("example:coin", "--start", "s0", "--seed", "1/2"), "--seed: 1/2 is not a whole number from 0"),
        (("example:coin", "--start", "s0", "--steps", "0"), "--steps: 0 is not a whole number from 1"),
        (("example:probe", "--start", "s0"), "--answer: the observer is asked 'start', and nobody answers"),
        (("example:probe", "--start", "s0", "--answer", "x"), "--answer: 'x' is not an answer to 'start' (give one of"),
        (("PROTOCOL:survey",), "secret 1: survey needs 'truth'"),
        (("PROTOCOL:survey", "--secret", "truth=1", "--secret", "truth=0"), "--secret: a run has one secret"),
        (("PROTOCOL:survey,truth=1", "--secret", "truth=1"), "--secret: 'truth' is given twice"),
        (("PROTOCOL:survey", "--secret", "truth=1", "--start", "s0"), "--start: not used with a program"),
        (("PROTOCOL:survey", "--secret", "truth=1", "--hide", "1"), "--hide: not used with a program"),
        (("PROTOCOL:wrong", "--secret", "x=1"), "protocol.py:30:14: division by zero, when x=1"),
        (("PROTOCOL:nothing", "--secret", "x=1"), "nothing"),
        (("missing.json",), "there is no such file"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], said: str, protocol: str) -> None:
    done = run("run", *(part.replace("PROTOCOL", protocol) for part in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_limits_cannot_be_drawn_from(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    path.write_text(
        '{"format": "deltachain.chain/1", "states": {"s": {"label": "start", "to": {"h": ["2/5", "1/2"], "t": ["1/2", '
        '"3/5"]}}, "h": {"label": "h", "to": {"h": 1}}, "t": {"label": "t", "to": {"t": 1}}}}'
    )
    done = run("run", str(path))
    assert done.returncode == 2
    assert says(done.stderr, "its probabilities are")
