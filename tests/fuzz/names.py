"""Names, labels and paths that try to write to the terminal what we did not say."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

from deltachain.cli.command import main
from tests.fuzz.driver import FuzzClass

PIECES = [
    *("\n", "\r", "\t", "\b", "\x1b[31m", "\x1b]0;title\x07", "\x7f", "\x85", "\x00", "\u2028", "\u2029", "\ufeff"),
    *("\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u200b", "\u061c", "\U000e0041"),
    *("$", "$x_1$", "\\alpha", "=1+1", "+1", "-1", "@cmd", "|", "%s", "{0}", "'", '"', "`", "<script>", "&amp;", "]]>"),
    *("s1) = 0 at exp_epsilon 1", "; rm -rf", "a b", "é", "Ω", "end", "start", "🎲", "#2", ",", ":", "/", "..", "~"),
]
VERBS = ["info", "delta", "check", "epsilon", "distance", "trace", "profile", "convert", "verify"]
FORBIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories that steer a terminal, or hide, rather than show."""


def hostile_case(random: Random) -> dict[str, Any]:
    """Three names, two labels, a file name and a verb."""

    def text() -> str:
        return "".join(random.choice([*PIECES, "a", "b", "1"]) for _ in range(random.randint(1, 4)))

    names: list[str] = []
    while len(names) < 4:
        candidate = text()
        if candidate not in names:
            names.append(candidate)
    file = text().replace("/", "_").replace("\x00", "_")
    return {
        "names": names,
        "labels": [text(), text()],
        "file": f"{file}.json",
        "verb": random.choice(VERBS),
        "pair": random.choice([None, (0, 1), (0, 9)]),
        "json": random.random() < 0.2,
    }


def check_hostile(case: dict[str, Any]) -> str:
    """The command ends well or refuses its input, and prints nothing that steers a terminal."""
    names, (first, second) = case["names"], case["labels"]
    states = {
        names[0]: {"label": first, "to": {names[2]: "1/3", names[3]: "2/3"}},
        names[1]: {"label": first, "to": {names[2]: "2/3", names[3]: "1/3"}},
        names[2]: {"label": second, "to": {names[2]: 1}},
        names[3]: {"label": first, "to": {names[3]: 1}},
    }
    document = {"format": "deltachain.chain/1", "states": states, "relation": [[names[0], names[1]]]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case["file"]
        path.write_text(json.dumps(document))
        certificate = Path(folder) / "certificate.json"
        arguments = _arguments(case, str(path), certificate, Path(folder) / "out.dot")
        if case["verb"] == "verify":
            _run(["delta", str(path), "--exp-epsilon", "1", "--certificate", str(certificate)])
        code, shown = _run(arguments)
    assert code in range(4), f"exit code {code}:\n{shown}"
    bad = sorted({c for c in shown if unicodedata.category(c) in FORBIDDEN and c != "\n"})
    assert not bad, f"{[hex(ord(c)) for c in bad]} printed by {case['verb']}:\n{shown!r}"
    return f"{case['verb']} {code}"


def _arguments(case: dict[str, Any], path: str, certificate: Path, out: Path) -> list[str]:
    verb: str = case["verb"]
    more = {
        "info": [],
        "delta": ["--exp-epsilon", "1.5"],
        "check": ["--exp-epsilon", "1.5", "--delta", "0.1"],
        "epsilon": ["--delta", "0"],
        "distance": ["--exp-epsilon", "1.5", "--all"],
        "trace": ["--word", " ".join(case["labels"])],
        "profile": ["--epsilons", "0:1:0.5"],
        "convert": [str(out)],
        "verify": [str(certificate)],
    }[verb]
    if case["pair"] is not None and verb in ("delta", "check", "epsilon", "profile"):
        s, t = case["pair"]
        more += ["--pair", case["names"][s], case["names"][t] if t < 4 else f"{case['names'][1]}?"]
    if case["json"] and verb not in ("convert", "verify"):
        more.append("--json")
    return [verb, path, *more]


def _run(arguments: list[str]) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue() + err.getvalue()


CASES = [FuzzClass("hostile names", hostile_case, check_hostile)]
