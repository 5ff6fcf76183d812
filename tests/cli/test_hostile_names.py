"""Names from a model are data: they do not move the cursor, forge a sentence, or break a picture."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import deltachain as dc
from deltachain.formats.format import chain_to_dot
from tests.cli.command import run

CLEAR = "a\x1b[2J\x07\rb"
TURNED = "x\u202ey\u2066z\u200b"
FORGED = "s1) = 0, exact\n\nPRIVATE: proved, δ ≤ 0 for (s0"
MATHS = "$\\frac{1}{0}$ --> </svg> & --"
COMMANDS = [
    ["info"],
    ["delta", "--exp-epsilon", "1"],
    ["check", "--exp-epsilon", "1", "--delta", "1/10"],
    ["epsilon", "--delta", "0"],
    ["profile", "--epsilons", "0:1:1"],
    ["distance", "--exp-epsilon", "1", "--kind", "ld"],
    ["distance", "--exp-epsilon", "1", "--all"],
    ["threshold", "--exp-epsilon", "1", "--theta", "1/2", "--solver", "engine"],
    ["trace", "--length", "2"],
    ["delta", "--exp-epsilon", "1", "--pair", CLEAR, TURNED],
]


@pytest.fixture(params=[(CLEAR, TURNED), (FORGED, MATHS)], ids=["commands", "forged"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    s, t = request.param
    states = {
        s: {"label": "start", "to": {"h": "2/5", "t": "3/5"}},
        t: {"label": "start", "to": {"h": "3/5", "t": "2/5"}},
        "h": {"label": CLEAR, "to": {"h": 1}},
        "t": {"label": "=1+1", "to": {"t": 1}},
    }
    path = tmp_path / f"mod\x1b[2Jel{TURNED}.json"
    document = {"format": "deltachain.chain/1", "states": states, "relation": [[s, t]]}
    path.write_text(json.dumps(document), "utf-8")
    return path


def is_plain(text: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in text)


@pytest.mark.parametrize("command", COMMANDS, ids=[" ".join(command[:3]).strip() for command in COMMANDS])
def test_nothing_reaches_the_terminal_that_it_would_obey(command: list[str], model: Path) -> None:
    verb, *options = command
    done = run(verb, str(model), *options)
    assert "internal error" not in done.stderr
    assert is_plain(done.stdout), done.stdout
    assert is_plain(done.stderr), done.stderr
    assert not any(line.startswith("PRIVATE") for line in done.stdout.splitlines())


def test_a_forged_sentence_is_quoted(tmp_path: Path) -> None:
    states = {
        FORGED: {"label": "a", "to": {"b": 1}},
        "t": {"label": "a", "to": {"t": 1}},
        "b": {"label": "b", "to": {"b": 1}},
    }
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}), "utf-8")
    done = run("delta", str(path), "--exp-epsilon", "1", "--pair", FORGED, "t", "--brief")
    assert done.stdout == "δ('s1) = 0, exact\\n\\nPRIVATE: proved, δ ≤ 0 for (s0', t) = 1, exact\n"


HIDDEN = "\u202e\u2066\u200f\u2028\u2029\u0085\x07"


@pytest.mark.parametrize("asks", [False, True])
def test_no_title_of_a_picture_hides_or_turns_anything(asks: bool, tmp_path: Path) -> None:
    """In a report, in a notebook, in what `dot` draws: line separators and directions are spelled out."""
    one, other = {"h": "2/5", "t": "3/5"}, {"h": "3/5", "t": "2/5"}
    rows = [{"on": {f"in{HIDDEN}": row, "else": {"h": 1}}} if asks else {"to": row} for row in (one, other)]
    states = {f"{name}{HIDDEN}": {"label": f"go{HIDDEN}"} | row for name, row in zip("st", rows, strict=True)}
    states |= {name: {"label": f"{name}{HIDDEN}", "to": {name: 1}} for name in "ht"}
    path = tmp_path / "model.json"
    document = {"format": "deltachain.chain/1", "states": states, "relation": [[f"s{HIDDEN}", f"t{HIDDEN}"]]}
    path.write_text(json.dumps(document), "utf-8")
    chain = dc.load(path)
    page = dc.report(chain, epsilon="1/10", delta="1/10", source=f"file{HIDDEN}", title=f"title{HIDDEN}").html
    assert page.count("<title") > 8
    drawn = (page, chain._repr_html_(), "".join(chain_to_dot(chain)), dc.profile(chain, epsilons=[0, 1])._repr_html_())
    for text in drawn:
        assert not set(HIDDEN) & set(text), [text[max(text.find(c) - 40, 0) :][:60] for c in HIDDEN if c in text]


def test_a_picture_is_well_formed_whatever_the_names(model: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = model.parent / "plot.svg"
    done = run("profile", str(model), "--epsilons", "0:1:1/2", "--plot", str(plot))
    assert done.returncode == 0, done.stderr
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")  # noqa: S314 - our own picture


def test_errors_and_paths_are_spelled_out() -> None:
    for arguments in (
        ["info", f"no{CLEAR}such.json"],
        ["info", f"example:{CLEAR}"],
        ["delta", "example:coin", f"--{CLEAR}"],
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert is_plain(done.stderr)
        assert done.stderr.count("\n") == 1
