"""Every row of the table that leads from the paper to the code has a command or a call, which runs."""

from __future__ import annotations

import fractions
import re

import pytest

import deltachain as dc
from deltachain.cli.command import main
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/theory/from-the-paper.md").read_text("utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][1:]
CODE = re.compile(r"`([^`]+)`")

STATEMENTS = ("Definition", "Lemma", "Theorem", "Corollary", "Remark", "Figure", "Fact", "Example")


def calls() -> list[tuple[str, str]]:
    """What each row is about, and its command or call."""
    found = []
    for row in ROWS:
        (call,) = CODE.findall(row[2])
        found.append((row[0], call))
    return found


def small_chain(page: str) -> dc.Chain:
    """The first chain that a session of a theory page makes."""
    text = (ROOT / f"docs/theory/{page}.md").read_text("utf-8")
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)", text, re.MULTILINE)
    last = next(place for place, line in enumerate(lines) if line.startswith("chain = "))
    known: dict[str, dc.Chain] = {}
    exec("\n".join(lines[: last + 1]), known)  # noqa: S102 - our own page
    return known["chain"]


@pytest.mark.parametrize(("about", "call"), calls())
def test_the_command_or_call_runs(about: str, call: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert about
    if call.startswith("deltachain "):
        assert main(call.split()[1:]) == 0
        assert capsys.readouterr().out
        return
    diners = dc.examples.dining_cryptographers(n=2, p="49/100")
    bd = dc.distance(diners, pairs="all", exp_epsilon="1.0002", exact=True)
    known = {"dc": dc, "coin": dc.examples.coin(), "diners": diners, "bd": bd, "fractions": fractions}
    known |= {
        "split": dc.examples.split_coin(),
        "six": small_chain("open-questions"),
        "four": small_chain("fixed-points"),
    }
    value = eval(call, known)  # noqa: S307 - our own page
    assert value is not None
    if " == " in call or " <= " in call or " >= " in call or " > " in call:
        assert value is True


def test_every_kind_of_statement_is_there() -> None:
    """As often as in the paper's source: 12 definitions, 8 lemmas, 3 theorems, 2 corollaries, and so on."""
    text = "\n".join(row[0] for row in ROWS)
    counts = {word: len(re.findall(rf"\b{word}\b", text)) for word in STATEMENTS}
    numbers = [int(number) for word in ("Definition", "Definitions") for number in re.findall(rf"{word} (\d+)", text)]
    assert set(numbers) | {3} == set(range(1, 13))
    assert {int(number) for number in re.findall(r"Lemma (\d+)", text)} == set(range(1, 9))
    assert counts["Theorem"] == 3
    assert counts["Corollary"] == 2
    assert counts["Remark"] == 12
    assert counts["Figure"] == 4
    assert counts["Fact"] == counts["Example"] == 1
