"""``deltachain trace``: words, events, all words of a length, and Δ_α."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import Chain, examples, save
from deltachain.cli.command import main
from deltachain.model.words import event_probability, skewed_difference, words
from deltachain.numbers.fraction import alpha_above, alpha_below
from tests.cli.command import run, run_json
from tests.words import says


def exact(number: dict[str, str]) -> Fraction:
    return Fraction(number["exact"])


def test_words_from_the_states_of_the_relation() -> None:
    done = run("trace", "example:coin", "--word", "start heads", "--word", "start tails tails")
    assert done.returncode == 0
    assert done.stderr == ""
    assert [line.split() for line in done.stdout.splitlines()[2:]] == [
        ["start", "heads", "0.4", "(2/5)", "0.6", "(3/5)"],
        ["start", "tails", "tails", "0.6", "(3/5)", "0.4", "(2/5)"],
    ]


def test_json_of_a_word() -> None:
    found = run_json("trace", "example:coin", "--word", "start heads", "--state", "s1")
    assert found["schema"] == "deltachain.trace/2"
    assert found["results"] == [
        {
            "kind": "word",
            "words": [["start", "heads"]],
            "probabilities": {"s1": {"exact": "3/5", "approx": 0.6}},
        }
    ]
    assert found["complete"] is True
    assert found["unknown_letters"] == []


def test_impossible_words_have_probability_zero_and_unknown_letters_are_told() -> None:
    done = run("trace", "example:coin", "--word", "heads", "--word", "start edge", "--state", "s0")
    assert done.returncode == 0
    assert [line.split()[-1] for line in done.stdout.splitlines()[2:]] == ["0", "0"]
    unknown, begins = done.stderr.splitlines()
    assert says(unknown)
    assert says(begins, "start; none begins")


def test_all_words_of_a_length() -> None:
    found = run_json("trace", "example:dining-cryptographers,n=3", "--length", "5")
    chain = examples.dining_cryptographers(n=3)
    for state in {name for pair in chain.pairs for name in pair}:
        listed = {tuple(r["words"][0]): exact(r["probabilities"][state]) for r in found["results"]}
        assert {word: p for word, p in listed.items() if p} == dict(words(chain, state, 5))
    order = [r["words"][0] for r in found["results"]]
    assert order == sorted(order)
    assert len(order) > 3


def test_the_limit_is_told() -> None:
    arguments = ["trace", "example:coin", "--length", "2", "--limit", "1"]
    done = run(*arguments)
    assert len(done.stdout.splitlines()) == 3
    assert says(done.stderr, "only the first")
    found = run_json(*arguments)
    assert (len(found["results"]), found["complete"]) == (1, False)
    assert run_json("trace", "example:coin", "--length", "2", "--limit", "2")["complete"] is True


def test_events_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("# either side\nstart heads\nstart tails\nstart heads heads\n\nstart heads\n", "utf-8")
    found = run_json("trace", "example:coin", "--events", str(path), "--exp-epsilon", "5/4")
    kinds = [(r["kind"], len(r["words"])) for r in found["results"]]
    assert kinds == [("event", 3), ("event", 1)]
    assert [exact(r["probabilities"]["s0"]) for r in found["results"]] == [1, Fraction(2, 5)]
    assert [exact(r["differences"][0]["upper"]) for r in found["results"]] == [0, Fraction(1, 10)]
    text = run("trace", "example:coin", "--events", str(path))
    assert says(text.stdout, "start heads, …")


def test_difference_at_an_exact_alpha() -> None:
    found = run_json("trace", "example:coin", "--length", "2", "--pair", "s1", "s0", "--exp-epsilon", "1.25")
    assert found["exp_epsilon"] == {"exact": "5/4", "approx": 1.25}
    for result in found["results"]:
        (difference,) = result["differences"]
        assert difference["pair"] == ["s1", "s0"]
        assert difference["lower"]["exact"] == difference["upper"]["exact"] == "1/10"
        assert difference["lower"]["approx"] <= 0.1 <= difference["upper"]["approx"]


def test_difference_at_an_epsilon_is_enclosed() -> None:
    found = run_json("trace", "example:coin", "--word", "start heads", "--epsilon", "0.1")
    assert exact(found["exp_epsilon_below"]) == alpha_below("0.1")
    assert exact(found["exp_epsilon_above"]) == alpha_above("0.1")
    coin = examples.coin()
    x, y = (event_probability(coin, s, [("start", "heads")]) for s in ("s0", "s1"))
    (difference,) = found["results"][0]["differences"]
    assert exact(difference["lower"]) == skewed_difference(x, y, alpha_above("0.1"))
    assert exact(difference["upper"]) == skewed_difference(x, y, alpha_below("0.1"))
    assert exact(difference["lower"]) < exact(difference["upper"])
    assert "≤ 0.157932" in run("trace", "example:coin", "--word", "start heads", "--epsilon", "0.1").stdout


def test_empty_labels_are_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "silent.json"
    states = '{"s": {"label": "", "to": {"t": 1}}, "t": {"label": "a b", "to": {"t": 1}}}'
    path.write_text(f'{{"format": "deltachain.chain/1", "states": {states}}}', "utf-8")
    listed = run("trace", str(path), "--length", "2", "--state", "s")
    assert '["", "a b"]' in listed.stdout
    found = run_json("trace", str(path), "--word", '["", "a b"]')
    assert exact(found["results"][0]["probabilities"]["s"]) == 1
    assert exact(found["results"][0]["probabilities"]["t"]) == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["example:coin"], "nothing to measure"),
        (["example:coin", "--word", "[1]"], "JSON list"),
        (["example:coin", "--word", "start", "--state", "nobody", "--state", "noone"], "nobody"),
        (["example:coin", "--word", "start", "--pair", "s0", "nobody"], "nobody"),
        (["example:coin", "--word", "start", "--exp-epsilon", "0.5"], "below 1"),
        (["example:coin", "--word", "start", "--epsilon", "-1"], "negative"),
        (["example:coin", "--word", "start", "--epsilon", "x"], "not a number"),
        (["example:coin", "--word", "start", "--epsilon", "1", "--exp-epsilon", "2"], "not allowed"),
        (["example:coin", "--length", "-1"], "-1"),
        (["example:coin", "--events", "no-such-file"], "no-such-file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_requests(arguments: list[str], text: str) -> None:
    done = run("trace", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "deltachain: error: " in done.stderr
    assert text in done.stderr


def test_a_model_without_relation_says_which_states_there_are(tmp_path: Path) -> None:
    path = tmp_path / "free.json"
    states = '{"lone": {"label": "a", "to": {"lone": 1}}, "other": {"label": "a", "to": {"other": 1}}}'
    path.write_text(f'{{"format": "deltachain.chain/1", "states": {states}}}', "utf-8")
    done = run("trace", str(path), "--word", "a", "--exp-epsilon", "2")
    assert done.returncode == 2
    assert "lone, other" in done.stderr
    assert run("trace", str(path), "--word", "a").stdout.splitlines()[2].split() == ["a", "1", "1"]


def test_a_large_model_without_relation_asks_for_states(tmp_path: Path) -> None:
    path = tmp_path / "ring.json"
    save(Chain.from_rows([{(k + 1) % 9: 1} for k in range(9)], ["a"] * 9), path)
    done = run("trace", str(path), "--word", "a a")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--state" in done.stderr


def test_progress_goes_to_standard_error_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deltachain.cli.progress.PATIENCE", 0)
    arguments = ["trace", "example:coin", "--length", "3"]
    assert main(arguments) == 0
    silent = capsys.readouterr()
    assert main([*arguments, "-v"]) == 0
    loud = capsys.readouterr()
    assert silent.err == ""
    assert loud.err == "deltachain: reading example:coin\n"
    assert silent.out == loud.out


def test_brief_has_a_line_for_each_word() -> None:
    done = run("trace", "example:coin", "--word", "start heads", "--word", "start tails", "--state", "s0", "--brief")
    assert done.stdout == "start heads: 0.4 (2/5) from s0\nstart tails: 0.6 (3/5) from s0\n"
